"""Parse a line: the seat, moves with their outcomes, and suggestions of what may come next."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import ClassVar, Final

import numpy as np

from ttr_analysis._errors import AmbiguousNameError, IllegalActionError, UnknownNameError
from ttr_analysis.analysis import payments
from ttr_analysis.analysis.payments.model import Payment
from ttr_analysis.cards import CARD_KINDS, COLORS, CardCounts
from ttr_analysis.engine import codes, layout
from ttr_analysis.engine.actions import KeepTickets
from ttr_analysis.engine.actions.building import as_route
from ttr_analysis.engine.actions.drawing import offer_of
from ttr_analysis.engine.codes import argument_of, kind_of, make_action, unpacked
from ttr_analysis.engine.events import decode_chance, next_words
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.kernel.turns import fewest_kept
from ttr_analysis.engine.layout import Phase, State
from ttr_analysis.engine.state import fill_open
from ttr_analysis.maps.model import Route
from ttr_analysis.notation import writer
from ttr_analysis.notation.lexer import Lexer, Names, NotationError, card_value, named, names_of, read_seat
from ttr_analysis.records.entries import MATCHES, SHOWN, Entry
from ttr_analysis.records.positions import UNKNOWN, ticket_name
from ttr_analysis.records.replay import ScriptedStep
from ttr_analysis.tables import MAX_OFFER, MAX_ROUTES

_MAX_CHOICES: Final = 24
_CARDS_BEGIN: Final = re.compile(rf"\s(?=\d|(?:{'|'.join(CARD_KINDS)})\b)")

_NEXT: Final = re.compile(r";|(?=(?:draws?|takes?|keeps?|pays?|declines?)\b)")
"""The separator before another move of a turn, which may be omitted."""
_UNSEEN: Final = re.compile(r"(\d{1,9})? ?(?=$|;|->|neutral ticket\b|(?:draws?|takes?)\b)")
"""A number of unseen cards, or none for one card, if the draw ends there."""
_TRACK: Final = re.compile(r"/(\d{1,3})\b")
_SETS: Final = re.compile(r",? ?(?:and )?(?:in )?sets?\b")
_ALL: Final = re.compile(r"all\b")
_CLAIM: Final = re.compile(r"(?:claims?|tunnel)\b")
_FIT: Final = re.compile(rf"({'|'.join(MATCHES)})\b,?")
"""Values of a card turned over for a tunnel if only whether it matches is known."""
_UNKNOWN_TICKET: Final = re.compile(r"\?")
_CLAUSES: Final = {
    codes.CARD_REVEALED: (re.compile(r"reveals?\b"), "reveals "),
    codes.MARKET_CARD: (re.compile(r"->"), "-> "),
    codes.NEUTRAL_TICKET: (re.compile(r"neutral ticket\b"), "neutral ticket "),
}
"""The clauses that follow a move, by kind of event, with their first words."""
_TICKETS: Final = (codes.TICKET_OFFERED, codes.NEUTRAL_TICKET)
_CARDS: Final = (codes.CARD_DEALT, codes.CARD_DRAWN, codes.CARD_REVEALED, codes.MARKET_CARD)
_NAMES: Final = {codes.CARD_DEALT: "hand ", codes.MARKET_CARD: "market ", codes.TICKET_OFFERED: "tickets "}
"""First words of lines of the setup."""
_MOVES: Final = {
    Phase.KEEP_START: ("keep ",),
    Phase.TURN: ("draw ", "take ", "tickets ", "station ", "pass"),
    Phase.SECOND_DRAW: ("draw ", "take "),
    Phase.TUNNEL: ("pays ", "declines"),
    Phase.KEEP: ("keep ",),
    Phase.NEUTRAL: ("neutral takes ",),
    Phase.OVER: (),
}
"""First words of the moves in each phase, apart from routes."""
_PLAIN: Final = {"draw ": codes.DRAW_CARD, "tickets ": codes.DRAW_TICKETS, "pass": codes.PASS}
"""Moves without arguments, whose legality is known at once."""


class GivenOutcomes:
    """The outcomes in a part of a line: values with positions, by kind of event."""

    def __init__(self) -> None:
        self.values: dict[int, deque[tuple[int, int]]] = {}
        self.ends: dict[int, int] = {}

    def add(self, kind: int, values: Sequence[tuple[int, int]], end: int) -> None:
        """Add outcomes of one kind, and the position after them."""
        self.values.setdefault(kind, deque()).extend(values)
        self.ends[kind] = end


class LineParser:
    """
    Parses one line as moves and outcomes.

    After `read`, `entries` are its events (in the setup including those of earlier lines),
    `vector` the state, and `action` the code and value of the last move. In the setup,
    `vector` is None, and `dealt` has the events of earlier lines as codes and values.
    If not `with_outcomes`, the line is a single move, whose outcomes are not entered.
    """

    def __init__(
        self,
        packed: KernelGame,
        vector: State | None,
        text: str,
        *,
        dealt: Sequence[tuple[int, int]] = (),
        players: Sequence[str] = (),
        with_outcomes: bool = True,
    ) -> None:
        self.packed = packed
        self.map = packed.game_map
        self.names = names_of(self.map)
        self.given = tuple(players)
        self.players: Names[int] = Names((name, seat) for seat, name in enumerate(players))
        self.vector = vector
        self.scan = Lexer(text)
        self.entries: list[Entry] = []
        self.action = (0, 0)
        self._dealt = list(dealt)
        self._seat: int | None = None
        self._with_outcomes = with_outcomes

    def read(self) -> None:
        """Parse the line, or raise a NotationError."""
        try:
            self._read_line()
        except NotationError as error:
            raise named(error, self.given) from None

    def _read_line(self) -> None:
        self._read_seat()
        if self.vector is None:
            self._read_setup()
        else:
            self._read_move(self.vector)
            while self._with_outcomes and self.scan.accept(_NEXT):
                self._read_move(self.vector)
        if not self.scan.is_done:
            raise self.scan.expected("the end of the line", ["; "] if self._with_outcomes else ())

    # -- the seat ---------------------------------------------------------------

    def _read_seat(self) -> None:
        self._seat = read_seat(self.scan, self.players)
        if self._seat is not None and self._seat >= self.packed.n_players:
            raise self.scan.error(f"there is no P{self._seat} among the {self.packed.n_players} players", at=0)

    def _check_seat(self, acting: int) -> None:
        """Raise an error for a line of a seat other than the acting one."""
        if self._seat is None:
            self._seat = acting
        if self._seat != acting:
            reason = f"P{acting} acts now, not P{self._seat}"
            raise self.scan.error(reason, [f"P{acting}: "], at=0 if not self.entries else None, is_illegal=True)

    # -- the setup ----------------------------------------------------------------

    def _read_setup(self) -> None:
        scripted = ScriptedStep(self.packed, None, outcomes=self._dealt)
        due = scripted.next_outcome
        assert due is not None  # noqa: S101 - else there is a state
        word = _NAMES[due.kind]
        start = self.scan.at
        if not self.scan.accept(re.compile(rf"{word.strip()}\b")):
            whose = "" if due.kind == codes.MARKET_CARD else f"P{due.seat}: "
            what = next_words(decode_chance(self.packed.codec, due.code, 0))
            raise self.scan.expected(
                f"{whose}{word}... ({what} comes first)", [word if self._seat is not None else whose + word]
            )
        if due.kind != codes.MARKET_CARD:
            self._check_seat(due.seat)
        given = GivenOutcomes()
        self._add_items(given, due.kind)
        while True:
            if scripted.next_outcome is not None and scripted.next_outcome[:2] == due[:2]:
                self._enter_next(scripted, given)
            elif not self._enter_replaced(scripted, given):
                break
        self._check_used(scripted, given, start)
        self._seat = None
        self._dealt = scripted.script
        self.entries = list(scripted.entries())
        if scripted.next_outcome is None:
            self.vector = scripted.after

    # -- moves --------------------------------------------------------------------

    def _read_move(self, vector: State) -> None:
        scan = self.scan
        if scan.accept(re.compile(r"shows?\b")):
            self._read_shown(vector)
            return
        if vector.phase == layout.OVER:
            raise scan.error("the game is over", self._shown_choices(vector), is_illegal=True)
        self._check_seat(int(vector.seat))
        start = scan.at
        tracks = scan.name(self.names.routes)
        if tracks is None and scan.accept(_CLAIM):
            tracks = scan.name(self.names.routes)
        if tracks is not None:
            self._read_claim(vector, tracks, start)
            return
        for pattern, read in self._verbs:
            if scan.accept(pattern):
                read(self, vector, start)
                return
        raise self._no_move(vector)

    def _no_move(self, vector: State) -> NotationError:
        """Return an error that lists what may come here."""
        words = [
            word
            for word in _MOVES[Phase(int(vector.phase))]
            if word not in _PLAIN or self.packed.why_illegal(vector, _PLAIN[word], 0) is None
        ]
        if vector.stations[vector.seat] == 0:
            words = [word for word in words if word != "station "]
        rest = self.scan.rest()
        routes = self._open_routes(vector) if vector.phase == Phase.TURN else []
        if "-" in rest:
            what = self._no_route(rest)
            if what:
                return self.scan.error(what, [*words, *routes])
        expected = " or ".join(filter(None, [", ".join(word.strip() for word in words), "a route" if routes else ""]))
        return self.scan.expected(expected, [*words, *routes], self.names.routes.near(rest)[:2] if rest else ())

    def _no_route(self, rest: str) -> str:
        """Explain what is wrong with the name of a route; "" if unsure."""
        name = _CARDS_BEGIN.split(rest, maxsplit=1)[0]
        ends = [(name[:i], name[i + 1 :]) for i, c in enumerate(name) if c in "-\N{EN DASH}"]
        for a, b in ends:
            try:
                self.map.city(a), self.map.city(b)
                self.map.route(a, b)
            except AmbiguousNameError:
                continue
            except UnknownNameError as error:
                if error.what == "route" or error.candidates:
                    return str(error)
        return ""

    def _read_claim(self, vector: State, tracks: tuple[Route, ...], start: int) -> None:
        """Read a claim after the names of its cities."""
        scan = self.scan
        _, chosen = self._accept_track(tracks)
        if not chosen:
            raise scan.expected(" or ".join(route.id for route in tracks), near=())
        tracks, place = tuple(chosen), scan.at
        if scan.is_done or scan.folded.startswith(";", scan.at):
            raise scan.expected(f"the cards for {tracks[0]}", self._payment_choices(vector, tracks))
        is_set = scan.accept(_SETS)
        cards = [] if is_set else scan.cards()
        sets = scan.cards() if is_set or scan.accept(_SETS) else []
        laid = CardCounts.coerce([kind for kind, _ in (*cards, *sets)])
        route = self._choose_track(vector, tracks, laid, place)
        if sets:
            self._check_sets(vector, route, [kind for kind, _ in cards], [kind for kind, _ in sets], place)
        self._step(vector, *writer.claim_code(self.packed, route, laid), start)

    def _accept_track(self, tracks: Iterable[Route]) -> tuple[re.Match[str] | None, list[Route]]:
        """Read which of several tracks is meant, if that comes next; return the tracks that fit."""
        track = self.scan.accept(_TRACK)
        return track, [route for route in tracks if track is None or route.track == int(track[1])]

    def _choose_track(self, vector: State, tracks: Sequence[Route], laid: CardCounts, place: int) -> Route:
        meant = writer.meant_tracks(self.packed, vector, tracks, laid)
        if len(meant) > 1:
            which = " or ".join(f"{route.id} ({route.color})" for route in meant)
            choices = [f"/{route.track} {writer.cards_text(laid)}" for route in meant]
            raise self.scan.error(f"which track: {which}?", choices, at=place)
        if not meant:
            reasons = [
                self.packed.why_illegal(vector, *writer.claim_code(self.packed, route, laid)) for route in tracks
            ]
            colored = [reason for route, reason in zip(tracks, reasons, strict=True) if laid.as_dict().get(route.color)]
            paid = [reason for route, reason in zip(tracks, reasons, strict=True) if writer.pays(route, laid)]
            choices = self._payment_choices(vector, tracks)
            raise self.scan.error(str([*paid, *colored, *reasons][0]), choices, at=place, is_illegal=True)
        return meant[0]

    def _check_sets(self, vector: State, route: Route, cards: list[str], sets: list[str], place: int) -> None:
        """Raise an error for cards and sets that do not pay in this form."""
        colors = sorted({kind for kind in cards if kind in COLORS})
        reason: str | None = f"cards outside sets must be of one color, got {' and '.join(colors)}"
        if len(colors) < 2:  # noqa: PLR2004
            own = sum(kind in COLORS for kind in cards)
            payment = Payment(colors[0] if colors else None, own, len(cards) - own, CardCounts.coerce(sets))
            reason = payments.why_illegal(route, payment)
        if reason is not None:
            raise self.scan.error(reason, self._payment_choices(vector, (route,)), at=place, is_illegal=True)

    def _read_draw(self, vector: State, start: int) -> None:
        if not self._with_outcomes:
            self._step(vector, codes.DRAW_CARD, 0, start)
            return
        at = self.scan.at
        unseen = self.scan.accept(_UNSEEN)
        most = self.map.rules.cards.draws_per_turn + 1  # one too many is enough for an error
        n = min(int(unseen[1] or 1), most) if unseen else 0
        drawn = [(UNKNOWN, at)] * n if unseen else self.scan.cards(unknown=True)
        if not drawn:
            raise self.scan.error("expected at least one card to draw", at=at)
        for i, (kind, place) in enumerate(drawn):
            given = GivenOutcomes()
            given.add(codes.CARD_DRAWN, [(card_value(kind), place)], self.scan.at)
            assert self.vector is not None  # noqa: S101 - as when the line began
            if i and self.vector.seat != vector.seat:
                raise self.scan.error(f"P{vector.seat} cannot draw that many cards", at=place, is_illegal=True)
            self._step(self.vector, codes.DRAW_CARD, 0, start if i == 0 else place, given, is_last=i == len(drawn) - 1)

    def _read_take(self, vector: State, start: int) -> None:
        scan = self.scan
        place = scan.at
        size = self.map.rules.market.size
        market = [writer.face_up_text(kind) for kind in vector.market[:size].tolist()]
        face_up = list(dict.fromkeys(kind for kind in market if kind in CARD_KINDS))
        if UNKNOWN in market:
            face_up = list(CARD_KINDS)
        try:
            kind = scan.card()
        except NotationError as error:
            raise NotationError(error.reason, error.at, face_up) from None
        track = scan.accept(_TRACK)
        slots = writer.meant_slots(vector, card_value(kind))
        if track:
            slots = [slot for slot in slots if slot == int(track[1])]
        if not slots:
            where = f" in slot {track[1]}" if track else ""
            shown = ", ".join(market)
            raise scan.error(f"no {kind} card{where}: the market shows {shown}", face_up, at=place, is_illegal=True)
        value = 1 + card_value(kind) if market[slots[0]] == UNKNOWN else 0
        self._step(vector, make_action(codes.DRAW_FACE_UP, slots[0]), value, start)

    def _read_attempt(self, vector: State, start: int) -> None:
        scan = self.scan
        tracks = scan.name(self.names.routes)
        if tracks is None:
            raise scan.expected("the tunnel to attempt", self._open_routes(vector))
        _, fitting = self._accept_track(tracks)
        value = writer.packed_cards(CardCounts.coerce([scan.card()]))
        made = [make_action(codes.ATTEMPT_TUNNEL, self.packed.codec.route_index(route)) for route in fitting or tracks]
        made.sort(key=lambda code: self.packed.why_illegal(vector, code, value) is not None)
        self._step(vector, made[0], value, start)

    def _read_pay(self, vector: State, start: int) -> None:
        if vector.phase != Phase.TUNNEL:
            self._reject(vector, codes.PAY_TUNNEL, start)
        surcharges = [value for code, value in self.packed.rows(vector).tolist() if kind_of(code) == codes.PAY_TUNNEL]
        choices = [writer.cards_text(unpacked(value)) for value in surcharges]
        place = self.scan.at
        if self.scan.is_done:
            raise self.scan.expected("the cards for the surcharge", choices)
        cards = CardCounts.coerce([kind for kind, _ in self.scan.cards()])
        self._step(vector, codes.PAY_TUNNEL, writer.packed_cards(cards), place, choices=choices)

    def _read_tickets(self, vector: State, start: int) -> None:
        given = GivenOutcomes()
        if self._with_outcomes:
            if reason := self.packed.why_illegal(vector, codes.DRAW_TICKETS, 0):
                raise self.scan.error(reason, at=start, is_illegal=True)
            self._add_items(given, codes.TICKET_OFFERED)
        self._step(vector, codes.DRAW_TICKETS, 0, start, given)

    def _read_keep(self, vector: State, start: int) -> None:
        scan = self.scan
        offer = offer_of(vector)
        if vector.phase not in (Phase.KEEP, Phase.KEEP_START):
            self._reject(vector, codes.KEEP_TICKETS, start)
        choices = [*dict.fromkeys(ticket_name(ticket, self.map) for ticket in offer), "all"]
        place = scan.at
        kept = offer if scan.accept(_ALL) else [ticket for ticket, _ in self._ticket_items(choices)]
        try:
            code, value = self.packed.codec.encode(KeepTickets(tuple(map(self.packed.codec.ticket, kept))), vector)
        except IllegalActionError as error:
            offered = ", ".join(choices[:-1])
            raise scan.error(f"{error}; offered: {offered}", choices, at=place, is_illegal=True) from None
        fewest = int(fewest_kept(vector, self.packed.tables, int(vector.seat)))
        if len(kept) < fewest:
            names = [ticket_name(ticket, self.map) for ticket in kept]
            more = [f", {name}" for name in choices[:-1] if name not in names]
            raise scan.error(str(self.packed.why_illegal(vector, code, value)), more, is_illegal=True)
        self._step(vector, code, value, place)

    def _read_neutral(self, vector: State, start: int) -> None:
        scan = self.scan
        if vector.phase != Phase.NEUTRAL:
            self._reject(vector, codes.CHOOSE_NEUTRAL, start)
        choices = [
            self.map.routes[argument_of(code)].id
            for code, _ in self.packed.rows(vector).tolist()
            if kind_of(code) == codes.CHOOSE_NEUTRAL
        ]
        place = scan.at
        tracks = scan.name(self.names.routes)
        if tracks is None:
            raise scan.expected("the track for the neutral player", choices)
        track, fitting = self._accept_track(tracks)
        legal = [route for route in fitting if route.id in choices] or fitting
        if len(legal) > 1 and track is None:
            raise scan.error(f"which track: {' or '.join(route.id for route in legal)}?", choices, at=place)
        if not legal:
            raise scan.error(f"expected {' or '.join(choices)}", choices, at=place)
        code = make_action(codes.CHOOSE_NEUTRAL, self.packed.codec.route_index(legal[0]))
        self._step(vector, code, 0, place, choices=choices)

    def _read_station(self, vector: State, start: int) -> None:
        scan = self.scan
        if vector.phase != Phase.TURN or vector.stations[vector.seat] == 0:
            self._reject(vector, codes.BUILD_STATION, start)
        free = [city.name for city, at in zip(self.map.cities, vector.station_at, strict=False) if not at]
        place = scan.at
        city = scan.name(self.names.cities)
        if city is None:
            raise scan.expected("the city of the station", free, self.names.cities.near(scan.rest())[:2])
        code = make_action(codes.BUILD_STATION, self.packed.codec.city_index(city))
        choices = self._payment_choices(vector, (as_route(vector, self.packed.tables, int(vector.seat)),), code)
        if scan.is_done or scan.folded.startswith(";", scan.at):
            raise scan.expected(f"the cards for a station in {city.name}", choices)
        laid = CardCounts.coerce([kind for kind, _ in scan.cards()])
        self._step(vector, code, writer.packed_cards(laid), place, choices=choices)

    def _read_shown(self, vector: State) -> None:
        """Read the tickets that a seat shows when the game is over."""
        scan = self.scan
        if vector.phase != layout.OVER:
            raise scan.error("tickets are shown only when the game is over", is_illegal=True)
        if self._seat is None:
            raise scan.error("name the seat that shows its tickets", self._shown_choices(vector), at=0)
        place = scan.at
        tickets = tuple(ticket for ticket, _ in self._ticket_items([ticket.id for ticket in self.map.tickets]))
        after = vector.copy()
        reason = layout.identify_tickets(after, self.packed.tables, self._seat, tickets)
        if reason:
            raise scan.error(reason, at=place, is_illegal=True)
        self.vector = after
        self.entries.append(Entry(SHOWN, self._seat, tickets=tickets))

    def _shown_choices(self, vector: State) -> list[str]:
        """Return the first words of lines that show hidden tickets."""
        seats = range(self.packed.n_players)
        hidden = [seat for seat in seats if layout.UNKNOWN_TICKET in vector.held[seat, : vector.n_held[seat]]]
        return [f"P{seat}: shows " for seat in hidden]

    # -- choices --------------------------------------------------------------------

    def _open_routes(self, vector: State) -> list[str]:
        """Return the names of the routes open to the acting seat, then the reversed names."""
        is_open = np.zeros(MAX_ROUTES, dtype=np.int64)
        fill_open(vector, self.packed.tables, int(vector.seat), is_open)
        ends = [route.cities for route, free in zip(self.map.routes, is_open, strict=False) if free]
        return list(dict.fromkeys([f"{a}-{b}" for a, b in ends] + [f"{b}-{a}" for a, b in ends]))

    def _payment_choices(self, vector: State, tracks: Sequence[Route], code: int | None = None) -> list[str]:
        """Return payments for one of several tracks, or for the action `code`, given the acting seat's known cards."""
        seat = int(vector.seat)
        hand = vector.hand[seat]
        n_unknown = layout.n_unknown_cards(vector, seat)
        held = hand + np.minimum(n_unknown, vector.draw_pile)
        cards = CardCounts(tuple(held.tolist()))
        options = [(route, payment) for route in tracks for payment in payments.options(route, cards)]
        options.sort(key=lambda option: (option[1].sets.n_cards, option[1].locomotives))

        def is_legal(route: Route, cards: CardCounts) -> bool:
            paid = writer.claim_code(self.packed, route, cards) if code is None else (code, writer.packed_cards(cards))
            return self.packed.why_illegal(vector, *paid) is None

        texts = (writer.payment_text(payment) for route, payment in options if is_legal(route, payment.cards))
        return list(islice(dict.fromkeys(texts), _MAX_CHOICES))

    # -- steps --------------------------------------------------------------------

    def _step(
        self,
        vector: State,
        code: int,
        value: int,
        place: int,
        given: GivenOutcomes | None = None,
        *,
        choices: Sequence[str] = (),
        is_last: bool = True,
    ) -> None:
        """Make a move with the outcomes that follow it."""
        given = given or GivenOutcomes()
        if reason := self.packed.why_illegal(vector, code, value):
            raise self.scan.error(reason, choices, at=place, is_illegal=True)
        self.action = (code, value)
        if not self._with_outcomes:
            return
        if is_last:
            self._read_clauses(given)
        scripted = ScriptedStep(self.packed, vector, code, value)
        self._enter_all(scripted, given)
        self._check_used(scripted, given, place)
        move, *outcomes = scripted.entries()
        if kind_of(code) == codes.KEEP_TICKETS:
            kept = tuple(ticket for i, ticket in enumerate(offer_of(vector)) if value >> i & 1)
            move = move._replace(value=0, tickets=kept)
        self.entries += [move, *outcomes]
        self.vector = scripted.after

    def _read_clauses(self, given: GivenOutcomes) -> None:
        """Read the outcomes after a move."""
        while True:
            for kind, (pattern, _) in _CLAUSES.items():
                if self.scan.accept(pattern):
                    self._add_items(given, kind)
                    break
            else:
                return

    def _add_items(self, given: GivenOutcomes, kind: int) -> None:
        """Read the cards or tickets of one kind of event."""
        scan = self.scan
        if kind in _TICKETS:
            values = self._ticket_items(self._ticket_choices(), unknown=kind == codes.TICKET_OFFERED)
        elif kind == codes.CARD_DEALT and (n := self._lone_number()) is not None:
            values = [(layout.UNKNOWN_CARD, scan.at)] * n
        else:
            values = []
            while kind == codes.CARD_REVEALED and (found := scan.accept(_FIT)):
                values.append((layout.UNKNOWN_CARD + MATCHES.index(found[1]), scan.at))
            if not values:
                unknown = kind != codes.CARD_REVEALED
                values = [(card_value(card), place) for card, place in scan.cards(unknown=unknown)]
        given.add(kind, values, scan.at)

    def _enter_all(self, scripted: ScriptedStep, given: GivenOutcomes) -> None:
        """Enter the outcomes of a step."""
        while True:
            due = scripted.next_outcome
            is_market = due is not None and due.kind == codes.MARKET_CARD
            if is_market or not self._enter_replaced(scripted, given):
                if due is None:
                    return
                self._enter_next(scripted, given)

    def _enter_replaced(self, scripted: ScriptedStep, given: GivenOutcomes) -> bool:
        """Enter the first card of a replaced market, if possible and if more cards are given; return whether it was."""
        market = given.values.get(codes.MARKET_CARD)
        if not market or not scripted.add_replaced(market[0][0]):
            return False
        market.popleft()
        return True

    def _enter_next(self, scripted: ScriptedStep, given: GivenOutcomes) -> None:
        """Enter the next outcome."""
        due = scripted.next_outcome
        assert due is not None  # noqa: S101 - callers have checked
        values = given.values.get(due.kind)
        if not values:
            raise self._missing(due, scripted, given)
        # An offer may be in any order, but tickets from under the pile come in their own order.
        items = list(values) if due.kind == codes.TICKET_OFFERED else [values[0]]
        reasons = []
        for item in items:
            reason = scripted.add(item[0])
            if not reason:
                values.remove(item)
                return
            reasons.append(reason)
        (value, place), reason = items[0], reasons[0]
        if value < len(CARD_KINDS) and due.kind in _CARDS:
            reason = f"the draw pile has no {CARD_KINDS[value]} card"
        raise self.scan.error(reason, at=place, is_illegal=True)

    def _missing(self, due: Entry, scripted: ScriptedStep, given: GivenOutcomes) -> NotationError:
        """Return an error for an outcome missing from the line."""
        what = next_words(decode_chance(self.packed.codec, due.code, 0))
        is_ticket = due.kind in _TICKETS
        unknown = [UNKNOWN] if due.kind in (codes.CARD_DEALT, codes.TICKET_OFFERED) else []
        items = [*unknown, *(self._ticket_choices(scripted.script) if is_ticket else CARD_KINDS)]
        end = given.ends.get(due.kind)
        if end is not None:
            return self.scan.error(f"one more is needed: {what}", [f", {item}" for item in items], at=end)
        start = _CLAUSES[due.kind][1]
        reason = f"expected {start}... ({what} comes next)"
        return self.scan.error(reason, [f"{start}{item}" for item in items])

    def _check_used(self, scripted: ScriptedStep, given: GivenOutcomes, start: int) -> None:
        """Raise an error for outcomes that do not follow from a step."""
        for kind, values in given.values.items():
            if values:
                n = sum(kind_of(code) == kind for code, _ in scripted.script)
                due = f"{n or 'none'} {'belongs' if n == 1 else 'belong'} here"
                raise self.scan.error(f"too many outcomes: {due}", at=max(values[0][1], start), is_illegal=True)

    # -- tickets ------------------------------------------------------------------

    def _ticket_items(self, choices: Sequence[str], *, unknown: bool = True) -> list[tuple[int, int]]:
        """Read tickets: their number if unknown, else names and question marks separated by commas."""
        scan = self.scan
        if unknown and (n := self._lone_number()) is not None:
            return [(layout.UNKNOWN_TICKET, scan.at)] * n
        items: list[tuple[int, int]] = []
        while True:
            place = scan.at
            ticket = scan.name(self.names.tickets)
            if ticket is not None:
                items.append((self.packed.codec.ticket_index(ticket), place))
            elif unknown and scan.accept(_UNKNOWN_TICKET):
                items.append((layout.UNKNOWN_TICKET, place))
            else:
                rest = scan.rest().split(",")[0]
                raise scan.expected("a ticket or ?" if unknown else "a ticket", choices, self.names.tickets.near(rest))
            if not scan.listed():
                return items

    def _lone_number(self) -> int | None:
        """Read the number of unknown items, if no name begins with it."""
        before = self.scan.at
        n = None if self.scan.name(self.names.tickets) else self.scan.number()
        if n is None or n > MAX_OFFER:
            self.scan.at = before
            return None
        return n

    def _ticket_choices(self, script: Sequence[tuple[int, int]] = ()) -> list[str]:
        """Return the names of the tickets that the pile may yield after a script."""
        given = {value for code, value in (*self._dealt, *script) if kind_of(code) in _TICKETS}
        in_pile = [
            i not in given and (self.vector is None or self.vector.ticket_at[i] == layout.AT_PILE)
            for i in range(len(self.map.tickets))
        ]
        return [ticket.id for ticket, is_there in zip(self.map.tickets, in_pile, strict=True) if is_there]

    # -- rules ----------------------------------------------------------------------

    def _reject(self, vector: State, code: int, place: int) -> None:
        """Raise the error for a kind of move at the wrong time."""
        reason = self.packed.why_illegal(vector, code, 0) or "this move is impossible here"
        raise self.scan.error(reason, at=place, is_illegal=True)

    _verbs: ClassVar[tuple[tuple[re.Pattern[str], Callable[[LineParser, State, int], None]], ...]] = (
        (re.compile(r"(?:draws? )?tickets?\b"), _read_tickets),
        (re.compile(r"draws?\b"), _read_draw),
        (re.compile(r"takes?\b"), _read_take),
        (re.compile(r"keeps?\b"), _read_keep),
        (re.compile(r"attempts?\b"), _read_attempt),
        (re.compile(r"pays?\b"), _read_pay),
        (re.compile(r"declines?\b"), lambda self, vector, start: self._step(vector, codes.DECLINE_TUNNEL, 0, start)),
        (re.compile(r"neutral takes?\b"), _read_neutral),
        (re.compile(r"(?:builds? )?(?:a )?stations?\b(?: in\b)?"), _read_station),
        (re.compile(r"pass(?:es)?\b"), lambda self, vector, start: self._step(vector, codes.PASS, 0, start)),
    )
    """First words of a move, and the method that reads the rest."""
