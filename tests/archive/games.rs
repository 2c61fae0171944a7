//! Questions to archives: every game is its slice of the source, with an index and without, and
//! never another game.

use std::fs;
use std::path::{Path, PathBuf};

use pgc::OpenOptions;
use pgc::beside::index_path;
use pgc::indexing::{IndexOptions, Indexing, index};
use pgc::pack;
use pgc::pack::pack_indexed;
use pgc::unpack::test_indexed;
use pgc::{Archive, IndexState};
use pgc::{Error, Loss, NoHooks, PackOptions, SegmentForm, TestOptions};
use pgc_index::BuildOptions;
use pgc_pgn::game::Wholeness;
use pgc_pgn::split::{Splitter, UnitKind};
use pgc_pgn::writer::Termination;
use tempfile::TempDir;

use crate::support::gen_pgn::{document, mutate};
use crate::support::random::Random;
use crate::support::{Collected, archive_of, options, shared};

/// A folder with files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn build(&self) -> BuildOptions {
        BuildOptions {
            memory: 1 << 20,
            temp_dir: self.0.path().to_owned(),
            lines: true,
        }
    }

    /// Writes an archive of these sources and its index, as pack makes them; returns the path and
    /// the index.
    fn pack(&self, name: &str, sources: &[&[u8]], threads: usize) -> (PathBuf, Vec<u8>) {
        let (mut archive, mut indexing) = (Vec::new(), Indexing::new(self.build()));
        for source in sources {
            let options = options(false, threads);
            pack_indexed(
                &mut &**source,
                "x.pgn",
                &mut archive,
                &options,
                &mut NoHooks,
                Some(&mut indexing),
            )
            .unwrap();
        }
        let path = self.put(name, &archive);
        let mut made = Vec::new();
        indexing.finish(&mut made).unwrap();
        fs::write(index_path(&path), &made).unwrap();
        (path, made)
    }

    /// The index of an archive that is there.
    fn index(&self, path: &Path, threads: usize) -> Result<Vec<u8>, Error> {
        let mut made = Vec::new();
        let options = IndexOptions::new(self.build(), threads);
        index(
            &mut fs::File::open(path).unwrap(),
            &mut made,
            &options,
            &mut NoHooks,
        )?;
        let (mut archive, mut indexing) =
            (fs::File::open(path).unwrap(), Indexing::new(self.build()));
        let options = TestOptions {
            threads,
            ..TestOptions::default()
        };
        let tested = test_indexed(&mut archive, &options, &mut NoHooks, Some(&mut indexing));
        if tested.is_ok() {
            let mut again = Vec::new();
            indexing.finish(&mut again).unwrap();
            assert!(
                again == made,
                "{}: another index with the text",
                path.display()
            );
        }
        Ok(made)
    }
}

fn without_index(path: &Path) -> Archive {
    Archive::open_with(
        path,
        OpenOptions {
            no_index: true,
            ..OpenOptions::default()
        },
    )
    .unwrap()
}

/// Read and not mapped, without the index.
fn read(path: &Path) -> Archive {
    let options = OpenOptions {
        no_index: true,
        read: true,
        ..OpenOptions::default()
    };
    Archive::open_with(path, options).unwrap()
}

/// A stretch of a source, and whether it is of a game.
type Stretch = (bool, Vec<u8>);

/// The games of a source: pieces joined, and all of it in order, games and other text.
fn units(source: &[u8]) -> (Vec<Vec<u8>>, Vec<Stretch>) {
    let (mut games, mut all) = (Vec::<Vec<u8>>::new(), Vec::new());
    let mut splitter = Splitter::in_letters(None);
    while let Some(unit) = splitter.next_unit(source, true) {
        let text = source[unit.start..unit.end].to_vec();
        match unit.kind {
            UnitKind::Game | UnitKind::Piece(false) => games.push(text.clone()),
            UnitKind::Piece(true) => games.last_mut().unwrap().extend_from_slice(&text),
            UnitKind::Stray(_) => {}
        }
        all.push((!matches!(unit.kind, UnitKind::Stray(_)), text));
    }
    (games, all)
}

