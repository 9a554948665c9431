"""A review in the stepper, and a page of a review: marks, what is said of a step, and links that lead to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.widgets.reviewed import a_review
from ttr_analysis.report.review import write_review
from ttr_analysis.studies.marks import BOUNDS

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

    expect(page.locator(".ttr-marks .ttr-verdict-mark")).to_have_count(len(marked))
    expect(page.locator(".ttr-moves .ttr-verdict-mark")).to_have_count(len(marked))
    page.locator(f".moment-of a[href='#{step}']").click()

    expect(page.locator(".ttr-stepper")).to_have_attribute("data-step", str(step))
    expect(page.locator(".ttr-verdict")).to_contain_text(f"Better: {reviewed.best_move(step)}")
    expect(page.locator(".ttr-share")).to_have_count(2)
    assert not disk.watch.faults
