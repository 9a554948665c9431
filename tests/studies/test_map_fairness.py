"""Fair maps: figures recomputed from the tables of the same games, and maps that are unfair on purpose."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import theilslopes

import ttr_analysis as ttr
from tests.fixtures import load
from tests.oracles.boards import make_board
from tests.viz.artists import legend, texts
from ttr_analysis._compile.calls import is_plain
from ttr_analysis.cards import COLORS
from ttr_analysis.engine.protocol import CompiledPolicy
from ttr_analysis.maps.model import GameMap, Place, Ticket
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.studies import Interrupted, map_fairness
from ttr_analysis.studies.map_fairness import Fairness, _robust_line, _unevenness, fairness
from ttr_analysis.studies.playing import Columns
from ttr_analysis.studies.simulation import Chunk, played
from ttr_analysis.viz.charts import plot_ticket_worth

IS_COMPILED = not is_plain()
N_GAMES = 400 if IS_COMPILED else 6


@pytest.fixture(scope="module")
def usa_found() -> Fairness:
    return fairness(load("usa"), N_GAMES, policies=[Planner(), Planner()], n_deals=50, seed=3, progress=False)


@pytest.fixture(scope="module")
def result() -> ttr.SimulationResult:
    return ttr.simulate(load("usa"), [Planner(), Planner()], N_GAMES, 3, progress=False)


def row_of(table: pd.DataFrame, key: object) -> dict[str, Any]:
    [(_, row)] = table.loc[[key]].iterrows()
    return dict(row)


def test_the_worth_of_a_ticket_is_what_its_owners_score_above_the_mean(
    usa_found: Fairness, result: ttr.SimulationResult
) -> None:
    seats, tickets = result.seats, result.tickets
    mean = seats["points"].mean()
    for name in usa_found.tickets.index[[0, 7, -1]]:
        row = row_of(usa_found.tickets, name)
        dealt = tickets[(tickets["ticket"] == name) & (tickets["offered"] == 0)]
        owners = seats.set_index(["game", "seat"]).loc[list(zip(dealt["game"], dealt["seat"], strict=True))]
        assert row["deals"] == len(dealt)
        assert row["worth"] == pytest.approx(owners["points"].mean() - mean)
        assert row["worth_se"] == pytest.approx(owners["points"].std() / np.sqrt(len(owners)), rel=0.01)
        assert row["worth_high"] - row["worth"] == pytest.approx(row["worth"] - row["worth_low"])
        assert 1.95 * row["worth_se"] < row["worth_high"] - row["worth"] < 2.1 * row["worth_se"]
        assert row["win_worth"] == pytest.approx(owners["won"].mean() - 0.5)
        kept = tickets[(tickets["ticket"] == name) & tickets["kept"]]
        assert row["net_points"] == pytest.approx(kept["points"].mean())


def test_seats_are_counted(usa_found: Fairness, result: ttr.SimulationResult) -> None:
    for seat in (0, 1):
        rows = result.seats[result.seats["seat"] == seat]
        found = row_of(usa_found.seats, (2, seat))
        assert found["win_rate"] == pytest.approx(rows["won"].mean())
        assert found["points"] == pytest.approx(rows["points"].mean())
        assert found["win_low"] < found["win_rate"] < found["win_high"]


def test_a_deal_played_in_each_rotation_counts_as_one() -> None:
    found = fairness(load("usa"), 40, policies=[Greedy(), Random()], n_deals=5, progress=False)

    assert (found.tickets["deals"] <= 20).all()
    assert (found.seats["games"] == 40).all()


def test_routes_are_counted(usa_found: Fairness, result: ttr.SimulationResult) -> None:
    routes = load("usa").routes_between("Portland", "Seattle")
    row = row_of(usa_found.bottlenecks, ("Portland", "Seattle"))

    assert row["claims"] == pytest.approx(result.routes["route"].isin([route.id for route in routes]).sum() / N_GAMES)
    assert row["n_tracks"] == len(routes) == 2
    assert row["detour"] == 14
    pairs = {route.cities for route in load("usa").routes}
    assert {frozenset(pair) for pair in usa_found.bottlenecks.index} == {frozenset(pair) for pair in pairs}


# -- maps that are unfair on purpose -----------------------------------------------------------


def dearer(game_map: GameMap, name: str, points: int) -> GameMap:
    """Return a map on which one ticket pays otherwise."""
    tickets = []
    for ticket in game_map.tickets:
        if ticket.id == name:
            [(place, _)] = ticket.destinations
            tickets.append(replace(ticket, destinations=((place, points),)))
        else:
            tickets.append(ticket)
    return replace(game_map, tickets=tuple(tickets))


@pytest.mark.compiled_only
def test_a_ticket_that_pays_too_much_is_found(usa_found: Fairness) -> None:
    name = "Dallas-New York"
    assert usa_found.tickets.loc[name, "verdict"] != "pays too much"
    unfair = dearer(load("usa"), name, 41)
    found = fairness(unfair, N_GAMES, policies=[Planner(), Planner()], n_deals=50, seed=3, progress=False)

    assert found.tickets.index[0] == name
    assert found.tickets.loc[name, "verdict"] == "pays too much"
    assert found.tickets["worth_low"][name] > 5
    assert found.tickets["surplus"].idxmax() == name
    assert name in found.summary[0]
    assert found.luck > usa_found.luck


def test_a_bridge_is_found(usa: GameMap) -> None:
    alone = [route for route in usa.routes if "Vancouver" in route.cities]
    kept = next(route for route in alone if "Calgary" in route.cities)
    cut = usa.without([route for route in alone if route is not kept])
    found = fairness(cut, 2, policies=[Random(), Random()], n_deals=5, progress=False)

    bridges = found.bottlenecks.index[found.bottlenecks["is_bridge"]]
    assert [set(pair) for pair in bridges] == [set(kept.cities)]
    assert np.isinf(found.bottlenecks.loc[bridges[0], "detour"])
    assert "Bridges: none." not in found.summary


def test_a_gray_map_without_differences_is_judged_without_warnings() -> None:
    G, names = nx.petersen_graph(), "ABCDEFGHIJ"
    place = {city: Place(names[city], (names[city],)) for city in G}
    pairs = [(a, b) for a in G for b in G if a < b and not G.has_edge(a, b)]
    tickets = tuple(Ticket(f"{names[a]}-{names[b]}", place[a], ((place[b], 2),)) for a, b in pairs)
    board = make_board([(names[a], names[b], 1, 0) for a, b in G.edges], tickets=tickets)
    few = replace(board, rules=replace(board.rules, trains=replace(board.rules.trains, per_player=8)))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fairness(few, n_games=6, n_deals=10, progress=False)
        said = found.summary

    assert "Colors: none, all routes are gray." in said
    assert not any("nan" in sentence for sentence in said)


def test_the_line_through_prices_is_that_of_scipy() -> None:
    rng = np.random.default_rng(7)
    x, y = rng.integers(0, 12, 40).astype(float), rng.normal(10, 3, 40)

    slope, level, *_ = theilslopes(y, x)

    assert _robust_line(x, y) == pytest.approx((slope, level))


def test_lopsided_colors_are_found() -> None:
    usa, rng = load("usa"), np.random.default_rng(1)
    assert _unevenness(usa, rng) == 0  # as many spaces of each color
    red = [replace(route, color="red") if route.color in ("blue", "green") else route for route in usa.routes]
    assert _unevenness(replace(usa, routes=tuple(red)), rng) > 0.99
    colored = [route for route in usa.routes if route.color in COLORS]
    at_random = []
    for _ in range(40):
        paint = dict(zip(colored, rng.choice(COLORS, len(colored)), strict=True))
        painted = [replace(route, color=paint.get(route, route.color)) for route in usa.routes]
        at_random.append(_unevenness(replace(usa, routes=tuple(painted)), rng))
    assert np.mean(at_random) == pytest.approx(0.5, abs=5 * np.sqrt(1 / 12 / 40))  # uniform


# -- any map ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "variant"),
    [("nordic", None), ("switzerland", None), ("nederland", "no_tolls"), ("nederland", "neutral"), ("invented", None)],
)
def test_every_map_and_variant_is_judged(name: str, variant: str | None, tmp_path: Path) -> None:
    game_map = load(name).with_variant(variant)
    if name == "invented":  # a folder of one's own
        game_map.to_folder(tmp_path / "mine")
        game_map = ttr.load_map(tmp_path / "mine")
    players = [Greedy()] * game_map.rules.players[0]
    found = fairness(game_map, 20 if IS_COMPILED else 2, policies=players, n_deals=4, progress=False)

    assert set(found.tickets.index) == {ticket.id for ticket in game_map.tickets}
    assert (found.colors["cards"] > 0).all()
    assert found.seats["games"].tolist() == [20 if IS_COMPILED else 2] * len(players)
    assert len(found.summary) == 7
    assert found.summary[-1].startswith("Seats: ")
    assert all(sentence.endswith(".") and "nan" not in sentence for sentence in found.summary)
    assert repr(found).startswith(f"<Fairness of {game_map.name}: ")
    assert found._repr_html_().count("<li>") == 7


def test_an_interrupt_counts_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    def judged(n_chunks: int, players: list[CompiledPolicy] | None = None) -> Fairness:
        def some(chunks: Iterable[Chunk], *_: object, **__: object) -> Iterator[tuple[Chunk, Columns]]:
            yield from islice(played(chunks, None, 1, progress=False), n_chunks)
            raise KeyboardInterrupt

        monkeypatch.setattr(map_fairness, "played", some)
        monkeypatch.setattr(map_fairness, "default_chunk", lambda _: 4)
        return fairness(load("usa"), 20, policies=players, n_deals=1, progress=False)

    with pytest.warns(Interrupted):
        found = judged(3)
    assert found.seats["games"].groupby("players").first().to_dict() == {2: 8, 5: 4}
    assert found.bottlenecks["claims"].sum() > 12
    with pytest.raises(KeyboardInterrupt):
        judged(1)
    with pytest.warns(Interrupted):
        found = judged(1, [Greedy(), Random(), Random()])
    assert found.seats["games"].tolist() == [6, 6, 6]  # each of the three sat everywhere equally often


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="n_games must be a whole number of 1 or more, got 0"):
        fairness(load("usa"), 0)
    with pytest.raises(ValueError, match="for 2 to 3 players, got 4"):
        fairness(load("nordic"), 1, policies=[Greedy()] * 4)


def test_outliers_are_named() -> None:
    table = pd.DataFrame(
        {"points": [5, 10, 20], "worth": [4, 0, -9], "worth_low": [2, -3, -12], "worth_high": [6, 3, -6]},
        index=["a-b", "c-d", "e-f"],
    ).assign(verdict=["pays too much", "", "pays too little"], in_deal=[1, 2, 3])
    ax = plot_ticket_worth(table)
    across = plot_ticket_worth(table, against="in_deal")

    assert {*texts(ax, "label")} == {"a-b", "e-f"}
    assert legend(ax) == ["not clearly unfair", "pays too much", "pays too little"]
    assert "deal" in across.get_xlabel()


def test_results_with_tables_are_compared() -> None:
    one, same, other = (
        fairness(load("invented"), 4, policies=[Greedy(), Random()], n_deals=n, progress=False) for n in (5, 5, 6)
    )
    assert one == same
    assert one != other
    assert one != 4
