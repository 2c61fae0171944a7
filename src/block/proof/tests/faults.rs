//! Tests the proof: puts faults, one at a time, between the text and the bytes. [`prove`] must
//! detect each of them.

use crate::cut::{Block, Blocks};
use crate::encode::block::BlockEncoder;
use crate::head::BlockHead;
use crate::layout::{BreakRule, Marks, Newline, Style, WHITE};
use crate::proof::prove::prove;
use crate::small::stored::{BlockForm, put_block, take_block};
use crate::units::{Parsed, count, read_units};
use pgc_pgn::game::{
    Elem, ElemKind, Form, Gap, Mark, ParsedGame, ParsedGames, Spelled, TagSpan, Wholeness,
};
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::records::Marker;
use pgc_pgn::records::private::{EscapeKind, private, put_private, unstuff};
use pgc_pgn::records::reader::{Dialect, Records};
use pgc_pgn::records::record::{Record, put_record, take_record};
use pgc_pgn::source_text::SourceText;
use pgc_pgn::split::UnitKind;

/// Games with everything that a block can hold.
const PGN: &str = r#"[Event "first"]
[Site "Łódź"]
[White "A \"B\""]
[My-Tag "odd"]
% a line among the tags
[Result "1-0"]

1. e4 {[%clk 0:01:00] [%eval 0.17]} e5 {[%clk 0:00:58] [%eval 0.2]} (1... c5 2. Nf3 $14 (2. Nc3 Nc6) 2... d6) 2. Qh5 {why} Nc6 ; so
3. Bc4 Nf6?? {[%clk 0:00:50] [%eval #1]} 4. Qxf7# {[%clk 0:00:49] [%eval #1]} 1-0

[Event "second"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "W"]
[Black "B"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 *

[Event "third"]
[White  "Spaced" ]

1. e4  e5 7. Ng1f3 {odd} Nc6 $1 3. Bb5! +- a6 ( 3... Nf6 4. O-O ) 4. Ba4+ Nf6 {open
5. d3 *} 5. d3 1/2

text outside

[Event "fourth"]
[FEN "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 30"]

30. O-O Kd7 31. Rf7+ Ke6 32. Ke3 what *

1 .e2-e4  e7-e5  2 .Ng1-f3  Nb8-c6  3 .Bf1-b5  a7-a6  4 .Bb5-a4  Ng8-f6  1/2

[Event "sixth"]

1. f3 e5 2. g4 Qh4 0-1

[Event "seventh"]

1. c4 c5 1 - 0

[Event "eighth"]
[Result "1/2-1/2"]

1. c4 c5 ½–½
"#;

/// A block with its games, read.
fn block() -> Block {
    Blocks::new(&mut PGN.as_bytes(), SourceText::Pgn)
        .next_block()
        .unwrap()
        .unwrap()
}

/// Whether the proof detects a fault when `spoil` changes what was read, and `forge` the bytes.
fn is_seen(spoil: &dyn Fn(&mut Vec<Parsed<'_>>), forge: Option<&dyn Fn(&mut Forged)>) -> bool {
    is_seen_in((&block(), SourceText::Pgn), spoil, forge)
}

fn is_seen_in(
    (block, text): (&Block, SourceText),
    spoil: &dyn Fn(&mut Vec<Parsed<'_>>),
    forge: Option<&dyn Fn(&mut Forged)>,
) -> bool {
    let mut games = ParsedGames::in_letters(text.letters());
    let mut parsed = read_units(&mut games, &block.src, &block.units);
    spoil(&mut parsed);
    let counts = count(&parsed);
    let mut bytes = Vec::new();
    let encoder = BlockEncoder::new(&block.src, &parsed, text.letters());
    let slots = put_plain(&mut bytes, encoder, &parsed);
    if let Some(forge) = forge {
        let mut forged = Forged::new(&bytes);
        forge(&mut forged);
        bytes = forged.bytes();
    }
    let proof = prove((block, text), &bytes, &parsed, &slots);
    !proof.holds() || !proof.counts.agree_with(&counts)
}

/// Appends the block, as a plain segment stores it; returns the slots that texts replaced.
fn put_plain(out: &mut Vec<u8>, encoder: BlockEncoder<'_>, parsed: &[Parsed<'_>]) -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    let (mut head, slots) = encoder.put_records(&mut records, 0, parsed, &count(parsed));
    put_block(out, &mut head, &records, BlockForm::Plain);
    slots
}

fn unspoiled(_: &mut Vec<Parsed<'_>>) {}

/// A block whose parts can be changed; its checksums fit the changed parts.
struct Forged {
    head: BlockHead,
    records: Vec<Vec<u8>>,
    /// What is added to the length, and to the checksum, in the head.
    length: i64,
    crc: u32,
    behind: Vec<u8>,
}

impl Forged {
    fn new(bytes: &[u8]) -> Forged {
        let (head, in_block) = take_block(&mut &bytes[..]).unwrap();
        let (mut records, mut rest) = (Vec::new(), Records::new(&in_block, Dialect::Standard));
        loop {
            let begin = rest.rest();
            let Some(record) = rest.next() else { break };
            record.unwrap();
            records.push(begin[..begin.len() - rest.rest().len()].to_vec());
        }
        Forged {
            head,
            records,
            length: 0,
            crc: 0,
            behind: Vec::new(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let records = self.records.concat();
        let mut head = self.head.clone();
        head.crc = crc32fast::hash(&records).wrapping_add(self.crc);
        head.records = (records.len() as u64).wrapping_add_signed(self.length);
        let mut bytes = Vec::new();
        head.put(&mut bytes);
        [bytes, records, self.behind.clone()].concat()
    }

    /// The n-th record (from 0) that begins with this marker.
    fn record(&mut self, marker: Marker, n: usize) -> &mut Vec<u8> {
        self.records
            .iter_mut()
            .filter(|record| record[0] == marker.byte())
            .nth(n)
            .unwrap()
    }

    /// Changes the data of the n-th private escape of a kind.
    fn escape(&mut self, kind: EscapeKind, n: usize, change: impl Fn(&mut Vec<u8>)) {
        let is_kind = |record: &Vec<u8>| {
            record[0] == Marker::Escape.byte()
                && private(&record[3..]).is_some_and(|p| p.kind == kind)
        };
        let record = self
            .records
            .iter_mut()
            .filter(|record| is_kind(record))
            .nth(n)
            .unwrap();
        let mut data = Vec::new();
        unstuff(&mut data, private(&record[3..]).unwrap().data).unwrap();
        change(&mut data);
        record.clear();
        put_private(record, kind, &data);
    }

    /// Where the records of each game begin and end.
    fn games(&self) -> Vec<std::ops::Range<usize>> {
        let (mut games, mut begin) = (Vec::new(), 0);
        for (at, record) in self.records.iter().enumerate() {
            match Marker::from_byte(record[0]) {
                Some(Marker::GameBegin) => begin = at,
                Some(Marker::GameEnd) => games.push(begin..at + 1),
                Some(Marker::ReducedGame) => games.push(at..at + 1),
                _ => {}
            }
        }
        games
    }
}

/// Changes the n-th element of a kind in a game.
fn elem(
    game: usize,
    kind: ElemKind,
    n: usize,
    change: impl Fn(&mut Elem),
) -> impl Fn(&mut Vec<Parsed<'_>>) {
    move |parsed| {
        let game = &mut game_of(parsed, game).game;
        let mut elems = game.elems.to_vec();
        change(
            elems
                .iter_mut()
                .filter(|elem| elem.kind == kind)
                .nth(n)
                .unwrap(),
        );
        set_elems(game, elems);
    }
}

/// Gives a game these elements, and the ordinals of its moves.
fn set_elems(game: &mut ParsedGame<'_>, elems: Vec<Elem>) {
    let moves = elems.iter().filter(|elem| elem.kind == ElemKind::Move);
    let ordinals: Vec<u8> = moves.map(|elem| elem.ordinal).collect();
    (game.elems, game.ordinals) = (elems.leak(), ordinals.leak());
}

/// Takes the n-th element of a kind out of a game.
fn without(game: usize, kind: ElemKind, n: usize) -> impl Fn(&mut Vec<Parsed<'_>>) {
    move |parsed| {
        let game = &mut game_of(parsed, game).game;
        let mut elems = game.elems.to_vec();
        let at = (0..elems.len())
            .filter(|&at| elems[at].kind == kind)
            .nth(n)
            .unwrap();
        elems.remove(at);
        game.tag_elems -= usize::from(at < game.tag_elems);
        set_elems(game, elems);
    }
}

/// Changes the n-th tag pair of a game.
fn tag(game: usize, n: usize, change: impl Fn(&mut TagSpan)) -> impl Fn(&mut Vec<Parsed<'_>>) {
    move |parsed| {
        let game = &mut game_of(parsed, game).game;
        let mut tags = game.tags.to_vec();
        change(&mut tags[n]);
        game.tags = tags.leak();
    }
}

/// The n-th game of the block, text outside games aside.
fn game_of<'p, 'g>(parsed: &'p mut [Parsed<'g>], n: usize) -> &'p mut Parsed<'g> {
    parsed
        .iter_mut()
        .filter(|part| !part.game.elems.is_empty())
        .nth(n)
        .unwrap()
}

/// A canonical move with these check marks, whatever the source spells.
fn canonical(mark: Mark, check: Mark) -> Spelled {
    Spelled::new(Form::Canonical, mark, check)
}

type InjectedFault = (&'static str, Box<dyn Fn(&mut Vec<Parsed<'_>>)>);

/// Faults that the reader of the source can make.
#[rustfmt::skip]
fn of_reading() -> Vec<InjectedFault> {
    let all: Vec<InjectedFault> = vec![
        ("another ordinal", Box::new(elem(1, ElemKind::Move, 2, |elem| elem.ordinal += 1))),
        ("another ordinal of a move that is spelled in its own way", Box::new(elem(2, ElemKind::Move, 2, |elem| elem.ordinal -= 1))),
        ("an ordinal that no move has", Box::new(elem(1, ElemKind::Move, 3, |elem| elem.ordinal = 250))),
        ("another ordinal in a variation", Box::new(elem(0, ElemKind::Move, 3, |elem| elem.ordinal += 1))),
        ("another ordinal in a game whose layout is its text", Box::new(elem(4, ElemKind::Move, 5, |elem| elem.ordinal ^= 1))),
        ("another promotion, castling or piece", Box::new(elem(3, ElemKind::Move, 0, |elem| elem.ordinal += 1))),
        ("a move left out", Box::new(without(1, ElemKind::Move, 3))),
        ("a move left out in the middle", Box::new(without(1, ElemKind::Move, 1))),
        ("a move number believed", Box::new(elem(2, ElemKind::Move, 2, |elem| elem.num = 14))),
        ("a gap that reaches into a move", Box::new(elem(1, ElemKind::Move, 2, |elem| (elem.start, elem.gap) = (elem.start + 1, Gap::Any)))),
        ("two blanks told as one", Box::new(elem(2, ElemKind::Move, 1, |elem| elem.gap = Gap::Blank))),
        ("a move that reaches into a gap", Box::new(elem(1, ElemKind::Move, 2, |elem| elem.end += 1))),
        ("an odd spelling taken for the usual one", Box::new(elem(2, ElemKind::Move, 2, |elem| elem.spelled = canonical(Mark::None, Mark::None)))),
        ("a missing check mark taken for written", Box::new(elem(5, ElemKind::Move, 3, |elem| elem.spelled = canonical(Mark::None, Mark::None)))),
        ("a wrong check mark taken for right", Box::new(elem(2, ElemKind::Move, 8, |elem| elem.spelled = canonical(Mark::Plus, Mark::Plus)))),
        ("a tag name cut off", Box::new(tag(2, 1, |tag| tag.name.end -= 1))),
        ("a tag value cut off", Box::new(tag(1, 4, |tag| tag.value.end -= 1))),
        ("a value that is cut off in a tag pair out of form", Box::new(tag(2, 1, |tag| tag.value.end -= 1))),
        ("a value that begins too soon", Box::new(tag(0, 0, |tag| tag.value.start -= 1))),
        ("a tag pair taken for another", Box::new(|parsed| {
            let game = &mut game_of(parsed, 1).game;
            let mut tags = game.tags.to_vec();
            tags.swap(4, 5);
            game.tags = tags.leak();
        })),
        ("a tag pair left out", Box::new(without(1, ElemKind::Tag, 3))),
        ("the last tag pair left out", Box::new(without(2, ElemKind::Tag, 1))),
        ("a tag pair out of form that is not noted as such", Box::new(|parsed| game_of(parsed, 2).game.odd_tags = false)),
        ("a % line left out", Box::new(without(0, ElemKind::Escape, 0))),
        ("another NAG", Box::new(elem(0, ElemKind::Nag, 0, |elem| elem.num += 1))),
        ("another NAG for a suffix", Box::new(elem(2, ElemKind::Nag, 1, |elem| elem.num = 2))),
        ("a NAG left out", Box::new(without(0, ElemKind::Nag, 0))),
        ("a comment cut off", Box::new(elem(0, ElemKind::Brace, 2, |elem| elem.end -= 1))),
        ("a comment left out", Box::new(without(0, ElemKind::Brace, 2))),
        ("a comment taken for one that is not closed", Box::new(elem(0, ElemKind::Brace, 2, |elem| elem.spelled = Spelled::new(Form::Other, Mark::None, Mark::None)))),
        ("a comment taken for one to the end of the line", Box::new(elem(0, ElemKind::Brace, 2, |elem| elem.kind = ElemKind::Line))),
        ("a comment taken for text", Box::new(elem(0, ElemKind::Brace, 2, |elem| elem.kind = ElemKind::Text))),
        ("a comment taken for the rest of the game", Box::new(elem(0, ElemKind::Brace, 2, |elem| (elem.kind, elem.num) = (ElemKind::Text, 1)))),
        ("a comment to the end of the line taken for text", Box::new(elem(0, ElemKind::Line, 0, |elem| elem.kind = ElemKind::Text))),
        ("a variation that is not opened", Box::new(without(0, ElemKind::RavOpen, 1))),
        ("a variation that is not closed", Box::new(without(0, ElemKind::RavClose, 0))),
        ("a variation opened twice", Box::new(elem(0, ElemKind::RavClose, 0, |elem| elem.kind = ElemKind::RavOpen))),
        ("another terminator", Box::new(elem(0, ElemKind::Terminator, 0, |elem| elem.num = 2))),
        ("another terminator, spelled in its own way", Box::new(elem(2, ElemKind::Terminator, 0, |elem| elem.num = 1))),
        ("another terminator, spelled with blanks", Box::new(elem(6, ElemKind::Terminator, 0, |elem| elem.num = 2))),
        ("a terminator with blanks left out", Box::new(without(6, ElemKind::Terminator, 0))),
        ("another terminator with other signs", Box::new(elem(7, ElemKind::Terminator, 0, |elem| elem.num = 1))),
        ("a terminator with other signs left out", Box::new(without(7, ElemKind::Terminator, 0))),
        ("a terminator left out", Box::new(without(4, ElemKind::Terminator, 0))),
        ("a text tail that is not counted", Box::new(|parsed| game_of(parsed, 3).game.wholeness = Wholeness::Whole)),
        ("a whole game counted as text", Box::new(|parsed| game_of(parsed, 1).game.wholeness = Wholeness::TextOnly)),
        ("the text tail left out", Box::new(without(3, ElemKind::Text, 0))),
        ("what was read of another game", Box::new(|parsed| {
            let other = game_of(parsed, 5).game;
            game_of(parsed, 1).game = other;
        })),
        ("nothing read of a game", Box::new(|parsed| game_of(parsed, 1).game = ParsedGame::default())),
        ("text outside games taken for a game", Box::new(|parsed| {
            let part = parsed.iter_mut().find(|part| matches!(part.unit.kind, UnitKind::Stray(_))).unwrap();
            part.unit.kind = UnitKind::Game;
        })),
        ("a unit left out", Box::new(|parsed| parsed.truncate(1))),
    ];
    all
}

type Forgery = (&'static str, Box<dyn Fn(&mut Forged)>);

fn style(change: impl Fn(&mut Style) + 'static) -> Box<dyn Fn(&mut Forged)> {
    Box::new(move |forged| change(&mut forged.head.style))
}

/// Faults in the head: counts, lengths, checksums, the style, the shapes of comments.
#[rustfmt::skip]
fn of_the_head() -> Vec<Forgery> {
    vec![
        ("the number of another block", Box::new(|forged| forged.head.number += 1)),
        ("another number of games", Box::new(|forged| forged.head.games += 1)),
        ("another number of plies", Box::new(|forged| forged.head.plies -= 1)),
        ("another length of the source", Box::new(|forged| forged.head.source += 1)),
        ("records longer than they are", Box::new(|forged| forged.length = 1)),
        ("records shorter than they are", Box::new(|forged| forged.length = -1)),
        ("another checksum", Box::new(|forged| forged.crc = 1)),
        ("something behind the block", Box::new(|forged| forged.behind = vec![0])),
        ("another newline", style(|style| *style = Style { newline: Newline::CrLf, ..style.clone() })),
        ("the style of another block", style(|style| *style = Style::new(Newline::CrLf))),
        ("Latin-1 for UTF-8, or the reverse", Box::new(|forged| {
            forged.head.style.utf8 ^= true;
            // A value that depends on it.
            let at = forged.records.iter().position(|record| record[0] == Marker::TagPair.byte()).unwrap();
            forged.records[at] = [&[Marker::TagPair.byte(), 5][..], b"Event", &[1, 0xe9]].concat();
        })),
        ("NAGs as numbers, or as suffixes", style(|style| style.suffixes ^= true)),
        ("moves as squares", style(|style| style.squares = true)),
        ("other piece letters", style(|style| style.letters = PieceLetters::named("de"))),
        ("no check marks", style(|style| style.marks = Marks::Never)),
        ("another order of the roster", style(|style| style.roster.swap(4, 5))),
        ("lines that break", style(|style| style.wrap.rule = BreakRule::Width(20))),
        ("another template", style(|style| style.set_template(2, WHITE, b"  #. ").unwrap())),
        ("a template that hides a comment", Box::new(|forged| {
            forged.head.style.set_template(2, WHITE, b" {why} #. ").unwrap();
        })),
        ("no shapes", Box::new(|forged| forged.head.shapes.clear())),
        ("another shape", Box::new(|forged| forged.head.shapes[0].push(b' '))),
    ]
}

/// Faults in the records.
#[rustfmt::skip]
fn of_the_records() -> Vec<Forgery> {
    vec![
        ("two games swapped", Box::new(|forged| {
            let (games, old) = (forged.games(), forged.records.clone());
            let of = |n: usize| &old[games[n].clone()];
            forged.records = [&old[..games[0].start], of(1), of(0), &old[games[1].end..]].concat();
        })),
        ("a game twice", Box::new(|forged| {
            let game = forged.games()[1].clone();
            let again = forged.records[game.clone()].to_vec();
            drop(forged.records.splice(game.end..game.end, again));
        })),
        ("a game missing", Box::new(|forged| drop(forged.records.drain(forged.games()[1].clone())))),
        ("the records of another block", Box::new(|forged| forged.records = Forged::new(&other_block()).records)),
        ("another block altogether", Box::new(|forged| *forged = Forged::new(&other_block()))),
        ("another ordinal", Box::new(|forged| forged.record(Marker::ShortMoves, 0)[2] ^= 1)),
        ("a move more", Box::new(|forged| {
            let moves = forged.record(Marker::ShortMoves, 0);
            moves[1] += 1;
            moves.push(0);
        })),
        ("another NAG", Box::new(|forged| forged.record(Marker::Nag, 0)[1] += 1)),
        ("a NAG behind the next move", Box::new(|forged| {
            let at = forged.records.iter().position(|record| record[0] == Marker::Nag.byte()).unwrap();
            forged.records.swap(at, at + 1);
        })),
        ("a variation that begins later", Box::new(|forged| {
            let at = forged.records.iter().position(|record| record[0] == Marker::RavBegin.byte()).unwrap();
            forged.records.swap(at, at + 1);
        })),
        ("a variation never ended", Box::new(|forged| {
            let at = forged.records.iter().position(|record| record[0] == Marker::RavEnd.byte()).unwrap();
            drop(forged.records.remove(at));
        })),
        ("another value of a tag", Box::new(|forged| *forged.record(Marker::TagPair, 0).last_mut().unwrap() ^= 1)),
        ("another name of a tag", Box::new(|forged| forged.record(Marker::TagPair, 0)[2] ^= 1)),
        ("a record whose true value is another", Box::new(|forged| *forged.record(Marker::TagPair, 1).last_mut().unwrap() ^= 1)),
        ("another true value", Box::new(|forged| forged.escape(EscapeKind::Tags, 0, |data| *data.last_mut().unwrap() ^= 1))),
        ("a true value in another place", Box::new(|forged| forged.escape(EscapeKind::Tags, 0, |data| data[0] += 1))),
        ("true values missing", Box::new(|forged| {
            let is_it = |record: &Vec<u8>| record[0] == Marker::Escape.byte() && record[3..].starts_with(b"pgcT");
            forged.records.retain(|record| !is_it(record));
        })),
        ("values of the roster in another order", Box::new(|forged| {
            let record = forged.record(Marker::ReducedGame, 0);
            let whole = record.clone();
            let Ok(Record::Game { mut str, moves }) = take_record(&mut &whole[..]) else { panic!("no game") };
            str.swap(4, 5);
            let mut out = Vec::new();
            put_record(&mut out, &Record::Game { str, moves }).unwrap();
            *record = out;
        })),
        ("another result in the roster", Box::new(|forged| {
            let record = forged.record(Marker::ReducedGame, 0);
            let star = record.iter().position(|&byte| byte == b'*').unwrap();
            record[star] = b'?';
        })),
        ("a comment in another place", Box::new(|forged| forged.escape(EscapeKind::Annotations, 0, |data| data[1] += 1))),
        ("another field of a comment", Box::new(|forged| forged.escape(EscapeKind::Annotations, 0, |data| data[4] ^= 2))),
        ("another letter of a comment", Box::new(|forged| forged.escape(EscapeKind::Annotations, 0, |data| {
            let at = memchr::memmem::find(data, b"why").unwrap();
            data[at] = b'W';
        }))),
        ("annotations cut off", Box::new(|forged| forged.escape(EscapeKind::Annotations, 0, |data| data.truncate(data.len() - 1)))),
        ("the annotations of another game", Box::new(|forged| {
            let mut other = Vec::new();
            forged.escape(EscapeKind::Annotations, 1, |_| {});
            let is_it = |record: &Vec<u8>| record[0] == Marker::Escape.byte() && record[3..].starts_with(b"pgcA");
            let places: Vec<_> = (0..forged.records.len()).filter(|&at| is_it(&forged.records[at])).collect();
            other.clone_from(&forged.records[places[1]]);
            forged.records[places[0]] = other;
        })),
        ("a slot of the layout in another place", Box::new(|forged| forged.escape(EscapeKind::Layout, 0, |data| data[1] += 2))),
        ("another byte of a slot", Box::new(|forged| forged.escape(EscapeKind::Layout, 0, |data| *data.last_mut().unwrap() ^= 1))),
        ("a layout missing", Box::new(|forged| {
            let is_it = |record: &Vec<u8>| record[0] == Marker::Escape.byte() && record[3..].starts_with(b"pgcL");
            let at = forged.records.iter().position(is_it).unwrap();
            drop(forged.records.remove(at));
        })),
        ("another byte of a layout that is the text", Box::new(|forged| {
            let is_it = |record: &&mut Vec<u8>| record[0] == Marker::Escape.byte() && record[3..].starts_with(b"pgcL\x01");
            forged.records.iter_mut().find(is_it).expect("a layout that is a text")[20] ^= 1;
        })),
        ("a layout that is the text of a game that has none", Box::new(|forged| forged.escape(EscapeKind::Layout, 0, |data| {
            *data = [&[1], &PGN.as_bytes()[..PGN.find("\n[Event \"second\"").unwrap() + 1]].concat();
        }))),
        ("text outside games that claims to go on", Box::new(|forged| forged.escape(EscapeKind::Stray, 0, |data| data[0] = 1))),
        ("another letter of text outside games", Box::new(|forged| forged.escape(EscapeKind::Stray, 0, |data| data[3] ^= 1))),
        ("text outside games stored as a game", Box::new(|forged| {
            let is_it = |record: &&mut Vec<u8>| record[0] == Marker::Escape.byte() && record[3..].starts_with(b"pgcS");
            forged.records.iter_mut().find(is_it).unwrap()[6] = b'P';
        })),
        ("a newline that was not stuffed", Box::new(|forged| {
            let is_it = |record: &&mut Vec<u8>| record[0] == Marker::Escape.byte() && record[3..].starts_with(b"pgcS");
            *forged.records.iter_mut().find(is_it).unwrap().last_mut().unwrap() = b'\n';
        })),
        ("a % line with another letter", Box::new(|forged| forged.records.iter_mut().for_each(|record| {
            if record.ends_with(b"among the tags") { record[5] ^= 1; }
        }))),
        ("the block cut off", Box::new(|forged| drop(forged.records.pop()))),
    ]
}

/// A block of other games, of the same size.
fn other_block() -> Vec<u8> {
    let src = PGN.replace("Nf3", "Nh3").replace("Bc4", "Ba6");
    let block = Blocks::new(&mut src.as_bytes(), SourceText::Pgn)
        .next_block()
        .unwrap()
        .unwrap();
    let mut games = ParsedGames::default();
    let parsed = read_units(&mut games, &block.src, &block.units);
    let mut bytes = Vec::new();
    let encoder = BlockEncoder::new(&block.src, &parsed, None);
    put_plain(&mut bytes, encoder, &parsed);
    bytes
}

#[test]
fn every_fault_between_text_and_bytes_is_seen() {
    assert!(
        !is_seen(&unspoiled, None) && !is_seen(&unspoiled, Some(&|_| {})),
        "the block is right"
    );
    let mut missed = Vec::new();
    let stages = [
        of_reading().len(),
        of_the_head().len(),
        of_the_records().len(),
    ];
    for (name, fault) in of_reading() {
        missed.extend(Some(name).filter(|_| !is_seen(&*fault, None)));
    }
    for (name, forgery) in of_the_head().into_iter().chain(of_the_records()) {
        missed.extend(Some(name).filter(|_| !is_seen(&unspoiled, Some(&*forgery))));
    }
    let [reading, head, records] = stages;
    #[expect(clippy::print_stdout, reason = "shown with --nocapture")]
    {
        println!(
            "faults injected: {reading} in reading, {head} in the head, {records} in the records; missed: {missed:?}"
        );
    }
    assert!(missed.is_empty(), "{missed:?}");
}

/// The games of [`PGN`] in the letters of French; one of the knights keeps its English one.
#[test]
fn every_fault_in_other_letters_is_seen() {
    let mut pgn = PGN.to_owned();
    for (english, french) in [
        ("Nf3 $14", "Cf3 $14"),
        ("Nc3", "Cc3"),
        ("Qh5", "Dh5"),
        ("Nc6 ;", "Cc6 ;"),
        ("2. Nf3 Nc6 *", "2. Cf3 Cc6 *"),
        ("Bc4", "Fc4"),
        ("Nf6", "Cf6"),
        ("Qxf7", "Dxf7"),
        ("Ng1f3", "Cg1f3"),
        ("Bb5", "Fb5"),
        ("Ba4", "Fa4"),
        ("Qh4", "Dh4"),
    ] {
        assert!(pgn.contains(english), "{english}");
        pgn = pgn.replace(english, french);
    }
    pgn.push_str(
        "\n[Event \"seventh\"]\n[FEN \"1n2k3/P7/8/8/8/8/6p1/4K3 w - - 0 1\"]\n\n1. axb8(D)+ rd7 2. Db7+ rd6 3. De4 g1=c *\n",
    );
    let block = Blocks::new(&mut pgn.as_bytes(), SourceText::Pgn)
        .next_block()
        .unwrap()
        .unwrap();
    let french = SourceText::Letters(PieceLetters::named("fr").unwrap());
    let is_seen = |spoil: &dyn Fn(&mut Vec<Parsed<'_>>), forge: Option<&dyn Fn(&mut Forged)>| {
        is_seen_in((&block, french), spoil, forge)
    };
    assert!(!is_seen(&unspoiled, None) && !is_seen(&unspoiled, Some(&|_| {})));
    for (name, fault) in of_reading() {
        assert!(is_seen(&*fault, None), "{name}");
    }
    for (name, forgery) in of_the_head().into_iter().chain(of_the_records()) {
        assert!(is_seen(&unspoiled, Some(&*forgery)), "{name}");
    }
    for letters in [None, PieceLetters::named("es")] {
        let forge = |forged: &mut Forged| forged.head.style.letters = letters;
        assert!(is_seen(&unspoiled, Some(&forge)));
    }
}

#[test]
fn no_byte_of_the_records_can_be_another() {
    let all = Forged::new(&{
        let block = block();
        let mut games = ParsedGames::default();
        let parsed = read_units(&mut games, &block.src, &block.units);
        let mut bytes = Vec::new();
        let encoder = BlockEncoder::new(&block.src, &parsed, None);
        put_plain(&mut bytes, encoder, &parsed);
        bytes
    })
    .records
    .concat();
    for at in 0..all.len() {
        for change in [1, 2, 4, 0x80, 0xff] {
            let forge = |forged: &mut Forged| {
                let mut records = forged.records.concat();
                records[at] ^= change;
                forged.records = vec![records];
            };
            assert!(
                is_seen(&unspoiled, Some(&forge)),
                "byte {at} of {}: ^ {change:#x}",
                all.len()
            );
        }
    }
}
