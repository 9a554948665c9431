"""What a stranger's folder says about itself: whatever it is, the report has read it at once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ttr_analysis.report.page import plain
from ttr_analysis.report.sections.method import decisions, sources

_LINES = ["a = a" + " " * 40_000 + "b", "[" * 40_000, "# " + "Decision " * 10_000, "[](" * 30_000, " " * 90_000]


@pytest.mark.parametrize("line", _LINES, ids=["spaces", "brackets", "decisions", "links", "blank"])
def test_no_line_takes_long_to_read(line: str, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(line, encoding="utf-8")
    (tmp_path / "SOURCES.md").write_text(f"- {line}", encoding="utf-8")
    start = time.process_time()
    assert decisions(tmp_path) == []
    assert len(sources(tmp_path)) == 1
    assert time.process_time() - start < 1


def test_decisions_and_sources_are_read(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(
        "[market]\nsize = 5  # Decision, by us: as in other games\nrefill = true  # no reason\n# Decision: no more\n"
    )
    (tmp_path / "SOURCES.md").write_text(
        "# Sources\n\n- The [rule book](https://example.org/a),\n  *second* print\n- b\n"
    )
    assert [(plain(what), plain(why)) for what, why in decisions(tmp_path)] == [
        ("market.size = 5", "As in other games By us."),
        ("Note", "No more"),
    ]
    assert [plain(point) for point in sources(tmp_path)] == ["The rule book (https://example.org/a), second print", "b"]
