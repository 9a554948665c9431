"""How objects display in a notebook or on a page: boards, tables, sentences, and findings as small pictures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, hypot, isnan
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from zlib import crc32

from markupsafe import Markup

from ttr_analysis._errors import GameError, RecordError, _shorten
from ttr_analysis._words import number, percent
from ttr_analysis.engine.actions.table import places_of
from ttr_analysis.engine.scores import Score
from ttr_analysis.engine.state import PublicState
from ttr_analysis.maps.model import GameMap, Route, Ticket, home_of
from ttr_analysis.maps.names import describe_route
from ttr_analysis.records.record import GameRecord
from ttr_analysis.viz.html import color_swatch, figure, seat_mark, table
from ttr_analysis.viz.svg import Drawing, drawing, map_svg, point, round_step
from ttr_analysis.viz.words import final_parts, tell, tell_station

if TYPE_CHECKING:
    from ttr_analysis.studies.advice import Advice
    from ttr_analysis.studies.findings import Finding, Findings
    from ttr_analysis.studies.intervals import Unit
    from ttr_analysis.studies.reviews import Review

RECORD_WIDTH: Final = 560
ADVICE_WIDTH: Final = 460
"""Maximum width of the boards of records and advice, in pixels."""
N_FIRST, N_LAST = 3, 5
"""Moves shown from each end of a game."""
N_ACTIONS: Final = 8
"""Actions of advice to list; its `table` has all of them."""


# -- paths, networks, tickets, states ------------------------------------------------------------------------------


class RouteAnswer(Protocol):
    """A path, trail, network, cut or tree."""

    @property
    def routes(self) -> Sequence[Route]:
        """Its routes."""


def route_list(answer: RouteAnswer) -> Markup:
    """Return an object made of routes as a table, captioned by its `repr`."""
    has_tolls = any(route.toll for route in answer.routes)
    rows = [
        (
            *(f"{route.cities[0]} – {route.cities[1]}", color_swatch(route.color)),
            *(route.kind, route.length, route.points),
            *([route.toll] if has_tolls else []),
        )
        for route in answer.routes
    ]
    head = ["route", "color", "kind", "length", "points", *(["toll"] if has_tolls else [])]
    return table(head, rows, repr(answer).strip("<>"))


def route_board(answer: RouteAnswer) -> str:
    """Return an object made of routes as a board on which they stand out, and as a table."""
    tickets = getattr(answer, "tickets", ())
    home = home_of(routes=answer.routes) if answer.routes else None
    return (map_svg(home, highlight=answer.routes, tickets=tickets) if home else Markup()) + route_list(answer)


def ticket_board(ticket: Ticket) -> str:
    """Return a ticket as a board on which its places are connected, with a caption."""
    home = home_of(tickets=[ticket])
    words = Markup("<div><b>{}</b></div>").format(ticket)
    return map_svg(home, tickets=[ticket]) + words if home else words


def game_board(state: PublicState) -> str:
    """Return a game at one moment as its board, with a row for each seat."""
    has_tokens = any(state.tokens)
    head = ["seat", "points", "trains", "cards", "tickets", *(["tokens"] if has_tokens else [])]
    columns = [state.scores, state.trains, state.n_hands, state.n_tickets, *([state.tokens] if has_tokens else [])]
    rows = [[f"P{seat}", *row] for seat, row in enumerate(zip(*columns, strict=True))]
    return map_svg(state.game_map, state.owners, stations=state.stations) + table(head, rows, repr(state).strip("<>"))


# -- records -------------------------------------------------------------------------------------------------------


def record_summary(record: GameRecord) -> str:
    """Return a record as HTML: result, board, first and last moves; an impossible one by its `repr`."""
    try:
        scores = list(record.score())
    except (GameError, RecordError):
        return f"<pre>{escape(repr(record))}</pre>"
    last = record.states()[-1]
    names = record.header.players or record.header.policies or ("",) * record.header.n_players
    seats = [
        (
            seat_mark(score.seat),
            name,
            Markup("<strong>{}</strong>{}").format(
                "?" if score.total is None else score.total, " won" if score.seat in record.winners else ""
            ),
            Markup("<br>").join([_made_of(score), *map(tell_station, score.stations)]),
            str(trains),
        )
        for score, name, trains in zip(scores, names, last.trains, strict=True)
    ]
    parts = [
        Markup("<div><p>{}</p>").format(_heading(record)),
        table(["seat", "player", "points", "made of", "trains left"], seats),
        map_svg(record.map, last.owners, stations=last.stations, width=RECORD_WIDTH),
        f"<p>First and last of {len(record.steps)} steps; <code>ttr.widgets.GameStepper(record)</code> shows all:</p>",
        f"<ul>{''.join(_moves(record))}</ul></div>",
    ]
    return "".join(parts)


def _heading(record: GameRecord) -> Markup:
    header = record.header
    words = ", ".join(
        [
            *filter(None, [record.map.title, record.map.rules.variant.replace("_", " ")]),
            f"{header.n_players} players",
            *filter(None, [header.date]),
            *([] if header.seed is None else [f"seed {header.seed}"]),
            f"{len(record.entries)} events",
            "over" if record.states()[-1].is_over else "not over",
        ]
    )
    if not header.title:
        return Markup("<strong>{}</strong>").format(words)
    return Markup("<strong>{}</strong> {}").format(header.title, words)


def _moves(record: GameRecord) -> Iterator[Markup]:
    """Yield the first and last moves as items of a list."""
    n_steps = len(record.steps)
    for step, narration in enumerate(tell(record)):
        if step < N_FIRST or step >= n_steps - N_LAST:
            stamp = Markup(" <small>({})</small>").format(narration.stamp) if narration.stamp else ""
            yield Markup("<li>{}: {}{}</li>").format(step, narration, stamp)
        elif step == N_FIRST:
            yield Markup("<li>…</li>")


def _made_of(score: Score) -> str:
    """Return the parts of a score as a sum."""
    words = ""
    for k, (what, points) in enumerate(final_parts(score)):
        sign = "" if k == 0 else " − " if points is not None and points < 0 else " + "
        words += f"{sign}{'?' if points is None else abs(points) if k else points} {what}"
    return words


# -- advice and reviews --------------------------------------------------------------------------------------------


def advice_html(advice: Advice) -> str:
    """Return advice as HTML: the first actions of its table, and the board if the best one concerns a place."""
    view = advice.view
    rows = [
        [
            row["move"],
            _chance(row["win"], row["win_low"], row["win_high"]),
            figure(number(row["points"])),
            figure(number(row["lead"], sign=True)),
            row["reason"],
        ]
        for row in advice.table.head(N_ACTIONS).to_dict("records")
    ]
    shown = table(["move", "win", "points", "lead", "reason"], rows, repr(advice).strip("<>"))
    routes, cities = places_of(advice.best)
    if not routes and not cities:
        return shown
    owners = {**view.owners, **{route.id: view.seat for route in routes}}
    stations = {**view.stations, **{city.name: view.seat for city in cities}}
    return shown + map_svg(
        view.game_map, owners, stations=stations, highlight=routes, cities=cities, width=ADVICE_WIDTH, fade=False
    )


def review_html(review: Review) -> str:
    """Return a review as HTML: skill and luck of each seat, and the costliest decisions."""
    shares, counts = ["start", "skill", "others", "luck", "result"], ["inaccuracy", "mistake", "blunder"]
    seats = [
        [
            f"P{row['seat']} {row['player']}",
            *(figure("–" if isnan(row[what]) else percent(row[what])) for what in shares),
            *(row[n] for n in counts),
        ]
        for row in review.summary().reset_index().to_dict("records")
    ]
    moments = [
        [
            str(row["step"]),
            f"P{row['seat']} {row['player']}",
            row["move"],
            row["label"],
            _chance(row["loss"], row["loss_low"], row["loss_high"]),
            row["best"],
            row["reason"],
        ]
        for row in review.moments().reset_index().to_dict("records")
    ]
    whole = table(["", *shares, *counts], seats, repr(review).strip("<>"))
    if not moments:
        return whole + Markup("<p>No decision clearly cost anything.</p>")
    return whole + table(["step", "player", "move", "", "cost", "better", "reason"], moments, "What cost the most")


def _chance(value: float, low: float, high: float) -> str:
    """Return a probability with its interval."""
    return f"{percent(value)} ({100 * max(0.0, low):.0f}–{100 * high:.0f})"


# -- findings as small pictures and cards, in the colors of the page, light or dark ------------------------------------


ACCENT: Final = "var(--ttr-subject, #0b6fae)"
"""Color of the sentence's subject; a page may override it."""
QUIET: Final = "0.45"
"""Opacity of everything else."""
_FONT: Final = "font-family='system-ui, DejaVu Sans, Verdana, sans-serif'"
_WIDTH, _ROW, _TEXT = 420, 24, 13
_LETTER, _BOLD_LETTER = 8.1, 9.0
"""Upper bound for the mean width of a letter, in pixels."""
_LONGEST: Final = 34
"""Maximum length of a label, in characters; longer ones are cut."""
_SHARES: Final = (0.5, 0.35, 0.65, 0.2, 0.8, 0.05, 0.95)
"""For a name above or below a city: the share of its width to the left of the city, in the order tried."""
_DIRECTION: Final = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"


