//! Implements `pack --standard`: writes only records of the 1994 standard (P3; spec/standard.md).

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::ops::Range;

use crate::foreign::export::export;
use crate::pack::Encoded;
use crate::run::{NoHooks, PackOptions, UnpackOptions};
use pgc_block::cut::Block;
use pgc_block::encode::lines::EpdBlock;
use pgc_block::encode::play::MAX_NAG;
use pgc_block::encode::tags::MAX_REDUCED;
use pgc_block::findings::{Class, Spot, Why, first_line, spots};
use pgc_block::tag_value::{fit_value, is_record_name, terminator_of, terminator_text};
use pgc_block::units::{Counts, Parsed, count, is_repair, read_units};
use pgc_chess::Rules;
use pgc_pgn::finding::Loss;
use pgc_pgn::game::{Elem, ElemKind, Issue, IssueKind, ParsedGame, ParsedGames, TAIL, Wholeness};
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::records::Marker;
use pgc_pgn::records::record::{ROSTER, Record, put_moves, put_record};
use pgc_pgn::split::UnitKind;
use pgc_pgn::tag::{BOM, is_newline, is_space};
use pgc_pgn::writer::{Termination, place_of_tag};

/// Encodes one block, whose moves are written with these piece letters. The spots include the
/// losses; after a loss that is not allowed, the rest of the result is useless.
pub(crate) fn encode(
    block: &Block,
    letters: Option<&'static PieceLetters>,
    options: &PackOptions,
    wants_repairs: bool,
) -> Encoded {
    let (src, prove) = (&block.src, options.verify);
    let drops = options.standard.as_ref();
    let allowed_losses = drops.map_or(&[][..], Vec::as_slice);
    let mut games = ParsedGames::in_letters(letters);
    let mut parsed = read_units(&mut games, src, &block.units);
    let mut encoder = Encoder {
        src,
        out: Vec::with_capacity(src.len() / 4),
        ..Encoder::default()
    };
    for part in &mut parsed {
        encoder.put_unit(part);
    }
    let kept = parsed.iter().map(|part| kept_of(part.game.issues));
    let kept: Vec<Vec<Issue>> = kept.collect();
    for (part, issues) in parsed.iter_mut().zip(&kept) {
        (part.game.issues, part.game.rav_texts) = (issues, 0);
    }
    let (bytes, mut lost) = (encoder.out, encoder.lost);
    let counts = count(&parsed);
    let is_allowed =
        |spot: &Spot| matches!(spot.class, Class::Loss(loss) if allowed_losses.contains(&loss));
    let allowed = lost.iter().all(is_allowed);
    if wants_repairs {
        lost.append(&mut spots(src, &parsed, true));
    }
    let verified = !prove || !allowed || reads_back(&bytes, &counts);
    Encoded {
        bytes,
        counts,
        spots: lost,
        verified,
        ..Encoded::default()
    }
}

/// The repairs among these issues. The others report losses; dropped text is not kept as text.
fn kept_of(issues: &[Issue]) -> Vec<Issue> {
    let is_kept = |note: &&Issue| {
        let lost = note.main || matches!(note.what, IssueKind::Junk | IssueKind::LongEscape);
        !lost && (is_repair(note.what) || note.what == IssueKind::BadStart)
    };
    issues.iter().filter(is_kept).copied().collect()
}

/// The proof: reads the records as any reader of the standard would, and compares games and plies.
fn reads_back(mut records: &[u8], counts: &Counts) -> bool {
    let options = UnpackOptions::default();
    let read = export(&mut records, &mut io::sink(), &options, &mut NoHooks);
    read.is_ok_and(|read| {
        (read.games, read.whole, read.plies) == (counts.games, counts.games, counts.plies)
    })
}

/// As [`encode`], for a block of EPD, whose units have not been found yet.
pub(crate) fn encode_lines(block: &mut Block, options: &PackOptions) -> Encoded {
    let epd = EpdBlock::read(block);
    // Its repairs are those of its lines.
    let mut encoded = encode(&epd.pgn, None, options, false);
    epd.place_back(&mut encoded.spots, &block.units);
    encoded.counts.repairs = epd.repairs;
    let (spots, words) = epd.reported(options.repairs);
    // Text outside games is a loss already.
    let is_repair = |spot: &Spot| spot.class == Class::Repair;
    encoded.spots.extend(spots.into_iter().filter(is_repair));
    Encoded { words, ..encoded }
}

