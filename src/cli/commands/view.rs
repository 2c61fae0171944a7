//! `pgc view`.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::bail;
use clap::ValueHint;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pgc::Game;
use pgc::game::Board;
use pgc::movetext::PlayedMove;
use pgc_pgn::nag::nag_name;
use unicode_width::UnicodeWidthStr;

use crate::args::options::ShowPieces;
use crate::failure::{Exit, WithName};
use crate::files::indexed::{self, Unusable};
use crate::show::diagram::{drawn, opening_line};
use crate::show::output::{counted, print_line, print_lines, printable, shown};

mod stage;

/// The width of the moves if the output is not a terminal.
const WIDTH: usize = 80;

/// The moves of variations are shown up to this depth.
const DEPTH: usize = 8;

/// Show a game in the terminal, with a board to step through
///
/// Keys: right, l and space go forward, left, h and backspace go back; Home and End go to the start
/// and the end of the line; down (j) takes the next variation instead of the last move, up (k) goes
/// back to that move; n and p show the next and the previous game; f flips the board; v hides or
/// shows comments and variations; q or Esc ends. If the output is not a terminal, the game is printed
/// once, with the board at its end or after --ply.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/view.txt"))]
pub(crate) struct ViewArgs {
    /// The archive
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    archive: PathBuf,
    /// The number of the game, from 1
    #[arg(value_name = "N")]
    number: u64,
    /// Begin after K half moves; 0 is the start [default: 0, or the end if the output is not a
    /// terminal]
    #[arg(long, value_name = "K")]
    ply: Option<usize>,
    /// Begin with Black at the bottom
    #[arg(long)]
    flip: bool,
    #[command(flatten)]
    show: ShowPieces,
}

pub(crate) fn run(args: &ViewArgs) -> anyhow::Result<Exit> {
    let path = &args.archive;
    let options = indexed::IN_ORDER.passing_damage(true);
    let unusable = Unusable {
        refuse: false,
        quiet: true,
    };
    let archive = unusable.open(path, options)?;
    let game = archive.game(args.number).at(path)?;
    let plies = game.moves.len();
    if let Some(ply) = args.ply.filter(|&ply| ply > plies) {
        let (path, plies) = (shown(path), counted(plies as u64, "ply"));
        bail!("{path}: there is no ply {ply}: the game has {plies}");
    }
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut view = GameView {
        game,
        path: Vec::new(),
        ply: args.ply.unwrap_or(if is_terminal { 0 } else { plies }),
        is_flipped: args.flip,
        has_notes: true,
        show: args.show,
    };
    if is_terminal {
        return stage::step(&mut view, &archive);
    }
    print_lines(view.facts())?;
    print_lines(view.diagram())?;
    print_line("")?;
    for line in view.lines(WIDTH) {
        let words: Vec<&str> = line.iter().map(|word| word.text.as_str()).collect();
        print_line(&words.join(" "))?;
    }
    Ok(Exit::Done)
}

/// A game, and how it is shown.
struct GameView {
    game: Game,
    /// The variations that lead to the line on the board: for each the place of the move, in the line
    /// before, that it replaces, and its number among the variations of that move.
    path: Vec<(usize, usize)>,
    /// The number of moves of this line that have been played.
    ply: usize,
    is_flipped: bool,
    has_notes: bool,
    show: ShowPieces,
}

/// A word of the movetext, harmless on a terminal.
#[derive(Debug, PartialEq, Eq)]
struct MoveWord {
    text: String,
    /// The number of variations around it.
    depth: usize,
    is_note: bool,
    /// The move that led to the position on the board.
    is_current: bool,
}

impl GameView {
    /// The lines above the board: the players, the event, the opening.
    fn facts(&self) -> Vec<String> {
        let facts = ["Event", "Site", "Date", "Round", "ECO"];
        let facts = facts.iter().filter_map(|name| self.game.tag(name));
        let is_known = |value: &&str| value.contains(|c| !"?.".contains(c));
        let facts: Vec<&str> = facts.filter(is_known).collect();
        let result = self.game.tag("Result").unwrap_or("?");
        let players = [true, false].map(|white| self.player(white)).join(" - ");
        let mut lines = vec![format!("{players}, {result}"), facts.join(", ")];
        lines.extend(self.game.opening().map(|opening| opening_line(&opening)));
        lines.iter().map(|line| printable(line)).collect()
    }

