# SPDX-License-Identifier: Apache-2.0
#
# Installation and the Debian package.

# Debian packages for building and for testing the package, also on an emulated board.
DEB_PACKAGES := debhelper dpkg-dev fakeroot
BOARD_PACKAGES = e2fsprogs mmdebstrap netcat-openbsd openssh-client openssl python3 qemu-utils \
	$(if $(filter arm64,$(ARCH)),qemu-system-arm qemu-user-static,qemu-system-x86)
REPOSITORY_PACKAGES := apt-utils dpkg gnupg
# Debian packages for a package of another architecture; its other inputs are in Debian systems of their own.
CROSS_PACKAGES := git mmdebstrap python3 qemu-user-static
PACKAGE_TEST_PACKAGES := $(REPOSITORY_PACKAGES) lintian mandoc mmdebstrap systemd util-linux

export SWIFT DESTDIR PREFIX SYSCONFDIR UNITDIR SYSUSERSDIR UDEVDIR ZSHDIR

# The architecture and the Debian release to build and test the package for, for example `ARCH=arm64 RELEASE=trixie`.
# Without ARCH, the package is for this system, and RELEASE has no effect.
ARCH :=
RELEASE := trixie

# The folder with the packages for `make apt-repository`, and gpg's identifier of the key to sign with.
DEBS ?= .build/deb
SIGNING_KEY ?=
# The package that `make test-board` tests; by default, `make deb` builds it.
DEB ?=
# The form of `make test-board`: short (3 minutes), long (2 hours) or only the power cuts. The number of power
# cuts, and the seed that draws what they lose.
FORM ?= short
CUTS ?= 100
SEED ?= 1

.PHONY: install uninstall generated toolchain deb deb-deps cross-deps apt-repository repository-deps \
	package-test package-deps test-board board-deps

# The manual and the completions, generated from the program's description of its command line.
generated:
	.packaging/generate-manual.sh

install: generated ## install the release with service, rules, manual, documentation and completions
	.packaging/install.sh

uninstall: ## remove the installed files, except configuration and state
	.packaging/install.sh --remove

deb-deps: deps
	$(call install,$(DEB_PACKAGES))

# Fails before the long build if the toolchain is not that of versions.txt.
toolchain:
	@.packaging/check_versions.py --toolchain

cross-deps:
	$(call install,$(CROSS_PACKAGES))

ifeq ($(ARCH),)
deb: deb-deps toolchain release generated ## build the Debian package in .build/deb; see ARCH and RELEASE
	.packaging/build-deb.sh
else
deb: cross-deps
	CROSS_LIBRARIES="$(filter %-dev,$(BUILD_PACKAGES))" .packaging/cross/build.sh "$(ARCH)" "$(RELEASE)"
endif

repository-deps:
	$(call install,$(REPOSITORY_PACKAGES))

apt-repository: repository-deps ## write an apt repository with the packages in DEBS, signed with SIGNING_KEY
	SIGNING_KEY="$(SIGNING_KEY)" .packaging/apt_repository.sh "$(DEBS)" .build/apt-repository

package-deps: deb-deps
	$(call install,$(PACKAGE_TEST_PACKAGES))

package-test: package-deps deb ## install, run and remove the package in a new Debian system
	.ci/test-package.sh

board-deps:
	$(call install,$(BOARD_PACKAGES))

test-board: board-deps $(if $(DEB),,deb) ## test the package DEB on an emulated board with USB receivers
	$(SUDO) Tests/Board/run.py $(if $(ARCH),--arch $(ARCH) --release $(RELEASE)) \
	  --form $(FORM) --cuts $(CUTS) --seed $(SEED) $(DEB)
