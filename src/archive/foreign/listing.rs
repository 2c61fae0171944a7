//! Lists the records of a stream in readable form, one a line.

use std::fmt::Write as _;
use std::io::{self, Read, Write};

use crate::run::{Error, Hooks};
use pgc_block::replay::Play;
use pgc_chess::start_position;
use pgc_pgn::records::{Dialect, Record, RecordStream};

/// Writes a line for each record of a stream that another program wrote: its offset in hexadecimal,
/// the name of its marker and its items. The bare values of the `pgn2pgc` dialect are shown as tag
/// pairs.
///
/// # Errors
/// [`Error::Io`]; [`Error::Damaged`] at the first invalid record, after the lines for those before
/// it.
pub fn records_in(
    archive: &mut dyn Read,
    out: &mut dyn Write,
    dialect: Dialect,
    hooks: &mut dyn Hooks,
) -> Result<(), Error> {
    let mut stream = RecordStream::new(archive, dialect);
    let mut listing = Listing::default();
    listing.game.pgn2pgc = dialect == Dialect::Pgn2pgc;
    while let Some((offset, record)) = stream.next_record()? {
        listing.put(out, &format!("{offset:08x}"), &record)?;
        if hooks.cancelled() {
            return Err(Error::Cancelled);
        }
    }
    Ok(())
}

/// Writes the lines.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    game: FollowedGame,
    line: String,
}

impl Listing {
    /// The line of a record, which begins with its place.
    pub(crate) fn put(
        &mut self,
        out: &mut dyn Write,
        place: &str,
        record: &Record<'_>,
    ) -> io::Result<()> {
        self.line.clear();
        self.line.push_str(place);
        describe(&mut self.line, record, &mut self.game);
        out.write_all(self.line.trim_end().as_bytes())?;
        out.write_all(b"\n")
    }
}

/// The current game, whose moves are played.
#[derive(Debug, Default)]
struct FollowedGame {
    pgn2pgc: bool,
    /// Its Variant and FEN tags.
    start: Vec<(Vec<u8>, Vec<u8>)>,
    /// `None` before the first move, and always if `lost`.
    play: Option<Play>,
    lost: bool,
}

impl FollowedGame {
    fn begin(&mut self) {
        *self = FollowedGame {
            pgn2pgc: self.pgn2pgc,
            ..FollowedGame::default()
        };
    }

    fn play(&mut self) -> Option<&mut Play> {
        if self.play.is_none() && !self.lost {
            let tags = self
                .start
                .iter()
                .map(|(name, value)| (name.as_slice(), value.as_slice()));
            self.play = start_position(tags)
                .ok()
                .map(|position| Play::new(position, self.pgn2pgc));
            self.lost = self.play.is_none();
        }
        self.play.as_mut()
    }

    fn keep(&mut self, followed: bool) {
        if !followed {
            self.play = None;
            self.lost = true;
        }
    }
}

fn describe(line: &mut String, record: &Record<'_>, game: &mut FollowedGame) {
    // Writing to a String cannot fail.
    let _ = write!(line, "  {:<14}", record.marker().name());
    match *record {
        Record::Noop | Record::GameEnd => {}
        Record::GameBegin => game.begin(),
        Record::Game { str, moves } => {
            game.begin();
            for value in str {
                quote(line, value);
                line.push(' ');
            }
            ordinals(line, moves, game);
        }
        Record::TagPair { name, value } => {
            if matches!(name, b"Variant" | b"FEN") {
                game.start.push((name.to_vec(), value.to_vec()));
            }
            quote(line, name);
            line.push(' ');
            quote(line, value);
        }
        Record::ShortMoves(moves) | Record::LongMoves(moves) => ordinals(line, moves, game),
        Record::Nag(nag) => {
            let _ = write!(line, "${nag}");
        }
        Record::RavBegin => {
            let followed = game.play().is_some_and(Play::rav_begin);
            game.keep(followed);
        }
        Record::RavEnd => {
            let followed = game.play().is_some_and(Play::rav_end);
            game.keep(followed);
        }
        Record::Escape(data) => quote(line, data),
    }
}

fn ordinals(line: &mut String, moves: &[u8], game: &mut FollowedGame) {
    let _ = write!(line, "{}:", moves.len());
    for &ordinal in moves {
        let played = game.play().and_then(|play| play.play(ordinal));
        let _ = match played {
            Some(played) => {
                let (san, check) = (played.san, played.check.text());
                let text = |bytes| String::from_utf8_lossy(bytes);
                write!(
                    line,
                    " {ordinal:02x}={}{}",
                    text(san.as_bytes()),
                    text(check)
                )
            }
            None => {
                game.keep(false);
                write!(line, " {ordinal:02x}=?")
            }
        };
    }
}

fn quote(line: &mut String, text: &[u8]) {
    line.push('"');
    for &b in text {
        match b {
            b'"' | b'\\' => {
                line.push('\\');
                line.push(char::from(b));
            }
            0x00..0x20 | 0x7f..0xa0 => {
                let _ = write!(line, "\\x{b:02x}");
            }
            _ => line.push(char::from(b)),
        }
    }
    line.push('"');
}
