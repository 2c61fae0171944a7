//! Leaves out games that the archive already has: `add --skip-known` and `--skip-duplicates`.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::join::boundary::Joiner;
use crate::join::hashes::Hashes;
use crate::join::identity::{Identity, SkipRule, agree, is_ended, of_archive};
use crate::open::Archive;
use crate::run::{Error, go_on};
use pgc_block::cut::Blocks;
use pgc_block::small::stored::Needs;
use pgc_block::units::{Parsed, read_units};
use pgc_io::temp::TempFile;
use pgc_pgn::game::ParsedGames;
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::source_text::SourceText;
use pgc_pgn::split::{Unit, UnitKind};

/// Text of this length before the first game makes the source worth adding, even without new games.
const MUCH_TEXT: usize = 1 << 24;

/// The games of an archive and those added since, found by hash and then compared exactly.
#[derive(Debug)]
pub struct KnownGames<'a> {
    archive: &'a Archive,
    rule: SkipRule,
    threads: usize,
    /// Numbers of the archive's games, by hash.
    of_archive: Hashes,
    /// For games added since, by hash: the offset in `spill` of the identity's bytes, which follow
    /// their length, the year and the result.
    since: Hashes,
    spill: TempFile,
}

impl<'a> KnownGames<'a> {
    /// Prepares for an archive, which is read: an index could not tell of a hash that is missing
    /// there. Temporary files in `temp_dir` hold what does not fit into memory.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn new(
        archive: &'a Archive,
        rule: SkipRule,
        temp_dir: &Path,
        threads: usize,
    ) -> Result<KnownGames<'a>, Error> {
        let of_archive = archive.again_if_false(|| of_scan(archive, rule, temp_dir, threads))?;
        let since = Hashes::new(temp_dir.to_owned());
        Ok(KnownGames {
            archive,
            rule,
            threads,
            of_archive,
            since,
            spill: TempFile::new_in(temp_dir)?,
        })
    }

    /// Tells for each game whether the archive has it.
    fn in_archive(&self, games: &[&Identity]) -> Result<Vec<bool>, Error> {
        // A game that repeats within the block is looked up once.
        let mut firsts = HashMap::new();
        let first = |at: usize| {
            *firsts
                .entry((&games[at].bytes, games[at].open))
                .or_insert(at)
        };
        let same: Vec<usize> = (0..games.len()).map(first).collect();
        let mut known = vec![false; games.len()];
        let mut candidates: Vec<(usize, Vec<u64>)> = Vec::new();
        for (at, game) in games.iter().enumerate().filter(|&(at, _)| same[at] == at) {
            let found = self.of_archive.find(game.hash)?;
            if !found.is_empty() {
                candidates.push((at, found));
            }
        }
        // Nearly always the first candidate is the game; further candidates are its duplicates.
        let pairs = candidates.iter().map(|(at, found)| (found[0], *at));
        self.compare(games, pairs.collect(), &mut known)?;
        candidates.retain(|(at, found)| !known[*at] && found.len() > 1);
        for (at, found) in candidates {
            let pairs = found[1..].iter().map(|&game| (game, at)).collect();
            self.compare(games, pairs, &mut known)?;
        }
        Ok(same.into_iter().map(|at| known[at]).collect())
    }

    /// Sets `known` for each game that equals a game of the archive; `pairs` are the number of an
    /// archive's game and the position of a game in `games`.
    fn compare(
        &self,
        games: &[&Identity],
        mut pairs: Vec<(u64, usize)>,
        known: &mut [bool],
    ) -> Result<(), Error> {
        pairs.sort_unstable();
        let wanted = pairs.iter().flat_map(|pair| u32::try_from(pair.0));
        let mut wanted: Vec<u32> = wanted.collect();
        wanted.dedup();
        let mut rest = pairs.as_slice();
        // The scan returns games in ascending order.
        self.archive.scan(
            Some(&wanted),
            Needs::All,
            if wanted.len() < 2 { 1 } else { self.threads },
            |_, games, found: &mut Vec<(u64, Option<Identity>)>| {
                let identity = of_archive(games.game(), self.rule);
                found.push((games.number() - 1, identity));
                Ok(())
            },
            |found| {
                for (number, identity) in found {
                    let here = rest.partition_point(|&(game, _)| game <= number);
                    let (these, more) = rest.split_at(here);
                    rest = more;
                    for &(_, at) in these {
                        known[at] |= identity.as_ref().is_some_and(|it| it.is_same(games[at]));
                    }
                }
                Ok(())
            },
        )
    }

    /// Whether this game was added since; if not, it is now.
    fn came_since(&mut self, game: &Identity) -> io::Result<bool> {
        let (mut bytes, mut spill) = (Vec::new(), &self.spill);
        for at in self.since.find(game.hash)? {
            let mut head = [0; 12];
            spill.seek(SeekFrom::Start(at))?;
            spill.read_exact(&mut head)?;
            let [length @ .., a, b, c, d] = head;
            let open = [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])];
            if u64::from_le_bytes(length) != game.bytes.len() as u64 || !agree(open, game.open) {
                continue;
            }
            bytes.resize(game.bytes.len(), 0);
            spill.read_exact(&mut bytes)?;
            if bytes == game.bytes {
                return Ok(true);
            }
        }
        self.since
            .insert(game.hash, spill.seek(SeekFrom::End(0))?)?;
        spill.write_all(&(game.bytes.len() as u64).to_le_bytes())?;
        for open in game.open {
            spill.write_all(&open.to_le_bytes())?;
        }
        spill.write_all(&game.bytes)?;
        Ok(false)
    }

    /// Tells for each unit of a block whether it is a known game; the other games are known from
    /// now on. Only games have an identity.
    fn judge(&mut self, units: &[Option<Identity>]) -> Result<Vec<bool>, Error> {
        let games = units.iter().enumerate();
        let games = games.filter_map(|(at, identity)| Some((at, identity.as_ref()?)));
        let games: Vec<(usize, &Identity)> = games.collect();
        let identities: Vec<&Identity> = games.iter().map(|game| game.1).collect();
        let in_archive = self.in_archive(&identities)?;
        let mut known = vec![false; units.len()];
        for (&(at, identity), in_archive) in games.iter().zip(in_archive) {
            known[at] = in_archive || self.came_since(identity)?;
        }
        Ok(known)
    }
}

