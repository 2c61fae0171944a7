//! An index only proposes. Here all its checksums are right and its values false, one after another,
//! and no command may write or print a wrong game for it. What is right is what the same command
//! says of the same archive without any index.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::cli::program::{Dir, Ran};

const PAGE: usize = 16_384;
const TRAILER: usize = 96;

/// Games that all differ in everything that an index holds of them.
fn games() -> Vec<String> {
    let openings = [
        "e4 e5", "d4 d5", "c4 c5", "Nf3 Nf6", "f4 f5", "b3 b6", "g3 g6",
    ];
    let results = ["1-0", "0-1", "1/2-1/2"];
    let game = |n: usize| {
        let (moves, result) = (openings[n % 7], results[n % 3]);
        let more = ["", " 2. a3", " 2. a3 a6", " 2. h3 h6 3. a4"][n % 4];
        format!(
            "[Event \"Event {n}\"]\n[Site \"Site {n}\"]\n[Date \"{}.01.{:02}\"]\n[Round \"{n}\"]\n\
             [White \"White{n}, A\"]\n[Black \"Black{n}, B\"]\n[Result \"{result}\"]\n\
             [WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[ECO \"A{n:02}\"]\n\n1. {moves}{more} {result}\n\n",
            1950 + n,
            n % 28 + 1,
            2000 + n,
            2200 + n,
        )
    };
    (0..40).map(game).collect()
}

/// The bytes of a number of an index.
fn num(bytes: &[u8], at: usize, len: usize) -> usize {
    let mut number = [0; 8];
    number[..len].copy_from_slice(&bytes[at..at + len]);
    usize::try_from(u64::from_le_bytes(number)).unwrap()
}

/// Where the sections of an index are, by kind (spec/index.md section 1).
fn sections(index: &[u8]) -> BTreeMap<usize, Range<usize>> {
    let trailer = index.len() - TRAILER;
    let sums = num(index, trailer + 56, 8);
    let table = sums + sums.div_ceil(PAGE) * 4;
    let entries = index[table..trailer].chunks(32);
    let entry = |e: &[u8]| (num(e, 0, 4), num(e, 8, 8)..num(e, 8, 8) + num(e, 16, 8));
    entries.map(entry).collect()
}

/// Makes all checksums right again.
fn summed(mut index: Vec<u8>) -> Vec<u8> {
    let trailer = index.len() - TRAILER;
    let sums = num(&index, trailer + 56, 8);
    let table = sums + sums.div_ceil(PAGE) * 4;
    for page in 0..sums.div_ceil(PAGE) {
        let crc = crc32fast::hash(&index[page * PAGE..sums.min((page + 1) * PAGE)]);
        index[sums + page * 4..sums + page * 4 + 4].copy_from_slice(&crc.to_le_bytes());
    }
    let crc = crc32fast::hash(&index[sums..table]);
    index[trailer + 64..trailer + 68].copy_from_slice(&crc.to_le_bytes());
    let mut frame = index[..16].to_vec();
    frame.extend_from_slice(&index[table..trailer + 80]);
    let crc = crc32fast::hash(&frame);
    index[trailer + 80..trailer + 84].copy_from_slice(&crc.to_le_bytes());
    index
}

/// The index of another archive, with the trailer and the places of the right one.
fn grafted(right: &[u8], mut other: Vec<u8>) -> Vec<u8> {
    let (from, to) = (sections(right), sections(&other));
    for kind in [1, 2] {
        other[to[&kind].clone()].copy_from_slice(&right[from[&kind].clone()]);
    }
    let (there, here) = (other.len() - TRAILER, right.len() - TRAILER);
    other[there + 16..there + 56].copy_from_slice(&right[here + 16..here + 56]);
    summed(other)
}

/// Two folders with the same archive: one without an index, one with this one.
struct Pair {
    truth: Dir,
    lie: Dir,
    name: &'static str,
    /// Of which commands it is the turn: all, or those with even or odd numbers. Where the archive of
    /// the other form gets the others, each command meets each false value.
    turns: Option<usize>,
    /// The number of the next command.
    next: Cell<usize>,
}

impl Pair {
    fn new(name: &'static str, texts: &[String], index: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Pair {
        let (truth, lie) = (Dir::new(), Dir::new());
        for dir in [&truth, &lie] {
            dir.put("x.pgn", texts.concat());
            dir.put("more.pgn", "[White \"New\"]\n\n1. a4 a5 *\n");
            dir.pack_into(&["x.pgn"], name);
        }
        let beside = format!("{name}i");
        lie.put(&beside, index(lie.read(&beside)));
        std::fs::remove_file(truth.path().join(&beside)).unwrap();
        Pair {
            truth,
            lie,
            name,
            turns: None,
            next: Cell::new(0),
        }
    }

    /// Whether the next command is to be run.
    fn is_turn(&self) -> bool {
        let number = self.next.replace(self.next.get() + 1);
        self.turns.is_none_or(|turns| number % 2 == turns)
    }

