//! Splits the games of an archive into files (section 11 of the standard).

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use crate::ask::texts::{TextOptions, texts};
use crate::movetext::text;
use crate::open::Archive;
use crate::run::Error;
use pgc_block::small::stored::Needs;
use pgc_index::Date;
use pgc_io::dir::is_device;
use pgc_pgn::text::is_harmful;

/// Maximum length of a name: with a number and an extension it stays below the 255 bytes that file
/// systems allow.
const MAX_STEM: usize = 200;

/// How games are assigned to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitBy {
    /// By year: `1992`; unknown digits are 0.
    Year,
    /// By year and month: `199205`.
    Month,
    /// By date: `19920531`.
    Day,
    /// By event.
    Event,
    /// By the last name of a player: the part before the comma, or the whole name. A game goes into
    /// the files of both players.
    Player,
    /// This number of games to a file.
    Games(u64),
}

/// A file of a [`SplitPlan`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitFile {
    /// The folder for it, in a directory tree (section 11.4 and 11.5): `1992`, `Players`.
    pub folder: Option<String>,
    /// The name without an extension: valid on any file system, and different from all others on
    /// any file system.
    pub stem: String,
    /// Number of games in it.
    pub games: u64,
    /// The name that it would have, if every file system allowed that.
    pub instead_of: Option<String>,
}

/// The assignment of games to files.
#[derive(Clone, Debug, Default)]
pub struct SplitPlan {
    files: Vec<SplitFile>,
    /// Numbers of file and game (from 0), ascending.
    games: Vec<(u32, u32)>,
}

impl SplitFile {
    /// The path of the file with this extension, from the folder of all files.
    pub fn path(&self, ending: &str) -> String {
        match &self.folder {
            Some(folder) => format!("{folder}/{}.{ending}", self.stem),
            None => format!("{}.{ending}", self.stem),
        }
    }
}

impl SplitPlan {
    /// Makes the plan from the tags of all games. Files that have only a number are named `stem`
    /// and the number. `in_tree`: the files are in folders.
    ///
    /// # Errors
    /// [`Error::Damaged`]; [`Error::Io`].
    pub fn new(
        archive: &Archive,
        by: SplitBy,
        in_tree: bool,
        stem: &str,
        threads: usize,
    ) -> Result<SplitPlan, Error> {
        let (mut plan, mut names) = (SplitPlan::default(), TakenNames::default());
        if let SplitBy::Games(each) = by {
            plan.by_number(&placed_games(archive)?, each.max(1), stem, &mut names)?;
            return Ok(plan);
        }
        let mut numbers: HashMap<String, u32> = HashMap::new();
        archive.scan(
            None,
            Needs::Tags,
            threads,
            |_, games, found: &mut Vec<(u64, Vec<String>)>| {
                let keys = keys(&by, |name| games.game().tag(name));
                found.push((games.number() - 1, keys));
                Ok(())
            },
            |found| {
                for (game, keys) in found {
                    let game =
                        u32::try_from(game).map_err(|_| std::io::Error::other("too many games"))?;
                    for key in keys {
                        let file = match numbers.get(&key) {
                            Some(&file) => file,
                            None => {
                                let folder = folder_of(&by, &key).filter(|_| in_tree);
                                let file = plan.open(folder, &key, &mut names)?;
                                numbers.insert(key, file);
                                file
                            }
                        };
                        plan.files[file as usize].games += 1;
                        plan.games.push((file, game));
                    }
                }
                Ok(())
            },
        )?;
        plan.games.sort_unstable();
        Ok(plan)
    }

    fn open(
        &mut self,
        folder: Option<String>,
        key: &str,
        names: &mut TakenNames,
    ) -> Result<u32, Error> {
        let file = u32::try_from(self.files.len());
        let file = file.map_err(|_| std::io::Error::other("too many files"))?;
        self.files.push(SplitFile {
            folder,
            instead_of: changed(key),
            stem: names.free(&safe(key)),
            games: 0,
        });
        Ok(file)
    }

    fn by_number(
        &mut self,
        games: &[u32],
        each: u64,
        stem: &str,
        names: &mut TakenNames,
    ) -> Result<(), Error> {
        let each = usize::try_from(each).unwrap_or(usize::MAX);
        let width = games.len().div_ceil(each).to_string().len();
        for (number, games) in (1_u64..).zip(games.chunks(each)) {
            let file = self.open(None, &format!("{stem}-{number:0width$}"), names)?;
            self.files[file as usize].games = games.len() as u64;
            self.games.extend(games.iter().map(|&game| (file, game)));
        }
        Ok(())
    }

