"""
Values of choices by playing them out: pursuing a route, or keeping tickets.

Each choice is played to the end from the same positions with the same random events, so the
turns, cards and trains that it costs are valued at what they would have earned elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from tqdm.auto import tqdm

from ttr_analysis._compile import Floats, Ints, compiled
from ttr_analysis._decoding import Range
from ttr_analysis._notebook import as_table
from ttr_analysis._words import counted
from ttr_analysis.analysis import tickets as ticket_analysis
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine import codes, layout
from ttr_analysis.engine.kernel.cards import has_cards, may_take
from ttr_analysis.engine.kernel.claims import n_forms, representative, route_fault
from ttr_analysis.engine.kernel.scoring import mark_completed
from ttr_analysis.engine.kernel.step import step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import State
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route, RouteLike, Ticket, TicketLike
from ttr_analysis.policies.planner.knowledge import Params
from ttr_analysis.policies.planner.knowledge import turns_left as foresee_turns
from ttr_analysis.policies.planner.policy import Planner, Planner2
from ttr_analysis.policies.playout import NO_TAPE_CELLS, Players, choose, results_of, seat_players, wake_players
from ttr_analysis.records.file import check_seed
from ttr_analysis.rules.chance import run_keys
from ttr_analysis.rules.payment import GRAY_INDEX
from ttr_analysis.studies import intervals
from ttr_analysis.tables import Tables, game_tables

_BLOCK: Final = 32
"""Games between two checks for interrupts and updates of the progress bar."""
_PLAYERS: Final = 3
"""Players in a game, if the map allows it."""
_FIRST: Final = 64
"""Games played before dropping the weaker choices of a deal."""
_ANY: Final = 10_000.0
"""More turns than any game has."""

FREE: Final = 0
"""The player chooses freely."""
NEVER: Final = 1
"""The player must not take the route."""
GO: Final = 2
"""The player draws only for the route until it can claim it."""
KEEP: Final = 3
"""The player is dealt specific tickets and keeps some of them."""
WAIT: Final = 4
"""The game stops at the moment of choice."""


# -- games in which one seat's choice is fixed ---------------------------------------------------------------------


@compiled
def own_cards(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return the cards that a seat can use for a route outside sets: its best color, and wild locomotives if any."""
    most = 0
    for color in range(N_COLORS):
        if tables.color[route] in (GRAY_INDEX, color):
            most = max(most, state.hand[seat, color])
    n_wild = state.hand[seat, LOCOMOTIVE_INDEX] if tables.jokers[route] else 0
    return int(most + n_wild)


class Choice(NamedTuple):
    """The fixed choice of one seat."""

    kind: int
    deals: bool = False
    """Whether to set up the games first."""
    route: int = 0
    own: int = 0
    left: float = _ANY
    """The moment to wait for: the number of cards for the route, and the maximum number of turns left."""
    deal: Ints = np.zeros(1, dtype=np.int64)
    kept: int = 0
    """The tickets that it is dealt; bit i means keeping the i-th."""
    foresight: Floats = Planner2().params
    """Parameters of the planner that estimates turns left, fitted to the speed of players instead of to winning."""


@compiled
def play_chosen(
    tables: Tables, players: Players, words: Ints, numbers: Ints, states: Ints, tape: Ints, choice: Choice, left: Floats
) -> None:
    """
    Play games in which the choice of one seat is fixed; the seat moves by one each game.

    A game that waits for a moment stops there; `left` then has the turns left, 0 if it never comes.
    """
    for i in range(len(states)):
        state = State(states[i])
        seat = numbers[i] % tables.n_seats
        if choice.deals:
            new_game(tables, words[0], numbers[i], state, tape)
        if choice.kind == KEEP:
            deal_tickets(state, tables, seat, choice.deal)
        wake_players(tables, players, 0, words, numbers[i])
        left[i] = 0.0
        while state.phase != layout.OVER:
            if state.seat == seat and choice.kind == WAIT:
                left[i] = _turns_at_moment(state, tables, seat, choice)
                if left[i] > 0.0:
                    break
            code, value = _choose(state, tables, players, seat, choice)
            step(state, tables, code, value, tape)


