"""Everything that lies on the table and in the players' hands, in plain lists and counters."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from tests.oracles.referee.payment import Cards
from ttr_analysis.cards import CARD_KINDS, LOCOMOTIVE
from ttr_analysis.maps.model import GameMap, Route

NEUTRAL: Literal["neutral"] = "neutral"
BANK: Literal["bank"] = "bank"

Owner = int | Literal["neutral"]
Purse = int | Literal["bank"]


class Table:
    """
    The whole position.

    Cards and tickets are known by name, routes and tickets by id. Everything
    is public for the tests: they may move cards, trains and tickets about, as
    long as nothing is lost.
    """

    def __init__(self, game_map: GameMap, n_players: int) -> None:  # noqa: PLR0915 - so much lies on a table
        rules = game_map.rules
        low, high = rules.players
        assert low <= n_players <= high, f"{game_map.title} is for {low} to {high} players, got {n_players}"
        self.map = game_map
        self.rules = rules
        self.n_players = n_players
        self.seats = range(n_players)
        self.routes = {route.id: route for route in game_map.routes}
        self.tickets = {ticket.id: ticket for ticket in game_map.tickets}
        self.twins = {
            route.id: other
            for route in game_map.routes
            for other in game_map.routes
            if set(other.cities) == set(route.cities) and other.id != route.id
        }
        """The other track of each double route."""

        self.pile: Cards = Counter(rules.deck.as_dict())
        self.discards: Cards = Counter()
        self.market: list[str | None] = [None] * rules.market.size
        self.hands: list[Cards] = [Counter() for _ in self.seats]
        self.laid: Cards = Counter()
        self.revealed: list[str] = []

        self.trains = [rules.trains.per_player] * n_players
        self.neutral_trains = rules.neutral.trains
        self.owners: dict[str, Owner] = {}
        self.start_scores = [*rules.scoring.start_scores[:n_players]] or [0] * n_players
        self.scores = list(self.start_scores)

        self.stations: dict[str, int] = {}
        """The seat that has a station in each city with one."""

        self.tokens = [rules.money.tokens] * n_players
        self.loans = [0] * n_players
        self.ledger: list[tuple[Purse, Purse, int]] = []
        """Every payment: payer, payee, value."""

        self.ticket_pile: list[str] = list(self.tickets)
        """In random order."""
        self.ticket_queue: list[str] = []
        """Under the pile, in known order."""
        self.offers: list[list[str]] = [[] for _ in self.seats]
        self.held: list[list[str]] = [[] for _ in self.seats]
        self.ticket_discards: list[str] = []
        self.removed: list[str] = []

        self.turn_seat = 0
        self.n_turns = 0
        self.n_passes = 0
        self.turns_left: int | None = None
        """Turns to the end, once the last round has begun."""
        self.ending = ""
        """Why the game is over: "trains", "passes" or "truncated"."""
        self.draws_taken = 0
        self.cards_discarded = False
        """Whether cards were discarded in this turn."""
        self.must_keep = 0
        """Tickets that the seat that chooses has to keep."""
        self.pending: Route | None = None
        """The tunnel that is attempted."""
        self.pending_color = ""
        self.surcharge = 0

        self.neutral_in = rules.neutral.trains > 0
        self.marker = rules.neutral.marker_seat % n_players
        self.neutral_choice: list[Route] = []

    # -- questions ----------------------------------------------------------

    def tracks_between(self, cities: tuple[str, str]) -> list[Route]:
        """Return the tracks between two cities."""
        return [route for route in self.map.routes if set(route.cities) == set(cities)]

    def routes_of(self, owner: Owner) -> list[Route]:
        """Return the routes of a player, or of the neutral one."""
        return [self.routes[name] for name, of in self.owners.items() if of == owner]

    def toll(self, route: Route) -> int:
        """Return the toll of a route: nothing where the game is played without tolls."""
        return route.toll if self.rules.money.tokens else 0

    def toll_payee(self, route: Route) -> Purse:
        """Return who gets the toll of a route: the owner of the first track if this is the second, else the bank."""
        twin = self.twins.get(route.id)
        first = self.owners.get(twin.id) if twin else None
        pays_owner = self.rules.money.second_track_pays == "owner"
        return first if pays_owner and isinstance(first, int) else BANK

    def stations_of(self, seat: int) -> list[str]:
        """Return the cities in which a player has built."""
        return [city for city, owner in self.stations.items() if owner == seat]

    def loan_is_left(self) -> bool:
        """Return whether there is another loan card."""
        limit = self.rules.money.loan.limit
        return limit == 0 or sum(self.loans) < limit

    def both_piles_empty(self) -> bool:
        """Return whether there is no card to draw unseen, not even after a shuffle."""
        return self.pile.total() + self.discards.total() == 0

    def no_tickets_left(self) -> bool:
        """Return whether no ticket can be drawn."""
        return not (self.ticket_pile or self.ticket_queue or self.ticket_discards)

    def reset_is_due(self) -> bool:
        """Return whether the face-up cards are to be replaced."""
        rules = self.rules.market
        colored = sum(card not in {None, LOCOMOTIVE} for card in self.market) + sum(
            pile.total() - pile[LOCOMOTIVE] for pile in (self.pile, self.discards)
        )
        return (
            rules.reset_at > 0
            and self.market.count(LOCOMOTIVE) >= rules.reset_at
            and not (rules.reset_needs_full and None in self.market)
            and colored >= rules.reset_needs_colored
        )

    # -- doors through which things move --------------------------------------

    def discard(self, cards: Cards) -> None:
        """Put cards on the discard pile."""
        self.discards += cards
        self.cards_discarded = True

    def transfer(self, payer: Purse, payee: Purse, amount: int) -> None:
        """Move tokens."""
        self.ledger.append((payer, payee, amount))
        if isinstance(payer, int):
            self.tokens[payer] -= amount
        if isinstance(payee, int):
            self.tokens[payee] += amount

    def put_away(self, ticket: str, *, opening: bool) -> None:
        """Put a ticket where those go that nobody keeps."""
        where = {
            "removed": self.removed,
            "under_pile": self.ticket_queue,
            "discard_pile": self.ticket_discards,
        }
        rules = self.rules.tickets
        where[(opening and rules.opening_unkept) or rules.unkept].append(ticket)

    def remove_rest_of_deck(self, deck: str) -> None:
        """Take the tickets of a deck that were not dealt out of the game."""
        rest = [ticket for ticket in self.ticket_pile if self.tickets[ticket].deck == deck]
        self.ticket_pile = [ticket for ticket in self.ticket_pile if ticket not in rest]
        self.removed += rest

    # -- conservation -----------------------------------------------------------

    def conserved(self) -> None:
        """Assert that nothing is lost or made, and that everything is where it may be."""
        self._cards_conserved()
        self._trains_conserved()
        self._tickets_conserved()
        self._tokens_conserved()
        for seat in self.seats:
            assert len(self.stations_of(seat)) <= self.rules.stations.number, f"seat {seat} has too many stations"

    def _cards_conserved(self) -> None:
        deck = self.rules.deck.as_dict()
        face_up = [card for card in self.market if card is not None]
        places = [self.pile, self.discards, self.laid, *self.hands, Counter(face_up), Counter(self.revealed)]
        for kind in CARD_KINDS:
            counts = [place[kind] for place in places]
            assert min(counts) >= 0, f"less than no {kind} cards: {counts}"
            assert sum(counts) == deck.get(kind, 0), f"{sum(counts)} {kind} cards instead of {deck.get(kind, 0)}"

    def _trains_conserved(self) -> None:
        everyone: list[tuple[Owner, int, int]] = [
            (seat, self.trains[seat], self.rules.trains.per_player) for seat in self.seats
        ]
        everyone.append((NEUTRAL, self.neutral_trains, self.rules.neutral.trains))
        built: Counter[Owner] = Counter()
        points: Counter[Owner] = Counter()
        for name, owner in self.owners.items():
            length = self.routes[name].length
            built[owner] += length
            points[owner] += self.rules.points_for(length)
            twin = self.twins.get(name)
            assert twin is None or self.owners.get(twin.id) != owner, f"{owner} has both tracks of {name}"
        for owner, left, at_start in everyone:
            assert left >= 0, f"{owner} has {left} trains"
            assert left + built[owner] == at_start, f"{owner}: {left} trains and {built[owner]} built, not {at_start}"
        for seat in self.seats:
            expected = self.start_scores[seat] + points[seat]
            assert self.scores[seat] == expected, f"seat {seat} has {self.scores[seat]} points"

    def _tickets_conserved(self) -> None:
        places = [self.ticket_pile, self.ticket_queue, self.ticket_discards, self.removed, *self.offers, *self.held]
        found = Counter(ticket for place in places for ticket in place)
        wrong = {ticket: found[ticket] for ticket in {*self.tickets, *found} if found[ticket] != 1}
        assert not wrong, f"tickets not in one place each: {wrong}"
        assert set(found) == set(self.tickets), f"unknown tickets: {set(found) - set(self.tickets)}"

    def _tokens_conserved(self) -> None:
        purses: Counter[Purse] = Counter(dict.fromkeys(self.seats, self.rules.money.tokens))
        for payer, payee, amount in self.ledger:
            assert amount > 0, f"{payer} pays {amount} to {payee}"
            purses[payer] -= amount
            purses[payee] += amount
        assert [purses[seat] for seat in self.seats] == self.tokens, f"{self.tokens} tokens, the ledger says {purses}"
        assert min(self.tokens) >= 0, f"less than no tokens: {self.tokens}"
        limit = self.rules.money.loan.limit
        assert limit == 0 or sum(self.loans) <= limit, f"{self.loans} loans, there are {limit}"
