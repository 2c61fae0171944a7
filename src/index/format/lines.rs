//! Lines: the first moves of games (spec/index.md section 7).

/// Maximum number of moves of a line.
pub(crate) const LINE: usize = 40;

/// The number of moves kept beyond those that distinguish a line from its neighbours. With them,
/// most games that come close to a position are seen to miss it.
const MORE: usize = 3;

/// The number of entries in a group; the last group of a segment may have fewer.
pub(crate) const LINE_GROUP: u32 = 1024;

/// The ordinals of the first moves of a game's main line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    len: u8,
    ordinals: [u8; LINE],
}

impl Default for Line {
    fn default() -> Line {
        Line {
            len: 0,
            ordinals: [0; LINE],
        }
    }
}

impl FromIterator<u8> for Line {
    /// Takes at most [`LINE`] ordinals.
    fn from_iter<I: IntoIterator<Item = u8>>(ordinals: I) -> Line {
        let mut line = Line::default();
        for (place, ordinal) in line.ordinals.iter_mut().zip(ordinals) {
            *place = ordinal;
            line.len += 1;
        }
        line
    }
}

impl std::ops::Deref for Line {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.ordinals[..usize::from(self.len)]
    }
}

/// How many moves are kept of a line, from what it shares with the nearest other lines before and
/// behind it.
pub(crate) fn kept(len: usize, before: usize, behind: usize) -> usize {
    len.min(before.max(behind) + MORE)
}

/// The number of bytes in which two lines are equal, from the first one on.
pub(crate) fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
