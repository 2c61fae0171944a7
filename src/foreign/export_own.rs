//! Our own games in export format: `unpack --export`.

use crate::block::decode::game::Decoded;
use crate::block::decode::layout::Fault;
use crate::foreign::export::GameExport;
use crate::foreign::signs::Sign;
use crate::pgn::game::Kind;
use crate::pgn::writer::{Termination, Text};

/// UTF-8 where it is valid, else Latin-1 (D6).
fn text(bytes: &[u8]) -> Text<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Text::Utf8(text),
        Err(_) => Text::Latin1(bytes),
    }
}

/// Appends a game. Comments of both kinds become brace comments, text that is not chess becomes
/// what the writer makes of text. `signs`: what else stands in it, each before the item of this
/// number.
pub(crate) fn export_game(
    export: &mut GameExport,
    game: &Decoded,
    signs: &[(usize, Sign<'_>)],
) -> Result<(), Fault> {
    let fault = |item: &'static str| {
        move |error: crate::foreign::export::PlayError| (item, error.to_string())
    };
    let mut known = None;
    let mut signs = signs.iter().peekable();
    export.begin();
    for (at, elem) in game.elems.iter().enumerate() {
        while let Some((_, sign)) = signs.next_if(|sign| sign.0 == at) {
            put_sign(export, *sign);
        }
        let inner = || text(&game.text[elem.inner()]);
        match elem.kind {
            Kind::Tag => {
                let tag = &game.tags[elem.num as usize];
                let [name, value] = [&tag.name, &tag.value].map(|range| &game.text[range.clone()]);
                export.tag(name, text(value)).map_err(fault("tag-pair"))?
            }
            Kind::Escape => export.escape(inner()),
            Kind::Move => export
                .moves(&[elem.ordinal])
                .map_err(fault("move ordinal"))?,
            Kind::Nag => match u8::try_from(elem.num) {
                Ok(nag) => export.nag(nag),
                Err(_) => export.comment(Text::Utf8(&format!("${}", elem.num))),
            },
            Kind::Brace | Kind::Line => export.comment(inner()),
            Kind::RavOpen => export.rav_begin().map_err(fault("rav-begin"))?,
            Kind::RavClose => export.rav_end().map_err(fault("rav-end"))?,
            Kind::Text => export.text(text(&game.text[elem.span()])),
            Kind::Terminator => {
                known = u8::try_from(elem.num)
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
        Sign::Comment(sign) => export.comment(text(sign)),
    }
}

/// Appends a game that is nothing but text, as far as it is at hand.
pub(crate) fn export_text(export: &mut GameExport, raw: &[u8]) {
    export.begin();
    export.text(text(raw));
    export.end(None);
}

/// Appends a piece of a game that is nothing but text, and leaves the game open. `is_first`: no
/// piece of it came before.
pub(crate) fn export_piece(export: &mut GameExport, raw: &[u8], is_first: bool) {
    if is_first {
        export.begin();
    }
    export.text(text(raw));
}
