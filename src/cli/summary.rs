//! What a run did, for people and for programs.

use std::time::Instant;

use pgc::Summary;
use serde_json::{Map, Value, json};

use super::output::{counted, grouped, percent};

/// A run over any number of sources.
pub(super) struct Totals {
    pub(super) sum: Summary,
    pub(super) sources: u64,
    started: Instant,
}

impl Totals {
    pub(super) fn new() -> Totals {
        Totals {
            sum: Summary::default(),
            sources: 0,
            started: Instant::now(),
        }
    }

    pub(super) fn add(&mut self, summary: &Summary) {
        let Summary {
            games,
            whole,
            text_tail,
            text_only,
            plies,
            stray_regions,
            stray_bytes,
            repairs,
            rav_text,
            bytes_in,
            bytes_out,
            losses,
        } = summary;
        let sum = &mut self.sum;
        sum.games += games;
        sum.whole += whole;
        sum.text_tail += text_tail;
        sum.text_only += text_only;
        sum.plies += plies;
        sum.stray_regions += stray_regions;
        sum.stray_bytes += stray_bytes;
        sum.repairs += repairs;
        sum.rav_text += rav_text;
        sum.bytes_in += bytes_in;
        sum.bytes_out += bytes_out;
        for (loss, count) in losses {
            match sum.losses.iter_mut().find(|(known, _)| known == loss) {
                Some((_, total)) => *total += count,
                None => sum.losses.push((*loss, *count)),
            }
        }
        self.sources += 1;
    }

    pub(super) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// The lines of the summary of `pack`.
    pub(super) fn lines(&self, output: &str) -> Vec<String> {
        let sum = &self.sum;
        let mut lines = vec![format!(
            "{output}: {}, {}",
            games(sum.games, sum.whole, sum.text_tail, sum.text_only),
            counted(sum.plies, "ply", "plies")
        )];
        if self.sources != 1 {
            lines[0] += &format!(", {}", counted(self.sources, "source", "sources"));
        }
        lines.push(format!(
            "  {} -> {} bytes ({}), {}",
            grouped(sum.bytes_in),
            grouped(sum.bytes_out),
            percent(sum.bytes_out, sum.bytes_in),
            speed(sum.bytes_in, self.seconds())
        ));
        if sum.stray_regions > 0 {
            lines.push(format!(
                "  text outside games: {}, {}",
                counted(sum.stray_regions, "region", "regions"),
                counted(sum.stray_bytes, "byte", "bytes")
            ));
        }
        if sum.rav_text > 0 {
            lines.push(format!(
                "  kept as text: {}",
                counted(sum.rav_text, "variation", "variations")
            ));
        }
        if sum.repairs > 0 {
            lines.push(format!(
                "  understood though irregular: {}",
                counted(sum.repairs, "place", "places")
            ));
        }
        if !sum.losses.is_empty() {
            let losses: Vec<String> = sum
                .losses
                .iter()
                .map(|(loss, count)| format!("{} {}", loss.name(), grouped(*count)))
                .collect();
            lines.push(format!("  dropped: {}", losses.join(", ")));
        }
        lines
    }

    /// The same as an object.
    pub(super) fn json(&self, output: Option<&str>, complete: bool) -> Value {
        let sum = &self.sum;
        let losses: Map<String, Value> = sum
            .losses
            .iter()
            .map(|(loss, count)| (loss.name().to_owned(), json!(count)))
            .collect();
        json!({
            "output": output,
            "complete": complete,
            "sources": self.sources,
            "games": sum.games,
            "whole": sum.whole,
            "text_tail": sum.text_tail,
            "text_only": sum.text_only,
            "plies": sum.plies,
            "stray_regions": sum.stray_regions,
            "stray_bytes": sum.stray_bytes,
            "repairs": sum.repairs,
            "rav_text": sum.rav_text,
            "bytes_in": sum.bytes_in,
            "bytes_out": sum.bytes_out,
            "losses": losses,
            "seconds": self.seconds(),
        })
    }
}

/// `12 games (11 whole, 1 with a text tail, 0 text only)`.
pub(super) fn games(games: u64, whole: u64, text_tail: u64, text_only: u64) -> String {
    format!(
        "{} ({} whole, {} with a text tail, {} text only)",
        counted(games, "game", "games"),
        grouped(whole),
        grouped(text_tail),
        grouped(text_only)
    )
}

/// `0.5 s, 12.0 MB/s`.
pub(super) fn speed(bytes: u64, seconds: f64) -> String {
    format!(
        "{seconds:.1} s, {:.1} MB/s",
        bytes as f64 / 1e6 / seconds.max(1e-6)
    )
}

#[cfg(test)]
mod tests {
    use pgc::{Loss, Summary};

    use super::Totals;

    #[test]
    fn sums_and_lines() {
        let one = Summary {
            games: 3,
            whole: 1,
            text_tail: 1,
            text_only: 1,
            plies: 1000,
            bytes_in: 4000,
            bytes_out: 1000,
            losses: vec![(Loss::Nag, 2)],
            ..Summary::default()
        };
        let mut totals = Totals::new();
        totals.add(&one);
        totals.add(&one);
        let lines = totals.lines("x.pgc");
        assert_eq!(
            lines[0],
            "x.pgc: 6 games (2 whole, 2 with a text tail, 2 text only), 2,000 plies, 2 sources"
        );
        assert!(
            lines[1].starts_with("  8,000 -> 2,000 bytes (25.0 %), "),
            "{}",
            lines[1]
        );
        assert_eq!(lines[2], "  dropped: nag 4");
        let json = totals.json(Some("x.pgc"), true);
        assert_eq!(
            (&json["games"], &json["losses"]["nag"]),
            (&6.into(), &4.into())
        );
    }
}
