"""
Run notebooks in full and store them with their results: `make notebooks`.

`python -m scripts.store_notebooks 03 12` does so for some, by the beginning of their names. The same sources give the
same bytes. Student editions are made from the teachers' notebooks. It needs Chromium for the pictures of widgets.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from PIL import Image

from scripts.notebook_numbers import wrong_numbers
from ttr_analysis._decoding import write_atomically
from ttr_analysis.teaching.editions import SOURCE_DIGEST, dumps, write_editions

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"
MOST_PICTURE_BYTES, MOST_BYTES = 100_000, 1_500_000
"""Size limits of a picture, and of a notebook with all of its pictures."""
FAILED = "failed, so it was not changed"
WIDGET_WINDOW: Any = {"width": 980, "height": 900}
FRAME = re.compile(r'class="ttr-frame" src="\.\./(widgets/[^"]+)"')
"""A widget as `docs/_kernel.py` shows it."""
MACHINE = re.compile(r"\b0x[0-9a-f]{6,}|(?<![\w/.])/(?:tmp|home|root|Users|usr|var)/|\b[A-Z]:\\", re.IGNORECASE)
"""Addresses of objects and paths, which differ from one run to the next."""

STYLER = re.compile(r"\bT_[0-9a-f]{5}(?![0-9a-z])")
"""The random name of a table that pandas styles."""
COMPILING = "ttr_analysis: compiling"
"""Beginning of the message written when a function is first used on a machine."""

Notebook = dict[str, Any]


def notebooks() -> list[Path]:
    """Return the notebooks that run: all but student editions, whose results are those of the teacher's notebook."""
    teachers = sorted((FOLDER / "solutions").glob("[0-9]*.ipynb"))
    names = {path.name for path in teachers}
    return [*teachers, *(path for path in sorted(FOLDER.glob("[0-9]*.ipynb")) if path.name not in names)]


def code_cells(notebook: Notebook) -> list[dict[str, Any]]:
    """Return the cells of code that are not empty."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]


def source_digest(notebook: Notebook) -> str:
    """Return a digest of all code of a notebook."""
    sources = ["".join(cell["source"]) for cell in code_cells(notebook)]
    return hashlib.sha256(json.dumps(sources).encode()).hexdigest()[:16]


def faults(notebook: Notebook) -> list[str]:
    """Return what is wrong with the stored results of a notebook."""
    cells = code_cells(notebook)
    if SOURCE_DIGEST not in notebook["metadata"]:
        return ["it has no results"]
    found = []
    if notebook["metadata"][SOURCE_DIGEST] != source_digest(notebook):
        found.append("its code has changed since")
    if [cell["execution_count"] for cell in cells] != list(range(1, len(cells) + 1)):
        found.append("its cells did not run in order")
    if (n_bytes := len(dumps(notebook).encode())) > MOST_BYTES:
        found.append(f"it has {n_bytes:,} bytes, more than {MOST_BYTES:,}")
    for cell in cells:
        what = f"in {cell.get('id', '')!r}"
        found += [f"{what}: execution times"] * ("execution" in cell["metadata"])
        found += [f"{what}: {fault}" for output in cell["outputs"] for fault in _output_faults(output)]
    return found


def _output_faults(output: dict[str, Any]) -> Iterator[str]:
    if output["output_type"] == "error":
        yield f"the error {output['ename']}"
    elif output.get("name") == "stderr":
        yield f"the message {''.join(output['text'])[:80]!r}"
    data = output.get("data", {"text/plain": output.get("text", "")})
    for kind, value in data.items():
        if kind.startswith("image/"):
            n_bytes = len(base64.b64decode(value)) if kind == "image/png" else 0
            if kind != "image/png" or n_bytes > MOST_PICTURE_BYTES:
                yield f"a picture ({kind}, {n_bytes:,} bytes) that is not PNG of at most {MOST_PICTURE_BYTES:,} bytes"
        elif "widget" in kind:
            yield "a widget without its state, which shows nothing"
        elif found := MACHINE.search(text := "".join(value)):
            yield f"text that differs by machine: {text[max(0, found.start() - 30) : found.end() + 30]!r}"


def store(notebook: Notebook, executed: Notebook, picture_of: Callable[[str], bytes]) -> Notebook:
    """
    Return a notebook with the results of its run.

    Parameters
    ----------
    notebook
        A notebook, without results or with older ones.
    executed
        The same, as it ran.
    picture_of
        Takes a picture of the page of a widget.
    """
    counts = count(1)
    cells = []
    for cell, ran in zip(notebook["cells"], executed["cells"], strict=True):
        if cell["cell_type"] == "code":
            number = next(counts) if "".join(cell["source"]).strip() else None
            outputs = [_stored(output, number, picture_of) for output in ran["outputs"] if not _is_of_compiler(output)]
            cells.append({**cell, "execution_count": number, "outputs": outputs})
        else:
            cells.append(cell)
    kept = {key: value for key, value in notebook["metadata"].items() if key != "widgets"}
    return {**notebook, "cells": cells, "metadata": {**kept, SOURCE_DIGEST: source_digest(notebook)}}


def _is_of_compiler(output: dict[str, Any]) -> bool:
    """Return whether an output only says what was compiled."""
    lines = "".join(output.get("text", "")).splitlines() if output.get("name") == "stderr" else [""]
    return all(line.startswith(COMPILING) for line in lines)


def _stored(output: dict[str, Any], number: int | None, picture_of: Callable[[str], bytes]) -> dict[str, Any]:
    """Return an output with small pictures, and a still picture in place of a widget, whose state is not stored."""
    if "data" not in output:
        return {key: _lines(value) if key == "text" else value for key, value in output.items()}
    data = dict(output["data"])
    if frame := FRAME.search("".join(data.get("text/html", ""))):
        del data["text/html"]
        data["image/png"] = base64.b64encode(picture_of(frame[1]))
    if "text/html" in data and MACHINE.search("".join(data.get("text/plain", ""))):
        del data["text/plain"]  # the address of an object that has a text of its own
    if "image/png" in data:
        data["image/png"] = base64.b64encode(small(base64.b64decode(data["image/png"]))).decode() + "\n"
    kept = {kind: value if kind == "image/png" else _lines(value) for kind, value in sorted(data.items())}
    numbered = {"execution_count": number} if output["output_type"] == "execute_result" else {}
    return {"data": kept, **numbered, "metadata": {}, "output_type": output["output_type"]}


def with_names_counted(text: str) -> str:
    """Return the text of a notebook with numbers in place of random names."""
    order = {name: f"T_{number:05}" for number, name in enumerate(dict.fromkeys(STYLER.findall(text)), start=1)}
    return STYLER.sub(lambda found: order[found[0]], text)


def _lines(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return text as Jupyter stores it."""
    return "".join(value).splitlines(keepends=True) if isinstance(value, str | list) else value


