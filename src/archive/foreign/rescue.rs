//! Saves games from a damaged stream of another program (spec/pgc.md, section 5.1).

use std::io::{self, Read, Write};

use crate::foreign::export::export;
use crate::run::{Error, Hooks, NoHooks, UnpackOptions};
use crate::stream::lookahead::Lookahead;
use pgc_pgn::records::Marker;
use pgc_pgn::records::reader::{Dialect, Fault, ReadError, Records};
use pgc_pgn::records::record::Record;

/// The most bytes of a game and the records before it; a longer one is passed over.
const LONGEST: usize = 16 << 20;

/// The number of bytes that may be read in vain for each byte passed; beyond that, only short games
/// are sought. A game may claim all bytes behind it, and they may hold other games: without a limit
/// the time would grow with the square of the length.
const CREDIT: u64 = 16;

/// The number of bytes read at a time.
const CHUNK: usize = 1 << 20;

/// Behind damage, the least number of plies of a game: fewer may be legal by chance.
const PLIES: u64 = 8;

/// Behind damage, the number of bytes in which a game is sought from each place on.
const REACH: usize = 4096;

/// What was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rescue {
    /// Games written.
    pub games: u64,
    /// Bytes written.
    pub bytes: u64,
    /// The ranges of bytes that were passed over, at most [`Rescue::LISTED`] of them.
    pub lost: Vec<(u64, u64)>,
    /// Number of these ranges.
    pub places: u64,
    /// Number of bytes in them.
    pub lost_bytes: u64,
}

impl Rescue {
    /// The number of ranges that are listed.
    pub const LISTED: usize = 10_000;

    fn lose(&mut self, begin: u64, end: u64) {
        if begin == end {
            return;
        }
        if self.lost.len() < Rescue::LISTED {
            self.lost.push((begin, end));
        }
        self.places += 1;
        self.lost_bytes += end - begin;
    }
}

/// Copies the games of a stream of the 1994 standard that decode to legal play, each with the
/// records before it. Behind a fault it goes on where a record begins a game with legal play, and
/// another record, or nothing, follows.
///
/// # Errors
/// [`Error::Io`], [`Error::Cancelled`].
pub fn rescue(
    stream: &mut (dyn Read + Send),
    out: &mut dyn Write,
    hooks: &mut dyn Hooks,
) -> Result<Rescue, Error> {
    let mut window = StreamWindow {
        ahead: Lookahead::new(stream, CHUNK, 0),
        spent: 0,
    };
    let mut done = Rescue::default();
    // Where the bytes that are passed over begin.
    let mut lost: Option<u64> = None;
    loop {
        if hooks.cancelled() {
            return Err(Error::Cancelled);
        }
        if window.ahead.fill(1)?.is_empty() {
            break;
        }
        let game = match lost {
            None => window.game()?,
            Some(_) => window.game_again()?,
        };
        let Some(RescuedPiece { bytes, games }) = game else {
            lost.get_or_insert(window.ahead.offset());
            // At least one byte is passed, and often many.
            window.seek_game()?;
            continue;
        };
        if let Some(begin) = lost.take() {
            done.lose(begin, window.ahead.offset());
        }
        out.write_all(&window.ahead.rest()[..bytes])?;
        done.games += games;
        done.bytes += bytes as u64;
        hooks.progress(bytes as u64);
        window.ahead.pass(bytes);
    }
    if let Some(begin) = lost {
        done.lose(begin, window.ahead.offset());
    }
    Ok(done)
}

/// A game and the records before it, or records behind the last game.
struct RescuedPiece {
    bytes: usize,
    games: u64,
}

struct StreamWindow<'s> {
    ahead: Lookahead<&'s mut (dyn Read + Send)>,
    /// The number of bytes that were read in vain.
    spent: u64,
}

