//! Chess archives: PGN to PGC, the binary form of section 20 of the PGN standard of 1994, and back,
//! to the byte; and an index that finds games.
//!
//! ```
//! use pgc::{Archive, NoHooks, PackOptions, Query, pack};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("casual.pgc");
//! let pgn = b"[White \"Tal, Mihail\"]\n\n1. e4 e5 2. Nf3 *\n";
//! let mut bytes = Vec::new();
//! pack(&mut &pgn[..], "casual.pgn", &mut bytes, &PackOptions::default(), &mut NoHooks)?;
//! std::fs::write(&path, bytes)?;
//!
//! let archive = Archive::open(&path)?;
//! let answer = archive.find(&Query::parse("--player tal --plies 1..20")?, 0)?;
//! for number in answer.numbers() {
//!     let game = archive.game(number)?;
//!     assert_eq!(game.moves[2].san, "Nf3");
//!     assert_eq!(game.pgn, pgn);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | make an archive, and its index | [`pack()`], [`index()`] |
//! | get the sources back, or test that they would come back | [`unpack()`], [`test()`] |
//! | read games by their numbers, from 1 | [`Archive`], [`Game`] |
//! | find games by player, date, moves, position and more | [`Archive::find`], [`Query`] |
//! | set options, receive progress and findings | [`PackOptions`], [`UnpackOptions`], [`Hooks`] |
//! | learn what went wrong, and where | [`Error`] |
//!
//! The library prints nothing. It writes only to what the caller names, and to temporary files.
//! `spec/` defines the formats.
//!
//! # An archive
//!
//! ```text
//! archive = segment*                      cat a.pgc b.pgc > both.pgc
//! segment = head block* tail              one source
//! block   = block-head (game | text)*     the unit of parallel work, layout, integrity and access
//! ```
//!
//! `stream` reads and writes these parts (spec/extension.md sections 3 to 6); `pack` and `unpack`
//! convert; `salvage` makes a whole archive of a damaged one; `indexing` makes the index beside an
//! archive; `join` merges archives, splits them, and leaves out known games; `edit` corrects games;
//! `open` and `ask` answer questions about the games; `standings` counts the points of an event;
//! `dups` finds games that are there more than once.

pub mod ask;
pub mod beside;
mod digest;
pub mod dups;
pub mod edit;
pub mod error;
pub mod foreign;
pub mod game;
pub mod games;
pub mod indexing;
pub mod join;
pub mod lint;
pub mod listing;
pub mod map;
pub mod movetext;
pub mod open;
pub mod other_files;
pub mod pack;
pub(crate) mod part_walk;
pub(crate) mod pipeline;
pub mod recovery;
pub mod run;
pub mod salvage;
mod stand_in;
pub mod standings;
mod storing;
pub mod stream;
pub mod unpack;

pub use ask::find::Answer;
pub use beside::IndexState;
pub use game::Game;
pub use indexing::index;
pub use open::{Archive, OpenOptions};
pub use pack::pack;
pub use pgc_block::stop;
pub use pgc_index::Query;
pub use pgc_pgn::encoding::SourceEncoding;
pub use pgc_pgn::finding::{Finding, Loss};
pub use pgc_pgn::source_text::SourceText;
pub use run::{
    Error, ErrorKind, Gap, Hooks, NoHooks, PackOptions, Place, SegmentForm, Sink, SourceDamage,
    SourceInfo, Summary, UnpackOptions,
};
pub use unpack::{TestDepth, TestOptions, test, unpack};

/// The parts of a [`Query`], and further types that an [`Archive`] and a [`Game`] return.
pub mod parts {
    pub use crate::game::Board;
    pub use crate::indexing::IndexOptions;
    pub use crate::movetext::{Evaluation, MoveNotes, PlayedMove};
    pub use crate::open::Games;
    pub use pgc_chess::{
        BoardError, BoardTest, BoardView, Ending, MaterialChange, MoveTest, MovesError,
        NamedOpening, Opening, Rules, Variant,
    };
    pub use pgc_index::{
        AliasError, ArgumentError, BuildOptions, Clause, DateTest, EcoRange, EloField, Feature,
        LaterPlace, Mover, NamePattern, RoundPattern, Sizes, Test, TimeTest, Window, read_aliases,
    };
    pub use pgc_pgn::game::Wholeness;
    pub use pgc_pgn::piece_letters::PieceLetters;
    pub use pgc_pgn::time_control::{Period, Seconds, Speed, TimeControl};
    pub use pgc_pgn::writer::Termination;
}

/// The examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
