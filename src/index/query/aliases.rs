//! Reads alias files in the format of Scid's spelling files (D67).
//!
//! ```text
//! @PLAYER ", .-"                        the section; in quotes, what Scid ignores in names
//! %Prefix "GM " ""                      replaces a beginning; also %Infix, %Suffix
//! Fischer, Robert James  #GM USA [2780] a name; behind # a comment
//!    = Fischer, Bobby                   an alias
//!    %Bio World Champion 1972-1975      not needed; nor are %Elo, and lines with >
//! @SITE                                 not needed; nor are @EVENT and @ROUND
//! ```

use std::io::{self, BufRead, Read};

use super::pattern::NamePattern;
use super::person::{Corrections, PersonPattern};
use pgc_pgn::tag::BOM;
use pgc_pgn::text::decoded;

/// The longest line that is read.
const MAX_LINE: usize = 1 << 16;

/// The most bytes that the names of one person take.
const MAX_NAMES: usize = 1 << 20;

/// The most memory for the names that a query takes from the file.
const MAX_TAKEN: usize = 64 << 20;

/// The most bytes of corrections.
const MAX_CORRECTIONS: usize = 1 << 16;

/// Why an alias file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AliasError {
    /// A line that is not in the format.
    #[error("line {line}: {what}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads an alias file, and adds to each pattern for people the other names of the people that it
/// names. Other patterns stay as they are.
///
/// # Errors
/// Reading fails, or a line is not in the format.
pub fn read_aliases<'p>(
    file: &mut dyn BufRead,
    patterns: impl IntoIterator<Item = &'p mut NamePattern>,
) -> Result<(), AliasError> {
    let people = patterns.into_iter();
    let people = people.filter_map(|pattern| pattern.person.as_mut());
    let mut reader = AliasReader {
        people: people.collect(),
        ..AliasReader::default()
    };
    let (mut bytes, mut line) = (Vec::new(), 0);
    loop {
        line += 1;
        let at = |what| AliasError::Line { line, what };
        bytes.clear();
        let most = MAX_LINE as u64 + 1;
        let read = Read::take(&mut *file, most).read_until(b'\n', &mut bytes)?;
        if bytes.len() > MAX_LINE {
            return Err(at("is longer than 65,536 bytes"));
        }
        if read == 0 {
            reader.end_person().map_err(at)?;
            break;
        }
        let begin = if line == 1 { BOM } else { b"" };
        let text = bytes.strip_prefix(begin).unwrap_or(&bytes);
        reader.line(text).map_err(at)?;
    }
    for person in reader.people {
        person.correct(&reader.corrections);
    }
    Ok(())
}

#[derive(Default)]
struct AliasReader<'p> {
    people: Vec<&'p mut PersonPattern>,
    corrections: Corrections,
    /// The bytes of the corrections.
    corrected: usize,
    /// Whether the section is that of players; `None` before the first.
    in_players: Option<bool>,
    /// The name of a person, and the aliases.
    names: Vec<String>,
    /// Their bytes.
    size: usize,
    folded: String,
}

impl AliasReader<'_> {
    fn line(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        let end = memchr::memchr(b'#', bytes).unwrap_or(bytes.len());
        let line = bytes[..end].trim_ascii();
        let Some((&first, rest)) = line.split_first() else {
            return Ok(());
        };
        match first {
            b'@' => {
                self.end_person()?;
                let word = rest.split(|byte| !byte.is_ascii_alphabetic()).next();
                let is_players = word.is_some_and(|word| word.eq_ignore_ascii_case(b"PLAYER"));
                self.in_players = Some(is_players);
                Ok(())
            }
            _ if self.in_players == Some(false) => Ok(()),
            b'%' => self.command(rest),
            b'>' => Ok(()),
            _ if self.in_players.is_none() => Err("a name before the line @PLAYER"),
            b'=' if self.names.is_empty() => Err("an alias without a name before it"),
            b'=' => self.name(rest.trim_ascii()),
            _ => {
                self.end_person()?;
                self.name(line)
            }
        }
    }

    fn name(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        if bytes.is_empty() {
            return Err("an alias without letters");
        }
        self.size += bytes.len() + size_of::<String>();
        if self.size > MAX_NAMES {
            return Err("more than 1 MiB of aliases for one name");
        }
        self.names.push(decoded(bytes).into_owned());
        Ok(())
    }

    /// Hands the names of a person to the patterns that name the person.
    fn end_person(&mut self) -> Result<(), &'static str> {
        // A name without aliases adds nothing, unless names of the archive are corrected.
        if self.names.len() > 1 || !self.names.is_empty() && !self.corrections.is_empty() {
            for person in &mut self.people {
                let mut names = self.names.iter();
                if names.any(|name| person.names_in(name, &mut self.folded))
                    && person.add_aliases(&self.names) > MAX_TAKEN
                {
                    return Err("the question matches too many names with aliases");
                }
            }
        }
        self.names.clear();
        self.size = 0;
        Ok(())
    }

    /// Takes `%Prefix "wrong" "right"`, and ignores commands that are not needed.
    fn command(&mut self, text: &[u8]) -> Result<(), &'static str> {
        let (word, rest) =
            text.split_at(text.iter().position(|&b| b == b' ').unwrap_or(text.len()));
        let list = match word {
            b"Prefix" => &mut self.corrections.beginnings,
            b"Infix" => &mut self.corrections.parts,
            b"Suffix" => &mut self.corrections.endings,
            _ => return Ok(()),
        };
        if self.in_players.is_none() {
            return Err("a correction before the line @PLAYER");
        }
        let rest = decoded(rest);
        let parts: Vec<&str> = rest.split('"').collect();
        let [_, wrong, _, right, _] = parts[..] else {
            return Err("write two texts in quotes: %Prefix \"wrong\" \"right\"");
        };
        if wrong.is_empty() {
            return Err("the text to replace is empty");
        }
        self.corrected += rest.len() + 2 * size_of::<String>();
        if self.corrected > MAX_CORRECTIONS {
            return Err("more than 64 KiB of corrections");
        }
        list.push((wrong.to_owned(), right.to_owned()));
        Ok(())
    }
}
