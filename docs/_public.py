"""
The reference of public names: directives that document and list them, and links wherever they appear.

Users know names by shorter paths than the import system: `ttr_analysis.paths.Path` is defined in
`ttr_analysis/analysis/paths.py`. The reference uses the short paths.
"""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import signature, stringify_signature
from sphinx.util.nodes import make_refnode

import ttr_analysis

if TYPE_CHECKING:
    from docutils.nodes import Element, Node
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)

# What stands under "Returns" is a name; its type is in the signature, and so are those of parameters.
DOCSTRINGS = Config(
    napoleon_attr_annotations=False,
    napoleon_custom_sections=[("Attributes", "returns_style")],  # which are documented one by one, too
    napoleon_use_rtype=False,
)
KINDS = ("function", "class", "exception", "data")


def kind_of(value: object) -> str:
    """Return what autodoc calls the kind of a value."""
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if inspect.isroutine(value) else "data"


def public_names(module: ModuleType) -> list[str]:
    """Return the functions, classes and exceptions that a module offers."""
    names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    kinds = {name: KINDS.index(kind_of(getattr(module, name))) for name in names}
    return sorted((name for name in names if kinds[name] < KINDS.index("data")), key=kinds.__getitem__)


def members_of(value: type) -> list[str]:
    """Return the options that list the members of a class, including those inherited within this package."""
    *bases, last = value.__mro__[1:]
    is_ours = bool(bases) and all(base.__module__.startswith("ttr_analysis") for base in bases)
    return ["   :members:", *[f"   :inherited-members: {last.__name__}"] * is_ours]


def table_of(names: list[str], home: str) -> list[str]:
    """Return a Sphinx table of the names of a module: each a link, with the first line of its docstring."""
    documented = {name: inspect.getdoc(attrgetter(name)(import_module(home))) for name in names}
    rows = [(f":py:obj:`{name} <{home}.{name}>`", text.splitlines()[0]) for name, text in documented.items() if text]
    lines = [f"   * - {name}\n     - {text}" for name, text in rows]
    return [".. list-table::", "", *lines] if rows else []


class Public(SphinxDirective):
    """Document names of a module, as a table and then in full: those listed in the content, or all public ones."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[Node]:
        """Write the text for autodoc, and parse it."""
        home = self.arguments[0]
        module = import_module(home)
        names = [line.strip() for line in self.content if line.strip()] or public_names(module)
        lines = table_of(names, home)
        for name in names:
            kind = kind_of(getattr(module, name))
            lines += ["", f".. auto{kind}:: {home}.{name}"]
            lines += members_of(getattr(module, name)) if kind == "class" else []
        return self.parse_text_to_nodes("\n".join(lines) + "\n")


class PublicIndex(SphinxDirective):
    """List all public names, one line each, with links into the reference."""

    def run(self) -> list[Node]:
        """Write the lists, and parse them."""
        groups = {"": [name for name in dir(ttr_analysis) if not inspect.ismodule(getattr(ttr_analysis, name))]}
        for name in dir(ttr_analysis):
            value = getattr(ttr_analysis, name)
            if inspect.ismodule(value) and hasattr(value, "__all__"):
                groups[f".{name}"] = sorted(f"{name}.{each}" for each in public_names(value))
        lines: list[str] = []
        for group, names in groups.items():
            listed = [name for name in names if not name.startswith("_")]
            lines += ["", f".. rubric:: ttr{group}", "", *table_of(listed, "ttr_analysis")]
        return self.parse_text_to_nodes("\n".join(lines) + "\n")


def read_docstring(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Convert a docstring to reStructuredText, in place."""
    # Napoleon would take the words of a property or value before a colon for its type.
    kind = "function" if what in {"property", "data"} else what
    text = str(NumpyDocstring("\n".join(lines), DOCSTRINGS, app, kind, name, value, options))
    # Footnotes are numbered anew in each docstring, but many stand on a page.
    text = re.sub(r"(?<=\.\. )\[(\d)\]|\[(\d)\](?=_\W)", rf"[#{name}-\1\2]", text)
    lines[:] = text.splitlines()


def mend_signature(
    _app: Sphinx, what: str, _name: str, value: type, _options: object, arguments: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Show the parameters of a class whose metaclass accepts anything, and defaults as readable Python."""
    if what == "class" and arguments and arguments.startswith("(*args"):
        taken = signature(value.__init__, bound_method=True)
        arguments = stringify_signature(taken, show_return_annotation=False, unqualified_typehints=True)
    return arguments and arguments.replace("<factory>", "..."), returns


def link_by_last_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, text: Element) -> Element | None:
    """Resolve a name of this package written shorter or longer than in the reference."""
    target: str = node["reftarget"]
    if node.get("refdomain") != "py" or ("." in target and not target.startswith(("ttr.", "ttr_analysis."))):
        return None
    last = "." + target.rpartition(".")[2]
    found = [(name, entry) for name, entry in env.domains.python_domain.objects.items() if name.endswith(last)]
    if len(found) != 1:
        return None
    [(name, entry)] = found
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, [text], name)


def check_that_all_is_there(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn about public names missing from the reference."""
    documented = {name.rpartition(".")[2] for name in env.domains.python_domain.objects}
    for name in dir(ttr_analysis):
        value = getattr(ttr_analysis, name)
        names = public_names(value) if isinstance(value, ModuleType) and hasattr(value, "__all__") else [name]
        for missing in {name for name in names if not name.startswith("_")} - documented:
            logger.warning("%s of ttr_analysis is not in the reference: docs/api", missing)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register all this, and let modules be imported by their public names."""
    for name in dir(ttr_analysis):
        value = getattr(ttr_analysis, name)
        if isinstance(value, ModuleType):
            sys.modules.setdefault(f"ttr_analysis.{name}", value)
    app.add_directive("public", Public)
    app.add_directive("public-index", PublicIndex)
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("autodoc-process-signature", mend_signature)
    app.connect("env-check-consistency", check_that_all_is_there)
    app.connect("missing-reference", link_by_last_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
