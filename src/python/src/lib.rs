//! The native part of the Python package `pgc`: archives, games, tables, `pack` and `unpack`.

use pyo3::pymodule;

mod archive;
mod ask;
mod change;
mod chosen;
mod convert;
mod error;
mod game;
mod table;
mod watch;

#[pymodule]
mod _pgc {
    #[pymodule_export]
    use crate::archive::{Archive, Games, open, sorted_runs};
    #[pymodule_export]
    use crate::ask::{check, dups, questions, standings, stats, table, tree, unique};
    #[pymodule_export]
    use crate::convert::{TextJoiner, files_in, pack, save_pgn, unpack};
    #[pymodule_export]
    use crate::error::{DamagedError, Error};
    #[pymodule_export]
    use crate::game::{Game, Move};
    #[pymodule_export]
    use crate::table::{Table, save_parquet};
    #[pymodule_export]
    use crate::watch::set_progress;

    #[pymodule_export]
    #[expect(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
