"""A viewer's knowledge of a game, and the styles that its players may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from ttr_analysis._compile import Floats, Ints
from ttr_analysis.engine.layout import AT_PILE, OVER, UNKNOWN_TICKET, State
from ttr_analysis.engine.state import GameState, SeatView, redact, seat_number
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.planner.policy import Planner, Planner1
from ttr_analysis.records.record import GameRecord
from ttr_analysis.tables import Tables, game_tables

Source = GameRecord | GameState | SeatView
"""Sources of a position."""


EVERYBODY: Final = -1
"""In place of the viewer's seat, for a viewer of all hands."""


class Knowledge(NamedTuple):
    """
    A viewer's knowledge of a game: a packed state with unknowns, and what a state alone does not show.

    Parameters
    ----------
    viewer
        The viewer's seat, or `EVERYBODY` for a viewer of all hands.
    excluded
        For each seat, unseen tickets that it cannot hold.
    styled
        Estimated share of the players who play differently from `Planner`.
    orders
        By seat, the possible orders of the tickets that it shows at the end of the
        record, if uncertain; `packed` has the likeliest.
    """

    game_map: GameMap
    n_players: int
    packed: State
    viewer: int
    excluded: tuple[frozenset[int], ...]
    styled: float
    orders: Mapping[int, Ints] = MappingProxyType({})

    @property
    def tables(self) -> Tables:
        """The map and its rules as one record."""
        return game_tables(self.game_map, self.n_players)

    @property
    def is_known(self) -> bool:
        """Whether the game is over and all tickets that score are known."""
        held = [self.held(seat) for seat in range(self.n_players)]
        return bool(self.packed.phase == OVER and UNKNOWN_TICKET not in np.concatenate(held))

    def held(self, seat: int) -> Ints:
        """Return a seat's tickets, `UNKNOWN_TICKET` for unknown ones."""
        return self.packed.held[seat, : self.packed.n_held[seat]]

    def hands(self, seat: int) -> Ints:
        """Return a seat's ticket set in each of its orders, as numbers from 0; empty if certain."""
        if seat not in self.orders:
            return np.zeros(0, dtype=np.int64)
        sets = np.sort(self.orders[seat][:, : self.packed.n_held[seat]], axis=1)
        numbers: Ints = np.unique(sets, axis=0, return_inverse=True)[1].ravel()
        return numbers

    def possible(self, number: int) -> State:
        """Return the packed state with the tickets of one of the orders."""
        packed = self.packed.copy()
        for seat in self.orders:
            packed.ticket_at[self.held(seat)] = AT_PILE
        for seat, orders in self.orders.items():
            n_held = packed.n_held[seat]
            packed.held[seat, :n_held] = orders[number % len(orders), :n_held]
            packed.ticket_at[packed.held[seat, :n_held]] = seat
        return packed


PRIOR: Final = 0.25
"""Prior probability that a player has its own style."""
_SPREAD: Final = 0.4
"""Standard deviation of the log of each parameter in such a style."""


def knowledge_of(state: GameState | SeatView, seat: int | None) -> Knowledge:
    """Return what a seat can see of a state, or the whole state. Once a game is over, all tickets are visible."""
    vector = state.packed
    excluded = (frozenset[int](),) * state.n_players
    if seat is not None:
        seat = seat_number(seat, state.n_players)
    if seat is None or (state.is_over and isinstance(state, GameState)):
        return Knowledge(state.game_map, state.n_players, vector, EVERYBODY, excluded, PRIOR)
    tables = game_tables(state.game_map, state.n_players)
    return Knowledge(state.game_map, state.n_players, redact(vector, tables, seat), seat, excluded, PRIOR)


def planner_styles(game_map: GameMap, n_seats: int, share: float, rng: np.random.Generator) -> Iterator[Floats]:
    """
    Yield the parameters of planners at some seats, one row each, game after game.

    Each has its own style with probability `share`: half of these start from
    `Planner1`, and each parameter is multiplied by a random factor. The others are
    `Planner`.
    """
    bases = np.array([Planner().on(game_map, n_seats).params, Planner1().params])
    while True:
        is_other = rng.random(n_seats) < share
        which = np.where(is_other, rng.integers(len(bases), size=n_seats), 0)
        off = np.exp(_SPREAD * rng.normal(size=(n_seats, bases.shape[1])))
        yield bases[which] * np.where(is_other[:, np.newaxis], off, 1.0)
