#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian systems for a cross build in .build/cross, and keeps those that exist:
#   compiler          Debian sid with Swift, and below /opt/ARCHITECTURE Swift's libraries for the
#                     other architecture. Their versions must be equal, so both come from one download.
#   RELEASE-ARCH/root headers and libraries of the other architecture, and the packaging tools of this
#                     one. It is the compiler's sysroot, and the system in which the package is made.
#   RELEASE-ARCH/sdks the Swift SDK that combines both.
# usage: make-roots.sh ARCHITECTURE RELEASE
# Environment: CROSS_LIBRARIES, the packages with headers that Fixcast is built with.
set -euo pipefail
cd "$(dirname "$0")/../.."
arch=$1 release=$2
case $arch in arm64) cpu=aarch64 ;; esac
case $release in bookworm) gcc=12 ;; trixie) gcc=14 ;; esac
cross=$PWD/.build/cross
target=$cross/$release-$arch
mkdir -p "$target"

# make_root ROOT RELEASE PACKAGES [OPTION]...: makes a Debian system with the packages.
make_root() {
  local root=$1 started=$SECONDS wanted="$*"
  [ "$(cat "$root.made" 2>/dev/null)" != "$wanted" ] || return 0
  echo "making ${root#"$PWD/"}, a Debian system"
  rm -rf --one-file-system "$root" "$root.made"
  # A mirror may be a snapshot, whose index has expired. The mount namespace removes mounts that
  # mmdebstrap leaves behind.
  unshare --mount --propagation private mmdebstrap --quiet --mode=root --variant=apt \
    --architectures="$(dpkg --print-architecture),$arch" \
    --aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --include="$3" "${@:4}" "$2" "$root"
  echo "$wanted" >"$root.made"
  echo "made ${root#"$PWD/"}: $(du -sm "$root" | cut -f1) MB, $((SECONDS - started)) s"
}

# The compiler compiles the manifests of packages for this machine, with the headers of g++. The package for
# the other architecture cannot be installed beside that for this one.
make_root "$cross/compiler" sid ca-certificates,g++,git,swiftlang \
  --customize-hook="chroot \"\$1\" sh -euc '
    cd /tmp
    apt-get -qq download swiftlang:$arch libswiftlang:$arch
    mkdir -p /opt/$arch
    for deb in *_$arch.deb; do
      dpkg-deb --fsys-tarfile \$deb | tar -x -C /opt/$arch --strip-components=5 --wildcards \
        --exclude=./usr/libexec/swift/lib/swift/host --exclude=./usr/libexec/swift/lib/swift/embedded \
        \"./usr/libexec/swift/lib/*/*\"
      rm \$deb
    done'"

libraries=libc6-dev:$arch,libstdc++-$gcc-dev:$arch
for library in $CROSS_LIBRARIES; do libraries+=,$library:$arch; done
make_root "$target/root" "$release" \
  "binutils-$cpu-linux-gnu,debhelper,dh-sequence-installsysusers,dpkg-dev,fakeroot,python3,$libraries"
install -m 755 "/usr/bin/qemu-$cpu-static" "$target/root/usr/local/bin/qemu-$cpu"

# The compiler's system has no file at the absolute path of a link, and the linker would take the static library.
find "$target/root/usr/lib/$cpu-linux-gnu" -lname '/*' -printf '%l %p\n' | while read -r file link; do
  ln -sfnr "$target/root$file" "$link"
done

# The compiler looks for Swift's start-up objects below the sysroot. The links are valid in its system.
for folder in swift swift_static; do ln -sfn "/opt/$arch/$folder" "$target/root/usr/lib/$folder"; done

bundle=$target/sdks/fixcast.artifactbundle
rm -rf "$bundle"
mkdir -p "$bundle"
cat >"$bundle/info.json" <<END
{"schemaVersion": "1.0", "artifacts": {"$release-$arch": {
  "type": "swiftSDK", "version": "1", "variants": [{"path": "."}]}}}
END
cat >"$bundle/swift-sdk.json" <<END
{"schemaVersion": "4.0", "targetTriples": {"$cpu-unknown-linux-gnu": {
  "sdkRootPath": "$target/root",
  "swiftResourcesPath": "/opt/$arch/swift",
  "swiftStaticResourcesPath": "/opt/$arch/swift_static"}}}
END
