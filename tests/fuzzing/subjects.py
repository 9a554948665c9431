"""What reads files of strangers: right files of each kind, and all that is done with them once they are read."""

from __future__ import annotations

import codecs
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import ttr_analysis as ttr
from tests.engine.records import Table, played
from tests.fixtures import INVENTED, load
from tests.fuzzing.mutations import Files, mutated
from tests.notation.bga_writer import log_text, ticket_notes
from ttr_analysis import Game, GameRecord, MapError, RecordError, RecordWarning
from ttr_analysis._errors import GameError
from ttr_analysis.cli.maps import doubts, offers
from ttr_analysis.maps.loading import data_folder
from ttr_analysis.notation import NotationError, record_lines
from ttr_analysis.notation.bga import read_bga, read_notes
from ttr_analysis.notation.session import Session
from ttr_analysis.policies import Greedy, Random
from ttr_analysis.studies import SimulationResult
from ttr_analysis.studies.columns import TABLES
from ttr_analysis.studies.parts import META, SAME, SUMS, _checksum, _sha256, run_of
from ttr_analysis.viz.svg import map_svg


class RefusedError(Exception):
    """What was read is refused as documented."""


@contextmanager
def refusing(*documented: type[Exception]) -> Iterator[None]:
    """Take the documented errors for a refusal; their words must be fit to be printed."""
    try:
        yield
    except documented as error:
        _check_words(error)
        raise RefusedError from error


def _check_words(error: Exception) -> None:
    """Raise an AssertionError unless an error can be printed."""
    text = str(error)
    assert all(line.isprintable() for line in text.split("\n")), "a message with control characters"
    assert 0 < len(text) < _LONGEST, f"a message of {len(text)} characters"
    for fault in getattr(error, "faults", ()):
        assert fault.expected, "a fault that does not say what was expected"
        assert len(str(fault)) < _LONGEST_FAULT, f"a fault of {len(str(fault))} characters"
        if isinstance(error, MapError):
            assert fault.expected.startswith(("expected", "unknown")), f"a fault that says {fault.expected}"


_LONGEST = 50_000
_LONGEST_FAULT = 600


@dataclass(frozen=True)
class Subject:
    """
    A reader of files.

    Parameters
    ----------
    name
        What it reads.
    seeds
        Right files, made when they are first wanted.
    use
        Reads a folder and uses what it holds; what takes long is done for
        some numbers of mutants only.
    sign
        Makes mutants pass for written by the package.
    words
        What may come into them, as often as all words of right files.
    """

    name: str
    seeds: Callable[[], Sequence[Files]]
    use: Callable[[Path, int], None]
    sign: Callable[[np.random.Generator, Files], Files] = lambda _, files: files
    words: tuple[bytes, ...] = ()

    def mutant(self, seed: int, number: int) -> Files:
        """Return the mutant of a number: the same one whenever it is asked for."""
        rng = np.random.default_rng([seed, *self.name.encode(), number])
        seeds = self.seeds()
        files = seeds[int(rng.integers(len(seeds)))]
        own = _words(self.seeds)
        words = own + self.words * (len(own) // max(1, len(self.words)))
        return self.sign(rng, mutated(rng, files, words, seeds))


@cache
def _words(seeds: Callable[[], Sequence[Files]]) -> tuple[bytes, ...]:
    """Return what means something in right files: their words, and those of the rules."""
    texts = [content for files in seeds() for name, content in files.items() if not name.endswith(".parquet")]
    return tuple(sorted({word for text in texts for word in text.replace(b",", b" ").replace(b'"', b" ").split()}))


# -- maps ------------------------------------------------------------------------------------------------------------


@cache
def _map_seeds() -> list[Files]:
    folders = [INVENTED, *(folder for folder in sorted(data_folder().iterdir()) if (folder / "rules.toml").is_file())]
    names = ("cities.csv", "places.csv", "routes.csv", "tickets.csv", "rules.toml")
    return [{name: (folder / name).read_bytes() for name in names if (folder / name).exists()} for folder in folders]


def _use_map(folder: Path, number: int) -> None:
    with refusing(MapError):
        game_map = ttr.load_map(folder)
    assert nx.is_connected(game_map.graph)
    assert all(line.isprintable() for line in (*offers(game_map), *doubts(game_map), repr(game_map)))
    if number % _PICTURE_EVERY == 0:
        map_svg(game_map)
    variants = (game_map.rules, *game_map.rules.variants)
    rules = variants[number % len(variants)]
    n_players = rules.players[0]
    with refusing(GameError):
        game = Game(game_map.with_variant(rules.variant or None), n_players)
    record = game.play([Random()] * n_players, seed=1)
    assert GameRecord.loads(record.dumps(), record.map) == record


_PICTURE_EVERY = 4


# -- records ---------------------------------------------------------------------------------------------------------

_TABLES = (
    Table("nordic", "", 2),
    Table("usa", "", 3),
    Table("switzerland", "", 3),
    Table("nederland", "", 2),
    Table("nederland", "neutral", 2),
)
_RECORD, _TEXT = ".jsonl", ".txt"


def _file(folder: Path, suffix: str) -> tuple[str, bytes]:
    """Return the name without ending, and the content, of the one file with an ending; nothing if there is none."""
    for file in folder.glob(f"*{suffix}"):
        if file.is_file():
            return file.stem, file.read_bytes()
    return "", b""


@cache
def _record_seeds() -> list[Files]:
    whole = [played(table) for table in _TABLES]
    records = [*whole, *(record.watched_from(0) for record in whole)]
    texts = [record.dumps().splitlines(keepends=True) for record in records]
    return [{f"game{_RECORD}": "".join(lines[:n]).encode()} for lines in texts for n in (45, 90)]


def _use_record(folder: Path, _: int) -> None:
    text = _file(folder, _RECORD)[1]
    with refusing(RecordError), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RecordWarning)
        record = GameRecord.loads(text)
    rows = text.removeprefix(codecs.BOM_UTF8).split(b"\n")
    if rows[-1] == b"" or any("breaks off" in str(warning.message) for warning in told):
        rows.pop()
    assert [_comparable(row) for row in rows] == [_comparable(row) for row in record.dumps().encode().splitlines()]
    assert GameRecord.loads(record.dumps(), record.map) == record
    _use(record)
    with refusing(GameError):
        assert len(record.score()) == record.header.n_players


