//! Finds out which language's piece letters make sense of games that could not be read.

use pgc_block::breakdown::add_count;
use pgc_block::units::Parsed;
use pgc_pgn::game::{Issue, IssueKind, ParsedGames, Wholeness};
use pgc_pgn::piece_letters::{LANGUAGES, PieceLetters};
use pgc_pgn::split::UnitKind;

/// The number of games of a block that are read again, and the number of blocks: enough for a hint,
/// and little work.
const GAMES: usize = 4;
const BLOCKS: u64 = 16;

/// How many games were read again, and how many became whole, by the code of the language.
pub(super) type LetterTrial = (u64, Vec<(&'static str, u64)>);

/// Reads games of block `number` with the piece letters of each language but the one that they were
/// read with (`None` is English).
pub(super) fn try_letters(
    src: &[u8],
    parsed: &[Parsed<'_>],
    number: u64,
    letters: Option<&'static PieceLetters>,
) -> LetterTrial {
    let mut trial = LetterTrial::default();
    if number >= BLOCKS {
        return trial;
    }
    let tried = letters.or_else(|| PieceLetters::of("en"));
    let is_unread = |part: &&Parsed<'_>| {
        part.unit.kind == UnitKind::Game
            && part.game.wholeness != Wholeness::Whole
            && part.game.issues.iter().any(is_unread_move)
    };
    for part in parsed.iter().filter(is_unread).take(GAMES) {
        trial.0 += 1;
        let text = &src[part.unit.start..part.unit.end];
        for (at, letters) in LANGUAGES.iter().enumerate() {
            let known = &LANGUAGES[..at];
            let mut known = known.iter().chain(tried);
            if known.any(|other| letters.are_those_of(other)) {
                continue;
            }
            let mut games = ParsedGames::in_letters(Some(letters));
            let is_read = games.read_game(text, part.unit.line_start).is_ok();
            let game = games.last().filter(|_| is_read);
            if game.is_some_and(|game| game.wholeness == Wholeness::Whole) {
                add_count(&mut trial.1, letters.code, 1);
            }
        }
    }
    trial
}

fn is_unread_move(issue: &Issue) -> bool {
    use IssueKind::{Ambiguous, Illegal, NotAMove};
    issue.main && matches!(issue.what, Illegal | Ambiguous | NotAMove)
}

/// Adds the games of another trial.
pub(super) fn add_trial(sum: &mut LetterTrial, more: &LetterTrial) {
    sum.0 += more.0;
    more.1
        .iter()
        .for_each(|&(code, games)| add_count(&mut sum.1, code, games));
}
