//! Text that is made piece by piece, for a reader.

use std::io;

use crate::run::Error;

/// Text that has been made but not read, and the error that ended the making.
#[derive(Default)]
pub(crate) struct MadeText {
    pub(crate) text: Vec<u8>,
    at: usize,
    error: Option<Error>,
}

impl MadeText {
    /// The error that ended reading, if it was not an I/O error of the source.
    pub(crate) fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }
}

/// A source of text that is made piece by piece.
pub(crate) trait MakesText {
    fn made(&mut self) -> &mut MadeText;

    /// Makes more text, perhaps none; `false` at the end.
    fn fill(&mut self) -> Result<bool, Error>;

    /// Reads the text that is made, as [`io::Read::read`] does.
    fn read_made(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.made().at == self.made().text.len() {
            self.made().text.clear();
            self.made().at = 0;
            match self.fill() {
                Ok(true) => {}
                Ok(false) => return Ok(0),
                Err(Error::Io(error)) => return Err(error),
                Err(error) => {
                    let text = error.to_string();
                    self.made().error = Some(error);
                    return Err(io::Error::other(text));
                }
            }
        }
        let made = self.made();
        let count = buf.len().min(made.text.len() - made.at);
        buf[..count].copy_from_slice(&made.text[made.at..made.at + count]);
        made.at += count;
        Ok(count)
    }
}