/// A tag pair to be written as a record.
type StandardTag<'a> = (&'a [u8], Cow<'a, [u8]>);

#[derive(Default)]
struct Encoder<'a> {
    src: &'a [u8],
    out: Vec<u8>,
    lost: Vec<Spot>,
    /// Offset of the current unit.
    base: usize,
    /// Number of games so far.
    games: u32,
    /// The number of the current game; 0 outside games.
    number: u32,
    /// The records of its movetext.
    play: Vec<u8>,
    /// Moves that are not yet in a record; of a game with only a main line, all.
    ordinals: Vec<u8>,
}

impl<'a> Encoder<'a> {
    fn put_unit(&mut self, part: &mut Parsed<'_>) {
        let (kind, line_start) = (part.unit.kind, part.unit.line_start);
        let text = &self.src[part.unit.start..part.unit.end];
        self.base = part.unit.start;
        let is_game = matches!(kind, UnitKind::Game | UnitKind::Piece(false));
        self.games += u32::from(is_game);
        self.number = if is_game { self.games } else { 0 };
        match kind {
            UnitKind::Stray(_) => self.stray(text, line_start),
            // Handled with the first piece.
            UnitKind::Piece(true) => {}
            UnitKind::Game => self.game(text, &mut part.game),
            UnitKind::Piece(false) => self.long_game(text, line_start, part),
        }
    }

    /// Reports the loss of a span of the unit.
    fn lose(&mut self, loss: Loss, why: Why, span: Range<usize>) {
        let span = self.base + span.start..self.base + span.end;
        self.lost
            .push(Spot::new(Class::Loss(loss), why, span, self.number));
    }

    /// Handles text outside games. Blank lines are layout.
    fn stray(&mut self, text: &[u8], line_start: bool) {
        let begin = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let Some(blanks) = text[begin..].iter().position(|&b| !is_space(b)) else {
            return;
        };
        let start = begin + blanks;
        let fresh = line_start || text[..start].iter().any(|&b| is_newline(b));
        // Every line that is not blank begins with a `%`, in its first column.
        let mut lines = text[start..].split(|&b| is_newline(b));
        let escapes = fresh
            && !matches!(text[..start].last(), Some(b' ' | b'\t'))
            && lines.all(|line| line.first() == Some(&b'%') || line.iter().all(|&b| is_space(b)));
        let end = first_line(text, start, text.len());
        if escapes {
            self.lose(Loss::Escape, Why::PercentLine, start..end);
        } else {
            self.lose(Loss::StrayText, Why::Issue(IssueKind::Stray), start..end);
        }
    }

    /// Handles a game of which only the tags are kept.
    fn long_game(&mut self, text: &[u8], line_start: bool, part: &Parsed<'_>) {
        let mut games = ParsedGames::default();
        let _ = games.read_tag_section(text, line_start);
        let game = games.iter().next().unwrap_or_default();
        let tags = self.tags(text, &game);
        let from = game.elems.last().map_or(0, |e| e.end as usize);
        let start = from + text[from..].iter().take_while(|&&b| is_space(b)).count();
        let issue = part.game.issues.first();
        let why = issue.map_or(IssueKind::TooLong, |issue| issue.what);
        let end = first_line(text, start, text.len());
        self.lose(Loss::TextTail, Why::Issue(why), start..end);
        self.escapes(game.elems);
        self.play.clear();
        self.put_game(tags, false);
    }

    fn game(&mut self, text: &[u8], game: &mut ParsedGame<'_>) {
        let mut tags = self.tags(text, game);
        let (section, movetext) = game.elems.split_at(game.tag_elems);
        self.escapes(section);
        let texts: Vec<&Elem> = movetext.iter().filter(|e| is_play_text(text, e)).collect();
        let has_play = !texts.is_empty() || movetext.iter().any(|e| e.kind == ElemKind::Move);
        let variant = variant_tag(text, game).filter(|_| has_play);
        if let Some(span) = variant.clone() {
            self.lose(Loss::Variant, Why::Variant, span);
        } else {
            self.lose_texts(text, game, &texts);
        }
        self.lose_junk(text, game, &texts);
        let plain = self.movetext(text, movetext, variant.is_none());
        if let Some(elem) = movetext.iter().find(|e| e.kind == ElemKind::Terminator) {
            self.terminator(&mut tags, elem);
        }
        self.put_game(tags, plain);
        if variant.is_some() {
            game.ordinals = &[];
            game.wholeness = Wholeness::TextOnly;
        }
    }

