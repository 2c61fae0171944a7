//! What several tests share: packing and unpacking in memory, the round trip with everything that
//! must hold of it, and the search for a smaller input where it does not.

pub(crate) mod alloc;
pub(crate) mod false_indexes;
pub(crate) mod gen_pgn;
pub(crate) mod nothing;
pub(crate) mod plain_index;
pub(crate) mod plain_lines;
pub(crate) mod program;
pub(crate) mod random;

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use pgc::pack;
use pgc::{Error, NoHooks, PackOptions, SegmentForm, Sink, SourceText, Summary};
use pgc::{TestDepth, TestOptions, UnpackOptions};
use pgc::{test, unpack};
use pgc_chess::{Position, Rules};
use pgc_pgn::records::reader::{Dialect, Records};
use pgc_pgn::records::record::Record;

/// A folder of shared test data, or `None` with a message when it is not there.
pub(crate) fn shared(variable: &str, name: &str) -> Option<PathBuf> {
    let path = match std::env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("../shared")
            .join(name),
    };
    if path.is_dir() {
        Some(path)
    } else {
        eprintln!("skipped: no {} (set {variable})", path.display());
        None
    }
}

/// Gives at most so many bytes a read, whatever is asked for; and now and then an interruption.
pub(crate) struct Trickle<'a> {
    rest: &'a [u8],
    size: usize,
    reads: usize,
}

impl<'a> Trickle<'a> {
    pub(crate) fn new(rest: &'a [u8], size: usize) -> Trickle<'a> {
        Trickle {
            rest,
            size,
            reads: 0,
        }
    }
}

impl Read for Trickle<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        if self.reads.is_multiple_of(1000) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = self.rest.len().min(self.size).min(buf.len());
        buf[..n].copy_from_slice(&self.rest[..n]);
        self.rest = &self.rest[n..];
        Ok(n)
    }
}

pub(crate) fn options(verify: bool, threads: usize) -> PackOptions {
    PackOptions {
        verify,
        threads,
        form: SegmentForm::Plain,
        ..PackOptions::default()
    }
}

/// Packs on one thread.
pub(crate) fn packed(src: &[u8], verify: bool) -> Result<(Vec<u8>, Summary), Error> {
    let mut out = Vec::new();
    let summary = pack(
        &mut &*src,
        "x.pgn",
        &mut out,
        &options(verify, 1),
        &mut NoHooks,
    )?;
    Ok((out, summary))
}

/// Packs on one thread what must pack.
pub(crate) fn archive_of(src: &[u8]) -> Vec<u8> {
    packed(src, false).unwrap().0
}

/// Packs in the small form.
pub(crate) fn small_of(src: &[u8], verify: bool) -> Result<Vec<u8>, Error> {
    let (mut out, options) = (Vec::new(), small_options(verify, 1));
    pack(&mut &*src, "x.pgn", &mut out, &options, &mut NoHooks)?;
    Ok(out)
}

pub(crate) fn small_options(verify: bool, threads: usize) -> PackOptions {
    PackOptions {
        form: SegmentForm::Small,
        ..options(verify, threads)
    }
}

/// A sink in memory: each source, and whether it was ended.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) sources: Vec<(String, Vec<u8>)>,
    pub(crate) ended: usize,
}

impl Sink for Collected {
    fn begin(&mut self, name: Option<&str>, _text: SourceText) -> io::Result<()> {
        self.sources
            .push((name.unwrap_or("-").to_owned(), Vec::new()));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sources.last_mut().unwrap().1.extend_from_slice(bytes);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.ended += 1;
        Ok(())
    }
}

pub(crate) fn unpacked_with(archive: &[u8], threads: usize) -> Result<(Collected, Summary), Error> {
    let mut sink = Collected::default();
    let options = UnpackOptions {
        threads,
        ..UnpackOptions::default()
    };
    let summary = unpack(&mut &*archive, &mut sink, &options, &mut NoHooks)?;
    Ok((sink, summary))
}

/// Unpacks on one thread an archive of one source.
pub(crate) fn unpacked(archive: &[u8]) -> Result<Vec<u8>, Error> {
    let (mut sink, _) = unpacked_with(archive, 1)?;
    assert_eq!((sink.sources.len(), sink.ended), (1, 1));
    Ok(sink.sources.pop().unwrap().1)
}

/// Everything that must hold of a round trip. The first failure is described.
pub(crate) fn check_round_trip(src: &[u8]) -> Result<(), String> {
    // Without verifying, nothing falls back on text, so an archive that is right is right by
    // itself.
    let (archive, summary) = packed(src, false).map_err(|e| format!("packing: {e}"))?;
    let back = unpacked(&archive).map_err(|e| format!("unpacking: {e}"))?;
    if back != src {
        let at = back.iter().zip(src).take_while(|(a, b)| a == b).count();
        let around = |bytes: &[u8]| {
            String::from_utf8_lossy(&bytes[at.saturating_sub(40)..bytes.len().min(at + 40)])
                .into_owned()
        };
        return Err(format!(
            "differs at byte {at}: {:?} became {:?}",
            around(src),
            around(&back)
        ));
    }
    let (verified, of_verified) =
        packed(src, true).map_err(|e| format!("packing and verifying: {e}"))?;
    if verified != archive || of_verified != summary {
        return Err("verifying changes the archive: something fell back on text".into());
    }
    check_summary(src, &archive, &summary)?;
    check_small(src, &archive)?;
    check_stream(&archive).map(drop)
}

