# Each target is a line or two that a person could type.
PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin

EXECUTOR = local
IN_CLUSTER = $(if $(filter slurm,$(EXECUTOR)),$(BIN)/python -m slurm.testbed run --nodes 4 --)

.PHONY: sample slurm test lint setup clean

sample: $(VENV)/ready ## rehearse: the whole graph over a miniature crawl; EXECUTOR=slurm on a private cluster
	$(IN_CLUSTER) $(BIN)/python -m pipeline sample run sample --executor $(EXECUTOR) $(ARGS)

slurm: ## Debian's Slurm, for the private cluster of the tests and of EXECUTOR=slurm; needs root
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client

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
