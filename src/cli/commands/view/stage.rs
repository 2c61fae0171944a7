//! The screen of `pgc view`: a board in colours, with the moves beside or below it.

use std::io::{self, Write};
use std::time::Duration;

use crossterm::cursor::{self, MoveTo};
use crossterm::event::{self, Event, KeyEventKind};
use crossterm::style::{Attribute, Color, Print, Stylize};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};
use pgc::Archive;
use pgc::game::Board;

use super::{GameView, KeyAsks, MoveWord, NO_BOARD};
use crate::failure::Exit;
use crate::interrupt;
use crate::show::diagram::{figure, files, rows};
use crate::show::table::cut;

/// The interval at which the viewer checks for a signal.
const TICK: Duration = Duration::from_millis(100);

/// The widths and heights of a square, the largest first.
const SQUARES: [(usize, usize); 4] = [(9, 4), (7, 3), (5, 2), (3, 1)];

/// The least width of moves beside the board.
const BESIDE: usize = 28;

/// The lines beside the rows of the board: both players, files, status, help.
const AROUND: usize = 6;

/// The colours of light and dark squares: on both a white and a black piece stand out.
const LIGHT: Color = Color::AnsiValue(103);
const DARK: Color = Color::AnsiValue(60);

/// The terminal in raw mode on its alternate screen; dropping this restores it.
struct Stage;