/// All games of the archive in the order of `numbers` are the slices of the source.
fn check_games(
    what: &str,
    archive: &Archive,
    expected: &[Vec<u8>],
    numbers: impl Iterator<Item = usize>,
) {
    assert_eq!(archive.len().unwrap(), expected.len() as u64, "{what}");
    assert_eq!(archive.is_empty().unwrap(), expected.is_empty());
    let mut count = 0;
    for (game, expected) in archive.games().zip(expected) {
        let game = game.unwrap_or_else(|error| panic!("{what}: {error}"));
        count += 1;
        assert_eq!(game.number, count);
        assert!(game.pgn == *expected, "{what}: game {count}");
    }
    assert_eq!(count, expected.len() as u64, "{what}");
    for number in numbers {
        let game = archive.game(number as u64).unwrap();
        assert_eq!(game.number, number as u64);
        assert!(game.pgn == expected[number - 1], "{what}: game {number}");
        let mut copied = Vec::new();
        archive.copy_game(number as u64, &mut copied).unwrap();
        assert!(copied == game.pgn, "{what}: game {number}");
    }
    for number in [0, expected.len() as u64 + 1, u64::MAX] {
        let games = expected.len() as u64;
        assert!(
            matches!(archive.game(number), Err(Error::NoSuchGame { number: n, games: g }) if (n, g) == (number, games))
        );
    }
}

/// A document of several blocks, which may be broken.
fn long_document(random: &mut Random, blocks: usize) -> Vec<u8> {
    let mut source = Vec::new();
    while source.len() < blocks * 1_100_000 {
        source.extend_from_slice(&document(random, 40));
        source.extend_from_slice(random.pick(&[&b"\n\n"[..], b"", b"\ntext between games\n\n"]));
    }
    for _ in 0..random.below(20) {
        mutate(random, &mut source);
    }
    source
}

#[test]
fn games_are_slices_of_their_source() {
    let folder = Folder::new();
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let games = random.below(30);
        let mut source = document(&mut random, games);
        for _ in 0..random.below(6) {
            mutate(&mut random, &mut source);
        }
        let (games, all) = units(&source);
        assert!(
            all.iter().flat_map(|(_, text)| text).eq(&source),
            "units lose nothing"
        );
        let path = folder.put("x.pgc", &archive_of(&source));
        check_games(
            &format!("seed {seed}"),
            &without_index(&path),
            &games,
            1..=games.len(),
        );
    }
}

#[test]
fn games_of_several_blocks_and_sources() {
    let folder = Folder::new();
    for seed in 0..3 {
        let mut random = Random::new(1000 + seed);
        let sources: Vec<Vec<u8>> = (0..1 + seed)
            .map(|_| long_document(&mut random, 2))
            .chain([Vec::new()])
            .collect();
        let games: Vec<Vec<u8>> = sources.iter().flat_map(|source| units(source).0).collect();
        let list: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
        let (path, made) = folder.pack("x.pgc", &list, 2);
        assert!(made == folder.index(&path, 1).unwrap(), "seed {seed}");
        let some: Vec<usize> = (0..60).map(|_| 1 + random.below(games.len())).collect();
        let archive = Archive::open(&path).unwrap();
        assert_eq!(archive.index_state(), &IndexState::Used);
        check_games(
            &format!("seed {seed}"),
            &archive,
            &games,
            some.iter().copied(),
        );
        assert_eq!(archive.index_state(), &IndexState::Used);
        check_games(
            &format!("seed {seed}"),
            &without_index(&path),
            &games,
            some.into_iter(),
        );
        let (first, last) = (games.len() / 3, games.len() / 2);
        let range: Vec<_> = archive
            .range(first as u64 + 1, last as u64)
            .map(|game| game.unwrap().pgn)
            .collect();
        assert!(range == games[first..last]);
        assert_eq!(archive.range(games.len() as u64 + 1, u64::MAX).count(), 0);
    }
}

#[test]
fn an_archive_may_be_asked_by_several_threads() {
    fn check<T: Send + Sync>() {}
    check::<Archive>();
    let folder = Folder::new();
    let source = long_document(&mut Random::new(4), 3);
    let games = units(&source).0;
    let path = folder.pack("x.pgc", &[&source], 2).0;
    for archive in [Archive::open(&path).unwrap(), without_index(&path)] {
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let (archive, games) = (&archive, &games);
                scope.spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..20 {
                        let number = 1 + random.below(games.len());
                        assert!(archive.game(number as u64).unwrap().pgn == games[number - 1]);
                    }
                });
            }
        });
    }
}

