//! Prints data on stdout and everything else on stderr. Control characters of untrusted text never
//! reach a terminal.

use std::io::{self, Write};
use std::path::Path;

use indicatif::HumanCount;
use pgc_io::named;
use pgc_io::output::begin_stdout;
use pgc_pgn::text::is_harmful;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Prints a message on stderr. A failure is ignored: there is nowhere to report it.
pub(crate) fn note(message: &str) {
    note_line!("pgc: {message}");
}

/// Prints a line on stderr, without the `pgc:` before a message.
pub(crate) fn note_line(line: &str) {
    // Written by one call, so that another program that writes there cannot split the line.
    let line = format!("{}\n", printable(line));
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

pub(crate) fn note_lines<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) {
    lines.into_iter().for_each(|line| note_line(line.as_ref()));
}

/// Prints the first of some messages, and how many more there are.
pub(crate) fn note_first(most: usize, mut messages: impl ExactSizeIterator<Item = String>) {
    let first = messages.by_ref().take(most);
    first.for_each(|message| note(&message));
    if let more @ 1.. = messages.len() {
        note!("... and {} more", grouped(more as u64));
    }
}

pub(crate) fn print_lines<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> io::Result<()> {
    let mut lines = lines.into_iter();
    lines.try_for_each(|line| print_line(line.as_ref()))
}

/// Prints a line of data on stdout.
pub(crate) fn print_line(line: &str) -> io::Result<()> {
    begin_stdout();
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", printable(line))
        .and_then(|()| stdout.flush())
        .map_err(of_stdout)
}

/// Prints an object on stdout, as one line.
pub(crate) fn print_json(value: &impl Serialize) -> io::Result<()> {
    begin_stdout();
    let mut stdout = io::stdout().lock();
    put_json(&mut stdout, value)
        .and_then(|()| stdout.flush())
        .map_err(of_stdout)
}

fn of_stdout(error: io::Error) -> io::Error {
    named(error, "standard output")
}

/// Writes an object as a line of JSON. Characters that could control a terminal occur only in JSON
/// strings, and become escapes there.
pub(crate) fn put_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Harmless))?;
    out.write_all(b"\n")
}

/// An object as JSON, as [`put_json`] writes it.
pub(crate) fn harmless_json(value: &impl Serialize) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = put_json(&mut out, value);
    String::from_utf8_lossy(out.trim_ascii_end()).into_owned()
}

struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        for piece in text.split_inclusive(is_harmful) {
            let plain = piece.trim_end_matches(is_harmful);
            out.write_all(plain.as_bytes())?;
            // A character outside the Basic Multilingual Plane takes two escapes.
            for unit in piece[plain.len()..].encode_utf16() {
                write!(out, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}

/// Whether a path stands for standard input or standard output.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A path as messages show it.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdin(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// The path of an output as messages show it.
pub(crate) fn shown_output(path: &Path) -> String {
    match is_stdin(path) {
        true => "standard output".to_owned(),
        false => shown(path),
    }
}

/// Escapes control characters, invisible characters and those that change the direction of text, as
/// `\xNN` and `\u{N}`, so that a name or a comment cannot control the terminal (D58).
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ if c.is_ascii_control() => out += &format!("\\x{:02x}", u32::from(c)),
            _ if is_harmful(c) => out += &format!("\\u{{{:x}}}", u32::from(c)),
            _ => out.push(c),
        }
    }
    out
}

/// Decodes bytes of a source: as UTF-8 if they are valid, as Latin-1 otherwise.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    pgc_pgn::text::decoded(bytes).into_owned()
}

/// `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// `1 game`, `2 games`; `1 ply`, `2 plies`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    match one.strip_suffix('y') {
        Some(stem) => counted_as(number, one, &format!("{stem}ies")),
        None => counted_as(number, one, &format!("{one}s")),
    }
}

/// `1 game was`, `2 games were`.
pub(crate) fn counted_as(number: u64, one: &str, many: &str) -> String {
    let unit = if number == 1 { one } else { many };
    format!("{} {unit}", grouped(number))
}

/// `part` as a percentage of `whole`.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        "-".to_owned()
    } else {
        format!("{:.1} %", part as f64 * 100.0 / whole as f64)
    }
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{counted, grouped, harmless_json, hex, percent, printable, text_of};

    #[test]
    fn numbers() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            (counted(1, "game"), counted(0, "game")),
            ("1 game".into(), "0 games".into())
        );
        assert_eq!(
            (percent(1, 4), percent(1, 0)),
            ("25.0 %".into(), "-".into())
        );
        assert_eq!(hex(&[0, 0xaf]), "00af");
    }

    #[test]
    fn untrusted_text() {
        assert_eq!(
            printable("a\x1b[31mb\u{9b}c\u{202e}d\ne"),
            "a\\x1b[31mb\\u{9b}c\\u{202e}d\\ne"
        );
        assert_eq!(
            printable("x\u{feff}\u{200b}\u{61c}\u{e0041}y\u{200d}z"),
            "x\\u{feff}\\u{200b}\\u{61c}\\u{e0041}y\u{200d}z"
        );
        let value = serde_json::json!({ "tag": "\u{e0041}" });
        let text = harmless_json(&value);
        assert_eq!(text, r#"{"tag":"\udb40\udc41"}"#);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
        let value = serde_json::json!({ "\x1b": "\u{7f}\u{9b}\u{202e}\n\u{e9}" });
        let text = harmless_json(&value);
        assert_eq!(text, "{\"\\u001b\":\"\\u007f\\u009b\\u202e\\n\u{e9}\"}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
        assert_eq!(text_of(b"caf\xe9"), "caf\u{e9}");
        assert_eq!(text_of("caf\u{e9}".as_bytes()), "caf\u{e9}");
    }
}
