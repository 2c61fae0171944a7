//! Opens sources of text or archives: a file, a pipe, or the files in a zip or tar file, compressed or
//! not, recognised by content.
//!
//! ```
//! use std::io::Read;
//! use pgc_io::input::{Counter, Input};
//!
//! let counter = Counter::default();
//! let mut input = Input::from_reader("game.pgn", &b"1. e4 *\n"[..], &counter)?;
//! let mut source = input.next().expect("an input has at least one source")?;
//! let mut text = String::new();
//! source.reader.read_to_string(&mut text)?;
//! assert_eq!((source.name.as_str(), text.as_str()), ("game.pgn", "1. e4 *\n"));
//! assert_eq!(counter.bytes(), 8);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::vec;

use portable_atomic::AtomicU64;

use super::decode::{self, Format, InputError};
use super::dir::LeftOut;
use super::tar::{TarEntry, TarFiles};
use super::temp::TempFile;
use super::zip::{self, ZipEntry};

/// Counts bytes read from the input, before decompression; clones share the count.
#[derive(Clone, Debug, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    /// The number of bytes so far.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts more bytes.
    pub fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    fn count<R: Read + Send>(&self, inner: R) -> Counting<R> {
        let counter = self.clone();
        Counting { inner, counter }
    }
}

/// One decompressed source.
#[expect(missing_debug_implementations, reason = "readers have none")]
pub struct Source {
    /// File name, without the extension of a compression; for a file in a zip or tar file, its path
    /// there.
    pub name: String,
    /// The decompressed content. If a compressed source ends early, the reader returns all bytes
    /// before that and then an error that [`is_truncated`](super::is_truncated) recognises.
    pub reader: Box<dyn Read + Send>,
    /// The compression format.
    pub format: Format,
    /// Length before decompression, if known.
    pub raw_len: Option<u64>,
}

/// An opened input: an iterator over its sources (one, unless it is a zip or tar file).
#[expect(missing_debug_implementations, reason = "readers have none")]
pub struct Input {
    raw_len: Option<u64>,
    sources: usize,
    left_out: LeftOut,
    /// The number of bytes that all sources together may give, and how many are left.
    limit: Option<(u64, Arc<AtomicU64>)>,
    kind: InputKind,
}

enum InputKind {
    Stream(Option<Source>),
    Tar(TarFiles),
    /// The counter counts the bytes that are read of its files.
    Zip(Arc<File>, vec::IntoIter<ZipEntry>, Counter),
}

impl Input {
    /// Opens a file.
    ///
    /// # Errors
    /// The file cannot be read, or is a zip file without a readable directory.
    pub fn open(path: impl AsRef<Path>, counter: &Counter) -> io::Result<Input> {
        let path = path.as_ref();
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !metadata.is_file() {
            return Input::from_reader(&name, file, counter);
        }
        let mut head = Vec::with_capacity(Format::HEAD);
        (&file).take(Format::HEAD as u64).read_to_end(&mut head)?;
        file.rewind()?;
        let (format, length) = (Format::detect(&head), Some(metadata.len()));
        if format == Format::Zip {
            return Input::zip(file, length, counter);
        }
        let reader = Box::new(counter.count(file));
        Input::for_format(&name, format, reader, length)
    }

