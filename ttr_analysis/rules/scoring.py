"""
Scoring at the end of a game: the definition, on integers and small arrays.

Three rules: which tickets a network completes, who gets a bonus, and who wins.
A *place* is what a ticket names: one city, or all border points of a country.
Places list their cities from `place_start[p]` to `place_start[p + 1]` in
`place_city`, tickets their destinations from `goal_start[t]` to
`goal_start[t + 1]` in `goal_place` and `goal_points`, best first.
"""

from __future__ import annotations

from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled, quickly_compiled

NO_GOAL: Final = -1
"""No destination of a ticket is reached."""


@compiled
def join_cities(city_a: Ints, city_b: Ints, owner: Ints, seat: int, label: Ints) -> None:
    """
    Label the cities so that a player's routes join those with equal labels.

    Parameters
    ----------
    city_a, city_b
        Cities at the two ends of each route, numbered from 0.
    owner
        Owner of each route.
    seat
        The player.
    label
        Filled: the number of one city of those that are joined.

    Examples
    --------
    The routes 0-1 and 1-2 are the player's, 2-3 is another's:

    >>> import numpy as np
    >>> label = np.zeros(4, dtype=np.int64)
    >>> join_cities(np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([0, 0, 1]), 0, label)
    >>> label.tolist()
    [2, 2, 2, 3]
    """
    for city in range(label.size):
        label[city] = city
    for r in range(owner.size):
        if owner[r] == seat:
            relabel(label, label[city_a[r]], label[city_b[r]])


@compiled
def relabel(label: Ints, old: int, new: int) -> None:
    """Give all cities of one label another one."""
    for city in range(label.size):
        label[city] = new if label[city] == old else label[city]


@compiled
def places_joined(a: int, b: int, place_start: Ints, place_city: Ints, label: Ints) -> bool:
    """
    Return whether a player's network joins some city of one place to some city of another.

    Parameters
    ----------
    a, b
        Two places.
    place_start, place_city
        The cities of each place.
    label
        Labels by `join_cities`.

    Examples
    --------
    Place 0 is city 0, place 1 a country with border points 1 and 2; cities 0
    and 2 are joined:

    >>> import numpy as np
    >>> bool(places_joined(0, 1, np.array([0, 1, 3]), np.array([0, 1, 2]), np.array([0, 1, 0])))
    True
    """
    for i in range(place_start[a], place_start[a + 1]):
        for j in range(place_start[b], place_start[b + 1]):
            if label[place_city[i]] == label[place_city[j]]:
                return True
    return False


@compiled
def best_goal(
    ticket: int,
    origin: Ints,
    goal_start: Ints,
    goal_place: Ints,
    place_start: Ints,
    place_city: Ints,
    label: Ints,
) -> int:
    """
    Return the best destination of a ticket that a player's network reaches.

    Parameters
    ----------
    ticket
        The ticket.
    origin
        The place at which each ticket begins.
    goal_start, goal_place
        The destinations of each ticket, best first.
    place_start, place_city
        The cities of each place.
    label
        Labels by `join_cities`.

    Returns
    -------
    goal
        Its index in `goal_place`; `NO_GOAL` if none is reached.

    Examples
    --------
    From place 0 to place 1 or place 2, each of one city, of which only the
    second is reached:

    >>> import numpy as np
    >>> goals = np.array([0]), np.array([0, 2]), np.array([1, 2])
    >>> int(best_goal(0, *goals, np.arange(4), np.arange(3), np.array([0, 1, 0])))
    1
    """
    for goal in range(goal_start[ticket], goal_start[ticket + 1]):
        if places_joined(origin[ticket], goal_place[goal], place_start, place_city, label):
            return goal
    return NO_GOAL


@quickly_compiled
def ticket_score(goal: int, goal_points: Ints, penalty: int) -> int:
    """
    Return what a ticket scores.

    Parameters
    ----------
    goal
        The best destination reached, by `best_goal`.
    goal_points
        Points for each destination.
    penalty
        Points that the ticket loses if none is reached.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([12, 10])
    >>> [int(ticket_score(goal, points, 10)) for goal in (0, 1, NO_GOAL)]
    [12, 10, -10]
    """
    return int(goal_points[goal]) if goal != NO_GOAL else -penalty


@compiled
def award(measure: Ints, takes_part: Ints, points: Ints, zero_ties: int, bonus: Ints) -> None:
    """
    Award a bonus: all tied players get the points of their rank.

    The rank of a player is one more than the number of players taking part
    who have strictly more.

    Parameters
    ----------
    measure
        What is compared, for each player.
    takes_part
        1 for the players who take part, else 0.
    points
        Points by rank, best first; nothing for ranks beyond.
    zero_ties
        0 if players tied at zero get nothing.
    bonus
        Filled: the points of each player.

    Examples
    --------
    Tokens of four players, the third with a loan: two are tied for the first
    rank, so that the next is third.

    >>> import numpy as np
    >>> bonus = np.zeros(4, dtype=np.int64)
    >>> award(np.array([9, 9, 3, 1]), np.array([1, 1, 0, 1]), np.array([55, 35, 20, 0]), 1, bonus)
    >>> bonus.tolist()
    [55, 55, 0, 20]
    """
    for i in range(measure.size):
        bonus[i] = 0
        if not takes_part[i]:
            continue
        n_better = 0
        n_equal = 0
        for j in range(measure.size):
            if takes_part[j]:
                n_better += measure[j] > measure[i]
                n_equal += measure[j] == measure[i]
        is_tie_at_zero = measure[i] == 0 and n_equal > 1
        if n_better < points.size and (zero_ties or not is_tie_at_zero):
            bonus[i] = points[n_better]


@compiled
def keep_best(winners: Ints, measure: Ints) -> int:
    """
    Keep those winners who have most of something: one step of breaking a tie.

    Parameters
    ----------
    winners
        1 for the players still tied, else 0; changed.
    measure
        What is compared, for each player.

    Returns
    -------
    n_winners
        How many are left.

    Examples
    --------
    The third player has most, but is no longer among the tied:

    >>> import numpy as np
    >>> winners = np.array([1, 1, 0])
    >>> int(keep_best(winners, np.array([2, 3, 9]))), winners.tolist()
    (1, [0, 1, 0])
    """
    best = 0
    n_tied = 0
    for i in range(winners.size):
        if winners[i]:
            if n_tied == 0 or measure[i] > best:
                best = measure[i]
            n_tied += 1
    n_winners = 0
    for i in range(winners.size):
        if winners[i]:
            winners[i] = measure[i] == best
            n_winners += winners[i]
    return n_winners
