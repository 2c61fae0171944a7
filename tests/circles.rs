//! No circle of imports among the files of `src`, however long: each can be read before those that
//! use it.

use std::collections::{BTreeMap, BTreeSet};

use crate::layering::sources;

/// A module: `block::encode::tags`, and of the file `mod.rs` the folder's.
type Module = Vec<String>;

/// What the files of the library and of the program import.
struct Imports {
    /// The code of each module, without its tests.
    code: BTreeMap<Module, String>,
    /// The names that each module re-exports, and where they are from.
    given: BTreeMap<(Module, String), Module>,
}

fn segments(path: &str) -> Module {
    path.split("::")
        .map(|part| part.trim().to_owned())
        .collect()
}

/// The paths of a `use`, braces written out.
fn written_out(list: &str, before: &str, found: &mut Vec<String>) {
    let (mut depth, mut begin) = (0, 0);
    let mut part = |part: &str| match part.split_once('{') {
        Some((path, inner)) => {
            let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
            written_out(inner, &format!("{before}{}", path.trim()), found);
        }
        None if part.trim().is_empty() => {}
        None => {
            let name = part.split(" as ").next().unwrap_or_default();
            found.push(format!("{before}{}", name.trim()));
        }
    };
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                part(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    part(&list[begin..]);
}

/// The paths of each `use`; if `public`, only of each public one.
fn uses(code: &str, public: bool) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let line = code[..at].rsplit('\n').next().unwrap_or_default().trim();
        let is_use = line.is_empty() || line.starts_with("pub");
        if let Some((list, _)) = code[at + 4..].split_once(';').filter(|_| is_use)
            && (!public || line.starts_with("pub"))
        {
            written_out(list, "", &mut found);
        }
    }
    found
}

/// The paths that begin with `crate::` or `super::` elsewhere in the code.
fn mentioned(code: &str) -> Vec<String> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    // `pub(in crate::cli)` says who may use a thing, and uses nothing.
    code.replace("pub(in crate::", "pub(")
        .split(|c: char| !is_path(c))
        .filter(|word| word.starts_with("crate::") || word.starts_with("super::"))
        .map(str::to_owned)
        .collect()
}

impl Imports {
    fn read() -> Imports {
        let mut imports = Imports {
            code: BTreeMap::new(),
            given: BTreeMap::new(),
        };
        for (file, code) in sources() {
            let name = file.trim_end_matches(".rs").trim_end_matches("/mod");
            let tests = code.find("\nmod tests {");
            if !matches!(name, "lib" | "main") {
                let code = code[..tests.unwrap_or(code.len())].to_owned();
                imports
                    .code
                    .insert(segments(&name.replace('/', "::")), code);
            }
        }
        for (module, code) in &imports.code {
            for path in uses(code, true) {
                let target = imports.absolute(module, &path);
                if let Some((name, from)) = target.split_last() {
                    let key = (module.clone(), name.clone());
                    imports.given.insert(key, from.to_vec());
                }
            }
        }
        imports
    }

    /// A path as it is written in a module, from the crate on.
    fn absolute(&self, module: &Module, path: &str) -> Module {
        let mut rest = segments(path);
        let mut base = module.clone();
        match rest[0].as_str() {
            "crate" => base.clear(),
            "super" => {}
            "self" => {
                rest.remove(0);
            }
            // A child of a folder.
            first
                if self
                    .code
                    .contains_key(&[base.clone(), vec![first.to_owned()]].concat()) => {}
            _ => return rest,
        }
        if rest.first().is_some_and(|first| first == "crate") {
            rest.remove(0);
        }
        while rest.first().is_some_and(|first| first == "super") {
            rest.remove(0);
            base.pop();
        }
        [base, rest].concat()
    }

    /// The file that defines what a path names, through all re-exports.
    fn file_of(&self, path: &[String]) -> Option<Module> {
        let known = (1..=path.len())
            .rev()
            .find(|&len| self.code.contains_key(&path[..len]))?;
        let module = path[..known].to_vec();
        let from = path
            .get(known)
            .and_then(|name| self.given.get(&(module.clone(), name.clone())));
        match from {
            Some(from) if *from != module => {
                self.file_of(&[from.clone(), path[known..].to_vec()].concat())
            }
            _ => Some(module),
        }
    }

    fn of(&self, module: &Module) -> BTreeSet<Module> {
        let code = &self.code[module];
        let given = uses(code, true);
        let used = uses(code, false);
        // A folder does not use what it re-exports.
        used.iter()
            .filter(|path| !given.contains(path))
            .cloned()
            .chain(mentioned(code))
            .filter_map(|path| self.file_of(&self.absolute(module, &path)))
            .filter(|other| other != module)
            .collect()
    }
}

#[test]
fn finds_what_is_used() {
    let code = "use crate::a::{b, c::{d, E as F}};\npub use x::Y;\nlet z = crate::q::r(1);";
    let all = ["crate::a::b", "crate::a::c::d", "crate::a::c::E", "x::Y"];
    assert_eq!(uses(code, false), all);
    assert_eq!(uses(code, true), ["x::Y"]);
    let mentioned = mentioned(code);
    assert!(
        mentioned.contains(&"crate::q::r".to_owned()),
        "{mentioned:?}"
    );
}

#[test]
fn no_file_imports_one_that_imports_it() {
    let imports = Imports::read();
    let mut left: BTreeMap<_, _> = imports
        .code
        .keys()
        .map(|module| (module, imports.of(module)))
        .collect();
    let number: usize = left.values().map(BTreeSet::len).sum();
    assert!(left.len() > 100 && number > 400, "{} {number}", left.len());
    // Takes out files that import none of those left, and then files that none of those left
    // imports, until there are no more such files. What stays are circles, and files between two.
    loop {
        let imported: BTreeSet<_> = left.values().flatten().cloned().collect();
        let before = left.len();
        let all: BTreeSet<_> = left.keys().copied().cloned().collect();
        left.retain(|_, of| of.iter().any(|other| all.contains(other)));
        if left.len() == before {
            left.retain(|module, _| imported.contains(*module));
        }
        if left.len() == before {
            break;
        }
    }
    let all: BTreeSet<_> = left.keys().copied().cloned().collect();
    let arrows: Vec<String> = left
        .iter()
        .flat_map(|(module, of)| {
            let here = of.iter().filter(|other| all.contains(*other));
            here.map(|other| format!("{} -> {}", module.join("::"), other.join("::")))
        })
        .collect();
    assert!(left.is_empty(), "in circles:\n{}", arrows.join("\n"));
}
