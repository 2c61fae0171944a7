//! Inputs by content, outputs whole or absent, names, folders.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use pgc_io::dir::{DirSink, file_name};
use pgc_io::input::{Counter, Input};
use pgc_io::output::Output;
use pgc_io::{Format, InputError, is_truncated, walk};

const TEXT: &[u8] =
    b"[Event \"Test\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O 1/2-1/2\n";

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What pzstd writes: before each frame a skippable one that holds its length.
fn pzstd(parts: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        let frame = zstd(part);
        out.extend_from_slice(&[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]);
        out.extend_from_slice(&u32::try_from(frame.len()).unwrap().to_le_bytes());
        out.extend_from_slice(&frame);
    }
    out
}

pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (index, (name, bytes)) in files.iter().enumerate() {
        let method = [
            zip::CompressionMethod::Deflated,
            zip::CompressionMethod::Stored,
        ][index % 2];
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        if name.ends_with('/') {
            writer
                .add_directory(name.trim_end_matches('/'), options)
                .unwrap();
        } else {
            writer.start_file(*name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

/// Gives at most so many bytes at a time.
struct Slow {
    bytes: Cursor<Vec<u8>>,
    most: usize,
}

impl Read for Slow {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = buf.len().min(self.most);
        self.bytes.read(&mut buf[..most])
    }
}

fn from_pipe(name: &str, bytes: &[u8], most: usize) -> io::Result<Input> {
    Input::from_reader(
        name,
        Slow {
            bytes: Cursor::new(bytes.to_vec()),
            most,
        },
        &Counter::default(),
    )
}

/// Everything that comes, and the error that ends it.
fn drain(mut reader: impl Read) -> (Vec<u8>, Option<io::Error>) {
    let (mut out, mut buf) = (Vec::new(), [0; 37]);
    loop {
        match reader.read(&mut buf) {
            Ok(0) => return (out, None),
            Ok(count) => out.extend_from_slice(&buf[..count]),
            Err(error) => return (out, Some(error)),
        }
    }
}

fn read_one(bytes: &[u8]) -> (Vec<u8>, Option<io::Error>) {
    match from_pipe("x", bytes, 1 << 16).map(|mut input| input.next().unwrap()) {
        Ok(Ok(source)) => drain(source.reader),
        Ok(Err(error)) | Err(error) => (Vec::new(), Some(error)),
    }
}

fn streams() -> Vec<(Format, &'static str, Vec<u8>)> {
    vec![
        (Format::Plain, "games.pgn", TEXT.to_vec()),
        (Format::Gzip, "games.pgn.gz", gzip(TEXT)),
        (Format::Bzip2, "games.pgn.bz2", bzip2(TEXT)),
        (Format::Xz, "games.pgn.xz", xz(TEXT)),
        (Format::Zstd, "games.pgn.zst", zstd(TEXT)),
        (Format::Zstd, "games.pgn.ZST", pzstd(&[TEXT])),
    ]
}

#[test]
fn formats_are_told_by_content() {
    let folder = tempfile::tempdir().unwrap();
    for (format, name, bytes) in streams() {
        for most in [1, 3, 1 << 16] {
            let mut input = from_pipe(name, &bytes, most).unwrap();
            assert_eq!(input.sources(), 1);
            let source = input.next().unwrap().unwrap();
            assert_eq!((source.name.as_str(), source.format), ("games.pgn", format));
            let (text, error) = drain(source.reader);
            assert!(text == TEXT && error.is_none(), "{name} {most}: {error:?}");
            assert!(input.next().is_none());
        }
        // A name that lies changes nothing, and is kept.
        let path = folder.path().join("games.dat");
        fs::write(&path, &bytes).unwrap();
        let counter = Counter::default();
        let source = Input::open(&path, &counter)
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        assert_eq!(
            (source.name.as_str(), source.raw_len),
            ("games.dat", Some(bytes.len() as u64))
        );
        assert!(drain(source.reader).0 == TEXT);
        assert_eq!(counter.bytes(), bytes.len() as u64, "{name}");
    }
}

#[test]
fn several_members_are_one_source() {
    let halves = TEXT.split_at(20);
    for encode in [gzip, bzip2, xz, zstd] {
        let bytes = [encode(halves.0), encode(b""), encode(halves.1)].concat();
        for most in [1, 1 << 16] {
            let source = from_pipe("x", &bytes, most)
                .unwrap()
                .next()
                .unwrap()
                .unwrap();
            let (text, error) = drain(source.reader);
            assert!(text == TEXT && error.is_none(), "{error:?}");
        }
    }
    let (text, error) = read_one(&pzstd(&[halves.0, halves.1]));
    assert!(text == TEXT && error.is_none(), "{error:?}");
}

/// Tapes and disk images fill up the last block; gzip passes over the zeros too.
#[test]
fn zeros_behind_gzip_data_are_filler() {
    let halves = TEXT.split_at(20);
    for zeros in [1, 511, 70_000] {
        let filler = vec![0; zeros];
        let bytes = [&gzip(TEXT), &filler[..]].concat();
        let again = [&gzip(halves.0), &filler[..], &gzip(halves.1)].concat();
        for bytes in [&bytes, &again] {
            let (text, error) = read_one(bytes);
            assert!(text == TEXT && error.is_none(), "{zeros}: {error:?}");
        }
        let (text, error) = read_one(&[bytes, b"x".to_vec()].concat());
        assert!(text == TEXT && error.is_some(), "{zeros}");
    }
}

#[test]
fn every_cut_is_an_error_after_what_was_whole() {
    for (format, name, bytes) in streams() {
        for cut in 1..bytes.len() {
            if name.ends_with("ZST") && cut == 12 {
                // A skippable frame alone is a whole file without content.
                continue;
            }
            let (text, error) = read_one(&bytes[..cut]);
            let signature = match format {
                Format::Plain => bytes.len(),
                Format::Gzip => 2,
                Format::Bzip2 | Format::Zstd => 4,
                _ => 5,
            };
            match error {
                // So few bytes are nobody's signature.
                None => assert!(
                    cut < signature && text == bytes[..cut],
                    "{name} cut at {cut}"
                ),
                Some(error) => {
                    assert!(
                        cut >= signature && is_truncated(&error),
                        "{name} cut at {cut}: {error:?}"
                    );
                    assert!(TEXT.starts_with(&text), "{name} cut at {cut}");
                    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
                }
            }
        }
    }
}

#[test]
fn cut_stream_delivers_what_it_holds() {
    let text: String = (0_u64..100_000)
        .map(|i| format!("{:x} ", i.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect();
    let text = text.into_bytes();
    for encode in [gzip, zstd] {
        let bytes = encode(&text);
        let (whole, error) = read_one(&bytes[..bytes.len() - 1]);
        assert!(is_truncated(&error.unwrap()));
        assert!(whole == text, "only the checksum is missing");
        let (part, error) = read_one(&bytes[..bytes.len() / 2]);
        assert!(is_truncated(&error.unwrap()));
        assert!(
            text.starts_with(&part) && part.len() > text.len() / 4,
            "{}",
            part.len()
        );
    }
}

#[test]
fn garbage_after_the_end_is_an_error() {
    for (format, name, mut bytes) in streams() {
        bytes.extend_from_slice(b"garbage, and enough of it");
        let (text, error) = read_one(&bytes);
        if format != Format::Plain {
            let error = error.expect(name);
            assert!(!is_truncated(&error), "{name}: {error:?}");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{name}");
            // A decoder may swallow what it decoded in the same step; the run fails anyway.
            assert!(TEXT.starts_with(&text), "{name}");
        }
    }
}

#[test]
fn damage_is_an_error() {
    for (format, name, bytes) in streams() {
        if format == Format::Plain {
            continue;
        }
        for at in bytes.len() / 2..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0x55;
            let (text, error) = read_one(&broken);
            assert!(error.is_some() || text == TEXT, "{name} at {at}");
        }
    }
}

#[test]
fn reading_on_after_an_error_is_no_end() {
    let bytes = gzip(TEXT);
    let mut source = from_pipe("x", &bytes[..bytes.len() - 3], 7)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let mut text = Vec::new();
    assert!(is_truncated(
        &source.reader.read_to_end(&mut text).unwrap_err()
    ));
    assert!(source.reader.read(&mut [0; 8]).is_err());
}

#[test]
fn wide_windows_are_refused() {
    // The header of a frame with a window of 2^28 bytes (descriptor 0: a window byte follows; its
    // exponent is 10 more), then one raw block, the last, of one byte.
    let frame = |log: u8| {
        vec![
            0x28,
            0xb5,
            0x2f,
            0xfd,
            0x00,
            (log - 10) << 3,
            0x09,
            0,
            0,
            b'x',
        ]
    };
    assert!(read_one(&frame(27)).0 == b"x");
    let (text, error) = read_one(&frame(28));
    let error = error.unwrap();
    assert!(text.is_empty());
    let inner = error.get_ref().unwrap().downcast_ref::<InputError>();
    assert!(
        matches!(inner, Some(InputError::Window(Format::Zstd))),
        "{error:?}"
    );
    assert!(error.to_string().contains("128 MiB"), "{error}");
}

#[test]
fn wide_xz_dictionaries_are_refused() {
    let stream = |size: u32| {
        let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
        options.dict_size(size);
        let mut filters = liblzma::stream::Filters::new();
        filters.lzma2(&options);
        let stream =
            liblzma::stream::Stream::new_stream_encoder(&filters, liblzma::stream::Check::Crc32)
                .unwrap();
        let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
        encoder.write_all(TEXT).unwrap();
        encoder.finish().unwrap()
    };
    assert!(read_one(&stream(1 << 20)).0 == TEXT);
    // The size stands in the block header alone: one byte, and a CRC over it.
    let mut bytes = stream(1 << 20);
    let header = 12..24;
    let at = header.clone().find(|&at| bytes[at] == 0x21).unwrap() + 2;
    bytes[at] = 34;
    let crc = crc32fast::hash(&bytes[header.start..header.end - 4]);
    bytes[header.end - 4..header.end].copy_from_slice(&crc.to_le_bytes());
    let error = read_one(&bytes).1.unwrap();
    assert!(
        error.to_string().contains("xz") && error.to_string().contains("64 MiB"),
        "{error:?}"
    );
}

#[test]
fn texts_that_look_like_archives_are_texts() {
    for text in [
        "",
        "B",
        "BZh9 is no move",
        "BZh",
        "PK",
        "(\n",
        "P*M",
        "7zXZ",
        "PKing",
        "\u{1f}",
    ] {
        let (bytes, error) = read_one(text.as_bytes());
        assert!(
            bytes == text.as_bytes() && error.is_none(),
            "{text:?}: {error:?}"
        );
    }
}

#[test]
fn zip_files() {
    let packed = gzip(TEXT);
    let bytes = zip(&[
        ("folder/", b""),
        ("folder/one.pgn", TEXT),
        ("two.pgn", b"1. d4 *\n"),
        ("__MACOSX/._one.pgn", b"x"),
        (".hidden", b"x"),
        ("empty.pgn", b""),
        ("three.pgn.gz", &packed),
    ]);
    let expected: [(&str, &[u8]); 4] = [
        ("folder/one.pgn", TEXT),
        ("two.pgn", b"1. d4 *\n"),
        ("empty.pgn", b""),
        ("three.pgn", TEXT),
    ];
    let path = tempfile::NamedTempFile::new().unwrap();
    fs::write(path.path(), &bytes).unwrap();
    let counter = Counter::default();
    for input in [
        Input::open(path.path(), &counter).unwrap(),
        from_pipe("-", &bytes, 1000).unwrap(),
    ] {
        assert_eq!(input.sources(), 4);
        // All open at once: no entry moves the place where another reads.
        let sources: Vec<_> = input.map(Result::unwrap).collect();
        for (source, (name, text)) in sources.into_iter().zip(expected) {
            assert_eq!(source.name, name);
            let (content, error) = drain(source.reader);
            assert!(content == text && error.is_none(), "{name}: {error:?}");
        }
    }
    assert!(counter.bytes() > 0 && counter.bytes() < bytes.len() as u64);
}

/// Several files with one path are several sources.
#[test]
fn zip_files_of_one_name() {
    let mut bytes = zip(&[
        ("x/games.pgn", TEXT),
        ("x/gamez.pgn", b"1. d4 *\n"),
        ("x/games-2.pgn", b"1. c4 *\n"),
    ]);
    let (other, one) = (b"x/gamez.pgn", b"x/games.pgn");
    let places: Vec<_> = (0..bytes.len() - other.len())
        .filter(|&at| bytes[at..].starts_with(other))
        .collect();
    assert_eq!(places.len(), 2, "in its own header and in the directory");
    for at in places {
        bytes[at..at + one.len()].copy_from_slice(one);
    }
    let expected: [(&str, &[u8]); 3] = [
        ("x/games.pgn", TEXT),
        ("x/games-2.pgn", b"1. d4 *\n"),
        ("x/games-2-2.pgn", b"1. c4 *\n"),
    ];
    let path = tempfile::NamedTempFile::new().unwrap();
    fs::write(path.path(), &bytes).unwrap();
    for input in [
        Input::open(path.path(), &Counter::default()).unwrap(),
        from_pipe("-", &bytes, 1000).unwrap(),
    ] {
        assert_eq!(input.sources(), 3);
        for (source, (name, text)) in input.map(Result::unwrap).zip(expected) {
            assert_eq!(source.name, name);
            let (content, error) = drain(source.reader);
            assert!(content == text && error.is_none(), "{name}: {error:?}");
        }
    }
}

#[test]
fn broken_zip_files() {
    let bytes = zip(&[("one.pgn", TEXT), ("two.pgn", TEXT)]);
    for cut in 4..bytes.len() {
        assert!(
            from_pipe("-", &bytes[..cut], 1 << 16).is_err(),
            "cut at {cut}"
        );
    }
    let mut broken = bytes.clone();
    // The second file is stored; so short a text may stand in a deflated one as it is, too.
    let at = bytes
        .windows(TEXT.len())
        .rposition(|window| window == TEXT)
        .unwrap();
    broken[at] ^= 1;
    let mut input = from_pipe("-", &broken, 1 << 16).unwrap();
    assert!(drain(input.next().unwrap().unwrap().reader).1.is_none());
    let error = drain(input.next().unwrap().unwrap().reader).1.unwrap();
    assert!(
        error.to_string().contains("two.pgn") && error.to_string().contains("CRC"),
        "{error}"
    );
    let error = from_pipe("-", &zip(&[]), 1 << 16).map(drop).unwrap_err();
    assert!(error.to_string().contains("is empty"), "{error}");
}

#[test]
fn folders_are_no_files() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Input::open(folder.path(), &Counter::default()).is_err());
    assert!(Input::open(folder.path().join("none"), &Counter::default()).is_err());
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn output_is_whole_or_absent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut output = Output::create(&path, false).unwrap();
    output.write_all(&[1; 1_000_000]).unwrap();
    assert!(!path.exists());
    drop(output);
    assert!(names_in(folder.path()).is_empty(), "nothing is left behind");

    let mut output = Output::create(&path, false).unwrap();
    output.write_all(b"new").unwrap();
    output.commit().unwrap();
    assert_eq!(names_in(folder.path()), ["out"]);
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn output_does_not_replace_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    // Somebody else was faster.
    let output = Output::create(&path, false).unwrap();
    fs::write(&path, "other").unwrap();
    assert_eq!(
        output.commit().unwrap_err().kind(),
        io::ErrorKind::AlreadyExists
    );
    assert_eq!(fs::read(&path).unwrap(), b"other");
    assert_eq!(
        Output::create(&path, false).unwrap_err().kind(),
        io::ErrorKind::AlreadyExists
    );

    let mut output = Output::create(&path, true).unwrap();
    output.write_all(b"asked").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"other");
    output.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"asked");
    assert_eq!(names_in(folder.path()), ["out"]);

    assert!(Output::create(folder.path(), true).is_err(), "a folder");
    assert!(
        Output::create(folder.path().join("none/out"), true).is_err(),
        "no such folder"
    );
}

