"""
One JupyterLab and one browser for all tests of widgets.

Starting them takes longer than most tests, so all of these share them, and a
kernel, in one process. Where there is no Chromium they are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.lab import Disk, Lab, find_browser, open_browser, open_disk, open_lab

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NO_BROWSER = "no Chromium was found, so the widgets are NOT tested in a browser: install it or set TTR_CHROMIUM"
NO_AXE = "axe-core is not installed, so the widgets are NOT tested for accessibility: `make test` gets it with npm"

# Whatever the widgets call, so that nothing is compiled while a test waits for an answer.
WARM_UP = """
import ttr_analysis as ttr

nordic = ttr.load_map("nordic")
ttr.Game(nordic).play([ttr.policies.Greedy(), ttr.policies.Planner()], seed=7).score()
for widget in (ttr.widgets.TunnelOdds, ttr.widgets.RouteCosts, ttr.widgets.GameTable, ttr.widgets.GameRecorder):
    widget(nordic)
ttr.widgets.TicketExplorer(nordic, nordic.tickets[:3]).find_losses()
"""

expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return the browser."""
    if find_browser() is None:
        pytest.skip(NO_BROWSER)
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def shared_lab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Return JupyterLab, as the test before has left it."""
    with open_lab(browser, tmp_path_factory.mktemp("lab")) as opened:
        opened.run(WARM_UP)
        yield opened


@pytest.fixture
def lab(shared_lab: Lab) -> Iterator[Lab]:
    """Return JupyterLab, and see afterwards that nothing went wrong in it."""
    shared_lab.watch.faults.clear()
    yield shared_lab
    assert shared_lab.watch.faults == []


@pytest.fixture
def disk(browser: Browser) -> Iterator[Disk]:
    """Return a page without network for files, and see afterwards that nothing went wrong in it."""
    with open_disk(browser) as opened:
        yield opened
        assert opened.watch.faults == []


@pytest.fixture(scope="session")
def axe_installed() -> None:
    """Skip the tests that need axe-core where it is missing."""
    if not axe.SCRIPT.is_file():
        pytest.skip(NO_AXE)