def finding_svg(finding: Finding, game_map: GameMap) -> Markup:
    """Return the picture of a finding as SVG, in the color of the page's text; `--ttr-subject` colors its subject."""
    svg = _board(finding, game_map) if finding.picture == "board" else _chart(finding)
    return Markup(svg)  # noqa: S704 - whose names are escaped


def findings_html(found: Findings) -> Markup:
    """Return findings as a list with pictures, for a notebook."""
    item = Markup(
        "<li style='display: flex; flex-wrap: wrap; gap: 0.4em 1.5em; margin: 0 0 1.2em'>"
        "<div style='flex: 1 1 20em; max-width: 36em'><strong>{}</strong><br>{}</div>"
        "<div style='flex: 0 1 {}px'>{}</div></li>"
    )
    items = [item.format(one.title, one.sentence, _WIDTH, finding_svg(one, found.game_map)) for one in found]
    return Markup("<ul style='list-style: none; padding: 0'>{}</ul>").format(Markup().join(items))


def _open(finding: Finding, view: tuple[int, int, int, int], pixels: int, look: str = "") -> str:
    """Return the start of a picture."""
    about, box = escape(_about(finding), quote=True), " ".join(map(str, view))
    size = f"viewBox='{box}' style='width:100%;max-width:{pixels}px'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{about}' {size} {look}>"


