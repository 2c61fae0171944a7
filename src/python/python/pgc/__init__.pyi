"""Chess archives: games from PGN, packed without losing a byte, found by an index."""

import datetime
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import IO, Any, Literal, TypedDict, overload, type_check_only

import chess
import chess.pgn
import pandas
import polars
import pyarrow
import pyarrow.dataset
from typing_extensions import Self

__version__: str

# The value of a question; a range (a pair with both ends, a slice, a `range`); or several values, of which one must match. The names of
# questions are the options of `pgc find` with `_` for `-`.
Value = str | int | datetime.date
Question = Value | range | slice[Any, Any, Any] | tuple[Value | None, Value | None] | list[str] | list[int] | list[datetime.date] | AbstractSet[Value]
# A function that is told what is done and of how much, or `True` for a bar of tqdm.
Progress = Callable[[int, int], object] | bool
# The names of columns of text that become categories, or `True` for those that have few different values.
Categories = Sequence[str] | bool

class Error(Exception):
    """An archive is damaged, is of a newer version, or lacks the game asked for."""

class DamagedError(Error):
    """Part of an archive is damaged; the message names the byte and what is missing."""

Path = str | os.PathLike[str]
Kind = Literal["games", "positions", "nodes"]
SortKey = Literal[
    "number", "date", "standard", "event", "site", "round", "white", "black", "result", "eco", "elo", "white_elo", "black_elo", "plies"
]

class Tally(TypedDict):
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    rating: int | None
    performance: int | None

class Stats(Tally):
    """What a player scored, in total and with each colour."""

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

class TieBreak(TypedDict):
    code: str
    value: float | None

class Standing(TypedDict):
    """What a player scored in an event."""

    player: str
    points: float
    games: int
    won: int
    drawn: int
    lost: int
    sonneborn_berger: float
    buchholz: float
    tie_breaks: list[TieBreak]
    performance: float | None
    rated: int
    against: list[str]

class Comparison(TypedDict):
    """The comparison of the players of a match."""

    elo: float | None
    low: float | None
    high: float | None
    los: float | None

class RoundGame(TypedDict):
    round: str
    white: str
    result: str
    black: str

class RatedPlayer(TypedDict):
    rank: int
    player: str
    rating: float | None
    error: float | None
    low: float | None
    high: float | None
    points: float
    games: int
    score: float
    draws: float
    los: float | None

class RatingList(TypedDict):
    players: list[RatedPlayer]
    left_out: int
    pairs: int
    single: int
    white_advantage: float
    white_error: float

class Standings(TypedDict):
    """The standings of an event, with the keys of spec/manual/json.md."""

    players: list[Standing]
    match: Comparison | None
    unfinished: int
    unplayed: int
    left_out: int
    joined: list[list[str]]
    copies: int | None
    rounds: list[RoundGame] | None
    ratings: RatingList | None

class Gap(TypedDict):
    """Bytes of an archive that are damaged, and the games that are missing with them."""

    begin: int
    end: int
    first_game: int | None
    games: int | None
    offset: int
    what: str

class GapOf(Gap):
    """A gap of one of several archives."""

    path: os.PathLike[str]

class Move:
    """A move, with its annotations."""

    @property
    def san(self) -> str: ...
    @property
    def uci(self) -> str: ...
    @property
    def nags(self) -> list[int]: ...
    @property
    def nags_before(self) -> list[int]: ...
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
    def depth(self) -> int | None: ...
    @property
    def variations(self) -> list[list[Move]]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

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
    def games(self) -> int: ...
    @property
    def columns(self) -> list[str]: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...

