//! The sums over the blocks of a segment, compared with its tail.

use sha2::{Digest, Sha256};

use crate::part_walk::PartPlace;
use crate::run::{Error, Gap, SegmentForm, SourceDamage, SourceInfo, Summary};
use crate::stream::gaps::can_be_missing;
use crate::stream::head::{SegmentHead, SegmentTail};
use crate::unpack::block::{DecodedBlock, Depth};
use pgc_block::decode::block::Damage;
use pgc_block::head::BlockHead;
use pgc_block::units::Counts;
use pgc_pgn::encoding::SourceEncoder;
use pgc_pgn::source_text::SourceText;
use pgc_pgn::split::UnitKind;

/// The current segment and the sums over its blocks.
#[derive(Default)]
pub(crate) struct SegmentSums {
    pub name: String,
    small: bool,
    pub text: SourceText,
    pub begin: u64,
    /// The sums over the blocks found.
    pub sum: Summary,
    blocks: u64,
    /// The kind of the last unit so far; `None` also behind a gap.
    last: Option<UnitKind>,
    encoder: Option<SourceEncoder>,
    /// The text of the last block in the encoding of the source, and the length of all.
    encoded: (Vec<u8>, u64),
    digest: blake3::Hasher,
    sha256: Option<Sha256>,
    /// Whether blocks are missing.
    pub damaged: bool,
    /// Whether the last block is missing: then a text may go on whose beginning is lost.
    pub behind_gap: bool,
}

impl SegmentSums {
    /// A segment with this head begins at this offset.
    pub(crate) fn new(head: SegmentHead, begin: u64, sha256: Option<Sha256>) -> SegmentSums {
        SegmentSums {
            name: head.name,
            small: head.form == SegmentForm::Small,
            text: head.text,
            encoder: head.encoding.map(SourceEncoder::new),
            begin,
            sha256,
            ..SegmentSums::default()
        }
    }

    /// Checks that the block goes on where the one before ended.
    pub(crate) fn follow(&mut self, block: &DecodedBlock) -> Result<(), Damage> {
        if std::mem::take(&mut self.behind_gap) {
            self.last = block.last;
            return Ok(());
        }
        block.follows(&mut self.last)
    }

    pub(crate) fn add(&mut self, head: &BlockHead, block: &DecodedBlock, depth: Depth) {
        let sum = &mut self.sum;
        self.blocks += 1;
        // The head gives games and plies even if the block was not decoded.
        sum.add(&Counts {
            games: head.games,
            plies: head.plies,
            ..block.counts
        });
        sum.bytes_in += head.source;
        if depth.has_text() {
            self.add_text(&block.source, false);
        }
    }

