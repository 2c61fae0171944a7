//! Lists the records of a stream in readable form, one a line: `pgc records`.

use std::fmt::Write as _;
use std::io::{Read, Write};

use crate::block::head::BlockHead;
use crate::block::replay::Play;
use crate::block::small::stored::{check_stored, records as block_records};
use crate::chess::start_position;
use crate::records::private::{EscapeKind, private};
use crate::records::reader::Records;
use crate::records::{Dialect, Record, RecordStream};
use crate::run::{Error, Hooks};

/// Writes a line for each record: its offset in hexadecimal, the name of its marker and its items.
///
/// Text is shown between quotes, as UTF-8, with `\x..` for control characters. Moves are shown as
/// ordinals, with their SAN as long as the game can be followed; the first move that cannot be
/// decoded is shown with `?`, later ones without SAN. Records that an archive in the small form has
/// coded follow the head of their block, with `+` and the offset in the decoded records. The bare values of the `pgn2pgc` dialect are
/// shown as tag pairs.
///
/// # Errors
/// [`Error::Io`]; [`Error::Damaged`] at the first invalid record, after the lines for those before
/// it.
pub fn records(
    archive: &mut dyn Read,
    out: &mut dyn Write,
    hooks: &mut dyn Hooks,
) -> Result<(), Error> {
    records_in(archive, out, Dialect::Standard, hooks)
}

/// As [`records`], for a stream in a given dialect.
///
/// # Errors
/// As [`records`].
pub fn records_in(
    archive: &mut dyn Read,
    out: &mut dyn Write,
    dialect: Dialect,
    hooks: &mut dyn Hooks,
) -> Result<(), Error> {
    let mut stream = RecordStream::new(archive, dialect);
    let mut game = FollowedGame {
        pgn2pgc: dialect == Dialect::Pgn2pgc,
        ..FollowedGame::default()
    };
    let mut line = String::new();
    let mut games = 0_u64;
    while let Some((offset, record)) = stream.next_record()? {
        line.clear();
        let _ = write!(line, "{offset:08x}");
        let head = coded_head(&record);
        describe(&mut line, &record, &mut game);
        put_line(out, &line)?;
        let Some(head) = head.filter(|_| stream.in_segment()) else {
            continue;
        };
        let begin = stream.offset();
        let stored = stream.take_bytes(head.stored())?;
        let before = games;
        games = games.saturating_add(head.games);
        let damaged = |offset: u64, what: String| Error::Damaged {
            offset: begin + offset,
            game: before,
            item: "block",
            what,
        };
        if (stored.len() as u64) < head.stored() {
            return Err(damaged(0, "is cut off: the archive ends here".to_owned()));
        }
        check_stored(&head, &stored).map_err(|(offset, what)| damaged(offset, what))?;
        let records = block_records(&head, &stored).map_err(|d| damaged(0, d.what))?;
        for record in Records::new(&records, dialect) {
            let (offset, record) = record.map_err(|error| Error::Damaged {
                offset: begin,
                game: before + error.game,
                item: error.item,
                what: error.fault.to_string(),
            })?;
            line.clear();
            let _ = write!(line, "+{offset:07x}");
            describe(&mut line, &record, &mut game);
            put_line(out, &line)?;
        }
    }
    if let Some(offset) = stream.unfinished() {
        hooks.unfinished(offset, stream.pass_unfinished()?);
    }
    Ok(())
}

fn put_line(out: &mut dyn Write, line: &str) -> std::io::Result<()> {
    out.write_all(line.trim_end().as_bytes())?;
    out.write_all(b"\n")
}

/// The head of a block whose records are coded.
fn coded_head(record: &Record<'_>) -> Option<BlockHead> {
    let Record::Escape(payload) = record else {
        return None;
    };
    private(payload)
        .filter(|private| private.kind == EscapeKind::Block)
        .and_then(|private| BlockHead::take(private.data).ok())
        .filter(BlockHead::is_coded)
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
    let _ = write!(line, "  {:<14}", record.marker());
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
