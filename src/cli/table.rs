//! Lays out a table to fit the terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::output::printable;

/// Blanks between two columns.
const GAP: usize = 2;

/// The width that a table may have: that of the terminal, unlimited elsewhere.
pub(super) fn width(terminal: bool) -> usize {
    let size = terminal.then(terminal_size::terminal_size).flatten();
    size.map_or(usize::MAX, |(width, _)| usize::from(width.0))
}

/// The title of a column, and how the column adapts to a narrow table.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnHead {
    pub(super) title: &'static str,
    /// Aligned to the right, as numbers are.
    pub(super) right: bool,
    /// The least width that the column may shrink to; `None`: it does not shrink.
    pub(super) least: Option<usize>,
    /// In a narrow table the column with the highest number is dropped first; 0 is never dropped.
    pub(super) leaves: u8,
}

impl ColumnHead {
    /// A column of text that neither shrinks nor leaves.
    pub(super) const fn new(title: &'static str) -> ColumnHead {
        ColumnHead {
            title,
            right: false,
            least: None,
            leaves: 0,
        }
    }

    /// Aligns the column to the right, as numbers are.
    pub(super) const fn right(mut self) -> ColumnHead {
        self.right = true;
        self
    }

    /// Lets a narrow table shrink the column to `least` cells, and drop it.
    pub(super) const fn yields(mut self, least: Option<usize>, leaves: u8) -> ColumnHead {
        self.least = least;
        self.leaves = leaves;
        self
    }
}

/// The title of a column of numbers; `leaves` as in [`ColumnHead`].
pub(super) const fn head(title: &'static str, leaves: u8) -> ColumnHead {
    ColumnHead::new(title).right().yields(None, leaves)
}

/// The lines of a table, headings first, at most `width` wide if that is possible. Each row has a
/// cell for each heading.
pub(super) fn lines(heads: &[ColumnHead], rows: &[Vec<String>], width: usize) -> Vec<String> {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| printable(cell)).collect())
        .collect();
    let natural: Vec<usize> = heads
        .iter()
        .enumerate()
        .map(|(i, head)| {
            rows.iter()
                .map(|row| row[i].width())
                .chain([head.title.width()])
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut shown: Vec<usize> = (0..heads.len()).collect();
    let widths = loop {
        let widths = fit(heads, &natural, &shown, width);
        if total(&widths) <= width {
            break widths;
        }
        let Some((place, _)) = shown
            .iter()
            .enumerate()
            .filter(|(_, i)| heads[**i].leaves > 0)
            .max_by_key(|(_, i)| heads[**i].leaves)
        else {
            break widths;
        };
        shown.remove(place);
    };
    let titles: Vec<String> = heads.iter().map(|head| head.title.to_owned()).collect();
    std::iter::once(&titles)
        .chain(&rows)
        .map(|row| {
            let mut line = String::new();
            for (place, (&i, &width)) in shown.iter().zip(&widths).enumerate() {
                if place > 0 {
                    line.push_str("  ");
                }
                put(&mut line, &row[i], width, heads[i].right);
            }
            line.truncate(line.trim_end().len());
            line
        })
        .collect()
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// The widths of the shown columns. While the table is too wide, the widest column that can shrink
/// shrinks by one.
fn fit(heads: &[ColumnHead], natural: &[usize], shown: &[usize], width: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = shown.iter().map(|&i| natural[i]).collect();
    let mut over = total(&widths).saturating_sub(width);
    while over > 0 {
        let least = |place: usize| heads[shown[place]].least.unwrap_or(usize::MAX);
        let Some(widest) = (0..widths.len())
            .filter(|&p| widths[p] > least(p))
            .max_by_key(|&p| widths[p])
        else {
            break;
        };
        widths[widest] -= 1;
        over -= 1;
    }
    widths
}

/// Appends a cell, padded to the width or cut with an ellipsis.
fn put(line: &mut String, cell: &str, width: usize, right: bool) {
    let own = cell.width();
    let blanks = " ".repeat(width.saturating_sub(own));
    if own <= width {
        if right {
            line.push_str(&blanks);
        }
        line.push_str(cell);
        if !right {
            line.push_str(&blanks);
        }
        return;
    }
    let mut room = width.saturating_sub(1);
    for c in cell.chars() {
        let wide = c.width().unwrap_or(0);
        if wide > room {
            break;
        }
        room -= wide;
        line.push(c);
    }
    line.push('\u{2026}');
    line.push_str(&" ".repeat(room));
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
