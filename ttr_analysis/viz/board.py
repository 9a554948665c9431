"""`plot_map`: draw a board with everything that can be shown on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import rcParams, rcParamsDefault
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import Normalize, to_hex
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import CityLike, GameMap, Route, TicketLike
from ttr_analysis.maps.names import name_ticket
from ttr_analysis.viz import geometry
from ttr_analysis.viz.placement import Car, Points, placed
from ttr_analysis.viz.scene import (
    Background,
    Player,
    Routes,
    Scene,
    Values,
    arcs_of,
    load_background,
    number_spot,
    read_scene,
    ticket_arc,
)
from ttr_analysis.viz.style import (
    BOARD,
    CARD_STYLES,
    FADED_SHARE,
    FREE_SHARE,
    PENS,
    PLAYER_COLORS,
    Shape,
    figure_of,
    ink_upon,
    pale,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.offsetbox import DrawingArea
    from matplotlib.transforms import Bbox
    from numpy.typing import NDArray

Color: TypeAlias = str | tuple[float, float, float]
Shade: TypeAlias = Callable[[str], Color]
"""Return the color for the value of a route or city."""

FIGURE_AREA = 80.0
"""Area of the board in new figures, whatever its shape (square inches)."""
TITLE_INCHES = 0.36
EDGE_INCHES = 0.05
BAR_GAP, BAR_WIDTH = 0.14, 0.24
"""Gap between board and color bar, and width of the bar (inches)."""
BAR_SHARE = 0.6
"""Height of the color bar, as a share of the board's."""
COLORMAP = "viridis"
SMALLEST_POINTS = 1.0
"""Smallest size of text, in points."""
NAMES_SHARE = 0.75
"""Size of city names, as a share of Matplotlib's font size."""


def plot_map(  # noqa: PLR0913 - one keyword option for each thing to show
    game_map: MapLike,
    ax: Axes | None = None,
    *,
    highlight: Routes = (),
    tickets: Iterable[TicketLike] = (),
    owned: Mapping[Any, Routes] | Routes = (),
    closed: Routes = (),
    stations: Mapping[str, Any] | Mapping[CityLike, Any] | None = None,
    values: Values | None = None,
    value_label: str = "",
    edge_labels: Mapping[Any, object] | None = None,
    city_labels: Mapping[Any, object] | None = None,
    title: str | None = None,
    legend: bool = False,
    background: FilePath | str | None = None,
    font_size: float | None = None,
) -> Axes:
    """
    Draw the board of a map.

    Parameters
    ----------
    ax, title
        Axes to draw in, and their title. By default, the axes of a new figure, and
        the map's title with a summary of what is shown.
    highlight
        Routes that stand out while the others fade: routes, route ids, pairs of
        cities (all tracks), or an object with `routes`, such as a path.
    tickets
        Tickets, ticket ids or pairs of places. Their ends are ringed and connected
        by an arc with the points.
    owned
        Routes with trains: by seat or name of the player, or those of one
        player. Trains have the number of the seat or the first one or two
        letters of the name; numbers in order if these are not unique and ASCII.
    stations
        The owner of each station (seat or name), by city.
    values
        Numbers by route (route, route id or pair of cities) or by city name, as a
        dict or Series. They replace the card colors.
    value_label
        Meaning and unit of the numbers.
    edge_labels, city_labels
        What to write on routes (by route, route id or pair of cities) and at
        cities (by name), such as weights and distances.
    background
        A file with coastlines and borders (see `ttr_analysis.viz.scene`); by default
        those of the built-in map with the same name, if they match the cities.
    font_size
        Size of city names in points; names that would cover a city, or the name of one with
        more routes, are left out. By default, the size is in proportion to the board, or, if
        you changed Matplotlib's `font.size`, three quarters of that.

    Returns
    -------
    ax
        The axes. Collections have a `gid`: "cars", "symbols", "tunnels",
        "locomotives", "trains", "cities" and so on; names of cities have "label".

    Raises
    ------
    TypeError
        If values are not numbers, or not by route or city.
    ValueError
        If `font_size` is not above 0.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> plot_map(nordic, highlight=[("Murmansk", "Lieksa")]).get_title()
    'Nordic Countries: 1 route highlighted'
    """
    game_map = as_map(game_map)
    scene = read_scene(
        game_map, highlight=highlight, closed=closed, tickets=tickets, owned=owned, values=values, stations=stations
    )
    layout = geometry.lay_out(game_map)
    behind = load_background(game_map, None if background is None else FilePath(background))
    scale = None if scene.values is None else ScalarMappable(Normalize(*scene.value_range(), clip=True), COLORMAP)
    board = _Board(_axes_for(layout, ax, scale, value_label), game_map, layout, scene, scale)
    board.ax.set_title(scene.title(game_map) if title is None else title, parse_math=False)
    board.use_font(_font_points(font_size))
    if behind is not None:
        board.draw_background(behind)
    board.draw_beds()
    board.draw_cars()
    board.draw_symbols()
    board.draw_trains()
    board.draw_crosses()
    board.draw_tokens()
    board.draw_cities()
    board.draw_stations()
    board.draw_tickets()
    board.draw_labels()
    board.draw_remarks(edge_labels or {}, city_labels or {})
    if legend:
        board.draw_legend()
    return board.ax


