//! Our own games in export format: `unpack --export`.

use super::decode::Decoded;
use super::export::GameExport;
use super::render::Fault;
use super::signs::Sign;
use crate::pgn::game::Kind;
use crate::pgn::writer::{Termination, Text};

/// Appends a game. Comments of both kinds become brace comments, text that is not chess becomes
/// what the writer makes of text. `signs`: what else stands in it, each before the item of this
/// number.
pub(super) fn export_game(
    export: &mut GameExport,
    unit: &Decoded,
    signs: &[(usize, Sign<'_>)],
) -> Result<(), Fault> {
    let fault =
        |item: &'static str| move |error: super::export::PlayError| (item, error.to_string());
    let mut known = None;
    let mut signs = signs.iter().peekable();
    export.begin();
    for (at, item) in unit.items.iter().enumerate() {
        while let Some((_, sign)) = signs.next_if(|sign| sign.0 == at) {
            put_sign(export, *sign);
        }
        match item.kind {
            Kind::Tag => export
                .tag(unit.name(item), Text::of(unit.text(item)))
                .map_err(fault("tag-pair"))?,
            Kind::Escape => export.escape(Text::of(unit.text(item))),
            Kind::Move => export
                .moves(&[item.ordinal])
                .map_err(fault("move ordinal"))?,
            Kind::Nag => match u8::try_from(item.num) {
                Ok(nag) => export.nag(nag),
                Err(_) => export.comment(Text::Utf8(&format!("${}", item.num))),
            },
            Kind::Brace | Kind::Line => export.comment(Text::of(unit.text(item))),
            Kind::RavOpen => export.rav_begin().map_err(fault("rav-begin"))?,
            Kind::RavClose => export.rav_end().map_err(fault("rav-end"))?,
            Kind::Text => export.text(Text::of(unit.text(item))),
            Kind::Terminator => {
                known = u8::try_from(item.num)
                    .ok()
                    .and_then(Termination::from_number)
            }
        }
    }
    signs.for_each(|(_, sign)| put_sign(export, *sign));
    export.end(known);
    Ok(())
}

fn put_sign(export: &mut GameExport, sign: Sign<'_>) {
    match sign {
        Sign::Nag(nag) => export.nag(nag),
        Sign::Comment(sign) => export.comment(Text::of(sign)),
    }
}

/// Appends a game that is nothing but text, as far as it is at hand.
pub(super) fn export_text(export: &mut GameExport, raw: &[u8]) {
    export.begin();
    export.text(Text::of(raw));
    export.end(None);
}

/// Appends a piece of a game that is nothing but text, and leaves the game open. `is_first`: no
/// piece of it came before.
pub(super) fn export_piece(export: &mut GameExport, raw: &[u8], is_first: bool) {
    if is_first {
        export.begin();
    }
    export.text(Text::of(raw));
}
