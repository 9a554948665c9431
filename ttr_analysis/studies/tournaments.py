"""Round-robin tournaments between policies, and ratings with intervals."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import cached_property
from html import escape
from itertools import combinations, permutations
from math import factorial, log
from typing import Final, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
from scipy.special import logit

from ttr_analysis._compile import Floats
from ttr_analysis._decoding import Range
from ttr_analysis._notebook import as_table
from ttr_analysis.analysis.waiting import Z_95
from ttr_analysis.engine.protocol import BUILT_IN, FROZEN, RIVALS, PolicyLike, find_policies, find_policy, policy_name
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.playout import is_compiled
from ttr_analysis.records.file import check_seed
from ttr_analysis.studies import intervals
from ttr_analysis.studies.playing import Columns, Entrants, Player, Run, names_apart, warn_of_generators
from ttr_analysis.studies.simulation import Chunk, Interrupted, chunks_of, played
from ttr_analysis.tables import check_size

_EVEN_ODDS: Final = 0.5
_STANDARD: Final = "Planner"
"""The default player with rating 0."""


def built_in() -> list[Player]:
    """
    Return the built-in compiled players, weakest first.

    Not included: `Searcher`, which is about a thousand times slower, and earlier planners
    and outside rivals, which serve as yardsticks.

    Examples
    --------
    >>> built_in()[:2]
    [Random(), Greedy()]
    """
    return [
        policy for policy in find_policies(BUILT_IN) if is_compiled(policy) and policy.name not in (*FROZEN, *RIVALS)
    ]


def tournament(
    game_map: MapLike,
    policies: Entrants,
    n_games: int = 1_000,
    seed: int = 0,
    *,
    n_players: int = 2,
    reference: str | None = None,
    executor: Executor | None = None,
    progress: bool = True,
) -> Tournament:
    """
    Let policies play each other, and rate them.

    Every group of `n_players` meets in `n_games` games, on the same deals as other
    groups. In games of more than two, each pair of players has a winner, the one who
    finishes ahead. Groups sit in every order, each with its own deals, since it matters
    who plays before whom.

    Parameters
    ----------
    policies
        Names of built-in players, your own policies, or both; or a dict of players by
        name. Players with the same name get numbers. Copies play, as in `simulate`.
    n_games
        Games of each set of players that meet, rounded up to a multiple of 2, 6, 24 or 120
        for 2, 3, 4 or 5 players. Memory grows with the number of deals, of which there can
        be about 100,000.
    reference
        The name of the player rated 0; None: Planner if it plays, else the first.

    Returns
    -------
    tournament
        Ratings, and results for each pair. If you interrupt the run after all groups
        have met, those of the finished games.

    Raises
    ------
    ValueError
        If there are fewer policies than players in a game, the map does not allow this
        number of players, a number is out of range, or the reference does not play.
    KeyboardInterrupt
        If you interrupt the run before all groups have met.

    Warns
    -----
    Interrupted, UserWarning
        If you interrupt the run later, or if a policy holds a random generator.

    Examples
    --------
    Is an idea better than the built-in players?

    >>> class First:
    ...     def choose(self, view, actions, rng):
    ...         return actions[0]
    >>> usa = ttr.load_map("usa")
    >>> found = ttr.studies.tournament(usa, [First(), *ttr.studies.built_in()], n_games=4, progress=False)
    >>> found.table.index.tolist()
    ['Planner', 'Greedy', 'First', 'Random']
    """
    game_map = as_map(game_map)
    players = _named(policies)
    _check(game_map, players, n_players)
    names = [name for name, _ in players]
    if reference is None:
        reference = _STANDARD if _STANDARD in names else names[0]
    if reference not in names:
        raise ValueError(f"the reference must be one of {', '.join(names)}, got {reference!r}")
    warn_of_generators(player for _, player in players)
    pairings = list(combinations(range(len(players)), n_players))
    meetings = _play(game_map, players, pairings, n_games, seed, executor, progress=progress)
    return Tournament(game_map, n_players, meetings, reference)


def league(
    game_map: MapLike,
    players: Entrants | None = None,
    n_games: int = 500,
    seed: int = 0,
    *,
    reference: str = _STANDARD,
    n_players: int = 2,
    executor: Executor | None = None,
    progress: bool = True,
) -> Tournament:
    """
    Rate players relative to one of them, whose rating is 0.

    Parameters
    ----------
    game_map, n_games, seed, n_players, executor, progress
        As in `tournament`.
    players
        The players, as in `tournament`. None means all built-in compiled players,
        including earlier versions and outside rivals.
    reference
        Name of the player with rating 0; added if it is not among the players.

    Raises
    ------
    ValueError, KeyboardInterrupt
        As in `tournament`.

    Examples
    --------
    >>> found = league("usa", ["Greedy", "Hungry"], n_games=20, reference="Greedy", progress=False)
    >>> found.table["rating"].round().to_dict()["Greedy"], found.table.index[0]
    (0.0, 'Hungry')
    """
    everybody = [policy for policy in find_policies(BUILT_IN) if is_compiled(policy)]
    named = dict(_named(everybody if players is None else players))
    if reference not in named:
        known = find_policy(reference)
        reference = policy_name(known)
        named.setdefault(reference, known)
    return tournament(
        game_map,
        named,
        n_games,
        seed,
        n_players=n_players,
        reference=reference,
        executor=executor,
        progress=progress,
    )


def beats(
    game_map: MapLike,
    policy: PolicyLike,
    others: Entrants | None = None,
    n_games: int = 1_000,
    seed: int = 0,
    *,
    executor: Executor | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """
    Return whether a policy beats others in two-player games.

    Parameters
    ----------
    others
        Its opponents. None means the built-in players.
    n_games
        Games against each of them, rounded up to an even number.

    Returns
    -------
    table
        One row for each opponent (index `other`): `games`; `win_rate` (ties count half)
        with its 95% interval `win_low` and `win_high`, paired by deal; mean `margin` in
        points with `margin_low` and `margin_high`; and `verdict`, which is "yes" if the
        interval of `win_rate` is above one half, "no" if it is below, else "too close
        to call".

    Raises
    ------
    ValueError, KeyboardInterrupt
        As in `tournament`.

    Examples
    --------
    >>> beats(ttr.load_map("usa"), "Greedy", n_games=40, progress=False)["verdict"].to_dict()
    {'Random': 'yes', 'Greedy': 'too close to call', 'Planner': 'no'}
    """
    game_map = as_map(game_map)
    tested = find_policy(policy)
    players = [(policy_name(tested), tested), *_named(built_in() if others is None else others)]
    _check(game_map, players, 2)
    warn_of_generators(player for _, player in players)
    pairings = [(0, i) for i in range(1, len(players))]
    meetings = _play(game_map, players, pairings, n_games, seed, executor, progress=progress)
    rows = []
    for i in range(1, len(players)):
        win = meetings.rate(0, i)
        verdict = "yes" if win.low > _EVEN_ODDS else "no" if win.high < _EVEN_ODDS else "too close to call"
        rows.append([meetings.met[:, 0, i].sum(), *win, *meetings.margin(0, i), verdict])
    columns = ["games", "win_rate", "win_low", "win_high", "margin", "margin_low", "margin_high", "verdict"]
    index = pd.Index([name for name, _ in players[1:]], name="other")
    return as_table(pd.DataFrame(rows, index=index, columns=columns).astype({"games": int}), units={"margin": "points"})


class Tournament:
    """
    The results of a tournament.

    Parameters
    ----------
    meetings
        Who finished ahead of whom.
    reference
        The player rated 0.
    """

    def __init__(self, game_map: GameMap, n_players: int, meetings: Meetings, reference: str) -> None:
        self.game_map = game_map
        self.n_players = n_players
        self.reference = reference
        self._meetings = meetings

    @cached_property
    def _ratings(self) -> Ratings:
        return fit_ratings(self._meetings.scores, self._meetings.names.index(self.reference))

    @cached_property
    def table(self) -> pd.DataFrame:
        """
        The ratings, best first.

        One row for each player (index `policy`): `rating` (Elo points above the reference;
        see `Ratings`) with its 95% interval `rating_low` and `rating_high`; `bound`, which
        is "at least" or "at most" where one end of the interval is infinite, because the
        player never lost to the reference or never won, directly or through others;
        `games`; `win_rate` (a win shared by k players counts 1/k) with `win_low` and `win_high`;
        mean `points`.
        """
        meetings, ratings = self._meetings, self._ratings
        n_games = meetings.games.sum(axis=0)
        wins = [meetings.win_rate(i) for i in range(len(meetings.names))]
        table = pd.DataFrame(
            {
                "rating": ratings.elo,
                "rating_low": ratings.low,
                "rating_high": ratings.high,
                "bound": ratings.bounds,
                "games": n_games.astype(int),
                **dict(zip(("win_rate", "win_low", "win_high"), zip(*wins, strict=True), strict=True)),
                "points": meetings.points / n_games,
            },
            index=pd.Index(meetings.names, name="policy"),
        )
        return as_table(table.sort_values("rating", ascending=False, kind="stable"), units={"rating": "Elo"})

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """
        The results of each pair of players.

        One row for each pair, higher rating first (index `policy`, `other`): `games`; the
        `rate` at which the first finished ahead of the second (ties count half) with its
        95% interval `low` and `high`; the rate `expected` from the ratings; and the mean
        `margin` in points with `margin_low` and `margin_high`. If `expected` is outside
        the interval, a single rating per player does not explain the results.
        """
        meetings, strength = self._meetings, self._ratings.elo / ELO
        rows, index = [], []
        for i, j in combinations(np.argsort(-strength, kind="stable"), 2):
            expected = 1 / (1 + np.exp(strength[j] - strength[i]))
            rows.append([meetings.met[:, i, j].sum(), *meetings.rate(i, j), expected, *meetings.margin(i, j)])
            index.append((meetings.names[i], meetings.names[j]))
        columns = ["games", "rate", "low", "high", "expected", "margin", "margin_low", "margin_high"]
        found = pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(index, names=["policy", "other"]), columns=columns)
        return as_table(found.astype({"games": int}), units={"margin": "points"})

    @property
    def matrix(self) -> pd.DataFrame:
        """How often the player in the row finished ahead of the player in the column; best first."""
        meetings = self._meetings
        with np.errstate(invalid="ignore"):
            rates = pd.DataFrame(
                meetings.scores.sum(axis=0) / meetings.met.sum(axis=0), index=meetings.names, columns=meetings.names
            )
        return rates.loc[self.table.index, self.table.index]

    def __repr__(self) -> str:
        ratings = ", ".join(f"{name} {row.rating:+.0f}" for name, row in self.table.iterrows())
        return f"<Tournament on {self.game_map.name}, {self.n_players} players a game: {ratings}>"

    def _repr_html_(self) -> str:
        ratings = self.table.round({"rating": 0, "rating_low": 0, "rating_high": 0, "points": 1}).round(3)
        return (
            f"<p>{escape(self.game_map.title)}, {self.n_players} players a game. Ratings in Elo points "
            f"above {escape(self.reference)}:</p>"
            f"{ratings.to_html()}<p>How often the player in the row finished ahead of the player in the column:</p>"
            f"{self.matrix.round(3).to_html(na_rep='')}"
        )


class Meetings:
    """
    Who finished ahead of whom, and by how much, by deal, since games on one deal are not independent.

    `scores[d, i, j]` is how often player *i* finished ahead of *j* on deal *d*,
    `margins` the sum of their leads in points, and `met` the number of their games.
    """

    def __init__(self, names: Sequence[str], n_deals: int) -> None:
        n = len(names)
        self.names = list(names)
        self.scores: Floats = np.zeros((n_deals, n, n))
        self.margins: Floats = np.zeros((n_deals, n, n))
        self.met: Floats = np.zeros((n_deals, n, n))
        self.games: Floats = np.zeros((n_deals, n))
        self.wins: Floats = np.zeros((n_deals, n))
        self.points: Floats = np.zeros(n)

    def rate(self, i: int, j: int) -> intervals.Interval:
        """Return how often one player finished ahead of another: one half plus half the difference of their wins."""
        met = self.met[:, i, j]
        difference = intervals.clustered_difference(intervals.moments_of(2 * self.scores[:, i, j] - met, met))
        return intervals.Interval(*((1 + more) / 2 for more in difference))

    def margin(self, i: int, j: int) -> intervals.Interval:
        """Return the mean lead of one player over another in points."""
        return intervals.clustered_mean(intervals.moments_of(self.margins[:, i, j], self.met[:, i, j]))

    def win_rate(self, i: int) -> intervals.Interval:
        """Return how often a player won."""
        return intervals.clustered_rate(intervals.moments_of(self.wins[:, i], self.games[:, i]))

    def add(self, pairing: tuple[int, ...], columns: Columns) -> None:
        """Add games between some of the players."""
        n, n_deals = len(pairing), len(self.games)
        deals, seats = columns["games"]["deal"], columns["seats"]
        by_player = np.lexsort((seats["player"], seats["game"]))
        points, won = (seats[column][by_player].astype(float).reshape(-1, n) for column in ("points", "won"))
        n_games = np.bincount(deals, minlength=n_deals)
        for a, i in enumerate(pairing):
            self.games[:, i] += n_games
            self.wins[:, i] += np.bincount(deals, won[:, a], n_deals)
            self.points[i] += points[:, a].sum()
        for a, b in combinations(range(n), 2):
            i, j = pairing[a], pairing[b]
            margin, ahead = points[:, a] - points[:, b], np.sign(won[:, a] - won[:, b])
            # The rules decide the winners, including tie-breaks; other players rank by points.
            score = (1 + np.where(ahead == 0, np.where(won[:, a] > 0, 0, np.sign(margin)), ahead)) / 2
            self.scores[:, i, j] += np.bincount(deals, score, n_deals)
            self.scores[:, j, i] += np.bincount(deals, 1 - score, n_deals)
            self.margins[:, i, j] += np.bincount(deals, margin, n_deals)
            self.margins[:, j, i] += np.bincount(deals, -margin, n_deals)
            self.met[:, i, j] += n_games
            self.met[:, j, i] += n_games


def _named(policies: Entrants) -> list[tuple[str, Player]]:
    """Return policies with unique names."""
    if isinstance(policies, Mapping):
        return [(name, find_policy(policy)) for name, policy in policies.items()]
    players = find_policies(policies)
    return list(zip(names_apart(players, alike=lambda *_: False), players, strict=True))


def _check(game_map: GameMap, players: Sequence[tuple[str, Player]], n_players: int) -> None:
    """Raise a ValueError if there are too few players, or the map does not allow `n_players`."""
    check_size(game_map, n_players)
    if len(players) < n_players:
        raise ValueError(f"a game of {n_players} players needs {n_players} policies, got {len(players)}")


def _play(
    game_map: GameMap,
    players: Sequence[tuple[str, Player]],
    pairings: Sequence[tuple[int, ...]],
    n_games: int,
    seed: int,
    executor: Executor | None,
    *,
    progress: bool,
) -> Meetings:
    """Play the games of all pairings in turn, and count who finished ahead of whom."""
    check_seed(seed)
    n_games = Range(1).check(n_games, "n_games")
    n_players = len(pairings[0])
    n = n_players * -(-n_games // factorial(n_players))  # for each cyclic order, in each rotation
    seated: dict[int, tuple[int, ...]] = {}  # by the identity of the run
    chunks: list[Chunk] = []
    for first, *others in pairings:
        for order, rest in enumerate(permutations(others)):
            run = Run(game_map, tuple(players[i][1] for i in (first, *rest)), seed)
            seated[id(run)] = (first, *rest)
            chunks += chunks_of(run, order * n, (order + 1) * n)
    chunks.sort(key=lambda chunk: chunk.first % n)  # so that all meet early on, in every order
    n_deals = 1 + max(chunk.run.deal(chunk.first + chunk.n_games - 1) for chunk in chunks)
    meetings = Meetings([name for name, _ in players], n_deals)
    try:
        for chunk, columns in played(chunks, executor, n * len(seated), progress=progress):
            meetings.add(seated[id(chunk.run)], columns)
    except KeyboardInterrupt:
        if not all(meetings.met[:, i, j].any() for pairing in pairings for i, j in combinations(pairing, 2)):
            raise
        warnings.warn("the tournament was interrupted; the finished games are counted", Interrupted, stacklevel=3)
    return meetings


# -- ratings from who finished ahead of whom -----------------------------------------------------------------------


ELO: Final = 400 / log(10)
"""Elo points per unit of log odds: 400 points are odds of ten to one."""
_VIRTUAL_DRAW: Final = 0.5
_MAX_STEP: Final = 1.0
"""Largest change of a rating (log odds) in one step of the fit, which prevents overshooting."""
_MAX_STEPS: Final = 1_000
_TOLERANCE: Final = 1e-10


class Ratings(NamedTuple):
    """
    Ratings in Elo points above a reference player, with 95% intervals and bounds.

    The bound is "at least" for a player from whom the reference took no point, directly
    or through others, and "at most" for the reverse: the difference is then unbounded,
    and that end of the interval is infinite.
    """

    elo: Floats
    low: Floats
    high: Floats
    bounds: tuple[str, ...]


def fit_ratings(scores: Floats, reference: int = 0) -> Ratings:
    """
    Return the maximum likelihood ratings for the results of games.

    A player rated *x* Elo points above another is expected to finish ahead in
    1 / (1 + 10^(-x/400)) of their meetings [1]_; a tie counts half.

    Parameters
    ----------
    scores
        `scores[d, i, j]`: how often player *i* finished ahead of *j* on deal *d*.
    reference
        The player with rating 0.

    Returns
    -------
    ratings
        One draw is added for each pair that met, since otherwise a player who never won
        would be infinitely bad. With hundreds of games, the draw moves other ratings by
        a point or two.

    Raises
    ------
    ValueError
        If some players never met, directly or through others.

    Notes
    -----
    Newton's method on a concave function. The standard error is the larger of two: that
    of the information matrix, which assumes independent meetings, and the "sandwich" of
    the spread between deals. It is converted to an equivalent number of games against
    the reference, whose interval is that of `rate_interval`.

    References
    ----------
    .. [1] Bradley, R. A. and Terry, M. E. "Rank analysis of incomplete block
       designs: I. The method of paired comparisons". Biometrika 39 (1952),
       324-345.

    Examples
    --------
    Odds of three to one are 191 points:

    >>> ratings = fit_ratings(np.array([[[0.0, 1.0], [0.0, 0.0]]] * 300 + [[[0.0, 0.0], [1.0, 0.0]]] * 100))
    >>> ratings.elo.round().tolist(), ratings.bounds
    ([0.0, -190.0], ('', ''))
    """
    sums = scores.sum(axis=0)
    met = sums + sums.T
    links = nx.from_numpy_array(met > 0)
    if not nx.is_connected(links):
        raise ValueError("players that never met, directly or through others, cannot be compared")
    wins = sums + _VIRTUAL_DRAW * (met > 0)
    strength, information = _most_likely(wins)
    inverse = np.linalg.pinv(information)
    # Residuals of each deal; their spread between deals is missing from the information matrix.
    expected = _expected(strength)
    surprise = (scores - (scores + scores.transpose(0, 2, 1)) * expected).sum(axis=2)
    # The fit absorbs part of that spread, more of it with fewer deals.
    n_seen = max(2, int(np.count_nonzero(scores.any(axis=(1, 2)))))
    covariances = inverse, inverse @ (surprise.T @ surprise) @ inverse * n_seen / (n_seen - 1)
    against = np.eye(len(sums)) - np.eye(len(sums))[reference]
    by_model, by_spread = (np.diag(against @ covariance @ against.T) for covariance in covariances)
    beaten: nx.DiGraph[int] = nx.from_numpy_array(
        sums > 0, create_using=nx.DiGraph
    )  # edges point from each player to those it took points from
    winners, losers = nx.ancestors(beaten, reference), nx.descendants(beaten, reference)
    ends, bounds = np.zeros((len(sums), 2)), [""] * len(sums)
    for i in set(range(len(sums))) - {reference}:
        meetings = (scores[:, i] + scores[:, :, i]).sum(axis=1)
        n_deals, variance = int(np.count_nonzero(meetings)), max(by_model[i], by_spread[i])
        if (i in winners) != (i in losers):
            bounds[i] = "at least" if i in winners else "at most"
            variance = by_model[i] * meetings.sum() / n_deals  # if all deals agree, each counts as one trial
        worst, best = _ends(float(expected[i, reference]), float(variance), n_deals)
        ends[i] = worst if i in winners else -np.inf, best if i in losers else np.inf
    low, high = ELO * ends.T
    return Ratings(ELO * (strength - strength[reference]), low, high, tuple(bounds))


def _ends(rate: float, variance: float, n_deals: int) -> tuple[float, float]:
    """Return the ends of the interval of log odds, given their variance and the corresponding rate."""
    known = (Z_95 / intervals.t_95(max(2, n_deals))) ** 2
    games = 1 / (variance * rate * (1 - rate))
    n = max(0.0, known * (games - 2 * _VIRTUAL_DRAW))
    _, low, high = intervals.rate_interval(min(n, max(0.0, known * (rate * games - _VIRTUAL_DRAW))), n)
    with np.errstate(divide="ignore"):
        return float(logit(min(low, rate))), float(logit(max(high, rate)))


def _expected(strength: Floats) -> Floats:
    """Return the probability that each player finishes ahead of each other."""
    odds: Floats = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    return odds


def _most_likely(wins: Floats) -> tuple[Floats, Floats]:
    """Return the maximum likelihood strengths in log odds, and the information matrix."""
    n = len(wins)
    met, strength = wins + wins.T, np.zeros(n)
    for _ in range(_MAX_STEPS):
        expected = _expected(strength)
        weight = met * expected * expected.T
        information = np.diag(weight.sum(axis=1)) - weight
        gradient = (wins - met * expected).sum(axis=1)
        # Strengths are determined only up to a constant; adding 1 / n makes their mean 0.
        step = np.linalg.solve(information + 1 / n, gradient)
        largest = float(np.abs(step).max())
        strength += step / max(1.0, largest / _MAX_STEP)
        if largest < _TOLERANCE:
            break
    return strength, information
