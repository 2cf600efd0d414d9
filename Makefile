# LaunchLink: build, try, test. On Debian 12 with make and Swift 6 nothing else is needed: each target first
# installs the Debian packages that it misses (as root) and keeps what it makes in .build, .venv and .demo.

BUILD_PACKAGES := libmicrohttpd-dev libgnutls28-dev libsqlite3-dev libssl-dev libjansson-dev libyaml-dev \
	libsystemd-dev pkg-config
DEMO_PACKAGES := curl
LINT_PACKAGES := python3
TEST_PACKAGES := python3 python3-venv valgrind chromium chromium-driver fonts-noto-cjk nginx caddy zsh fish man-db mandoc \
	libnginx-mod-http-headers-more-filter openssl curl prometheus systemd util-linux wrk gir1.2-webkit2-4.1 \
	python3-gi xvfb xauth strace
PACKAGE_PACKAGES := dpkg-dev binutils patchelf git
TEST_PACKAGE_PACKAGES := debootstrap lintian
BENCH_PACKAGES := wrk nginx valgrind gcc libc6-dev util-linux
PEER_PACKAGES := golang-go golang-github-mattn-go-sqlite3-dev libsqlite3-dev pkg-config strace
# Debian's, where no other Rust is on the path.
RUST_PACKAGES := $(shell command -v cargo >/dev/null || echo cargo rustc)

# The demo's ports: make demo PORT=8081 OPERATIONS_PORT=9465
PORT ?= 8080
OPERATIONS_PORT ?= 9464

PYTHON := /usr/bin/python3
MISSING = $(shell for package in $(1); do \
	dpkg-query --show --showformat='$${Status}' $$package 2>/dev/null | grep -q ' installed$$' || echo $$package; done)

# How the program of the package is built: for any Debian of this release, without Swift.
STATIC := --configuration release --static-swift-stdlib --product launchlink --scratch-path .build/static

# Installs those of the packages $(1) that are not there.
define need
	@set -- $(call MISSING,$(1)); if [ $$# -gt 0 ]; then \
	  if [ "$$(id -u)" != 0 ]; then echo "Missing Debian packages; as root: apt-get install $$*" >&2; exit 77; fi; \
	  echo "Installing $$*"; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y "$$@"; \
	fi
endef

# Runs a script of Tests/Load on the release build.
bench = BINARY_UNDER_TEST="$$(swift build --configuration release --show-bin-path)/launchlink" \
	ROUNDS=$(or $(ROUNDS),5) SECONDS_PER_ROUND=$(or $(SECONDS_PER_ROUND),2) .venv/bin/python Tests/Load/$(1)

.PHONY: help demo build package check test test-package test-sanitize fuzz mutate soak bench bench-timing bench-peers bench-packages lint packages test-packages

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

demo: packages ## from nothing to a verified launch, then serve until interrupted; ONCE=1 ends after the launch
	$(call need,$(DEMO_PACKAGES))
	swift build --configuration release --product launchlink
	@PORT=$(PORT) OPERATIONS_PORT=$(OPERATIONS_PORT) ONCE=$(ONCE) \
	  Deploy/demo.sh "$$(swift build --configuration release --show-bin-path)/launchlink"

build: packages ## the release build
	swift build --configuration release --product launchlink

package: packages ## a Debian package in .build/package, with the Swift runtime in it
	$(call need,$(PACKAGE_PACKAGES))
	swift build $(STATIC)
	@Deploy/debian/build "$$(swift build $(STATIC) --show-bin-path)/launchlink" .build/package

test: packages test-packages .venv/ready ## lint, Swift tests, short fuzzing and end-to-end tests; the last line sums them up
	@Tests/run

test-package: package test-packages .venv/ready ## install, upgrade and purge the package in a fresh Debian; needs root
	$(call need,$(TEST_PACKAGE_PACKAGES))
	@export BINARY_UNDER_TEST="$$(swift build $(STATIC) --show-bin-path)/launchlink" PACKAGE_CACHE=.build/package; \
	  export OLDER_PACKAGE="$$(PACKAGE_VERSION=0.0.1 Deploy/debian/build "$$BINARY_UNDER_TEST" .build/package)"; \
	  export PACKAGE="$$(Deploy/debian/build "$$BINARY_UNDER_TEST" .build/package)"; \
	  .venv/bin/python -m pytest Tests/Package

test-sanitize: packages ## the Swift tests under the thread and the address sanitizer
	SWIFT_BACKTRACE=enable=no swift test --disable-xctest --sanitize=thread --scratch-path .build/thread
	SWIFT_BACKTRACE=enable=no swift test --disable-xctest --sanitize=address --scratch-path .build/address

fuzz: packages ## try inputs from outside with libFuzzer; FUZZ_SECONDS=60 for each of them; TARGETS="json explain" for some
	@Tests/Fuzz/run $(or $(FUZZ_SECONDS),60)

mutate: packages ## change one line at a time and see whether a test notices; LAYERS="Domain API" SEED=1 MINUTES=20 a layer
	@python3 Tests/Mutate/mutate.py --seed $(or $(SEED),1) --minutes $(or $(MINUTES),20) \
	  --layers "$(or $(LAYERS),Domain Store API)"

bench: build bench-packages .venv/ready ## measure the release build; writes Tests/Load/RESULTS.md; CASES="launch keys" for some
	@$(call bench,bench.py $(CASES))

bench-timing: build bench-packages .venv/ready ## whether the time of a refusal tells how much of a key or a signature was right
	@$(call bench,timing.py)

bench-peers: build bench-packages .venv/ready .build/peers/ready .build/crates/ready ## the same launches and verifications by Go, Rust and FastAPI
	$(call need,$(PEER_PACKAGES) $(RUST_PACKAGES))
	@$(call bench,peers.py)

soak: build bench-packages .venv/ready ## keep the release build under 80 % of full load and see that nothing fails or grows; MINUTES=10
	@BINARY_UNDER_TEST="$$(swift build --configuration release --show-bin-path)/launchlink" MINUTES=$(or $(MINUTES),10) \
	  .venv/bin/python Tests/Load/soak.py

check: packages ## lint and the Swift tests of what changed; about a minute; BASE=v1 compares with that
	@BASE=$(BASE) Tests/check

lint: ## the formatter's rules and the house's, all of them errors
	$(call need,$(LINT_PACKAGES))
	@status=0; swift format lint --strict --recursive Sources Tests Package.swift || status=1; \
	  Tests/lint || status=1; exit $$status

packages:
	$(call need,$(BUILD_PACKAGES))

test-packages:
	$(call need,$(TEST_PACKAGES))

bench-packages:
	$(call need,$(BENCH_PACKAGES))

.venv/ready: Tests/requirements.txt | test-packages
	rm -rf .venv
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --requirement Tests/requirements.txt
	@touch $@

.build/peers/ready: Tests/Load/peers/requirements.txt | test-packages
	rm -rf .build/peers
	$(PYTHON) -m venv .build/peers
	.build/peers/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# Debian's crates are unpacked here and not installed: what they depend on brings a clang that builds of Swift would find.
.build/crates/ready: Tests/Load/peers/rust/packages
	rm -rf .build/crates
	mkdir -p .build/crates/packages
	@if [ "$$(id -u)" = 0 ]; then apt-get -qq update; fi
	cd .build/crates/packages && apt-get -qq -o APT::Sandbox::User=root download $$(cat $(CURDIR)/$<)
	for package in .build/crates/packages/*.deb; do dpkg --extract $$package .build/crates || exit 1; done
	@touch $@
