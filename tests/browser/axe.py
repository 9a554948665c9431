"""What axe-core finds in a widget that keeps people from using it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.lab import DARK, LIGHT

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.lab import Lab

SCRIPT = Path(__file__).parents[2] / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
"""Installed by `make test`, in the version that `package.json` says."""

CONTRAST = "color-contrast"
"""The rule for colors: all others find the same in the dark as in the light."""

RUN = """async ([selector, only]) => {
  const options = {resultTypes: ['violations'], ...(only ? {runOnly: [only]} : {})};
  const {violations} = await axe.run({include: [selector]}, options);
  return violations
    .filter(({impact}) => impact === 'serious' || impact === 'critical')
    .flatMap(({id, help, nodes}) => nodes.map(node => `${id}: ${help}: ${node.html} ${node.failureSummary}`));
}"""


def findings(page: Page, selector: str, *, is_dark: bool = False) -> list[str]:
    """Return what axe-core calls serious or critical in a part of a page; in the dark, of its colors alone."""
    if not page.evaluate("() => 'axe' in window"):
        page.add_script_tag(path=SCRIPT)
    # What is cut off counts as unseen, and is not looked at: in JupyterLab that is all, for its body has no height.
    page.add_style_tag(content="body { min-height: 100vh; }")
    usual = page.viewport_size or {"width": 1300, "height": 1000}
    page.set_viewport_size({"width": usual["width"], "height": 4000})
    found: list[str] = page.evaluate(RUN, [selector, CONTRAST if is_dark else None])
    page.set_viewport_size(usual)
    return found


def findings_in_both_schemes(page: Page, selector: str) -> list[str]:
    """Return what axe-core finds in a part of a page, first in the light and then in the dark."""
    page.emulate_media(color_scheme="light")
    found = findings(page, selector)
    page.emulate_media(color_scheme="dark")
    found += findings(page, selector, is_dark=True)
    page.emulate_media(color_scheme="light")
    return found


def findings_in_both_themes(lab: Lab) -> list[str]:
    """Return what axe-core finds in the widgets of a notebook, first in the light and then in the dark."""
    found = findings(lab.page, ".jp-Notebook .ttr")
    lab.use_theme(DARK)
    found += findings(lab.page, ".jp-Notebook .ttr", is_dark=True)
    lab.use_theme(LIGHT)
    return found
