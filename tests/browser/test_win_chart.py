"""The chart of win probabilities in the stepper: what it says at a step, where its lines end, and whose they are."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.samples import sample_record
from ttr_analysis.viz.style import PLAYER_COLORS, PLAYER_DASHES
from ttr_analysis.widgets import GameStepper

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.lab import Disk

FIRST, LAST = 5, 200
"""Of the steps of the curve; the game has more."""

LINES = """chart => [...chart.querySelectorAll('.ttr-curve')].map(line => ({
  name: line.textContent,
  color: line.getAttribute('stroke'),
  dashes: (line.getAttribute('stroke-dasharray') ?? '').split(' ').filter(Boolean).map(Number),
  width: Number(line.getAttribute('stroke-width')),
  end: line.getPointAtLength(line.getTotalLength()).x,
}))"""


@pytest.fixture(scope="module")
def curve() -> pd.DataFrame:
    """Return made probabilities of three seats, every other step; P0 is nearly sure in the end."""
    steps = np.arange(FIRST, LAST + 1, 2)
    first = np.linspace(0.2, 0.996, len(steps))
    win = np.stack([first, 0.75 * (1 - first), 0.25 * (1 - first)])
    rows = [(step, seat, win[seat, k]) for k, step in enumerate(steps) for seat in range(3)]
    return pd.DataFrame(rows, columns=["step", "seat", "win"])


@pytest.fixture(scope="module")
def exported(curve: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Nordic game of three players with them, as a page on disk."""
    path = tmp_path_factory.mktemp("win") / "game.html"
    GameStepper(sample_record("nordic"), win=curve).to_html(path)
    return path


def percents(curve: pd.DataFrame, step: int) -> str:
    """Return what the page should say at a step of the curve."""
    values = 100 * curve.loc[curve["step"] == step, "win"]
    words = ["<1%" if value < 1 else ">99%" if value > 99 else f"{value:.0f}%" for value in values]
    return ", ".join(f"Uniform (P{seat}) {word}" for seat, word in enumerate(words))


def go(widget: Locator, step: int) -> None:
    """Go to a step."""
    widget.get_by_role("slider").fill(str(step))
    expect(widget).to_have_attribute("data-step", str(step))


def test_it_says_at_each_step_what_the_curve_says(disk: Disk, exported: Path, curve: pd.DataFrame) -> None:
    widget = disk.show(exported)
    said = widget.locator("[data-field=win]")

    for step, expected in (
        (FIRST - 1, "Uniform (P0) ?, Uniform (P1) ?, Uniform (P2) ?"),
        (FIRST, percents(curve, FIRST)),
        (101, percents(curve, 101)),
        (102, percents(curve, 101)),  # the curve leaves it out
        (LAST - 1, percents(curve, LAST - 1)),
        (LAST, "Uniform (P0) ?, Uniform (P1) ?, Uniform (P2) ?"),
    ):
        go(widget, step)
        expect(said).to_have_text(expected)

    assert percents(curve, LAST - 1) == "Uniform (P0) >99%, Uniform (P1) <1%, Uniform (P2) <1%"
    label = widget.locator(".ttr-chart").nth(1).get_attribute("aria-label") or ""
    assert label == f"Win probability up to step {LAST - 1}; it ends with {percents(curve, LAST - 1)}"


def test_lines_end_with_the_curve_and_lead_to_their_seats(disk: Disk, exported: Path) -> None:
    widget = disk.show(exported)
    points, win = widget.locator(".ttr-chart").all()
    names = ["Uniform (P0)", "Uniform (P1)", "Uniform (P2)"]

    lines = win.evaluate(LINES)
    curves, leads = lines[:3], {line["color"]: line for line in lines[3:]}
    assert [line["name"] for line in curves] == names
    assert max(line["end"] for line in curves) < min(line["end"] for line in points.evaluate(LINES)[:3])
    for line, color, dashes in zip(curves, PLAYER_COLORS, PLAYER_DASHES, strict=False):
        assert line["color"] == color
        assert [length / line["width"] for length in line["dashes"]] == pytest.approx(dashes, abs=0.05)
        assert leads[color]["dashes"] == line["dashes"]
        assert leads[color]["end"] > line["end"]
    tags = win.locator(".ttr-end")
    assert sorted(tags.all_text_contents()) == ["0", "1", "2"]
    boxes = win.locator("rect").evaluate_all("tags => tags.map(tag => tag.getBoundingClientRect().toJSON())")
    boxes.sort(key=lambda box: box["top"])
    assert all(above["bottom"] < below["top"] for above, below in pairwise(boxes))


def test_a_click_in_it_goes_there(disk: Disk, exported: Path) -> None:
    widget = disk.show(exported)
    chart = widget.locator(".ttr-chart").nth(1)
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    middle = box["x"] + 0.5 * box["width"]

    disk.page.mouse.click(middle, box["y"] + 0.5 * box["height"])
    expect(widget).not_to_have_attribute("data-step", "0")

    last = int(widget.get_by_role("slider").get_attribute("max") or -1)
    for cursor in widget.locator(".ttr-cursor").all():
        line = cursor.bounding_box()
        assert line is not None
        at = line["x"] + 0.5 * line["width"]
        assert at == pytest.approx(middle, abs=0.5 * box["width"] / last + 1)  # half a step, and a pixel


@pytest.mark.usefixtures("axe_installed")
def test_axe_finds_nothing_serious_in_it(disk: Disk, exported: Path) -> None:
    widget = disk.show(exported)
    go(widget, 100)

    assert axe.findings_in_both_schemes(disk.page, ".ttr-left") == []
