# Every target sets up what it needs: Python 3.11 or newer with pip and venv is enough.
#
#   make study [MAP=nordic] [OUT=folder]   one HTML report on a map, with its tables as CSV
#   make play [MAP=nordic]                 a table in the browser; its games are saved in games/
#   make lab [AS_ROOT=yes]                 JupyterLab in notebooks/
#   make test                              lint, and all tests: compiled, in a browser, as plain Python, and the notebooks
#   make test-lowest                       the same tests of the library, with the lowest versions it declares
#   make lint                              ruff, mypy, layers
#   make soak [MINUTES=30]                 thousands of games on every map, each state checked; goes on where it stopped
#   make fuzz [MINUTES=10]                 100,000 damaged files, each read or refused in words; goes on where it stopped
#   make docs                              the site: docs/_build/html/index.html, every notebook executed
#   make bench                             how fast it is
#   make bench-widgets                     how fast the widgets are in a browser
#   make lock                              pin the newest versions of all dependencies
#   make clean                             remove the environment, caches and builds

PYTHON ?= python3
MAP ?= nordic
OUT ?=
AS_ROOT ?=
MINUTES ?=

VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements/dev.txt
READY := $(VENV)/.ready
AXE := $(VENV)/axe/node_modules/axe-core/axe.min.js
CHECKED := TTR_FAST=1 TTR_CHECKS=1

# Many processes import the same sources: their bytecode is kept, even if the user's setting says otherwise.
unexport PYTHONDONTWRITEBYTECODE

PYTEST := $(BIN)/python -m pytest

# Tests that another pass repeats as plain Python, where every index is checked and nothing overflows; but not those of
# texts, of graphs and of the referee, which are plain Python anyway, nor those of the compiler.
NUMERIC := tests/rules tests/analysis tests/engine tests/policies
NOT_NUMERIC := referee record notation bounds playout structure paths best

# Tests of what a user imports, not of the project around it.
LIBRARY := analysis engine maps notation policies report rules studies viz widgets

.DEFAULT_GOAL := help
.PHONY: help study play lab test test-compiled test-browser test-notebooks test-plain test-lowest lint soak fuzz docs bench \
	bench-widgets lock clean

help:
	@sed -n 's/^#  //p' Makefile

# uv installs in seconds, but does not read the settings of pip; where it cannot reach its index, pip does it.
$(READY): pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; choose one with: make PYTHON=python3.11 ...")'
	@echo "Setting up $(VENV), once: an environment beside your other Python packages"
	@$(PYTHON) -m venv $(VENV)
	@echo "  1 of 3: uv, which installs fast"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(LOCK) uv
	@echo "  2 of 3: the $$(grep -c '^[a-z]' $(LOCK)) packages of $(LOCK), in seconds or, where the network is slow, minutes"
	@$(BIN)/uv pip install --quiet --system-certs --compile-bytecode --python $(BIN)/python --requirement $(LOCK) \
		|| { echo "uv could not; pip does it, in a minute or two"; false; } \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $(LOCK)
	@echo "  3 of 3: this package, so that it is used from here"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

study: $(READY)
	$(BIN)/ttr-analysis study $(MAP) $(if $(OUT),--out $(OUT))

play: $(READY)
	@$(BIN)/ttr-analysis play $(MAP)

# Who runs code in Jupyter as root may lose more than a notebook, so Jupyter asks for a word first.
lab: $(READY)
	@[ -n "$(AS_ROOT)" ] || [ "$$(id -u)" -ne 0 ] || { \
		echo "You are root, as whom Jupyter does not start unasked. Be another user, or in a container: make lab AS_ROOT=yes"; false; }
	$(BIN)/jupyter lab $(if $(AS_ROOT),--allow-root )notebooks

# Three at a time, each told when it is done: the compiled tests, which take longest, those in the browser, which mostly
# wait for it, and all others one after another. Whoever needs a root first compiles it, and the others wait for that one.
test: $(AXE)
	$(MAKE) --jobs=3 --keep-going --output-sync=target test-compiled test-browser lint test-plain test-notebooks

# By default files with few tests come last; some of these take longest, and one process would wait for the other.
test-compiled: $(READY)
	$(CHECKED) $(PYTEST) --numprocesses=2 --dist=loadfile --no-loadscope-reorder --ignore=tests/browser tests ttr_analysis

test-browser: $(AXE)
	$(CHECKED) $(PYTEST) tests/browser

test-notebooks: $(READY)
	$(CHECKED) $(PYTEST) tests/run_notebooks.py

test-plain: $(READY)
	TTR_PLAIN=1 $(PYTEST) -m "not compiled_only" $(NOT_NUMERIC:%=--ignore-glob='*/test_*%*') $(NUMERIC)

# In an environment of its own. What old versions warn of is theirs.
LOWEST := $(VENV)/lowest/bin/python
INTO_LOWEST := $(BIN)/uv pip install --quiet --system-certs --python $(LOWEST)
test-lowest: $(READY)
	$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python $(VENV)/lowest
	$(INTO_LOWEST) --resolution lowest-direct --requirement pyproject.toml --extra cluster \
		"pytest>=8.2" "pytest-xdist>=3.8" "hypothesis>=6.100"
	$(INTO_LOWEST) --no-deps --editable .
	$(CHECKED) $(LOWEST) -m pytest --numprocesses=2 --dist=loadfile --no-loadscope-reorder \
		--override-ini=filterwarnings=default $(LIBRARY:%=tests/%)

# Tests for accessibility need it; without it they say so and are skipped. Node brings certificates of its own; with
# the system's it also installs where those are others.
NPM := npm install --silent --no-package-lock --ignore-scripts --no-audit --no-fund --prefix $(VENV)/axe
$(AXE): tests/browser/package.json $(READY)
	@mkdir -p $(VENV)/axe && cp $< $(VENV)/axe
	-$(NPM) || NODE_OPTIONS=--use-openssl-ca $(NPM)
	@! [ -f $@ ] || touch $@

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

soak: $(READY)
	$(BIN)/python -m scripts.soak $(if $(MINUTES),--minutes $(MINUTES))

fuzz: $(READY)
	$(BIN)/python -m scripts.fuzz $(if $(MINUTES),--minutes $(MINUTES))

docs: $(READY)
	$(BIN)/python -m sphinx --jobs auto --fresh-env --nitpicky --fail-on-warning --keep-going --quiet \
		--doctree-dir docs/_build/doctrees docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(READY)
	$(BIN)/python -m benchmarks

bench-widgets: $(READY)
	$(BIN)/python -m benchmarks widgets

lock: $(READY)
	$(BIN)/uv pip compile --quiet --system-certs --universal --upgrade --no-emit-index-url --no-emit-find-links --extra dev \
		--custom-compile-command "make lock" --output-file $(LOCK) pyproject.toml

clean:
	rm -rf $(VENV) build dist docs/_build docs/notebooks .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
