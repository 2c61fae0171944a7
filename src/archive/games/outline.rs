//! Where the games of a block begin: their records are passed over, not read.

use pgc_pgn::records::marker::Marker;
use pgc_pgn::records::private::{EscapeKind, private};
use pgc_pgn::records::reader::{ReadError, Records};
use pgc_pgn::records::record::record_len;

/// Calls `each` with the offset at which each game begins in the records of a block.
pub(crate) fn each_game(records: &[u8], mut each: impl FnMut(usize)) -> Result<(), ReadError> {
    // Whether the previous escape between games continues in the next one.
    let (mut at, mut open) = (0, false);
    while at < records.len() {
        let Some(len) = part_len(&records[at..]) else {
            // Reading the records gives the error.
            let mut records = Records::from_offset(records, 0);
            return records.find_map(Result::err).map_or(Ok(()), Err);
        };
        let begins = match &records[at..at + len] {
            [marker, _, _, payload @ ..] if *marker == Marker::Escape.byte() => {
                begins_piece(payload, &mut open)
            }
            part => part[0] != Marker::Noop.byte(),
        };
        if begins {
            each(at);
        }
        at += len;
    }
    Ok(())
}

/// Whether an escape between games begins a game kept as text.
fn begins_piece(payload: &[u8], open: &mut bool) -> bool {
    let Some(escape) = private(payload) else {
        return false;
    };
    let first = !std::mem::replace(open, escape.continues);
    first && escape.kind == EscapeKind::Piece && escape.data.first() == Some(&0)
}

/// The length of the game that `src` begins with, or of the record that stands there between games;
/// `None` if there is none that is whole.
fn part_len(src: &[u8]) -> Option<usize> {
    match Marker::from_byte(*src.first()?)? {
        Marker::GameBegin => {}
        Marker::ReducedGame | Marker::Noop | Marker::Escape => return record_len(src),
        _ => return None,
    }
    let mut at = 1;
    loop {
        let rest = src.get(at..)?;
        match Marker::from_byte(*rest.first()?)? {
            Marker::GameEnd => return Some(at + 1),
            Marker::GameBegin | Marker::ReducedGame => return None,
            _ => at += record_len(rest)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgc_pgn::records::record::{Record, put_record};

    /// Two general games (one with a variation, a glyph and an escape), a reduced one, one kept as
    /// text and records between them; where each part begins, and where each game does.
    fn stream() -> (Vec<u8>, Vec<usize>, Vec<usize>) {
        let tag = Record::TagPair {
            name: b"Event",
            value: b"\x05\x06\x01",
        };
        let reduced = Record::Game {
            str: [b"\x06"; 7],
            moves: &[5, 6],
        };
        let inner = [Record::RavBegin, Record::ShortMoves(&[6]), Record::RavEnd];
        let first = [
            &[Record::GameBegin, tag, Record::LongMoves(&[6, 5])][..],
            &inner,
            &[Record::Nag(6), Record::Escape(b"\x06"), Record::GameEnd],
        ]
        .concat();
        let parts = [
            (false, vec![Record::Noop]),
            (true, first),
            (false, vec![Record::Escape(b"\x05\x06")]),
            (true, vec![reduced]),
            (true, vec![Record::Escape(b"pgcp\x00a")]),
            (false, vec![Record::Escape(b"pgcP\x00b")]),
            (false, vec![Record::Escape(b"pgcP\x01c")]),
            (true, vec![Record::GameBegin, Record::GameEnd]),
        ];
        let (mut bytes, mut places, mut games) = (Vec::new(), Vec::new(), Vec::new());
        for (is_game, records) in parts {
            places.push(bytes.len());
            games.extend(is_game.then_some(bytes.len()));
            for record in records {
                put_record(&mut bytes, &record).unwrap();
            }
        }
        (bytes, places, games)
    }

    #[test]
    fn games_are_found_and_what_is_cut_off_or_out_of_place_gives_the_error_of_the_records() {
        let (bytes, places, games) = stream();
        let mut found = Vec::new();
        each_game(&bytes, |at| found.push(at)).unwrap();
        assert_eq!(found, games);
        for cut in 0..bytes.len() {
            let found = each_game(&bytes[..cut], |_| {});
            let right = Records::from_offset(&bytes[..cut], 0).find_map(Result::err);
            assert_eq!(found.err(), right, "{cut}");
            assert_eq!(right.is_none(), places.contains(&cut));
        }
        let open = [Marker::GameBegin.byte(), Marker::GameBegin.byte()];
        for wrong in [&open[..], &[Marker::GameEnd.byte()], &[0xff]] {
            assert!(each_game(wrong, |_| {}).is_err(), "{wrong:02x?}");
        }
    }
}
