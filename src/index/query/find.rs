//! Finds the games that fulfil a query.

use super::names::MatchedNames;
use super::plan::QueryPlan;
use super::query::Query;
use crate::index::format::layout::IndexError;
use crate::index::read::reader::Index;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Numbers from 0, ascending.
    pub games: Vec<u32>,
    /// So many more fit if what is not known of their date or ratings makes them. 0 if they were
    /// asked for: then they are among the games.
    pub could: u64,
    /// What the tests of names found, in the order of the clauses and their tests; of a pairing,
    /// one for each name.
    pub names: Vec<MatchedNames>,
}

impl<D: AsRef<[u8]>> Index<D> {
    /// The games that fulfil all clauses, but for those of [`Query::scan_clauses`], which are
    /// passed over.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn find(&self, query: &Query) -> Result<Found, IndexError> {
        self.find_with(query, 0)
    }

    /// As [`Index::find`], on so many threads; 0 is one for each processor.
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
