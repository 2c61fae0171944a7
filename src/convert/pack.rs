//! PGN to PGC.

use std::cell::RefCell;
use std::io::{self, Read, Write};

use super::blocks::{Block, Blocks};
use super::decode::{BlockDecoder, Decoded, Unit as Got};
use super::digest::SourceDigest;
use super::encode::{BlockEncoder, Counts, Form, Parsed, count, read_units};
use super::findings::{Class, End, Origin, Spot, place, spots};
use super::indexing::Indexing;
use super::layouts::{LastStyle, Layouts};
use super::pipeline::ordered;
use super::render::{render, render_with};
use super::retrace::Retrace;
use super::standard;
use super::summaries::{Indexed, Wants, of_source};
use super::{Drops, Error, Hooks, Loss, PackOptions, Summary};
use crate::archive::{BlockHead, MAX_NAME, SegmentHead, Tail};
use crate::pgn::game::{Ask, Game, Games, Wholeness};
use crate::pgn::split::UnitKind;

/// Packs one source: as one segment of an archive (spec/extension.md section 3), or as a plain stream
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
    match &options.standard {
        Some(drops) => pack_standard(source, out, options, drops, hooks),
        None => pack_segment(source, name, out, options, hooks, None),
    }
}

/// The same, of a segment, whose games go into an index too: that of the archive that `out` goes on with.
///
/// # Examples
/// ```
/// use pgc::convert::{Indexing, NoHooks, PackOptions, pack_indexed};
/// use pgc::index::BuildOptions;
///
/// let mut indexing = Indexing::new(BuildOptions { memory: 1 << 20, temp_dir: std::env::temp_dir(), hashes: false });
/// let mut archive = Vec::new();
/// let (options, pgn) = (PackOptions::default(), b"1. e4 e5 *");
/// pack_indexed(&mut &pgn[..], "x.pgn", &mut archive, &options, &mut NoHooks, &mut indexing)?;
/// let mut index = Vec::new();
/// indexing.finish(&mut std::io::Cursor::new(archive), 1, &mut index)?;
/// assert!(index.starts_with(b"\x89PGCI"));
/// # Ok::<(), pgc::Error>(())
/// ```
///
/// # Errors
/// See [`Error`]; [`Error::Io`] for `--standard`, which makes no segments: such a stream is indexed when it is there.
pub fn pack_indexed(
    source: &mut (dyn Read + Send),
    name: &str,
    out: &mut (dyn Write + Send),
    options: &PackOptions,
    hooks: &mut dyn Hooks,
    indexing: &mut Indexing<'_>,
) -> Result<Summary, Error> {
    if options.standard.is_some() {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "a stream without segments is indexed when it is there",
        )
        .into());
    }
    pack_segment(source, name, out, options, hooks, Some(indexing))
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
    SegmentHead { name: name.to_owned() }.put(&mut bytes);
    out.write_all(&bytes)?;
    let wants = indexing.as_deref_mut().map(|indexing| {
        indexing.begin(&bytes);
        indexing.wants().clone()
    });
    let want_repairs = hooks.wants_repairs();
    let last_style = LastStyle::default();
    let work = |block: &Block| encode(block, &last_style, want_repairs, options.verify, wants.as_ref());
    let mut digest = SourceDigest::default();
    let mut seen = |src: &[u8]| digest.update(src);
    let mut total = Totals::new(&[], indexing);
    total.summary.bytes_out = bytes.len() as u64;
    total.all(source, options.threads, &mut seen, work, out, hooks)?;
    let summary = &mut total.summary;
    let tail = Tail {
        blocks: total.blocks,
        games: summary.games,
        whole: summary.whole,
        tails: summary.text_tail,
        text: summary.text_only,
        plies: summary.plies,
        source: summary.bytes_in,
        digest: digest.finish(),
    };
    let head = std::mem::take(&mut bytes);
    tail.put(&mut bytes);
    out.write_all(&bytes)?;
    summary.bytes_out += bytes.len() as u64;
    if let Some(indexing) = total.indexing {
        indexing.end(&head, &bytes);
    }
    Ok(total.summary)
}

fn pack_standard(
    source: &mut (dyn Read + Send),
    out: &mut (dyn Write + Send),
    options: &PackOptions,
    drops: &Drops,
    hooks: &mut dyn Hooks,
) -> Result<Summary, Error> {
    let want_repairs = hooks.wants_repairs();
    let work = |block: &Block| standard::encode(block, drops, want_repairs, options.verify);
    let mut total = Totals::new(&drops.0, None);
    total.all(source, options.threads, &mut |_| {}, work, out, hooks)?;
    Ok(total.into_summary())
}

