"""The map in CONTRIBUTING.md is one."""

import re
from pathlib import Path

import ttr_analysis as ttr

GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"


def test_the_map_of_the_guide_loads(tmp_path: Path) -> None:
    blocks = re.compile(r"^`(\w+\.\w+)`(?:(?!```).)*```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
    files = blocks.findall(GUIDE.read_text("utf-8"))
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")

    game_map = ttr.load_map(tmp_path)

    assert [name for name, _ in files] == ["cities.csv", "places.csv", "routes.csv", "tickets.csv", "rules.toml"]
    assert (len(game_map.cities), len(game_map.routes), len(game_map.tickets)) == (5, 6, 2)
    assert game_map.rules.with_variant("long").trains.per_player == 30


def test_the_files_that_the_guide_names_exist() -> None:
    named = re.findall(r"`((?:ttr_analysis|tests|scripts|data|requirements)/[\w/.]*)`", GUIDE.read_text("utf-8"))

    assert len(named) >= 10
    assert [name for name in named if not (GUIDE.parent / name).exists()] == []


def test_no_journey_leads_through_a_file_twice() -> None:
    text = GUIDE.read_text("utf-8").partition("## Three walkthroughs\n")[2].partition("\n## ")[0]
    journeys = [re.findall(r"`((?:ttr_analysis|data)/[\w/.]+)`", journey) for journey in text.split("\n**")[1:]]

    assert [len(files) for files in journeys] == [len(set(files)) for files in journeys]
    assert len(journeys) == 3
    assert min(map(len, journeys)) >= 7
