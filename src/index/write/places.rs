//! Keeps, for each part, where its values are in a merged table.

use std::io::{self, Seek, SeekFrom, Write};

use byteorder::{LittleEndian, ReadBytesExt};

use super::spill::Temp;
use pgc_io::temp::TempFile;

/// The number of positions collected before they are written to a file.
const PLACES: usize = 1024;

/// For each part, the position in the merged table of each of its values.
#[derive(Debug)]
pub(super) struct MergedPlaces {
    /// Where the positions of each part begin, and where the last ones end.
    bounds: Vec<u64>,
    kept: Kept,
}

#[derive(Debug)]
enum Kept {
    /// There is only one part, whose positions are those of the merged table.
    Same,
    Memory(Vec<u32>),
    File(TempFile),
}

impl MergedPlaces {
    /// The position in the merged table of each value of a part; `None` if both are the same.
    pub(super) fn load(&self, part: usize) -> io::Result<Option<Vec<u32>>> {
        let [start, end] = [part, part + 1].map(|i| self.bounds[i]);
        let [from, to] = [start, end].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        match &self.kept {
            Kept::Same => Ok(None),
            Kept::Memory(all) => Ok(Some(all[from..to].to_vec())),
            Kept::File(file) => {
                let mut file = file;
                file.seek(SeekFrom::Start(start * 4))?;
                let mut places = vec![0; to - from];
                file.read_u32_into::<LittleEndian>(&mut places)?;
                Ok(Some(places))
            }
        }
    }
}

/// Writes positions: those of a part come in order, but parts alternate.
pub(super) struct PlacesWriter {
    places: MergedPlaces,
    /// For each part, the bytes not yet written to the file, and the number already written.
    waiting: Vec<(Vec<u8>, u64)>,
}

impl PlacesWriter {
    /// For parts with these numbers of values.
    pub(super) fn new(counts: &[u64], temp: &Temp) -> io::Result<PlacesWriter> {
        let mut all = 0;
        let ends = counts.iter().map(|count| {
            all += count;
            all
        });
        let bounds = [0].into_iter().chain(ends).collect();
        let kept = match usize::try_from(all) {
            _ if counts.len() == 1 => Kept::Same,
            Ok(all) if all <= temp.memory / 32 => Kept::Memory(vec![0; all]),
            _ => Kept::File(temp.file()?),
        };
        let places = MergedPlaces { bounds, kept };
        Ok(PlacesWriter {
            places,
            waiting: vec![(Vec::new(), 0); counts.len()],
        })
    }

    /// Adds the position of a part's value.
    pub(super) fn put(&mut self, part: usize, id: u32, place: u32) -> io::Result<()> {
        match &mut self.places.kept {
            Kept::Same => {}
            Kept::Memory(all) => {
                let at = self.places.bounds[part] + u64::from(id);
                if let Some(slot) = usize::try_from(at).ok().and_then(|at| all.get_mut(at)) {
                    *slot = place;
                }
            }
            Kept::File(_) => {
                self.waiting[part].0.extend_from_slice(&place.to_le_bytes());
                if self.waiting[part].0.len() >= PLACES * 4 {
                    self.write(part)?;
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, part: usize) -> io::Result<()> {
        let (Kept::File(file), (bytes, written)) = (&self.places.kept, &mut self.waiting[part])
        else {
            return Ok(());
        };
        let mut file = file;
        file.seek(SeekFrom::Start((self.places.bounds[part] + *written) * 4))?;
        file.write_all(bytes)?;
        *written += bytes.len() as u64 / 4;
        bytes.clear();
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<MergedPlaces> {
        for part in 0..self.waiting.len() {
            if !self.waiting[part].0.is_empty() {
                self.write(part)?;
            }
        }
        Ok(self.places)
    }
}
