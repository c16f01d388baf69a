# `make` lists the targets. Each installs the packages that it needs first.
.PHONY: help run test check soak build install uninstall deb docs lint format bench clean

.DEFAULT_GOAL := help

# The file to play.
FILE ?= Examples/sample.opus
# More arguments of `audiosession play`, for example: make run ARGS="--on-unplug continue"
ARGS ?=
# Where `make install` installs, and a directory before it for packagers.
PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR
# How long `make soak` takes.
MINUTES ?= 60

run: ## Build if needed and play a sample, or FILE=song.flac; more options: ARGS="--on-unplug continue"
	@dev/run "$(FILE)" $(ARGS)

test: ## Run what CI runs: about 14 minutes on 2 cores
	@dev/test

check: ## Run the tests, then the slow checks: sanitizers, exploration, fuzz targets
	@dev/check

soak: ## Play and record in a storm of events, MINUTES=60 by default
	@dev/test --lane soak "$(MINUTES)"

build: ## Build everything for debugging
	dev/install-packages build
	swift build

install: ## Install the program, its manual and its completions under PREFIX=/usr/local
	@dev/install

uninstall: ## Remove what `make install` installed under the same PREFIX
	@dev/install --remove

deb: ## Make a Debian package that needs no Swift
	@dev/make deb

docs: ## Make the documentation as a site of static pages
	@dev/make docs

lint: ## Check style, layers, annotations and coverage: a few seconds
	@dev/lint

format: ## Format all Swift files
	swift format -i -r Sources Tests Benchmarks Examples dev Package.swift

bench: ## Measure against other programs: about 20 minutes after the build
	@dev/bench

clean: ## Remove everything that was built
	rm -rf .build .build-* Examples/*/.build

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18
