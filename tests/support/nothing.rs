//! A sink that keeps nothing, for what may be long; the fuzz targets use it too.

use std::io;

use pgc::Sink;

pub(crate) struct Nothing;

impl Sink for Nothing {
    fn write(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}
