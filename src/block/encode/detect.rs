//! Finds the style of a block from its own games. Any style is correct; a good one makes the
//! archive small.

use std::ops::Range;

use crate::layout::{
    BreakRule, Decimal, END, MAX_STICKY, MAX_TEMPLATE, Marks, NEXTS, Newline, PREVS, START, Style,
    Template, WHITE, Walk, Wrap, column_after_few, next_class, prev_class, sticky_tail, word_len,
};
use pgc_pgn::game::{ElemKind, Form, Mark, ParsedGame};
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::records::record::ROSTER;

/// The number of games in the sample, which are spread over the block.
const SAMPLE: usize = 24;

/// The most elements examined in each game.
const SAMPLE_ELEMS: usize = 300;

type Sample<'a> = Vec<(&'a [u8], &'a ParsedGame<'a>)>;

/// The style of these games, each given with its source and all written with these piece letters.
pub(crate) fn detect<'a>(
    games: impl Iterator<Item = (&'a [u8], &'a ParsedGame<'a>)>,
    letters: Option<&'static PieceLetters>,
) -> Style {
    let all: Sample<'a> = games.collect();
    let mut style = Style::new(newline(&all));
    (style.letters, style.utf8) = (letters, is_utf8(&all));
    let step = all.len().div_ceil(SAMPLE).max(1);
    let sample: Sample<'a> = all.iter().copied().step_by(step).collect();
    roster(&sample, &mut style);
    spellings(&sample, &mut style);
    templates(&sample, &mut style);
    wrap(&sample, &mut style);
    style
}

fn newline<'s>(games: &[(&'s [u8], &ParsedGame<'_>)]) -> Newline {
    let first = |src: &'s [u8]| memchr::memchr2(b'\n', b'\r', src).map(|at| &src[at..]);
    match games.iter().find_map(|(src, _)| first(src)) {
        Some([b'\r', b'\n', ..]) => Newline::CrLf,
        Some([b'\r', ..]) => Newline::Cr,
        _ => Newline::Lf,
    }
}

