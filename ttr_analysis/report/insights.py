"""Insights from a player's games as a self-contained page, with its tables as CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ttr_analysis._words import counted, number, percent, percentage_points
from ttr_analysis.report import page
from ttr_analysis.report.study import Study, prepare, write_page
from ttr_analysis.studies.insights import HABITS, Insights, win_rate
from ttr_analysis.studies.intervals import interval_of_mean
from ttr_analysis.studies.losses import PLACES
from ttr_analysis.viz.results import plot_point_sources, plot_progress, plot_rates

if TYPE_CHECKING:
    import pandas as pd

_N_SHOWN: Final = 12
_LEFT_OUT: Final = ("file", "seat", "ending", "start")
"""Columns of games that are not on the page, or elsewhere on it."""
_GROUPS: Final = (
    ("points", "Points", ("points", "route_points", "ticket_gain", "ticket_loss", "bonus", "other_points")),
    ("tickets", "Tickets", ("tickets", "completed", "blocked", "ticket_draws")),
    ("routes", "Routes", tuple(habit for habit in HABITS if habit.startswith("length"))),
    ("turns", "Turns and cards", ("turns", "cards_drawn", "cards_taken", "first_claim", "first_hand")),
    ("tunnels", "Tunnels", ("tunnels", "surcharge", "failed")),
    ("ends", "The end", ("trains_left", "cards_left")),
)


def write_insights(found: Insights, out: Path) -> None:
    """Write the page, `report.html`, and its `tables/` into a folder, replacing those of earlier insights."""
    study = insights_page(found)
    tables = prepare(out)
    page.write_tables(tables, study.tables)
    write_page(study, out)


def insights_page(found: Insights) -> Study:
    """Return the page."""
    head: list[page.Block] = [_figures(found), page.Heading("To take away"), page.Points(found.sentences)]
    sections = [_results(found)]
    if found.losses is not None:
        sections.append(_losses(found, found.losses))
    sections += [_habits(found, *group) for group in _GROUPS]
    n_maps = found.games["map"].nunique()
    subtitle = f"What {counted(len(found.games), 'game')} on {counted(n_maps, 'map')} say"
    return Study(page.name(found.player), subtitle, tuple(head), (*sections, _method(found)))


def _figures(found: Insights) -> page.Figures:
    games = found.games
    fair = (1 / games["players"]).mean()
    items = [
        (f"{games['won'].sum():.3g} of {len(games)}", f"games won; equal players would win {percent(fair)}"),
        (f"{games['points'].mean():.0f}", "points per game"),
        (percent(games["percentile"].mean()), "of planners score lower"),
    ]
    if found.reviews:
        items.append(
            (percentage_points(games["skill"].mean()), "points of win probability per game from your own moves")
        )
        items.append((percentage_points(games["luck"].mean()), "from luck and the others"))
    return page.Figures(tuple(items))


def _results(found: Insights) -> page.Section:
    games = found.games
    won = win_rate(games)
    shown = games[[*(column for column in games if column not in _LEFT_OUT), "file"]].reset_index()
    shown["game"] += 1
    empty = [column for column in ("date", "skill", "luck") if not shown[column].replace("", None).notna().any()]
    points = f"{games['points'].mean():.0f} points on average"
    lead = f"{percent(won.value)} of games won ({won.ends(percent)}), with {points}."
    caption = "Wins beyond an equal share, game after game, and what your own moves and luck contributed."
    blocks: list[page.Block] = [
        page.chart(lambda ax: plot_progress(games, ax, title=""), f"Lines. {caption}", caption, size=(8.0, 3.6)),
        page.make_table("insights_games", "The games", shown.drop(columns=empty), n_shown=_N_SHOWN),
    ]
    return page.Section("results", "Results and luck", lead, tuple(blocks))


def _losses(found: Insights, losses: pd.DataFrame) -> page.Section:
    columns = ["behind", "behind_low", "behind_high", "lost", "lost_low", "lost_high", "decisions", "marks"]
    dearest = losses.sort_values("behind", ascending=False, kind="stable")
    caption = "Win probability lost per game in each part of it, compared with a planner's moves, with 95% intervals."
    shares = dearest.rename(columns=lambda column: column.replace("behind", "lost_share"))
    draw = partial(plot_rates, shares, value="lost_share", reference=0.0, title="")
    blocks: list[page.Block] = [
        page.chart(draw, f"Dots with intervals. {caption}", caption, size=(8.0, 3.4)),
        page.make_table("insights_losses", "Where winning chances are lost", dearest[columns].reset_index()),
        page.Terms(tuple(PLACES.items())),
    ]
    total = interval_of_mean(-100 * found.games["skill"].dropna())
    lead = (
        f"In {counted(len(found.reviews), 'reviewed game')} your moves lost {number(abs(total.value))} percentage "
        f"points of win probability per game {'less' if total.value < 0 else 'more'} than a planner's would have "
        f"({total.ends(number)})."
    )
    return page.Section("losses", "Where chances are lost", lead, tuple(blocks))


def _habits(found: Insights, anchor: str, title: str, habits: Sequence[str]) -> page.Section:
    rows = found.habits.loc[list(habits)]
    rows = rows[(rows["mine"] != 0) | (rows["others"] != 0)]
    clear = rows[(rows["difference_low"] > 0) | (rows["difference_high"] < 0)]
    said = [
        f"{row['meaning']}: {number(row['mine'], 1)} (the others {number(row['others'], 1)})"
        for row in clear.to_dict("records")
    ]
    lead = f"Clearly different from the others, per game: {'; '.join(said)}." if said else "No clear difference."
    columns = ["what", "mine", "others", "difference", "difference_low", "difference_high"]
    table = page.make_table("insights_habits", title, rows.rename(columns={"meaning": "what"})[columns])
    blocks: list[page.Block] = [table._replace(name=f"insights_{anchor}")]
    if anchor == "points":
        caption = "Where points come from, for you and the others, in games won and lost."
        draw = partial(plot_point_sources, found.sources, title="")
        blocks.insert(0, page.chart(draw, caption, caption, size=(8.0, 3.4)))
    if anchor == "ends":
        blocks.append(page.make_table("insights_endings", "How games ended", _endings(found)))
    return page.Section(anchor, title, lead, tuple(blocks))


def _endings(found: Insights) -> pd.DataFrame:
    by = found.games.replace({"ending": ""}, "not over").groupby("ending")
    means = by[["turns", "won"]].mean()
    return means.assign(games=by.size()).reset_index()[["ending", "games", "turns", "won"]]


def _method(found: Insights) -> page.Section:
    blocks: list[page.Block] = [
        page.Words(
            "Differences are means over games of your value minus the mean of the others in the same game. "
            "Percentiles compare with games among planners on the same map with the same number of players. Reviews "
            "measure what a move lost in worlds other than those in which the better one was found, so that means "
            "over games are unbiased even if individual reviews are short. A planner plays well, but not perfectly."
        )
    ]
    if found.left_out:
        blocks += [
            page.Heading("Not used"),
            page.Points(tuple(f"{page.name(file)}: {page.name(why)}" for file, why in found.left_out.items())),
        ]
    lead = f"How these numbers were found, and what was not used: {counted(len(found.left_out), 'file')}."
    return page.Section("method", "Method", lead, tuple(blocks))
