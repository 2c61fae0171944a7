//! The sample files: what is in them was counted by hand.

use std::fs;
use std::path::Path;

use pgc::Summary;

use crate::support::{archive_of, assert_round_trip, check_stream, packed};

fn sample(name: &str) -> Vec<u8> {
    fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data")
            .join(name),
    )
    .unwrap()
}

fn summary_of(name: &str) -> Summary {
    let bytes = sample(name);
    assert_round_trip(name, &bytes);
    let mut summary = packed(&bytes, true).unwrap().1;
    (summary.bytes_in, summary.bytes_out) = (0, 0);
    summary
}

/// A summary with no other counts than those that `set` sets.
fn summary_with(set: impl FnOnce(&mut Summary)) -> Summary {
    let mut summary = Summary::default();
    set(&mut summary);
    summary
}

#[test]
fn famous_games() {
    // The plies of the main lines stand in the PlyCount tags; the variations are those of the
    // second game and the study, each with the ones inside it.
    let text = String::from_utf8(sample("sample.pgn")).unwrap();
    let counts = text
        .lines()
        .filter_map(|line| line.strip_prefix("[PlyCount \"")?.strip_suffix("\"]"));
    let main: u64 = counts.map(|count| count.parse::<u64>().unwrap()).sum();
    let plies = main + (3 + (4 + 2)) + ((6 + 2 + 2) + 4);
    assert_eq!(
        summary_of("sample.pgn"),
        summary_with(|sum| (sum.games, sum.whole, sum.plies) = (13, 13, plies))
    );
}

#[test]
fn every_irregularity() {
    let mut found = summary_of("messy.pgn");
    // The script of each game is in the file; 9 and 22 break off after 1 and 2 plies, 21 at once,
    // and two variations of 23 are text or end in it. The words stand in lines 1 and 88, each with
    // an empty line.
    let plies = [
        8, 3, 3, 6, 6, 6, 11, 6, 1, 7, 3, 1, 4, 2, 2, 2, 2, 4, 0, 0, 0, 2, 4, 6, 3, 4,
    ];
    let expected = summary_with(|sum| {
        (sum.games, sum.whole) = (plies.len() as u64, 23);
        (sum.text_tail, sum.text_only) = (2, 1);
        sum.plies = plies.iter().sum();
        (sum.stray_regions, sum.stray_bytes) = (2, 43 + 32);
        sum.rav_text = 2;
    });
    let repairs = std::mem::take(&mut found.repairs);
    assert_eq!(found, expected);
    assert!(repairs > 20);
    let moves = check_stream(&archive_of(&sample("messy.pgn"))).unwrap();
    assert_eq!(moves, ["e4", "e5", "Nf3", "Nc6"]);
}

#[test]
fn charsets() {
    assert_eq!(
        summary_of("bom.pgn"),
        summary_with(|sum| (sum.games, sum.whole, sum.plies) = (1, 1, 2))
    );
    // Three NULs and a control-Z, as old programs leave them, are blanks.
    let expected = summary_with(|sum| (sum.games, sum.whole, sum.plies) = (2, 2, 4));
    assert_eq!(summary_of("latin1.pgn"), expected);
    // The records hold Latin-1 whatever the source is in: u umlaut, o with a stroke.
    let contains = |archive: &[u8], text: &[u8]| archive.windows(text.len()).any(|w| w == text);
    assert!(contains(
        &archive_of(&sample("latin1.pgn")),
        b"\x02\x04Site\x07M\xfcnchen"
    ));
    assert!(contains(
        &archive_of(&sample("bom.pgn")),
        b"\x02\x04Site\x09K\xf8benhavn"
    ));
    assert!(contains(
        &archive_of(&sample("bom.pgn")),
        b"\x02\x09Annotator\x06??????"
    ));
}
