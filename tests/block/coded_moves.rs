//! The move model and its coder: what is coded comes back, and nothing else decodes.

use pgc_chess::{CodedLine, Position, RangeDecoder, RangeEncoder, Rules};

use crate::support::random::Random;

/// Starts under all rules: the usual one, Chess960, positions with much to capture and promote.
fn starts() -> Vec<Position> {
    let start = |tag: &[u8], fen: Option<&[u8]>| {
        let rules = Rules::from_variant_tag(tag).expect("a variant");
        Position::start(rules, fen).expect("a start")
    };
    let fens: [&[u8]; 6] = [
        b"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        b"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        b"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        b"k7/8/8/8/8/8/8/K5Q1 w - - 0 1",
        b"qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
        b"7k/5K2/8/6Q1/8/8/8/8 b - - 0 1",
    ];
    let mut starts = vec![Position::initial()];
    starts.extend(fens.map(|fen| start(b"chess", Some(fen))));
    let fen = b"bnrkrnqb/pppppppp/8/8/8/8/PPPPPPPP/BNRKRNQB w KQkq - 0 1";
    starts.push(start(b"chess960", Some(fen)));
    for variant in [
        "antichess",
        "atomic",
        "crazyhouse",
        "horde",
        "kingofthehill",
        "racingkings",
        "threecheck",
    ] {
        starts.push(start(variant.as_bytes(), None));
    }
    starts
}

fn decode(start: &Position, bytes: &[u8], plies: usize) -> Option<Vec<u8>> {
    let (mut line, mut coder) = (CodedLine::new(start.clone()), RangeDecoder::new(bytes));
    let ordinals = (0..plies)
        .map(|_| line.take(&mut coder).ok())
        .collect::<Option<_>>()?;
    coder.finish().ok().map(|()| ordinals)
}

fn encode(start: &Position, ordinals: &[u8]) -> Vec<u8> {
    let (mut line, mut coder) = (CodedLine::new(start.clone()), RangeEncoder::default());
    for &ordinal in ordinals {
        line.put(ordinal, &mut coder).expect("so many moves");
    }
    coder.finish()
}

#[test]
fn shares_fill_the_whole() {
    let mut random = Random::new(1);
    for start in starts() {
        for _ in 0..4 {
            let mut line = CodedLine::new(start.clone());
            let mut coder = RangeEncoder::default();
            for _ in 0..60 {
                let mut shares: Vec<_> = (0..=u8::MAX)
                    .map_while(|ordinal| line.frequency(ordinal))
                    .collect();
                let count = shares.len();
                let legal = (0..=u8::MAX)
                    .take_while(|&ordinal| line.position().select(ordinal).is_some())
                    .count();
                assert_eq!(count, legal);
                if count == 0 {
                    break;
                }
                shares.sort_by_key(|&(_, below, _)| below);
                let mut end = 0;
                for &(frequency, below, total) in &shares {
                    assert!(frequency > 0 && total == shares[0].2);
                    assert_eq!(below, end);
                    end += frequency;
                }
                assert_eq!(end, shares[0].2);
                let ordinal = u8::try_from(random.below(count)).expect("below 256");
                line.put(ordinal, &mut coder).expect("a move");
            }
        }
    }
}

#[test]
fn what_is_coded_comes_back() {
    let mut random = Random::new(2);
    for start in starts() {
        for _ in 0..4 {
            let mut position = start.clone();
            let mut ordinals = Vec::new();
            for _ in 0..60 {
                let count = (0..=u8::MAX)
                    .take_while(|&ordinal| position.select(ordinal).is_some())
                    .count();
                if count == 0 {
                    break;
                }
                let ordinal = u8::try_from(random.below(count)).expect("below 256");
                ordinals.push(ordinal);
                position.play_ordinal(ordinal).expect("a move");
            }
            let bytes = encode(&start, &ordinals);
            let back = decode(&start, &bytes, ordinals.len());
            assert_eq!(back.as_deref(), Some(ordinals.as_slice()));
            // No other bytes are these moves.
            for at in (0..bytes.len()).step_by(3) {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << random.below(8);
                assert_ne!(decode(&start, &changed, ordinals.len()), back);
                assert_ne!(decode(&start, &bytes[..at], ordinals.len()), back);
            }
            for byte in [0, 1, 0x80, 0xff] {
                let longer = [&bytes[..], &[byte]].concat();
                assert_ne!(decode(&start, &longer, ordinals.len()), back);
            }
        }
    }
}

#[test]
fn any_bytes_are_an_error_or_moves() {
    let mut random = Random::new(3);
    let starts = starts();
    let mut decoded = 0;
    for round in 0..3000 {
        let start = &starts[round % starts.len()];
        let bytes: Vec<u8> = (0..random.below(12))
            .map(|_| u8::try_from(random.below(256)).expect("a byte"))
            .collect();
        let plies = random.below(40);
        if let Some(ordinals) = decode(start, &bytes, plies) {
            assert_eq!(encode(start, &ordinals), bytes);
            decoded += 1;
        }
    }
    assert!(decoded > 30, "{decoded}");
}

