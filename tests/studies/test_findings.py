"""Findings: each sentence says its figure, its picture shows it, and they are what the questions answer."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from matplotlib.transforms import Bbox

import ttr_analysis as ttr
from tests.fixtures import load
from ttr_analysis import GameMap, studies
from ttr_analysis.analysis import tickets
from ttr_analysis.policies import Planner
from ttr_analysis.studies.findings import Finding, Findings, Inputs, find, long_routes, pays_from, worth_in_words
from ttr_analysis.viz.summaries import finding_svg, findings_html
from ttr_analysis.widgets import RouteCosts

SVG = {"svg": "http://www.w3.org/2000/svg"}
MAPS = ("nordic", "switzerland", "nederland", "europe")


@cache
def found_on(name: str) -> tuple[studies.SimulationResult, Findings]:
    game_map = load(name)
    games = studies.simulate(game_map, [Planner()] * 3, 150, 7, progress=False)
    return games, studies.findings(game_map, games, n_games=60, n_deals=20, progress=False)


@cache
def width_of(text: str, weight: str, size: float) -> float:
    """Return how wide a text is in the widest font of those named."""
    font = FontProperties(family="DejaVu Sans", weight=weight)
    return float(TextPath((0, 0), text, size=size, prop=font).get_extents().width)


def rooms_of_labels(picture: ET.Element) -> list[float]:
    """Return how far from the left edge labels begin that end at a place, in the widest font of those named."""
    found = []
    for text in picture.iter("{http://www.w3.org/2000/svg}text"):
        if text.get("text-anchor") == "end":
            shown = (text.text or "").strip("\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}")
            found.append(float(text.get("x", "0")) - width_of(shown, text.get("font-weight", "400"), 13))
    return found


def room_of(text: ET.Element) -> Bbox:
    """Return where the letters of a text stand, without what hangs below the line."""
    x, y, size = (float(text.get(key, "nan")) for key in ("x", "y", "font-size"))
    width = width_of(text.text or "", text.get("font-weight", "400"), size)
    left = x - {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor", "")]
    return Bbox.from_extents(left, y - 0.73 * size, left + width, y)


def worth(*rows: tuple[int, float, float, float]) -> pd.DataFrame:
    index = pd.MultiIndex.from_tuples([(own, float("inf")) for own, *_ in rows], names=["own", "turns_left"])
    columns = ["gain", "gain_low", "gain_high"]
    table = pd.DataFrame([row[1:] for row in rows], index=index, columns=columns)
    return table.assign(positions=100, free_claimed=0.25)


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", ["europe", "nederland"])
def test_what_winners_lead_by_is_all_of_their_points(name: str) -> None:
    """Stations, loans and scores at the start are points too."""
    games, found = found_on(name)
    seats = games.seats
    won = seats["won"] > 0
    leads = seats["points"][won].groupby(seats["game"]).mean() - seats["points"][~won].groupby(seats["game"]).mean()

    table = next(finding.table for finding in found if finding.id == "winners")

    assert table["figure"].sum() == pytest.approx(leads.dropna().mean())
    assert ("Stations" in table.index) == (name == "europe")


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", MAPS)
def test_sentence_table_and_picture_agree(name: str) -> None:
    _, found = found_on(name)
    assert 5 <= len(found) <= 8
    assert len({item.id for item in found}) == len(found)
    for item in found:
        assert item.low <= item.figure <= item.high
        assert item.sentence.endswith(".")
        assert "nan" not in item.sentence
        told = item.table[item.table["is_told"]]
        assert told[["figure", "low", "high"]].to_numpy().tolist() == [[item.figure, item.low, item.high]]
        assert item.amount.lstrip("\N{MINUS SIGN}").split()[0] in item.sentence.replace(",", "")
        picture = ET.fromstring(finding_svg(item, found.game_map))  # noqa: S314 - our own
        assert picture.get("role") == "img"
        assert len(picture.get("aria-label") or "") > 20
        assert min(rooms_of_labels(picture), default=0.0) >= 0
    assert found_on(name)[1]["seat"] is next(item for item in found if item.id == "seat")
    assert repr(found).count("\n") == len(found) - 1
    assert findings_html(found) == found._repr_html_()


@pytest.mark.compiled_only
def test_findings_are_what_the_questions_answer() -> None:
    games, found = found_on("nordic")
    nordic = found.game_map
    seats = studies.seat_advantage(games)["win_rate"]
    assert found["seat"].figure in seats.to_numpy()
    assert found["seat"].table["figure"].tolist() == seats.tolist()
    fates = studies.ticket_fates(games).droplevel("policy")["rate"]
    assert found["fates"].figure == fates.drop("completed").max()
    losses = tickets.blocking_map(nordic, n_deals=4, seed=7)
    single = losses[losses["lost"] == "track"].set_index("route")["deal_mean"]
    rates = studies.route_results(games)["claim_rate"].rename(str) * 2 / 3  # two of three seats lose a route taken
    assert found["hurry"].figure == pytest.approx((single * rates).max())
    values = tickets.value_table(nordic, n_deals=20, seed=7)
    results = studies.ticket_results(games, values)
    known = results[(results["kept"] >= 30) & (results["net_low"] < results["net_high"])]
    assert found["best-ticket"].figure == known["net_points"].max()
    assert found["trap"].figure == pytest.approx(known["net_per_train"].min())
    (route,) = long_routes(nordic)
    played = studies.route_worth(nordic, route, own=range(0, 9, 3), n_games=60, progress=False)
    assert found["long-route"].sentence == worth_in_words(route, played)


@pytest.mark.parametrize(
    ("name", "most"), {"nordic": 1, "switzerland": 20, "nederland": 0, "usa": 13, "europe": 7}.items()
)
def test_names_at_the_ends_of_a_route_lie_on_no_dot_and_on_no_other_name(name: str, most: int) -> None:
    """Whichever route the sentence tells of, in the widest font of those named; and few pictures lack a city for it."""
    game_map = load(name)
    n_lacking = 0
    table = pd.DataFrame({"figure": 1.0}, index=[route.id for route in game_map.routes])
    for route in game_map.routes:
        told = table.assign(is_told=table.index == route.id)
        finding = Finding("hurry", "", "", 1, 1, 1, "points", told, "board")
        picture = ET.fromstring(finding_svg(finding, game_map))  # noqa: S314 - our own
        first, second = (room_of(text) for text in picture.findall("svg:g/svg:text", SVG))
        assert not first.overlaps(second)
        assert len(picture.findall("svg:mask//svg:text", SVG)) == 2, "each has a halo"
        n_lacking += len(list(picture.iter("{http://www.w3.org/2000/svg}circle"))) < len(game_map.places)
        for dot in picture.iter("{http://www.w3.org/2000/svg}circle"):
            x, y, radius = (float(dot.get(key, "nan")) for key in ("cx", "cy", "r"))
            is_end = (dot.get("fill") or "").startswith("var")
            for room in (first, second):
                aside, above = max(room.x0 - x, 0, x - room.x1), max(room.y0 - y, 0, y - room.y1)
                assert math.hypot(aside, above) > (radius if is_end else 0), route.id
    assert n_lacking <= most


def test_only_what_is_exact_is_found_without_games(nordic: GameMap) -> None:
    small = replace(nordic, tickets=nordic.tickets[:6])
    values = tickets.value_table(small, n_deals=10)
    found = find(Inputs(small, values, tickets.blocking_map(small, n_deals=4)))
    assert [item.id for item in found] == ["hurry", "tunnel"]
    assert found["tunnel"].is_exact
    with pytest.raises(KeyError, match="there is no finding 'seat'; choose one of hurry, tunnel"):
        found["seat"]


@pytest.mark.compiled_only
def test_a_route_is_at_stake_for_those_who_did_not_take_it() -> None:
    """Of two players, one loses a route that the other takes, and both lose one of the neutral player's."""
    game_map = ttr.load_map("nederland", variant="neutral")
    games = studies.simulate(game_map, [Planner()] * 2, 20, 7, progress=False)
    losses = tickets.blocking_map(game_map, n_deals=4)
    found = find(Inputs(game_map, tickets.value_table(game_map, n_deals=10), losses, games))
    assert game_map.rules.both_tracks_open(2)
    lost = losses[losses["lost"] == "track"].set_index("route")["deal_mean"].to_dict()
    losers = games.routes["seat"].map({-1: 1.0, 0: 0.5, 1: 0.5})
    at_stake = losers.groupby(games.routes["route"].astype(str)).sum().to_dict()

    table = found["hurry"].table

    assert set(losers) == {0.5, 1.0}
    assert len(table) > 20
    for route, figure in table["figure"].to_dict().items():
        assert figure == pytest.approx(lost[route] * at_stake.get(route, 0.0) / 20)


