"""What a seat can infer about the rest of a game: who wins, who holds which tickets, how long a route stays free."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import comb
from typing import Final, SupportsIndex, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import betaincinv, stdtrit

from ttr_analysis._compile import Ints
from ttr_analysis._errors import GameError
from ttr_analysis._notebook import as_table
from ttr_analysis.engine import codes, layout
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.engine.state import fill_open, seat_number
from ttr_analysis.maps.model import CityLike, Place, Ticket
from ttr_analysis.notation.writer import part_text
from ttr_analysis.policies.playout import Results
from ttr_analysis.policies.random import Random
from ttr_analysis.policies.search.beliefs import believe
from ttr_analysis.policies.search.knowledge import EVERYBODY, Knowledge, Source
from ttr_analysis.policies.search.rollouts import Rollouts, group_size
from ttr_analysis.policies.search.watching import Watcher, know
from ttr_analysis.records.record import GameRecord
from ttr_analysis.studies import intervals
from ttr_analysis.studies.simulation import Interrupted, in_order
from ttr_analysis.tables import MAX_ROUTES, MAX_TICKETS, Tables

DEFAULT_ROLLOUTS = 200
DEFAULT_SEED = 7


def win_probability(
    source: Source,
    seat: int | None = None,
    *,
    step: SupportsIndex = -1,
    n_rollouts: int = DEFAULT_ROLLOUTS,
    seed: int = DEFAULT_SEED,
    policies: Sequence[PolicyLike] | None = None,
) -> pd.DataFrame:
    """
    Return each seat's win probability, given what one seat can know.

    Hands and tickets that the seat does not see are drawn at random, consistent with all
    that it saw, and the game is played to the end. Hidden information does not influence
    the result.

    Parameters
    ----------
    source
        A record, a state, or a seat's view. A record is best, since a state shows neither
        the players' style nor the tickets that lay face up before a shuffle.
    seat
        The viewer's seat; None sees all hands and tickets, but not the order of the piles.
    step
        Step of the record: 0 is the setup, -1 the last step.
    n_rollouts
        Number of times that the game is played to the end.
    policies
        Policies that finish the game: one compiled policy or name for each seat. None: planners,
        one in four of them with a varied style, more or fewer if the record suggests it.

    Returns
    -------
    chances
        One row for each seat (index `seat`): `win`, the win probability (a shared win
        counts as a fraction), with `win_low` and `win_high`, and expected final `points` with
        `points_low` and `points_high`. The 95% intervals cover the randomness of the
        rollouts, not how well the policies represent the players.

    Raises
    ------
    TypeError
        If the source has another type, or a policy is not compiled.
    ValueError
        If there are no rollouts, or the number of policies is wrong.

    Notes
    -----
    The probability is (wins + 1) / (rollouts + seats), Laplace's rule of succession [1]_,
    since few rollouts would otherwise give extreme results. Its interval is that of the
    corresponding beta distribution, widened to `rate_interval` where that is wider. If five
    or more opening tickets are offered, every three consecutive rollouts may share tickets;
    intervals then use the effective number of rollouts. A finished game with all tickets known
    is certain.

    A seat's tickets are inferred as those of a planner who claimed its routes; for
    `Random`, any tickets. The players' style is inferred from the viewer's decisions,
    compared with `Planner`'s, or from everyone's if all hands are in view.
    `docs/winning.md` shows how well calibrated this is.

    References
    ----------
    .. [1] Gelman, A. et al. "Bayesian Data Analysis", 3rd ed., section 2.1.
       CRC Press, 2013.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> record = game.play(players, seed=7)
    >>> chances = win_probability(record, 1, step=40, n_rollouts=20, policies=players)
    >>> chances["win"].round(2).tolist()
    [0.95, 0.05]
    """
    known = know(source, seat, step)
    results = Rollouts(known.game_map, known.n_players, policies, seed=seed).play(known, n_rollouts)
    return chances_of(results, group_size(known), is_known=known.is_known)


def chances_of(results: Results, each: int = 1, *, is_known: bool) -> pd.DataFrame:
    """Return the rows of `win_probability`, from rollouts that are dependent in groups of `each`."""
    rows = rows_of_chances(results, each, is_known=is_known)
    return as_table(pd.DataFrame(rows, columns=_CHANCES, index=pd.RangeIndex(len(rows), name="seat")))


_CHANCES: Final = ["win", "win_low", "win_high", "points", "points_low", "points_high"]


def rows_of_chances(results: Results, each: int, *, is_known: bool) -> list[list[float]]:
    """Return the `_CHANCES` of each seat."""
    n_rollouts, n_seats = results.won.shape
    first = np.arange(0, n_rollouts, each)
    sizes = np.diff(first, append=n_rollouts)
    rows = []
    for seat in range(n_seats):
        wins, points = (intervals.moments_of(np.add.reduceat(values[:, seat], first), sizes) for values in results)
        rate = wins.total / n_rollouts
        if is_known:
            rows.append([rate] * 3 + [points.total / n_rollouts] * 3)
        else:
            effective = n_rollouts if each == 1 else intervals.effective_trials(wins)
            chance = succession(rate * effective, effective, n_seats)
            value = (wins.total + 1) / (n_rollouts + n_seats)
            rows.append([value, chance.low, chance.high, *intervals.clustered_mean(points)])
    return rows


def succession(wins: float, n: float, n_seats: int) -> intervals.Interval:
    """Return one seat's win probability after `n` rollouts, with the interval of `win_probability`."""
    low, high = (float(betaincinv(wins + 1, n - wins + n_seats - 1, end)) for end in (0.025, 0.975))
    of_wins = intervals.rate_interval(wins, n)
    return intervals.Interval((wins + 1) / (n + n_seats), min(low, of_wins.low), max(high, of_wins.high))


