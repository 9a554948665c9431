"""
References to upper layers, without importing them.

Functions that lower layers call are set by the package's `__init__`, which knows all layers,
before anything else is imported. `RENDERERS` maps the dotted name of a type to that of its
renderer, which is imported when an object is shown.
"""

import html
from collections.abc import Callable
from importlib import import_module
from typing import Any

player_class: Callable[[str], Any]
"""The class of each built-in player, by name."""
draw_worlds: Callable[..., Any]
"""The implementation of `SeatView.worlds`: beliefs about tickets depend on how planners play."""

RENDERERS: dict[str, str] = {
    "ttr_analysis.records.record.GameRecord": "ttr_analysis.viz.summaries:record_summary",
    "ttr_analysis.engine.state.PublicState": "ttr_analysis.viz.summaries:game_board",
    "ttr_analysis.maps.model.GameMap": "ttr_analysis.viz.svg:map_svg",
    "ttr_analysis.maps.board.Ticket": "ttr_analysis.viz.summaries:ticket_board",
    "ttr_analysis.analysis.paths.Path": "ttr_analysis.viz.summaries:route_board",
    "ttr_analysis.analysis.paths.Trail": "ttr_analysis.viz.summaries:route_board",
    "ttr_analysis.analysis.structure.Cut": "ttr_analysis.viz.summaries:route_board",
    "ttr_analysis.analysis.structure.SpanningTree": "ttr_analysis.viz.summaries:route_board",
    "ttr_analysis.analysis.tickets.feasibility.Feasibility": "ttr_analysis.viz.summaries:route_board",
    "ttr_analysis.analysis.tickets.network.Network": "ttr_analysis.viz.summaries:route_board",
    "ttr_analysis.studies.advice.Advice": "ttr_analysis.viz.summaries:advice_html",
    "ttr_analysis.studies.reviews.Review": "ttr_analysis.viz.summaries:review_html",
    "ttr_analysis.studies.findings.Findings": "ttr_analysis.viz.summaries:findings_html",
}
"""Dotted name of a type to `module:function`; the function takes the object and returns HTML."""


def render_html(obj: object) -> str:
    """
    Return an object as HTML: by the renderer of its type, else its escaped `repr`.

    The `repr` also serves if a dependency of the renderer cannot be imported.

    >>> render_html("3 < 4")
    '<pre>&#x27;3 &lt; 4&#x27;</pre>'
    """
    for ancestor in type(obj).__mro__:
        target = RENDERERS.get(f"{ancestor.__module__}.{ancestor.__qualname__}")
        if target is None:
            continue
        module, _, function = target.partition(":")
        try:
            renderer: Callable[[object], str] = getattr(import_module(module), function)
        except ImportError:
            break
        return str(renderer(obj))  # plain: text added to `Markup` would be escaped
    return f"<pre>{html.escape(repr(obj))}</pre>"