def test_the_ticket_that_pays_best_is_not_also_the_one_to_avoid(nordic: GameMap) -> None:
    first, second = nordic.tickets[:2]
    inputs = Inputs(nordic, tickets.value_table(nordic, n_deals=10), tickets.blocking_map(nordic, n_deals=4))
    paid = pd.DataFrame({"figure": [20.0, 5.0], "trains": [30, 5]}, index=[first.id, second.id])
    paid = paid.assign(low=paid["figure"] - 1, high=paid["figure"] + 1, net_points=paid["figure"], completion_rate=0.9)
    vars(inputs)["ticket_payoffs"] = paid.assign(net_per_train=paid["figure"] / paid["trains"])
    assert [item.id for item in find(inputs)] == ["best-ticket", "hurry", "tunnel"]
    vars(inputs)["ticket_payoffs"] = paid.assign(net_per_train=1.0, trains=5)
    assert [item.id for item in find(inputs)] == ["best-ticket", "trap", "hurry", "tunnel"]


@pytest.mark.compiled_only
def test_no_ticket_is_best_or_worst_if_few_can_be_judged() -> None:
    assert not {"best-ticket", "trap"} & {item.id for item in found_on("europe")[1]}


def test_it_pays_from_where_no_interval_reaches_zero() -> None:
    lieksa = load("nordic").route("Murmansk", "Lieksa")
    rising = worth((0, -14, -18, -9), (4, 1, -3, 5), (6, 12, 8, 17))
    assert pays_from(rising) == (6, math.inf)
    assert worth_in_words(lieksa, rising) == (
        "Go for Lieksa-Murmansk with 6 or more cards of one color: that gains 12 points (95% interval 8 to 17) "
        "compared with leaving it. From an empty hand, it costs 14 points (95% interval 9 to 18). A player with 6 "
        "cards of one color who is free to choose takes it in 25% of games."
    )
    never = worth((0, -14, -18, -9), (6, -2, -6, 2))
    assert pays_from(never) is None
    assert worth_in_words(lieksa, never).startswith(
        "Lieksa-Murmansk does not clearly pay: with 6 cards of one color, going for it costs 2 points (95% interval −2 "
        "to 6)."
    )
    assert "is not worth going for" in worth_in_words(lieksa, never.assign(gain_high=-1.0))
    held = (
        "Played out with 4 cards of one color, going for it gains 1 point (95% interval −3 to 5) compared with leaving "
        "it."
    )
    assert worth_in_words(lieksa, rising, own=5) == held
    costs = RouteCosts(load("nordic"), lieksa, hand={"green": 5, "red": 3}, worth=rising)
    assert costs.answer["said"].endswith(held)
    costs.route = "Bergen-Oslo/0"
    assert "Played out" not in costs.answer["said"]
    tried = never.assign(free_claimed=[0.3, 0.75])
    assert "A player with 6 cards of one color who is free to choose takes it in 75%" in worth_in_words(lieksa, tried)
    tried = worth((0, -14, -18, -9), (4, 1, -3, 5), (6, 12, 8, 17)).assign(positions=[100, 100, 5])
    assert worth_in_words(lieksa, tried).endswith(
        "Moments that came up in fewer than 30 games are left out: 6 cards of one color (5)."
    )
    late = rising.set_axis(pd.MultiIndex.from_tuples([(0, 9.0), (4, 9.0), (6, 9.0)], names=rising.index.names))
    assert "A player with 6 cards of one color and at most 9 turns left who is free to choose" in worth_in_words(
        lieksa, late
    )
    rare = rising.assign(positions=3)
    assert pays_from(rare) is None
    assert "It is not clear whether" in worth_in_words(lieksa, rare)


