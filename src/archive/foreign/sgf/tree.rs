//! The grammar of SGF: finds the game trees of a collection and reads each into nodes.

use std::borrow::Cow;
use std::io::{BufRead, ErrorKind};
use std::ops::Range;

use super::value::{text_of, value_len};
use crate::run::Error;
use pgc_pgn::text::decoded;

/// The most bytes of a game tree, as of a game.
const MAX_TREE: usize = 16 << 20;

/// The most nodes of a game tree: the root, and one for each move of the longest game.
const MAX_NODES: usize = (1 << 20) + 1;

/// The most properties and values of a game tree together. A move with a clock and an evaluation has
/// eight, and a game has at most half a million of them.
const MAX_ITEMS: usize = 4 << 20;

/// Stands for no node.
pub(super) const NONE: u32 = u32::MAX;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextPlace {
    line: u64,
    column: u64,
}

impl TextPlace {
    const BEGIN: TextPlace = TextPlace { line: 1, column: 1 };

    fn advance(&mut self, byte: u8) {
        if byte == b'\n' {
            self.line += 1;
            self.column = 1;
        } else if byte & 0xc0 != 0x80 {
            self.column += 1;
        }
    }
}

/// The state of the search for the end of a game tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TreeScan {
    Outside,
    /// Behind a parenthesis that may begin a game tree.
    Opened,
    /// Inside so many parentheses.
    Inside(u32),
    /// Inside a value, whose next byte may be escaped.
    Value(u32, bool),
}

/// Cuts a collection into game trees.
pub(super) struct Trees<R> {
    reader: R,
    place: TextPlace,
    begin: TextPlace,
    /// The bytes of the game tree found last.
    pub(super) tree: Vec<u8>,
    /// The number of that game tree.
    pub(super) game: u64,
    /// Bytes outside game trees, without white space.
    pub(super) outside: u64,
    pub(super) bytes: u64,
}

impl<R: BufRead> Trees<R> {
    pub(super) fn new(reader: R) -> Trees<R> {
        Trees {
            reader,
            place: TextPlace::BEGIN,
            begin: TextPlace::BEGIN,
            tree: Vec::new(),
            game: 0,
            outside: 0,
            bytes: 0,
        }
    }

    /// Finds the next game tree; `false` at the end.
    pub(super) fn next_tree(&mut self) -> Result<bool, Error> {
        self.tree.clear();
        let mut scan = TreeScan::Outside;
        loop {
            let bytes = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if bytes.is_empty() {
                break;
            }
            let mut used = 0;
            for &byte in bytes {
                used += 1;
                if matches!(scan, TreeScan::Outside | TreeScan::Opened) && byte == b'(' {
                    self.begin = self.place;
                }
                scan = step(scan, byte, &mut self.tree, &mut self.outside);
                self.place.advance(byte);
                if scan == TreeScan::Inside(0) || self.tree.len() > MAX_TREE {
                    break;
                }
            }
            self.reader.consume(used);
            self.bytes += used as u64;
            if scan == TreeScan::Inside(0) {
                self.game += 1;
                return Ok(true);
            }
            if self.tree.len() > MAX_TREE {
                self.game += 1;
                return Err(self.fault(0, "the game tree is longer than 16 MiB"));
            }
        }
        match scan {
            TreeScan::Outside => Ok(false),
            TreeScan::Opened => {
                self.outside += self.tree.len() as u64;
                Ok(false)
            }
            TreeScan::Inside(_) | TreeScan::Value(..) => {
                self.game += 1;
                // An error before the end explains more, if there is one.
                self.parse()?;
                Err(self.fault(0, "the game tree is not closed"))
            }
        }
    }

    /// Reads the game tree found last.
    pub(super) fn parse(&self) -> Result<SgfTree<'_>, Error> {
        let parser = TreeParser {
            tree: SgfTree {
                text: &self.tree,
                ..SgfTree::default()
            },
            open: Vec::new(),
            at: 0,
        };
        parser.run().map_err(|(at, what)| self.fault(at, what))
    }

    /// An error at this offset of the game tree.
    pub(super) fn fault(&self, at: usize, what: &'static str) -> Error {
        let mut place = self.begin;
        let (before, behind) = self.tree.split_at(at.min(self.tree.len()));
        before.iter().for_each(|&byte| place.advance(byte));
        let text = decoded(&behind[..behind.len().min(160)]);
        let text = text.lines().next().unwrap_or_default();
        Error::Tree {
            line: place.line,
            column: place.column,
            game: self.game,
            what,
            text: text.chars().take(40).collect(),
        }
    }
}