    /// Opens any stream. A zip file is first copied to a temporary file, since its directory is at
    /// its end.
    ///
    /// # Errors
    /// The beginning cannot be read, or the stream is a zip file that cannot be copied.
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        counter: &Counter,
    ) -> io::Result<Input> {
        let (format, mut reader) = decode::recognise(Box::new(counter.count(reader)));
        if format == Format::Zip {
            let spool = TempFile::new_in(std::env::temp_dir())?;
            io::copy(&mut reader, &mut &spool)?;
            (&spool).rewind()?;
            return Input::zip(spool.file, None, &Counter::default());
        }
        Input::for_format(name, format, reader, None)
    }

    fn for_format(
        name: &str,
        format: Format,
        reader: Box<dyn Read + Send>,
        raw_len: Option<u64>,
    ) -> io::Result<Input> {
        let mut reader = decode::decoder(format, reader)?;
        let mut inner = format;
        if !matches!(format, Format::Plain | Format::Tar) {
            (inner, reader) = decode::recognise(reader);
        }
        let (sources, kind) = match inner {
            Format::Tar => (usize::MAX, InputKind::Tar(TarFiles::new(reader))),
            _ => {
                let source = Source {
                    name: format.strip_ending(name).to_owned(),
                    reader,
                    format,
                    raw_len,
                };
                (1, InputKind::Stream(Some(source)))
            }
        };
        Ok(Input {
            raw_len,
            sources,
            left_out: LeftOut::default(),
            limit: None,
            kind,
        })
    }

    fn zip(file: File, raw_len: Option<u64>, counter: &Counter) -> io::Result<Input> {
        let (entries, left_out) = zip::directory(&file)?;
        Ok(Input {
            raw_len,
            sources: entries.len(),
            left_out,
            limit: None,
            kind: InputKind::Zip(Arc::new(file), entries.into_iter(), counter.clone()),
        })
    }

    /// The number of sources; the greatest of all numbers for a tar file, which does not tell.
    pub fn sources(&self) -> usize {
        self.sources
    }

    /// Number of files of a zip file, or of those read of a tar file, that are left out because their names begin with a dot.
    pub fn hidden(&self) -> usize {
        self.left_out.hidden
    }

    /// Names of the links in a zip file, or in what was read of a tar file, which are left out: they
    /// name files elsewhere.
    pub fn links(&self) -> &[String] {
        &self.left_out.links
    }

    /// Length before decompression, if known.
    pub fn raw_len(&self) -> Option<u64> {
        self.raw_len
    }

    /// Limits the number of bytes that all sources together give, after decompression: reading more
    /// is an [`InputError::Limit`].
    pub fn limited(mut self, limit: Option<u64>) -> Input {
        self.limit = limit.map(|limit| (limit, Arc::new(AtomicU64::new(limit))));
        self
    }
}

impl Iterator for Input {
    type Item = io::Result<Source>;

    fn next(&mut self) -> Option<io::Result<Source>> {
        let source = match &mut self.kind {
            InputKind::Stream(source) => Ok(source.take()?),
            InputKind::Zip(file, entries, counter) => {
                let entry = entries.next()?;
                let raw = Box::new(counter.count(entry.raw(file)));
                entry.open(raw).and_then(|content| {
                    let length = entry.compressed;
                    entry_source(&entry.name, (content, length), Format::Zip)
                })
            }
            InputKind::Tar(files) => match files.next(&mut self.left_out).transpose()? {
                Ok(TarEntry { name, size, reader }) => {
                    entry_source(&name, (reader, size), Format::Tar)
                }
                Err(error) => {
                    self.kind = InputKind::Stream(None);
                    Err(error)
                }
            },
        };
        let Some((limit, left)) = &self.limit else {
            return Some(source);
        };
        let limited = |source: Source| Source {
            reader: Box::new(Limited {
                inner: source.reader,
                limit: *limit,
                left: Arc::clone(left),
            }),
            ..source
        };
        Some(source.map(limited))
    }
}

/// A reader that gives no more bytes than the input may.
struct Limited {
    inner: Box<dyn Read + Send>,
    limit: u64,
    left: Arc<AtomicU64>,
}

impl Read for Limited {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.left.load(Ordering::Relaxed);
        // Ask for one byte more than is left: if it comes, the limit is exceeded.
        let mut most = self.inner.by_ref().take(left.saturating_add(1));
        let count = most.read(buf)?;
        let left = left.checked_sub(count as u64);
        let left = left.ok_or(InputError::Limit(self.limit))?;
        self.left.store(left, Ordering::Relaxed);
        Ok(count)
    }
}

/// A file in a zip or tar file. It may itself be compressed (`games.pgn.gz`), but a zip or tar file
/// in another one is not opened.
fn entry_source(
    name: &str,
    (content, length): (Box<dyn Read + Send>, u64),
    outer: Format,
) -> io::Result<Source> {
    let (format, reader) = decode::recognise(content);
    Ok(Source {
        name: format.strip_ending(name).to_owned(),
        reader: decode::decoder(format, reader)?,
        format: outer,
        raw_len: Some(length),
    })
}

struct Counting<R> {
    inner: R,
    counter: Counter,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buf)?;
        self.counter.add(count as u64);
        Ok(count)
    }
}
