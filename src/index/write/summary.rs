//! Summaries: the facts of a game that go into an index (spec/index.md section 3).

use std::borrow::Cow;

use super::values::{self, Joined, Values};
use crate::format::layout::{MAX_VALUE, TABLES, VALUE_COLUMNS, kind, table_place};
use crate::format::lines::Line;
use crate::format::{Date, Flags, Row};
use pgc_chess::{Ending, NamedOpening, PlayedFacts, Rules, is_reliable};
use pgc_pgn::eco;
use pgc_pgn::game::Wholeness;
use pgc_pgn::text::decoded_up_to;
use pgc_pgn::writer::Termination;

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
    /// Whether there are times of moves or of clocks.
    pub clocks: bool,
    /// Whether there are evaluations.
    pub evals: bool,
    /// What playing the game tells; `None` if it cannot be played, or is not wanted.
    pub played: Option<PlayedFacts>,
    /// The first moves of the main line; none if not wanted.
    pub line: Line,
}

/// A game in [`Summaries`] without its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    pub(super) numbers: Numbers,
    pub(super) line: Line,
    /// The numbers of its values, in the order of [`VALUE_COLUMNS`].
    pub(super) ids: ValueIds,
}

/// The integers of a game in [`NUMBER_COLUMNS`](crate::format::layout::NUMBER_COLUMNS).
pub(super) type Numbers = [u32; 5];

/// A number for each of [`VALUE_COLUMNS`].
type ValueIds = [u32; VALUE_COLUMNS.len()];

/// Something for each of [`TABLES`].
pub(super) type OfTables<T> = [T; TABLES.len()];

/// The distinct values of many games, UTF-8.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueLists {
    pub(super) tables: OfTables<Values>,
    /// The values of the last game, since the next game often shares some.
    last: [Option<values::ValueDigest>; VALUE_COLUMNS.len()],
    /// The date of the last game.
    last_date: Option<Date>,
    /// A value that is being written.
    text: Vec<u8>,
}

/// Summaries of many games. Once its buffers have grown, adding a game allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Summaries {
    pub(super) games: Vec<Fixed>,
    pub(super) tables: Box<ValueLists>,
}

/// The last value of each tag that an index uses.
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
    fn new(tags: impl Iterator<Item = (&'t [u8], &'t [u8])>) -> KnownTags<'t> {
        let mut known = KnownTags::default();
        for (name, value) in tags {
            let slot = match name {
                b"Event" => &mut known.event,
                b"Date" => &mut known.date,
                b"Round" => &mut known.round,
                b"White" => &mut known.white,
                b"Black" => &mut known.black,
                b"Result" => &mut known.result,
                b"UTCDate" => &mut known.utc_date,
                b"WhiteElo" => &mut known.white_elo,
                b"BlackElo" => &mut known.black_elo,
                b"ECO" => &mut known.eco,
                b"FEN" => &mut known.fen,
                b"Variant" => {
                    known.unreliable |=
                        !is_reliable(value) || known.variant.is_some_and(|other| other != value);
                    &mut known.variant
                }
                _ => continue,
            };
            *slot = Some(value);
        }
        known
    }

    fn flags(&self, facts: &Facts) -> Flags {
        let of_tag = self.result.and_then(Termination::from_tag);
        let both = of_tag.zip(facts.terminator);
        let mismatch = both.is_some_and(|(tag, is)| tag != is);
        let rules = match self.variant {
            None => Some(Rules::Chess),
            Some(_) if self.unreliable => None,
            Some(value) => Rules::from_variant_tag(value),
        };
        let mut bits = 0;
        for (bit, is_set) in [
            (Flags::MISMATCH, mismatch),
            (Flags::FEN, self.fen.is_some()),
            (Flags::TAIL, facts.wholeness == Wholeness::Tail),
            (Flags::TEXT, facts.wholeness == Wholeness::TextOnly),
            (Flags::COMMENTS, facts.comments),
            (Flags::VARIATIONS, facts.variations),
            (Flags::NAGS, facts.nags),
            (Flags::CLOCKS, facts.clocks),
            (Flags::EVALS, facts.evals),
        ] {
            bits |= if is_set { bit } else { 0 };
        }
        let result = Termination::combined(of_tag, facts.terminator);
        let flags = Flags::new(result, rules, bits);
        let Some(mut played) = facts.played else {
            return flags;
        };
        if facts.wholeness == Wholeness::Tail {
            // How it goes on is not known.
            played.ending = Ending::Open;
        }
        flags.with(&played)
    }
}

