"""Ratings of players from who came before whom: the model of Bradley and Terry, in Elo points."""

from __future__ import annotations

from math import log
from typing import Final, NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt

from ttr_analysis.studies.intervals import t_95

Floats = npt.NDArray[np.float64]

ELO: Final = 400 / log(10)
"""Elo points in a unit of log odds: 400 points are odds of ten to one."""
_VIRTUAL_DRAW: Final = 0.5
_MAX_STEP: Final = 1.0
"""Log odds by which a rating moves at most in one step of the fit, so that it cannot overshoot."""
_MAX_STEPS: Final = 1_000
_TOLERANCE: Final = 1e-10


class Ratings(NamedTuple):
    """
    Ratings with what is known of their errors.

    Parameters
    ----------
    elo
        One rating for each player. Their mean is 0: that of the largest group
        whose members all took points from each other, if only by way of
        others, which most often is all players. Of two such groups it is the
        better one; where no two players are tied so, it is all.
    low, high
        Ends of its 95% confidence interval.
    bounds
        For each player "", or "at least" if none of the others ever took a
        point from it and its group, "at most" for the reverse: the games then
        say that it is better, or worse, but not by how much.
    """

    elo: Floats
    low: Floats
    high: Floats
    bounds: tuple[str, ...]


def fit_ratings(scores: Floats) -> Ratings:
    """
    Return the ratings that make the results of games most likely.

    A player rated *x* Elo points above another is expected to come before it
    in 1 / (1 + 10^(-x/400)) of their meetings [1]_; a tie counts half.

    Parameters
    ----------
    scores
        `scores[d, i, j]`: how often player *i* came before *j* in the games
        of deal *d*; deals are independent of each other, games of one are
        not.

    Returns
    -------
    ratings
        By maximum likelihood. One drawn meeting is added for each pair that
        met: a player who never won would else be infinitely bad. After *n*
        lost games it is rated about 400 log10(2n + 1) points lower, and
        marked "at most". With hundreds of games the draw moves other ratings
        by less than a point or two.

    Raises
    ------
    ValueError
        If some players never met, not even by way of others.

    Notes
    -----
    Newton's method on a concave function. The error is the larger of two: by
    the information matrix, as if all meetings were independent, and by the
    spread between deals (the "sandwich", with deals as clusters). The interval
    is Student's, with a degree of freedom less than deals.

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
    ([95.0, -95.0], ('', ''))
    """
    sums = scores.sum(axis=0)
    met = sums + sums.T
    links = nx.from_numpy_array(met > 0)
    if not nx.is_connected(links):
        raise ValueError("players that never met, not even by way of others, cannot be compared")
    wins = sums + _VIRTUAL_DRAW * (met > 0)
    strength, information = _most_likely(wins)
    inverse = np.linalg.pinv(information)
    # What each deal says beyond the fit; the spread of that between deals is what the information matrix cannot know.
    expected = _expected(strength)
    surprise = (scores - (scores + scores.transpose(0, 2, 1)) * expected).sum(axis=2)
    covariances = inverse, inverse @ (surprise.T @ surprise) @ inverse
    group, bounds = _bounds(sums, strength)
    shift = np.eye(len(sums)) - group / group.sum()
    error = np.sqrt(np.max([np.diag(shift @ covariance @ shift.T) for covariance in covariances], axis=0))
    n_deals = int(np.count_nonzero(scores.any(axis=(1, 2))))
    elo, half = ELO * shift @ strength, t_95(max(2, n_deals)) * ELO * error
    return Ratings(elo, elo - half, elo + half, bounds)


def _expected(strength: Floats) -> Floats:
    """Return how likely each player comes before each other."""
    odds: Floats = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    return odds


def _most_likely(wins: Floats) -> tuple[Floats, Floats]:
    """Return the strengths that make wins most likely, in log odds, and the information matrix."""
    n = len(wins)
    met, strength = wins + wins.T, np.zeros(n)
    for _ in range(_MAX_STEPS):
        expected = _expected(strength)
        weight = met * expected * expected.T
        information = np.diag(weight.sum(axis=1)) - weight
        gradient = (wins - met * expected).sum(axis=1)
        # All strengths may be shifted together: the constant fixes their mean.
        step = np.linalg.solve(information + 1 / n, gradient)
        largest = float(np.abs(step).max())
        strength += step / max(1.0, largest / _MAX_STEP)
        if largest < _TOLERANCE:
            break
    return strength, information


def _bounds(sums: Floats, strength: Floats) -> tuple[Floats, tuple[str, ...]]:
    """Return which players ratings are measured from, as ones, and who is only known to be above or below others."""
    beaten: nx.DiGraph[int] = nx.from_numpy_array(sums > 0, create_using=nx.DiGraph)
    groups = nx.strongly_connected_components(beaten)
    largest = max(groups, key=lambda group: (len(group), strength[list(group)].mean()))
    is_tied = len(largest) > 1
    bounds = []
    for player in beaten:
        # Whom it took a point from, if only by way of others, and who took one from it.
        below, above = nx.descendants(beaten, player), nx.ancestors(beaten, player)
        if is_tied:
            below, above = below & largest, above & largest
        bounds.append("at least" if below and not above else "at most" if above and not below else "")
    return np.array([float(player in largest or not is_tied) for player in beaten]), tuple(bounds)