fn step(scan: TreeScan, byte: u8, tree: &mut Vec<u8>, outside: &mut u64) -> TreeScan {
    let next = match (scan, byte) {
        (TreeScan::Outside, b'(') => TreeScan::Opened,
        (TreeScan::Outside, _) => {
            // Bytes of a byte order mark mean nothing, nor does white space.
            let means = !byte.is_ascii_whitespace() && !matches!(byte, 0xef | 0xbb | 0xbf);
            *outside += u64::from(means);
            return TreeScan::Outside;
        }
        (TreeScan::Opened, b';') => TreeScan::Inside(1),
        (TreeScan::Opened, b'(') => {
            *outside += tree.len() as u64;
            tree.clear();
            TreeScan::Opened
        }
        (TreeScan::Opened, byte) if is_white(byte) => TreeScan::Opened,
        (TreeScan::Opened, _) => {
            *outside += tree.len() as u64 + 1;
            tree.clear();
            return TreeScan::Outside;
        }
        (TreeScan::Inside(depth), b'(') => TreeScan::Inside(depth.saturating_add(1)),
        (TreeScan::Inside(depth), b')') => TreeScan::Inside(depth.saturating_sub(1)),
        (TreeScan::Inside(depth), b'[') => TreeScan::Value(depth, false),
        (TreeScan::Value(depth, true), _) => TreeScan::Value(depth, false),
        (TreeScan::Value(depth, false), b'\\') => TreeScan::Value(depth, true),
        (TreeScan::Value(depth, false), b']') => TreeScan::Inside(depth),
        (scan, _) => scan,
    };
    tree.push(byte);
    next
}

fn is_white(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// A node. Its children are linked: the first one continues the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct SgfNode {
    parent: u32,
    pub(super) first_child: u32,
    last_child: u32,
    pub(super) next_sibling: u32,
    /// Where its properties begin in the list; they end where those of the next node begin.
    properties: usize,
    /// Where it begins in the text, and where the nodes that follow it end.
    start: usize,
    end: usize,
}

/// A property.
#[derive(Clone, Debug)]
pub(super) struct SgfProperty<'t> {
    /// The name: only capital letters and digits count.
    pub(super) name: Cow<'t, str>,
    /// Where it begins in the text.
    pub(super) at: usize,
    /// The values, by their places in the list.
    values: Range<usize>,
}

/// A game tree.
#[derive(Debug, Default)]
pub(super) struct SgfTree<'t> {
    text: &'t [u8],
    nodes: Vec<SgfNode>,
    properties: Vec<SgfProperty<'t>>,
    values: Vec<&'t [u8]>,
}

impl<'t> SgfTree<'t> {
    pub(super) fn node(&self, node: u32) -> SgfNode {
        self.nodes[node as usize]
    }

    /// The properties of a node.
    pub(super) fn properties(&self, node: u32) -> &[SgfProperty<'t>] {
        let begin = self.nodes[node as usize].properties;
        let next = self.nodes.get(node as usize + 1);
        let end = next.map_or(self.properties.len(), |next| next.properties);
        &self.properties[begin..end]
    }

    /// The values of a property as they are written, without their brackets; there is one at
    /// least.
    pub(super) fn values(&self, property: &SgfProperty<'_>) -> &[&'t [u8]] {
        &self.values[property.values.clone()]
    }

    /// The text of the first value of a property.
    pub(super) fn first(&self, property: &SgfProperty<'_>) -> String {
        text_of(self.values(property)[0])
    }

    /// The values of the properties of a node with this name.
    pub(super) fn named(&self, node: u32, name: &str) -> impl Iterator<Item = &'t [u8]> {
        let properties = self.properties(node).iter();
        let named = properties.filter(move |property| property.name == name);
        named.flat_map(|property| self.values(property).iter().copied())
    }

    /// Where a node begins in the text.
    pub(super) fn start(&self, node: u32) -> usize {
        self.nodes[node as usize].start
    }

    /// The text of a node and of all that follows it.
    pub(super) fn branch(&self, node: u32) -> &'t [u8] {
        let node = &self.nodes[node as usize];
        &self.text[node.start..node.end]
    }

    /// Makes the next siblings of a node without a move alternatives to what follows it: the
    /// position there is the same.
    pub(super) fn adopt_siblings(&mut self, node: u32) {
        let at = node as usize;
        let adopted = std::mem::replace(&mut self.nodes[at].next_sibling, NONE);
        if adopted == NONE {
            return;
        }
        match self.nodes[at].last_child {
            NONE => self.nodes[at].first_child = adopted,
            last => self.nodes[last as usize].next_sibling = adopted,
        }
        // The parent knows the last of them. Walking along them for each node could take quadratic
        // time.
        let parent = self.nodes[at].parent as usize;
        self.nodes[at].last_child = self.nodes[parent].last_child;
    }
}

