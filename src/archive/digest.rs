//! The digest of a source that is read piece by piece.

use std::io::{self, Read};

/// The hasher gets the bytes in multiples of this: BLAKE3 hashes a tree of chunks, and is fast on
/// input that is aligned to large subtrees.
const GRAIN: usize = 16 * 1024;

/// The BLAKE3 digest of the bytes added so far.
#[derive(Debug, Default)]
pub(crate) struct SourceDigest {
    hasher: blake3::Hasher,
    /// The last bytes, fewer than a grain, not yet hashed.
    rest: Vec<u8>,
}

impl SourceDigest {
    /// Adds bytes.
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        if !self.rest.is_empty() {
            let (front, back) = bytes.split_at((GRAIN - self.rest.len()).min(bytes.len()));
            self.rest.extend_from_slice(front);
            bytes = back;
            if self.rest.len() < GRAIN {
                return;
            }
            self.hasher.update(&self.rest);
            self.rest.clear();
        }
        let (whole, rest) = bytes.split_at(bytes.len() / GRAIN * GRAIN);
        self.hasher.update(whole);
        self.rest.extend_from_slice(rest);
    }

    /// The digest of all bytes.
    pub(crate) fn finish(&mut self) -> [u8; 32] {
        let rest = std::mem::take(&mut self.rest);
        self.hasher.update(&rest).finalize().into()
    }
}

/// A reader that hashes the bytes of a source as they come, before any other code sees them.
pub(crate) struct Digested<'r> {
    inner: &'r mut (dyn Read + Send),
    pub digest: SourceDigest,
    /// Bytes read so far.
    pub len: u64,
}

impl<'r> Digested<'r> {
    pub(crate) fn new(inner: &'r mut (dyn Read + Send)) -> Digested<'r> {
        let (digest, len) = (SourceDigest::default(), 0);
        Digested { inner, digest, len }
    }
}

impl Read for Digested<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buffer)?;
        self.digest.update(&buffer[..len]);
        self.len += len as u64;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_the_bytes_come_does_not_matter() {
        let bytes: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        for size in [
            1,
            100,
            GRAIN - 1,
            GRAIN,
            GRAIN + 1,
            3 * GRAIN + 5,
            bytes.len(),
        ] {
            let mut digest = SourceDigest::default();
            bytes.chunks(size).for_each(|piece| digest.update(piece));
            assert_eq!(digest.finish(), *blake3::hash(&bytes).as_bytes(), "{size}");
        }
        assert_eq!(
            SourceDigest::default().finish(),
            *blake3::hash(b"").as_bytes()
        );
    }
}
