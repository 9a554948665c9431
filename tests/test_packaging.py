"""The built wheel, installed in an environment that knows nothing of this checkout."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import ttr_analysis
from ttr_analysis.maps.loading import data_folder

ROOT = Path(__file__).parents[1]
BUILT_IN = sorted(path.name for path in data_folder().iterdir() if (path / "rules.toml").is_file())


yaml: Any = import_module("yaml")  # without types
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def run(arguments: Sequence[str | Path], folder: Path) -> str:
    """Run a command outside the checkout, without settings that could lead into it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    result = subprocess.run(arguments, capture_output=True, check=False, cwd=folder, env=environment, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, with the build system of this environment: nothing is downloaded."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Install the wheel in an empty environment and return its folder of commands.

    The dependencies are those of this environment, whose packages are made
    visible without its `.pth` files: so this checkout is not on the path.
    """
    folder = tmp_path_factory.mktemp("empty")
    environment = folder / "environment"
    venv.create(environment, symlinks=os.name != "nt")
    commands = Path(sysconfig.get_path("scripts", "venv", {"base": str(environment)}))
    run(
        [sys.executable, "-m", "pip", "--python", commands / "python", "install", "--no-deps", "--no-index", wheel],
        folder,
    )
    packages = Path(
        run([commands / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder).strip()
    )
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return commands


@pytest.fixture(scope="module", name="names")
def _names(wheel: Path) -> set[str]:
    """Return the names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_what_is_used_and_no_more(names: set[str]) -> None:
    tables = ("cities.csv", "routes.csv", "rules.toml", "tickets.csv", "SOURCES.md")
    assert names >= {f"ttr_analysis/_data/{name}/{table}" for name in BUILT_IN for table in tables}
    assert "ttr_analysis/py.typed" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"ttr_analysis"}
    assert not [name for name in names if "__pycache__" in name]


def test_every_file_of_the_package_is_in_the_wheel(names: set[str]) -> None:
    sources = [
        path for path in (ROOT / "ttr_analysis").rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    assert {path.relative_to(ROOT).as_posix() for path in sources} <= names


def test_every_map_loads_from_the_installed_wheel(installed: Path, tmp_path: Path) -> None:
    code = """
import sys
import ttr_analysis as ttr
from ttr_analysis.maps.loading import data_folder
print(ttr.__file__)
print(data_folder())
for name in sys.argv[1:]:
    game_map = ttr.load_map(name)
    print(name, len(game_map.graph), len(game_map.tickets) > 0)
"""

    module, data, *maps = run([installed / "python", "-c", code, *BUILT_IN], tmp_path).splitlines()

    environment = installed.parent
    assert environment in Path(module).parents
    assert environment in Path(data).parents
    assert [line.partition(" ")[0] for line in maps] == BUILT_IN
    assert "nordic 39 True" in maps


def test_the_command_is_installed(installed: Path, tmp_path: Path) -> None:
    listing = run([installed / "ttr-analysis", "maps"], tmp_path)

    assert all(name in listing for name in BUILT_IN)


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))

    assert citation["version"] == ttr_analysis.__version__
    assert [citation[key] for key in ("title", "abstract", "license", "keywords")] == [
        PROJECT[key] for key in ("name", "description", "license", "keywords")
    ]
    assert {"cff-version", "message", "authors"} <= citation.keys()


def test_what_describes_the_software_is_of_this_version() -> None:
    described = json.loads((ROOT / "codemeta.json").read_text("utf-8"))

    assert described["version"] == ttr_analysis.__version__
    assert [described[key] for key in ("name", "description", "keywords")] == [
        PROJECT[key] for key in ("name", "description", "keywords")
    ]
    assert described["license"].endswith(f"/{PROJECT['license']}")
    assert f"## [{ttr_analysis.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def workflow(name: str) -> Any:  # noqa: ANN401
    return yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8"))


def test_every_python_that_the_package_names_is_tested() -> None:
    matrix = workflow("tests")["jobs"]["library"]["strategy"]["matrix"]
    named = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if ":: 3." in line]

    assert matrix["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"
    assert [system.partition("-")[0] for system in matrix["system"]] == ["ubuntu", "macos", "windows"]


def test_workflows_run_targets_and_folders_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = path.read_text("utf-8")
        assert set(re.findall(r"make ([a-z-]+)", text)) <= targets, path.name
        assert [name for name in re.findall(r"tests/\w+", text) if not (ROOT / name).exists()] == [], path.name
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}, path.name


def test_the_library_is_tested_everywhere_by_the_same_tests() -> None:
    steps = workflow("tests")["jobs"]["library"]["steps"]
    folders = re.findall(r"tests/(\w+)", steps[-1]["run"])
    library = re.search(r"^LIBRARY := (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

    assert library
    assert folders == library[1].split()


def test_a_release_is_tested_and_published_without_a_password() -> None:
    jobs = workflow("release")["jobs"]

    assert jobs["build"]["needs"] == "tests"
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets" not in (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")


def test_binder_installs_this_package_on_a_python_that_it_runs_on() -> None:
    lines = [line for line in (ROOT / "binder" / "requirements.txt").read_text("utf-8").splitlines() if line[0] != "#"]
    option, _, pinned = lines[0].partition(" ")
    python = (ROOT / "binder" / "runtime.txt").read_text("utf-8").strip()

    assert option == "--constraint"
    assert (ROOT / "binder" / pinned).resolve() == ROOT / "requirements" / "dev.txt"
    assert lines[1:] == ["."]
    assert python.replace("python-", ">=") == PROJECT["requires-python"]


def test_a_source_distribution_names_what_is_there() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]

    assert [name for name in settings["sdist"]["only-include"] if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("user", "options", "said"),
    [
        (1000, [], "lab notebooks"),
        (0, [], "make lab AS_ROOT=yes"),
        (0, ["AS_ROOT=yes"], "lab --allow-root notebooks"),
    ],
)
def test_make_lab_says_what_root_can_do(tmp_path: Path, user: int, options: list[str], said: str) -> None:
    for path, line in ((tmp_path / "bin" / "jupyter", 'echo "$@"'), (tmp_path / "id", f"echo {user}")):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)
    (tmp_path / ".ready").touch()  # nothing is installed
    # The tests may be run by make, which would tell this one how it was called.
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment = {**outside, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}

    command = ["make", "--silent", "lab", f"VENV={tmp_path}", *options]
    result = subprocess.run(command, capture_output=True, check=False, cwd=ROOT, env=environment, text=True)

    assert said in result.stdout
    assert (result.returncode == 0) == ("lab" in result.stdout.split()[:1])
