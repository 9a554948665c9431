"""`load_map`: from a folder of tables to a checked `GameMap`."""

from __future__ import annotations

import csv
import io
import os
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ttr_analysis._decoding import FaultList, read_text
from ttr_analysis._errors import MapError, UnknownNameError, nearest
from ttr_analysis.maps.model import GameMap, first_equal
from ttr_analysis.maps.names import fold
from ttr_analysis.maps.rows import (
    MAX_TEXT,
    TABLES,
    Column,
    CsvTable,
    MapRows,
    Row,
    build_board,
    check_rows,
    check_variant,
    parse_row,
)
from ttr_analysis.maps.toml_files import STRATEGY_FILE, read_rules, read_strategies
from ttr_analysis.rules.ruleset import RuleSet

_MAX_COLUMNS = 50
_MIN_SIMILARITY = 0.65
"""Minimum similarity for suggesting the name of a map: "Sweden" and "nederland" are about half alike."""


def load_map(name_or_folder: str | os.PathLike[str], *, variant: str | None = None) -> GameMap:
    """
    Load a built-in map, or a map folder.

    Parameters
    ----------
    name_or_folder
        `"europe"`, `"nordic"`, `"switzerland"`, `"nederland"` or `"usa"` (case-insensitive),
        or the title of such a map; or a folder with `cities.csv`, `routes.csv`,
        `tickets.csv`, `rules.toml` and, for tickets to countries, `places.csv`. An
        optional `planner.toml` has the parameters of `Planner`.
    variant
        A variant of its rules; None for the map's standard rules.

    Returns
    -------
    game_map
        The checked map.

    Raises
    ------
    MapError
        If the folder has faults. The message lists all of them, each with file, line,
        field, value and what was expected.
    UnknownNameError
        If there is no such map, folder or variant.

    Notes
    -----
    At most 64 cities, 128 routes and 128 tickets in a game, routes of at most 12 spaces,
    tables of at most 1 MB, rules of at most 150 kB on lines of at most 10,000 characters.
    Nothing in a folder is executed.

    Examples
    --------
    >>> load_map("switzerland")
    <GameMap 'switzerland': 51 cities, 88 routes, 46 tickets, 2-3 players>
    >>> load_map("usa", variant="mega")
    <GameMap 'usa': 36 cities, 100 routes, 69 tickets, 2-5 players>
    """
    folder = find_folder(name_or_folder)
    faults = FaultList("", error=MapError)
    rules = read_rules(folder / "rules.toml", faults.of("rules.toml"))
    rows = _read_rows(folder, rules, faults)
    strategies = read_strategies(folder / STRATEGY_FILE, rules, faults.of(STRATEGY_FILE))
    order = ("cities.csv", "places.csv", "routes.csv", "tickets.csv", "rules.toml", STRATEGY_FILE)
    replace(faults, source=str(name_or_folder)).raise_if_any(order)
    assert rules is not None  # noqa: S101 - None only with faults, which were just raised
    board = build_board(rows, rules)
    # A folder may have any name; the map's name is shortened so that records and tables can store it.
    name = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in folder.name)[:MAX_TEXT]
    # Share the data of an equal map loaded earlier: comparing the two is then fast.
    game_map = first_equal(GameMap(name=name, title=rules.title, rules=rules, **board))
    return replace(game_map, strategies=strategies).with_variant(variant)


MapLike = GameMap | str | os.PathLike[str]
"""A map, or an argument of `load_map`: its name, or its folder."""


def as_map(game_map: MapLike) -> GameMap:
    """
    Return a map given as an object, name or folder; raise like `load_map`, or a TypeError for anything else.

    >>> as_map("Nordic Countries")
    <GameMap 'nordic': 39 cities, 81 routes, 46 tickets, 2-3 players>
    """
    if isinstance(game_map, GameMap):
        return game_map
    if not isinstance(game_map, (str, os.PathLike)):
        raise TypeError(f"expected a map, or the name of one, got {game_map!r}")
    return load_map(os.fspath(game_map))


RulesLike = RuleSet | MapLike
"""Rules, or a map with rules."""


def as_rules(rules: RulesLike) -> RuleSet:
    """
    Return rules, given directly or by their map.

    >>> as_rules("nordic").cards.draws_per_turn
    2
    """
    return rules if isinstance(rules, RuleSet) else as_map(rules).rules


