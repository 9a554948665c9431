"""
Draw the pictures of the README, and print the sentences that go with them.

Run it after a change of maps, pictures or odds: `python scripts/make_pictures.py`. It fails if a sentence is not in the
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
        f"{', '.join(names[:-1])} and {names[-1]} take {' + '.join(map(str, apart))} = {sum(apart)} trains one by "
        f"one, and {network.length} together: the fewest possible, proven."
    )


def draw_blocking() -> str:
    """Draw the cost of losing each route to a random deal."""
    nordic = ttr.load_map("nordic")
    table = ttr.tickets.blocking_map(nordic, n_deals=2000, seed=7)
    # Of a double route both tracks are lost: "both" comes before "track".
    table = table.sort_values(["lost", "deal_mean"], ascending=[True, False]).drop_duplicates(["city_a", "city_b"])
    table = table.sort_values("deal_mean", ascending=False)
    extra = dict(zip(zip(table["city_a"], table["city_b"], strict=True), table["deal_mean"], strict=True))
    ax = ttr.viz.plot_map(
        nordic, values=extra, value_label="extra trains of a random deal", title="What the loss of a route costs"
    )
    save(ax, "blocking.png", dpi=80)
    first = table.iloc[0]
    return (
        f"Losing {first['city_a']}–{first['city_b']} costs a random deal of five tickets {first['deal_mean']:.1f} "
        f"trains on average (standard error {first['deal_se']:.2f}), and {first['deal_worst']:.0f} at worst."
    )


def draw_tunnel_odds() -> str:
    """Draw the extra cards of a tunnel."""
    deck = ttr.load_map("nordic").rules.deck
    in_color = ttr.tunnels.surcharge_distribution(deck["green"] + deck.locomotives, deck.n_cards)
    alone = ttr.tunnels.surcharge_distribution(deck.locomotives, deck.n_cards)
    ax = ttr.viz.plot_tunnel_odds({"paid in a color": in_color, "with locomotives alone": alone})
    save(ax, "tunnel_odds.png", dpi=110)
    return (
        f"With a fresh deck, a tunnel paid in a color needs no extra card in {in_color[0]:.1%} of cases; with one "
        f"spare card the claim succeeds in {sum(in_color[:2]):.1%}, with two in {sum(in_color[:3]):.1%}."
    )


def draw_card_odds() -> str:
    """Draw how long it takes to collect the cards for the longest route."""
    nordic = ttr.load_map("nordic")
    lieksa = nordic.route("Murmansk", "Lieksa")
    waiting = {
        f"{own} of a color in hand": ttr.payments.expected_draws(lieksa, {"green": own}, rules=nordic.rules)
        for own in (0, 3, 5)
    }
    save(ttr.viz.plot_card_odds(waiting, title="Enough cards for Murmansk–Lieksa"), "card_odds.png", dpi=110)
    first = next(iter(waiting.values()))
    most = first.quantile(0.9)
    needed = [ttr.payments.cards_needed(lieksa, own=own) for own in range(lieksa.length + 1)]
    return (
        f"Murmansk–Lieksa takes {needed[0]} − {needed[0] - needed[1]}k cards with k of a color. Drawing blind from "
        f"an empty hand, that takes {first.expected_cards.value:.1f} cards or {first.expected_turns.value:.1f} turns "
        f"on average; {most} cards are enough in {sum(first.cards[: most + 1]):.0%} of games."
    )


def draw_best_network() -> str:
    """Draw the highest-scoring network."""
    usa = ttr.load_map("usa")
    best = ttr.tickets.best_network(usa)
    if not best.is_proven:
        msg = f"the best network is not proven: {best}"
        raise RuntimeError(msg)
    save(ttr.viz.plot_map(usa, highlight=best, title=f"{best.score} points"), "usa.png", dpi=80)
    return (
        f"With {best.trains} trains the USA map yields at most {best.score} points, {best.ticket_points} of them from "
        f"{len(best.tickets)} tickets. This is proven for tickets that form one network, and agrees with the published "
        f"result."
    )


def main() -> int:
    """Draw all pictures; return 1 if a sentence is not in the README."""
    mpl.use("agg")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = " ".join(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).split())  # links as plain words
    fault = 0
    for draw in (draw_board, draw_blocking, draw_tunnel_odds, draw_card_odds, draw_best_network):
        sentence = draw()
        known = sentence in readme
        print(sentence if known else f"not in the README: {sentence}")
        fault |= not known
    return fault


if __name__ == "__main__":
    sys.exit(main())
