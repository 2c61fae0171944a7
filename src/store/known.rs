//! Leaves out games that are known already: `add --skip-known`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::archive::Archive;
use super::join::Joiner;
use crate::convert::Error;
use crate::convert::identity::{Identity, SourceBlock, SourceBlocks, What, of_archive};

/// Text outside games is worth a source of its own if there is so much of it before the first game.
const MUCH_TEXT: usize = 1 << 24;

/// The games of an archive, and those that came since, to be found by their hashes and truly compared.
#[derive(Debug)]
pub struct KnownGames<'a> {
    archive: &'a Archive,
    threads: usize,
    /// Of each game of the archive the upper half of its hash and its number, sorted.
    by_hash: Vec<u64>,
    /// Games that came since: where in `spill` their identities are, and how long.
    since: HashMap<u64, Vec<(u64, usize)>>,
    spill: File,
    spilled: u64,
}

impl<'a> KnownGames<'a> {
    /// Of an archive; without `hashes` (one for each game, from its index), it is read through. A temporary file in `temp_dir` keeps what comes
    /// since.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn new(
        archive: &'a Archive,
        hashes: Option<&mut dyn Iterator<Item = Result<u64, Error>>>,
        temp_dir: &Path,
        threads: usize,
    ) -> Result<KnownGames<'a>, Error> {
        let mut by_hash = Vec::new();
        let mut push = |hash: u64| {
            let game = by_hash.len() as u64;
            by_hash.push(hash & !0xffff_ffff | game);
        };
        match hashes {
            Some(hashes) => {
                for hash in hashes {
                    push(hash?);
                }
            }
            None => archive.scan(
                None,
                threads,
                |_, games, found: &mut Vec<u64>| {
                    // One that is like no other has a hash too: its place must be taken.
                    found.push(of_archive(games.game()).map_or(0, |identity| identity.hash));
                    Ok(())
                },
                |found| {
                    found.into_iter().for_each(&mut push);
                    Ok(())
                },
            )?,
        }
        if by_hash.len() > u32::MAX as usize {
            return Err(io::Error::other("the archive has more than 4,294,967,295 games").into());
        }
        by_hash.sort_unstable();
        let spill = tempfile::tempfile_in(temp_dir)?;
        Ok(KnownGames { archive, threads, by_hash, since: HashMap::new(), spill, spilled: 0 })
    }

    /// The games of the archive that may have this hash.
    fn candidates(&self, hash: u64) -> impl Iterator<Item = u32> {
        let upper = hash >> 32;
        let begin = self.by_hash.partition_point(|entry| entry >> 32 < upper);
        let entries = self.by_hash[begin..].iter().take_while(move |&&entry| entry >> 32 == upper);
        entries.filter_map(|entry| u32::try_from(entry & 0xffff_ffff).ok())
    }

    /// Which of these games are in the archive.
    fn in_archive(&self, games: &[&Identity]) -> Result<Vec<bool>, Error> {
        let mut pairs: Vec<(u32, usize)> = Vec::new();
        for (at, game) in games.iter().enumerate() {
            pairs.extend(self.candidates(game.hash).map(|candidate| (candidate, at)));
        }
        pairs.sort_unstable();
        let mut wanted: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
        wanted.dedup();
        let mut known = vec![false; games.len()];
        let mut rest = pairs.as_slice();
        // Blocks come in order, and so do the games in them.
        self.archive.scan(
            Some(&wanted),
            if wanted.len() < 2 { 1 } else { self.threads },
            |_, games, found: &mut Vec<(u64, Option<Identity>)>| {
                found.push((games.number() - 1, of_archive(games.game())));
                Ok(())
            },
            |found| {
                for (number, identity) in found {
                    let here = rest.partition_point(|&(game, _)| u64::from(game) <= number);
                    let (these, more) = rest.split_at(here);
                    rest = more;
                    for &(_, at) in these {
                        known[at] |= identity.as_ref().is_some_and(|identity| identity.bytes == games[at].bytes);
                    }
                }
                Ok(())
            },
        )?;
        Ok(known)
    }

    /// Whether this game came since; if not, it has now.
    fn came_since(&mut self, game: &Identity) -> io::Result<bool> {
        let places = self.since.entry(game.hash).or_default();
        let mut bytes = Vec::new();
        for &(at, length) in places.iter().filter(|place| place.1 == game.bytes.len()) {
            bytes.resize(length, 0);
            self.spill.seek(SeekFrom::Start(at))?;
            self.spill.read_exact(&mut bytes)?;
            if bytes == game.bytes {
                return Ok(true);
            }
        }
        places.push((self.spilled, game.bytes.len()));
        self.spill.seek(SeekFrom::Start(self.spilled))?;
        self.spill.write_all(&game.bytes)?;
        self.spilled += game.bytes.len() as u64;
        Ok(false)
    }

    /// Which units of a block are games that are known; those that are not are from now on.
    fn judge(&mut self, block: &SourceBlock) -> Result<Vec<bool>, Error> {
        let games: Vec<(usize, &Identity)> = block
            .units
            .iter()
            .enumerate()
            .filter_map(|(at, (_, what))| match what {
                What::Game { identity, .. } => Some((at, identity)),
                What::Piece(_) | What::Text => None,
            })
            .collect();
        let identities: Vec<&Identity> = games.iter().map(|game| game.1).collect();
        let in_archive = self.in_archive(&identities)?;
        let mut known = vec![false; block.units.len()];
        for (&(at, identity), in_archive) in games.iter().zip(in_archive) {
            known[at] = in_archive || self.came_since(identity)?;
        }
        Ok(known)
    }
}

