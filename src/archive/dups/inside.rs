//! Games whose moves are the beginning of another game of the same players and year (D66).

use crate::dups::fields::FieldReader;
use crate::run::Error;

/// Games with the same moves, players and year.
#[derive(Debug)]
pub(super) struct Copies {
    pub(super) games: Vec<u64>,
    /// The position in the list of the copies that these continue.
    pub(super) beginning: Option<usize>,
}

/// Finds such copies among sorted lines: a line comes after the lines that it begins with, and the
/// lines between have the same beginning.
#[derive(Default)]
pub(super) struct InsideSearch {
    /// The lines that the last line begins with, and the last line itself; the shortest first.
    open: Vec<ContinuedLine>,
    lead: u32,
    last: Vec<u8>,
    /// All copies that are linked to others; a beginning comes before the copies that continue it.
    pub(super) found: Vec<Copies>,
}

struct ContinuedLine {
    len: usize,
    games: Vec<u64>,
    /// The games by players and year, once another line asks.
    pairs: Option<Vec<PairGames>>,
}

/// The games of two players in a year.
struct PairGames {
    pair: [u32; 3],
    games: Vec<u64>,
    /// The position of the games in `found`.
    place: Option<usize>,
}

impl InsideSearch {
    /// Adds the games with a line.
    pub(super) fn add(
        &mut self,
        lead: u32,
        line: &[u8],
        games: &[u64],
        fields: &FieldReader<'_>,
    ) -> Result<(), Error> {
        let (last, is_lead) = (&self.last, self.lead == lead);
        let begins = |open: &ContinuedLine| is_lead && line.starts_with(&last[..open.len]);
        while self.open.pop_if(|open| !begins(open)).is_some() {}
        let mut pairs = None;
        if !self.open.is_empty() {
            let mine = pairs.insert(pairs_of(games, fields)?);
            mine.iter_mut()
                .try_for_each(|pair| self.link(pair, fields))?;
        }
        self.open.push(ContinuedLine {
            len: line.len(),
            games: games.to_vec(),
            pairs,
        });
        self.lead = lead;
        self.last.clear();
        self.last.extend_from_slice(line);
        Ok(())
    }

    /// Links games to those of the same pair with the longest line that theirs begins with. There
    /// are at most as many open lines as the line has plies, so the time is linear in the plies.
    fn link(&mut self, pair: &mut PairGames, fields: &FieldReader<'_>) -> Result<(), Error> {
        for open in self.open.iter_mut().rev() {
            let theirs = match &mut open.pairs {
                Some(pairs) => pairs,
                none => none.insert(pairs_of(&open.games, fields)?),
            };
            let Ok(at) = theirs.binary_search_by_key(&pair.pair, |pair| pair.pair) else {
                continue;
            };
            let beginning = place(&mut self.found, &mut theirs[at], None);
            place(&mut self.found, pair, Some(beginning));
            return Ok(());
        }
        Ok(())
    }
}

/// The position of games in `found`; adds them if they are missing.
fn place(found: &mut Vec<Copies>, pair: &mut PairGames, beginning: Option<usize>) -> usize {
    *pair.place.get_or_insert_with(|| {
        found.push(Copies {
            games: pair.games.clone(),
            beginning,
        });
        found.len() - 1
    })
}

fn pairs_of(games: &[u64], fields: &FieldReader<'_>) -> Result<Vec<PairGames>, Error> {
    let of_games = fields.read(games)?.into_iter().zip(games);
    let keyed = of_games.filter_map(|(fields, &game)| Some((fields.pair()?, game)));
    let mut keyed: Vec<([u32; 3], u64)> = keyed.collect();
    keyed.sort_unstable();
    let pairs = keyed.chunk_by(|a, b| a.0 == b.0).map(|equal| PairGames {
        pair: equal[0].0,
        games: equal.iter().map(|game| game.1).collect(),
        place: None,
    });
    Ok(pairs.collect())
}
