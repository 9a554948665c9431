"""
`Searcher`: a player that tries out its moves before making one.

It considers the legal actions that matter (`candidates`). They are tried in the same
worlds, consistent with its seat's knowledge (`Search`), and planners play on to the
end. Sequential halving [1]_ spends the rollouts on the most promising actions (`halve`).

References
----------
.. [1] Karnin, Z., Koren, T. and Somekh, O. "Almost optimal exploration in
   multi-armed bandits". ICML 2013, 1238-1246.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from math import ceil, isfinite, log2
from time import perf_counter
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from ttr_analysis._compile import Floats, Ints
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import BUILD_STATION, CLAIM_ROUTE, DRAW_FACE_UP, argument_of, kind_of, unpacked
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.kernel.scoring import label_cities
from ttr_analysis.engine.layout import UNKNOWN_CARD, State
from ttr_analysis.engine.state import SeatView
from ttr_analysis.policies.planner.claims import best_borrowed, borrow_for_stations
from ttr_analysis.policies.planner.policy import Planner
from ttr_analysis.policies.playout import Results, check_turn, first_look, joined
from ttr_analysis.policies.search.knowledge import Knowledge, knowledge_of
from ttr_analysis.policies.search.rollouts import SEEDS, Rollouts, group_size
from ttr_analysis.rules.chance import stream_from
from ttr_analysis.tables import MAX_CITIES, Tables, game_tables

# -- candidates ----------------------------------------------------------------------------------------------------

Candidate: TypeAlias = tuple[int, int]
"""Code and value of an action."""

_N_STATIONS = 3
"""Maximum number of stations to try."""


def candidates(view: SeatView, own: Candidate, n_claims: int) -> list[Candidate]:
    """
    Return the actions that a searcher tries, `own` first.

    They are one face-up card of each known kind, the `n_claims` most valuable other claims,
    the stations that would add most to the seat's current tickets, and all other legal
    actions. Each route's payment with the fewest cards and locomotives comes before any other
    payment.
    """
    state = view.packed
    tables = game_tables(view.game_map, view.n_players)
    legal = KernelGame(view.game_map, view.n_players).rows(state)
    rows = [(code, value) for code, value in legal.tolist()]
    claims = [row for row in rows if kind_of(row[0]) == CLAIM_ROUTE]
    face_up = [row for row in rows if kind_of(row[0]) == DRAW_FACE_UP]
    stations = [row for row in rows if kind_of(row[0]) == BUILD_STATION]
    others = [row for row in rows if kind_of(row[0]) not in (CLAIM_ROUTE, DRAW_FACE_UP, BUILD_STATION)]
    dearest = [row for row in _most_valuable_first(claims, state, tables) if row != own][:n_claims]
    best = _best_stations(stations, state, tables)
    return list(dict.fromkeys([own, *others, *_one_of_each_kind(face_up, own, state), *dearest, *best]))


def _one_of_each_kind(face_up: Iterable[Candidate], own: Candidate, state: State) -> list[Candidate]:
    """Return the first face-up card of each kind, or `own` if it is of that kind."""
    slots: dict[int, Candidate] = {}
    for row in face_up:
        kind = int(state.market[argument_of(row[0])])
        if kind < UNKNOWN_CARD and (kind not in slots or row == own):
            slots[kind] = row
    return list(slots.values())


def _best_stations(stations: Iterable[Candidate], state: State, tables: Tables) -> list[Candidate]:
    """Return the stations that add most to the seat's tickets, each with its cheapest cards."""
    cheapest = {argument_of(row[0]): row for row in sorted(stations, key=lambda row: _cost(row, state), reverse=True)}
    if not cheapest:
        return []
    label = np.zeros(MAX_CITIES, dtype=np.int64)
    label_cities(state, tables, state.seat, label)
    now = borrow_for_stations(state, tables, state.seat, label)
    gain = {city: best_borrowed(state, tables, state.seat, city, label)[1] - now for city in cheapest}
    ranked = sorted(cheapest, key=lambda city: -gain[city])
    return [cheapest[city] for city in ranked[:_N_STATIONS] if gain[city] > 0]


def _most_valuable_first(claims: Iterable[Candidate], state: State, tables: Tables) -> list[Candidate]:
    """Return claims: the cheapest payment of each route first, and among these, the routes with most points first."""
    n_before: Counter[int] = Counter()
    ranked: list[tuple[int, int, Candidate]] = []
    for row in sorted(claims, key=lambda row: _cost(row, state)):
        route = argument_of(row[0])
        ranked.append((n_before[route], -int(tables.points[route]), row))
        n_before[route] += 1
    return [row for _, _, row in sorted(ranked, key=lambda one: one[:2])]


