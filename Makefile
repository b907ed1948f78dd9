# make studio: sets up and opens everything in the browser.  make gallery: the same as one page,
# without a server.  make test: sets up and passes the tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

STUDIO_EXTRAS := tree,experiments,go,levels,maps,studio

.PHONY: studio gallery test docs test-core test-oldest gpu-test cluster-test hostile soak audit shown-commands spelling check lint types clean

studio: $(VENV)/.studio
	@echo "treewright studio: serves the gallery and a page for each application, until Ctrl-C"
	$(BIN)/treewright studio

gallery: $(VENV)/.gallery
	$(BIN)/treewright gallery --out out/gallery

# neighbours stay together, so that one process compiles what they share, and none runs dry; three
# processes for two cores, since one of them often waits for a browser or a server; the bytecode is
# written first, for the hundreds of processes that the tests start
test: $(VENV)/.dev
	$(BIN)/python -m compileall -q -j 0 src
	$(BIN)/python -m pytest -n 3 --dist worksteal $(if $(SLOWEST),--durations=$(SLOWEST))

# the site, from docs/ and the docstrings; a warning is an error
docs: $(VENV)/.dev
	$(BIN)/sphinx-build -q -W --keep-going -b html docs out/docs
	@echo "out/docs/index.html"

# the kernel and the library, without any extra, in environments of their own
CORE_TESTS := tests/kernel tests/library tests/test_bad_input.py tests/test_found_bugs.py

test-core:
	$(PYTHON) -m venv --clear $(VENV)-core
	$(VENV)-core/bin/python -m pip install --quiet --disable-pip-version-check . pytest hypothesis
	$(VENV)-core/bin/python -m pytest -rs $(CORE_TESTS)

# the same with the oldest versions that pyproject.toml allows
test-oldest:
	$(PYTHON) -m venv --clear $(VENV)-oldest
	$(PYTHON) tools/oldest_versions.py > $(VENV)-oldest/versions.txt
	$(VENV)-oldest/bin/python -m pip install --quiet --disable-pip-version-check \
	  -c $(VENV)-oldest/versions.txt . pytest hypothesis
	$(VENV)-oldest/bin/python -m pytest -rs $(CORE_TESTS)

# the engine for GPUs, in an environment of its own; what needs a device says so where there is none
gpu-test:
	$(PYTHON) -m venv $(VENV)-gpu
	$(VENV)-gpu/bin/python -m pip install --quiet --disable-pip-version-check -e ".[gpu,levels]" pytest
	TREEWRIGHT_GPU_SEEDS=1000 $(VENV)-gpu/bin/python -m pytest -rs -s tests/kernel/gpu

# two raylets on this machine: ten of them killed, the driver too, memory and disks that are full
cluster-test: $(VENV)/.dev
	TREEWRIGHT_CLUSTER_TEST=1 $(BIN)/python -m pytest -p no:xdist -rs -s tests/cluster

# ten minutes of damaged files, odd words, edited domains and killed commands
hostile: $(VENV)/.dev
	$(BIN)/python tests/hostile

# half an hour of new domains in one process; memory must be flat
soak: $(VENV)/.dev
	$(BIN)/python tests/hostile/soak.py

# known holes in what we depend on; says so where the list of them can't be reached
audit: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/python tools/audit.py

# every command that the guides and the help texts show, with small budgets
shown-commands: $(VENV)/.dev
	TREEWRIGHT_SHOWN=1 $(BIN)/python -m pytest -p no:xdist -s tests/test_shown_commands_run.py

# misspelt words in code and documentation
spelling: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check codespell
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md docs examples src tools

check: lint types test

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.gallery: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[tree,experiments,go,levels,maps]"
	touch $@

$(VENV)/.studio: pyproject.toml | $(VENV)/bin/python
	@echo "setting up $(VENV) with what the studio needs; this downloads for a minute or two"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$(STUDIO_EXTRAS)]"
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-core $(VENV)-oldest .pytest_cache .mypy_cache .ruff_cache
