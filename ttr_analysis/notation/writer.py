"""Write the events of a game in notation: see `notation`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ttr_analysis.analysis import payments
from ttr_analysis.analysis.payments.model import Payment, split
from ttr_analysis.cards import CARD_KINDS, N_KINDS, CardCounts
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import BuildStation
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.layout import NOBODY, UNKNOWN_CARD, UNKNOWN_TICKET, Phase, State
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.notation.lexer import names_of
from ttr_analysis.records.entries import SHOWN, Entry, card_text, entry_text
from ttr_analysis.records.positions import UNKNOWN, ticket_name
from ttr_analysis.records.replay import Timeline

_MID_TURN = (Phase.SECOND_DRAW, Phase.TUNNEL, Phase.KEEP)
"""Phases in which a turn continues."""


# -- claims --------------------------------------------------------------------------------------------------------


def packed_cards(cards: CardCounts) -> int:
    """Return cards as one packed number for the kernel, with each count capped at a number that nobody can hold."""
    return codes.packed(CardCounts(tuple(min(count, codes.MOST_OF_A_KIND) for count in cards.counts)))


def claim_code(packed: KernelGame, route: Route, laid: CardCounts) -> tuple[int, int]:
    """Return the code and value of a claim."""
    return codes.make_action(codes.CLAIM_ROUTE, packed.codec.route_index(route)), packed_cards(laid)


def pays(route: Route, laid: CardCounts) -> bool:
    """Return whether cards pay for a route, regardless of who holds them."""
    return payments.why_illegal(route, laid) is None


def meant_tracks(packed: KernelGame, vector: State, tracks: Sequence[Route], laid: CardCounts) -> list[Route]:
    """Return the legal tracks that a claim without a track may mean; of equal tracks, only the first."""
    legal = [route for route in tracks if packed.why_illegal(vector, *claim_code(packed, route, laid)) is None]
    alike = {(r.color, r.length, r.tunnel, r.locomotives, r.toll, r.points) for r in legal}
    return legal[:1] if len(alike) == 1 else legal


# -- items ----------------------------------------------------------------------


def cards_text(cards: CardCounts) -> str:
    """
    Return cards in notation.

    >>> cards_text(CardCounts.of(blue=4, locomotive=1))
    'blue 4, locomotive 1'
    """
    return ", ".join(f"{kind} {n}" for kind, n in cards.as_dict().items())


def payment_text(payment: Payment) -> str:
    """
    Return a payment in notation.

    >>> payment_text(Payment("white", 7, 0, CardCounts.of(red=5, black=3)))
    'white 7, sets black 3, red 5'
    """
    single = [f"{payment.color} {payment.own}"] if payment.color else []
    if payment.locomotives:
        single.append(f"locomotive {payment.locomotives}")
    if payment.sets.n_cards:
        single.append(f"sets {cards_text(payment.sets)}")
    return ", ".join(single)


def _cards(entries: Iterable[Entry]) -> str:
    return ", ".join(map(card_text, entries))


def _tickets(numbers: Sequence[int], game_map: GameMap) -> str:
    """Return the ids of tickets, or their number if all are unknown."""
    if all(number == UNKNOWN_TICKET for number in numbers):
        return str(len(numbers))
    return ", ".join(ticket_name(number, game_map) for number in numbers)


# -- moves and steps ------------------------------------------------------------


def _move_text(packed: KernelGame, vector: State, move: Entry, outcomes: Sequence[Entry]) -> str:
    """Return a move with cards drawn and tickets offered, but without other outcomes."""
    game_map, offered = packed.game_map, [entry.value for entry in outcomes if entry.kind == codes.TICKET_OFFERED]
    writers: dict[int, Callable[[], str]] = {
        codes.DRAW_CARD: lambda: _words("draw", _cards(e for e in outcomes if e.kind == codes.CARD_DRAWN)),
        codes.DRAW_FACE_UP: lambda: f"take {take_text(vector, move.argument, move.value)}",
        codes.CLAIM_ROUTE: lambda: claim_text(packed, vector, game_map.routes[move.argument], move.value),
        codes.ATTEMPT_TUNNEL: lambda: (
            f"attempt {game_map.routes[move.argument].id} {next(iter(codes.unpacked(move.value).as_dict()))}"
        ),
        codes.PAY_TUNNEL: lambda: f"pays {cards_text(codes.unpacked(move.value))}",
        codes.DECLINE_TUNNEL: lambda: "declines",
        codes.DRAW_TICKETS: lambda: _words("tickets", _tickets(offered, game_map) if outcomes else ""),
        codes.KEEP_TICKETS: lambda: f"keep {_tickets(move.tickets, game_map)}",
        codes.CHOOSE_NEUTRAL: lambda: f"neutral takes {game_map.routes[move.argument].id}",
        codes.BUILD_STATION: lambda: _station_text(packed, vector, move),
        codes.PASS: lambda: "pass",
        SHOWN: lambda: f"shows {_tickets(move.tickets, game_map)}",
    }
    return writers[move.kind]()


def _words(verb: str, items: str) -> str:
    return f"{verb} {items}" if items else verb


def face_up_text(kind: int) -> str:
    """Return a slot of the market: a card, "?" or "nothing"."""
    if kind == NOBODY:
        return "nothing"
    return CARD_KINDS[kind] if kind < N_KINDS else UNKNOWN


def take_text(vector: State, slot: int, taken: int = 0) -> str:
    """
    Return a card in the market, with its slot only if needed.

    `taken` is its kind + 1 if it was unknown before, else 0.
    """
    kind = taken - 1 if taken else int(vector.market[slot])
    return CARD_KINDS[kind] + (f"/{slot}" if meant_slots(vector, kind)[0] != slot else "")


def meant_slots(vector: State, kind: int) -> list[int]:
    """
    Return the slots from which a card may be taken, starting with the default one.

    Slots with such a card come first, then unknown ones; among these, those filled since
    the last shuffle come first, which leaves older ones open.
    """
    market = vector.market.tolist()
    unknown = sorted((lying, slot) for slot, lying in enumerate(market) if lying >= N_KINDS)
    return [*(slot for slot, lying in enumerate(market) if lying == kind), *(slot for _, slot in unknown)]


def claim_text(packed: KernelGame, vector: State, route: Route, value: int) -> str:
    """Return a claim, with its track only if needed."""
    laid = codes.unpacked(value)
    a, b = route.cities
    tracks = names_of(packed.game_map).routes.thing(f"{a}-{b}")
    name = f"{a}-{b}" if meant_tracks(packed, vector, tracks, laid) == [route] else route.id
    return f"{name} {payment_text(split(route, laid.counts))}"


def _station_text(packed: KernelGame, vector: State, move: Entry) -> str:
    built = packed.codec.decode(move.code, move.value, vector)
    assert isinstance(built, BuildStation)  # noqa: S101 - by the kind of the move
    return f"station {built.city.name} {payment_text(built.payment)}"


def part_text(packed: KernelGame, vector: State, entries: Sequence[Entry]) -> str:
    """Return a step after the setup, a move with its outcomes, as a part of a line."""
    move, *outcomes = entries
    text = _move_text(packed, vector, move, outcomes)
    revealed = [entry for entry in outcomes if entry.kind == codes.CARD_REVEALED]
    market = [entry for entry in outcomes if entry.kind == codes.MARKET_CARD]
    neutral = [packed.game_map.tickets[e.value].id for e in outcomes if e.kind == codes.NEUTRAL_TICKET]
    if revealed:
        text += f" reveals {_cards(revealed)}"
    if market:
        text += f" -> {_cards(market)}"
    if neutral:
        text += f" neutral ticket {', '.join(neutral)}"
    return text


def setup_lines(entries: Sequence[Entry], game_map: GameMap) -> Iterator[tuple[str, int]]:
    """Yield the lines of the setup as far as known, each with the number of events up to its end."""
    groups: list[list[Entry]] = []
    for entry in entries:
        begins = not groups or groups[-1][0][:2] != entry[:2]
        if begins and (entry.kind != codes.SHUFFLED or not groups):
            groups.append([])
        groups[-1].append(entry)
    end = 0
    for group in groups:
        end += len(group)
        yield _setup_line(group, game_map), end


def _setup_line(entries: Sequence[Entry], game_map: GameMap) -> str:
    """Return the line for a seat's hand or tickets, or the market."""
    first, outcomes = entries[0], [entry for entry in entries if entry.kind != codes.SHUFFLED]
    if first.kind == codes.TICKET_OFFERED:
        return f"P{first.seat}: tickets {_tickets([entry.value for entry in outcomes], game_map)}"
    if first.kind == codes.CARD_DEALT:
        is_unknown = all(entry.value == UNKNOWN_CARD for entry in outcomes)
        return f"P{first.seat}: hand {len(outcomes) if is_unknown else _cards(outcomes)}"
    return f"market {_cards(outcomes)}"


