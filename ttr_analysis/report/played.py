"""Pages on games that people played: a review with its moments and the stepper, and insights from many games."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from markupsafe import Markup

from ttr_analysis._words import counted, listed, number, percent, percentage_points, seat_names, with_names
from ttr_analysis.engine.actions import Action, AttemptTunnel, ClaimRoute, KeepTickets
from ttr_analysis.engine.actions.table import Places, places_of
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.layout import n_unknown_cards
from ttr_analysis.engine.state import GameState, Owner
from ttr_analysis.maps.names import name_route, name_ticket
from ttr_analysis.policies.search.knowledge import Knowledge
from ttr_analysis.policies.search.shown import ticket_orders
from ttr_analysis.records.positions import UNKNOWN
from ttr_analysis.records.record import GameRecord
from ttr_analysis.report import page
from ttr_analysis.report.study import Study, prepare, write_page
from ttr_analysis.studies.advice import Reasons
from ttr_analysis.studies.insights import HABITS, Insights, win_rate
from ttr_analysis.studies.intervals import interval_of_mean
from ttr_analysis.studies.judging import BOUNDS, FORCED, LEAST_LOSS, MOST_DOUBT, label_of, least_low_ends
from ttr_analysis.studies.losses import PLACES
from ttr_analysis.studies.outlook import COMPLETES, POINTS, Row
from ttr_analysis.studies.reviews import Review, player_names
from ttr_analysis.viz.charts import plot_win_curve
from ttr_analysis.viz.html import bdi, figure, seat_mark, table, templates
from ttr_analysis.viz.results import plot_point_sources, plot_progress, plot_rates
from ttr_analysis.viz.style import PLAYER_COLORS
from ttr_analysis.viz.svg import map_svg
from ttr_analysis.viz.words import move_words
from ttr_analysis.widgets.stepper import GameStepper

if TYPE_CHECKING:
    import pandas as pd

    from ttr_analysis.maps.model import Route, Ticket

Rows: TypeAlias = list[dict[Any, Any]]
"""Rows of `Review.summary`."""
N_MOMENTS: Final = 5
BOARD_WIDTH: Final = 620
"""Maximum width of a board, in pixels."""
_NOT_CLEAR: Final = "not clear"
_ROUGH: Final = 10
"""Factors from this on are reported without decimals."""
_UNCLEAR: Final = 0.25
"""Skill or luck is called unclear if half of its interval is wider than this."""
_MOST_HANDS: Final = 3
"""Most hands of tickets to list where they are uncertain."""
_PLURALS: Final = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}


def write_review(review: Review, path: str | os.PathLike[str], *, open_cards: pd.DataFrame | None = None) -> None:
    """
    Write a review as a page that opens from disk and needs no network.

    With `open_cards`, from `studies.win_curve(review.record)`, it can also show the win curve with all hands seen. An
    existing file is replaced only once the new one is complete.
    """
    stepper = GameStepper(review.record, seat=review.seat, review=review)
    stepper.to_html(path, before=_article(review, open_cards), styles=page.asset("review.css"))


def _article(review: Review, open_cards: pd.DataFrame | None = None) -> str:
    """Return everything before the stepper."""
    names = seat_names(player_names(review.record))
    moments = review.moments(N_MOMENTS)
    rows = sorted(review.summary().reset_index().to_dict("records"), key=lambda row: _place(review.record, row["seat"]))
    article: str = (
        templates("ttr_analysis.report")
        .get_template("review.html")
        .render(
            title=bdi(review.record.header.title or review.record.map.title),
            result=_result(review, names),
            lacking=_lacking(review, rows),
            moments=[_moment(review, names, moments, step) for step in moments.index.tolist()],
            story=_story(review, names, rows),
            doubts=list(_doubts(review, names)),
            **_table(names, rows),
            curve=_curve(review, review.curve, moments.index.tolist()) if len(review.curve) else "",
            open_cards=_curve(review, open_cards) if open_cards is not None else "",
            n_judged=len(review.table),
            is_clear=review.lacking == 1,
            bounds=listed([f"{100 * BOUNDS[label]:.0f}" for label in _PLURALS], "or"),
            unseen_bounds=_unseen_bounds(review),
        )
    )
    return article


def _unseen_bounds(review: Review) -> str:
    """Return what the low end of a loss must reach if a player saw more than the record shows; "" if none did."""
    if all(one.is_seen for one in review.decisions if label_of(one) != FORCED):
        return ""
    usual, least = least_low_ends(is_seen=True), least_low_ends(is_seen=False)
    return listed(f"{100 * least[label]:g} for a {label}" for label in BOUNDS if least[label] > usual[label])


def _place(record: GameRecord, seat: int) -> tuple[bool, bool, int]:
    """Return the sort key of a seat by its result: winners first, then by points, unknown points last."""
    points = record.scores[seat]
    return not (record.is_complete and seat in record.winners), points is None, -(points or 0)


def _story(review: Review, names: Sequence[str], rows: Rows) -> Iterator[Markup]:
    """Yield the summary of each player in sentences."""
    for row in rows:
        name = Markup("<b>{}</b>").format(bdi(names[row["seat"]]))
        if not row["decisions"]:
            yield Markup("No decision by {} could be judged.").format(name)
            continue
        luck = percentage_points(row["luck"])
        rest = f"opponents' moves {percentage_points(row['others'])}, and luck {luck}"
        if review.seat is not None:
            rest = f"and luck and opponents' moves together {luck}"
        gain = percentage_points(row["skill"])
        own = f" Compared with a planner's, the player's own moves contributed {gain} percentage points, {rest}."
        yield Markup("{} {}{}").format(name, _marks(row), own if _is_clear(row) else "")


def _is_clear(row: dict[Any, Any]) -> bool:
    """Return whether skill and luck of a seat were measured precisely enough to report them."""
    return bool(row["luck_error"] <= _UNCLEAR)


def _lacking(review: Review, rows: Rows) -> str:
    """Return what needs more simulated games, and how many; "" if there were enough."""
    error = max((row["luck_error"] for row in rows if row["decisions"]), default=0.0)
    needed = [("judge most decisions", review.lacking), ("tell skill from luck", (error / _UNCLEAR) ** 2)]
    parts = [f"to {what} ({_times(review, times)})" for what, times in needed if times > 1 and isfinite(times)]
    return f"There were too few simulated games {listed(parts)}." if parts else ""


def _times(review: Review, times: float) -> str:
    """Return how many games, or how long a review, are needed."""
    if review.minutes_needed is None:
        return f"about {number(times, 0 if times >= _ROUGH else 1)} times as many are needed"
    minutes = max(1, ceil(review.minutes_needed * times / review.lacking))
    return f"that takes a review of about {counted(minutes, 'minute')}"


def _marks(row: dict[Any, Any]) -> str:
    """Return how many marks a seat has, and whether what they cost came back."""
    n_marks = sum(row[label] for label in _PLURALS)
    bad = [counted(row[label], label, _PLURALS[label]) for label in reversed(_PLURALS) if row[label]]
    made = f"made {listed(bad) or 'no clearly wrong move'} in {counted(row['decisions'], 'decision')}"
    if not n_marks:
        return f"{made}."
    cost, lost = (round(100 * row[what]) for what in ("cost", "lost"))
    what = f"{'part of ' if 0 < lost < cost else ''}what {'it' if n_marks == 1 else 'these'} cost"
    back = "was lost for good" if lost else "came back by the end"
    theirs = "it" if n_marks == 1 else "all of these" if row["shared"] == n_marks else f"{row['shared']} of these"
    shared = f" A planner would have played {theirs} too." if row["shared"] else ""
    return f"{made}; {what} {back}.{shared}"


def _doubts(review: Review, names: Sequence[str]) -> Iterator[Markup]:
    """Yield what was unknown or assumed, and how much that matters."""
    record, table = review.record, review.table
    if not review.is_whole:
        yield Markup("The review was interrupted after step {}.").format(table.index[-1])
    seats = {seat for seat in set(table["seat"]) if len(ticket_orders(record, seat)) > 1}
    if seats:
        doubtful = Markup(listed([bdi(names[seat]) for seat in sorted(seats)]))  # noqa: S704 - escaped by `bdi`
        yield Markup(
            "The record does not show when {} kept each of the tickets revealed at the end. Their moves were judged "
            "with hands of tickets that, going by their routes, they may have held."
        ).format(doubtful)
    reviewed = range(record.header.n_players) if review.seat is None else [review.seat]
    n_unjudged = sum(isinstance(step[0], Move) and step[0].seat in reviewed for step in record.steps) - len(table)
    if n_unjudged and review.is_whole:
        yield Markup("{} could not be judged: the record does not show what the player held or was offered.").format(
            counted(n_unjudged, "decision")
        )
    if any(UNKNOWN in state.market for state in record.states()):
        yield Markup(
            "Face-up cards that were not taken are unknown, and so are some cards in hands: moves that need one of "
            "them were not tried."
        )
    if (table["holds"] < 1).any():
        if_sure = [label_of(replace(one, holds=1.0)) in BOUNDS for one in review.decisions]
        n_failed = sum(if_sure) - int(table["label"].isin(BOUNDS).sum())
        yield Markup(
            "Where a player's tickets or cards are uncertain, a move got a mark only if it cost at least {} with a "
            "probability of {}. {} that seemed costly failed this test."
        ).format(percent(LEAST_LOSS), percent(1 - MOST_DOUBT), counted(n_failed, "move") if n_failed else "No move")


def _result(review: Review, names: Sequence[str]) -> Markup:
    """Return the winner, and the points of each."""
    record = review.record
    scores = ["with points unknown" if score is None else score for score in record.scores]
    order = sorted(range(len(names)), key=lambda seat: _place(record, seat))
    points = Markup(", ").join(Markup("{} {}").format(_player(names, seat), scores[seat]) for seat in order)
    if not record.is_complete:
        return Markup("The game is not over: {}.").format(points)
    winners = Markup(listed(bdi(names[seat]) for seat in record.winners))  # noqa: S704 - escaped by `bdi`
    if not winners:
        return Markup("The game is over: {}.").format(points)
    tie = record.score().tie
    return Markup("{} won: {}.{}").format(winners, points, f" {tie}." if tie else "")


def _player(names: Sequence[str], seat: int) -> Markup:
    """Return the number of a seat, which its trains on the boards show, and the name of its player."""
    return Markup("{} {}").format(seat_mark(seat), bdi(names[seat]))


def _table(names: Sequence[str], rows: Rows) -> dict[str, Any]:
    """Return the table of skill and luck, a column for each player, and which parts of the result it has."""
    cells = [_cells(row) for row in rows]
    lines = [(what, [of[what] for of in cells]) for what in cells[0]]
    shown = [(what, line) for what, line in lines if not {_NOT_CLEAR, "–"}.issuperset(line)]
    heads = [_player(names, row["seat"]) for row in rows]
    filled = table(["", *heads], [[what, *map(figure, line)] for what, line in shown])
    return {"table": filled, "parts": dict(shown), "is_split": len(shown) == len(lines)}


def _cells(row: dict[Any, Any]) -> dict[str, str]:
    """Return the parts of a seat's result as percentages, and its marks."""
    # The error of luck includes that of opponents' moves.
    others = percentage_points(row["others"]) if _is_clear(row) else _NOT_CLEAR
    cells = {
        "start": percent(row["start"]),
        "own moves": _known(row["skill"], row["skill_error"]),
        "opponents' moves": "–" if isnan(row["others"]) else others,
        "luck": _known(row["luck"], row["luck_error"]),
        "result": "–" if isnan(row["result"]) else percent(row["result"]),
        "lost for good": f"{100 * row['lost']:.0f}",
        **{_PLURALS[label]: str(row[label]) for label in _PLURALS},
    }
    return cells if row["decisions"] else dict.fromkeys(cells, "–")


