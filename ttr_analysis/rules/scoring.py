"""
Scoring at the end of a game: the definition, on integers and small arrays.

Which tickets a network completes, which routes a station can borrow, who gets a bonus, who wins.
A *place* is what a ticket names: one city, or all border points of a country.
The cities of place `p` are `place_city[place_start[p]:place_start[p + 1]]`; the
destinations of ticket `t` are `goal_place[goal_start[t]:goal_start[t + 1]]`, with
their `goal_points`, best first.
"""

from __future__ import annotations

from typing import Final

from ttr_analysis._compile import Ints, compiled, quickly_compiled

NO_GOAL: Final = -1
"""No destination of a ticket is reached."""


@compiled
def join_cities(city_a: Ints, city_b: Ints, owner: Ints, seat: int, label: Ints) -> None:
    """
    Label the cities so that two have equal labels if and only if a player's routes connect them.

    The routes 0-1 and 1-2 are the player's, 2-3 is another's:

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
    """Change one label to another for all cities that have it."""
    for city in range(label.size):
        label[city] = new if label[city] == old else label[city]


@compiled
def places_joined(a: int, b: int, place_start: Ints, place_city: Ints, label: Ints) -> bool:
    """
    Return whether a network, given by labels of `join_cities`, connects places `a` and `b`.

    Place 0 is city 0, place 1 a country with border points 1 and 2; cities 0 and 2
    are connected:

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
    Return the index of the best destination that a ticket reaches, or `NO_GOAL`.

    From place 0 to place 1 or place 2, each a single city; only the second is
    reached:

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
    Return the points of a ticket: those of the destination reached, or minus its penalty.

    >>> points = np.array([12, 10])
    >>> [int(ticket_score(goal, points, 10)) for goal in (0, 1, NO_GOAL)]
    [12, 10, -10]
    """
    return int(goal_points[goal]) if goal != NO_GOAL else -penalty


@compiled
def award(measure: Ints, takes_part: Ints, points: Ints, zero_ties: int, bonus: Ints) -> None:
    """
    Fill `bonus` with the points of each player's rank; tied players all get the points of their rank.

    A player's rank is the number of players taking part with strictly more, from 0;
    ranks beyond `points` get nothing. With `zero_ties` 0, players tied at zero get
    nothing.

    Tokens of four players, the third with a loan: two are tied for the first rank,
    so the next is third.

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
    Keep the winners with the highest measure, one step of breaking a tie; return their number.

    The third player has the most, but is no longer among the tied:

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


@compiled
def is_lent(owner: int, seat: int, neutral: int, lends_neutral: int) -> bool:
    """
    Return whether a player's station can borrow the routes of an owner (below 0: nobody).

    For player 0: routes of nobody, its own, and those of player 1 and the neutral player:

    >>> [bool(is_lent(owner, 0, 6, 1)) for owner in (-1, 0, 1, 6)]
    [False, False, True, True]
    """
    return owner >= 0 and owner != seat and (owner != neutral or lends_neutral != 0)
