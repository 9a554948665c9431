"""A review in the stepper, and a page of a review: marks, what is said of a step, and links that lead to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.widgets.reviewed import a_review
from ttr_analysis.report.played import write_review
from ttr_analysis.studies.judging import BOUNDS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.lab import Disk


def test_what_cost_something_is_marked_and_told(disk: Disk, tmp_path: Path) -> None:
    reviewed = a_review()
    write_review(reviewed, tmp_path / "review.html")
    disk.show(tmp_path / "review.html")
    page = disk.page
    marked = reviewed.table[reviewed.table["label"].isin(BOUNDS)]
    step = int(reviewed.moments(1).index[0])

    expect(page.locator(".ttr-marks .ttr-tick")).to_have_count(len(marked))
    expect(page.locator(".ttr-moves .ttr-verdict-mark")).to_have_count(len(marked))
    page.locator(f".moment-of a[href='#{step}']").click()

    expect(page.locator(".ttr-stepper")).to_have_attribute("data-step", str(step))
    expect(page.locator(".ttr-verdict")).to_contain_text(f"Better: {reviewed.best_move(step)}")
    expect(page.locator(".ttr-share")).to_have_count(2)
    assert not disk.watch.faults


# Shapes of boards that differ from those of their pictures: then what lies beside a board is drawn, too.
BENT = """() => [...document.querySelectorAll('.ttr-review figure svg')].map(svg => {
  const [box, {width, height}] = [svg.getBoundingClientRect(), svg.viewBox.baseVal];
  return Math.abs((box.width / box.height) / (width / height) - 1);
}).filter(bend => bend > 0.01)"""


def test_boards_of_moments_keep_their_shape(disk: Disk, tmp_path: Path) -> None:
    write_review(a_review(), tmp_path / "review.html")
    disk.page.goto((tmp_path / "review.html").as_uri())
    assert disk.page.locator(".ttr-review figure svg").count()
    for width in (1300, 800, 390):
        disk.page.set_viewport_size({"width": width, "height": 900})
        assert disk.page.evaluate(BENT) == []


PLACES = """() => {
  const box = (element) => element.getBoundingClientRect();
  const [moment, table] = ['.moment-of', '.ttr-review table'].map((name) => document.querySelector(name));
  const pairs = [...document.querySelectorAll('.moment-of:not(.is-single) .boards')];
  const names = [...document.querySelectorAll('.boards .ttr-labels text')];
  const ticks = [...document.querySelectorAll('.ttr-tick')].map(box);
  return {
    first: box(moment).top,
    page: document.documentElement.scrollWidth,
    table: box(table).right,
    isStacked: pairs.map(({children: [a, b]}) => box(b).top > box(a).bottom - 1),
    letters: Math.min(...names.map((name) => 0.8 * box(name).height)),
    isOver: ticks.some((tick, i) => i && tick.left < ticks[i - 1].right - 1),
  };
}"""


def test_a_page_begins_with_the_first_moment_and_fits_every_width(disk: Disk, tmp_path: Path) -> None:
    write_review(a_review(), tmp_path / "review.html")
    disk.page.goto((tmp_path / "review.html").as_uri())
    for width in (1300, 800, 390):
        disk.page.set_viewport_size({"width": width, "height": 800})
        places = disk.page.evaluate(PLACES)
        assert places["first"] < 300
        assert max(places["page"], places["table"]) <= width
        assert places["isStacked"]
        assert all(is_stacked == (width < 700) for is_stacked in places["isStacked"])
        assert 7.5 < places["letters"] < 50
        assert width < 1300 or not places["isOver"]
