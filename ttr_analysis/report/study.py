"""
Compute and write the study of a map, section by section.

Tables are written as soon as their section is done, each in one step, so an
interrupted study leaves no partial files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

from tqdm.auto import tqdm

from ttr_analysis._decoding import write_atomically
from ttr_analysis.maps.model import GameMap
from ttr_analysis.report import board, cards, games, method, page, tickets
from ttr_analysis.report.context import Context, Settings
from ttr_analysis.studies.findings import Findings

PAGE = "report.html"
TABLES = "tables"


class Step(NamedTuple):
    """A step of a study; steps of a later `stage`, which wait for computations, run later but keep their places."""

    title: str
    compute: Callable[[Context], page.Section | None]
    stage: int = 0


STEPS: tuple[Step, ...] = (
    Step("board", board.board_section),
    Step("tickets", tickets.values),
    Step("pairs", tickets.pairs),
    Step("an example deal", tickets.deal, 1),
    Step("the best network", tickets.best, 2),
    Step("long routes", cards.long_route_section, 1),
    Step("ferries", cards.ferries),
    Step("tunnels", cards.tunnel_section),
    Step("drawing cards", cards.drawing_section),
    Step("bottlenecks", board.bottleneck_section, 1),
    Step("structure", board.structure_section),
    Step("tolls", tickets.toll_section),
    Step("countries", tickets.countries),
    Step("games", games.section, 1),
    Step("rules", method.rules_section),
    Step("method", method.method),
)


@dataclass(frozen=True, slots=True)
class Study:
    """A study of a map, or of a player's games: title, head, findings and sections."""

    title: str
    subtitle: str
    head: tuple[page.Block, ...]
    sections: tuple[page.Section, ...]
    findings: Findings | None = None

    @property
    def tables(self) -> tuple[page.Table, ...]:
        """All tables, in order."""
        return tuple(table for section in self.sections for table in section.tables)

    @property
    def html(self) -> str:
        """The HTML page."""
        return page.render_page(self.title, self.subtitle, self.head, self.sections, self.findings)

    def __repr__(self) -> str:
        return f"<Study of {page.plain(self.title)!r}: {len(self.sections)} sections, {len(self.tables)} tables>"

    def _repr_html_(self) -> str:
        return self.html


def run_study(
    game_map: GameMap,
    settings: Settings | None = None,
    *,
    folder: Path | None = None,
    progress: bool = False,
    before: Callable[[], None] | None = None,
    each: Callable[[page.Section], None] | None = None,
) -> Study:
    """
    Compute the study of a map.

    `folder` is the map's, read for its sources and the reasons for its rules. `before` is
    called before each step, and may raise an error to stop the study; `each` is called with
    each section as soon as it is done.
    """
    context = Context(game_map, settings or Settings(), folder)
    context.begin()
    found: dict[int, page.Section] = {}
    order = sorted(range(len(STEPS)), key=lambda i: STEPS[i].stage)
    steps = tqdm(
        order,
        disable=not progress,
        unit="step",
        leave=False,
        bar_format="{desc:<24}{bar} {n_fmt}/{total_fmt} {elapsed}",
    )
    with closing(context), steps, _ticking(steps):
        for i in steps:
            if before is not None:
                before()
            steps.set_description(f"{game_map.name[:10]}: {STEPS[i].title}")
            section = STEPS[i].compute(context)
            if section is not None:
                found[i] = section
                if each is not None:
                    each(section)
        subtitle = "A study of the map: tickets, odds and bottlenecks"
        sections = tuple(found[i] for i in sorted(found))
        return Study(page.name(game_map.rules.full_title), subtitle, board.head(context), sections, context.findings)


@contextmanager
def _ticking(bar: Any) -> Iterator[None]:  # noqa: ANN401 - tqdm's, of a terminal or a notebook
    """Redraw a bar every second, so that its clock runs during long steps."""
    done = Event()

    def tick() -> None:
        while not done.wait(_TICK):
            bar.refresh()

    clock = Thread(target=tick, daemon=True)
    clock.start()
    try:
        yield
    finally:
        done.set()
        clock.join()


_TICK = 1.0
"""Seconds."""


def write_study(
    game_map: GameMap,
    out: Path,
    settings: Settings | None = None,
    *,
    folder: Path | None = None,
    progress: bool = False,
    before: Callable[[], None] | None = None,
) -> Study:
    """
    Compute the study of a map with `run_study`, and write `report.html` and `tables/` to a folder.

    The folder `out` is created if needed, and files of an earlier study in it are replaced.
    """
    tables = prepare(out)

    def write(section: page.Section) -> None:
        page.write_tables(tables, section.tables)

    study = run_study(game_map, settings, folder=folder, progress=progress, before=before, each=write)
    write_page(study, out)
    return study


def prepare(out: Path) -> Path:
    """Create the folder of tables, remove an earlier study, and return the folder."""
    tables = out / TABLES
    tables.mkdir(parents=True, exist_ok=True)
    (out / PAGE).unlink(missing_ok=True)
    for table in page.described_tables(tables / page.README):
        (tables / f"{table}.csv").unlink(missing_ok=True)
    (tables / page.README).unlink(missing_ok=True)
    return tables


def write_page(study: Study, out: Path) -> None:
    """Write the page of a study and the description of its tables."""
    write_atomically(out / TABLES / page.README, page.describe_tables(study.tables, study.title))
    write_atomically(out / PAGE, study.html)
