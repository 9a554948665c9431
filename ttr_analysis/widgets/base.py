"""Shared by all widgets: checked traits, their JavaScript and CSS, messages, answers, and saved pages."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import anywidget
import traitlets
from traitlets import HasTraits, TraitError, TraitType

from ttr_analysis._decoding import Range
from ttr_analysis._words import counted, listed, percent
from ttr_analysis.cards import CARD_KINDS, LOCOMOTIVE, CardCounts
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.actions.building import ClaimRoute
from ttr_analysis.engine.actions.drawing import KeepTickets
from ttr_analysis.maps.model import GameMap
from ttr_analysis.viz import html, style
from ttr_analysis.viz.html import PAGE_POLICY
from ttr_analysis.viz.style import PageColors, ink_upon, pale
from ttr_analysis.viz.svg import live_sheet

if TYPE_CHECKING:
    from ttr_analysis.studies.advice import Advice

Json: TypeAlias = dict[str, Any]
"""Data for the browser."""
MOST_LETTERS: Final = 5_000
"""Maximum length of a line from the browser."""


# -- inputs --------------------------------------------------------------------------------------------------------


class Checked(TraitType[Any, Any]):
    """
    A trait with a function that returns the value to store, or raises an error with the reason.

    Examples
    --------
    >>> class Holder(HasTraits):
    ...     hand = Checked(cards)
    >>> holder = Holder(hand=["red", "red", "locomotive"])
    >>> holder.hand
    {'red': 2, 'locomotive': 1}
    >>> holder.hand = {"rad": 1}
    Traceback (most recent call last):
    traitlets.traitlets.TraitError: hand: no kind of card 'rad'; did you mean red?
    """

    def __init__(self, check: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.check = check

    def validate(self, obj: HasTraits, value: object) -> object:
        """Return the value to store."""
        try:
            return self.check(obj, value)
        except (LookupError, TypeError, ValueError) as error:
            raise TraitError(f"{self.name}: {error}") from error


def cards(_owner: object, value: Any) -> dict[str, int]:  # noqa: ANN401 - checked here
    """Return cards by kind, leaving out kinds with no cards."""
    if not isinstance(value, CardCounts | dict | list | tuple):
        raise TypeError(f"expected cards, such as {{'red': 3}}, got {value!r}")
    return CardCounts.coerce(value).as_dict()


def optional_number(value: object, allowed: Range) -> int | None:
    """Return an allowed whole number, or None."""
    if value is None or value in allowed:
        return value  # type: ignore[return-value] # an int, if it is in the range
    raise ValueError(f"expected {allowed}, or None, got {value!r}")


# -- cards ---------------------------------------------------------------------------------------------------------


class ImpossibleError(ValueError):
    """Impossible cards, or an impossible query; the message is a sentence for users, `kind` is the kind of card."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


def cards_in_words(cards: CardCounts) -> str:
    """Return cards in words, most frequent kinds first, locomotives last."""
    held = sorted(cards.as_dict().items(), key=lambda item: (item[0] == LOCOMOTIVE, -item[1]))
    return listed([counted(n, kind) if kind == LOCOMOTIVE else f"{n} {kind}" for kind, n in held]) or "no cards"


def card_facts(game_map: GameMap) -> Json:
    """Return how cards look, and the number of each kind in the deck."""
    return {
        "sheet": {"cards": live_sheet(game_map)["cards"]},
        "kinds": list(CARD_KINDS),
        "deck": list(game_map.rules.deck),
    }


def deck_less(deck: CardCounts, seen: Mapping[str, CardCounts]) -> CardCounts:
    """
    Return the unseen cards of the deck; `seen` maps each place, in words, to the cards seen there.

    >>> deck_less(CardCounts.of(red=12), {"in hand": CardCounts.of(red=10), "discarded": CardCounts.of(red=3)})
    Traceback (most recent call last):
    ttr_analysis.widgets.base.ImpossibleError: The deck has 12 red cards, not 13: 10 in hand, 3 discarded.
    """
    for kind in CARD_KINDS:
        where = {place: cards[kind] for place, cards in seen.items() if cards[kind]}
        if sum(where.values()) > deck[kind]:
            places = ", ".join(f"{n} {place}" for place, n in where.items())
            n_cards = counted(deck[kind], kind if kind == LOCOMOTIVE else f"{kind} card")
            raise ImpossibleError(f"The deck has {n_cards}, not {sum(where.values())}: {places}.", kind)
    return deck - sum(seen.values(), CardCounts())


# -- the JavaScript and CSS of widgets -----------------------------------------------------------------------------

SHARED: Final = ("dom", "words", "cards", "board")
"""Files that precede those of a widget, in this order."""


