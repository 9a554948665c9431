"""Sphinx settings for the site: `make docs`. Nothing is downloaded."""

from __future__ import annotations

import logging
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.errors import ExtensionError

import ttr_analysis

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

HERE = Path(__file__).parent
NOTEBOOKS = HERE / "notebooks"  # copies, which git ignores: Sphinx reads only what lies in its folder
sys.path.insert(0, str(HERE))

from _execute import execute, prepare_kernels  # noqa: E402 - from this folder

for _folder in (".", "solutions"):
    (NOTEBOOKS / _folder).mkdir(parents=True, exist_ok=True)
    for _notebook in (HERE.parent / "notebooks" / _folder).glob("*.ipynb"):
        shutil.copy2(_notebook, NOTEBOOKS / _folder)

# A style for Pygments turns on all messages of all packages when it is imported, those of nbclient among them.
logging.getLogger("traitlets").setLevel(logging.WARNING)

project = "ttr_analysis"
author = "the ttr_analysis contributors"
version = release = ttr_analysis.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "myst_nb",
    "_public",
]
exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_in_temp = True  # whatever is written
nb_execution_mode = "force"  # results must be those of the code as it is
nb_execution_excludepatterns = ["*.ipynb"]  # they are run before: see `setup`
nb_execution_raise_on_error = True
nb_execution_timeout = 600
# The builder of the tests, which writes nothing, is not asked for pictures either.
nb_mime_priority_overrides = [
    ("dummy", kind, place) for place, kind in enumerate(("text/html", "text/plain", "image/png"))
]
nb_ipywidgets_js = {}  # nothing is loaded from elsewhere

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["frames.js"]
html_copy_source = False
html_show_copyright = html_show_sphinx = False
html_title = "ttr_analysis"

add_module_names = False
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
default_role = "py:obj"  # a name in backticks is a link if the reference has it, else code
maximum_signature_line_length = 90
nitpick_ignore_regex = [
    ("py:obj", ".*"),
    # What annotations name: other packages, whose references would have to be downloaded, and our own inner types.
    ("py:class", r"(collections\.abc|concurrent\.futures|fractions|os|pathlib)\..*"),
    ("py:class", r"(matplotlib|networkx|numpy|nx|np|pandas|pd|t|ttr_analysis)\..*"),
    ("py:class", "Axes|Case|FilePath"),
    # Words for a few literals or types, which the docstrings explain.
    ("py:class", "Action|Avoidable|Components|Distribution|Entry|Event|GraphFile|Method|PolicyLike|Routes|RulesLike"),
    ("py:class", "NotNegative|Positive|Real|Values"),
]
suppress_warnings = [
    "ref.footnote",  # a reference need not be named in the text
    "ref.python",  # `routes` in backticks may be those of several classes: then it is no link
]
python_use_unqualified_type_names = True
smartquotes = False  # 's-Gravenhage begins with an apostrophe


def setup(app: Sphinx) -> None:
    """Tell notebook kernels where the site is and what to run first; then run the notebooks."""
    prepare_kernels(Path(app.outdir), Path(app.doctreedir))
    app.connect("config-inited", _execute_notebooks)


def _execute_notebooks(_app: Sphinx, config: Config) -> None:
    if config.nb_execution_mode != "off":
        failed = execute(sorted(NOTEBOOKS.rglob("[0-9]*.ipynb")))
        if failed:
            raise ExtensionError(f"notebooks fail: {', '.join(path.stem for path in failed)}")
