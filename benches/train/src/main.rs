//! Trains and measures the move model of spec/moves.md; README.md says how.

mod data;
mod evaluate;
mod features;
mod games;
mod measure;
mod tables;
mod train;
mod vectors;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

const HELP: &str = "\
pgc-train prepare [--every N] OUT TEXT[.zst]...   packs the plies of training games into OUT
pgc-train train [OPTIONS] PACKED TABLES           trains on them and writes the tables
    --passes N --seed N --batch N --step X --round-from X --times N,N,... (of each text)
pgc-train measure [--each] TABLES PATH...         bits a ply of PGN files and folders of them
pgc-train vectors TABLES OUT                      writes the test vectors
pgc-train digest TABLES                           its BLAKE3";

/// The arguments that are left, and options taken out of them.
struct Args(Vec<String>);

impl Args {
    fn flag(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|arg| arg == name);
        at.map(|at| self.0.remove(at)).is_some()
    }

    fn option<T: std::str::FromStr>(&mut self, name: &str, default: T) -> Result<T> {
        let Some(at) = self.0.iter().position(|arg| arg == name) else {
            return Ok(default);
        };
        self.0.remove(at);
        if at == self.0.len() {
            bail!("{name} wants a value");
        }
        let value = self.0.remove(at);
        value
            .parse()
            .ok()
            .with_context(|| format!("{name} {value}?"))
    }
}

fn main() -> Result<()> {
    let mut args = Args(std::env::args().skip(1).collect());
    if args.0.is_empty() {
        bail!(HELP);
    }
    let command = args.0.remove(0);
    match command.as_str() {
        "prepare" => {
            let every = args.option("--every", 1)?;
            let [out, texts @ ..] = &args.0[..] else {
                bail!(HELP);
            };
            let texts: Result<Vec<String>> = texts
                .iter()
                .map(|text| games::read_text(text.as_ref()))
                .collect();
            let plies = data::prepare(&texts?, every, out.as_ref())?;
            println!("{plies} plies");
        }
        "train" => {
            let options = train::Options {
                passes: args.option("--passes", 6)?,
                seed: args.option("--seed", 1)?,
                batch: args.option("--batch", 1024)?,
                step: args.option("--step", 0.002)?,
                round_from: args.option("--round-from", 0.8)?,
                momentum: args.option("--momentum", 0.9)?,
                squares: args.option("--squares", 0.999)?,
            };
            let times: String = args.option("--times", String::new())?;
            let times: Vec<usize> = times
                .split(',')
                .filter_map(|number| number.parse().ok())
                .collect();
            let [packed, out] = &args.0[..] else {
                bail!(HELP);
            };
            let plies = data::Plies::load(packed.as_ref(), &times)?;
            eprintln!(
                "{} plies to train on, {} held out",
                plies.train.len(),
                plies.held_out.len()
            );
            let tables = train::train(&plies, &options);
            std::fs::write(out, tables.to_bytes())?;
        }
        "measure" => {
            let each = args.flag("--each");
            let [tables, paths @ ..] = &args.0[..] else {
                bail!(HELP);
            };
            let tables = tables::Tables::read(tables.as_ref())?;
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            measure::measure_all(&tables, &paths, each)?;
        }
        "vectors" => {
            let [tables, out] = &args.0[..] else {
                bail!(HELP);
            };
            let tables = tables::Tables::read(tables.as_ref())?;
            std::fs::write(out, vectors::vectors(&tables)?)?;
        }
        "digest" => {
            let [tables] = &args.0[..] else { bail!(HELP) };
            println!("{}", blake3::hash(&std::fs::read(tables)?));
        }
        _ => bail!(HELP),
    }
    Ok(())
}
