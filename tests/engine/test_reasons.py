"""Why actions are illegal, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.engine.positions import Position, changed, drawn, revealed
from tests.engine.walks import state_of
from tests.fixtures import load
from ttr_analysis import CardCounts, Game, GameMap, GameRecord, IllegalActionError
from ttr_analysis.analysis.payments import Payment, from_cards
from ttr_analysis.engine.actions import (
    Action,
    AttemptTunnel,
    BuildStation,
    ChooseNeutralRoute,
    ClaimRoute,
    DeclineTunnel,
    DrawCard,
    DrawFaceUp,
    DrawTickets,
    KeepTickets,
    Pass,
    PayTunnel,
)
from ttr_analysis.engine.actions.table import HANDLERS
from ttr_analysis.engine.codes import ActionFault
from ttr_analysis.engine.layout import OVER, UNKNOWN_CARD, Phase
from ttr_analysis.policies import Greedy


def why(table: Position, action: Action) -> str | None:
    """Return why an action is illegal in a position."""
    game, state = state_of(table)
    return game.why_illegal(state, action)


def claim(game_map: GameMap, route: str, **cards: int) -> ClaimRoute:
    """Return a claim with cards that need not pay for the route."""
    claimed = game_map.route(route)
    try:
        return ClaimRoute(claimed, from_cards(claimed, cards))
    except ValueError:
        return ClaimRoute(claimed, Payment(None, 0, 0, CardCounts.of(**cards)))


def _over() -> Position:
    return Position("usa").put("phase", OVER)


def _unknown_slot() -> Position:
    table = Position("usa").pile(red=9)
    table.state.market[0] = UNKNOWN_CARD
    return table


def _offered() -> Position:
    table = Position("nordic").put("phase", Phase.KEEP_START).put("n_offer", 3)
    for i in range(3):
        table.put("offer", i, i)
    return table


def _tunnel(**hand: int) -> Position:
    table = Position("nordic").hand(0, blue=4, **hand)
    return table.claims("Bergen-Oslo/0", revealed("blue", "red", "locomotive"), blue=4)


def _locomotive_second() -> Position:
    table = Position("usa").market("locomotive", "red", "white", "white", "black")
    return table.do((0, 0), drawn("blue"))


def _empty_piles(game_map: str | GameMap) -> Position:
    return Position(game_map).market("red", "blue").pile()


def _neutral_phase() -> Position:
    table = Position("nederland", 2, "neutral")
    ticket = next(t for t in table.map.tickets if t.neutral == ("Amsterdam", "Rotterdam"))
    table.put("neutral_ticket", table.map.tickets.index(ticket))
    return table.put("phase", Phase.NEUTRAL).put("seat", 1)


def _no_loans() -> Position:
    game_map = changed("nederland", money={"loan": load("nederland").rules.money.loan.__class__(penalty=5, limit=1)})
    return Position(game_map, 2).hand(0, red=4).put("tokens", 1).put("loans", 1, 1)


def _first(game_map: GameMap, *, toll: int) -> ClaimRoute:
    """Return a claim of a gray route with a toll, for red cards."""
    route = next(r for r in game_map.routes if r.toll == toll and r.length <= 4 and r.color in {"gray", "red"})
    return ClaimRoute(route, from_cards(route, {"red": route.length}))


CASES: list[tuple[ActionFault, Callable[[], Position], Callable[[GameMap], Action], str]] = [
    (ActionFault.OVER, _over, lambda _: DrawCard(), "the game is over"),
    (
        ActionFault.PHASE,
        _tunnel,
        lambda _: DrawCard(),
        "P0 must pay the surcharge or take its cards back now; it cannot",
    ),
    (
        ActionFault.PHASE,
        _offered,
        lambda _: DrawCard(),
        "P0 must choose its opening tickets now; it cannot draw a card",
    ),
    (
        ActionFault.PHASE,
        lambda: Position("usa"),
        lambda _: DeclineTunnel(),
        "P0 must take its turn now; it cannot decline",
    ),
    (ActionFault.PHASE, lambda: Position("usa"), lambda _: PayTunnel(CardCounts()), "cannot pay for a tunnel"),
    (
        ActionFault.PHASE,
        _locomotive_second,
        lambda _: DrawTickets(),
        "P0 must draw another card now; it cannot draw tick",
    ),
    (
        ActionFault.PHASE,
        lambda: Position("usa"),
        lambda m: KeepTickets(m.tickets[:1]),
        "P0 must take its turn now; it cannot keep tickets",
    ),
    (ActionFault.NO_CARDS, lambda: _empty_piles("usa"), lambda _: DrawCard(), "the discard pile are empty"),
    (ActionFault.SLOT, lambda: Position("usa"), lambda _: DrawFaceUp(9), "slot 9: slots are numbered 0 to 4"),
    (ActionFault.SLOT, lambda: Position("usa"), lambda _: DrawFaceUp(-1), "there is no market slot -1"),
    (ActionFault.EMPTY_SLOT, lambda: _empty_piles("usa"), lambda _: DrawFaceUp(4), "market slot 4 is empty"),
    (
        ActionFault.SECOND_LOCOMOTIVE,
        _locomotive_second,
        lambda _: DrawFaceUp(0),
        "locomotive may only be the first card",
    ),
    (ActionFault.UNKNOWN_FACE_UP, _unknown_slot, lambda _: DrawFaceUp(0), "is unknown: name the card taken"),
    (ActionFault.NONE_UNSEEN, _unknown_slot, lambda _: DrawFaceUp(0, "green"), "every green card is known"),
    (
        ActionFault.KNOWN_FACE_UP,
        lambda: Position("usa").market("red"),
        lambda _: DrawFaceUp(0, "red"),
        "is known to be red",
    ),
    (
        ActionFault.MARKET_CLOSED,
        lambda: _empty_piles(changed("usa", market={"open_without_piles": False})),
        lambda _: DrawFaceUp(0),
        "the draw pile and the discard pile are empty, so face-up cards may not be taken",
    ),
    (
        ActionFault.TAKEN,
        lambda: Position("nordic").own(1, "Bergen-Oslo/0"),
        lambda m: claim(m, "Bergen-Oslo/0", blue=4),
        r"Bergen-Oslo \(blue, 4\) is taken by P1",
    ),
    (
        ActionFault.TAKEN,
        lambda: Position("nederland", 2, "neutral").own("neutral", "Amsterdam-Rotterdam/0"),
        lambda m: ClaimRoute(m.route("Amsterdam-Rotterdam/0"), Payment(None, 0, 3)),
        "is taken by the neutral player",
    ),
    (
        ActionFault.TWIN_OWN,
        lambda: Position("nordic").own(0, "Bergen-Oslo/0"),
        lambda m: claim(m, "Bergen-Oslo/1", red=4),
        r"P0 has the other track of Bergen-Oslo \(red, 4\)",
    ),
    (
        ActionFault.TWIN_CLOSED,
        lambda: Position("nordic").own(1, "Bergen-Oslo/0"),
        lambda m: claim(m, "Bergen-Oslo/1", red=4),
        r"P1 has the other track of Bergen-Oslo \(red, 4\), which closes this one in a 2-player game",
    ),
    (
        ActionFault.TRAINS,
        lambda: Position("nordic", 3).after_turns(2).hand(2, green=9).put("trains", 3, 2),
        lambda m: claim(m, "Lieksa-Murmansk/0", green=9),
        r"P2 has 3 trains, but Lieksa-Murmansk \(gray, 9\) needs 9",
    ),
    (
        ActionFault.CARDS,
        lambda: Position("nordic").hand(0, blue=2),
        lambda m: claim(m, "Bergen-Oslo/0", blue=3, locomotive=1),
        "P0 holds 2 of the 3 blue cards, 0 of the 1 locomotive",
    ),
    (
        ActionFault.PAYMENT,
        lambda: Position("nordic").hand(0, red=4),
        lambda m: claim(m, "Bergen-Oslo/0", red=4),
        "cards must be blue, got 4 red",
    ),
    (
        ActionFault.LOANS,
        _no_loans,
        lambda m: _first(m, toll=2),
        "P0 has tokens worth 1, .* has a toll of 2, and no loan",
    ),
    (
        ActionFault.SURCHARGE,
        lambda: _tunnel(red=1, locomotive=1),
        lambda _: PayTunnel(CardCounts.of(red=1, locomotive=1)),
        r"the tunnel requires a surcharge of 2 cards \(blue or locomotives\), got 1 red, 1 locomotive",
    ),
    (
        ActionFault.CARDS,
        lambda: _tunnel(locomotive=1),
        lambda _: PayTunnel(CardCounts.of(locomotive=2)),
        "P0 holds 1 of the 2 locomotives",
    ),
    (ActionFault.NO_TICKETS, lambda: Position("usa").ticket_pile(), lambda _: DrawTickets(), "no ticket is left"),
    (
        ActionFault.KEEP_FEW,
        _offered,
        lambda m: KeepTickets(m.tickets[:1]),
        "P0 must keep at least 2 tickets, got 1",
    ),
    (
        ActionFault.KEEP_OTHER,
        _offered,
        lambda m: KeepTickets(m.tickets[2:4]),
        f"{load('nordic').tickets[3]} is not offered",
    ),
    (
        ActionFault.NEUTRAL_ROUTE,
        _neutral_phase,
        lambda m: ChooseNeutralRoute(m.route("Breda-Rotterdam/0")),
        "the neutral player must take Amsterdam-Rotterdam .* or Amsterdam-Rotterdam .* now, got Breda-Rotterdam",
    ),
    (
        ActionFault.STATION_TAKEN,
        lambda: Position("europe").station(1, "Wien").hand(0, red=1),
        lambda m: BuildStation(m.city("Wien"), Payment("red", 1, 0)),
        "P1 has a station in Wien",
    ),
    (
        ActionFault.NO_STATIONS,
        lambda: Position("europe").station(0, "Wien", "Roma", "Riga").hand(0, red=1),
        lambda m: BuildStation(m.city("Paris"), Payment("red", 1, 0)),
        "P0 has built all of its 3 stations",
    ),
    (
        ActionFault.NO_STATIONS,
        lambda: Position("usa").hand(0, red=1),
        lambda m: BuildStation(m.city("Miami"), Payment("red", 1, 0)),
        "USA is played without stations",
    ),
    (
        ActionFault.CARDS,
        lambda: Position("europe").hand(0, red=1),
        lambda m: BuildStation(m.city("Wien"), Payment("blue", 1, 0)),
        "P0 holds 0 of the 1 blue card",
    ),
    (
        ActionFault.PAYMENT,
        lambda: Position("europe").hand(0, red=2),
        lambda m: BuildStation(m.city("Wien"), Payment("red", 2, 0)),
        "station 1 of P0: it takes exactly 1 card, got 2",
    ),
    (
        ActionFault.PAYMENT,
        lambda: Position(changed("europe", claims={"locomotives_on": ("tunnel",)})).hand(0, locomotive=1),
        lambda m: BuildStation(m.city("Wien"), Payment(None, 0, 1)),
        "station 1 of P0: locomotives are not wild there",
    ),
    (
        ActionFault.NOT_STUCK,
        lambda: Position("usa"),
        lambda _: Pass(),
        "P0 can do something else, so it may not pass",
    ),
]


@pytest.mark.parametrize(("fault", "position", "action", "reason"), CASES, ids=[case[0].name for case in CASES])
def test_every_fault_has_a_reason_in_words(
    fault: ActionFault, position: Callable[[], Position], action: Callable[[GameMap], Action], reason: str
) -> None:
    table = position()
    game, state = state_of(table)
    refused = action(table.map)

    assert fault != ActionFault.NONE
    assert not game.is_legal(state, refused)
    with pytest.raises(IllegalActionError, match=reason):
        game.apply(state, refused)
    assert refused not in game.legal_actions(state)


def test_no_fault_is_without_a_case() -> None:
    told = {fault for handler in HANDLERS for fault in handler.faults}
    assert told | {ActionFault.OVER, ActionFault.PHASE} == set(ActionFault) - {ActionFault.NONE}
    by_number = {ActionFault.ROUTE, ActionFault.CITY}  # a Route or City is always one of a map
    assert {case[0] for case in CASES} == set(ActionFault) - {ActionFault.NONE} - by_number


def test_a_tunnel_in_locomotives_wants_locomotives() -> None:
    table = Position("nordic").hand(0, locomotive=4, green=2)
    table.claims("Kristiansand-Stavanger/0", revealed("green", "red", "locomotive"), locomotive=2)

    reason = why(table, PayTunnel(CardCounts.of(green=1)))
    assert reason == "the tunnel requires a surcharge of 1 card (locomotives), got 1 green"


def test_a_tunnel_is_not_attempted_in_another_color() -> None:
    table = Position("nordic").hand(0, blue=4)
    tunnel = table.map.route("Bergen-Oslo/1")
    assert why(table, AttemptTunnel(tunnel, "blue")) == f"{tunnel} cannot be paid in blue"


def test_actions_of_another_map_get_a_reason_too() -> None:
    usa = load("usa")
    foreign = usa.routes[0]
    reason = why(Position("nordic"), ClaimRoute(foreign, from_cards(foreign, {"red": foreign.length})))
    assert reason == f"{foreign} is not a route on the map {load('nordic').title}"
    no_action: object = 7
    assert why(Position("nordic"), no_action) == "expected an action such as DrawCard(), got 7"  # type: ignore[arg-type]


def test_every_choice_of_set_cards_is_legal() -> None:
    table = Position("nordic").hand(0, green=8, red=4, black=4)
    game, state = state_of(table)
    route = table.map.route("Lieksa", "Murmansk")
    listed = [a for a in game.legal_actions(state) if isinstance(a, ClaimRoute) and a.route == route]
    choices = [ClaimRoute(route, Payment("green", 7, 0, CardCounts.of(red=n, black=8 - n))) for n in range(4, 5)]
    choices += [ClaimRoute(route, Payment("green", 7, 0, CardCounts.of(green=1, red=n, black=7 - n))) for n in (3, 4)]

    assert len({claim.payment.cards for claim in listed}) == len(listed)
    assert all(game.is_legal(state, choice) for choice in choices)
    assert {game.apply(state, choice).hands[0] for choice in choices} == {
        CardCounts.of(green=8, red=4, black=4) - choice.payment.cards for choice in choices
    }


def test_a_split_that_does_not_hold_is_illegal() -> None:
    table = Position("nordic").hand(0, green=9)
    route = table.map.route("Lieksa", "Murmansk")
    split = ClaimRoute(route, Payment("green", 5, 0, CardCounts.of(green=4)))
    assert why(table, ClaimRoute(route, Payment("green", 9, 0))) is None
    assert why(table, split) is not None
    assert "but not split as in this payment" in str(why(table, split))


def test_players_go_by_their_names_where_they_are_known(nordic: GameMap) -> None:
    game = Game(nordic)
    record = game.play([Greedy(), Greedy()], seed=7)
    names = ["Ida", "Bo"]
    state = record.state_at(40)
    assert game.why_illegal(game.new(seed=7), Pass(), names=names) == (
        "Ida must choose its opening tickets now; it cannot pass"
    )
    taken = next(route for route, owner in state.owners.items() if owner == 0)
    preview = game.preview(state, taken, seat=1, names=names)
    assert str(preview).startswith("Bo may not: ")
    assert str(preview).endswith("is taken by Ida")

    named = GameRecord(replace(record.header, players=tuple(names)), record.entries, record.map)
    assert "won by Ida" in repr(named.score()) or "won by Bo" in repr(named.score())
    assert "<Score of Bo: " in repr(named.score())
    assert named.score() == record.score()
    assert repr(named).endswith(("won by Ida>", "won by Bo>"))
