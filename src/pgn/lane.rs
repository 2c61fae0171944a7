//! The fast lane of movetext: moves in canonical SAN, and comments, that stand where they are
//! guessed.

use multiversion::{multiversion, target::match_target};

use crate::block::layout::column_after;
use crate::chess::Plies;
#[cfg(target_arch = "x86_64")]
use crate::pgn::chunks::wide::places;
use crate::pgn::game::{Form, Kind, Mark, Spelled};
use crate::pgn::guess::Guess;
use crate::pgn::reader::MAX_ELEMS;
use crate::pgn::reading::Reading;
use crate::pgn::words::{below, first, word};

/// Plays the move that begins at `at`, of so many bytes without and with its check mark, and goes
/// on. Tells how far it came, to where all is to be read otherwise, and how many moves it played;
/// without any, nothing has happened.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vbmi+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn go_on(
    game: &mut Reading<'_>,
    plies: Plies<'_>,
    guess: &Guess,
    src: &[u8],
    at: usize,
    token: (usize, usize),
) -> (usize, u64) {
    // Where a comment may end, if the machine can look at most comments as a whole.
    let closes = |text: &[u8]| {
        match_target! {
            "x86_64+avx512f+avx512bw+avx512vbmi" => text.first_chunk().map_or(0, |chunk| places(chunk, b'}')),
            _ => {
                let _ = text;
                0
            }
        }
    };
    // Where lines begin that never are full need not be known.
    if guess.wraps() {
        play::<true>(game, plies, guess, src, at, token, closes)
    } else {
        play::<false>(game, plies, guess, src, at, token, closes)
    }
}

#[inline(always)]
fn play<const WRAPS: bool>(
    game: &mut Reading<'_>,
    mut plies: Plies<'_>,
    guess: &Guess,
    src: &[u8],
    mut at: usize,
    mut token: (usize, usize),
    closes: impl Fn(&[u8]) -> u64,
) -> (usize, u64) {
    let (mut num, mut moves, mut run) = (plies.num(), 0, game.len());
    let mut line = if WRAPS { guess.line(&src[..at]) } else { 0 };
    while game.len() < MAX_ELEMS
        && let Some(rest) = src.get(at..)
    {
        let (core, len) = token;
        let Some(ordinal) = rest.get(..core).and_then(|san| plies.follow(san)) else {
            break;
        };
        let (check, mark) = (
            plies.check().into(),
            Mark::of(rest.get(core..len).unwrap_or_default()),
        );
        game.push_move(
            at,
            at + len,
            ordinal,
            num,
            Spelled::new(Form::Canonical, mark, check),
        );
        if mark != check || moves == 0 {
            game.foreseen(run, 1);
            run = game.len();
        }
        (at, moves, num) = (at + len, moves + 1, num.wrapping_add(1));
        let mut rest = &rest[len..];
        let gap = guess.before_comment(rest);
        if let Some(gap) = gap {
            let comment = &rest[gap..];
            let end = match closes(comment) {
                0 => memchr::memchr(b'}', comment),
                closes => Some(closes.trailing_zeros() as usize),
            };
            let Some(end) = end.map(|n| at + gap + n + 1) else {
                break;
            };
            game.push(Kind::Brace, at + gap, end, 0);
            if WRAPS {
                line = end - column_after(at - line, &src[at..end]);
            }
            (at, rest) = (end, &src[end..]);
        }
        let is_full = WRAPS && guess.is_full(num, at - line);
        let Some(gap) = guess.before_move(rest, gap.is_some(), num, is_full) else {
            break;
        };
        line = if is_full { at + guess.newline } else { line };
        at += gap;
        let Some(found) = likely_move(&rest[gap..]) else {
            break;
        };
        token = found;
    }
    game.foreseen(run, 0);
    (at, moves)
}

/// The length of what begins a text and is most likely a move, if it can be played, without its
/// check mark and with it.
#[inline(always)]
fn likely_move(text: &[u8]) -> Option<(usize, usize)> {
    let word = word(text)?;
    // The bytes that move symbols end with have low numbers.
    let core = first(below(word, b'0'));
    let [mark, behind, ..] = if core < 8 { word >> (8 * core) } else { 0 }.to_le_bytes();
    // One after the other: the first of these it nearly always is.
    let ends = |byte: u8| byte == b' ' || byte == b'\n' || byte == b'\r';
    if ends(mark) {
        Some((core, core))
    } else if (mark == b'+' || mark == b'#') && ends(behind) {
        Some((core, core + 1))
    } else if text.starts_with(b"O-O-O ") {
        Some((5, 5))
    } else {
        // What follows may be the rest of it.
        let is_whole = text.starts_with(b"O-O ")
            && text.get(4).is_some_and(|&byte| {
                byte.is_ascii_alphanumeric() && byte != b'0' && byte != b'O' && byte != b'o'
            });
        is_whole.then_some((3, 3))
    }
}
