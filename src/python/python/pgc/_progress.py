"""How far long calls are: told to a function, or shown by tqdm."""

from pgc._pgc import set_progress


class Progress:
    """While it is open, long calls of this thread tell `function(done, total)` how far they are; `True` shows a bar of tqdm, if that is
    there. What the function raises ends the call."""

    def __init__(self, function, total, unit="game"):
        self.function, self.total, self.unit = function, total, unit
        self.before = self.last = 0
        self.bar = None

    def __enter__(self):
        if self.function is True:
            self.function = None
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return self
            self.bar = tqdm(total=self.total, unit=self.unit, unit_scale=True)
            self.function = self._move
        elif self.function is not None and not callable(self.function):
            raise TypeError("progress: give a function that takes what is done and the total, or True")
        if self.function:
            self.outer = set_progress(self.tell)
        return self

    def tell(self, done):
        """So much is done; a smaller number than before is of the next archive."""
        if 0 < done < self.last:
            self.before += self.last
        self.last = done or self.last
        if self.function:
            self.function(min(self.before + self.last, self.total), self.total)

    def _move(self, done, total):
        self.bar.update(done - self.bar.n)

    def __exit__(self, kind, *raised):
        if self.function:
            set_progress(self.outer)
            if kind is None:
                self.function(self.total, self.total)
        if self.bar is not None:
            self.bar.close()
