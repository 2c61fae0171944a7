//! The primer of a segment: what the models of its blocks begin with (spec/small.md section 11).

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::block::annotations::MAX_SHAPES;
use crate::block::num::{put_num, put_str, take_num, take_slice, take_str};
use crate::block::small::models::Models;

/// The most bytes of a primer.
pub(crate) const MAX_PRIMER: u32 = 32 * 1024;

/// The most bytes of records, plies and tokens that the units of a primer may have. Without a
/// limit, a few bytes could stand for any number of them.
pub(crate) const MOST_RECORDS: u64 = 512 * 1024;

/// The units at the beginning of a segment, without their moves and texts.
pub(crate) struct Primer {
    bytes: Vec<u8>,
    crc: u32,
    is_used: AtomicBool,
    /// The models behind it, kept from their second use on; `None` if it cannot be decoded.
    models: OnceLock<Option<Models>>,
    /// Models of blocks that are done. Filling them again is faster than asking for new memory.
    spare: Mutex<Vec<Models>>,
}

impl fmt::Debug for Primer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Primer({:08x})", self.crc)
    }
}

/// The most models that are kept.
const SPARE: usize = 4;

impl Primer {
    pub(crate) fn new(bytes: Vec<u8>) -> Primer {
        Primer {
            crc: crc32fast::hash(&bytes),
            bytes,
            is_used: AtomicBool::new(false),
            models: OnceLock::new(),
            spare: Mutex::default(),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its CRC-32, by which blocks name it.
    pub(crate) fn crc(&self) -> u32 {
        self.crc
    }

    /// The models of a block that uses it; `None` if it cannot be decoded. `uncode` does that.
    pub(crate) fn begin(&self, uncode: fn(&[u8]) -> Option<Models>) -> Option<Models> {
        // A program that fetches one game needs the models once, and a copy takes as long as
        // decoding.
        if !self.is_used.swap(true, Ordering::Relaxed) {
            return uncode(&self.bytes);
        }
        let models = self.models.get_or_init(|| uncode(&self.bytes));
        let models = models.as_ref()?;
        let spare = self.spare().pop();
        Some(match spare {
            Some(mut spare) => {
                spare.clone_from(models);
                spare
            }
            None => models.clone(),
        })
    }

    /// Takes back models that are no longer needed.
    pub(crate) fn give_back(&self, models: Models) {
        let mut spare = self.spare();
        if spare.len() < SPARE {
            spare.push(models);
        }
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Models>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a block that is coded uses the primer of its segment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Priming<'p> {
    /// The segment has none.
    Empty,
    /// The block begins it, if that pays in a segment of at least `blocks` blocks.
    First { blocks: u64 },
    /// The block uses it, and perhaps has a copy of it.
    Use { primer: &'p Primer, copy: bool },
}

/// The fields of a primer.
pub(crate) struct PrimerParts<'a> {
    pub units: u64,
    pub shapes: Vec<Vec<u8>>,
    /// Tags, tokens, numbers.
    pub streams: [&'a [u8]; 3],
}

/// The bytes of a primer with `units` units.
pub(crate) fn put_primer(units: u64, shapes: &[Vec<u8>], streams: &[Vec<u8>; 3]) -> Vec<u8> {
    let mut out = Vec::new();
    put_num(&mut out, units);
    put_num(&mut out, shapes.len() as u64);
    for shape in shapes {
        put_str(&mut out, shape);
    }
    for stream in streams {
        put_str(&mut out, stream);
    }
    out
}

/// Reads the fields of a primer; `None` if they are not well-formed.
pub(crate) fn take_primer(mut src: &[u8]) -> Option<PrimerParts<'_>> {
    let units = take_num(&mut src).filter(|&units| units > 0)?;
    let count = take_num(&mut src)
        .and_then(|n| usize::try_from(n).ok())
        .filter(|&n| n <= MAX_SHAPES)?;
    let mut shapes = Vec::with_capacity(count);
    for _ in 0..count {
        shapes.push(take_str(&mut src)?.to_vec());
    }
    let mut streams = [&[][..]; 3];
    for stream in &mut streams {
        let len = take_num(&mut src)?;
        *stream = take_slice(&mut src, len)?;
    }
    src.is_empty().then_some(PrimerParts {
        units,
        shapes,
        streams,
    })
}
