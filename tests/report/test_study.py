"""The study of a map: what is written can be read, is complete and is the same again."""

from __future__ import annotations

import csv
import io
import math
import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from matplotlib.figure import Figure

import ttr_analysis as ttr
from tests.fixtures import EVERY_MAP, INVENTED, load
from tests.printed import text_of, unread_names
from tests.report.hostile import NAMES, TITLE, write_hostile_map
from tests.report.pages import Seen, read_page
from tests.studies.test_insights import keep_short
from ttr_analysis._words import percent
from ttr_analysis.maps.loading import find_folder, load_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies import Planner
from ttr_analysis.report import Settings, Study, board, cards, games, page, run_study, write_study
from ttr_analysis.report import study as writing
from ttr_analysis.report.context import Background, Context
from ttr_analysis.report.method import decisions, rules_in_words, sources
from ttr_analysis.report.page import NAME_BEGINS, NAME_ENDS, Figures, Picture, Section, descriptions, plain, to_csv
from ttr_analysis.report.played import insights_page
from ttr_analysis.report.study import STEPS
from ttr_analysis.rules.ruleset import BonusRules, RuleSet, ScoringRules
from ttr_analysis.studies import SimulationResult, insights, seat_advantage, simulate, ticket_fates
from ttr_analysis.studies.findings import long_routes, worth_in_words
from ttr_analysis.tables import check_size

QUICK = Settings(seed=3, n_deals=40, quick=True, n_games=0)
FULL = Settings(seed=3, n_deals=60, n_games=3)
STUDIED = ("usa", "invented")
"""A map with none of the things that have a section of their own, and one with all of them."""


@cache
def handed_over(name: str) -> tuple[Study, list[str]]:
    """Return the study of a map, quick but for the small invented map, and its sections in the order they were done."""
    folder = INVENTED if name == "invented" else find_folder(name)
    seen: list[str] = []
    settings = FULL if name == "invented" else QUICK
    return run_study(load(name), settings, folder=folder, each=lambda section: seen.append(section.id)), seen


def study_of(name: str) -> Study:
    return handed_over(name)[0]


@pytest.fixture(params=STUDIED)
def study(request: pytest.FixtureRequest) -> Study:
    return study_of(request.param)


def save_nothing(patch: pytest.MonkeyPatch) -> None:
    """Let pictures be drawn, but none saved, which takes most of the time."""

    def svg(draw: page.Draw, size: tuple[float, float]) -> str:
        draw(Figure(figsize=size).add_subplot())
        return ""

    patch.setattr(page, "_svg", svg)
    patch.setattr(page, "_png", lambda draw, size: svg(draw, size).encode())


def draw_nothing(patch: pytest.MonkeyPatch) -> None:
    """Leave pictures out, where only words and tables are read."""
    patch.setattr(page, "_svg", lambda *_: "")
    patch.setattr(page, "_png", lambda *_: b"")


@pytest.fixture
def unsaved(monkeypatch: pytest.MonkeyPatch) -> None:
    save_nothing(monkeypatch)


FACTS = ("long routes", "ferries", "tunnels", "tolls", "countries")


def some_sections(game_map: GameMap, *titles: str) -> list[Section]:
    """Return those of some sections that a quick study of a map has, without their pictures."""
    context = Context(game_map, QUICK)
    with pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        sections = [step.compute(context) for step in STEPS if step.title in titles]
    return [section for section in sections if section is not None]


def with_trains(game_map: GameMap, per_player: int) -> GameMap:
    """Return a map whose players have other numbers of trains."""
    rules = game_map.rules
    return replace(game_map, rules=replace(rules, trains=replace(rules.trains, per_player=per_player)))


