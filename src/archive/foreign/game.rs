//! Writes a game in PGN export format from its elements (P4, D13).

use std::borrow::Cow;

use crate::run::UnpackOptions;
use pgc_block::replay::Play;
use pgc_chess::{Position, Rules, mended_fen, start_position};
use pgc_pgn::game::ParsedGame;
use pgc_pgn::piece_letters::{FIGURINES, PieceLetters};
use pgc_pgn::records::record::ROSTER;
use pgc_pgn::writer::{Encoding, Tag, Termination, Text, Writer, is_tag_name, put_tag_section};

/// A game is held back until it is complete, so that its tags may come in any order; but at most
/// this much of it (P6). The beginning of a longer game is written early, and no tag may come after
/// that.
const MAX_HELD: usize = 16 << 20;

/// Why an element of a game is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// No legal move has the ordinal.
    #[error("no legal move has the ordinal 0x{ordinal:02x}")]
    IllegalOrdinal {
        /// The ordinal.
        ordinal: u8,
        /// The position of the ordinal in the moves of the call.
        index: usize,
    },
    /// A variation begins before its line has a move.
    #[error("no move precedes the variation that it could replace")]
    NothingToReplace,
    /// A variation ends, but none is open.
    #[error("no variation is open")]
    NoVariation,
    /// A Variant or FEN tag comes after a move.
    #[error("the Variant and FEN tags must come before the first move")]
    LateStart,
    /// A tag pair comes after too much text: the game's beginning has been written already, or is
    /// too long to hold back.
    #[error("the game has more than {MAX_HELD} bytes of text before its last tag pair")]
    TooLarge,
}

/// How a game was exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportTally {
    /// Number of moves written, including variations.
    pub plies: u64,
    /// Whether its moves could not be decoded and were left out.
    pub left_out: bool,
    /// Number of variations with nothing in them, which are not written.
    pub empty_variations: u64,
}

/// The moves of the open game.
#[derive(Clone, Debug, Default)]
enum PlayedMoves {
    /// None yet.
    #[default]
    None,
    Played(Box<Play>),
    /// Without a start position the ordinals have no meaning.
    Undecodable {
        why: &'static str,
        /// Number of ordinals of the main line.
        plies: u64,
        /// Number of open variations.
        depth: u32,
    },
}

/// How export format is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportForm {
    /// The encoding.
    pub encoding: Encoding,
    /// Reduced export format (3.2.4): the Seven Tag Roster and the main line. A game that begins
    /// elsewhere, or has other rules, keeps the tag pairs that say so.
    pub reduced: bool,
    /// Other piece letters than those of English.
    pub letters: Option<&'static PieceLetters>,
    /// Null moves are written as `--`, which export format does not have, and not as comments.
    pub null_moves: bool,
}

impl ExportForm {
    pub(crate) fn from_options(options: &UnpackOptions) -> ExportForm {
        // Latin-1 has no figurines.
        let is_utf8 = options.utf8 || options.letters == Some(&FIGURINES);
        ExportForm {
            encoding: match is_utf8 {
                true => Encoding::Utf8,
                false => Encoding::Latin1,
            },
            reduced: options.reduced,
            letters: options.letters,
            null_moves: options.null_moves,
        }
    }
}

/// Whether reduced export format keeps a tag pair: without its start and its rules, the moves of a
/// game would be others.
fn is_in_reduced(name: &[u8]) -> bool {
    let is = |known: &&str| known.as_bytes() == name;
    ROSTER.iter().any(is) || ["SetUp", "FEN", "Variant"].iter().any(is)
}

/// A FEN as it is written, and what is written in its place, if that is another one.
type WrittenFen<'f> = (Cow<'f, [u8]>, Option<Vec<u8>>);

