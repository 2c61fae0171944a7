//! Packs PGN into PGC.

use std::io::{self, Read, Write};

use crate::digest::Digested;
use crate::foreign::standard;
use crate::games::facts::{IndexedBlock, Wants, of_source};
use crate::indexing::Indexing;
use crate::pipeline::{Spare, over_source};
use crate::run::{Error, Hooks, PackOptions, Summary};
use crate::storing::store;
use crate::stream::head::{MAX_NAME, SegmentHead, SegmentTail};
use pgc_block::cut::Block;
use pgc_block::encode::block::BlockEncoder;
use pgc_block::encode::lines::EpdBlock;
use pgc_block::findings::{Class, End, FindingWords, Origin, Spot, Why, place, spots};
use pgc_block::proof::prove::{Proof, prove};
use pgc_block::units::{Counts, Parsed, count, read_units};
use pgc_pgn::encoding::DecodedSource;
use pgc_pgn::finding::Loss;
use pgc_pgn::game::{Issue, IssueKind, ParsedGame, ParsedGames, Wholeness};
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::source_text::SourceText;
use pgc_pgn::split::{Unit, UnitKind};

/// Packs one source, as a segment of an archive (spec/extension.md section 3) or as a plain stream
/// (spec/standard.md).
///
/// # Errors
/// See [`Error`].
pub fn pack(
    source: &mut (dyn Read + Send),
    name: &str,
    out: &mut (dyn Write + Send),
    options: &PackOptions,
    hooks: &mut dyn Hooks,
) -> Result<Summary, Error> {
    pack_indexed(source, name, out, options, hooks, None)
}

/// As [`pack()`]; also adds the games to the index of the archive that `out` continues, if there is
/// one.
///
/// # Examples
/// ```
/// use pgc::{NoHooks, PackOptions};
/// use pgc::indexing::Indexing;
/// use pgc::pack::pack_indexed;
/// use pgc_index::BuildOptions;
///
/// let mut indexing = Indexing::new(BuildOptions { memory: 1 << 20, temp_dir: std::env::temp_dir(), lines: true });
/// let mut archive = Vec::new();
/// let (options, pgn) = (PackOptions::default(), b"1. e4 e5 *");
/// pack_indexed(&mut &pgn[..], "x.pgn", &mut archive, &options, &mut NoHooks, Some(&mut indexing))?;
/// let mut index = Vec::new();
/// indexing.finish(&mut index)?;
/// assert!(index.starts_with(b"\x89PGCI"));
/// # Ok::<(), pgc::Error>(())
/// ```
///
/// # Errors
/// See [`Error`]; [`Error::Io`] with an index and `options.standard`, whose output can only be indexed
/// after it is written.
pub fn pack_indexed(
    source: &mut (dyn Read + Send),
    name: &str,
    out: &mut (dyn Write + Send),
    options: &PackOptions,
    hooks: &mut dyn Hooks,
    indexing: Option<&mut Indexing<'_>>,
) -> Result<Summary, Error> {
    let Some(drops) = &options.standard else {
        return pack_segment(source, name, out, options, hooks, indexing);
    };
    if indexing.is_some() {
        let what = "`--standard` output can only be indexed after it is written";
        return Err(io::Error::new(io::ErrorKind::Unsupported, what).into());
    }
    let text = text_of(options, name);
    pack_standard((source, text), out, options, drops, hooks)
}

