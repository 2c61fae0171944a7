//! Finds the style of a block from its own games. Any answer is right, a good one is short.

use std::ops::Range;

use super::game::{Game, Kind, Mark};
use super::layout::{
    Decimal, END, MAX_TEMPLATE, Marks, NEXTS, Newline, PREVS, Rule, START, Style, Template, Walk, Wrap, column_after,
    next_class, prev_class, sticky_tail, word_len,
};

/// So many games are looked at, spread over the block.
const SAMPLE: usize = 24;

/// Of each at most so many elements.
const SAMPLE_ELEMS: usize = 300;

type Sample<'a> = Vec<(&'a [u8], &'a Game)>;

/// The style of these games, each given with its source.
pub fn detect<'a>(games: impl Iterator<Item = (&'a [u8], &'a Game)>) -> Style {
    let all: Sample<'a> = games.collect();
    let mut style = Style { newline: newline(&all), utf8: is_utf8(&all), ..Style::default() };
    let step = all.len().div_ceil(SAMPLE).max(1);
    let sample: Sample<'a> = all.iter().copied().step_by(step).collect();
    spellings(&sample, &mut style);
    roster(&sample, &mut style);
    templates(&sample, &mut style);
    wrap(&sample, &mut style);
    style
}

fn newline(games: &[(&[u8], &Game)]) -> Newline {
    let Some((src, _)) = games.iter().find(|(src, _)| memchr::memchr2(b'\n', b'\r', src).is_some()) else {
        return Newline::Lf;
    };
    let at = memchr::memchr2(b'\n', b'\r', src).unwrap_or(0);
    match (src[at], src.get(at + 1)) {
        (b'\r', Some(b'\n')) => Newline::CrLf,
        (b'\r', _) => Newline::Cr,
        _ => Newline::Lf,
    }
}

/// Of the tag values outside ASCII, most are UTF-8.
fn is_utf8(games: &[(&[u8], &Game)]) -> bool {
    let mut votes = 0_i64;
    for (src, game) in games {
        for tag in &game.tags {
            let value = &src[tag.value.clone()];
            if !value.is_ascii() {
                votes += if std::str::from_utf8(value).is_ok() { 1 } else { -1 };
            }
        }
    }
    votes > 0
}