# -- rows with intervals -------------------------------------------------------------------------------------------


def _chart(finding: Finding) -> str:
    table = finding.table
    names = [_shorten(str(name), _LONGEST) for name in table.index]
    letters = [_BOLD_LETTER if is_told else _LETTER for is_told in table["is_told"]]
    left = 14 + max(len(name) * letter for name, letter in zip(names, letters, strict=True))
    low, high = float(table["low"].min()), float(table["high"].max())
    if finding.reference is not None:
        low, high = min(low, finding.reference), max(high, finding.reference)
    if finding.unit == "share":
        low = 0.0 if low < 0.5 * high else low
    room = 0.04 * (high - low) or 1.0
    low, high = low - room, high + room
    height = _ROW * len(table) + 26

    def across(value: float) -> float:
        return left + (_WIDTH - left - 52) * (value - low) / (high - low)

    look = f"fill='currentColor' {_FONT} font-size='{_TEXT}'"
    parts = [_open(finding, (0, 0, _WIDTH, height), _WIDTH, look)]
    step = round_step(high - low, 5)
    for n in range(ceil(low / step), floor(high / step) + 1):
        x = across(n * step)
        parts.append(f"<path d='M{x:.1f} 2V{height - 24}' stroke='currentColor' stroke-opacity='0.13'/>")
        parts.append(
            f"<text x='{x:.1f}' y='{height - 7}' text-anchor='middle' font-size='12' fill-opacity='0.8'>"
            f"{_figure_text(n * step, finding.unit)}</text>"
        )
    if finding.reference is not None:
        x = across(finding.reference)
        line = "stroke='currentColor' stroke-opacity='0.6' stroke-dasharray='4 3'"
        parts.append(f"<path d='M{x:.1f} 2V{height - 24}' {line}/>")
    figures = _alike([_figure_text(value, finding.unit) for value in table["figure"]])
    for i, (name, row) in enumerate(zip(names, table.to_dict("records"), strict=True)):
        parts += _row(name, row, _ROW * i + 14, figures[i], left, across)
    return "".join([*parts, "</svg>"])