def test_of_several_bounds_of_turns_the_sentence_is_about_the_row_from_which_it_pays(nordic: GameMap) -> None:
    lieksa = nordic.route("Murmansk", "Lieksa")
    rows = {
        (0, 10.0): (-20, -30, -10),
        (0, math.inf): (-14, -18, -9),
        (4, 10.0): (-3, -6, 0.5),
        (4, math.inf): (5, 1, 9),
        (6, 10.0): (4, 1, 7),
        (6, math.inf): (12, 8, 17),
    }
    table = worth(*((own, *gain) for (own, _), gain in rows.items()))
    table.index = pd.MultiIndex.from_tuples(list(rows), names=table.index.names)
    table["free_claimed"] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]

    assert pays_from(table) == (4, math.inf)
    said = (
        "Go for Lieksa-Murmansk with 4 or more cards of one color: that gains 5 points (95% interval 1 to 9) compared "
        "with leaving it. From an empty hand, it costs 14 points (95% interval 9 to 18). A player with 4 cards of one "
        "color who is free to choose takes it in 40% of games."
    )
    assert worth_in_words(lieksa, table) == said
    exact = tickets.value_table(nordic, n_deals=10), tickets.blocking_map(nordic, n_deals=4)
    found = find(Inputs(nordic, *exact, worth={lieksa.id: table}))["long-route"]
    assert found.figure == 5
    assert found.table.index[found.table["is_told"]].tolist() == ["4 cards of one color"]
    assert found.table.index[2] == "4 cards of one color and at most 10 turns left"

    only_late = table.assign(gain_low=[-30, -18, -6, -1, 1, -1])
    assert pays_from(only_late) == (6, 10.0)
    assert worth_in_words(lieksa, only_late) == (
        "Go for Lieksa-Murmansk with 6 or more cards of one color and at most 10 turns left: that gains 4 points (95% "
        "interval 1 to 7) compared with leaving it. With 0 cards of one color and at most 10 turns left, it costs 20 "
        "points (95% interval 10 to 30). "
        "A player with 6 cards of one color and at most 10 turns left who is free to choose takes it in 50% of games."
    )
    assert worth_in_words(lieksa, table, own=5) == (
        "Played out with 4 cards of one color, going for it gains 5 points (95% interval 1 to 9) compared with leaving "
        "it. With 4 cards of one color and at most 10 turns left, it costs 3 points (95% interval −0.5 to 6)."
    )


@pytest.mark.compiled_only
def test_names_are_text_in_pictures() -> None:
    _, found = found_on("europe")
    item = replace(found["seat"], table=found["seat"].table.rename(lambda _: "<b>&'"))
    assert "<b>" not in finding_svg(item, found.game_map)
    ET.fromstring(finding_svg(item, found.game_map))  # noqa: S314 - our own