#[test]
fn a_game_in_pieces_comes_whole() {
    const PIECE: usize = 16 << 20;
    let folder = Folder::new();
    for extra in [1, PIECE + 5] {
        let head = b"[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 {".to_vec();
        let long = [
            head.clone(),
            vec![b'x'; PIECE - head.len() + extra],
            b"} 1-0\n\n".to_vec(),
        ]
        .concat();
        let source = [
            &b"[White \"B\"]\n\n1. d4 *\n\n"[..],
            &long,
            b"[White \"C\"]\n\n1. c4 *\n",
        ]
        .concat();
        let (path, made) = folder.pack("x.pgc", &[&source], 1);
        assert!(made == folder.index(&path, 2).unwrap());
        for archive in [Archive::open(&path).unwrap(), without_index(&path)] {
            assert_eq!(archive.len().unwrap(), 3);
            let game = archive.game(2).unwrap();
            assert!(game.pgn == long);
            assert_eq!(game.wholeness, Wholeness::TextOnly);
            assert_eq!(
                (game.tag("White"), game.moves.len(), game.termination),
                (Some("A"), 0, None)
            );
            assert_eq!(archive.game(3).unwrap().tag("White"), Some("C"));
            let all: Vec<_> = archive
                .games()
                .map(|game| game.unwrap().pgn.len())
                .collect();
            assert_eq!(all.iter().sum::<usize>(), source.len());
        }
        let index = pgc_index::Index::open(made).unwrap();
        let row = index.row(1).unwrap();
        assert_eq!(
            (
                row.white,
                row.plies,
                row.flags.wholeness(),
                row.flags.bits() & 3
            ),
            ("A".to_owned(), 0, Wholeness::TextOnly, 2)
        );
    }
}

#[test]
fn moves_tags_and_boards() {
    let folder = Folder::new();
    let pgn = "[Event \"x \\\"y\\\"\"]\n[White \"J\u{f6}rg\"]\n[White \"again\"]\n\n1. e4 {c} e5 (1... c5 2. Nf3) 2. Nf3 Ke7?? 3. Nxe5 Ke6 4. Bc4+ *\n\n\
        [FEN \"4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 9\"]\n\n9. O-O-O Kf7 10. a8=Q 1/2-1/2\n\n\
        [Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/1RK4R w BH - 0 1\"]\n\n1. O-O *\n\n\
        [Variant \"Crazyhouse\"]\n\n1. e4 d5 2. exd5 e6 3. @e4 *\n\n\
        1. e4 Ke9 2. d4 1-0\n\n[Variant \"Losers\"]\n\n1. e4 0-1\n";
    let path = folder.put("x.pgc", &archive_of(pgn.as_bytes()));
    let archive = without_index(&path);
    let game = |n| archive.game(n).unwrap();
    let san = |n| game(n).moves.into_iter().map(|m| m.san).collect::<Vec<_>>();
    let uci = |n| game(n).moves.into_iter().map(|m| m.uci).collect::<Vec<_>>();
    assert_eq!(san(1), ["e4", "e5", "Nf3", "Ke7", "Nxe5", "Ke6", "Bc4+"]);
    assert_eq!(uci(1)[5..], ["e7e6", "f1c4"]);
    let tags: Vec<_> = game(1).tags;
    assert_eq!(tags[0], ("Event".into(), "x \"y\"".into()));
    assert_eq!(
        tags[1..],
        [
            ("White".into(), "J\u{f6}rg".into()),
            ("White".into(), "again".into())
        ]
    );
    assert_eq!(
        (game(1).termination, game(1).start),
        (Some(Termination::Unknown), None)
    );
    assert_eq!(
        (san(2), uci(2)),
        (
            vec!["O-O-O".into(), "Kf7".into(), "a8=Q".into()],
            vec!["e1c1".into(), "e8f7".into(), "a7a8q".into()]
        )
    );
    assert_eq!(
        game(2).start.as_deref(),
        Some("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 9")
    );
    let board = game(2).board(1).unwrap();
    assert_eq!(
        (board.fen.as_str(), board.last.as_deref()),
        ("4k3/P7/8/8/8/8/8/2KR3R b - - 1 9", Some("9. O-O-O"))
    );
    assert_eq!(
        (board.squares[7][2], board.white_to_move),
        (Some('K'), false)
    );
    assert_eq!(game(2).board(0).unwrap().last, None);
    assert!(game(2).board(4).is_none());
    assert_eq!(uci(3), ["c1h1"]);
    assert_eq!((san(4)[4].as_str(), uci(4)[4].as_str()), ("@e4", "P@e4"));
    assert_eq!(
        (san(5), game(5).wholeness),
        (vec!["e4".into()], Wholeness::Tail)
    );
    assert_eq!(game(5).tail.as_deref(), Some("Ke9 2. d4"));
    assert_eq!(
        (san(6).len(), game(6).wholeness, game(6).tail.as_deref()),
        (0, Wholeness::TextOnly, Some("e4"))
    );
    assert!(game(6).board(0).is_none());
}

