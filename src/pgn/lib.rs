//! Chess games as text and as records: PGN and EPD, and the records of section 20 of the standard
//! of 1994.
//!
//! [`split`](split::Splitter) finds where games begin and end, [`reader`] reads a game into
//! elements that know their places in the text ([`game`]), and [`writer`] writes export format.
//! Nothing is refused: what is no chess is an element too, with an issue that says why.
//!
//! ```
//! use pgc_pgn::game::{ElemKind, ParsedGames, Wholeness};
//!
//! let mut games = ParsedGames::default();
//! let text = b"[White \"Anand\"]\n\n1. e4 {best by test} e5 2. Ke3 1-0\n";
//! games.read_game(text, true).expect("a game is not too long");
//! let game = games.last().expect("it was just read");
//! assert_eq!(game.ordinals.len(), 2);
//! assert_eq!(game.wholeness, Wholeness::Tail);
//! assert!(game.elems.iter().any(|elem| elem.kind == ElemKind::Brace));
//! let issue = &game.issues[0];
//! assert_eq!(&text[issue.start as usize..issue.end as usize], b"Ke3");
//! assert_eq!(issue.what.text(), "illegal move");
//! ```
//!
//! [`epd`] reads and writes lines of EPD, [`records`] the binary records. Tag values have readers of
//! their own: [`time_control`], [`eco`], [`encoding`], [`piece_letters`].

mod begin;
pub(crate) mod blanks;
mod chunks;
pub mod clause;
mod code_page;
pub mod command;
pub mod eco;
pub mod encoding;
pub mod epd;
pub mod finding;
pub mod game;
pub mod nag;
pub mod piece_letters;
mod plain;
pub mod reader;
mod reading;
pub mod records;
pub mod respell;
mod result;
pub mod says;
pub mod source_text;
pub mod split;
pub mod tag;
pub mod tag_column;
pub mod text;
pub mod time_control;
mod token;
mod words;
pub mod writer;

pub use begin::ends_any_game;
pub use token::CHECK_WORDS;