def write_coarsely(folder: Path, out: Path) -> None:
    """Write the study of a map with pictures of few pixels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "DPI", 20)
        write_study(load_map(folder), out, QUICK, folder=folder)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile")
    write_coarsely(write_hostile_map(root / "map"), root / "out")
    return root / "out"


@pytest.fixture(scope="session")
def thin() -> Study:
    """Return the study of a map with a bridge, a cut city, and two long routes, without its pictures."""
    second = {"city_a": "Ærø Havn", "city_b": "Lomond", "length": 7, "color": "red", "swap_size": 3}
    changed = load("invented").with_routes(second)
    with pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        return run_study(changed.without([("Farrow", "Kråke")]), QUICK)


def sections_of(study: Study) -> set[str]:
    return {section.id for section in study.sections}


def test_the_page_is_whole_and_loads_nothing(study: Study) -> None:
    seen = read_page(study.html)
    assert seen.faults == []
    assert {f"#{section.id}" for section in study.sections} <= {a["href"] for a in seen.all("a")}
    assert len(seen.all("h1")) == 1
    assert len(seen.all("img")) >= 3
    assert len(study.html.encode()) < 3_000_000


def test_the_page_reads_well(study: Study) -> None:
    words = read_page(study.html).words
    for blunder in (
        "nan",
        "None",
        "inf",
        NAME_BEGINS,
        NAME_ENDS,
        "0 routes",
        "..",
        " ,",
        "1 cards",
        "1 trains",
        "1 tickets",
    ):
        assert not re.search(rf"(?<![\w.]){re.escape(blunder)}(?![\w.])", words), blunder
    for section in study.sections:
        lead = plain(section.lead)
        assert lead.endswith((".", "?")), lead
        assert any(c.isdigit() for c in lead), "a lead says what the numbers show"


def test_every_table_is_described_and_holds_something(study: Study) -> None:
    names = [table.name for table in study.tables]
    assert len(names) == len(set(names))
    for table in study.tables:
        assert len(table.frame) > 0, table.name
        for column in table.columns:
            values = table.frame[column.key].tolist()
            if column.kind == "percent":
                known = [v for v in values if v is not None and not math.isnan(v)]
                assert all(-1e-12 <= v <= 1 + 1e-12 for v in known), (table.name, column.key)


def test_pictures_say_what_they_show(study: Study) -> None:
    pictures = [block for section in study.sections for block in section.blocks if isinstance(block, Picture)]
    assert all(len(plain(picture.alt)) > 30 and picture.caption for picture in pictures)


def test_a_section_is_there_only_where_the_map_has_its_facts(thin: Study) -> None:
    own = {"long-routes", "ferries", "tunnels", "tolls", "countries", "best", "games"}

    assert own & sections_of(study_of("usa")) == set()
    assert own & sections_of(study_of("invented")) == own
    assert own & sections_of(thin) == own - {"best", "games"}  # a quick study, without games


@pytest.mark.parametrize(
    ("name", "missing"),
    [("nordic", {"tolls", "countries"}), ("switzerland", {"long-routes", "ferries", "tolls"})],
)
def test_each_fact_has_a_section_of_its_own(name: str, missing: set[str]) -> None:
    own = {"long-routes", "ferries", "tunnels", "tolls", "countries"}

    assert own - {section.id for section in some_sections(load(name), *FACTS)} == missing


def test_a_map_without_something_does_not_speak_of_it() -> None:
    words = read_page(study_of("usa").html).words.lower()
    for absent in ("tunnel", "ferr", "toll", "country tickets", "loan", "border point"):
        assert absent not in words, absent


def section_of_games(name: str) -> tuple[Section, SimulationResult]:
    """Return the section on 30 games of a map, and the games themselves."""
    section = games.section(Context(load(name), replace(QUICK, n_games=30)))
    assert section is not None
    return section, simulate(name, [Planner()] * 3, 30, QUICK.seed, progress=False)


@pytest.mark.compiled_only
def test_games_are_told_as_studies_count_them(unsaved: None) -> None:  # noqa: ARG001
    section, result = section_of_games("usa")
    tables = {table.name: table.frame for table in section.tables}

    rates = seat_advantage(result)
    assert tables["game_seats"]["win_rate"].tolist() == rates["win_rate"].tolist()
    assert f"the first seat (seat 0) wins {percent(rates['win_rate'].iloc[0])} (95% interval " in section.lead
    done = ticket_fates(result)["rate"].xs("completed", level="fate").iloc[0]
    assert f"{percent(done)} are completed" in section.lead
    kept = result.tickets[result.tickets["kept"]]
    assert tables["game_tickets"]["kept"].sum() == len(kept)
    assert len(tables["game_routes"]) == len(load("usa").routes)
    assert tables["game_routes"]["claim_rate"].sum() == pytest.approx(len(result.routes) / 30)
    (figures,) = (block for block in section.blocks if isinstance(block, Figures))
    assert figures.items[0] == ("30", "games between planners")
    assert re.fullmatch(r"\d+\.\d s", figures.items[1][0])
    assert "tunnel" not in read_page(Study("", "", (), (section,)).html).words.lower()


@pytest.mark.compiled_only
def test_points_for_stations_are_told_where_there_are_stations(unsaved: None) -> None:  # noqa: ARG001
    section, result = section_of_games("europe")
    told = next(table.frame for table in section.tables if table.name == "game_seats")
    assert told["stations"].tolist() == result.seats.groupby("seat")["station_points"].mean().tolist()
    parts = told[["route_points", "ticket_points", "bonus", "stations"]].sum(axis=1)
    assert parts.tolist() == pytest.approx(told["points"].tolist())


def test_decks_and_stations_are_told_among_the_rules() -> None:
    rules = load("europe").rules

    def words(changed: RuleSet) -> dict[str, str]:
        told = rules_in_words(changed, ferries=True, tunnels=True, doubles=True)
        return {subject: plain(text) for subject, text in told}

    assert words(rules)["Tickets"] == (
        "At the start, 4 (1 long and 3 short) are dealt and at least 2 are kept; later, 3 are drawn and at least 1 "
        "kept. Those not kept at the start leave the game; later ones go under the pile. Undealt long tickets "
        "leave the game too."
    )
    assert words(rules)["Stations"] == (
        "3 each, built for 1, 2 and 3 cards of one color, one per city. At the end, each station lets its owner use "
        "one route of another player that ends there: the best one for the owner's tickets. Each one not built scores "
        "4 points."
    )
    assert "fewer stations built" in words(rules)["Ties for the win"]
    one = replace(rules, stations=replace(rules.stations, number=1), neutral=replace(rules.neutral, trains=40))
    assert words(one)["Stations"].startswith("1 each, built for 1 card, one per city.")
    assert "another player or the neutral player" in words(one)["Stations"]
    assert words(replace(rules, players=(2, 2)))["Players"] == "2, 45 trains each."
    assert "Stations" not in words(load("usa").rules)


def test_whatever_may_decide_a_game_has_words() -> None:
    measures = get_args(get_type_hints(BonusRules)["measure"])
    tie_breaks = get_args(get_args(get_type_hints(ScoringRules)["tie_breaks"])[0])
    rules = load("usa").rules
    bonuses = tuple(BonusRules(measure, (5,)) for measure in measures)
    changed = replace(rules, bonus=bonuses, scoring=replace(rules.scoring, tie_breaks=tie_breaks))

    told = [plain(text) for _, text in rules_in_words(changed, ferries=True, tunnels=True, doubles=True)]

    assert sum(text.startswith("5 points for the ") for text in told) == len(measures)
    assert max(text.count(", then ") for text in told) == len(tie_breaks) - 1


@pytest.mark.compiled_only
def test_a_long_route_has_one_answer_in_findings_and_section(unsaved: None, nordic: GameMap) -> None:  # noqa: ARG001
    context = Context(replace(nordic, tickets=nordic.tickets[:8]), replace(QUICK, n_games=40))
    section = cards.long_route_section(context)
    assert section is not None
    (worth,) = context.worth.values()
    (route,) = long_routes(nordic)
    assert worth_in_words(route, worth) in section.lead
    (table,) = (table.frame for table in section.tables if table.name == "long_routes_played")
    assert table["gain"].tolist() == worth.loc[worth["positions"] > 0, "gain"].tolist()


def test_games_that_cannot_be_played_are_left_out(unsaved: None, usa: GameMap) -> None:  # noqa: ARG001
    many = replace(usa, tickets=5 * usa.tickets)
    with pytest.raises(ValueError, match="too large for a game: 150 tickets"):
        check_size(many, 3)
    assert games.section(Context(many, FULL)) is None
    with pytest.raises(ValueError, match="n_games must be a whole number of 0 or more, got -1"):
        Settings(n_games=-1)


def test_what_cuts_the_map_is_named(thin: Study) -> None:
    tables = {table.name: table.frame for table in thin.tables}
    assert [plain(route) for route in tables["bridges"]["route"]] == ["Eksjö–Kråke"]
    assert tables["bridges"]["n_cut_off"].tolist() == [1]
    assert tables["bridges"]["n_tickets"].tolist() == [5]
    assert [plain(city) for city in tables["cut_cities"]["city"]] == ["Eksjö"]
    (lead,) = (plain(section.lead) for section in thin.sections if section.id == "bottlenecks")
    assert "Losing the Eksjö–Kråke connection or the city of Eksjö splits the map." in lead


def test_many_cities_are_named_and_the_others_counted() -> None:
    assert plain(board._some(["Oslo", "Bergen", "Narvik", "Vaasa"], 3)) == "Oslo, Bergen, Narvik and 1 more"
    assert plain(board._some(["Oslo", "Bergen"], 3)) == "Oslo and Bergen"


def test_colors_that_tie_have_a_verb_of_their_own() -> None:
    (section,) = some_sections(load("nederland"), "board")
    assert "yellow and red have the most spaces (38), purple and green the fewest (33)" in section.lead


def test_a_ferry_that_no_hand_pays_for_is_told() -> None:
    assert cards._draws_for("it", math.inf) == "you cannot pay for it even with all cards"
    assert cards._draws_for("it", 20.5) == "you can pay for it after 20.5 cards on average"


def test_what_a_deal_writes_off_is_told() -> None:
    (section,) = some_sections(with_trains(load("usa"), 22), "an example deal")
    (rows,) = (table.frame.to_dict("records") for table in section.tables if table.name == "which_to_keep")
    lost = plain(rows[0]["written_off"])
    assert lost in plain(rows[0]["keep"])
    assert "no choice that the rules allow can be completed in full" in section.lead
    assert plain(section.lead).endswith(f"2 left. Judged by the map alone, that means writing off {lost}.")
    assert all(len(plain(row["written_off"])) < len(plain(row["keep"])) for row in rows)


def test_every_described_table_occurs_on_some_map(thin: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_short(monkeypatch)
    produced: dict[str, set[str]] = {}
    sections = [*some_sections(load("switzerland"), "an example deal"), *thin.sections]
    sections += some_sections(with_trains(load("usa"), 22), "an example deal")
    records = [ttr.Game(load("invented"), 2).play(["Greedy", "Random"], seed=seed) for seed in range(2)]
    records = [replace(record, header=replace(record.header, date="2026-11-26")) for record in records]
    sections += insights_page(insights(records, "Greedy", minutes=0.001, progress=False)).sections
    for section in (*sections, *(section for name in STUDIED for section in study_of(name).sections)):
        for table in section.tables:
            produced.setdefault(table.name, set()).update(column.key for column in table.columns)
    for table_name, columns in descriptions().items():
        tables = produced.values() if table_name in ("shared", "insights_habits") else [produced[table_name]]
        for key in columns.keys() - {"like", "answers"}:
            pattern = re.compile(key.replace("#", r"\d+"))
            assert any(pattern.fullmatch(there) for table in tables for there in table), (table_name, key)


@pytest.mark.usefixtures("unsaved")
@pytest.mark.parametrize(
    "differences",
    [
        pytest.param(
            {
                "cards.per_color": 1,
                "cards.locomotives": 0,
                "tunnel.revealed": 9,
                "tickets.opening_deal": 9,
                "tickets.opening_keep": 8,
            },
            id="a tiny deck, deals too large to solve",
        ),
        pytest.param({"trains.per_player": 1}, id="too few trains for any ticket"),
        pytest.param(
            {
                "market.locomotive_cost": 2,
                "tunnel.revealed": 0,
                "tickets.opening_deal": 5,
                "tickets.opening_keep": 5,
            },
            id="dear locomotives, free tunnels, all tickets must be kept",
        ),
    ],
)
def test_unusual_rules_are_studied_too(differences: dict[str, int], invented: GameMap) -> None:
    rules = invented.rules
    for key, value in differences.items():
        subject, field = key.split(".")
        rules = replace(rules, **{subject: replace(getattr(rules, subject), **{field: value})})
    study = run_study(replace(invented, rules=rules), QUICK)
    assert read_page(study.html).faults == []
    for section in study.sections:
        assert not re.search(r"\b(nan|inf|None)\b", section.lead), section.lead


def test_equal_seeds_give_equal_files(hostile: Path, tmp_path: Path) -> None:
    write_coarsely(hostile.parent / "map", tmp_path)
    files = sorted(path.relative_to(hostile) for path in hostile.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert len(files) > 8
    for file in files:
        assert (hostile / file).read_bytes() == (tmp_path / file).read_bytes(), file


def test_the_best_score_is_told_with_its_proof() -> None:
    (section,) = (section for section in study_of("invented").sections if section.id == "best")
    tables = {table.name: table.frame for table in section.tables}
    tickets, routes = (int(tables[f"best_network_{what}"]["points"].sum()) for what in ("tickets", "routes"))
    assert f"would score {tickets + routes} points" in section.lead
    assert f"{tickets} from" in section.lead
    assert "proven to be the most that" in section.lead
    assert tables["best_network_routes"]["length"].sum() <= load("invented").rules.trains.per_player


def test_hostile_names_stay_names(hostile: Path) -> None:
    seen: Seen = read_page((hostile / "report.html").read_text(encoding="utf-8"))
    assert seen.faults == []
    assert len(seen.all("script")) == 1
    assert not seen.all("b")
    assert TITLE in seen.words
    for name in NAMES.values():
        assert " ".join(name.split()) in seen.words, name
    assert "alert(2)" in seen.words


def test_hostile_names_are_no_formulas(hostile: Path) -> None:
    for path in (hostile / "tables").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert len({len(row) for row in rows}) == 1, path.name
        for cell in (cell for row in rows for cell in row):
            assert not cell.startswith(("=", "+", "@")), (path.name, cell)
            if cell.startswith("-"):
                float(cell)


def test_tables_of_an_earlier_study_do_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def study_again(game_map: GameMap, *_: object, each: Callable[[Section], None], **__: object) -> Study:
        study = study_of(game_map.name)
        for section in study.sections:
            each(section)
        return study

    monkeypatch.setattr(writing, "run_study", study_again)
    out = tmp_path / "out"
    write_study(load("invented"), out, QUICK)
    mine = out / "tables" / "mine.csv"
    mine.write_text("a\n")
    assert (out / "tables" / "ferries.csv").exists()
    write_study(load("usa"), out, QUICK)
    assert not (out / "tables" / "ferries.csv").exists()
    assert mine.exists(), "files of others are none of its business"
    described = re.findall(r"^## (.*)\.csv", (out / "tables" / "README.md").read_text(), flags=re.MULTILINE)
    assert {path.stem for path in (out / "tables").glob("*.csv")} == {*described, "mine"}


READERS: dict[str, Callable[[GameMap, str], object]] = {
    "route": GameMap.resolve_routes,
    "ticket": GameMap.ticket,
    "ticket_a": GameMap.ticket,
    "ticket_b": GameMap.ticket,
    "worst_ticket": GameMap.ticket,
    "city": GameMap.city,
    "destination": GameMap.place,
}
"""What reads the cells of a column, by its key."""


@pytest.mark.parametrize("name", EVERY_MAP)
def test_names_in_the_report_and_its_tables_are_read_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game_map = load(name)
    if name in STUDIED:
        study = study_of(name)
    else:
        draw_nothing(monkeypatch)
        study = run_study(game_map, replace(QUICK, n_deals=2))

    n_in_text, unread = unread_names(text_of(study.html), [game_map])
    assert unread == []
    assert n_in_text > len(game_map.routes) + len(game_map.tickets)
    tables = [list(csv.DictReader(io.StringIO(to_csv(table)))) for table in study.tables]
    cells = [(key, cell) for table in tables for row in table for key, cell in row.items() if key in READERS and cell]
    for key, cell in cells:
        assert READERS[key](game_map, cell), (key, cell)
    assert len(cells) > len(game_map.routes) + len(game_map.tickets)


def test_each_section_is_handed_over_as_soon_as_it_is_done() -> None:
    full, sections = handed_over("invented")
    assert sections[-1] == "best"  # what takes longest
    assert sorted(sections) == sorted(section.id for section in full.sections)
    study, seen = handed_over("usa")
    assert sorted(seen) == sorted(section.id for section in study.sections)
    assert seen.index("drawing") < seen.index("deal")  # what waits for nothing comes first
    assert repr(study).startswith("<Study of 'USA'")


def test_the_clock_of_the_bar_goes_on_while_a_step_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = ""

    def compute(_: Context) -> None:
        nonlocal shown
        deadline = time.monotonic() + 60
        while shown.count("long: nothing else") < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
            shown += capsys.readouterr().err

    step = writing.Step("nothing else", compute)
    monkeypatch.setattr(writing, "STEPS", (step,))
    monkeypatch.setattr(writing, "_TICK", 0.01)

    run_study(replace(load("usa"), name="long"), QUICK, progress=True)

    assert shown.count("long: nothing else") >= 3


# -- a computation beside the others -----------------------------------------------------------


def test_it_runs_beside_the_caller() -> None:
    go, started = threading.Event(), threading.Event()

    def work() -> str:
        started.set()
        go.wait(10)
        return "done"

    background = Background(work)
    assert started.wait(10)
    go.set()
    assert background.result() == "done"
    assert background.result() == "done"


def test_one_begins_after_another_whatever_came_of_that_unless_all_is_closed() -> None:
    go, is_closed = threading.Event(), threading.Event()

    def fail() -> None:
        go.wait(10)
        raise LookupError

    first = Background(fail)
    second = Background(lambda: isinstance(first._future.exception(0), LookupError), first, is_closed)
    go.set()
    assert second.result()
    is_closed.set()
    third = Background(lambda: 3, second, is_closed)
    with pytest.raises(RuntimeError, match="canceled before it started"):
        third.result()


def test_a_fault_comes_out_where_the_result_is_wanted() -> None:
    def fail() -> None:
        msg = "no network"
        raise LookupError(msg)

    with pytest.raises(LookupError, match="no network"):
        Background(fail).result()


# -- what a stranger's folder says about itself ------------------------------------------------


_LINES = ["a = a" + " " * 40_000 + "b", "[" * 40_000, "# " + "Decision " * 10_000, "[](" * 30_000, " " * 90_000]


@pytest.mark.parametrize("line", _LINES, ids=["spaces", "brackets", "decisions", "links", "blank"])
def test_no_line_takes_long_to_read(line: str, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(line, encoding="utf-8")
    (tmp_path / "SOURCES.md").write_text(f"- {line}", encoding="utf-8")
    start = time.process_time()
    assert decisions(tmp_path) == []
    assert len(sources(tmp_path)) == 1
    assert time.process_time() - start < 1


def test_a_comment_before_a_table_is_about_that_table(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(
        "[cards]\n# Decision: of the cards.\n\n# Decision: of the market,\n# on two lines.\n[market]\nsize = 5\n\n"
        "# Fast. Decision: of a variant.\n[variants.fast.market]\nsize = 3\n# Decision: of the same.\n# Decision: more."
    )
    assert [(plain(what), plain(why)) for what, why in decisions(tmp_path)] == [
        ("Note", "Of the cards."),
        ("market", "Of the market, on two lines."),
        ("Variant fast", "Of a variant."),
        ("Variant fast", "Of the same."),
        ("Variant fast", "More."),
    ]


def test_decisions_and_sources_are_read(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(
        "[market]\nsize = 5  # Decision, by us: as in other games\nrefill = true  # no reason\n# Decision: no more\n"
    )
    (tmp_path / "SOURCES.md").write_text(
        "# Sources\n\n- The [rule book](https://example.org/a),\n  *second* print\n- b\n"
    )
    assert [(plain(what), plain(why)) for what, why in decisions(tmp_path)] == [
        ("market.size = 5", "As in other games By us."),
        ("Note", "No more"),
    ]
    assert [plain(point) for point in sources(tmp_path)] == ["The rule book (https://example.org/a), second print", "b"]