/// A source without the games that are known. What is left is as it was, byte for byte; only where a game is left out between two others, an
/// empty line (or what else it takes) keeps these apart if nothing does.
pub struct NewGames<'s, 'k, 'a> {
    blocks: SourceBlocks<'s>,
    known: &'k mut KnownGames<'a>,
    buffer: Vec<u8>,
    at: usize,
    /// The last unit that was kept, and whether anything that follows could become part of it.
    last: Option<(Vec<u8>, bool)>,
    /// The game that was left out behind it.
    left_out: Option<Vec<u8>>,
    counts: NewCounts,
    error: Option<Error>,
}

/// What became of the games of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewCounts {
    /// Games that are left.
    pub kept: u64,
    /// Games that were known.
    pub known: u64,
    /// Bytes of text outside games that are left.
    pub text: u64,
}

impl std::fmt::Debug for NewGames<'_, '_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewGames").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl<'s, 'k, 'a> NewGames<'s, 'k, 'a> {
    /// Of a source, from its beginning.
    pub fn new(source: &'s mut (dyn Read + Send), known: &'k mut KnownGames<'a>) -> NewGames<'s, 'k, 'a> {
        NewGames {
            blocks: SourceBlocks::new(source),
            known,
            buffer: Vec::new(),
            at: 0,
            last: None,
            left_out: None,
            counts: NewCounts::default(),
            error: None,
        }
    }

    /// What became of them so far.
    #[must_use]
    pub fn counts(&self) -> NewCounts {
        self.counts
    }

    /// Why reading failed, where that was not the source's fault.
    pub fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    /// Goes on to the first game that is left, or to the end. Whether any is left.
    ///
    /// # Errors
    /// Those of reading the source and the archive.
    pub fn any(&mut self) -> Result<bool, Error> {
        while self.counts.kept == 0 && self.buffer.len() < MUCH_TEXT && self.fill()? {}
        Ok(self.counts.kept > 0 || self.buffer.len() >= MUCH_TEXT)
    }

    /// Takes one block more. `false`: there is none.
    fn fill(&mut self) -> Result<bool, Error> {
        let Some(block) = self.blocks.next()? else { return Ok(false) };
        let known = self.known.judge(&block)?;
        for ((span, what), known) in block.units.iter().zip(known) {
            let text = &block.src[span.clone()];
            match what {
                What::Game { .. } if known => {
                    self.counts.known += 1;
                    self.left_out = Some(text.to_vec());
                }
                What::Game { ended, .. } => self.keep_game(text, *ended),
                What::Piece(_) | What::Text => self.keep_text(text, what),
            }
        }
        Ok(true)
    }

    fn keep_game(&mut self, text: &[u8], ended: bool) {
        self.counts.kept += 1;
        if self.left_out.take().is_some()
            && let Some((last, _)) = &self.last
        {
            let mut joiner = Joiner::new();
            joiner.next(last);
            self.buffer.extend_from_slice(joiner.next(text)[0]);
        }
        self.buffer.extend_from_slice(text);
        self.last = Some((text.to_vec(), !ended));
    }

    /// What is no game stays as it is; and if what stands before it now could swallow it, so does the game that is known.
    fn keep_text(&mut self, text: &[u8], what: &What) {
        if let Some(game) = self.left_out.take()
            && self.last.as_ref().is_some_and(|last| last.1)
        {
            self.counts.known -= 1;
            self.keep_game(&game, false);
        }
        let outside = *what == What::Text;
        self.counts.text += if outside { text.len() as u64 } else { 0 };
        self.counts.kept += u64::from(*what == What::Piece(false));
        self.buffer.extend_from_slice(text);
        self.last = Some((text.to_vec(), !outside));
    }
}

impl Read for NewGames<'_, '_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.buffer.len() {
            self.buffer.clear();
            self.at = 0;
            match self.fill() {
                Ok(true) => {}
                Ok(false) => return Ok(0),
                Err(Error::Io(error)) => return Err(error),
                Err(error) => {
                    let text = error.to_string();
                    self.error = Some(error);
                    return Err(io::Error::other(text));
                }
            }
        }
        let count = buf.len().min(self.buffer.len() - self.at);
        buf[..count].copy_from_slice(&self.buffer[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