#[cfg(unix)]
#[test]
fn output_permissions_links_and_devices() {
    use std::os::unix::fs::{MetadataExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let [plain, out, link] = ["plain", "out", "link"].map(|name| folder.path().join(name));
    fs::write(&plain, "").unwrap();
    Output::create(&out, false).unwrap().commit().unwrap();
    assert_eq!(
        fs::metadata(&plain).unwrap().mode(),
        fs::metadata(&out).unwrap().mode()
    );

    symlink(&out, &link).unwrap();
    let mut output = Output::create(&link, true).unwrap();
    output.write_all(b"through").unwrap();
    output.commit().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&out).unwrap(), b"through");

    let mut null = Output::create(Path::new("/dev/null"), true).unwrap();
    assert!(null.is_stream());
    null.write_all(b"gone").unwrap();
    null.commit().unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn folder_changes_names_that_leave_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut sink = DirSink::new(folder.path().join("in"), true).unwrap();
    let changed = [
        ("", "_"),
        (".", "_."),
        ("..", "_.."),
        ("/etc/passwd", "_etc_passwd"),
        ("../x", ".._x"),
        ("a\\c", "a_c"),
        ("\\\\server\\x", "__server_x"),
        ("C:", "C_"),
        ("c:x", "c_x"),
        ("D:\\x", "D__x"),
        ("a\0d", "a_d"),
        ("a/", "a_"),
        ("./a", "._a"),
        ("a\x1b[2J\n.pgn", "a_[2J_.pgn"),
    ];
    for (name, expected) in changed {
        assert_eq!(file_name(name), expected, "{name:?}");
        sink.begin(name).unwrap();
        sink.write(name.as_bytes()).unwrap();
        sink.end().unwrap();
        assert_eq!(
            fs::read(folder.path().join("in").join(expected)).unwrap(),
            name.as_bytes()
        );
    }
    assert_eq!(sink.changed().len(), changed.len());
    assert_eq!(names_in(&folder.path().join("in")).len(), changed.len());
    assert_eq!(names_in(folder.path()), ["in"]);
    for name in ["games.pgn", "...", "..a", "a b", "\u{e9}", "1:x"] {
        assert!(file_name(name) == name || cfg!(windows), "{name:?}");
    }
    // Too long, with a number too; a character of two bytes is not cut in two.
    let long = "\u{e9}".repeat(2000) + ".pgn";
    for expected in [
        format!("{}.pgn", "\u{e9}".repeat(125)),
        format!("{}-2.pgn", "\u{e9}".repeat(124)),
    ] {
        sink.begin(&long).unwrap();
        sink.end().unwrap();
        assert_eq!(
            sink.written()
                .last()
                .unwrap()
                .file_name()
                .unwrap()
                .to_str()
                .unwrap(),
            expected
        );
    }
}