/// What the work on a block gives.
pub(super) struct Encoded {
    /// Its part of the archive.
    pub bytes: Vec<u8>,
    pub counts: Counts,
    pub spots: Vec<Spot>,
    /// No decoding was wanted, or it gave what it should.
    pub verified: bool,
    /// What goes into an index.
    pub indexed: Option<Indexed>,
}

/// A block after that.
struct Done {
    src: Vec<u8>,
    end: End,
    encoded: Encoded,
}

/// Sums over blocks, and where the next one begins in the source.
struct Totals<'a, 'i> {
    summary: Summary,
    blocks: u64,
    origin: Origin,
    allowed: &'a [Loss],
    indexing: Option<&'a mut Indexing<'i>>,
    losses: [u64; Loss::ALL.len()],
}

impl<'a, 'i> Totals<'a, 'i> {
    fn new(allowed: &'a [Loss], indexing: Option<&'a mut Indexing<'i>>) -> Totals<'a, 'i> {
        Totals {
            summary: Summary::default(),
            blocks: 0,
            origin: Origin::default(),
            allowed,
            indexing,
            losses: [0; Loss::ALL.len()],
        }
    }

    /// Runs over the source; `seen` gets all of it.
    fn all(
        &mut self,
        source: &mut (dyn Read + Send),
        threads: usize,
        seen: &mut dyn FnMut(&[u8]),
        work: impl Fn(&Block) -> Encoded + Sync,
        out: &mut (dyn Write + Send),
        hooks: &mut dyn Hooks,
    ) -> Result<(), Error> {
        let blocks = RefCell::new(Blocks::new(source));
        ordered(
            threads,
            || {
                let Some(block) = blocks.borrow_mut().next()? else { return Ok(None) };
                seen(&block.src);
                let cost = block.src.len();
                Ok(Some((block, cost)))
            },
            |block| {
                let mut encoded = work(&block);
                let end = place(&mut encoded.spots, &block);
                Done { src: block.src, end, encoded }
            },
            |mut done| {
                self.add(&mut done, out, hooks)?;
                blocks.borrow_mut().recycle(done.src);
                Ok(())
            },
        )
    }

    fn add(&mut self, done: &mut Done, out: &mut (dyn Write + Send), hooks: &mut dyn Hooks) -> Result<(), Error> {
        if hooks.cancelled() {
            return Err(Error::Cancelled);
        }
        let Done { src, end, encoded } = done;
        if !encoded.verified {
            return Err(Error::Verify(self.blocks));
        }
        for spot in &encoded.spots {
            let finding = self.origin.finding(src, spot);
            if let Class::Loss(loss) = spot.class {
                if !self.allowed.contains(&loss) {
                    return Err(Error::Loss(Box::new(finding), loss));
                }
                self.losses[loss as usize] += 1;
            }
            hooks.finding(&finding);
        }
        out.write_all(&encoded.bytes)?;
        if let (Some(indexing), Some(indexed)) = (self.indexing.as_deref_mut(), encoded.indexed.take()) {
            indexing.block(encoded.bytes.len() as u64, indexed)?;
        }
        let (summary, counts) = (&mut self.summary, &encoded.counts);
        counts.add_to(summary);
        summary.bytes_in += src.len() as u64;
        summary.bytes_out += encoded.bytes.len() as u64;
        self.blocks += 1;
        self.origin.pass(src, *end, counts.games);
        hooks.progress(src.len() as u64);
        Ok(())
    }

    fn into_summary(self) -> Summary {
        let losses = Loss::ALL.into_iter().zip(self.losses).filter(|&(_, count)| count > 0).collect();
        Summary { losses, ..self.summary }
    }
}

/// The work on one block of an archive. `index`: it goes into one, which wants to know this.
fn encode(block: &Block, last_style: &LastStyle, want_repairs: bool, prove: bool, index: Option<&Wants>) -> Encoded {
    let src = &block.src;
    let (mut games, mut ahead) = (Games::default(), Layouts::ahead(last_style.get()));
    let guess = ahead.guess;
    let ask = Ask { proof: prove, guess: guess.as_ref() };
    let mut parsed = read_units(&mut games, src, &block.units, ask, |text, game| ahead.see(text, game));
    let mut ahead = Some(ahead);
    let mut bytes = Vec::new();
    let mut counts = count(&parsed);
    // Three forms a unit can have: text at the latest gives the source back.
    let (mut verified, mut indexed) = (false, None);
    for _ in 0..3 {
        bytes.clear();
        let mut encoder = BlockEncoder::new(src, &parsed, ahead.take());
        last_style.set(encoder.style());
        let head = encoder.put_block(&mut bytes, block.number, &parsed, &counts);
        let records = &bytes[bytes.len() - usize::try_from(head.records).unwrap_or(0)..];
        verified = !prove || verify(src, &head, records, &mut parsed);
        if verified {
            let games = |wants| of_source(src, &parsed, encoder.movetexts(records), &head.shapes, wants);
            indexed = index.map(|wants| Indexed { games: games(wants), crc: head.crc });
            break;
        }
        counts = count(&parsed);
    }
    Encoded { bytes, counts, spots: spots(src, &parsed, want_repairs), verified, indexed }
}

