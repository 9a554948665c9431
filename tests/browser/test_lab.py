"""That the other tests here would notice what they look for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import axe
from tests.browser.lab import Disk, Lab

WIDGET = """
import anywidget

class Widget(anywidget.AnyWidget):
    _esm = '''
    export default {{ render({{ el }}) {{
      const root = document.createElement("div");
      root.className = "ttr";
      root.tabIndex = 0;
      root.textContent = 'a widget';
      el.append(root);
      {script}
    }} }};
    '''

Widget()
"""


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("console.error('out of trains')", "console: out of trains"),
        ("setTimeout(() => { throw new Error('off the board') })", "error: off the board"),
        ("alert(1)", "dialog: 1"),
    ],
)
def test_faults_of_a_page_are_noticed(lab: Lab, script: str, fault: str) -> None:
    lab.show(WIDGET.format(script=script))
    lab.page.wait_for_timeout(50)

    assert [found for found in lab.watch.faults if found.startswith(fault)]
    lab.watch.faults.clear()


def test_a_key_that_gets_to_jupyterlab_is_noticed(lab: Lab) -> None:
    widget = lab.show("1 + 1", WIDGET.format(script=""))
    before = lab.cells

    widget.press("b")

    assert lab.cells != before


def test_a_cell_that_fails_is_noticed(lab: Lab) -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        lab.show("1 / 0")


def test_what_a_page_asks_of_the_network_is_noticed(disk: Disk, tmp_path: Path) -> None:
    disk.show(write_page(tmp_path, "<p>a widget"))

    answer = disk.page.evaluate("() => fetch('https://example.org/').then(() => 'came', () => 'refused')")

    assert answer == "refused"
    assert disk.watch.faults[0] == "network: https://example.org/"
    disk.watch.faults.clear()


@pytest.mark.usefixtures("axe_installed")
def test_what_is_hard_to_use_is_noticed(lab: Lab, disk: Disk, tmp_path: Path) -> None:
    faults = "<button></button><p style='color: #999'>faint</p>"

    lab.show(WIDGET.format(script=f'root.innerHTML = "{faults}"'))
    disk.show(write_page(tmp_path, faults))

    for page, selector in ((lab.page, ".jp-Notebook .ttr"), (disk.page, ".ttr")):
        assert [found.partition(":")[0] for found in axe.findings(page, selector)] == ["button-name", "color-contrast"]


def write_page(folder: Path, content: str) -> Path:
    path = folder / "page.html"
    path.write_text(f"<!doctype html><title>Page</title><div class=ttr>{content}</div>", encoding="utf-8")
    return path
