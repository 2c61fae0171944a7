//! Recognises compressed streams by their first bytes and decompresses them.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;

use super::window::{Zstd, xz};

/// The length of a header in a tar file, and the unit that data are filled up to.
pub(super) const TAR_BLOCK: usize = 512;

const BUFFER: usize = 1 << 17;

/// The compression format of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Uncompressed.
    Plain,
    /// gzip, any number of members.
    Gzip,
    /// bzip2, any number of streams.
    Bzip2,
    /// xz, any number of streams.
    Xz,
    /// Zstandard, any number of frames, skippable ones included.
    Zstd,
    /// zip, any number of files.
    Zip,
    /// tar, any number of files.
    Tar,
}

impl Format {
    /// Length of the longest signature: the header of a tar file.
    pub const HEAD: usize = TAR_BLOCK;

    /// The format of a stream, from its first [`Format::HEAD`] bytes, or all its bytes if it is
    /// shorter.
    pub fn detect(head: &[u8]) -> Format {
        match head {
            [0x1f, 0x8b, ..] => Format::Gzip,
            [0xfd, b'7', b'z', b'X', b'Z'] | [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Format::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Format::Zstd,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => Format::Zip,
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if is_bzip2_block(rest) => Format::Bzip2,
            _ if is_tar(head) => Format::Tar,
            _ => Format::Plain,
        }
    }

    /// The name of the format, and the extensions that it adds to the name of a file.
    fn names(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Format::Plain => ("plain", &[]),
            Format::Gzip => ("gzip", &[".gz", ".gzip"]),
            Format::Bzip2 => ("bzip2", &[".bz2"]),
            Format::Xz => ("xz", &[".xz"]),
            Format::Zstd => ("zstd", &[".zst", ".zstd"]),
            Format::Zip => ("zip", &[]),
            Format::Tar => ("tar", &[]),
        }
    }

    /// The name of the format in messages.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Removes the extension of a compression from a file name, ignoring case.
    pub(super) fn strip_ending(self, name: &str) -> &str {
        let stem = |ending: &&str| {
            let (stem, end) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
            (!stem.is_empty() && end.eq_ignore_ascii_case(ending)).then_some(stem)
        };
        self.names().1.iter().find_map(stem).unwrap_or(name)
    }
}

/// Whether a file begins with the header of a tar file.
pub(super) fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<TAR_BLOCK>() else {
        return false;
    };
    let sum = |range: std::ops::Range<usize>| -> u32 {
        block[range].iter().map(|&byte| u32::from(byte)).sum()
    };
    // The sum counts its own field as eight blanks.
    let sum = sum(0..148) + 8 * u32::from(b' ') + sum(156..TAR_BLOCK);
    let told = tar::Header::from_byte_slice(block).cksum();
    block[0] != 0 && told.is_ok_and(|told| told == sum)
}

/// Whether a bzip2 block or the end of the stream follows the header. "BZh9" alone could begin a
/// text, so the magic number of one of the two must follow, or as much of it as the file has.
fn is_bzip2_block(rest: &[u8]) -> bool {
    const BLOCK: [u8; 6] = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
    const END: [u8; 6] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
    let rest = &rest[..rest.len().min(6)];
    BLOCK.starts_with(rest) || END.starts_with(rest)
}

