#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: scripts/setup.sh [PACKAGE ...]
# Installs the Debian packages that the build and the tests need and that are missing, and those that
# are named. When none is, it returns at once and touches neither the network nor anything else.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache
  libtbb-dev libhwy-dev                                        # the library
  libcli11-dev libfmt-dev nlohmann-json3-dev libfast-float-dev libmuparser-dev # the tool
  libgtest-dev libbenchmark-dev                                # tests and benchmarks
  libboost-context-dev                                         # the lab; tests of the protocol
  python3 python3-numpy                                        # ./demo and the tests' oracles
  locales                                                      # tests: one with a decimal comma
  clang-19 pkg-config file dpkg-dev groff-base zsh fish        # tests of the packages
  chromium nodejs                                              # tests of the report's page
  "$@"
)
# Other builds of node than Debian's bring npm with them, and exclude its package.
command -v npm >/dev/null || packages+=(npm)

fail() {
  printf 'setup: %s\n' "$1" >&2
  exit 1
}

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  fail "no dpkg and apt-get here. Install what these Debian packages hold: ${packages[*]}.
setup: Then: cmake --workflow --preset release"

# dpkg-query fails when it does not know one of the names; what it prints about the others counts.
installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' \
  "${packages[@]}" 2>/dev/null | sed -n 's/ installed$//p') || true
missing=()
for package in "${packages[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=(env DEBIAN_FRONTEND=noninteractive)
if ((EUID != 0)); then
  command -v sudo >/dev/null || fail "need root or sudo to install: ${missing[*]}"
  as_root=(sudo "${as_root[@]}")
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" \
    >"$log" 2>&1 </dev/null && return
  tail -n 20 "$log" >&2
  fail "apt-get $1 failed; wanted: ${missing[*]}"
}

printf 'setup: installing %s\n' "${missing[*]}" >&2
apt update
apt install --no-install-recommends "${missing[@]}"