@type_check_only
class _GameList:
    """What the games of one archive and those of several have alike."""

    def tags(self, **questions: Question) -> Iterator[dict[str, str]]: ...
    def tree(self, *, depth: int = 1, unique: bool = False, progress: Progress | None = None, **questions: Question) -> Tree: ...
    def stats(
        self, *, all_names: bool = False, unique: bool = False, progress: Progress | None = None, **questions: Question
    ) -> Stats: ...
    def table(
        self,
        *,
        rounds: bool = False,
        tiebreak: str | Sequence[str] = (),
        ratings: bool = False,
        anchor: tuple[str, float] | None = None,
        as_written: bool = False,
        unique: bool = False,
        progress: Progress | None = None,
        **questions: Question,
    ) -> Standings: ...
    def names(self, field: str = "player") -> dict[str, int]: ...
    def edit(
        self,
        output: Path,
        *,
        set: Mapping[str, str] | None = None,
        unset: Sequence[str] | None = None,
        rename_player: Mapping[str, str] | None = None,
        delete: bool = False,
        force: bool = False,
        progress: Progress | None = None,
        **questions: Question,
    ) -> int: ...
    def to_arrow(
        self, columns: Sequence[str] | None = None, *, table: Kind = "games", unique: bool = False, **questions: Question
    ) -> Table: ...
    def to_pandas(
        self,
        columns: Sequence[str] | None = None,
        *,
        table: Kind = "games",
        categories: Categories = (),
        unique: bool = False,
        progress: Progress | None = None,
        **questions: Question,
    ) -> pandas.DataFrame: ...
    def to_polars(
        self,
        columns: Sequence[str] | None = None,
        *,
        table: Kind = "games",
        categories: Categories = (),
        unique: bool = False,
        progress: Progress | None = None,
        **questions: Question,
    ) -> polars.DataFrame: ...
    def save(
        self,
        path: Path,
        *,
        columns: Sequence[str] | None = None,
        table: Kind = "games",
        force: bool = False,
        allow_empty: bool = False,
        progress: Progress | None = None,
        group_rows: int | None = None,
        zstd: int | None = None,
        partition: str | None = None,
    ) -> int: ...
    def check_blocks(self) -> None: ...
    @property
    def indexed(self) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Game]: ...
    def __exit__(self, *raised: object) -> None: ...
    def _repr_html_(self, shown: int = 10) -> str: ...
    def __enter__(self) -> Self: ...

class Games(_GameList):
    """Games of an archive: what a question found, or a slice."""

    @property
    def path(self) -> os.PathLike[str]: ...
    @property
    def numbers(self) -> list[int]: ...
    @property
    def gaps(self) -> list[Gap]: ...
    def sorted(self, key: SortKey, *, reverse: bool = False) -> Games: ...
    def dups(self, *, progress: Progress | None = None, **questions: Question) -> list[list[int]]: ...
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
        unique: bool = False,
        progress: Progress | None = None,
        **questions: Question,
    ) -> Games: ...
    @overload
    def __getitem__(self, key: int) -> Game: ...
    @overload
    def __getitem__(self, key: slice[Any, Any, Any] | list[int]) -> Games: ...

class Archive(Games):
    """An archive of games, with the index beside it: all its games."""

    @property
    def blocks(self) -> int: ...
    def games_of_blocks(self, first: int, last: int) -> tuple[int, int]: ...

class Collection(_GameList):
    """The games of several archives, one archive after the other."""

    def __init__(self, parts: Iterable[Games]) -> None: ...
    parts: list[Games]
    @property
    def paths(self) -> list[os.PathLike[str]]: ...
    @property
    def gaps(self) -> list[GapOf]: ...
    def sorted(self, key: SortKey, *, reverse: bool = False, limit: int | None = None) -> Collection: ...
    def dups(self, *, progress: Progress | None = None, **questions: Question) -> list[list[tuple[os.PathLike[str], int]]]: ...
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
        unique: bool = False,
        progress: Progress | None = None,
        **questions: Question,
    ) -> Collection: ...
    @overload
    def __getitem__(self, key: int) -> Game: ...
    @overload
    def __getitem__(self, key: slice[Any, Any, Any] | list[int]) -> Collection: ...

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

# A path opens as an archive; that of a folder as a collection, which has the same methods.
@overload
def open(path: Path, *, pass_damage: bool = False, jobs: int = 0) -> Archive | Any: ...  # type: ignore[overload-overlap]
@overload
def open(path: Iterable[Path], *, pass_damage: bool = False, jobs: int = 0) -> Collection: ...
def archives_in(path: Path) -> list[os.PathLike[str]]: ...
def pgn_files_in(path: Path) -> list[os.PathLike[str]]: ...
def schema(columns: Sequence[str] | None = None, *, table: Kind = "games") -> Table: ...

# What `pack` takes.
Source = Path | bytes | bytearray | memoryview | IO[bytes] | IO[str] | Games | Collection | Game | chess.pgn.GameNode

def pack(
    source: Source | Iterable[Source],
    archive: Path | None = None,
    *,
    force: bool = False,
    jobs: int = 0,
    pieces: str | None = None,
    allow_empty: bool = False,
    progress: Progress | None = None,
) -> Packed: ...
def unpack(archive: Path, folder: Path, *, force: bool = False, jobs: int = 0, progress: Progress | None = None) -> list[os.PathLike[str]]: ...