# -- win probabilities over a whole game ---------------------------------------------------------------------------

CURVE_COLUMNS: Final = {
    "step": "step of the record, from 0, the setup",
    "seat": "seat whose probability this is",
    "acting": "the seat that moved in this step; -1 if none: the setup, a correction, or tickets shown",
    "win": "probability of winning after the step",
    **intervals.end_columns("win"),
    "points": "expected final points",
    **intervals.end_columns("points", "their 95% interval"),
    "rollouts": "number of games played to the end from here",
    "since": "previous step of the curve; missing for the first",
    "swing": "probability minus that after `since`; missing for the first",
    **intervals.end_columns("swing", "its 95% interval, from differences between paired rollouts"),
}
"""Columns of a curve, and their meanings."""


_Before: TypeAlias = tuple[int, Results]
"""A step, and the results of the rollouts from it."""


def win_curve(
    record: GameRecord,
    seat: int | None = None,
    *,
    steps: Iterable[int] | None = None,
    n_rollouts: int = DEFAULT_ROLLOUTS,
    seed: int = DEFAULT_SEED,
    policies: Sequence[PolicyLike] | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """
    Return each seat's win probability after each step of a game.

    Parameters
    ----------
    seat
        The viewer's seat, as in `win_probability`, or None to see all hands.
    steps
        Steps to include, by default all. A swing is the change from one to the next.
    n_rollouts, seed, policies
        As in `win_probability`.

    Returns
    -------
    curve
        A row for each step and seat, with the columns of `CURVE_COLUMNS`;
        `curve.attrs["looker"]` is the viewer's seat, or "all".

    Raises
    ------
    GameError, IndexError, TypeError, ValueError
        As in `win_probability`, or if the record has not begun, or there are no steps.

    Warns
    -----
    Interrupted
        If interrupted; the curve then ends early.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> record = game.play(players, seed=7)
    >>> curve = win_curve(record, steps=(0, 30, -1), n_rollouts=20, policies=players, progress=False)
    >>> curve.pivot(index="step", columns="seat", values="win").round(2).iloc[:2].to_numpy().tolist()
    [[0.95, 0.05], [0.95, 0.05]]
    """
    record.score()  # raises for a record that has not begun
    n_steps = len(record.steps)
    numbers = sorted({range(n_steps)[step] for step in (range(n_steps) if steps is None else steps)})
    if not numbers:
        raise ValueError("expected at least one step")
    n_players = record.header.n_players

    def play(known: Knowledge) -> tuple[Results, Knowledge]:
        return Rollouts(record.map, n_players, policies, seed=seed).play(known, n_rollouts), known

    watcher = Watcher(record, seat)
    jobs = ((number, partial(play, watcher.at(number))) for number in numbers)
    rows: list[tuple[float, ...]] = []
    before, each = None, 1
    try:
        for number, (results, known) in in_order(jobs, len(numbers), "step", progress=progress):
            each = max(each, group_size(known))  # rollouts of the previous step are dependent too
            rows += _rows(record, number, results, before, each, is_known=known.is_known)
            before = number, results
    except KeyboardInterrupt:
        if not rows:
            raise
        warnings.warn("the curve was interrupted; it ends early", Interrupted, stacklevel=2)
    curve = pd.DataFrame(rows, columns=list(CURVE_COLUMNS))
    curve.attrs["each"] = each
    curve.attrs["looker"] = "all" if seat is None else seat
    return as_table(curve)


def _rows(
    record: GameRecord, number: int, results: Results, before: _Before | None, each: int = 1, *, is_known: bool
) -> list[tuple[float, ...]]:
    """Return the rows of a step, with the columns of `CURVE_COLUMNS`."""
    move = record.steps[number][0]
    acting = move.seat if isinstance(move, Move) else -1
    chances = rows_of_chances(results, each, is_known=is_known)
    swings = [(np.nan,) * 4] * len(chances) if before is None else _swings(results, before, chances, each)
    return [
        (number, seat, acting, *chance, len(results.won), *swing)
        for seat, (chance, swing) in enumerate(zip(chances, swings, strict=True))
    ]


def _swings(
    results: Results, before: _Before, chances: Sequence[Sequence[float]], each: int
) -> list[tuple[float, float, float, float]]:
    """Return for each seat the previous step, the swing since, and the interval's ends."""
    since, old = before
    first = np.arange(0, len(old.won), each)
    changes = np.add.reduceat(results.won - old.won, first) / np.diff(first, append=len(old.won))[:, np.newaxis]
    # Two added differences, one up and one down, keep the interval valid if all rollouts change alike: Bonett and
    # Price, Journal of Educational and Behavioral Statistics 37 (2012), 479-488.
    n = changes.shape[0] + changes.shape[1]
    swings = []
    for change, now, then in zip(changes.T, chances, rows_of_chances(old, each, is_known=False), strict=True):
        swing = now[0] - then[0]
        end = intervals.mean_interval(change.sum(), (change**2).sum() + 2, n)
        half = (end.high - end.low) / 2
        swings.append((float(since), swing, max(-1.0, swing - half), min(1.0, swing + half)))
    return swings


def turning_points(record: GameRecord, curve: pd.DataFrame, n: int = 5) -> pd.DataFrame:
    """
    Return the steps of a game with the largest swings in win probability.

    A swing includes chance after a move: a card drawn, a failed tunnel. Intervals are wide
    enough for all swings of a game together (Bonferroni), and swings whose interval
    contains 0 are left out.

    Parameters
    ----------
    curve
        From `win_curve`. If it skips steps, a swing covers all of them.

    Returns
    -------
    points
        One row for each step, clearest first (index `step`): `since`, the previous step of
        the curve; `acting`, the seat that moved (-1 for several steps), and its `move` in
        notation; `seat`, whose probability changed most, from `before` to `after`; and
        `swing` with `swing_low` and `swing_high`. With a viewer, moves are shown as
        that seat saw them.

    Raises
    ------
    ValueError
        If the curve belongs to another game.
    """
    if curve["step"].max() >= len(record.steps) or set(curve["seat"]) != set(range(record.header.n_players)):
        raise ValueError(f"expected a curve of {record!r}: steps 0 to {len(record.steps) - 1}, all seats")
    swings = curve.dropna(subset="swing").astype({"since": "int64"})
    df = -(-swings["rollouts"] // curve.attrs.get("each", 1)) + record.header.n_players - 1  # as in `_rows`
    wider = stdtrit(df, 0.025 / max(1, len(swings))) / stdtrit(df, 0.025)
    low = swings["swing"] - wider * (swings["swing"] - swings["swing_low"])
    high = swings["swing"] + wider * (swings["swing_high"] - swings["swing"])
    sure = pd.concat([low, -high], axis=1).max(axis=1)
    largest = swings.assign(swing_low=low.clip(lower=-1), swing_high=high.clip(upper=1), sure=sure)
    largest = largest[sure > 0].sort_values("sure", ascending=False, kind="stable").drop_duplicates("step").head(n)
    largest = largest.set_index("step")
    is_one = largest.index - largest["since"] == 1
    looker = curve.attrs.get("looker", "all")
    seen = record if looker == "all" else record.watched_from(looker)
    moves = [
        step_text(seen, step) if one else f"steps {since + 1} to {step}"
        for step, since, one in zip(largest.index, largest["since"], is_one, strict=True)
    ]
    found = largest.assign(
        acting=largest["acting"].where(is_one, -1),
        move=moves,
        before=largest["win"] - largest["swing"],
        after=largest["win"],
    )
    shown = ["since", "acting", "move", "seat", "before", "after", "swing", "swing_low", "swing_high"]
    return as_table(found[shown])


def step_text(record: GameRecord, step: int) -> str:
    """Return a step of a record in notation, without the acting seat."""
    packed = KernelGame(record.map, record.header.n_players)
    first = sum(len(events) for events in record.steps[:step])
    entries = record.entries[first : first + len(record.steps[step])]
    return part_text(packed, record.state_at(step - 1).packed, entries) if step else "setup"


# -- what a seat can infer: the tickets of others, and how long a route will be free ------------------------------

_BLOCK: Final = 200
"""Worlds in memory at a time."""


def ticket_posterior(
    source: Source,
    other: int,
    seat: int | None = None,
    *,
    step: SupportsIndex = -1,
    to: CityLike | Place | None = None,
    n_worlds: int = 2_000,
    seed: int = DEFAULT_SEED,
    policies: Sequence[PolicyLike] | None = None,
) -> pd.DataFrame:
    """
    Return the probability that another seat holds each ticket, given what one seat can know.

    Parameters
    ----------
    source, seat, step
        As in `win_probability`.
    other
        The seat that holds the tickets.
    to
        A city or country: the first row is then for any ticket that names it.
    n_worlds, seed
        Number of worlds to draw, and the seed.
    policies
        The policies of the seats: the routes of `Random` reveal nothing about its tickets.

    Returns
    -------
    posterior
        One row for each ticket that the other seat may hold (index `ticket`), most
        likely first: `probability` with the 95% interval `low` and `high`, and
        `uniform`, the probability if its routes revealed nothing. With `to`, the first
        row is `any ticket to` that place, and the others are tickets to it. The name
        of the columns gives the seat that holds the tickets, and the viewer.

    Raises
    ------
    GameError
        If there is no such seat, or `other` is the viewer.
    TypeError, ValueError
        As `win_probability`, or if there are no worlds.

    Notes
    -----
    The constants of the model, `policies.search.beliefs.FITTED`, were fitted to games of
    planners; `docs/winning.md` shows what is lost with players unlike them.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    >>> posterior = ticket_posterior(record, 0, seat=1, step=60, n_worlds=100)
    >>> round(float(posterior["probability"].sum()), 6) == record.state_at(60).n_tickets[0]
    True
    >>> ticket_posterior(record, 0, seat=1, step=60, n_worlds=100, to="Miami").index[0]
    'any ticket to Miami'
    """
    known = know(source, seat, step)
    other = seat_number(other, known.n_players)
    if known.viewer == other:
        raise GameError(f"P{other} knows its own tickets: `other` must be a different seat from the viewer, `seat`")
    if n_worlds < 1:
        raise ValueError(f"expected 1 world or more, got {n_worlds}")
    rollouts = Rollouts(known.game_map, known.n_players, policies, seed=seed)
    beliefs = rollouts.believe(known)
    game_map = known.game_map
    heading = f"tickets of P{other}" + ("" if known.viewer == EVERYBODY else f", as P{known.viewer} sees it")
    named = np.zeros(MAX_TICKETS + 1, dtype=bool)
    named[: len(game_map.tickets)] = [to is None or _mentions(t, game_map.place(to)) for t in game_map.tickets]
    counts, n_any = np.zeros(MAX_TICKETS + 1, dtype=np.int64), 0
    for first in range(0, n_worlds, _BLOCK):
        for world in rollouts.worlds(known, beliefs, min(_BLOCK, n_worlds - first), first):
            state = State(world)
            drawn = state.held[other, : state.n_held[other]]
            counts[drawn] += 1
            n_any += int(named[drawn].any())
    held = known.held(other)
    tickets = np.arange(len(game_map.tickets))
    is_free = (known.packed.ticket_at[: len(tickets)] == layout.AT_PILE) & (layout.UNKNOWN_TICKET in held)
    is_free &= ~np.isin(tickets, list(known.excluded[other]))
    possible = np.flatnonzero((is_free | np.isin(tickets, held)) & named[: len(tickets)])
    from_decks = _unknown_from_decks(known, rollouts, other, n_worlds)
    deck = known.tables.ticket_deck[: len(tickets)]
    uniform = np.ones(len(tickets))
    for i in range(known.tables.n_decks):
        some = is_free & (deck == i)
        uniform[some] = from_decks[:, i].mean() / max(1, some.sum())
    rows = [(*intervals.rate_interval(counts[ticket], n_worlds), uniform[ticket]) for ticket in possible]
    names = pd.Index([game_map.tickets[ticket].id for ticket in possible], name="ticket")
    found = pd.DataFrame(rows, columns=["probability", "low", "high", "uniform"], index=names)
    found = found.sort_values("probability", ascending=False, kind="stable").rename_axis(columns=heading)
    if to is None:
        return as_table(found)
    none = np.full(len(from_decks), 0.0 if named[held].any() else 1.0)
    for i in range(known.tables.n_decks):
        some = is_free & (deck == i)
        n_free, n_named = int(some.sum()), int((some & named[: len(tickets)]).sum())
        none *= [comb(n_free - n_named, n) / max(1, comb(n_free, n)) for n in from_decks[:, i].tolist()]
    found.loc[f"any ticket to {game_map.place(to)}"] = (*intervals.rate_interval(n_any, n_worlds), 1 - none.mean())
    return as_table(found.iloc[np.roll(np.arange(len(found)), 1)])


def _unknown_from_decks(known: Knowledge, rollouts: Rollouts, other: int, n_worlds: int) -> Ints:
    """
    Return how many unknown tickets of a seat may be from each deck, if its routes show nothing.

    Each row is an equally likely case: there is one if there is one deck, else one for each of `n_worlds` worlds.
    """
    is_unknown = known.held(other) == layout.UNKNOWN_TICKET
    n_decks = known.tables.n_decks
    if n_decks == 1:
        return np.array([[is_unknown.sum()]])
    blank = believe(known, [Random()] * known.n_players)
    from_decks = np.zeros((n_worlds, n_decks), dtype=np.int64)
    for first in range(0, n_worlds, _BLOCK):
        for i, world in enumerate(rollouts.worlds(known, blank, min(_BLOCK, n_worlds - first), first), first):
            drawn = State(world).held[other, : len(is_unknown)][is_unknown]
            from_decks[i] = np.bincount(known.tables.ticket_deck[drawn], minlength=n_decks)
    return from_decks


def _mentions(ticket: Ticket, place: Place) -> bool:
    """Return whether a ticket begins or may end at a place, or at one of its border points."""
    cities = {city for end in (ticket.origin, *(end for end, _ in ticket.destinations)) for city in end.cities}
    return not cities.isdisjoint(place.cities)


def route_gone(
    source: Source,
    seat: int,
    *,
    step: SupportsIndex = -1,
    turns: int | None = None,
    n_rollouts: int = DEFAULT_ROLLOUTS,
    seed: int = DEFAULT_SEED,
    policies: Sequence[PolicyLike] | None = None,
) -> pd.DataFrame:
    """
    Return how likely each open route is to be lost to others, from what one seat can know.

    Parameters
    ----------
    source, seat, step, n_rollouts, seed, policies
        As in `win_probability`.
    turns
        The number of turns of the seat, including the current one; 1 means before its
        next turn, None the whole game.

    Returns
    -------
    chances
        One row for each route that is open to the seat (index `route`), most endangered
        first: `gone`, the probability that others close it by taking it or the other
        track, with `gone_low` and `gone_high`, and `own`, that the seat takes one first.

    Raises
    ------
    GameError, ValueError
        If there is no such seat, or there are no rollouts or turns.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> players = [ttr.policies.Greedy(), ttr.policies.Greedy()]
    >>> record = game.play(players, seed=7)
    >>> chances = route_gone(record, 0, step=20, turns=5, n_rollouts=20, policies=players)
    >>> chances["gone"].between(0, 1).all(), len(chances) == len(game.view(record.state_at(20), 0).open_routes)
    (np.True_, True)
    """
    known = know(source, seat, step)
    seat = seat_number(seat, known.n_players)
    if n_rollouts < 1 or (turns is not None and turns < 1):
        raise ValueError(f"expected at least 1 rollout and 1 turn, got {n_rollouts} and {turns}")
    rollouts = Rollouts(known.game_map, known.n_players, policies, seed=seed)
    beliefs = rollouts.believe(known)
    is_open = np.zeros(MAX_ROUTES, dtype=np.int64)
    fill_open(known.packed, known.tables, seat, is_open)
    routes = np.flatnonzero(is_open)
    gone, own = np.zeros(len(routes)), np.zeros(len(routes))
    for number in range(n_rollouts):
        state, rows = rollouts.follow(rollouts.worlds(known, beliefs, 1, number)[0], number)
        taken = _turns_taken(known, state, rows, seat)
        for i, route in enumerate(routes):
            lost = _lost_at(known.tables, state, taken, seat, int(route))
            if lost is not None and (turns is None or lost[0] <= turns):
                own[i] += lost[1]
                gone[i] += not lost[1]
    found = pd.DataFrame(
        [(*intervals.rate_interval(n, n_rollouts), n_own / n_rollouts) for n, n_own in zip(gone, own, strict=True)],
        columns=["gone", "gone_low", "gone_high", "own"],
        index=pd.Index([known.game_map.routes[route].id for route in routes], name="route"),
    )
    return as_table(found.sort_values("gone", ascending=False, kind="stable"))


def _turns_taken(known: Knowledge, state: State, rows: Ints, seat: int) -> dict[int, int]:
    """Return for each route taken since a position how many turns a seat had begun, including the current one."""
    claimed: dict[int, int] = {}
    chosen: dict[int, int] = {}
    turned_up: dict[int, int] = {}
    if known.packed.phase == layout.TUNNEL_PHASE:
        claimed[int(known.packed.pending)] = int(known.packed.turn_seat == seat)
    elif known.packed.phase == layout.NEUTRAL:
        turned_up = dict.fromkeys(_tracks(known, known.packed.neutral_ticket), 0)
    for (code, value), turns in zip(rows.tolist(), _turns_begun(known, rows, seat), strict=True):
        kind, route = codes.kind_of(code), codes.argument_of(code)
        if kind in (codes.ATTEMPT_TUNNEL, codes.CLAIM_ROUTE):
            claimed[route] = turns  # of several attempts at a tunnel the last one took it
        elif kind == codes.CHOOSE_NEUTRAL:
            chosen[route] = turns
        elif kind == codes.NEUTRAL_TICKET:
            for track in _tracks(known, value):
                turned_up.setdefault(track, turns)
    neutral = {**turned_up, **chosen}
    is_new = (known.packed.owner == layout.NOBODY) & (state.owner != layout.NOBODY)
    return {
        route: (neutral if state.owner[route] == layout.NEUTRAL_OWNER else claimed)[route]
        for route in np.flatnonzero(is_new).tolist()
    }


def _tracks(known: Knowledge, ticket: int) -> list[int]:
    """Return the tracks that a ticket may give the neutral player, -1 where there is none."""
    return [int(known.tables.neutral_a[ticket]), int(known.tables.neutral_b[ticket])]


def _turns_begun(known: Knowledge, rows: Ints, seat: int) -> Iterator[int]:
    """Yield after each event how many turns a seat has begun, the present one included."""
    is_within = known.packed.phase in (layout.SECOND_DRAW, layout.TUNNEL_PHASE, layout.KEEP)
    last = int(known.packed.turn_seat) if is_within else layout.NOBODY
    turns = int(last == seat)
    for code in rows[:, 0].tolist():
        kind, who = codes.kind_of(code), codes.seat_of(code)
        if kind < codes.FIRST_EVENT and kind not in (codes.KEEP_TICKETS, codes.CHOOSE_NEUTRAL) and who != last:
            turns += who == seat
            last = who
        yield turns


def _lost_at(tables: Tables, state: State, taken: dict[int, int], seat: int, route: int) -> tuple[int, bool] | None:
    """Return after how many turns a route was closed, and whether by the seat itself; None for never."""
    tracks = [route]
    twin = int(tables.twin[route])
    if twin in taken and (state.owner[twin] == seat or not tables.both_open):
        tracks.append(twin)
    times = [(taken[track], bool(state.owner[track] == seat)) for track in tracks if track in taken]
    # A round is counted from the seat's own turn, so if both tracks are taken in one round, its own came first.
    return min(times, key=lambda lost: (lost[0], not lost[1]), default=None)
