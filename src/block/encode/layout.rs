//! Makes the layout escapes of a block: the slots that its style predicts wrongly
//! (spec/extension.md section 9).

use crate::encode::gaps::GapChecker;
use crate::layout::{Style, put_nag};
use crate::num::{put_num, put_str};
use crate::tag_value::terminator_text;
use pgc_pgn::game::{Elem, ElemKind, Form, ParsedGame, Spelled, Spellings, TagSpan};
use pgc_pgn::tag::{put_tag_pair, unescape};

/// Makes the layouts of the games of a block.
#[derive(Debug)]
pub(crate) struct Layouts {
    pub style: Style,
    plain: Plain,
    /// The slots of the game taken last.
    slots: Vec<u8>,
    /// A buffer, kept for its memory.
    spelling: Vec<u8>,
}

impl Layouts {
    pub(crate) fn new(style: Style) -> Layouts {
        Layouts {
            plain: Plain::new(&style),
            style,
            slots: Vec::new(),
            spelling: Vec::new(),
        }
    }

    /// The slots of a game that the style predicts wrongly.
    pub(crate) fn take(&mut self, src: &[u8], game: &ParsedGame<'_>) -> &[u8] {
        self.slots.clear();
        let mut last_slot = 0;
        let mut add = |slot: usize, bytes: &[u8]| {
            put_num(&mut self.slots, (slot - last_slot) as u64);
            put_str(&mut self.slots, bytes);
            last_slot = slot;
        };
        let mut plain = self.plain;
        if game.odd_tags {
            // None of them is obviously as predicted.
            plain.0[ElemKind::Tag as usize] = Spellings::default();
        }
        let mut check = GapChecker::new(&self.style, src);
        let mut i = 0;
        loop {
            i = check.skip(game.elems, i, |elem| plain.contains(elem));
            let Some(elem) = game.elems.get(i) else { break };
            let at = check.at;
            let buffer = &mut self.spelling;
            if !plain.contains(elem) && !is_made(buffer, elem, &self.style, src, game) {
                add(2 * i, &src[elem.span()]);
            }
            i += 1;
            if !check.gap(elem, &game.elems[i..]) {
                add(2 * i - 1, &src[at..elem.start as usize]);
            }
        }
        if !check.end() {
            add(2 * i, &src[check.at..]);
        }
        &self.slots
    }
}

/// The number of kinds of elements; null moves are none in a block.
const KINDS: usize = ElemKind::Terminator as usize + 1;

/// For each kind of element, the spellings that are obviously as the style predicts.
#[derive(Clone, Copy, Debug)]
struct Plain([Spellings; KINDS]);

impl Plain {
    fn new(style: &Style) -> Plain {
        let form = match style.squares {
            true => Form::Squares,
            false => Form::Canonical,
        };
        let mut plain = Plain([Spellings::ALL; KINDS]);
        plain.0[ElemKind::Move as usize] =
            Spellings::matching(|s| s.form() == form && s.mark() == style.marks.written(s.check()));
        for kind in [ElemKind::Brace, ElemKind::RavClose] {
            plain.0[kind as usize] = Spellings::matching(|spelled| spelled == Spelled::default());
        }
        for kind in [ElemKind::Terminator, ElemKind::Nag] {
            plain.0[kind as usize] = Spellings::default();
        }
        plain
    }

    #[inline(always)]
    fn contains(&self, elem: &Elem) -> bool {
        self.0[elem.kind as usize].contains(elem.spelled)
    }
}

/// Whether the style makes this spelling of an element, which is not plain. `made` is a buffer.
fn is_made(
    made: &mut Vec<u8>,
    elem: &Elem,
    style: &Style,
    src: &[u8],
    game: &ParsedGame<'_>,
) -> bool {
    made.clear();
    match elem.kind {
        ElemKind::Tag => {
            let TagSpan { name, value } = game.tags[elem.num as usize].clone();
            put_tag_pair(made, &src[name], &unescape(&src[value]));
        }
        ElemKind::Nag => put_nag(made, style.suffixes, elem.num),
        ElemKind::Terminator => made.extend_from_slice(terminator_text(elem.num)),
        _ => return false,
    }
    *made == src[elem.span()]
}
