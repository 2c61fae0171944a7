//! Checksums and digests.

/// The checksum of a shard or a packet: the first 8 bytes of its BLAKE3.
pub(super) fn sum(parts: [&[u8]; 2]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    first(&hasher)
}

/// The first `N` bytes of a digest.
pub(super) fn first<const N: usize>(hasher: &blake3::Hasher) -> [u8; N] {
    let digest = hasher.finalize();
    std::array::from_fn(|at| digest.as_bytes()[at])
}
