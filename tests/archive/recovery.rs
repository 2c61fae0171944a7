//! Recovery data: any damage that they can undo is undone exactly, more is told, and nothing is
//! written that is not right. The bytes of the format: tests/block/vectors.rs.

use std::io::Write;

use pgc::recovery::protect::protect;
use pgc::recovery::repair::Repair;
use pgc::{Error, NoHooks};

use crate::support::alloc::peak;
use crate::support::random::Random;

fn protected(bytes: &[u8], share: u64) -> Vec<u8> {
    let mut out = Vec::new();
    protect(&bytes, bytes.len() as u64, share, &mut out, &mut NoHooks).unwrap();
    out
}

/// The bytes after a repair, and how many shards were damaged and lost.
fn repaired(bytes: &[u8], recovery: &[u8]) -> Result<(Vec<u8>, usize, u64), Error> {
    let repair = Repair::new(&bytes, &recovery, &mut NoHooks)?;
    let (damaged, lost) = (repair.harm().damaged.len(), repair.harm().lost);
    let mut out = Vec::new();
    repair.write(&mut out, &mut NoHooks)?;
    Ok((out, damaged, lost))
}

/// The shards of an archive of this length, as spec/recovery.md section 2 has them.
fn size(length: usize) -> usize {
    let sizes = [512, 1024, 2048].into_iter();
    sizes
        .clone()
        .find(|size| length.div_ceil(*size) <= 8192)
        .unwrap_or(4096)
}

/// Changes a byte in each of so many shards.
fn harm(bytes: &mut [u8], shards: usize, random: &mut Random) {
    let size = size(bytes.len());
    let mut left: Vec<usize> = (0..bytes.len().div_ceil(size)).collect();
    for _ in 0..shards {
        let from = left.swap_remove(random.below(left.len())) * size;
        let to = bytes.len().min(from + size);
        bytes[from + random.below(to - from)] ^= 1 + random.byte() % 255;
    }
}

#[test]
fn damage_is_undone_exactly() {
    let mut random = Random::new(16);
    for length in [1, 2, 511, 512, 513, 5_000, 70_000, 600_001] {
        let whole = random.bytes(length);
        let shards = length.div_ceil(size(length));
        for share in [1, 500, 3_333, 10_000] {
            let recovery = protected(&whole, share as u64);
            assert_eq!(repaired(&whole, &recovery).unwrap(), (whole.clone(), 0, 0));
            let spares = (shards * share).div_ceil(10_000);
            for hurt in [1, spares.div_ceil(2), spares] {
                let mut bytes = whole.clone();
                harm(&mut bytes, hurt, &mut random);
                let (back, damaged, lost) = repaired(&bytes, &recovery).unwrap();
                assert!(back == whole, "{length} {share} {hurt}");
                assert_eq!((damaged, lost), (hurt, 0));
            }
            if spares < shards {
                // One more is too many: it is told, and the rest is as it was.
                let mut bytes = whole.clone();
                harm(&mut bytes, spares + 1, &mut random);
                let (back, damaged, lost) = repaired(&bytes, &recovery).unwrap();
                assert_eq!((damaged, lost), (spares + 1, spares as u64 + 1));
                assert!(back == bytes);
            }
        }
    }
}

/// What is cut off counts as damaged; what was added behind comes back as it is.
#[test]
fn other_lengths() {
    let mut random = Random::new(17);
    let whole = random.bytes(100_000);
    let recovery = protected(&whole, 1_000);
    let cut = &whole[..whole.len() - 15 * 512];
    assert_eq!(repaired(cut, &recovery).unwrap().0, whole);
    let mut longer = whole.clone();
    longer.extend(random.bytes(3_000_000));
    let mut hurt = longer.clone();
    harm(&mut hurt[..whole.len()], 7, &mut random);
    assert!(repaired(&hurt, &recovery).unwrap().0 == longer);
    assert!(matches!(
        protect(&&[][..], 0, 500, &mut Vec::new(), &mut NoHooks),
        Err(Error::Empty)
    ));
}

