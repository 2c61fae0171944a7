//! A `.pgc` file as a whole: segments of blocks (spec/extension.md sections 3 to 6).
//!
//! ```text
//! archive = segment*                      cat a.pgc b.pgc > both.pgc
//! segment = head block* tail              one source
//! block   = block-head (game | text)*     the unit of parallel work, layout, integrity and access
//! ```

pub mod addition;
pub mod head;
pub mod reader;
pub mod remains;
pub mod slice;
pub mod style;

pub use addition::{Addition, AdditionError, Extent, Unfinished};
pub use head::{BlockHead, HeadError, MAX_NAME, SegmentHead, Tail};
pub use reader::{ArchiveError, ArchiveReader, Part, is_archive};
