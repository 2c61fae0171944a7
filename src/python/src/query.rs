//! Keyword arguments as a query: `player="tal m", date=["1959", "1960"], not_event="blitz"`.

use pgc::Query;
use pgc_index::{AskedOption, JoinOption, OPTIONS};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The query that keyword arguments ask: the options of `pgc find`, with `_` for `-`. A value is a
/// truth, or a list of texts.
pub(crate) fn query(questions: Option<&Bound<'_, PyDict>>) -> PyResult<Query> {
    let wrong = |name: &str, error: &dyn std::fmt::Display| {
        PyValueError::new_err(format!("{name}: {error}"))
    };
    let (mut asked, mut maybe) = (Vec::new(), false);
    for (name, value) in questions.into_iter().flatten() {
        let name: String = name.extract()?;
        let option = name.trim_end_matches('_').replace('_', "-");
        match option.as_str() {
            "maybe" => maybe = value.extract()?,
            // Keyword arguments have no order, so they join nothing: a text of options does.
            "then" | "next" | "or" => {
                return Err(PyTypeError::new_err(format!(
                    "{name}: give the questions as one text of options, with --{option}"
                )));
            }
            join if let Some(join) = JoinOption::named(join) => {
                let value = match join.value {
                    "" if !value.extract::<bool>()? => continue,
                    "" => String::new(),
                    _ => value.extract::<Vec<String>>()?.concat(),
                };
                asked.push(join.parse(&value).map_err(|error| wrong(&name, &error))?);
            }
            _ => {
                let found = OPTIONS.iter().find_map(|known| {
                    let is_opposite = known.opposite == option;
                    (known.name == option || is_opposite).then_some((known, is_opposite))
                });
                let Some((known, not)) = found else {
                    return Err(PyTypeError::new_err(format!("there is no question {name}")));
                };
                let (not, given) = match known.value {
                    // `broken=False` asks for the opposite.
                    "" => (not == value.extract::<bool>()?, vec![String::new()]),
                    _ => (not, value.extract()?),
                };
                for value in given {
                    let test = known.parse(&value).map_err(|error| wrong(&name, &error))?;
                    asked.push(AskedOption::Test(known, not, test));
                }
            }
        }
    }
    let query = Query::of_asked(asked);
    let query = query.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Query { maybe, ..query })
}
