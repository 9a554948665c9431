"""
What plays: the interfaces of a policy written in Python and of a compiled one, and the players of the package by name.

A player of one's own needs to be in no table: an object with a method `choose`
is played move by move, as is one with `decide`; a class with a `chooser` too is
played in the compiled loop, where those of the package differ from it in
one way: they are trusted to see what they may and to do what is legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, runtime_checkable

from ttr_analysis._arrays import Floats, Ints
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.view import SeatView
from ttr_analysis.maps.model import GameMap
from ttr_analysis.tables import Tables

if TYPE_CHECKING:
    import numpy as np

BUILT_IN: Final = {
    "Random": "ttr_analysis.policies.random",
    "Greedy": "ttr_analysis.policies.greedy",
    "Planner": "ttr_analysis.policies.planner.policy",
    "Searcher": "ttr_analysis.policies.search.searcher",
    "Planner1": "ttr_analysis.policies.planner.policy",
}
"""
The players of the package: the name of the class, and its module, imported when it plays.

The weakest come first, those of earlier versions last.
"""

FROZEN: Final = frozenset({"Planner1"})
"""Players of earlier versions, who stay as they are so that others can be measured against them."""

Chooser = Callable[[State, Tables, Ints, int, Floats, Ints], tuple[int, int]]
"""A compiled function that plays: see `CompiledPolicy.decide` for what it is given."""


@runtime_checkable
class Policy(Protocol):
    """
    A player: anything that chooses.

    In records it goes by its `name`, or by the name of its class if it has
    none.

    Examples
    --------
    A whole policy. It keeps the tickets that lose the least, claims what
    brings most points, but no short routes as long as it has many trains, and
    else draws the color of which it holds most.

    >>> import ttr_analysis as ttr
    >>> from ttr_analysis.cards import COLORS
    >>> from ttr_analysis.engine.actions import ClaimRoute, DrawFaceUp, KeepTickets
    >>> class Collector:
    ...     def choose(self, view, actions, rng):
    ...         keeps = [action for action in actions if isinstance(action, KeepTickets)]
    ...         if keeps:
    ...             return min(keeps, key=lambda keep: sum(ticket.penalty for ticket in keep.tickets))
    ...         shortest = 4 if view.trains[view.seat] > 10 else 1
    ...         claims = [a for a in actions if isinstance(a, ClaimRoute) and a.route.length >= shortest]
    ...         if claims:
    ...             return max(claims, key=lambda claim: (claim.route.points, -claim.payment.locomotives))
    ...         color = max(COLORS, key=lambda color: view.hand[color])
    ...         for action in actions:
    ...             if isinstance(action, DrawFaceUp) and view.market[action.slot] == color:
    ...                 return action
    ...         return actions[0]
    >>> record = ttr.Game(ttr.load_map("usa")).play([Collector(), Collector()], seed=7)
    >>> record.header.policies
    ('Collector', 'Collector')
    """

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        """
        Return what to do.

        Parameters
        ----------
        view
            What the seat can see.
        actions
            Its legal actions, at least one, in a fixed order: draws from the
            pile, then from the market, claims in the order of the map,
            tickets; ways to pay a surcharge, then to decline. Claims come
            once for each route and form of payment; any other choice of cards
            that is legal may be returned too.
        rng
            Random numbers of this seat in this game.
        """
        ...


@runtime_checkable
class CompiledPolicy(Protocol):
    """
    A player made of one compiled function, as `Random`, `Greedy` and `Planner` are.

    With a `chooser`, `play_games` and `simulate` play it as fast as those;
    with a method `decide` alone it is called from Python, move by move.

    It may look only at what `engine.view.redact` leaves of the state: on the
    state and on the view it must choose the same.

    Examples
    --------
    A player that does what comes first. Its method need not be compiled to be
    tried.

    >>> import numpy as np
    >>> import ttr_analysis as ttr
    >>> from ttr_analysis.engine.kernel.step import list_actions
    >>> class First:
    ...     name, params, memory_size = "First", np.zeros(1), 4
    ...     def lore(self, game_map, n_players):
    ...         return np.zeros(1, dtype=np.int64)
    ...     def decide(self, state, tables, lore, seat, params, memory):
    ...         actions = np.zeros((1, 2), dtype=np.int64)
    ...         list_actions(state, tables, actions)
    ...         return actions[0, 0], actions[0, 1]
    >>> record = ttr.Game(ttr.load_map("usa")).play([First(), First()], seed=7)
    >>> record.state_at(-1).ending
    'trains'
    """

    @property
    def name(self) -> str:
        """Its name in records."""
        ...

    @property
    def params(self) -> Floats:
        """Its parameters as a vector."""
        ...

    @property
    def memory_size(self) -> int:
        """Cells of its memory, at least 4: at the start of a game the random stream of the seat, then zeros."""
        ...

    def lore(self, game_map: GameMap, n_players: int) -> Ints:
        """Return what it wants to know of a map, as a vector."""
        ...

    def decide(
        self, state: State, tables: Tables, lore: Ints, seat: int, params: Floats, memory: Ints
    ) -> tuple[int, int]:
        """
        Return the code and value of a legal action: see `engine.codes`.

        Parameters
        ----------
        state, tables
            The game.
        lore
            What `lore` returned.
        seat
            The seat that acts.
        params
            The parameters.
        memory
            The memory of this seat in this game; changed as the policy likes.
        """
        ...


def policy_name(policy: object) -> str:
    """
    Return the name of a policy in records: its `name`, else that of its class.

    Examples
    --------
    >>> class Collector: ...
    >>> policy_name(Collector())
    'Collector'
    """
    name = getattr(policy, "name", None)
    return name if isinstance(name, str) else type(policy).__name__


PolicyLike: TypeAlias = Policy | CompiledPolicy | str
"""A policy, or the name of one of the package, in capitals or not."""


def find_policy(given: PolicyLike) -> Policy | CompiledPolicy:
    """
    Return a policy that is given as itself or by its name.

    Raises
    ------
    UnknownNameError
        If the package has none of that name.

    Examples
    --------
    >>> find_policy("greedy"), [find_policy(name) for name in BUILT_IN][0]
    (Greedy(), Random())
    """
    if not isinstance(given, str):
        return given
    name = next((name for name in BUILT_IN if name.lower() == given.strip().lower()), None)
    if name is None:
        raise UnknownNameError.among("policy", given, BUILT_IN)
    policy: Policy | CompiledPolicy = getattr(import_module(BUILT_IN[name]), name)()
    return policy


def find_policies(given: Iterable[PolicyLike]) -> list[Policy | CompiledPolicy]:
    """Return policies that are given as themselves or by their names."""
    return [find_policy(one) for one in given]


def is_built_in(policy: object) -> bool:
    """Return whether the package made a policy; a class that inherits from one of its own may play otherwise."""
    return BUILT_IN.get(type(policy).__name__) == type(policy).__module__
