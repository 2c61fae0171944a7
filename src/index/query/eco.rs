//! Ranges of ECO codes.

use std::str::FromStr;

use super::error::ArgumentError;
use pgc_pgn::eco;

/// A range of ECO codes, as the index stores them (spec/index.md section 3): `B33`, `B3`, `B`,
/// `B30-B39`, `B9-C1`: its first and its last number. `none` matches games without a code, `other`
/// values that are not codes.
///
/// ```
/// use pgc_index::EcoRange;
///
/// let range: EcoRange = "b30-B39".parse()?;
/// assert!(range.contains(131) && !range.contains(141));
/// assert_eq!("B3".parse::<EcoRange>()?, range);
/// # Ok::<(), pgc_index::ArgumentError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcoRange(u16, u16);

impl EcoRange {
    /// Whether a number from the ECO column is in the range.
    pub fn contains(&self, eco: u32) -> bool {
        (u32::from(self.0)..=u32::from(self.1)).contains(&eco)
    }
}

impl FromStr for EcoRange {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<EcoRange, ArgumentError> {
        let given = text.trim();
        let wrong = || ArgumentError::Eco(text.to_owned());
        match given.to_ascii_lowercase().as_str() {
            "none" => return Ok(EcoRange(eco::NONE, eco::NONE)),
            "other" => return Ok(EcoRange(eco::OTHER, eco::OTHER)),
            _ => {}
        }
        let ends = given.split_once("..").or_else(|| given.split_once('-'));
        let (from, to) = ends.unwrap_or((given, given));
        let (from, _) = eco::that_begin(from.trim()).ok_or_else(wrong)?;
        let (_, to) = eco::that_begin(to.trim()).ok_or_else(wrong)?;
        match from <= to {
            true => Ok(EcoRange(from, to)),
            false => Err(ArgumentError::Backwards(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eco_codes() {
        let range = |text: &str| text.parse::<EcoRange>().map(|range| (range.0, range.1));
        assert_eq!(range("A00"), Ok((1, 1)));
        assert_eq!(range("e99"), Ok((500, 500)));
        assert_eq!(range("B"), Ok((101, 200)));
        assert_eq!(range("B3"), Ok((131, 140)));
        assert_eq!(range("B30-B39"), Ok((131, 140)));
        assert_eq!(range("B9..c1"), Ok((191, 220)));
        assert_eq!(
            (range("none"), range("Other")),
            (Ok((0, 0)), Ok((501, 501)))
        );
        for text in ["", "F00", "B333", "33", "B-", "-B", "Bx", "B33a"] {
            assert!(matches!(range(text), Err(ArgumentError::Eco(_))), "{text}");
        }
        assert!(matches!(range("C-B"), Err(ArgumentError::Backwards(_))));
    }
}