/// Whether most tag values outside ASCII are UTF-8.
pub(crate) fn is_utf8(games: &[(&[u8], &ParsedGame<'_>)]) -> bool {
    let (mut utf8, mut others) = (0, 0);
    for (src, game) in games.iter().filter(|(_, game)| !game.ascii_tags) {
        for tag in game.tags {
            match std::str::from_utf8(&src[tag.value.clone()]) {
                Ok(value) => utf8 += usize::from(!value.is_ascii()),
                Err(_) => others += 1,
            }
        }
    }
    utf8 > others
}

/// Finds how check marks, NAGs and moves are spelled.
fn spellings(sample: &[(&[u8], &ParsedGame<'_>)], style: &mut Style) {
    let (mut bare, mut plus, mut double, mut hash, mut checks) = (0, 0, 0, 0, 0);
    let (mut suffixes, mut numbers) = (0, 0);
    let (mut squares, mut moves) = (0, 0);
    for (src, game) in sample {
        for elem in game.elems {
            squares += i32::from(elem.spelled.form() == Form::Squares);
            moves += i32::from(elem.kind == ElemKind::Move);
            match (elem.kind, elem.spelled.check(), elem.spelled.mark()) {
                (ElemKind::Nag, _, _) => match src[elem.start as usize] {
                    b'!' | b'?' => suffixes += 1,
                    _ => numbers += i32::from((1..=6).contains(&elem.num)),
                },
                (ElemKind::Move, Mark::Plus, mark) => {
                    checks += 1;
                    bare += i32::from(mark == Mark::None);
                }
                (ElemKind::Move, Mark::Hash, Mark::Plus) => plus += 1,
                (ElemKind::Move, Mark::Hash, Mark::Double) => double += 1,
                (ElemKind::Move, Mark::Hash, Mark::Hash) => hash += 1,
                _ => {}
            }
        }
    }
    style.suffixes = suffixes > numbers;
    style.squares = squares * 2 > moves;
    style.marks = if bare * 2 > checks {
        Marks::Never
    } else if double > plus.max(hash) {
        Marks::DoubleMate
    } else if plus > hash {
        Marks::PlusOnly
    } else {
        Marks::Standard
    };
}

/// Takes the order of the roster from the first game that has no other tags.
fn roster(sample: &[(&[u8], &ParsedGame<'_>)], style: &mut Style) {
    let Some((src, game)) = sample.iter().find(|(_, game)| game.tags.len() == 7) else {
        return;
    };
    let mut roster = [0; 7];
    for (place, tag) in roster.iter_mut().zip(game.tags) {
        let name = &src[tag.name.clone()];
        let mut members = (0..).zip(ROSTER);
        match members.find(|(_, member)| member.as_bytes() == name) {
            Some((member, _)) => *place = member,
            None => return,
        }
    }
    if (0..7).all(|member| roster.contains(&member)) {
        style.roster = roster;
    }
}

/// The template of a gap, if the gap is only white space, periods and the number that belongs
/// there.
fn as_template(gap: &[u8], number: &Decimal, newline: Newline) -> Option<Template> {
    let (mut bytes, mut len) = ([0; MAX_TEMPLATE], 0);
    let mut rest = gap;
    while let Some((&byte, after)) = rest.split_first() {
        let place = bytes.get_mut(len)?;
        if let Some(after) = rest.strip_prefix(newline.bytes()) {
            *place = b'\n';
            rest = after;
        } else if byte.is_ascii_digit() {
            rest = number.strip(rest)?;
            *place = b'#';
        } else if matches!(byte, b' ' | b'.' | b'\t') {
            *place = byte;
            rest = after;
        } else {
            return None;
        }
        len += 1;
    }
    Template::new(&bytes[..len], newline)
}

/// A gap of the sample.
struct SampleGap {
    prev: usize,
    next: usize,
    /// The number of the full move behind it; else 0.
    number: Decimal,
    start: usize,
    end: usize,
}

/// Shows `look` each gap of the sampled part of a game.
#[inline(always)]
fn gaps(game: &ParsedGame<'_>, len: usize, mut look: impl FnMut(&SampleGap)) {
    let mut gap = SampleGap {
        prev: START,
        next: END,
        number: Decimal::ZERO,
        start: 0,
        end: len,
    };
    for (i, elem) in game.elems.iter().take(SAMPLE_ELEMS).enumerate() {
        let is_move = elem.kind == ElemKind::Move;
        gap.next = next_class(elem.kind, elem.num, game.elems.get(i + 1).map(|e| e.kind));
        gap.number.set(if is_move { elem.num >> 1 } else { 0 });
        gap.end = elem.start as usize;
        look(&gap);
        (gap.prev, gap.start) = (prev_class(elem.kind), elem.end as usize);
    }
    gap.number.set(0);
    (gap.next, gap.end) = (END, len);
    if game.elems.len() <= SAMPLE_ELEMS {
        look(&gap);
    }
}

/// Takes the most frequent template of each pair of classes.
fn templates(sample: &[(&[u8], &ParsedGame<'_>)], style: &mut Style) {
    let mut counts: Vec<Vec<(Template, u32)>> = vec![Vec::new(); PREVS * NEXTS];
    for (src, game) in sample {
        gaps(game, src.len(), |gap| {
            let list = &mut counts[gap.prev * NEXTS + gap.next];
            // No other template makes the same gap: a gap is read from left to right, each byte in
            // one way.
            let mut known = list.iter_mut();
            match known.find(|(t, _)| t.makes(src, gap.start, gap.end, &gap.number)) {
                Some((_, n)) => *n += 1,
                None => {
                    let bytes = &src[gap.start..gap.end];
                    let template = as_template(bytes, &gap.number, style.newline);
                    list.extend(template.map(|template| (template, 1)));
                }
            }
        });
    }
    for (template, list) in style.templates.as_flattened_mut().iter_mut().zip(&counts) {
        // The first of equals: `max_by_key` would take the last.
        if let Some((most, _)) = list.iter().rev().max_by_key(|(_, n)| n) {
            *template = *most;
        }
    }
}

/// What is true of a gap under any line-breaking rule: found once, then used to try each rule.
struct TrialGap {
    prev: usize,
    next: usize,
    num: u32,
    gap: Range<usize>,
    column: usize,
    /// Length of the element behind the gap up to the end of its line, and of its first word.
    words: [usize; 2],
    /// The greatest column that the element behind the gap can reach, with what sticks to it.
    reach: usize,
    /// The gap is what its template makes.
    is_plain: bool,
}

impl TrialGap {
    /// Whether this rule might break the line in the gap.
    fn may_break(&self, rule: BreakRule) -> bool {
        match rule {
            BreakRule::None => false,
            BreakRule::Width(width) => self.reach > usize::from(width),
            BreakRule::Beyond(width) => self.next == WHITE && self.column >= usize::from(width),
            BreakRule::Every(_) => self.next == WHITE,
        }
    }
}

/// A game of the sample with its gaps, except the last one.
struct Trial<'a> {
    src: &'a [u8],
    game: &'a ParsedGame<'a>,
    spots: Vec<TrialGap>,
}

impl<'a> Trial<'a> {
    /// `style` has no line-breaking rule yet.
    fn new(src: &'a [u8], game: &'a ParsedGame<'a>, style: &Style) -> Trial<'a> {
        let mut walk = Walk::new(style);
        let (mut at, mut column, mut prev) = (0, 0, START);
        let elems = game.elems.iter().take(SAMPLE_ELEMS).enumerate();
        let spots = elems.map(|(i, elem)| {
            let (gap, spelling) = (at..elem.start as usize, &src[elem.span()]);
            let then = game.elems.get(i + 1).map(|e| e.kind);
            let next = next_class(elem.kind, elem.num, then);
            walk.stand(prev, column);
            let is_plain = walk.predicts(src, gap.start, gap.end, next, elem.num, 0);
            let words = [false, true].map(|first| word_len(elem.kind, spelling, first));
            let sticky = match then {
                Some(ElemKind::RavClose | ElemKind::Nag) => MAX_STICKY,
                _ => 0,
            };
            let reach = column + walk.unbroken_len(next, elem.num) + words[0] + sticky;
            let spot = TrialGap {
                prev,
                next,
                num: elem.num,
                gap: gap.clone(),
                column,
                words,
                reach,
                is_plain,
            };
            column = column_after_few(column_after_few(column, &src[gap]), spelling);
            (at, prev) = (elem.end as usize, prev_class(elem.kind));
            spot
        });
        Trial {
            src,
            game,
            spots: spots.collect(),
        }
    }
}

/// Counts the gaps of the sample that the style predicts wrongly, up to `limit`.
fn misses(trials: &[Trial<'_>], style: &Style, limit: usize) -> usize {
    let mut misses = 0;
    let mut walk = Walk::new(style);
    for Trial { src, game, spots } in trials {
        for (i, spot) in spots.iter().enumerate() {
            let mut right = spot.is_plain;
            if spot.may_break(style.wrap.rule) {
                let mut word = spot.words[usize::from(style.wrap.first_word)];
                if style.wrap.sticky {
                    word += sticky_tail(&walk, game.elems[i].kind, &game.elems[i + 1..]);
                }
                walk.stand(spot.prev, spot.column);
                if walk.breaks(spot.next, spot.num, word) {
                    let Range { start, end } = spot.gap;
                    right = walk.predicts(src, start, end, spot.next, spot.num, word);
                }
            }
            misses += usize::from(!right);
            if misses >= limit {
                return misses;
            }
        }
    }
    misses
}

/// The lengths of the lines that end in gaps of movetext, the numbers of the moves that begin the
/// next lines, and whether most of the lines end in blanks.
fn lines(sample: &[(&[u8], &ParsedGame<'_>)], style: &Style) -> (Vec<usize>, Vec<u32>, bool) {
    let (mut lengths, mut numbers, mut trailing) = (Vec::new(), Vec::new(), 0_i32);
    let newline = style.newline.bytes();
    for (src, game) in sample {
        let (mut i, mut column) = (0, 0);
        gaps(game, src.len(), |place| {
            let gap = &src[place.start..place.end];
            let mut windows = gap.windows(newline.len());
            if i > game.tag_elems
                && place.next != END
                && let Some(n) = windows.position(|bytes| bytes == newline)
            {
                let blanks = gap[..n].iter().rev().take_while(|&&b| b == b' ').count();
                trailing += if blanks > 0 { 1 } else { -1 };
                lengths.push(column + n - blanks);
                if place.next == WHITE {
                    numbers.push(place.number.value);
                }
            }
            column = column_after_few(column, gap);
            if let Some(elem) = game.elems.get(i) {
                column = column_after_few(column, &src[elem.span()]);
            }
            i += 1;
        });
    }
    (lengths, numbers, trailing > 0)
}

/// What a producer may do where it breaks lines, in the order of the trials. Each follows the
/// trials before it; some help only together.
const HABITS: [fn(&mut Wrap); 8] = [
    |wrap| wrap.trailing = !wrap.trailing,
    |wrap| wrap.if_room = wrap.trailing,
    |wrap| wrap.bare_number = true,
    |wrap| wrap.sticky = true,
    |wrap| wrap.bare_close = true,
    |wrap| wrap.first_word = true,
    // Again: it may help only after the ones between.
    |wrap| wrap.sticky = true,
    |wrap| (wrap.if_room, wrap.bare_number) = (wrap.trailing, true),
];

/// Tries the line-breaking rules that the lines of the sample suggest, and then the habits of
/// producers that break lines at a width.
fn wrap(sample: &[(&[u8], &ParsedGame<'_>)], style: &mut Style) {
    // Rules are compared on fewer games: each costs a walk over them.
    let step = sample.len().div_ceil(8).max(1);
    let few = sample.iter().step_by(step);
    let few = few.map(|(src, game)| Trial::new(src, game, style));
    let few: Vec<_> = few.collect();
    let mut best = misses(&few, style, usize::MAX);
    if best == 0 {
        return;
    }
    let (lengths, numbers, trailing) = lines(sample, style);
    let (Some(&shortest), Some(&longest)) = (lengths.iter().min(), lengths.iter().max()) else {
        return;
    };
    let mut attempt = |style: &mut Style, wrap: Wrap| {
        let before = std::mem::replace(&mut style.wrap, wrap);
        let now = misses(&few, style, best);
        if now < best {
            best = now;
        } else {
            style.wrap = before;
        }
    };
    for rule in rules(shortest, longest, &numbers) {
        let mut wrap = Wrap::default();
        (wrap.rule, wrap.trailing) = (rule, trailing);
        attempt(style, wrap);
    }
    if matches!(style.wrap.rule, BreakRule::Width(_)) {
        for habit in HABITS {
            let mut wrap = style.wrap;
            habit(&mut wrap);
            attempt(style, wrap);
        }
    }
}

/// The rules to try, for lines from the shortest to the longest length, of which the next begin with
/// these move numbers.
fn rules(shortest: usize, longest: usize, numbers: &[u32]) -> Vec<BreakRule> {
    let mut rules = Vec::new();
    for width in [longest, 79, 80, 75, 74, 72, 76, 78, 77] {
        if width >= longest || width + 8 > longest {
            rules.push(BreakRule::Width(u16::try_from(width).unwrap_or(u16::MAX)));
        }
    }
    for width in [72, shortest, 70, 75] {
        rules.push(BreakRule::Beyond(u16::try_from(width).unwrap_or(u16::MAX)));
    }
    let every = numbers.iter().fold(0, |a, &n| gcd(a, n.wrapping_sub(1)));
    let first = numbers.first().map_or(0, |n| n.wrapping_sub(1));
    for n in [every, first, 4, 5] {
        if (1..=20).contains(&n) {
            rules.push(BreakRule::Every(u16::try_from(n).unwrap_or(1)));
        }
    }
    rules.dedup();
    rules
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
