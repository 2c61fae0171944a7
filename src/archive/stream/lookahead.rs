//! A reader with a window: bytes can be looked at, and searched, before they are passed.

use std::io::{self, Read, Seek};

/// Reads ahead as far as it is asked to.
#[derive(Debug, Default)]
pub(crate) struct Lookahead<R> {
    inner: R,
    /// Bytes read; those before `at` have been passed.
    bytes: Vec<u8>,
    at: usize,
    /// The offset in the stream of the byte at `at`.
    offset: u64,
    /// Read at least so many bytes at once.
    chunk: usize,
    ended: bool,
    /// An error met behind the bytes that were read.
    failed: Option<io::Error>,
}

impl<R: Read> Lookahead<R> {
    pub(crate) fn new(inner: R, chunk: usize, offset: u64) -> Lookahead<R> {
        Lookahead {
            inner,
            bytes: Vec::new(),
            at: 0,
            offset,
            chunk,
            ended: false,
            failed: None,
        }
    }

    /// The offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes that have been read and not passed.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// The next bytes, at least `len` of them unless the stream ends before that.
    ///
    /// # Errors
    /// Reading fails before so many bytes.
    pub(crate) fn fill(&mut self, len: usize) -> io::Result<&[u8]> {
        let held = self.rest().len();
        if held < len && !self.ended {
            if let Some(error) = self.failed.take() {
                self.ended = true;
                return Err(error);
            }
            // Moving the rest costs no more than reading the passed bytes did.
            if self.at >= held {
                self.bytes.drain(..self.at);
                self.at = 0;
            }
            let want = (len - held).max(self.chunk);
            // A forged length must not allocate memory: the buffer grows with the bytes that
            // arrive.
            let mut next = (&mut self.inner).take(want as u64);
            match next.read_to_end(&mut self.bytes) {
                Ok(read) => self.ended = read < want,
                Err(error) if self.bytes.len() - self.at >= len => self.failed = Some(error),
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        Ok(&self.bytes[self.at..])
    }

    /// Whether the bytes at hand are the last.
    pub(crate) fn is_last(&self) -> bool {
        self.ended
    }

    /// Passes bytes that are at hand.
    pub(crate) fn pass(&mut self, len: usize) {
        debug_assert!(
            len <= self.bytes.len() - self.at,
            "passed what was not read"
        );
        self.at += len;
        self.offset += len as u64;
    }

    /// Passes bytes that are at hand, and appends them to `out`, which is empty.
    pub(crate) fn take(&mut self, len: usize, out: &mut Vec<u8>) {
        /// From here on the buffer itself changes hands.
        const LARGE: usize = 1 << 22;
        if len < LARGE {
            out.extend_from_slice(&self.bytes[self.at..self.at + len]);
            return self.pass(len);
        }
        let behind = self.bytes.split_off(self.at + len);
        let mut bytes = std::mem::replace(&mut self.bytes, behind);
        bytes.drain(..self.at);
        (*out, self.at) = (bytes, 0);
        self.offset += len as u64;
    }

    /// Passes all bytes, and returns their number.
    pub(crate) fn drain(&mut self) -> io::Result<u64> {
        let held = self.bytes.len() - self.at;
        self.pass(held);
        let more = io::copy(&mut self.inner, &mut io::sink())?;
        self.offset += more;
        Ok(held as u64 + more)
    }
}

impl<R: Read + Seek> Lookahead<R> {
    /// Passes bytes without reading them. Behind the end of the stream nothing is found.
    pub(crate) fn skip(&mut self, len: u64) -> io::Result<()> {
        let held = (self.bytes.len() - self.at) as u64;
        match usize::try_from(len).ok().filter(|_| len <= held) {
            Some(len) => self.pass(len),
            None => self.go_to(self.offset.saturating_add(len))?,
        }
        Ok(())
    }

    /// Goes on at another offset.
    pub(crate) fn go_to(&mut self, offset: u64) -> io::Result<()> {
        let read = self.offset + self.rest().len() as u64;
        let way = i64::try_from(i128::from(offset) - i128::from(read));
        self.inner.seek_relative(way.map_err(io::Error::other)?)?;
        (self.at, self.offset, self.ended) = (0, offset, false);
        self.bytes.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_seen_before_they_are_passed() {
        let data: Vec<u8> = (0..100).collect();
        let mut ahead = Lookahead::new(&*data, 8, 1000);
        assert_eq!(ahead.fill(3).unwrap(), &data[..8]);
        ahead.pass(5);
        assert_eq!(ahead.fill(20).unwrap()[..20], data[5..25]);
        let mut out = Vec::new();
        ahead.take(20, &mut out);
        assert_eq!((out.as_slice(), ahead.offset()), (&data[5..25], 1025));
        assert_eq!(ahead.fill(1000).unwrap(), &data[25..]);
        assert!(ahead.is_last());
        assert_eq!(ahead.drain().unwrap(), 75);
        assert_eq!(ahead.offset(), 1100);
        let mut ahead = Lookahead::new(io::Cursor::new(&data), 8, 0);
        ahead.fill(4).unwrap();
        ahead.skip(50).unwrap();
        assert_eq!(ahead.fill(1).unwrap()[0], 50);
        ahead.go_to(7).unwrap();
        assert_eq!((ahead.offset(), ahead.fill(1).unwrap()[0]), (7, 7));
    }
}
