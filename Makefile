# Each target is a line or two that a person could type.
PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin

.PHONY: sample test lint setup clean

sample: $(VENV)/ready ## build the rehearsal crawl, run the whole graph over it, print the funnel
	$(BIN)/python -m pipeline sample run sample $(ARGS)

test: $(VENV)/ready-dev ## everything CI runs
	$(BIN)/python -m pytest -q $(ARGS)

lint: $(VENV)/ready-dev ## style and types
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

setup: $(VENV)/ready

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) || { echo "python3 -m venv does not work: on Debian, apt-get install python3-venv"; rm -rf $(VENV); exit 1; }

$(VENV)/ready: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e .
	touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(BIN)/python -m pip install -q -e '.[dev]'
	touch $@

clean: ## remove what `make sample` made, and the environment
	rm -rf sample $(VENV)
