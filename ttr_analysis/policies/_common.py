"""What built-in policies share: a choice from a view, the stream of a seat, and choices between few options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis._errors import GameError
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import BUILD_STATION, PASS, make_action
from ttr_analysis.engine.kernel.claims import n_station_forms, station_cards
from ttr_analysis.engine.kernel.turns import may_choose
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.protocol import CompiledPolicy as CompiledPolicy  # noqa: PLC0414 - a public name here
from ttr_analysis.engine.protocol import Policy as Policy  # noqa: PLC0414 - a public name here
from ttr_analysis.engine.state import SeatView
from ttr_analysis.rules.chance import KEY_SIZE, below, stream_from
from ttr_analysis.tables import Tables, game_tables

MEMORY_START: Final = KEY_SIZE
"""First cell of a policy's memory after its stream."""


class OneMove:
    """A policy made of one compiled function, asked for one move."""

    __slots__ = ()

    def choose(
        self: CompiledPolicy,
        view: SeatView,
        actions: Sequence[Action],  # noqa: ARG002
        rng: np.random.Generator,
    ) -> Action:
        """
        Return what the policy would do here.

        A view has no history: the policy looks at the game for the first
        time, so that a planner plans anew. In `Game.play` and in the compiled
        loop it remembers its plan, and may go on with it.

        Parameters
        ----------
        view
            What the seat can see; it acts now.
        actions
            Its legal actions. The policy knows them from the view, and does
            not look at these.
        rng
            Source of randomness; it gives four numbers.

        Raises
        ------
        GameError
            If the seat does not act now.

        Examples
        --------
        >>> import numpy as np
        >>> import ttr_analysis as ttr
        >>> game = ttr.Game(ttr.load_map("usa"))
        >>> state = game.play(["Greedy", "Greedy"], seed=7).state_at(12)
        >>> view, actions = game.view(state, state.acting), game.legal_actions(state)
        >>> str(ttr.policies.Greedy().choose(view, actions, np.random.default_rng(7)))
        'claim Atlanta-Raleigh (gray, 2) with 2 green'
        """
        return codec_of(view.game_map).decode(*first_choice(self, view, stream_from(rng)), view.packed)


def first_choice(policy: CompiledPolicy, view: SeatView, stream: Ints) -> tuple[int, int]:
    """Return code and value of what a policy does that has seen nothing of a game before, with a stream of its own."""
    return first_look(policy, view, stream)[0]


def first_look(policy: CompiledPolicy, view: SeatView, stream: Ints) -> tuple[tuple[int, int], Ints]:
    """Return code and value of what a policy does that has seen nothing of a game before, and what it remembers."""
    check_turn(view)
    tables = game_tables(view.game_map, view.n_players)
    memory = np.zeros(policy.memory_size, dtype=np.int64)
    memory[:KEY_SIZE] = stream
    lore = policy.lore(view.game_map, view.n_players)
    code, value = policy.decide(view.packed, tables, lore, view.seat, policy.params, memory)
    return (int(code), int(value)), memory


def check_turn(view: SeatView) -> None:
    """Raise a `GameError` if the seat of a view has nothing to decide."""
    if view.is_over:
        raise GameError("the game is over: there is nothing to choose")
    if view.acting != view.seat:
        raise GameError(
            f"this is what P{view.seat} sees, but P{view.acting} acts: give its view, or leave the seat out"
        )


@compiled
def random_number(memory: Ints, n: int) -> int:
    """Return a random number from 0 to n - 1, from the seat's own stream."""
    return below(memory[:KEY_SIZE], n)


@compiled
def neutral_track(state: State, tables: Tables, number: int) -> int:
    """Return a track that the neutral player may take: the first, or the second where there are two; -1 if none."""
    ticket = state.neutral_ticket
    a = tables.neutral_a[ticket]
    b = tables.neutral_b[ticket]
    if not may_choose(state, tables, a):
        a = b
        b = -1
    elif not may_choose(state, tables, b):
        b = -1
    if number == 0:
        return int(a)
    return int(b)


@compiled
def nth_free_city(state: State, number: int) -> int:
    """Return one of the cities without a station."""
    city = 0
    while number > 0 or state.station_at[city] > 0:
        number -= int(state.station_at[city] == 0)
        city += 1
    return city


@compiled
def station_or_pass(state: State, tables: Tables, seat: int) -> tuple[int, int]:
    """Return what a seat does that can neither draw nor claim: it must build a station if it can, else it passes."""
    if n_station_forms(state, tables, seat) == 0:
        return PASS, 0
    return make_action(BUILD_STATION, nth_free_city(state, 0)), station_cards(state, tables, seat, 0)
