//! Packs games of archives again: one thread supplies their texts, another packs them.

use std::path::Path;

use pgc::fault::ArchiveFault;
use pgc::indexing::Indexing;
use pgc::join::feed::{Feed, feed};
use pgc::{Archive, Hooks, PackOptions, Summary};
use pgc_io::output::Output;

use super::failure;
use super::interrupt;
use super::output::shown;
use super::packing::pack_source;

/// Callbacks that report only an interrupt.
pub(super) struct Asked;

impl Hooks for Asked {
    fn cancelled(&mut self) -> bool {
        interrupt::requested()
    }
}

/// Packs the text that `give` writes to the feed, as a source named after the output. If `give`
/// fails, the error names one of `archives`. Also returns the result of `give`.
pub(super) fn repack<S: Send>(
    archives: &[&Archive],
    give: impl FnOnce(&mut Feed) -> Result<S, ArchiveFault> + Send,
    (path, mut output): (&Path, &mut Output),
    options: &PackOptions,
    indexing: Option<&mut Indexing<'_>>,
) -> anyhow::Result<(Summary, S)> {
    let stem = path.file_stem().unwrap_or_default();
    let name = format!("{}.pgn", stem.to_string_lossy());
    // The archive that an error of `give` is about.
    let mut blamed = None;
    let fed = feed(
        |feed| {
            give(feed).map_err(|fault| {
                blamed = fault.archive;
                fault.error
            })
        },
        |source| pack_source(source, &name, &mut output, options, &mut Asked, indexing),
    );
    fed.map_err(|error| match blamed {
        Some(archive) => failure::with_name(error.into(), || shown(archives[archive].path())),
        None => failure::with_name(error.into(), || shown(path)),
    })
}
