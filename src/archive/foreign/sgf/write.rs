//! Makes a game tree of a game (spec/sgf.md section 2).

use std::borrow::Cow;

use super::kept::{KeptProperties, kept};
use super::properties::{Subject, is_unknown, property_of, property_of_nag, sgf_date};
use super::value::{put_composed, put_list, put_property};
use pgc_chess::{Position, SanText, start_position};
use pgc_pgn::command::{command, seconds};
use pgc_pgn::game::{Elem, ElemKind, ParsedGame, ParsedGames};
use pgc_pgn::text::decoded;
use pgc_pgn::writer::Termination;

/// A line of the file ends before the node that begins behind this column.
const FULL: usize = 70;

/// Appends the game tree of a game. Returns whether it has text that is not chess, which goes into
/// the property TEXT.
pub fn put_sgf(out: &mut Vec<u8>, text: &[u8]) -> bool {
    let mut games = ParsedGames::with_null_moves(None);
    let Some(game) = games.read_one(text) else {
        out.push(b'(');
        out.extend_from_slice(ROOT);
        put_list(out, "TEXT", &[decoded(text)]);
        out.extend_from_slice(b")\n\n");
        return true;
    };
    SgfDraft::new(text, &game).put(out);
    let is_text = |elem: &Elem| elem.kind == ElemKind::Text;
    game.elems.iter().any(is_text)
}

/// The beginning of every root.
const ROOT: &[u8] = concat!(
    ";FF[4]GM[3]CA[UTF-8]AP[pgc:",
    env!("CARGO_PKG_VERSION"),
    "]"
)
.as_bytes();

/// What is written next.
#[derive(Clone, Copy, Debug)]
enum TreeStep {
    Node(u32),
    /// A node in parentheses, with all that follows it.
    Branch(u32),
    /// A closing parenthesis.
    Close,
}

/// A range of elements, by their numbers.
type ElemSpan = (u32, u32);

/// A node: a move, and the ranges of elements before and behind it.
#[derive(Clone, Copy, Debug, Default)]
struct DraftNode {
    /// The move; the root has none.
    moved: SanText,
    by_white: bool,
    before: ElemSpan,
    behind: ElemSpan,
    parent: u32,
}

/// A game on its way into a tree.
struct SgfDraft<'g> {
    text: &'g [u8],
    game: &'g ParsedGame<'g>,
    nodes: Vec<DraftNode>,
    /// Elements behind the variations of the last move of a line.
    late: Vec<(u32, ElemSpan)>,
    termination: Termination,
    /// The last move of the main line, and the terminator, if the Result tag says something else.
    other_end: Option<(u32, Termination)>,
}

/// The move in the convention of spec/sgf.md: its squares, or SAN where those are not enough.
fn moved(position: &Position, ordinal: u8) -> Option<(SanText, Position)> {
    let m = position.select(ordinal)?;
    let squares = position.uci(m);
    let found = position.resolve(squares.as_bytes());
    let is_clear = found.is_ok_and(|found| found.ordinal == Some(ordinal));
    let text = if is_clear { squares } else { position.san(m) };
    let mut after = position.clone();
    after.play(m);
    Some((text, after))
}