def _row(
    name: str, row: Mapping[Hashable, Any], y: int, figure: str, left: float, across: Callable[[float], float]
) -> Iterator[str]:
    """Yield a row: name, interval, dot and figure."""
    color, strong, letters = "currentColor", QUIET, "fill-opacity='0.85'"
    if row["is_told"]:
        color, strong, letters = ACCENT, "1", "font-weight='700'"
    yield f"<text x='{left - 10:.1f}' y='{y + 5}' text-anchor='end' {letters}>{escape(_DIRECTION.format(name))}</text>"
    line = f"stroke='{color}' stroke-opacity='{strong}' stroke-width='3'"
    yield f"<path d='M{across(row['low']):.1f} {y}H{across(row['high']):.1f}' {line}/>"
    yield f"<circle cx='{across(row['figure']):.1f}' cy='{y}' r='5' fill='{color}' fill-opacity='{strong}'/>"
    yield f"<text x='{_WIDTH - 4}' y='{y + 5}' text-anchor='end' {letters}>{figure}</text>"


def _about(finding: Finding) -> str:
    """Describe a picture in words."""
    table = finding.table
    if finding.picture == "board":
        return f"The board with {', '.join(map(str, table.index[table['is_told']]))} marked."
    figures = ", ".join(f"{name} {_figure_text(value, finding.unit)}" for name, value in table["figure"].items())
    return f"Dots with their intervals: {figures}."


def _figure_text(value: float, unit: Unit) -> str:
    if unit == "share":
        return f"{number(100 * value, 1 if value < 0.1 else 0)}%"  # noqa: PLR2004 - a small one needs tenths
    return number(value, 2 if unit == "points a train" else 1)


def _alike(figures: list[str]) -> list[str]:
    r"""
    Format figures with the same number of decimals, the most that any needs, for comparing down a column.

    >>> _alike(["1", "0.95", "nan"]), _alike(["9.5%", "12%"]), _alike(["3", "\N{MINUS SIGN}4"])
    (['1.00', '0.95', 'nan'], ['9.5%', '12.0%'], ['3', '−4'])
    """
    most = max((len(text.rstrip("%").partition(".")[2]) for text in figures), default=0)
    alike = []
    for text in figures:
        number, percent = text.rstrip("%"), text[len(text.rstrip("%")) :]
        whole, _, decimals = number.partition(".")
        alike.append(f"{whole}.{decimals:0<{most}}{percent}" if most and whole[-1:].isdigit() else text)
    return alike


# -- the board -----------------------------------------------------------------------------------------------------


