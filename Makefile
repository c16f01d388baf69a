# `make run` plays a file. `make test` runs what CI runs. `make check` adds the thread and address sanitizers.
# Each installs missing packages first.
.PHONY: run test check build lint format bench clean

# The file to play. By default a sample is made and played.
FILE ?= samples/sample.flac
# More arguments of `audiosession play`, for example: make run ARGS="--on-unplug continue"
ARGS ?=

run:
	@dev/run "$(FILE)" $(ARGS)

test:
	@dev/test

check:
	@dev/check

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
