# Each target works alone, in any order, from a fresh clone: Python 3.11+, make and git are all it takes.
# Every path is relative, so a checkout may live under a path with spaces.
.DEFAULT_GOAL := help
.PHONY: help nightly weekly explore test check bench
.DELETE_ON_ERROR:

PYTHON ?= python3
RUN := .venv/bin/
# The sample company's bills end on 2026-11-04; "now" is the morning after, so that ages and weeks are the story's.
SAMPLE := --workspace sample_bills --as-of 2026-11-05T06:00:00Z

help:
	@echo "make nightly   set up, then run the nightly flow on sample_bills/"
	@echo "make weekly    set up, then write the weekly reports of sample_bills/"
	@echo "make explore   set up, then the nightly flow and the explorer of sample_bills/"
	@echo "make test      set up, then run the tests"
	@echo "make check     set up, then lint, types and import contracts"
	@echo "make bench     set up, then the benchmarks (minutes)"

.venv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	@$(PYTHON) -m venv .venv
	@$(RUN)python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv

.venv/.runtime: .venv/bin/uv pyproject.toml constraints.txt
	@echo "Installing the pinned dependencies into .venv ..."
	@$(RUN)uv pip install --quiet --python .venv -c constraints.txt -e .
	@touch $@

.venv/.dev: .venv/.runtime
	@$(RUN)uv pip install --quiet --python .venv -c constraints.txt --group dev
	@touch $@

nightly: .venv/.runtime
	@$(RUN)python -m flows.nightly $(SAMPLE)

weekly: .venv/.runtime
	@$(RUN)python -m flows.weekly $(SAMPLE)

explore: nightly
	@$(RUN)uv pip install --quiet --python .venv -c constraints.txt -e ".[explore]"
	@$(RUN)attribution explore --workspace sample_bills

test: .venv/.dev
	@$(RUN)python -m pytest -n auto --maxprocesses 4 --dist loadfile

check: .venv/.dev
	@$(RUN)ruff check .
	@$(RUN)ruff format --check .
	@$(RUN)mypy
	@$(RUN)lint-imports

bench: .venv/.dev
	@$(RUN)python benchmarks/hot_path.py --peers
	@$(RUN)python benchmarks/budgets.py
	@$(RUN)python benchmarks/detection_quality.py
	@$(RUN)python benchmarks/growth_labels.py
	@$(RUN)python benchmarks/weekly_reports.py
	@$(RUN)python benchmarks/detection_waste.py
	@$(RUN)python benchmarks/detection_labels.py
	@$(RUN)python benchmarks/jobs.py
	@$(RUN)python benchmarks/laws.py
