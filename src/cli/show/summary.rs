//! Summaries of a run, as text and as JSON.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Instant;

use pgc::{SourceInfo, Summary};
use pgc_block::breakdown::add_count;
use serde_json::{Value, json};

use crate::args::options::WorkOptions;
use crate::files::indexed;
use crate::show::output::{counted, counted_as, grouped, hex, note_lines, percent, print_json};

/// The totals of a run over any number of sources.
pub(crate) struct RunTotals {
    pub(crate) sum: Summary,
    pub(crate) sources: u64,
    /// What the lines say of findings that nothing lists.
    pub(crate) hint: &'static str,
    started: Instant,
}

impl RunTotals {
    pub(crate) fn new() -> RunTotals {
        RunTotals {
            sum: Summary::default(),
            sources: 0,
            hint: "",
            started: Instant::now(),
        }
    }

    pub(crate) fn add(&mut self, summary: &Summary) {
        add(&mut self.sum, summary);
        self.sources += 1;
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// The lines of the summary of `pack`.
    pub(crate) fn lines(&self, output: &str) -> Vec<String> {
        let sum = &self.sum;
        let mut first = format!("{output}: {}, {}", games(sum), counted(sum.plies, "ply"));
        if self.sources != 1 {
            first += &format!(", {}", counted(self.sources, "source"));
        }
        let (read, written) = (grouped(sum.bytes_in), grouped(sum.bytes_out));
        let share = percent(sum.bytes_out, sum.bytes_in);
        let speed = speed(sum.bytes_in, self.seconds());
        let second = format!("  {read} -> {written} bytes ({share}), {speed}");
        let mut lines = vec![first, second];
        if sum.stray_regions > 0 {
            let regions = counted(sum.stray_regions, "region");
            let bytes = counted(sum.stray_bytes, "byte");
            lines.push(format!("  text outside games: {regions}, {bytes}"));
        }
        if sum.rav_text > 0 {
            let variations = counted(sum.rav_text, "variation");
            lines.push(format!("  kept as text: {variations}"));
        }
        if sum.repairs > 0 {
            let one = "place breaks the PGN standard but was understood";
            let many = "places break the PGN standard but were understood";
            let places = counted_as(sum.repairs, one, many);
            lines.push(format!("  {places}{}", self.hint));
        }
        if 2 * sum.whole < sum.games {
            let what = "most games are not understood: are pieces named in another language?";
            lines.push(format!("  {what} (--pieces de reads German)"));
        }
        if !sum.losses.is_empty() {
            let losses = sum.losses.iter();
            let losses = losses.map(|(loss, n)| format!("{} {}", loss.name(), grouped(*n)));
            let losses: Vec<String> = losses.collect();
            lines.push(format!("  dropped: {}", losses.join(", ")));
        }
        lines
    }

    /// The summary as a JSON object.
    pub(crate) fn json(&self, output: Option<&str>, complete: bool) -> Value {
        let sum = &self.sum;
        let losses = sum.losses.iter().map(|(loss, count)| (loss.name(), count));
        let mut json = json!({
            "output": output,
            "complete": complete,
            "sources": self.sources,
            "stray_regions": sum.stray_regions,
            "stray_bytes": sum.stray_bytes,
            "repairs": sum.repairs,
            "rav_text": sum.rav_text,
            "bytes_in": sum.bytes_in,
            "bytes_out": sum.bytes_out,
            "losses": losses.collect::<BTreeMap<_, _>>(),
            "seconds": self.seconds(),
        });
        put_games(&mut json, sum);
        json
    }
}

fn add(sum: &mut Summary, summary: &Summary) {
    let pairs = [
        (&mut sum.games, summary.games),
        (&mut sum.whole, summary.whole),
        (&mut sum.text_tail, summary.text_tail),
        (&mut sum.text_only, summary.text_only),
        (&mut sum.plies, summary.plies),
        (&mut sum.stray_regions, summary.stray_regions),
        (&mut sum.stray_bytes, summary.stray_bytes),
        (&mut sum.repairs, summary.repairs),
        (&mut sum.rav_text, summary.rav_text),
        (&mut sum.bytes_in, summary.bytes_in),
        (&mut sum.bytes_out, summary.bytes_out),
    ];
    for (sum, more) in pairs {
        // Counts from the tail of an archive may be forged and overflow.
        *sum = sum.saturating_add(more);
    }
    for (loss, count) in &summary.losses {
        add_count(&mut sum.losses, *loss, *count);
    }
}

/// The totals of an archive's sources, as its tails give them.
pub(crate) fn total(sources: &[SourceInfo]) -> Summary {
    let mut sum = Summary::default();
    for source in sources {
        add(&mut sum, &source.sum);
    }
    sum
}

/// What is missing in all: `267 of 39,267 games and 262,150 of 24,604,734 bytes are missing`. If
/// the totals are unknown, the known numbers of the gaps are added up: `at least 13 games ...`.
pub(crate) fn missing(sources: &[SourceInfo], gaps: &[Value]) -> String {
    let sum = total(sources);
    let (games, bytes) = (counted(sum.games, "game"), counted(sum.bytes_in, "byte"));
    let mut damage = sources.iter().filter_map(|source| source.damage);
    let lost = damage.try_fold((0_u64, 0_u64), |(games, bytes), damage| {
        let games = games.saturating_add(damage.games?);
        Some((games, bytes.saturating_add(damage.bytes?)))
    });
    if let Some((lost, lost_bytes)) = lost.filter(|_| !sources.is_empty()) {
        let [lost, lost_bytes] = [lost, lost_bytes].map(grouped);
        return format!("{lost} of {games} and {lost_bytes} of {bytes} are missing");
    }
    let known = |field: &str| gaps.iter().filter_map(|gap| gap[field].as_u64()).sum();
    let [lost, lost_bytes] = [("games", "game"), ("source_bytes", "byte")]
        .map(|(field, unit)| counted(known(field), unit));
    let lost = format!("at least {lost} and {lost_bytes} are missing");
    match sum.games {
        0 => format!("nothing is whole; {lost}"),
        _ => format!("{games} and {bytes} are whole; {lost}"),
    }
}

/// A source as a JSON object.
pub(crate) fn source_json(source: &SourceInfo) -> Value {
    let mut json = json!({
        "name": source.name,
        "kind": source.text.name(),
        "form": if source.small { "small" } else { "plain" },
        "blocks": source.blocks,
        "bytes": source.sum.bytes_in,
        "archive_bytes": source.sum.bytes_out,
        "blake3": source.digest.map(|digest| hex(&digest)),
        "sha256": source.sha256.map(|digest| hex(&digest)),
    });
    if let Some(encoding) = source.encoding {
        json["encoding"] = encoding.name().into();
    }
    if let Some(letters) = source.text.letters() {
        json["pieces"] = letters.code.into();
        json["language"] = letters.language.into();
    }
    if let Some(damage) = source.damage {
        json["missing"] = json!(damage);
    }
    put_games(&mut json, &source.sum);
    json
}

/// Adds the counts of games and plies to a JSON object.
pub(crate) fn put_games(json: &mut Value, sum: &Summary) {
    json["games"] = sum.games.into();
    json["understood"] = sum.whole.into();
    json["partly_understood"] = sum.text_tail.into();
    json["kept_as_text"] = sum.text_only.into();
    json["plies"] = sum.plies.into();
}

/// Prints the summary at the end of a run, as JSON or as lines. `index` is the path of the index,
/// its length, and its number of games.
pub(crate) fn tell(
    work: &WorkOptions,
    mut json: Value,
    lines: &[String],
    index: Option<(&Path, u64, u64)>,
) -> io::Result<()> {
    if work.json {
        if let Some((place, bytes, _)) = index {
            json["index"] = json!({ "path": place.display().to_string(), "bytes": bytes });
        }
        return print_json(&json);
    }
    if !work.run.quiet {
        note_lines(lines);
        if let Some((place, bytes, games)) = index {
            note_line!("  {}", indexed::line(place, bytes, games));
        }
    }
    Ok(())
}

/// `12 games (11 understood, 1 partly understood, 0 kept as text)`.
pub(crate) fn games(sum: &Summary) -> String {
    let games = counted(sum.games, "game");
    if sum.whole == sum.games && sum.games > 0 {
        return format!("{games} (all understood)");
    }
    let [whole, partly, text] = [sum.whole, sum.text_tail, sum.text_only].map(grouped);
    format!("{games} ({whole} understood, {partly} partly understood, {text} kept as text)")
}

/// `0.5 s, 12.0 MB/s`.
pub(crate) fn speed(bytes: u64, seconds: f64) -> String {
    let rate = bytes as f64 / 1e6 / seconds.max(1e-6);
    format!("{seconds:.1} s, {rate:.1} MB/s")
}

#[cfg(test)]
mod tests {
    use pgc::{Loss, Summary};

    use super::RunTotals;

    #[test]
    fn sums_and_lines() {
        let mut one = Summary::default();
        (one.games, one.plies) = (5, 1000);
        (one.whole, one.text_tail, one.text_only) = (3, 1, 1);
        (one.bytes_in, one.bytes_out) = (4000, 1000);
        one.losses = vec![(Loss::Nag, 2)];
        let mut totals = RunTotals::new();
        totals.add(&one);
        totals.add(&one);
        let lines = totals.lines("x.pgc");
        assert_eq!(
            lines[0],
            "x.pgc: 10 games (6 understood, 2 partly understood, 2 kept as text), 2,000 plies, 2 sources"
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
            (&10.into(), &4.into())
        );
    }
}
