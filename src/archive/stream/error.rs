//! Why an archive cannot be read.

use std::io;

/// Why reading an archive stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A head, a block or a tail is damaged or missing.
    #[error("byte {offset}, {item}: {what}")]
    Damaged {
        /// The offset of the record.
        offset: u64,
        /// The kind of record.
        item: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// Written by a newer pgc.
    #[error("archive format version {0}")]
    Version(u8),
    /// In the small form of a trial version.
    #[error("small form of a trial version before 0.1.0")]
    TrialForm,
}

impl ArchiveError {
    /// A file of no-operation bytes only.
    #[cold]
    pub(crate) fn blank() -> ArchiveError {
        ArchiveError::Damaged {
            offset: 0,
            item: "head",
            what: "is missing: all bytes are zero".to_owned(),
        }
    }
}
