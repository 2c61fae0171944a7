//! Opens the files in a tar file one after another; the file may be a pipe.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use tar::{EntryType, Header, PaxExtensions};

use super::decode::{Format, InputError, TAR_BLOCK as BLOCK, is_tar};
use super::dir::{LeftOut, TakenPaths, free_path, relative};

/// The longest extended header.
const LONGEST: u64 = 1 << 20;

/// A file in a tar file.
pub(super) struct TarEntry {
    /// The path of the file, with a number if it occurs more than once.
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) reader: Box<dyn Read + Send>,
}

/// The files of a tar file, without folders, hidden files and links.
pub(super) struct TarFiles {
    stream: Arc<Mutex<TarStream>>,
    taken: TakenPaths,
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
            taken: TakenPaths::new(),
        }
    }

    /// The next file. Counts the hidden files and the links before it.
    pub(super) fn next(&mut self, left_out: &mut LeftOut) -> io::Result<Option<TarEntry>> {
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
                    let name = stream.all(&path)?;
                    long = name.split(|&byte| byte == 0).next().map(<[u8]>::to_vec);
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
                EntryType::Link | EntryType::Symlink => left_out.links.push(path),
                EntryType::GNUSparse => {
                    let what = "is stored without its zeros: extract it with another program";
                    return Err(InputError::TarEntry(path, what.to_owned()).into());
                }
                EntryType::Regular | EntryType::Continuous => {
                    let name = relative(&path);
                    let file = name.rsplit('/').next().unwrap_or_default();
                    if file.is_empty() || file.starts_with('.') {
                        left_out.hidden += usize::from(!file.is_empty());
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
        let mut block = Vec::with_capacity(BLOCK);
        if passed == rest {
            let mut head = self.inner.by_ref().take(BLOCK as u64);
            head.read_to_end(&mut block)?;
        }
        let Ok(block) = <[u8; BLOCK]>::try_from(block) else {
            return Err(InputError::Truncated(Format::Tar).into());
        };
        if block == [0; BLOCK] {
            // Read to the end, so that the checksum of a compressed file is checked.
            io::copy(&mut self.inner, &mut io::sink())?;
            return Ok(None);
        }
        let damage = io::Error::other("a header has another checksum");
        match is_tar(&block) {
            true => Ok(Some(block)),
            false => Err(damaged("", damage)),
        }
    }

    /// The data of the entry.
    fn all(&mut self, path: &str) -> io::Result<Vec<u8>> {
        if self.left > LONGEST {
            let damage = io::Error::other("its extended header is too long");
            return Err(damaged(path, damage));
        }
        let mut data = Vec::new();
        self.read_to_end(&mut data)?;
        Ok(data)
    }
}

impl Read for TarStream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.by_ref().take(self.left).read(buf)?;
        if read == 0 && self.left > 0 && !buf.is_empty() {
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
