# SPDX-License-Identifier: Apache-2.0
#
# What is installed, and Debian's package of it.

# For the package alone; Debian's own.
DEB_PACKAGES := debhelper dpkg-dev fakeroot

export DESTDIR PREFIX SYSCONFDIR UNITDIR SYSUSERSDIR UDEVDIR ZSHDIR

.PHONY: install uninstall generated deb deb-deps

# Pages and completions, as the program itself describes its command line.
generated:
	.packaging/generate

install: generated ## what `make release` built, with service, rules, manual and completions
	.packaging/install

uninstall: ## take that away again; configuration and state stay
	.packaging/install --remove

deb-deps: deps
	$(call install,$(DEB_PACKAGES))

deb: deb-deps release generated ## Debian's package, in .build/deb
	.packaging/deb