/// The small form gives the source back, and apart from the list of streams in their heads, its
/// blocks are never longer than the plain ones.
fn check_small(src: &[u8], plain: &[u8]) -> Result<(), String> {
    let small = small_of(src, true).map_err(|e| format!("packing small: {e}"))?;
    let back = unpacked(&small).map_err(|e| format!("unpacking small: {e}"))?;
    if back != src {
        return Err("the small form gives another text".into());
    }
    let blocks = test(&mut &*small, &TestDepth::Quick.into(), &mut NoHooks)
        .map_err(|e| format!("listing small: {e}"))?[0]
        .blocks;
    // This decodes all of it again: for one source of eight.
    if src.len().is_multiple_of(8) {
        let tested = test(&mut &*small, &TestOptions::default(), &mut NoHooks)
            .map_err(|e| format!("testing small: {e}"))?;
        if (tested[0].blocks, tested[0].sum.bytes_in) != (blocks, src.len() as u64) {
            return Err(format!("small: {tested:?}"));
        }
    }
    if small.len() as u64 > plain.len() as u64 + 16 * blocks {
        return Err(format!(
            "small has {} bytes, plain {}",
            small.len(),
            plain.len()
        ));
    }
    Ok(())
}

fn check_summary(src: &[u8], archive: &[u8], packing: &Summary) -> Result<(), String> {
    let same = |what: &str, a: u64, b: u64| {
        if a == b {
            Ok(())
        } else {
            Err(format!("{what}: {a} and {b}"))
        }
    };
    same(
        "games",
        packing.games,
        packing.whole + packing.text_tail + packing.text_only,
    )?;
    same("bytes in", packing.bytes_in, src.len() as u64)?;
    same("bytes out", packing.bytes_out, archive.len() as u64)?;
    let sources = test(&mut &*archive, &TestOptions::default(), &mut NoHooks)
        .map_err(|e| format!("testing: {e}"))?;
    let [source] = sources.as_slice() else {
        return Err(format!("{} sources", sources.len()));
    };
    same("games of the source", source.sum.games, packing.games)?;
    same("whole", source.sum.whole, packing.whole)?;
    same("text tails", source.sum.text_tail, packing.text_tail)?;
    same("text only", source.sum.text_only, packing.text_only)?;
    same("plies", source.sum.plies, packing.plies)?;
    same("bytes of the source", source.sum.bytes_in, src.len() as u64)?;
    same(
        "bytes of the archive",
        source.sum.bytes_out,
        archive.len() as u64,
    )?;
    if source.digest != Some(*blake3::hash(src).as_bytes()) {
        return Err("digest".into());
    }
    Ok(())
}

/// The position in a line of play, and the one before its last move.
#[derive(Clone)]
struct Line {
    now: Position,
    before: Option<Position>,
}

/// A reader of 1994: it knows the records, the rules of chess and the tags that have records. No
/// escape of ours.
struct Reader1994 {
    rules: Rules,
    fen: Option<Vec<u8>>,
    line: Option<Line>,
    outer: Vec<(Line, u64)>,
    /// Moves in the line at hand.
    moves: u64,
    /// The record before was of moves, and so many of them.
    last_moves: usize,
    /// All moves, with their variations.
    sans: Vec<String>,
}

impl Reader1994 {
    fn begin() -> Reader1994 {
        Reader1994 {
            rules: Rules::Chess,
            fen: None,
            line: None,
            outer: Vec::new(),
            moves: 0,
            last_moves: usize::MAX,
            sans: Vec::new(),
        }
    }

    fn tag(&mut self, name: &[u8], value: &[u8]) -> Result<(), String> {
        if !(1..=255).contains(&name.len())
            || !name.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_')
        {
            return Err(format!(
                "a tag pair named {}",
                String::from_utf8_lossy(name)
            ));
        }
        if value.iter().any(|&b| b < 0x20 || (0x7f..0xa0).contains(&b)) {
            return Err("a control character in a tag pair".into());
        }
        if self.moves > 0 {
            return Err("a tag pair after play".into());
        }
        match name {
            // Unknown rules are no harm as long as there is no play.
            b"Variant" => match Rules::from_variant_tag(value) {
                Some(rules) => self.rules = rules,
                None => self.fen = Some(b"unknown rules".to_vec()),
            },
            b"FEN" if matches!(value.trim_ascii(), b"" | b"?" | b"-") => {}
            b"FEN" => self.fen = Some(value.to_vec()),
            _ => {}
        }
        Ok(())
    }