/// Groups take their shards in turn: one stretch of damage meets all of them alike. Memory stays
/// small.
#[test]
fn many_groups() {
    let length = 3 * 8192 * 4096 - 100;
    let mut whole = vec![0; length];
    let mut random = Random::new(18);
    for piece in whole.chunks_mut(4096) {
        piece[0..8].copy_from_slice(&random.next().to_le_bytes());
    }
    let recovery = protected(&whole, 100);
    let mut bytes = whole.clone();
    // A hundredth of the shards, in one place.
    bytes[40_000_000..][..240 * 4096].fill(7);
    let (_, most) = peak(|| {
        let repair = Repair::new(&bytes, &recovery, &mut NoHooks).unwrap();
        assert_eq!((repair.harm().damaged.len(), repair.harm().lost), (241, 0));
        let mut same = Same {
            whole: &whole,
            at: 0,
        };
        repair.write(&mut same, &mut NoHooks).unwrap();
        assert_eq!(same.at, whole.len());
    });
    assert!(most < 160 << 20, "{most}");
}

/// A writer that compares.
struct Same<'a> {
    whole: &'a [u8],
    at: usize,
}

impl Write for Same<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        assert!(self.whole[self.at..].starts_with(bytes), "{}", self.at);
        self.at += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The recovery file may be hurt too, moved, or joined to another.
#[test]
fn a_hurt_recovery_file() {
    let mut random = Random::new(19);
    let whole = random.bytes(400_000);
    let recovery = protected(&whole, 500);
    // 782 shards, 40 spares, 13 pages and 13 spare pages.
    let packet = 512 + 52;
    assert_eq!(recovery.len(), (40 + 13 + 13) * packet);
    for round in 0..60 {
        let (mut bytes, mut file) = (whole.clone(), recovery.clone());
        let spares = round % 41;
        harm(&mut bytes, 40 - spares, &mut random);
        let mut hurt: Vec<usize> = (13..53).collect();
        let mut pages: Vec<usize> = (0..13).chain(53..66).collect();
        let mut places: Vec<usize> = Vec::new();
        for _ in 0..spares {
            places.push(hurt.swap_remove(random.below(hurt.len())));
        }
        for _ in 0..round % 14 {
            places.push(pages.swap_remove(random.below(pages.len())));
        }
        for place in places {
            file[place * packet + random.below(packet)] ^= 1 + random.byte() % 255;
        }
        // Bytes before and between packets.
        let at = random.below(67) * packet;
        let junk = random.bytes(round * 10);
        file.splice(at..at, junk);
        let other = protected(b"something else", 500);
        file.extend_from_slice(&other);
        assert!(repaired(&bytes, &file).unwrap().0 == whole, "{round}");
    }
    assert!(matches!(repaired(&whole, b"words"), Err(Error::NoPacket)));
    let late = &recovery[53 * packet + 1..];
    assert!(matches!(
        repaired(&whole, late),
        Err(Error::NoTable { whole: 12, all: 13 })
    ));
    // A foreign packet before all others is one of a smaller set.
    let mut mixed = protected(b"something else", 500)[..564].to_vec();
    mixed.extend_from_slice(&recovery);
    assert!(repaired(&whole, &mixed).unwrap().0 == whole);
    // Recovery data of other bytes.
    let other = random.bytes(400_000);
    let (_, damaged, lost) = repaired(&other, &recovery).unwrap();
    assert_eq!((damaged, lost), (782, 782));
}

/// The deterministic twin of the fuzz target `recovery`.
#[test]
fn no_recovery_file_is_a_panic() {
    let mut random = Random::new(20);
    let whole = random.bytes(9_000);
    let recovery = protected(&whole, 2_000);
    for _ in 0..3_000 {
        let (mut bytes, mut file) = (whole.clone(), recovery.clone());
        for _ in 0..1 + random.below(6) {
            let at = random.below(file.len());
            match random.below(4) {
                0 => file[at] = random.byte(),
                1 => file.truncate(at.max(1)),
                2 => drop(file.drain(at..(at + 60).min(file.len()))),
                _ => {
                    let piece = file[at..(at + 700).min(file.len())].to_vec();
                    file.splice(at..at, piece);
                }
            }
            if file.is_empty() {
                break;
            }
        }
        harm(&mut bytes, random.below(5), &mut random);
        // Whatever it gives is what was protected, or is known not to be.
        if let Ok((back, _, 0)) = repaired(&bytes, &file) {
            assert!(back == whole);
        }
    }
}