def _known(value: float, error: float) -> str:
    """Return a part of the result with half its interval, unless that is too wide."""
    return f"{percentage_points(value)} ± {100 * error:.0f}" if error <= _UNCLEAR else _NOT_CLEAR


def _curve(review: Review, curve: pd.DataFrame, steps: Sequence[int] = ()) -> Markup:
    """Return a win curve, on which the moments, if measured with it, link to their steps."""
    judged = review.table.loc[list(steps), ["seat"]].reset_index()
    moments = judged.merge(curve, on=["step", "seat"], how="left").set_index("step") if len(steps) else None
    players = player_names(review.record)
    return page.drawing(
        lambda ax: plot_win_curve(curve, ax, points=moments, players=players, title=""),
        "Win probability over the game",
        size=(11.0, 3.2),
    )


def _moment(review: Review, names: Sequence[str], moments: pd.DataFrame, step: int) -> dict[str, Any]:
    """Return a moment with boards of the move played and of the best one."""
    row: Any = moments.loc[step]
    known, view = review.known(step), review.view(step)
    reasons = Reasons(view)
    n_unknown = n_unknown_cards(known.packed, row["seat"])
    unknown = counted(n_unknown, "unknown card") if n_unknown else ""
    before, after = review.record.state_at(step - 1), review.record.state_at(step)
    played = Places(
        tuple(route for route in after.claimed if route.id not in before.owners),
        tuple(after.game_map.city(city) for city in after.stations if city not in before.stations),
    )
    best = review.action(step)
    better = places_of(best)
    tickets = [*reasons.open_tickets, *filter(None, view.offer)]
    board = partial(_board, names)
    boards = [("Played", board(after, row["seat"], played, tickets))] if any(played) else []
    why = review.why(step)
    planned = [route for route, _ in why.plan]
    gained = [one.what for one in why.rows if one.does == COMPLETES and one.seat == row["seat"] and one.change > 0]
    gains = [f"completes {listed(gained)} more often"] if gained else []
    if any(better):
        caption = "Better, and the plan from there" if planned else "Better"
        boards.append((caption, board(before, row["seat"], better, tickets, planned)))
    elif planned:
        boards.append(("Better: the plan from there", board(before, row["seat"], Places(), tickets, planned)))
    elif why.aim:
        caption = f"Better: toward {name_route(why.aim)}"
        boards.append((caption, board(before, row["seat"], Places(), tickets, [why.aim])))
    if not boards:
        boards.append(("The board then", board(before, row["seat"], Places(), tickets)))
    [move] = [event for event in review.record.steps[step][:1] if isinstance(event, Move)]
    return {
        "label": row["label"],
        "move": move_words(move.action, view.market, past=True),
        "best": move_words(best, view.market),
        "cost": review.cost(step),
        "chances": (percent(row["win"] + row["loss"]), percent(row["win"])),
        "color": PLAYER_COLORS[row["seat"] % len(PLAYER_COLORS)],
        "step": step,
        "stamp": review.record.stamps[step],
        "standing": _standing(before, names),
        "offer": _offer(view.offer, best, move.action),
        "missed": row["times"],
        "since": row["since"],
        "until": row["until"],
        "hand": listed(filter(None, [f"{view.hand}" if view.hand.n_cards else "", unknown])) or "no cards",
        "tickets": _tickets(known),
        "is_guessed": len(set(known.hands(known.viewer).tolist())) > 1,
        "player": _player(names, row["seat"]),
        "reason": with_names("; ".join([*gains, *why.reasons]), names),
        "plan": listed([f"{name_route(route)}{f' with {color}' if color else ''}" for route, color in why.plan]),
        "brings_less": any(one.what == POINTS and one.seat == row["seat"] and one.change < 0 for one in why.rows),
        "outlook": _outlook(row, why.rows, names),
        "gain": with_names(reasons.of(move.action), names)
        if isinstance(move.action, ClaimRoute | AttemptTunnel)
        else "",
        "boards": boards,
    }


