//! Makes games of the game trees of a collection, in export format (spec/sgf.md section 3).

use std::io::{BufReader, Read, Write};

use super::kept::KeptComment;
use super::properties::{nag_of, pgn_date, pgn_result, tag_of};
use super::tree::{NONE, SgfFault, SgfProperty, SgfTree, Trees};
use super::value::{parts, text_of};
use super::write::{for_black, v_of_eval};
use crate::foreign::game::{ExportForm, GameExport};
use crate::run::{Error, Hooks, go_on};
use pgc_chess::{Position, Unresolved, start_position};
use pgc_pgn::command::{command, seconds};
use pgc_pgn::writer::{Encoding, Termination, Text};

/// Variations nested deeper than this cannot be written, as in records.
const MAX_DEPTH: usize = 1024;

/// The size of the read buffer.
const BUFFER: usize = 1 << 16;

/// What became of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub struct SgfSummary {
    pub games: u64,
    pub plies: u64,
    /// Lines of play, from a move that is not legal on, that became comments.
    pub text_lines: u64,
    /// Properties without a place in PGN, which commands in comments keep.
    pub kept: u64,
    /// Bytes outside game trees, which were left out.
    pub outside: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
}

/// Writes the games of a collection as PGN, in UTF-8.
///
/// # Errors
/// [`Error::Tree`], [`Error::NoTree`], [`Error::Io`] or [`Error::Cancelled`]; the games before the one
/// that it names have been written.
pub fn sgf_to_pgn(
    source: &mut dyn Read,
    out: &mut dyn Write,
    hooks: &mut dyn Hooks,
) -> Result<SgfSummary, Error> {
    let mut trees = Trees::new(BufReader::with_capacity(BUFFER, source));
    let form = ExportForm {
        encoding: Encoding::Utf8,
        ..ExportForm::default()
    };
    let mut export = GameExport::new(form, false);
    let mut summary = SgfSummary::default();
    while trees.next_tree()? {
        go_on(0)?;
        let mut game = TreeGame {
            tree: trees.parse()?,
            export: &mut export,
            summary: &mut summary,
        };
        game.put().map_err(|(at, what)| trees.fault(at, what))?;
        out.write_all(export.bytes())?;
        summary.bytes_out += export.bytes().len() as u64;
        export.clear();
        summary.games += 1;
        hooks.progress(trees.bytes - summary.bytes_in);
        summary.bytes_in = trees.bytes;
    }
    summary.bytes_in = trees.bytes;
    summary.outside = trees.outside;
    if summary.games == 0 {
        return Err(Error::NoTree);
    }
    Ok(summary)
}

/// What is still to be written.
enum TreeTask {
    /// A node, in this position, and whether its next siblings are alternatives that come behind
    /// it.
    Node(u32, Position, bool),
    /// This sibling and the next ones, as variations.
    Variations(u32, Position),
    /// The end of a variation.
    Close,
}

struct TreeGame<'t, 'e> {
    tree: SgfTree<'t>,
    export: &'e mut GameExport,
    summary: &'e mut SgfSummary,
}

/// A tag, and its value.
type SgfTags = Vec<(String, String)>;

impl TreeGame<'_, '_> {
    /// Writes the game; no recursion, however deep the tree is.
    fn put(&mut self) -> Result<(), SgfFault> {
        self.check_root()?;
        self.export.begin();
        let mut kept = KeptComment::default();
        let tags = self.tags(&mut kept);
        for (name, value) in &tags {
            let put = self.export.tag(Text::Utf8(name), Text::Utf8(value));
            put.map_err(|_| (0, "the tags are too long for a game"))?;
        }
        let pairs = tags.iter();
        let start = start_position(pairs.map(|(name, value)| (name.as_bytes(), value.as_bytes())));
        let result = tags.iter().rfind(|tag| tag.0 == "Result");
        let known = result.and_then(|tag| Termination::from_tag(tag.1.as_bytes()));
        let known = known.or_else(|| self.result());
        match start {
            Ok(start) => self.play(start, kept)?,
            // Without a position no move means anything.
            Err(_) if self.has_move(0) => {
                self.end_notes(kept);
                self.text_line(0);
            }
            Err(_) => {
                self.before(0);
                self.notes(0, None, kept);
                self.text_lines(self.tree.node(0).first_child);
            }
        }
        self.summary.plies += self.export.end(known).plies;
        Ok(())
    }