    /// Adds text to the digests.
    fn add_text(&mut self, text: &[u8], last: bool) {
        let (encoded, length) = &mut self.encoded;
        let mut bytes = text;
        if let Some(encoder) = &mut self.encoder {
            encoded.clear();
            encoder.encode(text, last, encoded);
            *length += encoded.len() as u64;
            bytes = encoded;
        }
        self.digest.update(bytes);
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(bytes);
        }
    }

    /// The text of the last block that was added, as the source has it.
    pub(crate) fn source_text<'a>(&'a self, block: &'a [u8]) -> &'a [u8] {
        match self.encoder {
            Some(_) => &self.encoded.0,
            None => block,
        }
    }

    /// The rest of the source behind the last block: a character that was cut off.
    pub(crate) fn rest(&mut self) -> &[u8] {
        self.add_text(&[], true);
        &self.encoded.0
    }

    /// The gap in the place of a block whose records are damaged though its checksums are right.
    pub(crate) fn gap_of(&self, head: &BlockHead, place: &PartPlace, error: Error) -> Gap {
        let gap = self.gap_of_tail(place, error);
        gap.of_block(head.games, Some(head.source))
    }

    /// The gap for a tail that does not fit.
    pub(crate) fn gap_of_tail(&self, place: &PartPlace, error: Error) -> Gap {
        Gap {
            name: Some(self.name.clone()),
            at: (!self.damaged).then_some(self.sum.bytes_in),
            ..Gap::new(error, place.begin..place.end, place.games)
        }
    }

    /// Compares the tail with the sums found.
    pub(crate) fn finish(
        &mut self,
        tail: &SegmentTail,
        at: u64,
        depth: Depth,
    ) -> Result<SourceInfo, (&'static str, String)> {
        self.rest();
        let sum = &self.sum;
        // The reader has compared the tail with the heads; the heads do not count the kinds of
        // games.
        let facts = [
            ("whole games of the tail", sum.whole, tail.whole),
            (
                "games with a text tail of the tail",
                sum.text_tail,
                tail.tails,
            ),
            ("games of text of the tail", sum.text_only, tail.text),
        ];
        for (item, found, told) in facts {
            if depth != Depth::Quick && found != told {
                return Err((item, format!("{told}, found {found}")));
            }
        }
        let told = tail.encoded.unwrap_or(tail.source);
        let found = match &self.encoder {
            Some(_) if depth.has_text() => self.encoded.1,
            Some(_) => told,
            None => tail.source,
        };
        let has_other = self.encoder.is_some() != tail.encoded.is_some();
        if found != told || has_other || told / 2 > tail.source {
            let what = format!("{told}, found {found}");
            return Err(("encoded length of the tail", what));
        }
        if depth.has_text() && *self.digest.finalize().as_bytes() != tail.digest {
            return Err(("digest of the source", "does not match".into()));
        }
        Ok(self.info(tail, at))
    }

    /// The source according to its tail, and what of it is missing.
    pub(crate) fn info(&mut self, tail: &SegmentTail, at: u64) -> SourceInfo {
        let sum = &self.sum;
        let blocks = tail.blocks.saturating_sub(self.blocks);
        let games = tail.games.saturating_sub(sum.games);
        let bytes = tail.source.saturating_sub(sum.bytes_in);
        if self.damaged && !can_be_missing(blocks, games, bytes) {
            let found = self.tail();
            return self.info_without_tail(&found, at);
        }
        let damage = self.damaged.then_some(SourceDamage {
            blocks: Some(blocks),
            games: Some(games),
            bytes: Some(bytes),
        });
        // No byte of UTF-8 becomes more than two in another encoding.
        let encoded = tail.encoded.filter(|bytes| bytes / 2 <= tail.source);
        SourceInfo {
            name: std::mem::take(&mut self.name),
            small: self.small,
            text: self.text,
            encoding: self.encoder.as_ref().map(|encoder| encoder.encoding),
            sum: Summary {
                games: tail.games,
                whole: tail.whole,
                text_tail: tail.tails,
                text_only: tail.text,
                plies: tail.plies,
                bytes_in: encoded.unwrap_or(tail.source),
                bytes_out: at - self.begin,
                ..Summary::default()
            },
            blocks: tail.blocks,
            digest: Some(tail.digest),
            sha256: self.sha256.take().map(|hasher| hasher.finalize().into()),
            damage,
        }
    }

    /// The source of a segment whose tail is lost; `tail` counts what was found.
    pub(crate) fn info_without_tail(&mut self, tail: &SegmentTail, at: u64) -> SourceInfo {
        SourceInfo {
            digest: None,
            damage: Some(SourceDamage::default()),
            ..self.info(tail, at)
        }
    }

    /// A tail that counts what was found.
    pub(crate) fn tail(&mut self) -> SegmentTail {
        self.rest();
        let sum = &self.sum;
        SegmentTail {
            blocks: self.blocks,
            games: sum.games,
            whole: sum.whole,
            tails: sum.text_tail,
            text: sum.text_only,
            plies: sum.plies,
            source: sum.bytes_in,
            digest: self.digest.finalize().into(),
            encoded: self.encoder.as_ref().map(|_| self.encoded.1),
        }
    }
}
