//! Writes games of pgc's archives in export format: `unpack --export`.

use crate::foreign::game::{GameExport, PlayError};
use crate::foreign::loose::{LoosePart, LooseParts};
use crate::foreign::signs::Sign;
use pgc_block::decode::game::{Decoded, RenderFault};
use pgc_pgn::game::{ElemKind, ParsedGame};
use pgc_pgn::writer::{Termination, Text};

/// Whether the exporter can hold back the tag pairs of this game until it has seen them all. If
/// not, the game is exported as text.
pub(crate) fn has_room(game: &ParsedGame<'_>) -> bool {
    let tags = game.tags.iter();
    GameExport::holds(tags.map(|tag| tag.name.len() + tag.value.len()))
}

/// Appends a game. Both kinds of comments become brace comments, and text that is not chess is
/// passed to the writer as text. `signs` are further signs, each with the number of the element
/// that it precedes.
pub(crate) fn export_game(
    export: &mut GameExport,
    game: &Decoded,
    signs: &[(usize, Sign<'_>)],
) -> Result<(), RenderFault> {
    export.begin();
    let known = export_elems(export, &game.text, &game.game(), signs)?;
    export.end(known);
    Ok(())
}

/// Appends the elements of a game that has begun, and does not end it; returns its terminator.
pub(crate) fn export_elems(
    export: &mut GameExport,
    text: &[u8],
    game: &ParsedGame<'_>,
    signs: &[(usize, Sign<'_>)],
) -> Result<Option<Termination>, RenderFault> {
    let fault = |item: &'static str| move |error: PlayError| (item, error.to_string());
    let mut known = None;
    let mut tags = game.tag_pairs(text);
    let mut tag_section = game.elems[..game.tag_elems].iter();
    let first_tag = tag_section.position(|elem| elem.kind == ElemKind::Tag);
    let first_tag = first_tag.unwrap_or(0);
    let mut signs = signs.iter().peekable();
    for (at, elem) in game.elems.iter().enumerate() {
        while let Some((_, sign)) = signs.next_if(|sign| sign.0 == at) {
            put_sign(export, *sign);
        }
        let inner = || Text::of(&text[elem.inner()]);
        match elem.kind {
            ElemKind::Tag => {
                if let Some((name, value)) = tags.next() {
                    let put = export.tag(Text::of(name), Text::of(&value));
                    put.map_err(fault("tag-pair"))?;
                }
            }
            ElemKind::Escape if at < first_tag => export.escape_before(inner()),
            ElemKind::Escape => export.escape(inner()),
            ElemKind::Move => {
                let put = export.moves(&[elem.ordinal]);
                put.map_err(fault("move ordinal"))?;
            }
            ElemKind::Null => export.null_move(),
            ElemKind::Nag => export.glyph(elem.num),
            ElemKind::Brace | ElemKind::Line => export.comment(inner()),
            ElemKind::RavOpen => export.rav_begin().map_err(fault("rav-begin"))?,
            ElemKind::RavClose => export.rav_end().map_err(fault("rav-end"))?,
            ElemKind::Text => export.text(Text::of(&text[elem.span()])),
            ElemKind::Terminator => {
                let number = u8::try_from(elem.num).ok();
                known = number.and_then(Termination::from_number);
            }
        }
    }
    signs.for_each(|(_, sign)| put_sign(export, *sign));
    Ok(known)
}

fn put_sign(export: &mut GameExport, sign: Sign<'_>) {
    match sign {
        Sign::Nag(nag) => export.nag(nag),
        Sign::Comment(sign) => export.comment(Text::of(sign)),
    }
}

/// Appends the `%` lines of a text outside games, which keep their place; the rest is left out. A
/// `%` at its beginning counts as one at the beginning of a line.
pub(crate) fn export_loose(export: &mut GameExport, raw: &[u8], continues: bool) {
    for (part, span) in LooseParts::new(raw, !continues) {
        if part == LoosePart::Escape {
            export.escape(Text::of(&raw[span][1..]));
        }
    }
}

/// Appends the available text of a game kept as text.
pub(crate) fn export_text(export: &mut GameExport, raw: &[u8]) {
    export.begin();
    export.text(Text::of(raw));
    export.end(None);
}

/// Appends a piece of a game kept as text, and leaves the game open. `is_first`: it is the first
/// piece.
pub(crate) fn export_piece(export: &mut GameExport, raw: &[u8], is_first: bool) {
    if is_first {
        export.begin();
    }
    export.text(Text::of(raw));
}
