//! The digest of a source that is read piece by piece.

use std::io::{self, ErrorKind, Read};

/// A reader that hashes the bytes of a source as they come, before any other code sees them.
pub(crate) struct Digested<'r> {
    inner: &'r mut (dyn Read + Send),
    pub digest: blake3::Hasher,
    /// Bytes read so far.
    pub len: u64,
}

impl<'r> Digested<'r> {
    pub(crate) fn new(inner: &'r mut (dyn Read + Send)) -> Digested<'r> {
        let (digest, len) = (blake3::Hasher::new(), 0);
        Digested { inner, digest, len }
    }
}

impl Read for Digested<'_> {
    /// Fills the buffer unless the source ends: BLAKE3 hashes large pieces faster than small ones.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut len = 0;
        while len < buffer.len() {
            match self.inner.read(&mut buffer[len..]) {
                Ok(0) => break,
                Ok(more) => len += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.digest.update(&buffer[..len]);
        self.len += len as u64;
        Ok(len)
    }
}
