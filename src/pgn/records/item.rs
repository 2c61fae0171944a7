//! The items that records are made of (PGN 1994 20.1 to 20.3): integers, strings and move
//! sequences, as far as records use them.
//!
//! Each `take_x` reads one item from the front of a slice and moves the slice past it; each `put_x`
//! appends one. `take_x` borrows the data, so nothing is allocated however long a header says it
//! is. The `what` of a reader is the name that errors give the item, such as `"Event tag value"`.

use byteorder::{ByteOrder, LittleEndian, WriteBytesExt};

/// Why an item could not be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ItemError {
    /// The data ends inside the item; with more data it could be complete.
    #[error("{item} is cut off: at least {needed} more bytes belong to it")]
    Incomplete {
        /// The item.
        item: &'static str,
        /// Bytes that are missing for certain. If the length header is among them, more may be
        /// missing.
        needed: usize,
    },
    /// The item to be written is longer than its length header can say.
    #[error("{item} has {length} bytes, {limit} are the limit")]
    TooLong {
        /// The item.
        item: &'static str,
        /// Its length.
        length: usize,
        /// The greatest length that the header can hold.
        limit: usize,
    },
}

impl ItemError {
    /// The name of the item.
    pub fn item(&self) -> &'static str {
        match *self {
            ItemError::Incomplete { item, .. } | ItemError::TooLong { item, .. } => item,
        }
    }
}

#[inline]
fn take_bytes<'a>(src: &mut &'a [u8], what: &'static str, n: usize) -> Result<&'a [u8], ItemError> {
    match src.split_at_checked(n) {
        Some((bytes, rest)) => {
            *src = rest;
            Ok(bytes)
        }
        None => Err(ItemError::Incomplete {
            item: what,
            needed: n - src.len(),
        }),
    }
}

/// Reads an int-1 (PGN 1994 20.1).
///
/// # Errors
/// [`ItemError::Incomplete`].
#[inline]
pub(crate) fn take_int1(src: &mut &[u8], what: &'static str) -> Result<u8, ItemError> {
    take_bytes(src, what, 1).map(|bytes| bytes.iter().fold(0, |_, &b| b))
}

/// Reads an int-2 (PGN 1994 20.1).
///
/// # Errors
/// [`ItemError::Incomplete`].
#[inline]
pub(crate) fn take_int2(src: &mut &[u8], what: &'static str) -> Result<u16, ItemError> {
    take_bytes(src, what, 2).map(LittleEndian::read_u16)
}

/// Reads the data that a length header has announced; `src` stays as it was when some of it is
/// missing.
#[inline]
fn take_data<'a>(
    src: &mut &'a [u8],
    mut after_header: &'a [u8],
    what: &'static str,
    length: usize,
) -> Result<&'a [u8], ItemError> {
    let data = take_bytes(&mut after_header, what, length)?;
    *src = after_header;
    Ok(data)
}

/// Reads a string-1 (PGN 1994 20.3), or a mvseq-1 (20.2): moves played one after another.
///
/// # Errors
/// [`ItemError::Incomplete`].
#[inline]
pub(crate) fn take_string1<'a>(
    src: &mut &'a [u8],
    what: &'static str,
) -> Result<&'a [u8], ItemError> {
    let mut rest = *src;
    let length = usize::from(take_int1(&mut rest, what)?);
    take_data(src, rest, what, length)
}

/// Reads a string-2 (PGN 1994 20.3), or a mvseq-2 (20.2).
///
/// # Errors
/// [`ItemError::Incomplete`].
#[inline]
pub(crate) fn take_string2<'a>(
    src: &mut &'a [u8],
    what: &'static str,
) -> Result<&'a [u8], ItemError> {
    let mut rest = *src;
    let length = usize::from(take_int2(&mut rest, what)?);
    take_data(src, rest, what, length)
}

/// Appends an int-1.
pub(crate) fn put_int1(out: &mut Vec<u8>, value: u8) {
    out.push(value);
}

