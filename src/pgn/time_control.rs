//! The value of the tag TimeControl (section 9.6.1 of the standard).

/// The moves of a game that its speed is judged by.
const MOVES: u64 = 40;

/// A time control: its periods, in order. The last one repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeControl(Vec<Period>);

/// A period of a time control; times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Period {
    /// `?`
    Unknown,
    /// `-`: there was none.
    Unlimited,
    /// `40/9000`: a number of moves in a time.
    Moves(u32, u32),
    /// `300`: sudden death.
    SuddenDeath(u32),
    /// `4500+60`: a time, and what each move adds to it.
    Increment(u32, u32),
    /// `*180`: a sandclock; the time that one player uses goes to the other.
    Sandclock(u32),
}

/// How fast a game is, by the time for 40 moves: the limits that Lichess uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Speed {
    /// Less than three minutes.
    Bullet,
    /// Less than eight minutes.
    Blitz,
    /// Less than twenty-five minutes.
    Rapid,
    /// More.
    Classical,
    /// Without a time control.
    Unlimited,
}

impl Speed {
    /// All of them.
    pub const ALL: [Speed; 5] = [
        Speed::Bullet,
        Speed::Blitz,
        Speed::Rapid,
        Speed::Classical,
        Speed::Unlimited,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Speed::Bullet => "bullet",
            Speed::Blitz => "blitz",
            Speed::Rapid => "rapid",
            Speed::Classical => "classical",
            Speed::Unlimited => "unlimited",
        }
    }
}

impl Period {
    fn parse(text: &str) -> Option<Period> {
        let number = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| is_number)
        };
        Some(match text {
            "?" => Period::Unknown,
            "-" => Period::Unlimited,
            _ => match (text.split_once('/'), text.split_once('+')) {
                (Some((moves, time)), _) => Period::Moves(number(moves)?, number(time)?),
                (None, Some((base, more))) => Period::Increment(number(base)?, number(more)?),
                (None, None) => match text.strip_prefix('*') {
                    Some(time) => Period::Sandclock(number(time)?),
                    None => Period::SuddenDeath(number(text)?),
                },
            },
        })
    }
}

impl TimeControl {
    /// Parses the value of the tag; `None` if it is none of the six kinds.
    #[must_use]
    pub fn parse(value: &str) -> Option<TimeControl> {
        let periods = value.trim().split(':').map(Period::parse);
        periods.collect::<Option<_>>().map(TimeControl)
    }

    /// Its periods.
    #[must_use]
    pub fn periods(&self) -> &[Period] {
        &self.0
    }

    /// The seconds that each player has at first, and how many each move adds; `None` if it is
    /// unknown or unlimited.
    #[must_use]
    pub fn base(&self) -> Option<(u32, u32)> {
        match *self.0.first()? {
            Period::Unknown | Period::Unlimited => None,
            Period::Moves(_, time) | Period::SuddenDeath(time) | Period::Sandclock(time) => {
                Some((time, 0))
            }
            Period::Increment(time, more) => Some((time, more)),
        }
    }

    /// How fast the game is; `None` if that is unknown.
    #[must_use]
    pub fn speed(&self) -> Option<Speed> {
        let (mut seconds, mut moves) = (0, 0);
        let mut periods = self.0.iter();
        let mut period = *periods.next()?;
        while moves < MOVES {
            match period {
                Period::Unknown => return None,
                Period::Unlimited => return Some(Speed::Unlimited),
                Period::Moves(0, _) => return None,
                Period::Moves(more, time) => {
                    moves += u64::from(more);
                    seconds += u64::from(time);
                }
                Period::SuddenDeath(time) | Period::Sandclock(time) => {
                    moves = MOVES;
                    seconds += u64::from(time);
                }
                Period::Increment(time, more) => {
                    seconds += u64::from(time) + (MOVES - moves) * u64::from(more);
                    moves = MOVES;
                }
            }
            period = periods.next().copied().unwrap_or(period);
        }
        Some(match seconds {
            ..180 => Speed::Bullet,
            180..480 => Speed::Blitz,
            480..1500 => Speed::Rapid,
            _ => Speed::Classical,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Period, Speed, TimeControl};

    #[test]
    fn the_examples_of_the_standard() {
        for (value, periods, base, speed) in [
            ("?", vec![Period::Unknown], None, None),
            ("-", vec![Period::Unlimited], None, Some(Speed::Unlimited)),
            (
                "40/9000",
                vec![Period::Moves(40, 9000)],
                Some((9000, 0)),
                Some(Speed::Classical),
            ),
            (
                "300",
                vec![Period::SuddenDeath(300)],
                Some((300, 0)),
                Some(Speed::Blitz),
            ),
            (
                "4500+60",
                vec![Period::Increment(4500, 60)],
                Some((4500, 60)),
                Some(Speed::Classical),
            ),
            (
                "*180",
                vec![Period::Sandclock(180)],
                Some((180, 0)),
                Some(Speed::Blitz),
            ),
            (
                "20/60:30+1",
                vec![Period::Moves(20, 60), Period::Increment(30, 1)],
                Some((60, 0)),
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
        for odd in [
            "",
            "3 min",
            "5+3+1",
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