def _cost(row: Candidate, state: State) -> tuple[int, int, int]:
    """Return the cards and locomotives spent, and minus the cards held of the color spent most."""
    cards = unpacked(row[1])
    most = int(np.argmax(cards.counts[:-1]))
    return cards.n_cards, cards.counts[-1], -int(state.hand[state.seat][most])


# -- sequential halving --------------------------------------------------------------------------------------------

_LEAD: Final = 15.0
"""Scale of the logistic function of a lead, in points: a lead larger by this means 73% instead of 50%."""
WORLDS_AT_ONCE: Final = 64
"""Worlds between two checks, for interrupts or for a precise result."""
_GAMES_IN_TIME: Final = 8
"""Games between two checks of the clock."""
_FEWEST_PAIRS: Final = 2
"""Minimum number of pairs of rollouts for a standard error."""
_DOUBT: Final = 0.7
"""
Extra gain required of another move, divided by the pairs of rollouts.

The best-looking of many moves is rarely as good as it looks; after few rollouts, it is usually
worse than the first.
"""


class Search:
    """
    The worlds of a seat, and how games continue in them after one action or another.

    `memory` is that of the seat's planner, such as the plan that it follows; empty by
    default.
    """

    def __init__(self, known: Knowledge, seed: int, threads: int = 1, memory: Ints | None = None) -> None:
        self.known = known
        self._memory = memory
        self.n_worlds = 0
        """Number of worlds so far, so that none is repeated."""
        self.each = group_size(known)
        """Number of consecutive worlds that share tickets. Differences between actions hardly depend on it."""
        # Players have work space: each thread needs its own.
        self._tables = [Rollouts(known.game_map, known.n_players, seed=seed) for _ in range(threads)]
        self._beliefs = self._tables[0].believe(known)

    @property
    def threads(self) -> int:
        """Number of cores in use."""
        return len(self._tables)

    def results(self, actions: Ints, n_worlds: int) -> Results:
        """Return how games end after actions (codes and values) in new worlds: (actions, worlds, seats)."""
        parts = [len(part) for part in np.array_split(np.arange(n_worlds), len(self._tables)) if len(part)]
        firsts = self.n_worlds + np.cumsum([0, *parts[:-1]])
        self.n_worlds += n_worlds
        given = [(table, actions, int(first), n) for table, first, n in zip(self._tables, firsts, parts, strict=False)]
        with ExitStack() as stack:
            run = stack.enter_context(ThreadPoolExecutor(len(given))).map if len(given) > 1 else map
            return joined(list(run(self._results, *zip(*given, strict=True))), axis=1)

    def _results(self, table: Rollouts, actions: Ints, first: int, n_worlds: int) -> Results:
        """As `results`, for the worlds from number `first` on."""
        worlds = table.worlds_to_play(self.known, self._beliefs, n_worlds, first)
        return table.try_out(worlds, first, actions, self._memory)

    def holdings(self, first: int, n_worlds: int) -> Ints:
        """Return the seat's cards and tickets in the worlds from number `first` on, one row each."""
        worlds = self._tables[0].worlds_to_play(self.known, self._beliefs, n_worlds, first)
        cards, tickets = (State.across(worlds, name)[:, self.known.viewer] for name in ("hand", "held"))
        return np.hstack([cards, np.sort(tickets[:, : self.known.packed.n_held[self.known.viewer]], axis=1)])

    def worth(self, results: Results) -> Floats:
        """Return the value of results for the seat: half from its share of the win, half from its lead."""
        seat = self.known.viewer
        lead = leads(results, seat)
        values: Floats = 0.5 * results.won[..., seat] + 0.5 / (1.0 + np.exp(-lead / _LEAD))
        return values


def leads(results: Results, seat: int) -> Ints:
    """Return a seat's points minus the best of the others, below 0 if it is behind."""
    lead: Ints = results.points[..., seat] - np.delete(results.points, seat, axis=-1).max(axis=-1)
    return lead


class Comparison(NamedTuple):
    """
    Results of the actions tried: the best (0 unless another is clearly better), and how games ended after each.

    All were tried in the first worlds; the most promising, in more. `highest` is the one with
    the highest value, even if it is hardly better.
    """

    best: int
    highest: int
    results: tuple[Results, ...]