def _board(finding: Finding, game_map: GameMap) -> str:
    board = drawing(game_map)
    _, _, width, height = board.view
    figures = finding.table["figure"]
    told = set(finding.table.index[finding.table["is_told"]])
    told |= {twin.id for route in map(game_map.route, told) if (twin := game_map.twin(route)) is not None}
    most = float(figures.max()) or 1.0
    unit = board.unit
    ends = {city for route in map(game_map.route, told) for city in route.cities}
    names = _end_names({city.name: point(city.x, city.y) for city in game_map.cities if city.name in ends}, board, told)
    halo = f"ttr-halo-{crc32(''.join(text for _, text in names).encode()):08x}"
    parts = [
        _open(finding, board.view, min(_WIDTH, 300 * width // height)),
        *_halo(halo, [text for _, text in names], board),
        f"<g mask='url(#{halo})'>",
    ]
    for route in game_map.routes:
        figure = float(figures.get(route.id, 0.0))
        share, is_told = max(0.0, figure) / most, route.id in told
        strong = 1 if is_told else 0.25 + share / 2
        look = f"stroke='{ACCENT if is_told else 'currentColor'}' stroke-opacity='{strong:.2f}'"
        wide = unit * (0.55 if is_told else 0.12 + 0.4 * share)
        track = f"d='{board.routes[route.id].track}' fill='none' stroke-linecap='round' stroke-width='{wide:.0f}'"
        title = f"{describe_route(route)}: {_figure_text(figure, finding.unit)}"
        parts.append(f"<path {track} {look}><title>{escape(title)}</title></path>")
    for city in game_map.cities:
        is_end, (x, y) = city.name in ends, point(city.x, city.y)
        radius = unit * (0.4 if is_end else 0.2)
        if any(room.away(x, y) == 0 for room, _ in names):
            continue  # where there is no free room for names, dots showing between letters would make them hard to read
        parts.append(
            f"<circle cx='{x}' cy='{y}' r='{radius:.0f}' "
            f"fill='{ACCENT if is_end else 'currentColor'}' fill-opacity='{1 if is_end else 0.5}'/>"
        )
    return "".join([*parts, "</g>", *(f"<g fill='currentColor'>{text}</g>" for _, text in names), "</svg>"])


def _halo(name: str, texts: list[str], board: Drawing) -> Iterator[str]:
    """Yield a mask that excludes the surroundings of letters: a halo in the page's color, whatever that is."""
    left, top, width, height = board.view
    box = f"x='{left}' y='{top}' width='{width}' height='{height}'"
    yield f"<mask id='{name}' maskUnits='userSpaceOnUse' {box}><rect {box} fill='white'/>"
    yield f"<g fill='black' stroke='black' stroke-linejoin='round' stroke-width='{0.35 * board.unit:.0f}'>"
    yield from (*texts, "</g></mask>")


class _Room(NamedTuple):
    """The label of a city: its rectangle, and the anchor of the text."""

    left: float
    top: float
    right: float
    bottom: float
    anchor: str

    def outside(self, view: tuple[int, int, int, int]) -> float:
        """Return how far it extends beyond the picture."""
        left, top, width, height = view
        beyond = (left - self.left, self.right - left - width, top - self.top, self.bottom - top - height)
        return sum(max(0.0, far) for far in beyond)

    def away(self, x: float, y: float) -> float:
        """Return its distance from a point."""
        return hypot(max(self.left - x, 0.0, x - self.right), max(self.top - y, 0.0, y - self.bottom))

    def overlaps(self, other: _Room) -> bool:
        """Return whether it overlaps another name."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def _end_names(ends: dict[str, tuple[int, int]], board: Drawing, told: set[str]) -> list[tuple[_Room, str]]:
    """Return the labels of a route's ends, clear of other labels and, if possible, of dots and the route."""
    unit, size = board.unit, max(board.view[2:]) // 24
    dots = [point(city.x, city.y) for city in board.game_map.cities]
    spots = [spot for route in told for spot in board.routes[route].spots]
    found: list[tuple[_Room, str]] = []

    def cost(room: _Room, at: tuple[int, int]) -> float:
        n_crossed = sum(room.overlaps(other) for other, _ in found)
        n_crossed += sum(room.away(*end) < 0.45 * unit for end in ends.values())
        n_dots = sum(room.away(*dot) < 0.25 * unit for dot in dots)
        n_spots = sum(room.away(*spot) < 0.4 * unit for spot in spots)
        away = room.away(*at)
        is_astray = any(room.away(*end) < away + 0.4 * size for end in ends.values() if end != at)
        outside = room.outside(board.view)
        return 100 * outside + 40 * n_crossed + 8 * n_dots + 4 * (is_astray + away / size) + 3 * n_spots

    for name, at in sorted(ends.items(), key=lambda end: end[1][1]):
        room = min(_rooms(name, at, size, board.view), key=lambda room: cost(room, at))
        x = {"start": room.left, "middle": (room.left + room.right) / 2, "end": room.right}[room.anchor]
        look = f"{_FONT} font-size='{size}' font-weight='700'"
        place = f"x='{x:.0f}' y='{room.bottom - 0.2 * size:.0f}' text-anchor='{room.anchor}'"
        found.append((room, f"<text {place} {look}>{escape(name)}</text>"))
    return found


def _rooms(name: str, at: tuple[int, int], size: int, view: tuple[int, int, int, int]) -> Iterator[_Room]:
    """Yield the positions for a city's label, best first: beside its dot, at a corner, above and below."""
    wide = len(name) * size * _BOLD_LETTER / _TEXT
    for gap in (0.45 * size, 0.9 * size, 1.3 * size, 1.8 * size):
        for up in (0, -0.5, 0.5, -1, 1):
            middle = at[1] + up * (gap + 0.3 * size)
            for side, anchor in ((1, "start"), (-1, "end")):
                x = at[0] + side * (gap if up == 0 else 0.8 * gap)
                left = x if side > 0 else x - wide
                yield _Room(left, middle - size / 2, left + wide, middle + size / 2, anchor)
        for up in (-1, 1):
            middle = at[1] + up * (gap + 0.5 * size)
            for share in _SHARES:
                left = max(view[0], min(view[0] + view[2] - wide, at[0] - share * wide))
                yield _Room(left, middle - size / 2, left + wide, middle + size / 2, "middle")
