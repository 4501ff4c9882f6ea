#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages for another architecture, with Debian's Swift as the cross compiler, into
# .build/deb/RELEASE-ARCHITECTURE. Needs root, because the compiler runs in a root of its own.
# usage: build.sh ARCHITECTURE RELEASE   (`make deb ARCH=arm64 RELEASE=trixie` runs this script)
# Environment: CROSS_LIBRARIES, see make-roots.sh; RELEASE_FLAGS, the options of `swift build`.
set -euo pipefail
cd "$(dirname "$0")/../.."
arch=$1 release=$2 here=.packaging/cross
fail() { echo "make deb: $*" >&2; exit 1; }
case $arch in
  arm64) cpu=aarch64 ;;
  armhf) fail "Debian has no Swift for armhf, so only 64-bit systems can be built for" ;;
  *) fail "ARCH=$arch: only arm64 can be cross-built" ;;
esac
case $release in
  bookworm | trixie) ;;
  *) fail "RELEASE=$release: only bookworm and trixie can be built for" ;;
esac
[ "$(dpkg --print-architecture)" != "$arch" ] || fail "this machine is $arch; run: make deb"
[ "$(id -u)" = 0 ] || fail "a cross build needs root; run: sudo make deb ARCH=$arch RELEASE=$release"

$here/make-roots.sh "$arch" "$release"
target=.build/cross/$release-$arch
compiler=($here/in-root.sh .build/cross/compiler)
tag=$("${compiler[@]}" swift --version 2>/dev/null | sed -nE 's/.*\((swift-[^)]*)\).*/\1/p')
export RELEASE_FOLDER=$target/build/release
# The compiler is in another system than the packaging tools, which need its version only.
export SWIFT="echo ($tag)"
.packaging/check_versions.py --resolve
.packaging/check_versions.py --toolchain

read -ra flags <<<"$RELEASE_FLAGS"
flags+=(--scratch-path "$target/build" --swift-sdks-path "$target/sdks" --swift-sdk "$release-$arch")
if [ "$release" = bookworm ]; then
  "${compiler[@]}" clang++ --target=$cpu-linux-gnu --sysroot="$PWD/$target/root" -O2 -ffunction-sections \
    -c $here/compat.cc -o "$target/compat.o"
  flags+=(-Xlinker "$PWD/$target/compat.o")
fi
for product in fixcast fixcast-fleet; do
  started=$SECONDS
  "${compiler[@]}" swift build "${flags[@]}" --product "$product"
  echo "built $product: $((SECONDS - started)) s"
done

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH EMULATOR=qemu-$cpu STRIP=$cpu-linux-gnu-strip
export DEB_FOLDER=.build/deb/$release-$arch DEB_ARCHITECTURE=$arch
exec $here/in-root.sh "$target/root" sh -c '.packaging/generate-manual.sh && .packaging/build-deb.sh'
