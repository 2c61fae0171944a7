//! What an edit asks for, and which fields of a game it changes.

use std::borrow::Cow;
use std::collections::HashMap;

use pgc_chess::{lacks_chess960, named_opening};
use pgc_index::{AliasNames, Date};
use pgc_pgn::records::record::ROSTER;
use pgc_pgn::tag::is_tag;
use pgc_pgn::text::decoded;
use pgc_pgn::writer::{Termination, is_tag_name};

/// The tags that say how the moves are to be read.
const MEANING: [&str; 3] = ["FEN", "SetUp", "Variant"];

/// The one tag with such a meaning that a game may get: it makes moves of what was text.
pub(super) const CHESS960: (&str, &str) = ("Variant", "Chess960");

const RESULT: &str = "Result";

/// The limit of section 7 of the standard for symbols.
const MAX_NAME: usize = 255;

/// The longest value of a tag: the reader recognises its pair even if every character needs a
/// backslash.
const MAX_VALUE: usize = 4096;

/// Why an edit is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// Not a tag name.
    #[error(
        "{0:?} is not the name of a tag: it has letters, digits and underscores only, 255 at most"
    )]
    Name(String),
    /// Nothing that is read as a tag has such a name.
    #[error(
        "{0:?} cannot be the name of a tag, not even in a source that breaks the standard's rules"
    )]
    NoName(String),
    /// The tag decides what the moves mean.
    #[error(
        "{0} says how the moves are to be read, and cannot be changed without them (only Variant=Chess960 can be added, to games whose FEN has castling rights that chess does not know)"
    )]
    Meaning(String),
    /// A value that a tag pair cannot have.
    #[error(
        "the value of {0} has a line end or another control character, which PGN does not allow"
    )]
    Control(String),
    /// A value that is too long.
    #[error("the value of {0} is longer than {MAX_VALUE} bytes")]
    Long(String),
    /// Not a result.
    #[error("{0:?} is not a result: use 1-0, 0-1, 1/2-1/2 or *")]
    Result(String),
    /// Not a date, or one that can be read in two ways.
    #[error(
        "{0:?} is not a date that can be read in one way: write 1999.05.31, 1999.05.?? or 1999.??.??"
    )]
    Date(String),
    /// A tag, or the name of a player, is to be changed in two ways.
    #[error("{0:?} would be changed twice")]
    Twice(String),
}

/// Which games get the tags of the opening that they reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningTags {
    /// Each tag only where it is missing, empty or `?`.
    Missing,
    /// Whatever is there.
    Always,
}

/// The tags that name an opening.
const ECO: &str = "ECO";
const OPENING: &str = "Opening";

/// The tags with dates.
const DATES: [&str; 3] = ["Date", "EventDate", "UTCDate"];

/// Changes to games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Names and values. Tags of the roster come first, in its order: new pairs are added in this
    /// order.
    set: Vec<(String, String)>,
    unset: Vec<String>,
    renames: HashMap<String, String>,
    /// White and Black get the first names that these have.
    aliases: Option<AliasNames>,
    /// Whether games get the tags of their opening.
    pub(super) opening: Option<OpeningTags>,
    delete: bool,
}

/// A change to one field of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The name of the tag; `None`: the termination marker of the movetext.
    pub tag: Option<String>,
    /// The value before; `None`: there was none.
    pub before: Option<String>,
    /// The value after; `None`: the tag pair is removed.
    pub after: Option<String>,
    pub(super) place: FieldPlace,
}

/// Where a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldPlace {
    /// The nth tag pair is changed or removed.
    Tag(usize),
    /// A new tag pair behind the nth one.
    Behind(usize),
    /// A new tag pair before all others.
    First,
    /// The termination marker.
    Terminator,
}

impl FieldChange {
    /// Whether it gives the game another result.
    pub(super) fn sets_result(&self) -> bool {
        self.tag.as_deref() == Some(RESULT) && self.after.is_some()
    }
}

impl Edits {
    /// Deletes whole games.
    pub fn deletion() -> Edits {
        Edits {
            delete: true,
            ..Edits::default()
        }
    }

