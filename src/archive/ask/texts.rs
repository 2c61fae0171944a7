//! Fetches the texts of any games, in any order.

use std::ops::Range;
use std::path::PathBuf;

use crate::ask::ranked::{ArchiveOrder, RankOrder, RankedGame, RankedGames};
use crate::fault::ArchiveFault;
use crate::open::Archive;
use crate::pipeline::ordered;
use crate::run::Error;
use crate::stream::walk::BlockPlace;
use pgc_block::small::stored::Needs;
use pgc_index::Temp;

/// Options of [`texts`].
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// Number of threads; 0 is one for each processor. A few games are fetched with one thread.
    pub threads: usize,
    /// Approximate memory in bytes for games that are not in archive order.
    pub memory: usize,
    /// The folder for temporary files.
    pub temp_dir: PathBuf,
}

impl Default for TextOptions {
    fn default() -> TextOptions {
        TextOptions {
            threads: 0,
            memory: 256 << 20,
            temp_dir: std::env::temp_dir(),
        }
    }
}

/// Called with the position of a game in the list, and its text.
pub(crate) type RankedText<'a> = dyn FnMut(u64, &[u8]) -> Result<(), Error> + 'a;

/// Calls `each` with the texts of games, as they were written, in the order of the list, each with
/// its position in that list. A game is the position of its archive in `archives` and its number
/// there, from 0. Games in damaged blocks are left out if their archive passes over damage.
///
/// Games in archive order are decoded block after block. The texts of others are sorted by way of
/// temporary files, so that every block is decoded once, and the memory is bounded.
///
/// # Examples
/// ```
/// use pgc::{NoHooks, PackOptions};
/// use pgc::pack;
/// use pgc::ask::texts::{TextOptions, texts};
/// use pgc::Archive;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.pgc");
/// let mut bytes = Vec::new();
/// pack(&mut &b"1. e4 *\n\n1. d4 *\n"[..], "two.pgn", &mut bytes, &PackOptions::default(), &mut NoHooks)?;
/// std::fs::write(&path, bytes)?;
///
/// let archive = Archive::open(&path)?;
/// let mut found = Vec::new();
/// texts(&[&archive], [(0, 1), (0, 0)].into_iter(), &TextOptions::default(), &mut |_, text| {
///     found.push(text.to_vec());
///     Ok(())
/// })?;
/// assert_eq!(found, [&b"1. d4 *\n"[..], b"1. e4 *\n\n"]);
/// # Ok::<(), pgc::Error>(())
/// ```
///
/// # Errors
/// [`Error::NoSuchGame`], [`Error::Damaged`], [`Error::Io`], and those of `each`, which are about no
/// archive.
pub fn texts(
    archives: &[&Archive],
    games: impl Iterator<Item = (usize, u32)> + Clone,
    options: &TextOptions,
    each: &mut RankedText<'_>,
) -> Result<(), ArchiveFault> {
    if !games.clone().is_sorted() {
        return in_any_order(archives, &mut { games }, options, each);
    }
    let mut list = games.zip(0..).map(|((archive, game), rank)| RankedGame {
        archive,
        game,
        rank,
    });
    BlockJobs::new(archives, &mut || Ok(list.next())).run(options.threads, each)
}

/// Sorts the games into archive order, fetches their texts, and sorts these into the order of the
/// list.
fn in_any_order(
    archives: &[&Archive],
    games: &mut dyn Iterator<Item = (usize, u32)>,
    options: &TextOptions,
    each: &mut RankedText<'_>,
) -> Result<(), ArchiveFault> {
    // A sorter uses an eighth of its memory: each of the two sorts has a quarter of the whole.
    let temp = Temp {
        memory: options.memory.saturating_mul(2),
        dir: options.temp_dir.clone(),
    };
    let mut by_place = ArchiveOrder::new(archives, &temp);
    for (archive, game) in games {
        by_place.put(archive, game)?;
    }
    let by_place = by_place.finish()?;
    let mut ranked = RankedGames::new(&by_place)?;
    let mut next = || Ok(ranked.next()?);
    let mut by_rank = RankOrder::new(&temp);
    let mut jobs = BlockJobs::new(archives, &mut next);
    jobs.run(options.threads, &mut |rank, text| {
        Ok(by_rank.put(rank, text)?)
    })?;
    Ok(by_rank.each(each)?)
}

/// The wanted games of one block.
struct BlockJob {
    archive: usize,
    place: BlockPlace,
    games: Vec<(u32, u64)>,
}

/// The texts of a job's games, one after another.
#[derive(Default)]
struct JobTexts {
    bytes: Vec<u8>,
    /// The rank of each game, and where its text stands.
    spans: Vec<(u64, Range<usize>)>,
}

/// Groups consecutive ascending games by block.
struct BlockJobs<'a, 'g> {
    archives: &'a [&'a Archive],
    games: &'g mut dyn FnMut() -> Result<Option<RankedGame>, Error>,
    /// The first game of the next block.
    ahead: Option<RankedGame>,
    /// The archive in which looking up the next block failed.
    fault: Option<usize>,
}