fn pack_segment(
    source: &mut (dyn Read + Send),
    name: &str,
    out: &mut (dyn Write + Send),
    options: &PackOptions,
    hooks: &mut dyn Hooks,
    mut indexing: Option<&mut Indexing<'_>>,
) -> Result<Summary, Error> {
    if name.len() > MAX_NAME {
        let what = format!("the name of the source is longer than {MAX_NAME} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
    }
    let mut bytes = Vec::new();
    let text = text_of(options, name);
    SegmentHead {
        form: options.form,
        text,
        encoding: options.encoding,
        name: name.to_owned(),
    }
    .put(&mut bytes);
    out.write_all(&bytes)?;
    let wants = indexing.as_deref_mut().map(|indexing| {
        indexing.begin(&bytes);
        indexing.wants
    });
    let buffers = Spare::default();
    let encoding = EncodingJob {
        options,
        buffers: &buffers,
        text,
        index: wants.as_ref(),
    };
    let work = |block: &mut Block| encoding.encode(block);
    let mut source = Digested::new(source);
    let mut decoded = DecodedSource::new(&mut source, options.encoding);
    let mut total = PackTotals::new(&[], indexing, &buffers);
    total.summary.bytes_out = bytes.len() as u64;
    let read: (&mut (dyn Read + Send), SourceText) = (&mut decoded, text);
    total.all(read, options.threads, work, out, hooks)?;
    if decoded.len != total.summary.bytes_in {
        return Err(Error::Verify(total.blocks));
    }
    let undecoded = decoded.kept;
    let summary = &mut total.summary;
    let tail = SegmentTail {
        blocks: total.blocks,
        games: summary.games,
        whole: summary.whole,
        tails: summary.text_tail,
        text: summary.text_only,
        plies: summary.plies,
        source: summary.bytes_in,
        digest: source.digest.finalize().into(),
        encoded: options.encoding.map(|_| source.len),
    };
    (summary.undecoded, summary.bytes_in) = (undecoded, source.len);
    bytes.clear();
    tail.put(&mut bytes);
    out.write_all(&bytes)?;
    summary.bytes_out += bytes.len() as u64;
    if let Some(indexing) = total.indexing {
        indexing.end(&bytes)?;
    }
    Ok(total.summary)
}

/// What a source is.
fn text_of(options: &PackOptions, name: &str) -> SourceText {
    let named = || SourceText::from_name(name, options.letters);
    match options.text.unwrap_or_else(named) {
        // English letters, and figurines, which are read anyway.
        SourceText::Letters(letters) if PieceLetters::from_number(letters.number()).is_none() => {
            SourceText::Pgn
        }
        text => text,
    }
}

fn pack_standard(
    (source, text): (&mut (dyn Read + Send), SourceText),
    out: &mut (dyn Write + Send),
    options: &PackOptions,
    drops: &[Loss],
    hooks: &mut dyn Hooks,
) -> Result<Summary, Error> {
    let work = |block: &mut Block| match text {
        SourceText::Pgn | SourceText::Letters(_) => {
            standard::encode(block, text.letters(), options, options.repairs)
        }
        SourceText::Epd => standard::encode_lines(block, options),
    };
    let mut source = DecodedSource::new(source, options.encoding);
    let buffers = Spare::default();
    let mut total = PackTotals::new(drops, None, &buffers);
    let read: (&mut (dyn Read + Send), SourceText) = (&mut source, text);
    total.all(read, options.threads, work, out, hooks)?;
    let losses = Loss::ALL.map(|known| known.1).into_iter().zip(total.losses);
    total.summary.losses = losses.filter(|&(_, count)| count > 0).collect();
    Ok(total.summary)
}

/// A block of source after the work on it.
#[derive(Default)]
pub(crate) struct Encoded {
    /// What the block becomes in the output.
    pub bytes: Vec<u8>,
    pub counts: Counts,
    pub spots: Vec<Spot>,
    /// The words of [`Why::Epd`].
    pub words: Vec<FindingWords>,
    /// The block was decoded and compared, or the caller did not ask for that.
    pub verified: bool,
    /// The data of the block for the index.
    pub indexed: Option<IndexedBlock>,
}

/// The sums over the blocks so far, and the position of the next one in the source.
struct PackTotals<'a, 'i> {
    summary: Summary,
    blocks: u64,
    origin: Origin,
    allowed: &'a [Loss],
    indexing: Option<&'a mut Indexing<'i>>,
    losses: [u64; Loss::ALL.len()],
    /// Takes the bytes of blocks that are written.
    buffers: &'a Spare,
}

impl<'a, 'i> PackTotals<'a, 'i> {
    fn new(
        allowed: &'a [Loss],
        indexing: Option<&'a mut Indexing<'i>>,
        buffers: &'a Spare,
    ) -> PackTotals<'a, 'i> {
        PackTotals {
            buffers,
            summary: Summary::default(),
            blocks: 0,
            origin: Origin::default(),
            allowed,
            indexing,
            losses: [0; Loss::ALL.len()],
        }
    }

    /// Cuts the source into blocks, encodes them in parallel with `work`, and writes them in order.
    fn all(
        &mut self,
        source: (&mut (dyn Read + Send), SourceText),
        threads: usize,
        work: impl Fn(&mut Block) -> Encoded + Sync,
        out: &mut (dyn Write + Send),
        hooks: &mut dyn Hooks,
    ) -> Result<(), Error> {
        let work = |block: &mut Block| {
            let mut encoded = work(block);
            let end = place(&mut encoded.spots, block);
            (encoded, end)
        };
        over_source(source, threads, work, |block, (mut encoded, end)| {
            self.add(block, end, &mut encoded, out, hooks)?;
            self.buffers.give(encoded.bytes);
            Ok(())
        })
    }

    /// Writes a block, whose source ends there.
    fn add(
        &mut self,
        block: &Block,
        end: End,
        encoded: &mut Encoded,
        out: &mut (dyn Write + Send),
        hooks: &mut dyn Hooks,
    ) -> Result<(), Error> {
        if !encoded.verified || block.number != self.blocks {
            return Err(Error::Verify(self.blocks));
        }
        for spot in &encoded.spots {
            let finding = self.origin.finding(&block.src, spot, &encoded.words);
            if let Class::Loss(loss) = spot.class {
                if !self.allowed.contains(&loss) {
                    return Err(Error::Loss(Box::new(finding), loss));
                }
                self.losses[loss as usize] += 1;
            }
            hooks.finding(&finding);
        }
        out.write_all(&encoded.bytes)?;
        let indexed = encoded.indexed.take();
        if let (Some(indexing), Some(indexed)) = (self.indexing.as_deref_mut(), indexed) {
            indexing.block(encoded.bytes.len() as u64, indexed)?;
        }
        let (summary, counts) = (&mut self.summary, &encoded.counts);
        summary.add(counts);
        summary.bytes_in += block.src.len() as u64;
        summary.bytes_out += encoded.bytes.len() as u64;
        self.blocks += 1;
        self.origin.pass(&block.src, end, counts.games);
        hooks.progress(block.src.len() as u64);
        Ok(())
    }
}

/// The number of attempts to encode a block: after each, the games that failed the proof become
/// text.
const ROUNDS: usize = 4;

/// The finding for a game that became text because its records failed the proof: a bug of this
/// program.
static UNPROVED: [Issue; 1] = [Issue {
    what: IssueKind::Unproved,
    start: 0,
    end: 0,
    main: true,
}];

/// How the blocks of a source are encoded.
struct EncodingJob<'a> {
    options: &'a PackOptions,
    buffers: &'a Spare,
    text: SourceText,
    /// What the index needs, if one is made.
    index: Option<&'a Wants>,
}