/// One source may be named as the folder of another, in any order and case.
#[test]
fn a_source_and_a_folder_of_one_name_both_have_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let mut sink = DirSink::new(folder.path(), false).unwrap();
    let names = [
        ("a/x.pgn", "a/x.pgn"),
        ("A", "A-2"),
        ("b.pgn", "b.pgn"),
        ("b.pgn/c/x.pgn", "b.pgn_c_x.pgn"),
        ("B.pgn/c/x.pgn", "B.pgn_c_x-2.pgn"),
        ("d/e/f", "d/e/f"),
        ("d/e", "d/e-2"),
        ("d/g", "d/g"),
    ];
    for (name, expected) in names {
        sink.begin(name).unwrap();
        sink.write(name.as_bytes()).unwrap();
        sink.end().unwrap();
        let found = fs::read(folder.path().join(expected)).unwrap();
        assert_eq!(found, name.as_bytes());
    }
    assert_eq!(sink.changed().len(), 4);
}

#[test]
fn folder_numbers_names_that_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut sink = DirSink::new(folder.path(), false).unwrap();
    for (index, name) in [
        "a.pgn", "a.pgn", "A.pgn", "a-2.pgn", "a.pgn", "b", "b", ".c", ".c",
    ]
    .into_iter()
    .enumerate()
    {
        sink.begin(name).unwrap();
        sink.write(index.to_string().as_bytes()).unwrap();
        sink.end().unwrap();
    }
    // The last file is never ended.
    sink.begin("never").unwrap();
    sink.write(b"x").unwrap();
    let written: Vec<_> = sink
        .written()
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    drop(sink);
    assert_eq!(
        written,
        [
            "a.pgn",
            "a-2.pgn",
            "A-3.pgn",
            "a-2-2.pgn",
            "a-4.pgn",
            "b",
            "b-2",
            ".c",
            ".c-2"
        ]
    );
    let mut sorted = written.clone();
    sorted.sort();
    assert_eq!(names_in(folder.path()), sorted);
    assert_eq!(fs::read(folder.path().join("a-2.pgn")).unwrap(), b"1");

    // A file of an earlier run is an error, and no reason to number the new one.
    let mut sink = DirSink::new(folder.path(), false).unwrap();
    assert_eq!(
        sink.begin("a.pgn").unwrap_err().kind(),
        io::ErrorKind::AlreadyExists
    );
    let mut sink = DirSink::new(folder.path(), true).unwrap();
    sink.begin("a.pgn").unwrap();
    sink.end().unwrap();
    assert_eq!(fs::read(folder.path().join("a.pgn")).unwrap(), b"");
}

