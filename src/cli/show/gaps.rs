//! Says what is missing in a damaged archive.

use pgc::Gap;

use crate::show::output::{counted, grouped};

/// The most gaps of an archive that get a message each.
const TOLD: usize = 1000;

/// The message about a gap, the damage and what is missing, if `before` messages came before it; `None` if these are enough.
pub(crate) fn told(gap: &Gap, before: usize) -> Option<String> {
    match before {
        ..TOLD => Some(format!("{}; {}", gap.error(), missing(gap))),
        TOLD => Some("more places are damaged, which are not listed here".to_owned()),
        _ => None,
    }
}

/// The messages about the gaps of an archive.
pub(crate) fn lines(gaps: &[Gap]) -> impl Iterator<Item = String> {
    let gaps = gaps.iter().enumerate();
    gaps.map_while(|(before, gap)| told(gap, before))
}

/// What is missing: `missing: 1 block, 400 games (1,201 to 1,600), 262,150 bytes of masters.pgn (from
/// byte 786,432 on); bytes 31,337 to 141,336 of the archive`.
fn missing(gap: &Gap) -> String {
    let of = gap.name.as_ref().map(|name| format!(" of {name}"));
    let of = of.unwrap_or_default();
    let what = match (gap.blocks, gap.games, gap.bytes) {
        (Some(0), Some(0), Some(0)) => "no game is missing".to_owned(),
        (blocks, Some(games), Some(bytes)) => {
            let blocks = blocks.map_or_else(String::new, |n| counted(n, "block") + ", ");
            let numbers = match gap.game {
                Some(first) if games == 1 => format!(" ({})", grouped(first)),
                Some(first) if games > 0 => {
                    let last = first.saturating_add(games - 1);
                    format!(" ({} to {})", grouped(first), grouped(last))
                }
                _ => String::new(),
            };
            let from = gap.at.map(|at| format!(" (from byte {} on)", grouped(at)));
            let from = from.unwrap_or_default();
            let (games, bytes) = (counted(games, "game"), counted(bytes, "byte"));
            format!("missing: {blocks}{games}{numbers}, {bytes}{of}{from}")
        }
        (Some(blocks @ 1..), ..) => {
            let blocks = counted(blocks, "block");
            format!("missing: {blocks}{of}, with an unknown number of games")
        }
        _ => match &gap.name {
            Some(name) => format!("missing: an unknown part of {name}"),
            None => "missing: an unknown part of the archive".to_owned(),
        },
    };
    if gap.end == gap.begin {
        return what;
    }
    let (first, last) = (grouped(gap.begin), grouped(gap.end - 1));
    format!("{what}; bytes {first} to {last} of the archive")
}