/// Decodes the block and compares. Where a unit comes out wrong its form is changed.
fn verify(src: &[u8], head: &BlockHead, records: &[u8], parsed: &mut [Parsed<'_>]) -> bool {
    let mut decoder = BlockDecoder::new(head, records);
    let (mut unit, mut out, mut scratch) = (Decoded::default(), Vec::new(), Vec::new());
    let mut all = true;
    for part in parsed {
        let expected = &src[part.unit.start..part.unit.end];
        let right = match decoder.read(&mut unit) {
            Ok(Some(Got::Game)) => {
                out.clear();
                let mut elements = decoder.joined(&unit);
                let (style, limit) = (&head.style, expected.len());
                let rendered = match Retrace::of(expected, &part.game, &unit, style) {
                    Some(mut moves) => {
                        render_with(&mut moves, &mut out, &unit, &mut elements, style, &mut scratch, limit)
                    }
                    None => render(&mut out, &unit, &mut elements, style, &mut scratch, limit),
                };
                let ending = elements.finish();
                rendered.is_ok()
                    && out == expected
                    && ending.is_ok_and(|ending| ending.wholeness == part.game.wholeness)
            }
            Ok(Some(Got::Stray(_) | Got::Piece(_))) => unit.raw == expected,
            Ok(None) | Err(_) => false,
        };
        if !right {
            all = false;
            part.form = match part.form {
                Form::Records => Form::WholeText,
                Form::WholeText | Form::Text => Form::Text,
            };
            if part.form == Form::Text && part.unit.kind == UnitKind::Game {
                part.game = Game { wholeness: Wholeness::TextOnly, ..Game::default() };
            }
        }
    }
    all && matches!(decoder.read(&mut unit), Ok(None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::NoHooks;

    #[test]
    fn a_name_that_no_head_holds_is_refused() {
        let packed = |len| {
            let mut out = Vec::new();
            let done = pack(&mut &b"1. e4 *"[..], &"a".repeat(len), &mut out, &PackOptions::default(), &mut NoHooks);
            (done.map(|summary| summary.games), out.is_empty())
        };
        assert!(matches!(packed(MAX_NAME), (Ok(1), false)));
        let (done, nothing) = packed(MAX_NAME + 1);
        assert!(matches!(done, Err(Error::Io(e)) if e.kind() == io::ErrorKind::InvalidInput) && nothing);
    }

    #[test]
    fn no_byte_of_the_records_can_be_another() {
        let pgn = b"[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 {[%clk 0:01:00]} e5 (1... c5 2. Nf3 $14 (2. Nc3 Nc6) 2... d6) 2. Qh5 Nc6 \
            3. Bc4 Nf6?? 4. Qxf7# 1-0\n\n[Event \"y\"]\n[Variant \"Chess960\"]\n\n1. e4  e5 2. Ng1f3 {odd} Nc6 3. Ke2 Ke7 *\n\n\
            [Event \"z\"]\n\n1. e4 e5 2. Ke3 what *\n";
        let block = Blocks::new(&mut &pgn[..]).next().unwrap().unwrap();
        let mut games = Games::default();
        let mut parsed = read_units(&mut games, &block.src, &block.units, Ask { proof: true, guess: None }, |_, _| {});
        // Of the moves of the first game and the last all are proved; one of the second is not spelled as SAN.
        assert_eq!(parsed.iter().map(|part| part.game.proved).collect::<Vec<_>>(), [true, false, true]);
        let mut bytes = Vec::new();
        let head = BlockEncoder::new(&block.src, &parsed, None).put_block(&mut bytes, 0, &parsed, &count(&parsed));
        let mut records = bytes.split_off(bytes.len() - usize::try_from(head.records).unwrap());
        let forms = parsed.iter().map(|part| part.form).collect::<Vec<_>>();
        for at in 0..records.len() {
            for change in [1, 2, 4, 0x80, 0xff] {
                records[at] ^= change;
                let is_found = verify(&block.src, &head, &records, &mut parsed);
                assert!(!is_found, "byte {at} of {}: {:#x}", records.len(), records[at]);
                records[at] ^= change;
                parsed.iter_mut().zip(&forms).for_each(|(part, &form)| part.form = form);
            }
        }
        assert!(verify(&block.src, &head, &records, &mut parsed));
    }
}
