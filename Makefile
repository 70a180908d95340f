# Each target is a line or two that a person could type.
PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin

EXECUTOR = local
IN_CLUSTER = $(if $(filter slurm,$(EXECUTOR)),$(BIN)/python -m tests.testbed run --nodes 4 --)

.PHONY: sample wheels slurm slurm-accounting chromium lmplz language-models test test-all chaos fuzz lint count docs setup clean

sample: $(VENV)/ready ## the whole graph over a sample crawl; EXECUTOR=slurm: on a private cluster
	$(IN_CLUSTER) $(BIN)/skord sample run sample --executor $(EXECUTOR) $(ARGS)

slurm: ## Debian's Slurm, for the private cluster of the tests and of EXECUTOR=slurm; needs root
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client

slurm-accounting: ## what the private cluster needs for sacct besides, and no service of the system; needs root
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends slurmdbd mariadb-server-core mariadb-client-core

chromium: ## the browser that tests of pages are driven in; needs root
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends chromium chromium-driver

lmplz: $(VENV)/ready ## KenLM's programs that train language models; needs cmake and Boost's headers
	PYTHON=$(BIN)/python models/language_model/build_kenlm.sh

DATA =

language-models: $(VENV)/ready-dev ## the shipped language models anew, from text in DATA; needs lmplz; models/language_model/CARD.md
	$(BIN)/python -m skord.models.language_model.shipped --data "$(DATA)" $(ARGS)

PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder

test: $(VENV)/ready-dev ## what needs no cluster, browser or whole run; two processes of one thread
	$(PYTEST) -m "not slow" $(ARGS)

test-all: $(VENV)/ready-dev ## every test: with whole runs of the graph, Slurm, Chromium, evaluations
	$(PYTEST) $(ARGS)

MINUTES = 30
SEED = 1

chaos: $(VENV)/ready-dev ## the graph under random kills and faults for MINUTES, of a SEED; see tests/chaos
	$(BIN)/python -m tests.chaos --minutes $(MINUTES) --seed $(SEED) $(ARGS)

fuzz: $(VENV)/ready-dev ## damaged inputs for every reader under sanitizers for MINUTES; see tests/fuzz
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --seed $(SEED) $(ARGS)

lint: $(VENV)/ready-dev ## style and types
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

count: $(VENV)/ready ## lines of the tree, and of what one way through the graph imports, beside their limits
	$(BIN)/python -m tests.layering.count_lines

docs: $(VENV)/ready-docs ## the documentation, into site/; a link that leads nowhere is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench-%: $(VENV)/ready-dev ## a measurement beside its peer, such as bench-slurm; PEER=path or PEERS="names" where others are needed
	$(BIN)/python -m benchmarks $* $(if $(PEER),--peer $(PEER)) $(if $(PEERS),--peers $(PEERS)) $(ARGS)

setup: $(VENV)/ready

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) || { echo "python3 -m venv does not work: on Debian, apt-get install python3-venv"; rm -rf $(VENV); exit 1; }

$(VENV)/ready: pyproject.toml setup.py $(shell find skord/native -name '*.?pp') | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e '.[grading]' # what the sample run uses
	touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(BIN)/python -m pip install -q 'skord[dev]'  # what is missing; nothing is compiled again
	touch $@

$(VENV)/ready-docs: $(VENV)/ready
	$(BIN)/python -m pip install -q 'skord[docs,annotation]'
	touch $@

PYTHONS = $(BIN)/python

wheels: $(VENV)/ready-dev ## dist/: a manylinux wheel for CPython 3.11 and later; PYTHONS="python3 python3.14t" for those without a GIL, too
	rm -rf dist/plain
	for python in $(PYTHONS); do $$python -m pip wheel -q --no-deps -w dist/plain . || exit 1; done
	PATH=$(BIN):$$PATH $(BIN)/python -m auditwheel repair -w dist dist/plain/*.whl

clean: ## remove what `make sample` made, and the environment
	rm -rf sample $(VENV)
