"""Outlooks: what games after two moves say of them, in words, rows and a plan, true of the games and the position."""

from __future__ import annotations

import re
from functools import partial

import pytest

from tests.fixtures import load
from tests.policies.test_shown import both
from ttr_analysis import Game
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.cards import CardCounts
from ttr_analysis.engine.actions import ClaimRoute, DeclineTunnel, PayTunnel
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import (
    BUILD_STATION,
    CLAIM_ROUTE,
    DRAW_CARD,
    KEEP_TICKETS,
    PAY_TUNNEL,
    make_action,
    packed,
)
from ttr_analysis.engine.layout import NOBODY, Phase
from ttr_analysis.engine.state import GameState
from ttr_analysis.policies.search.knowledge import knowledge_of
from ttr_analysis.policies.search.searcher import Candidate
from ttr_analysis.policies.search.watching import Watcher
from ttr_analysis.studies import outlook
from ttr_analysis.studies.advice import ticket_ends
from ttr_analysis.studies.judging import Decision
from ttr_analysis.studies.outlook import PATH, POINTS, Why, _color, explained, locomotives_kept, what_changes
from ttr_analysis.tables import game_tables

pytestmark = pytest.mark.compiled_only

DRAW = (make_action(DRAW_CARD, 0), 0)


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play just enough games after an action for a color of cards to be told."""
    monkeypatch.setattr(outlook, "_N_GAMES", outlook._FEWEST_GAMES)


def words(why: Why) -> list[str]:
    """Return all that is said of an action."""
    return [*why.reasons, *why.changes]


def claim(state: GameState, a: str, b: str, color: str, n: int, track: int | None = None) -> Candidate:
    """Return the claim of a route for some cards of a color."""
    route = state.game_map.route(a, b, track=track)
    return codec_of(state.game_map).encode(ClaimRoute(route, Payment(color, n, 0)), state.packed)


def test_tickets_and_the_longest_path_that_an_action_decides_are_told_with_their_chances() -> None:
    """The last route before the end also completes a ticket."""
    game = Game("usa", 2)
    longest = ["Helena-Seattle/0", "Helena-Duluth/0", "Calgary-Winnipeg/0", "Sault Ste. Marie-Winnipeg/0"]
    others = ["San Francisco-Salt Lake City/0", "Denver-Phoenix/0", "Miami-New Orleans/0", "Boston-Montréal/0"]
    own = ["Los Angeles-El Paso/0", "Dallas-Houston/0", "Dallas-Oklahoma City/0", "Kansas City-Oklahoma City/0"]
    owners = dict.fromkeys([*own, "Kansas City-Omaha/0", "Duluth-Omaha/0"], 0)
    owners |= dict.fromkeys([*longest, *others, "Atlanta-Nashville/0"], 1)
    hands, tickets = [{"green": 6}, {"red": 1}], [["Duluth-El Paso", "Los Angeles-Miami"], ["Boston-Miami"]]
    state = game.position(owners=owners, hands=hands, tickets=tickets, to_move=0, turns_left=2)
    known, houston = knowledge_of(state, 0), claim(state, "El Paso", "Houston", "green", 6)

    [told] = words(what_changes(known, houston, DRAW))
    assert told.startswith("if planners play on from here, P0 more often completes Duluth – El Paso (100%, not 0%), ")
    assert told.endswith("and gets the longest path (100%, not 0%)")
    assert not words(what_changes(known, DRAW, houston))  # then a rival gets it more often, the seat never
    assert not words(what_changes(known, DRAW, DRAW))
    claimed = (houston[0], 0)
    assert not what_changes(known, claimed, DRAW).rows  # its cards cannot pay


def test_a_route_that_can_wait_and_the_one_that_is_then_claimed_are_told() -> None:
    """The rival ends the game soon; green cards spent on a short gray route are then missing for the long green one."""
    game = Game("usa", 2)
    owners = dict.fromkeys(["Dallas-Houston/0", "Dallas-Oklahoma City/0", "Kansas City-Oklahoma City/0"], 0)
    owners |= dict.fromkeys(["Kansas City-Omaha/0", "Duluth-Omaha/0", "Duluth-Winnipeg/0"], 0)
    long = ["Helena-Seattle/0", "Helena-Duluth/0", "Calgary-Winnipeg/0", "Sault Ste. Marie-Winnipeg/0"]
    long += ["San Francisco-Salt Lake City/0", "Denver-Phoenix/0", "Oklahoma City-Little Rock/0", "Atlanta-Nashville/0"]
    owners |= dict.fromkeys(long, 1)
    tickets = [["Duluth-El Paso", "Winnipeg-Little Rock"], ["Boston-Miami"]]
    hands = [{"green": 6, "red": 2}, {"red": 6}]
    state = game.position(owners=owners, hands=hands, tickets=tickets, to_move=0)
    known, pays = knowledge_of(state, 0), partial(claim, state)

    spent = what_changes(known, DRAW, pays("Dallas", "Little Rock", "green", 2))
    assert spent.reasons == (
        "claiming El Paso – Houston now may be as good",
        "keeps green for El Paso – Houston",
        "Dallas – Little Rock can wait: P0 still claims it in 100% of games",
    )
    [more] = spent.changes
    assert more.startswith("if planners play on from here, P0 more often claims El Paso – Houston (100%, ")
    assert ", completes Duluth – El Paso (100%, not" in more
    assert ", and gets the longest path (" in more
    plan = {("Dallas", "Little Rock", "red"), ("El Paso", "Houston", "")}  # a green route
    assert {(*route.cities, color) for route, color in spent.plan} == plan
    long_first = what_changes(known, pays("El Paso", "Houston", "green", 6), pays("Dallas", "Little Rock", "red", 2))
    assert words(long_first) == [spent.reasons[2]]  # two routes, two turns, and cards for both
    assert [route.cities for route, _ in long_first.plan] == [("Dallas", "Little Rock")]  # but for the move itself

    rows = {(does, what): values for (seat, does), what, *values in spent.outlook().itertuples() if seat == 0}
    assert rows["claims", "Dallas – Little Rock"] == [1.0, 1.0, "red", "green"]
    houston = rows["claims", "El Paso – Houston"]
    assert (houston[0], houston[2]) == (1.0, "green")
    assert houston[1] < 0.5
    assert rows["gets", "the longest path"][0] > rows["gets", "the longest path"][1]
    assert rows["scores", "points"][0] > rows["scores", "points"][1] + 15


def test_a_color_pays_for_most_claims_or_none_does() -> None:
    red, blue = (packed(CardCounts.of(**{color: 3, "locomotive": 1})) for color in ("red", "blue"))
    mixed, plain = packed(CardCounts.of(red=4, white=1)), packed(CardCounts.of(locomotive=2))

    assert _color([red, blue, red]) == _color([red]) == "red"
    assert _color([red, blue]) == _color([mixed]) == _color([plain, plain, red]) == _color([]) == ""


def test_what_speaks_for_both_actions_is_no_reason() -> None:
    game = Game("usa", 2)
    state = game.position(hands=[{"red": 6, "green": 6}, {}], tickets=[["Seattle-New York"], 1], to_move=0)
    miami = claim(state, "Miami", "New Orleans", "red", 6)
    houston = claim(state, "El Paso", "Houston", "green", 6)
    omaha = claim(state, "Helena", "Omaha", "red", 5)
    nothing = (0.0, 0.0)

    def reasons(best: Candidate, played: Candidate) -> tuple[str, ...]:
        measured = (*(nothing,) * 2, 0.0, 0.0, 1.0, 0.0, *(nothing,) * 4)
        decision = Decision(1, 0, played, best, played, 3, 1, *measured)
        return explained(decision, knowledge_of(state, 0), is_marked=False).reasons

    assert reasons(miami, houston) == ()  # both score 15 points
    assert reasons(miami, omaha) == ("15 points",)


def test_the_route_of_the_best_action_is_not_told_as_one_that_waits_or_is_then_claimed() -> None:
    """Whichever track of a double route it is on."""
    game = Game("usa", 2)
    state = game.position(hands=[{"red": 1}, {}], tickets=[["Dallas-New York"], 1], to_move=0)
    known, tracks = knowledge_of(state, 0), [claim(state, "Dallas", "Houston", "red", 1, track) for track in (0, 1)]
    for best, other in (tracks, tracks[::-1]):
        assert "Dallas – Houston" not in "; ".join(words(what_changes(known, best, other)))
        assert "claims Dallas – Houston" not in "; ".join(words(what_changes(known, best, DRAW)))


def test_it_is_told_how_often_others_take_the_route_of_the_best_action() -> None:
    """Everybody has two cards and one more turn, and one short route is open; a double route goes if both tracks do."""

    def told(a: str, b: str) -> str:
        game = Game("usa", 5)
        short = [route for route in game.game_map.routes if route.length <= 2 and {a, b} != set(route.cities)]
        owners = {route.id: (i + int(route.id[-1])) % 4 for i, route in enumerate(short)}
        long = ["Helena-Seattle/0", "Helena-Duluth/0", "Calgary-Winnipeg/0", "Sault Ste. Marie-Winnipeg/0"]
        long += ["Miami-New Orleans/0", "Los Angeles-El Paso/0", "Dallas-El Paso/0", "Los Angeles-San Francisco/0"]
        hands = [{"red": 2}, *[{"blue": 1, "green": 1}] * 4]
        owners |= dict.fromkeys(long, 4)
        state = game.position(owners=owners, hands=hands, tickets=[1] * 5, to_move=0, turns_left=5)
        return "; ".join(words(what_changes(knowledge_of(state, 0), claim(state, a, b, "red", 2, track=0), DRAW)))

    said = [told("Dallas", "Little Rock"), told("Kansas City", "Oklahoma City")]
    single, double = (re.match(r"otherwise (P\d.+) in (\d\d)% of games", text) for text in said)

    assert single
    assert double
    assert single[1].endswith("takes the route")
    assert double[1].endswith("take both tracks")
    assert 90 > int(single[2]) > int(double[2]) + 20 > 40


@pytest.mark.usefixtures("few_games")
@pytest.mark.parametrize("name", ["nordic", "switzerland", "nederland", "usa", "europe"])
def test_changes_name_players_tickets_and_bonuses_that_there_are(name: str) -> None:
    """From the first choice of tickets, when a seat holds none, to late claims, which a neutral player may take too."""
    game_map = load(name)
    game = Game(game_map, 2)
    record = game.play(["Planner", "Planner"], seed=7)
    states = [state for state in record.states() if len(game.legal_actions(state)) > 1]
    for state in states[:: len(states) // 3]:
        known, codec = knowledge_of(state, state.acting), codec_of(game_map)
        legal = game.legal_actions(state)
        first, last = (codec.encode(action, state.packed) for action in (legal[-1], legal[0]))
        why = what_changes(known, first, last)
        assert not any(share < 0 or share > 1 for row in why.rows if row.what != POINTS for share in row.means)
        for told in words(why):
            assert set(re.findall(r"P\d+", told)) <= {"P0", "P1"}
            assert re.fullmatch(
                r"otherwise .+ (takes the route|take both tracks) in [<>]?\d+% of games"
                r"|.+ can wait: P\d still claims it in [<>]?\d+% of games"
                r"|keeps \w+ for .+|only \w+ pays for .+, any color for .+"
                r"|claiming .+ now (may be as good|would be worse)"
                r"|if planners play on from here, P\d more often (claims|completes|gets) .+"
                r"|P\d gets the longest path less often \(.+\)",
                told,
            )


@pytest.mark.parametrize(("name", "n_players"), [("usa", 2), ("nederland", 3)])
def test_a_choice_of_tickets_is_followed_to_their_ends(name: str, n_players: int) -> None:
    """Each ticket counts only where it was kept, even if it is drawn again."""
    state = Game(name, n_players).new(seed=7)
    offer = [ticket for ticket in state.offers[0] if ticket is not None]
    keep, all_kept = make_action(KEEP_TICKETS, 0), (1 << len(offer)) - 1

    found = what_changes(knowledge_of(state, 0), (keep, all_kept - 1), (keep, all_kept - 2))

    rows = {row.what: [len(row.best), len(row.played)] for row in found.rows if row.does == "completes"}
    assert [rows[ticket_ends(ticket)] for ticket in offer] == [[0, 160], [160, 0], *[[160, 160]] * (len(offer) - 2)]
    assert not any("completes" in text and ticket_ends(offer[0]) in text for text in words(found))


def test_uncertain_tickets_count_in_the_games_in_which_they_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlook, "_N_GAMES", 120)
    _, log = both("nordic", 3, 1)

    uncertain = [row for row in what_changes(Watcher(log, 1).at(29), DRAW, DRAW).rows if row.condition]

    assert len(uncertain) > 1
    assert all(40 <= len(row.best) == len(row.played) < 120 for row in uncertain)


@pytest.mark.usefixtures("few_games")
@pytest.mark.parametrize("name", ["nordic", "switzerland"])
def test_paying_for_a_tunnel_claims_it(name: str) -> None:
    """The attempt came before; later attempts are other tunnels'."""
    game = Game(name, 2)
    tables = game_tables(game.game_map, 2)
    n_paid = 0
    for state in game.play(["Planner", "Planner"], seed=7).states():
        if state.phase != Phase.TUNNEL or len(actions := game.legal_actions(state)) < 2:
            continue
        route, codec = int(state.packed.pending), codec_of(game.game_map)
        pay, decline = (
            codec.encode(next(one for one in actions if isinstance(one, kind)), state.packed)
            for kind in (PayTunnel, DeclineTunnel)
        )
        known = knowledge_of(state, state.acting)
        found, other = what_changes(known, pay, decline), what_changes(known, decline, pay)
        tracks = {route, int(tables.twin[route])} - {-1}
        [paid], [declined] = ([row for row in why.rows if row.route in tracks] for why in (found, other))
        assert (paid.means[0], declined.means[1]) == (1.0, 1.0)
        assert paid.means[1] == declined.means[0]
        assert not tracks & {game.game_map.route_numbers[one.id] for one, _ in found.plan}
        n_paid += 1
    assert n_paid


