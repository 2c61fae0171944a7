//! What the commands print, as text and as JSON, compared with a session kept in a file: each line
//! `$ pgc ...` is run, and what it prints must be what follows there. `PGC_SNAPSHOTS=write` writes
//! the file again, for a change that is meant.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The time that a run took is another each time.
fn without_times(text: &str) -> String {
    let number = |word: &str| word.parse::<f64>().is_ok() && word.contains('.');
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let word = |(at, word): (usize, &&str)| {
            let unit = words.get(at + 1).map(|unit| unit.trim_end_matches(','));
            match unit {
                Some("s" | "MB/s") if number(word) => "T".to_owned(),
                _ => (*word).to_owned(),
            }
        };
        let line = words.iter().enumerate().map(word).collect::<Vec<_>>();
        line.join(" ")
    };
    let text = text.split('\n').map(line).collect::<Vec<_>>().join("\n");
    let mut parts = text.split("\"seconds\":");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || ".e-".contains(c));
        out += &format!("\"seconds\":T{rest}");
    }
    out
}

#[test]
fn a_session_prints_what_it_printed() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let kept = fs::read_to_string(data.join("snapshots.txt")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["sample.pgn", "messy.pgn", "latin1.pgn"] {
        fs::copy(data.join(name), folder.path().join(name)).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_pgc")).parent().unwrap();
    let mut now = String::new();
    for line in kept.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let ran = Command::new("sh")
            .args(["-c", &format!("PATH={}:$PATH; {line}", program.display())])
            .env("COLUMNS", "100")
            .current_dir(folder.path())
            .output()
            .unwrap();
        let (out, err) = (
            String::from_utf8_lossy(&ran.stdout),
            String::from_utf8_lossy(&ran.stderr),
        );
        let code = ran.status.code().unwrap();
        now += &without_times(&format!("$ {line}\n{out}{err}[{code}]\n\n"));
    }
    if std::env::var("PGC_SNAPSHOTS").is_ok_and(|how| how == "write") {
        fs::write(data.join("snapshots.txt"), now).unwrap();
        return;
    }
    let sessions = |text: &str| -> Vec<String> { text.split("\n$ ").map(str::to_owned).collect() };
    for (now, kept) in sessions(&now).iter().zip(&sessions(&kept)) {
        assert!(now == kept, "now:\n$ {now}\nbefore:\n$ {kept}");
    }
    assert_eq!(now, kept);
}
