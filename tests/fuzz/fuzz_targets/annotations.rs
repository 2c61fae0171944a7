//! Reads any bytes as annotations; puts any comments through shapes and gets them back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc_block::annotations::{Note, NotesReader, NotesWriter};
use pgc_block::shape::{Pattern, parse};

fuzz_target!(|data: &[u8]| {
    let shapes = [
        b" [%eval \x02] [%clk \x01] ".as_slice(),
        b"\x06[%clk \x01]\x05",
        b"[%emt \x03][%emt \x04]",
        b"",
    ];
    let shapes = shapes.map(Pattern::new);
    let (mut reader, mut text) = (NotesReader::new(data, &shapes), Vec::new());
    for _ in 0..10_000 {
        match reader.next_distance() {
            Ok(Some(_)) if reader.take_into(&mut text).is_ok() => text.clear(),
            _ => break,
        }
    }

    // The pieces between line ends as the comments of a game.
    let mut writer = NotesWriter::default();
    writer.begin_game();
    let comments: Vec<&[u8]> = data.split(|&b| b == b'\n').collect();
    let (mut known, mut at) = (Vec::<Vec<u8>>::new(), 0);
    for (place, comment) in (0..).zip(&comments) {
        let (mut shape, mut values) = (Vec::new(), Vec::new());
        if parse(comment, &mut shape, &mut values) {
            let number = known
                .iter()
                .position(|s| *s == shape)
                .unwrap_or(known.len());
            if number == known.len() {
                known.push(shape.clone());
            }
            // Takes the fast path where it can. The rest of the data follows the comment, as in a
            // source.
            if !writer.put_fitting(
                place,
                number,
                &Pattern::new(&shape),
                &data[at..],
                comment.len(),
            ) {
                writer.put_shaped(place, number, comment, &shape, &values);
            }
        } else {
            writer.put(place, Note::Brace(comment));
        }
        at += comment.len() + 1;
    }
    let (game, mut written) = (writer.end_game(), Vec::new());
    writer.give(
        &game,
        |number| number as u64,
        |part| written.extend_from_slice(part),
    );
    let known: Vec<_> = known.iter().map(|shape| Pattern::new(shape)).collect();
    let mut reader = NotesReader::new(&written, &known);
    for (place, comment) in comments.iter().enumerate() {
        // Each comment stands one element behind the one before it.
        let distance = u64::from(place > 0);
        assert!(reader.next_distance() == Ok(Some(distance)));
        assert!(matches!(reader.ahead(), Note::Brace(_)));
        text.clear();
        assert!(reader.take_into(&mut text).is_ok() && text == *comment);
    }
    assert!(reader.next_distance() == Ok(None));
});
