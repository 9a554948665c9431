"""Sums over games, part by part, and how sure the figures are that they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import pandas as pd

from ttr_analysis._notebook import as_table
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.header import fingerprint
from ttr_analysis.studies.columns import ANSWERS, Column, units_of
from ttr_analysis.studies.intervals import Moments, clustered_count, clustered_mean, clustered_rate
from ttr_analysis.studies.simulation import SimulationResult

Values: TypeAlias = str | Callable[[pd.DataFrame], Any]
"""A column, or what to compute of a frame."""

Question = TypeVar("Question", bound=Callable[..., pd.DataFrame])

_DEAL: Final = "deal"
_HIDDEN: Final = "_"
"""How the name begins of what is only summed, for others to be divided by."""


def ones(frame: pd.DataFrame) -> pd.Series[Any]:
    """Return a one for each row, to count them."""
    return pd.Series(1, index=frame.index)


def n_players(result: SimulationResult) -> int:
    """Return the number of players of a simulation."""
    n: int = result.meta.get("n_players", len(result.meta["policies"]))  # of people, not all played every game
    return n


def games_of_a_deal(result: SimulationResult) -> int:
    """Return how many games are played with the same random numbers, by players who sit otherwise."""
    n_games: int = result.meta["rotations"]
    return n_games


def check_map(result: SimulationResult, game_map: GameMap) -> None:
    """Raise a ValueError if a simulation was played on another map."""
    if result.meta["facts"] != fingerprint(game_map):
        variant = f" {result.meta['variant']}" if result.meta["variant"] else ""
        raise ValueError(f"the games were played on {result.meta['map']}{variant}, not on this {game_map!r}")


# -- the columns of an answer ----------------------------------------------------------


class Figure(NamedTuple):
    """
    A column of an answer: what it says, and how it comes from rows of games.

    Parameters
    ----------
    meaning
        What it says.
    of
        What is summed over the rows; None for what the question adds itself.
    per
        By the sum of which figure this is divided; "" for a number of rows or
        things.
    interval
        How the 95% interval comes from moments; None without one.
    ends
        How the names of its ends begin: "" for the name of the figure, None
        for "low" and "high" alone.
    dtype
        The type, as of a `Column`.
    unit
        The unit, as of a `Column`.
    """

    meaning: str
    of: Values | None
    per: str = ""
    interval: Callable[[Moments], Sequence[float]] | None = None
    ends: str | None = ""
    dtype: str = "float64"
    unit: str = ""

    def end_names(self, name: str) -> tuple[str, str]:
        """Return the names of the ends of the interval."""
        begin = "" if self.ends is None else f"{self.ends or name}_"
        return f"{begin}low", f"{begin}high"


Figures: TypeAlias = Mapping[str, Figure]


def count(meaning: str, of: Values = ones) -> Figure:
    """Return the figure of how many there are."""
    return Figure(meaning, of, dtype="int64")


def ratio(meaning: str, of: Values, per: str, unit: str = "") -> Figure:
    """Return the figure of a mean, or another ratio, without an interval."""
    return Figure(meaning, of, per, unit=unit)


def mean(meaning: str, of: Values, per: str, ends: str = "", unit: str = "") -> Figure:
    """Return the figure of a mean and its interval."""
    return Figure(meaning, of, per, clustered_mean, ends, unit=unit)


def frequency(meaning: str, of: Values, per: str) -> Figure:
    """Return the figure of a mean count and its interval."""
    return Figure(meaning, of, per, clustered_count)


def rate(meaning: str, of: Values, per: str, ends: str | None = "") -> Figure:
    """Return the figure of a share between 0 and 1 and its interval."""
    return Figure(meaning, of, per, clustered_rate, ends)


def added(meaning: str, dtype: str = "float64") -> Figure:
    """Return the figure that a question adds itself."""
    return Figure(meaning, None, dtype=dtype)


def columns_of(figures: Figures) -> dict[str, Column]:
    """Return the columns of a table of figures."""
    columns = {}
    for name, figure in figures.items():
        if not name.startswith(_HIDDEN):
            columns[name] = Column(figure.dtype, figure.meaning, figure.unit)
            if figure.interval:
                low, high = figure.end_names(name)
                columns[low] = Column("float64", f"low end of the 95% interval of {name}")
                columns[high] = Column("float64", f"high end of the 95% interval of {name}")
    return columns


def answers_with(figures: Figures, why_empty: str = "") -> Callable[[Question], Question]:
    """
    Return a decorator that puts the columns of an answer where a docstring says {columns}, and into `ANSWERS`.

    Parameters
    ----------
    figures
        The columns.
    why_empty
        As for `as_table`, which the answer is passed through.
    """

    def tell(question: Question) -> Question:
        columns = ANSWERS[question.__name__] = columns_of(figures)
        lines = (
            f"- `{name}`: {column.meaning}{f' ({column.unit})' if column.unit else ''}"
            for name, column in columns.items()
        )
        question.__doc__ = (question.__doc__ or "").replace("{columns}", "\n        ".join(lines))

        @wraps(question)
        def answer(*args: object, **kwargs: object) -> pd.DataFrame:
            return as_table(question(*args, **kwargs), units=units_of(columns), why_empty=why_empty)

        return cast("Question", answer)

    return tell


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
    figures
        The columns of the answer, by name.
    """

    def __init__(
        self,
        result: SimulationResult,
        frames: Iterable[pd.DataFrame],
        by: Sequence[str],
        figures: Figures,
    ) -> None:
        self._by, self._figures = list(by), figures
        self._n_games = games_of_a_deal(result)
        found: list[pd.DataFrame] = []
        for deals in self._deals(frames):
            whole = pd.concat([*found, self._moments(deals)])  # added up as they come: memory stays flat
            found = [whole.groupby(level=self._by, observed=True).sum()]
        [self.sums] = found

    def _deals(self, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """Yield the sums of each deal; one that two parts share comes whole."""
        keys = [_DEAL, *self._by]
        summed = {name: figure.of for name, figure in self._figures.items() if figure.of is not None}
        rest: pd.DataFrame | None = None
        for frame in frames:
            values = {name: frame[how] if isinstance(how, str) else how(frame) for name, how in summed.items()}
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
        products: dict[str, pd.Series[Any]] = {}
        for name, figure in self._figures.items():
            if figure.interval is not None:
                products |= {_product(*two): deals[two[0]] * deals[two[1]] for two in _squares(name, figure.per)}
                products[_n_deals(figure.per)] = (deals[figure.per] != 0).astype("float64")
        whole = deals.assign(**products)
        return whole.groupby(level=self._by, observed=True).sum()

    # -- figures ------------------------------------------------------------------

    def __getitem__(self, name: str) -> pd.Series[Any]:
        """Return a sum, by group."""
        return self.sums[name]

    def table(self) -> pd.DataFrame:
        """Return the figures by group, in their order; those that are added are missing."""
        parts: list[pd.Series[Any] | pd.DataFrame] = []
        for name, figure in self._figures.items():
            if name.startswith(_HIDDEN):
                continue
            if figure.of is None:
                part: pd.Series[Any] = pd.Series(np.nan, index=self.sums.index)
            elif not figure.per:
                part = self.sums[name].round().astype("int64")
            else:
                part = self.sums[name] / self.sums[figure.per]
            parts.append(part.rename(name) if figure.interval is None else self._intervals(name, figure.interval))
        return pd.concat(parts, axis=1)

    def moments(self, name: str) -> list[Moments]:
        """Return what the deals of a figure with an interval sum up to, by group."""
        per = self._figures[name].per
        squares = (_product(*two) for two in _squares(name, per))
        return [Moments(*row) for row in self.sums[[_n_deals(per), name, per, *squares]].to_numpy().tolist()]

    def _intervals(self, name: str, interval: Callable[[Moments], Sequence[float]]) -> pd.DataFrame:
        """Return a figure with the ends of its interval."""
        figure = self._figures[name]
        rows = [interval(moments) for moments in self.moments(name)]
        return pd.DataFrame(rows, index=self.sums.index, columns=[name, *figure.end_names(name)], dtype="float64")


def _squares(name: str, per: str) -> tuple[tuple[str, str], ...]:
    """Return of which sums of a deal the products are added up, for an interval."""
    return (name, name), (name, per), (per, per)


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