/// A game tree whose end has not been found.
struct OpenTree {
    /// The node that its first node follows.
    parent: u32,
    /// The first and the last node of its sequence.
    first: u32,
    last: u32,
    /// Whether game trees in it have begun: then no node may follow.
    has_trees: bool,
}

/// A place in the text, and what is wrong there.
pub(super) type SgfFault = (usize, &'static str);

struct TreeParser<'t> {
    tree: SgfTree<'t>,
    open: Vec<OpenTree>,
    at: usize,
}

impl<'t> TreeParser<'t> {
    fn run(mut self) -> Result<SgfTree<'t>, SgfFault> {
        while let Some(&byte) = self.tree.text.get(self.at) {
            match byte {
                byte if is_white(byte) => self.at += 1,
                b'(' => self.begin_tree()?,
                b')' => self.end_tree()?,
                b';' => self.node()?,
                byte if byte.is_ascii_alphanumeric() => self.property()?,
                _ => return Err((self.at, "unexpected character")),
            }
            let tree = &self.tree;
            if tree.nodes.len() > MAX_NODES {
                return Err((0, "the game tree has more than 1,048,577 nodes"));
            }
            if tree.properties.len() + tree.values.len() > MAX_ITEMS {
                let what = "the game tree has more than 4,194,304 properties and values";
                return Err((0, what));
            }
        }
        Ok(self.tree)
    }

    fn begin_tree(&mut self) -> Result<(), SgfFault> {
        let parent = match self.open.last_mut() {
            None => NONE,
            Some(around) if around.first == NONE => {
                return Err((self.at, "a variation before the first node"));
            }
            Some(around) => {
                around.has_trees = true;
                around.last
            }
        };
        self.open.push(OpenTree {
            parent,
            first: NONE,
            last: NONE,
            has_trees: false,
        });
        self.at += 1;
        Ok(())
    }

    fn end_tree(&mut self) -> Result<(), SgfFault> {
        let tree = self.open.pop().ok_or((self.at, "nothing to close"))?;
        if tree.first == NONE {
            return Err((self.at, "a variation without a node"));
        }
        // The nodes of a sequence stand one behind the other, before those of its variations.
        for node in &mut self.tree.nodes[tree.first as usize..=tree.last as usize] {
            node.end = self.at;
        }
        self.at += 1;
        Ok(())
    }

    fn node(&mut self) -> Result<(), SgfFault> {
        // There are few more than `MAX_NODES`.
        let id = u32::try_from(self.tree.nodes.len()).unwrap_or(NONE);
        let open = self.open.last_mut();
        let open = open.ok_or((self.at, "a node outside a game tree"))?;
        if open.has_trees {
            return Err((self.at, "a node behind a variation"));
        }
        let parent = if open.first == NONE {
            open.first = id;
            open.parent
        } else {
            open.last
        };
        open.last = id;
        self.tree.nodes.push(SgfNode {
            parent,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
            properties: self.tree.properties.len(),
            start: self.at,
            end: self.tree.text.len(),
        });
        if let Some(parent) = self.tree.nodes.get_mut(parent as usize) {
            match std::mem::replace(&mut parent.last_child, id) {
                NONE => parent.first_child = id,
                before => self.tree.nodes[before as usize].next_sibling = id,
            }
        }
        self.at += 1;
        Ok(())
    }

    fn property(&mut self) -> Result<(), SgfFault> {
        let (begin, text) = (self.at, self.tree.text);
        let open = self.open.last();
        if open.is_none_or(|open| open.first == NONE || open.has_trees) {
            return Err((begin, "a property outside a node"));
        }
        // FF[3] ignores white space in names too.
        let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || is_white(**byte);
        self.at += text[begin..].iter().take_while(in_name).count();
        let counts = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
        let mut name = decoded(&text[begin..self.at]);
        if !name.chars().all(counts) {
            name = name.chars().filter(|&c| counts(c)).collect();
        }
        if !name.starts_with(|first: char| first.is_ascii_uppercase()) {
            return Err((begin, "a property name without a capital letter"));
        }
        let first = self.tree.values.len();
        while text.get(self.at) == Some(&b'[') {
            let value = self.at + 1;
            let len = value_len(&text[value..]).ok_or((self.at, "a value that is not closed"))?;
            self.tree.values.push(&text[value..value + len]);
            self.at = value + len + 1;
            while text.get(self.at).is_some_and(|&byte| is_white(byte)) {
                self.at += 1;
            }
        }
        let values = first..self.tree.values.len();
        if values.is_empty() {
            return Err((begin, "a property without a value"));
        }
        let at = begin;
        self.tree.properties.push(SgfProperty { name, at, values });
        Ok(())
    }
}
