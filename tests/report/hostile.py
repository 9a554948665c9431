"""A map whose names are made to break pages, pictures and spreadsheets."""

from __future__ import annotations

from pathlib import Path

from tests.fixtures import INVENTED, load, renamed

NAMES = {
    "Ærø Havn": "<script>alert(1)</script>",
    "Brindle": '"><img src=x onerror=alert(1)>',
    "Château d'Or": '=HYPERLINK("http://evil.example","x")',
    "Dunmore": "תל אביב-יפו",
    "Eksjö": "الدار البيضاء",
    "Farrow": r"$\frac{1}{0}$ $x_$",
    "Gdynka & Söhne": "W" * 100,
    "Hollow": "@SUM(A1:A9), <!-- --!> ]]>",
    "Lomond": "東京 🚂",
    "Ísvík": "-2+3|cmd' /C calc'!A0",
    "Jarlsby": "</style></title><b>&amp;",
    "Outland": "+1 </textarea> | `md` [x](y)",
}
TITLE = "</title><script>alert('t')</script> $x$ תל אביב"


def write_hostile_map(folder: Path) -> Path:
    """Write the invented map with hostile names; return its folder."""
    renamed(load("invented"), NAMES).to_folder(folder)
    rules = (INVENTED / "rules.toml").read_text(encoding="utf-8")
    quoted = TITLE.replace('"', '\\"')
    rules = rules.replace('title = "Isles of Invention"', f'title = "{quoted}"  # Decision: <i>because</i> "quotes"')
    (folder / "rules.toml").write_text(rules, encoding="utf-8")
    (folder / "SOURCES.md").write_text(
        "# x\n- **Rules** <script>alert(2)</script> [link](javascript:alert(3))\n", encoding="utf-8"
    )
    return folder