mod commands {
    use crate::cli::program::Dir;

    /// A byte of a file is changed.
    fn flip(dir: &Dir, name: &str, at: usize) {
        let mut bytes = dir.read(name);
        bytes[at] ^= 0x40;
        dir.put(name, bytes);
    }

    #[test]
    fn protect_and_repair() {
        let dir = Dir::new();
        let game = "[Event \"One\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 {a word} Nc6 1-0\n\n";
        dir.put("a.pgn", game.repeat(400));
        dir.pack("a.pgn");
        let whole = dir.read("a.pgc");
        dir.run(&["repair", "a.pgc"])
            .exits(2)
            .says("a.pgc: has no recovery data (a.pgcr): run `pgc protect`");
        dir.run(&["protect", "a.pgc"])
            .exits(0)
            .says("a.pgcr: ")
            .says("spare shard");
        dir.run(&["protect", "a.pgc"])
            .exits(2)
            .says("replace it with -f");
        dir.run(&["repair", "a.pgc"]).exits(0);
        let info = dir.run(&["info", "a.pgc"]).exits(0).stdout();
        assert!(
            info.ends_with("  recovery data: 5 % of spare shards\n"),
            "{info}"
        );
        // Damage is told, and nothing is written without a name.
        flip(&dir, "a.pgc", 700);
        let ran = dir.run(&["repair", "a.pgc"]).exits(3).stdout();
        assert!(ran.contains("damaged, and all can be restored"), "{ran}");
        assert!(ran.contains("damaged: bytes 512 to 1024"), "{ran}");
        dir.run(&["protect", "-f", "a.pgc"]).exits(3).says("a.pgc");
        dir.run(&["repair", "a.pgc", "-f", "-o", "a.pgc"])
            .exits(2)
            .says("inputs are never replaced");
        dir.run(&["repair", "-q", "a.pgc", "-o", "b.pgc"]).exits(0);
        assert!(dir.read("b.pgc") == whole);
        // `-` is standard output.
        let ran = dir.run(&["repair", "a.pgc", "-o", "-"]).exits(0);
        assert!(ran.output.stdout == whole);
        assert!(!dir.names().contains(&"-".to_owned()));
        // Too much damage.
        for at in (0..whole.len()).step_by(512) {
            flip(&dir, "a.pgc", at);
        }
        let json = dir
            .run(&["repair", "--json", "a.pgc", "-o", "c.pgc"])
            .exits(3)
            .json();
        assert_eq!(
            (&json["ok"], &json["written"]),
            (&false.into(), &false.into())
        );
        assert_eq!(json["lost"], json["shards"]);
        assert!(!dir.names().contains(&"c.pgc".to_owned()));
        // A run that fails says why, however quiet.
        let ran = dir.run(&["repair", "-q", "a.pgc", "-o", "c.pgc"]).exits(3);
        assert_eq!(ran.stdout(), "");
        ran.says("cannot be restored");
        dir.run(&["repair", "a.pgc", "-o", "c.pgc", "--partial"])
            .exits(3);
        assert!(dir.read("c.pgc") == dir.read("a.pgc"));
        // What is added later is told.
        dir.run(&["add", "-q", "b.pgc", "a.pgn"]).exits(0);
        let ran = dir
            .run(&["repair", "-r", "a.pgcr", "b.pgc"])
            .exits(0)
            .stdout();
        assert!(ran.contains("bytes are not protected"), "{ran}");
        dir.put("b.pgcr", dir.read("a.pgcr"));
        let info = dir.run(&["info", "b.pgc"]).exits(0).stdout();
        assert!(
            info.contains("bytes are not protected: make it again"),
            "{info}"
        );
        dir.run(&["test", "b.pgc"])
            .exits(0)
            .says("b.pgcr: the last ")
            .says("bytes are not protected");
        dir.run(&["repair", "-r", "a.pgn", "b.pgc"])
            .exits(3)
            .says("a.pgn: is not a recovery file");
    }
}
