//! The native part of the Python package `pgc`: archives, games, tables, `pack` and `unpack`.

use pyo3::prelude::*;

mod archive;
mod ask;
mod change;
mod chosen;
mod convert;
mod error;
mod game;
mod query;
mod table;
mod watch;

#[pymodule]
fn _pgc(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<archive::Archive>()?;
    module.add_class::<archive::Games>()?;
    module.add_class::<game::Game>()?;
    module.add_class::<game::Move>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(archive::open, module)?)?;
    module.add_class::<convert::TextJoiner>()?;
    module.add_function(wrap_pyfunction!(archive::sorted_runs, module)?)?;
    module.add_function(wrap_pyfunction!(ask::stats, module)?)?;
    module.add_function(wrap_pyfunction!(ask::tree, module)?)?;
    module.add_function(wrap_pyfunction!(ask::dups, module)?)?;
    module.add_function(wrap_pyfunction!(ask::unique, module)?)?;
    module.add_function(wrap_pyfunction!(ask::table, module)?)?;
    module.add_function(wrap_pyfunction!(convert::save_pgn, module)?)?;
    module.add_function(wrap_pyfunction!(watch::set_progress, module)?)?;
    module.add_function(wrap_pyfunction!(convert::files_in, module)?)?;
    module.add_function(wrap_pyfunction!(convert::pack, module)?)?;
    module.add_function(wrap_pyfunction!(convert::unpack, module)?)?;
    let py = module.py();
    module.add("DamagedError", py.get_type::<error::DamagedError>())?;
    module.add("Error", py.get_type::<error::Error>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