def _standing(state: GameState, names: Sequence[str]) -> Markup:
    """Return the points and trains of the players, those with the same together; "" if all are equal."""
    standings: dict[tuple[int, int], list[Markup]] = {}
    for seat, standing in enumerate(zip(state.scores, state.trains, strict=True)):
        standings.setdefault(standing, []).append(_player(names, seat))
    if len(standings) == 1:
        return Markup()
    return Markup("; ").join(
        Markup("{}{} {} and {}").format(
            Markup(listed(who)),  # noqa: S704 - escaped by `bdi`
            " each" if len(who) > 1 else "",
            counted(points, "point"),
            counted(trains, "train"),
        )
        for (points, trains), who in standings.items()
    )


def _offer(offer: Sequence[Ticket | None], best: Action, played: Action) -> Markup:
    """Return a table of the tickets offered, and which of them the better choice and the one made keep."""
    if not isinstance(best, KeepTickets) or not isinstance(played, KeepTickets):
        return Markup()
    kept = [best.tickets, played.tickets]
    rows = [[name_ticket(one), *("kept" if one in some else "–" for some in kept)] for one in offer if one]
    if None in offer:
        rows.append([counted([*offer].count(None), "unknown ticket"), "", ""])
    return table(["Tickets offered", "better", "played"], rows)