def find_folder(name_or_folder: str | os.PathLike[str]) -> Path:
    """Return the folder of a built-in map, or the given one."""
    data, built_in = data_folder(), map_names()
    if isinstance(name_or_folder, str) and name_or_folder in built_in:
        return data / name_or_folder
    name = os.fspath(name_or_folder)
    try:
        folder = Path(name_or_folder).expanduser()
        if name and folder.is_dir():
            return folder.resolve()
    except (OSError, RuntimeError):  # a name that is too long, a folder without access, or an unknown user
        pass
    for known in built_in:
        if fold(name) in (fold(known), fold(_title(data / known))):
            return data / known
    raise UnknownNameError("map or map folder", name, nearest(name, built_in, cutoff=_MIN_SIMILARITY), built_in)


def _title(folder: Path) -> str:
    return str(tomllib.loads((folder / "rules.toml").read_text(encoding="utf-8")).get("title", ""))


def map_names() -> tuple[str, ...]:
    """Return the names of the built-in maps."""
    return tuple(sorted(path.name for path in data_folder().iterdir() if (path / "rules.toml").is_file()))


def data_folder() -> Path:
    """Return the folder of the built-in maps: inside an installed package, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "_data"
    return inside if inside.is_dir() else package.parent / "data"


# -- reading tables --------------------------------------------------------------------------------------------------


def _read_rows(folder: Path, rules: RuleSet | None, faults: FaultList) -> MapRows:
    """Return the tables of a folder, with a fault for everything wrong within and between them."""
    tables = {"places": CsvTable([])}  # few maps have countries
    for name, (columns, max_rows) in TABLES.items():
        file = f"{name}.csv"
        if name not in tables or (folder / file).exists():
            tables[name] = _read_table(folder / file, columns, max_rows, faults.of(file))
    rows = MapRows(**tables)
    check_rows(rows, rules, faults)
    for variant in rules.variants if rules and not faults.faults else ():
        check_variant(rows, variant, faults)
    return rows


def _read_table(path: Path, columns: Sequence[Column], max_rows: int, faults: FaultList) -> CsvTable:
    content = read_text(path, faults)
    if content is None:
        return CsvTable([], whole=False)
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    rows: list[Row] = []
    n_rows = 0
    whole = True
    try:
        header = [field.strip() for field in next(reader, [])]
        if not _check_header(header, columns, faults):
            return CsvTable([], whole=False)
        for fields in reader:
            if not any(field.strip() for field in fields):
                continue
            n_rows += 1
            if n_rows > max_rows:
                faults.add(reader.line_num, "", "more", f"expected at most {max_rows} rows")
                return CsvTable(rows, whole=False)
            if len(fields) == len(header):
                rows.append(parse_row(reader.line_num, dict(zip(header, fields, strict=True)), columns, faults))
            else:
                expected = f"expected {len(header)} fields ({', '.join(header)})"
                faults.add(reader.line_num, "", f"{len(fields)}: {','.join(fields)}", expected)
                whole = False
    except csv.Error as error:
        faults.add(reader.line_num, "", str(error), "expected comma-separated values")
        whole = False
    return CsvTable(rows, whole)


def _check_header(header: Sequence[str], columns: Sequence[Column], faults: FaultList) -> bool:
    """Return whether the headings are valid."""
    known = {column.name for column in columns}
    required = {column.name for column in columns if column.default is ...}
    if len(header) > _MAX_COLUMNS:
        faults.add(1, "", f"{len(header)} columns", f"expected at most {_MAX_COLUMNS} columns")
        return False
    before = len(faults.faults)
    meant: set[str] = set()
    for name in dict.fromkeys(header):
        if name not in known:
            hint = nearest(name, known - set(header)) or sorted(known - set(header))
            meant.update(hint)
            faults.add(1, name, name, f"unknown column, expected {' or '.join(hint) or 'no more columns'}")
        elif header.count(name) > 1:
            faults.add(1, name, f"{header.count(name)} of them", "expected each column once")
    for name in sorted(required - set(header) - meant):
        faults.add(1, name, "no such column", "expected this column")
    return len(faults.faults) == before
