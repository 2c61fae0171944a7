//! `pgc names`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use pgc::index::{NameField, NamePattern};
use pgc::io::output::Output;
use pgc::store::{Archive, NameCount, OpenOptions};
use serde_json::json;

use super::columns::csv_line;
use super::exit::Exit;
use super::failure::{self, Named};
use super::find::archives;
use super::find_args::{Field, NameFormat, NameSort, Names};
use super::indexed;
use super::inputs::is_stdin;
use super::output::{grouped, harmless_json, note, printable, shown};

pub(super) fn run(args: &Names) -> anyhow::Result<Exit> {
    let mut arguments = args.archives.clone();
    let mut pattern = None;
    if let Some(last) = arguments.last().filter(|last| arguments.len() > 1 && !is_path(last)) {
        let text = last.to_string_lossy().into_owned();
        pattern = Some(NamePattern::parse(&text).with_context(|| text.clone())?);
        arguments.pop();
    }
    let (paths, mut exit) = archives(&arguments)?;
    if paths.is_empty() && exit == Exit::Done {
        note("no archives found");
        return Ok(Exit::Partly);
    }
    // Names ascend in each archive, but rounds in their own order: where there is one archive it is kept.
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    let mut names = Vec::new();
    for path in &paths {
        let found = indexed::open(path, OpenOptions::default(), args.require_index, args.quiet).and_then(|archive| {
            indexed::tell_unfinished(path, &archive);
            of(&archive, args, pattern.as_ref()).named(|| shown(path))
        });
        match found {
            Ok(found) if paths.len() == 1 => names = found,
            Ok(found) => {
                found.into_iter().for_each(|NameCount { name, games }| *sums.entry(name).or_default() += games)
            }
            Err(error) => match failure::report(&error) {
                end @ (Exit::Done | Exit::Interrupted) => return Ok(end),
                worse => exit = exit.max(worse),
            },
        }
    }
    names.extend(sums.into_iter().map(|(name, games)| NameCount { name, games }));
    if args.sort == NameSort::Count {
        names.sort_by_key(|name| Reverse(name.games));
    }
    if args.limit > 0 {
        names.truncate(usize::try_from(args.limit).unwrap_or(usize::MAX));
    }
    write(&names, args)?;
    Ok(if names.is_empty() { exit.max(Exit::Partly) } else { exit })
}

/// It is there, or it looks like a path: then it is no pattern, and an archive that is not there is an error.
fn is_path(argument: &Path) -> bool {
    let is_archive =
        argument.extension().is_some_and(|end| ["pgc", "pgci"].iter().any(|is| end.eq_ignore_ascii_case(is)));
    is_archive || is_stdin(argument) || argument.components().count() > 1 || argument.exists()
}

fn of(archive: &Archive, args: &Names, pattern: Option<&NamePattern>) -> Result<Vec<NameCount>, pgc::convert::Error> {
    let threads = args.jobs;
    let field = match args.field {
        Field::Player => NameField::Player,
        Field::Event => NameField::Event,
        Field::Site => NameField::Site,
        Field::Round => NameField::Round,
        Field::Eco | Field::Source => {
            let eco = args.field == Field::Eco;
            let mut names = if eco { archive.eco_codes(threads)? } else { archive.source_names(threads)? };
            names.retain(|name| pattern.is_none_or(|pattern| pattern.matches(&name.name)));
            return Ok(names);
        }
    };
    archive.names(field, pattern, threads)
}

fn write(names: &[NameCount], args: &Names) -> anyhow::Result<()> {
    let mut out = Output::stdout();
    let format = if args.json { NameFormat::Jsonl } else { args.format };
    let width = names.iter().map(|name| grouped(name.games).len()).max().unwrap_or(0);
    if format == NameFormat::Csv && !names.is_empty() {
        out.write_all(csv_line(["name", "games"].map(str::to_owned).into_iter()).as_bytes())?;
    }
    for NameCount { name, games } in names {
        match format {
            NameFormat::Table => writeln!(out, "{:>width$}  {}", grouped(*games), printable(name))?,
            NameFormat::Csv => {
                let cells = [name.clone(), games.to_string()];
                out.write_all(csv_line(cells.into_iter()).as_bytes())?;
            }
            NameFormat::Jsonl => writeln!(out, "{}", harmless_json(&json!({ "name": name, "games": games })))?,
        }
    }
    Ok(out.commit()?)
}
