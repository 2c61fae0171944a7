//! What was perhaps meant by an unknown option, command or value.
//!
//! The suggestions of clap itself name any option that looks a little like it, `--force` for
//! `--source`, so that feature of it is off.

use std::env;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, Error};
use pgc_index::near_words;

use super::args::Args;

/// Adds it to an error about the arguments.
pub(super) fn add_to(error: &mut Error) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let mut command = Args::command();
    command.build();
    if let Some(given) = text(ContextKind::InvalidSubcommand) {
        let all = command.get_subcommands().map(clap::Command::get_name);
        let near = near_words(&given, all).into_iter().map(str::to_owned);
        let near: Vec<String> = near.collect();
        if !near.is_empty() {
            let near = ContextValue::Strings(near);
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
    } else if let Some(given) = text(ContextKind::InvalidArg) {
        let mut words = env::args().skip(1);
        let named = words.find_map(|word| command.find_subcommand(word));
        let all = named.unwrap_or(&command).get_arguments();
        let given = given.trim_start_matches('-').split('=').next();
        let near = near_words(
            given.unwrap_or_default(),
            all.filter_map(clap::Arg::get_long),
        );
        if let Some(near) = near.first().map(|near| format!("--{near}")) {
            error.remove(ContextKind::Suggested);
            error.insert(ContextKind::SuggestedArg, ContextValue::String(near));
        }
    }
}