def small(png: bytes) -> bytes:
    """Return a picture of at most `MOST_PICTURE_BYTES`: with as many colors as fit, else smaller."""
    drawn = Image.open(io.BytesIO(png)).convert("RGBA")
    picture = Image.new("RGBA", drawn.size, "white")
    picture.alpha_composite(drawn)
    picture = picture.convert("RGB")
    while True:
        for n_colors in (256, 128, 64):
            file = io.BytesIO()
            picture.quantize(n_colors, kmeans=2, dither=Image.Dither.NONE).save(file, format="png", optimize=True)
            if file.tell() <= MOST_PICTURE_BYTES:
                return file.getvalue()
        picture = picture.resize((picture.width * 4 // 5, picture.height * 4 // 5), Image.Resampling.LANCZOS)


@contextmanager
def photographer(site: Path) -> Iterator[Callable[[str], bytes]]:
    """Yield a function that takes a picture of a page of a site in a browser."""
    from tests.browser.lab import open_browser

    with open_browser() as browser:
        page = browser.new_page(viewport=WIDGET_WINDOW)

        def picture_of(file: str) -> bytes:
            page.goto((site / file).as_uri())
            page.wait_for_timeout(300)  # until everything is in place
            return page.locator("body").screenshot(animations="disabled")

        yield picture_of


def run_and_store(paths: list[Path], n_processes: int | None) -> dict[Path, str]:
    """Run notebooks in full and store them with their results; return what happened to those that changed or failed."""
    sys.path.insert(0, str(ROOT / "docs"))
    from _execute import execute, prepare_kernels  # type: ignore[import-not-found, unused-ignore] # a folder of scripts

    for setting in ("TTR_FAST", "TTR_PLAIN", "TTR_CHECKS"):
        os.environ.pop(setting, None)
    happened = {}
    with tempfile.TemporaryDirectory() as folder, photographer(Path(folder)) as picture_of:
        prepare_kernels(Path(folder), Path(folder))
        copies = [Path(shutil.copy2(path, Path(folder, f"{path.parent.name}-{path.name}"))) for path in paths]
        failed = execute(copies, n_processes)
        for path, copy in zip(paths, copies, strict=True):
            if copy in failed:
                happened[path] = FAILED
                continue
            before = path.read_text(encoding="utf-8")
            executed = json.loads(copy.read_text(encoding="utf-8"))
            after = with_names_counted(dumps(store(json.loads(before), executed, picture_of)))
            if after != before:
                write_atomically(path, after)
                happened[path] = "stored"
    return happened


def main() -> int:
    """Store notebooks with their results; return 1 if one fails or has a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="notebooks, by the beginning of their names [default: all]")
    parser.add_argument("--processes", type=int, help="how many run at a time [default: one per core]")
    options = parser.parse_args()
    for name in options.names:
        if not any(path.name.startswith(name) for path in notebooks()):
            parser.error(f"no notebook begins with {name!r}")
    paths = [path for path in notebooks() if path.name.startswith(tuple(options.names or [""]))]
    happened = run_and_store(paths, options.processes)
    write_editions(FOLDER)
    read = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in paths]
    wrong = [(path, fault) for path, notebook in read for fault in faults(notebook)]
    wrong += [(path, fault) for path, notebook in read for fault in wrong_numbers(notebook, path.stem)]
    for path, said in [*happened.items(), *wrong]:
        print(f"{path.relative_to(ROOT)}: {said}")
    return int(bool(wrong) or FAILED in happened.values())


if __name__ == "__main__":
    sys.exit(main())