@cache
def esm(*names: str) -> str:
    """Return the ES module of a widget."""
    return "\n".join(read_static(f"{name}.js") for name in (*SHARED, *names))


@cache
def css(*names: str) -> str:
    """Return the style sheet of a widget."""
    return "\n".join([_colors(), *(read_static(f"{name}.css") for name in ("base", *names))])


_JUPYTER_COLORS: Final = {
    "paper": "--jp-layout-color1",
    "panel": "--jp-layout-color2",
    "ink": "--jp-ui-font-color1",
    "line": "--jp-border-color2",
}
"""Page colors that JupyterLab defines itself."""


def _colors() -> str:
    """Return all colors of `viz.style` as CSS variables; JupyterLab marks its body with the theme, light or dark."""
    light, dark = _page_colors(style.LIGHT_PAGE), _page_colors(style.DARK_PAGE)
    board = _variables({f"board-{name.replace('_', '-')}": color for name, color in asdict(style.BOARD).items()})
    owners = [(str(seat), color) for seat, color in enumerate(style.PLAYER_COLORS)] + [("neutral", style.NEUTRAL_COLOR)]
    return "\n".join(
        [
            f".ttr, .ttr-page {{ {light} }}",
            f".ttr {{ {board} }}",
            f'[data-jp-theme-light="false"] .ttr {{ {dark} }}',
            f"@media (prefers-color-scheme: dark) {{ .ttr-page, .ttr-page .ttr {{ {dark} }} }}",
            *(
                f'.ttr [data-owner="{owner}"] {{ {_variables({"owner": color, "owner-ink": ink_upon(color)})} }}'
                for owner, color in owners
            ),
            *_pale_routes(),
            "",
        ]
    )


def _pale_routes() -> Iterator[str]:
    """Yield the look of free routes on a game's board, where taken routes stand out."""
    free = '.ttr-board.is-game .ttr-route:not(.is-open):is([data-owner=""], .is-awaiting)'
    locomotive = style.CARD_STYLES[LOCOMOTIVE]
    for part, color in (
        (".ttr-rock", style.BOARD.tunnel),
        (".ttr-plates", locomotive.fill),
        (".ttr-locomotives", locomotive.ink),
    ):
        yield f"{free} {part} {{ fill: {pale(color, style.FREE_SHARE)}; }}"
    for color, look in style.CARD_STYLES.items():
        fill, edge, ink = (pale(one, style.FREE_SHARE) for one in (look.fill, look.edge, look.ink))
        yield f'{free}[data-color="{color}"] .ttr-cars {{ fill: {fill}; stroke: {edge}; }}'
        yield f'{free}[data-color="{color}"] .ttr-symbols {{ fill: {ink}; }}'


def _page_colors(colors: PageColors) -> str:
    return _variables(
        {
            name.replace("_", "-"): f"var({_JUPYTER_COLORS[name]}, {color})" if name in _JUPYTER_COLORS else color
            for name, color in asdict(colors).items()
        }
    )


def _variables(values: Mapping[str, str]) -> str:
    return " ".join(f"--ttr-{name}: {value};" for name, value in values.items())


def read_static(file: str) -> str:
    """Return the text of a file in `static`."""
    return resources.files(__package__).joinpath("static", file).read_text(encoding="utf-8")


# -- advice --------------------------------------------------------------------------------------------------------


def move_in_words(action: Action | None, line: str) -> str:
    """Return a move in words; `line` has it in notation, with ids of routes and some tickets."""
    return str(action) if isinstance(action, ClaimRoute | KeepTickets) else line


def best_in_words(advice: Advice) -> str:
    """Return the best action in `advice`, its win probability and the reason, in words."""
    best = advice.table.iloc[0]
    reason = f" – {best['reason']}" if best["reason"] else ""
    return f"{move_in_words(advice.best, best['move'])}, {percent(best['win'], None)} to win{reason}"


# -- widgets that only display -------------------------------------------------------------------------------------