    /// Sets a tag pair where there is one, and adds it where there is none.
    ///
    /// # Errors
    /// [`EditError`].
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), EditError> {
        if !is_tag_name(name.as_bytes()) || name.len() > MAX_NAME {
            return Err(EditError::Name(name.to_owned()));
        }
        if self.set.iter().any(|set| set.0 == name && set.1 == value) {
            return Ok(());
        }
        self.check_name(name, (name, value) == CHESS960)?;
        check_value(name, value)?;
        if name == RESULT && Termination::from_bytes(value.as_bytes()).is_none() {
            return Err(EditError::Result(value.to_owned()));
        }
        if DATES.contains(&name) && !Date::says_all(value.as_bytes()) {
            return Err(EditError::Date(value.to_owned()));
        }
        self.set.push((name.to_owned(), value.to_owned()));
        let rank = |name: &str| ROSTER.iter().position(|&tag| tag == name);
        self.set
            .sort_by_key(|(name, _)| rank(name).unwrap_or(ROSTER.len()));
        Ok(())
    }

    /// Removes a tag pair. Names that the standard does not allow are accepted if the reader reads
    /// them.
    ///
    /// # Errors
    /// [`EditError`].
    pub fn unset(&mut self, name: &str) -> Result<(), EditError> {
        if !is_tag(name.as_bytes()) {
            return Err(EditError::NoName(name.to_owned()));
        }
        if self.unset.iter().any(|unset| unset == name) {
            return Ok(());
        }
        self.check_name(name, false)?;
        self.unset.push(name.to_owned());
        Ok(())
    }

    /// Changes White and Black where they have exactly this value.
    ///
    /// # Errors
    /// [`EditError`].
    pub fn rename_player(&mut self, old: &str, new: &str) -> Result<(), EditError> {
        check_value("a player", new)?;
        match self.renames.insert(old.to_owned(), new.to_owned()) {
            Some(before) if before != new => Err(EditError::Twice(old.to_owned())),
            Some(_) | None => Ok(()),
        }
    }

    /// Changes White and Black where an alias file has another name first for the same person, unless
    /// the game is older than that person.
    pub fn rename_aliases(&mut self, aliases: AliasNames) {
        self.aliases = Some(aliases);
    }

    /// Sets the tags ECO and Opening of games that reached a named opening (D74).
    ///
    /// # Errors
    /// [`EditError`].
    pub fn set_opening(&mut self, tags: OpeningTags) -> Result<(), EditError> {
        self.check_name(ECO, false)?;
        self.check_name(OPENING, false)?;
        self.opening = Some(tags);
        Ok(())
    }

    /// The edits of a game with these tags (name and unescaped value) and this main line, including
    /// the tags of its opening if they are asked for.
    pub(super) fn of_game(
        &self,
        tags: &[GameTag<'_>],
        main_line: impl Iterator<Item = u8>,
    ) -> Cow<'_, Edits> {
        let Some(asked) = self.opening else {
            return Cow::Borrowed(self);
        };
        let ordinals: Vec<u8> = main_line.collect();
        let Some(opening) = named_opening(pairs(tags), &ordinals) else {
            return Cow::Borrowed(self);
        };
        let says_something = |name: &str| {
            let mut named = pairs(tags).filter(|tag| tag.0 == name.as_bytes());
            named.any(|tag| !matches!(tag.1, b"" | b"?"))
        };
        let mut edits = self.clone();
        for (name, value) in [(ECO, opening.eco), (OPENING, opening.name)] {
            if asked == OpeningTags::Always || !says_something(name) {
                edits.set.push((name.to_owned(), value.to_owned()));
            }
        }
        Cow::Owned(edits)
    }

    /// Whether a tag can be changed, and none asked for it before; `is_chess960`: it is the Variant
    /// that says how the moves are read already.
    fn check_name(&self, name: &str, is_chess960: bool) -> Result<(), EditError> {
        if MEANING.contains(&name) && !is_chess960 {
            return Err(EditError::Meaning(name.to_owned()));
        }
        let is_set = self.set.iter().any(|(set, _)| set == name)
            || self.opening.is_some() && matches!(name, ECO | OPENING);
        if is_set || self.unset.iter().any(|unset| unset == name) {
            return Err(EditError::Twice(name.to_owned()));
        }
        Ok(())
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Edits::default()
    }

    /// Whether games are deleted.
    pub fn deletes(&self) -> bool {
        self.delete
    }

    /// What changes in a game with these tags (name and unescaped value) and this termination
    /// marker.
    pub(super) fn changes(
        &self,
        tags: &[GameTag<'_>],
        terminator: Option<Termination>,
    ) -> Vec<FieldChange> {
        let mut changes = Vec::new();
        let tag = |wanted: &[u8]| pairs(tags).find(|tag| tag.0 == wanted).map(|tag| tag.1);
        let date = Date::from_tags(tag(b"Date"), tag(b"UTCDate"));
        for (nth, (name, value)) in pairs(tags).enumerate() {
            changes.extend(self.value_of(name, value, date).map(|after| FieldChange {
                tag: Some(decoded(name).into_owned()),
                before: Some(decoded(value).into_owned()),
                after: after.map(str::to_owned),
                place: FieldPlace::Tag(nth),
            }));
        }
        for (name, value) in &self.set {
            let is_kept = || name == CHESS960.0 && !lacks_chess960(pairs(tags));
            if tags.iter().any(|tag| tag.0 == name.as_bytes()) || is_kept() {
                continue;
            }
            changes.push(FieldChange {
                tag: Some(name.clone()),
                before: None,
                after: Some(value.clone()),
                place: self.place_of_new(name, tags),
            });
        }
        changes.extend(self.termination(&changes, terminator));
        changes
    }

    /// The new value of a tag pair: `None` if it stays as it is, `Some(None)` if it goes.
    fn value_of(&self, name: &[u8], value: &[u8], date: Date) -> Option<Option<&str>> {
        if self.unset.iter().any(|unset| unset.as_bytes() == name) {
            return Some(None);
        }
        let is_set = |set: &str| set.as_bytes() == name && set != CHESS960.0;
        let set = self.set.iter().find(|(set, _)| is_set(set));
        let new = match set {
            Some((_, new)) => new.as_str(),
            None if matches!(name, b"White" | b"Black") => {
                let value = decoded(value);
                let renamed = self.renames.get(&*value).map(String::as_str);
                let first = || self.aliases.as_ref()?.first_name(&value, date);
                renamed.or_else(first)?
            }
            None => return None,
        };
        (new != decoded(value)).then_some(Some(new))
    }

    /// Where a new tag pair goes: a tag of the roster behind the nearest earlier tag of the roster
    /// that the game has, any other tag behind the last tag pair. Pairs that are removed do not
    /// count.
    fn place_of_new(&self, name: &str, tags: &[GameTag<'_>]) -> FieldPlace {
        let stays = |tag: &[u8]| !self.unset.iter().any(|unset| unset.as_bytes() == tag);
        let last =
            |is: &dyn Fn(&[u8]) -> bool| tags.iter().rposition(|tag| stays(tag.0) && is(tag.0));
        let behind = match ROSTER.iter().position(|&tag| tag == name) {
            Some(rank) => {
                let mut before = ROSTER[..rank].iter().rev();
                before.find_map(|before| last(&|tag| tag == before.as_bytes()))
            }
            None => last(&|_| true),
        };
        behind.map_or(FieldPlace::First, FieldPlace::Behind)
    }

    /// The change of the termination marker that goes with a new Result tag; none if marker and tag
    /// disagreed before.
    fn termination(
        &self,
        changes: &[FieldChange],
        terminator: Option<Termination>,
    ) -> Option<FieldChange> {
        let is_result = |change: &&FieldChange| change.tag.as_deref() == Some(RESULT);
        let change = changes.iter().find(is_result)?;
        let new = Termination::from_bytes(change.after.as_deref()?.as_bytes())?;
        let old = terminator.filter(|&old| old != new)?;
        let agreed = change.before.as_deref().is_none_or(|before| {
            Termination::from_tag(before.as_bytes().trim_ascii()) == Some(old)
        });
        agreed.then(|| FieldChange {
            tag: None,
            before: Some(old.as_str().to_owned()),
            after: Some(new.as_str().to_owned()),
            place: FieldPlace::Terminator,
        })
    }
}

/// Name and unescaped value of a tag pair.
pub(super) type GameTag<'t> = (&'t [u8], Cow<'t, [u8]>);

fn pairs<'t>(tags: &'t [GameTag<'_>]) -> impl Iterator<Item = (&'t [u8], &'t [u8])> + Clone {
    tags.iter().map(|(name, value)| (*name, &**value))
}

fn check_value(name: &str, value: &str) -> Result<(), EditError> {
    if value.chars().any(char::is_control) {
        return Err(EditError::Control(name.to_owned()));
    }
    if value.len() > MAX_VALUE {
        return Err(EditError::Long(name.to_owned()));
    }
    Ok(())
}