/// Collects the hashes of an archive's games by reading the archive.
fn of_scan(
    archive: &Archive,
    rule: SkipRule,
    temp_dir: &Path,
    threads: usize,
) -> Result<Hashes, Error> {
    let mut found = Hashes::new(temp_dir.to_owned());
    let mut games = 0_u64;
    archive.scan(
        None,
        Needs::All,
        threads,
        |_, games, hashes: &mut Vec<Option<u64>>| {
            hashes.push(of_archive(games.game(), rule).map(|identity| identity.hash));
            Ok(())
        },
        |hashes| {
            for hash in hashes {
                // A game without identity is counted too.
                games += 1;
                if let Some(hash) = hash {
                    found.insert(hash, games - 1)?;
                }
            }
            if games > u64::from(u32::MAX) {
                let what = "the archive has more than 4,294,967,295 games";
                return Err(io::Error::other(what).into());
            }
            go_on(0)
        },
    )?;
    Ok(found)
}

/// A reader of a source without its known games. The rest keeps its text. Where a known game was
/// left out, an empty line (or more, if needed) is added between its neighbours if nothing else
/// separates them.
#[expect(missing_debug_implementations, reason = "its source has none")]
pub struct NewGames<'s, 'k, 'a> {
    blocks: Blocks<'s>,
    letters: Option<&'static PieceLetters>,
    known: &'k mut KnownGames<'a>,
    /// Text that has been made but not read.
    made: VecDeque<u8>,
    /// The last unit that was kept, and whether following text could become part of it.
    last: Option<(Vec<u8>, bool)>,
    /// The last game left out since then.
    left_out: Option<Vec<u8>>,
    counts: NewCounts,
}