def _outlook(row: Any, rows: Sequence[Row], names: Sequence[str]) -> Markup:  # noqa: ANN401 - a row of the moments
    """Return a table of what clearly differs between games after the better move and after the move played."""
    if not rows:
        return Markup()
    shown = [one for one in rows if one.change or len(one.best) != len(one.played)]
    if not shown:
        return Markup('<p class="quiet">In games continued after either move, nothing else differs clearly.</p>')
    cells: list[list[str]] = [["wins", percent(row["win"] + row["loss"]), percent(row["win"])]]
    for one in shown:
        what = f"{one.does} {one.what}{one.condition}"
        shares = ["–" if isnan(mean) else percent(mean) for mean in one.means]
        if one.what == POINTS:
            what, shares = "scores (points)", [number(mean) for mean in one.means]
        elif all(one.cards) and one.cards[0] != one.cards[1]:
            shares = [f"{share}, {color}" for share, color in zip(shares, one.cards, strict=True)]
        who = one.seat != row["seat"]
        cells.append([Markup("{} {}").format(bdi(names[one.seat]), what) if who else what, *shares])
    lines = [[what, *map(figure, values)] for what, *values in cells]
    return table([bdi(names[row["seat"]]), figure("better"), figure("played")], lines)


def _tickets(known: Knowledge) -> str:
    """Describe a seat's tickets; if they are uncertain, the likeliest hands with their probabilities."""
    held, tickets = known.held(known.viewer), known.game_map.tickets
    orders = known.orders.get(known.viewer, held[np.newaxis])[:, : len(held)]
    hands = Counter(tuple(row) for row in np.sort(orders, axis=1).tolist())
    likely = [
        (", ".join(name_ticket(tickets[ticket]) for ticket in hand) or "none", percent(n / len(orders)))
        for hand, n in hands.most_common(_MOST_HANDS)
    ]
    if len(hands) == 1:
        return f"Tickets: {likely[0][0]}"
    others = "" if len(hands) == len(likely) else "; or others"
    return f"Likely tickets, going by the routes: {'; '.join(f'{share} {hand}' for hand, share in likely)}{others}"


