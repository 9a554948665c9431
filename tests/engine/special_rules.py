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

    def first_owner(self) -> Owner | None:
        """The owner of the other track of the route that a seat or the neutral player takes in this step."""
        taken = [route for route in self.after.owners if route not in self.before.owners]
        twin = self.after.twins.get(taken[0]) if taken else None
        return self.before.owners.get(twin.id) if twin else None


# -- cards ------------------------------------------------------------------------


def _is_face_up_locomotive(step: Step) -> bool:
    return step.name == "draw_face_up" and step.before.market[step.move["slot"]] == LOCOMOTIVE


def _locomotive_ends_turn(step: Step) -> bool:
    return _is_face_up_locomotive(step) and step.before.rules.market.locomotive_cost == 2


def _two_cards_with_locomotive(step: Step) -> bool:
    return _is_face_up_locomotive(step) and step.before.draws_taken == 1


def _blind_locomotive_and_on(step: Step) -> bool:
    drawn = {"event": "card_drawn", "seat": step.move.get("seat"), "card": LOCOMOTIVE}
    return drawn in step.events and _asks_for(step, "second_draw")


def _asks_for(step: Step, phase: str) -> bool:
    return step.decides_next is not None and step.decides_next.phase == phase


def _second_draw_skipped(step: Step) -> bool:
    is_draw = step.name in {"draw_card", "draw_face_up"} and not _is_face_up_locomotive(step)
    return is_draw and step.before.draws_taken == 0 and not _asks_for(step, "second_draw")


def _face_up_without_piles(step: Step) -> bool:
    return step.name == "draw_face_up" and step.before.both_piles_empty()


def _shuffled_in_refill(step: Step) -> bool:
    return _follow_each_other(step, "cards_shuffled", "market_card")


def _shuffled_in_reveal(step: Step) -> bool:
    return _follow_each_other(step, "cards_shuffled", "card_revealed")


def _follow_each_other(step: Step, first: str, second: str) -> bool:
    names = [event["event"] for event in step.events]
    return (first, second) in pairwise(names)


def _slot_filled_later(step: Step) -> bool:
    return step.name in {"claim_route", "pay_tunnel"} and None in step.before.market and None not in step.after.market


# -- claims -------------------------------------------------------------------------


def _claims(step: Step, fits: Callable[[Route, Counter[str], Step], bool]) -> bool:
    return step.name == "claim_route" and step.route is not None and fits(step.route, step.cards, step)


def _is_plain(route: Route) -> bool:
    return not (route.tunnel or route.locomotives or route.swap_size)


def _joker_on_plain_route(step: Step) -> bool:
    return _claims(step, lambda route, cards, _: _is_plain(route) and 0 < cards[LOCOMOTIVE] < route.length)


def _only_locomotives_on_plain_route(step: Step) -> bool:
    return _claims(step, lambda route, cards, _: _is_plain(route) and cards[LOCOMOTIVE] == route.length)


def _gray_in_one_color(step: Step) -> bool:
    return _claims(step, lambda route, _cards, _step: route.color == GRAY and _is_plain(route))


def _ferry(step: Step) -> bool:
    return _claims(step, lambda route, cards, _: route.locomotives > 0 and cards.total() == route.length)


def _sets_of(size: int) -> Callable[[Step], bool]:
    def detector(step: Step) -> bool:
        return _claims(step, lambda route, cards, _: route.swap_size == size and cards.total() > route.length)

    return detector


def _set_for_a_color(step: Step) -> bool:
    """More sets than the ferry has symbols: one stands for a color card."""
    return _claims(
        step,
        lambda route, cards, _: (
            0 < route.locomotives < (cards.total() - route.length) / max(1, route.swap_size - 1) and route.swap_size > 0
        ),
    )


def _second_track(step: Step) -> bool:
    first = step.first_owner()
    return step.name in {"claim_route", "pay_tunnel"} and isinstance(first, int)


def _closes_twin(step: Step) -> bool:
    """A track is taken whose twin another player could pay for, and may no longer claim."""
    table = step.after
    if step.route is None or step.route.id not in table.owners or table.rules.both_tracks_open(table.n_players):
        return False
    twin = table.twins.get(step.route.id)
    return twin is not None and any(can_pay(twin, table.hands[s]) for s in table.seats if s != step.move["seat"])


# -- tunnels ------------------------------------------------------------------------


def _tunnel_free(step: Step) -> bool:
    return _claims(step, lambda route, _cards, s: route.tunnel and not _asks_for(s, "tunnel"))


