//! Summaries: the facts of a game that go into an index (spec/index.md section 3).

use std::borrow::Cow;

use super::values::{self, Joined, Values};
use crate::chess::{Rules, is_reliable};
use crate::index::format::date::Date;
use crate::index::format::flags::{self, Flags, GameRules};
use crate::index::format::layout::MAX_VALUE;
use crate::index::format::lines::Line;
use crate::pgn::eco;
use crate::pgn::game::Wholeness;
use crate::pgn::text::decoded_up_to;
use crate::pgn::writer::Termination;

/// Facts of a game that do not come from its tags.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// The terminator, if known.
    pub terminator: Option<Termination>,
    /// Whether the main line is all ordinals, ends in text, or is text.
    pub wholeness: Wholeness,
    /// Number of plies of the main line.
    pub plies: u32,
    /// Whether there are comments.
    pub comments: bool,
    /// Whether there are variations.
    pub variations: bool,
    /// Whether there are NAGs.
    pub nags: bool,
    /// The hash of spec/index.md section 6; 0 if not wanted.
    pub hash: u64,
    /// The first moves of the main line; none if not wanted.
    pub line: Line,
}

/// The summary of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the columns")]
pub struct GameSummary<'a> {
    pub date: Date,
    pub event: &'a str,
    pub round: &'a str,
    pub white: &'a str,
    pub black: &'a str,
    pub white_elo: u16,
    pub black_elo: u16,
    pub eco: u16,
    pub plies: u32,
    pub flags: Flags,
    pub hash: u64,
}

/// A game in [`Summaries`] without its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    pub(super) hash: u64,
    pub(super) date: Date,
    pub(super) plies: u32,
    pub(super) white_elo: u16,
    pub(super) black_elo: u16,
    pub(super) eco: u16,
    pub(super) flags: Flags,
    pub(super) line: Line,
    /// The numbers of its values: Event, Round, White, Black.
    pub(super) ids: [u32; 4],
}

/// The distinct values of many games, UTF-8.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueLists {
    pub(super) events: Values,
    pub(super) rounds: Values,
    pub(super) players: Values,
    /// The values of the last game, since the next game often shares some.
    last: [Option<values::ValueDigest>; 4],
}

impl ValueLists {
    /// Events, rounds, players.
    fn lists(&self) -> [&Values; 3] {
        [&self.events, &self.rounds, &self.players]
    }
}

/// Summaries of many games. Once its buffers have grown, adding a game allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Summaries {
    games: Vec<Fixed>,
    tables: Box<ValueLists>,
}

/// A name of at most eight bytes as a number, for fast comparison; 0 for other names.
const fn number_of(name: &[u8]) -> u64 {
    let len = name.len();
    match len {
        // It would have the number of a shorter name.
        1..=8 if name[len - 1] == 0 => 0,
        // A byte may be used twice; both times it goes to the same position.
        1..=3 => {
            name[0] as u64
                | (name[len / 2] as u64) << (8 * (len / 2))
                | (name[len - 1] as u64) << (8 * (len - 1))
        }
        4..=8 => match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
            (Some(first), Some(last)) => {
                u32::from_le_bytes(*first) as u64
                    | (u32::from_le_bytes(*last) as u64) << (8 * (len - 4))
            }
            _ => 0,
        },
        _ => 0,
    }
}

/// The names of the tags that an index uses.
mod name {
    use super::number_of;

    pub(super) const EVENT: u64 = number_of(b"Event");
    pub(super) const DATE: u64 = number_of(b"Date");
    pub(super) const ROUND: u64 = number_of(b"Round");
    pub(super) const WHITE: u64 = number_of(b"White");
    pub(super) const BLACK: u64 = number_of(b"Black");
    pub(super) const RESULT: u64 = number_of(b"Result");
    pub(super) const UTC_DATE: u64 = number_of(b"UTCDate");
    pub(super) const WHITE_ELO: u64 = number_of(b"WhiteElo");
    pub(super) const BLACK_ELO: u64 = number_of(b"BlackElo");
    pub(super) const ECO: u64 = number_of(b"ECO");
    pub(super) const FEN: u64 = number_of(b"FEN");
    pub(super) const VARIANT: u64 = number_of(b"Variant");
}

