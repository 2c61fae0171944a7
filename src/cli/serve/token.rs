//! The secret part of the page's address.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::bail;

use crate::failure::WithName;
use crate::show::output::{hex, shown};

/// The length of a new token in bytes, the least number of characters of one from a file, and how
/// much of that is read.
const TOKEN: usize = 16;
const LEAST: usize = 16;
const LONGEST: u64 = 4096;

/// The token in a file, which is written if it does not exist; without a file, a new token.
pub(super) fn read_or_made(file: Option<&Path>) -> anyhow::Result<String> {
    let Some(path) = file else {
        return Ok(random()?);
    };
    let read = |file: File| io::read_to_string(file.take(LONGEST));
    match File::open(path).and_then(read) {
        Ok(text) => {
            let token = text.trim();
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if token.len() < LEAST || !token.chars().all(is_plain) {
                let path = shown(path);
                bail!(
                    "{path}: a token has at least {LEAST} letters, digits, - or _, and nothing else"
                );
            }
            Ok(token.to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let token = random()?;
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            // Only the user can read it.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(path).at(path)?;
            file.write_all(format!("{token}\n").as_bytes()).at(path)?;
            Ok(token)
        }
        Err(error) => Err(error).at(path),
    }
}

fn random() -> io::Result<String> {
    let mut random = [0; TOKEN];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(hex(&random))
}

#[cfg(test)]
mod tests {
    use super::read_or_made;

    #[test]
    fn a_file_keeps_the_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let token = read_or_made(Some(&path)).unwrap();
        assert_eq!(read_or_made(Some(&path)).unwrap(), token);
        assert_ne!(read_or_made(None).unwrap(), token);
        for wrong in [
            "short",
            &format!("{}{token}", " ".repeat(5000)),
            "has a blank in it, and more",
            "../../../../../../etc",
        ] {
            std::fs::write(&path, wrong).unwrap();
            assert!(read_or_made(Some(&path)).is_err(), "{wrong}");
        }
    }
}