    /// Refuses other games than chess, and character sets that are not read.
    fn check_root(&self) -> Result<(), SgfFault> {
        let mut is_chess = false;
        for property in self.tree.properties(0) {
            match (&*property.name, self.tree.first(property).trim()) {
                ("GM", "3") => is_chess = true,
                ("GM", _) => return Err((property.at, "not chess, which is GM[3]")),
                ("CA", charset) if !is_read(&charset.to_ascii_lowercase()) => {
                    let what = "a character set that is not read: convert the file to UTF-8";
                    return Err((property.at, what));
                }
                _ => {}
            }
        }
        let what = "the root does not say GM[3]: without GM it is a game of Go";
        is_chess.then_some(()).ok_or((self.tree.start(0), what))
    }

    /// The tags of the game; what has no tag goes to `kept`.
    fn tags(&self, kept: &mut KeptComment) -> SgfTags {
        let pairs = self.tree.named(0, "TAG");
        let pairs = pairs.map(|pair| parts(pair).unwrap_or((pair, b"")));
        let pairs = pairs.map(|(name, value)| (text_of(name), text_of(value)));
        let mut tags: SgfTags = pairs.collect();
        for property in self.tree.properties(0) {
            let name = &*property.name;
            // The SGF writer makes these of the root anew.
            if is_of_node(name) || matches!(name, "FF" | "GM" | "CA" | "AP" | "TAG") {
                continue;
            }
            let values = self.tree.values(property);
            let value = self.tree.first(property);
            // The usual size, and the side that FEN names too.
            if (name == "SZ" && value == "8") || (name == "PL" && self.is_in_fen(&value)) {
                continue;
            }
            // The tag, its value, and whether that is all that the property says.
            let tag = match name {
                "DT" => pgn_date(&value).map(|(date, is_all)| ("Date", date, is_all)),
                "RE" => {
                    pgn_result(&value).map(|(result, is_all)| ("Result", result.to_owned(), is_all))
                }
                _ => tag_of(name, &value).map(|tag| (tag, value, true)),
            };
            let tag = tag.filter(|_| values.len() == 1);
            if !tag.as_ref().is_some_and(|tag| tag.2) {
                kept.add(name, values);
            }
            let is_new = |tag: &(&str, String, bool)| !tags.iter().any(|known| known.0 == tag.0);
            if let Some((tag, value, _)) = tag.filter(is_new) {
                tags.push((tag.to_owned(), value));
            }
        }
        tags
    }

    /// The result that RE states.
    fn result(&self) -> Option<Termination> {
        let mut properties = self.tree.properties(0).iter();
        let result = properties.find(|property| property.name == "RE")?;
        let &[value] = self.tree.values(result) else {
            return None;
        };
        Termination::from_tag(pgn_result(&text_of(value))?.0.as_bytes())
    }

    /// Whether the FEN of the root has this side to move.
    fn is_in_fen(&self, side: &str) -> bool {
        let fen = self.tree.named(0, "FEN").next().map(text_of);
        let to_move = fen.as_deref().and_then(|fen| fen.split(' ').nth(1));
        to_move.is_some_and(|to_move| to_move.eq_ignore_ascii_case(side))
    }

    /// Writes the moves, from the root on; `kept` belongs to the root.
    fn play(&mut self, start: Position, kept: KeptComment) -> Result<(), SgfFault> {
        let mut kept = Some(kept);
        let mut tasks = vec![TreeTask::Node(0, start, false)];
        let mut depth = 0;
        while let Some(task) = tasks.pop() {
            match task {
                TreeTask::Node(node, position, has_siblings) => {
                    let kept = kept.take().unwrap_or_default();
                    self.node(node, position, has_siblings, kept, &mut tasks)?;
                }
                TreeTask::Close => {
                    depth -= 1;
                    let ended = self.export.rav_end();
                    ended.map_err(|_| (0, "a variation that does not end"))?;
                }
                TreeTask::Variations(node, position) => {
                    let next = self.tree.node(node).next_sibling;
                    if next != NONE {
                        tasks.push(TreeTask::Variations(next, position.clone()));
                    }
                    if !self.begins_with_move(node, &position) {
                        self.text_line(node);
                        continue;
                    }
                    depth += 1;
                    if depth > MAX_DEPTH {
                        let at = self.tree.start(node);
                        return Err((at, "variations nested deeper than 1,024"));
                    }
                    let begun = self.export.rav_begin();
                    begun.map_err(|_| (self.tree.start(node), "nothing to replace"))?;
                    tasks.push(TreeTask::Close);
                    tasks.push(TreeTask::Node(node, position, false));
                }
            }
        }
        Ok(())
    }