    /// The name and the rating of a player.
    fn player(&self, white: bool) -> String {
        let side = if white { "White" } else { "Black" };
        let name = self.game.tag(side).unwrap_or("?");
        let elo = self.game.tag(&format!("{side}Elo"));
        match elo.filter(|elo| *elo != "?") {
            Some(elo) => printable(&format!("{name} ({elo})")),
            None => printable(name),
        }
    }

    /// The moves before the line on the board, and that line, moves not played yet included.
    fn lines_here(&self) -> (Vec<&PlayedMove>, &[PlayedMove]) {
        let mut line: &[PlayedMove] = &self.game.moves;
        let mut before = Vec::new();
        for &(at, number) in &self.path {
            before.extend(&line[..at]);
            line = &line[at].variations[number];
        }
        (before, line)
    }

    fn line_here(&self) -> &[PlayedMove] {
        self.lines_here().1
    }

    /// The moves from the start to the position on the board.
    fn played(&self) -> Vec<&PlayedMove> {
        let (mut played, line) = self.lines_here();
        played.extend(&line[..self.ply]);
        played
    }

    fn board(&self) -> Option<Board> {
        self.game.board_after(self.played())
    }

    /// The board as text.
    fn diagram(&self) -> Vec<String> {
        let Some(board) = self.board() else {
            return vec![String::new(), NO_BOARD.to_owned()];
        };
        let mut lines = vec![String::new()];
        lines.extend(drawn(&board, self.is_flipped));
        lines.push(String::new());
        lines.push(self.status(&board));
        lines
    }

    /// The last move, and who is to move.
    fn status(&self, board: &Board) -> String {
        let last = board.last.as_deref().map(|last| self.show.respelled(last));
        let last = last.unwrap_or("the start".into());
        let side = ["Black", "White"][usize::from(board.white_to_move)];
        let plies = self.game.moves.len();
        let place = match self.path.len() {
            0 => format!("ply {} of {plies}", self.ply),
            _ => format!("ply {}, in a variation", board.ply),
        };
        let clocks = self.clocks(board);
        let clocks = clocks.map(|clock| clock.unwrap_or("?".to_owned()));
        let clocks = match &clocks {
            [white, black] if white == "?" && black == "?" => String::new(),
            [white, black] => format!(", clocks {white} and {black}"),
        };
        printable(&format!("{last} ({place}), {side} to move{clocks}"))
    }

    /// The clocks of White and of Black after their last moves.
    fn clocks(&self, board: &Board) -> [Option<String>; 2] {
        let played = self.played();
        let [last, before] = [0, 1].map(|skipped| {
            let mut moves = played.iter().rev().skip(skipped).step_by(2);
            moves.find_map(|played| played.clock()).map(clock)
        });
        match board.white_to_move {
            true => [before, last],
            false => [last, before],
        }
    }

    /// The movetext in lines.
    fn lines(&self, width: usize) -> Vec<Vec<MoveWord>> {
        let mut words = Vec::new();
        let first = self.game.start.as_deref().map_or(2, first_num);
        self.notes(&self.game.comments, 0, &mut words);
        self.line(&self.game.moves, first, &mut Vec::new(), &mut words);
        let end = self.game.termination.map(|end| end.as_str());
        let end = self.game.tail.as_deref().into_iter().chain(end);
        words.extend(end.map(|text| note(text, 0)));
        broken(words, width)
    }

    /// Adds the line that this path leads to; `first` is twice the number of its first move, plus one
    /// if Black plays it.
    fn line(
        &self,
        moves: &[PlayedMove],
        first: usize,
        path: &mut Vec<(usize, usize)>,
        words: &mut Vec<MoveWord>,
    ) {
        let mut needs_number = true;
        let depth = path.len();
        for (at, played) in moves.iter().enumerate() {
            let num = first + at;
            self.notes(&played.before, depth, words);
            let number = match (num % 2, needs_number) {
                (0, _) => format!("{}. ", num / 2),
                (_, true) => format!("{}... ", num / 2),
                _ => String::new(),
            };
            let glyphs = played.nags.iter().map(|&nag| match nag {
                1..=6 => ["!", "?", "!!", "??", "!?", "?!"][nag as usize - 1].to_owned(),
                _ => nag_name(nag).map_or_else(|| format!(" ${nag}"), |name| format!(" ({name})")),
            });
            let san = self.show.respelled(&played.san);
            let text = format!("{number}{san}{}", glyphs.collect::<String>());
            words.push(MoveWord {
                text: printable(&text),
                depth,
                is_note: false,
                is_current: *path == self.path && at + 1 == self.ply,
            });
            let before = words.len();
            self.notes(&played.comments, depth, words);
            let variations = played.variations.iter().enumerate();
            for (number, variation) in variations.filter(|_| self.has_notes && depth < DEPTH) {
                path.push((at, number));
                words.push(note("(", depth + 1));
                self.line(variation, num, path, words);
                words.push(note(")", depth + 1));
                path.pop();
            }
            needs_number = words.len() > before;
        }
    }

