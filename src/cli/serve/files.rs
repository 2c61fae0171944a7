//! The files of the page, which are part of the program.

/// The name and the text of each file.
static FILES: [(&str, &str); 22] = [
    ("", include_str!("../../page/index.html")),
    ("style.css", include_str!("../../page/style.css")),
    ("icon.svg", include_str!("../../page/icon.svg")),
    ("app.js", include_str!("../../page/app.js")),
    ("board.js", include_str!("../../page/board.js")),
    ("pieces.js", include_str!("../../page/pieces.js")),
    ("game.js", include_str!("../../page/game.js")),
    ("search.js", include_str!("../../page/search.js")),
    ("table.js", include_str!("../../page/table.js")),
    ("tree.js", include_str!("../../page/tree.js")),
    ("reports.js", include_str!("../../page/reports.js")),
    ("common.js", include_str!("../../page/common.js")),
    ("chart.js", include_str!("../../page/chart.js")),
    ("edit.js", include_str!("../../page/edit.js")),
    ("engine.js", include_str!("../../page/engine.js")),
    ("facts.js", include_str!("../../page/facts.js")),
    ("layout.js", include_str!("../../page/layout.js")),
    ("notebook.js", include_str!("../../page/notebook.js")),
    ("pgn.js", include_str!("../../page/pgn.js")),
    ("players.js", include_str!("../../page/players.js")),
    ("theme.js", include_str!("../../page/theme.js")),
    ("tools.js", include_str!("../../page/tools.js")),
];

/// The media type and the text of the file with this name.
pub(super) fn named(name: &str) -> Option<(&'static str, &'static str)> {
    let (name, text) = FILES.iter().find(|file| file.0 == name)?;
    let media_type = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    };
    Some((media_type, text))
}

#[cfg(test)]
mod tests {
    use super::FILES;

    /// The server's Content-Security-Policy would stop each of these.
    #[test]
    fn nothing_is_inline_and_nothing_comes_from_elsewhere() {
        for (name, text) in &FILES {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            for wrong in [
                "http:",
                "https:",
                "//www",
                " onclick=",
                " onload=",
                " style=",
                "<style",
                "eval(",
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
            ] {
                assert!(!text.contains(wrong), "{name}: {wrong}");
            }
        }
    }

    #[test]
    fn scripts_import_only_files_that_are_there() {
        for (file, text) in &FILES {
            let imports = text.split("from \"./").chain(text.split("import(\"./"));
            for after in imports.filter(|after| !text.starts_with(after)) {
                let name = &after[..after.find('"').unwrap()];
                assert!(super::named(name).is_some(), "{file}: {name}");
            }
        }
    }
}
