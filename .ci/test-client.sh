#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests Tests/ClientPackage in a minimal Debian system that has Swift, the packages that Swift needs,
# and the packages in the table of "Using the libraries". Then checks the table: a program that uses
# a product builds with the packages in its row alone, and does not build without one of them.
# Needs root. The system has no network, and cannot change the sources.
# usage: test-client.sh [FLAG...]   (use the flags of `make build`, whose dependencies are reused)
set -euo pipefail
cd "$(dirname "$0")/.."
[ "${FIXCAST_NAMESPACE:-}" ] ||
  exec env FIXCAST_NAMESPACE=1 unshare --mount --propagation private .ci/test-client.sh "$@"
export LC_ALL=C
started=$SECONDS
article=Sources/fixcast/fixcast.docc/Using-the-libraries.md
client=Tests/ClientPackage
root=$PWD/.build/client-root system=$PWD/.build/client-system scratch=$PWD/.build/client
options=(--scratch-path "$PWD/.build" --force-resolved-versions "$@")
# The toolchain, and where it is in the system, whose own /usr must remain.
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
[ "$toolchain" = /usr ] && installed=/opt/swift/usr || installed=$toolchain

say() { printf '%s\n' "$*"; }

# What linkers write before the name of a library that is missing.
missing_library='unable to find library -l|cannot find -l'

# fail LINE: prints which Debian packages contain the missing files that the log names, and the line.
fail() {
  grep -vE '^\[[0-9]+/[0-9]+\]' "$scratch.log" | tail -n 30 || true
  sed -nE "s/.*'([^']+)' file not found.*/\1/p; s/.*($missing_library)([a-z0-9]+).*/lib\2.so/p" \
    "$scratch.log" | sort -u | while read -r file; do
    say "$file is in the package $(dpkg -S "*/$file" 2>/dev/null | head -n 1 | cut -d: -f1)"
  done
  say "FAILED  $1"
  exit 1
}

# The packages of each product. A row has one or more products, the purpose, and the packages.
declare -A packages_of
while IFS='|' read -r _ products _ packages _; do
  for product in $(tr -d '`,' <<<"$products"); do
    packages_of[$product]=$(grep -o '`[^`]*`' <<<"$packages" | tr -d '`' | paste -sd' ' || true)
  done
done < <(sed -n '/^| product /,/^$/{/^| `/p}' "$article")
documented=$(printf '%s\n' ${packages_of[@]} | sort -u)
listed=$(printf '%s\n' "${!packages_of[@]}" | sort)
manifest=$(swift package dump-package)
[ "$listed" = "$(jq -r '.products[].name' <<<"$manifest" | sort)" ] || {
  say "FAILED  the products in $article are not those of Package.swift"
  exit 1
}

.ci/make-root.sh "$root" "$(.ci/install-swift.sh --packages | tr ' ' ,),$(paste -sd, <<<"$documented")"

# The build folder of the client package. It begins with what `make build` compiled of the packages
# that Fixcast depends on, but not of Fixcast. SwiftPM compiles a module again if a header is missing.
# The format keeps the fractions of a second of the times, with which SwiftPM recognizes a change.
rm -rf "$scratch"
mkdir "$scratch"
jq -r '.targets[].name | ., gsub("-"; "_") | "debug/\(.)", "debug/\(.).*", "debug/Modules/\(.).*"' <<<"$manifest" |
  tar -C .build -c --format=posix --exclude-from=- --exclude='debug/fixcastPackage*' --exclude=debug/index \
    build.db checkouts repositories workspace-state.json "$(realpath --relative-to=.build .build/debug)" |
  tar -C "$scratch" -x
cp Package.resolved "$client"

# The system is a copy with hard links, so that packages can be taken away. A header that is equal to
# the one of this system gets its time. Otherwise SwiftPM compiles again all that includes it.
rm -rf --one-file-system "$system"
cp -al "$root" "$system"
python3 - "$system/usr/include" /usr/include <<'END'
import filecmp, os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for path in (os.path.join(folder, name) for name in names):
        here = sys.argv[2] + path.removeprefix(sys.argv[1])
        if os.path.isfile(here) and filecmp.cmp(path, here, shallow=False):
            os.utime(path, ns=(os.stat(here).st_atime_ns, os.stat(here).st_mtime_ns))