def _board(
    names: Sequence[str],
    state: GameState,
    seat: int,
    marked: Places,
    tickets: Iterable[Ticket],
    planned: Sequence[Route] = (),
) -> Markup:
    """
    Return a board so far, with the ends of tickets connected.

    The marked places glow, and those still free are drawn as the seat's. Planned routes only glow.
    """
    owners: dict[str, Owner] = {route.id: seat for route in marked.routes}
    stations = {city.name: seat for city in marked.cities}
    return map_svg(
        state.game_map,
        {**owners, **state.owners},
        stations={**stations, **state.stations},
        highlight=(*marked.routes, *planned),
        cities=marked.cities,
        tickets=tickets,
        width=BOARD_WIDTH,
        fade=False,
        few_names=True,
        players=names,
    )


# -- insights from a player's games -----------------------------------------------------------------------------------


_N_SHOWN: Final = 12
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
    head: list[page.Block] = [_figures(found), page.Heading("Takeaways"), page.Points(found.sentences)]
    sections = [_results(found)]
    if found.losses is not None:
        sections.append(_losses(found, found.losses))
    sections += [_habits(found, *group) for group in _GROUPS]
    n_maps = found.games["map"].nunique()
    subtitle = f"Insights from {counted(len(found.games), 'game')} on {counted(n_maps, 'map')}"
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
        skill, luck = (percentage_points(games[part].mean()) for part in ("skill", "luck"))
        items.append((skill, "percentage points of win probability per game from your own moves"))
        items.append((luck, "from luck and your opponents"))
    return page.Figures(tuple(items))


