//! One block: the unit of parallel work, of layout, of integrity and of access (spec/extension.md
//! sections 4 to 9).
//!
//! `encode` makes the bytes of a block from parsed games, `decode` mirrors it file for file, and
//! `proof` decodes those bytes and compares them with the source. `small` codes the records of a
//! block and decodes them. Both sides share the files of this folder itself.
//!
//! ```
//! use pgc_block::cut::Blocks;
//! use pgc_pgn::source_text::SourceText;
//!
//! // A source in blocks of about 1 MiB: here there is one, with two games.
//! let mut source = &b"[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n"[..];
//! let mut blocks = Blocks::new(&mut source, SourceText::Pgn);
//! let block = blocks.next_block()?.expect("a block");
//! assert_eq!(block.units.len(), 2);
//! assert!(blocks.next_block()?.is_none());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The crate `pgc` puts blocks together to archives.

pub mod annotations;
pub mod breakdown;
pub mod cut;
pub mod decode;
pub mod encode;
pub mod findings;
pub mod head;
pub mod layout;
pub mod num;
pub(crate) mod pieces;
pub mod proof;
pub mod replay;
pub mod shape;
pub mod small;
mod spelled;
pub mod stop;
pub mod style;
pub mod tag_value;
pub mod template;
pub mod units;
