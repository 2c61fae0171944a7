//! Opens the files in a tar file one after another; the file may be a pipe.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use tar::{EntryType, Header, PaxExtensions};

use super::decode::{Format, InputError, TAR_BLOCK as BLOCK, is_tar};
use super::dir::{free_path, relative};

/// The longest extended header.
const LONGEST: u64 = 1 << 20;

/// A file in a tar file.
pub(super) struct TarEntry {
    /// Its path, with a number if it occurs more than once.
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) reader: Box<dyn Read + Send>,
}

/// The files of a tar file, without folders, hidden files and links.
pub(super) struct TarFiles {
    stream: Arc<Mutex<TarStream>>,
    taken: HashMap<String, u64>,
    pub(super) hidden: usize,
    pub(super) links: Vec<String>,
}

struct TarStream {
    inner: Box<dyn Read + Send>,
    /// What is left of the data of the entry, and of what fills up its last block.
    left: u64,
    fill: u64,
    /// Whether the file ended in an entry, and the reader of that was told.
    is_cut: bool,
}

impl TarFiles {
    pub(super) fn new(inner: Box<dyn Read + Send>) -> TarFiles {
        let stream = TarStream {
            inner,
            left: 0,
            fill: 0,
            is_cut: false,
        };
        TarFiles {
            stream: Arc::new(Mutex::new(stream)),
            taken: HashMap::new(),
            hidden: 0,
            links: Vec::new(),
        }
    }

    /// The next file.
    pub(super) fn next(&mut self) -> io::Result<Option<TarEntry>> {
        let stream = Arc::clone(&self.stream);
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        // What headers before that of the file say.
        let (mut long, mut length) = (None, None);
        if stream.is_cut {
            return Ok(None);
        }
        loop {
            let Some(block) = stream.header()? else {
                return match self.taken.is_empty() {
                    true => Err(InputError::EmptyTar.into()),
                    false => Ok(None),
                };
            };
            let header = Header::from_byte_slice(&block);
            let path = long.take();
            let path = path.unwrap_or_else(|| header.path_bytes().into_owned());
            let path = String::from_utf8_lossy(&path).into_owned();
            let size = length.take();
            let size = size.map_or_else(|| header.entry_size(), Ok);
            let size = size.map_err(|error| damaged(&path, error))?;
            (stream.left, stream.fill) = (size, size.wrapping_neg() % BLOCK as u64);
            match header.entry_type() {
                EntryType::GNULongName => {
                    let mut name = stream.all(&path)?;
                    name.truncate(
                        name.iter()
                            .position(|&byte| byte == 0)
                            .unwrap_or(name.len()),
                    );
                    long = Some(name);
                }
                EntryType::XHeader => {
                    let told = stream.all(&path)?;
                    for record in PaxExtensions::new(&told) {
                        let record = record.map_err(|error| damaged(&path, error))?;
                        match record.key_bytes() {
                            b"path" => long = Some(record.value_bytes().to_vec()),
                            b"size" => length = record.value().ok().and_then(|n| n.parse().ok()),
                            _ => {}
                        }
                    }
                }
                EntryType::Link | EntryType::Symlink => self.links.push(path),
                EntryType::GNUSparse => {
                    let what = "is stored without its zeros: extract it with another program";
                    return Err(InputError::TarEntry(path, what.to_owned()).into());
                }
                EntryType::Regular | EntryType::Continuous => {
                    let name = relative(&path);
                    let file = name.rsplit('/').next().unwrap_or_default();
                    if file.is_empty() || file.starts_with('.') {
                        self.hidden += usize::from(!file.is_empty());
                        continue;
                    }
                    return Ok(Some(TarEntry {
                        name: free_path(&mut self.taken, &name, str::to_owned),
                        size,
                        reader: Box::new(TarContent(Arc::clone(&self.stream))),
                    }));
                }
                _ => {}
            }
        }
    }
}

fn damaged(path: &str, error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => InputError::Truncated(Format::Tar).into(),
        _ => InputError::TarEntry(path.to_owned(), format!("is damaged: {error}")).into(),
    }
}

impl TarStream {
    /// The header of the next entry, behind what is left of this one.
    fn header(&mut self) -> io::Result<Option<[u8; BLOCK]>> {
        let rest = self.left + self.fill;
        let passed = io::copy(&mut self.inner.by_ref().take(rest), &mut io::sink())?;
        (self.left, self.fill) = (0, 0);
        let mut block = [0; BLOCK];
        let mut read = 0;
        while passed == rest && read < BLOCK {
            match self.inner.read(&mut block[read..])? {
                0 => break,
                more => read += more,
            }
        }
        if read < BLOCK {
            return Err(InputError::Truncated(Format::Tar).into());
        }
        if block == [0; BLOCK] {
            // Read to the end, so that the checksum of a compressed file is checked.
            io::copy(&mut self.inner, &mut io::sink())?;
            return Ok(None);
        }
        match is_tar(&block) {
            true => Ok(Some(block)),
            false => Err(damaged(
                "",
                io::Error::other("a header has another checksum"),
            )),
        }
    }

    /// The data of the entry.
    fn all(&mut self, path: &str) -> io::Result<Vec<u8>> {
        let mut data = Vec::new();
        if self.left > LONGEST {
            return Err(damaged(
                path,
                io::Error::other("its extended header is too long"),
            ));
        }
        while self.left > 0 {
            let mut part = [0; BLOCK];
            let read = self.read(&mut part)?;
            data.extend_from_slice(&part[..read]);
        }
        Ok(data)
    }
}

impl Read for TarStream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let most = most.min(buf.len());
        let read = self.inner.read(&mut buf[..most])?;
        if read == 0 && most > 0 {
            self.is_cut = true;
            return Err(InputError::Truncated(Format::Tar).into());
        }
        self.left -= read as u64;
        Ok(read)
    }
}

/// Reads the entry that was opened last.
struct TarContent(Arc<Mutex<TarStream>>);

impl Read for TarContent {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stream.read(buf)
    }
}
