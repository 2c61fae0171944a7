//! `pgc view`.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::ValueHint;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{self, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute, queue};
use pgc::internals::archive::PlayedMove;
use pgc::internals::pgn::nag_name;
use pgc::{Game, OpenOptions};
use unicode_width::UnicodeWidthStr;

use super::diagram::{figure, opening_line};
use super::exit::Exit;
use super::failure::WithName;
use super::indexed::{self, Unusable};
use super::interrupt;
use super::options::ShowPieces;
use super::output::{counted, print_line, printable, shown};

/// The width of the moves if the output is not a terminal.
const WIDTH: usize = 80;

/// The interval at which the viewer checks for a signal.
const TICK: Duration = Duration::from_millis(100);

/// The moves of variations are shown up to this depth.
const DEPTH: usize = 8;

/// Show a game in the terminal, with a board to step through
///
/// Keys: right, down, j, n and space go forward; left, up, k, p and backspace go back; Home and End
/// go to the start and the end; f flips the board; v hides or shows comments and variations; q or
/// Esc ends. If the output is not a terminal, the game is printed once, with the board at its end
/// or after --ply.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc view games.pgc 12
  pgc view games.pgc 12 --ply 40
  pgc view games.pgc 12 --pieces figurine
  pgc view games.pgc 12 | less")]
pub(super) struct ViewArgs {
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

pub(super) fn run(args: &ViewArgs) -> anyhow::Result<Exit> {
    let path = &args.archive;
    let options = OpenOptions {
        passes_damage: true,
        ..indexed::IN_ORDER
    };
    let unusable = Unusable {
        refuse: false,
        quiet: true,
    };
    let archive = unusable.open(path, options)?;
    let game = archive.game(args.number).named(|| shown(path))?;
    let plies = game.moves.len();
    if let Some(ply) = args.ply.filter(|&ply| ply > plies) {
        let plies = counted(plies as u64, "ply", "plies");
        bail!(
            "{}: there is no ply {ply}: the game has {plies}",
            shown(path)
        );
    }
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut view = GameView {
        game: &game,
        ply: args.ply.unwrap_or(if is_terminal { 0 } else { plies }),
        is_flipped: args.flip,
        has_notes: true,
        show: args.show,
    };
    if is_terminal {
        return step(&mut view);
    }
    let words = view.words();
    view.head().iter().try_for_each(|line| print_line(line))?;
    print_line("")?;
    for line in lines(&words, WIDTH) {
        let words: Vec<&str> = line.iter().map(|word| word.text.as_str()).collect();
        print_line(&words.join(" "))?;
    }
    Ok(Exit::Done)
}

/// A game, and how it is shown.
struct GameView<'g> {
    game: &'g Game,
    ply: usize,
    is_flipped: bool,
    has_notes: bool,
    show: ShowPieces,
}

/// A word of the movetext, harmless on a terminal.
#[derive(Debug, PartialEq, Eq)]
struct MoveWord {
    text: String,
    /// The move that led to the position on the board.
    is_current: bool,
}

