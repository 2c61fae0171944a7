"""Several archives as one: `pgc.open` of a folder, or of a list of paths."""

import bisect
import itertools
import os
import sys

from pgc._pgc import files_in, sorted_runs


def archives_in(path):
    """The archives in a folder and the folders in it, sorted by name, as `pgc find DIR` takes them."""
    return files_in(path, True)


def pgn_files_in(path):
    """The PGN and EPD files in a folder and the folders in it, compressed ones and zip files included, sorted by name, as `pgc pack -r DIR`
    takes them."""
    return files_in(path, False)


def archives_of(paths):
    """The archives of paths, a folder standing for the archives in it and in the folders there, as `pgc find` takes them."""
    for path in paths:
        found = archives_in(path) if os.path.isdir(path) else [path]
        if not found:
            raise FileNotFoundError(f"{path}: no archives in this folder (.pgc, .pgcz)")
        yield from found


class Collection:
    """The games of several archives, one archive after the other, or games of them that a question found. `parts` has the games of one archive
    after the other; if they are sorted, an archive comes again for each run of its games.

    >>> both = pgc.open(["sample.pgc", "sample.pgc"])
    >>> len(both), both[13].number, len(both.find(white="anderssen"))
    (26, 1, 4)
    """

    def __init__(self, parts):
        self.parts = list(parts)
        self._ends = list(itertools.accumulate(map(len, self.parts)))

    @property
    def paths(self):
        """The paths of the archives."""
        return [part.path for part in self.parts]

    def __len__(self):
        return self._ends[-1] if self._ends else 0

    def __iter__(self):
        return itertools.chain.from_iterable(self.parts)

    def __getitem__(self, key):
        if isinstance(key, slice):
            places = range(len(self))[key]
            if places.step < 0:
                raise ValueError("games come in the order of the archives")
            chosen = []
            for part, end in zip(self.parts, self._ends):
                begin = end - len(part)
                first = max(0, -(-(begin - places.start) // places.step))
                last = max(first, -(-(min(end, places.stop) - places.start) // places.step))
                start = places.start + first * places.step - begin
                chosen.append(part[start : start + (last - first) * places.step : places.step])
            return Collection(chosen)
        if isinstance(key, (list, tuple)):
            places = ((self._part_of(place), place) for place in key)
            runs = itertools.groupby(places, lambda pair: pair[0])
            return Collection(self.parts[part][[place - self._begin(part) for _, place in run]] for part, run in runs)
        place = key + len(self) if key < 0 else key
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self)} games")
        part = self._part_of(place)
        return self.parts[part][place - self._begin(part)]

    def _part_of(self, place):
        return bisect.bisect_right(self._ends, place)

    def _begin(self, part):
        return self._ends[part] - len(self.parts[part])

    def _find(self, questions):
        return Collection(part._find(questions) for part in self.parts)

    def sorted(self, key, *, reverse=False, limit=None):
        """The games of all archives in the order of a key of `pgc find --sort`, the first `limit` of them.

        >>> [game["Date"] for game in pgc.open(["sample.pgc", "sample.pgc"]).sorted("date")[:3]]
        ['1750.??.??', '1750.??.??', '1851.06.21']
        """
        return Collection(sorted_runs([part[:] for part in self.parts], key, reverse, sys.maxsize if limit is None else limit))

    def check_blocks(self):
        """Checks the blocks of these games against their checksums."""
        for part in self.parts:
            part.check_blocks()

    @property
    def gaps(self):
        """The damage met so far, as `Archive.gaps` has it, with the `path` of each archive."""
        parts = {part.path: part for part in self.parts}
        return [{"path": path, **gap} for path, part in parts.items() for gap in part.gaps]

    @property
    def indexed(self):
        """Whether the indexes beside all archives are used."""
        return all(part.indexed for part in self.parts)

    @property
    def _parts(self):
        return [part[:] for part in self.parts]

    def _names(self, field):
        found = {}
        for part in self.parts:
            for name, games in part.names(field).items():
                found[name] = found.get(name, 0) + games
        return dict(sorted(found.items(), key=lambda pair: pair[0].encode()))

    def _edit(self, output, *options):
        names = [os.path.basename(part.path) for part in self.parts]
        if len({*names}) < len(names):
            raise ValueError("archives of the same name cannot be written to one folder: edit them one by one")
        os.makedirs(output, exist_ok=True)
        return sum(part._edit(os.path.join(output, name), *options) for part, name in zip(self.parts, names))

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return None

    def __repr__(self):
        return f"<pgc.Collection: {len(self)} games of {len({*self.paths})} archives>"