impl EncodingJob<'_> {
    /// Encodes one block and proves it if the options say so.
    fn encode(&self, block: &mut Block) -> Encoded {
        let epd = (self.text == SourceText::Epd).then(|| EpdBlock::read(block));
        // EPD is read as the PGN that its lines became.
        let pgn = epd.as_ref().map_or(&*block, |epd| &epd.pgn);
        let src = &pgn.src;
        let mut games =
            ParsedGames::in_letters(self.text.letters()).with_play(self.index.is_some());
        let mut parsed = read_units(&mut games, src, &pgn.units);
        let mut encoded = self.proved(block, epd.as_ref(), &mut parsed);
        let found = self.found(epd.as_ref(), src, &parsed, &block.units);
        (encoded.spots, encoded.words) = found;
        encoded
    }

    /// Encodes the units of a block until the proof holds. Games that fail it become text. Returns
    /// the block without findings. The units of EPD were read from the PGN that its lines became.
    fn proved(&self, block: &Block, epd: Option<&EpdBlock>, parsed: &mut [Parsed<'_>]) -> Encoded {
        let src = epd.map_or(&block.src, |epd| &epd.pgn.src);
        let count = |parsed: &[Parsed<'_>]| {
            let mut counts = count(parsed);
            counts.repairs = epd.map_or(counts.repairs, |epd| epd.repairs);
            counts
        };
        let mut records = self.buffers.take();
        let mut encoded = Encoded {
            bytes: self.buffers.take(),
            counts: count(parsed),
            ..Encoded::default()
        };
        for round in 1..=ROUNDS {
            let encoder = match epd {
                Some(epd) => BlockEncoder::from_epd(block, epd, parsed),
                None => BlockEncoder::new(src, parsed, self.text.letters()),
            };
            let Encoded { bytes, counts, .. } = &mut encoded;
            let (mut head, slots) = encoder.put_records(&mut records, block.number, parsed, counts);
            let mut proof = None;
            // In the first form that passes the proof, if the options ask for one.
            store(bytes, &mut head, &records, self.options.form, |bytes| {
                let prove = || prove((block, self.text), bytes, parsed, &slots);
                proof = self.options.verify.then(prove);
                proof.as_ref().is_none_or(Proof::holds)
            });
            let agrees = |proof: &Proof| proof.holds() && proof.counts.agree_with(counts);
            if let Some(proof) = proof.filter(|proof| !agrees(proof)) {
                // The last round encodes all games as text, which always gives the source back.
                let wrong = match round + 1 < ROUNDS {
                    true => proof.wrong,
                    false => (0..parsed.len()).collect(),
                };
                for place in wrong {
                    keep_as_text(&mut parsed[place]);
                }
                *counts = count(parsed);
                continue;
            }
            self.buffers.give(records);
            encoded.verified = true;
            encoded.indexed = self.index.map(|wants| IndexedBlock {
                games: of_source(src, parsed, wants),
                crc: head.crc,
            });
            break;
        }
        encoded
    }

    /// The findings of a block, with their words. For EPD, `src` is the PGN that its `lines`
    /// became.
    fn found(
        &self,
        epd: Option<&EpdBlock>,
        src: &[u8],
        parsed: &[Parsed<'_>],
        lines: &[Unit],
    ) -> (Vec<Spot>, Vec<FindingWords>) {
        let Some(epd) = epd else {
            return (spots(src, parsed, self.options.repairs), Vec::new());
        };
        let (mut found, words) = epd.reported(self.options.repairs);
        let is_unproved = |spot: &Spot| spot.why == Why::Issue(IssueKind::Unproved);
        let mut unproved = spots(src, parsed, false);
        unproved.retain(is_unproved);
        epd.place_back(&mut unproved, lines);
        found.append(&mut unproved);
        (found, words)
    }
}

fn keep_as_text(part: &mut Parsed<'_>) {
    if part.unit.kind == UnitKind::Game {
        part.unit.kind = UnitKind::Piece(false);
        part.game = ParsedGame {
            wholeness: Wholeness::TextOnly,
            issues: &UNPROVED,
            ..ParsedGame::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::NoHooks;

    #[test]
    fn a_name_that_no_head_holds_is_refused() {
        let packed = |len| {
            let mut out = Vec::new();
            let done = pack(
                &mut &b"1. e4 *"[..],
                &"a".repeat(len),
                &mut out,
                &PackOptions::default(),
                &mut NoHooks,
            );
            (done.map(|summary| summary.games), out.is_empty())
        };
        assert!(matches!(packed(MAX_NAME), (Ok(1), false)));
        let (done, nothing) = packed(MAX_NAME + 1);
        assert!(
            matches!(done, Err(Error::Io(e)) if e.kind() == io::ErrorKind::InvalidInput) && nothing
        );
    }
}