/// The first value of each tag that an index uses.
#[derive(Default)]
struct KnownTags<'t> {
    event: Option<&'t [u8]>,
    date: Option<&'t [u8]>,
    round: Option<&'t [u8]>,
    white: Option<&'t [u8]>,
    black: Option<&'t [u8]>,
    result: Option<&'t [u8]>,
    utc_date: Option<&'t [u8]>,
    white_elo: Option<&'t [u8]>,
    black_elo: Option<&'t [u8]>,
    eco: Option<&'t [u8]>,
    fen: Option<&'t [u8]>,
    variant: Option<&'t [u8]>,
    /// Whether Variant is not reliable (D8).
    unreliable: bool,
}

impl<'t> KnownTags<'t> {
    fn of(tags: impl Iterator<Item = (&'t [u8], &'t [u8])>) -> KnownTags<'t> {
        let mut known = KnownTags::default();
        for (name, value) in tags {
            let slot = match number_of(name) {
                name::EVENT => &mut known.event,
                name::DATE => &mut known.date,
                name::ROUND => &mut known.round,
                name::WHITE => &mut known.white,
                name::BLACK => &mut known.black,
                name::RESULT => &mut known.result,
                name::UTC_DATE => &mut known.utc_date,
                name::WHITE_ELO => &mut known.white_elo,
                name::BLACK_ELO => &mut known.black_elo,
                name::ECO => &mut known.eco,
                name::FEN => &mut known.fen,
                name::VARIANT => {
                    known.unreliable |=
                        !is_reliable(value) || known.variant.is_some_and(|first| first != value);
                    &mut known.variant
                }
                _ => continue,
            };
            slot.get_or_insert(value);
        }
        known
    }

    fn flags(&self, facts: &Facts) -> Flags {
        let of_tag = self.result.and_then(Termination::from_tag);
        let mismatch = of_tag
            .zip(facts.terminator)
            .is_some_and(|(tag, is)| tag != is);
        let rules = match self.variant {
            None => GameRules::Chess,
            Some(_) if self.unreliable => GameRules::Other,
            Some(value) => GameRules::of(Rules::from_variant_tag(value)),
        };
        let mut bits = 0;
        for (bit, is_set) in [
            (flags::MISMATCH, mismatch),
            (flags::FEN, self.fen.is_some()),
            (flags::TAIL, facts.wholeness == Wholeness::Tail),
            (flags::TEXT, facts.wholeness == Wholeness::TextOnly),
            (flags::COMMENTS, facts.comments),
            (flags::VARIATIONS, facts.variations),
            (flags::NAGS, facts.nags),
        ] {
            bits |= if is_set { bit } else { 0 };
        }
        let result = Termination::of(of_tag, facts.terminator);
        Flags::new(result, rules, bits)
    }
}

impl Summaries {
    /// An empty list.
    #[must_use]
    pub fn new() -> Summaries {
        Summaries::default()
    }

    /// Appends the summary of a game with these tags (names and unescaped values). Names are
    /// compared as bytes, and the first tag with a name counts.
    pub fn push<'t>(&mut self, tags: impl Iterator<Item = (&'t [u8], &'t [u8])>, facts: &Facts) {
        let known = KnownTags::of(tags);
        let ValueLists {
            events,
            rounds,
            players,
            last: [event, round, white, black],
        } = &mut *self.tables;
        let ids = [
            id(events, event, known.event),
            id(rounds, round, known.round),
            id(players, white, known.white),
            id(players, black, known.black),
        ];
        self.games.push(Fixed {
            hash: facts.hash,
            date: Date::from_tags(known.date, known.utc_date),
            plies: facts.plies,
            white_elo: elo(known.white_elo),
            black_elo: elo(known.black_elo),
            eco: eco::number(known.eco),
            flags: known.flags(facts),
            line: facts.line,
            ids,
        });
    }

    /// Iterates over the summaries in order.
    pub fn iter(&self) -> impl Iterator<Item = GameSummary<'_>> {
        let ValueLists {
            events,
            rounds,
            players,
            ..
        } = &*self.tables;
        self.games.iter().map(move |game| {
            let tables = [events, rounds, players, players];
            // Stored values are UTF-8.
            let text = |place: usize| {
                std::str::from_utf8(tables[place].get(game.ids[place])).unwrap_or_default()
            };
            let [event, round, white, black] = [0, 1, 2, 3].map(text);
            GameSummary {
                date: game.date,
                event,
                round,
                white,
                black,
                white_elo: game.white_elo,
                black_elo: game.black_elo,
                eco: game.eco,
                plies: game.plies,
                flags: game.flags,
                hash: game.hash,
            }
        })
    }

    pub(super) fn fixed(&self) -> &[Fixed] {
        &self.games
    }

    pub(super) fn tables(&self) -> &ValueLists {
        &self.tables
    }

    /// Prepares `joined` to map the values to those of other lists: of events, rounds and
    /// players.
    pub(super) fn begin(&self, joined: &mut [Joined; 3], to: [&Values; 3]) {
        let lists = self.tables.lists().into_iter().zip(to);
        joined
            .iter_mut()
            .zip(lists)
            .for_each(|(joined, (from, to))| joined.begin(from, to));
    }

    /// The number of summaries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Removes all, keeping the capacity.
    pub fn clear(&mut self) {
        self.games.clear();
        let ValueLists {
            events,
            rounds,
            players,
            last,
        } = &mut *self.tables;
        *last = Default::default();
        [events, rounds, players]
            .into_iter()
            .for_each(Values::clear);
    }

    /// Appends the summaries of `other`.
    pub fn append(&mut self, other: &Summaries) {
        let (from, to) = (&*other.tables, &mut *self.tables);
        let mut joined = Default::default();
        other.begin(&mut joined, to.lists());
        let [events, rounds, players] = &mut joined;
        self.games.extend(other.games.iter().map(|game| {
            let [event, round, white, black] = game.ids;
            let ids = [
                events.id(event, &from.events, &mut to.events),
                rounds.id(round, &from.rounds, &mut to.rounds),
                players.id(white, &from.players, &mut to.players),
                players.id(black, &from.players, &mut to.players),
            ];
            Fixed { ids, ..*game }
        }));
    }
}

