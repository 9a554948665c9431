"""A widget as a page of its own: the same module, with a model that holds its values in the page."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ttr_analysis.maps.writing import write_atomically

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'"
"""Nothing is loaded from anywhere, whatever a name may hold."""

_EXPORT: Final = "export default { render };"

_SHIM: Final = """
const values = JSON.parse(document.getElementById("values").textContent);
const asked = Number(location.hash.slice(1));
if (Number.isInteger(asked) && location.hash.length > 1) values.step = asked;
const model = {
  get: (name) => values[name],
  set: (name, value) => (values[name] = value),
  save_changes: () => history.replaceState(null, "", `#${values.step}`),
  on() {},
  off() {},
};
const place = document.getElementById("widget");
render({ model, el: place });
place.firstElementChild.focus({ preventScroll: true });
"""


def write_page(
    path: str | os.PathLike[str], *, title: str, module: str, styles: str, values: Mapping[str, object]
) -> None:
    """
    Write a widget as one self-contained page.

    Parameters
    ----------
    path
        The file; an old one stays whole until the new one is.
    title
        Title of the page; any text.
    module
        The ES module of the widget; it ends in `export default { render };`.
    styles
        Its style sheet.
    values
        What its model holds, ready for JSON. `step` is read from the address
        (`page.html#12`), if that names one.
    """
    write_atomically(Path(path).expanduser(), page(title=title, module=module, styles=styles, values=values))


def page(*, title: str, module: str, styles: str, values: Mapping[str, object]) -> str:
    """
    Return the page of `write_page`.

    Examples
    --------
    >>> text = page(title="<b>", module="export default { render };", styles="", values={"x": "<"})
    >>> "<title>&lt;b&gt;</title>" in text, '"x":"<"' in text
    (True, False)
    """
    before, found, after = module.rpartition(_EXPORT)
    if not found or after.strip():
        raise ValueError(f"expected a module that ends in {_EXPORT!r}")
    # No text may end the element that holds it.
    data = json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{html.escape(title)}</title>
<style>
{styles}</style>
</head>
<body class="ttr-page">
<main id="widget"></main>
<noscript>This page needs JavaScript, which runs in the page alone.</noscript>
<script type="application/json" id="values">{data}</script>
<script type="module">
{before}{_SHIM}</script>
</body>
</html>
"""
