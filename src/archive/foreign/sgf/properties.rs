//! Properties, and the tags and NAGs that mean the same.

/// Properties whose value is that of a tag.
const PAIRS: [(&str, &str); 20] = [
    ("FEN", "FEN"),
    ("EV", "Event"),
    ("PC", "Site"),
    ("RO", "Round"),
    ("PW", "White"),
    ("PB", "Black"),
    ("WR", "WhiteElo"),
    ("BR", "BlackElo"),
    ("WT", "WhiteTeam"),
    ("BT", "BlackTeam"),
    ("AN", "Annotator"),
    ("ON", "Opening"),
    ("CP", "Copyright"),
    ("GN", "GameName"),
    ("GC", "GameComment"),
    ("OT", "Overtime"),
    ("RU", "Rules"),
    ("SO", "Source"),
    ("TM", "TimeLimit"),
    ("US", "User"),
];

/// The property that has the value of this tag, if reading the property gives the tag again.
pub(super) fn property_of(tag: &str, value: &str) -> Option<&'static str> {
    let found = PAIRS.iter().find(|pair| pair.1 == tag)?;
    tag_of(found.0, value).map(|_| found.0)
}

/// The tag that has the value of this property.
pub(super) fn tag_of(property: &str, value: &str) -> Option<&'static str> {
    let found = PAIRS.iter().find(|pair| pair.0 == property)?;
    // A rank like `5 dan` is no Elo. A longer value may not be read as a tag pair again.
    let fits = match property {
        "WR" | "BR" => value.bytes().all(|byte| byte.is_ascii_digit()),
        _ => value.len() < 4096 && !value.contains(char::is_control),
    };
    (fits && !is_unknown(found.1, value)).then_some(found.1)
}

/// Whether a tag of the roster says that its value is unknown: the property is left out.
pub(super) fn is_unknown(tag: &str, value: &str) -> bool {
    match tag {
        "Event" | "Site" | "Round" | "White" | "Black" => value == "?",
        "Date" => value == "????.??.??",
        _ => false,
    }
}

/// `1961.09.04` as `1961-09-04`, `1961.??.??` as `1961`; `None`: SGF has no such date.
pub(super) fn sgf_date(value: &str) -> Option<String> {
    let is = |part: &str, len: usize| {
        part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts: Vec<&str> = value.splitn(4, '.').collect();
    let (year, rest) = parts.split_first().filter(|(year, _)| is(year, 4))?;
    match *rest {
        ["??", "??"] => Some((*year).to_owned()),
        [month, "??"] if is(month, 2) => Some(format!("{year}-{month}")),
        [month, day] if is(month, 2) && is(day, 2) => Some(format!("{year}-{month}-{day}")),
        _ => None,
    }
}

/// The date as PGN writes it, and whether the value says no more: of several days, the first is
/// taken.
pub(super) fn pgn_date(value: &str) -> Option<(String, bool)> {
    let first = value.split(',').next()?;
    let mut parts = first.split('-');
    let (year, month, day) = (parts.next()?, parts.next(), parts.next());
    let date = format!("{year}.{}.{}", month.unwrap_or("??"), day.unwrap_or("??"));
    let is_date = parts.next().is_none() && sgf_date(&date).as_deref() == Some(first);
    is_date.then_some((date, first.len() == value.len()))
}

/// The result, and whether the value says no more.
pub(super) fn pgn_result(value: &str) -> Option<(&'static str, bool)> {
    Some(match value {
        "0" | "Draw" => ("1/2-1/2", true),
        "?" => ("*", true),
        _ if value.starts_with("W+") => ("1-0", value.len() == 2),
        _ if value.starts_with("B+") => ("0-1", value.len() == 2),
        _ => return None,
    })
}

/// What a property judges: a node has at most one about each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Move,
    Position,
}

/// A NAG and its property. GB, GW, TE and BM have two degrees, and so two NAGs each; DM and UC have
/// one.
const GLYPHS: [(u32, &str, &str, Subject); 12] = [
    (1, "TE", "1", Subject::Move),
    (2, "BM", "1", Subject::Move),
    (3, "TE", "2", Subject::Move),
    (4, "BM", "2", Subject::Move),
    (5, "IT", "", Subject::Move),
    (6, "DO", "", Subject::Move),
    (10, "DM", "1", Subject::Position),
    (13, "UC", "1", Subject::Position),
    (16, "GW", "1", Subject::Position),
    (17, "GB", "1", Subject::Position),
    (18, "GW", "2", Subject::Position),
    (19, "GB", "2", Subject::Position),
];

/// The property that stands for a NAG: name, value, subject.
pub(super) fn property_of_nag(nag: u32) -> Option<(&'static str, &'static str, Subject)> {
    let found = GLYPHS.iter().find(|glyph| glyph.0 == nag)?;
    Some((found.1, found.2, found.3))
}

/// The NAG that a property stands for.
pub(super) fn nag_of(name: &str, value: &str) -> Option<u32> {
    // In FF[3] some programs give DO and IT an emphasis, which they do not have.
    let is_emphasis = matches!((name, value), ("DO" | "IT", "1"));
    let property = (name, if is_emphasis { "" } else { value });
    let found = GLYPHS.iter().find(|found| (found.1, found.2) == property);
    found.map(|found| found.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_results() {
        for (pgn, sgf) in [
            ("1961.09.04", Some("1961-09-04")),
            ("1961.09.??", Some("1961-09")),
            ("1961.??.??", Some("1961")),
            ("1961.??.04", None),
            ("????.09.04", None),
            ("1961", None),
            ("1961.9.4", None),
        ] {
            assert_eq!(sgf_date(pgn).as_deref(), sgf, "{pgn}");
            if let Some(sgf) = sgf {
                assert_eq!(pgn_date(sgf), Some((pgn.to_owned(), true)));
            }
        }
        let several = pgn_date("1996-12-27,28,29");
        assert_eq!(several, Some(("1996.12.27".to_owned(), false)));
        assert_eq!(pgn_date("4 Sep 1961"), None);
        assert_eq!(pgn_date("1961-09-04-05"), None);
        assert_eq!(pgn_result("W+T"), Some(("1-0", false)));
        assert_eq!(pgn_result("B+"), Some(("0-1", true)));
        assert_eq!(pgn_result("Void"), None);
    }
}