def _tunnel_paid_with(*, locomotives: bool) -> Callable[[Step], bool]:
    def detector(step: Step) -> bool:
        paid = step.cards[LOCOMOTIVE] if locomotives else step.cards.total() - step.cards[LOCOMOTIVE]
        return step.name == "pay_tunnel" and step.before.pending_color != LOCOMOTIVE and paid > 0

    return detector


def _can_pay_surcharge(step: Step) -> bool:
    hand, color = step.before.hands[step.move["seat"]], step.before.pending_color
    return sum(hand[kind] for kind in {color, LOCOMOTIVE}) >= step.before.surcharge


def _tunnel_declined(step: Step) -> bool:
    return step.name == "decline_tunnel" and _can_pay_surcharge(step)


def _tunnel_not_payable(step: Step) -> bool:
    return step.name == "decline_tunnel" and not _can_pay_surcharge(step)


def _tunnel_by_locomotives(step: Step) -> bool:
    return _claims(step, lambda route, cards, _: route.tunnel and cards[LOCOMOTIVE] == route.length)


def _surcharge_by_locomotives(step: Step) -> bool:
    return step.name == "pay_tunnel" and step.before.pending_color == LOCOMOTIVE


def _few_revealed(step: Step) -> bool:
    return _claims(step, lambda route, _c, s: route.tunnel and s.count("card_revealed") < 3)


# -- tickets ------------------------------------------------------------------------


def _not_kept(where: str) -> Callable[[Step], bool]:
    def detector(step: Step) -> bool:
        return (
            step.name == "keep_tickets"
            and step.before.rules.tickets.unkept_at(opening=not step.before.held[step.move["seat"]]) == where
            and len(step.move["tickets"]) < len(step.before.offers[step.move["seat"]])
        )

    return detector


def _two_decks(step: Step) -> bool:
    offers = step.before.offers if step.name == "keep_tickets" else []
    return any(len({step.before.tickets[name].deck for name in offer}) > 1 for offer in offers)


def _station_for(n_cards: int) -> Callable[[Step], bool]:
    def detector(step: Step) -> bool:
        return step.name == "build_station" and step.cards.total() == n_cards

    return detector


def _from_under_the_pile(step: Step) -> bool:
    return (
        step.name == "draw_tickets"
        and len(step.before.ticket_pile) < step.count("ticket_offered")
        and bool(step.before.ticket_queue)
    )


def _fewer_than_wanted(step: Step) -> bool:
    return step.name == "draw_tickets" and step.count("ticket_offered") < step.before.rules.tickets.draw


def _shuffled_while_drawing(step: Step) -> bool:
    """The rest of the pile is drawn, then the discards are shuffled, then it goes on."""
    names = [event["event"] for event in step.events]
    return step.name == "draw_tickets" and "tickets_shuffled" in names[2:] and names[-1] == "ticket_offered"


# -- money ----------------------------------------------------------------------------


def _toll(step: Step) -> int:
    took = step.route is not None and step.route.id in step.after.owners
    return step.after.toll(step.route) if step.route is not None and took else 0


def _takes_loan(step: Step) -> bool:
    return sum(step.after.loans) > sum(step.before.loans)


def _pays_bank(step: Step) -> bool:
    return _toll(step) > 0 and not _takes_loan(step) and sum(step.after.tokens) < sum(step.before.tokens)


def _pays_owner(step: Step) -> bool:
    return _toll(step) > 0 and not _takes_loan(step) and isinstance(step.first_owner(), int)


def _bank_pays_for_loan(step: Step) -> bool:
    return _takes_loan(step) and sum(step.after.tokens) > sum(step.before.tokens)


def _pays_last_token(step: Step) -> bool:
    return _toll(step) > 0 and step.before.tokens[step.move["seat"]] == _toll(step)


def _pays_bank_beside_neutral(step: Step) -> bool:
    return _toll(step) > 0 and step.first_owner() == NEUTRAL


# -- the neutral player -----------------------------------------------------------------


def _neutral_tracks(step: Step) -> list[Route]:
    """Return the tracks named by the ticket turned up in this step."""
    names = [event["ticket"] for event in step.events if event["event"] == "neutral_ticket"]
    pair = step.before.tickets[names[0]].neutral if names else None
    return step.before.tracks_between(pair) if pair else []


def _neutral_chosen(step: Step) -> bool:
    return step.name == "choose_neutral_route"


def _neutral_takes_other(step: Step) -> bool:
    return step.has("neutral_ticket") and step.after.neutral_trains < step.before.neutral_trains


def _neutral_bank_pays(step: Step) -> bool:
    paid = step.after.ledger[len(step.before.ledger) :]
    return _neutral_takes_other(step) and any(payer == BANK for payer, _, _ in paid)


