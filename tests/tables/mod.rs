//! Tables of games and positions as Arrow and Parquet.

pub(crate) mod from_index;
pub(crate) mod sorted;
pub(crate) mod values;
