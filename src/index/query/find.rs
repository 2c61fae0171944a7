//! Finds the games that match a query.

use super::names::MatchedNames;
use super::plan::QueryPlan;
use super::query::Query;
use crate::format::layout::IndexError;
use crate::read::reader::Index;

/// The games that were found, and details of the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Numbers from 0, ascending.
    pub games: Vec<u32>,
    /// The number of further games that could match, depending on unknown digits of their dates or
    /// unknown ratings. 0 if the query asks for them: then they are among the games.
    pub could: u64,
    /// The values matched by the tests of names, in the order of the clauses and their tests; a
    /// pairing has an entry for each name.
    pub names: Vec<MatchedNames>,
}

impl<D: AsRef<[u8]>> Index<D> {
    /// Finds the games that match all clauses except [`Query::scan_clauses`], which are ignored.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn find(&self, query: &Query) -> Result<Found, IndexError> {
        self.find_with(query, 0)
    }

    /// As [`Index::find`], with a number of threads; 0 is one for each processor.
    ///
    /// # Errors
    /// The index is damaged, or a thread cannot be started.
    pub fn find_with(&self, query: &Query, threads: usize) -> Result<Found, IndexError> {
        let (plan, names) = QueryPlan::of(self.view(), query)?;
        let (games, could) = plan.run(query.maybe, threads)?;
        Ok(Found {
            games,
            could,
            names,
        })
    }
}
