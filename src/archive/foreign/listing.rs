//! Lists the records of a stream in readable form, one a line.

use std::fmt::Write as _;
use std::io::{self, Write};

use pgc_block::replay::Play;
use pgc_chess::start_position;
use pgc_pgn::records::Record;

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
    /// The Variant and FEN tags of the game.
    start: Vec<(Vec<u8>, Vec<u8>)>,
    /// `None` before the first move; `Some(None)` if the moves cannot be followed.
    play: Option<Option<Play>>,
}

impl FollowedGame {
    fn play(&mut self) -> Option<&mut Play> {
        let begin = || {
            let tags = self.start.iter();
            let start = start_position(tags.map(|(name, value)| (&**name, &**value)));
            start.ok().map(|position| Play::new(position, false))
        };
        self.play.get_or_insert_with(begin).as_mut()
    }

    /// Follows a step; if it is not possible, what comes behind it cannot be followed.
    fn follow<T>(&mut self, step: impl FnOnce(&mut Play) -> Option<T>) -> Option<T> {
        let followed = self.play().and_then(step);
        if followed.is_none() {
            self.play = Some(None);
        }
        followed
    }
}

fn describe(line: &mut String, record: &Record<'_>, game: &mut FollowedGame) {
    // Writing to a String cannot fail.
    let _ = write!(line, "  {:<14}", record.marker().name());
    match *record {
        Record::Noop | Record::GameEnd => {}
        Record::GameBegin => *game = FollowedGame::default(),
        Record::Game { str, moves } => {
            *game = FollowedGame::default();
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
        Record::RavBegin => drop(game.follow(|play| play.rav_begin().then_some(()))),
        Record::RavEnd => drop(game.follow(|play| play.rav_end().then_some(()))),
        Record::Escape(data) => quote(line, data),
    }
}

fn ordinals(line: &mut String, moves: &[u8], game: &mut FollowedGame) {
    let _ = write!(line, "{}:", moves.len());
    for &ordinal in moves {
        let _ = match game.follow(|play| play.play(ordinal)) {
            Some(played) => {
                let check = String::from_utf8_lossy(played.check.text());
                write!(line, " {ordinal:02x}={}{check}", played.san)
            }
            None => write!(line, " {ordinal:02x}=?"),
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
