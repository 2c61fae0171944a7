//! Decompressors with a window, and the memory that wide windows take: packing must do with so much
//! less.

use std::io::{self, BufRead, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use byteorder::{ByteOrder, LittleEndian};
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};
use zstd::stream::read::Decoder;

/// A window of this size, that of `xz -9`, fits in memory beside a usual run.
const USUAL_LOG: u32 = 26;

/// The largest accepted window of Zstandard: half of the 256 MiB that a run may use.
const MAX_LOG: u32 = 27;

/// Memory that liblzma needs besides the window.
const XZ_OVERHEAD: u64 = 1 << 20;

/// Total size of the wide windows now in memory.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// The total size of the windows now in memory that are wider than usual.
pub fn windows_held() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// Any number of xz streams.
pub(super) fn xz<R: BufRead>(inner: R) -> io::Result<XzDecoder<R>> {
    let most = (1 << USUAL_LOG) + XZ_OVERHEAD;
    let stream = Stream::new_stream_decoder(most, CONCATENATED)?;
    Ok(XzDecoder::new_stream(inner, stream))
}

/// Any number of Zstandard frames. Only if the first asks for a window wider than usual may the
/// others ask for one.
pub(super) struct Zstd<R: BufRead> {
    decoder: Decoder<'static, R>,
    held: usize,
}

impl<R: BufRead> Zstd<R> {
    pub(super) fn new(mut inner: R) -> io::Result<Zstd<R>> {
        let is_wide = window_of(inner.fill_buf()?) > 1 << USUAL_LOG;
        let (log, held) = if is_wide {
            (MAX_LOG, 1 << MAX_LOG)
        } else {
            (USUAL_LOG, 0)
        };
        let mut decoder = Decoder::with_buffer(inner)?;
        decoder.window_log_max(log)?;
        HELD.fetch_add(held, Ordering::Relaxed);
        Ok(Zstd { decoder, held })
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buf)
    }
}

impl<R: BufRead> Drop for Zstd<R> {
    fn drop(&mut self) {
        HELD.fetch_sub(self.held, Ordering::Relaxed);
    }
}

/// The window that the first frame asks for (RFC 8878, 3.1.1.1), behind skippable frames; 0 if its
/// header is not there.
fn window_of(mut head: &[u8]) -> u64 {
    while let [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, rest @ ..] = head {
        let skipped = u32::from_le_bytes([*a, *b, *c, *d]);
        head = rest.get(skipped as usize..).unwrap_or_default();
    }
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

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
            window_of(b"\x50\x2a\x4d\x18\x03\0\0\0abc\x28\xb5\x2f\xfd\x20\x05"),
            5
        );
        assert_eq!(
            [
                window_of(b""),
                window_of(&[0x28, 0xb5, 0x2f, 0xfd]),
                window_of(b"\x50\x2a\x4d\x18\xff\xff\xff\xff")
            ],
            [0; 3]
        );
    }

    #[test]
    fn only_behind_a_wide_window_may_others_be_wide() {
        let frame = |text: &[u8], window: u32| {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(window).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
        let rest = [frame(b"", 10), frame(b"two ", 27), frame(b"three", 17)].concat();
        let wide = [skippable, frame(b"one ", 27), rest.clone()].concat();
        let mut decoder = Zstd::new(&wide[..]).unwrap();
        assert_eq!(decoder.held, 1 << 27);
        let mut text = String::new();
        decoder.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one two three");
        assert_eq!(decoder.read(&mut [0; 2]).unwrap(), 0);
        for end in [1, 7].map(|cut| wide.len() - cut) {
            let mut decoder = Zstd::new(&wide[..end]).unwrap();
            let error = decoder.read_to_end(&mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{end}");
        }
        let mut decoder = Zstd::new(&rest[..]).unwrap();
        assert_eq!(decoder.held, 0);
        let error = decoder.read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("too much memory"), "{error}");
    }
}