/// The FEN of a game with this Variant tag as it is written, and what is written in its place (PGN
/// 1994 16.1.3), if it has another form than that of the standard. `None`: the rules are unknown.
pub(crate) fn written_fen<'f>(variant: Option<&[u8]>, fen: &'f [u8]) -> Option<WrittenFen<'f>> {
    let rules = variant.map_or(Some(Rules::Chess), Rules::from_variant_tag)?;
    // A control character of Latin-1 is written as `?`: else the FEN would be mended the next time.
    let as_written = |byte: &u8| [*byte, b'?'][usize::from((0x80..0xa0).contains(byte))];
    let written = match std::str::from_utf8(fen) {
        Ok(_) => Cow::Borrowed(fen),
        Err(_) => fen.iter().map(as_written).collect(),
    };
    let mended = mended_fen(rules, &written);
    Some((written, mended))
}

/// Writes games in export format. Pass each game element by element, in order:
/// [`GameExport::begin`], tags and moves, [`GameExport::end`].
///
/// # Examples
/// ```
/// use pgc::foreign::game::GameExport;
///
/// use pgc::foreign::game::ExportForm;
///
/// let mut games = GameExport::new(ExportForm::default(), false);
/// games.begin();
/// games.tag("White", b"Anand".as_slice().into())?;
/// games.moves(&[13, 12])?;
/// games.nag(1);
/// games.end(None);
/// assert!(games.bytes().ends_with(b"[Result \"*\"]\n\n1. e4 e5 $1 *\n\n"));
/// # Ok::<(), pgc::foreign::game::PlayError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GameExport {
    form: ExportForm,
    pgn2pgc: bool,
    /// In reduced export format: the number of open variations, which are left out.
    left_out: u32,
    /// The innermost variation has nothing yet, and its parenthesis is not written.
    begun: bool,
    /// Complete text.
    done: Vec<u8>,
    /// The movetext of the open game.
    text: Writer,
    open: bool,
    tags: Vec<HeldTag>,
    /// The bytes that they take.
    held: usize,
    /// The result in the tag section, once that has been written.
    termination: Option<Termination>,
    /// What the Result tags said that said more than a result.
    results: Vec<String>,
    moves: PlayedMoves,
    /// A move with its check mark.
    san: Vec<u8>,
    tally: ExportTally,
}

#[derive(Clone, Debug)]
struct HeldTag {
    name: Vec<u8>,
    value: Vec<u8>,
    utf8: bool,
}

impl HeldTag {
    /// The name and the value.
    fn pair(&self) -> (&[u8], &[u8]) {
        (&self.name, &self.value)
    }
}

impl GameExport {
    /// The bytes that a tag pair takes besides its own.
    const HELD_BY_TAG: usize = 128;

    /// `pgn2pgc`: the ordinals are those of that program.
    pub fn new(form: ExportForm, pgn2pgc: bool) -> GameExport {
        GameExport {
            form,
            pgn2pgc,
            text: Writer::new(form.encoding),
            ..GameExport::default()
        }
    }

    /// The text that is complete and has not been cleared.
    pub fn bytes(&self) -> &[u8] {
        &self.done
    }

    /// Clears the complete text, after the caller has used it.
    pub fn clear(&mut self) {
        self.done.clear();
    }

    /// Begins a game.
    pub fn begin(&mut self) {
        self.open = true;
        self.tags.clear();
        self.held = 0;
        self.termination = None;
        self.moves = PlayedMoves::None;
        self.left_out = 0;
        self.begun = false;
        self.tally = ExportTally::default();
        self.text.start(true, 1);
    }

