//! The text of a game that is a line of EPD (spec/extension.md 9.6).

use crate::decode::game::{Decoded, RenderFault};
use crate::style::Style;
use pgc_pgn::epd::source::{put_pgn, put_said};
use pgc_pgn::game::ElemKind;

/// Appends the line of a game. Fails if that makes `out` longer than `limit` bytes.
pub(crate) fn render_line(
    out: &mut Vec<u8>,
    game: &Decoded,
    style: &Style,
    limit: usize,
) -> Result<(), RenderFault> {
    let is_tag = |kind| matches!(kind, ElemKind::Tag | ElemKind::Terminator);
    if !game.elems.iter().all(|elem| is_tag(elem.kind)) {
        return Err(("game", "of EPD has more than tag pairs".into()));
    }
    match game.layout.as_deref() {
        None => put_said(out, game.tag_pairs(), style.newline.bytes())
            .ok_or_else(|| ("game", "of EPD has no tags FEN and EPD".into()))?,
        Some([1, text @ ..]) => out.extend_from_slice(text),
        Some(_) => return Err(("layout (L)", "of an unknown kind".into())),
    }
    match out.len() > limit {
        true => Err(("block", "gives more text than its head says".into())),
        false => Ok(()),
    }
}

/// Appends a game of a block of EPD as PGN.
pub fn put_as_pgn(out: &mut Vec<u8>, game: &Decoded) {
    put_pgn(out, game.tag_pairs());
}
