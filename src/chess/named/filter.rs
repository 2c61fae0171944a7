//! Tells positions without a name from the others at the cost of four bits, since esca needs a
//! microsecond for each and has no list of its positions.
//!
//! `filter.bin` is a Bloom filter over the keys of all named positions: four bits of 65,536 for
//! each of them. Some two of a thousand positions without a name pass, and then esca decides. A
//! test makes the filter from the list in the source of esca, and compares.

/// The filter.
static FILTER: &[u8; 1 << 13] = include_bytes!("filter.bin");

/// `false`: no position with this key has a name.
#[inline]
pub(super) fn may_be_named(key: u64) -> bool {
    places(key).all(|(byte, bit)| FILTER[byte] & bit != 0)
}

/// Where the four bits of a key stand: the number of the byte, and the bit in it.
#[inline]
fn places(key: u64) -> impl Iterator<Item = (usize, u8)> {
    [0, 16, 32, 48].into_iter().map(move |shift| {
        let place = key >> shift & 0xffff;
        ((place >> 3) as usize, 1 << (place & 7))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};

    use super::{FILTER, places};
    use crate::position::Position;

    /// The folder where cargo keeps the source of esca.
    fn source_of_esca() -> Option<PathBuf> {
        let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let cargo = cargo.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
        let registries = std::fs::read_dir(cargo.join("registry/src")).ok()?;
        let mut folders = registries
            .flatten()
            .map(|folder| folder.path().join("esca-0.4.0"));
        folders.find(|folder| folder.is_dir())
    }

    /// Each line of the list: code, name, and the position after its moves.
    fn list(folder: &Path) -> Vec<(String, String, Position)> {
        let mut lines = Vec::new();
        for volume in ["a", "b", "c", "d", "e"] {
            let path = folder.join(format!("data/openings/{volume}.tsv"));
            let text = std::fs::read_to_string(path).unwrap();
            for line in text.lines().skip(1) {
                let fields: Vec<&str> = line.split('\t').collect();
                let [eco, name, moves] = fields[..] else {
                    panic!("{line}");
                };
                let mut position = Position::initial();
                for word in moves.split_whitespace().filter(|word| !word.ends_with('.')) {
                    let played = position.resolve(word.as_bytes()).unwrap().m;
                    position.play(played);
                }
                lines.push((eco.to_owned(), name.to_owned(), position));
            }
        }
        lines
    }

    /// Every position of the list has its name, and the filter is that of the list. With
    /// `PGC_WRITE_FILTER=1` the filter is written.
    #[test]
    fn the_filter_and_the_table_are_those_of_the_list() {
        // A build from another place has nothing to compare with.
        let Some(folder) = source_of_esca() else {
            return;
        };
        let list = list(&folder);
        let mut filter = vec![0; FILTER.len()];
        let mut names: HashMap<String, (&str, &str)> = HashMap::new();
        for (eco, name, position) in &list {
            for (byte, bit) in places(position.repetition_key()) {
                filter[byte] |= bit;
            }
            let fen = position.fen();
            let board = fen.rsplitn(3, ' ').last().unwrap().to_owned();
            assert_eq!(names.insert(board, (eco, name)), None, "{eco} {name}");
        }
        if std::env::var_os("PGC_WRITE_FILTER").is_some() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("named/filter.bin");
            std::fs::write(path, &filter).unwrap();
            return;
        }
        assert!(*FILTER == filter[..], "the list of esca has changed");
        assert!(names.len() > 3000);
        for (eco, name, position) in &list {
            let found = position.opening();
            assert_eq!(found, Some((eco.as_str(), name.as_str())));
        }
    }

    /// The filter lets few positions pass that have no name: here 3 in 1,000 at most.
    #[test]
    fn the_filter_is_sparse() {
        let ones: u32 = FILTER.iter().map(|byte| byte.count_ones()).sum();
        let share = f64::from(ones) / 65536.0;
        assert!((0.15..0.23).contains(&share), "{share}");
    }
}
