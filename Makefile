# `make run` plays something; `make test` runs every check. Both install what is missing first.
.PHONY: run test build lint format bench clean

# The file to play; without one the project's own sample is made and played.
FILE ?= samples/sample.flac
# More words for `audiosession play`, as in: make run ARGS="--on-unplug continue"
ARGS ?=

run:
	@dev/run "$(FILE)" $(ARGS)

test:
	@dev/test

build:
	@dev/install-packages build
	swift build

lint:
	@dev/lint

format:
	swift format -i -r Sources Tests Benchmarks Examples dev Package.swift

bench:
	@dev/bench

clean:
	rm -rf .build .build-* Examples/*/.build samples
