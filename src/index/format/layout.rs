//! The frame of an index: the positions of its sections, the checksums, the digest of the archive
//! (spec/index.md section 1). This file defines the numbers of the frame and of the sections.

use std::ops::RangeInclusive;

use byteorder::{ByteOrder, LittleEndian};

pub(crate) use super::integers::{BitWriter, Integers, bytes_of, is_width, width_of};

/// The first eight bytes of an index; the last eight are the same in reverse order.
pub(crate) const MAGIC: [u8; 8] = *b"\x89PGCI\r\n\x1a";
/// Readers reject any other major version.
pub(crate) const MAJOR: u16 = 1;
/// A higher minor version may have more kinds of sections.
pub(crate) const MINOR: u16 = 0;

/// The number of bytes that a checksum covers.
pub(crate) const PAGE: u64 = 16_384;
/// Sections begin at multiples of this.
pub(crate) const ALIGN: u64 = 8;

const VERSION_AT: usize = MAGIC.len();
const BEGIN_ZEROS_AT: usize = VERSION_AT + 4;
/// Length of the header at the beginning.
pub(crate) const BEGIN: usize = BEGIN_ZEROS_AT + 4;

/// Length of an entry of the section table.
pub(crate) const ENTRY: usize = 32;

const ZEROS_AT: usize = 4;
const GAMES_AT: usize = ZEROS_AT + 4;
const ARCHIVE_LENGTH_AT: usize = GAMES_AT + 8;
const DIGEST_AT: usize = ARCHIVE_LENGTH_AT + 8;
const SUMS_AT: usize = DIGEST_AT + 32;
const SUMS_CRC_AT: usize = SUMS_AT + 8;
const OPENINGS_AT: usize = SUMS_CRC_AT + 4;
const INDEX_LENGTH_AT: usize = OPENINGS_AT + 4;
const FRAME_CRC_AT: usize = INDEX_LENGTH_AT + 8;
const LAST_ZEROS_AT: usize = FRAME_CRC_AT + 4;
const END_MAGIC_AT: usize = LAST_ZEROS_AT + 4;
/// Length of the trailer.
pub(crate) const TRAILER: usize = END_MAGIC_AT + MAGIC.len();

/// Length of a segment's entry in [`kind::SEGMENTS`].
pub(crate) const SEGMENT: usize = 32;
/// Length of a block's entry in [`kind::BLOCKS`].
pub(crate) const BLOCK: usize = 16;

/// The kinds of sections, named as in spec/index.md, sections 2 to 7.
pub mod kind {
    pub(crate) const SEGMENTS: u32 = 0x01;
    pub(crate) const BLOCKS: u32 = 0x02;
    /// The column: date.
    pub const DATE: u32 = 0x10;
    /// The column: event.
    pub const EVENT: u32 = 0x11;
    pub(crate) const MATERIAL: u32 = 0x12;
    /// The column: round.
    pub const ROUND: u32 = 0x13;
    /// The column: white.
    pub const WHITE: u32 = 0x14;
    /// The column: black.
    pub const BLACK: u32 = 0x15;
    /// The column: white elo.
    pub const WHITE_ELO: u32 = 0x16;
    /// The column: black elo.
    pub const BLACK_ELO: u32 = 0x17;
    /// The column: eco.
    pub const ECO: u32 = 0x18;
    /// The column: plies.
    pub const PLIES: u32 = 0x19;
    /// The column: flags.
    pub const FLAGS: u32 = 0x1a;
    /// The column: opening.
    pub const OPENING: u32 = 0x1b;
    /// The tables; their sections have these kinds plus the following numbers.
    pub(crate) const EVENTS: u32 = 0x20;
    pub(crate) const DATES: u32 = 0x30;
    pub(crate) const ROUNDS: u32 = 0x40;
    pub(crate) const PLAYERS: u32 = 0x50;
    pub(crate) const MATERIALS: u32 = 0x60;
    pub(crate) const OPENINGS: u32 = 0x70;
    /// Lines: the entries before each segment, the groups, the entries, their games.
    pub(crate) const LINE_SEGMENTS: u32 = 0x80;
    pub(crate) const LINE_GROUPS: u32 = 0x81;
    pub(crate) const LINES: u32 = 0x82;
    pub(crate) const LINE_GAMES: u32 = 0x83;
    /// Added to the kind of a table for its sections.
    pub(crate) const GROUPS: u32 = 0;
    pub(crate) const VALUES: u32 = 1;
    pub(crate) const POSTING_GROUPS: u32 = 2;
    pub(crate) const POSTINGS: u32 = 3;
    pub(crate) const WORDS: u32 = 4;
}