/// An error in a compressed input, always wrapped in an [`io::Error`].
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The input ends too early; every byte before that has been returned.
    #[error("the {} data end early: the file is incomplete", .0.name())]
    Truncated(Format),
    /// Decompressing would take more memory than allowed.
    #[error(
        "this {} file needs too wide a decoder window (over 64 MiB, or over 128 MiB in the first frame of zstd): \
         decompress it with its own program and pipe the text, or compress it again with a smaller window",
        .0.name()
    )]
    Window(Format),
    /// The decompressor rejects the data.
    #[error("damaged {} data, or other bytes after their end", .0.name())]
    Damaged(Format, #[source] io::Error),
    /// An entry of a zip file cannot be decoded: its name, and why.
    #[error("zip entry {0:?}: {1}")]
    Entry(String, String),
    /// An entry of a tar file cannot be read: its name, and why.
    #[error("tar entry {0:?}: {1}")]
    TarEntry(String, String),
    /// The directory of a zip file cannot be read.
    #[error("damaged or incomplete zip file (its directory is at the end): {0}")]
    ZipDirectory(String),
    /// A zip file without files.
    #[error("the zip file is empty")]
    EmptyZip,
    /// A tar file without files.
    #[error("the tar file has no files")]
    EmptyTar,
    /// The input decompresses to more bytes than its limit.
    #[error("gives more than {0} bytes, which is all that --max-input allows")]
    Limit(u64),
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> io::Error {
        let kind = match error {
            InputError::Truncated(_) => io::ErrorKind::UnexpectedEof,
            InputError::Window(_) => io::ErrorKind::Unsupported,
            InputError::Limit(_) => io::ErrorKind::FileTooLarge,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

/// Whether the error says that a compressed input ends early.
pub fn is_truncated(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    matches!(inner, Some(InputError::Truncated(_)))
}

/// A stream whose first bytes have been examined. It gives them again, and then the error that ended
/// the examination, if there was one.
#[expect(missing_debug_implementations, reason = "readers have none")]
pub struct Peeked {
    head: Cursor<Vec<u8>>,
    failed: Option<io::Error>,
    rest: Box<dyn Read + Send>,
}

impl Peeked {
    /// Reads the first bytes, up to that many.
    pub fn new(rest: Box<dyn Read + Send>, bytes: usize) -> Peeked {
        let (head, failed) = (Cursor::default(), None);
        let mut peeked = Peeked { head, failed, rest };
        peeked.look(bytes);
        peeked
    }

    /// The bytes that were read.
    pub fn head(&self) -> &[u8] {
        self.head.get_ref()
    }

    /// Whether the stream has no bytes.
    ///
    /// # Errors
    /// The stream cannot be read.
    pub fn is_empty(&mut self) -> io::Result<bool> {
        Ok(self.head().is_empty() && self.read(&mut [0])? == 0)
    }

    /// Reads on, up to that many bytes in all.
    pub fn look(&mut self, bytes: usize) {
        let more = bytes.saturating_sub(self.head().len()) as u64;
        if self.failed.is_none() {
            let mut more = self.rest.by_ref().take(more);
            self.failed = more.read_to_end(self.head.get_mut()).err();
        }
    }
}

impl Read for Peeked {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.head.read(buf)? {
            0 => self.failed.take().map_or_else(|| self.rest.read(buf), Err),
            read => Ok(read),
        }
    }
}

/// Reads the first bytes of a stream, and returns a stream that still begins with them.
pub(super) fn recognise(rest: Box<dyn Read + Send>) -> (Format, Box<dyn Read + Send>) {
    let peeked = Peeked::new(rest, Format::HEAD);
    (Format::detect(peeked.head()), Box::new(peeked))
}

/// Wraps a stream in the decompressor of its format (a zip file and a tar file are not one stream,
/// and are returned unchanged).
pub(super) fn decoder(
    format: Format,
    reader: Box<dyn Read + Send>,
) -> io::Result<Box<dyn Read + Send>> {
    let buffered = BufReader::with_capacity(BUFFER, reader);
    let inner: Box<dyn Read + Send> = match format {
        Format::Plain | Format::Zip | Format::Tar => return Ok(buffered.into_inner()),
        Format::Gzip => Box::new(Members(Some(GzDecoder::new(buffered)))),
        Format::Bzip2 => Box::new(MultiBzDecoder::new(buffered)),
        Format::Xz => Box::new(xz(buffered)?),
        Format::Zstd => Box::new(Zstd::new(buffered)?),
    };
    Ok(Box::new(CheckedDecoder {
        inner,
        format,
        failed: false,
    }))
}

/// Any number of gzip members. The `MultiGzDecoder` of `flate2` is not used: it takes a few other
/// bytes behind the last member for a member that is cut off.
struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.0 else {
                return Ok(0);
            };
            let count = member.read(buf)?;
            if count > 0 || buf.is_empty() {
                return Ok(count);
            }
            match member.get_mut().fill_buf()? {
                [] => self.0 = None,
                [0x1f] | [0x1f, 0x8b, ..] => {
                    let read = self.0.take().map(GzDecoder::into_inner);
                    self.0 = read.map(GzDecoder::new);
                }
                // Tapes and disk images fill up their last block; gzip passes over the zeros.
                filler @ [0, ..] => {
                    let zeros = filler.iter().take_while(|&&byte| byte == 0).count();
                    member.get_mut().consume(zeros);
                }
                _ => {
                    let what = "other bytes behind the last member";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
            }
        }
    }
}

/// Converts the errors of a decompressor. After an error every read fails, so that nobody takes the
/// error for the end.
struct CheckedDecoder {
    inner: Box<dyn Read + Send>,
    format: Format,
    failed: bool,
}

impl Read for CheckedDecoder {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.failed {
            return Err(io::Error::other("read again after an error"));
        }
        match self.inner.read(buf) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.failed = true;
                Err(translate(self.format, error))
            }
            result => result,
        }
    }
}

fn translate(format: Format, error: io::Error) -> io::Error {
    if error.raw_os_error().is_some() {
        return error;
    }
    let lzma = error.get_ref().and_then(|inner| inner.downcast_ref());
    // The zstd crate passes on only the text of the error.
    if matches!(lzma, Some(liblzma::stream::Error::MemLimit))
        || format == Format::Zstd && error.to_string().contains("too much memory")
    {
        return InputError::Window(format).into();
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => InputError::Truncated(format).into(),
        _ => InputError::Damaged(format, error).into(),
    }
}
