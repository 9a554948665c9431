"""What docs/compiler.md says about the compiler is so."""

import re
import textwrap
from pathlib import Path

from tests.compile.loading import load
from ttr_analysis._compile.program import Program
from ttr_analysis._compile.types import CELLS, Array

PAGE = (Path(__file__).parents[2] / "docs" / "compiler.md").read_text("utf-8")


def test_the_text_of_the_example_is_what_the_compiler_writes(tmp_path: Path) -> None:
    code = re.findall(r"^(?:>>>|\.\.\.) (.*)$", PAGE, flags=re.MULTILINE)
    function = "\n".join(code[code.index("@ttr.compiled") + 1 : code.index("    return total") + 1])
    source = load(tmp_path, f"@compiled\n{function}\n").spaces.source
    text, _ = Program(is_checked=False).text(source, (Array(CELLS["int64"], 1),))

    (shown,) = re.findall(r"```llvm\n(.*?)```", PAGE, flags=re.DOTALL)
    assert textwrap.dedent(shown).strip() in text