/// Appends an int-2.
pub(crate) fn put_int2(out: &mut Vec<u8>, value: u16) {
    out.write_u16::<LittleEndian>(value)
        .expect("a Vec takes every write");
}

fn too_long(item: &'static str, data: &[u8], limit: usize) -> ItemError {
    ItemError::TooLong {
        item,
        length: data.len(),
        limit,
    }
}

/// Appends a string-1 or a mvseq-1; nothing is appended on error.
///
/// # Errors
/// [`ItemError::TooLong`] above 255 bytes.
pub(crate) fn put_string1(
    out: &mut Vec<u8>,
    what: &'static str,
    data: &[u8],
) -> Result<(), ItemError> {
    put_int1(
        out,
        u8::try_from(data.len()).map_err(|_| too_long(what, data, 0xff))?,
    );
    out.extend_from_slice(data);
    Ok(())
}

/// Appends a string-2 or a mvseq-2; nothing is appended on error.
///
/// # Errors
/// [`ItemError::TooLong`] above 65,535 bytes.
pub(crate) fn put_string2(
    out: &mut Vec<u8>,
    what: &'static str,
    data: &[u8],
) -> Result<(), ItemError> {
    put_int2(
        out,
        u16::try_from(data.len()).map_err(|_| too_long(what, data, 0xffff))?,
    );
    out.extend_from_slice(data);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Take = for<'a> fn(&mut &'a [u8], &'static str) -> Result<&'a [u8], ItemError>;

    #[test]
    fn integers_are_little_endian() {
        let mut src: &[u8] = &[0x01, 0x02, 0x03];
        assert_eq!(take_int1(&mut src, "a"), Ok(0x01));
        assert_eq!(take_int2(&mut src, "b"), Ok(0x0302));
        assert_eq!(
            take_int1(&mut src, "d"),
            Err(ItemError::Incomplete {
                item: "d",
                needed: 1
            })
        );

        let mut out = Vec::new();
        put_int1(&mut out, 0x01);
        put_int2(&mut out, 0x0302);
        assert_eq!(out, [0x01, 0x02, 0x03]);
    }

    #[test]
    fn data_follows_its_length() {
        let cases: [(Take, &[u8]); 2] = [
            (take_string1, &[0x02, b'h', b'i', b'!']),
            (take_string2, &[0x02, 0x00, b'h', b'i', b'!']),
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
                assert_eq!(
                    take(&mut src, "x"),
                    Err(ItemError::Incomplete { item: "x", needed })
                );
                assert_eq!(src.len(), cut);
            }
        }
    }

    #[test]
    fn a_length_beyond_the_data_allocates_nothing() {
        let mut src: &[u8] = &[0xff, 0xff, 0x00];
        assert_eq!(
            take_string2(&mut src, "x"),
            Err(ItemError::Incomplete {
                item: "x",
                needed: 0xfffe
            })
        );
    }

    #[test]
    fn headers_hold_what_they_can() {
        let data = vec![b'x'; 0x1_0000];
        let mut out = Vec::new();
        put_string1(&mut out, "x", &data[..0xff]).unwrap();
        assert_eq!((out.len(), out[0]), (0x100, 0xff));
        let refused = put_string1(&mut out, "x", &data[..0x100]);
        assert_eq!(
            refused,
            Err(ItemError::TooLong {
                item: "x",
                length: 0x100,
                limit: 0xff
            })
        );
        assert_eq!(out.len(), 0x100);
        out.clear();
        put_string2(&mut out, "x", &data[..0xffff]).unwrap();
        assert_eq!((out.len(), &out[..2]), (0x1_0001, [0xff, 0xff].as_slice()));
        let refused = put_string2(&mut out, "x", &data);
        assert_eq!(
            refused,
            Err(ItemError::TooLong {
                item: "x",
                length: 0x1_0000,
                limit: 0xffff
            })
        );
    }
}
