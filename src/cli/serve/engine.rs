//! A chess engine that speaks UCI (the Universal Chess Interface), started by `--engine`.
//!
//! The page asks again and again what the engine has found about one position. The engine stops
//! when nobody has asked for some seconds, and searches from the beginning when the position changes.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
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
const LINES: u64 = 3;
const LINE: usize = 12;

/// The most bytes of a line that the engine prints: of a longer one only the beginning is read. And
/// the most lines that wait in either direction.
const LONGEST: u64 = 16 << 10;
const WAITING: usize = 256;

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

/// A running engine. Nobody waits for it, whatever it does not read or print: a thread of its own
/// writes to it, and another one reads.
pub(super) struct Engine {
    name: String,
    knows_chess960: bool,
    process: Child,
    /// Takes lines for the engine.
    input: SyncSender<String>,
    analysis: Arc<Mutex<Analysis>>,
}

/// Sends lines to the engine, all or none.
///
/// # Errors
/// The engine has ended, or does not read what was sent before.
fn say(input: &SyncSender<String>, lines: String) -> io::Result<()> {
    let sent = input.try_send(lines);
    sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
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
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (sender, said) = sync_channel::<String>(WAITING);
        // Ends the program if it is no engine.
        let mut engine = Engine {
            name: String::new(),
            knows_chess960: false,
            process,
            input: sender,
            analysis: Arc::default(),
        };
        let mut input = input.context("the engine has no input")?;
        let mut write = move |lines: &str| {
            input.write_all(lines.as_bytes())?;
            input.flush()
        };
        thread::Builder::new().spawn(move || said.iter().try_for_each(|lines| write(&lines)))?;
        let mut output = BufReader::new(output.context("the engine has no output")?);
        let (sender, lines) = sync_channel(WAITING);
        thread::Builder::new().spawn(move || {
            while let Ok(Some(line)) = next_line(&mut output) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        })?;
        say(&engine.input, "uci\n".to_owned())?;
        wait_for(&lines, "uciok", Instant::now() + PATIENCE, |line| {
            if let Some(name) = line.strip_prefix("id name ") {
                name.clone_into(&mut engine.name);
            }
            engine.knows_chess960 |= line.starts_with("option name UCI_Chess960 ");
        })?;
        let (threads, memory) = (options.engine_threads, options.engine_memory);
        let mut said = format!(
            "setoption name Threads value {threads}\nsetoption name Hash value {memory}\n\
             setoption name MultiPV value {LINES}\n"
        );
        if engine.knows_chess960 {
            said += "setoption name UCI_Chess960 value true\n";
        }
        say(&engine.input, said + "isready\n")?;
        wait_for(&lines, "readyok", Instant::now() + PATIENCE, |_| {})?;
        engine.listen(lines)?;
        Ok(engine)
    }

    /// Takes in what the engine finds, and stops it when nobody asks.
    fn listen(&self, lines: Receiver<String>) -> io::Result<()> {
        let (input, analysis) = (self.input.clone(), self.analysis.clone());
        let listener = move || {
            loop {
                match lines.recv_timeout(Duration::from_millis(500)) {
                    Ok(line) => locked(&analysis).take(&line),
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                let mut analysis = locked(&analysis);
                let is_asked = analysis.asked.is_some_and(|asked| asked.elapsed() < IDLE);
                if analysis.is_searching && !is_asked && say(&input, "stop\n".to_owned()).is_ok() {
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
            let stop = if analysis.is_searching { "stop\n" } else { "" };
            let said = format!("{stop}position fen {fen}\ngo infinite\n");
            let said = say(&self.input, said);
            said.map_err(|_| format!("{} has ended, or does not answer", self.name))?;
            analysis.stopped += u32::from(analysis.is_searching);
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
        let _ = say(&self.input, "quit\n".to_owned());
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The next line that an engine prints, or its beginning; `None` at the end.
fn next_line(output: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    output.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    if line.len() as u64 == LONGEST && !line.ends_with(b"\n") {
        output.skip_until(b'\n')?;
    }
    let line = String::from_utf8_lossy(&line);
    Ok((!line.is_empty()).then(|| line.trim_end().to_owned()))
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
                "multipv" => {
                    let given = words.next()?.parse().ok();
                    number = given.filter(|given| (1..=LINES).contains(given))?;
                }
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

/// Reads lines up to one that is `last`, until `end`.
fn wait_for(
    lines: &Receiver<String>,
    last: &str,
    end: Instant,
    mut each: impl FnMut(&str),
) -> anyhow::Result<()> {
    // A program that prints line after line does not extend the time.
    loop {
        let wait = end.saturating_duration_since(Instant::now());
        if wait.is_zero() {
            break;
        }
        match lines.recv_timeout(wait) {
            Ok(line) if line.trim() == last => return Ok(()),
            Ok(line) => each(line.trim()),
            Err(_) => break,
        }
    }
    bail!("the program does not answer as an engine does (UCI): no {last:?}")
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read, repeat};
    use std::sync::mpsc::sync_channel;
    use std::time::Instant;

    use pgc_chess::Position;

    use super::{Analysis, Engine, EngineOptions, FoundLine, LONGEST, next_line, wait_for};

    /// Whatever prints without end neither fills the memory nor keeps the server from starting.
    #[test]
    fn a_program_that_is_no_engine() {
        let endless = repeat(b'x')
            .take(64 << 20)
            .chain(&b"\nid name A\n\xff\n"[..]);
        let mut output = BufReader::new(endless);
        let line = next_line(&mut output).unwrap().unwrap();
        assert_eq!(
            (line.len() as u64, line.capacity() as u64),
            (LONGEST, LONGEST)
        );
        let rest = [(); 3].map(|()| next_line(&mut output).unwrap());
        assert_eq!(
            rest.each_ref().map(Option::as_deref),
            [Some("id name A"), Some("\u{fffd}"), None]
        );

        let (sender, lines) = sync_channel(2);
        sender.send("Hello".to_owned()).unwrap();
        sender.send("uciok".to_owned()).unwrap();
        let passed = Instant::now();
        assert!(wait_for(&lines, "uciok", passed, |_| {}).is_err());
        let to_come = passed + super::PATIENCE;
        assert!(wait_for(&lines, "uciok", to_come, |_| {}).is_ok());
    }

    /// An engine that stops reading delays nobody: what it does not take is refused.
    #[cfg(unix)]
    #[test]
    fn an_engine_that_does_not_read() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        let script = "#!/bin/sh\nread line; echo id name Deaf; echo uciok\n\
                      while read line; do [ \"$line\" = isready ] && break; done\n\
                      echo readyok; exec sleep 600\n";
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        let options = EngineOptions {
            engine: Some(path),
            engine_threads: 1,
            engine_memory: 16,
        };
        let engine = Engine::start(&options).unwrap().unwrap();
        assert_eq!(engine.name(), "Deaf");
        let positions = ["e4", "d4"].map(|san| {
            let mut position = Position::initial();
            position.follow(san.as_bytes()).unwrap();
            position
        });
        // More than a pipe holds. Each question is a new position.
        let mut asked = (0..10_000).map(|n| engine.look(&positions[n % 2], ""));
        let refused = asked.find_map(Result::err);
        assert_eq!(
            refused.as_deref(),
            Some("Deaf has ended, or does not answer")
        );
    }

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
            "info depth 9 multipv 4 score cp 3 pv e2e4",
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