impl Summaries {
    /// Appends the summary of a game with these tags (names and unescaped values). Names are
    /// compared as bytes, and the last tag with a name counts.
    pub fn push<'t>(&mut self, tags: impl Iterator<Item = (&'t [u8], &'t [u8])>, facts: &Facts) {
        let known = KnownTags::new(tags);
        let flags = known.flags(facts);
        let played = facts.played.as_ref();
        let opening = played.and_then(|played| played.opening);
        let opening = opening.filter(|_| flags.rules() == Some(Rules::Chess));
        let tables = &mut self.tables;
        // In the order of `VALUE_COLUMNS`.
        let ids = [
            tables.date(Date::from_tags(known.date, known.utc_date)),
            tables.id(kind::EVENT, known.event),
            tables.written(kind::MATERIAL, |text| match played {
                Some(played) => played.put_material(text),
                None => text.push(b'?'),
            }),
            tables.id(kind::ROUND, known.round),
            tables.id(kind::WHITE, known.white),
            tables.id(kind::BLACK, known.black),
            tables.written(kind::OPENING, |text| match opening {
                Some(NamedOpening { eco, name, .. }) => {
                    let parts = [name, " ", eco].map(str::as_bytes);
                    parts.iter().for_each(|part| text.extend_from_slice(part));
                }
                None => text.push(b'?'),
            }),
        ];
        self.games.push(Fixed {
            numbers: [
                elo(known.white_elo).into(),
                elo(known.black_elo).into(),
                eco::number(known.eco).into(),
                facts.plies,
                flags.bits(),
            ],
            line: facts.line,
            ids,
        });
    }

    /// Iterates over the summaries in order.
    pub fn iter(&self) -> impl Iterator<Item = Row<&str>> {
        self.games.iter().map(|game| {
            let value = |place: usize| {
                let table = table_place(VALUE_COLUMNS[place].1);
                let value = self.tables.tables[table].get(game.ids[place]);
                // Stored values are UTF-8.
                std::str::from_utf8(value).unwrap_or_default()
            };
            let short = |number| u16::try_from(number).unwrap_or(0);
            let [white_elo, black_elo, eco, ..] = game.numbers.map(short);
            let [.., plies, flags] = game.numbers;
            Row {
                date: Date::from_table(value(0)).unwrap_or_default(),
                event: value(1),
                material: value(2),
                round: value(3),
                white: value(4),
                black: value(5),
                white_elo,
                black_elo,
                eco,
                plies,
                flags: Flags::from_bits(flags),
            }
        })
    }

    /// Prepares `joined` to map the values to those of other tables.
    pub(super) fn begin(&self, joined: &mut OfTables<Joined>, to: &OfTables<Values>) {
        for (joined, (from, to)) in joined.iter_mut().zip(self.tables.tables.iter().zip(to)) {
            joined.begin(from, to);
        }
    }

    /// The number of summaries.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Removes all, keeping the capacity.
    pub fn clear(&mut self) {
        self.games.clear();
        self.tables.last = Default::default();
        self.tables.last_date = None;
        self.tables.tables.iter_mut().for_each(Values::clear);
    }
}

impl ValueLists {
    /// The number of a tag's value.
    #[inline]
    fn id(&mut self, column: u32, value: Option<&[u8]>) -> u32 {
        let (place, table) = placed(column);
        let (values, last) = (&mut self.tables[table], &mut self.last[place]);
        let value = value.unwrap_or(b"?");
        let id = match last {
            Some(last) if values.is(last, value) => return last.id,
            // Stored values are in final form, in UTF-8 and not too long, so an equal value needs no
            // conversion.
            _ => values
                .find(value)
                .unwrap_or_else(|hash| match decoded_up_to(value, MAX_VALUE) {
                    Cow::Borrowed(kept) if kept.len() == value.len() => values.insert(hash, kept),
                    kept => values.number(&kept),
                }),
        };
        *last = Some(values.known(id));
        id
    }

    /// The number of a value that is written for this game.
    #[inline]
    fn written(&mut self, column: u32, write: impl FnOnce(&mut Vec<u8>)) -> u32 {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        write(&mut text);
        let id = self.id(column, Some(&text));
        self.text = text;
        id
    }

    #[inline]
    fn date(&mut self, date: Date) -> u32 {
        let (place, _) = placed(kind::DATE);
        match (self.last_date, &self.last[place]) {
            (Some(last), Some(known)) if last == date => known.id,
            _ => {
                self.last_date = Some(date);
                self.written(kind::DATE, |text| date.put(text))
            }
        }
    }
}

/// Where a column stands among [`VALUE_COLUMNS`], and its table among [`TABLES`].
#[inline]
fn placed(column: u32) -> (usize, usize) {
    let place = VALUE_COLUMNS.iter().position(|known| known.0 == column);
    let place = place.unwrap_or(0);
    (place, table_place(VALUE_COLUMNS[place].1))
}

/// Parses a rating; 0 if the value is not one.
pub(crate) fn elo(value: Option<&[u8]>) -> u16 {
    let value = value.unwrap_or_default();
    if value.len() == 4 && value.iter().all(u8::is_ascii_digit) {
        let digits = value.iter().map(|c| u16::from(c - b'0'));
        return digits.fold(0, |all, digit| all * 10 + digit);
    }
    let text = std::str::from_utf8(value).unwrap_or_default();
    let number = text.trim_matches(' ');
    // No sign, which `parse` would take.
    if number.starts_with('+') {
        return 0;
    }
    number.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(tags: &[(&str, &[u8])], facts: &Facts) -> Summaries {
        let mut list = Summaries::default();
        push(&mut list, tags, facts);
        list
    }

    fn push(list: &mut Summaries, tags: &[(&str, &[u8])], facts: &Facts) {
        let tags = tags.iter().map(|(name, value)| (name.as_bytes(), *value));
        list.push(tags, facts);
    }

    #[test]
    fn values_and_numbers() {
        let mut list = with(&[], &Facts::default());
        push(
            &mut list,
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
                ..Facts::default()
            },
        );
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
            ["", "again", "Polg\u{e1}r, \u{c3}\u{a1}"]
        );
        assert_eq!(
            (game.white_elo, game.black_elo, game.eco, game.plies),
            (2735, 0, 198, 70)
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
                (is.bits() & 3, is.has(Flags::MISMATCH)),
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
            ("three-check", 15 << 20 | 0b1_0101_1000),
            ("Three-Check", 8 << 20 | 0b1_0101_1000),
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
        let list = with(&[("Variant", b"Losers")], &facts);
        assert_eq!(
            list.iter().next().unwrap().flags.bits(),
            15 << 20 | 0b1010_0000
        );
    }
}