@compiled
def _turns_at_moment(state: State, tables: Tables, seat: int, choice: Choice) -> float:
    """Return the turns left if a seat's moment of choice has come, else 0."""
    route = choice.route
    if state.phase != layout.TURN or own_cards(state, tables, seat, route) < choice.own:
        return 0.0
    if route_fault(state, tables, seat, route) != codes.NONE:
        return 0.0
    turns, _ = foresee_turns(state, tables, seat, Params(choice.foresight[: Params.n_cells]))
    return turns if turns <= choice.left else 0.0


@compiled
def _choose(state: State, tables: Tables, players: Players, seat: int, choice: Choice) -> tuple[int, int]:
    """Return the acting seat's action, which its choice may decide."""
    if state.seat == seat:
        if choice.kind == KEEP and state.phase == layout.KEEP_START:
            return codes.KEEP_TICKETS, choice.kept
        if choice.kind == NEVER:
            return _do_without(state, tables, players, seat, choice.route)
        if choice.kind == GO:
            return _go_for(state, tables, players, seat, choice.route)
    return choose(state, tables, players, state.seat)


@compiled
def _do_without(state: State, tables: Tables, players: Players, seat: int, route: int) -> tuple[int, int]:
    """Return a seat's action if a route and its twin belonged to another player."""
    twin = tables.twin[route]
    is_free = state.owner[route] == layout.NOBODY
    is_twin_free = twin >= 0 and state.owner[twin] == layout.NOBODY
    if is_free:
        state.owner[route] = layout.NEUTRAL_OWNER
    if is_twin_free:
        state.owner[twin] = layout.NEUTRAL_OWNER
    code, value = choose(state, tables, players, seat)
    if is_free:
        state.owner[route] = layout.NOBODY
    if is_twin_free:
        state.owner[twin] = layout.NOBODY
    return code, value


@compiled
def _go_for(state: State, tables: Tables, players: Players, seat: int, route: int) -> tuple[int, int]:
    """Claim a route as soon as possible, drawing only for it until then; in the last round, play freely."""
    is_turn = state.phase == layout.TURN
    if (is_turn or state.phase == layout.SECOND_DRAW) and route_fault(state, tables, seat, route) == codes.NONE:
        if is_turn and n_forms(state, tables, seat, route) > 0:
            return codes.make_action(codes.CLAIM_ROUTE, route), _fewest_cards(state, tables, seat, route)
        if state.last_left < 0:
            draw = _draw_for(state, tables, seat, route)
            if draw >= 0:
                return draw, 0
    return choose(state, tables, players, seat)