def _comparable(row: bytes) -> dict[str, object]:
    """Return what a line says: in a header, what is empty may be left out; the order of tickets kept means nothing."""
    data = json.loads(row)
    if "format" in data:
        return {key: value for key, value in data.items() if value not in ("", [])}
    return {key: sorted(value) if isinstance(value, list) else value for key, value in data.items()}


def _use(record: GameRecord) -> None:
    """Use a record that is right: it comes back from its text, and tells its story."""
    again = GameRecord.loads(record.dumps(), record.map)
    assert again.entries == record.entries
    assert list(again.states()) == list(record.states())
    assert len(record.states()) == len(record.steps)
    assert record_lines(record) is not None
    assert str(record).isprintable()


# -- notation --------------------------------------------------------------------------------------------------------


@cache
def _notation_seeds() -> list[Files]:
    whole = {str(table): played(table) for table in _TABLES}
    texts = [(name, record_lines(its)) for name, record in whole.items() for its in (record, record.watched_from(0))]
    return [{f"{name}{_TEXT}": "\n".join(lines[:20]).encode()} for name, lines in texts]


def _use_notation(folder: Path, _: int) -> None:
    name, content = _file(folder, _TEXT)
    table = next(table for table in _TABLES if str(table) == name)
    session = Session(Game(table.game_map, table.n_players), players=["Ida", "Bo", "Cleo"][: table.n_players])
    refused = None
    for line in content.decode(errors="replace").splitlines()[:_MOST_LINES]:
        try:
            with refusing(NotationError):
                session.write(line)
        except RefusedError as error:
            refused = error
    session.missing()
    with refusing(GameError):
        _use(session.record)
    if refused:
        raise refused


_MOST_LINES = 60

# -- logs ------------------------------------------------------------------------------------------------------------


@cache
def _log_seeds() -> list[Files]:
    seeds: list[Files] = []
    for table in (Table("usa", "", 5), Table("usa", "", 3), Table("usa", "", 2), Table("nordic", "", 2)):
        record, rng = played(table), np.random.default_rng(1)
        lines, notes = log_text(record, rng).splitlines(keepends=True), json.dumps(ticket_notes(record, rng))
        seeds += [
            {f"{table.name}{_TEXT}": "".join(part).encode(), "notes.json": notes.encode()}
            for part in (lines[:40], lines[:80], lines[:30] + lines[-20:])
        ]
    return seeds