    /// Adds comments word by word, in braces, without the commands in them.
    fn notes(&self, comments: &[String], depth: usize, words: &mut Vec<MoveWord>) {
        for comment in comments.iter().filter(|_| self.has_notes) {
            let text = without_commands(comment);
            if !text.trim().is_empty() {
                let text = format!("{{{}}}", text.trim());
                words.extend(text.split_whitespace().map(|word| note(word, depth)));
            }
        }
    }

    /// Does what a key asks for.
    fn key(&mut self, key: KeyEvent) -> KeyAsks {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c' | 'd') if is_control => return KeyAsks::End,
            KeyCode::Char('q') | KeyCode::Esc => return KeyAsks::End,
            KeyCode::Char('n') | KeyCode::PageDown => return KeyAsks::Next,
            KeyCode::Char('p') | KeyCode::PageUp => return KeyAsks::Previous,
            KeyCode::Char('l' | ' ') | KeyCode::Right => {
                self.ply = (self.ply + 1).min(self.line_here().len());
            }
            KeyCode::Char('h') | KeyCode::Left | KeyCode::Backspace => match self.ply {
                0 | 1 if !self.path.is_empty() => {
                    self.leave();
                    self.ply -= 1;
                }
                _ => self.ply = self.ply.saturating_sub(1),
            },
            KeyCode::Char('j') | KeyCode::Down => self.next_variation(),
            KeyCode::Char('k') | KeyCode::Up => self.leave(),
            KeyCode::Home => (self.path.clear(), self.ply = 0).1,
            KeyCode::End => self.ply = self.line_here().len(),
            KeyCode::Char('f') => self.is_flipped = !self.is_flipped,
            KeyCode::Char('v') => {
                self.has_notes = !self.has_notes;
                while !self.has_notes && !self.path.is_empty() {
                    self.leave();
                }
            }
            _ => {}
        }
        KeyAsks::Other
    }

    /// Takes the first variation instead of the last move; in the first move of a variation, the next
    /// one.
    fn next_variation(&mut self) {
        let Some(at) = self.ply.checked_sub(1).filter(|_| self.has_notes) else {
            return;
        };
        let mut variations = self.line_here()[at].variations.iter();
        let first = variations.position(|line| !line.is_empty());
        if let Some(number) = first.filter(|_| self.path.len() < DEPTH) {
            self.path.push((at, number));
            self.ply = 1;
        } else if at == 0
            && let Some((place, number)) = self.path.pop()
        {
            let others = self.line_here()[place].variations.iter().enumerate();
            let mut next = others.filter(|(other, line)| *other > number && !line.is_empty());
            let next = next.next().map_or(number, |(other, _)| other);
            self.path.push((place, next));
        }
    }

    /// Goes back to the move that the variation replaces.
    fn leave(&mut self) {
        if let Some((at, _)) = self.path.pop() {
            self.ply = at + 1;
        }
    }
}

/// What a key asks for that the game alone cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyAsks {
    End,
    Next,
    Previous,
    Other,
}

const NO_BOARD: &str = "No board: the start position or the rules are not understood.";

/// A word that is no move.
fn note(text: &str, depth: usize) -> MoveWord {
    MoveWord {
        text: printable(text),
        depth,
        is_note: true,
        is_current: false,
    }
}

/// A comment without its commands (`[%clk 0:01:00]`).
fn without_commands(comment: &str) -> String {
    let mut parts = comment.split("[%");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((_, rest)) => text.push_str(rest),
            None => text.extend(["[%", part]),
        }
    }
    text
}

