//! A chess engine that speaks UCI (the Universal Chess Interface), started by `--engine`.
//!
//! The page asks again and again what the engine has found about one position. The engine stops
//! when nobody has asked for some seconds, and searches from the beginning when the position changes.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::ValueHint;
use pgc_chess::{Position, Rules};
use serde_json::{Value, json};

use super::boards;

/// How long the engine may take to answer `uci` and `isready`.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the engine searches on when nobody asks.
const IDLE: Duration = Duration::from_secs(3);

/// The number of lines that it shows, and the most moves of each.
const LINES: usize = 3;
const LINE: usize = 12;

/// The options of `pgc serve` about an engine.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct EngineOptions {
    /// A chess engine (a program that speaks UCI) that looks at the position on the board, once the
    /// user asks for it
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::ExecutablePath)]
    engine: Option<PathBuf>,
    /// Threads of the engine
    #[arg(long, value_name = "N", default_value_t = 1, requires = "engine", value_parser = clap::value_parser!(u16).range(1..=64))]
    engine_threads: u16,
    /// Memory of the engine in MiB (its hash table)
    #[arg(long, value_name = "MIB", default_value_t = 64, requires = "engine", value_parser = clap::value_parser!(u32).range(1..=65536))]
    engine_memory: u32,
}

/// What a line of the engine's search says.
#[derive(Clone)]
struct FoundLine {
    depth: u64,
    /// In hundredths of a pawn, or moves to mate, for the side to move.
    score: Result<i64, i64>,
    moves: Vec<String>,
}

/// What the engine has found.
#[derive(Default)]
struct Analysis {
    lines: BTreeMap<u64, FoundLine>,
    /// Searches that were stopped and whose `bestmove` is not here yet: lines are still theirs.
    stopped: u32,
    is_searching: bool,
    /// The position, with its counters.
    fen: String,
    asked: Option<Instant>,
    has_ended: bool,
}

/// A running engine.
pub(super) struct Engine {
    name: String,
    knows_chess960: bool,
    process: Arc<Mutex<Child>>,
    analysis: Arc<Mutex<Analysis>>,
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// Starts the engine that the options name, if any.
    pub(super) fn start(options: &EngineOptions) -> anyhow::Result<Option<Engine>> {
        let Some(path) = &options.engine else {
            return Ok(None);
        };
        let engine = Engine::open(path, options);
        engine.with_context(|| path.display().to_string()).map(Some)
    }

    fn open(path: &Path, options: &EngineOptions) -> anyhow::Result<Engine> {
        let mut command = Command::new(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::null()).spawn()?;
        let output = process.stdout.take();
        let output = output.context("the engine has no output")?;
        let (sender, lines) = channel();
        let mut read = BufReader::new(output).lines().map_while(Result::ok);
        let pass_on = move || read.try_for_each(|line| sender.send(line));
        thread::Builder::new().spawn(pass_on)?;
        say(&mut process, "uci")?;
        let mut engine = Engine {
            name: String::new(),
            knows_chess960: false,
            process: Arc::new(Mutex::new(process)),
            analysis: Arc::default(),
        };
        wait_for(&lines, "uciok", |line| {
            if let Some(name) = line.strip_prefix("id name ") {
                name.clone_into(&mut engine.name);
            }
            engine.knows_chess960 |= line.starts_with("option name UCI_Chess960 ");
        })?;
        let mut process = locked(&engine.process);
        let mut options = vec![
            format!("Threads value {}", options.engine_threads),
            format!("Hash value {}", options.engine_memory),
            format!("MultiPV value {LINES}"),
        ];
        if engine.knows_chess960 {
            options.push("UCI_Chess960 value true".to_owned());
        }
        for option in options {
            say(&mut process, &format!("setoption name {option}"))?;
        }
        say(&mut process, "isready")?;
        drop(process);
        wait_for(&lines, "readyok", |_| {})?;
        engine.listen(lines)?;
        Ok(engine)
    }