impl GameView<'_> {
    /// The lines above the moves: the players, the board, the last move.
    fn head(&self) -> Vec<String> {
        let game = self.game;
        let tag = |name| game.tag(name).unwrap_or("?");
        let player = |name, elo| match game.tag(elo).filter(|elo| *elo != "?") {
            Some(elo) => format!("{} ({elo})", tag(name)),
            None => tag(name).to_owned(),
        };
        let players = [player("White", "WhiteElo"), player("Black", "BlackElo")];
        let facts = ["Event", "Site", "Date", "Round", "ECO"];
        let facts = facts.iter().filter_map(|name| game.tag(name));
        let facts: Vec<&str> = facts
            .filter(|value| value.contains(|c| !"?.".contains(c)))
            .collect();
        let mut lines = vec![
            format!("{}, {}", players.join(" - "), tag("Result")),
            facts.join(", "),
        ];
        lines.extend(game.opening().map(|opening| opening_line(&opening)));
        lines.push(String::new());
        lines.extend(self.board());
        lines.iter().map(|line| printable(line)).collect()
    }

    fn board(&self) -> Vec<String> {
        let Some(board) = self.game.board(self.ply) else {
            return vec![
                "No board: the start position or the rules are not understood.".to_owned(),
            ];
        };
        let mut rows: Vec<String> = (1..=8)
            .rev()
            .zip(&board.squares)
            .map(|(rank, row)| {
                let mut row: Vec<String> = row.iter().map(|&square| figure(square)).collect();
                if self.is_flipped {
                    row.reverse();
                }
                format!("{rank} {}", row.join(" "))
            })
            .collect();
        let mut files = ["a", "b", "c", "d", "e", "f", "g", "h"];
        if self.is_flipped {
            rows.reverse();
            files.reverse();
        }
        rows.push(format!("  {}", files.join(" ")));
        rows.push(String::new());
        let last = board.last.as_deref().map(|last| self.show.of(last));
        let last = last.unwrap_or("the start".into());
        let played = self.ply.checked_sub(1).map(|at| &self.game.moves[at]);
        let clock = played.and_then(PlayedMove::clock).map(clock);
        let side = ["Black", "White"][usize::from(board.white_to_move)];
        rows.push(format!(
            "{last} (ply {} of {}), {side} to move{}",
            self.ply,
            self.game.moves.len(),
            clock.map_or(String::new(), |clock| format!(", clock {clock}"))
        ));
        rows
    }

    fn words(&self) -> Vec<MoveWord> {
        let mut words = Vec::new();
        let first = self.game.start.as_deref().map_or(2, first_num);
        if self.has_notes {
            comments(&self.game.comments, &mut words);
        }
        self.line(&self.game.moves, first, 0, &mut words);
        words.extend(self.game.tail.as_deref().map(word));
        let end = self.game.termination.map(|end| word(end.as_str()));
        words.extend(end);
        words
    }

    /// Adds a line; `first` is twice the number of its first move, plus one if Black plays it.
    fn line(&self, moves: &[PlayedMove], first: usize, depth: usize, words: &mut Vec<MoveWord>) {
        let mut needs_number = true;
        for (at, played) in moves.iter().enumerate() {
            let num = first + at;
            if self.has_notes {
                comments(&played.before, words);
            }
            let number = match (num % 2, needs_number) {
                (0, _) => format!("{}. ", num / 2),
                (_, true) => format!("{}... ", num / 2),
                _ => String::new(),
            };
            let glyphs = played.nags.iter().map(|&nag| match nag {
                1..=6 => ["!", "?", "!!", "??", "!?", "?!"][nag as usize - 1].to_owned(),
                _ => nag_name(nag).map_or_else(|| format!(" ${nag}"), |name| format!(" ({name})")),
            });
            let text = format!(
                "{number}{}{}",
                self.show.of(&played.san),
                glyphs.collect::<String>()
            );
            words.push(MoveWord {
                text: printable(&text),
                is_current: depth == 0 && at + 1 == self.ply,
            });
            let before = words.len();
            if self.has_notes {
                comments(&played.comments, words);
                for variation in played.variations.iter().filter(|_| depth < DEPTH) {
                    words.push(word("("));
                    self.line(variation, num, depth + 1, words);
                    words.push(word(")"));
                }
            }
            needs_number = words.len() > before;
        }
    }

    /// Does what a key asks for; `false` ends.
    fn key(&mut self, key: KeyEvent) -> bool {
        let last = self.game.moves.len();
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c' | 'd') if is_control => return false,
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Char('j' | 'n' | ' ') | KeyCode::Right | KeyCode::Down => {
                self.ply = (self.ply + 1).min(last);
            }
            KeyCode::Char('k' | 'p') | KeyCode::Left | KeyCode::Up | KeyCode::Backspace => {
                self.ply = self.ply.saturating_sub(1);
            }
            KeyCode::Home => self.ply = 0,
            KeyCode::End => self.ply = last,
            KeyCode::Char('f') => self.is_flipped = !self.is_flipped,
            KeyCode::Char('v') => self.has_notes = !self.has_notes,
            _ => {}
        }
        true
    }
}

/// The terminal in raw mode on its alternate screen; dropping this restores it.
struct Stage;

