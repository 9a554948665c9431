"""How good a score is: the share of seats of some players with fewer points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import index
from typing import Final

import numpy as np
import pandas as pd

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._decoding import Range
from ttr_analysis._notebook import as_table
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.intervals import clustered_rate, end_columns, moments_of, with_ends
from ttr_analysis.studies.simulation import simulate
from ttr_analysis.tables import check_size

PERCENTILE_COLUMNS: Final = {
    "percentile": "share of their seats with fewer points, plus half of those with equal points",
    **end_columns("percentile"),
    "wins": "share of games in which the points beat those of all seats but one",
    "median": "points that half of the seats reach",
    "winners": "mean points of the winners",
    "games": "games played",
}
"""Columns of `percentile`, and their meanings."""
_UNITS: Final = {"median": "points", "winners": "points"}


def percentile(
    game_map: MapLike,
    points: float,
    n_players: int,
    *,
    against: str | Sequence[str] = "Planner",
    n_games: int = 2_000,
    seed: int = 7,
) -> pd.DataFrame:
    """
    Return how good a score is, compared with the scores of other players.

    Parameters
    ----------
    game_map
        The map, as the variant that was played.
    n_players
        Players in the game.
    against
        Names of policies. Each plays against copies of itself.
    n_games, seed
        Number of games, and their seed. The games are kept in memory for further calls.

    Returns
    -------
    standing
        One row for each policy (index `against`), with the columns of
        `PERCENTILE_COLUMNS`.

    Raises
    ------
    ValueError
        If the map does not allow this number of players, `n_games` is below 2, or `points` is
        not a number.

    Notes
    -----
    The interval treats games, not seats, as independent, since players of one game share
    the board. Planners do not make some mistakes that people make, but keep fewer tickets
    than strong people do: `docs/players.md` compares them with published games.

    Examples
    --------
    >>> standing = percentile("usa", 98, 4, n_games=200)
    >>> standing["percentile"].round(1).to_dict()
    {'Planner': 0.3}
    """
    game_map = as_map(game_map)
    check_size(game_map, n_players)
    n_games = Range(2).check(n_games, "n_games")
    if not np.isfinite(points):
        raise ValueError(f"points must be a number, got {points!r}")
    names = [against] if isinstance(against, str) else list(against)
    rows = [_standing(scores_of(game_map, name, n_players, n_games, index(seed)), points) for name in names]
    table = pd.DataFrame(rows, index=pd.Index(names, name="against"), columns=list(PERCENTILE_COLUMNS))
    return as_table(table, units=_UNITS)


@lru_cache(maxsize=64)
def scores_of(game_map: GameMap, policy: str, n_players: int, n_games: int, seed: int) -> Ints:
    """Return the final points of games of equal players, shape (games, seats)."""
    played = simulate(game_map, [policy] * n_players, n_games, seed, progress=False)
    points: Ints = played.table("seats", ["points"]).to_numpy(dtype=np.int64).reshape(-1, n_players)
    return points


def below(scores: Ints, points: float) -> Floats:
    """Return 1 for each seat with fewer points, one half for equal points, else 0."""
    found: Floats = (scores < points) + 0.5 * (scores == points)
    return found


def _standing(scores: Ints, points: float) -> dict[str, float]:
    """Return the row for a score compared with those of games."""
    n_games, n_players = scores.shape
    n_below = below(scores, points).sum(axis=1)
    best_of_others = np.sort(scores, axis=1)[:, ::-1]
    # One seat is replaced: the others' best is the overall best, or the second best if the seat has the best.
    wins = ((n_players - 1) * (best_of_others[:, 0] < points) + (best_of_others[:, 1] < points)) / n_players
    return {
        **with_ends("percentile", clustered_rate(moments_of(n_below, np.full(n_games, n_players)))),
        "wins": float(wins.mean()),
        "median": float(np.median(scores)),
        "winners": float(best_of_others[:, 0].mean()),
        "games": n_games,
    }