@pytest.mark.usefixtures("few_games")
@pytest.mark.parametrize("name", ["nederland", "europe"])
def test_a_plan_is_of_free_tracks_and_of_the_rows_shown(name: str) -> None:
    game = Game(name, 3)
    n_planned = n_second = 0
    turns = [state for state in game.play(["Planner"] * 3, seed=7).states() if state.phase == Phase.TURN]
    for state in turns[15:45:10]:
        found = what_changes(knowledge_of(state, state.acting), DRAW, DRAW)
        rows = {row.route: row for row in found.rows if row.does == "claims"}
        for route, color in found.plan:
            number = game.game_map.route_numbers[route.id]
            assert state.packed.owner[number] == NOBODY
            assert rows[number].means[0] >= 0.5
            assert rows[number].cards[0] in ({color, ""} if route.color == "gray" else {route.color, ""})
            n_planned += 1
            n_second += route.id.endswith("/1")
    assert n_planned > 5
    assert n_second or name == "europe"


@pytest.mark.usefixtures("few_games")
def test_maps_without_the_bonus_have_no_race_for_it() -> None:
    state = Game("nederland", 2).play(["Planner", "Planner"], seed=7).state_at(30)

    found = what_changes(knowledge_of(state, state.acting), DRAW, DRAW)

    assert not words(found)
    assert PATH not in {row.what for row in found.rows}