    /// The files, in the order of their first games.
    pub fn files(&self) -> &[SplitFile] {
        &self.files
    }

    /// Calls `each` with the numbers (from 0) and texts of all games, file by file (given by its
    /// position in [`files`](SplitPlan::files)), within a file in the order of the archive. Games
    /// in damaged blocks are left out if the archive passes over damage.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], and those of `each`.
    pub fn texts(
        &self,
        archive: &Archive,
        options: &TextOptions,
        mut each: impl FnMut(usize, u32, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let order = self.games.iter().map(|entry| (0, entry.1));
        texts(&[archive], order, options, &mut |rank, text| {
            let rank = usize::try_from(rank).unwrap_or(usize::MAX);
            match self.games.get(rank) {
                Some(&(file, game)) => each(file as usize, game, text),
                None => Ok(()),
            }
        })?;
        Ok(())
    }
}

/// The games (from 0) of all blocks that can be found: behind damage, fewer than the archive
/// counts.
fn placed_games(archive: &Archive) -> Result<Vec<u32>, Error> {
    let (mut games, mut next) = (Vec::new(), 0);
    while let Some(place) = archive.place(next)? {
        let here = next.max(place.before)..place.end_game();
        games.extend(here.filter_map(|game| u32::try_from(game).ok()));
        next = place.end_game();
    }
    Ok(games)
}

/// The folder of a file with this key: one for each year, if files are months or days; one for all
/// events; one for all players.
fn folder_of(by: &SplitBy, key: &str) -> Option<String> {
    match by {
        SplitBy::Month | SplitBy::Day => key.get(..4).map(str::to_owned),
        SplitBy::Event => Some("Events".to_owned()),
        SplitBy::Player => Some("Players".to_owned()),
        SplitBy::Year | SplitBy::Games(_) => None,
    }
}

/// The file keys of a game, without duplicates.
fn keys<'t>(by: &SplitBy, tag: impl Fn(&[u8]) -> Option<&'t [u8]>) -> Vec<String> {
    let text = |name: &[u8]| tag(name).map(text).unwrap_or_default();
    let date = || Date::from_tags(tag(b"Date"), tag(b"UTCDate")).digits();
    match by {
        SplitBy::Year => vec![format!("{:04}", date() / 10_000)],
        SplitBy::Month => vec![format!("{:06}", date() / 100)],
        SplitBy::Day => vec![format!("{:08}", date())],
        SplitBy::Event => vec![text(b"Event")],
        SplitBy::Player => {
            let mut keys = Vec::new();
            for value in [text(b"White"), text(b"Black")] {
                // 8.1.1.4: colons separate several players on a side.
                for player in value.split(':') {
                    let last = player.split(',').next().unwrap_or_default();
                    let last = last.trim().to_owned();
                    if !keys.contains(&last) {
                        keys.push(last);
                    }
                }
            }
            keys
        }
        SplitBy::Games(_) => Vec::new(),
    }
}

/// Turns any text into a name that is valid on every file system.
fn safe(key: &str) -> String {
    let mut name = String::new();
    for c in key.trim().chars() {
        let unsafe_here = is_harmful(c) || r#"<>:"/\|?*"#.contains(c);
        let c = if unsafe_here { '_' } else { c };
        if name.len() + c.len_utf8() > MAX_STEM {
            break;
        }
        name.push(c);
    }
    // Windows drops trailing dots and blanks.
    let name = name.trim_end_matches(['.', ' ']);
    if name.is_empty() || name.chars().all(|c| c == '_') {
        return "unknown".to_owned();
    }
    // A leading dot hides a file, and a hyphen makes it look like an option.
    if is_device(name) || name.starts_with(['.', '-', '~']) {
        format!("_{name}")
    } else {
        name.to_owned()
    }
}

/// The name, if [`safe`] changes it; `None` also for an unknown name (`?`).
fn changed(key: &str) -> Option<String> {
    let key = key.trim();
    let is_known = !key.chars().all(|c| c == '?');
    (is_known && safe(key) != key).then(|| key.to_owned())
}

