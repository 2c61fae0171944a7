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
//! | make an archive, and its index | [`pack`], [`index()`] |
//! | get the sources back, or test that they would come back | [`unpack`], [`test()`] |
//! | read games by their numbers, from 1 | [`Archive`], [`Game`] |
//! | find games by player, date, moves, position and more | [`Archive::find`], [`Query`] |
//! | set options, receive progress and findings | [`PackOptions`], [`UnpackOptions`], [`Hooks`] |
//! | learn what went wrong, and where | [`Error`] |
//!
//! The library prints nothing. It writes only to what the caller names, and to temporary files.
//! `spec/` defines the formats.

mod archive;
mod block;
mod chess;
mod foreign;
mod index;
#[doc(hidden)]
pub mod internals;
mod io;
mod pgn;
mod records;
mod recovery;
mod run;
#[cfg(feature = "arrow")]
mod tables;
mod threads;

pub use archive::ask::find::Answer;
pub use archive::beside::IndexState;
pub use archive::game::Game;
pub use archive::indexing::index;
pub use archive::open::{Archive, OpenOptions};
pub use archive::pack::pack;
pub use archive::unpack::{test, unpack};
pub use index::Query;
pub use pgn::encoding::SourceEncoding;
pub use run::{
    Drops, Error, Finding, Gap, Hooks, Loss, NoHooks, PackOptions, SegmentForm, Sink, SourceDamage,
    SourceInfo, SourceText, Summary, UnpackOptions,
};

/// The parts of a [`Query`], and further types that an [`Archive`] and a [`Game`] return.
pub mod parts {
    pub use crate::archive::game::Board;
    pub use crate::archive::indexing::IndexOptions;
    pub use crate::archive::movetext::{Evaluation, PlayedMove};
    pub use crate::archive::open::Games;
    pub use crate::chess::{
        BoardError, BoardTest, BoardView, Ending, MoveTest, MovesError, NamedOpening, Opening,
    };
    pub use crate::index::{
        ArgumentError, BuildOptions, Clause, DateTest, EcoRange, EloField, Extras, Feature,
        GameRules, LaterPlace, NamePattern, RoundPattern, Sizes, Test, TimeTest, Window,
    };
    pub use crate::pgn::game::Wholeness;
    pub use crate::pgn::piece_letters::PieceLetters;
    pub use crate::pgn::time_control::{Period, Seconds, Speed, TimeControl};
    pub use crate::pgn::writer::Termination;
}

/// The examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
