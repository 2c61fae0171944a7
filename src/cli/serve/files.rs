//! The files of the page, which are part of the program.

/// A file of the page.
#[derive(Debug)]
pub(super) struct PageFile {
    name: &'static str,
    pub(super) media_type: &'static str,
    pub(super) text: &'static str,
}

const fn script(name: &'static str, text: &'static str) -> PageFile {
    PageFile {
        name,
        media_type: "text/javascript; charset=utf-8",
        text,
    }
}

static FILES: [PageFile; 18] = [
    PageFile {
        name: "",
        media_type: "text/html; charset=utf-8",
        text: include_str!("../../page/index.html"),
    },
    PageFile {
        name: "style.css",
        media_type: "text/css; charset=utf-8",
        text: include_str!("../../page/style.css"),
    },
    PageFile {
        name: "icon.svg",
        media_type: "image/svg+xml",
        text: include_str!("../../page/icon.svg"),
    },
    script("app.js", include_str!("../../page/app.js")),
    script("board.js", include_str!("../../page/board.js")),
    script("pieces.js", include_str!("../../page/pieces.js")),
    script("game.js", include_str!("../../page/game.js")),
    script("search.js", include_str!("../../page/search.js")),
    script("table.js", include_str!("../../page/table.js")),
    script("panels.js", include_str!("../../page/panels.js")),
    script("common.js", include_str!("../../page/common.js")),
    script("chart.js", include_str!("../../page/chart.js")),
    script("edit.js", include_str!("../../page/edit.js")),
    script("engine.js", include_str!("../../page/engine.js")),
    script("facts.js", include_str!("../../page/facts.js")),
    script("players.js", include_str!("../../page/players.js")),
    script("theme.js", include_str!("../../page/theme.js")),
    script("tools.js", include_str!("../../page/tools.js")),
];

/// The file with this name.
pub(super) fn named(name: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.name == name)
}

#[cfg(test)]
mod tests {
    use super::FILES;

    /// The server's Content-Security-Policy would stop each of these.
    #[test]
    fn nothing_is_inline_and_nothing_comes_from_elsewhere() {
        for file in &FILES {
            let text = file.text.replace("http://www.w3.org/2000/svg", "");
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
                assert!(!text.contains(wrong), "{}: {wrong}", file.name);
            }
        }
    }

    #[test]
    fn scripts_import_only_files_that_are_there() {
        for file in &FILES {
            for (at, _) in file.text.match_indices("from \"./") {
                let name = &file.text[at + 8..];
                let name = &name[..name.find('"').unwrap()];
                assert!(super::named(name).is_some(), "{}: {name}", file.name);
            }
        }
    }
}
