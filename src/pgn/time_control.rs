//! The value of the tag TimeControl (section 9.6.1 of the standard).

use pgc_chess::named_enum;

/// The moves of a game that its speed is judged by.
const MOVES: u64 = 40;

/// The most bytes of a value: as many as an index keeps.
const LONGEST: usize = 1024;

/// A time control: its periods, in order. The last one repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeControl(Vec<Period>);

/// A time in seconds, to the thousandth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(u64);

impl Seconds {
    /// This many whole seconds.
    pub const fn whole(seconds: u32) -> Seconds {
        Seconds(1000 * seconds as u64)
    }

    /// Parses digits, perhaps with a fraction: engine matches are as short as `8+0.08`.
    fn parse(text: &str) -> Option<Seconds> {
        let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = are_digits(whole) && are_digits(fraction) && !text.ends_with(['.', ',']);
        let thousandths = format!("{fraction:0<3}");
        let thousandths = thousandths.get(..3)?.parse::<u64>().ok()?;
        let whole: u32 = whole.parse().ok()?;
        is_number.then_some(Seconds(1000 * u64::from(whole) + thousandths))
    }

    /// The number of seconds, if it is whole.
    pub fn to_whole(self) -> Option<u32> {
        let is_whole = self.0.is_multiple_of(1000);
        u32::try_from(self.0 / 1000).ok().filter(|_| is_whole)
    }

    /// The number of seconds.
    #[expect(clippy::cast_precision_loss, reason = "below 2^42")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl std::fmt::Debug for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.as_f64())
    }
}

/// A period of a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// `?`
    Unknown,
    /// `-`: there was none.
    Unlimited,
    /// `40/9000`: a number of moves in a time, and what each of them adds to it; the standard has none
    /// (FIDE's `40/5400+30`).
    Moves(u32, Seconds, Seconds),
    /// `300`: sudden death.
    SuddenDeath(Seconds),
    /// `4500+60`: a time, and what each move adds to it.
    Increment(Seconds, Seconds),
    /// `*180`: a sandclock; the time that one player uses goes to the other.
    Sandclock(Seconds),
}

named_enum! {
    /// How fast a game is, by the time for 40 moves: the limits that Lichess uses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Speed, name {
        /// Less than three minutes.
        Bullet => "bullet",
        /// Less than eight minutes.
        Blitz => "blitz",
        /// Less than twenty-five minutes.
        Rapid => "rapid",
        /// More.
        Classical => "classical",
        /// Without a time control.
        Unlimited => "unlimited",
    }
}

impl Period {
    fn parse(text: &str) -> Option<Period> {
        let number = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| is_number)
        };
        let time = Seconds::parse;
        Some(match text {
            "?" => Period::Unknown,
            "-" => Period::Unlimited,
            _ => match (text.split_once('/'), text.split_once('+')) {
                (Some((moves, period)), _) => {
                    let (base, more) = period.split_once('+').unwrap_or((period, "0"));
                    Period::Moves(number(moves)?, time(base)?, time(more)?)
                }
                (None, Some((base, more))) => Period::Increment(time(base)?, time(more)?),
                (None, None) => match text.strip_prefix('*') {
                    Some(period) => Period::Sandclock(time(period)?),
                    None => Period::SuddenDeath(time(text)?),
                },
            },
        })
    }
}

impl TimeControl {
    /// Parses the value of the tag; `None` if it is none of the six kinds.
    pub fn parse(value: &str) -> Option<TimeControl> {
        let value = Some(value.trim()).filter(|value| value.len() <= LONGEST)?;
        let periods = value.split(':').map(Period::parse);
        periods.collect::<Option<_>>().map(TimeControl)
    }

    /// The periods.
    pub fn periods(&self) -> &[Period] {
        &self.0
    }

    /// The seconds that each player has at first, and how many each move adds; `None` if it is
    /// unknown or unlimited.
    pub fn base(&self) -> Option<(Seconds, Seconds)> {
        match *self.0.first()? {
            Period::Unknown | Period::Unlimited => None,
            Period::SuddenDeath(time) | Period::Sandclock(time) => Some((time, Seconds(0))),
            Period::Moves(_, time, more) | Period::Increment(time, more) => Some((time, more)),
        }
    }

