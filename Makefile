# One command each; every target makes what it needs. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The interpreter that makes the environment: the first of these that is new enough.
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3.14 python3,$(if $(shell $(name) -c 'import sys; print(sys.version_info >= (3, 11) or "")' 2>/dev/null),$(name))))
# Test processes side by side: two for each processor, since tests wait for the servers that they
# start. 0 runs all tests in one process, for a debugger.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 2)
# More arguments for pytest: make test ARGS="-k scope".
ARGS ?=

VENV := .venv
TOOLS := .venv-tools
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS_READY := $(TOOLS)/.ready
VSCODE := client-configs/vscode
VSCODE_READY := $(VSCODE)/node_modules/.ready
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
# What is compiled is kept: the tests start hundreds of servers, and pytest rewrites every test.
unexport PYTHONDONTWRITEBYTECODE

PYTEST := $(BIN)/python -m pytest
SIDE_BY_SIDE := -n $(WORKERS) --dist worksteal

.PHONY: help
help:  ## list these commands
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: test
test: $(READY)  ## the gate: lint, types, architecture, documentation and every test
	$(PYTEST) $(SIDE_BY_SIDE) --durations=30 $(ARGS)

.PHONY: check
check: $(READY)  ## before a commit: format, lint, types, architecture, the unit tests of what changed
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports > /dev/null || $(BIN)/lint-imports
	$(PYTEST) $(SIDE_BY_SIDE) -q -m "not slow and not e2e and not editor and not agent_hosts" $(ARGS) \
	  $$($(BIN)/python -m tests.support.changed_tests)

.PHONY: coverage
coverage: coverage-run coverage-report  ## which lines the tests that start no process reach

.PHONY: coverage-run
coverage-run: $(READY)
	rm -f .coverage .coverage.*
	$(PYTEST) $(SIDE_BY_SIDE) -q -m "not slow and not e2e and not editor and not agent_hosts" \
	  --ignore tests/test_tidy.py --cov --cov-report= --cov-fail-under=0 $(ARGS)

.PHONY: coverage-report
coverage-report: $(READY)
	$(BIN)/python -m tests.support.coverage_report

.PHONY: test-slow
test-slow: $(READY)  ## the tests that take minutes, and the laws with many more examples
	HYPOTHESIS_PROFILE=nightly $(PYTEST) -m "not agent_hosts" $(SIDE_BY_SIDE) $(ARGS)

.PHONY: test-editors
test-editors: $(READY)  ## drive real editors: each journey N times in a row with ARGS="--count N"
	$(PYTEST) tests/editors $(ARGS)

.PHONY: test-agents
test-agents: $(READY)  ## drive real agent hosts with a scripted model: ARGS="-k codex --count N"
	$(PYTEST) -m agent_hosts tests/agents $(ARGS)

.PHONY: demo
demo: $(READY)  ## watch a real server govern a real repository
	$(BIN)/python demo/demo.py

.PHONY: bench
bench: $(READY)  ## measure, each figure as a ratio to a floor of the same run
	$(BIN)/python -m benchmarks $(ARGS)

.PHONY: lint
lint: $(READY)  ## format, then lint, type-check and check the imports
	$(BIN)/ruff format .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: docs
docs: $(READY)  ## write anew what the docs have from the code: the code map, the commands, the messages, the hosts, the schemas
	$(BIN)/python -m tests.support.code_map
	$(BIN)/python -m tests.support.command_list
	$(BIN)/python -m tests.support.message_list
	$(BIN)/python -m tests.support.host_pages
	$(BIN)/python -m tests.support.schema_files

.PHONY: report-images
report-images: $(READY)  ## take the documentation's pictures of a report, in Chromium
	$(BIN)/python -m tests.support.report_images

.PHONY: editor-images
editor-images: $(READY)  ## take the documentation's pictures of VS Code, in Chromium
	$(BIN)/python -m tests.support.editor_images

.PHONY: vsix
vsix: $(READY) $(VSCODE_READY)  ## build the VS Code extension, build/intent-lsp-VERSION.vsix
	cd $(VSCODE) && npm run --silent check && npm run --silent build
	rm -rf $(VSCODE)/bundled
	$(BIN)/python -m hatchling build -t wheel -d $(VSCODE)/bundled
	mkdir -p build
	cd $(VSCODE) && npm run --silent package -- \
	  --out $(CURDIR)/build/intent-lsp-$$(node -p 'require("./package.json").version').vsix

.PHONY: setup
setup: $(READY)  ## make or renew the environment in .venv

.PHONY: lock
lock: $(TOOLS_READY)  ## pin the newest releases that pyproject.toml allows
	$(TOOLS)/bin/uv pip compile --quiet --universal --generate-hashes --upgrade \
	  --python-version 3.11 --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --group dev --output-file requirements/dev.lock pyproject.toml
	$(TOOLS)/bin/uv pip compile --quiet --universal --generate-hashes --upgrade \
	  --python-version 3.11 --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --output-file requirements/tools.lock requirements/tools.in

.PHONY: audit
audit: $(TOOLS_READY)  ## look the pinned releases up in the advisory database
	$(TOOLS)/bin/pip-audit --strict --require-hashes --disable-pip --requirement requirements/dev.lock

.PHONY: clean
clean:  ## remove the environments, the caches and what was built
	rm -rf $(VENV) $(TOOLS) $(VSCODE)/node_modules $(VSCODE)/dist $(VSCODE)/bundled build dist .coverage .coverage.* \
	  .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: an environment is renewed when its lock is newer, and is not touched otherwise.
# Our own package comes last and from here: no network, no build isolation, nothing resolved.
$(READY): requirements/dev.lock pyproject.toml
	$(call make-environment,$(VENV))
	$(BIN)/python -m pip install -qq --require-hashes --no-deps -r requirements/dev.lock
	$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(TOOLS_READY): requirements/tools.lock
	$(call make-environment,$(TOOLS))
	$(TOOLS)/bin/python -m pip install -qq --require-hashes --no-deps -r requirements/tools.lock
	@touch $@

$(VSCODE_READY): $(VSCODE)/package.json $(VSCODE)/package-lock.json
	cd $(VSCODE) && npm ci --silent
	@touch $@

define make-environment
	@test -n "$(PYTHON)" || { echo "intent-lsp needs Python 3.11 or newer (Debian: apt-get install python3 python3-venv), or say PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than Python 3.11; say PYTHON=/path/to/a/newer/one" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make environments; install its venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@test -x $(1)/bin/python && $(1)/bin/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { rm -rf $(1); $(PYTHON) -m venv $(1); }
endef
