"""A folder of copies, bounded in bytes, that all processes of a machine share.

Each copy is a folder `KEY`. Beside it the file `KEY.lock` contains the number of its bytes; the modification time of that file says when
the copy was last used. A process that reads a copy holds a shared lock on the file; a process that makes or removes the copy holds an
exclusive lock. The system releases the locks when a process ends, however it ends. A copy is made as `KEY.part` and then renamed. Only
the process with an exclusive lock on `all.lock` decides whether there is room.
"""

import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator

import pgc

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

# The number of seconds that a task waits for room, while other tasks use the copies that could be removed.
_PATIENCE = 600.0
_UNITS = {"k": 1, "m": 2, "g": 3, "t": 4}


class Cache:
    """A folder of copies with at most `limit` bytes. The default is half of the free space of the file system, where the copies count as free."""

    def __init__(self, folder: str | None, limit: int | None) -> None:
        if fcntl is None:
            raise pgc.Error("copies of archives from an object store need the file locks of Linux or macOS")
        self.folder = _made(os.path.abspath(folder)) if folder else _default_folder()
        self.limit = limit

    @contextlib.contextmanager
    def copy(self, key: str, size: int, fetch: Callable[[str], None]) -> Iterator[str]:
        """The folder of a copy of `size` bytes; the copy is not removed while the context lasts. If there is no copy, `fetch` puts the files into a
        new folder, and other processes that ask for the same copy wait."""
        copy = os.path.join(self.folder, key)
        while True:
            with _locked(copy, fcntl.LOCK_SH) as lock:
                if os.path.isdir(copy):
                    os.utime(lock)
                    yield copy
                    return
            with _locked(copy, fcntl.LOCK_EX) as lock:
                if not os.path.isdir(copy):
                    self._make(copy, lock, size, fetch)
            # Loop, since another process may remove the copy between the two locks.

    def _make(self, copy: str, lock: int, size: int, fetch: Callable[[str], None]) -> None:
        part = f"{copy}.part"
        # Remove what a killed process left of this copy.
        shutil.rmtree(part, ignore_errors=True)
        os.truncate(lock, 0)
        self._reserve(lock, size)
        try:
            os.mkdir(part)
            fetch(part)
            for name in os.listdir(part):
                with open(os.path.join(part, name), "rb") as file:
                    os.fsync(file.fileno())
            os.rename(part, copy)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            os.truncate(lock, 0)
            raise

    def _reserve(self, lock: int, size: int) -> None:
        until = time.monotonic() + _PATIENCE
        while True:
            with _locked(os.path.join(self.folder, "all"), fcntl.LOCK_EX):
                used, limit = self._make_room(size)
                if used + size <= limit:
                    os.pwrite(lock, str(size).encode(), 0)
                    return
            if size > limit:
                raise pgc.Error(f"{self.folder}: a copy of {size} bytes is more than the limit of {limit} bytes (option cacheBytes)")
            if time.monotonic() > until:
                raise pgc.Error(f"{self.folder}: no room for {size} bytes: of {limit} (option cacheBytes), {used} are in use")
            time.sleep(0.1)

    def _make_room(self, size: int) -> tuple[int, int]:
        """Removes copies that are not in use, the least recently used first, until there is room. Returns the bytes of the other copies, and the limit."""
        found = []
        for entry in os.scandir(self.folder):
            if entry.name.endswith(".lock") and entry.name != "all.lock":
                with contextlib.suppress(FileNotFoundError), open(entry.path, "rb") as lock:
                    found.append((os.fstat(lock.fileno()).st_mtime_ns, entry.path.removesuffix(".lock"), int(lock.read() or 0)))
        used = sum(bytes for _, _, bytes in found)
        limit = (shutil.disk_usage(self.folder).free + used) // 2 if self.limit is None else self.limit
        if size <= limit:
            for _, copy, bytes in sorted(found):
                if used + size <= limit:
                    break
                used -= bytes if _removed(copy) else 0
        return used, limit


def _removed(copy: str) -> bool:
    """Removes a copy, unless a process uses or makes it. Returns whether it did."""
    try:
        with _locked(copy, fcntl.LOCK_EX | fcntl.LOCK_NB):
            # Renamed first: if this process is killed, the remains must not look like a copy.
            shutil.rmtree(f"{copy}.part", ignore_errors=True)
            if os.path.isdir(copy):
                os.rename(copy, f"{copy}.part")
                shutil.rmtree(f"{copy}.part")
            os.unlink(f"{copy}.lock")
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def _locked(copy: str, how: int) -> Iterator[int]:
    """Holds the lock of a copy; gives the file descriptor of the lock."""
    path = f"{copy}.lock"
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, how)
            # Another process may have removed the copy and this file meanwhile: then try again.
            if _is_at(path, lock):
                yield lock
                return
        finally:
            os.close(lock)


def _is_at(path: str, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def _default_folder() -> str:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    with contextlib.suppress(OSError):
        return _made(os.path.join(cache, "pgc", "archives"))
    # Some clusters run tasks without a home folder. Other users may write to the folder for temporary files, so the owner is checked.
    folder = _made(os.path.join(tempfile.gettempdir(), f"pgc-{os.getuid()}"))
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise pgc.Error(f"{folder}: is not a folder that only this user writes to: choose one with the option cache")
    return folder


def _made(folder: str) -> str:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{folder}: cannot be written to")
    return folder


def size_of(text: str) -> int:
    """
    >>> size_of("1000"), size_of("20g")
    (1000, 21474836480)
    >>> size_of("20 GB")
    Traceback (most recent call last):
    ValueError: cacheBytes: '20 GB' is not a number of bytes, such as 5000000 or 20g
    """
    digits, power = (text[:-1], _UNITS[text[-1].lower()]) if text[-1:].lower() in _UNITS else (text, 0)
    if not digits.isdecimal():
        raise ValueError(f"cacheBytes: {text!r} is not a number of bytes, such as 5000000 or 20g")
    return int(digits) * 1024**power


__all__ = ["Cache", "size_of"]
