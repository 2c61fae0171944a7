//! Lays out a table to fit the terminal.

use std::iter::once;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::show::output::printable;

/// Blanks between two columns.
const GAP: &str = "  ";

/// The width that a table may have: that of the terminal, unlimited elsewhere.
pub(crate) fn width(terminal: bool) -> usize {
    let size = terminal.then(terminal_size::terminal_size).flatten();
    size.map_or(usize::MAX, |(width, _)| usize::from(width.0))
}

/// The title of a column, and how the column adapts to a narrow table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnHead {
    pub(crate) title: &'static str,
    /// Aligned to the right, as numbers are.
    pub(crate) right: bool,
    /// The least width that the column may shrink to; `None`: it does not shrink.
    pub(crate) least: Option<usize>,
    /// In a narrow table the column with the highest number is dropped first; 0 is never dropped.
    pub(crate) leaves: u8,
}

impl ColumnHead {
    /// A column of text that neither shrinks nor leaves.
    pub(crate) const fn new(title: &'static str) -> ColumnHead {
        ColumnHead {
            title,
            right: false,
            least: None,
            leaves: 0,
        }
    }

    /// Aligns the column to the right, as numbers are.
    pub(crate) const fn right(mut self) -> ColumnHead {
        self.right = true;
        self
    }

    /// Lets a narrow table shrink the column to `least` cells, and drop it.
    pub(crate) const fn yields(mut self, least: Option<usize>, leaves: u8) -> ColumnHead {
        self.least = least;
        self.leaves = leaves;
        self
    }
}

/// The title of a column of numbers; `leaves` as in [`ColumnHead`].
pub(crate) const fn head(title: &'static str, leaves: u8) -> ColumnHead {
    ColumnHead::new(title).right().yields(None, leaves)
}

/// The lines of a table, headings first, at most `width` wide if that is possible. Each row has a
/// cell for each heading, or for the first of them.
pub(crate) fn lines(heads: &[ColumnHead], rows: &[Vec<String>], width: usize) -> Vec<String> {
    let titles = heads.iter().map(|head| head.title.to_owned()).collect();
    let cells = |row: &Vec<String>| {
        let cells = (0..heads.len()).map(|i| row.get(i).map_or("", String::as_str));
        cells.map(printable).collect()
    };
    let rows: Vec<Vec<String>> = once(titles).chain(rows.iter().map(cells)).collect();
    let natural = |i: usize| rows.iter().map(|row| row[i].width()).max().unwrap_or(0);
    let natural: Vec<usize> = (0..heads.len()).map(natural).collect();
    let mut shown: Vec<usize> = (0..heads.len()).collect();
    let widths = loop {
        let widths = fit(heads, &natural, &shown, width);
        let leaves = |place: &usize| heads[shown[*place]].leaves;
        let can_leave = (0..shown.len()).filter(|place| leaves(place) > 0);
        match can_leave.max_by_key(leaves) {
            Some(place) if total(&widths) > width => shown.remove(place),
            _ => break widths,
        };
    };
    let line = |row: &Vec<String>| {
        let cells = shown.iter().zip(&widths);
        let cells = cells.map(|(&i, &width)| padded(&row[i], width, heads[i].right));
        let cells: Vec<String> = cells.collect();
        cells.join(GAP).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

/// The widths of the shown columns. While the table is too wide, the widest column that can shrink
/// shrinks by one.
fn fit(heads: &[ColumnHead], natural: &[usize], shown: &[usize], width: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = shown.iter().map(|&i| natural[i]).collect();
    while total(&widths) > width {
        let least = |place: usize| heads[shown[place]].least.unwrap_or(usize::MAX);
        let can_shrink = (0..widths.len()).filter(|&place| widths[place] > least(place));
        let Some(widest) = can_shrink.max_by_key(|&place| widths[place]) else {
            break;
        };
        widths[widest] -= 1;
    }
    widths
}

/// A cell, padded to the width or cut.
fn padded(cell: &str, width: usize, right: bool) -> String {
    let cell = cut(cell, width);
    let blanks = " ".repeat(width.saturating_sub(cell.width()));
    if right {
        blanks + &cell
    } else {
        cell + &blanks
    }
}

/// The beginning of a text, with an ellipsis if it does not fit.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= width
    };
    text.chars().take_while(fits).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use super::{ColumnHead, lines};

    fn heads() -> [ColumnHead; 3] {
        let head = |title, right, least, leaves| ColumnHead {
            title,
            right,
            least,
            leaves,
        };
        [
            head("game", true, None, 0),
            head("white", false, Some(4), 0),
            head("event", false, Some(4), 1),
        ]
    }

    fn table(width: usize) -> Vec<String> {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        lines(
            &heads(),
            &[
                row(["1", "Tal", "Riga"]),
                row(["12", "Nimzowitsch", "Karlovy Vary 1929"]),
            ],
            width,
        )
    }

    #[test]
    fn fits_the_width() {
        assert_eq!(
            table(80),
            [
                "game  white        event",
                "   1  Tal          Riga",
                "  12  Nimzowitsch  Karlovy Vary 1929"
            ]
        );
        assert_eq!(
            table(30),
            [
                "game  white        event",
                "   1  Tal          Riga",
                "  12  Nimzowitsch  Karlovy Va\u{2026}"
            ]
        );
        assert_eq!(
            table(16),
            [
                "game  whi\u{2026}  eve\u{2026}",
                "   1  Tal   Riga",
                "  12  Nim\u{2026}  Kar\u{2026}"
            ]
        );
        assert_eq!(
            table(12),
            ["game  white", "   1  Tal", "  12  Nimzo\u{2026}"]
        );
        assert_eq!(
            table(3),
            ["game  whi\u{2026}", "   1  Tal", "  12  Nim\u{2026}"]
        );
    }

    #[test]
    fn odd_values() {
        let row = ["1", "a\x1b[31m\n", "\u{68cb}\u{8056}\u{6226}"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(
            lines(&heads(), std::slice::from_ref(&row), 80)[1],
            "   1  a\\x1b[31m\\n  \u{68cb}\u{8056}\u{6226}"
        );
        assert_eq!(
            lines(&heads(), &[row], 24)[1],
            "   1  a\\x1b[31m\u{2026}  \u{68cb}\u{8056}\u{6226}"
        );
    }
}