impl Stage {
    fn enter() -> io::Result<Stage> {
        terminal::enable_raw_mode()?;
        let stage = Stage;
        execute!(io::stdout(), EnterAlternateScreen, cursor::Hide)?;
        Ok(stage)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Errors cannot be reported here.
        let _ = execute!(io::stdout(), cursor::Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

fn step(view: &mut GameView<'_>) -> anyhow::Result<Exit> {
    let _stage = Stage::enter()?;
    paint(view)?;
    loop {
        if interrupt::requested() {
            return Ok(Exit::Interrupted);
        }
        if !event::poll(TICK)? {
            continue;
        }
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                if !view.key(key) {
                    return Ok(Exit::Done);
                }
            }
            Event::Resize(..) => {}
            _ => continue,
        }
        paint(view)?;
    }
}

fn paint(view: &GameView<'_>) -> io::Result<()> {
    let (width, height) = terminal::size()?;
    let (width, height) = (usize::from(width).max(1), usize::from(height));
    let head = view.head();
    let words = view.words();
    let moves = lines(&words, width);
    let room = height.saturating_sub(head.len() + 3);
    let current = moves
        .iter()
        .position(|line| line.iter().any(|word| word.is_current));
    let last = moves.len().saturating_sub(room);
    let from = current.unwrap_or(0).saturating_sub(room / 2).min(last);
    let mut out = io::stdout().lock();
    queue!(out, cursor::MoveTo(0, 0), terminal::Clear(ClearType::All))?;
    for line in head.iter().take(height.saturating_sub(1)) {
        let line = line.chars().take(width).collect::<String>();
        queue!(out, Print(line), cursor::MoveToNextLine(1))?;
    }
    for line in moves.iter().skip(from).take(room) {
        queue!(out, cursor::MoveToNextLine(1))?;
        for (place, word) in line.iter().enumerate() {
            if place > 0 {
                queue!(out, Print(" "))?;
            }
            if word.is_current {
                queue!(out, SetAttribute(Attribute::Reverse), Print(&word.text))?;
                queue!(out, SetAttribute(Attribute::NoReverse))?;
            } else {
                queue!(out, Print(&word.text))?;
            }
        }
    }
    let row = u16::try_from(height.saturating_sub(1)).unwrap_or(u16::MAX);
    let help: String = "arrows: step  Home End  f: flip  v: notes  q: end"
        .chars()
        .take(width)
        .collect();
    queue!(out, cursor::MoveTo(0, row), SetAttribute(Attribute::Dim))?;
    queue!(out, Print(help), SetAttribute(Attribute::Reset))?;
    out.flush()
}

fn word(text: &str) -> MoveWord {
    MoveWord {
        text: printable(text),
        is_current: false,
    }
}

/// Adds comments word by word, in braces.
fn comments(comments: &[String], words: &mut Vec<MoveWord>) {
    for comment in comments {
        let text = format!("{{{}}}", comment.trim());
        words.extend(text.split_whitespace().map(word));
    }
}

/// Twice the number of the first move after a FEN, plus one if Black plays it.
fn first_num(fen: &str) -> usize {
    let mut fields = fen.split(' ');
    let is_black = fields.nth(1) == Some("b");
    let number = fields.next_back().and_then(|number| number.parse().ok());
    2 * number.unwrap_or(1_usize).min(1 << 30) + usize::from(is_black)
}

/// Breaks words into lines. A word that is wider than a line has one of its own.
fn lines(words: &[MoveWord], width: usize) -> Vec<Vec<&MoveWord>> {
    let mut lines: Vec<Vec<&MoveWord>> = Vec::new();
    let mut used = 0;
    for word in words {
        let own = word.text.width();
        match lines.last_mut().filter(|_| used + 1 + own <= width) {
            Some(line) => {
                line.push(word);
                used += 1 + own;
            }
            None => {
                lines.push(vec![word]);
                used = own;
            }
        }
    }
    lines
}

/// `1:02:03`.
fn clock(seconds: f64) -> String {
    // The clamp keeps the conversion from failing.
    let seconds = Duration::try_from_secs_f64(seconds.clamp(0.0, 1e9));
    let seconds = seconds.map_or(0, |clock| clock.as_secs());
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    format!("{}:{:02}:{seconds:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_broken_into_lines() {
        let words: Vec<MoveWord> = ["1. e4", "e5", "2. Nf3", "exceedingly"]
            .map(word)
            .into_iter()
            .collect();
        let broken = |width| {
            let lines = lines(&words, width).into_iter();
            let texts = |line: Vec<&MoveWord>| line.iter().map(|w| w.text.len()).collect();
            lines.map(texts).collect::<Vec<Vec<usize>>>()
        };
        assert_eq!(broken(80), [vec![5, 2, 6, 11]]);
        assert_eq!(broken(8), [vec![5, 2], vec![6], vec![11]]);
        assert_eq!(broken(1), [[5], [2], [6], [11]]);
    }

    #[test]
    fn numbers_and_clocks() {
        assert_eq!(first_num("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"), 2);
        assert_eq!(first_num("8/8/4k3/8/8/4K3/4P3/8 b - - 3 41"), 83);
        assert_eq!(clock(3723.9), "1:02:03");
        assert_eq!(clock(f64::INFINITY), clock(1e9));
    }
}
