//! What was perhaps meant by an unknown option, command or value.
//!
//! The suggestions of clap itself name any option that looks a little like it, `--force` for
//! `--source`, so that feature of it is off.

use std::env;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command, CommandFactory};
use pgc_index::near_words;

use crate::args::Args;

/// Adds it to an error about the arguments.
pub(crate) fn add_to(error: &mut Error) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let mut command = Args::command();
    command.build();
    if let Some(given) = text(ContextKind::InvalidSubcommand) {
        let near = near_words(&given, command.get_subcommands().map(Command::get_name));
        if !near.is_empty() {
            let near = ContextValue::Strings(near.into_iter().map(str::to_owned).collect());
            error.insert(ContextKind::SuggestedSubcommand, near);
        }
    } else if let Some(given) = text(ContextKind::InvalidValue) {
        let Some(ContextValue::Strings(all)) = error.get(ContextKind::ValidValue) else {
            return;
        };
        let near = near_words(&given, all.iter().map(String::as_str));
        if let Some(near) = near.first().map(ToString::to_string) {
            error.insert(ContextKind::SuggestedValue, ContextValue::String(near));
        }
    } else if error.kind() == ErrorKind::UnknownArgument
        && let Some(given) = text(ContextKind::InvalidArg)
    {
        let mut words = env::args().skip(1);
        let named = words.find_map(|word| command.find_subcommand(word));
        let tip = near_option(named.unwrap_or(&command), &given);
        // Not that an unknown option may be a value: no value begins so.
        error.remove(ContextKind::Suggested);
        if let Some(tip) = tip {
            let tip = ContextValue::StyledStrs(vec![tip.into()]);
            error.insert(ContextKind::Suggested, tip);
        }
    }
}

/// An option for one that a command does not have: `--format csv` for `--csv`.
fn near_option(command: &Command, given: &str) -> Option<String> {
    let given = given.trim_start_matches('-').split('=').next()?;
    let mut options = command.get_arguments();
    let format = options.find(|option| option.get_id() == "format");
    let formats = format.map(Arg::get_possible_values).unwrap_or_default();
    if formats.iter().any(|format| format.get_name() == given) {
        return Some(format!("use --format {given}"));
    }
    let all = command.get_arguments().filter_map(Arg::get_long);
    let near = *near_words(given, all).first()?;
    Some(format!("a similar argument exists: '--{near}'"))
}
