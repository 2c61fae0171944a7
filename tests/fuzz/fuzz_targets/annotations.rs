//! Annotations: any bytes as data, and any comment through a shape and back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc::pgc::annotations::{Note, NotesReader, NotesWriter};
use pgc::pgc::shape::{Pattern, parse};

fuzz_target!(|data: &[u8]| {
    let shapes = [b" [%eval \x02] [%clk \x01] ".as_slice(), b"\x06[%clk \x01]\x05", b"[%emt \x03][%emt \x04]", b""];
    let shapes = shapes.map(Pattern::new);
    let mut reader = NotesReader::new(data, &shapes);
    for _ in 0..10_000 {
        match reader.next_place() {
            Ok(Some(_)) if reader.take().is_ok() => {}
            _ => break,
        }
    }

    // The pieces between line ends as the comments of a game.
    let mut writer = NotesWriter::default();
    writer.restart();
    let comments: Vec<&[u8]> = data.split(|&b| b == b'\n').collect();
    let mut known: Vec<Vec<u8>> = Vec::new();
    for (place, comment) in (0..).zip(&comments) {
        let (mut shape, mut values) = (Vec::new(), Vec::new());
        if parse(comment, &mut shape, &mut values) {
            let index = known.iter().position(|s| *s == shape).unwrap_or(known.len());
            if index == known.len() {
                known.push(shape.clone());
            }
            writer.put_shaped(place, index as u64, comment, &shape, &values);
        } else {
            writer.put(place, Note::Brace(comment));
        }
    }
    let written = writer.finish().to_vec();
    let known: Vec<_> = known.iter().map(|shape| Pattern::new(shape)).collect();
    let mut reader = NotesReader::new(&written, &known);
    for (place, comment) in (0..).zip(&comments) {
        assert!(reader.next_place() == Ok(Some(place)));
        assert!(reader.take() == Ok(Note::Brace(comment)));
    }
    assert!(reader.next_place() == Ok(None));
});
