"""Rules about the sources that no linter knows; the directions between layers are import-linter's."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from importlib.util import resolve_name
from pathlib import Path

import networkx as nx
import pytest

from ttr_analysis.maps.loading import data_folder, load_map

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ttr_analysis"
FOLDERS = (
    ".ci",
    ".github",
    "benchmarks",
    "binder",
    "data",
    "docs",
    "notebooks",
    "paper",
    "requirements",
    "scripts",
    "tests",
    "ttr_analysis",
)
MAX_LINES = 700

BUILT_IN = sorted(path.name for path in data_folder().iterdir() if (path / "rules.toml").is_file())
GENERAL = ("rules", "tables", "engine", "records", "notation", "policies", "analysis", "studies")
"""Layers that ask for facts, never for a name."""

ADDRESS = re.compile(
    r"https?://[^\s\"'<>]+\.(?:whl|zip|tgz|tar\.\w+)\b"  # a download
    r"|pythonhosted|pypi\.org|registry\.npm"  # a registry
    r"|file:/{2,}\w*|--(?:extra-)?index-url|--find-links"  # this machine's, or its settings
)


def files_of_the_project() -> Iterator[Path]:
    """Yield every file that belongs to the project, as opposed to what it builds."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name != ".git")
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(path.parts):
                yield path


def python_files() -> list[Path]:
    """Return the Python files of the project."""
    return sorted(path for path in files_of_the_project() if path.suffix == ".py")


def layer(path: Path) -> str:
    """Return the layer of a file of the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def general_files() -> list[Path]:
    """Return the files in which no map may be named."""
    return [path for path in python_files() if PACKAGE in path.parents and layer(path) in GENERAL]


def imported(source: str, module: str, modules: AbstractSet[str]) -> set[str]:
    """Return what a module imports of others: inside functions, and for types only, too."""
    is_package = any(other.startswith(f"{module}.") for other in modules)
    package = module if is_package else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            # A name of a package may be a module in it.
            found |= {f"{base}.{a.name}" if f"{base}.{a.name}" in modules else base for a in node.names}
    return found & (modules - {module})


def circles(sources: Mapping[str, str]) -> list[list[str]]:
    """Return the modules that import each other, by whatever ways, circle by circle."""
    imports = nx.DiGraph((a, b) for a, source in sources.items() for b in imported(source, a, sources.keys()))
    return sorted(sorted(members) for members in nx.strongly_connected_components(imports) if len(members) > 1)


def words_in_code(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of every identifier and every string constant that is no docstring."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for field in ("id", "name", "attr", "arg", "asname", "module"):
            if isinstance(word := getattr(node, field, None), str):
                yield line, word
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield line, node.value


def names_of_maps(source: str, forbidden: Iterable[str], cities: Iterable[str] = ()) -> list[str]:
    """Return where some code names a map, in whatever case and compound, or has a city's name as a constant."""
    maps, places = set(forbidden), set(cities)
    found = []
    for line, text in words_in_code(source):
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)
        if {word.lower() for word in words} & maps or text in places:
            found.append(f"{line}: {text}")
    return found


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("if game_map.name == 'nordic': pass", True),
        ("NORDIC_BONUS = 10", True),
        ("def pay_in_usa(): pass", True),
        ("class UsaRules: pass", True),
        ("from maps import nordic as m", True),
        ("x = f'{a}: Nordic Countries'", True),
        ("def f(nordic=1): pass", True),
        ("if route.origin == 'Lieksa': pass", True),
        ("def f():\n    '''As on the Nordic map, Lieksa.'''", False),
        ("usage = 'causal'  # not the USA", False),
    ],
)
def test_a_name_of_a_map_is_found(source: str, named: bool) -> None:  # noqa: FBT001
    assert bool(names_of_maps(source, ["nordic", "usa"], ["Lieksa"])) is named


def test_no_map_is_named_where_facts_decide() -> None:
    cities = {city.name for name in BUILT_IN for city in load_map(name).cities}
    files = general_files()

    faults = [
        f"{path.relative_to(ROOT)}:{fault}"
        for path in files
        for fault in names_of_maps(path.read_text(encoding="utf-8"), BUILT_IN, cities)
    ]

    assert len(BUILT_IN) >= 4
    assert {layer(path) for path in files} >= {"rules", "tables", "analysis"}
    # Most logs of that site are of one map, which its reader takes if none is said: nothing is decided by it.
    default = [fault for fault in faults if fault.startswith("ttr_analysis/notation/bga.py")]
    assert len(default) <= 1
    assert faults == default


def test_a_circle_of_imports_is_found() -> None:
    sources = {
        "house.cellar": "import os",
        "house.stairs": "def up():\n    from house import attic\n    from house.cellar import wine",
        "house.attic": "if TYPE_CHECKING:\n    from .stairs import up",
        "house.porch": "from house.stairs import up",
    }

    assert circles(sources) == [["house.attic", "house.stairs"]]


def test_no_modules_import_each_other() -> None:
    files = {path for path in python_files() if PACKAGE in path.parents}
    names = {path: path.relative_to(ROOT).with_suffix("").parts for path in files}
    sources = {
        ".".join(name[:-1] if name[-1] == "__init__" else name): path.read_text(encoding="utf-8")
        for path, name in names.items()
    }

    assert len(sources) > 100
    assert circles(sources) == []


def test_files_are_short_enough_to_be_read() -> None:
    lengths = {path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}

    assert {path: length for path, length in lengths.items() if length > MAX_LINES} == {}


@pytest.mark.parametrize(
    "line",
    [
        "numpy @ https:" + "//example.org/numpy-2.0-py3-none-any.whl",
        "url = https:" + "//example.org/a/b.tar.gz",
        "--" + "index-url https://example.org/simple",
        "networkx @ file:" + "///home/me/networkx",
    ],
)
def test_an_address_is_found(line: str) -> None:
    assert ADDRESS.search(line)


def test_no_file_says_where_to_download() -> None:
    faults = []
    for path in files_of_the_project():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:  # a picture
            continue
        if path != Path(__file__):
            faults += [f"{path.relative_to(ROOT)}: {found[0]}" for found in ADDRESS.finditer(text)]

    assert faults == []
