"""Sums over games, part by part, and how sure the figures are that they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import pandas as pd

from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.header import fingerprint
from ttr_analysis.studies.intervals import Moments, clustered_difference, clustered_mean, clustered_rate
from ttr_analysis.studies.simulation import SimulationResult

Values: TypeAlias = str | Callable[[pd.DataFrame], Any]
"""A column, or what to compute of a frame."""

_DEAL: Final = "deal"


def ones(frame: pd.DataFrame) -> pd.Series[Any]:
    """Return a one for each row, to count them."""
    return pd.Series(1, index=frame.index)


def n_players(result: SimulationResult) -> int:
    """Return the number of players of a simulation."""
    return len(result.meta["policies"])


def games_of_a_deal(result: SimulationResult) -> int:
    """Return how many games are played with the same random numbers, by players who sit otherwise."""
    n_games: int = result.meta["rotations"]
    return n_games


def check_map(result: SimulationResult, game_map: GameMap) -> None:
    """Raise a ValueError if a simulation was played on another map."""
    if result.meta["facts"] != fingerprint(game_map):
        variant = f" {result.meta['variant']}" if result.meta["variant"] else ""
        raise ValueError(f"the games were played on {result.meta['map']}{variant}, not on this {game_map!r}")


class Tally:
    """
    Sums of columns by group, over games of which only the deals are independent.

    A deal is played once for each rotation of the players, who are dealt the
    same each time: intervals from single games would be too narrow.

    Parameters
    ----------
    result
        The simulation.
    frames
        Rows with their `game`, one part of the games after the other, in
        order.
    by
        Columns of groups.
    columns
        What is summed, by name.
    per
        Those of them that others are counted of: games, say, or attempts.
    """

    def __init__(
        self,
        result: SimulationResult,
        frames: Iterable[pd.DataFrame],
        by: Sequence[str],
        columns: Mapping[str, Values],
        per: Sequence[str],
    ) -> None:
        self._by, self._columns, self._per = list(by), columns, per
        self._n_games = games_of_a_deal(result)
        found: list[pd.DataFrame] = []
        for deals in self._deals(frames):
            whole = pd.concat([*found, self._moments(deals)])  # added up as they come: memory stays flat
            found = [whole.groupby(level=self._by, observed=True).sum()]
        [self.sums] = found

    def _deals(self, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """Yield the sums of each deal; one that two parts share comes whole."""
        keys = [_DEAL, *self._by]
        rest: pd.DataFrame | None = None
        for frame in frames:
            values = {name: frame[how] if isinstance(how, str) else how(frame) for name, how in self._columns.items()}
            numbers = {name: pd.Series(value, index=frame.index).astype("float64") for name, value in values.items()}
            rows = frame[self._by].assign(**{_DEAL: frame["game"] // self._n_games}, **numbers)
            deals = rows.groupby(keys, observed=True).sum()
            if rest is not None:
                deals = pd.concat([rest, deals]).groupby(level=keys, observed=True).sum()
            number = deals.index.get_level_values(_DEAL)
            is_last = number == number.max()
            yield deals[~is_last]
            rest = deals[is_last]
        if rest is not None:
            yield rest

    def _moments(self, deals: pd.DataFrame) -> pd.DataFrame:
        products = {_product(name, name): deals[name] ** 2 for name in self._columns}
        for of in self._per:
            products |= {_product(name, of): deals[name] * deals[of] for name in self._columns}
            products[_n_deals(of)] = (deals[of] != 0).astype("float64")
        whole = deals.assign(**products)
        return whole.groupby(level=self._by, observed=True).sum()

    # -- figures ------------------------------------------------------------------

    def __getitem__(self, name: str) -> pd.Series[Any]:
        """Return a sum, by group."""
        return self.sums[name]

    def count(self, name: str) -> pd.Series[Any]:
        """Return a sum that is a whole number, by group."""
        return self.sums[name].round().astype("int64")

    def ratio(self, name: str, of: str) -> pd.Series[Any]:
        """Return a mean or another ratio without an interval, by group."""
        return self.sums[name] / self.sums[of]

    def rate(self, name: str, of: str, title: str, short: str = "") -> pd.DataFrame:
        """Return a rate and its interval, by group: columns `title`, `short_low` and `short_high`."""
        return self._intervals(clustered_rate, name, of, title, short)

    def mean(self, name: str, of: str, title: str, short: str = "") -> pd.DataFrame:
        """Return a mean and its interval, by group: columns `title`, `short_low` and `short_high`."""
        return self._intervals(clustered_mean, name, of, title, short)

    def difference(self, name: str, of: str, title: str) -> pd.DataFrame:
        """Return a mean of differences between -1 and 1 and its interval, by group: columns as of `mean`."""
        return self._intervals(clustered_difference, name, of, title, "")

    def _intervals(
        self, interval: Callable[[Moments], Sequence[float]], name: str, of: str, title: str, short: str
    ) -> pd.DataFrame:
        squares = (_product(name, name), _product(name, of), _product(of, of))
        moments = self.sums[[_n_deals(of), name, of, *squares]].to_numpy()
        columns = [title, f"{short or title}_low", f"{short or title}_high"]
        rows = [interval(Moments(*row)) for row in moments]
        return pd.DataFrame(rows, index=self.sums.index, columns=columns, dtype="float64")


def _n_deals(of: str) -> str:
    return f"deals with {of}"


def _product(a: str, b: str) -> str:
    return f"{a} x {b}"


# -- rows of games ----------------------------------------------------------------------


def with_winners(result: SimulationResult, table: str) -> Iterator[pd.DataFrame]:
    """Yield a table part by part, with policy and share of the win of each row; missing for the neutral player."""
    columns = ["game", "seat", "policy", "won"]
    for frame, seats in zip(result.iterate(table), result.iterate("seats", columns), strict=True):
        yield frame.merge(seats, on=["game", "seat"], how="left")


def grid(units: pd.DataFrame, column: str, values: pd.Index[Any]) -> pd.DataFrame:
    """Return each unit, such as a game or a seat of one, with each value of a column: what did not happen has a row."""
    return units.merge(pd.DataFrame({column: values}), how="cross")
