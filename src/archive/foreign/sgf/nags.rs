//! The NAGs that SGF properties stand for.

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
pub(super) fn property_of(nag: u32) -> Option<(&'static str, &'static str, Subject)> {
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
