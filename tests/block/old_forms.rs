//! What one release wrote, every later one reads (P10). `tests/data/0.1` has an archive of each form
//! with its texts, index and recovery data, as they were written; from the release of 0.1.0 on nothing
//! there is made again (the small archive was, on 2026-11-28, when its form changed before it).
//!
//! `pgc pack games.pgn positions.epd -o plain.pgc`, `pgc add --encoding cp1251 plain.pgc
//! cyrillic.pgn`, `pgc add --pieces de plain.pgc german.pgn`; the same for `small.pgcz`; `pgc protect
//! --percent 20 plain.pgc`; `pgc pack --standard --drop all games.pgn -o standard.pgc` and `pgc unpack
//! standard.pgc` for `standard.pgn`.

use std::fs;
use std::path::{Path, PathBuf};

use pgc::NoHooks;
use pgc::beside::recovery_path;
use pgc::recovery::repair::Repair;

use crate::cli::program::Dir;

fn kept(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/0.1");
    fs::read(folder.join(name)).unwrap()
}

/// A folder with these of the files.
fn dir(names: &[&str]) -> Dir {
    let dir = Dir::new();
    for name in names {
        dir.put(name, kept(name));
    }
    dir
}

#[test]
fn archives_give_their_texts() {
    for name in ["plain.pgc", "small.pgcz"] {
        let dir = dir(&[name]);
        dir.test(name);
        let sources = ["games.pgn", "positions.epd", "cyrillic.pgn", "german.pgn"];
        assert!(
            dir.unpacked(name) == sources.map(kept).concat(),
            "{name} gives other texts"
        );
    }
    let dir = dir(&["standard.pgc"]);
    let ran = dir.run(&["unpack", "-c", "standard.pgc"]).exits(0);
    assert!(ran.output.stdout == kept("standard.pgn"));
}

#[test]
fn indexes_answer() {
    for (name, index) in [("plain.pgc", "plain.pgci"), ("small.pgcz", "small.pgczi")] {
        let dir = dir(&[name, index]);
        let archive = dir.open(name);
        let state = archive.index_state();
        assert_eq!(*state, pgc::IndexState::Used, "{index}");
        archive.index().unwrap().verify(1).unwrap();
        // Counted in the texts.
        for (asked, games) in [
            (&["-w", "morphy"][..], &[1][..]),
            (&["--moves", "1.e4 e5 2.Nf3 d6"], &[1]),
            (&["--has", "clocks"], &[2]),
            (&["--tag", "id=second"], &[4]),
            (&["-w", "Таль"], &[5]),
            (&["--moves", "1.Nf3 Nf6"], &[6]),
        ] {
            assert_eq!(dir.found(name, asked), games, "{name} {asked:?}");
        }
    }
}

#[test]
fn recovery_data_repair() {
    let (archive, recovery) = (kept("plain.pgc"), kept("plain.pgcr"));
    assert_eq!(
        recovery_path(Path::new("plain.pgc")),
        PathBuf::from("plain.pgcr")
    );
    let mut broken = archive.clone();
    broken[100..140].fill(0);
    let (broken, recovery) = (&broken[..], &recovery[..]);
    let repair = Repair::new(&broken, &recovery, &mut NoHooks).unwrap();
    let mut repaired = Vec::new();
    repair.write(&mut repaired, &mut NoHooks).unwrap();
    assert!(repaired == archive);
}