    /// Runs a command in both folders, if it is its turn. With the false index it says the same, or
    /// ends with exit code 3, without the file `out`.
    #[track_caller]
    fn same(&self, args: &[&str], out: Option<&str>) -> Option<Ran> {
        match self.is_turn() {
            true => Some(self.same_now(args, out)),
            false => None,
        }
    }

    #[track_caller]
    fn same_now(&self, args: &[&str], out: Option<&str>) -> Ran {
        let args: Vec<&str> = args
            .iter()
            .map(|&arg| if arg == "X" { self.name } else { arg })
            .collect();
        let (right, ran) = (self.truth.run(&args), self.lie.run(&args));
        let code = ran.output.status.code();
        let told = format!("pgc {}: {code:?}\n{}", args.join(" "), ran.stderr);
        let exists = |dir: &Dir, name: &str| dir.path().join(name).exists();
        if code == Some(3) {
            assert!(ran.stderr.contains("index"), "{told}");
            assert!(!out.is_some_and(|out| exists(&self.lie, out)), "{told}");
        } else {
            assert_eq!(code, right.output.status.code(), "{told}");
            assert_eq!(ran.stdout(), right.stdout(), "{told}");
            if let Some(out) = out.filter(|out| exists(&self.truth, out)) {
                assert_eq!(self.lie.read(out), self.truth.read(out), "{told}");
            }
        }
        ran
    }

    /// Every command that writes or prints games; `question` is what the false index says of game 8
    /// alone.
    fn doors(&self, question: &[&str]) {
        let with = |before: &[&'static str], behind: &[&'static str]| -> Vec<String> {
            let all = before.iter().chain(question).chain(behind);
            all.map(|&word| word.to_owned()).collect()
        };
        let ask = |before: &[&'static str], behind: &[&'static str], out: Option<&str>| {
            let words = with(before, behind);
            self.same(&words.iter().map(String::as_str).collect::<Vec<_>>(), out);
        };
        for number in ["8", "7-9"] {
            for format in ["pgn", "json", "sgf", "board"] {
                // The index is made again for this.
                if let Some(ran) = self.same(&["get", "X", number, "--format", format], None) {
                    ran.exits(0);
                }
            }
        }
        if let Some(ran) = self.same(&["view", "X", "8"], None) {
            ran.exits(0);
        }
        for format in ["pgn", "sgf", "epd"] {
            ask(&["find", "X"], &["--format", format], None);
        }
        for out in ["f.pgn", "f.pgc", "f.pgcz", "f.sgf", "f.epd"] {
            let mut words = with(&["find", "X"], &["-o"]);
            words.push(out.to_owned());
            self.same(
                &words.iter().map(String::as_str).collect::<Vec<_>>(),
                Some(out),
            );
        }
        // What edits or writes all games does not ask the index at all.
        let whole = |args: &[&str], out: &str| {
            let ran = self.same(args, Some(out));
            let is_damage = ran.filter(|ran| ran.output.status.code() == Some(3));
            assert!(is_damage.is_none(), "{}", is_damage.unwrap().stderr);
        };
        let edit = if self.name.ends_with('z') {
            "e.pgcz"
        } else {
            "e.pgc"
        };
        for what in [&["--delete"][..], &["--set", "Event=New"]] {
            let mut words = with(&["edit", "X"], &["-f", "-q", "-o"]);
            words.push(edit.to_owned());
            words.extend(what.iter().map(|&word| word.to_owned()));
            whole(&words.iter().map(String::as_str).collect::<Vec<_>>(), edit);
        }
        whole(
            &[
                "edit", "X", "--games", "8", "--delete", "-q", "-f", "-o", edit,
            ],
            edit,
        );
        whole(&["dups", "-q", "X", "-o", "d.pgn", "-f"], "d.pgn");
        whole(&["tree", "-q", "X", "--polyglot", "b.bin"], "b.bin");
        whole(&["unpack", "-q", "X", "-c"], "-");
        for by in ["year", "player"] {
            let split = ["split", "X", "--by", by, "-o", by, "--format", "pgn", "-q"];
            let Some(ran) = self.same(&split, None) else {
                continue;
            };
            ran.exits(0);
            let list = |dir: &Dir| {
                let files = std::fs::read_dir(dir.path().join(by)).unwrap();
                let read = |file: std::io::Result<std::fs::DirEntry>| {
                    let file = file.unwrap();
                    (file.file_name(), std::fs::read(file.path()).unwrap())
                };
                files.map(read).collect::<BTreeMap<_, _>>()
            };
            assert_eq!(list(&self.lie), list(&self.truth), "--by {by}");
        }
        // Conversion and joining read the archive; what they write besides fits.
        whole(&["pack", "-q", "X", "-o", "c.pgcz", "-f"], "c.pgcz");
        if self.lie.path().join("c.pgcz").exists() {
            self.lie.run(&["test", "-q", "c.pgcz"]).exits(0);
        }
        self.lie.run(&["test", "-q", "--quick", self.name]);
        self.lie.run(&["test", "-q", self.name]).exits(3);
        let mut words = with(&["edit", "X"], &["--delete", "-q", "--in-place"]);
        self.same(
            &words.iter().map(String::as_str).collect::<Vec<_>>(),
            Some(self.name),
        );
        words = vec!["add".into(), "-q".into(), "X".into(), "more.pgn".into()];
        self.same(
            &words.iter().map(String::as_str).collect::<Vec<_>>(),
            Some(self.name),
        );
    }
}

