"""
Observations and actions as numbers: a seat's view as a vector, your own encoders and a check for leaks, and masks.

The built-in encoder scales each feature to about 0 to 1, never below 0 or above
`HIGHEST`, and uses only what its seat may see. Seats are relative: "next 1" plays after
"me". `features` names each number. `engine.kernel.numbering` numbers the actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np

from ttr_analysis._compile import Flags, Ints, Singles, compiled
from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis.cards import CARD_KINDS, N_KINDS
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.kernel.cards import unseen_cards
from ttr_analysis.engine.kernel.numbering import code_of, fill_mask, index_of, numbering_of, words_of
from ttr_analysis.engine.kernel.scoring import goal_reached, label_cities
from ttr_analysis.engine.layout import AT_DISCARDS, KEEP_START, NOBODY, OVER, UNKNOWN_TICKET, Phase, State
from ttr_analysis.engine.state import PublicState, hide_secrets
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.record import Game
from ttr_analysis.tables import MAX_CITIES, Tables, game_tables

HIGHEST: Final = 16.0
"""Upper bound of all features."""

EncodeFunction = Callable[[State, Tables, Ints, int, Singles], None]
"""A compiled function of state, tables, lore and seat that fills in the features, initially 0."""


@dataclass(frozen=True)
class Encoder:
    """
    An encoder of observations.

    Parameters
    ----------
    function
        A compiled function with annotations. Its arguments are the packed state as the
        seat may see it (`engine.layout`), the tables of the map, `lore`, the seat, and a
        float32 array of zeros to fill in.
    names
        Returns the feature names, given a map and a number of players.
    lore
        Returns other data that the function needs, given the same arguments.

    Examples
    --------
    >>> from numpy.typing import NDArray
    >>> from ttr_analysis.engine.layout import State
    >>> from ttr_analysis.tables import Tables
    >>> @ttr.compiled
    ... def count_hand(
    ...     state: State, tables: Tables, lore: NDArray[np.int64], seat: int, out: NDArray[np.float32]
    ... ) -> None:
    ...     for kind in range(9):
    ...         out[kind] = state.hand[seat, kind]
    >>> ttr.envs.check_encoder(Encoder(count_hand, lambda game_map, n_players: CARD_KINDS), "nordic", n_states=20)
    """

    function: EncodeFunction
    names: Callable[[GameMap, int], Sequence[str]]
    lore: Callable[[GameMap, int], Ints] = lambda game_map, n_players: np.zeros(1, dtype=np.int64)  # noqa: ARG005


@cache
def guarded(function: EncodeFunction) -> EncodeFunction:
    """Return an encoder that sees only what its seat can see, given any state."""

    @compiled
    def encode_view(state: State, tables: Tables, lore: Ints, seat: int, out: Singles) -> None:
        view = State()
        view.cells[:] = state.cells
        hide_secrets(view, tables, seat)
        function(view, tables, lore, seat, out)

    return encode_view


# -- the built-in encoder ----------------------------------------------------------------------------------------------

_SEAT: Final = ("trains", "points", "cards", "tickets", "offered", "tokens", "loans", "stations")
_PER_SEAT: Final = len(_SEAT)
_CLOCK: Final = ("last round", "turns left", "draws taken", "cards in the pile", "tickets in the pile", "my turn")
_COUNT_SCALE: Final = 0.1
"""Scale of counts of cards, tickets and loans."""

# The sections of an observation, in order.
_PHASES_AT, _CLOCK_AT, _HAND_AT, _MARKET_AT, _DISCARDS_AT, _UNSEEN_AT = range(6)
_SEATS_AT, _KNOWN_AT, _ROUTES_AT, _OPEN_AT, _HELD_AT, _DONE_AT, _OFFER_AT = range(6, 13)
_TUNNEL_AT, _ATTEMPT_AT, _STATIONS_AT, _NEUTRAL_AT, _FACE_UP_AT = range(13, 18)


def _sections(game_map: GameMap, n_players: int) -> Iterator[Sequence[str]]:
    """Yield the names of the features, section by section."""
    rules = game_map.rules
    seats = ["me", *(f"next {i}" for i in range(1, n_players))]
    routes, tickets = [route.id for route in game_map.routes], [ticket.id for ticket in game_map.tickets]
    n_offer = max(int(game_tables(game_map, n_players).deck_deal.sum()), rules.tickets.draw)
    owners = [*seats, *(["neutral"] if rules.neutral.trains else [])]
    yield [f"phase: {phase.name}" for phase in Phase if phase != Phase.OVER]
    yield _CLOCK
    yield [f"hand: {kind}" for kind in CARD_KINDS]
    yield [f"slot {slot}: {kind}" for slot in range(rules.market.size) for kind in CARD_KINDS]
    yield [f"discards: {kind}" for kind in CARD_KINDS]
    yield [f"unseen: {kind}" for kind in CARD_KINDS]
    yield [f"{seat}: {what}" for seat in seats for what in _SEAT]
    yield [f"{seat}: at least {kind}" for seat in seats for kind in CARD_KINDS]
    yield [f"{route}: {owner}" for route in routes for owner in owners]
    yield [f"{route}: open to me" for route in routes]
    yield [f"{ticket}: mine" for ticket in tickets]
    yield [f"{ticket}: connected by me" for ticket in tickets]
    yield [f"offer {place}: {ticket}" for place in range(n_offer) for ticket in tickets]
    yield [f"{route}: attempted" for route in routes if game_map.rules.tunnel.revealed]
    yield [*(f"laid down: {kind}" for kind in CARD_KINDS), *(f"played: {kind}" for kind in CARD_KINDS), "surcharge"]
    yield [f"{city.name}: station of {seat}" for city in game_map.cities for seat in seats if rules.stations.number]
    yield [f"{ticket}: of the neutral player" for ticket in tickets if rules.neutral.trains] + (
        ["neutral player: in the game", "neutral player: trains", "neutral player: my choice"]
        if rules.neutral.trains
        else []
    )
    yield [f"{ticket}: face up" for ticket in tickets]


def _names(game_map: GameMap, n_players: int) -> tuple[str, ...]:
    return tuple(name for section in _sections(game_map, n_players) for name in section)


def _starts(game_map: GameMap, n_players: int) -> Ints:
    """Return the start of each section, and the end of the last one."""
    sizes = [len(section) for section in _sections(game_map, n_players)]
    return np.cumsum([0, *sizes], dtype=np.int64)


@compiled
def _encode(state: State, tables: Tables, lore: Ints, seat: int, out: Singles) -> None:
    if state.phase != OVER:
        out[lore[_PHASES_AT] + state.phase] = 1.0
    _encode_clock(state, tables, seat, out, lore[_CLOCK_AT])
    _encode_cards(state, tables, lore, seat, out)
    for other in range(tables.n_seats):
        relative = (other - seat + tables.n_seats) % tables.n_seats
        _encode_seat(state, tables, other, other == seat, out, lore[_SEATS_AT] + relative * _PER_SEAT)
        for kind in range(N_KINDS):
            out[lore[_KNOWN_AT] + relative * N_KINDS + kind] = _COUNT_SCALE * state.known[other, kind]
    _encode_board(state, tables, lore, seat, out)
    _encode_tickets(state, tables, lore, seat, out)
    if state.pending != NOBODY:
        out[lore[_TUNNEL_AT] + state.pending] = 1.0
        for kind in range(N_KINDS):
            out[lore[_ATTEMPT_AT] + kind] = _COUNT_SCALE * state.laid[kind]
        out[lore[_ATTEMPT_AT] + N_KINDS + state.pending_color] = 1.0
        out[lore[_ATTEMPT_AT] + 2 * N_KINDS] = _COUNT_SCALE * state.surcharge
    if tables.neutral_trains > 0:
        at = lore[_NEUTRAL_AT]
        if 0 <= state.neutral_ticket < tables.n_tickets:
            out[at + state.neutral_ticket] = 1.0
        at += tables.n_tickets
        out[at] = state.neutral_in
        out[at + 1] = state.trains[len(state.trains) - 1] / tables.neutral_trains
        out[at + 2] = int(state.marker == seat)


@compiled
def _encode_clock(state: State, tables: Tables, seat: int, out: Singles, at: int) -> None:
    is_last = state.last_left != NOBODY
    # The number of tickets under the pile is hidden while opening tickets are chosen.
    n_tickets = state.n_ticket_pile + (0 if state.phase == KEEP_START else state.n_queued)
    out[at] = int(is_last)
    out[at + 1] = state.last_left / (tables.n_seats * tables.last_turns) if is_last else 1.0
    out[at + 2] = state.n_taken
    out[at + 3] = _COUNT_SCALE * _COUNT_SCALE * state.n_pile
    out[at + 4] = n_tickets / tables.n_tickets
    out[at + 5] = int(state.turn_seat == seat)


@compiled
def _encode_cards(state: State, tables: Tables, lore: Ints, seat: int, out: Singles) -> None:
    for kind in range(N_KINDS):
        out[lore[_HAND_AT] + kind] = _COUNT_SCALE * state.hand[seat, kind]
        out[lore[_DISCARDS_AT] + kind] = _COUNT_SCALE * state.discards[kind]
        out[lore[_UNSEEN_AT] + kind] = _COUNT_SCALE * unseen_cards(state, seat, kind)
    for slot in range(tables.market_size):
        if 0 <= state.market[slot] < N_KINDS:
            out[lore[_MARKET_AT] + slot * N_KINDS + state.market[slot]] = 1.0


@compiled
def _encode_seat(state: State, tables: Tables, seat: int, is_me: bool, out: Singles, at: int) -> None:
    out[at] = state.trains[seat] / tables.trains_each
    out[at + 1] = min(HIGHEST, max(0.0, 0.01 * state.score[seat]))
    out[at + 2] = min(HIGHEST, _COUNT_SCALE * state.n_hand[seat])
    if is_me or state.phase != KEEP_START:  # the number of opening tickets that others keep is hidden at first
        out[at + 3] = _COUNT_SCALE * state.n_held[seat]
        out[at + 4] = _COUNT_SCALE * state.n_offer[seat]
    if tables.tokens_each > 0:
        out[at + 5] = min(HIGHEST, state.tokens[seat] / tables.tokens_each)
        out[at + 6] = min(HIGHEST, _COUNT_SCALE * state.loans[seat])
    if tables.stations_each > 0:
        out[at + 7] = state.stations[seat] / tables.stations_each


@compiled
def _encode_board(state: State, tables: Tables, lore: Ints, seat: int, out: Singles) -> None:
    n_seats = tables.n_seats
    n_owners = n_seats + int(tables.neutral_trains > 0)
    is_open = out[lore[_OPEN_AT] : lore[_OPEN_AT + 1]]
    is_open.fill(1.0)
    for i in range(state.n_claims):
        route = state.claimed[i]
        owner = state.owner[route]
        relative = (owner - seat + n_seats) % n_seats if owner < n_seats else n_seats
        out[lore[_ROUTES_AT] + route * n_owners + relative] = 1.0
        is_open[route] = 0.0
        twin = tables.twin[route]
        if twin >= 0 and (owner == seat or not tables.both_open):
            is_open[twin] = 0.0
    if tables.stations_each > 0:
        for city in range(tables.n_cities):
            if state.station_at[city] > 0:
                relative = (state.station_at[city] - 1 - seat + n_seats) % n_seats
                out[lore[_STATIONS_AT] + city * n_seats + relative] = 1.0


@compiled
def _encode_tickets(state: State, tables: Tables, lore: Ints, seat: int, out: Singles) -> None:
    label = np.empty(MAX_CITIES, dtype=np.int64)
    label_cities(state, tables, seat, label)
    for i in range(state.n_held[seat]):
        ticket = state.held[seat, i]
        if ticket != UNKNOWN_TICKET:
            out[lore[_HELD_AT] + ticket] = 1.0
            out[lore[_DONE_AT] + ticket] = int(goal_reached(tables, ticket, label) >= 0)
    for i in range(state.n_offer[seat]):
        ticket = state.offer[seat, i]
        if ticket != UNKNOWN_TICKET:
            out[lore[_OFFER_AT] + i * tables.n_tickets + ticket] = 1.0
            out[lore[_DONE_AT] + ticket] = int(goal_reached(tables, ticket, label) >= 0)
    if state.phase != KEEP_START and state.n_ticket_discards > 0:
        for ticket in range(tables.n_tickets):
            out[lore[_FACE_UP_AT] + ticket] = int(state.ticket_at[ticket] == AT_DISCARDS)


BUILT_IN: Final = Encoder(_encode, _names, _starts)
"""The built-in encoder."""


def features(game_map: MapLike, n_players: int = 2) -> tuple[str, ...]:
    """
    Return the feature names of the built-in encoder.

    Parameters
    ----------
    game_map
        The map, in the variant that is played.

    Examples
    --------
    >>> names = features("usa")
    >>> len(names), names[11], names[-1]
    (717, 'my turn', 'Winnipeg-Little Rock: face up')
    """
    return _names(as_map(game_map), n_players)


def observe(state: PublicState) -> Singles:
    """
    Return the acting seat's observation by the built-in encoder.

    Parameters
    ----------
    state
        A state, or the acting seat's view.

    Examples
    --------
    >>> game = ttr.Game("usa")
    >>> state = game.new(seed=7)
    >>> seen = observe(state)
    >>> len(seen) == len(features("usa")), np.array_equal(seen, observe(game.view(state, state.acting)))
    (True, True)
    """
    game_map, n_players, seat = state.game_map, state.n_players, int(state.packed.seat)
    lore = BUILT_IN.lore(game_map, n_players)
    out = np.zeros(lore[-1], dtype=np.float32)
    _encode(state.packed, game_tables(game_map, n_players), lore, seat, out)
    return out


# -- leaks -------------------------------------------------------------------------------------------------------------


def check_encoder(
    encoder: Encoder | None = None,
    game_map: MapLike = "nordic",
    n_players: int = 2,
    *,
    n_states: int = 1_000,
    seed: int = 0,
) -> None:
    """
    Raise a `GameError` if a seat's features depend on hidden information.

    Random games are played. In each state, everything hidden from a seat is blanked, and
    then dealt again according to the seat's beliefs; neither may change a feature.

    Parameters
    ----------
    encoder
        The encoder; None for the built-in one.
    game_map
        The map, in the variant that is played.
    n_states
        Number of states to check, each for one seat; a check takes a few milliseconds.

    Raises
    ------
    GameError
        If a feature changes; the message names the first one.

    Examples
    --------
    >>> ttr.envs.check_encoder(n_states=20)
    """
    encoder = encoder or BUILT_IN
    game, rng = Game(game_map, n_players), np.random.default_rng(seed)
    names = encoder.names(game.game_map, n_players)
    lore, tables = encoder.lore(game.game_map, n_players), game_tables(game.game_map, n_players)
    n_left, number = n_states, 0
    while n_left > 0:
        states = game.play(["Random"] * n_players, seed, number).states()
        for at, state in enumerate(states):
            seat = int(rng.integers(n_players))
            view = game.view(state, seat)
            others = [view.packed, *(world.packed for world in view.worlds(int(not state.is_over), rng))]
            for which, packed in zip(("state", "blank", "deal"), (state.packed, *others), strict=False):
                out = np.zeros(len(names), dtype=np.float32)
                encoder.function(packed, tables, lore, seat, out)
                if which == "state":
                    seen = out
                elif changed := np.flatnonzero(seen != out).tolist():
                    raise GameError(
                        f"feature {changed[0]} ({names[changed[0]]}) depends on what P{seat} cannot see: it is "
                        f"{seen[changed[0]]:g}, and {out[changed[0]]:g} with hidden information "
                        f"{'blanked' if which == 'blank' else 'dealt again'}, in game {number} after {at} moves"
                    )
            n_left -= 1
            if n_left == 0:
                return
        number += 1


# -- actions as numbers ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _kernel(game_map: GameMap, n_players: int) -> KernelGame:
    return KernelGame(game_map, n_players)


def action_words(game_map: MapLike) -> tuple[str, ...]:
    """
    Return the meaning of each action number on a map, in words.

    Parameters
    ----------
    game_map
        The map, in the variant that is played.

    Examples
    --------
    >>> words = action_words("nordic")
    >>> len(words)
    377
    >>> words[0], words[4], words[-2]
    ('draw a card from the pile', 'take the card in market slot 3', 'claim Umeå-Vaasa (gray, 1) with sets alone')
    """
    return words_of(as_map(game_map))


def action_mask(state: PublicState) -> Flags:
    """
    Return 1 for each legal action of the acting seat, else 0.

    Parameters
    ----------
    state
        A state, or the acting seat's view.

    Examples
    --------
    >>> state = ttr.Game("usa").new(seed=7)
    >>> words = action_words("usa")
    >>> [words[i] for i in np.flatnonzero(action_mask(state))][:2]
    ['keep tickets 0 and 1 of the offer', 'keep tickets 0 and 2 of the offer']
    """
    numbers, kernel = numbering_of(state.game_map), _kernel(state.game_map, state.n_players)
    mask = np.zeros(len(numbers.rows), dtype=np.int8)
    fill_mask(state.packed, kernel.tables, numbers, mask)
    return mask


def to_action(index: int, state: PublicState) -> Action:
    """
    Return an action by number.

    Parameters
    ----------
    state
        A state, or the acting seat's view.

    Raises
    ------
    IllegalActionError
        If there is no such number, or the action is illegal for the acting seat.

    Examples
    --------
    >>> state = ttr.Game("usa").new(seed=7)
    >>> print(to_action(int(np.flatnonzero(action_mask(state))[0]), state))
    keep Sault Ste. Marie to Nashville 8; Calgary to Salt Lake City 7
    """
    kernel, words = _kernel(state.game_map, state.n_players), words_of(state.game_map)
    if not 0 <= index < len(words):
        raise IllegalActionError(f"action numbers range from 0 to {len(words) - 1}, got {index}")
    code, value = map(int, code_of(state.packed, kernel.tables, numbering_of(state.game_map), index))
    if code < 0:
        raise IllegalActionError(f"P{state.acting} may not do this now: {words[index]} (action {index})")
    return kernel.codec.decode(code, value, state.packed)


def to_index(action: Action, state: PublicState) -> int:
    """
    Return the number of a legal action; the cards in its sets do not matter.

    Parameters
    ----------
    action
        A legal action of the acting seat.
    state
        A state, or the acting seat's view.

    Raises
    ------
    IllegalActionError
        If the action is illegal, or lays down no known cards (`AttemptTunnel`), since it
        then has no number.

    Examples
    --------
    >>> state = ttr.Game("usa").new(seed=7)
    >>> action = ttr.Game("usa").legal_actions(state)[0]
    >>> to_action(to_index(action, state), state) == action
    True
    """
    kernel, packed = _kernel(state.game_map, state.n_players), state.packed
    code, value = kernel.encode(packed, action)
    index = int(index_of(packed, kernel.tables, numbering_of(state.game_map), code, value))
    if index < 0:
        raise IllegalActionError(f"there is no number for: {action}")
    return index
