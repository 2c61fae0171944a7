//! The games of a search as a file that the browser saves, written as `pgc find -o` writes it.

use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use anyhow::{Context as _, bail};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use pgc::Query;
use tempfile::TempDir;

use super::api::QuestionParameters;
use super::shelf::{Edition, Shelf};
use crate::args::find::FindArgs;
use crate::args::questions::Questions;
use crate::commands::find;
use crate::failure::Exit;
use crate::files::indexed::again_if_false;

/// The kinds of files: the ending of the name, and the media type.
const KINDS: [(&str, &str); 3] = [
    ("pgn", "application/x-chess-pgn"),
    ("pgc", "application/octet-stream"),
    ("csv", "text/csv; charset=utf-8"),
];

/// A file of games. It is removed when it has been read.
pub(super) struct SavedGames {
    pub(super) name: String,
    pub(super) media_type: &'static str,
    pub(super) length: u64,
    file: File,
    _folder: TempDir,
}

impl Body for SavedGames {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut SavedGames>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(256 << 10).read_to_end(&mut bytes);
        Poll::Ready(match read {
            Ok(0) => None,
            read => Some(read.map(|_| Frame::data(bytes.into()))),
        })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}

/// Writes the games of a search. `line`: the questions as options of `pgc find`; `asked` has the
/// ending of the file and the order too.
pub(super) fn save(
    shelf: &Shelf,
    edition: &Edition,
    line: &str,
    asked: &QuestionParameters,
) -> anyhow::Result<SavedGames> {
    let format = asked.one("format").unwrap_or("pgn");
    let kind = KINDS.into_iter().find(|(name, _)| *name == format);
    let (ending, media_type) = kind.with_context(|| format!("{format}: use pgn, pgc or csv"))?;
    let folder = tempfile::tempdir_in(shelf.lookup.temp_dir())?;
    let path = folder.path().join(format!("games.{ending}"));
    // Of the options of `pgc find` only the questions come from the page.
    let served = edition.archives.iter();
    let served = served.filter(|served| served.lost.is_none());
    let served = served.map(|served| served.archive.path().to_owned());
    let mut args = FindArgs::all_of(served.collect())?;
    let query = Query::parse(line)?;
    args.ask = Questions { query };
    args.sort = asked.sort()?;
    args.reverse = asked.one("reverse").is_some();
    args.output = Some(path.clone());
    args.lookup = shelf.lookup.clone();
    args.lookup.run.quiet = true;
    match again_if_false(false, || find::run(&args))? {
        Exit::Done => {}
        Exit::Partly => bail!("no game matches"),
        Exit::Failure | Exit::Damaged => bail!("games cannot be read: try `pgc find`"),
        Exit::Interrupted => bail!("interrupted"),
    }
    let file = File::open(&path)?;
    Ok(SavedGames {
        name: format!("games.{ending}"),
        media_type,
        length: file.metadata()?.len(),
        file,
        _folder: folder,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use pgc::{NoHooks, PackOptions, pack};
    use pgc_index::{JoinOption, OPTIONS};

    use super::super::api::{Api, OTHERS};
    use super::{FindArgs, Shelf};
    use crate::args;

    /// An address with one parameter.
    fn address(name: &str, value: &str) -> String {
        let mut address = form_urlencoded::Serializer::new(String::new());
        address.append_pair(name, value).finish()
    }

    /// The reasons why each address of the page that takes questions refuses this one.
    fn refusals(api: &Api, asked: &str) -> Vec<String> {
        let questions = ["find", "tree", "stats", "table"].into_iter();
        let answers = questions.map(|question| api.answer(question, asked, b""));
        let saved = api.saved(asked).err();
        let all = answers.chain([saved.unwrap_or_else(|| (200, "saved".to_owned()))]);
        all.map(|(status, why)| {
            assert_eq!(status, 400, "{asked}: {why}");
            why
        })
        .collect()
    }

    /// Whether an option asks a question about games; `-d` is the short form of one.
    fn is_question(option: &str) -> bool {
        let name = option.trim_start_matches('-');
        let is_named = |o: &pgc_index::QueryOption| match option.starts_with("--") {
            true => [o.name, o.opposite].contains(&name),
            false => o.short.is_some_and(|c| c.to_string() == name),
        };
        OPTIONS.iter().any(is_named) || JoinOption::named(name).is_some() || name == "maybe"
    }

    /// The page's questions may name files, folders, limits and formats no more than a visitor of
    /// the page may: no address takes an option of the program that is no question.
    #[test]
    fn the_page_takes_no_option_of_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.pgc");
        let (mut text, mut bytes) = (&b"[White \"A\"]\n\n1. e4 e5 *\n"[..], Vec::new());
        let options = PackOptions::default();
        pack(&mut text, "x.pgn", &mut bytes, &options, &mut NoHooks).unwrap();
        fs::write(&path, bytes).unwrap();
        let mut lookup = FindArgs::all_of(Vec::new()).unwrap().lookup;
        lookup.run.quiet = true;
        let api = Api::new(Shelf::open(vec![path.clone()], lookup).unwrap(), None, None);
        let path = path.to_str().unwrap();

        let mut tried = 0;
        let mut program = args::command();
        program.build();
        let commands = program.get_subcommands();
        for argument in commands.flat_map(clap::Command::get_arguments) {
            let long = argument.get_long().map(|name| format!("--{name}"));
            let short = argument.get_short().map(|c| format!("-{c}"));
            for option in long.into_iter().chain(short).filter(|o| !is_question(o)) {
                for line in [
                    option.clone(),
                    format!("{option}={path}"),
                    format!("{option} '{path}'"),
                    format!("-p a {option}"),
                ] {
                    for why in refusals(&api, &address("query", &line)) {
                        assert!(why.contains("is not an option of a query"), "{line}: {why}");
                    }
                    tried += 1;
                }
                let name = option.trim_start_matches('-');
                if !OTHERS.split(' ').any(|other| other == name)
                    && !is_question(&format!("--{name}"))
                {
                    refusals(&api, &address(name, path));
                }
            }
        }
        assert!(tried > 400, "{tried}");
        for line in [path, "--", "-", "-p a --", &format!("-p a -- {path}")] {
            refusals(&api, &address("query", line));
        }
        let asked = address("query", "-p a");
        assert!(api.saved(&asked).is_ok() && api.answer("find", &asked, b"").0 == 200);
        assert!(api.saved(&(asked + "&sort=bogus")).is_err());
    }
}