/// A false value of game 8, and a question by which the false index finds that game.
fn falsified(from: &str, to: &str, question: &[&str]) {
    let right = games();
    let mut other = right.clone();
    assert!(other[7].contains(from), "{from}: {}", other[7]);
    other[7] = other[7].replace(from, to);
    for (turns, name) in ["x.pgc", "x.pgcz"].into_iter().enumerate() {
        let mut pair = Pair::new(name, &right, |index| {
            let dir = Dir::new();
            dir.put("x.pgn", other.concat());
            dir.pack_into(&["x.pgn"], name);
            grafted(&index, dir.read(&format!("{name}i")))
        });
        pair.turns = Some(turns);
        pair.doors(question);
    }
}

#[test]
fn false_dates() {
    falsified("1957.01.08", "1990.02.03", &["--date", "1990"]);
}

#[test]
fn false_names() {
    falsified("White7, A", "Zorro", &["--player", "zorro"]);
    falsified("Event 7", "Worlds", &["--event", "worlds"]);
}

#[test]
fn false_numbers() {
    falsified("\"2007\"", "\"2899\"", &["--elo", "2500.."]);
    falsified(
        "1. e4 e5",
        "1. e4 e5 2. d3 d6 3. h3 h5 4. a3",
        &["--plies", "11.."],
    );
}

#[test]
fn false_flags() {
    falsified("e5", "e5 $1", &["--broken"]);
    falsified("e4 e5", "e4 e5 xx", &["--broken"]);
    falsified("0-1", "1/2-1/2", &["--result", "draw"]);
}

/// The games themselves are swapped: the index is that of an archive in another order.
#[test]
fn false_places() {
    let right = games();
    let mut other = right.clone();
    other.swap(7, 20);
    let pair = Pair::new("x.pgc", &right, |index| {
        let dir = Dir::new();
        dir.put("x.pgn", other.concat());
        dir.pack_into(&["x.pgn"], "x.pgc");
        grafted(&index, dir.read("x.pgci"))
    });
    pair.doors(&["--player", "white20"]);
}

/// The lines say that other moves were played. Only the moves of the game differ, so all columns
/// are right.
#[test]
fn false_lines() {
    let right = games();
    let mut other = right.clone();
    other[7] = other[7].replace("e4 e5", "b4 b5");
    for name in ["x.pgc", "x.pgcz"] {
        let pair = Pair::new(name, &right, |index| {
            let dir = Dir::new();
            dir.put("x.pgn", other.concat());
            dir.pack_into(&["x.pgn"], name);
            grafted(&index, dir.read(&format!("{name}i")))
        });
        pair.doors(&["--moves", "1.b4 b5"]);
    }
}

/// Only the lists that answer a question are false: the columns are right.
#[test]
fn false_postings() {
    let right = games();
    let pair = Pair::new("x.pgc", &right, |index| {
        // In a group of 16 players with one game each, of 6 bits, the fifth gets that of another one.
        let lists = sections(&index)[&0x53].clone();
        let mut false_one = index.clone();
        false_one[lists.start + 5] ^= 0x10;
        summed(false_one)
    });
    pair.doors(&["--player", "Black12, B"]);
}

/// An index that counts other games than the archive is not used.
#[test]
fn false_counts() {
    let right = games();
    let short = right[..39].to_vec();
    let pair = Pair::new("x.pgc", &right, |index| {
        let dir = Dir::new();
        dir.put("x.pgn", short.concat());
        dir.pack_into(&["x.pgn"], "x.pgc");
        grafted(&index, dir.read("x.pgci"))
    });
    let ran = pair.lie.run(&["find", "x.pgc", "--count"]).exits(0);
    assert_eq!(ran.stdout().trim(), "40");
    ran.says("more or fewer blocks or games");
    pair.doors(&["--player", "white8"]);
}

/// `test --quick` says what it did not do.
#[test]
fn a_quick_test_says_that_it_did_not_compare() {
    let dir = Dir::new();
    dir.put("x.pgn", games().concat());
    dir.pack("x.pgn");
    let quick = dir.run(&["test", "--quick", "x.pgc"]).exits(0).stdout();
    assert!(
        quick.contains("the index was not compared with the games"),
        "{quick}"
    );
    assert!(
        !dir.run(&["test", "x.pgc"])
            .exits(0)
            .stdout()
            .contains("compared")
    );
}
