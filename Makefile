# SPDX-License-Identifier: Apache-2.0
#
# `make run` and `make test` first install the packages that they need.

SWIFT ?= swift
# Root needs no sudo, and a container may have none.
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0

# Debian packages for building, testing and measuring.
BUILD_PACKAGES := libgps-dev libudev-dev libsqlite3-dev libsystemd-dev libpq-dev \
	zlib1g-dev python3
TEST_PACKAGES := gpsd gpsd-clients gpsd-tools iproute2 python3 openssl \
	umockdev libumockdev-dev gir1.2-umockdev-1.0 python3-gi udev dbus python3-dbus util-linux faketime \
	systemd mosquitto mosquitto-clients jq xz-utils apt-utils gnupg chrony python3-gps \
	python3-venv gpsbabel prometheus chromium chromium-driver python3-selenium \
	postgresql-15 nats-server nginx-light
BENCH_PACKAGES := valgrind binutils gpsd gpsd-tools python3 openssl util-linux xz-utils

# The folder of recorded receivers. Tests and comparisons that need it are skipped without it.
FIXCAST_CORPUS ?= $(abspath ../shared/corpus)
# Duration of `make soak`, in minutes.
MINUTES ?= 10
# Inputs of `make fuzz` for the decoder; policies get a tenth of that, gpsd clients and MQTT half of it.
FUZZ_INPUTS ?= 10000000
# Brokers of `make test-fleet`.
FLEET_BROKERS ?= mosquitto nats rabbitmq
# Connections of `make test-floods` per client and flood.
FLOOD_CONNECTIONS ?= 100
# The script that `make compare` runs. Without the script, `make compare` is skipped.
COMPARE ?= $(abspath ../shared/tools/compare_fixes.py)
export FIXCAST_CORPUS

CHECKED := --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors
# The release links Swift's libraries statically, since Debian does not package them. Unreferenced
# sections are dropped, identical functions are folded and relative relocations are packed (which
# needs Debian 12's C library or later). Together this saves a fifth of the size. `-z now` makes the
# table of shared functions read-only. Without a RUNPATH, libraries come from the system only.
RELEASE_FLAGS := -c release --static-swift-stdlib -Xswiftc -use-ld=lld \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections \
	-Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs \
	-Xlinker -O2 -Xlinker --icf=all -Xlinker -z -Xlinker now --disable-local-rpath
export RELEASE_FLAGS
SOURCES := Package.swift Sources Tests

.PHONY: help deps test-deps bench-deps run test test-pages test-suite build interfaces release lint \
	format compare smoke bench fuzz soak faults lines docs ci clean test-homeassistant test-fleet test-floods \
	test-times test-client long

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1 - /p' $(MAKEFILE_LIST)

# Installs the missing packages of the list $(1).
define install
	@missing=; for package in $(1); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' \
	    || missing="$$missing $$package"; \
	done; \
	[ -z "$$missing" ] || { echo "installing$$missing"; \
	  $(SUDO) env $(APT) update && $(SUDO) env $(APT) install --no-install-recommends -y $$missing; }
endef

deps: ## install the packages that building needs
	$(call install,$(BUILD_PACKAGES))
	@.packaging/check_versions.py --resolve

test-deps: deps
	$(call install,$(TEST_PACKAGES))
	@.ci/check-limits.sh
	@.ci/fetch-recordings.sh
	@.ci/install-python-clients.sh

bench-deps: deps
	$(call install,$(BENCH_PACKAGES))
	@.ci/fetch-recordings.sh

run: deps ## build and run the demo: a simulated receiver, authorization, weather
	.packaging/check_versions.py
	$(SWIFT) build $(CHECKED) --product fixcast
	.build/debug/fixcast demo

# Checks the versions before the long build, and again after it, because it may resolve packages.
release: deps
	.packaging/check_versions.py
	$(SWIFT) build $(RELEASE_FLAGS) --product fixcast
	$(SWIFT) build $(RELEASE_FLAGS) --product fixcast-fleet
	.packaging/check_versions.py

build: deps ## build everything, with all warnings as errors
	$(SWIFT) build --build-tests $(CHECKED)

interfaces: ## build WeatherFeature alone and check what it links
	.ci/check-interfaces.sh

test: test-deps build ## run all tests
	.ci/check-unit.sh
	python3 -B .packaging/test/test_generate_manual.py
	python3 -B .packaging/test/test_list_licences.py
	python3 -B .packaging/test/test_check_versions.py
	python3 -B .packaging/test/test_debconf.py
	python3 -B .packaging/test/test_apt_repository.py
	.ci/check-pins.sh
	.ci/check-targets.sh
	$(MAKE) --no-print-directory -j2 test-pages test-suite