/// Names in use, compared as the least discriminating file systems do: without case, and in NFKC.
#[derive(Debug, Default)]
struct TakenNames {
    taken: HashSet<String>,
    /// The last number given to a name.
    last: HashMap<String, u64>,
}

impl TakenNames {
    fn free(&mut self, stem: &str) -> String {
        let folded = |name: &str| -> String {
            let lower = name.nfkc().flat_map(char::to_lowercase);
            lower.nfkc().collect()
        };
        if self.taken.insert(folded(stem)) {
            return stem.to_owned();
        }
        let last = self.last.entry(folded(stem)).or_insert(1);
        loop {
            *last += 1;
            let name = format!("{stem}-{last}");
            if self.taken.insert(folded(&name)) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_safe() {
        for (key, expected) in [
            ("Kasparov", "Kasparov"),
            ("", "unknown"),
            ("?", "unknown"),
            ("..", "unknown"),
            ("../../etc/passwd", "_.._.._etc_passwd"),
            ("a/b\\c:d", "a_b_c_d"),
            ("nul", "_nul"),
            ("Con.1992", "_Con.1992"),
            ("COM1", "_COM1"),
            ("COM10", "COM10"),
            ("Community", "Community"),
            ("-rf", "_-rf"),
            (".hidden", "_.hidden"),
            ("Wijk aan Zee. ", "Wijk aan Zee"),
            ("a\u{202e}b\0c", "a_b_c"),
            ("M\u{fc}ller", "M\u{fc}ller"),
        ] {
            assert_eq!(safe(key), expected, "{key:?}");
            assert_eq!(pgc_io::dir::file_name(&safe(key)), safe(key));
        }
        assert_eq!(safe(&"\u{20ac}".repeat(1000)).len(), 198);
        // Invisible characters, and those that change the direction of text.
        for c in [
            '\u{61c}',
            '\u{180e}',
            '\u{200b}',
            '\u{200f}',
            '\u{2028}',
            '\u{2060}',
            '\u{2065}',
            '\u{2069}',
            '\u{206f}',
            '\u{feff}',
            '\u{fff9}',
            '\u{fffb}',
            '\u{e0000}',
            '\u{e0041}',
            '\u{e007f}',
        ] {
            let key = format!("Tal{c}M");
            assert_eq!(safe(&key), "Tal_M", "{c:?}");
            assert_eq!(changed(&key), Some(key));
        }
    }

    #[test]
    fn changed_names_are_known() {
        for (key, told) in [
            ("Tal", None),
            (" Tal ", None),
            ("", None),
            ("?", None),
            ("a/b", Some("a/b")),
            ("CON", Some("CON")),
        ] {
            assert_eq!(changed(key).as_deref(), told, "{key:?}");
        }
    }

    #[test]
    fn names_that_some_file_system_takes_for_one() {
        let mut names = TakenNames::default();
        let found = [
            "Polgar",
            "POLGAR",
            "polgar-2",
            "Polgar",
            "M\u{fc}ller",
            "Mu\u{308}ller",
            "M\u{dc}LLER",
        ]
        .map(|name| names.free(name));
        assert_eq!(
            found,
            [
                "Polgar",
                "POLGAR-2",
                "polgar-2-2",
                "Polgar-3",
                "M\u{fc}ller",
                "Mu\u{308}ller-2",
                "M\u{dc}LLER-3"
            ]
        );
    }

    #[test]
    fn keys_of_games() {
        let tags: &[(&[u8], &[u8])] = &[
            (b"Event", b"  It "),
            (b"Date", b"199?.05.??"),
            (b"White", b"Kasparov, Garry:Short,N"),
            (b"Black", b"Deep Blue"),
        ];
        let tag = |name: &[u8]| tags.iter().find(|tag| tag.0 == name).map(|tag| tag.1);
        assert_eq!(keys(&SplitBy::Year, tag), ["1990"]);
        assert_eq!(keys(&SplitBy::Month, tag), ["199005"]);
        assert_eq!(keys(&SplitBy::Day, tag), ["19900500"]);
        assert_eq!(
            keys(&SplitBy::Player, tag),
            ["Kasparov", "Short", "Deep Blue"]
        );
        assert_eq!(keys(&SplitBy::Month, |_| None), ["000000"]);
        assert_eq!(keys(&SplitBy::Event, |_| None), [""]);
    }
}