    /// Adds a tag pair. If export format cannot represent the name, the pair becomes a comment.
    ///
    /// # Errors
    /// [`PlayError::LateStart`] for Variant and FEN after the first move, [`PlayError::TooLarge`].
    pub fn tag<'t>(&mut self, name: impl Into<Text<'t>>, value: Text<'_>) -> Result<(), PlayError> {
        let text = name.into();
        let name = text.bytes();
        if self.form.reduced && !is_in_reduced(name) {
            return Ok(());
        }
        if !is_tag_name(name) {
            let comment = format!("[{} \"{}\"]", text.decoded(), value.decoded());
            self.comment(Text::Utf8(&comment));
            return Ok(());
        }
        if matches!(name, b"Variant" | b"FEN") && !matches!(self.moves, PlayedMoves::None) {
            return Err(PlayError::LateStart);
        }
        if self.termination.is_some() || self.held > MAX_HELD {
            return Err(PlayError::TooLarge);
        }
        self.held += name.len() + value.bytes().len() + Self::HELD_BY_TAG;
        self.tags.push(HeldTag {
            name: name.to_vec(),
            value: value.bytes().to_vec(),
            utf8: matches!(value, Text::Utf8(_)),
        });
        Ok(())
    }

    /// Whether the tag pairs of this game can be held back until the last of them is known. If not,
    /// the game is exported as text.
    pub(crate) fn holds_tags(game: &ParsedGame<'_>) -> bool {
        let tags = game.tags.iter();
        let held = tags.map(|tag| tag.name.len() + tag.value.len() + Self::HELD_BY_TAG);
        held.sum::<usize>() <= MAX_HELD
    }

    /// Adds moves, given as ordinals.
    ///
    /// # Errors
    /// [`PlayError::IllegalOrdinal`].
    pub fn moves(&mut self, ordinals: &[u8]) -> Result<(), PlayError> {
        if ordinals.is_empty() || self.left_out > 0 {
            return Ok(());
        }
        self.begin_play();
        self.put_begun();
        match &mut self.moves {
            PlayedMoves::Played(play) => {
                for (index, &ordinal) in ordinals.iter().enumerate() {
                    let played = play.play(ordinal);
                    let played = played.ok_or(PlayError::IllegalOrdinal { ordinal, index })?;
                    self.san.clear();
                    self.san.extend_from_slice(played.san.as_bytes());
                    self.san.extend_from_slice(played.check.text());
                    if let Some(letters) = self.form.letters {
                        let san = String::from_utf8_lossy(&self.san);
                        self.san = letters.respell(&san).into_bytes();
                    }
                    self.text.san(&self.san);
                    self.tally.plies += 1;
                }
            }
            PlayedMoves::Undecodable {
                plies, depth: 0, ..
            } => *plies += ordinals.len() as u64,
            _ => {}
        }
        self.give_away_if_large();
        Ok(())
    }

    /// Adds a null move. The position of the game must allow it.
    pub(crate) fn null_move(&mut self) {
        if self.left_out > 0 {
            return;
        }
        self.begin_play();
        self.put_begun();
        if let PlayedMoves::Played(play) = &mut self.moves
            && play.pass()
        {
            self.text.san(b"--");
        }
    }

    fn begin_play(&mut self) {
        if !matches!(self.moves, PlayedMoves::None) {
            return;
        }
        let pairs = self.tags.iter().map(HeldTag::pair);
        self.moves = match start_position(pairs.clone()) {
            Ok(position) => {
                let is_white = position.white_to_move();
                self.text.start(is_white, position.fullmoves());
                PlayedMoves::Played(Box::new(Play::new(position, self.pgn2pgc)))
            }
            Err(bad) => {
                let (name, value) = pairs.clone().nth(bad).unwrap_or_default();
                let mut before = pairs.take(bad);
                let differs = before.any(|other| other.0 == name && other.1 != value);
                let why = match (name, differs) {
                    (b"Variant", false) => "the Variant tag names unknown rules",
                    (b"Variant", true) => "the Variant tags name different rules",
                    (_, false) => "the FEN tag names no usable position",
                    (_, true) => "the FEN tags name different positions",
                };
                PlayedMoves::Undecodable {
                    why,
                    plies: 0,
                    depth: 0,
                }
            }
        };
    }

    /// Adds a numeric annotation glyph.
    pub fn nag(&mut self, nag: u8) {
        if !matches!(self.moves, PlayedMoves::Undecodable { .. }) {
            self.put(|text| text.nag(nag));
        }
    }

    /// Adds to the movetext what reduced export format does not have.
    fn put(&mut self, put: impl FnOnce(&mut Writer)) {
        if !self.form.reduced {
            self.put_begun();
            put(&mut self.text);
            self.give_away_if_large();
        }
    }

    /// Adds a numeric annotation glyph, as a comment if PGN has no such number.
    pub(crate) fn glyph(&mut self, number: u32) {
        match u8::try_from(number) {
            Ok(nag) => self.nag(nag),
            Err(_) => self.comment(Text::Utf8(&format!("${number}"))),
        }
    }

    /// Opens a variation on the last move of the line.
    ///
    /// # Errors
    /// [`PlayError::NothingToReplace`].
    pub fn rav_begin(&mut self) -> Result<(), PlayError> {
        if self.form.reduced {
            self.left_out = self.left_out.saturating_add(1);
            return Ok(());
        }
        let begun = match &mut self.moves {
            PlayedMoves::Played(play) => play.rav_begin(),
            PlayedMoves::Undecodable { depth, .. } => {
                *depth = depth.saturating_add(1);
                return Ok(());
            }
            PlayedMoves::None => false,
        };
        if !begun {
            return Err(PlayError::NothingToReplace);
        }
        self.begun = true;
        Ok(())
    }

    /// Writes the parenthesis of a variation that turns out not to be empty.
    fn put_begun(&mut self) {
        if std::mem::take(&mut self.begun) {
            self.text.rav_begin();
        }
    }

    /// Closes the variation. An empty one is not written.
    ///
    /// # Errors
    /// [`PlayError::NoVariation`].
    pub fn rav_end(&mut self) -> Result<(), PlayError> {
        if self.form.reduced {
            let left = self.left_out.checked_sub(1);
            self.left_out = left.ok_or(PlayError::NoVariation)?;
            return Ok(());
        }
        let ended = match &mut self.moves {
            PlayedMoves::Played(play) => play.rav_end(),
            PlayedMoves::Undecodable { depth, .. } if *depth > 0 => {
                *depth -= 1;
                return Ok(());
            }
            PlayedMoves::Undecodable { .. } | PlayedMoves::None => false,
        };
        if !ended {
            return Err(PlayError::NoVariation);
        }
        if std::mem::take(&mut self.begun) {
            self.tally.empty_variations += 1;
        } else {
            self.text.rav_end();
        }
        self.give_away_if_large();
        Ok(())
    }

    /// Adds a comment.
    pub fn comment(&mut self, comment: Text<'_>) {
        self.put(|text| text.comment(comment));
    }

    /// Adds text that is not movetext, as a comment.
    pub fn text(&mut self, other: Text<'_>) {
        self.put(|text| text.text(other));
    }

    /// Adds a `%` line, in a game or between games. Within a game it goes into the movetext, even
    /// if it came between tags: their order is not kept.
    pub fn escape(&mut self, data: Text<'_>) {
        if self.form.reduced {
            return;
        }
        self.put_begun();
        self.text.escape(data);
        if self.open {
            self.give_away_if_large();
        } else {
            self.finish_text();
        }
    }

    /// Adds a `%` line before the first tag pair of the open game: it stands between games.
    pub(crate) fn escape_before(&mut self, data: Text<'_>) {
        self.escape(data);
        self.finish_text();
        self.text.start(true, 1);
    }

    /// Ends the game. `known` is its terminator, if one is known apart from the Result tag.
    pub fn end(&mut self, known: Option<Termination>) -> ExportTally {
        if let PlayedMoves::Undecodable {
            why,
            plies: plies @ 1..,
            ..
        } = self.moves
        {
            self.comment(Text::Utf8(&format!("{plies} plies left out: {why}")));
            self.tally.left_out = true;
        }
        let termination = match self.termination.take() {
            Some(termination) => termination,
            None => self.finish_tags(known),
        };
        let other = known.filter(|&is| is != Termination::Unknown && is != termination);
        if let Some(other) = other {
            let what = format!("the movetext ends in {}", other.as_str());
            self.comment(Text::Utf8(&what));
        }
        self.keep_result();
        self.text.end_game(termination);
        self.finish_text();
        self.open = false;
        self.tally
    }

    /// Writes the tags and the movetext so far of a game whose text may continue in the next block.
    pub(crate) fn suspend(&mut self) {
        if self.termination.take().is_none() {
            self.finish_tags(None);
        }
        self.keep_result();
        self.text.end_line();
        self.finish_text();
        self.open = false;
    }

    /// Continues a game that another exporter has left open.
    pub(crate) fn resume(&mut self) {
        self.begin();
        self.termination = Some(Termination::Unknown);
    }

    /// In reduced export format: leaves out a Variant that is chess, a FEN that is the usual start
    /// position, and a SetUp without a FEN. If tag pairs cannot be used, all stay: they say why
    /// there are no moves.
    fn leave_out_usual_start(&mut self) {
        let mut pairs = self.tags.iter().map(HeldTag::pair);
        let Ok(start) = start_position(pairs.clone()) else {
            return;
        };
        let mut variants = pairs.clone().filter(|tag| tag.0 == b"Variant");
        let is_chess = variants.all(|tag| Rules::from_variant_tag(tag.1) == Some(Rules::Chess));
        let is_usual = is_chess && start.fen() == Position::initial().fen();
        let has_fen = pairs.any(|tag| tag.0 == b"FEN");
        self.tags.retain(|tag| match tag.name.as_slice() {
            b"Variant" => !is_chess,
            b"FEN" => !is_usual,
            b"SetUp" => has_fen && !is_usual,
            _ => true,
        });
    }

    fn finish_tags(&mut self, known: Option<Termination>) -> Termination {
        if self.form.reduced {
            self.leave_out_usual_start();
        }
        let mut tags = self.tags.iter().rev();
        let variant = tags.find(|tag| tag.name == b"Variant");
        let variant = variant.map(|tag| tag.value.clone());
        for tag in self.tags.iter_mut().filter(|tag| tag.name == b"FEN") {
            let written = written_fen(variant.as_deref(), &tag.value);
            if let Some(mended) = written.and_then(|(_, mended)| mended) {
                tag.value = mended;
            }
        }
        let tags = self.tags.iter().map(|tag| Tag {
            name: &tag.name,
            value: match std::str::from_utf8(&tag.value) {
                Ok(text) if tag.utf8 => Text::Utf8(text),
                _ => Text::Latin1(&tag.value),
            },
        });
        let mut tags: Vec<Tag<'_>> = tags.collect();
        let results = tags.iter().filter(|tag| tag.name == b"Result");
        let more = results.filter(|tag| !Termination::is_all_of(tag.value.bytes()));
        self.results = more.map(|tag| tag.value.decoded().into_owned()).collect();
        put_tag_section(&mut self.done, &mut tags, known, self.form.encoding)
    }

    /// Puts into a comment what the Result tags said besides the result.
    fn keep_result(&mut self) {
        let results = std::mem::take(&mut self.results);
        if !results.is_empty() {
            let what = format!("the Result tag is {}", results.join(", "));
            self.comment(Text::Utf8(&what));
        }
    }

    fn finish_text(&mut self) {
        self.done.extend_from_slice(self.text.bytes());
        self.text.clear();
    }

    fn give_away_if_large(&mut self) {
        if self.text.bytes().len() <= MAX_HELD {
            return;
        }
        if self.termination.is_none() {
            self.termination = Some(self.finish_tags(None));
        }
        self.finish_text();
    }
}