#[test]
fn foreign_streams() {
    let folder = Folder::new();
    for seed in 0..11 {
        let mut random = Random::new(3000 + seed);
        let source = if seed < 9 {
            document(&mut random, 20)
        } else {
            long_document(&mut random, 3)
        };
        let options = PackOptions {
            form: SegmentForm::Plain,
            standard: Some(Loss::ALL.map(|known| known.1).to_vec()),
            threads: 1,
            ..PackOptions::default()
        };
        let mut stream = Vec::new();
        let summary = pack(
            &mut source.as_slice(),
            "x",
            &mut stream,
            &options,
            &mut NoHooks,
        )
        .unwrap();
        if stream.is_empty() {
            continue;
        }
        // Noops mean nothing, wherever they stand.
        let stream = [b"\0\0", stream.as_slice(), b"\0"].concat();
        let path = folder.put("f.pgc", &stream);
        let mut sink = Collected::default();
        let unpack = pgc::UnpackOptions {
            utf8: true,
            ..pgc::UnpackOptions::default()
        };
        pgc::unpack(&mut stream.as_slice(), &mut sink, &unpack, &mut NoHooks).unwrap();
        let error = folder.index(&path, 2).unwrap_err();
        assert!(error.to_string().contains("made by another program"));
        for archive in [Archive::open(&path).unwrap(), read(&path)] {
            assert!(!archive.is_ours());
            assert_eq!(archive.len().unwrap(), summary.games, "seed {seed}");
            let mut all = Vec::new();
            for game in archive.games() {
                let game = game.unwrap();
                all.extend_from_slice(&game.pgn);
                if seed < 9 || random.once_in(50) {
                    let alone = archive.game(game.number).unwrap();
                    assert_eq!(
                        (alone.pgn, alone.tags, alone.moves),
                        (game.pgn, game.tags, game.moves)
                    );
                }
            }
            assert!(all == sink.sources[0].1, "seed {seed}");
        }
    }
}

#[test]
fn foreign_games_between_many_bytes_that_mean_nothing() {
    let folder = Folder::new();
    let game = |tags: usize| {
        let tag = [&[2, 1, b'X', 250][..], &[b'x'; 250]].concat();
        [&[5][..], &tag.repeat(tags), &[6]].concat()
    };
    let noops = |count| vec![0; count];
    let escape = [&[10, 0, 0x80][..], &[b'y'; 0x8000]].concat();
    for parts in [
        vec![noops(1 << 21), game(1), noops(1 << 20), game(9000), game(2)],
        vec![game(1), game(1100), escape.repeat(50)],
        vec![game(1), game(1100), escape.repeat(50), game(3)],
        vec![game(700); 5],
    ] {
        let path = folder.put("f.pgc", &parts.concat());
        let wanted = parts.iter().filter(|part| part[0] == 5).count();
        let archive = read(&path);
        assert_eq!(archive.len().unwrap(), wanted as u64);
        assert_eq!(archive.games().map(Result::unwrap).count(), wanted);
        let broken = folder.put("f.pgc", &[&parts.concat()[..], &[7]].concat());
        assert!(matches!(Archive::open(&broken), Err(Error::Damaged { .. })));
    }
}

