"""
Show widgets on the site without a kernel.

Python runs this file in every kernel that Sphinx starts (PYTHONSTARTUP). Each widget's page is added to the site and
shown in a frame. A stepper works as in a notebook; a widget that needs Python shows its first state.
"""

import hashlib
import os
import re
from pathlib import Path

from anywidget import AnyWidget
from IPython import get_ipython

_SILENT = "Here no Python answers, so it shows only how it begins: run the notebook to use it."

# The module of a widget with its `export default` taken off, and what a frame needs besides: its page learns its height
# (docs/_static/frames.js), and keeps the focus.
_FRAMED = """
const draw = (() => {
%s
return %s;
})();
function render({ model, el }) {
  model.send = () => {};
  draw({ model, el });
  el.firstElementChild.focus = () => {};
  const tell = () => parent.postMessage({ height: el.offsetTop + el.offsetHeight + el.offsetTop }, "*");
  new ResizeObserver(tell).observe(el);
}
export default { render };
"""


def _frame_of(widget: AnyWidget) -> dict[str, str]:
    """Write the page of a widget, and return a frame that shows it."""
    from ttr_analysis.widgets.base import page

    name = type(widget).__name__
    own = [key for key in widget.keys if not key.startswith("_") and key not in AnyWidget.class_trait_names()]
    module, styles = str(widget._esm), str(widget._css)  # noqa: SLF001 - so anywidget calls them
    body, draw = re.fullmatch(r"(.*)export default \{ (?:render: )?(\w+) \};\s*", module, flags=re.DOTALL).groups()
    text = page(title=name, module=_FRAMED % (body, draw), styles=styles, values=widget.get_state(own))
    path = Path(os.environ["TTR_SITE"], "widgets", f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.html")
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    frame = f'class="ttr-frame" src="../widgets/{path.name}" title="{name}" loading="lazy"'
    if hasattr(widget, "to_html"):
        return {"text/html": f"<iframe {frame}></iframe>"}
    return {"text/html": f"<iframe {frame} inert></iframe><p>{_SILENT}</p>"}


# For the base, since every widget has a type of its own.
get_ipython().display_formatter.mimebundle_formatter.for_type(AnyWidget, _frame_of)
