//! Random documents that look like PGN: legal games, and everything that real files put around and
//! into them.

use pgc_chess::{Check, Position, Rules};

use super::random::Random;

/// How a producer writes; one for each document, changed now and then within it.
#[derive(Clone, Copy)]
struct Hand {
    newline: &'static str,
    after_number: &'static str,
    /// A number again after a comment or a variation.
    number_again: bool,
    width: usize,
    trailing_blank: bool,
    blanks_before_result: usize,
    empty_lines: usize,
    mate: &'static str,
    check: &'static str,
    suffixes: bool,
    bare_rav: bool,
    /// One move in so many is followed by a comment (0: none).
    comments: usize,
    commands: usize,
    ravs: usize,
    /// One token in so many is out of the ordinary (0: none).
    oddities: usize,
    tags: usize,
}

impl Hand {
    fn new(random: &mut Random) -> Hand {
        Hand {
            newline: random.pick(&["\n", "\n", "\n", "\r\n", "\r\n", "\r"]),
            after_number: random.pick(&[" ", " ", "", "  "]),
            number_again: random.once_in(2),
            width: random.pick(&[80, 80, 79, 75, 72, 60, 5, 0, 0]),
            trailing_blank: random.once_in(6),
            blanks_before_result: random.pick(&[1, 1, 1, 2, 0]),
            empty_lines: random.pick(&[1, 1, 1, 0, 2, 3]),
            mate: random.pick(&["#", "#", "++", "+", ""]),
            check: random.pick(&["+", "+", "+", ""]),
            suffixes: random.once_in(2),
            bare_rav: random.once_in(3),
            comments: random.pick(&[0, 1, 2, 5, 20]),
            commands: random.below(6),
            ravs: random.pick(&[0, 0, 5, 15]),
            oddities: random.pick(&[0, 0, 0, 300, 60, 15]),
            tags: random.below(6),
        }
    }
}

/// Play starts, as tags: Variant, FEN.
const STARTS: [(&str, &str); 16] = [
    (
        "",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ),
    (
        "",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ),
    ("From Position", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    (
        "",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R b KQ - 1 8",
    ),
    ("", "8/PPPk4/8/8/8/8/4Kppp/8 b - - 0 57"),
    ("", "4k3/8/8/8/8/8/8/4K2R w K -"),
    (
        "Chess960",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    ),
    (
        "Fischerandom",
        "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1",
    ),
    ("Atomic", ""),
    ("Antichess", ""),
    ("Crazyhouse", ""),
    ("Racing Kings", ""),
    ("Three-check", ""),
    ("King of the Hill", ""),
    ("Horde", ""),
    ("Chess960", ""),
];

/// Starts with which no reader can do anything.
const BAD_STARTS: [(&str, &str); 7] = [
    ("Losers", ""),
    ("", "not a position"),
    ("", "8/8/8/8/8/8/8/8 w - - 0 1"),
    ("", "4k3/8/8/8/8/8/8/P3K3 w - - 0 1"),
    ("Atomic\t", ""),
    ("Horde\u{a0}", ""),
    ("", "4k3/8/8/8/8/8/8/4K2R w K - 0 4294967295"),
];

const TEXTS: [&str; 24] = [
    "",
    " ",
    "a",
    "good move",
    " better is Nf3 ",
    "(e4 e5)",
    "1-0 * [Event \"x\"]",
    "; rest",
    "%\u{e9}",
    "\u{fc}ber \u{e9}chec",
    "\u{421}\u{43f}\u{430}\u{441}\u{441}\u{43a}\u{438}\u{439}",
    "two\nlines",
    "\r\n",
    "tab\there",
    "[%csl Gd4,Re5]",
    "[%cal Gd2d4]",
    "{",
    "\u{0}",
    "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}",
    "\u{a0}",
    "$1 !? ?? ( )",
    "\\\"",
    "pgcH",
    "1. e4 e5",
];

const JUNK: [&str; 26] = [
    "=",
    "+-",
    "-+",
    "+/=",
    "+/-",
    "N",
    "D",
    "TN",
    "...",
    "..",
    "[",
    "]",
    "<x>",
    "\u{b1}",
    "\u{2212}",
    "e.p.",
    "0",
    "12345678901234567890",
    "}",
    ")",
    "1/2",
    "*",
    "Z0",
    "\u{0}",
    "&",
    "---",
];

const UNPLAYABLE: [&str; 10] = [
    "--", "Z0", "null", "Ke9", "Qxh7", "Nd2", "e9", "Rxa1=Q", "@@@@", "pass",
];

const GLYPHS: [&str; 8] = ["$0", "$1", "$7", "$139", "$255", "$256", "$4294967296", "$"];

const NAMES: [&str; 22] = [
    "ECO",
    "WhiteElo",
    "BlackElo",
    "Annotator",
    "PlyCount",
    "EventDate",
    "UTCDate",
    "UTCTime",
    "TimeControl",
    "Termination",
    "Opening",
    "Source-Title",
    "white.elo",
    "\u{c9}v\u{e8}nement",
    "event",
    "a",
    "0",
    "_",
    "pgc",
    "Event:",
    "Result ",
    "Setup",
];

struct Game<'r> {
    random: &'r mut Random,
    hand: Hand,
    out: Vec<u8>,
    /// Where its last line begins.
    line_begin: usize,
    /// What stands in that line, or 0 if the next token follows without a gap.
    column: usize,
}