    fn moves(&mut self, ordinals: &[u8]) -> Result<(), String> {
        if ordinals.is_empty() || self.last_moves < 0xffff {
            return Err("moves not filled greedily".into());
        }
        self.last_moves = ordinals.len();
        if self.line.is_none() {
            let now = Position::start(self.rules, self.fen.as_deref())
                .map_err(|e| format!("play from: {e}"))?;
            self.line = Some(Line { now, before: None });
        }
        let line = self.line.as_mut().ok_or("no line")?;
        for &ordinal in ordinals {
            let m = line
                .now
                .select(ordinal)
                .ok_or_else(|| format!("ordinal {ordinal} is no move"))?;
            self.sans
                .push(String::from_utf8_lossy(line.now.san(m).as_bytes()).into_owned());
            line.before = Some(line.now.clone());
            line.now.play(m);
            self.moves += 1;
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), String> {
        let line = self.line.as_ref().ok_or("a variation before any move")?;
        let before = line.before.clone().ok_or("a variation of nothing")?;
        self.outer.push((line.clone(), self.moves));
        self.line = Some(Line {
            now: before,
            before: None,
        });
        self.moves = 0;
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        if self.moves == 0 {
            return Err("a variation without a move".into());
        }
        let (line, moves) = self.outer.pop().ok_or("no variation is open")?;
        (self.line, self.moves) = (Some(line), moves);
        Ok(())
    }
}

/// P2: a valid stream of section 20, every ordinal legal for a reader that knows the tags that it
/// is shown. Returns the moves of the last game.
pub(crate) fn check_stream(archive: &[u8]) -> Result<Vec<String>, String> {
    let mut reader = Reader1994::begin();
    for record in Records::new(archive, Dialect::Standard) {
        let (offset, record) = record.map_err(|e| format!("not a stream of 1994: {e}"))?;
        let fine = match record {
            Record::Noop | Record::GameEnd => Ok(()),
            Record::Escape(payload) if payload.iter().any(|&b| matches!(b, b'\n' | b'\r')) => {
                Err("a line end in an escape".to_owned())
            }
            Record::Escape(_) | Record::Nag(_) => Ok(()),
            Record::GameBegin => {
                reader = Reader1994::begin();
                Ok(())
            }
            Record::Game { moves, .. } => {
                reader = Reader1994::begin();
                if moves.is_empty() {
                    Ok(())
                } else {
                    reader.moves(moves)
                }
            }
            Record::TagPair { name, value } => reader.tag(name, value),
            Record::ShortMoves(moves) => reader.moves(moves),
            Record::LongMoves(moves) if moves.len() < 256 => {
                Err("few moves in a long record".to_owned())
            }
            Record::LongMoves(moves) => reader.moves(moves),
            Record::RavBegin => reader.open(),
            Record::RavEnd => reader.close(),
        };
        fine.map_err(|what| format!("record at byte {offset}: {what}"))?;
        if !matches!(record, Record::ShortMoves(_) | Record::LongMoves(_)) {
            reader.last_moves = usize::MAX;
        }
    }
    Ok(reader.sans)
}

/// The result of `check`; a panic is a failure too.
fn outcome(src: &[u8], check: &dyn Fn(&[u8]) -> Result<(), String>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| check(src))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text
            .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
            .unwrap_or_else(|| "panic".into()))
    })
}

/// The smallest part of `src` that was found for which the failure remains.
fn smaller(src: &[u8], check: &dyn Fn(&[u8]) -> Result<(), String>) -> Vec<u8> {
    let mut least = src.to_vec();
    let mut step = least.len() / 2;
    let mut tries = 0;
    while step > 0 && tries < 3000 {
        let before = least.len();
        let mut at = 0;
        while at < least.len() && tries < 3000 {
            let mut less = least.clone();
            less.drain(at..(at + step).min(least.len()));
            tries += 1;
            if outcome(&less, check).is_err() {
                least = less;
            } else {
                at += step;
            }
        }
        if least.len() == before || step > least.len() {
            step /= 2;
        }
    }
    least
}

/// Fails with the smallest input that can be found, if `check` fails for `src`.
pub(crate) fn assert_holds(what: &str, src: &[u8], check: &dyn Fn(&[u8]) -> Result<(), String>) {
    let Err(first) = outcome(src, check) else {
        return;
    };
    let least = smaller(src, check);
    let why = outcome(&least, check).err();
    panic!(
        "{what}: {first}\nsmaller ({} of {} bytes): {}\n{}",
        least.len(),
        src.len(),
        least[..least.len().min(2000)].escape_ascii(),
        why.unwrap_or_default()
    );
}

/// The round trip of `src` in every respect.
pub(crate) fn assert_round_trip(what: &str, src: &[u8]) {
    assert_holds(what, src, &check_round_trip);
}