#[cfg(unix)]
#[test]
fn folder_follows_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().join("outside");
    let inside = folder.path().join("in");
    fs::write(&outside, "safe").unwrap();
    fs::create_dir(&inside).unwrap();
    std::os::unix::fs::symlink(&outside, inside.join("a.pgn")).unwrap();
    let mut sink = DirSink::new(&inside, true).unwrap();
    sink.begin("a.pgn").unwrap();
    sink.write(b"new").unwrap();
    sink.end().unwrap();
    assert_eq!(fs::read(&outside).unwrap(), b"safe");
    assert_eq!(fs::read(inside.join("a.pgn")).unwrap(), b"new");
}

#[test]
fn walk_is_sorted_and_chooses() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        "b.pgn",
        "a/z.PGN",
        "a/y.pgn.zst",
        "a.pgn",
        "B.pgn.gz",
        "c.zip",
        "d.pgn.bz2",
        "e.pgn.xz",
        "f.txt",
        "g.pgc",
        ".h.pgn",
        ".i/j.pgn",
        "k.gz",
        ".pgn",
    ];
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    fs::create_dir(folder.path().join("folder.pgn")).unwrap();
    let found = walk::folder(folder.path()).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|path| {
            path.strip_prefix(folder.path())
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/")
        })
        .collect();
    assert_eq!(
        found,
        [
            "B.pgn.gz",
            "a/y.pgn.zst",
            "a/z.PGN",
            "a.pgn",
            "b.pgn",
            "c.zip",
            "d.pgn.bz2",
            "e.pgn.xz"
        ]
    );
    assert!(
        walk::folder(folder.path().join("none"))
            .unwrap_err()
            .to_string()
            .contains("none")
    );
}