END
mkdir -p "$system$PWD" "$system$installed"
mount --bind "$PWD" "$system$PWD"
mount -o remount,bind,ro "$system$PWD"
mount --bind "$scratch" "$system$PWD/.build"
mount --bind "$toolchain" "$system$installed"
mount -o remount,bind,ro "$system$installed"
mount --bind /dev "$system/dev"
mount -t proc proc "$system/proc"
mount -t tmpfs tmpfs "$system/tmp"

# in_system COMMAND: runs a command in the folder of a package in the system, without a network.
folder=$PWD/$client
in_system() {
  unshare --net chroot "$system" env -i --chdir="$folder" HOME=/tmp LANG=C.UTF-8 \
    PATH="$installed/bin:/usr/bin:/bin" "$@" >"$scratch.log" 2>&1
}

# A plan for one product also contains the programs that a dependency declares as products, and
# `swift build --build-tests` uses this plan again.
in_system swift build "${options[@]}" --product board-weather || fail "the program does not build"
in_system swift build "${options[@]}" --build-tests || fail "the tests do not build"
say "ok      the client package builds with $(paste -sd' ' <<<"$documented"), after $((SECONDS - started)) s"
in_system swift test "${options[@]}" --skip-build --disable-xctest || fail "tests failed"
tail -n 1 "$scratch.log"

# A package of programs: `none` imports all products that need no package; each other product has a
# program of its own.
folder=/tmp/programs
declare -A products_of
for product in $listed; do
  [ "${packages_of[$product]}" ] && program=use-$product || program=none
  products_of[$program]+=" $product"
done
mkdir "$system$folder"
cp Package.resolved "$system$folder"
{
  printf '// swift-tools-version: 6.2\nimport PackageDescription\nlet package = Package(name: "programs",\n'
  printf '  dependencies: [.package(name: "fixcast", path: "%s")], targets: [\n' "$PWD"
  for program in "${!products_of[@]}"; do
    mkdir -p "$system$folder/Sources/$program"
    printf 'import %s\n' ${products_of[$program]} >"$system$folder/Sources/$program/main.swift"
    printf '  .executableTarget(name: "%s", dependencies: [\n' "$program"
    printf '    .product(name: "%s", package: "fixcast"),\n' ${products_of[$program]}
    printf '  ]),\n'
  done
  printf '])\n'
} >"$system$folder/Package.swift"

# files PACKAGE...: lists the files of the packages, without folders.
files() {
  [ $# = 0 ] || dpkg-query --admindir="$root/var/lib/dpkg" -L "$@" | while read -r file; do
    [ -z "$file" ] || [ -d "$root$file" ] || printf '%s\n' "${file#/}"
  done
}

# builds PROGRAM PACKAGE...: whether a program builds in the system with these packages alone.
builds() {
  local program=$1
  shift
  # `set -e` has no effect in a function whose status is tested.
  files $documented | (cd "$system" && xargs rm -f) || exit
  files "$@" | (cd "$root" && xargs -r cp -al --parents -t "$system") || exit
  # SwiftPM does not link again if only a library is missing.
  rm -f "$scratch/debug/$program"
  in_system swift build "${options[@]}" --product "$program"
}

builds none || fail "a product without packages in $article does not build without them"
say "ok      the other products need no package"
for product in $listed; do
  packages=${packages_of[$product]}
  [ "$packages" ] || continue
  builds "use-$product" $packages || fail "$product does not build with $packages"
  for package in $packages; do
    ! builds "use-$product" ${packages/"$package"/} || fail "$product does not need $package"
    grep -qE "file not found|$missing_library" "$scratch.log" || fail "$product does not build without $package"
  done
  say "ok      $product needs $packages"
done
say "client: checked in $((SECONDS - started)) s"