def _use_log(folder: Path, _: int) -> None:
    name, content = _file(folder, _TEXT)
    notes = folder / "notes.json"
    log = content.decode(errors="replace")
    with refusing(RecordError):
        tickets = read_notes(notes) if notes.is_file() else None
        try:
            record = read_bga(log, tickets=tickets, game_map=name or "usa")
        except RecordError as error:
            [fault] = error.faults
            assert fault.line or any(what in fault.expected for what in ("ticket", "no line was understood"))
            assert fault.line <= len(log.splitlines())
            raise
    assert len(str(record.report)) > 20
    _use(record)


# What other tables' logs may hold, and how a page may mark it.
_FOREIGN = (
    *("Good game!", "Bo: lol", "", "   ", "1234", "Move", "Move 99999999 :1", "Zoe takes 3", "Ann takes 9"),
    *("Ann: Bo takes 3", "Ann has joined the table", "Ann takes 0,1", "You takes 3", "\u202emirrored", "\x00\x07"),
    *("Ann keeps 0 destination(s)", "Ann keeps 99 destination(s)", "Bo takes 99 hidden train car card(s)"),
    *("End of game", "The train car deck has been reshuffled", "Ann reveals Dallas to New York destination"),
    "Three locomotives have been revealed, visible train cards are replaced",
    "Bo gains 10 points with longest continuous path : 30 train cars",
)
_LOG_WORDS = (*(f"\n{line}\n".encode() for line in _FOREIGN), *b"Ann Bo You Zoe <b> <i> </b> \r\n \n\n".split(b" "))


# -- simulations -----------------------------------------------------------------------------------------------------

_POLICIES = (Greedy(), Random())


def _simulate(folder: Path) -> SimulationResult:
    return ttr.simulate(load("nordic"), _POLICIES, 4, 7, out=folder, resume=True, chunk_size=2, progress=False)


@cache
def _simulation_seeds() -> list[Files]:
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        _simulate(folder)
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return [{name: files[name] for name in sorted(files) if not name.endswith(".lock")}]


def _use_simulation(folder: Path, _: int) -> None:
    with refusing(ValueError, FileNotFoundError):
        result = SimulationResult.load(folder)
    assert repr(result).isprintable()
    with refusing(ValueError):
        for name in TABLES:
            result.table(name)


def _resume_simulation(folder: Path, number: int) -> None:
    with refusing(ValueError, FileExistsError):
        _simulate(folder)
    _use_simulation(folder, number)


def _sign_simulation(rng: np.random.Generator, files: Files) -> Files:
    """Write checksums of what was changed, as somebody would who means harm."""
    signed, depth = dict(files), int(rng.integers(3))
    meta = _json(signed.get(META))
    if depth == 0 or not meta:
        return signed
    meta["checksum"] = _checksum({key: value for key, value in meta.items() if key != "checksum"})
    signed[META] = json.dumps(meta).encode()
    for name in [name for name in signed if name.endswith(SUMS)] if depth > 1 else []:
        sums = _json(signed[name])
        tables = sums.get("tables")
        if isinstance(tables, dict):
            contents = {table: signed.get(name.replace(SUMS, table), b"") for table in tables}
            sums["tables"] = {table: [len(content), _sha256(content)] for table, content in contents.items()}
        if meta.keys() >= {*SAME, "categories"}:
            sums["run"] = run_of(meta)
        signed[name] = json.dumps(sums).encode()
    return signed


def _json(content: bytes | None) -> dict[str, Any]:
    try:
        data = json.loads(content or b"")
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


SUBJECTS = {
    subject.name: subject
    for subject in (
        Subject("maps", _map_seeds, _use_map),
        Subject("records", _record_seeds, _use_record),
        Subject("notation", _notation_seeds, _use_notation),
        Subject("logs", _log_seeds, _use_log, words=_LOG_WORDS),
        Subject("simulations", _simulation_seeds, _use_simulation, _sign_simulation),
        Subject("resumed", _simulation_seeds, _resume_simulation, _sign_simulation),
    )
}
"""All readers, by what they read."""