#[test]
fn lists_of_paths() {
    let paths = |text: &str, nul| walk::list(text.as_bytes(), nul).unwrap();
    let numbered = |paths: &[(u64, &str)]| -> Vec<(u64, PathBuf)> {
        paths.iter().map(|(n, path)| (*n, path.into())).collect()
    };
    assert_eq!(
        paths("a\nb c\r\n\nd", false),
        numbered(&[(1, "a"), (2, "b c"), (4, "d")])
    );
    assert_eq!(paths("a\nb\0c\0", true), numbered(&[(1, "a\nb"), (2, "c")]));
    assert!(paths("", false).is_empty());
    assert!(
        walk::list(
            io::repeat(b'x').take(1 << 20).chain(io::empty()).buffered(),
            false
        )
        .is_err()
    );
}

trait Buffered: Read + Sized {
    fn buffered(self) -> io::BufReader<Self> {
        io::BufReader::new(self)
    }
}
impl<R: Read> Buffered for R {}

#[test]
#[expect(unsafe_code, reason = "the map is what is tested")]
fn maps() {
    let mut file = tempfile::tempfile().unwrap();
    // SAFETY: the file has no name, and is not written to while it is mapped.
    let map = unsafe { pgc_io::mmap::Map::open(&file, Path::new("x")) }.unwrap();
    assert!(map.is_empty());
    file.write_all(TEXT).unwrap();
    // SAFETY: as above.
    let map = unsafe { pgc_io::mmap::Map::open(&file, Path::new("x")) }.unwrap();
    assert_eq!(&*map, TEXT);
}