/// The number of values of a table in a group; the last group may have fewer.
pub(crate) const GROUP: u32 = 16;

/// A value is cut after the last character that ends within this number of bytes.
pub const MAX_VALUE: usize = 1024;

/// The columns that every index has: one integer for each game.
pub(crate) const COLUMNS: RangeInclusive<u32> = kind::DATE..=kind::FLAGS;

/// Those of them whose integers are no places in a table.
pub(crate) const NUMBER_COLUMNS: RangeInclusive<u32> = kind::WHITE_ELO..=kind::FLAGS;

/// Why an index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The data do not begin like an index.
    #[error("not an index")]
    NotAnIndex,
    /// The index has another major version.
    #[error("index format version {0}; this program reads version {MAJOR}")]
    Version(u16),
    /// The index violates the format.
    #[error("damaged index: {what} (byte {offset})")]
    Damaged {
        /// The offset.
        offset: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// The index is whole, but says something else of a game than the game itself.
    #[error("false index: its {field} of game {number} is not that of the game")]
    FalseRow {
        /// What differs.
        field: &'static str,
        /// The number of the game, from 1.
        number: u64,
    },
    /// The index is whole, but describes another block than the archive has in that place.
    #[error("false index: the archive has another block at byte {0}")]
    FalseBlock(u64),
    /// The index is valid, but cannot be merged with others.
    #[error("the index cannot be merged: {0}")]
    Unfit(&'static str),
    /// A temporary file could not be written or read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl IndexError {
    /// The error for damage at an offset.
    #[cold]
    pub fn damaged(offset: u64, what: &'static str) -> IndexError {
        IndexError::Damaged { offset, what }
    }
}

/// The position of a section. Those from [`IndexFrame::parse`] lie within the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The kind of its content: see `kind`.
    pub kind: u32,
    /// Width of its integers in bits; 0 if it has no integers.
    pub width: u8,
    /// Offset in the file.
    pub offset: u64,
    /// Length in bytes.
    pub len: u64,
    /// Number of entries: integers, segments, blocks, values; of other bytes their number.
    pub count: u64,
}

impl Section {
    /// Offset after its last byte.
    pub fn end(&self) -> u64 {
        self.offset + self.len
    }

    /// The bytes in `data`; empty if `data` is too short.
    pub fn bytes<'a>(&self, data: &'a [u8]) -> &'a [u8] {
        let (Ok(from), Ok(to)) = (usize::try_from(self.offset), usize::try_from(self.end())) else {
            return &[];
        };
        data.get(from..to).unwrap_or_default()
    }

    /// The integers.
    pub fn integers<'a>(&self, data: &'a [u8]) -> Integers<'a> {
        let count = usize::try_from(self.count).unwrap_or(0);
        Integers::new(self.bytes(data), self.width, count)
    }

    /// `None` if the width is none that such a section can have.
    fn take(entry: &[u8]) -> Option<Section> {
        let [kind, width] = [0, 4].map(|at| LittleEndian::read_u32(&entry[at..]));
        let [offset, len, count] = [8, 16, 24].map(|at| LittleEndian::read_u64(&entry[at..]));
        let width = u8::try_from(width).ok()?;
        let fits = is_width(width) || width == 0 && !is_integers(kind);
        fits.then_some(Section {
            kind,
            width,
            offset,
            len,
            count,
        })
    }

    /// Appends its entry in the section table.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.kind.to_le_bytes());
        out.extend(u32::from(self.width).to_le_bytes());
        for number in [self.offset, self.len, self.count] {
            out.extend(number.to_le_bytes());
        }
    }

    /// The length that the entries must have; the actual one, if entries differ in length.
    fn expected_len(&self) -> u64 {
        match self.kind {
            kind::SEGMENTS => self.count.saturating_mul(SEGMENT as u64),
            kind::BLOCKS => self.count.saturating_mul(BLOCK as u64),
            _ if self.width > 0 => bytes_of(self.count, self.width),
            _ if is_of_tables(self.kind, &[kind::POSTINGS]) => self.count,
            _ => self.len,
        }
    }
}

/// The tables, in ascending order of their kinds.
pub(crate) const TABLES: [u32; 6] = [
    kind::EVENTS,
    kind::DATES,
    kind::ROUNDS,
    kind::PLAYERS,
    kind::MATERIALS,
    kind::OPENINGS,
];

