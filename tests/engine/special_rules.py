"""
Where each special rule occurs in a game: one detector for each rule, on the events as a record has them.

The detectors lean on the referee, which says what lay on the table before each
move; they know nothing of the kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tests.engine.decoding import MOVES
from tests.engine.special_results import BY_RESULT
from tests.oracles.referee import Decision, Event, Final, Referee
from tests.oracles.referee.payment import can_pay
from tests.oracles.referee.table import BANK, NEUTRAL, Owner, Table
from ttr_analysis.cards import GRAY, LOCOMOTIVE
from ttr_analysis.maps.model import GameMap, Route

EMPTY: Event = {"event": ""}
TAKES_ROUTE = {"claim_route", "pay_tunnel"}


@dataclass
class Step:
    """A move and all that follows from it until somebody decides again; the first step is the set-up."""

    before: Table
    """The table before the move, its piles and hands copied."""
    events: list[Event]
    after: Table
    decides_next: Decision | None

    @property
    def move(self) -> Event:
        """The move; an event without a name in the set-up."""
        return self.events[0] if "seat" in self.events[0] and self.name in MOVES else EMPTY

    @property
    def name(self) -> str:
        name: str = self.events[0]["event"]
        return name

    @property
    def route(self) -> Route | None:
        """The route that is claimed, or attempted."""
        if self.name == "claim_route":
            return self.before.routes[self.move["route"]]
        return self.before.pending if self.name in {"pay_tunnel", "decline_tunnel"} else None

    @property
    def cards(self) -> Counter[str]:
        return Counter(self.move.get("cards", {}))

    def has(self, name: str) -> bool:
        return any(event["event"] == name for event in self.events)

    def count(self, name: str) -> int:
        return sum(event["event"] == name for event in self.events)

    def asks_for(self, phase: str) -> bool:
        """Whether a seat then decides in this phase."""
        return self.decides_next is not None and self.decides_next.phase == phase

    @property
    def takes_face_up_locomotive(self) -> bool:
        return self.name == "draw_face_up" and self.before.market[self.move["slot"]] == LOCOMOTIVE

    @property
    def toll(self) -> int:
        """The toll of the route that is taken, 0 if none is."""
        taken = self.route is not None and self.route.id in self.after.owners
        return self.after.toll(self.route) if self.route is not None and taken else 0

    @property
    def takes_loan(self) -> bool:
        return sum(self.after.loans) > sum(self.before.loans)

    def first_owner(self) -> Owner | None:
        """The owner of the other track of the route that a seat or the neutral player takes in this step."""
        taken = [route for route in self.after.owners if route not in self.before.owners]
        twin = self.after.twins.get(taken[0]) if taken else None
        return self.before.owners.get(twin.id) if twin else None


Detector = Callable[[Step], bool]


# -- cards ------------------------------------------------------------------------


def _second_draw_skipped(step: Step) -> bool:
    is_draw = step.name in {"draw_card", "draw_face_up"} and not step.takes_face_up_locomotive
    return is_draw and step.before.draws_taken == 0 and not step.asks_for("second_draw")


def _blind_locomotive_and_on(step: Step) -> bool:
    drawn = {"event": "card_drawn", "seat": step.move.get("seat"), "card": LOCOMOTIVE}
    return drawn in step.events and step.asks_for("second_draw")


def _shuffled_for(name: str) -> Detector:
    """Return whether cards are shuffled right before an event of this name."""
    return lambda step: ("cards_shuffled", name) in pairwise(event["event"] for event in step.events)


# -- claims -------------------------------------------------------------------------


def _claim(fits: Callable[[Route, Counter[str], Step], bool]) -> Detector:
    return lambda step: step.name == "claim_route" and step.route is not None and fits(step.route, step.cards, step)


def _is_plain(route: Route) -> bool:
    return not (route.tunnel or route.locomotives or route.swap_size)


def _set_for_a_color(route: Route, cards: Counter[str], _step: Step) -> bool:
    """More sets than the ferry has symbols: one stands for a color card."""
    n_sets = (cards.total() - route.length) / max(1, route.swap_size - 1)
    return route.swap_size > 0 and 0 < route.locomotives < n_sets


def _closes_twin(step: Step) -> bool:
    """A track is taken whose twin another player could pay for, and may no longer claim."""
    table = step.after
    if step.route is None or step.route.id not in table.owners or table.rules.both_tracks_open(table.n_players):
        return False
    twin = table.twins.get(step.route.id)
    return twin is not None and any(can_pay(twin, table.hands[s]) for s in table.seats if s != step.move["seat"])


# -- tunnels ------------------------------------------------------------------------


def _tunnel_paid_with(*, locomotives: bool) -> Detector:
    def detector(step: Step) -> bool:
        paid = step.cards[LOCOMOTIVE] if locomotives else step.cards.total() - step.cards[LOCOMOTIVE]
        return step.name == "pay_tunnel" and step.before.pending_color != LOCOMOTIVE and paid > 0

    return detector


def _can_pay_surcharge(step: Step) -> bool:
    hand, color = step.before.hands[step.move["seat"]], step.before.pending_color
    return sum(hand[kind] for kind in {color, LOCOMOTIVE}) >= step.before.surcharge


# -- tickets ------------------------------------------------------------------------


def _not_kept(where: str) -> Detector:
    return lambda step: (
        step.name == "keep_tickets"
        and step.before.rules.tickets.unkept_at(opening=not step.before.held[step.move["seat"]]) == where
        and len(step.move["tickets"]) < len(step.before.offers[step.move["seat"]])
    )


def _two_decks(step: Step) -> bool:
    offers = step.before.offers if step.name == "keep_tickets" else []
    return any(len({step.before.tickets[name].deck for name in offer}) > 1 for offer in offers)


def _from_under_the_pile(step: Step) -> bool:
    n_offered = step.count("ticket_offered")
    return step.name == "draw_tickets" and len(step.before.ticket_pile) < n_offered and bool(step.before.ticket_queue)


def _shuffled_while_drawing(step: Step) -> bool:
    """The rest of the pile is drawn, then the discards are shuffled, then it goes on."""
    names = [event["event"] for event in step.events]
    return step.name == "draw_tickets" and "tickets_shuffled" in names[2:] and names[-1] == "ticket_offered"


# -- the neutral player -----------------------------------------------------------------


def _neutral_owners(step: Step, table: Table) -> list[Owner | None]:
    """Return who has, on a table, each of the tracks named by the ticket turned up in this step."""
    names = [event["ticket"] for event in step.events if event["event"] == "neutral_ticket"]
    pair = step.before.tickets[names[0]].neutral if names else None
    return [table.owners.get(track.id) for track in table.tracks_between(pair)] if pair else []


def _neutral_takes_other(step: Step) -> bool:
    return step.has("neutral_ticket") and step.after.neutral_trains < step.before.neutral_trains


def _neutral_bank_pays(step: Step) -> bool:
    paid = step.after.ledger[len(step.before.ledger) :]
    return _neutral_takes_other(step) and any(payer == BANK for payer, _, _ in paid)


def _neutral_both_taken(step: Step) -> bool:
    owners = _neutral_owners(step, step.after)
    return bool(owners) and all(isinstance(owner, int) for owner in owners)


def _neutral_leaves(event: str) -> Detector:
    return lambda step: step.before.neutral_in and not step.after.neutral_in and step.has(event)


BY_STEP: dict[str, Detector] = {
    "market reset": lambda step: step.has("market_replaced"),
    "market reset twice in a row": lambda step: step.count("market_replaced") > 1,
    "market reset in the set-up": lambda step: step.has("market_replaced") and step.has("card_dealt"),
    "cards reshuffled": lambda step: step.has("cards_shuffled"),
    "cards reshuffled in a refill of the market": _shuffled_for("market_card"),
    "cards reshuffled in a tunnel's reveal": _shuffled_for("card_revealed"),
    "face-up locomotive counts as two cards": lambda step: (
        step.takes_face_up_locomotive and step.before.rules.market.locomotive_cost == 2
    ),
    "face-up locomotive as second card": lambda step: step.takes_face_up_locomotive and step.before.draws_taken == 1,
    "locomotive drawn unseen as first of two cards": _blind_locomotive_and_on,
    "second card skipped": _second_draw_skipped,
    "face-up card taken with both piles empty": lambda step: (
        step.name == "draw_face_up" and step.before.both_piles_empty()
    ),
    "empty slots filled after a claim": lambda step: (
        step.name in TAKES_ROUTE and None in step.before.market and None not in step.after.market
    ),
    "locomotive as joker on any route": _claim(
        lambda route, cards, _: _is_plain(route) and 0 < cards[LOCOMOTIVE] < route.length
    ),
    "locomotives alone on any route": _claim(
        lambda route, cards, _: _is_plain(route) and cards[LOCOMOTIVE] == route.length
    ),
    "gray route": _claim(lambda route, _cards, _step: route.color == GRAY and _is_plain(route)),
    "ferry": _claim(lambda route, cards, _: route.locomotives > 0 and cards.total() == route.length),
    "ferry with a set of three": _claim(lambda route, cards, _: route.swap_size == 3 and cards.total() > route.length),
    "ferry with a set of three for a color card": _claim(_set_for_a_color),
    "any four for one card": _claim(lambda route, cards, _: route.swap_size == 4 and cards.total() > route.length),
    "double route: second track": lambda step: step.name in TAKES_ROUTE and isinstance(step.first_owner(), int),
    "double route: closed": _closes_twin,
    "tunnel without surcharge": _claim(lambda route, _, step: route.tunnel and not step.asks_for("tunnel")),
    "tunnel: surcharge paid in the color": _tunnel_paid_with(locomotives=False),
    "tunnel: surcharge paid with locomotives": _tunnel_paid_with(locomotives=True),
    "tunnel: declined": lambda step: step.name == "decline_tunnel" and _can_pay_surcharge(step),
    "tunnel: not payable": lambda step: step.name == "decline_tunnel" and not _can_pay_surcharge(step),
    "tunnel: locomotives only": _claim(lambda route, cards, _: route.tunnel and cards[LOCOMOTIVE] == route.length),
    "tunnel: locomotives only, with surcharge": lambda step: (
        step.name == "pay_tunnel" and step.before.pending_color == LOCOMOTIVE
    ),
    "tunnel: fewer than three cards revealed": _claim(
        lambda route, _, step: route.tunnel and step.count("card_revealed") < 3
    ),
    "tickets not kept are removed": _not_kept("removed"),
    "tickets not kept go under the pile": _not_kept("under_pile"),
    "tickets not kept go to the discards": _not_kept("discard_pile"),
    "ticket drawn from under the pile": _from_under_the_pile,
    "fewer tickets than wanted": lambda step: (
        step.name == "draw_tickets" and step.count("ticket_offered") < step.before.rules.tickets.draw
    ),
    "ticket discards reshuffled in a draw": _shuffled_while_drawing,
    "toll paid to the bank": lambda step: (
        step.toll > 0 and not step.takes_loan and sum(step.after.tokens) < sum(step.before.tokens)
    ),
    "toll paid to the owner of the first track": lambda step: (
        step.toll > 0 and not step.takes_loan and isinstance(step.first_owner(), int)
    ),
    "toll paid with the last token": lambda step: step.toll > 0 and step.before.tokens[step.move["seat"]] == step.toll,
    "toll paid to the bank beside the neutral player": lambda step: step.toll > 0 and step.first_owner() == NEUTRAL,
    "loan": lambda step: step.takes_loan,
    "loan: the bank pays the owner": lambda step: step.takes_loan and sum(step.after.tokens) > sum(step.before.tokens),
    "neutral player: track chosen": lambda step: step.name == "choose_neutral_route",
    "neutral player: other track taken": _neutral_takes_other,
    "neutral player: the bank pays a player": _neutral_bank_pays,
    "neutral player: no pair": lambda step: step.has("neutral_ticket") and not _neutral_owners(step, step.after),
    "neutral player: pair already taken": lambda step: NEUTRAL in _neutral_owners(step, step.before),
    "neutral player: both tracks of players": _neutral_both_taken,
    "neutral player: leaves for want of trains": _neutral_leaves("neutral_ticket"),
    "neutral player: leaves for want of tickets": _neutral_leaves("tickets_shuffled"),
    "opening tickets of two decks": _two_decks,
    "station for one card": lambda step: step.name == "build_station" and step.cards.total() == 1,
    "station for two cards": lambda step: step.name == "build_station" and step.cards.total() == 2,
    "station for three cards": lambda step: step.name == "build_station" and step.cards.total() == 3,
    "station paid with a locomotive": lambda step: step.name == "build_station" and step.cards[LOCOMOTIVE] > 0,
    "pass": lambda step: step.name == "pass",
    "last round": lambda step: step.before.turns_left is None and step.after.turns_left is not None,
}
"""Rules seen in one step of a game."""


SPECIAL_RULES = (*BY_STEP, *BY_RESULT)


def rules_in(game_map: GameMap, n_players: int, events: Sequence[Event]) -> tuple[set[str], Final]:
    """Return the special rules that occur in a game, and its result."""
    referee = Referee(game_map, n_players)
    found: set[str] = set()
    at = 0
    while at < len(events):
        before = _copied(referee.table)
        first = at
        referee.apply(events[at])
        at += 1
        while referee.due is not None and not isinstance(referee.due, Decision):
            referee.apply(events[at])
            at += 1
        due = referee.due
        step = Step(before, list(events[first:at]), referee.table, due if isinstance(due, Decision) else None)
        found.update(rule for rule, occurs in BY_STEP.items() if rule not in found and occurs(step))
    final = referee.final()
    found.update(rule for rule, occurs in BY_RESULT.items() if occurs(final, referee.table))
    return found, final


def _copied(table: Table) -> Table:
    """Return a table whose piles, hands and purses stay as they are now."""
    before = copy(table)
    for name, value in vars(table).items():
        if name not in _FIXED:
            setattr(before, name, _copied_value(value))
    return before


_FIXED = {"map", "rules", "routes", "tickets", "twins", "seats"}


def _copied_value(value: Any) -> Any:  # noqa: ANN401 - whatever lies on a table
    if isinstance(value, list):
        return [copy(item) if isinstance(item, (list, Counter)) else item for item in value]
    return copy(value) if isinstance(value, (dict, Counter)) else value
