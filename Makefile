# Two commands to begin with: `make demo` and `make test`. `make help` lists the others.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo build test sanitize fuzz bench calibrate score package explorer-check pictures docs format check-format lint clean

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
FUZZ_AT_ONCE ?= 1
FUZZ_PRESET ?= fuzz
CLANG_FORMAT ?= clang-format
MEASURED_TABLES ?= ../shared/reference/operators
SERVED_TABLES ?= ../shared/reference/serving
FOLDERS := base expr schemas ops models systems executions graph rules formulas accounting run compare questions measured play import search report cli python
CXX_FILES = $(shell find $(FOLDERS) docs/examples tests \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort)

help:  ## Lists the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 22

setup:
	@scripts/step.sh packages scripts/setup.sh build

build: setup  ## The program and the tests, optimised: build/opledger
	@scripts/step.sh configure cmake --preset release
	@scripts/step.sh build cmake --build --preset release --parallel $(JOBS)

demo: setup  ## What GPT-3 175B costs on 64 A100, from a fresh Debian 12 on
	@scripts/step.sh configure cmake --preset release
	@scripts/step.sh build cmake --build --preset release --parallel $(JOBS) --target opledger_program
	@build/opledger eval gpt3-175b gpt3-175b-64xa100 a100-80g-sxm

test: build  ## Builds the program and its tests, and runs the tests
	@scripts/run_tests.sh release $(JOBS)

sanitize: setup  ## Tests with assertions, under AddressSanitizer and UndefinedBehaviorSanitizer, without long ones (tests/long_runs.cmake)
	@scripts/step.sh configure-sanitized cmake --preset asan-ubsan
	@scripts/step.sh build-sanitized cmake --build --preset asan-ubsan --parallel $(JOBS)
	@scripts/run_tests.sh asan-ubsan $(JOBS)

fuzz:  ## Each fuzz target for FUZZ_SECONDS (60), FUZZ_AT_ONCE (1) of them at a time
	@scripts/setup.sh build fuzz
	@scripts/step.sh configure-fuzz cmake --preset $(FUZZ_PRESET)
	@scripts/step.sh build-fuzz cmake --build --preset $(FUZZ_PRESET) --parallel $(JOBS)
	@scripts/fuzz.sh build/$(FUZZ_PRESET) $(FUZZ_SECONDS) $(FUZZ_AT_ONCE)

bench:  ## The benchmarks: BENCH_ARGS go to Google Benchmark
	@scripts/setup.sh build bench
	@scripts/step.sh configure cmake --preset release
	@scripts/step.sh build-benchmarks cmake --build --preset release --parallel $(JOBS) --target benchmarks
	@build/benchmarks $(BENCH_ARGS)

calibrate: build  ## Fits the constants of all machines and stacks to the measured times that are there; documents go to build/calibrated, errors are printed
	@scripts/calibrate.sh build/opledger $(MEASURED_TABLES) build/calibrated

score: build  ## How far computed times of serving are from measured ones, in the folder SERVED_TABLES
	@scripts/score_serving.sh build/opledger $(SERVED_TABLES)

package: build  ## A tar file of the program that needs no library, and Debian packages, in build/packages
	@scripts/step.sh packages-for-packaging scripts/setup.sh package
	@scripts/step.sh package cpack --config build/CPackConfig.cmake -B build/packages
	@scripts/step.sh tar scripts/package_tar.sh build build/packages
	@ls build/packages/*.deb build/packages/*.tar.gz

explorer-check:  ## Builds the page of runs (explorer/) anew and compares it with the committed one; needs Node.js and npm
	@scripts/step.sh explorer-check scripts/explorer_check.sh build/explorer

pictures: build  ## The pictures of the page of runs in docs/, by a browser; needs Chromium, Node.js and npm
	@scripts/setup.sh browser
	@OPLEDGER_BROWSER=required OPLEDGER_UPDATE=1 scripts/step.sh pictures ctest --preset release --tests-regex browser.explorer

docs:  ## A site of the pages with a search, in build/docs/site, by Debian's mkdocs-material; checks its links
	@scripts/setup.sh docs
	@/usr/bin/python3 scripts/docs.py copy build/docs/pages
	@scripts/step.sh docs mkdocs build --quiet --config-file docs/mkdocs.yml
	@/usr/bin/python3 scripts/docs.py check build/docs/site

format:  ## Formats every C++ file
	@scripts/setup.sh format
	@$(CLANG_FORMAT) -i $(CXX_FILES)

check-format:  ## Fails if some C++ file isn't formatted
	@$(CLANG_FORMAT) --dry-run -Werror $(CXX_FILES)

lint:  ## clang-tidy over the sources
	@scripts/setup.sh build lint
	@cmake --preset debug
	@run-clang-tidy -quiet -j $(JOBS) -p build/debug '$(CURDIR)/($(subst $() $(),|,$(FOLDERS)))/.*\.cc$$'

clean:  ## Removes build/
	@rm -rf build