/// A run of spec/vectors/moves.txt: the lines that are open, and the coder of all of them.
struct Run {
    lines: Vec<CodedLine>,
    /// Before the last move of each.
    before: Vec<CodedLine>,
    coder: RangeEncoder,
    plies: usize,
    /// What was played, to be decoded again.
    script: Vec<Played>,
}

/// What a run does, in order.
enum Played {
    Start(Box<Position>),
    Ordinal(u8),
    Open,
    Close,
}

impl Run {
    fn new() -> Run {
        Run {
            lines: Vec::new(),
            before: Vec::new(),
            coder: RangeEncoder::default(),
            plies: 0,
            script: Vec::new(),
        }
    }

    fn start(&mut self, position: Position) {
        self.script.push(Played::Start(Box::new(position.clone())));
        self.lines = vec![CodedLine::new(position)];
        self.before = self.lines.clone();
    }

    /// `ply UCI PLACE BELOW FREQUENCY TOTAL`.
    fn ply(&mut self, fields: &[&str], line: &str) {
        let now = self.lines.last_mut().expect("a line");
        let position = now.position();
        let ordinal = (0..=u8::MAX)
            .find(|&ordinal| {
                position
                    .select(ordinal)
                    .is_some_and(|m| position.uci(m) == fields[0])
            })
            .unwrap_or_else(|| panic!("no such move: {line}"));
        let (frequency, below, total) = now.frequency(ordinal).expect("a legal move");
        if fields[2] == "-" {
            assert_eq!((frequency, below, total), (1, 0, 1), "{line}");
        } else {
            let shares = [below, frequency, total].map(|n| n.to_string());
            assert_eq!(
                shares.each_ref(),
                [fields[2], fields[3], fields[4]].each_ref(),
                "{line}"
            );
        }
        *self.before.last_mut().expect("a line") = now.clone();
        now.put(ordinal, &mut self.coder).expect("a legal move");
        self.plies += 1;
        self.script.push(Played::Ordinal(ordinal));
    }

    fn open(&mut self) {
        let before = self.before.last().expect("a move").clone();
        self.lines.push(before.clone());
        self.before.push(before);
        self.script.push(Played::Open);
    }

    fn close(&mut self) {
        self.lines.pop();
        self.before.pop();
        self.script.push(Played::Close);
    }

    /// Whether `bytes` are a run of so many of these plies.
    fn decodes(&self, bytes: &[u8], plies: usize) -> bool {
        let mut coder = RangeDecoder::new(bytes);
        let (mut lines, mut before): (Vec<CodedLine>, Vec<CodedLine>) = (Vec::new(), Vec::new());
        let mut done = 0;
        for played in &self.script {
            match played {
                Played::Start(position) => {
                    lines = vec![CodedLine::new((**position).clone())];
                    before = lines.clone();
                }
                Played::Ordinal(_) if done == plies => break,
                Played::Ordinal(ordinal) => {
                    let now = lines.last_mut().expect("a line");
                    *before.last_mut().expect("a line") = now.clone();
                    match now.take(&mut coder) {
                        Ok(taken) if taken == *ordinal => done += 1,
                        _ => return false,
                    }
                }
                Played::Open => {
                    let start = before.last().expect("a move").clone();
                    lines.push(start.clone());
                    before.push(start);
                }
                Played::Close => {
                    lines.pop();
                    before.pop();
                }
            }
        }
        done == plies && coder.finish().is_ok()
    }
}

#[test]
fn vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/spec/vectors/moves.txt");
    let text = std::fs::read_to_string(path).expect("the vectors are in the project");
    let unhex = |hex: &str| {
        (0..hex.len() / 2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex"))
            .collect::<Vec<u8>>()
    };
    let (mut run, mut runs, mut damaged) = (Run::new(), 0, 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        match fields[0] {
            "run" => run = Run::new(),
            "game" => {
                let rules = Rules::from_variant_tag(fields[1].as_bytes()).expect("rules");
                let fen = fields[2..].join(" ");
                run.start(Position::start(rules, Some(fen.as_bytes())).expect("a start"));
            }
            "ply" => run.ply(&fields[1..], line),
            "open" => run.open(),
            "close" => run.close(),
            "coded" => {
                let bytes = unhex(fields[1].trim_matches('-'));
                let coder = std::mem::take(&mut run.coder);
                assert_eq!(coder.finish(), bytes, "{line}");
                assert!(run.decodes(&bytes, run.plies), "{line}");
                runs += 1;
            }
            "damaged" => {
                let plies = fields[2].parse().expect("a number");
                assert!(
                    !run.decodes(&unhex(fields[1].trim_matches('-')), plies),
                    "{line}"
                );
                damaged += 1;
            }
            _ => assert!(line.is_empty() || line.starts_with('#'), "{line}"),
        }
    }
    assert!(runs > 10 && damaged > 5, "{runs} {damaged}");
}

/// Two crates carry a file of spec/, because a package holds only its own folder.
#[test]
fn crates_carry_the_files_of_the_specification() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (folder, name) in [
        ("src/chess/policy", "moves-1.bin"),
        ("src/index/format", "folding.txt"),
    ] {
        let [spec, own] =
            ["spec", folder].map(|folder| std::fs::read(root.join(folder).join(name)).unwrap());
        assert!(spec == own, "{name}");
    }
}
