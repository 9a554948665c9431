"""Why an action is illegal, in words with names and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from ttr_analysis.analysis import payments
from ttr_analysis.cards import CARD_KINDS, COLORS, N_COLORS, CardCounts
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import unpacked
from ttr_analysis.engine.codes import argument_of, kind_of
from ttr_analysis.engine.kernel.legal import ActionFault, fewest_kept
from ttr_analysis.engine.kernel.neutral import may_choose
from ttr_analysis.engine.layout import NEUTRAL_OWNER, Phase, State
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.tables.games import Tables

_DUE: Final = {
    Phase.KEEP_START: "choose its opening tickets",
    Phase.TURN: "take its turn",
    Phase.SECOND_DRAW: "draw a further card",
    Phase.TUNNEL: "pay the surcharge or take its cards back",
    Phase.KEEP: "choose which tickets to keep",
    Phase.NEUTRAL: "choose a track for the neutral player",
}

_VERBS: Final = {
    codes.DRAW_CARD: "draw a card",
    codes.DRAW_FACE_UP: "take a face-up card",
    codes.CLAIM_ROUTE: "claim a route",
    codes.PAY_TUNNEL: "pay for a tunnel",
    codes.DECLINE_TUNNEL: "decline a tunnel",
    codes.DRAW_TICKETS: "draw tickets",
    codes.KEEP_TICKETS: "keep tickets",
    codes.CHOOSE_NEUTRAL: "choose a track for the neutral player",
    codes.PASS: "pass",
}


class Refused(NamedTuple):
    """
    An action that the rules refuse.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    tables
        The map, its rules and the number of players.
    state
        The packed state.
    code, value
        The action: see `engine.codes`.
    """

    game_map: GameMap
    tables: Tables
    state: State
    code: int
    value: int

    @property
    def seat(self) -> int:
        """The seat that acts."""
        return int(self.state.seat)

    @property
    def number(self) -> int:
        """The slot or route."""
        return argument_of(self.code)

    @property
    def route(self) -> Route:
        """The route."""
        return self.game_map.routes[self.number]

    @property
    def cards(self) -> CardCounts:
        """The cards laid down or paid."""
        return unpacked(self.value)


def explain(fault: ActionFault, refused: Refused) -> str:
    """
    Return the reason for which an action is illegal.

    Parameters
    ----------
    fault
        What `action_fault` says; not `NONE`.
    refused
        The action and the game.
    """
    return _TEXTS[fault](refused)


def owner_name(owner: int) -> str:
    """
    Return how messages call the owner of a route.

    Examples
    --------
    >>> owner_name(1), owner_name(NEUTRAL_OWNER)
    ('P1', 'the neutral player')
    """
    return "the neutral player" if owner == NEUTRAL_OWNER else f"P{owner}"


def _phase(refused: Refused) -> str:
    due = _DUE[Phase(int(refused.state.phase))]
    return f"P{refused.seat} must {due} now; it cannot {_VERBS.get(kind_of(refused.code), 'do that')}"


def _slot(refused: Refused) -> str:
    return f"there is no market slot {refused.number}: they are 0 to {int(refused.tables.market_size) - 1}"


def _taken(refused: Refused) -> str:
    return f"{refused.route} is taken by {owner_name(int(refused.state.owner[refused.number]))}"


def _twin_closed(refused: Refused) -> str:
    twin = int(refused.tables.twin[refused.number])
    owner = owner_name(int(refused.state.owner[twin]))
    n = int(refused.tables.n_seats)
    return f"{owner} has the other track of {refused.route}, which closes this one with {n} players"


def _trains(refused: Refused) -> str:
    trains = int(refused.state.trains[refused.seat])
    length = int(refused.tables.length[refused.number])
    return f"P{refused.seat} has {_n(trains, 'train')}, {refused.route} wants {length}"


def _cards(refused: Refused) -> str:
    hand = refused.state.hand[refused.seat].tolist()
    counts = zip(CARD_KINDS, hand, refused.cards, strict=True)
    return f"P{refused.seat} holds {', '.join(f'{held} of the {n} {kind}' for kind, held, n in counts if n > held)}"


def _payment(refused: Refused) -> str:
    return payments.why_illegal(refused.route, refused.cards) or "the cards do not pay for the route"


def _loans(refused: Refused) -> str:
    tokens = int(refused.state.tokens[refused.seat])
    toll = int(refused.tables.toll[refused.number])
    return f"P{refused.seat} has tokens worth {tokens}, {refused.route} has a toll of {toll}, and no loan is left"


def _surcharge(refused: Refused) -> str:
    color = int(refused.state.pending_color)
    if color == N_COLORS:
        wanted = "locomotives"
    else:
        jokers = refused.tables.jokers[int(refused.state.pending)]
        wanted = f"{COLORS[color]} or locomotives" if jokers else COLORS[color]
    return f"the tunnel demands {_n(int(refused.state.surcharge), 'more card')} ({wanted}), got {refused.cards}"


def _keep_few(refused: Refused) -> str:
    fewest = int(fewest_kept(refused.state, refused.tables, refused.seat))
    return f"P{refused.seat} must keep at least {_n(fewest, 'ticket')}, got {refused.value.bit_count()}"


def _neutral_route(refused: Refused) -> str:
    ticket = int(refused.state.neutral_ticket)
    tracks = (int(refused.tables.neutral_a[ticket]), int(refused.tables.neutral_b[ticket]))
    free = [str(refused.game_map.routes[i]) for i in tracks if may_choose(refused.state, refused.tables, i)]
    n_routes = len(refused.game_map.routes)
    got = str(refused.route) if 0 <= refused.number < n_routes else "no route of the map"
    return f"the neutral player takes {' or '.join(free)} now, got {got}"


def _n(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


_TEXTS: Final[dict[ActionFault, Callable[[Refused], str]]] = {
    ActionFault.OVER: lambda _: "the game is over",
    ActionFault.PHASE: _phase,
    ActionFault.NO_CARDS: lambda _: "draw pile and discard pile are empty",
    ActionFault.SLOT: _slot,
    ActionFault.EMPTY_SLOT: lambda refused: f"no card lies in market slot {refused.number}",
    ActionFault.SECOND_LOCOMOTIVE: lambda _: "a face-up locomotive may not be a later card of a turn",
    ActionFault.MARKET_CLOSED: lambda _: "draw pile and discard pile are empty; face-up cards may then not be taken",
    ActionFault.ROUTE: lambda refused: f"{refused.game_map.title} has no route number {refused.number}",
    ActionFault.TAKEN: _taken,
    ActionFault.TWIN_OWN: lambda refused: f"P{refused.seat} has the other track of {refused.route}",
    ActionFault.TWIN_CLOSED: _twin_closed,
    ActionFault.TRAINS: _trains,
    ActionFault.CARDS: _cards,
    ActionFault.PAYMENT: _payment,
    ActionFault.LOANS: _loans,
    ActionFault.SURCHARGE: _surcharge,
    ActionFault.NO_TICKETS: lambda _: "no ticket is left",
    ActionFault.KEEP_FEW: _keep_few,
    ActionFault.KEEP_OTHER: lambda _: "a ticket is kept that is not offered",
    ActionFault.NEUTRAL_ROUTE: _neutral_route,
    ActionFault.NOT_STUCK: lambda refused: f"P{refused.seat} can do something else; who can may not pass",
}