/// The columns whose integers are places in a table, with the table, in ascending order.
pub(crate) const VALUE_COLUMNS: [(u32, u32); 7] = [
    (kind::DATE, kind::DATES),
    (kind::EVENT, kind::EVENTS),
    (kind::MATERIAL, kind::MATERIALS),
    (kind::ROUND, kind::ROUNDS),
    (kind::WHITE, kind::PLAYERS),
    (kind::BLACK, kind::PLAYERS),
    (kind::OPENING, kind::OPENINGS),
];

/// Where a table stands among [`TABLES`].
pub(crate) const fn table_place(table: u32) -> usize {
    (table >> 4) as usize - 2
}

/// Whether a table has the games of each value.
pub(crate) const fn has_postings(table: u32) -> bool {
    table == kind::PLAYERS
}

/// Whether a table has the words of its values.
pub(crate) const fn has_words(table: u32) -> bool {
    matches!(table, kind::EVENTS | kind::PLAYERS)
}

/// Whether this is the kind of one of these sections of a table.
fn is_of_tables(of: u32, sections: &[u32]) -> bool {
    let is_of = |table: &u32| sections.iter().any(|section| of == table + section);
    TABLES.iter().any(is_of)
}

/// Whether a section of this kind must hold integers.
fn is_integers(of: u32) -> bool {
    matches!(
        of,
        kind::DATE..=kind::OPENING | kind::LINE_SEGMENTS | kind::LINE_GROUPS | kind::LINE_GAMES
    ) || is_of_tables(of, &[kind::GROUPS, kind::POSTING_GROUPS, kind::WORDS])
}

/// The content of the trailer, apart from offsets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct About {
    pub(crate) games: u32,
    pub(crate) archive_length: u64,
    pub(crate) digest: [u8; 32],
    /// The list of openings that the index follows; 0 if it has no openings.
    pub(crate) openings: u32,
}

/// The parsed and checked frame of an index.
#[derive(Clone, Debug)]
pub struct IndexFrame {
    /// In ascending order of their kinds.
    sections: Vec<Section>,
    minor: u16,
    pub(crate) about: About,
    /// Offset of the checksums; everything before is divided into pages.
    sums: u64,
}

/// The checksum of header, section table, and the trailer up to this checksum.
fn frame_crc(begin: &[u8], table: &[u8], trailer: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    for part in [begin, table, trailer] {
        crc.update(part);
    }
    crc.finalize()
}

impl IndexFrame {
    /// Parses header, checksums, section table and trailer of an index. Pages are not checked: see
    /// [`IndexFrame::check_page`].
    ///
    /// # Errors
    /// The data are not an index, or one of another version, or damaged.
    pub fn parse(data: &[u8]) -> Result<IndexFrame, IndexError> {
        let (begin, trailer, trailer_at) = ends(data)?;
        let damaged = |field: usize, what| IndexError::damaged(trailer_at + field as u64, what);
        let count = u64::from(LittleEndian::read_u32(trailer));
        let sums = LittleEndian::read_u64(&trailer[SUMS_AT..]);
        // First of all `sums` must lie within the file; then nothing below can overflow.
        if sums > trailer_at || sums < BEGIN as u64 || !sums.is_multiple_of(ALIGN) {
            return Err(damaged(SUMS_AT, "offset of the checksums"));
        }
        let table = sums + sums.div_ceil(PAGE) * 4;
        if table > trailer_at || trailer_at - table != count * ENTRY as u64 {
            return Err(damaged(0, "number of sections"));
        }
        // All three lie inside `data`, whose length is a usize.
        let [sums_at, table_at, end] =
            [sums, table, trailer_at].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let (sums_bytes, table_bytes) = (&data[sums_at..table_at], &data[table_at..end]);
        let crc = frame_crc(begin, table_bytes, &trailer[..FRAME_CRC_AT]);
        if crc != LittleEndian::read_u32(&trailer[FRAME_CRC_AT..]) && !cfg!(fuzzing) {
            let what = "checksum of the table and the trailer";
            return Err(IndexError::damaged(table, what));
        }
        let crc = crc32fast::hash(sums_bytes);
        if crc != LittleEndian::read_u32(&trailer[SUMS_CRC_AT..]) && !cfg!(fuzzing) {
            return Err(IndexError::damaged(sums, "checksum of the checksums"));
        }
        let games = u32::try_from(LittleEndian::read_u64(&trailer[GAMES_AT..]));
        let about = About {
            games: games.map_err(|_| damaged(GAMES_AT, "number of games"))?,
            archive_length: LittleEndian::read_u64(&trailer[ARCHIVE_LENGTH_AT..]),
            digest: trailer[DIGEST_AT..SUMS_AT].try_into().unwrap_or_default(),
            openings: LittleEndian::read_u32(&trailer[OPENINGS_AT..]),
        };
        let frame = IndexFrame {
            sections: sections(table_bytes, table, sums)?,
            minor: LittleEndian::read_u16(&begin[VERSION_AT + 2..]),
            about,
            sums,
        };
        let checked = frame.check_sections();
        checked.map_err(|what| IndexError::damaged(table, what))?;
        Ok(frame)
    }

