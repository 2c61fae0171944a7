//! Opens inputs of any kind.

use std::fs;
use std::path::Path;

use pgc_io::input::{Counter, Input};

use super::failure::WithName;
use super::interrupt::Pipe;
use super::output::is_stdin;

/// Opens an input by path; `-` is standard input.
pub(super) fn open_input(
    path: &Path,
    stdin_name: &str,
    counter: &Counter,
) -> anyhow::Result<Input> {
    let input = if is_stdin(path) {
        Input::from_reader(stdin_name, Pipe::stdin()?, counter)
    } else if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Input::from_reader(&name, Pipe::open(path.to_owned())?, counter)
    } else {
        Input::open(path, counter)
    };
    input.at(path)
}
