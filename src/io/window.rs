//! Decompressors with a window, and the memory that the windows take: packing must do with so much
//! less.

use std::io::{self, BufRead, Chain, Cursor, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use byteorder::{ByteOrder, LittleEndian};
use liblzma::stream::{Action, CONCATENATED, Error, Status, Stream};
use zstd::stream::read::Decoder;

/// The largest accepted window in bytes: half of the 256 MiB that a run may use.
pub(crate) const MAX_WINDOW: u64 = 1 << MAX_WINDOW_LOG;
const MAX_WINDOW_LOG: u32 = 27;

/// Memory that liblzma needs besides the window.
const XZ_OVERHEAD: u64 = 1 << 20;

/// The window of `xz -9`; a smaller window counts as this one.
const XZ_USUAL: u64 = 1 << 26;

/// Total size of the windows of all decompressors.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// The total size of the windows now in memory.
pub fn windows_held() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// The window of one decompressor.
#[derive(Default)]
struct Held(usize);

impl Held {
    fn set(&mut self, bytes: u64) {
        let bytes = usize::try_from(bytes.min(MAX_WINDOW)).unwrap_or(0);
        HELD.fetch_add(bytes, Ordering::Relaxed);
        HELD.fetch_sub(self.0, Ordering::Relaxed);
        self.0 = bytes;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// Any number of Zstandard frames, each with its own decompressor, since each frame states the size
/// of its window at its beginning.
pub(super) struct Zstd<R> {
    state: ZstdState<R>,
    held: Held,
}

/// A stream behind the bytes that were read ahead of it.
type Ahead<R> = Chain<Cursor<Vec<u8>>, R>;

enum ZstdState<R> {
    Between(Ahead<R>),
    Frame(Decoder<'static, Ahead<R>>),
    /// After an error.
    Over,
}

impl<R: BufRead> Zstd<R> {
    pub(super) fn new(inner: R) -> Zstd<R> {
        let state = ZstdState::Between(Cursor::default().chain(inner));
        let held = Held::default();
        Zstd { state, held }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            self.state = match std::mem::replace(&mut self.state, ZstdState::Over) {
                ZstdState::Between(mut ahead) => {
                    let mut head = Vec::new();
                    (&mut ahead).take(FRAME_HEAD).read_to_end(&mut head)?;
                    let (window, is_end) = (window_of(&head), head.is_empty());
                    // The head of the frame before is no longer, so all of it has been read.
                    let ahead = Cursor::new(head).chain(ahead.into_inner().1);
                    if is_end {
                        self.state = ZstdState::Between(ahead);
                        return Ok(0);
                    }
                    self.held.set(window);
                    let mut decoder = Decoder::with_buffer(ahead)?.single_frame();
                    decoder.window_log_max(MAX_WINDOW_LOG)?;
                    ZstdState::Frame(decoder)
                }
                ZstdState::Frame(mut decoder) => match decoder.read(buf) {
                    Ok(0) => ZstdState::Between(decoder.finish()),
                    Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                    result => {
                        self.state = ZstdState::Frame(decoder);
                        return result;
                    }
                },
                ZstdState::Over => return Err(io::Error::other("read again after an error")),
            };
        }
    }
}

/// Length of the longest frame header (RFC 8878, 3.1.1.1) with the magic number.
const FRAME_HEAD: u64 = 18;

/// The window that a frame header asks for; 0 if it is not a frame header.
fn window_of(head: &[u8]) -> u64 {
    let [0x28, 0xb5, 0x2f, 0xfd, descriptor, rest @ ..] = head else {
        return 0;
    };
    let is_single = descriptor & 0x20 != 0;
    if !is_single {
        // Exponent and mantissa.
        return rest.first().map_or(0, |window| {
            let base = 1_u64 << (10 + (window >> 3));
            base + base / 8 * u64::from(window & 7)
        });
    }
    // The window is the whole content, whose length follows the number of the dictionary.
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let length = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    let bytes = rest.get(dictionary..dictionary + length);
    bytes.map_or(0, |bytes| LittleEndian::read_uint(bytes, length))
}

/// Any number of xz streams.
pub(super) struct Xz<R> {
    inner: R,
    stream: Stream,
    held: Held,
}

impl<R: BufRead> Xz<R> {
    pub(super) fn new(inner: R) -> io::Result<Xz<R>> {
        let mut held = Held::default();
        held.set(XZ_USUAL);
        let stream = Stream::new_stream_decoder(XZ_USUAL + XZ_OVERHEAD, CONCATENATED)?;
        Ok(Xz {
            inner,
            stream,
            held,
        })
    }
}

impl<R: BufRead> Read for Xz<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            let input = self.inner.fill_buf()?;
            let is_end = input.is_empty();
            let (taken, given) = (self.stream.total_in(), self.stream.total_out());
            let action = if is_end { Action::Finish } else { Action::Run };
            let done = self.stream.process(input, buf, action);
            let taken = usize::try_from(self.stream.total_in() - taken).unwrap_or(0);
            let given = usize::try_from(self.stream.total_out() - given).unwrap_or(0);
            self.inner.consume(taken);
            let status = match done {
                // The decompressor continues if allowed more memory.
                Err(Error::MemLimit) if (self.held.0 as u64) < MAX_WINDOW => {
                    self.held.set(MAX_WINDOW);
                    self.stream.set_memlimit(MAX_WINDOW + XZ_OVERHEAD)?;
                    continue;
                }
                done => done?,
            };
            match (given, status) {
                (0, Status::StreamEnd) => return Ok(0),
                (0, _) if is_end => return Err(io::ErrorKind::UnexpectedEof.into()),
                (0, _) if taken == 0 => return Err(io::ErrorKind::InvalidData.into()),
                (0, _) => {}
                (given, _) => return Ok(given),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Takes one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let count = buf.len().min(1).min(self.0.len());
            self.0.read(&mut buf[..count])
        }
    }

    #[test]
    fn the_window_is_what_the_head_of_the_frame_says() {
        // RFC 8878: exponent 17 and mantissa 0 are 2^27 bytes; exponent 13, mantissa 1 are 2^23 and
        // an eighth of that.
        assert_eq!(window_of(&[0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3]), 1 << 27);
        assert_eq!(
            window_of(&[0x28, 0xb5, 0x2f, 0xfd, 0, 13 << 3 | 1]),
            (1 << 23) + (1 << 20)
        );
        // A single segment of 5 bytes; of 2^26 bytes, behind a dictionary of two bytes.
        assert_eq!(window_of(&[0x28, 0xb5, 0x2f, 0xfd, 0x20, 5]), 5);
        assert_eq!(
            window_of(&[0x28, 0xb5, 0x2f, 0xfd, 0xa2, 9, 9, 0, 0, 0, 4]),
            1 << 26
        );
        assert_eq!(
            [
                window_of(b""),
                window_of(&[0x28, 0xb5, 0x2f, 0xfd]),
                window_of(b"\x50\x2a\x4d\x18\0\0\0\0")
            ],
            [0; 3]
        );
    }

    #[test]
    fn frames_follow_one_another_whatever_their_windows_are() {
        let frame = |text: &[u8], window: u32| {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(window).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
        let file = [
            frame(b"one ", 10),
            skippable,
            frame(b"", 10),
            frame(b"two ", 27),
            frame(b"three", 17),
        ]
        .concat();
        let mut text = String::new();
        let mut most = 0;
        let mut decoder = Zstd::new(io::BufReader::with_capacity(3, Slow(&file)));
        let mut buf = [0; 2];
        loop {
            let count = decoder.read(&mut buf).unwrap();
            most = most.max(decoder.held.0);
            if count == 0 {
                break;
            }
            text += std::str::from_utf8(&buf[..count]).unwrap();
        }
        assert_eq!(
            (text.as_str(), most, decoder.held.0),
            ("one two three", 1 << 27, 1 << 17)
        );
        assert_eq!(decoder.read(&mut buf).unwrap(), 0);
        for end in [3, 7, file.len() - 1] {
            let error = Zstd::new(io::BufReader::new(&file[..end]))
                .read_to_end(&mut Vec::new())
                .unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{end}");
        }
    }

    #[test]
    fn a_larger_window_of_xz_is_counted_when_it_comes() {
        let stream = |text: &[u8], window: u32| {
            let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
            options.dict_size(window);
            let mut filters = liblzma::stream::Filters::new();
            filters.lzma2(&options);
            let encoder =
                Stream::new_stream_encoder(&filters, liblzma::stream::Check::Crc32).unwrap();
            let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), encoder);
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        let file = [stream(b"one ", 1 << 20), stream(b"two", 1 << 27)].concat();
        let mut decoder = Xz::new(io::BufReader::with_capacity(7, &file[..])).unwrap();
        let mut text = [0; 4];
        decoder.read_exact(&mut text).unwrap();
        assert_eq!((&text, decoder.held.0), (b"one ", 1 << 26));
        let mut rest = Vec::new();
        decoder.read_to_end(&mut rest).unwrap();
        assert_eq!((rest.as_slice(), decoder.held.0), (&b"two"[..], 1 << 27));
    }
}