def _neutral_no_pair(step: Step) -> bool:
    return step.has("neutral_ticket") and not _neutral_tracks(step)


def _neutral_has_pair(step: Step) -> bool:
    return any(step.before.owners.get(track.id) == NEUTRAL for track in _neutral_tracks(step))


def _neutral_both_taken(step: Step) -> bool:
    owners = [step.after.owners.get(track.id) for track in _neutral_tracks(step)]
    return bool(owners) and all(isinstance(owner, int) for owner in owners)


def _neutral_leaves(step: Step) -> bool:
    return step.before.neutral_in and not step.after.neutral_in


def _neutral_without_trains(step: Step) -> bool:
    return _neutral_leaves(step) and step.has("neutral_ticket")


def _neutral_without_tickets(step: Step) -> bool:
    return _neutral_leaves(step) and step.has("tickets_shuffled")


# -- the end ----------------------------------------------------------------------------


def _last_round(step: Step) -> bool:
    return step.before.turns_left is None and step.after.turns_left is not None


BY_STEP: dict[str, Callable[[Step], bool]] = {
    "market reset": lambda step: step.has("market_replaced"),
    "market reset twice in a row": lambda step: step.count("market_replaced") > 1,
    "market reset in the set-up": lambda step: step.has("market_replaced") and step.has("card_dealt"),
    "cards reshuffled": lambda step: step.has("cards_shuffled"),
    "cards reshuffled in a refill of the market": _shuffled_in_refill,
    "cards reshuffled in a tunnel's reveal": _shuffled_in_reveal,
    "face-up locomotive counts as two cards": _locomotive_ends_turn,
    "face-up locomotive as second card": _two_cards_with_locomotive,
    "locomotive drawn unseen as first of two cards": _blind_locomotive_and_on,
    "second card skipped": _second_draw_skipped,
    "face-up card taken with both piles empty": _face_up_without_piles,
    "empty slots filled after a claim": _slot_filled_later,
    "locomotive as joker on any route": _joker_on_plain_route,
    "locomotives alone on any route": _only_locomotives_on_plain_route,
    "gray route": _gray_in_one_color,
    "ferry": _ferry,
    "ferry with a set of three": _sets_of(3),
    "ferry with a set of three for a color card": _set_for_a_color,
    "any four for one card": _sets_of(4),
    "double route: second track": _second_track,
    "double route: closed": _closes_twin,
    "tunnel without surcharge": _tunnel_free,
    "tunnel: surcharge paid in the color": _tunnel_paid_with(locomotives=False),
    "tunnel: surcharge paid with locomotives": _tunnel_paid_with(locomotives=True),
    "tunnel: declined": _tunnel_declined,
    "tunnel: not payable": _tunnel_not_payable,
    "tunnel: locomotives only": _tunnel_by_locomotives,
    "tunnel: locomotives only, with surcharge": _surcharge_by_locomotives,
    "tunnel: fewer than three cards revealed": _few_revealed,
    "tickets not kept are removed": _not_kept("removed"),
    "tickets not kept go under the pile": _not_kept("under_pile"),
    "tickets not kept go to the discards": _not_kept("discard_pile"),
    "ticket drawn from under the pile": _from_under_the_pile,
    "fewer tickets than wanted": _fewer_than_wanted,
    "ticket discards reshuffled in a draw": _shuffled_while_drawing,
    "toll paid to the bank": _pays_bank,
    "toll paid to the owner of the first track": _pays_owner,
    "toll paid with the last token": _pays_last_token,
    "toll paid to the bank beside the neutral player": _pays_bank_beside_neutral,
    "loan": _takes_loan,
    "loan: the bank pays the owner": _bank_pays_for_loan,
    "neutral player: track chosen": _neutral_chosen,
    "neutral player: other track taken": _neutral_takes_other,
    "neutral player: the bank pays a player": _neutral_bank_pays,
    "neutral player: no pair": _neutral_no_pair,
    "neutral player: pair already taken": _neutral_has_pair,
    "neutral player: both tracks of players": _neutral_both_taken,
    "neutral player: leaves for want of trains": _neutral_without_trains,
    "neutral player: leaves for want of tickets": _neutral_without_tickets,
    "opening tickets of two decks": _two_decks,
    "station for one card": _station_for(1),
    "station for two cards": _station_for(2),
    "station for three cards": _station_for(3),
    "station paid with a locomotive": lambda step: step.name == "build_station" and step.cards[LOCOMOTIVE] > 0,
    "pass": lambda step: step.name == "pass",
    "last round": _last_round,
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
