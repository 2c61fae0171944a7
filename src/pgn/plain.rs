//! Skips movetext in which nothing can end a game, 64 bytes at a time.

use multiversion::{multiversion, target::match_target};

use super::chunks::{CHUNK, ClassTable, last_chunk, marks, table};
#[cfg(target_arch = "x86_64")]
use super::chunks::{compared, wide};

const OPENS: usize = 0;
const CLOSES: usize = 1;
/// Bytes at which movetext may stop being plain, outside comments.
const STOPS: usize = 2;
const LINE_ENDS: usize = 3;
const BLANKS: usize = 4;

const CLASSES: [&[u8]; 5] = [b"{", b"}", b";[%()*-/:", b"\n\r", b" \t"];
static TABLE: ClassTable = table(&CLASSES);

/// Skips plain bytes from `at` on, in movetext or in a comment. Returns where the game may end or
/// something else may begin, and whether that is in a comment. Also stops at a line end that an
/// empty line may follow, and at a brace that has no meaning.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vbmi+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn skip_plain(buf: &[u8], at: usize, in_comment: bool) -> (usize, bool) {
    let mut at = at;
    let mut comment = if in_comment { u64::MAX } else { 0 };
    while at < buf.len() {
        let rest = &buf[at..];
        let (chunk, len) = match rest.first_chunk() {
            Some(chunk) => (*chunk, CHUNK),
            None => (last_chunk(rest), rest.len()),
        };
        let marks: [u64; CLASSES.len()] = match_target! {
            "x86_64+avx512f+avx512bw+avx512vbmi" => wide::marks(&chunk, &TABLE),
            "x86_64+avx2" => compared::marks(&chunk, &CLASSES),
            _ => marks(&chunk, &TABLE),
        };
        let (opens, closes) = (marks[OPENS], marks[CLOSES]);
        // A byte is in a comment if the number of braces before it is odd.
        let mut within = opens | closes;
        for shift in [1, 2, 4, 8, 16, 32] {
            within ^= within << shift;
        }
        within ^= comment;
        let before_end =
            marks[LINE_ENDS] & ((marks[LINE_ENDS] | marks[BLANKS]) >> 1 | 1 << (len - 1));
        let stops = (marks[STOPS] | opens) & !within | closes & within | before_end;
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
