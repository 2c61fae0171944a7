//! Skips movetext in which nothing can end a game, 64 bytes at a time.

use multiversion::{multiversion, target::match_target};

#[cfg(target_arch = "x86_64")]
use super::chunks::wide;
use super::chunks::{CHUNK, Classes, byte_table, last_chunk, marks};
use super::tag::is_space;

const OPENS: usize = 0;
const CLOSES: usize = 1;
/// Bytes at which movetext may stop being plain, outside comments.
const STOPS: usize = 2;
const LINE_ENDS: usize = 3;

static CLASSES: Classes<4> = Classes::new(&[b"{", b"}", b";[%()*-/:", b"\n\r"]);

/// Whether a line that begins with this byte may end a game: it may be empty, or begin with a move
/// number 1, a tag pair or a comment.
static BEGINS: [bool; 256] = byte_table!(byte => is_space(byte)
    || !byte.is_ascii()
    || matches!(byte, 0 | 0x1a | b'1' | b'[' | b'{' | b';' | b'%'));

/// Skips plain bytes from `at` on, in movetext or in a comment. Returns where the game may end or
/// something else may begin, and whether that is in a comment. Also stops at a line end behind
/// which the game may end (`every_line`: at every line end), and at a brace that has no meaning.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn skip_plain(
    buf: &[u8],
    at: usize,
    in_comment: bool,
    every_line: bool,
) -> (usize, bool) {
    let mut at = at;
    let mut comment = if in_comment { u64::MAX } else { 0 };
    while at < buf.len() {
        let rest = &buf[at..];
        let (chunk, len) = match rest.first_chunk() {
            Some(chunk) => (*chunk, CHUNK),
            None => (last_chunk(rest), rest.len()),
        };
        let marks = match_target! {
            "x86_64+avx2" => wide::marks(&chunk, &CLASSES),
            _ => marks(&chunk, &CLASSES),
        };
        let (opens, closes) = (marks[OPENS], marks[CLOSES]);
        // A byte is in a comment if the number of braces before it is odd.
        let mut within = opens | closes;
        for shift in [1, 2, 4, 8, 16, 32] {
            within ^= within << shift;
        }
        within ^= comment;
        // Before the loop, or the compiler takes vectors of bits apart to pass them through it.
        let others = (marks[STOPS] | opens) & !within | closes & within;
        let mut ends = marks[LINE_ENDS];
        while ends != 0 {
            let behind = buf.get(at + ends.trailing_zeros() as usize + 1);
            if every_line || behind.is_none_or(|&byte| BEGINS[usize::from(byte)]) {
                break;
            }
            ends &= ends - 1;
        }
        let stops = others | ends;
        if stops != 0 {
            let first = stops.trailing_zeros();
            let brace = (opens | closes) >> first & 1;
            return (at + first as usize, (within >> first ^ brace) & 1 != 0);
        }
        comment = if within >> (CHUNK - 1) != 0 {
            u64::MAX
        } else {
            0
        };
        at += len;
    }
    (at, comment != 0)
}
