# Each target does all set-up by itself, in .venv: the versions of requirements.txt, then this project on top.
#   make lab        JupyterLab on the notebooks
#   make figures    every figure and table into figures/
#   make docs       the documentation, with notebooks and exercises, as web pages into site/ (make html is the same)
#   make test       the tests that need no kernel and no browser (some minutes)
#   make test-all   all tests, the notebooks, and a browser where a Chromium is installed
# For developers:
#   make lint       style of code and of words, and types
#   make notebooks  run the notebooks in place and store their results
#   make defects    see whether the tests catch the seeded defects of tests/defects
#   make reliability  run the cases of bad input, damaged files and faults, and write the pages on reliability
#   make benchmarks  measure the speed against sacreBLEU, and write the pages on speed (two hours, on a quiet machine)
#   make benchmarks-peers  the same, and also against scipy, compare-mt and nltk, in an environment of their own
#   make voila      Voila in an environment of its own, for its test: what it installs would change JupyterLab's pages
#   make screenshots  make the documentation's pictures of the explorers again (needs a Chromium)
#   make lock       bring requirements.txt and that of Voila up to date (needs uv)
#   make release    lint, test and document everything, build wheel and source distribution twice, and try the wheel in
#                   an empty environment; nothing is uploaded
#   make owner OWNER=name  write the account that has the repository into every address
#   make clean      remove the environments, dist/, figures/ and site/

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
VOILA := .venv-voila
VOILA_LOCK := tests/browser/voila-requirements.txt
PEERS := .venv-peers
PEERS_LIST := benchmarks/speed/peers-requirements.txt

# An environment that forbids .pyc files would make every kernel start slowly.
unexport PYTHONDONTWRITEBYTECODE
unexport PYTHONHOME
unexport PYTHONPATH

# An environment that was made elsewhere (a copied or moved folder), or whose Python is gone, is made anew.
ifneq ($(shell $(BIN)/python -c "print(open('$(VENV)/made-in').read())" 2>/dev/null),$(CURDIR))
.PHONY: $(VENV)/made-in
endif

.PHONY: lab figures docs html test test-all lint notebooks defects reliability benchmarks benchmarks-peers voila screenshots lock owner release clean

# What is stored or tested is computed by the code that is here.
figures docs test test-all notebooks defects reliability screenshots: export MTWORKBENCH_CACHE := off

lab: $(VENV)/ready
	@$(BIN)/mtworkbench lab .

figures: $(VENV)/ready
	@$(BIN)/mtworkbench figures

# A warning, such as a link that leads nowhere, is an error.
docs: $(VENV)/ready
	@$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto --conf-dir docs \
	    --doctree-dir build/doctrees . site
	@echo "The documentation is at $(CURDIR)/site/index.html"

html: docs

# Two processes, so that each has one thread: more would only wait for each other.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

test: $(VENV)/ready
	$(PYTEST) --dist worksteal -m "not slow and not long" --ignore tests/browser tests

# The cells of a notebook need one kernel, the tests of a browser one server: each file is a piece of work. The order is
# that of tests/conftest.py: xdist would begin with the files that have most tests.
test-all: $(VENV)/ready
	$(PYTEST) --dist loadfile --no-loadscope-reorder --nbval tests notebooks

lint: $(VENV)/ready
	@$(BIN)/ruff check mtworkbench scripts tests benchmarks docs
	@$(BIN)/ruff format --check --quiet mtworkbench scripts tests benchmarks docs
	@MYPYPATH=$(CURDIR) $(BIN)/python -m mypy mtworkbench tests/uses_of_public_names.py
	@$(BIN)/python scripts/lint_words.py

notebooks: $(VENV)/ready
	@$(BIN)/python scripts/refresh_notebooks.py

defects: $(VENV)/ready
	@$(BIN)/python tests/defects/run.py

reliability: $(VENV)/ready
	@OMP_NUM_THREADS=1 $(BIN)/python scripts/measure_reliability.py

# TEXTS="--texts REFERENCE OUTPUT N --outputs REFERENCE OUTPUT OUTPUT" measures other texts, too.
benchmarks: $(VENV)/ready
	@$(BIN)/python -m benchmarks.speed $(TEXTS)

benchmarks-peers: $(VENV)/ready $(PEERS)/ready
	@$(BIN)/python -m benchmarks.speed --peers $(PEERS)/bin/python $(TEXTS)

voila: $(VOILA)/ready

screenshots: $(VENV)/ready
	@$(BIN)/python scripts/make_screenshots.py

lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --upgrade --quiet \
	    --all-extras --group dev --group docs --custom-compile-command "make lock" --output-file requirements.txt pyproject.toml
	printf '%s\n' voila ipykernel | uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate \
	    --upgrade --quiet --constraint requirements.txt --custom-compile-command "make lock" \
	    --output-file $(VOILA_LOCK) pyproject.toml -

# What the tests hold together: tests/test_package.py reads the same files.
owner:
	@expr "$(OWNER)" : '[A-Za-z0-9-][A-Za-z0-9-]*$$' >/dev/null || \
	{ echo "Name the account, of letters, digits and hyphens: make owner OWNER=name"; exit 1; }
	@old=$$(sed -n 's,^Source = "https://github.com/\(.*\)/mtworkbench"$$,\1,p' pyproject.toml) && \
	sed -i -E "s,(github\.com/|uses: |//)$$old(/mtworkbench|\.github\.io),\1$(OWNER)\2,g" \
	    pyproject.toml SECURITY.md CITATION.cff docs/scripts.md README.md

release: lint test-all docs
	@$(BIN)/python scripts/make_release.py

clean:
	rm -rf $(VENV) $(VOILA) $(PEERS) .venv-release dist build/doctrees build/jupyter_execute figures site

$(VENV)/ready: pyproject.toml $(VENV)/locked
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/locked: requirements.txt $(VENV)/made-in
	@echo "Installing the packages of requirements.txt into $(VENV) (a few minutes, once) ..."
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet --quiet --require-hashes --requirement requirements.txt
	@touch $@

# The workbench itself is not installed there: the test says where it is.
$(VOILA)/ready: $(VOILA_LOCK) $(VENV)/made-in
	@echo "Installing the packages of $(VOILA_LOCK) into $(VOILA) ..."
	@$(BIN)/python -m venv --clear $(VOILA)
	@$(VOILA)/bin/python -m pip --disable-pip-version-check install --quiet --quiet --require-hashes --requirement $(VOILA_LOCK)
	@touch $@

# What the workbench's speed is compared with must not change what the workbench itself runs with.
$(PEERS)/ready: $(PEERS_LIST) $(VENV)/made-in
	@echo "Installing the packages of $(PEERS_LIST) into $(PEERS) ..."
	@$(BIN)/python -m venv --clear $(PEERS)
	@$(PEERS)/bin/python -m pip --disable-pip-version-check install --quiet --quiet --requirement $(PEERS_LIST)
	@touch $@

$(VENV)/made-in:
	@command -v $(PYTHON) >/dev/null || { echo "mtworkbench needs Python 3.11 or newer, but there is no $(PYTHON): \
	install it (Debian: apt-get install python3-venv), or name another one with make PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "mtworkbench needs Python 3.11 or newer, \
	but $(PYTHON) is $$($(PYTHON) -V 2>&1): name a newer one with make PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) lacks its venv module: \
	install it (Debian: apt-get install python3-venv) and call make again."; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
	@printf '%s' "$(CURDIR)" > $@
