# Every target works on a fresh machine that has python3 >= 3.11 (with venv) and make.
ifeq ($(OS),Windows_NT)
PYTHON ?= python
SCRIPTS := Scripts
else
PYTHON ?= python3
SCRIPTS := bin
endif
VENV := .venv
BIN := $(VENV)/$(SCRIPTS)
READY := $(VENV)/.ready
PYTEST := $(BIN)/pytest --numprocesses 2
# Compiled modules are kept whatever the surroundings say: every worker and every process that a test starts would
# compile them all again, which takes minutes.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo quick pr test suite cover lint style faults guarantee docs papers bench dist smoke lowest newest matrix clean

help: ## show the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 20

$(READY): pyproject.toml lab/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "evenfold needs Python >= 3.11; say make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable ".[dev]" --editable ./lab
	@touch $(READY)

setup: $(READY) ## make the environment .venv and install everything into it

demo: $(READY) ## one real comparison on a bundled data set: verdict in the terminal, report.html
	$(BIN)/evenfold demo

lint: $(READY) ## style, formatting, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

style: $(READY) ## correct style and formatting in place
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Only files with such a test are collected, which saves a third of the time.
quick: $(READY) ## the tests marked quick, one of everything: below a minute on 2 cores
	$(PYTEST) -m quick $$(grep -rl --include='test_*.py' 'mark\.quick' tests lab/tests)

pr: lint quick ## what a pull request learns first: below 3 minutes on 2 cores

test: lint suite ## everything once, small: below 8 minutes on 2 cores
	@echo "make test passed. It ran: ruff (style, formatting), mypy (types), and the tests and doctests of tests/, src/ and lab/."
	@echo "It did not run: make faults, make guarantee, make docs, make papers, make bench, make dist, make lowest."

suite: $(READY)
	$(PYTEST)

cover: $(READY) ## the same tests, and the lines that none of them reaches
	$(PYTEST) --cov --cov-report=term

faults: $(READY) ## kills, races, many processes, real servers, a real browser, fifty times as much nonsense
	$(PYTEST) -m faults tests
	EVENFOLD_FUZZ_CALLS=20000 $(PYTEST) -m "" tests/fuzz

guarantee: $(READY) ## the promises themselves: whole grids, sizes, coverage (slow)
	$(PYTEST) -m guarantee tests lab/tests papers/tests

docs: $(READY) ## build the documentation into docs/_build/html
	$(BIN)/sphinx-build --fail-on-warning --keep-going -b html docs docs/_build/html

papers: $(READY) ## the papers: statuses, pages and errata from kept results, a sample of which is measured again
	$(PYTEST) papers/tests

bench: $(READY) ## ratios against the peers and against the floor, in one run
	$(BIN)/python -m benchmarks

dist: $(READY) ## build both distributions, look into them, try them in empty environments (TAG=v1.2.3 must fit)
	$(BIN)/python -m tools.dist --tag "$(TAG)"

smoke: ## try a published version in an empty environment: VERSION=1.2.3; needs uv only
	$(PYTHON) -m tools.dist --smoke "$(VERSION)"

lowest: $(READY) ## the quick tests with the lowest versions that pyproject.toml declares
	$(BIN)/python -m tools.matrix --versions lowest-direct

newest: $(READY) ## the quick tests with pre-releases of everything
	$(BIN)/python -m tools.matrix --versions newest

matrix: $(READY) ## the quick tests with every other Python from 3.11 on that this machine has
	$(BIN)/python -m tools.matrix

clean: ## remove the environment and everything built
	rm -rf $(VENV) build dist docs/_build docs/api/generated docs/gallery report.html .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis
