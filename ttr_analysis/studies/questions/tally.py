"""Sums over games, computed in parts, and the figures with intervals that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, Final, TypeVar, cast

import numpy as np
import pandas as pd

from ttr_analysis._notebook import as_table
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.file import fingerprint
from ttr_analysis.studies.columns import ANSWERS, HIDDEN, Figures, Values, columns_of, units_of
from ttr_analysis.studies.intervals import ClusterSums
from ttr_analysis.studies.simulation import SimulationResult

Question = TypeVar("Question", bound=Callable[..., pd.DataFrame])

_DEAL: Final = "deal"


def n_players(result: SimulationResult) -> int:
    """Return the number of players of a simulation."""
    n: int = result.meta.get("n_players", len(result.meta["policies"]))  # not every person played in every game
    return n


def games_per_deal(result: SimulationResult) -> int:
    """Return the number of games per deal, which differ only in seating."""
    n_games: int = result.meta["rotations"]
    return n_games


def played_map(result: SimulationResult, given: MapLike) -> GameMap:
    """Return the given map; raise a ValueError if the simulation was played on another one."""
    game_map = as_map(given)
    if result.meta["facts"] != fingerprint(game_map):
        variant = f" {result.meta['variant']}" if result.meta["variant"] else ""
        raise ValueError(f"the games were played on {result.meta['map']}{variant}, not on this {game_map!r}")
    return game_map


def answer(why_empty: str = "") -> Callable[[Question], Question]:
    """Return a decorator that lists the columns in place of {columns}, and displays answers as tables."""

    def decorate(question: Question) -> Question:
        columns = columns_of(ANSWERS[question.__name__])
        lines = (
            f"- `{name}`: {column.meaning}{f' ({column.unit})' if name in units_of(columns) else ''}"
            for name, column in columns.items()
        )
        question.__doc__ = (question.__doc__ or "").replace("{columns}", "\n        ".join(lines))

        @wraps(question)
        def shown(*args: object, **kwargs: object) -> pd.DataFrame:
            return as_table(question(*args, **kwargs), units=units_of(columns), why_empty=why_empty)

        return cast("Question", shown)

    return decorate


def sums_by_deal(
    frames: Iterable[pd.DataFrame], values: Mapping[str, Values], by: Sequence[str], n_games: int
) -> Iterator[pd.DataFrame]:
    """
    Yield the sums of named values for each deal and group, joining deals that two frames share.

    The frames are parts of a table with a column `game`, in order of games.
    """
    keys = [_DEAL, *by]
    rest: pd.DataFrame | None = None
    for frame in frames:
        cells = {name: frame[how] if isinstance(how, str) else how(frame) for name, how in values.items()}
        numbers = {name: pd.Series(value, index=frame.index).astype("float64") for name, value in cells.items()}
        rows = frame[list(by)].assign(**{_DEAL: frame["game"] // n_games}, **numbers)
        deals = rows.groupby(keys, observed=True).sum()
        if rest is not None:
            deals = pd.concat([rest, deals]).groupby(level=keys, observed=True).sum()
        number = deals.index.get_level_values(_DEAL)
        is_last = number == number.max()
        yield deals[~is_last]
        rest = deals[is_last]
    if rest is not None:
        yield rest


class Tally:
    """
    Figures by group, for games of which only the deals are independent.

    A deal is played once in each rotation of the players, with the same cards each time, so
    intervals that treat games as independent would be too narrow.
    """

    def __init__(self, frames: Iterable[pd.DataFrame], by: Sequence[str], figures: Figures, n_games: int = 1) -> None:
        self._by, self._figures = list(by), figures
        values = {name: figure.of for name, figure in figures.items() if figure.of is not None}
        found: list[pd.DataFrame] = []
        for deals in sums_by_deal(frames, values, by, n_games):
            whole = pd.concat([*found, self._moments(deals)])  # added up in parts, so that memory does not grow
            found = [whole.groupby(level=self._by, observed=True).sum()]
        [self.sums] = found

    def _moments(self, deals: pd.DataFrame) -> pd.DataFrame:
        products: dict[str, pd.Series[Any]] = {}
        for name, figure in self._figures.items():
            if figure.interval is not None:
                products |= {_product_key(*two): deals[two[0]] * deals[two[1]] for two in _squares(name, figure.per)}
                products[_deals_key(figure.per)] = (deals[figure.per] != 0).astype("float64")
        whole = deals.assign(**products)
        return whole.groupby(level=self._by, observed=True).sum()

    # -- figures ------------------------------------------------------------------

    def __getitem__(self, name: str) -> pd.Series[Any]:
        """Return a sum, by group."""
        return self.sums[name]

    def table(self) -> pd.DataFrame:
        """Return the figures by group, in order; figures that the question adds are missing."""
        parts: list[pd.Series[Any] | pd.DataFrame] = []
        for name, figure in self._figures.items():
            if name.startswith(HIDDEN):
                continue
            if figure.of is None:
                part: pd.Series[Any] = pd.Series(np.nan, index=self.sums.index)
            elif not figure.per:
                part = self.sums[name].round().astype("int64")
            else:
                part = self.sums[name] / self.sums[figure.per]
            parts.append(part.rename(name) if figure.interval is None else self._intervals(name, figure.interval))
        return pd.concat(parts, axis=1)

    def moments(self, name: str) -> dict[Any, ClusterSums]:
        """Return the sums over deals for a figure with an interval, by group."""
        per = self._figures[name].per
        squares = (_product_key(*two) for two in _squares(name, per))
        rows = self.sums[[_deals_key(per), name, per, *squares]]
        return {group: ClusterSums(*row) for group, row in zip(rows.index, rows.to_numpy().tolist(), strict=True)}

    def _intervals(self, name: str, interval: Callable[[ClusterSums], Sequence[float]]) -> pd.DataFrame:
        """Return a figure with its interval's ends."""
        figure = self._figures[name]
        rows = [interval(moments) for moments in self.moments(name).values()]
        return pd.DataFrame(rows, index=self.sums.index, columns=[name, *figure.end_names(name)], dtype="float64")


def _squares(name: str, per: str) -> tuple[tuple[str, str], ...]:
    """Return the names of the sums whose products an interval needs."""
    return (name, name), (name, per), (per, per)


def _deals_key(of: str) -> str:
    return f"deals with {of}"


def _product_key(a: str, b: str) -> str:
    return f"{a} x {b}"


# -- questions on a simulation ----------------------------------------------------------


def tally(result: SimulationResult, question: str, by: Sequence[str], rows: Iterable[pd.DataFrame]) -> Tally:
    """Return the figures of a question by group; policies in the order in which they were given."""
    if "policy" in by:
        policies = pd.CategoricalDtype(list(dict.fromkeys(result.meta["policies"])))
        rows = (frame.astype({"policy": policies}) for frame in rows)
    return Tally(rows, by, ANSWERS[question], games_per_deal(result))


def with_winners(result: SimulationResult, table: str) -> Iterator[pd.DataFrame]:
    """Yield a table in parts, with each row's policy and share of the win; missing for the neutral player."""
    columns = ["game", "seat", "policy", "won"]
    for frame, seats in zip(result.iterate(table), result.iterate("seats", columns), strict=True):
        yield frame.merge(seats, on=["game", "seat"], how="left")


def grid(units: pd.DataFrame, column: str, values: pd.Index[Any]) -> pd.DataFrame:
    """Return every combination of a unit, such as a game or seat, with a column's values, so that absent ones count."""
    return units.merge(pd.DataFrame({column: values}), how="cross")