# The tests of the status page mostly wait, so they run beside the suite.
test-pages:
	Tests/Web/run.sh
test-suite:
	.ci/run-tests.sh

lint: ## check format, doc comments and the open state of types that span files
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)
	.ci/open_state.py --max 1

format: ## format all Swift files
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

test-client: test-deps build ## test a package that uses the libraries, in a system with the documented packages
	$(call install,mmdebstrap)
	$(SUDO) env PATH="$$PATH" .ci/test-client.sh $(CHECKED)

compare: release ## compare decoded recordings with gpsd's output
	@if [ -f "$(COMPARE)" ] && [ -d "$(FIXCAST_CORPUS)/nmea" ]; then \
	  python3 "$(COMPARE)" --bin .build/release/fixcast --dates "$(FIXCAST_CORPUS)"/nmea/*.log && \
	  python3 "$(COMPARE)" --bin .build/release/fixcast --sky "$(FIXCAST_CORPUS)"/nmea/*.log; \
	else echo "compare: skipped: no recordings in $(FIXCAST_CORPUS)"; fi

smoke: release ## run the demo and the daemon of the release and check their output
	.ci/run-smoke-tests.sh

bench: bench-deps ## run the benchmarks
	Tests/Benchmarks/run.sh

fuzz: deps ## fuzz the decoder (10 million inputs), policies (1 million), gpsd clients and MQTT (5 million each)
	Tests/Fuzzing/run.sh $(FUZZ_INPUTS)

# The suites with random inputs, of which `make test` uses a tenth.
RANDOM_SUITES := Property FieldReader HostileInput LineFramer LineScanner CoordinateGeodesy EpochRoundTrip \
	SourceSelector OpenMeteoReply ResolverWatch MQTTPacket LiveLocationService ReachabilityGate \
	CallbackQueue PolicyParser ReducedAnswer DecodeCommand
faults: test-deps build ## simulate ten hours of each fault and pair of faults; use all random inputs
	FIXCAST_FAULT_HOURS=10 FIXCAST_FAULT_PAIRS=36 FIXCAST_ALL_RANDOM_INPUTS=1 \
	  $(SWIFT) test --skip-build --disable-xctest $(addprefix --filter ,FaultTests $(RANDOM_SUITES))

soak: test-deps build ## run the daemon for MINUTES=10 minutes with injected faults; damage its files
	Tests/Soak/run.sh $(MINUTES)
	python3 -B Tests/Soak/files.py .build/debug/fixcast

lines: ## count the lines of Swift and C, and the open state of types that span files
	@find Sources CGPS -name '*.swift' -o -name '*.[ch]' | xargs cat | wc -l | sed 's/^/Sources and CGPS: /'
	@find Tests -name '*.swift' -o -name '*.[ch]' | xargs cat | wc -l | sed 's/^/Tests: /'
	@find Sources -name '*+*.swift' | wc -l | sed 's/^/extension files: /'
	@.ci/open_state.py --max 1

test-times: test-deps build ## compare measured times with their goals; needs an idle machine
	FIXCAST_CHECKS_TIMES=1 Tests/Web/run.sh
	FIXCAST_CHECKS_TIMES=1 $(SWIFT) test --skip-build --disable-xctest --no-parallel --filter \
	  'HotplugTests|DevicesCommandTests|PathCommandTests|NetworkManagerTests|FeedSocketTests'

test-homeassistant: test-deps build ## test the MQTT sink with a real Home Assistant (Python 3.13)
	Tests/HomeAssistant/run.sh

test-fleet: test-deps build ## kill parts of fleets on mosquitto, NATS and RabbitMQ (20 minutes)
	$(call install,rabbitmq-server)
	python3 -B Tests/Fleet/acl.py rabbitmq
	for broker in $(FLEET_BROKERS); do \
	  $(SUDO) Tests/Fleet/run.py --broker $$broker --daemons 20 --seconds 190 --drain 360 \
	    --faults node,commit,puback,postgres,boards,full-disk,two-nodes || exit 1; \
	done

test-floods: test-deps release ## flood each protocol of the daemon, and deny a client with open streams (15 minutes)
	$(SUDO) Tests/Floods/run.sh .build/release/fixcast --connections $(FLOOD_CONNECTIONS)

docs: deps ## build the documentation in .build/docs
	.ci/build-docs.sh $(CHECKED)

ci: ## run every check that a change must pass
	# With CI set, tests that need network namespaces fail instead of being skipped.
	CI=true .ci/run-steps.sh

long: ## run the targets that `make ci` does not run, and list the result of each (4 hours)
	.ci/run-long.sh

clean: ## remove what was built
	$(SWIFT) package clean

include .packaging/install.mk