    /// The tag pairs that have a record (D6).
    fn tags<'t>(&mut self, text: &'t [u8], game: &ParsedGame<'_>) -> Vec<StandardTag<'t>> {
        let mut seen = HashSet::new();
        let mut tags = Vec::with_capacity(game.tags.len() + 1);
        for (tag, (name, value)) in game.tags.iter().zip(game.tag_pairs(text)) {
            let (start, end) = (tag.value.start, tag.value.end);
            if !is_record_name(name) {
                self.lose(Loss::Tag, Why::NameForm, tag.name.start..end);
                continue;
            }
            if !seen.insert(name) {
                self.lose(Loss::Tag, Why::NameAgain, tag.name.start..end);
                continue;
            }
            let fitted = fit_value(&value);
            if fitted.replaced {
                self.lose(Loss::Character, Why::Replaced, start..end);
            }
            if fitted.cut {
                self.lose(Loss::LongValue, Why::LongValue, start..end);
            }
            let value = match fitted.bytes {
                Cow::Borrowed(_) => value,
                Cow::Owned(bytes) => Cow::Owned(bytes),
            };
            tags.push((name, value));
        }
        tags
    }

    fn escapes(&mut self, elems: &[Elem]) {
        for elem in elems.iter().filter(|e| e.kind == ElemKind::Escape) {
            self.lose(Loss::Escape, Why::PercentLine, elem.span());
        }
    }

    /// Reports the loss of text that is not legal chess (D9), and of variations without a record
    /// (D5).
    fn lose_texts(&mut self, text: &[u8], game: &ParsedGame<'_>, texts: &[&Elem]) {
        let mut why: Vec<_> = game.issues.iter().filter(|n| !is_repair(n.what)).collect();
        why.sort_by_key(|note| note.start);
        let is_end = |e: &&Elem| matches!(e.kind, ElemKind::RavOpen | ElemKind::RavClose);
        let mut ends = game.elems.iter().filter(is_end).peekable();
        let mut depth = 0_u32;
        for elem in texts {
            while let Some(end) = ends.next_if(|end| end.start < elem.start) {
                depth = match end.kind {
                    ElemKind::RavOpen => depth + 1,
                    _ => depth.saturating_sub(1),
                };
            }
            let loss = match elem.num == TAIL && depth == 0 {
                true => Loss::TextTail,
                false => Loss::Rav,
            };
            let at = why.binary_search_by_key(&elem.start, |issue| issue.start);
            let issue = at.ok().map(|at| why[at]);
            let start = elem.start as usize;
            let end = match issue {
                Some(issue) if elem.num == TAIL => issue.end as usize,
                _ => first_line(text, start, elem.end as usize),
            };
            let why = issue.map_or(IssueKind::BadStart, |issue| issue.what);
            self.lose(loss, Why::Issue(why), start..end);
        }
    }

    /// Reports the loss of signs between elements. Signs within lost text are lost with it.
    fn lose_junk(&mut self, text: &[u8], game: &ParsedGame<'_>, texts: &[&Elem]) {
        for note in game.issues.iter().filter(|n| n.what == IssueKind::Junk) {
            let next = texts.partition_point(|e| e.start <= note.start);
            if next > 0 && note.start < texts[next - 1].end {
                continue;
            }
            let span = note.start as usize..note.end as usize;
            if text[span.start] == b'$' && span.len() > 1 {
                self.lose(Loss::Nag, Why::LargeNag, span);
            } else {
                self.lose(Loss::Comment, Why::Sign, span);
            }
        }
    }

