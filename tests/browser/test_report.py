"""The report on a map as it opens from disk: folded, reachable, and its pictures to be kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import axe
from tests.browser.lab import Disk
from tests.fixtures import load, short
from ttr_analysis import Game
from ttr_analysis.report import Settings, run_study
from ttr_analysis.report.played import insights_page
from ttr_analysis.studies import insights

FOLDS = "details.blocks"
MOST_PIXELS = 12_000


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(run_study(load("nordic"), Settings(quick=True, n_deals=4, n_games=8)).html, encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [1300, 800])
def test_it_opens_folded_and_fits_its_width(disk: Disk, report: Path, width: int) -> None:
    disk.page.set_viewport_size({"width": width, "height": 900})
    disk.page.goto(report.as_uri())
    assert disk.page.locator(f"{FOLDS}[open]").count() == 0
    assert disk.page.locator("#findings li").count() >= 5
    assert disk.page.evaluate("() => document.documentElement.scrollHeight") <= MOST_PIXELS
    assert disk.page.evaluate("() => document.documentElement.scrollWidth") == width


def test_a_link_to_a_section_unfolds_it(disk: Disk, report: Path) -> None:
    disk.page.set_viewport_size({"width": 1300, "height": 900})
    disk.page.goto(report.as_uri())
    disk.page.click('nav a[href="#tickets"]')
    disk.page.wait_for_selector(f"#tickets {FOLDS}[open]")
    assert disk.page.locator(f"{FOLDS}[open]").count() == 1


def test_a_wide_table_shows_that_it_goes_on(disk: Disk, report: Path) -> None:
    disk.page.set_viewport_size({"width": 800, "height": 900})
    disk.page.goto(f"{report.as_uri()}#tickets")
    frame = disk.page.locator("#table-tickets .frame")
    disk.page.wait_for_selector("#table-tickets .frame.more-right")
    assert disk.page.locator("#table-tickets .cue").is_visible()
    frame.locator(".scroll").evaluate("scroll => { scroll.scrollLeft = scroll.scrollWidth; }")
    disk.page.wait_for_selector("#table-tickets .frame.more-left:not(.more-right)")


def test_a_picture_is_saved_as_it_is_seen(disk: Disk, report: Path, tmp_path: Path) -> None:
    disk.page.goto(report.as_uri())
    with disk.page.expect_download() as download:
        disk.page.click("#finding-hurry .tools button >> nth=0")
    download.value.save_as(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert download.value.suggested_filename == "The-route-to-claim-first.png"


@pytest.mark.usefixtures("axe_installed")
def test_axe_finds_nothing_serious_in_it(disk: Disk, report: Path) -> None:
    disk.page.goto(report.as_uri())
    unfold(disk)
    assert axe.findings_in_both_schemes(disk.page, "body") == []


@pytest.fixture(scope="module")
def said_of_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    games = [Game(short(load(name), 12)).play(["Planner", "Greedy"], seed=7) for name in ("nordic", "invented")]
    page = tmp_path_factory.mktemp("insights") / "report.html"
    page.write_text(insights_page(insights(games, "Greedy", minutes=0.01, progress=False)).html, "utf-8")
    return page


@pytest.mark.usefixtures("axe_installed")
def test_what_games_say_fits_every_width_and_axe_finds_nothing_serious(disk: Disk, said_of_games: Path) -> None:
    disk.page.goto(said_of_games.as_uri())
    unfold(disk)
    for width in (390, 800, 1300):
        disk.page.set_viewport_size({"width": width, "height": 900})
        assert disk.page.evaluate("() => document.documentElement.scrollWidth") == width
    assert axe.findings_in_both_schemes(disk.page, "body") == []


def unfold(disk: Disk) -> None:
    """Open all that is folded on a page."""
    disk.page.evaluate(f"() => document.querySelectorAll('{FOLDS}').forEach(fold => {{ fold.open = true; }})")
