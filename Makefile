# SPDX-License-Identifier: Apache-2.0
#
# What a person types is `make run` and `make test`; both install what is missing first.

SWIFT ?= swift
# Root needs no sudo, and a container may have none.
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0

# What building takes, what the tests run against, and what measuring takes.
BUILD_PACKAGES := libgps-dev libudev-dev libsqlite3-dev libsystemd-dev python3
TEST_PACKAGES := gpsd gpsd-clients gpsd-tools iproute2 python3 openssl \
	umockdev libumockdev-dev gir1.2-umockdev-1.0 python3-gi udev dbus python3-dbus util-linux faketime \
	systemd mosquitto mosquitto-clients jq xz-utils
BENCH_PACKAGES := valgrind binutils gpsd gpsd-tools python3 openssl util-linux xz-utils

# Receivers' recordings, where there are any.
FIXCAST_CORPUS ?= $(abspath ../shared/corpus)
# How long `make soak` takes.
MINUTES ?= 10
COMPARE ?= $(abspath ../shared/tools/compare_fixes.py)
export FIXCAST_CORPUS

CHECKED := --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors
# One build serves the demo, comparing, measuring and the package. It holds Swift's libraries: no
# board has them, and no Debian package does. Nobody looks names up in it, what nothing refers to is
# left out, functions that are the same to the byte are there once, and addresses are written short,
# which takes Debian 12's C library or a later one: a fifth less of it. Functions of shared libraries
# are bound at the start, so that their table is read-only, and none is looked for beside the program.
RELEASE := -c release --static-swift-stdlib -Xswiftc -use-ld=lld \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections \
	-Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs \
	-Xlinker -O2 -Xlinker --icf=all -Xlinker -z -Xlinker now --disable-local-rpath
export RELEASE
SOURCES := Package.swift Sources Tests

.PHONY: help deps test-deps bench-deps run test build interfaces release lint format compare smoke \
	bench fuzz soak lines docs ci clean

help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1 - /p' $(MAKEFILE_LIST)

# Installs the packages named by $(1) that are not there.
define install
	@missing=; for package in $(1); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' \
	    || missing="$$missing $$package"; \
	done; \
	[ -z "$$missing" ] || { echo "installing$$missing"; \
	  $(SUDO) env $(APT) update && $(SUDO) env $(APT) install --no-install-recommends -y $$missing; }
endef

deps: ## install what building takes
	$(call install,$(BUILD_PACKAGES))
	@.packaging/versions --resolve

test-deps: deps
	$(call install,$(TEST_PACKAGES))
	@.ci/fetch-recordings.sh

bench-deps: deps
	$(call install,$(BENCH_PACKAGES))
	@.ci/fetch-recordings.sh

run: deps ## the demo: everything but the antenna
	.packaging/versions
	$(SWIFT) build $(CHECKED) --product fixcast
	.build/debug/fixcast demo

# Checked before, since a build takes long, and after, since building may resolve anew.
release: deps
	.packaging/versions
	$(SWIFT) build $(RELEASE) --product fixcast
	.packaging/versions

build: deps ## everything, checked
	$(SWIFT) build --build-tests $(CHECKED)

interfaces: ## what a feature is built against, from nothing, and what comes with it
	.ci/interfaces

test: test-deps build ## all tests
	.ci/unit
	python3 -B .packaging/test/test_manual.py
	python3 -B .packaging/test/test_notices.py
	python3 -B .packaging/test/test_versions.py
	.ci/pinned
	.ci/tests

lint: ## format and documentation
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)

format: ## put the format right
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

compare: release ## hold decoded logs against gpsd's word
	@if [ -f "$(COMPARE)" ] && [ -d "$(FIXCAST_CORPUS)/nmea" ]; then \
	  python3 "$(COMPARE)" --bin .build/release/fixcast --dates "$(FIXCAST_CORPUS)"/nmea/*.log && \
	  python3 "$(COMPARE)" --bin .build/release/fixcast --sky "$(FIXCAST_CORPUS)"/nmea/*.log; \
	else echo "compare: skipped, no recorded logs here"; fi

smoke: release ## ten seconds of the demo and as many of the daemon, looked at
	.ci/smoke

bench: bench-deps ## measure
	Tests/Benchmarks/run.sh

fuzz: deps ## ten million inputs into the decoder, a million into the policy reader
	Tests/Fuzzing/run.sh

soak: test-deps build ## ten minutes of the daemon while what is around it fails; MINUTES=n for other
	Tests/Soak/run.sh $(MINUTES)

lines: ## count lines of Swift and C
	@find Sources CGPS -name '*.swift' -o -name '*.[ch]' | xargs cat | wc -l | sed 's/^/Sources and CGPS: /'
	@find Tests -name '*.swift' -o -name '*.[ch]' | xargs cat | wc -l | sed 's/^/Tests: /'
	@find Sources -name '*+*.swift' | wc -l | sed 's/^/extension files: /'

docs: deps ## the documentation, as a site in .build/docs
	.ci/docs $(CHECKED)

ci: ## what every change must pass
	# Where it is set, what needs namespaces may not skip itself.
	CI=true .ci/steps

clean:
	$(SWIFT) package clean

include .packaging/install.mk
