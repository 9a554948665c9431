# Every target sets up what it needs. You need Python 3.11 or newer, with pip and venv.
#
#   make study [MAP=nordic] [OUT=folder]   write an HTML report on a map, with its tables as CSV
#   make play [MAP=nordic]                 play in the browser; games are saved in games/
#   make lab [AS_ROOT=yes]                 open JupyterLab in notebooks/
#   make test                              lint and all tests: compiled, in a browser, as plain Python, and the notebooks
#   make test-quick                        the tests of rules, maps and whole games, in one to two minutes
#   make test-lowest                       the tests of the library, with the lowest versions it declares
#   make coverage                          the lines that the tests reach, run as plain Python
#   make lint                              ruff, mypy, layers
#   make soak [MINUTES=30]                 play thousands of games on every map and check each state; resumes
#   make fuzz [MINUTES=10]                 check that 100,000 damaged files are each read or refused; resumes
#   make docs                              build the site, docs/_build/html/index.html, and execute every notebook
#   make notebooks [NAMES="03 12"]         run notebooks in full and store them with their results
#   make bench                             measure speed
#   make bench-widgets                     measure the speed of the widgets in a browser
#   make lock                              pin the newest versions of all dependencies
#   make clean                             remove the environment, caches and builds

PYTHON ?= python3
MAP ?= nordic
OUT ?=
AS_ROOT ?=
NAMES ?=
MINUTES ?=

VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements/dev.txt
READY := $(VENV)/.ready
AXE := $(VENV)/axe/node_modules/axe-core/axe.min.js
# Two processes of tests fill the cores, and products of small matrices on several threads only wait for each other.
ONE_THREAD := OPENBLAS_NUM_THREADS=1
FAST := TTR_FAST=1 $(ONE_THREAD)
CHECKED := $(FAST) TTR_CHECKS=1

# Many processes import the same sources, so keep their bytecode whatever the user's setting.
unexport PYTHONDONTWRITEBYTECODE

PYTEST := $(BIN)/python -m pytest

# Tests that run again as plain Python, where every index is checked and nothing overflows. Tests of texts, graphs and
# the referee are plain Python anyway.
NUMERIC := tests/rules tests/analysis tests/engine tests/policies tests/envs
NOT_NUMERIC := referee record notation playout structure paths best

# Tests of the library alone, without the scripts and docs around it.
LIBRARY := analysis engine envs maps notation policies report rules studies teaching viz widgets

.DEFAULT_GOAL := help
.PHONY: help study play lab test test-quick test-compiled test-studies test-browser test-notebooks test-plain test-lowest \
	coverage lint soak fuzz docs notebooks bench bench-widgets lock clean

help:
	@sed -n 's/^#  //p' Makefile

# uv installs in seconds but does not read pip's settings; if it cannot reach its index, pip installs instead.
$(READY): pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; choose one with: make PYTHON=python3.11 ...")'
	@echo "Setting up $(VENV) once: an environment apart from your other Python packages"
	@$(PYTHON) -m venv $(VENV)
	@echo "  1 of 3: uv, which installs fast"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(LOCK) uv
	@echo "  2 of 3: the $$(grep -c '^[a-z]' $(LOCK)) packages of $(LOCK); on a slow network this takes minutes"
	@$(BIN)/uv pip install --quiet --system-certs --compile-bytecode --python $(BIN)/python --requirement $(LOCK) \
		|| { echo "uv failed; installing with pip takes a minute or two"; false; } \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $(LOCK)
	@echo "  3 of 3: this package, in place"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

study: $(READY)
	$(BIN)/ttr-analysis study $(MAP) $(if $(OUT),--out $(OUT))

play: $(READY)
	@$(BIN)/ttr-analysis play $(MAP)

# A notebook run as root can damage the whole machine, so Jupyter needs an explicit option.
lab: $(READY)
	@[ -n "$(AS_ROOT)" ] || [ "$$(id -u)" -ne 0 ] || { \
		echo "Jupyter does not start as root by default. Use another account or, in a container: make lab AS_ROOT=yes"; false; }
	$(BIN)/jupyter lab $(if $(AS_ROOT),--allow-root )notebooks

# Three jobs at a time: the compiled tests, which take longest, the browser tests, which mostly wait, and the others one
# after another. The first process that needs a compiled root builds it, and the others wait.
test: $(AXE)
	$(MAKE) --jobs=3 --keep-going --output-sync=target test-compiled test-browser lint test-plain test-studies test-notebooks

# pytest-xdist puts files with few tests last by default; some of these take longest, and one process would wait.
PARALLEL := --numprocesses=2 --dist=loadfile --no-loadscope-reorder

# Checks slow rollouts down by a factor of five, so tests that play many games for a study or a page run without them.
# All compiled code runs with checks in the other tests.
AT_FULL_SPEED := $(filter-out %choices.py %collecting.py %simulation.py,$(wildcard tests/studies/test_*.py)) \
	$(patsubst %,tests/policies/test_%.py,beliefs shown styles worlds_of_planners) tests/report tests/teaching tests/widgets \
	tests/test_cli.py tests/test_docs.py tests/test_train.py ttr_analysis

test-compiled: $(READY)
	$(CHECKED) $(PYTEST) $(PARALLEL) --ignore=tests/browser $(AT_FULL_SPEED:%=--ignore=%) tests

test-studies: $(READY)
	$(FAST) $(PYTEST) $(PARALLEL) $(AT_FULL_SPEED)

# While you work: the compiled tests of rules, maps and games, and the checks of the architecture.
test-quick: $(READY)
	$(CHECKED) $(PYTEST) --quiet $(PARALLEL) tests/rules tests/maps tests/engine tests/test_architecture.py

test-browser: $(AXE)
	$(FAST) $(PYTEST) tests/browser

test-notebooks: $(READY)
	$(FAST) $(PYTEST) tests/run_notebooks.py

test-plain: $(READY)
	TTR_PLAIN=1 $(ONE_THREAD) $(PYTEST) -m "not compiled_only" $(NOT_NUMERIC:%=--ignore-glob='*/test_*%*') $(NUMERIC)

# Compiled code is not traced, so this is the pass as plain Python, with the tests of everything above it.
coverage: $(READY)
	TTR_PLAIN=1 TTR_FAST=1 $(BIN)/python -m coverage run -m pytest -m "not compiled_only" $(LIBRARY:%=tests/%)
	$(BIN)/python -m coverage report

# In a separate environment. Warnings from old versions are not ours.
LOWEST := $(VENV)/lowest/bin/python
INTO_LOWEST := $(BIN)/uv pip install --quiet --system-certs --python $(LOWEST)
test-lowest: $(READY)
	$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python $(VENV)/lowest
	$(INTO_LOWEST) --resolution lowest-direct --requirement pyproject.toml --extra cluster --extra rl \
		"pytest>=8.2" "pytest-xdist>=3.8" "hypothesis>=6.100"
	$(INTO_LOWEST) --no-deps --editable .
	$(CHECKED) $(LOWEST) -m pytest $(PARALLEL) \
		--override-ini=filterwarnings=default $(LIBRARY:%=tests/%)

# The accessibility tests need it; without it they are skipped with a message. Node has its own certificates; the retry
# uses the system's.
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

notebooks: $(READY)
	$(BIN)/python -m scripts.store_notebooks $(NAMES)

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