/// Check marks and NAGs.
fn spellings(sample: &[(&[u8], &Game)], style: &mut Style) {
    let (mut bare, mut plus, mut double, mut hash, mut checks) = (0, 0, 0, 0, 0);
    let (mut suffixes, mut numbers) = (0, 0);
    let (mut squares, mut moves) = (0, 0);
    for (src, game) in sample {
        for elem in &game.elems {
            squares += i32::from(elem.squares);
            moves += i32::from(elem.kind == Kind::Move);
            match (elem.kind, elem.check, elem.mark) {
                (Kind::Nag, _, _) if src[elem.start as usize] != b'$' => suffixes += 1,
                (Kind::Nag, _, _) if (1..=6).contains(&elem.num) => numbers += 1,
                (Kind::Move, Mark::Plus, mark) => {
                    checks += 1;
                    bare += i32::from(mark == Mark::None);
                }
                (Kind::Move, Mark::Hash, Mark::Plus) => plus += 1,
                (Kind::Move, Mark::Hash, Mark::Double) => double += 1,
                (Kind::Move, Mark::Hash, Mark::Hash) => hash += 1,
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

/// The order of the roster, if the first game that has nothing else tells one.
fn roster(sample: &[(&[u8], &Game)], style: &mut Style) {
    const NAMES: [&[u8]; 7] = [b"Event", b"Site", b"Date", b"Round", b"White", b"Black", b"Result"];
    let Some((src, game)) = sample.iter().find(|(_, game)| game.tags.len() == 7) else { return };
    let mut roster = [0; 7];
    for (place, tag) in roster.iter_mut().zip(&game.tags) {
        match NAMES.iter().position(|&name| name == &src[tag.name.clone()]) {
            Some(member) => *place = u8::try_from(member).unwrap_or(0),
            None => return,
        }
    }
    if (0..7).all(|member| roster.contains(&member)) {
        style.roster = roster;
    }
}

/// The template that a gap was made from, if it is nothing but white space and the number that belongs there.
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
    Template::new(&bytes[..len])
}

/// Each gap of a game: class before, class behind, number, place.
fn gaps(src: &[u8], game: &Game) -> impl Iterator<Item = (usize, usize, u32, Range<usize>)> {
    let count = game.elems.len().min(SAMPLE_ELEMS);
    let whole = count == game.elems.len();
    let mut prev = START;
    let mut at = 0;
    let inner = game.elems[..count].iter().enumerate().map(move |(i, elem)| {
        let gap = at..elem.start as usize;
        let then = game.elems.get(i + 1).map(|e| e.kind);
        let num = if elem.kind == Kind::Move { elem.num } else { 0 };
        let item = (prev, next_class(elem.kind, elem.num, then), num, gap);
        prev = prev_class(elem.kind);
        at = elem.end as usize;
        item
    });
    let last = whole.then(|| match game.elems.last() {
        Some(elem) => (prev_class(elem.kind), END, 0, elem.end as usize..src.len()),
        None => (START, END, 0, 0..src.len()),
    });
    inner.chain(last)
}

/// The most frequent template of each pair of classes.
fn templates(sample: &[(&[u8], &Game)], style: &mut Style) {
    let mut counts: Vec<Vec<(Template, u32)>> = vec![Vec::new(); PREVS * NEXTS];
    let mut number = Decimal::ZERO;
    for (src, game) in sample {
        for (prev, next, num, gap) in gaps(src, game) {
            let number = if num > 0 {
                number.set(num >> 1);
                &number
            } else {
                &Decimal::ZERO
            };
            let list = &mut counts[prev * NEXTS + next];
            // No other template makes the same gap: a gap is read from left to right, each byte in one way.
            match list.iter_mut().find(|(t, _)| t.makes(src, gap.start, gap.end, style.newline, number)) {
                Some((_, n)) => *n += 1,
                None => list.extend(as_template(&src[gap], number, style.newline).map(|t| (t, 1))),
            }
        }
    }
    for (pair, list) in counts.iter().enumerate() {
        // The first of equals: `max_by_key` would take the last.
        if let Some((template, _)) = list.iter().rev().max_by_key(|(_, n)| n) {
            style.set_template(pair / NEXTS, pair % NEXTS, *template);
        }
    }
}

/// What no line-breaking rule changes about a gap: looked at once, and rules are then tried on that.
struct Spot {
    prev: usize,
    next: usize,
    num: u32,
    gap: Range<usize>,
    column: usize,
    /// Length of what follows up to the end of its line, and of its first word.
    words: [usize; 2],
    /// It is what its template makes.
    is_plain: bool,
}

/// A game of the sample with its gaps, but for the last.
struct Trial<'a> {
    src: &'a [u8],
    game: &'a Game,
    spots: Vec<Spot>,
}

impl<'a> Trial<'a> {
    /// `style` has no line-breaking rule yet.
    fn new(src: &'a [u8], game: &'a Game, style: &Style) -> Trial<'a> {
        let mut walk = Walk::new(style);
        let (mut at, mut column, mut prev) = (0, 0, START);
        let elems = game.elems.iter().take(SAMPLE_ELEMS).enumerate();
        let spots = elems.map(|(i, elem)| {
            let (gap, spelling) = (at..elem.start as usize, &src[elem.span()]);
            let next = next_class(elem.kind, elem.num, game.elems.get(i + 1).map(|e| e.kind));
            let is_plain = walk.predicts(src, gap.start, gap.end, next, elem.num, 0);
            let words = [false, true].map(|first| word_len(elem.kind, spelling, first));
            let spot = Spot { prev, next, num: elem.num, gap: gap.clone(), column, words, is_plain };
            column = column_after(column_after(column, &src[gap.clone()]), spelling);
            walk.advance(&src[gap], spelling, elem.kind);
            (at, prev) = (elem.end as usize, prev_class(elem.kind));
            spot
        });
        Trial { src, game, spots: spots.collect() }
    }
}

/// Gaps of the sample that the style predicts wrongly; counted up to `limit`.
fn misses(trials: &[Trial<'_>], style: &Style, limit: usize) -> usize {
    let mut misses = 0;
    let mut walk = Walk::new(style);
    for Trial { src, game, spots } in trials {
        for (i, spot) in spots.iter().enumerate() {
            let mut word = spot.words[usize::from(style.wrap.first_word)];
            if style.wrap.sticky {
                let rest = game.elems[i + 1..].iter().map(|e| (e.kind, e.num));
                word += sticky_tail(&walk, game.elems[i].kind, rest);
            }
            walk.stand(spot.prev, spot.column);
            let right = if walk.breaks(spot.next, spot.num, word) {
                walk.predicts(src, spot.gap.start, spot.gap.end, spot.next, spot.num, word)
            } else {
                spot.is_plain
            };
            misses += usize::from(!right);
            if misses >= limit {
                return misses;
            }
        }
    }
    misses
}

/// Lengths of the lines that end in gaps of movetext, and numbers of the moves that begin the next ones.
fn lines(sample: &[(&[u8], &Game)], style: &Style) -> (Vec<usize>, Vec<u32>, bool) {
    let (mut lengths, mut numbers, mut trailing) = (Vec::new(), Vec::new(), 0_i32);
    for (src, game) in sample {
        let mut column = 0;
        let mut at = 0;
        for (i, (_, next, num, gap)) in gaps(src, game).enumerate() {
            let gap = &src[gap];
            if i > game.tag_elems
                && next != END
                && let Some(n) = memchr::memmem::find(gap, style.newline.bytes())
            {
                let blanks = gap[..n].iter().rev().take_while(|&&b| b == b' ').count();
                trailing += if blanks > 0 { 1 } else { -1 };
                lengths.push(column + n - blanks);
                if next == 2 {
                    numbers.push(num >> 1);
                }
            }
            column = column_after(column, gap);
            at += gap.len();
            if let Some(elem) = game.elems.get(i) {
                let spelling = &src[elem.span()];
                column = column_after(column, spelling);
                at += spelling.len();
            }
        }
        debug_assert!(at <= src.len());
    }
    (lengths, numbers, trailing > 0)
}

/// Tries the line-breaking rules that the lines of the sample suggest.
fn wrap(sample: &[(&[u8], &Game)], style: &mut Style) {
    // Rules are compared on fewer games: each costs a walk over them.
    let step = sample.len().div_ceil(8).max(1);
    let few: Vec<_> = sample.iter().step_by(step).map(|(src, game)| Trial::new(src, game, style)).collect();
    let mut best = misses(&few, style, usize::MAX);
    if best == 0 {
        return;
    }
    let (lengths, numbers, trailing) = lines(sample, style);
    let Some(&longest) = lengths.iter().max() else { return };
    let shortest = lengths.iter().min().copied().unwrap_or(0);
    let mut rules = Vec::new();
    for width in [longest, 79, 80, 75, 74, 72, 76, 78, 77] {
        if width >= longest || width + 8 > longest {
            rules.push(Rule::Width(u16::try_from(width).unwrap_or(u16::MAX)));
        }
    }
    for width in [72, shortest, 70, 75] {
        rules.push(Rule::Beyond(u16::try_from(width).unwrap_or(u16::MAX)));
    }
    let every = numbers.iter().fold(0, |a, &n| gcd(a, n.wrapping_sub(1)));
    let first = numbers.first().map_or(0, |n| n.wrapping_sub(1));
    for n in [every, first, 4, 5] {
        if (1..=20).contains(&n) {
            rules.push(Rule::Every(u16::try_from(n).unwrap_or(1)));
        }
    }
    rules.dedup();
    let mut attempt = |style: &mut Style, wrap: Wrap| {
        let before = std::mem::replace(&mut style.wrap, wrap);
        let now = misses(&few, style, best);
        if now < best {
            best = now;
        } else {
            style.wrap = before;
        }
    };
    for rule in rules {
        attempt(style, Wrap { rule, trailing, ..Wrap::default() });
    }
    if matches!(style.wrap.rule, Rule::Width(_)) {
        attempt(style, Wrap { trailing: !style.wrap.trailing, ..style.wrap });
        attempt(style, Wrap { if_room: style.wrap.trailing, ..style.wrap });
        attempt(style, Wrap { bare_number: true, ..style.wrap });
        attempt(style, Wrap { sticky: true, ..style.wrap });
        attempt(style, Wrap { bare_close: true, ..style.wrap });
        attempt(style, Wrap { first_word: true, ..style.wrap });
        attempt(style, Wrap { sticky: true, ..style.wrap });
        // Some show only together.
        attempt(style, Wrap { if_room: style.wrap.trailing, bare_number: true, ..style.wrap });
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
