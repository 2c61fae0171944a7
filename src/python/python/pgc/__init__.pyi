"""Chess archives: games from PGN, packed without losing a byte, found by an index."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, Literal, TypedDict, overload

import chess
import chess.pgn
import polars
import pyarrow
import pyarrow.dataset

__version__: str

# The value of a question, or several values of which one must match. The names are the options of `pgc find` with `_` for `-`.
Question = str | int | bool | list[str] | list[int] | tuple[str, ...]

class Error(Exception):
    """An archive is damaged, is of a newer version, or lacks the game asked for."""

class DamagedError(Error):
    """Part of an archive is damaged; the message names the byte and what is missing."""

Path = str | os.PathLike[str]
Kind = Literal["games", "positions"]
SortKey = Literal[
    "number", "date", "standard", "event", "site", "round", "white", "black", "result", "eco", "elo", "white_elo", "black_elo", "plies"
]

class Tally(TypedDict, total=False):
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    rating: int | None
    performance: int | None
    white: Tally
    black: Tally
    names: dict[str, int]
    other_names: dict[str, int]

class Packed(TypedDict):
    games: int
    plies: int
    bytes_in: int
    bytes_out: int

class Opening(TypedDict):
    """The opening that a game reached, found by its positions."""

    eco: str
    name: str
    ply: int

class Tree(TypedDict):
    """A position, or the games with a move, and the moves that follow."""

    games: int
    white: int
    draws: int
    black: int
    score: float | None
    rating: int | None
    years: tuple[int, int] | None
    moves: dict[str, Tree]

class Gap(TypedDict):
    """Bytes of an archive that are damaged, and the games that are missing with them."""

    begin: int
    end: int
    first_game: int | None
    games: int | None
    offset: int
    what: str

class Move:
    """A move, with its annotations."""

    @property
    def san(self) -> str: ...
    @property
    def uci(self) -> str: ...
    @property
    def nags(self) -> list[int]: ...
    @property
    def comments(self) -> list[str]: ...
    @property
    def raw_comments(self) -> list[str]: ...
    @property
    def before(self) -> list[str]: ...
    @property
    def clock(self) -> float | None: ...
    @property
    def elapsed(self) -> float | None: ...
    @property
    def eval(self) -> int | None: ...
    @property
    def mate(self) -> int | None: ...
    @property
    def variations(self) -> list[list[Move]]: ...

class Game(Mapping[str, str]):
    """A game of an archive: a mapping of its tags, equal and hashable by archive and number."""

    @property
    def path(self) -> os.PathLike[str]: ...

    @property
    def number(self) -> int: ...
    @property
    def tags(self) -> dict[str, str]: ...
    @property
    def moves(self) -> list[Move]: ...
    @property
    def san(self) -> list[str]: ...
    @property
    def uci(self) -> list[str]: ...
    @property
    def clocks(self) -> list[float | None]: ...
    @property
    def evals(self) -> list[int | None]: ...
    @property
    def comments(self) -> list[str]: ...
    @property
    def start(self) -> str | None: ...
    @property
    def opening(self) -> Opening | None: ...
    @property
    def termination(self) -> str | None: ...
    @property
    def wholeness(self) -> Literal["understood", "partly understood", "kept as text"]: ...
    @property
    def tail(self) -> str | None: ...
    @property
    def pgn(self) -> str: ...
    @property
    def pgn_bytes(self) -> bytes: ...
    def __getitem__(self, name: str) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def fen(self, ply: int | None = None, *, ep: Literal["legal", "always"] = "legal") -> str: ...
    def position(self, ply: int | None = None) -> chess.Board: ...
    def svg(self, ply: int | None = None, size: int = 280) -> str: ...
    def _repr_html_(self) -> str: ...
    def to_chess(self) -> chess.pgn.Game: ...

class Table:
    """A table of games or of positions, as an Arrow stream."""

    @property
    def columns(self) -> list[str]: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...

class TableSchema:
    """The columns of a table, as an Arrow schema."""

    @property
    def columns(self) -> list[str]: ...
    def __arrow_c_schema__(self) -> Any: ...

class Games:
    """Games of an archive: what a question found, or a slice."""

    @property
    def path(self) -> os.PathLike[str]: ...
    def sorted(self, key: SortKey, *, reverse: bool = False) -> Games: ...
    def check_blocks(self) -> None: ...
    def find(
        self,
        text: str | None = None,
        /,
        *,
        sort: SortKey | None = None,
        reverse: bool = False,
        limit: int | None = None,
        sample: int | None = None,
        seed: int = 0,
        **questions: Question,
    ) -> Games: ...

    @property
    def numbers(self) -> list[int]: ...
    def tags(self) -> Iterator[dict[str, str]]: ...
    def to_arrow(
        self, columns: Sequence[str] | None = None, *, table: Kind = "games"
    ) -> Table: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Game]: ...
    @overload
    def __getitem__(self, key: int) -> Game: ...
    @overload
    def __getitem__(self, key: slice | list[int]) -> Games: ...

class Archive:
    """An archive of games, with the index beside it."""

    @property
    def path(self) -> os.PathLike[str]: ...
    @property
    def indexed(self) -> bool: ...
    @property
    def blocks(self) -> int: ...
    def games_of_blocks(self, first: int, last: int) -> tuple[int, int]: ...
    @property
    def gaps(self) -> list[Gap]: ...
    def find(
        self,
        text: str | None = None,
        /,
        *,
        sort: SortKey | None = None,
        reverse: bool = False,
        limit: int | None = None,
        sample: int | None = None,
        seed: int = 0,
        **questions: Question,
    ) -> Games: ...
    def tags(self, **questions: Question) -> Iterator[dict[str, str]]: ...
    def tree(self, *, depth: int = 1, **questions: Question) -> Tree: ...
    def names(self, field: str = "player") -> dict[str, int]: ...
    def dups(self, **questions: Question) -> list[list[int]]: ...
    def edit(
        self,
        output: Path,
        *,
        set: Mapping[str, str] | None = None,
        unset: Sequence[str] | None = None,
        rename_player: Mapping[str, str] | None = None,
        delete: bool = False,
        force: bool = False,
        **questions: Question,
    ) -> int: ...
    def __enter__(self) -> Archive: ...
    def __exit__(self, *raised: object) -> None: ...
    def stats(self, *, all_names: bool = False, **questions: Question) -> Tally: ...
    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        *,
        table: Kind = "games",
        **questions: Question,
    ) -> Table: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Game]: ...
    @overload
    def __getitem__(self, key: int) -> Game: ...
    @overload
    def __getitem__(self, key: slice | list[int]) -> Games: ...

class Collection:
    """The games of several archives, one archive after the other."""

    parts: list[Archive] | list[Games]
    @property
    def paths(self) -> list[os.PathLike[str]]: ...
    def find(
        self,
        text: str | None = None,
        /,
        *,
        sort: SortKey | None = None,
        reverse: bool = False,
        limit: int | None = None,
        sample: int | None = None,
        seed: int = 0,
        **questions: Question,
    ) -> Collection: ...
    def sorted(self, key: SortKey, *, reverse: bool = False, limit: int | None = None) -> Collection: ...
    def tags(self) -> Iterator[dict[str, str]]: ...
    def to_arrow(self, columns: Sequence[str] | None = None, *, table: Kind = "games", **questions: Question) -> Table: ...
    def names(self, field: str = "player") -> dict[str, int]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Game]: ...
    @overload
    def __getitem__(self, key: int) -> Game: ...
    @overload
    def __getitem__(self, key: slice | list[int]) -> Collection: ...
    def __enter__(self) -> Collection: ...
    def __exit__(self, *raised: object) -> None: ...

class Scan(pyarrow.dataset.Dataset):
    """Archives as a dataset whose reader says what it needs."""

    def polars(self) -> polars.LazyFrame: ...
    def to_pandas(self, columns: Sequence[str] | None = None, filter: Any = None) -> Any: ...

def scan(
    path: Path | Sequence[Path] | Archive | Games | Collection,
    *,
    table: Kind = "games",
    columns: Sequence[str] | None = None,
    pass_damage: bool = False,
    jobs: int = 0,
) -> Scan: ...
@overload
def open(path: Path, *, pass_damage: bool = False, jobs: int = 0) -> Archive: ...
@overload
def open(path: list[str] | list[os.PathLike[str]] | tuple[Path, ...], *, pass_damage: bool = False, jobs: int = 0) -> Collection: ...
def archives_in(path: str | os.PathLike[str]) -> list[os.PathLike[str]]: ...
def pgn_files_in(path: str | os.PathLike[str]) -> list[os.PathLike[str]]: ...
def schema(
    columns: Sequence[str] | None = None, *, table: Kind = "games"
) -> TableSchema: ...
def pack(
    source: Path | bytes | IO[bytes] | IO[str] | Iterable[chess.pgn.Game] | Iterable[Path],
    archive: Path,
    *,
    force: bool = False,
    jobs: int = 0,
    pieces: str | None = None,
) -> Packed: ...
def unpack(
    archive: str | os.PathLike[str], folder: str | os.PathLike[str], *, force: bool = False, jobs: int = 0
) -> list[os.PathLike[str]]: ...