#[test]
fn damaged_streams_give_what_came_before() {
    let folder = Folder::new();
    let source = long_document(&mut Random::new(77), 2);
    let games = units(&source).0;
    let whole = archive_of(&source);
    for part in [whole.len() - 3, whole.len() / 2, 200, 30] {
        let path = folder.put("x.pgc", &whole[..part]);
        let archive = without_index(&path);
        assert!(matches!(archive.len(), Err(Error::Damaged { .. })));
        assert!(matches!(
            archive.game(games.len() as u64 + 1),
            Err(Error::Damaged { .. })
        ));
        let mut found = 0;
        for game in archive.games() {
            match game {
                Ok(game) => assert!(game.pgn == games[found]),
                Err(error) => {
                    assert!(matches!(error, Error::Damaged { .. }), "{error}");
                    break;
                }
            }
            found += 1;
        }
        assert_eq!(found > 0, part > whole.len() / 2);
    }
    for (bytes, what) in [
        (&b"\x1f\x8b\x08\0\0"[..], "compressed"),
        (b"[Event \"x\"]", "is PGN: pack it first"),
        (b"", "is empty"),
    ] {
        let path = folder.put("y.pgc", bytes);
        let error = Archive::open(&path)
            .and_then(|archive| archive.game(1).map(drop))
            .unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    assert!(Archive::open(folder.0.path()).is_err());
}

/// Asks an archive for each game after something happened to it or to its index: the answer is the
/// right game or an error, never another game. Returns how many were answered.
fn never_wrong(what: &str, path: &Path, games: &[Vec<u8>]) -> usize {
    let Ok(archive) = Archive::open(path) else {
        return 0;
    };
    let mut right = 0;
    for number in (1..=games.len()).step_by(1 + games.len() / 12) {
        match archive.game(number as u64) {
            Ok(game) => {
                assert!(game.pgn == games[number - 1], "{what}: game {number}");
                right += 1;
            }
            Err(Error::Damaged { .. } | Error::NoSuchGame { .. } | Error::Version { .. }) => {}
            Err(error) => panic!("{what}: {error}"),
        }
    }
    right
}

#[test]
fn a_stale_or_damaged_index_never_gives_a_wrong_game() {
    let folder = Folder::new();
    let mut random = Random::new(5);
    let (one, two) = (long_document(&mut random, 2), long_document(&mut random, 1));
    let (games_one, games_two) = (units(&one).0, units(&two).0);
    let both = [games_one.clone(), games_two.clone()].concat();
    let (path, index) = folder.pack("x.pgc", &[&one], 2);
    let archive = fs::read(&path).unwrap();
    let (other, other_index) = folder.pack("y.pgc", &[&two], 2);
    let other = fs::read(other).unwrap();
    let beside = index_path(&path);
    let state = || Archive::open(&path).unwrap().index_state().clone();
    let all = games_one.len().div_ceil(1 + games_one.len() / 12);

    // Appended to.
    fs::write(&path, [archive.as_slice(), &other].concat()).unwrap();
    assert!(matches!(state(), IndexState::NotMine(_)));
    assert!(never_wrong("appended", &path, &both) > 0);
    assert_eq!(
        Archive::open(&path).unwrap().len().unwrap(),
        both.len() as u64
    );
    // Cut short.
    fs::write(&path, &archive[..archive.len() - 100]).unwrap();
    assert!(matches!(state(), IndexState::NotMine(_)));
    never_wrong("cut", &path, &games_one);
    // Replaced.
    fs::write(&path, &other).unwrap();
    assert!(matches!(state(), IndexState::NotMine(_)));
    assert!(never_wrong("replaced", &path, &games_two) > 0);
    // The index of another archive, and no index.
    fs::write(&path, &archive).unwrap();
    fs::write(&beside, &other_index).unwrap();
    assert!(matches!(state(), IndexState::NotMine(_)));
    assert_eq!(never_wrong("another index", &path, &games_one), all);
    fs::write(&beside, b"no index at all").unwrap();
    assert!(matches!(state(), IndexState::Damaged(_)));
    fs::remove_file(&beside).unwrap();
    assert_eq!(state(), IndexState::Missing);
    assert_eq!(never_wrong("no index", &path, &games_one), all);
    // Touched.
    fs::write(&beside, &index).unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    assert_eq!(state(), IndexState::Used);
    assert_eq!(never_wrong("touched", &path, &games_one), all);
    // One byte of the archive is another.
    for _ in 0..60 {
        let mut changed = archive.clone();
        let at = random.below(changed.len());
        changed[at] ^= 1 << random.below(8);
        fs::write(&path, &changed).unwrap();
        never_wrong(&format!("archive byte {at}"), &path, &games_one);
    }
    fs::write(&path, &archive).unwrap();
    // One byte of the index is another, or it is cut short.
    for _ in 0..120 {
        let mut changed = index.clone();
        let at = random.below(changed.len());
        changed[at] ^= 1 << random.below(8);
        fs::write(&beside, &changed).unwrap();
        assert_eq!(
            never_wrong(&format!("index byte {at}"), &path, &games_one),
            all
        );
        fs::write(&beside, &index[..at]).unwrap();
        assert!(!matches!(state(), IndexState::Used));
        assert_eq!(
            never_wrong(&format!("index of {at} bytes"), &path, &games_one),
            all
        );
    }
}

#[test]
fn both_ways_to_an_index_give_the_same_bytes() {
    let folder = Folder::new();
    for seed in 0..40 {
        let mut random = Random::new(9000 + seed);
        let count = 1 + random.below(3);
        let sources: Vec<Vec<u8>> = (0..count)
            .map(|_| {
                let games = random.below(40);
                let mut source = document(&mut random, games);
                for _ in 0..random.below(8) {
                    mutate(&mut random, &mut source);
                }
                // The same games again: order is by moves, and then by place.
                if random.once_in(3) {
                    [source.clone(), b"\n\n".to_vec(), source].concat()
                } else {
                    source
                }
            })
            .collect();
        let list: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
        let (path, made) = folder.pack("x.pgc", &list, 1 + random.below(2));
        assert!(
            made == folder.index(&path, 1 + random.below(2)).unwrap(),
            "seed {seed}"
        );
        assert_eq!(
            Archive::open(&path).unwrap().index_state(),
            &IndexState::Used
        );
    }
}

#[test]
fn real_files() {
    let Some(folder) = shared("PGC_CORPUS", "corpora") else {
        return;
    };
    let all = std::env::var_os("PGC_CORPUS_ALL").is_some_and(|v| v == "1");
    let here = Folder::new();
    let mut random = Random::new(1);
    for kind in fs::read_dir(folder).unwrap() {
        for path in fs::read_dir(kind.unwrap().path()).unwrap() {
            let path = path.unwrap().path();
            let source = fs::read(&path).unwrap();
            if source.len() > if all { usize::MAX } else { 400_000 } {
                continue;
            }
            let what = path.display().to_string();
            let (games, _) = units(&source);
            let (archive, made) = here.pack("x.pgc", &[&source], 2);
            assert!(made == here.index(&archive, 2).unwrap(), "{what}");
            let some: Vec<usize> = (0..20.min(games.len()))
                .map(|_| 1 + random.below(games.len()))
                .collect();
            check_games(
                &what,
                &Archive::open(&archive).unwrap(),
                &games,
                some.iter().copied(),
            );
            check_games(&what, &without_index(&archive), &games, some.into_iter());
        }
    }
}

#[test]
fn a_shape_that_one_comment_has_is_text_and_predicts_nothing() {
    let pgn = b"1. e4 {[%clk 0:01:00]} e5 { [%clk 0:00:30] } 2. d4 {[%clk 0:00:59]}";
    let archive = archive_of(pgn);
    // Shape 6 with 60 s; shape 0; shape 6 with 1 s less than the only clock before.
    let data = b"pgcA\x0e\x78\x08\x10 [%clk 0:00:30] \x0e\x01";
    assert!(
        archive.windows(data.len()).any(|part| part == data),
        "{}",
        archive.escape_ascii()
    );
}