def _font_points(given: float | None) -> float | None:
    """Return the size of city names in points, if given or if Matplotlib's font size was changed."""
    if given is not None:
        if not (math.isfinite(given) and given > 0):
            raise ValueError(f"font_size must be a number above 0, got {given!r}")
        return given
    usual = rcParams["font.size"]
    return None if usual == rcParamsDefault["font.size"] else NAMES_SHARE * usual


def map_pixels(
    game_map: MapLike, *, owned: Mapping[Any, Routes] = MappingProxyType({}), stations: Mapping[str, Any] | None = None
) -> NDArray[np.uint8]:
    """Draw with `plot_map` and return the RGB pixels, shape (height, width, 3)."""
    figure = figure_of(plot_map(game_map, owned=owned, stations=stations))
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    plt.close(figure)
    return np.asarray(canvas.buffer_rgba(), dtype=np.uint8)[:, :, :3].copy()


def _axes_for(layout: geometry.BoardLayout, ax: Axes | None, scale: ScalarMappable | None, value_label: str) -> Axes:
    """Return the given or new axes for a board, with a color bar if there is a scale."""
    if ax is None:
        return _new_axes(layout, scale, value_label)
    if scale is not None:
        bar = figure_of(ax).colorbar(scale, ax=ax, shrink=BAR_SHARE, pad=0.02, fraction=0.06)
        bar.set_label(value_label, parse_math=False)
    return ax


def _new_axes(layout: geometry.BoardLayout, scale: ScalarMappable | None, value_label: str) -> Axes:
    """Return axes of a new figure that fits the board, its title and its color bar."""
    figure, ax = plt.subplots(layout="none")
    _fit(figure, layout)
    if scale is None:
        return ax
    bar_axes = figure.add_axes(_beside(figure, ax))
    figure.colorbar(scale, cax=bar_axes).set_label(value_label, parse_math=False)
    words = bar_axes.get_tightbbox()  # their width is known only once they are drawn
    written = 0.0 if words is None else (words.x1 - bar_axes.bbox.x1) / figure.dpi
    _fit(figure, layout, beside=BAR_GAP + BAR_WIDTH + written)
    bar_axes.set_position(_beside(figure, ax))
    return ax


def _fit(figure: Figure, layout: geometry.BoardLayout, *, beside: float = 0.0) -> None:
    """Resize a figure to a board and its title, with `beside` inches for the color bar."""
    left, bottom, right, top = geometry.frame(layout)
    scale = math.sqrt(FIGURE_AREA / ((right - left) * (top - bottom)))
    width = (right - left) * scale + 2 * EDGE_INCHES + beside
    height = (top - bottom) * scale + EDGE_INCHES + TITLE_INCHES
    figure.set_size_inches(width, height)
    figure.subplots_adjust(
        left=EDGE_INCHES / width,
        right=1 - (EDGE_INCHES + beside) / width,
        bottom=EDGE_INCHES / height,
        top=1 - TITLE_INCHES / height,
    )


def _beside(figure: Figure, ax: Axes) -> tuple[float, float, float, float]:
    """Return the position of the color bar: left, bottom, width and height as shares of the figure."""
    box, width = ax.get_position(), figure.get_figwidth()
    bottom = box.y0 + (1 - BAR_SHARE) / 2 * box.height
    return box.x1 + BAR_GAP / width, bottom, BAR_WIDTH / width, BAR_SHARE * box.height