    /// Fills `play` and `ordinals`; elements without a record are lost, and so are moves unless
    /// `keep_play`. Returns whether the movetext has only moves.
    fn movetext(&mut self, text: &[u8], elems: &[Elem], keep_play: bool) -> bool {
        self.play.clear();
        self.ordinals.clear();
        let mut plain = true;
        for elem in elems {
            let marker = match elem.kind {
                ElemKind::Brace | ElemKind::Line => Err((Loss::Comment, Why::NoRecord)),
                ElemKind::Escape => Err((Loss::Escape, Why::PercentLine)),
                ElemKind::Text if !is_play_text(text, elem) => {
                    Err((Loss::Escape, Why::PercentLine))
                }
                _ if !keep_play => continue,
                ElemKind::Move => {
                    self.ordinals.push(elem.ordinal);
                    continue;
                }
                ElemKind::Nag if elem.num > MAX_NAG => Err((Loss::Nag, Why::LargeNag)),
                ElemKind::Nag => Ok(Marker::Nag),
                ElemKind::RavOpen => Ok(Marker::RavBegin),
                ElemKind::RavClose => Ok(Marker::RavEnd),
                ElemKind::Tag | ElemKind::Text | ElemKind::Terminator | ElemKind::Null => continue,
            };
            let marker = match marker {
                Ok(marker) => marker,
                Err((loss, why)) => {
                    self.lose(loss, why, elem.span());
                    continue;
                }
            };
            put_moves(&mut self.play, &self.ordinals);
            self.ordinals.clear();
            self.play.push(marker.byte());
            if let (ElemKind::Nag, Ok(value)) = (elem.kind, u8::try_from(elem.num)) {
                self.play.push(value);
            }
            plain = false;
        }
        put_moves(&mut self.play, &self.ordinals);
        plain
    }

    /// Handles a terminator, which has no record: readers write the Result tag's value, or `*` if
    /// that is not a result. So a different terminator is lost, and a missing Result tag is added.
    fn terminator(&mut self, tags: &mut Vec<StandardTag<'_>>, elem: &Elem) {
        let number = u8::try_from(elem.num).unwrap_or(0);
        let unknown = terminator_of(b"*");
        match tags.iter().rfind(|(name, _)| *name == b"Result") {
            Some((_, value)) => {
                let stated = Termination::from_tag(value).map_or(unknown, Termination::number);
                if number != stated {
                    self.lose(Loss::Result, Why::Result, elem.span());
                }
            }
            None if number != unknown => {
                tags.push((b"Result", Cow::Borrowed(terminator_text(number.into()))))
            }
            None => {}
        }
    }

    /// Writes the records of the game. `plain`: its movetext has only the moves in `ordinals`.
    fn put_game(&mut self, mut tags: Vec<StandardTag<'_>>, plain: bool) {
        // PGN 1994 8.1.1, in export format: the roster, then the others in ASCII order.
        tags.sort_by(|a, b| place_of_tag(a.0).cmp(&place_of_tag(b.0)));
        let mut places = tags.iter().map(|tag| place_of_tag(tag.0).0);
        let roster = tags.len() == ROSTER.len() && places.all(|place| place < ROSTER.len());
        // The reduced form, where it suffices (D3).
        if plain && roster && self.ordinals.len() <= MAX_REDUCED {
            let (str, moves) = (std::array::from_fn(|at| &*tags[at].1), &self.ordinals);
            return put(&mut self.out, &Record::Game { str, moves });
        }
        put(&mut self.out, &Record::GameBegin);
        for (name, value) in &tags {
            put(&mut self.out, &Record::TagPair { name, value });
        }
        self.out.append(&mut self.play);
        put(&mut self.out, &Record::GameEnd);
    }
}

fn put(out: &mut Vec<u8>, record: &Record<'_>) {
    let put = put_record(out, record);
    // `is_record_name`, `fit_value` and `MAX_REDUCED` ensure this.
    debug_assert!(put.is_some(), "everything fits");
}

/// Whether a text element is play, not a `%` line that is too long for a record.
fn is_play_text(text: &[u8], elem: &Elem) -> bool {
    elem.kind == ElemKind::Text && text[elem.start as usize] != b'%'
}

/// The position of a Variant tag that names rules other than plain chess, for a reader of the true
/// values or for one of the records (D8).
fn variant_tag(text: &[u8], game: &ParsedGame<'_>) -> Option<Range<usize>> {
    let is_chess = |value: &[u8]| Rules::from_variant_tag(value) == Some(Rules::Chess);
    let mut tags = game.tags.iter().zip(game.tag_pairs(text));
    let found = tags.find(|(_, (name, value))| {
        *name == b"Variant" && !(is_chess(value) && is_chess(&fit_value(value).bytes))
    });
    found.map(|(tag, _)| tag.value.clone())
}