impl Game<'_> {
    fn raw(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        if let Some(at) = memchr::memrchr2(b'\n', b'\r', text) {
            self.line_begin = self.out.len() - (text.len() - at - 1);
        }
        self.column = self.out.len() - self.line_begin;
    }

    fn newline(&mut self) {
        let newline = if self.odd() {
            self.random.pick(&["\n", "\r\n", "\r", " \n"])
        } else {
            self.hand.newline
        };
        self.raw(newline.as_bytes());
    }

    fn odd(&mut self) -> bool {
        self.hand.oddities > 0 && self.random.once_in(self.hand.oddities)
    }

    /// A token, with what stands before it.
    fn token(&mut self, text: &str) {
        if self.odd() {
            let gap = self
                .random
                .pick(&["", "  ", "\t", "\n", "\n\n", "\r", " \u{b}", "\u{c}", "."]);
            self.raw(gap.as_bytes());
        } else if self.column > 0 {
            if self.hand.width > 0 && self.column + 1 + text.len() >= self.hand.width {
                if self.hand.trailing_blank {
                    self.raw(b" ");
                }
                self.newline();
            } else {
                self.raw(b" ");
            }
        }
        self.raw(text.as_bytes());
    }

    fn tags(&mut self, start: (&str, &str), result: &str) {
        let random = &mut *self.random;
        let mut tags: Vec<(String, String)> = Vec::new();
        let date = format!("{}.{:02}.??", 1850 + random.below(180), random.below(13));
        let white = TEXTS[random.below(14)]
            .replace(['\n', '\r'], "_")
            .replace(['\\', '"'], "");
        for (name, value) in [
            ("Event", "Rated blitz game"),
            ("Site", "?"),
            ("Date", &date),
            ("Round", "-"),
            ("White", &white),
            ("Black", "Deep Thought (2)"),
            ("Result", result),
        ] {
            tags.push((name.into(), value.into()));
        }
        for (name, value) in [("Variant", start.0), ("FEN", start.1)] {
            if !value.is_empty() {
                let at = random.below(tags.len() + 1);
                tags.insert(at, (name.into(), value.into()));
            }
        }
        match self.hand.tags {
            // No tags at all, when the start allows it.
            0 if start == ("", "") && random.once_in(2) => tags.clear(),
            1 => {
                for _ in 0..random.below(5) {
                    let value = if random.once_in(2) {
                        random.below(2800).to_string()
                    } else {
                        "C41".into()
                    };
                    tags.push((random.pick(&NAMES[..11]).into(), value));
                }
            }
            2 => {
                for i in (1..tags.len()).rev() {
                    tags.swap(i, random.below(i + 1));
                }
            }
            3 => {
                for _ in 0..random.below(8) {
                    let value = random
                        .pick(&TEXTS)
                        .replace('\\', "\\\\")
                        .replace('"', "\\\"");
                    tags.insert(
                        random.below(tags.len() + 1),
                        (random.pick(&NAMES).into(), value),
                    );
                }
            }
            4 => {
                let again = tags[random.below(tags.len())].clone();
                let value = if random.once_in(2) {
                    again.1
                } else {
                    random.pick(&TEXTS).replace(['\n', '\r'], "")
                };
                tags.insert(random.below(tags.len() + 1), (again.0, value));
                if random.once_in(3) {
                    tags.remove(random.below(tags.len()));
                }
                if random.once_in(3) {
                    let len = random.pick(&[254, 255, 256, 300, 5000]);
                    tags.push(("Annotator".into(), "\u{e9}".repeat(len)));
                }
            }
            _ => {}
        }
        for (name, value) in tags {
            let odd = self.odd();
            let form = if odd { self.random.below(10) } else { 0 };
            let text = match form {
                1 => format!("[{name} {value}]"),
                2 => format!("[{name} \"{value}\""),
                3 => format!("[ {name}\t\"{value}\" ]"),
                4 => format!("[{name}\"{value}\"]"),
                5 => format!("%pgcH {value}\n[{name} \"{value}\"]"),
                6 => format!("[{name} \"{value}\"][X \"y\"]"),
                7 => format!("[{name} \"say \"hi\" {value}\"]"),
                8 => format!(
                    "%\n%pgc\n% {value}{}[{name} \"{value}\"]",
                    self.hand.newline
                ),
                9 => format!("  [{name} \"\\{value}\\\\\"]  "),
                _ => format!("[{name} \"{value}\"]"),
            };
            // Half of what is not ASCII is Latin-1.
            if form == 0 && self.random.once_in(8) && value.chars().all(|c| u32::from(c) < 256) {
                let latin: Vec<u8> = text
                    .chars()
                    .map(|c| u8::try_from(u32::from(c)).unwrap())
                    .collect();
                self.raw(&latin);
            } else {
                self.raw(text.as_bytes());
            }
            self.newline();
        }
        if !self.odd() {
            self.newline();
        }
        self.column = 0;
    }

    fn time(&mut self) -> String {
        let (h, m, s) = (
            self.random.below(4),
            self.random.below(60),
            self.random.below(60),
        );
        match self.random.below(12) {
            0 => format!("{h}:{m:02}:{s:02}.{}", self.random.below(10)),
            1 => format!("{h:02}:{m:02}:{s:02}"),
            2 => format!("{m}:{s}"),
            3 => format!(
                "{}:{m:02}:{s:02}",
                self.random
                    .pick(&["99999999", "123456789", "010", "", "-1"])
            ),
            _ => format!("{h}:{m:02}:{s:02}"),
        }
    }

    fn eval(&mut self) -> String {
        let n = self.random.below(4000);
        match self.random.below(12) {
            0 => format!("#{}", n % 30),
            1 => format!("#-{}", n % 30),
            2 => format!("{n}"),
            3 => format!("-{}.{}", n / 100, n % 10),
            4 => format!("{}.{:03}", n / 100, n % 1000),
            5 => self
                .random
                .pick(&[
                    "-0.0",
                    "+1.0",
                    "0.3,20",
                    "99999999.99",
                    "-99999999.9",
                    "#99999999",
                    "1e3",
                ])
                .into(),
            _ => format!("{}{}.{:02}", self.random.pick(&["", "-"]), n / 100, n % 100),
        }
    }

    fn comment(&mut self) -> String {
        if self.hand.commands > 0 && !self.random.once_in(6) {
            let (clock, eval) = (self.time(), self.eval());
            let text = self.random.pick(&TEXTS[..6]);
            return match self.hand.commands {
                1 => format!(" [%clk {clock}] "),
                2 => format!(" [%eval {eval}] [%clk {clock}] "),
                3 => format!("[%emt {clock}]"),
                4 => format!("[%emt {eval}]{text}[%clk {clock}]"),
                _ => format!("{text} [%eval {eval}][%clk {clock}] {text}"),
            };
        }
        self.random.pick(&TEXTS).replace('}', "")
    }

    /// What may stand between two moves besides variations. Whether there was anything.
    fn between(&mut self) -> bool {
        let mut any = false;
        if self.random.once_in(12) {
            let glyph = if self.hand.suffixes {
                self.random.pick(&["!", "?", "!!", "??", "!?", "?!"])
            } else {
                self.random.pick(&GLYPHS[..5])
            };
            if self.hand.suffixes && !self.odd() {
                self.raw(glyph.as_bytes());
            } else {
                self.token(glyph);
            }
        }
        if self.hand.comments > 0 && self.random.once_in(self.hand.comments) {
            let comment = format!("{{{}}}", self.comment());
            self.token(&comment);
            any = true;
        }
        if self.odd() {
            any = true;
            match self.random.below(8) {
                0 => {
                    let text = self.random.pick(&TEXTS).replace(['\n', '\r'], "");
                    self.token(&format!(";{text}"));
                    self.newline();
                }
                1 => {
                    self.newline();
                    let text = self.random.pick(&TEXTS).replace(['\n', '\r'], "");
                    let text = format!(
                        "%{}{text}",
                        self.random.pick(&["", "pgc", "pgcH", "pgca", " "])
                    );
                    self.raw(text.as_bytes());
                    self.newline();
                }
                2 => {
                    let text = self.random.pick(&GLYPHS);
                    self.token(text);
                }
                3 => {
                    let comment = format!("{{{}}}", self.comment());
                    self.token(&comment);
                }
                4 => {
                    let text = self.random.pick(&[
                        "(",
                        "()",
                        "({x})",
                        "(--)",
                        "(zz (y) x)",
                        "(1-0)",
                        "(;x\n)",
                    ]);
                    self.token(text);
                }
                _ => {
                    let text = self.random.pick(&JUNK);
                    self.token(text);
                }
            }
        }
        any
    }

    fn spelled(&mut self, san: &str) -> String {
        match self.random.below(9) {
            0 => san.replace('O', "0"),
            1 => san.replace('x', ""),
            2 => san.replace('=', ""),
            3 => san.to_lowercase(),
            4 => format!("{san}+"),
            5 => san.replace('x', ":"),
            6 => format!("{san}e.p."),
            7 => san.replace('=', "(") + ")",
            _ => format!("{san}#"),
        }
    }

    /// A line of play; `depth` bounds variations in variations.
    fn line(&mut self, start: &Position, plies: usize, depth: usize) {
        let mut now = start.clone();
        let mut number = true;
        for _ in 0..plies {
            let Some(m) = (0..8)
                .map(|_| u8::try_from(self.random.below(50)).unwrap())
                .chain(std::iter::once(0))
                .find_map(|ordinal| now.select(ordinal))
            else {
                return;
            };
            if now.white_to_move() || number {
                let dots = if now.white_to_move() { "." } else { "..." };
                let number = format!("{}{dots}", now.fullmoves());
                let token = if self.hand.after_number.is_empty() {
                    number
                } else {
                    number + self.hand.after_number
                };
                self.token(token.trim_end());
                let rest = token.len() - token.trim_end().len();
                self.raw(" ".repeat(rest.saturating_sub(1)).as_bytes());
                if rest == 0 {
                    self.column = 0;
                }
            }
            let san = String::from_utf8_lossy(now.san(m).as_bytes()).into_owned();
            let before = now.clone();
            now.play(m);
            let mark = match now.check() {
                Check::None => "",
                Check::Check => self.hand.check,
                Check::Mate => self.hand.mate,
            };
            let mut text = format!("{san}{mark}");
            if self.odd() {
                text = self.spelled(&san);
            }
            self.token(&text);
            if self.odd() && self.random.once_in(3) {
                let text = self.random.pick(&UNPLAYABLE);
                self.token(text);
            }
            number = self.between() && self.hand.number_again;
            while self.hand.ravs > 0 && depth < 6 && self.random.once_in(self.hand.ravs) {
                let plies = 1 + self.random.below(8);
                let bare = self.hand.bare_rav;
                self.token("(");
                if bare {
                    self.column = 0;
                }
                if self.odd() {
                    let _ = self.between();
                }
                self.line(&before, plies, depth + 1);
                if !bare || self.odd() {
                    self.token(")");
                } else if !self.odd() {
                    self.raw(b")");
                }
                number = self.hand.number_again;
                if self.random.once_in(4) {
                    let _ = self.between();
                }
            }
        }
    }

    fn game(&mut self) {
        let (mut start, mut tagged) = (Some(Position::initial()), ("", ""));
        if self.random.once_in(6) {
            tagged = self.random.pick(&STARTS);
            let rules = Rules::from_variant_tag(tagged.0.as_bytes()).unwrap();
            let fen = Some(tagged.1.as_bytes()).filter(|fen| !fen.is_empty());
            start = Position::start(rules, fen).ok();
        } else if self.random.once_in(40) {
            tagged = self.random.pick(&BAD_STARTS);
        }
        let result = self.random.pick(&["1-0", "0-1", "1/2-1/2", "*"]);
        let told = if self.random.once_in(20) {
            "1-0"
        } else {
            result
        };
        self.tags(tagged, told);
        if self.hand.comments > 0 && self.random.once_in(10) {
            let _ = self.between();
        }
        let plies = match self.random.below(12) {
            0 => 0,
            1 => 300,
            _ => self.random.below(90),
        };
        self.line(&start.unwrap_or_else(Position::initial), plies, 0);
        match self
            .random
            .below(if self.hand.oddities > 0 { 12 } else { 1 })
        {
            1 => {}
            2 => self.token("{ never closed"),
            3 => self.token("(1. e4"),
            _ => {
                let token = format!(
                    "{}{result}",
                    " ".repeat(self.hand.blanks_before_result.saturating_sub(1))
                );
                self.token(&token);
            }
        }
        for _ in 0..=self.hand.empty_lines {
            self.newline();
        }
        if self.odd() {
            let text = self.random.pick(&[
                "Some words between games.\n",
                "\n\n\n",
                "% a line\n",
                "1\n",
                "\u{feff}",
                "\u{0}\u{0}\u{0}",
                "Game 12, played in\n\n",
                "[",
                "[not a tag]\n",
            ]);
            self.raw(text.as_bytes());
        }
    }
}