    /// Takes in what the engine finds, and stops it when nobody asks.
    fn listen(&self, lines: Receiver<String>) -> io::Result<()> {
        let (process, analysis) = (self.process.clone(), self.analysis.clone());
        let listener = move || {
            loop {
                match lines.recv_timeout(Duration::from_millis(500)) {
                    Ok(line) => locked(&analysis).take(&line),
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                let mut analysis = locked(&analysis);
                let is_asked = analysis.asked.is_some_and(|asked| asked.elapsed() < IDLE);
                if analysis.is_searching && !is_asked && say(&mut locked(&process), "stop").is_ok()
                {
                    analysis.is_searching = false;
                    analysis.stopped += 1;
                    analysis.fen.clear();
                }
            }
            locked(&analysis).has_ended = true;
        };
        thread::Builder::new().spawn(listener).map(drop)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What the engine has found about a position; begins to search if it looks at another one.
    pub(super) fn look(&self, position: &Position, variant: &str) -> Result<Value, String> {
        let rules = Rules::from_variant_tag(variant.as_bytes());
        if !matches!(rules, Some(Rules::Chess | Rules::Chess960)) {
            return Err(format!("{} plays chess, not {variant}", self.name));
        }
        if position.select(0).is_none() {
            return Ok(json!({ "name": self.name, "depth": 0, "lines": [] }));
        }
        let fen = position.fen();
        let mut analysis = locked(&self.analysis);
        if analysis.has_ended {
            return Err(format!("{} has ended", self.name));
        }
        analysis.asked = Some(Instant::now());
        if analysis.fen != fen {
            let ended = |_| format!("{} has ended", self.name);
            let process = &mut locked(&self.process);
            if analysis.is_searching {
                say(process, "stop").map_err(ended)?;
                analysis.stopped += 1;
            }
            say(process, &format!("position fen {fen}")).map_err(ended)?;
            say(process, "go infinite").map_err(ended)?;
            analysis.is_searching = true;
            analysis.lines.clear();
            analysis.fen = fen;
        }
        let lines = analysis.lines.values();
        let depth = lines.clone().map(|line| line.depth).max().unwrap_or(0);
        let lines: Value = lines.map(|line| line.json(position)).collect();
        Ok(json!({ "name": self.name, "depth": depth, "lines": lines }))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let mut process = locked(&self.process);
        let _ = say(&mut process, "quit");
        let _ = process.kill();
        let _ = process.wait();
    }
}

/// Sends a line to an engine.
fn say(process: &mut Child, line: &str) -> io::Result<()> {
    let input = process.stdin.as_mut();
    let input = input.ok_or(io::ErrorKind::BrokenPipe)?;
    writeln!(input, "{line}")?;
    input.flush()
}

impl Analysis {
    /// Takes in a line of the engine.
    fn take(&mut self, line: &str) {
        if line.starts_with("bestmove") {
            if self.stopped > 0 {
                self.stopped -= 1;
            } else {
                self.is_searching = false;
            }
        } else if self.stopped == 0
            && let Some((number, found)) = FoundLine::parse(line)
        {
            self.lines.insert(number, found);
        }
    }
}

impl FoundLine {
    /// Parses `info depth 20 multipv 1 score cp 35 pv e2e4 e7e5`.
    fn parse(line: &str) -> Option<(u64, FoundLine)> {
        let mut words = line.strip_prefix("info ")?.split_whitespace();
        let (mut number, mut depth, mut score) = (1, 0, None);
        while let Some(word) = words.next() {
            match word {
                "multipv" => number = words.next()?.parse().ok()?,
                "depth" => depth = words.next()?.parse().ok()?,
                "score" => {
                    score = match words.next()? {
                        "cp" => Some(Ok(words.next()?.parse().ok()?)),
                        "mate" => Some(Err(words.next()?.parse().ok()?)),
                        _ => return None,
                    }
                }
                "lowerbound" | "upperbound" => return None,
                "pv" => {
                    let moves = words.take(LINE).map(str::to_owned).collect();
                    let found = FoundLine {
                        depth,
                        score: score?,
                        moves,
                    };
                    return Some((number, found));
                }
                _ => {}
            }
        }
        None
    }

    /// The line with moves in SAN and the score from White's side.
    fn json(&self, position: &Position) -> Value {
        let sign = if position.white_to_move() { 1 } else { -1 };
        let mut object = json!({ "depth": self.depth, "moves": boards::played_uci(position.clone(), &self.moves) });
        match self.score {
            Ok(hundredths) => object["eval"] = json!(sign * hundredths),
            Err(moves) => object["mate"] = json!(sign * moves),
        }
        object
    }
}

/// Reads lines up to one that is `last`.
fn wait_for(
    lines: &Receiver<String>,
    last: &str,
    mut each: impl FnMut(&str),
) -> anyhow::Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        let wait = end.saturating_duration_since(Instant::now());
        match lines.recv_timeout(wait) {
            Ok(line) if line.trim() == last => return Ok(()),
            Ok(line) => each(line.trim()),
            Err(_) => bail!("the program does not answer as an engine does (UCI): no {last:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Analysis, FoundLine};

    #[test]
    fn lines_of_an_engine() {
        let text = "info depth 22 seldepth 30 multipv 2 score cp -31 nodes 5 nps 7 pv e7e5 g1f3";
        let (number, line) = FoundLine::parse(text).unwrap();
        assert_eq!((number, line.depth, line.score), (2, 22, Ok(-31)));
        assert_eq!(line.moves, ["e7e5", "g1f3"]);
        let mate = FoundLine::parse("info depth 9 score mate -3 pv a1a2").unwrap();
        assert_eq!((mate.0, mate.1.score), (1, Err(-3)));
        for other in [
            "info depth 9 currmove e2e4",
            "info string pv e2e4",
            "info depth 9 score cp 3 upperbound pv e2e4",
            "bestmove e2e4",
            "info depth x score cp 3 pv e2e4",
        ] {
            assert!(FoundLine::parse(other).is_none(), "{other}");
        }
    }

    /// Lines that come before the `bestmove` of a stopped search belong to the old position.
    #[test]
    fn lines_of_a_stopped_search_are_not_taken() {
        let mut analysis = Analysis {
            stopped: 1,
            is_searching: true,
            ..Analysis::default()
        };
        analysis.take("info depth 30 score cp 500 pv e2e4");
        assert!(analysis.lines.is_empty());
        analysis.take("bestmove e2e4 ponder e7e5");
        analysis.take("info depth 1 score cp 20 pv d2d4");
        assert_eq!(analysis.lines[&1].score, Ok(20));
        assert!(analysis.is_searching);
    }
}
