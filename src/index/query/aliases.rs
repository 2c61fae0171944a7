//! Reads alias files in the format of Scid's spelling files (D67).
//!
//! ```text
//! @PLAYER ", .-"                        the section; in quotes, what Scid ignores in names
//! %Prefix "GM " ""                      replaces a beginning; also %Infix, %Suffix
//! Fischer, Robert James  #GM USA [2780] 1943.03.09   a name; behind # a comment, in which the
//!                                       dates of birth and death count
//!    = Fischer, Bobby                   an alias
//!    %Bio World Champion 1972-1975      not needed; nor are %Elo, and lines with >
//! @SITE                                 not needed; nor are @EVENT and @ROUND
//! ```

use std::io::{self, BufRead, Read};
use std::sync::LazyLock;

use super::pattern::NamePattern;
use super::person::{AliasSet, Corrections};
use crate::format::date::Date;
use crate::format::fold::folded;
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
        /// The number, from 1.
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
    let mut people: Vec<_> = people.collect();
    let mut folded = String::new();
    let corrections = read_people(file, &mut |alias, corrections| {
        // A name without aliases adds nothing, unless it has a date or names of the archive are
        // corrected.
        if alias.names.len() == 1 && alias.life == Life::default() && corrections.is_empty() {
            return Ok(());
        }
        let wanted = people
            .iter_mut()
            .filter(|person| person.is(alias, &mut folded));
        let mut taken = wanted.map(|person| person.add_aliases(alias));
        match taken.any(|taken| taken > MAX_TAKEN) {
            true => Err("the question matches too many names with aliases"),
            false => Ok(()),
        }
    })?;
    for person in people {
        person.correct(&corrections);
    }
    Ok(())
}

/// The names of a person in an alias file.
#[derive(Clone, Debug, Default)]
pub(super) struct AliasPerson {
    /// The first is the name, the others are aliases.
    pub(super) names: Vec<String>,
    pub(super) life: Life,
}

/// The years of a person's birth and death, where an alias file has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Life {
    pub(super) born: Option<u32>,
    pub(super) died: Option<u32>,
}

impl Life {
    /// The life that a comment gives: `#GM RUS [2838] 1963.04.13`, `#1892.10.31--1946.03.24`.
    fn new(comment: &[u8]) -> Life {
        let comment = decoded(comment);
        let lives = comment.split([' ', '\t', '#', '\r', '\n']).map(|word| {
            let (born, died) = word.split_once("--").unwrap_or((word, ""));
            let (born, died) = (year(born), year(died));
            Life { born, died }
        });
        let mut known = lives.filter(|life| *life != Life::default());
        known.next().unwrap_or_default()
    }

    /// Whether a game with this date is certainly not of this person: it is of the year of birth or
    /// of one before, or of one behind that of death.
    pub(super) fn excludes(self, date: Date) -> bool {
        date.parts()[0].is_some_and(|year| {
            self.born.is_some_and(|born| year <= born) || self.died.is_some_and(|died| died < year)
        })
    }
}

/// The year that a date begins with: `1963`, `1963.04.13`.
fn year(date: &str) -> Option<u32> {
    let (year, rest) = date.split_at_checked(4)?;
    let is_date = rest.is_empty() || rest.starts_with(['.', '-']);
    year.parse().ok().filter(|&year| is_date && year >= 1000)
}

/// People of the past whose names are spelled in several ways: their aliases come with the program.
pub(super) static CLASSICS: LazyLock<Vec<AliasPerson>> = LazyLock::new(|| {
    let mut all = Vec::new();
    let read = read_people(
        &mut include_bytes!("classics.ssp").as_slice(),
        &mut |person, _| {
            all.push(person.clone());
            Ok(())
        },
    );
    debug_assert!(read.is_ok());
    all
});

/// The people of an alias file, by all their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AliasNames(AliasSet);

impl AliasNames {
    /// Reads an alias file.
    ///
    /// # Errors
    /// Reading fails, or a line is not in the format.
    pub fn read(file: &mut dyn BufRead) -> Result<AliasNames, AliasError> {
        let mut all = AliasSet::default();
        all.corrections = read_people(
            file,
            &mut |person, _| match all.add(person, true) > MAX_TAKEN {
                true => Err("more than 64 MiB of names"),
                false => Ok(()),
            },
        )?;
        Ok(AliasNames(all))
    }

    /// The first name that the file has of the person with this name; `None` if it names nobody, or
    /// several people, or a person who did not live at this date.
    pub fn first_name(&self, value: &str, date: Date) -> Option<&str> {
        let person = self.0.person_of(value, &mut folded(value))?;
        (!person.life.excludes(date)).then_some(person.name.as_str())
    }
}

/// Reads an alias file: passes each person on, and returns the corrections of names.
fn read_people(
    file: &mut dyn BufRead,
    each: &mut EachPerson<'_>,
) -> Result<Corrections, AliasError> {
    let mut reader = AliasReader {
        each,
        corrections: Corrections::default(),
        corrected: 0,
        in_players: None,
        person: AliasPerson::default(),
        size: 0,
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
            return Ok(reader.corrections);
        }
        let begin = if line == 1 { BOM } else { b"" };
        let text = bytes.strip_prefix(begin).unwrap_or(&bytes);
        reader.line(text).map_err(at)?;
    }
}

type EachPerson<'f> = dyn FnMut(&AliasPerson, &Corrections) -> Result<(), &'static str> + 'f;

struct AliasReader<'f, 'e> {
    each: &'f mut EachPerson<'e>,
    corrections: Corrections,
    /// The bytes of the corrections.
    corrected: usize,
    /// Whether the section is that of players; `None` before the first.
    in_players: Option<bool>,
    person: AliasPerson,
    /// The bytes of the names.
    size: usize,
}

impl AliasReader<'_, '_> {
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
            b'=' if self.person.names.is_empty() => Err("an alias without a name before it"),
            b'=' => self.name(rest.trim_ascii()),
            _ => {
                self.end_person()?;
                self.person.life = Life::new(&bytes[end..]);
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
        self.person.names.push(decoded(bytes).into_owned());
        Ok(())
    }

    /// Passes the person on whose names have been read.
    fn end_person(&mut self) -> Result<(), &'static str> {
        let person = std::mem::take(&mut self.person);
        self.size = 0;
        match person.names.is_empty() {
            true => Ok(()),
            false => (self.each)(&person, &self.corrections),
        }
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
