//! The eleven marker codes. No other file spells them as numbers.

/// The first byte of a record: says what the rest of it is (PGN 1994 20.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Marker {
    /// 20.4: carries no meaning.
    Noop = 0x00,
    /// 20.4.1: a complete game in reduced export format.
    ReducedGame = 0x01,
    /// 20.4.2: a tag pair.
    TagPair = 0x02,
    /// 20.4.3: up to 255 moves.
    ShortMoves = 0x03,
    /// 20.4.4: up to 65,535 moves.
    LongMoves = 0x04,
    /// 20.4.5: what follows, up to [`Marker::GameEnd`], is one game.
    GameBegin = 0x05,
    /// 20.4.6: the game is over.
    GameEnd = 0x06,
    /// 20.4.7: a numeric annotation glyph.
    Nag = 0x07,
    /// 20.4.8: opens a recursive annotation variation.
    RavBegin = 0x08,
    /// 20.4.9: closes the innermost variation.
    RavEnd = 0x09,
    /// 20.4.10: what stands after a `%` in the first column.
    Escape = 0x0a,
}

/// Every marker, in order of its code, and a short name, near the words of the standard.
const MARKERS: [(Marker, &str); 11] = [
    (Marker::Noop, "noop"),
    (Marker::ReducedGame, "reduced-game"),
    (Marker::TagPair, "tag-pair"),
    (Marker::ShortMoves, "short-moves"),
    (Marker::LongMoves, "long-moves"),
    (Marker::GameBegin, "game-begin"),
    (Marker::GameEnd, "game-end"),
    (Marker::Nag, "simple-nag"),
    (Marker::RavBegin, "rav-begin"),
    (Marker::RavEnd, "rav-end"),
    (Marker::Escape, "escape-string"),
];

impl Marker {
    /// The marker with this code; `None` for the codes that the standard does not define.
    pub fn from_byte(byte: u8) -> Option<Marker> {
        MARKERS.get(usize::from(byte)).map(|marker| marker.0)
    }

    /// The code.
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// A short name, near the words of the standard.
    pub const fn name(self) -> &'static str {
        MARKERS[self as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::{MARKERS, Marker};

    #[test]
    fn codes_go_both_ways() {
        for byte in 0..=0xff_u8 {
            match Marker::from_byte(byte) {
                Some(marker) => assert_eq!(marker.byte(), byte),
                None => assert!(byte > 0x0a),
            }
        }
        for (byte, (marker, name)) in (0x00..).zip(MARKERS) {
            assert_eq!(Marker::from_byte(byte), Some(marker));
            assert_eq!(marker.name(), name);
        }
    }
}
