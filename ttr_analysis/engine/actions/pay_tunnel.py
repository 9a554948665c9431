"""Pay the surcharge of a tunnel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis._words import counted
from ttr_analysis.cards import COLORS, LOCOMOTIVE_INDEX, N_COLORS, N_KINDS, CardCounts
from ttr_analysis.engine.actions.handler import Handler, MapIndex, Refused, add_row, missing_cards
from ttr_analysis.engine.codes import NONE, PAY_TUNNEL, ActionFault, pack_single, packed, unpack_cards, unpacked
from ttr_analysis.engine.kernel.cards import discard, play_cards
from ttr_analysis.engine.kernel.claims import holds, take_route
from ttr_analysis.engine.kernel.turns import end_turn
from ttr_analysis.engine.layout import TUNNEL_PHASE, State
from ttr_analysis.rules.tunnel import pays_surcharge, spare_cards
from ttr_analysis.tables import Tables


@dataclass(frozen=True, slots=True)
class PayTunnel:
    """
    Pay the surcharge of a tunnel.

    Parameters
    ----------
    cards
        Exactly the cards that it demands.
    """

    cards: CardCounts

    def __str__(self) -> str:
        return f"pay {self.cards} more for the tunnel"


@compiled
def fault(state: State, tables: Tables, seat: int, argument: int, value: int) -> int:
    """Return why these cards do not pay the surcharge."""
    cards = np.zeros(N_KINDS, dtype=np.int64)
    unpack_cards(value, cards)
    if not holds(state, seat, cards):
        return ActionFault.CARDS
    jokers = tables.jokers[state.pending]
    return NONE if pays_surcharge(cards, state.pending_color, jokers, state.surcharge) else ActionFault.SURCHARGE


@compiled
def list_legal(state: State, tables: Tables, seat: int, out: Ints, n: int) -> int:
    """List the ways to pay, most cards of the color first."""
    for number in range(n_surcharges(state, tables, seat)):
        n = add_row(out, n, PAY_TUNNEL, surcharge_cards(state, seat, number))
    return n


@compiled
def apply(state: State, tables: Tables, tape: Ints, seat: int, argument: int, value: int) -> None:
    """Pay what the tunnel demands, and take it."""
    cards = state.paid
    unpack_cards(value, cards)
    play_cards(state, seat, cards)
    discard(state, tables, tape, cards)
    take_route(state, tables, tape, seat, state.pending)
    end_turn(state, tables, tape)


# -- ways to pay, which policies ask for too -------------------------------------


@compiled
def can_pay_surcharge(state: State, tables: Tables) -> bool:
    """Return whether the seat that acts holds what its tunnel demands."""
    hand = state.hand[state.seat]
    jokers = tables.jokers[state.pending]
    return bool(spare_cards(hand, state.pending_color, jokers) >= state.surcharge)


@compiled
def n_surcharges(state: State, tables: Tables, seat: int) -> int:
    """Return in how many ways a seat can pay the surcharge of its tunnel: mixes of the color and locomotives."""
    own = _most_own(state, seat)
    surcharge = state.surcharge
    only_locomotives = state.pending_color == LOCOMOTIVE_INDEX
    jokers = tables.jokers[state.pending] or only_locomotives
    locomotives = state.hand[seat, LOCOMOTIVE_INDEX] if jokers else 0
    return int(max(0, own - max(0, surcharge - locomotives) + 1))


@compiled
def surcharge_cards(state: State, seat: int, number: int) -> int:
    """Return the packed cards of one way to pay the surcharge, most cards of the color first."""
    own = _most_own(state, seat) - number
    return pack_single(state.pending_color, own, state.surcharge - own)


@compiled
def _most_own(state: State, seat: int) -> int:
    """Return how many cards of the color played a seat can pay of its surcharge."""
    color = state.pending_color
    if color == LOCOMOTIVE_INDEX:
        return 0
    return int(min(state.hand[seat, color], state.surcharge))


# -- as an object, and in words --------------------------------------------------


def _encode(_index: MapIndex, action: PayTunnel, _state: State) -> tuple[int, int]:
    return 0, packed(action.cards)


def _decode(_index: MapIndex, _argument: int, value: int, _state: State) -> PayTunnel:
    return PayTunnel(unpacked(value))


def _surcharge(refused: Refused) -> str:
    color = int(refused.state.pending_color)
    if color == N_COLORS:
        wanted = "locomotives"
    else:
        jokers = refused.tables.jokers[int(refused.state.pending)]
        wanted = f"{COLORS[color]} or locomotives" if jokers else COLORS[color]
    return f"the tunnel demands {counted(int(refused.state.surcharge), 'more card')} ({wanted}), got {refused.cards}"


HANDLER: Final = Handler(
    kind=PAY_TUNNEL,
    name="pay_tunnel",
    action=PayTunnel,
    phases=(TUNNEL_PHASE,),
    fault=fault,
    list_legal=list_legal,
    apply=apply,
    verb="pay for a tunnel",
    encode=_encode,
    decode=_decode,
    keys=("cards",),
    faults={ActionFault.CARDS: missing_cards, ActionFault.SURCHARGE: _surcharge},
)