impl StreamWindow<'_> {
    /// Reads on; `false` at the end of the stream.
    fn more(&mut self) -> io::Result<bool> {
        let held = self.ahead.rest().len();
        Ok(self.ahead.fill(held + 1)?.len() > held)
    }

    /// The game that begins here, if it is whole and its play is legal.
    fn game(&mut self) -> io::Result<Option<RescuedPiece>> {
        loop {
            match ends(self.ahead.rest()) {
                FoundGame::Game(bytes) => {
                    let is_legal = plies(&self.ahead.rest()[..bytes]).is_some();
                    return Ok(is_legal.then_some(RescuedPiece { bytes, games: 1 }));
                }
                FoundGame::Wrong => return Ok(None),
                FoundGame::Cut => {
                    self.spent += self.ahead.rest().len() as u64;
                    let credit = CREDIT * (LONGEST as u64 + self.ahead.offset());
                    let most = if self.spent > credit { REACH } else { LONGEST };
                    if self.ahead.rest().len() >= most || !self.more()? {
                        return Ok(None);
                    }
                }
                FoundGame::None => {
                    let bytes = self.ahead.rest().len();
                    return Ok(Some(RescuedPiece { bytes, games: 0 }));
                }
            }
        }
    }

    /// As [`StreamWindow::game`] behind damage, where a game begins with its own marker.
    fn game_again(&mut self) -> io::Result<Option<RescuedPiece>> {
        let rest = self.ahead.fill(REACH + 1)?;
        let is_begin =
            |&byte: &u8| byte == Marker::ReducedGame.byte() || byte == Marker::GameBegin.byte();
        if !rest.first().is_some_and(is_begin) {
            return Ok(None);
        }
        let reach = &rest[..rest.len().min(REACH)];
        let FoundGame::Game(bytes) = ends(reach) else {
            return Ok(None);
        };
        let follows = rest.get(bytes);
        let is_followed = follows.is_none_or(|&byte| Marker::from_byte(byte).is_some());
        let is_game = is_followed && plies(&rest[..bytes]).is_some_and(|plies| plies >= PLIES);
        Ok(is_game.then_some(RescuedPiece { bytes, games: 1 }))
    }

    /// Passes at least one byte, up to the next one that may begin a game.
    fn seek_game(&mut self) -> io::Result<()> {
        self.ahead.pass(1);
        loop {
            let (short, long) = (Marker::ReducedGame.byte(), Marker::GameBegin.byte());
            let rest = self.ahead.rest();
            let found = memchr::memchr2(short, long, rest);
            self.ahead.pass(found.unwrap_or(rest.len()));
            if found.is_some() || !self.more()? {
                return Ok(());
            }
        }
    }
}

enum FoundGame {
    /// A game ends after this number of bytes.
    Game(usize),
    /// There is no game, and no fault.
    None,
    /// The bytes end in a record or in a game.
    Cut,
    /// A record is wrong.
    Wrong,
}

/// Where the first game ends.
fn ends(bytes: &[u8]) -> FoundGame {
    let mut records = Records::new(bytes, Dialect::Standard);
    let mut is_open = false;
    loop {
        match records.next() {
            Some(Ok((_, Record::GameEnd | Record::Game { .. }))) => {
                return FoundGame::Game(usize::try_from(records.offset()).unwrap_or(bytes.len()));
            }
            Some(Ok((_, Record::GameBegin))) => is_open = true,
            Some(Ok(_)) => {}
            Some(Err(error)) if is_cut(&error, bytes) => return FoundGame::Cut,
            Some(Err(_)) => return FoundGame::Wrong,
            None if is_open => return FoundGame::Cut,
            None => return FoundGame::None,
        }
    }
}

/// Whether the bytes end in a record, or in a game.
fn is_cut(error: &ReadError, bytes: &[u8]) -> bool {
    matches!(error.fault, Fault::Truncated { .. }) || error.offset == bytes.len() as u64
}

/// The plies of the game in these records, if they are all legal.
fn plies(records: &[u8]) -> Option<u64> {
    let options = UnpackOptions {
        foreign: true,
        ..UnpackOptions::default()
    };
    let read = export(&mut &*records, &mut io::sink(), &options, &mut NoHooks).ok()?;
    (read.games == 1 && read.text_only == 0).then_some(read.plies)
}
