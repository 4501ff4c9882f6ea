#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command in the folder of a Debian system, in the current folder, which the system sees at
# the same path. The mounts are in a namespace of their own, and end with the command.
# usage: in-root.sh ROOT COMMAND [ARGUMENT]...
set -euo pipefail
root=$(realpath "$1")
shift
binds=(/dev "$PWD")
# The configuration of git may name folders in place of the addresses of packages.
while IFS= read -r folder; do
  binds+=("$folder")
done < <(git config --get-regexp '^url\.' | sed -nE 's!^url\.(/.*)\.insteadof .*!\1!p' | sort -u)
for file in /etc/gitconfig /etc/resolv.conf; do
  [ ! -e "$file" ] || install -m 644 "$file" "$root$file"
done
[ ! -e "$HOME/.gitconfig" ] || install -m 644 "$HOME/.gitconfig" "$root/root/.gitconfig"
for folder in "${binds[@]}"; do mkdir -p "$root$folder"; done

export root
exec unshare --mount --propagation private bash -euc '
  count=$1
  shift
  mount -t proc proc "$root/proc"
  for folder in "${@:1:count}"; do mount --rbind "$folder" "$root$folder"; done
  shift "$count"
  exec chroot "$root" env HOME=/root LANG=C.UTF-8 \
    PATH=/usr/libexec/swift/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c "cd \"\$0\" && exec \"\$@\"" "$PWD" "$@"
' in-root "${#binds[@]}" "${binds[@]}" "$@"