    fn node(
        &mut self,
        node: u32,
        mut position: Position,
        has_siblings: bool,
        kept: KeptComment,
        tasks: &mut Vec<TreeTask>,
    ) -> Result<(), SgfFault> {
        let next = self.tree.node(node).next_sibling;
        let before = position.clone();
        let has_move = self.has_move(node);
        self.before(node);
        let mut by_white = None;
        if has_move {
            let Some(ordinal) = self.ordinal(node, &position) else {
                match has_siblings {
                    true => self.text_lines(node),
                    false => self.text_line(node),
                }
                return Ok(());
            };
            by_white = Some(position.white_to_move());
            match ordinal {
                Some(ordinal) => {
                    let played = self.export.moves(&[ordinal]);
                    played.map_err(|_| (self.tree.start(node), "not a legal move"))?;
                    position.advance(ordinal, None);
                }
                None => {
                    self.export.null_move();
                    position.pass();
                }
            }
        } else if has_siblings {
            self.tree.adopt_siblings(node);
        }
        self.notes(node, by_white, kept);
        let child = self.tree.node(node).first_child;
        if child != NONE {
            tasks.push(TreeTask::Node(child, position, true));
        }
        if has_move && has_siblings && next != NONE {
            tasks.push(TreeTask::Variations(next, before));
        }
        Ok(())
    }

    fn has_move(&self, node: u32) -> bool {
        let mut properties = self.tree.properties(node).iter();
        properties.any(|property| matches!(&*property.name, "B" | "W"))
    }

    /// The ordinal of the move of a node, which a null move does not have; `None` if it is no legal
    /// move of the side to move.
    fn ordinal(&self, node: u32, position: &Position) -> Option<Option<u8>> {
        let mut found = None;
        for property in self.tree.properties(node) {
            let is_white = match &*property.name {
                "W" => true,
                "B" => false,
                _ => continue,
            };
            let &[value] = self.tree.values(property) else {
                return None;
            };
            if found.is_some() || is_white != position.white_to_move() {
                return None;
            }
            let text = text_of(value);
            found = Some(match position.resolve(text.trim().as_bytes()) {
                Ok(resolved) => Some(resolved.ordinal?),
                Err(Unresolved::Null) => position.clone().pass().then_some(None)?,
                Err(_) => return None,
            });
        }
        found
    }

    /// Whether the first move of a variation is legal.
    fn begins_with_move(&self, node: u32, position: &Position) -> bool {
        let mut node = node;
        while !self.has_move(node) {
            node = self.tree.node(node).first_child;
            if node == NONE {
                return false;
            }
        }
        self.ordinal(node, position).is_some()
    }

    /// Writes a line of play that cannot be played, as a comment.
    fn text_line(&mut self, node: u32) {
        self.export.text(Text::from_bytes(self.tree.branch(node)));
        self.summary.text_lines += 1;
    }

    /// Writes a node and its next siblings so.
    fn text_lines(&mut self, mut node: u32) {
        while node != NONE {
            self.text_line(node);
            node = self.tree.node(node).next_sibling;
        }
    }

    /// Writes what stands before the move of a node.
    fn before(&mut self, node: u32) {
        self.each(node, "PRE", GameExport::comment);
        self.each(node, "PRETEXT", GameExport::text);
        self.each(node, "PRELINE", GameExport::escape);
    }

