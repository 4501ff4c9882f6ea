#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the disk of an emulated board: Debian with its ordinary kernel, systemd, udev and an SSH server,
# the packages that Fixcast depends on, and the files of `guest`. Keeps a disk that was made with the
# same packages and files. Needs root.
# usage: image.sh DEB RELEASE FOLDER   (the architecture is that of DEB)
# Writes to FOLDER: disk.raw, vmlinuz, initrd.img, key (of SSH) and made (the packages).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
deb=$1 suite=$2
mkdir -p "$3"
image=$(cd "$3" && pwd)
architecture=$(dpkg-deb -f "$deb" Architecture)
# libpam-systemd starts a session for each login, as on the images of boards.
packages=apt,chrony,dbus,debconf,initramfs-tools,iproute2,kmod,libpam-systemd
packages+=,linux-image-$architecture,openssh-server,passwd,procps,sudo,systemd-sysv,udev,zstd
packages+=,$(dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/[|(].*//; s/ //g' | sort -u | paste -sd,)

# A second run waits until the first one has made the image.
exec 9>"$image/lock"
flock 9
files=$(cd "$here" && cat image.sh $(find guest -type f | sort) | sha256sum | cut -d' ' -f1)
wanted="$suite $architecture $packages $files"
[ "$(cat "$image/made" 2>/dev/null)" != "$wanted" ] || exit 0
rm -rf --one-file-system "$image/root" "$image"/{made,key,key.pub,disk.raw}
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
  awk -v suite="$(. /etc/os-release && echo "$VERSION_CODENAME")" '$2 == suite {print $1; exit}')
ssh-keygen -q -t ed25519 -N '' -C board -f "$image/key"

# Drivers of devices that the board does not have are left out. All drivers of USB and of serial ports
# are kept, because their first plug loads them.
options=()
for folder in /usr/share/{doc,locale,man} '/lib/modules/*/kernel/sound' \
  '/lib/modules/*/kernel/fs/'{btrfs,ceph,f2fs,gfs2,ocfs2,smb,xfs} \
  '/lib/modules/*/kernel/drivers/'{gpu,infiniband,md,media,mtd,net/ethernet,net/wireless,scsi,staging}; do
  options+=(--dpkgopt="path-exclude=$folder/*")
done

# The initial RAM disk contains only the drivers of the disk, and is made once.
cat >"$image/prepare.sh" <<'PREPARE'
set -e
cp -r --no-preserve=ownership "$GUEST/." "$1"
mkdir -p "$1/etc/initramfs-tools"
echo update_initramfs=no >"$1/etc/initramfs-tools/update-initramfs.conf"
PREPARE
cat >"$image/configure.sh" <<'CONFIGURE'
set -e
chroot "$1" useradd --create-home --shell /bin/bash --groups dialout,sudo pi
for home in root home/pi; do
  install -D -m 600 "$KEY" "$1/$home/.ssh/authorized_keys"
done
chroot "$1" chown -R pi:pi /home/pi/.ssh
chroot "$1" systemd-machine-id-setup
chroot "$1" systemctl --quiet enable systemd-networkd board-journal
chroot "$1" systemctl --quiet disable chrony
# These would run in the background of a test.
chroot "$1" systemctl --quiet mask systemd-networkd-wait-online e2scrub_reap e2scrub_all.timer \
  fstrim.timer dpkg-db-backup.timer apt-daily.timer apt-daily-upgrade.timer
CONFIGURE
# Runs mmdebstrap in a mount namespace. qemu runs the programs of another architecture. The kernel of a machine that was
# booted knows the emulator from its package; in a container, it is registered until the namespace ends.
cat >"$image/make.sh" <<'MAKE'
set -e
if [ -n "$EMULATOR" ]; then
  formats=/proc/sys/fs/binfmt_misc
  mount -t binfmt_misc binfmt_misc $formats
  [ -e "$formats/$EMULATOR" ] || cat "/usr/lib/binfmt.d/$EMULATOR.conf" >$formats/register
fi
exec mmdebstrap "$@"
MAKE
case $architecture in
  "$(dpkg --print-architecture)") emulator= ;;
  arm64) emulator=qemu-aarch64 ;;
  *) echo "the test of the board has no emulator for $architecture" >&2; exit 1 ;;
esac
echo "making the image of the board"
EMULATOR=$emulator GUEST=$here/guest KEY=$image/key.pub SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)} \
  unshare --mount --propagation private sh "$image/make.sh" --skip=check/qemu \
  --variant=minbase --architectures="$architecture" --include="$packages" "${options[@]}" \
  --dpkgopt=force-unsafe-io --dpkgopt=force-confold --aptopt='Acquire::Languages "none"' \
  --essential-hook="sh $image/prepare.sh \"\$1\"" --customize-hook="sh $image/configure.sh \"\$1\"" \
  "$suite" "$image/root" "$mirror" >"$image/log" 2>&1 || { tail -n 30 "$image/log"; exit 1; }
cp "$image"/root/boot/vmlinuz-* "$image/vmlinuz"
cp "$image"/root/boot/initrd.img-* "$image/initrd.img"
truncate -s 2G "$image/disk.raw"
mke2fs -q -t ext4 -d "$image/root" "$image/disk.raw"
rm -rf --one-file-system "$image/root"
echo "$wanted" >"$image/made"
