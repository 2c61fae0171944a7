//! Archives that can be asked: any game by its number, all of them in turn.
//!
//! An archive is mapped, not read: opening one and fetching a game costs the same whatever its
//! size. With the index beside it (`games.pgci` beside `games.pgc`) a game is one look at the index
//! and one block decoded; without, the heads of the blocks before it are walked.

mod archive;
mod fault;
mod feed;
mod find;
mod game;
mod hashes;
mod join;
mod known;
mod map;
mod merge;
mod moves;
mod name_list;
mod names;
mod order;
mod scan;
mod shuffle;
mod split;
mod stand_in;
mod texts;
mod walk;

pub use archive::{Archive, Games, IndexState, OpenOptions, index_path, map_index};
pub use fault::ArchiveFault;
pub use feed::{Feed, feed};
pub use find::Answer;
pub use game::{Board, Game, PlayedMove};
pub use join::Joiner;
pub use known::{KnownGames, NewCounts, NewGames};
pub use merge::{Copied, copy_archive, in_collating_order};
pub use moves::{MovesError, Opening};
pub use name_list::{NameList, NameListOptions, SortedNames};
pub use names::{Dates, GameRow, NameCount};
pub use order::{SortKey, sample, sort};
pub use split::{SplitBy, SplitFile, SplitPlan};
pub use texts::{TextOptions, texts};