@compiled
def _fewest_cards(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return the payment for a route with the fewest cards, then the fewest locomotives."""
    best = 0
    lowest = -1
    for number in range(n_forms(state, tables, seat, route)):
        cards = representative(state, tables, seat, route, number)
        price = 0
        for kind in range(N_KINDS):
            n = cards >> (codes.CARD_BITS * kind) & codes.MOST_OF_A_KIND
            price += n * (100 if kind < LOCOMOTIVE_INDEX else 101)
        if lowest < 0 or price < lowest:
            lowest, best = price, cards
    return best


@compiled
def _draw_for(state: State, tables: Tables, seat: int, route: int) -> int:
    """Return the best draw for a route: a face-up card of its color or a wild one, else blind; -1 if there is none."""
    color = tables.color[route]
    if color == GRAY_INDEX:
        color = 0
        for other in range(N_COLORS):
            if state.hand[seat, other] > state.hand[seat, color]:
                color = other
    is_wild = tables.jokers[route] > 0 or tables.symbols[route] > state.hand[seat, LOCOMOTIVE_INDEX]
    any_slot = -1
    wild_slot = -1
    for slot in range(tables.market_size):
        if not may_take(state, tables, slot):
            continue
        any_slot = slot
        if state.market[slot] == color:
            return codes.make_action(codes.DRAW_FACE_UP, slot)
        if state.market[slot] == LOCOMOTIVE_INDEX and is_wild:
            wild_slot = slot
    if wild_slot >= 0:
        return codes.make_action(codes.DRAW_FACE_UP, wild_slot)
    if has_cards(state):
        return codes.DRAW_CARD
    return codes.make_action(codes.DRAW_FACE_UP, any_slot) if any_slot >= 0 else -1


@compiled
def deal_tickets(state: State, tables: Tables, seat: int, deal: Ints) -> None:
    """
    Deal given tickets to a seat by swapping each with one that the seat was dealt from the same deck.

    The other tickets dealt return to the pile, or leave the game if their deck does.
    """
    for i in range(len(deal)):
        at = i
        while tables.ticket_deck[state.offer[seat, at]] != tables.ticket_deck[deal[i]]:
            at += 1
        dealt = state.offer[seat, at]
        state.offer[seat, at] = state.offer[seat, i]
        state.offer[seat, i] = dealt
        _change_places(state, tables, deal[i], dealt)
    for i in range(len(deal), state.n_offer[seat]):
        ticket = state.offer[seat, i]
        is_out = tables.deck_leaves[tables.ticket_deck[ticket]] > 0
        state.ticket_at[ticket] = layout.AT_REMOVED if is_out else layout.AT_PILE
        state.n_ticket_pile += 0 if is_out else 1
        state.offer[seat, i] = layout.NOBODY
    state.n_offer[seat] = len(deal)


@compiled
def _change_places(state: State, tables: Tables, ticket: int, dealt: int) -> None:
    """Swap a ticket, wherever it is, with one that is dealt."""
    if state.ticket_at[ticket] != layout.AT_OFFER:
        state.ticket_at[dealt] = state.ticket_at[ticket]
        state.ticket_at[ticket] = layout.AT_OFFER
    for seat in range(tables.n_seats):
        for i in range(state.n_offer[seat]):
            if state.offer[seat, i] == dealt:
                state.offer[seat, i] = ticket
            elif state.offer[seat, i] == ticket:
                state.offer[seat, i] = dealt


# -- players -------------------------------------------------------------------------------------------------------


class _Table(NamedTuple):
    """Players of a game and its seed."""

    tables: Tables
    players: Players
    words: Ints

    @classmethod
    def of(cls, game_map: GameMap, n_players: int | None, policy: Planner | None, seed: int) -> _Table:
        """Return a table of equal players."""
        low, high = game_map.rules.players
        n = max(low, min(_PLAYERS, high)) if n_players is None else Range(1).check(n_players, "n_players")
        check_seed(seed)
        tables = game_tables(game_map, n)
        return cls(tables, seat_players(game_map, [policy or Planner()] * n), run_keys(seed, n))

    def play(self, numbers: Ints, states: Ints, choice: Choice, left: Floats, bar: tqdm[Any]) -> None:
        """Play games block by block, for progress and interrupts."""
        tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
        for first in range(0, len(states), _BLOCK):
            some = slice(first, first + _BLOCK)
            play_chosen(self.tables, self.players, self.words, numbers[some], states[some], tape, choice, left[some])
            bar.update(len(states[some]))

    def ends(self, states: Ints, seats: Ints) -> _Ends:
        """Return how games ended for the watched seats."""
        results, at = results_of(states, self.tables), (np.arange(len(states)), seats)
        return _Ends(results.points[at].astype(float), results.won[at])


class _Ends(NamedTuple):
    """How games ended for the watched seats."""

    points: Floats
    wins: Floats


# -- is a route worth it? ------------------------------------------------------------------------------------------


def route_worth(
    game_map: MapLike,
    route: RouteLike,
    *,
    own: Iterable[int] | None = None,
    turns_left: Iterable[float] | None = None,
    n_games: int = 400,
    n_players: int | None = None,
    policy: Planner | None = None,
    seed: int = 7,
    progress: bool = True,
) -> pd.DataFrame:
    """
    Return the value of pursuing a route, by cards held for it and turns left.

    In games between equal players, one seat is watched until it first holds `own` cards for
    a route that it may still claim, with at most `turns_left` turns left. From there, the
    game is played to its end three times with the same random events: the seat *goes* for the
    route and draws only for it until it can claim it; it plays *without* it; or it is *free*
    to choose. The gain is the points of going for the route minus those without it.

    Parameters
    ----------
    route
        The route; a double route may be given by its cities. "Without" also excludes its
        twin.
    own
        Numbers of cards held: of one color that the route takes, plus locomotives if they
        are wild on it. None means from 0 to its length.
    turns_left
        The maximum number of turns left at the moment, as `Planner2` estimates them; None
        for any.
    n_players, policy
        The number of players, by default three if the map allows; and the policy at all
        seats, by default `Planner`.

    Returns
    -------
    table
        One row for each number of cards held and each limit (index `own`, `turns_left`;
        infinite for any time), empty if the moment never came:

        - `positions`: games in which the moment came; `left`: the mean turns left then;
        - `claimed`: share of games in which the seat going for the route got it;
        - `gain`: points of going for it minus those of doing without, with the 95%
          interval `gain_low` and `gain_high`; `win_gain`: the same for the share of wins;
        - `elsewhere`: what its turns, cards and trains earn without it, which is the points
          for the claims made minus `gain`;
        - `free_gain`, `free_win_gain`: the same for a player free to choose, and
          `free_claimed`, the share of games in which that player took the route.

    Raises
    ------
    ValueError
        If the map does not allow this number of players, or a number is out of range.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> lieksa = nordic.route("Murmansk", "Lieksa")
    >>> table = route_worth(nordic, lieksa, own=[6], n_games=20, progress=False)
    >>> table.index.tolist(), bool((table["gain_low"] < table["gain"]).all())
    ([(6, inf)], True)
    """
    game_map = as_map(game_map)
    route = game_map.resolve_routes([route])[0]
    held = range(route.length + 1) if own is None else sorted({Range().check(n, "own") for n in own})
    bounds = [float("inf")] if turns_left is None else sorted({float(n) for n in turns_left}, reverse=True)
    n_games = Range(1).check(n_games, "n_games")
    table = _Table.of(game_map, n_players, policy, seed)
    rows = {}
    with tqdm(total=4 * n_games * len(held) * len(bounds), unit="game", disable=not progress) as bar:
        for bound in bounds:
            states = np.zeros((n_games, State.n_cells), dtype=np.int64)
            for n in held:  # each search resumes where the last one stopped, as hands grow
                rows[n, bound] = _route_row(table, game_map, route, n, bound, states, bar)
    index = pd.MultiIndex.from_tuples(rows, names=["own", "turns_left"])
    found = pd.DataFrame(list(rows.values()), index=index).sort_index()
    found.attrs["n_players"] = int(table.tables.n_seats)
    return as_table(
        found,
        note="turns_left inf: at any time" if max(bounds, default=0) == float("inf") else "",
        units={
            **dict.fromkeys(("gain", "free_gain", "elsewhere"), "points"),
            **dict.fromkeys(("left", "turns_left"), "turns"),
            "own": "cards",
        },
    )


def _route_row(
    table: _Table, game_map: GameMap, route: Route, own: int, bound: float, states: Ints, bar: tqdm[Any]
) -> dict[str, float]:
    """Return the row of `route_worth` for a moment, leaving each game at that moment."""
    number = game_map.route_numbers[route.id]
    left = np.zeros(len(states))
    wait = Choice(WAIT, route=number, own=own, left=min(bound, _ANY), deals=not states.any())
    table.play(np.arange(len(states)), states, wait, left, bar)
    moments = np.flatnonzero(left)
    seats = moments % table.tables.n_seats
    ends, took = {}, {}
    for kind in (NEVER, GO, FREE):
        played = states[moments]
        table.play(moments, played, Choice(kind, route=number), np.zeros(len(moments)), bar)
        bar.update(len(states) - len(moments))
        ends[kind] = table.ends(played, seats)
        took[kind] = State.across(played, "owner")[:, number] == seats
    if not len(moments):
        return {"positions": 0}
    gain = ends[GO].points - ends[NEVER].points
    return {
        "positions": len(moments),
        "left": float(left[moments].mean()),
        "claimed": float(took[GO].mean()),
        **intervals.with_ends("gain", intervals.interval_of_mean(gain)),
        **intervals.with_ends("win_gain", intervals.interval_of_difference(ends[GO].wins - ends[NEVER].wins)),
        **intervals.with_ends("elsewhere", intervals.interval_of_mean(route.points * took[GO] - gain)),
        **intervals.with_ends("free_gain", intervals.interval_of_mean(ends[FREE].points - ends[NEVER].points)),
        **intervals.with_ends("free_win_gain", intervals.interval_of_difference(ends[FREE].wins - ends[NEVER].wins)),
        "free_claimed": float(took[FREE].mean()),
    }


# -- which tickets to keep -----------------------------------------------------------------------------------------


_KEEP_FIRST: Final = (
    *("keep", "drop", "win_rate", "win_difference", "played_points", "completion_rate", "all_completed"),
    *("trains", "slack", "warning"),
)
"""Columns that notebooks show."""


def which_to_keep(
    game_map: MapLike,
    deal: Iterable[TicketLike],
    *,
    n_games: int = 400,
    n_best: int | None = None,
    at_least: int | None = None,
    n_players: int | None = None,
    policy: Planner | None = None,
    seed: int = 7,
    progress: bool = True,
) -> pd.DataFrame:
    """
    Return which tickets of an opening deal to keep, by playing out each choice.

    Every choice is played in the same games. Unlike `ttr.tickets.which_to_keep`, which looks
    only at the map, this includes rivals in the way and the end of the game.

    Parameters
    ----------
    deal
        The tickets dealt, no more than an opening deal has.
    n_best
        How many choices to play in all games: the best in the first 64. None means all.
    at_least
        Minimum number of tickets to keep. None means the number in the rules.
    n_players, policy
        The number of players, by default three if the map allows; and the policy at all
        seats, by default `Planner`.

    Returns
    -------
    table
        One row for each choice, most wins first: the columns of `ttr.tickets.which_to_keep`
        with its `warning`, and

        - `win_rate` with `win_low` and `win_high`; `win_difference` from the best
          choice, game by game, with `_low` and `_high`;
        - `played_points` of the seat, with `_low` and `_high`;
        - `completion_rate` of the tickets kept, and `all_completed`, the share of games in
          which all of them were completed.

    Raises
    ------
    ValueError
        If there are more tickets than an opening deal has, in total or from one deck, fewer
        than must be kept, or a number is out of range.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> deal = ["Oslo-Vaasa", "Oslo-Stockholm", "Narvik-Murmansk"]
    >>> table = which_to_keep(nordic, deal, n_games=6, progress=False)
    >>> len(table), float(table["win_difference"].iloc[0])
    (4, 0.0)
    """
    game_map = as_map(game_map)
    dealt = game_map.resolve_tickets(deal)
    table = _Table.of(game_map, n_players, policy, seed)
    _check_deal(game_map, table.tables, dealt)
    n_games = Range(1).check(n_games, "n_games")
    choices = ticket_analysis.which_to_keep(game_map, dealt, at_least=at_least, n_players=n_players)
    n_best = len(choices) if n_best is None else min(Range(1).check(n_best, "n_best"), len(choices))
    numbers = np.array([game_map.tickets.index(ticket) for ticket in dealt], dtype=np.int64)
    kept = [np.array([ticket.id in keep.split(", ") for ticket in dealt]) for keep in choices["keep"]]
    n_first = min(_FIRST, n_games) if n_best < len(choices) else 0
    rows, wins = [], []
    with tqdm(total=n_games * n_best + n_first * len(choices), unit="game", disable=not progress) as bar:
        if n_first:
            first = [_play_choice(table, numbers, is_kept, n_first, bar)[0] for is_kept in kept]
            best_first = sorted(range(len(kept)), key=lambda i: (-first[i].wins.mean(), -first[i].points.mean()))
            chosen = sorted(best_first[:n_best])
            choices, kept = choices.iloc[chosen].reset_index(drop=True), [kept[i] for i in chosen]
        for is_kept in kept:
            ends, done = _play_choice(table, numbers, is_kept, n_games, bar)
            rate = intervals.clustered_rate(intervals.moments_of(ends.wins, np.ones(n_games)))
            rows.append(
                {
                    **intervals.with_ends("win_rate", rate, "win"),
                    **intervals.with_ends("played_points", intervals.interval_of_mean(ends.points)),
                    "completion_rate": float(done[:, is_kept].mean()),
                    "all_completed": float(done[:, is_kept].all(axis=1).mean()),
                }
            )
            wins.append(ends.wins)
    best = max(range(len(rows)), key=lambda i: (rows[i]["win_rate"], rows[i]["played_points"]))
    less = [intervals.with_ends("win_difference", intervals.interval_of_difference(some - wins[best])) for some in wins]
    rows = [row | difference for row, difference in zip(rows, less, strict=True)]
    rows[best] |= dict.fromkeys(("win_difference_low", "win_difference_high"), 0.0)
    played = choices.join(pd.DataFrame(rows)).sort_values(
        ["win_rate", "played_points"], ascending=False, kind="stable", ignore_index=True
    )
    return as_table(played, _KEEP_FIRST)


def _check_deal(game_map: GameMap, tables: Tables, dealt: Sequence[Ticket]) -> None:
    """Raise a ValueError if there are more tickets than the last seat is dealt, in total or from one deck."""
    decks = [deck.name for deck in game_map.rules.tickets.decks] or [""]
    before = (tables.n_seats - 1) * tables.deck_deal
    most = np.minimum(tables.deck_deal, tables.deck_size - before)[: len(decks)]
    of_deck = [sum(ticket.deck == deck for ticket in dealt) for deck in decks]
    for name, n, allowed in [("", len(dealt), most.sum()), *zip(decks, of_deck, most, strict=True)]:
        if n > allowed:
            kind = f"{name} ticket".strip()
            raise ValueError(f"an opening deal of this map has {counted(allowed, kind)}, got {n}")


def _play_choice(
    table: _Table, deal: Ints, is_kept: npt.NDArray[np.bool_], n_games: int, bar: tqdm[Any]
) -> tuple[_Ends, npt.NDArray[np.bool_]]:
    """Return how games end for the seat with given tickets, and which of them it completed."""
    numbers = np.arange(n_games)
    bits = int(sum(1 << i for i in np.flatnonzero(is_kept)))
    choice = Choice(KEEP, deals=True, deal=deal, kept=bits)
    states = np.zeros((n_games, State.n_cells), dtype=np.int64)
    done = np.zeros((n_games, len(deal)), dtype=np.int8)
    table.play(numbers, states, choice, np.zeros(n_games), bar)
    seats = numbers % table.tables.n_seats
    mark_completed(table.tables, states, seats, deal, done)
    return table.ends(states, seats), done > 0
