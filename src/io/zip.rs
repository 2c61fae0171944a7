//! Opens the files in a zip file, each as a stream of its own.
//!
//! The `zip` crate reads only the directory. Its readers of the data borrow the archive; a
//! [`Source`](super::input::Source) must borrow nothing.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use byteorder::{ByteOrder, LittleEndian};
use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;
use zip::CompressionMethod;
use zip::read::Config;
use zip::unstable::read::ZipIterable;

use super::decode::{Format, InputError};
use super::dir::{LeftOut, TakenPaths, free_path, relative};
use super::read_at::read_some_at;

/// A file in the directory of a zip file.
#[derive(Debug)]
pub(super) struct ZipEntry {
    /// The path of the file, with a number if it occurs more than once.
    pub(super) name: String,
    path: String,
    start: u64,
    pub(super) compressed: u64,
    size: u64,
    crc: u32,
    method: CompressionMethod,
    encrypted: bool,
}

/// Reads the directory: the files in order, without folders, hidden files, files that macOS adds,
/// and links.
pub(super) fn directory(file: &File) -> io::Result<(Vec<ZipEntry>, LeftOut)> {
    let damaged = |error: zip::result::ZipError| match error {
        zip::result::ZipError::Io(error) if error.raw_os_error().is_some() => error,
        error => InputError::ZipDirectory(error.to_string()).into(),
    };
    // `ZipArchive` would return only the last of several entries with the same path.
    let archive = ZipIterable::try_new(BufReader::new(file.try_clone()?), Config::default());
    let (mut entries, mut left_out) = (Vec::<ZipEntry>::new(), LeftOut::default());
    // The bytes of each entry, with its place in the list.
    let mut bytes = Vec::new();
    let mut taken = TakenPaths::new();
    for entry in archive.map_err(damaged)?.files().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        let path = entry.name();
        let path = path.unwrap_or_else(|_| String::from_utf8_lossy(entry.name_raw()));
        let path = path.into_owned();
        let source = relative(&path);
        let name = source.rsplit('/').next().unwrap_or_default();
        let folder = entry.is_dir() || path.ends_with(['/', '\\']);
        if folder || path.starts_with("__MACOSX/") || name.is_empty() {
            continue;
        }
        if name.starts_with('.') {
            left_out.hidden += 1;
            continue;
        }
        if entry.is_symlink() {
            left_out.links.push(path);
            continue;
        }
        let Some(start) = data_start(file, entry.header_start())? else {
            return Err(InputError::ZipDirectory(format!("no data for {path:?}")).into());
        };
        bytes.push((entry.header_start(), start, entries.len()));
        entries.push(ZipEntry {
            name: free_path(&mut taken, &source, str::to_owned),
            start,
            compressed: entry.compressed_size(),
            size: entry.size(),
            crc: entry.crc32(),
            method: entry.compression(),
            encrypted: entry.encrypted(),
            path,
        });
    }
    if entries.is_empty() {
        let what = "is a link: no file is left".to_owned();
        let link = left_out.links.into_iter().next();
        let error = link.map(|link| InputError::Entry(link, what));
        return Err(error.unwrap_or(InputError::EmptyZip).into());
    }
    // A file of some KB whose entries share their data could claim a million times its length.
    bytes.sort_unstable();
    for pair in bytes.windows(2) {
        let [(_, start, place), (next, ..)] = pair else {
            continue;
        };
        let entry = &entries[*place];
        if start.saturating_add(entry.compressed) > *next {
            let what = "shares bytes with another entry, as no zip program writes it".to_owned();
            return Err(InputError::Entry(entry.path.clone(), what).into());
        }
    }
    Ok((entries, left_out))
}

/// Offset of an entry's data, which follow its local header; `None` if there is no local header.
/// The local header has its own lengths of the name and the extra field.
fn data_start(mut file: &File, header: u64) -> io::Result<Option<u64>> {
    const HEADER: usize = 30;
    const LENGTHS_AT: usize = 26;
    let mut bytes = Vec::with_capacity(HEADER);
    file.seek(SeekFrom::Start(header))?;
    file.take(HEADER as u64).read_to_end(&mut bytes)?;
    if bytes.len() < HEADER || !bytes.starts_with(b"PK\x03\x04") {
        return Ok(None);
    }
    let length = |at| u64::from(LittleEndian::read_u16(&bytes[at..]));
    let lengths = length(LENGTHS_AT) + length(LENGTHS_AT + 2);
    Ok(header.checked_add(HEADER as u64 + lengths))
}

impl ZipEntry {
    /// The compressed bytes of the entry.
    pub(super) fn raw(&self, file: &Arc<File>) -> impl Read + Send + use<> {
        let (file, at) = (Arc::clone(file), self.start);
        SharedFile { file, at }.take(self.compressed)
    }

    /// The content of the entry; length and CRC are checked at the end.
    pub(super) fn open(&self, raw: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let refuse = |what: &str| Err(InputError::Entry(self.path.clone(), what.to_owned()).into());
        if self.encrypted {
            return refuse("is encrypted");
        }
        let buffered = BufReader::with_capacity(1 << 16, raw);
        let inner: Box<dyn Read + Send> = match self.method {
            CompressionMethod::Stored => Box::new(buffered),
            CompressionMethod::Deflated => Box::new(DeflateDecoder::new(buffered)),
            _ => {
                return refuse(
                    "uses a compression method other than deflate: extract it with another program",
                );
            }
        };
        Ok(Box::new(ZipContent {
            inner: CrcReader::new(inner),
            read: 0,
            size: self.size,
            crc: self.crc,
            path: self.path.clone(),
        }))
    }
}

/// Reads a file that other readers share, from an offset on.
struct SharedFile {
    file: Arc<File>,
    at: u64,
}

impl Read for SharedFile {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = read_some_at(&self.file, self.at, buf)?;
        self.at += count as u64;
        Ok(count)
    }
}

struct ZipContent {
    inner: CrcReader<Box<dyn Read + Send>>,
    read: u64,
    size: u64,
    crc: u32,
    path: String,
}

impl Read for ZipContent {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        let count = self.inner.read(buf);
        let count = count.map_err(|error| self.translate(error))?;
        self.read += count as u64;
        // Checked at each read and not only at the end, so that an entry that decompresses to
        // terabytes stops at its stated size.
        if self.read > self.size {
            return Err(self.damaged("is longer than the directory says"));
        }
        if count == 0 && self.read < self.size {
            return Err(InputError::Truncated(Format::Zip).into());
        }
        if count == 0 && self.inner.crc().sum() != self.crc {
            return Err(self.damaged("has a wrong CRC"));
        }
        Ok(count)
    }
}

impl ZipContent {
    fn translate(&self, error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ if error.raw_os_error().is_some() => error,
            io::ErrorKind::UnexpectedEof => InputError::Truncated(Format::Zip).into(),
            _ => self.damaged("is damaged"),
        }
    }

    fn damaged(&self, what: &str) -> io::Error {
        InputError::Entry(self.path.clone(), what.to_owned()).into()
    }
}
