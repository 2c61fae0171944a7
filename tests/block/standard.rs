//! `pack --standard`: what the records of 1994 hold, and what is lost and said to be (P3).

use std::io::Read;

use pgc::foreign::export::export;
use pgc::pack;
use pgc::{
    Error, ErrorKind, Finding, Hooks, Loss, NoHooks, PackOptions, SegmentForm, Summary,
    UnpackOptions,
};
use pgc_pgn::records::reader::{Dialect, Records};
use pgc_pgn::records::record::{Record, put_moves, put_record};
use proptest::prelude::*;

/// Remembers what it hears.
#[derive(Default)]
struct Heard(Vec<Finding>);

impl Hooks for Heard {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

/// Gives so many bytes a time.
struct Portions<'a>(&'a [u8], usize);

impl Read for Portions<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.len().min(self.1).min(buf.len());
        buf[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

struct Packed {
    bytes: Vec<u8>,
    summary: Summary,
    findings: Vec<Finding>,
}

fn try_pack(
    source: &[u8],
    drops: &[Loss],
    threads: usize,
    portion: usize,
) -> Result<Packed, Error> {
    let options = PackOptions {
        threads,
        form: SegmentForm::Plain,
        standard: Some(drops.to_vec()),
        ..PackOptions::default()
    };
    let (mut bytes, mut heard) = (Vec::new(), Heard::default());
    let summary = pack(
        &mut Portions(source, portion),
        "x.pgn",
        &mut bytes,
        &options,
        &mut heard,
    )?;
    assert_eq!(
        summary.games,
        summary.whole + summary.text_tail + summary.text_only
    );
    assert_eq!(
        (summary.bytes_in, summary.bytes_out),
        (source.len() as u64, bytes.len() as u64)
    );
    for (_, loss) in Loss::ALL {
        let heard = heard
            .0
            .iter()
            .filter(|f| f.what.starts_with(&format!("{}: ", loss.name())))
            .count();
        let counted = summary
            .losses
            .iter()
            .find(|(l, _)| *l == loss)
            .map_or(0, |(_, n)| *n);
        assert_eq!(counted, heard as u64, "{}", loss.name());
    }
    for finding in &heard.0 {
        let at = usize::try_from(finding.offset).unwrap();
        assert_eq!(finding.kind, "loss");
        assert!(source[at..].starts_with(&finding.text), "{finding:?}");
    }
    Ok(Packed {
        bytes,
        summary,
        findings: heard.0,
    })
}

/// With all losses allowed.
fn packed(source: &[u8]) -> Packed {
    try_pack(source, &Loss::ALL.map(|known| known.1), 1, usize::MAX).unwrap()
}

/// Without losses.
fn lossless(source: &[u8]) -> Vec<u8> {
    let packed = packed(source);
    assert!(packed.findings.is_empty(), "{:?}", packed.findings);
    packed.bytes
}

fn exported(stream: &[u8]) -> (Vec<u8>, Summary) {
    let mut out = Vec::new();
    let summary = export(
        &mut &*stream,
        &mut out,
        &UnpackOptions::default(),
        &mut NoHooks,
    )
    .unwrap();
    (out, summary)
}

/// A stream of these records.
fn stream(records: &[Record<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for record in records {
        put_record(&mut out, record).unwrap();
    }
    out
}

/// The losses of a source that allows none: kind, offset, line, column, game, text.
fn losses(source: &[u8]) -> Vec<(&'static str, u64, u64, u64, u64, String)> {
    let packed = packed(source);
    packed
        .findings
        .iter()
        .map(|f| {
            let kind = Loss::ALL
                .into_iter()
                .map(|known| known.1)
                .find(|l| f.what.starts_with(&format!("{}: ", l.name())))
                .unwrap();
            let text = String::from_utf8_lossy(&f.text).into_owned();
            (kind.name(), f.offset, f.line, f.column, f.game, text)
        })
        .collect()
}

fn tag<'a>(name: &'a str, value: &'a [u8]) -> Record<'a> {
    Record::TagPair {
        name: name.as_bytes(),
        value,
    }
}

const ROSTER: &str = "[Event \"E\"]\n[Site \"S\"]\n[Date \"1994.03.12\"]\n[Round \"1\"]\n[White \"W\"]\n[Black \"B\"]\n[Result \"1-0\"]\n";

// Ordinals of first moves: Na3 Nc3 Nf3 Nh3 a3 a4 b3 b4 c3 c4 d3 d4 e3 e4, and Na6 Nc6 Nf6 Nh6 a5 a6
// b5 b6 c5 c6 d5 d6 e5.
const D4: u8 = 11;
const E4: u8 = 13;
const D5: u8 = 10;
const E5: u8 = 12;

#[test]
fn seven_tags_and_moves_are_one_record() {
    let expected = b"\x01\x01E\x01S\x0a1994.03.12\x011\x01W\x01B\x031-0\x02\x00\x0d\x0c";
    assert_eq!(
        lossless(format!("{ROSTER}\n1. e4 e5 1-0\n").as_bytes()),
        expected
    );
    // Order, spelling and layout are no losses; a terminator may be missing.
    let mut lines: Vec<_> = ROSTER.lines().collect();
    lines.reverse();
    let source = format!(
        "\u{feff}{}\r\n\r\n  1.e2-e4   1... e7e5\r\n\r\n\r\n",
        lines.join("\r\n")
    );
    assert_eq!(lossless(source.as_bytes()), expected);
    // What is left decides.
    assert_eq!(
        packed(format!("{ROSTER}\n1. e4 {{x}} e5 1-0\n").as_bytes()).bytes,
        expected
    );
    assert_eq!(
        packed(format!("{ROSTER}[W\u{e9} \"x\"]\n\n1. e4 e5 1-0\n").as_bytes()).bytes,
        expected
    );
    // No moves at all.
    let mut none = expected[..expected.len() - 4].to_vec();
    none.extend([0, 0]);
    assert_eq!(lossless(format!("{ROSTER}\n1-0\n").as_bytes()), none);
}

#[test]
fn other_games_begin_and_end() {
    let source = "[White \"A\\\"B\"]\n[Annotator \"J\u{f6}rg\"]\n[Event \"?\"]\n\n1. e4! (1. d4 d5 (1... e5)) (1. Nf3) e5 $146 2. Ke2 *\n";
    let expected = stream(&[
        Record::GameBegin,
        tag("Event", b"?"),
        tag("White", b"A\"B"),
        tag("Annotator", b"J\xf6rg"),
        Record::ShortMoves(&[E4]),
        Record::Nag(1),
        Record::RavBegin,
        Record::ShortMoves(&[D4, D5]),
        Record::RavBegin,
        Record::ShortMoves(&[E5]),
        Record::RavEnd,
        Record::RavEnd,
        Record::RavBegin,
        Record::ShortMoves(&[2]),
        Record::RavEnd,
        Record::ShortMoves(&[E5]),
        Record::Nag(146),
        Record::ShortMoves(&[5]),
        Record::GameEnd,
    ]);
    assert_eq!(lossless(source.as_bytes()), expected);
    let (text, _) = exported(&expected);
    let text: String = text.iter().map(|&b| char::from(b)).collect();
    let roster = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A\\\"B\"]\n[Black \"?\"]\n[Result \"*\"]\n";
    let play = "1. e4 $1 (1. d4 d5 (1... e5)) (1. Nf3) 1... e5 $146 2. Ke2 *";
    assert_eq!(
        text,
        format!("{roster}[Annotator \"J\u{f6}rg\"]\n\n{play}\n\n")
    );
    assert_eq!(lossless(b""), b"");
    assert_eq!(lossless(b"\xef\xbb\xbf \r\n\r\n"), b"");
}

#[test]
fn the_result_survives() {
    let of =
        |tags: &str, terminator: &str| packed(format!("{tags}\n1. e4 {terminator}\n").as_bytes());
    let result = |packed: &Packed| {
        let (text, _) = exported(&packed.bytes);
        let text = String::from_utf8(text).unwrap();
        let tag = text
            .lines()
            .find_map(|l| l.strip_prefix("[Result \"")?.strip_suffix("\"]"))
            .unwrap()
            .to_owned();
        (
            tag,
            text.trim_end().rsplit(' ').next().unwrap().to_owned(),
            packed.findings.len(),
        )
    };
    let told = |tags, terminator| result(&of(tags, terminator));
    // Without a tag the terminator is the tag.
    assert_eq!(
        told("[Event \"x\"]\n", "0-1"),
        ("0-1".into(), "0-1".into(), 0)
    );
    assert_eq!(told("", "1/2-1/2"), ("1/2-1/2".into(), "1/2-1/2".into(), 0));
    assert_eq!(told("", "*"), ("*".into(), "*".into(), 0));
    assert_eq!(told("", ""), ("*".into(), "*".into(), 0));
    assert_eq!(
        of("", "*").bytes,
        stream(&[
            Record::GameBegin,
            Record::ShortMoves(&[E4]),
            Record::GameEnd
        ])
    );
    // The tag wins.
    assert_eq!(
        told("[Result \"1-0\"]\n", ""),
        ("1-0".into(), "1-0".into(), 0)
    );
    assert_eq!(
        told("[Result \"1-0\"]\n", "0-1"),
        ("1-0".into(), "1-0".into(), 1)
    );
    assert_eq!(
        told("[Result \"1-0\"]\n", "*"),
        ("1-0".into(), "1-0".into(), 1)
    );
    // Another spelling means the same result.
    assert_eq!(
        told("[Result \"1:0\"]\n", "*"),
        ("1-0".into(), "1-0".into(), 1)
    );
    assert_eq!(
        told("[Result \"1:0\"]\n", "1-0"),
        ("1-0".into(), "1-0".into(), 0)
    );
}

/// Kind, text, game.
type Lost<'a> = (&'a str, &'a str, u64);

#[test]
fn every_loss_where_it_is() {
    let long = "y".repeat(256);
    let cases: [(&str, &[Lost<'_>]); 18] = [
        (
            "1. e4 {best by\ntest} e5 ; or not\n*",
            &[
                ("comment", "{best by\ntest}", 1),
                ("comment", "; or not", 1),
            ],
        ),
        (
            "1. e4 N \u{2605} +- =+- e5 *",
            &[("comment", "\u{2605}", 1), ("comment", "=+-", 1)],
        ),
        (
            "[White \"\u{141}\u{f3}d\u{17a}\"]\n\n*",
            &[("character", "\u{141}\u{f3}d\u{17a}", 1)],
        ),
        ("[White \"a\tb\"]\n\n*", &[("character", "a\tb", 1)]),
        ("[White \"\u{e9}\"]\n[Black \"ok?\"]\n\n*", &[]),
        (
            &format!("[White \"{long}\"]\n\n*"),
            &[("long-value", &long[..120], 1)],
        ),
        (
            "[White \"a\"]\n[White \"b\"]\n[Bl-ack \"c\"]\n\n*",
            &[("tag", "White \"b", 1), ("tag", "Bl-ack \"c", 1)],
        ),
        (
            "1. e4 e5 2. Ke3 {lost too} Nc6 *",
            &[("text-tail", "Ke3", 1)],
        ),
        ("1. -- e5 *", &[("text-tail", "--", 1)]),
        (
            "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 e5 *",
            &[("text-tail", "e4 e5", 1)],
        ),
        (
            "1. e4 $255 $256 $99999999999 e5 *",
            &[("nag", "$256", 1), ("nag", "$99999999999", 1)],
        ),
        ("(1. d4) 1. e4 *", &[("stray-text", "(1. d4) 1. e4 *", 0)]),
        (
            "1. e4 (1. Ke3 N) (1. d4 Ke6 2. c4) (1. d4 d5) e5 *",
            &[("rav", "(1. Ke3 N)", 1), ("rav", "Ke6", 1)],
        ),
        (
            "1. e4 e5 *\n\n1. d4 (1... d5) *\n",
            &[("rav", "(1... d5)", 2)],
        ),
        ("[Result \"1-0\"]\n\n1. e4 0-1", &[("result", "0-1", 1)]),
        (
            "[Variant \"Atomic\"]\n\n1. e4 $1 (1. d4) Nf6 {a comment} *",
            &[("variant", "Atomic", 1), ("comment", "{a comment}", 1)],
        ),
        (
            "hello\nthere\n\n[Event \"x\"]\n\n*\n\nbye\n",
            &[("stray-text", "hello", 0), ("stray-text", "bye", 0)],
        ),
        (
            "%one\n[Event \"x\"]\n%two\n[Site \"y\"]\n\n1. e4\n%three\n*\n%four\n%five\n",
            &[
                ("escape", "%one", 1),
                ("escape", "%two", 1),
                ("escape", "%three", 1),
                ("escape", "%four", 0),
            ],
        ),
    ];
    for (source, expected) in cases {
        let mut from = 0;
        let found = losses(source.as_bytes());
        let short: Vec<_> = found
            .iter()
            .map(|(kind, _, _, _, game, text)| (*kind, text.as_str(), *game))
            .collect();
        assert_eq!(short, expected, "{source:?}");
        for (_, offset, line, column, _, text) in &found {
            let at = usize::try_from(*offset).unwrap();
            assert!(at >= from, "{source:?}");
            from = at;
            let before = &source[..at];
            let start = before.rfind('\n').map_or(0, |n| n + 1);
            assert_eq!(
                *line,
                before.matches('\n').count() as u64 + 1,
                "{source:?} {text}"
            );
            // In characters.
            let characters = source[start..at].chars().count();
            assert_eq!(*column, characters as u64 + 1, "{source:?} {text}");
        }
    }
}

#[test]
fn what_is_dropped_leaves_the_rest() {
    let of = |source: &str| packed(source.as_bytes()).bytes;
    let game = |records: &[Record<'_>]| {
        stream(&[&[Record::GameBegin], records, &[Record::GameEnd]].concat())
    };
    assert_eq!(of("1. e4 {x} $1 e5 *"), of("1. e4 $1 e5 *"));
    assert_eq!(
        of("1. e4 e5 2. Ke3 Nc6 *"),
        game(&[Record::ShortMoves(&[E4, E5])])
    );
    assert_eq!(of("1. Ke3 Nc6 1-0"), game(&[tag("Result", b"1-0")]));
    assert_eq!(
        of("1. e4 (1. Ke3 N) (1. d4 Ke6 2. c4) e5 *"),
        game(&[
            Record::ShortMoves(&[E4]),
            Record::RavBegin,
            Record::ShortMoves(&[D4]),
            Record::RavEnd,
            Record::ShortMoves(&[E5])
        ])
    );
    assert_eq!(
        of("[A \"a\tb\"]\n[A \"c\"]\n[\u{e9} \"d\"]\n\n*"),
        game(&[tag("A", b"a?b")])
    );
    let long = "\u{f6}".repeat(300);
    assert_eq!(
        of(&format!("[A \"{long}\"]\n\n*")),
        game(&[tag("A", &[0xf6; 255])])
    );
    assert_eq!(
        of("bla\n\n[A \"b\"]\n%x\n\n*\n%y\n"),
        game(&[tag("A", b"b")])
    );
    // Rules beyond chess: the tags stay, the play goes, and with it what is unreadable in it.
    let variant = game(&[tag("Variant", b"Atomic")]);
    assert_eq!(
        of("[Variant \"Atomic\"]\n\n1. e4 $1 (1. d4) Nf6 $300 {x} (1... --) 2. -- *"),
        variant
    );
    assert_eq!(
        losses(b"[Variant \"Atomic\"]\n\n1. e4 (1. d4 --) Nf6 2. -- *").len(),
        1
    );
    let named = |value: &str| packed(format!("[Variant \"{value}\"]\n\n1. e4 *").as_bytes());
    for value in [
        "Atomic",
        "Chess960",
        "no such rules",
        &(" ".repeat(250) + "standard"),
        "stand\tard",
    ] {
        let packed = named(value);
        assert!(
            packed.summary.losses.contains(&(Loss::Variant, 1)),
            "{value}"
        );
        assert_eq!((packed.summary.plies, packed.summary.text_only), (0, 1));
    }
    for value in ["", "Standard", "From Position", "CHESS"] {
        assert_eq!(
            (named(value).summary.plies, named(value).findings.len()),
            (1, 0),
            "{value}"
        );
    }
    // A tag alone misleads nobody.
    assert!(lossless(b"[Variant \"Atomic\"]\n\n*").ends_with(b"Atomic\x06"));
}

#[test]
fn a_set_up_position() {
    let source = "[Event \"x\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 9\"]\n\n9... Kd7 10. e4 *\n";
    let (text, _) = exported(&lossless(source.as_bytes()));
    assert!(text.ends_with(b"\n\n9... Kd7 10. e4 *\n\n"));
}

#[test]
fn stops_at_the_first_loss() {
    let source = format!(
        "{ROSTER}\n1. e4 {{first}} e5 $300 1-0\n\n{ROSTER}\n1. e4 ({{second}} 1. Ke3) 0-1\n"
    );
    let stop = |drops: &[Loss]| match try_pack(source.as_bytes(), drops, 1, usize::MAX) {
        Err(Error::Loss(finding, loss)) => (
            loss,
            finding.line,
            finding.column,
            finding.game,
            finding.text,
        ),
        other => panic!("{:?}", other.map(|p| p.summary)),
    };
    assert_eq!(stop(&[]), (Loss::Comment, 9, 7, 1, b"{first}".to_vec()));
    assert_eq!(
        stop(&[Loss::Comment]),
        (Loss::Nag, 9, 18, 1, b"$300".to_vec())
    );
    assert_eq!(
        stop(&[Loss::Nag, Loss::Comment]),
        (Loss::Rav, 19, 7, 2, b"({second} 1. Ke3)".to_vec())
    );
    assert_eq!(
        stop(&[Loss::Nag, Loss::Comment, Loss::Rav]),
        (Loss::Result, 19, 25, 2, b"0-1".to_vec())
    );
    let all = try_pack(
        source.as_bytes(),
        &[Loss::Nag, Loss::Comment, Loss::Rav, Loss::Result],
        1,
        7,
    )
    .unwrap();
    let expected = [
        (Loss::Comment, 1),
        (Loss::Nag, 1),
        (Loss::Rav, 1),
        (Loss::Result, 1),
    ];
    assert_eq!(all.summary.losses, expected);
    let error = try_pack(source.as_bytes(), &[], 1, usize::MAX)
        .map(|p| p.summary)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 9, column 7, game 1: comment: has no record: \"{first}\""
    );
    assert_eq!(error.kind(), ErrorKind::Loss);
    assert_eq!(error.place().game, Some(1));
    assert_eq!(error.hint().unwrap(), "allow it with --drop comment");
    let error = try_pack(b"\nhi\n", &[], 1, usize::MAX)
        .map(|p| p.summary)
        .unwrap_err();
    let expected = "line 2, column 1: stray-text: text outside games: \"hi\"";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.place().game, None);
    assert_eq!(error.hint().unwrap(), "allow it with --drop stray-text");
}

#[test]
fn the_same_for_any_threads_and_portions() {
    let game = |n: usize| {
        let comment = if n.is_multiple_of(7) { "{c}" } else { "" };
        let tail = if n.is_multiple_of(11) {
            "2. Ke3"
        } else {
            "2. Nf3"
        };
        format!(
            "{ROSTER}[N{} \"{n}\"]\n\n1. e4 {comment} e5 {tail} 1-0\n\n",
            n % 3
        )
    };
    let source: String = (0..12_000).map(game).collect();
    let one = packed(source.as_bytes());
    assert!(one.summary.bytes_in > 1_000_000);
    for (threads, portion) in [(2, 100_000), (4, 4099), (8, usize::MAX)] {
        let other = try_pack(
            source.as_bytes(),
            &Loss::ALL.map(|known| known.1),
            threads,
            portion,
        )
        .unwrap();
        assert_eq!((&other.bytes, &other.summary), (&one.bytes, &one.summary));
        assert!(
            other
                .findings
                .iter()
                .zip(&one.findings)
                .all(|(a, b)| (a.offset, a.line, a.game) == (b.offset, b.line, b.game))
        );
        let stopped = try_pack(source.as_bytes(), &[Loss::Comment], threads, portion);
        assert!(matches!(stopped, Err(Error::Loss(finding, Loss::TextTail)) if finding.game == 1));
    }
}

#[test]
fn long_games() {
    // Over 65,535 plies there is no 0x01.
    let plies = 0x1_0002;
    let mut moves = String::new();
    let mut ordinals = Vec::new();
    for i in 0..plies / 4 {
        moves.push_str(&format!("{}. Nf3 Nf6 {}. Ng1 Ng8\n", 2 * i + 1, 2 * i + 2));
        ordinals.extend([2, 2]);
        // Na3 Nc3 Nd4 Ne5 Ng1, and for Black Na6 Nc6 Nd5 Ne4 Ng4 Ng8.
        ordinals.extend([4, 5]);
    }
    let tags = ROSTER.replace("1-0", "*");
    let bytes = lossless(format!("{tags}\n{moves}*\n").as_bytes());
    let mut expected = Vec::new();
    put_moves(&mut expected, &ordinals);
    assert_eq!(
        (
            bytes[0],
            &bytes[bytes.len() - 1 - expected.len()..bytes.len() - 1]
        ),
        (0x05, &*expected)
    );
    // Of a game that is too long only the tags are kept.
    let long = format!(
        "[Event \"x\"]\n[Site \"\u{141}\"]\n\n1. e4 {{{}}} e5 *\n",
        "z ".repeat(9 << 20)
    );
    let packed = packed(long.as_bytes());
    let expected = stream(&[
        Record::GameBegin,
        tag("Event", b"x"),
        tag("Site", b"?"),
        Record::GameEnd,
    ]);
    assert_eq!((packed.bytes, packed.summary.text_only), (expected, 1));
    assert_eq!(
        packed.summary.losses,
        [(Loss::Character, 1), (Loss::TextTail, 1)]
    );
    assert_eq!((packed.findings[1].line, packed.findings[1].column), (4, 1));
    let many = format!("[Event \"x\"]\n\n1. e4 {} *\n", "$1 ".repeat((1 << 20) + 1));
    let packed = self::packed(many.as_bytes());
    assert_eq!(
        packed.bytes,
        stream(&[Record::GameBegin, tag("Event", b"x"), Record::GameEnd])
    );
    assert_eq!(packed.summary.losses, [(Loss::TextTail, 1)]);
}

#[test]
fn the_examples_of_the_specification() {
    let spec = include_str!("../../spec/standard.md");
    let mut count = 0;
    for part in spec.split("```pgn\n").skip(1) {
        let (source, rest) = part.split_once("```\n```pgc\n").unwrap();
        let records = rest.split_once("```").unwrap().0;
        let bytes: Vec<u8> = records
            .lines()
            .flat_map(|line| line.split("   ").next().unwrap().split_whitespace())
            .map(|hex| u8::from_str_radix(hex, 16).unwrap())
            .collect();
        assert_eq!(packed(source.as_bytes()).bytes, bytes, "{source}");
        count += 1;
    }
    assert_eq!(count, 4);
    for (_, loss) in Loss::ALL {
        assert!(
            spec.contains(&format!("\n| `{}` | ", loss.name())),
            "{}",
            loss.name()
        );
    }
}

/// Nothing but records of the standard; the export is lossless and comes to rest.
fn hold(source: &[u8]) {
    let first = packed(source);
    let mut records = Records::new(&first.bytes, Dialect::Standard);
    for record in &mut records {
        assert!(!matches!(
            record.unwrap().1,
            Record::Escape(_) | Record::Noop
        ));
    }
    let (text, summary) = exported(&first.bytes);
    assert_eq!(
        (summary.games, summary.whole),
        (first.summary.games, first.summary.games)
    );
    assert_eq!(summary.plies, first.summary.plies);
    if memchr::memmem::find(&text, b"{the Result tag is ").is_some() {
        // What a Result tag says that is no result has no place but a comment.
        assert!(try_pack(&text, &[Loss::Comment], 2, 1000).is_ok());
        return;
    }
    let second = try_pack(&text, &[], 2, 1000)
        .unwrap_or_else(|error| panic!("{error}\n{}", text.escape_ascii()));
    assert_eq!(second.summary.plies, first.summary.plies);
    assert_eq!(exported(&second.bytes).0, text);
    // With all that export format adds the first stream is at rest already.
    let third = try_pack(&text, &[], 1, usize::MAX).unwrap();
    assert_eq!(third.bytes, second.bytes);
    if is_at_rest(&first.bytes) {
        assert_eq!(second.bytes, first.bytes);
    }
}

/// Every game has the seven tags, a Result that means something, and SetUp where it has a FEN.
fn is_at_rest(stream: &[u8]) -> bool {
    let names: &[&[u8]] = &[
        b"Event", b"Site", b"Date", b"Round", b"White", b"Black", b"Result",
    ];
    let (mut found, mut fen, mut set_up) = (7, false, false);
    let mut all = true;
    for record in Records::new(stream, Dialect::Standard) {
        match record.unwrap().1 {
            Record::GameBegin => (found, fen, set_up) = (0, false, false),
            Record::Game { str, .. } => all &= !matches!(str[6], b"" | b"?"),
            Record::TagPair { name, value } => {
                found += usize::from(names.contains(&name));
                all &= name != b"Result" || !matches!(value, b"" | b"?");
                fen |= name == b"FEN";
                set_up |= name == b"SetUp" && value == b"1";
                all &= name != b"SetUp" || value == b"1";
            }
            Record::GameEnd => all &= found == 7 && (set_up || !fen),
            _ => {}
        }
    }
    all
}

#[test]
fn the_export_comes_to_rest() {
    for source in [
        "",
        "[Event \"x\"]\n\n$1 1. e4 $2 ($3 1. d4 $4) e5 1-0",
        "[Event \"x\"]\n[Event \"y\"]\n[Result \"1:0\"]\n\n1. e4 1-0",
        "1. e4 1-0\n1. d4 (1. c4 (1. b4 Ke6) -- ) d5 1/2\n",
        "[Variant \"Atomic\"]\n[FEN \"8/8\"]\n\n1. e4 1-0",
        "[FEN \"8/8\"]\n\n1. e4 {x} 1-0",
        "[A \"\\\\\\\"] [\"]\n[B \"%\"]\n[C \"\"]\n\n*",
    ] {
        hold(source.as_bytes());
        hold(format!("{ROSTER}{source}").as_bytes());
    }
}

fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop_oneof![
        6 => prop::sample::select(vec![
            "1. ", "e4 ", "e5 ", "Nf3 ", "Nc6 ", "d4 ", "d5 ", "Bb5 ", "a6 ", "O-O ", "exd5 ", "Qh5+ ", "Ke3 ", "-- ", "(",
            ") ", "{comment} ", "{open ", "; line\n", "$1 ", "$300 ", "$ ", "! ", "?! ", "+- ", "N ", "\n%line\n", "% no line ",
            "1-0 ", "0-1\n\n", "1/2-1/2 ", "*\n", "\n\n", "\r\n", "prose ", "[", "]", "\u{feff}", "\0",
        ]).prop_map(str::to_owned),
        3 => (
            prop::sample::select(vec!["Event", "Site", "Date", "White", "Result", "FEN", "Variant", "SetUp", "ECO", "a", "\u{e9}", "x-y"]),
            prop::sample::select(vec![
                "", "?", "1-0", "*", "Chess960", "Atomic", "Standard", "J\u{f6}rg", "\u{141}", "a\tb", "q\\\"q\\\\",
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "8/8", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
            ]),
        ).prop_map(|(name, value)| format!("[{name} \"{value}\"]\n")),
        1 => Just(ROSTER.to_owned()),
        1 => Just(format!("[White \"{}\"]\n", "x".repeat(300))),
    ];
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn anything_comes_to_rest(source in fragments()) {
        hold(&source);
    }

    #[test]
    fn any_bytes_give_a_valid_stream(source in prop::collection::vec(any::<u8>(), 0..400)) {
        let packed = packed(&source);
        let (_, summary) = exported(&packed.bytes);
        prop_assert_eq!(summary.games, packed.summary.games);
    }
}