/// A null move.
fn passed(position: &Position) -> Option<(SanText, Position)> {
    let mut after = position.clone();
    after.pass().then_some(("--".into(), after))
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl<'g> SgfDraft<'g> {
    fn new(text: &'g [u8], game: &'g ParsedGame<'g>) -> SgfDraft<'g> {
        let mut draft = SgfDraft {
            text,
            game,
            nodes: vec![DraftNode::default()],
            late: Vec::new(),
            termination: Termination::Unknown,
            other_end: None,
        };
        let last = draft.link();
        let results = game.tag_pairs(text).filter(|(name, _)| *name == b"Result");
        let result = results.last();
        let stated = result.and_then(|(_, value)| Termination::from_tag(&value));
        let known = Termination::from_number(game.terminator());
        draft.termination = Termination::combined(stated, known);
        let is_other = |known: &_| ![Termination::Unknown, draft.termination].contains(known);
        draft.other_end = known.filter(is_other).map(|other| (last, other));
        draft
    }

    /// Links the moves to a tree and divides the other elements among them; returns the last move
    /// of the main line.
    fn link(&mut self) -> u32 {
        let game = self.game;
        let tags: Vec<_> = game.tag_pairs(self.text).collect();
        let tags = tags.iter().map(|(name, value)| (*name, &**value));
        let mut now = start_position(tags).unwrap_or_else(|_| Position::initial());
        let mut before = now.clone();
        // `node`, `now` and `before` of the lines that variations interrupt.
        let mut held: Vec<(u32, Position, Position)> = Vec::new();
        let mut node = 0;
        // The node that the next elements belong to; `None` behind a parenthesis.
        let mut owner = Some(0);
        let mut begin = number(game.tag_elems);
        for (at, elem) in game.elems.iter().enumerate().skip(game.tag_elems) {
            let is_move = matches!(elem.kind, ElemKind::Move | ElemKind::Null);
            if !is_move && !matches!(elem.kind, ElemKind::RavOpen | ElemKind::RavClose) {
                continue;
            }
            let span = (begin, number(at));
            match owner {
                Some(owner) => self.nodes[owner as usize].behind = span,
                None if is_move => {}
                None => self.late.push((node, span)),
            }
            let loose = owner.is_none();
            (owner, begin) = (None, number(at + 1));
            match elem.kind {
                ElemKind::Move | ElemKind::Null => {
                    let next = match elem.kind {
                        ElemKind::Null => passed(&now),
                        _ => moved(&now, elem.ordinal),
                    };
                    let Some((text, after)) = next else {
                        continue;
                    };
                    let parent = node;
                    node = number(self.nodes.len());
                    self.nodes.push(DraftNode {
                        moved: text,
                        by_white: now.white_to_move(),
                        before: if loose { span } else { (0, 0) },
                        behind: (0, 0),
                        parent,
                    });
                    before = std::mem::replace(&mut now, after);
                    owner = Some(node);
                }
                ElemKind::RavOpen => {
                    let after = std::mem::replace(&mut now, before.clone());
                    held.push((node, after, before.clone()));
                    node = self.nodes[node as usize].parent;
                }
                _ => {
                    if let Some(line) = held.pop() {
                        (node, now, before) = line;
                    }
                }
            }
        }
        let span = (begin, number(game.elems.len()));
        match owner {
            Some(owner) => self.nodes[owner as usize].behind = span,
            None => self.late.push((node, span)),
        }
        self.late.sort_by_key(|late| late.0);
        node
    }

    /// Writes the tree, the main line first.
    fn put(&self, out: &mut Vec<u8>) {
        let parent = |node: u32| self.nodes[node as usize].parent;
        // In this order the children of a node stand together.
        let mut by_parent: Vec<u32> = (1..number(self.nodes.len())).collect();
        by_parent.sort_by_key(|&node| parent(node));
        let mut steps = vec![TreeStep::Branch(0)];
        let mut line = out.len();
        while let Some(step) = steps.pop() {
            let id = match step {
                TreeStep::Close => {
                    out.push(b')');
                    continue;
                }
                TreeStep::Branch(id) => {
                    out.push(b'(');
                    steps.push(TreeStep::Close);
                    id
                }
                TreeStep::Node(id) => id,
            };
            if out.len() - line > FULL {
                out.push(b'\n');
                line = out.len();
            }
            self.put_node(out, id);
            let behind = &by_parent[by_parent.partition_point(|&node| parent(node) < id)..];
            let children = behind.iter().take_while(|&&node| parent(node) == id);
            match &behind[..children.count()] {
                &[only] => steps.push(TreeStep::Node(only)),
                // The last step is taken first.
                several => steps.extend(several.iter().rev().map(|&node| TreeStep::Branch(node))),
            }
        }
        out.extend_from_slice(b"\n\n");
    }

    fn put_node(&self, out: &mut Vec<u8>, id: u32) {
        let node = &self.nodes[id as usize];
        let notes = self.notes(id);
        match id {
            0 => {
                out.extend_from_slice(ROOT);
                self.put_tags(out, &notes.kept);
            }
            _ => {
                out.extend_from_slice(if node.by_white { b";W[" } else { b";B[" });
                node.moved.put(out);
                out.push(b']');
            }
        }
        notes.put(out, id > 0, node.by_white);
    }

    /// What stands before and behind a move.
    fn notes(&self, id: u32) -> NodeNotes<'_> {
        let mut notes = NodeNotes::default();
        let node = &self.nodes[id as usize];
        if id == 0 {
            self.take(&mut notes, (0, number(self.game.tag_elems)), false);
        }
        self.take(&mut notes, node.before, true);
        self.take(&mut notes, node.behind, false);
        let first = self.late.partition_point(|late| late.0 < id);
        for late in self.late[first..].iter().take_while(|late| late.0 == id) {
            self.take(&mut notes, late.1, false);
        }
        if let Some((_, end)) = self.other_end.filter(|end| end.0 == id) {
            let what = format!("the movetext ends in {}", end.as_str());
            notes.comments.push(Cow::Owned(what));
        }
        notes
    }

    fn take(&self, notes: &mut NodeNotes<'g>, span: ElemSpan, is_before: bool) {
        for elem in &self.game.elems[span.0 as usize..span.1 as usize] {
            match elem.kind {
                ElemKind::Nag => notes.nags.push(elem.num),
                ElemKind::Brace | ElemKind::Line => {
                    let comment = decoded(&self.text[elem.inner()]);
                    match kept(&comment) {
                        Some(kept) if !is_before => notes.kept.extend(kept),
                        _ if is_before => notes.before.push(comment),
                        _ => notes.comments.push(comment),
                    }
                }
                ElemKind::Text => {
                    notes.texts[usize::from(is_before)].push(decoded(&self.text[elem.span()]));
                }
                ElemKind::Escape => {
                    notes.lines[usize::from(is_before)].push(decoded(&self.text[elem.inner()]));
                }
                _ => {}
            }
        }
    }

    /// Writes the properties of the root that stand for tags.
    fn put_tags(&self, out: &mut Vec<u8>, kept: &KeptProperties) {
        let is_new = |out_names: &[&str], name: &str| {
            !out_names.contains(&name) && !kept.iter().any(|kept| kept.0 == name)
        };
        let (mut names, mut others) = (Vec::new(), Vec::new());
        let pairs: Vec<_> = self.game.tag_pairs(self.text).collect();
        let has_fen = pairs.iter().any(|(name, _)| *name == b"FEN");
        for (tag, value) in &pairs {
            let (tag, value) = (decoded(tag), decoded(value));
            if is_unknown(&tag, &value) || (has_fen && tag == "SetUp" && value == "1") {
                continue;
            }
            let found = match &*tag {
                "Date" => sgf_date(&value).map(|date| ("DT", Cow::Owned(date))),
                // RE can express this.
                "Result" if Termination::is_all_of(value.as_bytes()) => continue,
                tag => property_of(tag, &value).map(|name| (name, value.clone())),
            };
            match found {
                Some((name, value)) if is_new(&names, name) => {
                    put_property(out, name, &value);
                    names.push(name);
                }
                // A property that was kept says more than the tag: `RE[W+T]`.
                Some((name, _)) if !names.contains(&name) => names.push(name),
                _ => others.push((tag, value)),
            }
        }
        let result = match self.termination {
            Termination::WhiteWins => Some("W+"),
            Termination::BlackWins => Some("B+"),
            Termination::Draw => Some("Draw"),
            Termination::Unknown => None,
        };
        if let Some(result) = result.filter(|_| is_new(&names, "RE")) {
            put_property(out, "RE", result);
        }
        if has_fen && is_new(&names, "PL") {
            let black = pairs.iter().any(|(name, value)| {
                *name == b"FEN" && decoded(value).split(' ').nth(1) == Some("b")
            });
            out.extend_from_slice(if black { b"PL[B]" } else { b"PL[W]" });
        }
        if !others.is_empty() {
            out.extend_from_slice(b"TAG");
            for (tag, value) in &others {
                put_composed(out, tag, value);
            }
        }
    }
}

/// What belongs to a node besides its move.
#[derive(Debug, Default)]
struct NodeNotes<'t> {
    before: Vec<Cow<'t, str>>,
    nags: Vec<u32>,
    comments: Vec<Cow<'t, str>>,
    /// Text that is not chess, and `%` lines, each behind the move and before it.
    texts: [Vec<Cow<'t, str>>; 2],
    lines: [Vec<Cow<'t, str>>; 2],
    kept: KeptProperties,
}

impl NodeNotes<'_> {
    fn put(&self, out: &mut Vec<u8>, has_move: bool, by_white: bool) {
        let is_new = |name: &str| !self.kept.iter().any(|kept| kept.0 == name);
        self.put_nags(out, has_move);
        if let Some((first, others)) = self.comments.split_first() {
            put_list(out, "C", std::slice::from_ref(first));
            put_list(out, "POST", others);
        }
        put_list(out, "PRE", &self.before);
        put_list(out, "TEXT", &self.texts[0]);
        put_list(out, "PRETEXT", &self.texts[1]);
        put_list(out, "LINE", &self.lines[0]);
        put_list(out, "PRELINE", &self.lines[1]);
        let value = |name| {
            let mut values = self.comments.iter();
            values.find_map(|comment| command(comment, name))
        };
        let time = value("clk").and_then(seconds);
        let clock = if by_white { "WL" } else { "BL" };
        if let Some(left) = time.filter(|left| left.is_finite() && has_move && is_new(clock)) {
            put_property(out, clock, &left.to_string());
        }
        if let Some(value) = value("eval").and_then(v_of_eval).filter(|_| is_new("V")) {
            put_property(out, "V", &value);
        }
        for (name, values) in &self.kept {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(values);
        }
    }

    /// Writes NAGs as properties, up to the first without one; it and the others go, in their
    /// order, into the property NAG.
    fn put_nags(&self, out: &mut Vec<u8>, has_move: bool) {
        let mut subjects: Vec<Subject> = Vec::new();
        let mut rest = self.nags.as_slice();
        while let [nag, behind @ ..] = rest
            && let Some((name, value, subject)) = property_of_nag(*nag)
            && !subjects.contains(&subject)
            && (subject == Subject::Position || has_move)
        {
            subjects.push(subject);
            put_property(out, name, value);
            rest = behind;
        }
        let numbers: Vec<_> = rest.iter().map(|nag| Cow::Owned(nag.to_string())).collect();
        put_list(out, "NAG", &numbers);
    }
}

/// The value of V for that of `[%eval]`, which is in hundredths of a pawn if it has no period.
pub(super) fn v_of_eval(value: &str) -> Option<String> {
    let negated = for_black(value)?;
    let Ok(hundredths) = negated.parse::<i64>() else {
        return Some(negated);
    };
    let sign = if hundredths < 0 { "-" } else { "" };
    let size = hundredths.unsigned_abs();
    Some(format!("{sign}{}.{:02}", size / 100, size % 100))
}

/// An evaluation in pawns with the other sign: V is positive if Black is better. `None` if it is a
/// mate, or not a number.
pub(super) fn for_black(value: &str) -> Option<String> {
    let value = value.split(',').next()?.trim();
    let size = value.strip_prefix(['-', '+']).unwrap_or(value);
    let (whole, part) = size.split_once('.').unwrap_or((size, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(part) {
        return None;
    }
    let is_zero = size.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = match is_zero || value.starts_with('-') {
        true => "",
        false => "-",
    };
    Some(format!("{sign}{size}"))
}
