"""Fit planners to the map in a folder, one number of players after the other, into its `planner.toml`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final

import numpy as np

from ttr_analysis._decoding import Decoder, FaultList, Keys, Range, read_text, write_atomically
from ttr_analysis.maps.loading import load_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.maps.strategy import STRATEGY_FILE, Fitted, strategies_text
from ttr_analysis.policies.planner.fitting import Middle, fit
from ttr_analysis.policies.planner.strategies import NUMBERS

PART_FILE: Final = "planner.part.json"
"""Where an unfinished fit is kept, beside the result."""

Count = Annotated[int, Range()]


@dataclass(frozen=True, slots=True)
class _Numbers:
    numbers: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """An unfinished fit: of which game, by which seed, and how far it has come."""

    variant: str
    n_players: Count
    seed: Count
    n_rounds: Count
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    former: tuple[_Numbers, ...]

    def middle(self) -> Middle | None:
        """Return how far it has come; None if it is of another version, with other numbers."""
        rows = [self.mean, self.spread, *(one.numbers for one in self.former)]
        if any(len(row) != len(NUMBERS) for row in rows):
            return None
        mean, spread, *former = (np.array(row) for row in rows)
        return Middle(self.n_rounds, mean, spread, tuple(former))


def games_of(game_map: GameMap) -> list[tuple[str, int]]:
    """Return the variants of a map with each number of players, "" for its own rules."""
    rules = [game_map.rules, *game_map.rules.variants]
    return [(one.variant, n) for one in rules for n in range(one.players[0], one.players[1] + 1)]


def fit_folder(
    folder: Path,
    games: Iterable[tuple[str, int]],
    *,
    rounds: int,
    seed: int,
    executor: Executor | None = None,
    progress: bool = True,
) -> Iterator[Fitted]:
    """
    Fit planners to games of a map, and write each result beside its rules; yield them.

    If it is interrupted, the same call goes on in the middle of the fit: the games before it are done.
    """
    to_fit, part = [*games], _read_part(folder / PART_FILE)
    begun = None if part is None or part.seed != seed else (part.variant, part.n_players)
    if begun in to_fit:
        to_fit = to_fit[to_fit.index(begun) :]
    for variant, n_players in to_fit:
        game_map = load_map(folder)

        def keep(now: Middle, variant: str = variant, n_players: int = n_players) -> None:
            former = tuple(_Numbers(tuple(one.tolist())) for one in now.former)
            mean, spread = tuple(now.mean.tolist()), tuple(now.spread.tolist())
            kept = _Part(variant, n_players, seed, now.n_rounds, mean, spread, former)
            write_atomically(folder / PART_FILE, json.dumps(asdict(kept)))

        found = fit(
            game_map.with_variant(variant or None),
            n_players,
            rounds=rounds,
            seed=seed,
            middle=part.middle() if part is not None and begun == (variant, n_players) else None,
            keep=keep,
            executor=executor,
            progress=progress,
        )
        others = [one for one in game_map.strategies if (one.variant, one.n_players) != (variant, n_players)]
        write_atomically(folder / STRATEGY_FILE, strategies_text([*others, found]))
        with suppress(FileNotFoundError):
            (folder / PART_FILE).unlink()
        yield found


def _read_part(path: Path) -> _Part | None:
    """Return the unfinished fit in a file, if there is one; raise a `RecordError` with all its faults."""
    faults = FaultList(str(path), path.name)
    text = read_text(path, faults) if path.exists() else None
    faults.raise_if_any()
    if text is None:
        return None

    def refuse(keys: Keys, value: str, expected: str) -> None:
        faults.add(1, ".".join(keys), value, expected)

    try:
        part: _Part | None = Decoder(refuse).table(_Part, json.loads(text))
    except ValueError:
        faults.add(1, "", "something else", "expected JSON; delete the file to begin anew")
        part = None
    faults.raise_if_any()
    return part
