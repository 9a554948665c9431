"""Choose the track that the neutral player takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.engine.actions.handler import Handler, MapIndex, Refused, add_row
from ttr_analysis.engine.codes import CHOOSE_NEUTRAL, NONE, ActionFault, make_action
from ttr_analysis.engine.kernel.claims import mark_owner
from ttr_analysis.engine.kernel.turns import go_on, may_choose
from ttr_analysis.engine.layout import NEUTRAL, NEUTRAL_OWNER, State
from ttr_analysis.maps.model import Route
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class ChooseNeutralRoute:
    """
    Choose the track that the neutral player takes.

    Parameters
    ----------
    route
        One of the two tracks between the cities of its ticket.
    """

    route: Route

    def __str__(self) -> str:
        return f"give {self.route} to the neutral player"


@compiled
def fault(state: State, tables: Tables, seat: int, route: int, value: int) -> int:
    """Return why the neutral player cannot take a track."""
    ticket = state.neutral_ticket
    if route < 0 or route not in (tables.neutral_a[ticket], tables.neutral_b[ticket]):
        return ActionFault.NEUTRAL_ROUTE
    return NONE if may_choose(state, tables, route) else ActionFault.NEUTRAL_ROUTE


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List the tracks of the ticket that the neutral player can take."""
    ticket = state.neutral_ticket
    for route in (tables.neutral_a[ticket], tables.neutral_b[ticket]):
        if may_choose(state, tables, route):
            n = add_row(out, n, make_action(CHOOSE_NEUTRAL, route), 0)
    return n


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, route: int, value: int) -> None:
    """Let the neutral player take the track; the marker goes on."""
    mark_owner(state, tables, NEUTRAL_OWNER, route)
    state.marker = (state.marker + 1) % tables.n_seats
    go_on(state)


def _encode(index: MapIndex, action: ChooseNeutralRoute, _state: State) -> tuple[int, int]:
    return index.route_index(action.route), 0


def _decode(index: MapIndex, route: int, _value: int, _state: State) -> ChooseNeutralRoute:
    return ChooseNeutralRoute(index.game_map.routes[route])


def _neutral_route(refused: Refused) -> str:
    ticket = int(refused.state.neutral_ticket)
    tracks = (int(refused.tables.neutral_a[ticket]), int(refused.tables.neutral_b[ticket]))
    free = [str(refused.game_map.routes[i]) for i in tracks if may_choose(refused.state, refused.tables, i)]
    n_routes = len(refused.game_map.routes)
    got = str(refused.route) if 0 <= refused.number < n_routes else "no route of the map"
    return f"the neutral player takes {' or '.join(free)} now, got {got}"


HANDLER: Final = Handler(
    kind=CHOOSE_NEUTRAL,
    name="choose_neutral_route",
    action=ChooseNeutralRoute,
    phases=(NEUTRAL,),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="choose a track for the neutral player",
    encode=_encode,
    decode=_decode,
    keys=("route",),
    faults={ActionFault.NEUTRAL_ROUTE: _neutral_route},
)
