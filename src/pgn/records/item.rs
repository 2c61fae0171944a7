//! The items that records are made of (PGN 1994 20.1 to 20.3): integers, strings and move
//! sequences, as far as records use them.
//!
//! Each `take_x` reads one item from the front of a slice and moves the slice past it; each `put_x`
//! appends one. `take_x` borrows the data, so nothing is allocated however long a header says it
//! is. The `what` of a reader is the name that errors give the item, such as `"Event tag value"`.

use crate::records::structure::{Fault, ItemFault};

#[inline]
fn take_bytes<'a>(src: &mut &'a [u8], what: &'static str, n: usize) -> Result<&'a [u8], ItemFault> {
    src.split_off(..n).ok_or_else(|| ItemFault {
        item: what,
        fault: Fault::Truncated {
            needed: n - src.len(),
        },
    })
}

/// Reads an int-1 (PGN 1994 20.1).
///
/// # Errors
/// [`Fault::Truncated`].
#[inline]
pub(crate) fn take_int1(src: &mut &[u8], what: &'static str) -> Result<u8, ItemFault> {
    take_bytes(src, what, 1).map(|bytes| bytes[0])
}

/// Reads a string (PGN 1994 20.3), or a sequence of moves played one after another (20.2): a
/// string-1 or a mvseq-1 if its length header has `HEADER` 1, a string-2 or a mvseq-2 if that is 2.
/// `src` stays as it was when some of it is missing.
///
/// # Errors
/// [`Fault::Truncated`].
#[inline]
pub(crate) fn take_string<'a, const HEADER: usize>(
    src: &mut &'a [u8],
    what: &'static str,
) -> Result<&'a [u8], ItemFault> {
    let mut rest = *src;
    let header = take_bytes(&mut rest, what, HEADER)?.iter().rev();
    let length = header.fold(0, |length, &byte| length << 8 | usize::from(byte));
    let data = take_bytes(&mut rest, what, length)?;
    *src = rest;
    Ok(data)
}

/// Appends a string or a sequence of moves, with a length header of `HEADER` bytes; `None`, and
/// nothing is appended, above 255 bytes, or above 65,535.
pub(crate) fn put_string<const HEADER: usize>(out: &mut Vec<u8>, data: &[u8]) -> Option<()> {
    if data.len() >= 1 << (8 * HEADER) {
        return None;
    }
    out.extend_from_slice(&(data.len() as u64).to_le_bytes()[..HEADER]);
    out.extend_from_slice(data);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Take = for<'a> fn(&mut &'a [u8], &'static str) -> Result<&'a [u8], ItemFault>;

    #[test]
    fn data_follows_its_length() {
        let cases: [(Take, &[u8]); 2] = [
            (take_string::<1>, &[0x02, b'h', b'i', b'!']),
            (take_string::<2>, &[0x02, 0x00, b'h', b'i', b'!']),
        ];
        for (take, bytes) in cases {
            let mut src = bytes;
            assert_eq!(take(&mut src, "x"), Ok(b"hi".as_slice()));
            assert_eq!(src, b"!");
            // A cut item leaves the slice where it was and says how much of its first incomplete
            // part is missing.
            for cut in 0..bytes.len() - 1 {
                let mut src = &bytes[..cut];
                let header = bytes.len() - 3;
                let needed = if cut < header {
                    header - cut
                } else {
                    header + 2 - cut
                };
                let fault = Fault::Truncated { needed };
                assert_eq!(take(&mut src, "x"), Err(ItemFault { item: "x", fault }));
                assert_eq!(src.len(), cut);
            }
        }
    }

    #[test]
    fn a_length_beyond_the_data_allocates_nothing() {
        let mut src: &[u8] = &[0xff, 0xff, 0x00];
        let fault = Fault::Truncated { needed: 0xfffe };
        let refused = take_string::<2>(&mut src, "x");
        assert_eq!(refused, Err(ItemFault { item: "x", fault }));
    }

    #[test]
    fn headers_hold_what_they_can() {
        let data = vec![b'x'; 0x1_0000];
        let mut out = Vec::new();
        put_string::<1>(&mut out, &data[..0xff]).unwrap();
        assert_eq!((out.len(), out[0]), (0x100, 0xff));
        assert_eq!(put_string::<1>(&mut out, &data[..0x100]), None);
        assert_eq!(out.len(), 0x100);
        out.clear();
        put_string::<2>(&mut out, &data[..0xffff]).unwrap();
        assert_eq!((out.len(), &out[..2]), (0x1_0001, [0xff, 0xff].as_slice()));
        assert_eq!(put_string::<2>(&mut out, &data), None);
    }
}
