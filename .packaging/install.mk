# SPDX-License-Identifier: Apache-2.0
#
# Installation and the Debian package.

# Debian packages for building and for testing the package.
DEB_PACKAGES := debhelper dpkg-dev fakeroot
PACKAGE_TEST_PACKAGES := lintian mandoc mmdebstrap systemd util-linux

export SWIFT DESTDIR PREFIX SYSCONFDIR UNITDIR SYSUSERSDIR UDEVDIR ZSHDIR

.PHONY: install uninstall generated deb deb-deps package-test package-deps

# The manual and the completions, generated from the program's description of its command line.
generated:
	.packaging/generate-manual.sh

install: generated ## install the release with service, rules, manual, documentation and completions
	.packaging/install.sh

uninstall: ## remove the installed files, except configuration and state
	.packaging/install.sh --remove

deb-deps: deps
	$(call install,$(DEB_PACKAGES))

deb: deb-deps release generated ## build the Debian package in .build/deb
	.packaging/build-deb.sh

package-deps: deb-deps
	$(call install,$(PACKAGE_TEST_PACKAGES))

package-test: package-deps deb ## install, run and remove the package in a new Debian system
	.ci/test-package.sh
