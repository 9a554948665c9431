"""The examples of README.md and docs/how.md have no fault for pyright, which checks types in VS Code."""

from __future__ import annotations

import doctest
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYRIGHT = ROOT / ".venv" / "axe" / "node_modules" / "pyright" / "index.js"
EXAMPLES = {
    "readme": "\n".join(
        re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ),
    "how": "".join(
        example.source
        for block in re.findall(
            r"^```pycon\n(.*?)^```", (ROOT / "docs" / "how.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
        )
        for example in doctest.DocTestParser().get_examples(block)
    ),
    "wrong": "import ttr_analysis as ttr\nttr.Game('usa').play([7, ttr.policies.Random()])\n",
    "scores": "import ttr_analysis as ttr\nrecord = ttr.Game('usa').play(['Greedy', 'Random'])\nrecord.scores[0] + 1\n",
}
# By its types, what an `ax` lies in may be a part of a figure, which cannot be saved; it never is here.
OF_MATPLOTLIB = 'Cannot access attribute "savefig" for class "SubFigure"'
needs_pyright = pytest.mark.skipif(
    not (PYRIGHT.exists() and shutil.which("node")),
    reason="pyright is not installed, so the examples are NOT checked as in VS Code: `make test` gets it with npm",
)


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return what pyright calls an error in each group of examples."""
    folder = tmp_path_factory.mktemp("editors")
    for name, source in EXAMPLES.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    command = ["node", str(PYRIGHT), "--outputjson", "--pythonpath", sys.executable, "--project", str(folder)]
    settings = {"extraPaths": [str(ROOT)], "reportUnusedExpression": False}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[str, list[str]] = {name: [] for name in EXAMPLES}
    for fault in json.loads(checked.stdout)["generalDiagnostics"]:
        if fault["severity"] == "error" and not fault["message"].startswith(OF_MATPLOTLIB):
            line = 1 + fault["range"]["start"]["line"]
            found[Path(fault["file"]).stem].append(f"{line}: {fault['message']}")
    return found


@needs_pyright
@pytest.mark.parametrize("name", ["readme", "how", "scores"])
def test_examples_have_no_fault_in_an_editor(name: str, faults: dict[str, list[str]]) -> None:
    assert EXAMPLES[name].count("\n") >= 3
    assert faults[name] == []


@needs_pyright
def test_a_policy_of_a_wrong_type_is_noticed(faults: dict[str, list[str]]) -> None:
    assert any('Literal[7]"' in fault for fault in faults["wrong"])
