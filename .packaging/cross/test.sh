#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the tests that need no network, device, server or program for another architecture, and runs
# them under qemu. Needs root, and the systems that build.sh makes. This script has not run yet.
# RELEASE must be trixie, because Swift's shared libraries need glibc 2.38.
# usage: test.sh ARCHITECTURE RELEASE [SUITE]...   (SUITE: a test target, by default all of the list below)
set -euo pipefail
cd "$(dirname "$0")/../.."
arch=$1 release=$2 target=.build/cross/$2-$1
shift 2
case $arch in arm64) cpu=aarch64 ;; *) echo "$arch: not cross-built" >&2; exit 1 ;; esac
suites=(StreamsTests NMEATests PositioningTests FleetProtocolTests SystemSupportTests LocationServicesTests
  PathMonitorClientTests WeatherClientTests SQLiteStoreTests PipelineTests)
[ $# = 0 ] || suites=("$@")

# The manifest without all other targets. The versions of packages do not change.
{
  cat Package.swift
  printf 'var kept: Set<String> = ['
  printf '"%s", ' "${suites[@]}"
  cat <<'END'
]
var count = 0
while count != kept.count {
  count = kept.count
  for target in package.targets where kept.contains(target.name) {
    for case .byNameItem(let name, _) in target.dependencies { kept.insert(name) }
  }
}
package.targets.removeAll { !kept.contains($0.name) }
package.products = []
END
} >"$target/Package.swift"

# The tests use Testing with Foundation, for which the compiler links this library. Debian lacks it.
mkdir -p "$target/lib"
ar rc "$target/lib/lib_Testing_Foundation.a"
# The build sees that manifest in place of the real one.
unshare --mount --propagation private bash -euc '
  mount --bind "$1/Package.swift" Package.swift
  exec .packaging/cross/in-root.sh .build/cross/compiler swift build --build-tests \
    --scratch-path "$1/tests" --swift-sdks-path "$1/sdks" --swift-sdk "${1##*/}" -Xswiftc -use-ld=lld \
    -Xlinker "-L$PWD/$1/lib"' test "$target"

status=0
for suite in "${suites[@]}"; do
  echo "== $suite"
  "qemu-$cpu-static" -L "$target/root" -E "LD_LIBRARY_PATH=$PWD/.build/cross/compiler/opt/$arch/swift/linux" \
    "$target/tests/debug/fixcastPackageTests.xctest" --testing-library swift-testing --filter "^$suite\." ||
    status=1
done
exit "$status"