class MessageWidget(anywidget.AnyWidget):
    """A widget with constant facts and a current view; the browser sends messages, but cannot change traits."""

    facts = traitlets.Dict(read_only=True).tag(sync=True)
    now = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        self.on_msg(self._on_message)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Ignore traits from the browser, which may only send messages."""

    def _on_message(self, _widget: object, content: object, _buffers: object) -> None:
        try:
            self._handle(content)
        except Exception as error:
            # The page waits for an answer; Jupyter shows the error.
            self._report_fault(content, fault_words(error))
            raise

    @abstractmethod
    def _handle(self, message: object) -> None:
        """Act on a message; ignore it if it is not valid."""

    @abstractmethod
    def _report_fault(self, message: object, fault: str) -> None:
        """Answer a message that failed because of a bug in this package."""


class SeatWidget(MessageWidget):
    """A widget in which a person plays a seat, and gets messages."""

    problem = traitlets.Dict({"text": "", "can_retry": False, "n": 0}, read_only=True).tag(sync=True)
    about = traitlets.Dict({"route": "", "step": 0, "words": ""}, read_only=True).tag(sync=True)
    _n_said = 0

    def _say(self, text: str, *, can_retry: bool = False) -> None:
        # The number makes the trait change for equal messages too: the page waits for an answer.
        self._n_said += 1
        self.set_trait("problem", {"text": text, "can_retry": can_retry, "n": self._n_said})

    def _say_about(self, route: str, words: str) -> None:
        """Send the cost of a route in words."""
        self.set_trait("about", {"route": route, "step": self.now["step"], "words": words})

    def _report_fault(self, message: object, fault: str) -> None:  # noqa: ARG002 - whatever the message
        self._say(fault)


def fault_words(error: Exception) -> str:
    """Return the text that the browser shows for a bug in this package."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"This failed because of a bug in ttr_analysis: {what}"[:_MOST_FAULT_LETTERS]


_MOST_FAULT_LETTERS: Final = 300


# -- widgets whose answer follows from their inputs ----------------------------------------------------------------


class QueryWidget(anywidget.AnyWidget):
    """Inputs that both Python and the browser can set, and an answer as plain JSON, defined by subclasses."""

    inputs: ClassVar[tuple[str, ...]] = ()
    """Names of the input traits."""

    facts = traitlets.Dict(read_only=True).tag(sync=True)
    answer = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(self, **inputs: object) -> None:
        super().__init__(**inputs)
        self._answered = self._asked()
        self.observe(self._update, list(self.inputs))

    def __repr__(self) -> str:
        """Return the text that replaces the widget where it cannot be drawn."""
        return f"<{type(self).__name__}: {self.answer['said']}>"

    @traitlets.default("facts")
    def _first_facts(self) -> Json:
        return self._facts()

    @traitlets.default("answer")
    def _first_answer(self) -> Json:
        return self._answer()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Accept inputs from the browser, but nothing that is computed."""
        computed = {name for name, trait in self.traits().items() if trait.read_only}
        super().set_state({name: value for name, value in sync_data.items() if name not in computed})

    def _asked(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.inputs)

    def _update(self, _change: object) -> None:
        # Several inputs may change at once, and each change is announced.
        if self._asked() != self._answered:
            self._answered = self._asked()
            with self._shows_faults():
                self.set_trait("answer", self._answer())

    @contextmanager
    def _shows_faults(self) -> Iterator[None]:
        """On a bug in this package, show it as the answer, and let Jupyter show the error."""
        try:
            yield
        except Exception as error:
            words = fault_words(error)
            self.set_trait("answer", {"problem": words, "said": words, "kind": ""})
            raise

    def _answer(self) -> Json:
        try:
            return {"problem": ""} | self._answer_now()
        except ImpossibleError as error:
            return {"problem": str(error), "said": str(error), "kind": error.kind}

    @abstractmethod
    def _facts(self) -> Json:
        """Return the constant facts."""

    @abstractmethod
    def _answer_now(self) -> Json:
        """Return the answer to the current inputs."""


# -- widgets as pages ----------------------------------------------------------------------------------------------

_EXPORT: Final = "export default { render };"


def widget_page(
    title: str, styles: str, script: str, *, before: str = "", data: str = "null", policy: str = PAGE_POLICY
) -> str:
    """Return a page on which a script shows a widget, below the HTML in `before`; `data` is JSON."""
    noscript = "<noscript>This page needs JavaScript, which runs only in your browser.</noscript>"
    values = f'<script type="application/json" id="values">{data}</script>'
    return html.page(
        title=title,
        styles=f"body {{ margin: 0; background: var(--ttr-paper); color: var(--ttr-ink); }}\n{styles}",
        body=f'{before}<main id="widget"></main>\n{noscript}\n{values}',
        script=script,
        is_module=True,
        classes="ttr-page",
        policy=policy,
    )


def page(*, title: str, module: str, styles: str, values: Mapping[str, object], before: str = "") -> str:
    """
    Return a widget as a self-contained page.

    Its ES `module` ends in `export default { render };`. `values` is the state of its model; the page's address may
    give another `step` (`page.html#12`), as may a link in `before`, HTML shown above it with names already escaped.
    """
    code, found, after = module.rpartition(_EXPORT)
    if not found or after.strip():
        raise ValueError(f"expected a module that ends in {_EXPORT!r}")
    # No value may close the script element that contains it.
    data = json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    script = code + read_static("model.js") + read_static("page.js")
    return widget_page(title, f"body {{ padding: 12px 16px; }}\n{styles}", script, before=before, data=data)
