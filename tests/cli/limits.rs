//! What spec/manual/limits.md and spec/manual/reliability.md say is shown by tests that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{archive_of, packed, unpacked};

/// The tests of this program: `damage::false_heads_cost_little`.
fn all_tests() -> BTreeSet<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut all = BTreeSet::new();
    let folders = fs::read_dir(tests)
        .unwrap()
        .map(|folder| folder.unwrap().path());
    for folder in folders.filter(|path| path.is_dir()) {
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let module = path.file_stem().unwrap().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).unwrap();
            for behind in text.split("#[test]\n").skip(1) {
                let name = behind
                    .split_once("fn ")
                    .and_then(|(_, name)| name.split_once('('));
                all.insert(format!("{module}::{}", name.unwrap().0));
            }
        }
    }
    all
}

/// The words of a text that name tests: `damage::false_heads`.
fn cited(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | ':');
    let words = text.split(|c| !is_part(c));
    words
        .map(|word| word.trim_end_matches("::"))
        .filter(|word| word.contains("::"))
        .collect()
}

#[test]
fn each_point_cites_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec/manual");
    let all = all_tests();
    assert!(all.contains("limits::each_point_cites_a_test"), "{all:?}");
    for name in ["limits.md", "reliability.md"] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        for cited in cited(&text) {
            let is_there = all.iter().any(|test| test.starts_with(cited));
            assert!(is_there, "{name} cites {cited}, and there is no such test");
        }
    }
    let limits = fs::read_to_string(folder.join("limits.md")).unwrap();
    for point in limits.split("\n- ").skip(1) {
        assert!(
            !cited(point).is_empty() || point.contains("cargo test"),
            "{point}"
        );
    }
}

#[test]
fn a_comment_behind_a_terminator_is_text_outside_games() {
    let text = b"[White \"A\"]\n\n1. e4 * {a note}\n\n[White \"B\"]\n\n1. d4 *\n";
    let (archive, summary) = packed(text, true).unwrap();
    assert_eq!((summary.games, summary.whole), (2, 2));
    assert_eq!(summary.stray_regions, 1);
    assert_eq!(unpacked(&archive).unwrap(), text);
    assert_eq!(archive, archive_of(text));
}