/// A document of so many games.
pub(crate) fn document(random: &mut Random, games: usize) -> Vec<u8> {
    let hand = Hand::new(random);
    let mut game = Game {
        random,
        hand,
        out: Vec::new(),
        line_begin: 0,
        column: 0,
    };
    if game.random.once_in(12) {
        game.raw("\u{feff}".as_bytes());
    }
    for _ in 0..games {
        game.game();
        if game.random.once_in(30) {
            game.hand = Hand::new(game.random);
        }
    }
    // The last line is often not finished.
    if game.random.once_in(4) {
        let len = game.out.len().saturating_sub(game.random.below(8));
        game.out.truncate(len);
    }
    game.out
}

/// Bytes that mean something to a reader of PGN.
const SPLICES: [&[u8]; 30] = [
    b"{",
    b"}",
    b"(",
    b")",
    b";",
    b"%",
    b"\n",
    b"\r",
    b"\r\n",
    b"[Event \"x\"]\n",
    b"*",
    b"1-0",
    b"1/2-1/2",
    b"\"",
    b"\\",
    b"$300",
    b"!",
    b"--",
    b"e4",
    b"\n\n",
    b"\n%pgcE\n",
    b"\xef\xbb\xbf",
    b"\0",
    b"]",
    b"1.",
    b" ",
    b"\xfa\xfd\xfe\x0a",
    b"[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]",
    b"[Variant \"Atomic\"]",
    b"\n\n[A \"1\"]\n[B \"2\"]\n[C \"3\"]\n",
];

/// Something small goes wrong with `bytes`.
pub(crate) fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    let len = random.pick(&[1, 1, 2, 8, 40, 400]);
    let end = (at + random.below(len + 1)).min(bytes.len());
    match random.below(6) {
        0 => drop(bytes.drain(at..end)),
        1 => {
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            drop(bytes.splice(to..to, piece));
        }
        2 if at < bytes.len() => bytes[at] = random.byte(),
        3 => bytes.truncate(at.max(bytes.len() / 2)),
        _ => {
            let splice = random.pick(&SPLICES);
            drop(bytes.splice(at..at, splice.iter().copied()));
        }
    }
}
