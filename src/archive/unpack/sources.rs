//! Unpacks all sources of an archive, tests them, and lists them.

use std::io::{self, Read};

use crate::foreign::export::export;
use crate::foreign::game::ExportForm;
use crate::indexing::Indexing;
use crate::run::{Error, Hooks, SegmentForm, Sink, SourceInfo, Summary, UnpackOptions};
use crate::stream::frame::{FrameRecord, frame_at};
use crate::stream::reader::OnDamage;
use crate::stream::sniff::sniff;
use crate::unpack::block::Depth;
use crate::unpack::run::{ArchiveRun, Nowhere};
use pgc_block::breakdown::{Breakdown, StoredBytes};
use pgc_pgn::source_text::SourceText;

/// Writes to a sink, for streams without sources.
struct SinkWriter<'s>(&'s mut dyn Sink);

impl io::Write for SinkWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Unpacks an archive: its sources byte for byte, or their games in export format (P4). A stream of
/// another program always gives export format.
///
/// # Errors
/// See [`Error`].
pub fn unpack(
    archive: &mut (dyn Read + Send),
    sink: &mut dyn Sink,
    options: &UnpackOptions,
    hooks: &mut dyn Hooks,
) -> Result<Summary, Error> {
    let (ours, begin) = sniff(archive, OnDamage::passing(options.passes_damage))?;
    if options.foreign && is_small(&begin.bytes) {
        let what = "is in the small form, whose records are coded: convert it first with pgc pack";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
    }
    let mut archive = begin.before(archive);
    if !ours || options.foreign || options.pgn2pgc {
        sink.begin(None, SourceText::Pgn)?;
        let summary = export(&mut archive, &mut SinkWriter(sink), options, hooks)?;
        sink.end()?;
        return Ok(summary);
    }
    let depth = match options.export {
        true => Depth::Export(ExportForm::from_options(options)),
        false => Depth::Text,
    };
    let mut run = ArchiveRun::new(depth, options.threads, options.passes_damage, hooks);
    run.utf8 = options.utf8;
    run.over(&mut archive, sink)?;
    let mut summary = run.found;
    for source in &run.sources {
        let (sum, damage) = (&source.sum, source.damage.unwrap_or_default());
        summary.games += sum.games.saturating_sub(damage.games.unwrap_or(0));
        summary.bytes_in += sum.bytes_out;
        summary.bytes_out += sum.bytes_in.saturating_sub(damage.bytes.unwrap_or(0));
    }
    if options.export {
        summary.bytes_out = run.written;
        summary.stray_regions = run.stray.0;
        summary.stray_bytes = run.stray.1;
    }
    Ok(summary)
}

/// Whether an archive begins with a segment in the small form.
fn is_small(begin: &[u8]) -> bool {
    let frame = frame_at(begin, 0).ok().flatten().map(|framed| framed.frame);
    matches!(frame, Some(FrameRecord::Head(head)) if head.form == SegmentForm::Small)
}

/// How much of an archive made by pgc is tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestDepth {
    /// Lengths, checksums and counts.
    Quick,
    /// Also every ordinal, and the digest of each unpacked source.
    #[default]
    Text,
    /// Also the text of each game, read again and compared with its records.
    Deep,
}

/// Options for testing.
#[derive(Clone, Copy, Debug, Default)]
pub struct TestOptions {
    /// How much is tested.
    pub depth: TestDepth,
    /// Also find the SHA-256 of each source, unless the test is quick.
    pub sha256: bool,
    /// Pass over damage, as [`UnpackOptions::passes_damage`] does.
    pub passes_damage: bool,
    /// Worker threads; 0 is one for each processor.
    pub threads: usize,
}

impl From<TestDepth> for TestOptions {
    fn from(depth: TestDepth) -> TestOptions {
        TestOptions {
            depth,
            ..TestOptions::default()
        }
    }
}