/// The number of a tag's value; `last` is the value that the tag had in the game before.
fn id(values: &mut Values, last: &mut Option<values::ValueDigest>, value: Option<&[u8]>) -> u32 {
    let value = value.unwrap_or(b"?");
    let id = match last {
        Some(last) if values.is(last, value) => return last.id,
        // Stored values are in final form, so an equal value needs no conversion.
        _ => values.find(value).unwrap_or_else(|hash| match kept(value) {
            Cow::Borrowed(kept) if kept.len() == value.len() => values.insert(hash, kept),
            kept => values.number(&kept),
        }),
    };
    *last = Some(values.known(id));
    id
}

/// A value as an index stores it: in UTF-8, and not too long. Bytes that are not valid UTF-8 are
/// Latin-1.
fn kept(value: &[u8]) -> Cow<'_, [u8]> {
    decoded_up_to(value, MAX_VALUE)
}

/// Parses a rating; 0 if the value is not one.
pub(crate) fn elo(value: Option<&[u8]>) -> u16 {
    let value = value.unwrap_or_default();
    if let &[a, b, c, d] = value
        && value.iter().all(u8::is_ascii_digit)
    {
        return [a, b, c, d]
            .iter()
            .fold(0, |number, &c| number * 10 + u16::from(c - b'0'));
    }
    let from = value.iter().take_while(|&&b| b == b' ').count();
    let blanks = value[from..]
        .iter()
        .rev()
        .take_while(|&&b| b == b' ')
        .count();
    let number = value[from..value.len() - blanks]
        .iter()
        .try_fold(0_u32, |number, &c| {
            let next = number * 10 + u32::from(c.is_ascii_digit().then(|| c - b'0')?);
            (next <= u32::from(u16::MAX)).then_some(next)
        });
    number
        .and_then(|number| u16::try_from(number).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(tags: &[(&str, &[u8])], facts: &Facts) -> Summaries {
        let mut list = Summaries::new();
        list.push(
            tags.iter().map(|(name, value)| (name.as_bytes(), *value)),
            facts,
        );
        list
    }

    #[test]
    fn values_and_numbers() {
        let mut list = with(&[], &Facts::default());
        list.append(&with(
            &[
                ("White", b"Polg\xc3\xa1r, Judit"),
                ("white", b"no"),
                ("Black", b"Polg\xe1r, \xc3\xa1"),
                ("White", b"again"),
                ("Event", b""),
                ("WhiteElo", b" 02735 "),
                ("BlackElo", b"2700?"),
                ("ECO", b"b97x"),
                ("Date", b"1992.05.03"),
            ],
            &Facts {
                plies: 70,
                hash: 9,
                ..Facts::default()
            },
        ));
        let games: Vec<_> = list.iter().collect();
        assert_eq!(list.len(), 2);
        let none = games[0];
        assert_eq!([none.event, none.round, none.white, none.black], ["?"; 4]);
        assert_eq!(
            (
                none.date.bits(),
                none.white_elo,
                none.eco,
                none.plies,
                none.flags.bits()
            ),
            (0, 0, 0, 0, 0)
        );
        let game = games[1];
        assert_eq!(
            [game.event, game.white, game.black],
            ["", "Polg\u{e1}r, Judit", "Polg\u{e1}r, \u{c3}\u{a1}"]
        );
        assert_eq!(
            (
                game.white_elo,
                game.black_elo,
                game.eco,
                game.plies,
                game.hash
            ),
            (2735, 0, 198, 70, 9)
        );
        assert_eq!(game.date.digits(), 19_920_503);
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        let long = format!("{}\u{e9}", "x".repeat(1023));
        let latin: Vec<u8> = [vec![b'x'; 1023], vec![0xe9, b'y']].concat();
        let list = with(
            &[
                ("Event", long.as_bytes()),
                ("White", &latin),
                ("Round", &[b'1'; 5000]),
            ],
            &Facts::default(),
        );
        let game = list.iter().next().unwrap();
        assert_eq!(
            (game.event.len(), game.white.len(), game.round.len()),
            (1023, 1023, 1024)
        );
    }

    #[test]
    fn elos_and_eco_codes() {
        let pairs: [(&[u8], u16); 9] = [
            (b"2700", 2700),
            (b"65535", 65_535),
            (b"65536", 0),
            (b"0", 0),
            (b"", 0),
            (b"-", 0),
            (b"27 00", 0),
            (b"+2700", 0),
            (b"00000000000000000001", 1),
        ];
        for (value, number) in pairs {
            assert_eq!(elo(Some(value)), number, "{}", value.escape_ascii());
        }
        assert_eq!(
            [None, Some(&b""[..]), Some(b"?"), Some(b"-")].map(eco::number),
            [0; 4]
        );
        assert_eq!(
            [b"A00", b"E99", b"e99", b"F00", b"A0x"].map(|value| eco::number(Some(value))),
            [1, 500, 500, 501, 501]
        );
        assert_eq!(eco::number(Some(b"A0")), 501);
    }

    #[test]
    fn flags() {
        use Termination::{BlackWins, Draw, Unknown, WhiteWins};
        let flags = |result: Option<&[u8]>, terminator| {
            let tags: Vec<(&str, &[u8])> =
                result.map(|value| ("Result", value)).into_iter().collect();
            with(
                &tags,
                &Facts {
                    terminator,
                    ..Facts::default()
                },
            )
            .iter()
            .next()
            .unwrap()
            .flags
        };
        for (result, terminator, number, mismatch) in [
            (Some(&b"1-0"[..]), Some(WhiteWins), 2, false),
            (Some(b"1-0"), Some(Draw), 2, true),
            (Some(b"1-0"), None, 2, false),
            (Some(b"won"), Some(Draw), 3, false),
            (Some(b"won"), None, 0, false),
            (Some(b"1/2"), Some(Draw), 3, false),
            (Some(b"1/2"), Some(WhiteWins), 3, true),
            (Some(b"1/2"), None, 3, false),
            (Some(b"?"), Some(WhiteWins), 2, false),
            (Some(b""), Some(Draw), 3, false),
            (Some(b"1-0"), Some(Unknown), 2, true),
            (None, Some(BlackWins), 1, false),
            (None, Some(Unknown), 0, false),
            (Some(b"*"), Some(BlackWins), 1, true),
        ] {
            let is = flags(result, terminator);
            assert_eq!(
                (is.bits() & 3, is.mismatch()),
                (number, mismatch),
                "{result:?} {terminator:?}"
            );
        }
        let facts = Facts {
            wholeness: Wholeness::Tail,
            comments: true,
            nags: true,
            ..Facts::default()
        };
        for (second, bits) in [
            ("three-check", 0b1_1111_0101_1000),
            ("Three-Check", 0b1_0001_0101_1000),
        ] {
            let list = with(
                &[
                    ("FEN", b"x"),
                    ("Variant", b"Three-Check"),
                    ("Variant", second.as_bytes()),
                ],
                &facts,
            );
            assert_eq!(list.iter().next().unwrap().flags.bits(), bits, "{second}");
        }
        let facts = Facts {
            wholeness: Wholeness::TextOnly,
            variations: true,
            ..Facts::default()
        };
        let list = with(&[("Variant", b"Suicide")], &facts);
        assert_eq!(list.iter().next().unwrap().flags.bits(), 0b1_1110_1010_0000);
    }
}
