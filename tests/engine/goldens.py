"""The golden games of `tests/games`, and what is written down of their results."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.engine.positions import changed
from tests.fixtures import load
from tests.oracles.referee import Event, Final
from ttr_analysis import GameRecord
from ttr_analysis.maps.model import GameMap

FOLDER = Path(__file__).parents[1] / "games"


def golden_paths() -> list[Path]:
    """Return the golden records."""
    return sorted(FOLDER.glob("*/*.jsonl"))


def load_events(path: Path) -> tuple[dict[str, Any], list[Event], GameMap]:
    """Return header, events and map of a golden record, read without the package."""
    header, *events = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return header, events, golden_map(path).with_variant(header.get("variant") or None)


@cache
def golden_record(path: Path) -> GameRecord:
    """Return a golden record."""
    return GameRecord.load(path, load_events(path)[2])


def golden_map(path: Path) -> GameMap:
    """Return the map of a golden record, with the rules changed that the file of its result names."""
    with path.open(encoding="utf-8") as lines:
        name: str = json.loads(next(lines))["map"]
    changes = json.loads(path.with_suffix(".json").read_text(encoding="utf-8")).get("changed_rules")
    if not changes:
        return load(name)
    base = changed(name, **changes)
    variants = tuple(
        replace(rules, **{group: replace(getattr(rules, group), **fields) for group, fields in changes.items()})
        for rules in base.rules.variants
    )
    return replace(base, rules=replace(base.rules, variants=variants))


def load_result(path: Path) -> dict[str, Any]:
    """Return what was written down beside a golden record: its rules and its result."""
    result: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return {key: value for key, value in result.items() if key != "changed_rules"}


def final_data(final: Final) -> dict[str, Any]:
    """Return a result as it is written down."""
    return {
        "ending": final.ending,
        "n_turns": final.n_turns,
        "winners": final.winners,
        "totals": final.scores,
        "seats": [_seat_data(asdict(seat)) for seat in final.seats],
    }


def _seat_data(seat: dict[str, Any]) -> dict[str, Any]:
    """Return a seat without stations where the game has none: the older files do not know them."""
    absent = {"n_stations", "stations"} if seat["n_stations"] == seat["stations"] == 0 else set()
    return {key: value for key, value in seat.items() if key not in absent}
