# The front door: `make` alone prints every target.
#
# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The newest Python that gridir supports and that runs; `make PYTHON=...` chooses another. It chooses the line of JAX, too.
PYTHON ?= $(shell sh tools/find-python.sh)
VENV := .venv/bin
INSTALL := $(PYTHON) tools/install.py

.DEFAULT_GOAL := help
.PHONY: help demo tidy test test-quick jax-lines check-one lint fix docs bench bench-compile bench-tpu dist mutate sanitize

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 \t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: ## build, install into .venv, and run a real kernel on the CPU
	@$(INSTALL)
	@$(VENV)/python tools/demo.py

test: ## build, install into .venv, and run every test
	@$(INSTALL) --extra test
	@$(VENV)/lit -sv test

test-quick: ## the tests that do not execute kernels: seconds
	@$(INSTALL) --extra test
	@$(VENV)/lit -sv --filter-out "Integration|OutOfTree" test

jax-lines: ## build for the older lines of JAX (JAX_LINES=0.10 for one), and run their tests: names, parameters, examples, frontend, a wheel
	@$(INSTALL)
	@$(VENV)/python tools/jax_lines.py $(JAX_LINES)

check-one: ## rebuild what changed in build/dev and run the tests whose path matches T=grid-plan-memory
	@[ -n "$(T)" ] || { echo "make check-one needs T, a part of a test's path: T=grid-plan-memory"; exit 2; }
	@[ -x $(VENV)/lit ] || $(INSTALL) --extra test
	@[ -f build/dev/build.ninja ] || PATH="$(CURDIR)/$(VENV):$$PATH" $(VENV)/cmake --preset dev
	@PATH="$(CURDIR)/$(VENV):$$PATH" $(VENV)/cmake --build --preset dev
	@$(VENV)/lit -v --filter '$(T)' build/dev/test

lint: ## check format, style, types, names and documentation
	@$(INSTALL) --extra lint
	@$(VENV)/python tools/lint

fix: ## repair what `make lint` can repair
	@$(INSTALL) --extra lint
	@$(VENV)/python tools/lint --fix

tidy: ## run clang-tidy on the C++ sources that differ from SINCE=main (HEAD by default); needs build/dev
	@$(INSTALL) --extra lint
	@$(VENV)/python tools/lint --tidy $(or $(SINCE),HEAD)

dist: ## build a wheel into dist/, and prove that it stands alone
	@$(INSTALL)
	@$(VENV)/python tools/dist.py

docs: ## generate docs/ from descriptions of ops and passes, docstrings, commands and pipelines
	@$(INSTALL)
	@$(VENV)/python tools/lint/generate.py
	@$(VENV)/python -m gridir.frontend.fields > docs/fields.md
	@$(VENV)/python -m gridir.frontend.primitives > docs/primitives.md
	@$(VENV)/python -m gridir.cli.page > docs/commands.md
	@$(VENV)/python -m gridir.compiler.pipelines > docs/pipelines.md

bench: ## time every example against interpret mode and XLA
	@$(INSTALL)
	@$(VENV)/python benchmarks/run.py

bench-compile: ## time every pass on kernels of growing size
	@$(INSTALL)
	@$(VENV)/python benchmarks/compile_time.py

bench-tpu: ## compile kernels for TPUs with libtpu, beside JAX's own lowering
	@$(INSTALL) --extra tpu
	@$(VENV)/python benchmarks/tpu.py

mutate: ## plant mutants in a pass or file, P=grid-plan-memory, and tell which no test sees (needs build/dev)
	@$(INSTALL) --extra test
	@$(VENV)/python tools/mutate $(P)

sanitize: ## the tests of gridir-opt and of the runtime with address, undefined-behaviour and thread sanitizers
	@$(INSTALL) --extra test
	@for kind in asan tsan; do $(VENV)/cmake --preset $$kind && $(VENV)/cmake --build --preset $$kind || exit 1; done
	@$(VENV)/lit -sv --filter '[.]mlir$$|python/runtime/(cpu|ptx)|Integration/(tasks|remote|sharded|semaphores)' build/asan/test
	@$(VENV)/python tools/fuzz --tool build/asan/bin/gridir-opt --inputs 1000 --megabytes 0 --seconds 60
	@$(VENV)/lit -sv --filter 'python/runtime/(cpu|ptx)|Integration/(tasks|remote|sharded|semaphores)' build/tsan/test
