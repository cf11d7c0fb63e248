# Each target sets up what it needs first (python3 -m setup), which takes no time when it is done.
# Without make: python3 -m setup && .venv/bin/rerender demo

PYTHON ?= python3
BIN := .venv/bin
ARGS ?=
JOBS ?= 2
# Packages are installed uncompiled (setup/environment.py): what is imported is compiled once, not
# in every process: importing torch takes 6 s of processor time instead of 16, Prefect 3 instead of 7.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench screenshots setup lock clean

help: ## Show the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

demo: setup ## Run the whole road offline and print a leaderboard
	@$(BIN)/rerender demo $(ARGS)

test: setup ## Run the tests with real containers (ARGS="-k tex" chooses some, JOBS=0 one by one)
	@$(PYTHON) -m setup postgresql
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(ARGS)

lint: ## Check style, types and layers
	@$(PYTHON) -m setup environment
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: setup ## Measure renders per minute and what isolation costs
	@$(BIN)/python -m benchmarks $(ARGS)

screenshots: setup ## Take the pictures of Prefect's interface that the docs show
	@$(BIN)/python docs/take_screenshots.py

setup: ## Make ready: environment, Docker engine, images, weights
	@$(PYTHON) -m setup

lock: ## Write requirements.lock from the environment
	@$(PYTHON) -m setup.lock

clean: ## Remove the environment and everything that was computed (not the images)
	rm -rf .venv .rerender reports-out *.egg-info .mypy_cache .ruff_cache .pytest_cache \
	    .import_linter_cache .hypothesis
