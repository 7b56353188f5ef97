#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: scripts/deb_clean_root.sh [FOLDER]
# Makes the Debian packages and installs them in a fresh root of this Debian, which debootstrap makes
# in FOLDER (default: a temporary one, removed at the end): the tool's package alone first, and runs
# it; then the library's and a compiler, and builds and runs a program. Needs root, and the network.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
fail() {
  printf 'deb_clean_root: FAILED: %s\n' "$1" >&2
  exit 1
}
((EUID == 0)) || fail "needs root, for chroot"
scripts/setup.sh debootstrap
cmake --preset release
cmake --build --preset release --target all

scratch=$(mktemp -d)
root=${1:-$scratch/root}
clean_up() {
  umount -q "$root/proc" || true
  rm -rf --one-file-system -- "$scratch"
}
trap clean_up EXIT
(cd build/release && cpack -G DEB -B "$scratch/packages") >/dev/null

. /etc/os-release
[[ -d $root/etc ]] || debootstrap --variant=minbase "$VERSION_CODENAME" "$root" >"$scratch/log" ||
  fail "debootstrap: $(tail -n 3 "$scratch/log")"
cp -- "$scratch"/packages/*.deb "$root/tmp/"
cp -- tests/package/one_call.cpp "$root/tmp/"
mount -t proc proc "$root/proc" || echo "deb_clean_root: no /proc in there; going on without"

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive bash -ec "$1"; }
apt='apt-get -q -y -o Dpkg::Use-Pty=0 --no-install-recommends'
inside "$apt update && $apt install /tmp/upsweep_*.deb" >"$scratch/log" 2>&1 ||
  fail "upsweep was not installed: $(tail -n 5 "$scratch/log")"
inside '! dpkg-query -W libtbb-dev 2>/dev/null' || fail "the tool drags development packages in"
[[ $(inside 'upsweep --version') == "upsweep "* ]] || fail "upsweep --version"
[[ $(inside 'printf "3 1 2\n" | upsweep scan - --exclusive --total | tr "\n" " "') == "0 3 4 6 " ]] ||
  fail "upsweep scan gave other results"
inside 'upsweep info'

inside "$apt install /tmp/libupsweep-dev_*.deb g++ pkg-config" >"$scratch/log" 2>&1 ||
  fail "libupsweep-dev was not installed: $(tail -n 5 "$scratch/log")"
inside 'g++ -std=c++20 /tmp/one_call.cpp $(pkg-config --cflags --libs upsweep) -o /tmp/one_call && /tmp/one_call' ||
  fail "a program with the installed library"
inside "$apt purge upsweep libupsweep-dev" >"$scratch/log" 2>&1 || fail "the packages cannot be removed"
inside '! find / -xdev -path /tmp -prune -o -name "*upsweep*" -print | grep .' ||
  fail "these files stay behind when the packages are removed"
echo "deb_clean_root: both packages install, work and go away in a clean root of Debian $VERSION_ID"