# -- lines ----------------------------------------------------------------------


def turn_line(packed: KernelGame, steps: Sequence[tuple[State, Sequence[Entry]]]) -> str:
    """Return steps of one seat as a line, given the state before each."""
    parts: list[str] = []
    for vector, entries in steps:
        part = part_text(packed, vector, entries)
        if parts and part.startswith("draw ") and _is_plain_draw(parts[-1]):
            parts[-1] += f", {part.removeprefix('draw ')}"
        else:
            parts.append(part)
    return f"P{steps[0][1][0].seat}: {'; '.join(parts)}"


def _is_plain_draw(part: str) -> bool:
    """Return whether a part is a draw of cards without outcomes."""
    return part.startswith("draw ") and "->" not in part and "neutral" not in part


def timeline_lines(
    packed: KernelGame, timeline: Timeline, entries: Sequence[Entry], first: int = 0
) -> Iterator[tuple[str, int]]:
    """
    Yield the lines of a game from step `first` on: the setup, then one line per turn or other step.

    Each has the number of events up to its end.
    """
    turn: list[tuple[State, Sequence[Entry]]] = []
    for number in range(first, len(timeline.steps)):
        step = timeline.steps[number]
        its = entries[step.first : step.end]
        if step.laid is not None:
            yield entry_text(its[0], packed.game_map), step.end
            continue
        if number == 0:
            yield from setup_lines(its, packed.game_map)
            continue
        before = timeline.vector(number - 1)
        turn.append((before, its))
        after = timeline.vector(number)
        if step.shown is not None or after.phase not in _MID_TURN or after.seat != its[0].seat:
            yield turn_line(packed, turn), step.end
            turn = []
    if turn:
        yield turn_line(packed, turn), timeline.n_events
