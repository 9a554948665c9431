"""`Planner`: the player, and the numbers that make its strategy."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite
from typing import ClassVar, Final

import numpy as np

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.protocol import Chooser
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies._common import OneMove
from ttr_analysis.policies.planner.choose import choose
from ttr_analysis.policies.planner.knowledge import Memory, planner_lore
from ttr_analysis.tables import Tables

_DIVISORS: Final = frozenset({"cards_per_turn", "trains_per_claim", "token_spread"})
_MAY_BE_NEGATIVE: Final = frozenset({"ticket_bar", "opening_bar", "decline_bar"})


@dataclass(frozen=True, slots=True)
class Planner(OneMove):
    """
    A player who keeps good tickets, builds the cheapest network for them, and fills up with long routes.

    Where stations are played, it builds one in its last turns if that saves a
    ticket which its own routes will not complete.

    Parameters
    ----------
    train_price, route_price
        Points that a train, and a turn of claiming, would bring elsewhere:
        what a network costs.
    point_weight
        How much of the points for routes is taken off the cost of a network.
    tunnel_price, symbol_price
        Points that a tunnel, and each locomotive symbol, costs on top.
    faith
        Part of a ticket's points that is counted on when it is kept.
    late_price
        Points that each turn costs by which a plan is longer than the game.
    cards_per_turn, trains_per_claim
        How fast players draw and build: to foresee the end of the game.
    extra_train_price
        Points that a route outside the plan must bring for each train.
    extra_bar
        How many times better than both draws of a turn it must be to be
        claimed.
    wanted_price, spare_price, locomotive_price
        Points that it costs to spend a card that is wanted elsewhere, one
        that is not, and a locomotive.
    breadth
        How much it counts that a card serves several routes.
    tunnel_odds
        Odds from which a tunnel is attempted.
    ticket_bar
        Points that tickets must be expected to bring to be drawn.
    ticket_trains, ticket_turns
        Trains beyond the plan, and turns, that must be left for it.
    token_spread
        Difference in tokens that makes a rank for the most tokens likely.
    trail_weight
        Points per train for a route that makes the own network longer, where
        the longest trail has a bonus.
    opening_bar
        Net points from which one more ticket of an offer is kept.
    plan_bar
        How many times better than both draws of a turn a claim of the plan
        must be.
    decline_bar
        Points that the cards of a surcharge may be missed at most.
    crowd_price, crowd_part
        Points that each train of a network costs on top by which it takes
        more than this part of those left: long networks are completed less
        often.
    rush, denial
        How much a route of the plan, and any other one, is worth on top where
        others build: times the trains that it costs to go around it, and the
        share of all tickets for which it is on the way.
    trail_step, trail_join
        Points per train for a route that leads the own trail on at its end,
        or joins two parts of the own network, where the longest trail has a
        bonus.
    foresight
        Above 0, what a draw of tickets brings is foreseen as if the plan were
        built, with constants from games; else from the largest part of the
        own network, as `Planner1` does.
    bonus_pull
        By how many points the bar for drawing tickets is lower for each point
        of a seat's share in bonuses for completed tickets.
    seat_spread
        How much larger `token_spread` is for each player beyond two.
    care
        Above 0, the last turn claims what adds most to the final score, and
        of the routes outside the plan the best is claimed; else the first
        that is good enough, as `Planner1` does.
    late_cards
        Turns before the last one from which on cards that are spent are
        missed less, in proportion; at 0 they are missed until the end.

    Raises
    ------
    ValueError
        If a number is not finite, or below 0 where that means nothing.

    Examples
    --------
    >>> Planner(tunnel_odds=0.5).tunnel_odds
    0.5
    """

    train_price: float = 1.1
    route_price: float = 1.1
    point_weight: float = 0.42
    tunnel_price: float = 1.0
    symbol_price: float = 0.58
    faith: float = 0.81
    late_price: float = 3.0
    cards_per_turn: float = 1.8
    trains_per_claim: float = 2.4
    extra_train_price: float = 1.5
    extra_bar: float = 0.95
    wanted_price: float = 1.5
    spare_price: float = 0.34
    locomotive_price: float = 1.1
    breadth: float = 0.085
    tunnel_odds: float = 0.65
    ticket_bar: float = 4.0
    ticket_trains: float = 12.0
    ticket_turns: float = 4.0
    token_spread: float = 5.8
    trail_weight: float = 0.05
    opening_bar: float = 0.71
    plan_bar: float = 1.6
    decline_bar: float = 6.2
    crowd_price: float = 1.6
    crowd_part: float = 0.72
    rush: float = 0.5
    denial: float = 0.27
    trail_step: float = 0.41
    trail_join: float = 1.3
    foresight: float = 1.0
    bonus_pull: float = 0.78
    seat_spread: float = 5.0
    care: float = 1.0
    late_cards: float = 3.0

    def __post_init__(self) -> None:
        """Refuse numbers that make no strategy."""
        faults = []
        for field in fields(self):
            number: object = getattr(self, field.name)
            if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
                faults.append(f"{field.name} is a number, got {number!r}")
            elif field.name in _DIVISORS and number <= 0:
                faults.append(f"{field.name} is above 0, got {number}")
            elif field.name not in _MAY_BE_NEGATIVE and number < 0:
                faults.append(f"{field.name} is 0 or more, got {number}")
        if faults:
            raise ValueError("; ".join(faults))

    name: ClassVar[str] = "Planner"
    memory_size: ClassVar[int] = Memory.n_cells

    @property
    def params(self) -> Floats:
        """The numbers as the vector that compiled code gets."""
        return np.array([getattr(self, field.name) for field in fields(self)], dtype=np.float64)

    def lore(self, game_map: GameMap, n_players: int) -> Ints:
        """Return what a planner knows about a map: see `planner_lore`."""
        return planner_lore(game_map, n_players)

    @property
    def chooser(self) -> Chooser:
        """The function that plays: `choose`."""
        return choose

    def decide(
        self, state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
    ) -> tuple[int, int]:
        """Return the action chosen."""
        return choose(state, tables, lore, seat, params, memory)


@dataclass(frozen=True, slots=True)
class Planner1(Planner):
    """
    `Planner` with the numbers that it had first: a player to measure others against, which stays as it is.

    Examples
    --------
    >>> Planner1().ticket_bar, isinstance(Planner1(), Planner)
    (14.0, True)
    """

    train_price: float = 1.2
    route_price: float = 1.2
    point_weight: float = 0.5
    tunnel_price: float = 1.0
    symbol_price: float = 0.7
    faith: float = 0.85
    late_price: float = 3.0
    cards_per_turn: float = 1.8
    trains_per_claim: float = 2.8
    extra_train_price: float = 0.7
    extra_bar: float = 1.0
    wanted_price: float = 1.5
    spare_price: float = 0.2
    locomotive_price: float = 1.5
    breadth: float = 0.1
    tunnel_odds: float = 0.6
    ticket_bar: float = 14.0
    ticket_trains: float = 10.0
    ticket_turns: float = 6.0
    token_spread: float = 10.0
    trail_weight: float = 0.3
    opening_bar: float = 1.0
    plan_bar: float = 0.5
    decline_bar: float = 4.0
    crowd_price: float = 0.0
    crowd_part: float = 0.6
    rush: float = 0.0
    denial: float = 0.0
    trail_step: float = 0.0
    trail_join: float = 0.0
    foresight: float = 0.0
    bonus_pull: float = 0.0
    seat_spread: float = 0.0
    care: float = 0.0
    late_cards: float = 0.0

    name: ClassVar[str] = "Planner1"

    @property
    def chooser(self) -> Chooser:
        """The function that plays: `choose`."""
        return choose