def _results(found: Insights) -> page.Section:
    games = found.games
    won = win_rate(games)
    shown = games.reset_index()
    shown["game"] += 1
    points = f"{games['points'].mean():.0f} points on average"
    lead = f"You won {percent(won.value)} of your games ({won.ends(percent)}) and scored {points}."
    caption = "Wins beyond an equal share, game after game, and what your own moves and luck contributed."
    blocks: list[page.Block] = [
        page.chart(lambda ax: plot_progress(games, ax, title=""), f"Lines. {caption}", caption, size=(8.0, 3.6)),
        page.make_table("insights_games", "The games", shown, n_shown=_N_SHOWN),
    ]
    return page.Section("results", "Results and luck", lead, tuple(blocks))


def _losses(found: Insights, losses: pd.DataFrame) -> page.Section:
    costliest = losses.sort_values("behind", ascending=False, kind="stable")
    caption = "Win probability lost in each part of a game, compared with a planner's moves, with 95% intervals."
    shares = costliest.rename(columns=lambda column: column.replace("behind", "lost_share"))
    draw = partial(plot_rates, shares, value="lost_share", reference=0.0, title="")
    blocks: list[page.Block] = [
        page.chart(draw, f"Dots with intervals. {caption}", caption, size=(8.0, 3.4)),
        page.make_table("insights_losses", "Where winning chances are lost", costliest.reset_index()),
        page.Terms(tuple(PLACES.items())),
    ]
    total = interval_of_mean(-100 * found.games["skill"].dropna())
    lead = (
        f"In {counted(len(found.reviews), 'reviewed game')}, your moves lost {number(abs(total.value))} percentage "
        f"points of win probability per game {'less' if total.value < 0 else 'more'} than a planner's would have "
        f"({total.ends(number)})."
    )
    return page.Section("losses", "Where chances are lost", lead, tuple(blocks))


def _habits(found: Insights, anchor: str, title: str, habits: Sequence[str]) -> page.Section:
    rows = found.habits.loc[list(habits)]
    rows = rows[(rows["mine"] != 0) | (rows["others"] != 0)]
    clear = rows[(rows["difference_low"] > 0) | (rows["difference_high"] < 0)]
    words = [
        f"{row['meaning']}: {number(row['mine'], 1)} (opponents {number(row['others'], 1)})"
        for row in clear.to_dict("records")
    ]
    lead = f"Clear differences from your opponents, per game: {'; '.join(words)}." if words else "No clear difference."
    table = page.make_table("insights_habits", title, rows.rename(columns={"meaning": "what"}))
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
    return means.assign(games=by.size()).reset_index()


def _method(found: Insights) -> page.Section:
    blocks: list[page.Block] = [
        page.Words(
            "A difference is the mean over games of your value minus the mean of your opponents in the same game. "
            "Percentiles compare with games between planners on the same map with the same number of players. Reviews "
            "measure the loss of a move in fresh worlds, not those in which the better move was found, so means over "
            "games are unbiased even if each review is short. A planner plays well but not perfectly."
        )
    ]
    if found.left_out:
        blocks += [
            page.Heading("Not used"),
            page.Points(tuple(f"{page.name(file)}: {page.name(why)}" for file, why in found.left_out.items())),
        ]
    lead = f"How these numbers were computed, and which files were not used: {len(found.left_out) or 'none'}."
    return page.Section("method", "Method", lead, tuple(blocks))