/// Twice the number of the first move after a FEN, plus one if Black plays it.
fn first_num(fen: &str) -> usize {
    let mut fields = fen.split(' ');
    let is_black = fields.nth(1) == Some("b");
    let number = fields.next_back().and_then(|number| number.parse().ok());
    2 * number.unwrap_or(1_usize).min(1 << 30) + usize::from(is_black)
}

/// Breaks words into lines. A word that is wider than a line has one of its own.
fn broken(words: Vec<MoveWord>, width: usize) -> Vec<Vec<MoveWord>> {
    let (mut lines, mut used): (Vec<Vec<MoveWord>>, usize) = (Vec::new(), 0);
    for word in words {
        let own = word.text.width();
        match lines.last_mut().filter(|_| used + 1 + own <= width) {
            Some(line) => {
                used += 1 + own;
                line.push(word);
            }
            None => {
                used = own;
                lines.push(vec![word]);
            }
        }
    }
    lines
}

/// `1:02:03`.
fn clock(seconds: f64) -> String {
    // The clamp keeps the conversion from failing.
    let seconds = std::time::Duration::try_from_secs_f64(seconds.clamp(0.0, 1e9));
    let seconds = seconds.map_or(0, |clock| clock.as_secs());
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    format!("{}:{:02}:{seconds:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use pgc::Archive;

    use super::*;

    #[test]
    fn words_are_broken_into_lines() {
        let broken = |width| {
            let words = ["1. e4", "e5", "2. Nf3", "exceedingly"].map(|word| note(word, 0));
            let lines = broken(words.into(), width).into_iter();
            let lengths = lines.map(|line| line.iter().map(|word| word.text.len()).collect());
            lengths.collect::<Vec<Vec<usize>>>()
        };
        assert_eq!(broken(80), [vec![5, 2, 6, 11]]);
        assert_eq!(broken(8), [vec![5, 2], vec![6], vec![11]]);
        assert_eq!(broken(1), [[5], [2], [6], [11]]);
    }

    #[test]
    fn numbers_clocks_and_commands() {
        assert_eq!(first_num("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"), 2);
        assert_eq!(first_num("8/8/4k3/8/8/4K3/4P3/8 b - - 3 41"), 83);
        assert_eq!(clock(3723.9), "1:02:03");
        assert_eq!(clock(f64::INFINITY), clock(1e9));
        assert_eq!(without_commands("[%clk 1:00:00] a [%eval 1] b"), " a  b");
        assert_eq!(without_commands("a [%clk 1"), "a [%clk 1");
    }

    /// Through the moves and variations of a game by keys; the position after each.
    #[test]
    fn keys_lead_into_variations_and_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.pgc");
        let pgn = b"1. e4 {[%clk 0:01:00]} e5 (1... c5 2. Nf3 (2. c3) d6) (1... e6) 2. Nf3 *";
        let mut bytes = Vec::new();
        let options = pgc::PackOptions::default();
        pgc::pack(&mut &pgn[..], "x", &mut bytes, &options, &mut pgc::NoHooks).unwrap();
        std::fs::write(&path, bytes).unwrap();
        let mut view = GameView {
            game: Archive::open(&path).unwrap().game(1).unwrap(),
            path: Vec::new(),
            ply: 0,
            is_flipped: false,
            has_notes: true,
            show: ShowPieces { pieces: None },
        };
        for (keys, last, current) in [
            ("ll", "1... e5", "1... e5"),
            ("j", "1... c5", "1... c5"),
            ("j", "1... e6", "1... e6"),
            ("j", "1... e6", "1... e6"),
            ("k", "1... e5", "e5"),
            ("jl", "2. Nf3", "2. Nf3"),
            ("j", "2. c3", "2. c3"),
            ("h", "1... c5", "1... c5"),
            ("h", "1. e4", "1. e4"),
            ("ljv", "1... e5", "e5"),
        ] {
            for key in keys.chars() {
                view.key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE));
            }
            let board = view.board().unwrap();
            assert_eq!(board.last.as_deref(), Some(last), "{keys}");
            let words = view.lines(80).into_iter().flatten();
            let marked: Vec<MoveWord> = words.filter(|word| word.is_current).collect();
            assert_eq!(marked.len(), 1, "{keys}");
            assert!(
                current.ends_with(&marked[0].text) || marked[0].text == current,
                "{keys}"
            );
        }
        let board = view.board().unwrap();
        assert_eq!(view.clocks(&board), [Some("0:01:00".to_owned()), None]);
    }
}
