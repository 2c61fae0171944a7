//! Fetches the texts of any games, in any order.

use std::ops::Range;
use std::path::PathBuf;

use crate::ask::ranked::{RankOrder, in_archive_order, in_portions};
use crate::open::Archive;
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
) -> Result<(), Error> {
    if !games.clone().is_sorted() {
        return in_any_order(archives, &mut { games }, options, each);
    }
    let list = games.zip(0..);
    let mut list = list.map(|((archive, game), rank)| Ok((archive, (game, rank))));
    in_portions(&mut list, &mut |archive, portion| {
        of_archive(archives, archive, portion, options.threads, each)
    })
}

/// Sorts the games into archive order, fetches their texts, and sorts these into the order of the
/// list.
fn in_any_order(
    archives: &[&Archive],
    games: &mut dyn Iterator<Item = (usize, u32)>,
    options: &TextOptions,
    each: &mut RankedText<'_>,
) -> Result<(), Error> {
    // A sorter uses an eighth of its memory: each of the two sorts has a quarter of the whole.
    let temp = Temp {
        memory: options.memory.saturating_mul(2),
        dir: options.temp_dir.clone(),
    };
    let mut by_rank = RankOrder::new(&temp);
    in_archive_order(games, &temp, &mut |archive, portion| {
        of_archive(
            archives,
            archive,
            portion,
            options.threads,
            &mut |rank, text| Ok(by_rank.put(rank, text)?),
        )
    })?;
    by_rank.each(each)
}

/// The texts of a job's games, one after another.
#[derive(Default)]
struct JobTexts {
    bytes: Vec<u8>,
    /// The rank of each game, and where its text stands.
    spans: Vec<(u64, Range<usize>)>,
}

/// With fewer games than this, threads take longer to start than the blocks take to decode.
const FEW: usize = 4;

/// Calls `each` with the rank and the text of each of these games of one archive.
fn of_archive(
    archives: &[&Archive],
    number: usize,
    wanted: &[(u32, u64)],
    threads: usize,
    each: &mut RankedText<'_>,
) -> Result<(), Error> {
    let missing = |&(game, _): &(u32, u64), games| {
        let number = u64::from(game) + 1;
        Error::NoSuchGame { number, games }
    };
    let archive = archives.get(number);
    let archive = archive.ok_or_else(|| missing(&wanted[0], 0))?;
    let games: Vec<u32> = wanted.iter().map(|wanted| wanted.0).collect();
    let mut failed = false;
    let done = archive.each_block(
        Some(&games),
        if games.len() < FEW { 1 } else { threads },
        |place, range| archive.texts_of(place, &wanted[range]),
        |texts| {
            let mut spans = texts.spans.into_iter();
            let done = spans.try_for_each(|(rank, span)| each(rank, &texts.bytes[span]));
            done.inspect_err(|_| failed = true)
        },
    );
    // An error of `each` is about no archive.
    let located = |error| match failed {
        true => error,
        false => archive.named(error),
    };
    done.map_err(located)?;
    let last = wanted.last().map_or(0, |&(game, _)| u64::from(game));
    if archive.place(last).map_err(located)?.is_some() {
        return Ok(());
    }
    let all = archive.len().map_err(located)?;
    let behind = games.partition_point(|&game| u64::from(game) < all);
    wanted
        .get(behind)
        .map_or(Ok(()), |first| Err(located(missing(first, all))))
}

impl Archive {
    /// The texts of these games of one block (numbers from 0, ascending), with their ranks.
    fn texts_of(&self, place: &BlockPlace, wanted: &[(u32, u64)]) -> Result<JobTexts, Error> {
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else {
            return Ok(JobTexts::default());
        };
        let range = u64::from(first.0)..u64::from(last.0) + 1;
        // A game may be wanted more than once.
        let same: Vec<&[(u32, u64)]> = wanted.chunk_by(|a, b| a.0 == b.0).collect();
        let list: Vec<u32> = same.iter().map(|same| same[0].0).collect();
        self.with_block(place, range, Needs::All, |games| {
            let mut texts = JobTexts::default();
            games.visit(&list, |at, games| {
                let begin = texts.bytes.len();
                self.text_of(place, games, &mut |bytes| {
                    texts.bytes.extend_from_slice(bytes);
                    Ok(())
                })?;
                let span = begin..texts.bytes.len();
                let ranks = same[at].iter().map(|game| game.1);
                texts.spans.extend(ranks.map(|rank| (rank, span.clone())));
                Ok(())
            })?;
            Ok(texts)
        })
    }
}
