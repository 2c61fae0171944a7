//! `pgc names`.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use pgc::internals::archive::{NameList, NameListOptions, SortedNames};
use pgc::internals::index::{NameField, NamePattern};
use pgc::internals::io::Output;
use pgc::{Archive, OpenOptions};
use serde_json::json;

use super::archive::for_each;
use super::columns::csv_line;
use super::exit::Exit;
use super::failure::WithName;
use super::find::archives;
use super::find_args::{FieldChoice, NameFormat, NameSort, NamesArgs};
use super::indexed;
use super::interrupt;
use super::open::is_stdin;
use super::output::{grouped, harmless_json, note, printable, shown};

pub(super) fn run(args: &NamesArgs) -> anyhow::Result<Exit> {
    let mut arguments = args.archives.clone();
    let mut pattern = None;
    if let Some(last) = arguments
        .last()
        .filter(|last| arguments.len() > 1 && !is_path(last))
    {
        let text = last.to_string_lossy().into_owned();
        let parse = match args.field {
            FieldChoice::Indexed(NameField::Player) => NamePattern::person,
            _ => NamePattern::parse,
        };
        pattern = Some(parse(&text).with_context(|| text.clone())?);
        args.lookup.people.prepare_patterns(pattern.iter_mut())?;
        arguments.pop();
    }
    let (paths, mut exit) = archives(&arguments)?;
    if paths.is_empty() && exit == Exit::Done {
        note("no archives found");
        return Ok(Exit::Partly);
    }
    let temp_dir = args.lookup.temp_dir();
    let mut list = NameList::new(&NameListOptions {
        several: paths.len() > 1,
        by_games: args.sort == NameSort::Count,
        limit: args.limit,
        ..NameListOptions::new(&temp_dir)
    });
    let unusable = args.lookup.unusable();
    let added = for_each(&paths, |path| {
        let archive = unusable
            .open(
                path,
                OpenOptions {
                    passes_damage: true,
                    ..indexed::IN_ORDER
                },
            )?
            .with_temp_dir(&temp_dir);
        let mut pattern = pattern.clone();
        let people = &args.lookup.people;
        people.beside_patterns(pattern.iter_mut(), path)?;
        let added = add(&mut list, &archive, args, pattern.as_ref());
        unusable.check_late(path, &archive)?;
        added.named(|| shown(path))?;
        Ok(indexed::tell_gaps(path, &archive))
    });
    if added == Exit::Interrupted {
        return Ok(added);
    }
    exit = exit.max(added);
    let names = list.finish()?;
    write(&names, args)?;
    Ok(if names.is_empty() {
        exit.max(Exit::Partly)
    } else {
        exit
    })
}

/// Whether an argument exists or looks like a path. Such an argument is not a pattern: if it does
/// not exist, that is an error.
pub(super) fn is_path(argument: &Path) -> bool {
    let is_archive = argument.extension().is_some_and(|end| {
        ["pgc", "pgci", "pgcz", "pgczi"]
            .iter()
            .any(|is| end.eq_ignore_ascii_case(is))
    });
    is_archive || is_stdin(argument) || argument.components().count() > 1 || argument.exists()
}

/// Adds the names of an archive.
fn add(
    list: &mut NameList,
    archive: &Archive,
    args: &NamesArgs,
    pattern: Option<&NamePattern>,
) -> Result<(), pgc::Error> {
    let threads = args.lookup.run.jobs;
    let matches = |name: &str| pattern.is_none_or(|pattern| pattern.matches(name));
    let mut add = |name: &str, games| {
        // If --require-index is given, `check_late` then reports that the index failed.
        let is_refused = args.lookup.require_index && archive.index_failed_late();
        if is_refused || interrupt::requested() {
            Err(pgc::Error::Cancelled)
        } else {
            list.add(name, games)
        }
    };
    let mut of_pattern = |name: &str, games| {
        if matches(name) {
            add(name, games)
        } else {
            Ok(())
        }
    };
    match &args.field {
        FieldChoice::Indexed(field) => archive.each_name(*field, pattern, threads, &mut add),
        FieldChoice::Tag(tag) => archive.each_tag_name(tag, pattern, threads, &mut add),
        FieldChoice::Source => archive.each_source(threads, &mut of_pattern),
        FieldChoice::Eco => {
            let codes = archive.eco_codes(threads)?;
            let mut codes = codes.iter();
            codes.try_for_each(|code| of_pattern(&code.name, code.games))
        }
    }
}

fn write(names: &SortedNames, args: &NamesArgs) -> anyhow::Result<()> {
    let mut out = Output::stdout();
    let format = if args.json {
        NameFormat::Jsonl
    } else {
        args.format
    };
    let width = grouped(names.most_games()).len();
    if format == NameFormat::Csv && !names.is_empty() {
        out.write_all(&csv_line(["name", "games"])?)?;
    }
    names.each(&mut |name, games| {
        interrupt::cancelled()?;
        match format {
            NameFormat::Table => writeln!(out, "{:>width$}  {}", grouped(games), printable(name))?,
            NameFormat::Csv => out.write_all(&csv_line([name, &games.to_string()])?)?,
            NameFormat::Jsonl => writeln!(
                out,
                "{}",
                harmless_json(&json!({ "name": name, "games": games }))
            )?,
        }
        Ok(())
    })?;
    Ok(out.commit()?)
}
