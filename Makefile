# make demo    a forked chat, asked at three anchors; starts a Neo4j of its own
# make test    the tests, against a real Neo4j
# make check   format, lint, types, layers, Cypher
# make bench   speed, with the bare driver beside it
#
# Every target sets up what it needs in .venv and .graphmem; nothing is installed outside.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin

.PHONY: demo test check bench format clean

demo: .venv/ready
	$(BIN)/graphmem demo

test: .venv/ready
	$(BIN)/python -m pytest

check: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v npm >/dev/null; then cd tools/cypher && npm ci --silent && node check.mjs; \
	else echo "no npm here: the Cypher files were not linted"; fi

bench: .venv/ready
	$(BIN)/python -m benchmarks.core
	$(BIN)/python -m benchmarks.recall

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "graphmem needs Python 3.11 or newer on the PATH"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
