//! The eleven marker codes. No other file spells them as numbers.

use pgc_chess::named_enum;

named_enum! {
    /// The first byte of a record: says what the rest of it is (PGN 1994 20.4).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[repr(u8)]
    pub enum Marker, name {
        /// 20.4: carries no meaning.
        Noop = 0x00 => "noop",
        /// 20.4.1: a complete game in reduced export format.
        ReducedGame = 0x01 => "reduced-game",
        /// 20.4.2: a tag pair.
        TagPair = 0x02 => "tag-pair",
        /// 20.4.3: up to 255 moves.
        ShortMoves = 0x03 => "short-moves",
        /// 20.4.4: up to 65,535 moves.
        LongMoves = 0x04 => "long-moves",
        /// 20.4.5: what follows, up to [`Marker::GameEnd`], is one game.
        GameBegin = 0x05 => "game-begin",
        /// 20.4.6: the game is over.
        GameEnd = 0x06 => "game-end",
        /// 20.4.7: a numeric annotation glyph.
        Nag = 0x07 => "simple-nag",
        /// 20.4.8: opens a recursive annotation variation.
        RavBegin = 0x08 => "rav-begin",
        /// 20.4.9: closes the innermost variation.
        RavEnd = 0x09 => "rav-end",
        /// 20.4.10: what stands after a `%` in the first column.
        Escape = 0x0a => "escape-string",
    }
}

impl Marker {
    /// The marker with this code; `None` for the codes that the standard does not define.
    pub fn from_byte(byte: u8) -> Option<Marker> {
        Marker::ALL.get(usize::from(byte)).map(|marker| marker.1)
    }

    /// The code.
    pub const fn byte(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::Marker;

    #[test]
    fn codes_go_both_ways() {
        for byte in 0..=0xff_u8 {
            match Marker::from_byte(byte) {
                Some(marker) => assert_eq!(marker.byte(), byte),
                None => assert!(byte > 0x0a),
            }
        }
        for (byte, (name, marker)) in (0x00..).zip(Marker::ALL) {
            assert_eq!(Marker::from_byte(byte), Some(marker));
            assert_eq!(marker.name(), name);
        }
    }
}