impl Drop for Stage {
    fn drop(&mut self) {
        // Errors cannot be reported here.
        let _ = execute!(io::stdout(), cursor::Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Shows the game and does what keys ask for, until one ends the viewer.
pub(super) fn step(view: &mut GameView, archive: &Archive) -> anyhow::Result<Exit> {
    terminal::enable_raw_mode()?;
    let _stage = Stage;
    execute!(io::stdout(), EnterAlternateScreen, cursor::Hide)?;
    let mut says = String::new();
    loop {
        let (width, height) = terminal::size()?;
        view.paint(&mut io::stdout().lock(), (width, height), &says)?;
        let key = loop {
            if interrupt::requested() {
                return Ok(Exit::Interrupted);
            }
            if !event::poll(TICK)? {
                continue;
            }
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => break Some(key),
                Event::Resize(..) => break None,
                _ => {}
            }
        };
        let Some(key) = key else { continue };
        says.clear();
        let number = match view.key(key) {
            KeyAsks::End => return Ok(Exit::Done),
            KeyAsks::Other => continue,
            KeyAsks::Next => view.game.number + 1,
            KeyAsks::Previous => view.game.number.saturating_sub(1),
        };
        match archive.game(number) {
            Ok(game) => (view.game, view.ply) = (game, 0),
            Err(error) => says = error.to_string(),
        }
        view.path.clear();
    }
}

impl GameView {
    /// Draws everything.
    fn paint(&self, out: &mut impl Write, size: (u16, u16), says: &str) -> io::Result<()> {
        let (width, height) = (usize::from(size.0).max(1), usize::from(size.1));
        let mut facts = self.facts();
        facts.remove(0);
        let facts: Vec<String> = facts.into_iter().filter(|line| !line.is_empty()).collect();
        let room = height.saturating_sub(AROUND + facts.len());
        let fits = |&&(w, h): &&(usize, usize)| 8 * h <= room && 2 + 8 * w + 2 + BESIDE <= width;
        let beside = SQUARES.iter().find(fits);
        let square = beside.copied().unwrap_or((3, 1));
        let mut left: Vec<String> = facts.iter().map(|line| cut(line, width)).collect();
        left.extend(self.board_lines(square));
        let help = "left right: step  up down: variations  n p: games  f: flip  v: notes  q: end";
        let help = if says.is_empty() { help } else { says };
        queue!(out, MoveTo(0, 0), Clear(ClearType::All))?;
        for line in left.iter().take(height.saturating_sub(1)) {
            queue!(out, Print(line), cursor::MoveToNextLine(1))?;
        }
        // Where the moves stand: their first column and row, and their room.
        let (column, row) = match beside {
            Some((w, _)) => (2 + 8 * w + 2, facts.len()),
            None => (0, left.len() + 1),
        };
        let room = (width - column, height.saturating_sub(row + 2));
        let moves = self.lines_shown(room);
        for (line, at) in moves.iter().zip(row..) {
            queue!(out, MoveTo(small(column), small(at)), Print(line))?;
        }
        let help = cut(help, width).attribute(Attribute::Dim);
        queue!(out, MoveTo(0, small(height.saturating_sub(1))), Print(help))?;
        out.flush()
    }

    /// The lines of moves that fit, with the current move among them.
    fn lines_shown(&self, (width, height): (usize, usize)) -> Vec<String> {
        let lines = self.lines(width);
        let is_current = |line: &Vec<MoveWord>| line.iter().any(|word| word.is_current);
        // Before the first move the first lines are shown.
        let current = match self.ply {
            0 => 0,
            _ => lines.iter().position(is_current).unwrap_or(lines.len()),
        };
        let last = lines.len().saturating_sub(height);
        let from = current.saturating_sub(height / 2).min(last);
        let shown = lines[from..].iter().take(height);
        let words = shown.map(|line| line.iter().map(colored).collect::<Vec<_>>());
        words.map(|words| words.join(" ")).collect()
    }

    /// The lines of the board, with the players above and below it.
    fn board_lines(&self, (width, height): (usize, usize)) -> Vec<String> {
        let Some(board) = self.board() else {
            let players = [true, false].map(|white| self.player(white)).join(" - ");
            return vec![players, NO_BOARD.to_owned()];
        };
        let clocks = self.clocks(&board);
        let player = |white: bool| {
            let clock = clocks[usize::from(!white)].as_deref().unwrap_or_default();
            let to_move = [" ", ">"][usize::from(white == board.white_to_move)];
            let room = (8 * width).saturating_sub(clock.len() + 1);
            let name = cut(&self.player(white), room);
            format!("{to_move} {name} {clock}")
        };
        let mut lines = vec![player(self.is_flipped)];
        lines.extend(self.squares(&board, (width, height)));
        let files = files(self.is_flipped)
            .map(|file| format!("{file:^width$}"))
            .concat();
        lines.push(format!("  {files}"));
        lines.push(player(!self.is_flipped));
        lines.push(self.status(&board));
        lines
    }

    /// The rows of squares, in colours.
    fn squares(&self, board: &Board, (width, height): (usize, usize)) -> Vec<String> {
        let mut lines = Vec::new();
        for (place, (rank, row)) in rows(board, self.is_flipped).into_iter().enumerate() {
            for line in 0..height {
                let is_middle = line == (height - 1) / 2;
                let mut text = match is_middle {
                    true => format!("{rank} "),
                    false => "  ".to_owned(),
                };
                for (file, square) in row.into_iter().enumerate() {
                    let piece = square.filter(|_| is_middle);
                    let color = [LIGHT, DARK][(place + file) % 2];
                    text += &filled(piece, width, color);
                }
                lines.push(text);
            }
        }
        lines
    }
}

/// A line of a square, with a piece in the middle.
fn filled(piece: Option<char>, width: usize, color: Color) -> String {
    let side = match piece {
        Some(piece) if piece.is_ascii_uppercase() => Color::AnsiValue(231),
        _ => Color::AnsiValue(16),
    };
    // The figures of Black are the filled ones, which suit both colours.
    let figure = piece.map_or(" ".to_owned(), |piece| {
        figure(Some(piece.to_ascii_lowercase()))
    });
    let text = format!("{figure:^width$}");
    text.with(side).on(color).to_string()
}

fn colored(word: &MoveWord) -> String {
    let text = word.text.as_str();
    match (word.is_current, word.is_note, word.depth) {
        (true, ..) => text.attribute(Attribute::Reverse).to_string(),
        (_, false, 0) => text.attribute(Attribute::Bold).to_string(),
        (_, true, _) => text.attribute(Attribute::Dim).to_string(),
        _ => text.to_owned(),
    }
}

fn small(place: usize) -> u16 {
    u16::try_from(place).unwrap_or(u16::MAX)
}
