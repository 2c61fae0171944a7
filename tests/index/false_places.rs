//! The program with an index whose segments or blocks are false: it says so, answers from
//! the archive, and makes nothing of what the index says.

use crate::cli::program::Dir;
use crate::support::false_indexes::{Pieces, archive, index_of, moved};
use pgc::SegmentForm;

/// A folder with `x.pgc`, and with an index of it in which the list `kind` of entries of so many
/// bytes is changed.
fn with_lie(kind: u32, size: usize, change: impl Fn(&mut Vec<Vec<u8>>)) -> Dir {
    let (dir, (bytes, source)) = (Dir::new(), archive(SegmentForm::Plain, 0));
    let pieces = Pieces::new(&index_of(&bytes));
    let entries = pieces.sections[&kind].1.chunks(size).map(<[u8]>::to_vec);
    let mut entries: Vec<Vec<u8>> = entries.collect();
    change(&mut entries);
    dir.put("x.pgci", pieces.with_entries(kind, &entries).index(&bytes));
    dir.put("x.pgc", bytes);
    dir.put("x.pgn", source);
    dir
}

/// The entry points of the second block are those of the first.
fn block_at_another() -> Dir {
    with_lie(2, 16, |blocks| {
        let first = blocks[0][..8].to_vec();
        blocks[1][..8].copy_from_slice(&first);
    })
}

#[test]
fn a_false_block_is_told_and_the_answer_is_right() {
    let truth = with_lie(2, 16, |_| ());
    for args in [
        &["get", "x.pgc", "5"][..],
        &["get", "x.pgc", "1-36", "--format", "json"],
        &["find", "x.pgc", "--date", "1952", "--format", "pgn"],
        &["find", "x.pgc", "--tag", "Annotator=Tal", "--count"],
        &["find", "x.pgc", "--date", "1952", "-o", "out.pgn"],
        &["names", "x.pgc", "--field", "site"],
    ] {
        let right = truth.run(args).exits(0);
        let dir = block_at_another();
        let ran = dir.run(args).exits(0);
        assert_eq!(ran.stdout(), right.stdout(), "{args:?}");
        assert!(!ran.stderr.contains("salvage"), "{}", ran.stderr);
        ran.says("x.pgci").says("pgc index x.pgc");
        if args.contains(&"-o") {
            assert!(dir.read("out.pgn") == truth.read("out.pgn"));
        }
    }
    let dir = block_at_another();
    let found = ["find", "x.pgc", "--date", "1952", "-o", "out.pgn"];
    dir.run(&[&found[..], &["--require-index"]].concat())
        .exits(3)
        .says("x.pgci");
    assert!(!dir.names().contains(&"out.pgn".to_owned()));
    // A game that is deleted is the one of that number.
    dir.run(&[
        "edit", "x.pgc", "--games", "5", "--delete", "-q", "-o", "e.pgc",
    ])
    .exits(0);
    truth
        .run(&[
            "edit", "x.pgc", "--games", "5", "--delete", "-q", "-o", "e.pgc",
        ])
        .exits(0);
    assert!(dir.read("e.pgc") == truth.read("e.pgc"));
    dir.run(&["test", "-q", "--quick", "x.pgc"]).exits(3);
}

/// A block that is damaged is still damage, and the index is not.
#[test]
fn a_damaged_block_is_damage_and_no_false_index() {
    let dir = with_lie(2, 16, |_| ());
    let mut bytes = dir.read("x.pgc");
    let offset = Pieces::new(&dir.read("x.pgci")).sections[&2].1[16..20].to_vec();
    let offset = u32::from_le_bytes(offset.try_into().unwrap()) as usize;
    bytes[offset + 20] ^= 1;
    dir.put("x.pgc", bytes);
    dir.run(&["get", "x.pgc", "5"]).exits(3).says("block head");
    // Games behind it are found by the index.
    let ran = dir.run(&["get", "x.pgc", "9"]).exits(0);
    assert!(!ran.stderr.contains("false index"), "{}", ran.stderr);
}

#[test]
fn false_segments_are_told_by_all_and_taken_over_by_none() {
    for at in 0..5 {
        let lie = || {
            with_lie(1, 32, |segments| {
                *segments = moved(&segments[..], 0)[at].clone()
            })
        };
        let dir = lie();
        let ran = dir.run(&["get", "x.pgc", "20"]).exits(0);
        let truth = with_lie(1, 32, |_| ());
        let right = truth.run(&["get", "x.pgc", "20"]).exits(0);
        assert_eq!(ran.stdout(), right.stdout());
        ran.says("pgc index x.pgc");
        dir.run(&["test", "-q", "--quick", "x.pgc"]).exits(3);
        dir.put("more.pgn", "[White \"New\"]\n\n1. a4 a5 *\n");
        dir.run(&["add", "-q", "x.pgc", "more.pgn"]).exits(0);
        dir.run(&["test", "-q", "x.pgc"]).exits(0);
    }
}

/// Rows are not taken over by `merge`, nor known games by `add --skip-known`.
#[test]
fn what_merge_and_skip_known_do_is_true() {
    let dir = with_lie(1, 32, |_| ());
    let pieces = Pieces::new(&dir.read("x.pgci"));
    let bytes = dir.read("x.pgc");
    let zeros = |kind: u32| {
        let mut lie = pieces.clone();
        lie.sections.get_mut(&kind).unwrap().1.fill(0);
        lie.index(&bytes)
    };
    dir.put("x.pgci", zeros(0x16));
    dir.run(&["test", "-q", "x.pgc"]).exits(3);
    dir.run(&["merge", "-q", "x.pgc", "x.pgc", "-o", "m.pgc"])
        .exits(0);
    dir.run(&["test", "-q", "m.pgc"]).exits(0);
    dir.run(&["add", "-q", "--skip-known", "x.pgc", "x.pgn"])
        .exits(0);
    assert!(dir.read("x.pgc") == bytes, "all games are known");
}
