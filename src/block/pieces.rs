//! Appends many small pieces to a text, and makes room for all of them at once.

/// The end of a text, with room for `N` bytes.
pub(crate) struct TextRoom<'t, const N: usize> {
    room: &'t mut [u8; N],
    len: usize,
}

impl<const N: usize> TextRoom<'_, N> {
    /// Appends the first `len` of these bytes. Copies all of them: that is one instruction, and
    /// needs no branch on `len`. What there is no room for is dropped.
    #[inline(always)]
    pub(crate) fn put<const M: usize>(&mut self, bytes: &[u8; M], len: usize) {
        debug_assert!(
            len <= M && self.len + M <= N,
            "the caller knows how much it can become"
        );
        if let Some(place) = self
            .room
            .get_mut(self.len..)
            .and_then(<[u8]>::first_chunk_mut)
        {
            *place = *bytes;
            self.len += len;
        }
    }

    /// Appends the low `len` bytes of `word`, the lowest first.
    #[inline(always)]
    pub(crate) fn put_word(&mut self, (word, len): (u64, usize)) {
        self.put(&word.to_le_bytes(), len);
    }
}

/// Appends what `put` puts, or nothing if `put` returns `None`.
#[inline(always)]
pub(crate) fn put_pieces<const N: usize, R>(
    out: &mut Vec<u8>,
    put: impl FnOnce(&mut TextRoom<'_, N>) -> Option<R>,
) -> Option<R> {
    let begin = out.len();
    out.extend_from_slice(&[0; N]);
    let mut pieces = TextRoom {
        room: out[begin..].first_chunk_mut()?,
        len: 0,
    };
    let result = put(&mut pieces);
    let len = if result.is_some() { pieces.len } else { 0 };
    out.truncate(begin + len);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_follow_one_another_or_none_is_there() {
        let mut out = b"1.".to_vec();
        let put = |pieces: &mut TextRoom<'_, 16>| {
            pieces.put(b" e4 e5 2", 3);
            pieces.put_word((u64::from_le_bytes(*b"!? Nf3  "), 2));
            Some(pieces.len)
        };
        assert_eq!(put_pieces(&mut out, put), Some(5));
        assert_eq!(out, b"1. e4!?");
        let refused: Option<()> = put_pieces(&mut out, |pieces| put(pieces).and(None));
        assert_eq!((refused, out.as_slice()), (None, b"1. e4!?".as_slice()));
    }
}
