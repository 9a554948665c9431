"""How long a page takes, measured inside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playwright.sync_api import Locator, Page

    from tests.browser.lab import Lab

# Gets ready to time what comes: from an event in a widget to the first frame after the page has changed (of which the
# part that a selector finds counts), and to the end of this frame: a message from within its callback arrives when it
# has been laid out and painted.
ARM = """(root, [kind, part]) => {
  window.timed = new Promise(done => {
    root.addEventListener(kind, ({timeStamp: start}) => {
      const seen = new MutationObserver(() => {
        seen.disconnect();
        requestAnimationFrame(() => {
          const begun = performance.now() - start;
          const {port1, port2} = new MessageChannel();
          port1.onmessage = () => done([begun, performance.now() - start]);
          port2.postMessage(null);
        });
      });
      const all = {subtree: true, childList: true, attributes: true, characterData: true};
      seen.observe(part ? root.querySelector(part) : root, all);
    }, {capture: true, once: true});
  });
}"""
TIMED = "() => window.timed"

# Runs the cells of the notebook again, up to the end of the first frame with a board.
OPEN = """async () => {
  const {commands, shell} = window.jupyterapp;
  const {node} = shell.currentWidget;
  await commands.execute('notebook:clear-all-cell-outputs');
  const shown = new Promise(done => {
    const seen = new MutationObserver(() => {
      if (!node.querySelector('.ttr-board')) return;
      seen.disconnect();
      requestAnimationFrame(() => {
        const {port1, port2} = new MessageChannel();
        port1.onmessage = () => done(performance.now());
        port2.postMessage(null);
      });
    });
    seen.observe(node, {subtree: true, childList: true});
  });
  const start = performance.now();
  commands.execute('notebook:run-all-cells');
  return await shown - start;
}"""

# Notes the time of every frame of the browser, and every value that the slider takes, for so many milliseconds.
WATCH = """async (root, milliseconds) => {
  const slider = root.querySelector('input[type=range]');
  const [frames, steps] = [[], new Set()];
  const start = performance.now();
  await new Promise(done => {
    const note = now => {
      frames.push(now);
      steps.add(slider.value);
      if (performance.now() - start < milliseconds) requestAnimationFrame(note);
      else done();
    };
    requestAnimationFrame(note);
  });
  return [frames, steps.size];
}"""

# Notes the time of every frame of the browser from the first copy that flies over a table until the last has landed.
FLIGHTS = """() => {
  window.flights = new Promise(done => {
    const [sky, frames] = [document.querySelector('.ttr-sky'), []];
    const note = now => {
      if (sky.childElementCount) frames.push(now);
      if (sky.childElementCount || !frames.length) requestAnimationFrame(note);
      else done(frames);
    };
    requestAnimationFrame(note);
  });
}"""

STAT = Path("/proc/stat")
FRAME = 1000 / 60
"""Milliseconds of a frame, where the browser does not draw more often."""


@dataclass(frozen=True)
class Playing:
    """
    What was shown while a game played by itself.

    Parameters
    ----------
    n_steps
        Steps of the game that were shown.
    n_frames
        Frames of the browser.
    n_dropped
        Frames that came too late for their turn.
    stolen
        Share of the processors' time that the host of a virtual machine gave
        to others meanwhile; 0 where nothing tells. What else ran on this
        machine is not in it.
    """

    n_steps: int
    n_frames: int
    n_dropped: int
    stolen: float


@dataclass(frozen=True)
class Times:
    """
    Milliseconds from events to what they changed on the page.

    Parameters
    ----------
    frame
        To the beginning of the first frame that shows it.
    painted
        To the end of this frame, when it is laid out and painted.
    """

    frame: list[float]
    painted: list[float]


def key_times(widget: Locator, key: str, n: int, *, when: Callable[[], object] = lambda: None) -> Times:
    """Return how soon a widget shows the effect of a key, pressed so often, each time once `when` has returned."""

    def press(k: int) -> None:
        widget.page.wait_for_timeout(k % 17)  # at any point between two frames of the browser
        widget.page.keyboard.press(key)

    return _times(widget, ["keydown", None], [partial(press, k) for k in range(n)], when)


def answer_times(widget: Locator, changes: Sequence[Callable[[], None]]) -> Times:
    """Return how soon a widget shows the answer to each change of an input."""
    return _times(widget, ["input", ".ttr-live"], changes)


def _times(
    widget: Locator,
    what: list[str | None],
    actions: Sequence[Callable[[], None]],
    before: Callable[[], object] = lambda: None,
) -> Times:
    times = []
    for act in actions:
        before()
        widget.evaluate(ARM, what)
        act()
        times.append(widget.page.evaluate(TIMED))
    return Times(*map(list, zip(*times, strict=True)))


def opening_times(lab: Lab, cell: str, n: int) -> list[float]:
    """Return the milliseconds from running a cell to the end of the first frame with a board, each time anew."""
    lab.show(cell)
    return [lab.page.evaluate(OPEN) for _ in range(n)]


def flight_gaps(page: Page, act: Callable[[], None]) -> list[float]:
    """Return the milliseconds between frames while cards and trains fly over a table, after one act."""
    page.evaluate(FLIGHTS)
    act()
    return [b - a for a, b in pairwise(page.evaluate("() => window.flights"))]


def watch_playing(widget: Locator, milliseconds: int) -> Playing:
    """Return what is shown for some time."""
    before = _processor_times()
    frames, n_steps = widget.evaluate(WATCH, milliseconds)
    stolen, spent = (after - then for after, then in zip(_processor_times(), before, strict=True))
    gaps = [b - a for a, b in pairwise(frames)]
    usual = min(median(gaps), FRAME)
    return Playing(
        n_steps, len(frames), sum(max(0, round(gap / usual) - 1) for gap in gaps), stolen / spent if spent else 0.0
    )


def _processor_times() -> tuple[int, int]:
    """Return the ticks that the processors have run since the start, those stolen alone and all; 0 outside Linux."""
    if not STAT.exists():
        return 0, 0
    ticks = [int(n) for n in STAT.read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]  # the last: stolen
    return ticks[-1], sum(ticks)
