"""The page: whatever a section holds, its form is right and nothing in it is live."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.fixtures import load
from tests.report.hostile import NAMES
from tests.report.pages import read_page
from ttr_analysis.report.page import (
    Column,
    Figures,
    Heading,
    Picture,
    Points,
    Section,
    Table,
    Terms,
    Words,
    name,
    render,
    render_page,
)
from ttr_analysis.studies.findings import Finding, Findings

COLUMNS = (
    Column("city", "City", "A city.", kind="text"),
    Column("color", "Color", "Of cards.", kind="color"),
    Column("trains", "Trains", "Trains needed.", digits=1, bar=True),
    Column("odds", "Odds", "A probability.", kind="percent", digits=1),
)
FRAME = pd.DataFrame(
    {
        "city": ["Oslo", name("Bergen"), None],
        "color": ["red", "gray", "mauve"],
        "trains": [3, -1.25, None],
        "odds": [0.5, 1e-9, None],
    }
)
TABLE = Table("cities", "Cities", FRAME, COLUMNS, n_shown=2, note="A note.")


def page_of(*blocks: object, title: str = "A map") -> str:
    section = Section("one", "One", "A sentence.", tuple(blocks))  # type: ignore[arg-type]
    return render_page(title, "subtitle", (), [section])


def test_every_block_is_well_formed() -> None:
    picture = Picture(b"<svg/>", "image/svg+xml", "alt", "caption", dark=b"<svg></svg>", wide=True)
    blocks = [
        Words("w"),
        Heading("h"),
        Points(("a", "b")),
        Terms((("t", "d"),)),
        Figures((("3", "n"),)),
        TABLE,
        picture,
    ]
    seen = read_page(page_of(*blocks))
    assert seen.faults == []
    assert [a["href"] for a in seen.all("a")] == ["#main", "#one"]
    assert "1 picture and 1 table" in seen.words


def test_sections_are_folded_and_their_leads_are_not() -> None:
    page = page_of(TABLE)
    lead, fold = page.index("A sentence."), page.index('<details class="blocks">')
    assert lead < fold < page.index('id="table-cities"')
    assert "<details" not in page_of().partition("<main")[2]


def test_findings_open_the_page_as_text() -> None:
    table = pd.DataFrame({"figure": [0.5], "low": [0.4], "high": [0.6], "is_told": [True]}, index=["<b>Oslo</b>"])
    item = Finding("seat", "<i>", "A <script> wins 50%.", 0.5, 0.4, 0.6, "share", table, reference=0.3)
    page = render_page("A map", "subtitle", (), [], Findings(load("usa"), (item,)))
    seen = read_page(page)
    assert seen.faults == []
    assert not seen.all("b")
    assert len(seen.all("script")) == 1
    assert "A <script> wins 50%." in seen.words
    assert page.index('id="finding-seat"') < page.index("</main>")


def test_a_key_of_a_file_is_broken_between_its_words() -> None:
    page = page_of(Terms((("claims.ferry_swap_size = 3", "d"),)))
    assert "claims.<wbr>ferry_<wbr>swap_<wbr>size = 3" in page


@pytest.mark.parametrize("text", list(NAMES.values()))
def test_names_are_text_everywhere(text: str) -> None:
    hostile = Table(
        "cities",
        text,
        pd.DataFrame({"city": [text], "color": [text], "trains": [1], "odds": [1]}),
        (Column("city", text, text, kind="text"), *COLUMNS[1:]),
        note=text,
    )
    picture = Picture(b"", "image/png", name(text), text)
    page = page_of(
        hostile,
        picture,
        Words(text),
        Heading(text),
        Points((text,)),
        Terms(((text, text),)),
        Figures(((text, text),)),
        title=text,
    )
    seen = read_page(page)
    assert seen.faults == []
    assert len(seen.all("script")) == 1
    assert len(seen.all("img")) == 1
    assert len(seen.all("b")) == 0
    assert seen.words.count(" ".join(text.split())) >= 10


def test_numbers_are_written_for_people() -> None:
    html = render(TABLE)
    assert ">3.0<" in html
    assert ">−1.2<" in html
    assert ">50.0%<" in html
    assert ">&lt;0.1%<" in html
    assert html.count(">–<") == 3
    assert 'data-value="-1.25"' in html


def test_headings_are_buttons_with_their_definition() -> None:
    seen = read_page(page_of(TABLE))
    headings = seen.all("th")
    assert [heading["title"] for heading in headings] == ["A city.", "Of cards.", "Trains needed.", "A probability."]
    assert [button["type"] for button in seen.all("button")] == ["button"] * 4
    assert seen.all("table")[0]["data-shown"] == "2"


def test_an_unknown_block_is_refused() -> None:
    with pytest.raises(TypeError, match="no rendering for int"):
        render(3)