    /// How fast the game is; `None` if that is unknown.
    pub fn speed(&self) -> Option<Speed> {
        let (mut seconds, mut moves) = (0, 0);
        let mut periods = self.0.iter();
        let mut period = *periods.next()?;
        while moves < MOVES {
            match period {
                Period::Unknown => return None,
                Period::Unlimited => return Some(Speed::Unlimited),
                Period::Moves(0, ..) => return None,
                Period::Moves(number, time, more) => {
                    let counted = u64::from(number).min(MOVES - moves);
                    seconds += time.0 + counted * more.0;
                    moves += u64::from(number);
                }
                Period::SuddenDeath(time) | Period::Sandclock(time) => {
                    moves = MOVES;
                    seconds += time.0;
                }
                Period::Increment(time, more) => {
                    seconds += time.0 + (MOVES - moves) * more.0;
                    moves = MOVES;
                }
            }
            period = periods.next().copied().unwrap_or(period);
        }
        Some(match seconds / 1000 {
            ..180 => Speed::Bullet,
            180..480 => Speed::Blitz,
            480..1500 => Speed::Rapid,
            _ => Speed::Classical,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Period, Seconds, Speed, TimeControl};

    #[test]
    fn the_examples_of_the_standard() {
        let s = Seconds::whole;
        for (value, periods, base, speed) in [
            ("?", vec![Period::Unknown], None, None),
            ("-", vec![Period::Unlimited], None, Some(Speed::Unlimited)),
            (
                "40/9000",
                vec![Period::Moves(40, s(9000), s(0))],
                Some((s(9000), s(0))),
                Some(Speed::Classical),
            ),
            (
                "300",
                vec![Period::SuddenDeath(s(300))],
                Some((s(300), s(0))),
                Some(Speed::Blitz),
            ),
            (
                "4500+60",
                vec![Period::Increment(s(4500), s(60))],
                Some((s(4500), s(60))),
                Some(Speed::Classical),
            ),
            (
                "*180",
                vec![Period::Sandclock(s(180))],
                Some((s(180), s(0))),
                Some(Speed::Blitz),
            ),
            (
                "20/60:30+1",
                vec![
                    Period::Moves(20, s(60), s(0)),
                    Period::Increment(s(30), s(1)),
                ],
                Some((s(60), s(0))),
                // 60 seconds, 30 more, and 20 for the moves from the 21st to the 40th.
                Some(Speed::Bullet),
            ),
        ] {
            let control = TimeControl::parse(value).unwrap();
            assert_eq!(control.periods(), periods, "{value}");
            assert_eq!((control.base(), control.speed()), (base, speed), "{value}");
        }
        let speed = |value| TimeControl::parse(value).unwrap().speed();
        assert_eq!(speed("15+4"), Some(Speed::Bullet));
        assert_eq!(speed("180+0"), Some(Speed::Blitz));
        assert_eq!(speed("600"), Some(Speed::Rapid));
        // Repeated ten times.
        assert_eq!(speed("4/120"), Some(Speed::Rapid));
        assert_eq!(speed("0/1"), None);
        // Engine matches: 10 and 40 times 0.1 seconds.
        for (value, base, more, expected) in [
            ("10+0.1", 10.0, 0.1, Speed::Bullet),
            ("8+0.08", 8.0, 0.08, Speed::Bullet),
            ("0.5", 0.5, 0.0, Speed::Bullet),
            ("40/120.5", 120.5, 0.0, Speed::Bullet),
            ("170+0,25", 170.0, 0.25, Speed::Blitz),
            // FIDE's: 90 minutes and 30 seconds for each move, later 30 minutes more.
            ("40/5400+30:1800+30", 5400.0, 30.0, Speed::Classical),
            // 20 moves with an increment of a second, 20 without: 120 + 20 + 60.
            ("20/120+1:60", 120.0, 1.0, Speed::Blitz),
            ("20/100+1:59", 100.0, 1.0, Speed::Bullet),
        ] {
            let control = TimeControl::parse(value).unwrap();
            let (first, then) = control.base().unwrap();
            assert_eq!((first.as_f64(), then.as_f64()), (base, more), "{value}");
            assert_eq!(control.speed(), Some(expected), "{value}");
        }
        for odd in [
            "10+0.",
            "10+.1",
            "10.1.2",
            "1.5/60",
            "",
            "3 min",
            "5+3+1",
            "40/5400+30+1",
            "40/5400+",
            "+2",
            "180+",
            "40/",
            "99999999999",
            "300:",
            "G/60",
        ] {
            assert_eq!(TimeControl::parse(odd), None, "{odd}");
        }
    }
}
