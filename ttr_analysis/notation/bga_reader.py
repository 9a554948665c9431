"""Turn the lines of a log into the events of a record, move by move."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from types import MappingProxyType
from typing import Final, NamedTuple

from ttr_analysis._errors import RecordError, UnknownNameError
from ttr_analysis._words import counted, listed, with_names
from ttr_analysis.cards import CARD_KINDS, COLORS, LOCOMOTIVE, N_KINDS, CardCounts
from ttr_analysis.engine import codes, layout
from ttr_analysis.engine.actions.drawing import offer_of
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.layout import UNKNOWN_CARD, Phase
from ttr_analysis.engine.position import Position, corrected
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.notation.bga_log import (
    UNKNOWN_COPIES,
    Copies,
    Log,
    LogEntry,
    Selection,
    acts_of,
    copies_named,
    match_notes,
)
from ttr_analysis.notation.writer import claim_code, meant_slots, packed_cards
from ttr_analysis.records.entries import COMPLETING, CORRECTED, SHOWN, Entry
from ttr_analysis.records.replay import ScriptedStep
from ttr_analysis.tables import UNKEPT_DISCARDED

# -- known opening hands -----------------------------------------------------------------------------------------------


_LEFT: Final = r"(?i:\b(left|leaves|quits?|expelled|kicked|abandon(s|ed)?|skipp?(s|ed)?|out of time)\b)"
"""Words in a line about a player who left or ran out of time."""


class MissingOutcomeError(Exception):
    """An outcome of a move is missing, for example because the log breaks off."""


class _Tunnel(NamedTuple):
    """
    The lines of a tunnel attempt.

    Of `n_turned` cards turned over, `n_more` match; `paid` are the cards of the claim that follows, if any.
    """

    route: Route
    color: str
    n_more: int
    n_turned: int
    paid: tuple[str, ...]
    end: LogEntry | None
    before: Sequence[LogEntry]
    """The lines between the attempt and the claim or skip."""
    later: Sequence[LogEntry]


class KnownCards:
    """The known cards of each hand; a card played that is not among them must have been dealt."""

    def __init__(self, n_players: int) -> None:
        self.dealt = [Counter[str]() for _ in range(n_players)]
        self._known = [Counter[str]() for _ in range(n_players)]
        self._has_unknown = set[int]()
        """Seats that drew unknown cards, with which they may also pay."""

    def add(self, seat: int, card: str) -> None:
        """Note a card that a seat got, "?" if unknown."""
        if card == "?":
            self._has_unknown.add(seat)
        else:
            self._known[seat][card] += 1

    def show(self, seat: int, cards: Sequence[str], *, plays: bool) -> None:
        """Note cards that a seat plays or takes back."""
        missing = Counter(cards) - self._known[seat]
        if seat not in self._has_unknown:
            self.dealt[seat] += missing
        self._known[seat] += missing
        if plays:
            self._known[seat] -= Counter(cards)


def _enter_one(scripted: ScriptedStep, left: list[Copies]) -> bool:
    """
    Enter one ticket of an offer and remove it from the list; return whether one fits.

    Notes are in any order, but tickets under the pile come in a fixed order, so each is tried.
    """
    for copies in left:
        if any(not scripted.add(ticket) for ticket in sorted(copies)):
            left.remove(copies)
            return True
    return False


# -- from a log to a record --------------------------------------------------------------------------------------------


class LogFollower:
    """
    Follows a log move by move.

    `selections` are noted ticket offers by player, `tracks` the track of each claim by
    line, and `dealt` the known cards of the opening hands.
    """

    def __init__(
        self,
        game_map: GameMap,
        players: tuple[str, ...],
        log: Log,
        selections: Mapping[str, Sequence[Selection]],
        tracks: Mapping[int, Route],
        dealt: Sequence[Counter[str]] = (),
    ) -> None:
        self.game_map = game_map
        self.players = players
        self.log = log
        self.packed = KernelGame(game_map, len(players))
        self.tracks = tracks
        self.known_cards = KnownCards(len(players))
        self._dealt = dealt
        self._noted: dict[int, Selection] = {}
        """Noted offers by line."""
        self.unused: list[str] = []
        self.skipped: list[str] = []
        """Messages on skipped turns, such as those of players who left."""
        for name, noted in selections.items():
            keeps = [act for act, _ in acts_of(log.entries) if act.kind == "keep" and act.player == name]
            matched = match_notes(noted, keeps, set(self._revealed(name)))
            self._noted.update(matched)
            for chosen in noted:
                if not any(chosen is other for other in matched.values()):
                    self._leave_out(name, chosen)
        self.vector = layout.State()
        self.entries: list[Entry] = []
        self.steps: list[tuple[int, int, int | None, str, str]] = []
        self._line_ends: list[tuple[int, LogEntry | None]] = []
        """Lines, each with the number of events of the record up to and including it."""
        self._free_claims: dict[int, LogEntry] = {}
        """The claim after each tunnel attempt without a surcharge."""
        self._n_steps = 0

    def act_of(self, event: int) -> LogEntry | None:
        """Return the line that an event of the record follows from; None for the setup."""
        return next((act for end, act in self._line_ends if event < end), None)

    def read(self) -> None:
        """Read the log, or raise a RecordError at the first impossible line."""
        acts = list(acts_of(self.log.entries))
        openings: dict[str, tuple[LogEntry, list[LogEntry]]] = {}
        """The first act of each player: keeping tickets."""
        for act, after in acts:
            if act.kind != "keep" or act.player in openings:
                break
            openings[act.player] = act, after
        first = len(openings)
        turn = acts[first][0] if first < len(acts) else None
        before = takewhile(lambda entry: entry is not turn, self.log.entries)
        self._set_up(sum(entry.kind == "reset" for entry in before), openings)
        if self.vector.phase == Phase.KEEP_START:
            if turn is not None:
                missing = [name for name in self.players if name not in openings]
                raise turn.fault(f"{', '.join(missing)} must keep opening tickets first")
            return
        i = first
        while i < len(acts):
            act, after = acts[i]
            i += 1
            if act.kind == "attempt" and i < len(acts) and acts[i][0].kind in ("claim", "decline"):
                end, later = acts[i]
                if end.player == act.player:  # it ends with the claim, or by giving it up
                    after = [*after, end, *later]
                    i += 1
            try:
                self._act(act, after)
            except MissingOutcomeError as error:
                if i < len(acts) or self.log.entries[-1].kind == "end":
                    raise act.fault(str(error)) from None
                self.log.unread.append((act.line, act.text))  # the log breaks off before the outcome
        if ended := next((e for e in self.log.entries if e.kind in ("reveal", "trail", "end")), None):
            self._pass_to(-1, ended.line)
        self._show_tickets()
        self._note_completed()

    # -- the setup ----------------------------------------------------------------------

    def _set_up(self, n_resets: int, openings: Mapping[str, tuple[LogEntry, list[LogEntry]]]) -> None:
        kept = dict(openings)
        n_dealt = int(self.packed.tables.opening_deal)
        choices: dict[str, Selection] = {}
        for name, (act, after) in openings.items():
            try:
                choices[name] = self._choice(act, after, n_dealt)
            except MissingOutcomeError as error:
                if act is not list(acts_of(self.log.entries))[-1][0]:
                    raise act.fault(str(error)) from None
                self.log.unread.append((act.line, act.text))
                del kept[name]
        while (scripted := self._deal(n_resets, choices)) is None:
            pass  # retry without the impossible offer
        self._add(scripted, None)
        for name in self.players:
            if name not in kept:
                break
            self._keep(kept[name][0], choices[name])

    def _deal(self, n_resets: int, choices: dict[str, Selection]) -> ScriptedStep | None:
        """Return the setup; None if a noted offer was impossible, which is then replaced by unknown tickets."""
        scripted = ScriptedStep(self.packed, None)
        offers = {name: list(chosen.offered) for name, chosen in choices.items()}
        hands = [deque(self.hand(seat)) for seat in range(len(self.players))]
        while True:
            due = scripted.next_outcome
            if n_resets and (due is None or due.kind != codes.MARKET_CARD) and scripted.add_replaced(UNKNOWN_CARD):
                n_resets -= 1
            elif due is None:
                break
            elif due.kind == codes.CARD_DEALT:
                scripted.add(hands[due.seat].popleft())
            elif due.kind == codes.MARKET_CARD:
                scripted.add(UNKNOWN_CARD)
            elif not _enter_one(scripted, offers.get(self.players[due.seat]) or [UNKNOWN_COPIES]):
                name = self.players[due.seat]
                self._leave_out(name, choices[name])
                unknown = [(UNKNOWN_COPIES,) * len(part) for part in choices[name][:2]]
                choices[name] = Selection(unknown[0], unknown[1])
                return None
        return scripted

    def hand(self, seat: int) -> list[int]:
        """Return the opening hand of a seat, as far as known."""
        n = int(self.packed.tables.opening_hand)
        known = sorted(self._dealt[seat].elements(), key=CARD_KINDS.index)[:n] if self._dealt else []
        return [*map(CARD_KINDS.index, known), *[UNKNOWN_CARD] * (n - len(known))]

    # -- moves ----------------------------------------------------------------------------

    def _act(self, act: LogEntry, after: Sequence[LogEntry]) -> None:
        if self.vector.phase == layout.OVER:
            raise act.fault("the game is over")
        if act.player not in self.players:
            raise act.fault(f"expected one of {', '.join(self.players)}")
        seat = self.players.index(act.player)
        self._pass_to(seat, act.line)
        self._skip_to(act, seat)
        if self.vector.phase == layout.OVER:
            raise act.fault("the game is over")
        if seat != int(self.vector.seat):
            acting = self.players[int(self.vector.seat)]
            raise act.fault(f"it is {acting}'s turn, not {act.player}'s{self._hint()}")
        getattr(self, f"_read_{act.kind}")(act, after, seat)

    def _pass_to(self, seat: int, line: int) -> None:
        """Advance to a seat's turn through forced passes, which the log does not mention."""
        while self.vector.phase in (Phase.TURN, Phase.SECOND_DRAW) and seat != int(self.vector.seat):
            if self.packed.why_illegal(self.vector, codes.PASS, 0) is not None:
                return
            did = "passed" if self.vector.phase == Phase.TURN else "could draw no second card"
            self.skipped.append(f"{self.players[int(self.vector.seat)]} {did} before line {line}")
            self._add(ScriptedStep(self.packed, self.vector, codes.PASS, 0), None)
            self._n_steps += 1

    def _skip_to(self, act: LogEntry, seat: int) -> None:
        """Skip the turns of players who left the game, as a correction of the record."""
        n = len(self.players)
        n_skipped = (seat - int(self.vector.turn_seat)) % n
        skipped = [self.players[(int(self.vector.turn_seat) + i) % n] for i in range(n_skipped)]
        if self.vector.phase != Phase.TURN or not skipped or not all(self._has_left(name, act) for name in skipped):
            return
        left = int(self.vector.last_left)
        names = listed(skipped)
        correction = Position(
            reason=f"{names} left the game",
            to_move=seat,
            turns_left=left - n_skipped if left > n_skipped else None,
        )
        after, problems = corrected(self.vector, correction, self.game_map, n)
        if problems:
            return
        self.vector = after
        self.entries.append(Entry(CORRECTED, stamp=act.stamp, position=correction))
        self._line_ends.append((len(self.entries), act))
        self._n_steps += 1
        self.skipped.append(f"{names} left the game: skipped before line {act.line}")

    def _has_left(self, name: str, act: LogEntry) -> bool:
        """Return whether an earlier line that was not understood reports that a player left; chat does not count."""
        left = re.compile(rf"{re.escape(name)} +(?!:)(?!.*tunnel).*{_LEFT}")
        return any(left.match(text) for line, text in self.log.unread if line < act.line)

    def _hint(self) -> str:
        """List earlier lines that were not understood: one may be the missing move."""
        numbers = [number for number, _ in self.log.unread]
        return f" (not understood: line {', '.join(map(str, numbers[:5]))})" if numbers else ""

    def _read_draw(self, act: LogEntry, after: Sequence[LogEntry], seat: int) -> None:
        cards = act.cards or ("?",) * act.number
        for i, card in enumerate(cards):
            self.known_cards.add(seat, card)
            if i and int(self.vector.seat) != seat:
                raise act.fault(f"{act.player} cannot draw {act.number} cards")
            follow = after if i == len(cards) - 1 else [e for e in after if e.kind == "shuffle"]
            kind = UNKNOWN_CARD if card == "?" else CARD_KINDS.index(card)
            self._make(act, codes.DRAW_CARD, 0, follow, {codes.CARD_DRAWN: [kind]})

    def _read_take(self, act: LogEntry, after: Sequence[LogEntry], seat: int) -> None:
        card = act.cards[0]
        self.known_cards.add(seat, card)
        kind = CARD_KINDS.index(card)
        slots = meant_slots(self.vector, kind)
        if not slots:
            raise act.fault(f"no {card} card is in the market")
        is_known = self.vector.market[slots[0]] == kind
        self._make(act, codes.make_action(codes.DRAW_FACE_UP, slots[0]), 0 if is_known else 1 + kind, after)

    def _read_claim(self, act: LogEntry, after: Sequence[LogEntry], seat: int) -> None:
        route = self.tracks[act.line]
        if route.tunnel:
            self._read_attempt(act, [act, *after], seat)
            return
        self.known_cards.show(seat, act.cards, plays=True)
        self._check_points(act, route)
        self._make(act, *claim_code(self.packed, route, CardCounts.coerce(act.cards)), after)

    def _check_points(self, act: LogEntry, route: Route) -> None:
        if act.points != route.points or act.number not in (len(act.cards), route.length):
            got = f"{act.number} cars and {act.points} points"
            raise act.fault(f"{route.id} has {route.length} spaces and {route.points} points, got {got}")

    def _read_attempt(self, act: LogEntry, after: Sequence[LogEntry], seat: int) -> None:
        """Read a tunnel attempt with its outcome; the log names the cards laid down only if the route is claimed."""
        found = self._tunnel(act, after)
        route, end, paid = found.route, found.end, found.paid
        is_free = found.n_more == 0
        later: Sequence[LogEntry] = [*found.before, *found.later] if is_free else found.before
        revealed = [layout.UNKNOWN_MATCH] * found.n_more + [UNKNOWN_CARD] * (found.n_turned - found.n_more)
        laid = paid if is_free else (LOCOMOTIVE,) * route.length if found.color == LOCOMOTIVE else (found.color,)
        self.known_cards.show(seat, laid, plays=is_free)
        code, value = claim_code(self.packed, route, CardCounts.coerce(laid))
        if not is_free and found.color != LOCOMOTIVE:
            code = codes.make_action(codes.ATTEMPT_TUNNEL, self.packed.codec.route_index(route))
        self._make(act, code, value, later, {codes.CARD_REVEALED: revealed})
        if end is None:
            return
        if is_free:
            self._free_claims[act.line] = end
            return
        if end.kind == "decline":
            self._make(end, codes.DECLINE_TUNNEL, 0, found.later)
            return
        self.known_cards.show(seat, paid, plays=True)
        more = paid[route.length :] if found.color == LOCOMOTIVE else paid
        self._make(end, codes.PAY_TUNNEL, packed_cards(CardCounts.coerce(more)), found.later)

    def _tunnel(self, act: LogEntry, after: Sequence[LogEntry]) -> _Tunnel:
        """Return the content of an attempt's lines, or raise a RecordError."""
        cut, end = next(((i, e) for i, e in enumerate(after) if e.kind in ("claim", "decline")), (len(after), None))
        reported = next((entry for entry in after[:cut] if entry.kind in ("surcharge", "free")), None)
        paid: tuple[str, ...] = ()
        route = self.tracks[act.line]
        if end is not None and end.kind == "claim":
            paid, route = end.cards, self.tracks[end.line]
            self._check_points(end, route)
        if reported is None and not paid:
            raise MissingOutcomeError("expected the surcharge of the tunnel on the next lines")
        n_more = reported.number if reported is not None else len(paid) - route.length
        n_turned = reported.turned if reported is not None else self._n_to_turn_over(n_more)
        if not 0 <= n_more <= n_turned or (paid and len(paid) != route.length + n_more):
            turned = f"{n_turned} cards were turned over and {n_more} match"
            raise act.fault(f"{turned}, but {len(paid)} were paid for {counted(route.length, 'space')}")
        if n_more == 0 and not paid:
            raise MissingOutcomeError("expected the claim of the tunnel on the next lines")
        color = next((kind for kind in (*act.cards, *paid) if kind in COLORS), LOCOMOTIVE)
        return _Tunnel(route, color, n_more, n_turned, paid, end, after[:cut], after[cut + 1 :])

    def _n_to_turn_over(self, least: int) -> int:
        """Return the number of cards to turn over for a tunnel now."""
        n_cards = int(self.vector.n_pile + self.vector.discards.sum() + self.vector.n_swept)
        return max(least, min(int(self.packed.tables.n_revealed), n_cards))

    def _read_station(self, act: LogEntry, after: Sequence[LogEntry], seat: int) -> None:
        try:
            city = self.packed.codec.city_index(self.game_map.city(act.ends))
        except UnknownNameError as error:
            raise act.fault(str(error)) from None
        self.known_cards.show(seat, act.cards, plays=True)
        self._make(act, codes.make_action(codes.BUILD_STATION, city), packed_cards(CardCounts.coerce(act.cards)), after)

    def _read_decline(self, act: LogEntry, _after: Sequence[LogEntry], _seat: int) -> None:
        raise act.fault("there is no tunnel to give up")

    def _read_pass(self, act: LogEntry, after: Sequence[LogEntry], _seat: int) -> None:
        self._make(act, codes.PASS, 0, after)

    def _read_choose(self, act: LogEntry, after: Sequence[LogEntry], _seat: int) -> None:
        route = self.packed.codec.route_index(self.tracks[act.line])
        self._make(act, codes.make_action(codes.CHOOSE_NEUTRAL, route), 0, after)

    # -- tickets ----------------------------------------------------------------------------

    def _read_keep(self, act: LogEntry, after: Sequence[LogEntry], _seat: int) -> None:
        scripted = self._begin(act, codes.DRAW_TICKETS, 0)
        n_offered = 0
        while scripted.next_outcome is not None:  # counts the tickets drawn
            n_offered += 1
            scripted.add(layout.UNKNOWN_TICKET)
        chosen = self._choice(act, after, n_offered)
        scripted = self._begin(act, codes.DRAW_TICKETS, 0)
        left = list(chosen.offered)
        while scripted.next_outcome is not None:
            if not _enter_one(scripted, left):
                self.unused.append(
                    f"{self.names(chosen.offered)}: noted for line {act.line}, but one of them was not in the pile"
                )
                chosen = self._unknown_choice(act, [], n_offered)
                scripted, left = self._begin(act, codes.DRAW_TICKETS, 0), list(chosen.offered)
        self._add(scripted, act)
        self._keep(act, chosen, after)

    def _choice(self, act: LogEntry, after: Sequence[LogEntry], n_offered: int) -> Selection:
        """Return the noted tickets offered and kept if they fit the log, else unknown ones."""
        laid = [copies_named(entry, self.game_map) for entry in after if entry.kind == "discard"]
        chosen = self._noted.pop(act.line, None)
        if chosen is not None:
            if len(chosen.offered) == n_offered:
                return chosen
            self._leave_out(act.player, chosen)
        if self.packed.tables.unkept == UNKEPT_DISCARDED and len(laid) < n_offered - act.number:
            raise MissingOutcomeError("expected the discarded tickets on the next lines")
        return self._unknown_choice(act, laid, n_offered)

    def _leave_out(self, name: str, chosen: Selection) -> None:
        self.unused.append(f"noted for {name} but not in the log: keeping {self.names(chosen.kept)}")

    def _unknown_choice(self, act: LogEntry, laid: Sequence[Copies], n_offered: int) -> Selection:
        """Return an offer in which only the discarded tickets are known."""
        kept = (UNKNOWN_COPIES,) * act.number
        rest = (UNKNOWN_COPIES,) * max(0, n_offered - act.number - len(laid))
        return Selection((*kept, *laid, *rest)[:n_offered], kept)

    def _revealed(self, name: str) -> list[Copies]:
        lines = [entry for entry in self.log.entries if entry.kind == "reveal" and entry.player == name]
        return [copies_named(entry, self.game_map) for entry in lines]

    def names(self, tickets: Sequence[Copies]) -> str:
        """Return the names of tickets."""
        return ", ".join(
            "?" if copies == UNKNOWN_COPIES else self.game_map.tickets[min(copies)].id for copies in tickets
        )

    def _keep(self, act: LogEntry, chosen: Selection, after: Sequence[LogEntry] = ()) -> None:
        offer = offer_of(self.vector)
        bits = 0
        for copies in chosen.kept:
            at = next((i for i, ticket in enumerate(offer) if ticket in copies and not bits >> i & 1), -1)
            if at < 0:
                raise act.fault(f"{act.player} is offered {len(offer)} tickets")
            bits |= 1 << at
        kept = tuple(ticket for i, ticket in enumerate(offer) if bits >> i & 1)
        self._make(act, codes.KEEP_TICKETS, bits, after, kept=kept)

    def _show_tickets(self) -> None:
        """Add the tickets that the log names at the end of the game."""
        if self.vector.phase != layout.OVER:
            return
        for seat, name in enumerate(self.players):
            held = self.vector.held[seat, : self.vector.n_held[seat]].tolist()
            if layout.UNKNOWN_TICKET not in held:
                continue
            shown: list[int] = []
            for copies in self._revealed(name):
                others = copies.difference(shown)
                ranked = sorted(others, key=lambda n: (n not in held, self.vector.ticket_at[n] != layout.AT_PILE))
                shown += ranked[:1]
            after = self.vector.copy()
            if shown and not layout.identify_tickets(after, self.packed.tables, seat, shown):
                self.vector = after
                self.entries.append(Entry(SHOWN, seat, tickets=tuple(shown)))
                self._n_steps += 1

    def _note_completed(self) -> None:
        """Mark each claim, station and keep with the shown tickets that it completed."""
        noted: list[tuple[LogEntry, Copies]] = []
        for entry in self.log.entries:
            if entry.kind == "completed" and entry.move is not None:
                with suppress(RecordError):  # not a ticket of the map; nothing else depends on it
                    noted.append((entry, copies_named(entry, self.game_map)))
        starts = [0, *(end for end, _ in self._line_ends)]
        for start, (_, act) in zip(starts, self._line_ends, strict=False):
            event = self.entries[start]
            if act is None or event.kind not in COMPLETING:
                continue
            held = {*self.vector.held[event.seat, : self.vector.n_held[event.seat]].tolist()}
            moves = {act.move, self._free_claims.get(act.line, act).move}
            named = [copies for entry, copies in noted if entry.move in moves and entry.player in ("You", act.player)]
            found = held.intersection(ticket for copies in named for ticket in copies)
            ids = tuple(self.game_map.tickets[ticket].id for ticket in sorted(found))
            if ids and event.stamp is not None:
                self.entries[start] = event._replace(stamp=event.stamp._replace(completed=ids))

    # -- steps ---------------------------------------------------------------------------------

    def _begin(self, act: LogEntry, code: int, value: int) -> ScriptedStep:
        if reason := self.packed.why_illegal(self.vector, code, value):
            raise act.fault(with_names(reason, self.players) + self._hint())
        return ScriptedStep(self.packed, self.vector, code, value)

    def _make(
        self,
        act: LogEntry,
        code: int,
        value: int,
        after: Sequence[LogEntry],
        shown: Mapping[int, Sequence[int]] = MappingProxyType({}),
        kept: tuple[int, ...] | None = None,
    ) -> None:
        """Make a move with its outcomes: cards `shown` by kind of event, unknown where the log omits them."""
        scripted = self._begin(act, code, value)
        resets = deque(entry for entry in after if entry.kind == "reset")
        neutral = deque(entry for entry in after if entry.kind == "neutral")
        cards = {kind: deque(values) for kind, values in shown.items()}
        while True:
            due = scripted.next_outcome
            is_market = due is not None and due.kind == codes.MARKET_CARD
            if resets and not is_market and scripted.add_replaced(UNKNOWN_CARD):
                resets.popleft()
                continue
            if due is None:
                break
            value = UNKNOWN_CARD
            if cards.get(due.kind):
                value = cards[due.kind].popleft()
            elif due.kind == codes.NEUTRAL_TICKET and neutral:
                if _enter_one(scripted, [copies_named(neutral[0], self.game_map)]):
                    neutral.popleft()
                    continue
                raise neutral[0].fault("that ticket is not in the pile")
            elif due.kind == codes.CARD_REVEALED:
                raise act.fault("the log turns over too few cards for the tunnel")
            elif due.kind == codes.NEUTRAL_TICKET:
                raise MissingOutcomeError("expected the neutral ticket on the next lines")
            if reason := scripted.add(value):
                raise act.fault(f"{CARD_KINDS[value] if value < N_KINDS else 'that'} is impossible here: {reason}")
        if resets:
            raise resets[0].fault("the market cannot be replaced here")
        if cards.get(codes.CARD_REVEALED):
            raise act.fault("the log turns over too many cards for the tunnel")
        self._add(scripted, act, kept)

    def _add(self, scripted: ScriptedStep, act: LogEntry | None, kept: tuple[int, ...] | None = None) -> None:
        entries = scripted.entries()
        if kept is not None:
            entries[0] = entries[0]._replace(value=0, tickets=kept)
        if act is not None:
            entries[0] = entries[0]._replace(stamp=act.stamp)
        self.entries += entries
        self._line_ends.append((len(self.entries), act))
        self.vector = scripted.after
        if act is not None:
            self._n_steps += 1
            self.steps.append((self._n_steps, act.line, act.move, act.time, act.text))
