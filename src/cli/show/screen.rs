//! An output for the text of games: unchanged in files and pipes, escaped on a terminal.

use std::io::{self, IsTerminal, Write};

use pgc_io::output::Output;

use crate::show::output::printable;

/// An output. If it is a terminal, characters that could control the terminal are escaped.
pub(crate) struct TextOutput {
    output: Output,
    screen: Option<Screen>,
}

impl TextOutput {
    pub(crate) fn stdout() -> TextOutput {
        TextOutput::new(Output::stdout(), io::stdout().is_terminal())
    }

    pub(crate) fn new(output: Output, is_terminal: bool) -> TextOutput {
        TextOutput {
            output,
            screen: is_terminal.then(Screen::default),
        }
    }

    /// Completes the output.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        if let Some(screen) = &mut self.screen {
            let rest = screen.rest();
            self.output.write_all(rest.as_bytes())?;
        }
        self.output.commit()
    }
}

impl Write for TextOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.screen {
            Some(screen) => {
                let shown = screen.shown(bytes);
                self.output.write_all(shown.as_bytes())?;
                Ok(bytes.len())
            }
            None => self.output.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Makes pieces of a text harmless for a terminal: line ends and tabs stay, other control
/// characters are escaped, and bytes that are not UTF-8 are taken as Latin-1.
#[derive(Debug, Default)]
struct Screen {
    /// The beginning of a line whose end is in a later piece.
    held: Vec<u8>,
}

impl Screen {
    /// The lines that end in these bytes.
    fn shown(&mut self, bytes: &[u8]) -> String {
        let end = bytes.iter().rposition(|&byte| byte == b'\n');
        let (ended, rest) = bytes.split_at(end.map_or(0, |end| end + 1));
        self.held.extend_from_slice(ended);
        let lines = match end {
            Some(_) => self.rest(),
            None => String::new(),
        };
        self.held.extend_from_slice(rest);
        lines
    }

    /// The bytes that are still held.
    fn rest(&mut self) -> String {
        let mut out = String::new();
        for chunk in std::mem::take(&mut self.held).utf8_chunks() {
            show(chunk.valid(), &mut out);
            let latin1: String = chunk.invalid().iter().copied().map(char::from).collect();
            show(&latin1, &mut out);
        }
        out
    }
}

/// Appends a text, escaped, with its line ends and tabs.
fn show(text: &str, out: &mut String) {
    for piece in text.split_inclusive(['\n', '\t']) {
        let (piece, end) = match piece.char_indices().next_back() {
            Some((at, '\n' | '\t')) => piece.split_at(at),
            _ => (piece, ""),
        };
        let piece = match end {
            "\n" => piece.strip_suffix('\r').unwrap_or(piece),
            _ => piece,
        };
        out.push_str(&printable(piece));
        out.push_str(end);
    }
}

#[cfg(test)]
mod tests {
    use super::Screen;

    fn in_pieces(bytes: &[u8], size: usize) -> String {
        let mut screen = Screen::default();
        let mut out: String = bytes
            .chunks(size)
            .map(|piece| screen.shown(piece))
            .collect();
        out += &screen.rest();
        out
    }

    #[test]
    fn a_text_on_a_terminal() {
        let text = b"caf\xc3\xa9\r\n\ta\x1b[2J\x9b\xe9 \xe2\x80\xae\xe2\x99\x98\r\x07\r";
        for size in 1..=text.len() {
            assert_eq!(
                in_pieces(text, size),
                "caf\u{e9}\n\ta\\x1b[2J\\u{9b}\u{e9} \\u{202e}\u{2658}\\r\\x07\\r",
                "{size}"
            );
        }
        assert_eq!(in_pieces(b"x\xe2\x80", 2), "x\u{e2}\\u{80}");
    }
}