    /// Writes the values of a property.
    fn each(&mut self, node: u32, name: &str, put: fn(&mut GameExport, Text<'_>)) {
        for value in self.tree.named(node, name) {
            put(self.export, Text::Utf8(&text_of(value)));
        }
    }

    /// Writes what a node has besides its move: NAGs first, which belong to the move.
    fn notes(&mut self, node: u32, by_white: Option<bool>, mut kept: KeptComment) {
        let mut others = Vec::new();
        for (at, property) in self.tree.properties(node).iter().enumerate() {
            let values = self.tree.values(property);
            match &*property.name {
                "B" | "W" | "C" | "PRE" | "POST" | "TEXT" | "PRETEXT" | "LINE" | "PRELINE"
                | "FF" | "GM" | "CA" | "AP" => {}
                "NAG" => {
                    for value in values {
                        match text_of(value).trim().parse() {
                            Ok(nag) => self.export.glyph(nag),
                            Err(_) => kept.add("NAG", &[value]),
                        }
                    }
                }
                name if node == 0 && !is_of_node(name) => {}
                name => {
                    let nag = nag_of(name, self.tree.first(property).trim());
                    match nag.filter(|_| values.len() == 1) {
                        Some(nag) => self.export.glyph(nag),
                        None => others.push(at),
                    }
                }
            }
        }
        self.each(node, "C", GameExport::comment);
        self.each(node, "POST", GameExport::comment);
        self.each(node, "TEXT", GameExport::text);
        self.each(node, "LINE", GameExport::escape);
        // The comments behind the move, in the order in which they are written.
        let names = ["C", "POST", "TEXT"].into_iter();
        let values = names.flat_map(|name| self.tree.named(node, name));
        let said: Vec<String> = values.map(text_of).collect();
        for at in others {
            let property = self.tree.properties(node)[at].clone();
            self.other(&property, by_white, &said, &mut kept);
        }
        self.end_notes(kept);
    }

    /// Writes a clock or an evaluation as a command, unless a comment has it already; keeps every
    /// other property.
    fn other(
        &mut self,
        property: &SgfProperty<'_>,
        by_white: Option<bool>,
        said: &[String],
        kept: &mut KeptComment,
    ) {
        let values = self.tree.values(property);
        let value = self.tree.first(property);
        let said = |command_name| said.iter().find_map(|text| command(text, command_name));
        let own_clock = by_white.map(|by_white| if by_white { "WL" } else { "BL" });
        let put = match &*property.name {
            _ if values.len() != 1 => None,
            name if own_clock == Some(name) => match said("clk") {
                Some(clock) if seconds(clock) == seconds(&value) => Some(None),
                Some(_) => None,
                None => clock(&value).map(|clock| Some(format!("[%clk {clock}]"))),
            },
            "V" => match said("eval") {
                Some(eval) if v_of_eval(eval).as_deref() == Some(value.as_str()) => Some(None),
                Some(_) => None,
                // Without a period it would be in hundredths of a pawn.
                None => for_black(&value).map(|eval| {
                    let point = if eval.contains('.') { "" } else { ".0" };
                    Some(format!("[%eval {eval}{point}]"))
                }),
            },
            _ => None,
        };
        match put {
            Some(Some(comment)) => self.export.comment(Text::Utf8(&comment)),
            Some(None) => {}
            None => kept.add(&property.name, values),
        }
    }

    fn end_notes(&mut self, kept: KeptComment) {
        self.summary.kept += kept.count;
        if let Some(comment) = kept.finish() {
            self.export.comment(Text::Utf8(&comment));
        }
    }
}

/// Properties that any node may have, and that are written with the node.
fn is_of_node(name: &str) -> bool {
    const NAMES: [&str; 22] = [
        "B", "W", "C", "PRE", "POST", "TEXT", "PRETEXT", "LINE", "PRELINE", "NAG", "TE", "BM",
        "IT", "DO", "DM", "UC", "GW", "GB", "WL", "BL", "V", "N",
    ];
    NAMES.contains(&name)
}

/// Whether the text of collections with this character set, in small letters, is read.
fn is_read(charset: &str) -> bool {
    matches!(charset, "iso-8859-1" | "latin1" | "latin-1")
        || matches!(charset, "utf-8" | "utf8" | "us-ascii" | "ascii")
}

/// Seconds as a clock shows them: `5400.5` as `1:30:00.5`.
fn clock(value: &str) -> Option<String> {
    let (whole, part) = value.split_once('.').unwrap_or((value, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(part) {
        return None;
    }
    let all: u32 = whole.parse().ok()?;
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    let point = if part.is_empty() { "" } else { "." };
    Some(format!("{hours}:{minutes:02}:{seconds:02}{point}{part}"))
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn clocks() {
        for (seconds, shown) in [
            ("5400.5", Some("1:30:00.5")),
            ("59", Some("0:00:59")),
            ("-1", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(clock(seconds).as_deref(), shown, "{seconds}");
        }
    }
}
