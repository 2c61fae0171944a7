//! A folder of its own for a test, the program run in it, and what the program does most often done
//! by the library, in this process.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use pgc::indexing::Indexing;
use pgc::pack::pack_indexed;
use pgc::parts::{BuildOptions, IndexOptions};
use pgc::{Answer, Archive, NoHooks, PackOptions, Query, SegmentForm, TestDepth, test};
use tempfile::TempDir;

use super::unpacked_with;

pub(crate) struct Dir(TempDir);

impl Dir {
    pub(crate) fn new() -> Dir {
        Dir(tempfile::tempdir().unwrap())
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}; there is {:?}", self.names()))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("pgc"));
        command
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::new(args, self.command(args).output().unwrap())
    }

    pub(crate) fn feed(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Ran::new(args, output)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Does what `pgc pack -q -f FILE` does with a file that ends in .pgn or .epd.
    pub(crate) fn pack(&self, file: &str) {
        let (stem, _) = file.rsplit_once('.').unwrap();
        self.pack_into(&[file], &format!("{stem}.pgc"));
    }

    /// Does what `pgc pack -q -f FILE… -o ARCHIVE` does with such files, also in the small form.
    pub(crate) fn pack_into(&self, files: &[&str], archive: &str) {
        let form = match archive.ends_with(".pgcz") {
            true => SegmentForm::Small,
            false => SegmentForm::Plain,
        };
        let options = PackOptions {
            threads: 1,
            form,
            ..PackOptions::default()
        };
        let mut indexing = Indexing::new(self.build());
        let mut out = Vec::new();
        for file in files {
            let source = self.read(file);
            let name = Path::new(file).file_name().unwrap().to_str().unwrap();
            let indexing = Some(&mut indexing);
            pack_indexed(
                &mut &*source,
                name,
                &mut out,
                &options,
                &mut NoHooks,
                indexing,
            )
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        }
        self.put(archive, out);
        let mut index = Vec::new();
        indexing.finish(&mut index).unwrap();
        self.put(&format!("{archive}i"), index);
    }

    /// The index that `pgc index -q ARCHIVE` makes.
    pub(crate) fn index_of(&self, archive: &str) -> Vec<u8> {
        let (mut bytes, mut index) = (Cursor::new(self.read(archive)), Vec::new());
        let options = IndexOptions::new(self.build(), 1);
        pgc::index(&mut bytes, &mut index, &options, &mut NoHooks)
            .unwrap_or_else(|error| panic!("{archive}: {error}"));
        index
    }

    /// Asserts that the index beside an archive is the one that `pgc index` makes.
    #[track_caller]
    pub(crate) fn assert_index(&self, archive: &str) {
        let (index, made) = (self.read(&format!("{archive}i")), self.index_of(archive));
        assert!(
            index == made,
            "{archive}: {} and {} bytes",
            index.len(),
            made.len()
        );
    }

    fn build(&self) -> BuildOptions {
        BuildOptions {
            memory: 32 << 20,
            temp_dir: self.path().to_owned(),
            lines: true,
        }
    }

    /// Asserts what `pgc test -q --deep ARCHIVE` does, but for the index.
    pub(crate) fn test(&self, archive: &str) {
        let tested = test(
            &mut &*self.read(archive),
            &TestDepth::Deep.into(),
            &mut NoHooks,
        );
        tested.unwrap_or_else(|error| panic!("{archive}: {error}"));
    }

    pub(crate) fn open(&self, archive: &str) -> Archive {
        let opened = Archive::open(self.path().join(archive));
        opened.unwrap_or_else(|error| panic!("{archive}: {error}"))
    }

    /// The numbers of the games, from 1, that the options of `pgc find` ask for.
    pub(crate) fn found(&self, archive: &str, asked: &[&str]) -> Vec<u64> {
        answer(&self.open(archive), asked).numbers().collect()
    }

    /// The texts of all sources of an archive, one after another.
    pub(crate) fn unpacked(&self, archive: &str) -> Vec<u8> {
        let (sink, _) = unpacked_with(&self.read(archive), 1).unwrap();
        sink.sources
            .into_iter()
            .flat_map(|source| source.1)
            .collect()
    }

    pub(crate) fn unpacked_text(&self, archive: &str) -> String {
        String::from_utf8(self.unpacked(archive)).unwrap()
    }
}

/// What the library answers to the options of `pgc find`.
pub(crate) fn answer(archive: &Archive, asked: &[&str]) -> Answer {
    let quoted: Vec<String> = asked
        .iter()
        .map(|word| match word.contains('\'') {
            true => format!("\"{word}\""),
            false => format!("'{word}'"),
        })
        .collect();
    let query = Query::parse(&quoted.join(" ")).unwrap_or_else(|e| panic!("{asked:?}: {e}"));
    archive.find(&query, 1).unwrap()
}

pub(crate) struct Ran {
    args: String,
    pub(crate) output: Output,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn new(args: &[&str], output: Output) -> Ran {
        let stderr = String::from_utf8(output.stderr.clone()).unwrap();
        Ran {
            args: args.join(" "),
            output,
            stderr,
        }
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Ran {
        assert_eq!(
            self.output.status.code(),
            Some(code),
            "pgc {}\n{}",
            self.args,
            self.stderr
        );
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Ran {
        assert!(
            self.stderr.contains(text),
            "pgc {}\nexpected: {text}\nstderr: {}",
            self.args,
            self.stderr
        );
        self
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.output.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", self.stdout()))
    }
}
