//! Tests the proof of blocks of EPD, as `faults.rs` does for games.

use crate::cut::{Block, Blocks};
use crate::encode::block::BlockEncoder;
use crate::encode::lines::EpdBlock;
use crate::head::BlockHead;
use crate::layout::Newline;
use crate::proof::prove::prove;
use crate::small::stored::{BlockForm, put_block, take_block};
use crate::units::{Parsed, count, read_units};
use pgc_pgn::game::{ParsedGame, ParsedGames, TagSpan, Wholeness};
use pgc_pgn::source_text::SourceText;
use pgc_pgn::split::UnitKind;

const EPD: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; eco \"A00\"; id \"first\";\n\
    no epd\n\
    4k3/8/8/8/8/8/4P3/4K3  w - - fmvn 7; id \"blanks\";\n\
    4k3/8/8/8/8/8/4P3/4K3 b - - v0 \"\u{141}\";";

/// A fault changes the block that was read, or what was read of its PGN; a forgery changes the
/// bytes.
type LineFault = dyn Fn(&mut EpdBlock, &mut Vec<Parsed<'_>>);
type LineForgery = dyn Fn(&mut BlockHead, &mut Vec<u8>);

fn is_seen(
    spoil: &dyn Fn(&mut EpdBlock, &mut Vec<Parsed<'_>>),
    forge: &dyn Fn(&mut BlockHead, &mut Vec<u8>),
    form: BlockForm,
) -> bool {
    let mut source = EPD.as_bytes();
    let mut block: Block = Blocks::new(&mut source, SourceText::Epd)
        .next_block()
        .unwrap()
        .unwrap();
    let mut read = EpdBlock::read(&mut block);
    let mut games = ParsedGames::default();
    let pgn = read.pgn.src.clone();
    let mut parsed = read_units(&mut games, &pgn, &read.pgn.units);
    spoil(&mut read, &mut parsed);
    let counts = count(&parsed);
    let encoder = BlockEncoder::from_epd(&block, &read, &parsed);
    let (mut records, mut bytes) = (Vec::new(), Vec::new());
    let (mut head, texts) = encoder.put_records(&mut records, 0, &parsed, &counts);
    forge(&mut head, &mut records);
    head.crc = crc32fast::hash(&records);
    head.records = records.len() as u64;
    put_block(&mut bytes, &mut head, &records, form);
    let proof = prove((&block, SourceText::Epd), &bytes, &parsed, &texts);
    !proof.holds() || !proof.counts.agree_with(&counts)
}

/// Changes a tag of a game.
fn tag(game: usize, tag: usize, change: impl Fn(&mut TagSpan) + 'static) -> Box<LineFault> {
    Box::new(move |_, parsed| {
        let games = parsed
            .iter_mut()
            .filter(|part| part.unit.kind == UnitKind::Game);
        let part = { games }.nth(game).unwrap();
        let mut tags = part.game.tags.to_vec();
        change(&mut tags[tag]);
        part.game.tags = tags.leak();
    })
}

/// Leaves out the first element, or the last one.
fn without(first: bool) -> Box<LineFault> {
    Box::new(move |_, parsed| {
        let game = &mut parsed[0].game;
        match first {
            true => (game.elems, game.tag_elems) = (&game.elems[1..], game.tag_elems - 1),
            false => game.elems = &game.elems[..game.elems.len() - 1],
        }
    })
}

#[test]
fn every_fault_between_lines_and_bytes_is_seen() {
    let nothing: (&LineFault, &LineForgery) = (&|_, _| {}, &|_, _| {});
    let faults: Vec<(&str, Box<LineFault>)> = vec![
        ("a result", tag(0, 0, |tag| tag.value.end -= 1)),
        (
            "an opening code cut off",
            tag(0, 1, |tag| tag.value.end -= 1),
        ),
        ("operations cut off", tag(0, 2, |tag| tag.value.end -= 1)),
        ("a counter cut off", tag(0, 3, |tag| tag.value.end -= 1)),
        (
            "a counter of a line kept as text",
            tag(1, 2, |tag| tag.value.end -= 1),
        ),
        (
            "operations of a line kept as text",
            tag(1, 1, |tag| tag.value.start += 1),
        ),
        ("a name of a tag", tag(0, 1, |tag| tag.name.end -= 1)),
        (
            "an opening in another encoding",
            tag(2, 3, |tag| tag.value.end -= 1),
        ),
        ("a tag left out", without(true)),
        ("the terminator left out", without(false)),
        (
            "a line taken for one as usual",
            Box::new(|read, _| read.is_said[2] = true),
        ),
        (
            "a last line taken for one with an end",
            Box::new(|read, _| read.is_said[3] = true),
        ),
        (
            "another line end",
            Box::new(|read, _| read.newline = Newline::CrLf),
        ),
        (
            "what was read of another line",
            Box::new(|_, parsed| parsed[0].game = parsed[3].game),
        ),
        (
            "nothing read of a line",
            Box::new(|_, parsed| parsed[0].game = ParsedGame::default()),
        ),
        (
            "a line counted as text",
            Box::new(|_, parsed| {
                parsed[0].game.wholeness = Wholeness::TextOnly;
            }),
        ),
        (
            "text taken for a line",
            Box::new(|_, parsed| {
                parsed[1].unit.kind = UnitKind::Game;
            }),
        ),
        ("a unit left out", Box::new(|_, parsed| parsed.truncate(3))),
    ];
    for form in [BlockForm::Plain, BlockForm::Coded] {
        assert!(!is_seen(nothing.0, nothing.1, form), "the block is right");
        for (name, fault) in &faults {
            assert!(is_seen(fault, nothing.1, form), "{name}");
        }
        let forgeries: [(&str, &LineForgery); 4] = [
            ("a block of PGN", &|head, _| head.style.epd = false),
            ("another length", &|head, _| head.source += 1),
            ("another number of games", &|head, _| head.games += 1),
            ("the newline", &|head, _| head.style.newline = Newline::Cr),
        ];
        for (name, forge) in forgeries {
            assert!(is_seen(nothing.0, forge, form), "{name}");
        }
    }
}

#[test]
fn a_line_kept_as_text_is_right_too() {
    let as_text: &LineFault = &|_, parsed| {
        parsed[2].unit.kind = UnitKind::Piece(false);
        parsed[2].game = ParsedGame {
            wholeness: Wholeness::TextOnly,
            ..ParsedGame::default()
        };
    };
    assert!(!is_seen(as_text, &|_, _| {}, BlockForm::Plain));
}

#[test]
fn no_byte_of_the_records_of_lines_can_be_another() {
    for at in 0..1 << 12 {
        let mut is_there = true;
        for change in [1, 2, 4, 0x80, 0xff] {
            let there = std::cell::Cell::new(true);
            let forge = |_: &mut BlockHead, records: &mut Vec<u8>| match records.get_mut(at) {
                Some(byte) => *byte ^= change,
                None => there.set(false),
            };
            let seen = is_seen(&|_, _| {}, &forge, BlockForm::Plain);
            is_there = there.get();
            assert!(seen == is_there, "byte {at} ^ {change:#x}");
        }
        if !is_there {
            assert!(at > 300, "{at} bytes");
            return;
        }
    }
    panic!("not all bytes were changed");
}

/// Other readers find the mark of EPD in the head of a whole block.
#[test]
fn the_head_says_that_it_is_epd() {
    let mut source = EPD.as_bytes();
    let mut block = Blocks::new(&mut source, SourceText::Epd)
        .next_block()
        .unwrap()
        .unwrap();
    let read = EpdBlock::read(&mut block);
    let mut games = ParsedGames::default();
    let parsed = read_units(&mut games, &read.pgn.src, &read.pgn.units);
    let encoder = BlockEncoder::from_epd(&block, &read, &parsed);
    let (mut records, mut bytes) = (Vec::new(), Vec::new());
    let (mut head, _) = encoder.put_records(&mut records, 0, &parsed, &count(&parsed));
    put_block(&mut bytes, &mut head, &records, BlockForm::Plain);
    let (head, _) = take_block(&mut bytes.as_slice()).unwrap();
    assert!(head.style.epd && head.style.utf8 && head.source == EPD.len() as u64);
}
