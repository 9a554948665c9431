"""
How fast the widgets are in a real browser: in JupyterLab, and as pages on disk.

Times are from the event to the first frame after the page has changed, and in
brackets to the end of this frame, when it is laid out and painted. A browser
begins a frame every 16.7 ms.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from jupyter_client.session import json_packer

from benchmarks._timing import milliseconds
from tests.browser.lab import Lab, find_browser, open_browser, open_disk, open_lab
from tests.browser.samples import cell, sample_record
from tests.browser.timing import Playing, Times, answer_times, key_times, opening_times, watch_playing
from ttr_analysis.widgets import GameStepper

if TYPE_CHECKING:
    from playwright.sync_api import Locator

N_KEYS = 150
N_PLAYS = 5
N_CHANGES = 40
SECONDS = 10
STEP_SECONDS = 0.1
N_TICKETS = 5
KEY = (10, 25)
"""Milliseconds: the median, and what one in twenty may exceed."""
OPENING = 1000
ANSWER = 100
SIZE = 300
"""In kB."""

Row = tuple[str, str, str, bool]
"""What was measured, the figures, the target, and whether they meet it."""


def main() -> None:
    """Print a table of all figures with their targets."""
    if find_browser() is None:
        print("no Chromium was found; TTR_CHROMIUM names another browser")
        return
    n_missed = 0
    for what, figures, target, is_met in rows():
        n_missed += not is_met
        print(f"{what:<50}{figures:<66}{target:<30}{'' if is_met else 'MISSED'}".rstrip(), flush=True)
    print(f"{n_missed} targets missed" if n_missed else "all targets met")


def rows() -> Iterator[Row]:
    """Yield all figures."""
    record = sample_record("nordic")
    stepper = GameStepper(record)
    size = len(json_packer(stepper.data))
    about = f"{record.header.n_players} players, {len(record.events)} events, {len(record.steps)} steps"
    yield f"data of a game ({about})", f"{size / 1000:.0f} kB", f"less than {SIZE} kB", size < 1000 * SIZE
    made = milliseconds(lambda: GameStepper(record))
    yield "to make its stepper, in Python", f"{made:.0f} ms", "", True
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        path = Path(folder) / "game.html"
        stepper.to_html(path)
        yield "its page on disk", f"{path.stat().st_size / 1000:.0f} kB", "", True
        with open_disk(browser) as disk:
            yield from of_stepper("page on disk", disk.show(path))
        with open_lab(browser, Path(folder)) as lab:
            yield of_opening(lab)
            yield from of_stepper("JupyterLab", lab.show(cell("stepper", "nordic")))
            yield from of_explorers(lab)


def of_stepper(place: str, widget: Locator) -> Iterator[Row]:
    """Yield how fast a stepper is."""
    widget.focus()
    times = key_times(widget, "ArrowRight", N_KEYS)
    is_met = median(times.frame) < KEY[0] and late(times.frame) < KEY[1]
    yield f"{place}: key to frame", spread(times), f"median < {KEY[0]} ms, 95% < {KEY[1]} ms", is_met
    widget.get_by_label("Time for each step").select_option("0.1 s")
    plays, idles = zip(*(play_and_rest(widget) for _ in range(N_PLAYS)), strict=True)
    due = round(SECONDS / STEP_SECONDS)
    shown = f"{min(due, *(play.n_steps for play in plays))} of {due} steps shown"
    yield (
        f"{place}: Play at {STEP_SECONDS} s for {SECONDS} s, {N_PLAYS} times",
        shown,
        "every step",
        shown.startswith(f"{due} "),
    )
    quietest = min(plays, key=lambda play: play.stolen)
    yield f"{place}: frames dropped", dropped(plays), "0 in the quietest", not quietest.n_dropped
    yield f"{place}: frames dropped by the same page at rest", dropped(idles), "", True


def play_and_rest(widget: Locator) -> tuple[Playing, Playing]:
    """Return what is shown while a stepper plays from the first step, and what is while it rests there."""
    widget.page.keyboard.press("Home")
    widget.page.wait_for_timeout(1000)
    widget.get_by_role("button", name="Play").click()
    played = watch_playing(widget, 1000 * SECONDS)
    widget.page.keyboard.press("Home")
    return played, watch_playing(widget, 1000 * SECONDS)


def dropped(plays: Sequence[Playing]) -> str:
    """Return frames dropped in words, with the share of the processors that others had: it makes them late too."""
    ordered = sorted(plays, key=lambda play: play.stolen)
    each = ", ".join(f"{play.n_dropped} ({play.stolen:.1%})" for play in ordered)
    return f"{each} of {ordered[0].n_frames} (processors taken away)"


def of_opening(lab: Lab) -> Row:
    """Return how long it takes from running the cell to the first frame, when all is imported."""
    times = opening_times(lab, cell("stepper", "nordic"), 5)
    figures = f"median {median(times):.0f} ms, most {max(times):.0f} ms"
    return "JupyterLab: cell to first frame", figures, f"median < {OPENING} ms", median(times) < OPENING


def of_explorers(lab: Lab) -> Iterator[Row]:
    """Yield how fast the explorers answer."""
    for name, label in (("odds", "Your hand: green"), ("costs", "Your hand: green")):
        widget = lab.show(cell(name, "nordic"))
        count = widget.get_by_label(label)
        times = answer_times(widget, [partial(count.fill, str(2 + n % 5)) for n in range(N_CHANGES)])
        yield f"JupyterLab: {name}, change to answer", spread(times), f"95% < {ANSWER} ms", late(times.frame) < ANSWER
    widget = lab.show(cell("explorer", "nordic"))
    boxes = widget.get_by_role("checkbox").all()[:N_TICKETS]
    changes = [partial(box.press, "Space") for box in (*boxes, *boxes)]
    times = answer_times(widget, changes * (N_CHANGES // len(changes)))
    yield "JupyterLab: explorer, change to answer", spread(times), f"95% < {ANSWER} ms", late(times.frame) < ANSWER


def late(times: list[float]) -> float:
    """Return the time that one in twenty exceeds."""
    return quantiles(times, n=20)[-1]


def spread(times: Times) -> str:
    """Return times in words."""
    frame, painted = times.frame, times.painted
    parts = (
        f"median {median(frame):.1f} ({median(painted):.1f})",
        f"95% {late(frame):.1f} ({late(painted):.1f})",
        f"most {max(frame):.1f} ({max(painted):.1f}) ms",
    )
    return ", ".join(parts)


if __name__ == "__main__":
    main()
