//! Numbers of games, and addresses like `games.pgc:12`, as the command line names games.

use std::path::PathBuf;

use anyhow::bail;

use crate::show::output::shown;

/// A range of game numbers in an archive; without a range, the numbers come from standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WantedGames {
    pub(crate) archive: PathBuf,
    pub(crate) range: Option<(u64, u64)>,
}

/// Parses the arguments: archives, numbers that belong to the archive before them, addresses, and
/// `-`.
pub(crate) fn wanted(words: &[String]) -> anyhow::Result<Vec<WantedGames>> {
    let mut current: Option<PathBuf> = None;
    let mut wanted = Vec::new();
    let mut named = false;
    for word in words {
        let range = numbers(word);
        if current.is_none() && range.is_some() && wanted.last().is_some_and(is_stdin_list) {
            bail!("pgc get cannot read an archive from standard input: name a file");
        }
        let (archive, range) = if word == "-" {
            (current.clone().unwrap_or_default(), None)
        } else if let (Some(_), Some(archive)) = (range, &current) {
            (archive.clone(), range)
        } else if let Some((archive, range)) = parse_address(word) {
            (archive, Some(range))
        } else {
            if current.is_some() && !named {
                bail!("{word:?} is not a game number (12) or a range (5-9, 12.., 12..20)");
            }
            (current, named) = (Some(PathBuf::from(word)), false);
            continue;
        };
        wanted.push(WantedGames { archive, range });
        named = true;
    }
    if !named {
        let archive = shown(&current.unwrap_or_default());
        bail!("{archive}: which games? Name them by numbers (12), ranges (5-9) or `-`");
    }
    Ok(wanted)
}

/// Whether the numbers come from standard input, and no archive is named.
fn is_stdin_list(wanted: &WantedGames) -> bool {
    wanted.range.is_none() && wanted.archive.as_os_str().is_empty()
}

/// Parses `12`, `5-9`, `12..20`, `12..`.
pub(crate) fn numbers(word: &str) -> Option<(u64, u64)> {
    let number = |text: &str| {
        let is_number = text.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten()
    };
    if let Some(number) = number(word) {
        return Some((number, number));
    }
    if let Some(first) = word.strip_suffix("..").and_then(number) {
        return Some((first, u64::MAX));
    }
    let (first, last) = word.split_once("..").or_else(|| word.split_once('-'))?;
    Some((number(first)?, number(last)?))
}

/// Parses `games.pgc:12` or `games.pgc:5-9`.
pub(crate) fn parse_address(word: &str) -> Option<(PathBuf, (u64, u64))> {
    let (path, rest) = word.rsplit_once(':')?;
    let range = numbers(rest)?;
    (!path.is_empty()).then(|| (PathBuf::from(path), range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_games() {
        let list = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let wanted = wanted(&words).ok()?;
            Some(
                wanted
                    .iter()
                    .map(|w| (w.archive.display().to_string(), w.range))
                    .collect::<Vec<_>>(),
            )
        };
        let a = |first, last| ("a.pgc".to_owned(), Some((first, last)));
        let b = |first, last| ("b.pgc".to_owned(), Some((first, last)));
        assert_eq!(
            list(&["a.pgc", "3", "5-9", "12..20", "7.."]),
            Some(vec![a(3, 3), a(5, 9), a(12, 20), a(7, u64::MAX)])
        );
        assert_eq!(
            list(&["a.pgc:1", "b.pgc:2-3"]),
            Some(vec![a(1, 1), b(2, 3)])
        );
        assert_eq!(
            list(&["a.pgc", "1", "b.pgc", "2", "a.pgc:4"]),
            Some(vec![a(1, 1), b(2, 2), a(4, 4)])
        );
        assert_eq!(
            list(&["2024", "1"]),
            Some(vec![("2024".to_owned(), Some((1, 1)))])
        );
        assert_eq!(
            list(&["a.pgc", "-"]),
            Some(vec![("a.pgc".to_owned(), None)])
        );
        for nothing in [
            &["a.pgc"][..],
            &["12"],
            &["a.pgc", "b.pgc", "1"],
            &["a.pgc", "1", "b.pgc"],
            &["-", "1"],
        ] {
            assert_eq!(list(nothing), None, "{nothing:?}");
        }
    }
}