    fn count(&self, kind: u32) -> Option<u64> {
        self.section(kind).map(|section| section.count)
    }

    /// Checks that the required sections are present, with consistent numbers of entries.
    fn check_sections(&self) -> Result<(), &'static str> {
        let count = |kind| self.count(kind).ok_or("a section is missing");
        count(kind::SEGMENTS)?;
        count(kind::BLOCKS)?;
        // A program that knows no openings leaves them out.
        let openings = self.section(kind::OPENING);
        for table in TABLES {
            if table == kind::OPENINGS && openings.is_none() {
                continue;
            }
            let values = count(table + kind::VALUES)?;
            let groups = values.div_ceil(u64::from(GROUP));
            // The place of a value is a u32.
            if values > u64::from(u32::MAX) || count(table + kind::GROUPS)? != groups {
                return Err("number of values");
            }
            if has_postings(table) {
                if count(table + kind::POSTING_GROUPS)? != groups {
                    return Err("number of postings");
                }
                count(table + kind::POSTINGS)?;
            }
            if has_words(table) {
                count(table + kind::WORDS)?;
            }
        }
        for column in COLUMNS.chain(openings.map(|section| section.kind)) {
            if count(column)? != u64::from(self.about.games) {
                return Err("a column without an integer for each game");
            }
        }
        if openings.is_some() != (self.about.openings > 0) {
            return Err("openings of no list");
        }
        self.check_lines()
    }

    /// Checks that all sections of lines are present, or none.
    fn check_lines(&self) -> Result<(), &'static str> {
        use kind::{LINE_GAMES, LINE_GROUPS, LINE_SEGMENTS, LINES};
        let segments = self.count(kind::SEGMENTS).unwrap_or(0);
        match [LINE_SEGMENTS, LINE_GROUPS, LINES, LINE_GAMES].map(|kind| self.count(kind)) {
            [None, None, None, None] => Ok(()),
            [Some(bounds), Some(_), Some(entries), Some(games)]
                if bounds == segments + 1
                    && entries == games
                    && games <= u64::from(self.about.games) =>
            {
                Ok(())
            }
            _ => Err("number of lines"),
        }
    }

    /// The section of this kind, if there is one.
    pub fn section(&self, kind: u32) -> Option<Section> {
        let found = self.sections.binary_search_by_key(&kind, |s| s.kind);
        found.ok().map(|i| self.sections[i])
    }

    /// All sections, unknown ones too, in ascending order of their kinds.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Whether the index has a minor version that came after this program.
    pub fn is_later(&self) -> bool {
        self.minor > MINOR
    }

    /// Number of games.
    pub fn games(&self) -> u32 {
        self.about.games
    }

    /// Length of the archive.
    pub fn archive_length(&self) -> u64 {
        self.about.archive_length
    }

    /// Number of bytes in pages: everything before the checksums.
    pub fn paged(&self) -> u64 {
        self.sums
    }

    /// Number of pages.
    pub fn pages(&self) -> u64 {
        self.sums.div_ceil(PAGE)
    }

    /// Checks a page against its checksum.
    ///
    /// # Errors
    /// The checksum does not match, or `data` is not the index of this frame.
    pub fn check_page(&self, data: &[u8], page: u64) -> Result<(), IndexError> {
        let at = page.saturating_mul(PAGE);
        let damaged = || IndexError::damaged(at, "checksum of a page");
        if at >= self.sums {
            return Err(damaged());
        }
        let range =
            |from: u64, to: u64| data.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?);
        let bytes = range(at, self.sums.min(at + PAGE)).ok_or_else(damaged)?;
        let sum = range(self.sums + page * 4, self.sums + page * 4 + 4).ok_or_else(damaged)?;
        if crc32fast::hash(bytes) != LittleEndian::read_u32(sum) && !cfg!(fuzzing) {
            return Err(damaged());
        }
        Ok(())
    }
}

