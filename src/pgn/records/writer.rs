//! Writes a stream that readers accept: checks each record against the structure that
//! [`super::reader`] checks.

use crate::records::item::ItemError;
use crate::records::record::{Record, put_moves, put_record};
use crate::records::structure::{Structure, StructureError};

/// Why a record was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// One of its items is too long.
    #[error(transparent)]
    Item(#[from] ItemError),
    /// It cannot stand here.
    #[error(transparent)]
    Structure(#[from] StructureError),
}

/// Appends records to a buffer.
///
/// # Examples
/// ```
/// use pgc_pgn::records::RecordWriter;
/// use pgc_pgn::records::record::Record;
///
/// let mut writer = RecordWriter::default();
/// writer.put(&Record::GameBegin)?;
/// writer.put_moves(&[0x0c])?;
/// assert!(writer.put(&Record::GameBegin).is_err());
/// writer.put(&Record::GameEnd)?;
/// assert_eq!(writer.finish()?, [0x05, 0x03, 0x01, 0x0c, 0x06]);
/// # Ok::<(), pgc_pgn::records::writer::WriteError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RecordWriter {
    out: Vec<u8>,
    structure: Structure,
}

impl RecordWriter {
    /// Appends one record; on error nothing is appended.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn put(&mut self, record: &Record<'_>) -> Result<(), WriteError> {
        let mut structure = self.structure.clone();
        structure.admit(record.marker())?;
        put_record(&mut self.out, record)?;
        self.structure = structure;
        Ok(())
    }

    /// Appends the records for a run of moves; see [`put_moves`].
    ///
    /// # Errors
    /// [`WriteError::Structure`] outside a game.
    pub fn put_moves(&mut self, ordinals: &[u8]) -> Result<(), WriteError> {
        self.structure.admit(Record::ShortMoves(&[]).marker())?;
        put_moves(&mut self.out, ordinals);
        Ok(())
    }

    /// The bytes that have been written and not yet cleared.
    pub fn bytes(&self) -> &[u8] {
        &self.out
    }

    /// Forgets the bytes written so far, which the caller has taken, but not the place in the
    /// structure.
    pub fn clear(&mut self) {
        self.out.clear();
    }

    /// The bytes, if the stream may end here.
    ///
    /// # Errors
    /// [`WriteError::Structure`] inside a game.
    pub fn finish(self) -> Result<Vec<u8>, WriteError> {
        self.structure.finish()?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_record_changes_nothing() {
        let mut writer = RecordWriter::default();
        assert_eq!(
            writer.put(&Record::Nag(1)),
            Err(StructureError::OutsideGame.into())
        );
        assert!(writer.put_moves(&[1]).is_err());
        let long = [0; 0x100];
        writer.put(&Record::GameBegin).unwrap();
        assert!(matches!(
            writer.put(&Record::ShortMoves(&long)),
            Err(WriteError::Item(_))
        ));
        assert!(matches!(
            writer.put(&Record::GameBegin),
            Err(WriteError::Structure(_))
        ));
        assert_eq!(writer.bytes(), [0x05]);
        writer.clear();
        writer.put_moves(&long).unwrap();
        assert_eq!(&writer.bytes()[..4], [0x04, 0x00, 0x01, 0x00]);
        assert_eq!(
            writer.clone().finish().unwrap_err(),
            StructureError::UnfinishedGame.into()
        );
        writer.put(&Record::GameEnd).unwrap();
        assert!(writer.finish().is_ok());
    }
}
