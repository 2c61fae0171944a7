//! Real files: each comes back, its archive is a stream of 1994, and its ordinals are those of
//! sorted lists.

use std::fs;
use std::path::{Path, PathBuf};

use pgc::pack;
use pgc::test;
use pgc::{NoHooks, TestDepth};
use pgc_chess::Position;
use pgc_pgn::records::reader::{Dialect, Records};
use pgc_pgn::records::record::Record;
use shakmaty::san::San;
use shakmaty::{Chess, Position as _};

use crate::support::{check_stream, options, shared, unpacked_with};

/// Longer files only with `PGC_CORPUS_ALL=1`.
const SHORT: u64 = 3_000_000;

pub(crate) fn corpus() -> Vec<PathBuf> {
    let Some(folder) = shared("PGC_CORPUS", "corpora") else {
        return Vec::new();
    };
    let all = std::env::var_os("PGC_CORPUS_ALL").is_some_and(|v| v == "1");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.retain(|path| all || fs::metadata(path).is_ok_and(|m| m.len() < SHORT));
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// Compares the moves of games from the normal start with lists that are sorted as section 20.2
/// says; returns how many there were.
fn compare_ordinals(archive: &[u8], limit: usize) -> usize {
    let mut done = 0;
    let mut line = Some((Position::initial(), Chess::new()));
    for record in Records::new(archive, Dialect::Standard) {
        if done >= limit {
            break;
        }
        match record.unwrap().1 {
            Record::GameBegin => line = Some((Position::initial(), Chess::new())),
            Record::TagPair {
                name: b"FEN" | b"Variant",
                ..
            }
            | Record::RavBegin => line = None,
            Record::Game { moves, .. } => {
                line = Some((Position::initial(), Chess::new()));
                done += compare_line(&mut line, moves);
            }
            Record::ShortMoves(moves) | Record::LongMoves(moves) => {
                done += compare_line(&mut line, moves)
            }
            _ => {}
        }
    }
    done
}

fn compare_line(line: &mut Option<(Position, Chess)>, moves: &[u8]) -> usize {
    let Some((position, twin)) = line else {
        return 0;
    };
    for &ordinal in moves {
        let mut list: Vec<_> = twin
            .legal_moves()
            .iter()
            .map(|&m| (San::from_move(twin, m).to_string(), m))
            .collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        let m = list[usize::from(ordinal)].1;
        assert_eq!(position.select(ordinal), Some(m));
        assert_eq!(position.rank(m), Some(ordinal));
        position.play(m);
        twin.play_unchecked(m);
    }
    moves.len()
}

#[test]
fn real_files_come_back() {
    let wanted = std::env::var("PGC_TEST_POSITIONS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(20_000_usize);
    let files = corpus();
    let (mut compared, mut bytes) = (0, 0);
    for (i, path) in files.iter().enumerate() {
        let source = fs::read(path).unwrap();
        bytes += source.len();
        let mut archive = Vec::new();
        let summary = pack(
            &mut source.as_slice(),
            "x",
            &mut archive,
            &options(false, 0),
            &mut NoHooks,
        )
        .unwrap();
        let (sink, _) = unpacked_with(&archive, 0).unwrap();
        assert!(sink.sources[0].1 == source, "{}", path.display());
        assert_eq!(
            summary.games,
            summary.whole + summary.text_tail + summary.text_only,
            "{}",
            path.display()
        );
        let found = test(
            &mut archive.as_slice(),
            &TestDepth::Quick.into(),
            &mut NoHooks,
        )
        .unwrap();
        assert_eq!(
            (found[0].sum.games, found[0].sum.plies),
            (summary.games, summary.plies)
        );
        if source.len() < 500_000 {
            check_stream(&archive).unwrap_or_else(|what| panic!("{}: {what}", path.display()));
        }
        // Each file compares its share of the moves that are still wanted.
        compared += compare_ordinals(
            &archive,
            wanted.saturating_sub(compared).div_ceil(files.len() - i),
        );
    }
    eprintln!(
        "{} files, {bytes} bytes, {compared} positions compared",
        files.len()
    );
}
