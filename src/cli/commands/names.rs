//! `pgc names`.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pgc::Archive;
use pgc::ask::name_list::{NameList, NameListOptions, SortedNames};
use pgc_index::{NameField, NamePattern};
use serde_json::json;

use crate::args::find::{FieldChoice, NameFormat, NameSort, NamesArgs};
use crate::commands::find::archives;
use crate::failure::{Exit, WithName};
use crate::files::archive::for_each;
use crate::files::destination;
use crate::files::indexed;
use crate::interrupt;
use crate::show::footer::{add_near, nothing_matches};
use crate::show::output::{grouped, is_stdin, note_line, printable, put_json};
use crate::show::screen::TextOutput;

pub(crate) fn run(args: &NamesArgs) -> anyhow::Result<Exit> {
    args.csv.check(args.format == NameFormat::Csv)?;
    let (arguments, asked) = args.divided()?;
    let (paths, mut exit) = archives(arguments, args.lookup.run.quiet)?;
    let temp_dir = args.lookup.temp_dir();
    let mut list = NameList::new(&NameListOptions {
        several: paths.len() > 1,
        by_games: args.sort == NameSort::Count,
        limit: args.limit,
        ..NameListOptions::new(&temp_dir)
    });
    let (unusable, quiet) = (args.lookup.unusable(), args.lookup.run.quiet);
    // As long as no name matches: names with a similar spelling, and their numbers of games.
    let (mut near, mut has_matched) = (HashMap::new(), false);
    let added = for_each(&paths, |path| {
        let archive = unusable.open(path, indexed::IN_ORDER.passing_damage(true))?;
        let archive = archive.with_temp_dir(&temp_dir);
        let mut pattern = asked.as_ref().map(|asked| asked.1.clone());
        let people = &args.lookup.people;
        people.beside_patterns(pattern.iter_mut(), path)?;
        let added = add(&mut list, &archive, args, pattern.as_ref()).at(path);
        unusable.check_late(&archive)?;
        has_matched |= added? > 0;
        if let (Some((text, _)), FieldChoice::Indexed(field)) = (&asked, &args.field)
            && !has_matched
            && !quiet
        {
            let wanted = (*field, text.as_str());
            add_near(&mut near, &archive, wanted, args.lookup.run.jobs).at(path)?;
        }
        Ok(indexed::tell_gaps(&archive))
    })?;
    exit = exit.max(added);
    let names = list.finish()?;
    let is_empty = names.is_empty();
    write(names, args)?;
    if !is_empty {
        return Ok(exit);
    }
    match (asked, &args.field) {
        _ if quiet => {}
        (Some((text, _)), field) => {
            note_line(&nothing_matches(field.name(), &text, &near));
        }
        (None, FieldChoice::Tag(tag)) if exit == Exit::Done => {
            note_line!("tag {tag}: none of the games has it");
        }
        _ => {}
    }
    Ok(exit.max(Exit::Partly))
}

/// A pattern as it was written, and as it is asked.
type WrittenPattern = (String, NamePattern);

impl NamesArgs {
    /// The archives, and the pattern, if the last argument is one.
    fn divided(&self) -> anyhow::Result<(&[PathBuf], Option<WrittenPattern>)> {
        let (archives, Some(text)) = divided(&self.archives) else {
            return Ok((&self.archives, None));
        };
        let pattern = match &self.field {
            FieldChoice::Indexed(NameField::Player) => NamePattern::person(&text),
            field => NamePattern::for_tag(field.name(), &text),
        };
        let mut pattern = pattern.with_context(|| text.clone())?;
        let people = &self.lookup.people;
        people.prepare_patterns([&mut pattern].into_iter())?;
        Ok((archives, Some((text, pattern))))
    }
}

/// The archives that the arguments name, and the last of several arguments if it is no path.
pub(crate) fn divided(arguments: &[PathBuf]) -> (&[PathBuf], Option<String>) {
    match arguments {
        [before @ .., last] if !before.is_empty() && !is_path(last) => {
            (before, Some(last.to_string_lossy().into_owned()))
        }
        all => (all, None),
    }
}

/// Whether an argument exists or looks like a path. Such an argument is not a pattern: if it does
/// not exist, that is an error.
pub(crate) fn is_path(argument: &Path) -> bool {
    let is_archive = destination::has_ending(argument, &["pgc", "pgci", "pgcz", "pgczi"]);
    is_archive || is_stdin(argument) || argument.components().count() > 1 || argument.exists()
}

/// Adds the names of an archive that match, and returns their number.
fn add(
    list: &mut NameList,
    archive: &Archive,
    args: &NamesArgs,
    pattern: Option<&NamePattern>,
) -> Result<u64, pgc::Error> {
    let mut added = 0;
    let threads = args.lookup.run.jobs;
    let matches = |name: &str| pattern.is_none_or(|pattern| pattern.matches(name));
    let mut add = |name: &str, games| {
        // If --require-index is given, `check_late` then reports that the index failed.
        let is_refused = args.lookup.require_index && archive.index_failed_late();
        if is_refused || interrupt::requested() {
            Err(pgc::Error::Cancelled)
        } else {
            added += 1;
            list.add(name, games)
        }
    };
    let mut of_pattern = |name: &str, games| match matches(name) {
        true => add(name, games),
        false => Ok(()),
    };
    match &args.field {
        FieldChoice::Indexed(field) => archive.each_name(*field, pattern, threads, &mut add)?,
        FieldChoice::Tag(tag) => archive.each_tag_name(tag, pattern, threads, &mut add)?,
        FieldChoice::Source => archive.each_segment(threads, |name, games| {
            name.map_or(Ok(()), |name| of_pattern(name, games))
        })?,
        FieldChoice::Eco => {
            for (code, games) in archive.eco_codes(threads)? {
                of_pattern(&code, games)?;
            }
        }
    }
    Ok(added)
}

fn write(names: SortedNames, args: &NamesArgs) -> anyhow::Result<()> {
    let mut out = TextOutput::stdout();
    let format = match args.json {
        true => NameFormat::Jsonl,
        false => args.format,
    };
    let width = grouped(names.most_games()).len();
    if format == NameFormat::Csv && !names.is_empty() {
        out.write_all(&args.csv.line(["name", "games"], false)?)?;
    }
    names.each(&mut |name, games| {
        interrupt::cancelled()?;
        match format {
            NameFormat::Table => writeln!(out, "{:>width$}  {}", grouped(games), printable(name))?,
            NameFormat::Csv => out.write_all(&args.csv.line([name, &games.to_string()], false)?)?,
            NameFormat::Jsonl => put_json(&mut out, &json!({ "name": name, "games": games }))?,
        }
        Ok(())
    })?;
    Ok(out.commit()?)
}