def halve(search: Search, tried: Sequence[Candidate], rollouts: int, seconds: float | None = None) -> Comparison:
    """
    Try actions in rounds, dropping the worse half after each, and return the results.

    The first action stays to the end: another must be better by one standard error of the
    difference. Each action gets at least one game, for a total of about `rollouts` games,
    or as many as fit into `seconds`.
    """
    remaining: Ints = np.arange(len(tried), dtype=np.int64)
    values = np.empty((len(tried), 0))
    parts: list[list[Results]] = [[] for _ in tried]
    n_rounds = max(1, ceil(log2(len(tried))))
    start = perf_counter()
    for number in range(1, n_rounds + 1):
        until = None if seconds is None else start + seconds * number / n_rounds
        rows = np.array(tried, dtype=np.int64)[remaining]
        n_groups = max(1, _GAMES_IN_TIME // (len(remaining) * search.each))
        in_time = n_groups * search.each * search.threads  # whole groups, since each draws its tickets once
        for n_worlds in batches(max(1, rollouts // n_rounds // len(remaining)), until, in_time, in_time):
            results = search.results(rows, n_worlds)
            values = np.hstack([values, search.worth(results)])
            for at, candidate in enumerate(remaining):
                parts[candidate].append(Results(results.won[at], results.points[at]))
        best = np.argsort(-values.mean(axis=1), kind="stable")
        kept = np.union1d([0], best[: ceil(len(remaining) / 2)])
        remaining, values = remaining[kept], values[kept]
    found = int(values.mean(axis=1).argmax())
    highest = int(remaining[found])
    is_best = _is_clear(values[found] - values[0])
    return Comparison(highest if is_best else 0, highest, tuple(joined(part) for part in parts))


def batches(n_worlds: int, until: float | None, first: int, later: int) -> Iterator[int]:
    """Yield numbers of worlds to try: `n_worlds` in all, or `first` and then `later` until a time (`perf_counter`)."""
    if until is None:
        for done in range(0, n_worlds, WORLDS_AT_ONCE):
            yield min(WORLDS_AT_ONCE, n_worlds - done)
        return
    yield first
    while perf_counter() < until:
        yield later


def _is_clear(gain: Floats) -> bool:
    """Return whether a mean gain exceeds its standard error, by a margin if there are few pairs."""
    n = len(gain)
    if n < _FEWEST_PAIRS:
        return False
    return bool(gain.mean() > gain.std(ddof=1) / np.sqrt(n) + _DOUBT / n)


# -- the player ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Searcher:
    """
    A player that tries out its moves before making one: the strongest built-in player, and by far the slowest.

    It starts from `Planner`'s move, and considers the other draws, the most valuable
    claims, useful stations, drawing tickets, every choice of tickets to keep, payments for a tunnel, and
    tracks for the neutral player. All of them are tried in the same worlds, drawn from
    its seat's beliefs, and planners play on to the end. A move other than Planner's must be
    better by one standard error of the difference, and by more after few rollouts.

    Parameters
    ----------
    rollouts
        Approximate number of games per decision, at least one for each move.
    seconds
        Time per decision, instead of `rollouts`. The choice then depends on the speed of
        the machine.
    candidates
        Claims to consider, most valuable routes first.
    threads
        Cores to use per decision. They do not affect the choice, unless `seconds` are
        given.

    Raises
    ------
    ValueError
        If a number is below 1, or the seconds are not above 0.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> record = game.play([Searcher(rollouts=20), ttr.policies.Greedy()], seed=7)
    >>> record.header.policies, record.winners
    (('Searcher', 'Greedy'), (0,))
    """

    rollouts: int = 400
    seconds: float | None = None
    candidates: int = 10
    threads: int = 1

    name = "Searcher"

    def __post_init__(self) -> None:
        """Check the parameters."""
        for what in ("rollouts", "candidates", "threads"):
            number: object = getattr(self, what)
            if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
                raise ValueError(f"{what} must be a whole number of 1 or more, got {number!r}")
        if self.seconds is not None and not (isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"seconds must be a number above 0, got {self.seconds!r}")

    def choose(
        self,
        view: SeatView,
        actions: Sequence[Action],  # noqa: ARG002
        rng: np.random.Generator,
    ) -> Action:
        """
        Return its action.

        Parameters
        ----------
        view
            What the acting seat sees.
        actions
            Its legal actions; not used, since the view implies them.
        rng
            Random generator; it provides a seed. Equal generator states give equal choices,
            unless `seconds` are given.

        Raises
        ------
        GameError
            If the view's seat is not the acting one.
        """
        check_turn(view)
        own, memory = first_look(Planner(), view, stream_from(rng))
        seed = int(rng.integers(SEEDS))
        tried = candidates(view, own, self.candidates)
        best = tried[0] if len(tried) == 1 else tried[self._search(view, tried, seed, memory)]
        return codec_of(view.game_map).decode(*best, view.packed)

    def _search(self, view: SeatView, tried: Sequence[Candidate], seed: int, memory: Ints) -> int:
        """Return the number of the best action; 0 unless another is clearly better."""
        search = Search(knowledge_of(view, view.seat), seed, self.threads, memory)
        return halve(search, tried, self.rollouts, self.seconds).best
