"""Several archives as one: `pgc.open` of a folder, or of a list of paths."""

import bisect
import itertools
import os
import sys
from collections import Counter

from pgc._pgc import archives_in, sorted_runs


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

    def find(self, text=None, /, **questions):
        """Those of the games that match, as `Archive.find` says, in the order of the archives."""
        return Collection(part.find(text, **questions) for part in self.parts)

    def sorted(self, key, *, reverse=False, limit=None):
        """The games of all archives in the order of a key of `pgc find --sort`, the first `limit` of them.

        >>> [game["Date"] for game in pgc.open(["sample.pgc", "sample.pgc"]).sorted("date")[:3]]
        ['1750.??.??', '1750.??.??', '1851.06.21']
        """
        return Collection(sorted_runs([part[:] for part in self.parts], key, reverse, sys.maxsize if limit is None else limit))

    def tags(self):
        """The tags of each game as a dict, without reading moves."""
        return itertools.chain.from_iterable(part.tags() for part in self.parts)

    def to_arrow(self, columns=None, *, table="games", **questions):
        """One table of the games of all archives, as `Archive.to_arrow` makes it."""
        parts = self.find(**questions).parts if questions else self.parts
        if not parts:
            raise ValueError("there are no archives")
        first, *others = (part.to_arrow(columns, table=table) for part in parts)
        return first._joined(others)

    def names(self, field="player"):
        """The names of a field of all archives, each with its number of games."""
        return dict(sum((Counter(part.names(field)) for part in self.parts), Counter()))

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return None

    def __repr__(self):
        return f"<pgc.Collection: {len(self)} games of {len(self.parts)} archives>"