impl<'a, 'g> BlockJobs<'a, 'g> {
    fn new(
        archives: &'a [&'a Archive],
        games: &'g mut dyn FnMut() -> Result<Option<RankedGame>, Error>,
    ) -> BlockJobs<'a, 'g> {
        BlockJobs {
            archives,
            games,
            ahead: None,
            fault: None,
        }
    }

    /// Calls `each` with the rank and the text of each game.
    fn run(&mut self, threads: usize, each: &mut RankedText<'_>) -> Result<(), ArchiveFault> {
        let archives = self.archives;
        // Threads take longer to start than a few blocks take to decode.
        let mut first = Vec::new();
        while first.len() < 4
            && let Some(job) = self.next().map_err(|error| ArchiveFault {
                archive: self.fault,
                error,
            })?
        {
            first.push(job);
        }
        let threads = if first.len() < 4 { 1 } else { threads };
        let mut first = first.into_iter();
        // After an error behind the threads: the archive of the block, or `None` if `each` failed.
        let mut of_sink: Option<Option<usize>> = None;
        let done = ordered(
            threads,
            || {
                let job = match first.next() {
                    Some(job) => Some(job),
                    None => self.next()?,
                };
                let cost = |job: &BlockJob| archives[job.archive].cost(&job.place);
                Ok(job.map(|job| (cost(&job).saturating_mul(2), job)))
            },
            |job| {
                let texts = archives[job.archive].texts_of(&job.place, &job.games);
                (job.archive, job.place, texts)
            },
            |(archive, place, texts)| {
                archives[archive].pass(place.end_game())?;
                let texts = texts.or_else(|error| {
                    let passed = archives[archive].pass_over(&place, error);
                    passed.map(|()| JobTexts::default())
                });
                let texts = texts.inspect_err(|_| of_sink = Some(Some(archive)))?;
                let mut spans = texts.spans.into_iter();
                let done = spans.try_for_each(|(rank, span)| each(rank, &texts.bytes[span]));
                done.inspect_err(|_| of_sink = Some(None))
            },
        );
        done.map_err(|error| ArchiveFault {
            archive: of_sink.unwrap_or(self.fault),
            error,
        })
    }

    fn next(&mut self) -> Result<Option<BlockJob>, Error> {
        let first = match self.ahead.take() {
            None => (self.games)()?,
            ahead => ahead,
        };
        let Some(first) = first else {
            return Ok(None);
        };
        let number = u64::from(first.game) + 1;
        let missing = |games| Error::NoSuchGame { number, games };
        let archive = self.archives.get(first.archive).ok_or_else(|| missing(0))?;
        // Set only during the lookup.
        self.fault = Some(first.archive);
        let Some(place) = archive.place(u64::from(first.game))? else {
            return Err(missing(archive.len()?));
        };
        self.fault = None;
        let end = place.before.saturating_add(place.games);
        let mut job = BlockJob {
            archive: first.archive,
            place,
            games: vec![(first.game, first.rank)],
        };
        while let Some(wanted) = (self.games)()? {
            if wanted.archive != job.archive || u64::from(wanted.game) >= end {
                self.ahead = Some(wanted);
                break;
            }
            job.games.push((wanted.game, wanted.rank));
        }
        Ok(Some(job))
    }
}

impl Archive {
    /// The texts of these games of one block (numbers from 0, ascending), with their ranks.
    fn texts_of(&self, place: &BlockPlace, wanted: &[(u32, u64)]) -> Result<JobTexts, Error> {
        let number = |wanted: Option<&(u32, u64)>| wanted.map_or(0, |&(game, _)| u64::from(game));
        let range = number(wanted.first())..number(wanted.last()) + 1;
        // Games before the block are in a gap, which the walk has reported.
        let wanted = &wanted[wanted.partition_point(|&(game, _)| u64::from(game) < place.before)..];
        if wanted.is_empty() {
            return Ok(JobTexts::default());
        }
        self.with_block(place, range, Needs::All, |games| {
            let mut texts = JobTexts::default();
            let mut at = None;
            for &(game, rank) in wanted {
                let begin = texts.bytes.len();
                if at == Some(game) {
                    // Wanted again.
                    let span = texts.spans.last().map_or(0..0, |span| span.1.clone());
                    texts.bytes.extend_from_within(span);
                } else {
                    if at.is_none() {
                        games.pass(u64::from(game).saturating_sub(place.before))?;
                    }
                    while games.number() != u64::from(game) + 1 {
                        if !games.next()? {
                            return Err(place.too_few());
                        }
                    }
                    self.text_of(place, games, &mut |bytes| {
                        texts.bytes.extend_from_slice(bytes);
                        Ok(())
                    })?;
                    at = Some(game);
                }
                texts.spans.push((rank, begin..texts.bytes.len()));
            }
            Ok(texts)
        })
    }
}