/// Splits off header and trailer, and returns the trailer's offset, after checking length, magic
/// numbers and version.
fn ends(data: &[u8]) -> Result<(&[u8], &[u8], u64), IndexError> {
    let begin = data.get(..BEGIN).filter(|begin| begin.starts_with(&MAGIC));
    let begin = begin.ok_or(IndexError::NotAnIndex)?;
    let major = LittleEndian::read_u16(&begin[VERSION_AT..]);
    if major != MAJOR {
        return Err(IndexError::Version(major));
    }
    let len = data.len() as u64;
    if data.len() < BEGIN + TRAILER {
        return Err(IndexError::damaged(len, "it is cut off"));
    }
    let at = data.len() - TRAILER;
    let trailer = &data[at..];
    let offset = |field: usize| (at + field) as u64;
    let damaged = |field, what| Err(IndexError::damaged(offset(field), what));
    if !trailer[END_MAGIC_AT..].iter().rev().eq(&MAGIC) {
        return damaged(END_MAGIC_AT, "its end is missing");
    }
    if LittleEndian::read_u64(&trailer[INDEX_LENGTH_AT..]) != len {
        return damaged(INDEX_LENGTH_AT, "its length");
    }
    for (field, zeros) in [
        (0, &begin[BEGIN_ZEROS_AT..]),
        (offset(ZEROS_AT), &trailer[ZEROS_AT..GAMES_AT]),
        (offset(LAST_ZEROS_AT), &trailer[LAST_ZEROS_AT..END_MAGIC_AT]),
    ] {
        if zeros.iter().any(|&b| b != 0) {
            return Err(IndexError::damaged(field, "bytes that must be zero"));
        }
    }
    Ok((begin, trailer, at as u64))
}

/// Parses the section table; sections must follow each other up to the checksums.
fn sections(table: &[u8], table_at: u64, sums: u64) -> Result<Vec<Section>, IndexError> {
    let mut found: Vec<Section> = Vec::with_capacity(table.len() / ENTRY);
    let mut end = BEGIN as u64;
    for (i, entry) in table.chunks_exact(ENTRY).enumerate() {
        let damaged = |what| IndexError::damaged(table_at + (i * ENTRY) as u64, what);
        let section = Section::take(entry).ok_or_else(|| damaged("width of a section"))?;
        if found.last().is_some_and(|last| last.kind >= section.kind) {
            return Err(damaged("order of the sections"));
        }
        // Neither `end` nor the length exceeds `sums`, so that the sum does not overflow.
        if section.offset != end.next_multiple_of(ALIGN)
            || section.offset > sums
            || section.len > sums - section.offset
        {
            return Err(damaged("offset of a section"));
        }
        if section.expected_len() != section.len {
            return Err(damaged("length of a section"));
        }
        end = section.end();
        found.push(section);
    }
    if end.next_multiple_of(ALIGN) != sums {
        return Err(IndexError::damaged(sums, "offset of the checksums"));
    }
    Ok(found)
}

/// The header at the beginning.
pub(crate) fn begin() -> [u8; BEGIN] {
    let mut bytes = [0; BEGIN];
    bytes[..VERSION_AT].copy_from_slice(&MAGIC);
    LittleEndian::write_u16(&mut bytes[VERSION_AT..], MAJOR);
    LittleEndian::write_u16(&mut bytes[VERSION_AT + 2..], MINOR);
    bytes
}

/// Everything after the pages: checksums, section table, trailer. `sums` is the offset of the
/// checksums.
pub(crate) fn end(about: &About, sums: u64, page_sums: &[u32], sections: &[Section]) -> Vec<u8> {
    let mut out: Vec<u8> = page_sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    let sums_crc = crc32fast::hash(&out);
    let table_at = out.len();
    sections.iter().for_each(|section| section.put(&mut out));
    let count = u32::try_from(sections.len()).unwrap_or(u32::MAX);
    let index_length = sums + (out.len() + TRAILER) as u64;
    let trailer = [
        &count.to_le_bytes()[..],
        &[0; GAMES_AT - ZEROS_AT],
        &u64::from(about.games).to_le_bytes(),
        &about.archive_length.to_le_bytes(),
        &about.digest,
        &sums.to_le_bytes(),
        &sums_crc.to_le_bytes(),
        &about.openings.to_le_bytes(),
        &index_length.to_le_bytes(),
    ];
    let trailer = trailer.concat();
    let crc = frame_crc(&begin(), &out[table_at..], &trailer);
    out.extend(trailer);
    out.extend(crc.to_le_bytes());
    out.extend([0; END_MAGIC_AT - LAST_ZEROS_AT]);
    out.extend(MAGIC.iter().rev());
    out
}
