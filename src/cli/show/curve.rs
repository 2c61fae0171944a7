//! Draws a curve over time in characters, with dots of Braille.

/// Rows of characters.
const ROWS: usize = 10;

/// The dots of a Braille character: two columns and four rows.
const ACROSS: usize = 2;
const DOWN: usize = 4;

/// The bits of a character's dots, row by row.
const DOTS: [[u32; ACROSS]; DOWN] = [[1, 8], [2, 16], [4, 32], [64, 128]];

/// The lines of a curve through points (months since year 0, value) in ascending order of months:
/// at most `width` characters wide, with the least and the greatest value and some years. No lines
/// if all points are in one month, or the width is too small.
pub(crate) fn lines(points: &[(u32, u64)], width: usize) -> Vec<String> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let least = points.iter().map(|point| point.1).min().unwrap_or(0);
    let most = points.iter().map(|point| point.1).max().unwrap_or(0);
    let label = most.to_string().len();
    let columns = width.saturating_sub(label + 2);
    if first.0 == last.0 || columns < 8 {
        return Vec::new();
    }
    let months = (last.0 - first.0) as usize;
    // The numbers of the last dots, counted from the upper left corner.
    let (across, down) = (columns * ACROSS - 1, ROWS * DOWN - 1);
    let across = |month: u32| (month - first.0) as usize * across / months;
    let up = |value: u64| ((value - least) * down as u64).checked_div(most - least);
    let up = |value| up(value).map_or(down / 2, |up| usize::try_from(up).unwrap_or(0));
    let mut cells = vec![vec![0_u32; columns]; ROWS];
    let mut before = None;
    for &(month, value) in points {
        let to = (across(month), down - up(value).min(down));
        for (x, y) in line(before.unwrap_or(to), to) {
            cells[y / DOWN][x / ACROSS] |= DOTS[y % DOWN][x % ACROSS];
        }
        before = Some(to);
    }
    let mut out: Vec<String> = Vec::with_capacity(ROWS + 1);
    for (row, cells) in cells.iter().enumerate() {
        let value = match row {
            0 => most.to_string(),
            _ if row == ROWS - 1 => least.to_string(),
            _ => String::new(),
        };
        let dots = cells.iter().map(|bits| char::from_u32(0x2800 + bits));
        let dots: String = dots.flatten().collect();
        let dots = dots.trim_end_matches('\u{2800}');
        out.push(format!("{value:>label$} {dots}"));
    }
    // Each year is below its January; years without room are left out.
    let mut years = String::new();
    for year in first.0.div_ceil(12)..=last.0 / 12 {
        let (column, text) = (across(year * 12) / ACROSS, year.to_string());
        let room = if years.is_empty() { 0 } else { years.len() + 2 };
        if column >= room && column + text.len() <= columns {
            years += &" ".repeat(column - years.len());
            years += &text;
        }
    }
    out.push(format!("{:label$} {years}", ""));
    out
}

/// The dots on the way, the ends included.
fn line(from: (usize, usize), to: (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)).max(1);
    // Rounded to the nearest dot.
    let between = move |a: usize, b: usize, step: usize| {
        (2 * (a * (steps - step) + b * step) + steps) / (2 * steps)
    };
    (0..=steps).map(move |step| (between(from.0, to.0, step), between(from.1, to.1, step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_from_corner_to_corner() {
        let all = lines(&[(2000 * 12, 2400), (2004 * 12, 2600)], 26);
        assert_eq!(all.len(), ROWS + 1);
        assert!(all[0].starts_with("2600 ") && all[ROWS - 1].starts_with("2400 "));
        // The upper right and the lower left dot.
        assert!(all[0].ends_with(|c: char| (u32::from(c) - 0x2800) & 8 != 0));
        let lower = all[ROWS - 1].chars().nth(5).unwrap();
        assert!((u32::from(lower) - 0x2800) & 64 != 0);
        // 48 months on 40 dots: 2001 would touch 2000, 2003 would touch 2002, 2004 does not fit.
        assert_eq!(all[ROWS], "     2000     2002");
        for row in &all[..ROWS] {
            assert!(row.chars().count() <= 25);
        }
    }

    #[test]
    fn nothing_to_draw() {
        assert!(lines(&[], 80).is_empty());
        assert!(lines(&[(24_000, 2500)], 80).is_empty());
        assert!(lines(&[(24_000, 2500), (24_001, 2500)], 10).is_empty());
        let flat = lines(&[(24_000, 2500), (24_100, 2500)], 40);
        assert_eq!(flat.len(), ROWS + 1);
        // In the middle, below the fifth of ten rows.
        assert!(flat[5].chars().nth(20).is_some_and(|c| c > '\u{2800}'));
    }
}
