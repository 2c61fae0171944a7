//! The code keeps to its own map: imports point one way, and marker bytes have one home.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each folder may import of the others: cli, tables, archive, foreign, block and index, pgn and
/// records, chess. `io` knows no format, and imports nothing.
const MAY_IMPORT: [(&str, &[&str]); 15] = [
    ("cli", &["internals"]),
    (
        "tables",
        &["archive", "index", "pgn", "chess", "run", "threads"],
    ),
    (
        "archive",
        &[
            "foreign", "block", "index", "pgn", "records", "chess", "io", "run", "threads",
        ],
    ),
    ("foreign", &["block", "pgn", "records", "chess", "run"]),
    ("block", &["pgn", "records", "chess", "run"]),
    ("index", &["pgn", "records", "chess", "io", "threads"]),
    ("pgn", &["chess"]),
    ("records", &[]),
    ("chess", &[]),
    ("io", &[]),
    // It protects bytes, whatever they are.
    ("recovery", &["io"]),
    ("run", &["pgn"]),
    ("threads", &[]),
    ("main", &["cli"]),
    // It re-exports parts of all folders to the program and the tests.
    (
        "internals",
        &[
            "archive", "foreign", "block", "index", "pgn", "records", "chess", "io", "recovery",
            "run", "tables",
        ],
    ),
];

/// Files in which small numbers in hexadecimal are something else than markers.
const OTHER_NUMBERS: [(&str, &str); 4] = [
    ("block/style_field.rs", "flags of a layout"),
    ("io/decode.rs", "the magic numbers of zip"),
    ("index/format/layout.rs", "the kinds of sections"),
    ("foreign/listing.rs", "the range of control characters"),
];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // A package of its own: the Python module.
        if path.join("Cargo.toml").exists() {
            continue;
        }
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Path below `src` and code, without comments, of each source file.
pub(crate) fn sources() -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    files.sort();
    files
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let code: Vec<_> = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .collect();
            let name = path
                .strip_prefix(&src)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            (name, code.join("\n"))
        })
        .collect()
}

/// The modules that stand behind `crate::` or `pgc::`, also where several are imported in braces.
fn imported(code: &str, root: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(root) {
        // `crate::pgc::reader` names the module `pgc`, not the crate.
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &code[at + root.len()..];
        let names = match rest.strip_prefix('{') {
            Some(list) => outer_names(list),
            None => vec![name(rest)],
        };
        found.extend(names.into_iter().filter(|name| !name.is_empty()));
    }
    found
}

fn name(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect()
}

/// The first names of a list in braces, up to the brace that closes it.
fn outer_names(list: &str) -> Vec<String> {
    let (mut depth, mut names, mut fresh) = (0, Vec::new(), true);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && !c.is_whitespace() => {
                names.push(name(&list[at..]));
                fresh = false;
            }
            _ => {}
        }
    }
    names
}

#[test]
fn finds_imports() {
    let code = "use crate::records::{a, b};\nuse crate::{io::x::{y, z},\n  chess, pgn::t};\nlet x = crate::archive::head::VERSION;";
    let found: Vec<_> = imported(code, "crate::").into_iter().collect();
    assert_eq!(found, ["archive", "chess", "io", "pgn", "records"]);
    assert!(imported(code, "pgc::").is_empty());
    assert_eq!(
        imported("use pgc::run::x;", "pgc::")
            .into_iter()
            .collect::<Vec<_>>(),
        ["run"]
    );
}

/// The first part of a path names a folder or file of the crate, not what lib.rs re-exports.
fn is_folder(name: &str) -> bool {
    MAY_IMPORT.iter().any(|module| module.0 == name)
}

#[test]
fn imports_point_one_way() {
    let mut seen = BTreeSet::new();
    for (file, code) in sources() {
        if file == "lib.rs" {
            continue;
        }
        let module = name(&file);
        let (_, allowed) = *MAY_IMPORT
            .iter()
            .find(|m| m.0 == module)
            .unwrap_or_else(|| panic!("{file} is on no map"));
        let mut names = imported(&code, "crate::");
        names.extend(imported(&code, "pgc::"));
        names.remove(&module);
        // The re-exports of lib.rs are for the program. No folder below it may use them.
        names.retain(|name| module != "cli" || is_folder(name));
        for other in &names {
            assert!(
                allowed.contains(&other.as_str()),
                "src/{file} imports {other}"
            );
        }
        seen.insert(module);
    }
    assert!(seen.len() >= 7, "{seen:?}");
}

#[test]
fn marker_bytes_have_one_home() {
    for (file, code) in sources() {
        if file == "records/marker.rs" || OTHER_NUMBERS.iter().any(|other| other.0 == file) {
            continue;
        }
        // Tests may spell bytes out.
        let code = code.split("#[cfg(test)]").next().unwrap();
        for (at, _) in code.match_indices("0x0") {
            let digits: String = code[at + 2..]
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            let is_marker =
                u8::from_str_radix(&digits, 16).is_ok_and(|n| digits.len() == 2 && n <= 0x0a);
            let line = code[..at].lines().count();
            assert!(
                !is_marker,
                "src/{file}: 0x{digits} in line {line} (comments not counted)"
            );
        }
    }
}

/// Foreign types of the rules stay inside `chess`: nobody else names the crate.
#[test]
fn one_module_knows_the_rules_crate() {
    for (file, code) in sources() {
        assert!(
            file.starts_with("chess/") || !code.contains("shakmaty::"),
            "src/{file}"
        );
    }
}

/// The names of openings come from one file, so that another table can take its place.
#[test]
fn one_file_knows_the_table_of_openings() {
    for (file, code) in sources() {
        assert!(
            file == "chess/named/table.rs" || !code.contains("esca::"),
            "src/{file}"
        );
    }
}

/// A reader who searches for a type finds one. (Types within a trait's or a function's body, and
/// those of tests, are indented or behind the code.)
#[test]
fn type_names_are_unique() {
    let mut homes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, code) in sources() {
        let code = code.split("\nmod tests {").next().unwrap_or_default();
        for line in code.lines().filter(|line| !line.starts_with(' ')) {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            // What may stand before the keyword is who may use the type.
            let keyword =
                words.find(|word| !matches!(*word, "pub" | "crate" | "super" | "in" | ""));
            if let Some("struct" | "enum" | "trait" | "type") = keyword {
                let name = words.next().unwrap_or_default().to_owned();
                homes.entry(name).or_default().push(file.clone());
            }
        }
    }
    assert!(homes.len() > 500, "{}", homes.len());
    homes.retain(|_, files| files.len() > 1);
    assert!(homes.is_empty(), "{homes:?}");
}
