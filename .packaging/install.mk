# SPDX-License-Identifier: Apache-2.0
#
# What is installed, and Debian's package of it.

# For the package alone, and for its test; Debian's own.
DEB_PACKAGES := debhelper dpkg-dev fakeroot
PACKAGE_TEST_PACKAGES := lintian mandoc mmdebstrap systemd util-linux

export SWIFT DESTDIR PREFIX SYSCONFDIR UNITDIR SYSUSERSDIR UDEVDIR ZSHDIR

.PHONY: install uninstall generated deb deb-deps package-test package-deps

# Pages and completions, as the program itself describes its command line.
generated:
	.packaging/generate

install: generated ## what `make release` built, with service, rules, manual, documentation and completions
	.packaging/install

uninstall: ## take that away again; configuration and state stay
	.packaging/install --remove

deb-deps: deps
	$(call install,$(DEB_PACKAGES))

deb: deb-deps release generated ## Debian's package, in .build/deb
	.packaging/deb

package-deps: deb-deps
	$(call install,$(PACKAGE_TEST_PACKAGES))

package-test: package-deps deb ## install, run and remove the package in a fresh system
	.ci/test-package.sh
