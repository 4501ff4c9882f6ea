#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes an apt repository with the Debian packages of a folder and its subfolders, such as the
# artifacts of CI. The version of each package ends in the suffix of its distribution, which
# build-deb.sh appends. The result can be served by any web server, or used from a file system.
# usage: apt_repository.sh PACKAGES REPOSITORY
# Environment: SIGNING_KEY, the identifier of a key in gpg's keyring. Without it, the repository is
# not signed, and apt accepts it only with [trusted=yes].
set -euo pipefail
[ $# = 2 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 64; }
packages=$1 repository=$(realpath -m "$2")
architectures="amd64 arm64"

fail() { echo "$*" >&2; exit 1; }

# codename VERSION: prints the name of the distribution that a package was built for.
codename() {
  case $1 in
    *~deb12u*) echo bookworm ;;
    *~deb13u*) echo trixie ;;
    *) return 1 ;;
  esac
}

[ -d "$packages" ] || fail "$packages: no such folder"
[ ! -e "$repository" ] || [ -d "$repository/dists" ] || [ -z "$(ls -A "$repository")" ] ||
  fail "$repository: not an apt repository, so its contents are not replaced"
new=$(mktemp -d "$repository.XXXXXX")
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"

count=0
while IFS= read -rd '' deb; do
  read -r name version architecture < <(
    dpkg-deb --show --showformat='${Package} ${Version} ${Architecture}\n' "$deb")
  [[ " $architectures " == *" $architecture "* ]] ||
    fail "$deb: the architecture $architecture is not one of: $architectures"
  suite=$(codename "$version") ||
    fail "$deb: the version $version names no distribution; it must end in ~deb12u1 or ~deb13u1"
  target=$new/pool/$suite/${name}_${version}_$architecture.deb
  [ ! -e "$target" ] || fail "$deb: a second file with the same version and architecture"
  install -D -m 644 "$deb" "$target"
  count=$((count + 1))
done < <(find "$packages" -name '*.deb' -type f -print0 | sort -z)
[ "$count" -gt 0 ] || fail "$packages: no .deb files"

# The paths in an index are relative to the repository.
cd "$new"
for suite in bookworm trixie; do
  mkdir -p "pool/$suite"
  for architecture in $architectures; do
    index=dists/$suite/main/binary-$architecture
    mkdir -p "$index"
    apt-ftparchive --arch "$architecture" packages "pool/$suite" >"$index/Packages"
    gzip -9n --keep "$index/Packages"
  done
  # apt asks its user before it accepts a changed suite, so the suite is the codename, not `stable`.
  apt-ftparchive -o APT::FTPArchive::Release::Origin=Fixcast \
    -o APT::FTPArchive::Release::Label=Fixcast -o APT::FTPArchive::Release::Suite="$suite" \
    -o APT::FTPArchive::Release::Codename="$suite" -o APT::FTPArchive::Release::Components=main \
    -o APT::FTPArchive::Release::Architectures="$architectures" release "dists/$suite" >Release
  mv Release "dists/$suite/Release"
  if [ "${SIGNING_KEY:-}" ]; then
    sign=(gpg --batch --yes --local-user "$SIGNING_KEY" --digest-algo SHA256)
    "${sign[@]}" --output "dists/$suite/InRelease" --clearsign "dists/$suite/Release"
    "${sign[@]}" --armor --output "dists/$suite/Release.gpg" --detach-sign "dists/$suite/Release"
  fi
done
[ -z "${SIGNING_KEY:-}" ] || gpg --batch --armor --export "$SIGNING_KEY" >fixcast.asc
cd - >/dev/null

rm -rf "$repository"
mv "$new" "$repository"
signed="not signed, since SIGNING_KEY is not set"
[ -z "${SIGNING_KEY:-}" ] || signed="signed by $SIGNING_KEY"
echo "built: $repository, with $count packages, $signed"