class _Board:
    """Draws the parts of a board on axes with board coordinates."""

    def __init__(
        self, ax: Axes, game_map: GameMap, layout: geometry.BoardLayout, scene: Scene, scale: ScalarMappable | None
    ) -> None:
        self.ax, self.game_map, self.layout, self.scene = ax, game_map, layout, scene
        left, bottom, right, top = geometry.frame(layout)
        ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal", xticks=[], yticks=[], facecolor=BOARD.home)
        for spine in ax.spines.values():
            spine.set(color=BOARD.rim, linewidth=1.0)
        self.shade = self._color_by_value(scale)
        any_route = any(route.id in (scene.values or {}) for route in game_map.routes)
        self.route_shade = self.shade if any_route or not scene.values else None
        self.pen = layout.unit * self._points_per_unit()
        """Points per space unit; line widths are in proportion."""

    def _points_per_unit(self) -> float:
        left, bottom, right, top = geometry.frame(self.layout)
        box, (width, height) = self.ax.get_position(), figure_of(self.ax).get_size_inches()
        return float(72 * min(box.width * width / (right - left), box.height * height / (top - bottom)))

    def use_font(self, points: float | None) -> None:
        """Set the font size in points; None means in proportion to the board."""
        if points is not None:
            figure = figure_of(self.ax)
            if figure.get_layout_engine() is not None:
                figure.draw_without_rendering()  # gives the axes their final size
            self.layout = geometry.with_labels(self.game_map, self.layout, points / self._points_per_unit())

    def _color_by_value(self, scale: ScalarMappable | None) -> Shade | None:
        """Return the colors by value; None if there are no values."""
        values = self.scene.values
        if values is None or scale is None:
            return None
        lowest, highest = self.scene.value_range()

        def shade(name: str) -> Color:
            value = values.get(name, math.nan)
            share = (min(max(value, lowest), highest) - lowest) / ((highest - lowest) or 1.0)
            return BOARD.no_value if math.isnan(value) else to_hex(scale.cmap(share))

        return shade

    def fade(self, color: Color, route: Route) -> Color:
        """Return the color, paler if something else stands out or the route is free or closed."""
        highlight = self.scene.highlight
        only_cities = self.shade is not None and self.route_shade is None
        overshadowed = (highlight or only_cities) and route.id not in highlight
        if overshadowed or route.id in self.scene.closed:
            return pale(to_hex(color), FADED_SHARE)
        is_free = route.id not in self.scene.owned
        return pale(to_hex(color), FREE_SHARE) if is_free and self.scene.players and not self.shade else color

    # -- collections ------------------------------------------------------------------

    def polygons(
        self,
        gid: str,
        zorder: float,
        corners: Sequence[Shape],
        fills: Color | Sequence[Color],
        *,
        edges: Color | Sequence[Color] = "none",
        pen: float = 0.0,
    ) -> None:
        """Draw polygons as one collection; `pen` is in space units."""
        style: dict[str, Any] = {"facecolors": fills, "edgecolors": edges, "linewidths": pen * self.pen}
        if corners:
            shapes = PolyCollection(corners, joinstyle="round", zorder=zorder, gid=gid, **style)
            self.ax.add_collection(shapes, autolim=False)

    def lines(
        self,
        gid: str,
        zorder: float,
        lines: Sequence[Points] | Sequence[Shape],
        colors: Color | Sequence[Color],
        *,
        pen: float,
        dashes: str | tuple[float, tuple[float, ...]] = "solid",
    ) -> None:
        """Draw lines as one collection; `pen` is in space units."""
        style: dict[str, Any] = {"colors": colors, "linewidths": pen * self.pen, "linestyles": dashes}
        if lines:
            self.ax.add_collection(LineCollection(lines, zorder=zorder, gid=gid, **style), autolim=False)

    def write(
        self,
        gid: str,
        zorder: float,
        at: tuple[float, float],
        text: str,
        em: float,
        box: Mapping[str, str] | None = None,
    ) -> None:
        """Write bold text centered on a point, optionally in a box."""
        style: dict[str, Any] = {"fontweight": "bold", "color": BOARD.text, "ha": "center", "va": "center_baseline"}
        BoardText(self.ax, at, text, em=em, zorder=zorder, gid=gid, bbox=box, **style)

    def position(self, city: str) -> tuple[float, float]:
        """Return the position of a city."""
        found = self.game_map.city(city)
        return found.x, found.y

    # -- parts ------------------------------------------------------------------------

    def draw_background(self, behind: Background) -> None:
        """Draw land, lakes and borders."""
        self.ax.set_facecolor(BOARD.sea)
        thin = PENS.ground * self.pen
        for gid, zorder, rings, fill, edge in (
            ("land", 0.5, behind.land, BOARD.land, BOARD.shore),
            ("home", 0.5, behind.home, BOARD.home, "none"),
            ("lakes", 0.7, behind.lakes, BOARD.sea, BOARD.shore),
        ):
            if rings:
                self.ax.add_artist(
                    PathPatch(_compound(rings), facecolor=fill, edgecolor=edge, linewidth=thin, zorder=zorder, gid=gid)
                )
        self.lines("states", 0.6, behind.states, BOARD.state, pen=PENS.ground)
        self.lines("borders", 0.8, behind.borders, BOARD.border, pen=PENS.border, dashes=(0, (6, 2, 1, 2)))

    def draw_beds(self) -> None:
        """Draw a thin line along every track, and a glow along those that stand out."""
        tracks, unit = self.layout.tracks, self.layout.unit
        glowing = [tracks[route] for route in sorted(self.scene.highlight)]
        self.polygons(
            "highlight-rim", 2.0, [geometry.band(track, PENS.glow_rim * unit) for track in glowing], BOARD.rim
        )
        self.polygons("highlight", 2.1, [geometry.band(track, PENS.glow * unit) for track in glowing], BOARD.glow)
        for gid, ferry, color, pen, dashes in (
            ("beds", False, BOARD.bed, PENS.bed, "solid"),
            ("ferries", True, BOARD.ferry, PENS.ferry, (0, (2.5, 1.6))),
        ):
            routes = [route for route in self.game_map.routes if (route.locomotives > 0) == ferry]
            lines = [tracks[route.id].line for route in routes]
            self.lines(gid, 2.2, lines, [self.fade(color, route) for route in routes], pen=pen, dashes=dashes)

    def spaces(self) -> list[tuple[Route, Car]]:
        """Return every car space with its route, in the order of the map."""
        return [(route, car) for route in self.game_map.routes for car in self.layout.tracks[route.id].cars]

    def draw_cars(self) -> None:
        """Draw the car spaces, and the rock around those of tunnels."""
        spaces, shade = self.spaces(), self.route_shade
        tunnels = [(route, geometry.saw(car, self.layout.unit)) for route, car in spaces if route.tunnel]
        rock = [self.fade(BOARD.tunnel, route) for route, _ in tunnels]
        self.polygons("tunnels", 2.5, [outline for _, outline in tunnels], rock)
        fills = [self.fade(shade(route.id) if shade else CARD_STYLES[route.color].fill, route) for route, _ in spaces]
        edges = [self.fade(BOARD.rim if shade else CARD_STYLES[route.color].edge, route) for route, _ in spaces]
        self.polygons("cars", 3.0, [car.corners() for _, car in spaces], fills, edges=edges, pen=PENS.car)

    def draw_symbols(self) -> None:
        """Draw a locomotive where one is required, elsewhere each car's color symbol, unless routes have values."""
        wanted = [(route, car) for route, car in self.spaces() if car.locomotive]
        look = CARD_STYLES["locomotive"]
        plates = [placed(geometry.PLATE, car, car.width) for _, car in wanted]
        ink = [self.fade(look.ink, route) for route, _ in wanted]
        fills = [self.fade(look.fill, route) for route, _ in wanted]
        self.polygons("plates", 3.4, plates, fills, edges=ink, pen=PENS.plate)
        self.polygons("locomotives", 3.5, [placed(look.symbol, car, 0.74 * car.width) for _, car in wanted], ink)
        if self.route_shade:
            return
        marked = [
            (route, car, CARD_STYLES[route.color])
            for route, car in self.spaces()
            if not car.locomotive and CARD_STYLES[route.color].symbol
        ]
        symbols = [placed(style.symbol, car, 0.66 * car.width) for _, car, style in marked]
        self.polygons("symbols", 3.5, symbols, [self.fade(style.ink, route) for route, _, style in marked])

    def draw_trains(self) -> None:
        """Draw trains on owned routes, each with its player's symbol."""
        tracks = {
            player: [self.layout.tracks[route].cars for route in sorted(player.routes)] for player in self.scene.players
        }
        cars = [(player, car) for player, owned in tracks.items() for track in owned for car in track]
        colors = [player.color for player, _ in cars]
        self.polygons("trains", 3.6, [geometry.train(car) for _, car in cars], colors, edges=BOARD.rim, pen=PENS.train)
        for player, owned in tracks.items():
            if player.symbol and owned:
                self._write_symbols(player.symbol, owned, ink_upon(player.color))

    def _write_symbols(
        self, symbol: str, tracks: Sequence[Sequence[Car]], ink: str, *, zorder: float = 3.7, gid: str = "train-symbols"
    ) -> None:
        """Write one character in the middle of each car, or two along it, as a single outline."""
        is_one = len(symbol) == 1
        letter = TextPath(
            (0.0, 0.0), symbol, size=(0.42 if is_one else 0.34) * self.layout.unit, prop=FontProperties(weight="bold")
        )
        middle = np.mean([letter.get_extents().min, letter.get_extents().max], axis=0)
        places = [
            Affine2D()
            .translate(*-middle)
            .rotate(0.0 if is_one else angle)
            .translate(car.x, car.y)
            .transform_path(letter)
            for cars in tracks
            for car, angle in zip(cars, reading_angles([car.angle for car in cars]), strict=True)
        ]
        outline = Path.make_compound_path(*places)
        self.ax.add_artist(PathPatch(outline, facecolor=ink, linewidth=0.0, zorder=zorder, gid=gid))

    def draw_crosses(self) -> None:
        """Cross out closed routes."""
        cars = [car for route in sorted(self.scene.closed) for car in self.layout.tracks[route].cars]
        self.lines(
            "closed", 3.8, [stroke for car in cars for stroke in geometry.cross(car)], BOARD.closed, pen=PENS.closed
        )

    def draw_tokens(self) -> None:
        """Draw tolls, and badges where cards can replace others."""
        unit, tolls = self.layout.unit, self.layout.tolls
        disks = [geometry.disk(token.x, token.y, 0.19 * unit) for token in tolls]
        self.polygons("tolls", 4.0, disks, BOARD.home, edges=BOARD.coin, pen=PENS.token)
        for token in tolls:
            self.write("toll", 4.1, (token.x, token.y), token.text, 0.28 * unit)
        for token in self._swaps():
            box = {"boxstyle": "round,pad=0.25", "facecolor": BOARD.home, "edgecolor": BOARD.coin}
            self.write("swap", 4.1, (token.x, token.y), token.text, 0.36 * unit, box)

    def _swaps(self) -> list[geometry.Token]:
        """Return the badges for cards that replace others, on routes that are still free."""
        return [token for token in self.layout.swaps if not self.scene.owned.issuperset(token.routes)]

    def draw_cities(self) -> None:
        """Draw a dot per city and an arrow per border point."""
        values, shade, radius = self.scene.values or {}, self.shade, self.layout.city_radius
        cities = [city.name for city in self.game_map.cities if city.name not in self.layout.exits]
        fills = [shade(name) if shade and name in values else BOARD.city for name in cities]
        disks = [geometry.disk(*self.position(name), radius * (1.5 if name in values else 1.0)) for name in cities]
        self.polygons("cities", 5.0, disks, fills, edges=BOARD.rim, pen=PENS.city)
        arrows = [geometry.arrow(*self.position(city), way.angle, radius) for city, way in self.layout.exits.items()]
        colors = [shade(city) if shade and city in values else BOARD.quiet_text for city in self.layout.exits]
        self.polygons("exits", 5.0, arrows, colors, edges=BOARD.halo, pen=PENS.exit)

    def draw_stations(self) -> None:
        """Draw a house on each city with a station, in its player's color and with the same symbol."""
        for city, player in self.scene.stations.items():
            house = geometry.station(*self.position(city), self.layout.city_radius)
            self.polygons("stations", 5.2, [house], player.color, edges=BOARD.rim, pen=PENS.city)
            if player.symbol:
                spot = Car(*self.position(city), 0.0, self.layout.city_radius, self.layout.city_radius)
                self._write_symbols(player.symbol, [[spot]], ink_upon(player.color), zorder=5.3, gid="station-symbols")

    def draw_tickets(self) -> None:
        """Ring the ends of each ticket and connect them by an arc with the points."""
        radius = self.layout.city_radius
        size = 1.1 * self.layout.label_size
        for ticket, color in zip(self.scene.tickets, self._ticket_colors(), strict=True):
            for a, b, points in arcs_of(ticket, self.game_map):
                arc = ticket_arc(self.game_map, a, b)
                self.lines("ticket-rim", 4.6, [arc], BOARD.halo, pen=PENS.ticket_rim)
                self.lines("ticket", 4.7, [arc], color, pen=PENS.ticket)
                rings = [geometry.disk(*self.position(end), 1.7 * radius) for end in (a, b)]
                self.polygons("ticket-ends", 4.9, rings, "none", edges=color, pen=PENS.ticket_end)
                spot = number_spot(self.game_map, self.layout, arc)
                box = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": color}
                self.write("ticket-points", 6.5, spot, str(points), size, box)

    def _ticket_keys(self) -> dict[str, Artist]:
        """Return the legend entries for tickets: one per color, or a single one if colors repeat."""
        tickets, colors = self.scene.tickets, self._ticket_colors()
        if len(set(colors)) < len(tickets):
            return {"tickets, with their points": Line2D([], [], color=rcParams["text.color"], linewidth=2)}
        return {
            f"ticket {name_ticket(ticket)}": Line2D([], [], color=color, linewidth=2)
            for ticket, color in zip(tickets, colors, strict=True)
        }

    def _ticket_colors(self) -> list[str]:
        """Return a color for each ticket, avoiding the colors of players while others remain."""
        taken = {player.color for player in (*self.scene.players, *self.scene.stations.values())}
        colors = [color for color in PLAYER_COLORS if color not in taken] or PLAYER_COLORS
        return [colors[rank % len(colors)] for rank in range(len(self.scene.tickets))]

    def draw_labels(self) -> None:
        """Write the names of cities and countries."""
        for label in self.layout.labels:
            leaves = label.city in self.layout.exits
            BoardText(
                self.ax, (label.x, label.y), label.text, em=self.layout.label_size, halo=BOARD.halo, zorder=6.0,
                ha=label.align, va="center", linespacing=1.0, gid="label",
                fontweight="normal" if leaves else "bold", fontstyle="italic" if leaves else "normal",
                color=BOARD.quiet_text if leaves else BOARD.text,
            )  # fmt: skip

    def draw_remarks(self, routes: Mapping[Any, object], cities: Mapping[Any, object]) -> None:
        """Write labels in the middle of routes, one for all tracks of a pair of cities, and on cities."""
        em, box = self.layout.label_size, {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": BOARD.rim}
        for key, remark in routes.items():
            cars = [car for route in self.game_map.resolve_routes([key]) for car in self.layout.tracks[route.id].cars]
            x, y = np.mean([(car.x, car.y) for car in cars], axis=0)
            self.write("edge-label", 6.6, (x, y), str(remark), em, box)
        box = {"boxstyle": "round,pad=0.15", "facecolor": BOARD.home, "edgecolor": BOARD.glow}
        for city, remark in cities.items():
            self.write("city-label", 6.7, self.position(self.game_map.city(city).name), str(remark), 1.3 * em, box)

    def draw_legend(self) -> None:
        """Draw the legend of the marks in use."""
        routes, scene = self.game_map.routes, self.scene
        mark: dict[str, Any] = {"color": "none", "markersize": 8}
        handles: dict[str, Any] = {}
        if any(route.tunnel for route in routes):
            dotted: dict[str, Any] = {"edgecolor": BOARD.tunnel, "linewidth": 2.5, "linestyle": (0, (1, 1))}
            handles["tunnel"] = Patch(facecolor=CARD_STYLES["gray"].fill, **dotted)
        if any(route.locomotives for route in routes):
            handles["ferry: needs locomotives"] = Line2D([], [], color=BOARD.ferry, linestyle="--", linewidth=2)
        for text in sorted({token.text for token in self._swaps()}):
            handles[f"{text}: any cards that replace one"] = Patch(facecolor=BOARD.home, edgecolor=BOARD.coin)
        if self.layout.tolls:
            look: dict[str, Any] = {"marker": "o", "markerfacecolor": BOARD.home, "markeredgecolor": BOARD.coin}
            handles["toll"] = Line2D([], [], **look, **mark)
        handles |= self._ticket_keys()
        if scene.highlight:
            handles["highlighted"] = Line2D([], [], color=BOARD.glow, linewidth=5)
        if scene.closed:
            handles["closed"] = Line2D([], [], marker="x", markeredgecolor=BOARD.closed, markeredgewidth=2, **mark)
        if scene.stations:
            house = Path(geometry.station(0, 0, 1), closed=False)
            handles["station"] = Line2D(
                [], [], marker=house, markerfacecolor=BOARD.home, markeredgecolor=BOARD.rim, **mark
            )
        players = [*scene.players, *scene.stations.values()]
        handles |= {player.label: player for player in players}
        if handles:
            shown = self.ax.legend(
                list(handles.values()),
                list(handles),
                handler_map={Player: PlayerHandler()},
                loc="best",
                fontsize="small",
                framealpha=0.9,
            )
            shown.set_zorder(7)
            for line in shown.get_texts():
                line.set_parse_math(False)


def reading_angles(angles: Sequence[float]) -> list[float]:
    """
    Return the directions of text along the cars of a track (radians): all from left to right, or all upwards.

    >>> for track in ((170, 200), (85, 95), (110, 100, 90)):
    ...     print([round(math.degrees(angle)) for angle in reading_angles([math.radians(angle) for angle in track])])
    [-10, 20]
    [85, 95]
    [110, 100, 90]
    """
    steepest, middle = math.radians(105), angles[len(angles) // 2]
    read = steepest - (steepest - middle) % math.pi
    return [read + (angle - read + math.pi / 2) % math.pi - math.pi / 2 for angle in angles]


def _compound(rings: Sequence[Points]) -> Path:
    """Combine rings into one path, in which rings inside others are holes."""
    return Path.make_compound_path(*(Path(np.vstack([ring, ring[:1]]), closed=True) for ring in rings))


class PlayerHandler:
    """Draws a player's legend entry: color and symbol of the trains."""

    def legend_artist(self, _legend: Legend, player: Player, fontsize: float, box: DrawingArea) -> Artist:
        """Add a patch, as high as the text, and the symbol to the box; return the patch."""
        x, y = box.width / 2 - box.xdescent, box.height / 2 - box.ydescent
        corner = (-box.xdescent, y - fontsize / 2)
        patch = Rectangle(corner, box.width, fontsize, facecolor=player.color, edgecolor="white")
        box.add_artist(patch)
        if player.symbol:
            style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontweight": "bold"}
            ink = ink_upon(player.color)
            box.add_artist(Text(x, y, player.symbol, fontsize=0.8 * fontsize, parse_math=False, color=ink, **style))
        return patch


class BoardText(Text):
    """Literal text (dollar signs are not math) with an em in board units, optionally with a halo."""

    def __init__(
        self,
        ax: Axes,
        position: tuple[float, float],
        text: str,
        *,
        em: float,
        halo: str | None = None,
        **properties: Any,  # noqa: ANN401 - passed on
    ) -> None:
        super().__init__(
            *position, text, parse_math=False, usetex=False, transform=ax.transData, clip_on=True, **properties
        )
        self._em, self._halo = em, halo
        ax.add_artist(self)

    def draw(self, renderer: RendererBase) -> None:
        """Draw the text in the current size of the axes."""
        self._rescale()
        super().draw(renderer)

    def get_window_extent(self, renderer: RendererBase | None = None, dpi: float | None = None) -> Bbox:
        """Return its box in the current size of the axes."""
        self._rescale()
        return super().get_window_extent(renderer, dpi)

    def _rescale(self) -> None:
        if self.axes is None or self.figure is None:
            return
        (_, low), (_, high) = self.axes.transData.transform([(0.0, 0.0), (0.0, self._em)])
        points = max(SMALLEST_POINTS, 72 * abs(high - low) / self.figure.dpi)
        if points == self.get_fontsize():
            return
        self.set_fontsize(points)
        if self._halo is not None:
            self.set_path_effects([withStroke(linewidth=0.36 * points, foreground=self._halo, alpha=0.85)])
