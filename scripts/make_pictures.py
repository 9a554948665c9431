"""
Draw the board of the README, and print its results.

Run it after a change of maps, pictures or odds: `python scripts/make_pictures.py`. It fails if a result is not in the
README.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
from PIL import Image

import ttr_analysis as ttr

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "images"
TICKETS = (("København", "Murmansk"), ("Bergen", "Narvik"), ("Oslo", "Vaasa"))
MAX_BYTES = 400_000


def save(ax: Axes, name: str, *, dpi: int) -> None:
    """Write a picture as a small PNG file: a palette of 256 colors is enough for a board."""
    figure = ax.get_figure(root=True)
    assert figure is not None  # noqa: S101 - axes with artists have one
    drawn, small = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=dpi, bbox_inches="tight", pad_inches=0.05, metadata={"Software": None})
    Image.open(drawn).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    if small.tell() > MAX_BYTES:
        msg = f"{name} has {small.tell():,} bytes, more than {MAX_BYTES:,}"
        raise ValueError(msg)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / name).write_bytes(small.getvalue())


def draw_board() -> str:
    """Draw the fewest-trains network of three tickets."""
    nordic = ttr.load_map("nordic")
    network = ttr.tickets.cheapest_network(nordic, TICKETS)
    apart = [ttr.tickets.cheapest_network(nordic, [ticket]).length for ticket in TICKETS]
    title = f"Three tickets, {network.length} trains"
    save(ttr.viz.plot_map(nordic, highlight=network, tickets=TICKETS, title=title), "nordic.png", dpi=110)
    names = [f"{a}–{b}" for a, b in TICKETS]
    return (
        f"{', '.join(names[:-1])} and {names[-1]} need {' + '.join(map(str, apart))} = {sum(apart)} trains one at "
        f"a time, more than the {nordic.rules.trains.per_player} you have, but only {network.length} together: the "
        f"proven minimum."
    )


def tunnel_odds() -> str:
    """Return the odds of a tunnel in words."""
    deck = ttr.load_map("nordic").rules.deck
    in_color = ttr.tunnels.surcharge_distribution(deck["green"] + deck.locomotives, deck.n_cards)
    return (
        f"With a fresh deck, a tunnel paid for with cards of one color needs no extra cards in {in_color[0]:.1%} of "
        f"cases; with one spare card the claim succeeds in {sum(in_color[:2]):.1%}, with two in "
        f"{sum(in_color[:3]):.1%}."
    )


def best_network() -> str:
    """Return the score of the best network in words."""
    usa = ttr.load_map("usa")
    best = ttr.tickets.best_network(usa)
    if not best.is_proven:
        msg = f"the best network is not proven: {best}"
        raise RuntimeError(msg)
    return (
        f"With {best.trains} trains the USA map yields at most {best.score} points, {best.ticket_points} of them from "
        f"{len(best.tickets)} tickets. This is proven for tickets that form one network, and agrees with the published "
        f"result."
    )


def main() -> int:
    """Draw the board; return 1 if a sentence is not in the README."""
    mpl.use("agg")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = " ".join(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).split())  # links as plain words
    fault = 0
    for result in (draw_board, tunnel_odds, best_network):
        sentence = result()
        known = sentence in readme
        print(sentence if known else f"not in the README: {sentence}")
        fault |= not known
    return fault


if __name__ == "__main__":
    sys.exit(main())