def test_a_locomotive_that_the_best_action_keeps_is_a_reason() -> None:
    """Those for the symbols of a ferry are spent whatever the other cards are."""
    game_map = load("europe")
    tables = game_tables(game_map, 2)
    number = {route.id: i for i, route in enumerate(game_map.routes)}

    def pay(kind: int, what: int, red: int, locomotives: int) -> Candidate:
        return make_action(kind, what), packed(CardCounts.of(red=red, locomotive=locomotives))

    plain, ferry = (partial(pay, CLAIM_ROUTE, number[i]) for i in ("Budapest-Sarajevo/0", "Palermo-Smyrna/0"))
    tunnel, station = partial(pay, PAY_TUNNEL, 0), partial(pay, BUILD_STATION, 3)
    for other in (plain(2, 1), ferry(3, 3), tunnel(0, 1), station(0, 1)):
        assert locomotives_kept(tables, DRAW, other) == "keeps a locomotive"
    assert locomotives_kept(tables, plain(2, 1), plain(0, 3)) == "keeps 2 locomotives"
    for best, other in (
        (DRAW, ferry(0, 2)),
        (ferry(0, 2), plain(2, 1)),
        (plain(2, 1), DRAW),
        (station(0, 1), tunnel(0, 1)),
    ):
        assert not locomotives_kept(tables, best, other)