/// The counts of a source's games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewCounts {
    /// Games that were kept.
    pub kept: u64,
    /// Games that were left out.
    pub known: u64,
    /// Bytes of kept text outside games.
    pub text: u64,
}

impl<'s, 'k, 'a> NewGames<'s, 'k, 'a> {
    /// Starts at the beginning of a source.
    pub fn new(
        source: &'s mut (dyn Read + Send),
        text: SourceText,
        known: &'k mut KnownGames<'a>,
    ) -> NewGames<'s, 'k, 'a> {
        NewGames {
            blocks: Blocks::new(source, text),
            letters: text.letters(),
            known,
            made: VecDeque::new(),
            last: None,
            left_out: None,
            counts: NewCounts::default(),
        }
    }

    /// The counts so far.
    pub fn counts(&self) -> NewCounts {
        self.counts
    }

    /// Reads up to the first game that is kept, or to the end; returns whether the source is worth
    /// adding.
    ///
    /// # Errors
    /// Those of reading the source and the archive.
    pub fn any(&mut self) -> Result<bool, Error> {
        while self.counts.kept == 0 && self.made.len() < MUCH_TEXT && self.fill()? {}
        Ok(self.counts.kept > 0 || self.made.len() >= MUCH_TEXT)
    }

    fn keep_game(&mut self, text: &[u8], ended: bool) {
        self.counts.kept += 1;
        if self.left_out.take().is_some()
            && let Some((last, _)) = &self.last
        {
            let mut joiner = Joiner::default();
            joiner.next(last);
            self.made.extend(joiner.next(text)[0]);
        }
        self.made.extend(text);
        self.last = Some((text.to_vec(), !ended));
    }

    /// Keeps text that is not a game. If the unit before it could swallow the text, the known game
    /// between them is kept too.
    fn keep_text(&mut self, text: &[u8], kind: UnitKind) {
        if let Some(game) = self.left_out.take()
            && self.last.as_ref().is_some_and(|last| last.1)
        {
            self.counts.known -= 1;
            self.keep_game(&game, false);
        }
        let outside = matches!(kind, UnitKind::Stray(_));
        self.counts.text += if outside { text.len() as u64 } else { 0 };
        self.counts.kept += u64::from(kind == UnitKind::Piece(false));
        self.made.extend(text);
        self.last = Some((text.to_vec(), !outside));
    }

    /// Reads one more block; `false` at the end.
    fn fill(&mut self) -> Result<bool, Error> {
        let Some(block) = self.blocks.next_block()? else {
            return Ok(false);
        };
        let mut games = ParsedGames::in_letters(self.letters);
        let units = read_units(&mut games, &block.src, &block.units);
        let text_of = |unit: &Unit| &block.src[unit.start..unit.end];
        let rule = self.known.rule;
        let identities = units.iter().map(|Parsed { unit, game }| {
            let is_game = unit.kind == UnitKind::Game;
            is_game.then(|| Identity::in_text(text_of(unit), game, rule))
        });
        let known = self.known.judge(&identities.collect::<Vec<_>>())?;
        for (Parsed { unit, game }, known) in units.iter().zip(known) {
            let text = text_of(unit);
            match unit.kind {
                UnitKind::Game if known => {
                    self.counts.known += 1;
                    self.left_out = Some(text.to_vec());
                }
                UnitKind::Game => self.keep_game(text, is_ended(text, game)),
                kind => self.keep_text(text, kind),
            }
        }
        Ok(true)
    }
}

impl Read for NewGames<'_, '_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.made.is_empty() && self.fill()? {}
        self.made.read(buf)
    }
}