/// Tests an archive, and returns its sources as their heads and tails describe them. In a stream of
/// another program it checks what section 20 allows, including every ordinal, whatever the depth.
///
/// # Errors
/// See [`Error`].
pub fn test(
    archive: &mut (dyn Read + Send),
    options: &TestOptions,
    hooks: &mut dyn Hooks,
) -> Result<Vec<SourceInfo>, Error> {
    test_indexed(archive, options, hooks, None)
}

/// Tests an archive as [`test()`] does, and adds its games to `indexing`, which must be new: so its
/// index can be made again without reading the archive twice. A quick test decodes no games.
///
/// # Errors
/// See [`Error`].
pub fn test_indexed(
    archive: &mut (dyn Read + Send),
    options: &TestOptions,
    hooks: &mut dyn Hooks,
    indexing: Option<&mut Indexing<'_>>,
) -> Result<Vec<SourceInfo>, Error> {
    let (ours, begin) = sniff(archive, OnDamage::passing(options.passes_damage))?;
    let mut archive = begin.before(archive);
    if !ours {
        return foreign(&mut archive, hooks).map(|source| vec![source]);
    }
    let depth = match options.depth {
        TestDepth::Quick => Depth::Quick,
        TestDepth::Text => Depth::Text,
        TestDepth::Deep => Depth::Deep,
    };
    let mut run = ArchiveRun::new(depth, options.threads, options.passes_damage, hooks);
    run.sha256 = options.sha256 && depth != Depth::Quick;
    run.indexing = indexing;
    run.over(&mut archive, &mut Nowhere)?;
    Ok(run.sources)
}

/// Tests a foreign stream; the result describes it as one source without a name.
fn foreign(archive: &mut dyn Read, hooks: &mut dyn Hooks) -> Result<SourceInfo, Error> {
    let mut sum = export(archive, &mut io::sink(), &UnpackOptions::default(), hooks)?;
    // Unpacking reads the archive and writes the source.
    (sum.bytes_in, sum.bytes_out) = (sum.bytes_out, sum.bytes_in);
    Ok(SourceInfo {
        sum,
        ..SourceInfo::default()
    })
}

/// Lists the sources of an archive, the bytes that each kind of data takes (in a small segment,
/// before coding), and how its blocks are stored. Damage is passed over if asked.
///
/// # Errors
/// See [`Error`].
pub fn info(
    archive: &mut (dyn Read + Send),
    passes_damage: bool,
    hooks: &mut dyn Hooks,
) -> Result<(Vec<SourceInfo>, Breakdown, StoredBytes), Error> {
    let (ours, begin) = sniff(archive, OnDamage::passing(passes_damage))?;
    let mut archive = begin.before(archive);
    if !ours {
        let mut counted = CountKinds {
            inner: &mut archive,
            kinds: Breakdown::default(),
            pending: Vec::new(),
        };
        let source = foreign(&mut counted, hooks)?;
        let stored = StoredBytes {
            plain: source.sum.bytes_out,
            ..StoredBytes::default()
        };
        return Ok((vec![source], counted.kinds, stored));
    }
    let mut run = ArchiveRun::new(Depth::Records, 0, passes_damage, hooks);
    run.over(&mut archive, &mut Nowhere)?;
    // All but the stored bytes of blocks are heads and tails.
    let total: u64 = run.sources.iter().map(|s| s.sum.bytes_out).sum();
    let mut breakdown = run.breakdown;
    breakdown.heads += total.saturating_sub(run.stored.sum());
    Ok((run.sources, breakdown, run.stored))
}

/// A reader that counts the bytes of the records by kind.
struct CountKinds<'r> {
    inner: &'r mut dyn Read,
    kinds: Breakdown,
    /// The beginning of a record that is not complete yet.
    pending: Vec<u8>,
}

impl Read for CountKinds<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.pending.extend_from_slice(&buffer[..n]);
        let mut src = self.pending.as_slice();
        self.kinds.count(&mut src);
        let done = self.pending.len() - src.len();
        self.pending.drain(..done);
        Ok(n)
    }
}
