#!/bin/sh
# Puts Zig, whose C++ compiler `cmake --preset web` needs, into build-web/tools: the Python package "ziglang", about
# 100 MB. Exit status: 0 it is there, 6 it cannot be had (no network, no pip).
set -u
version=0.17.1
source_dir=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
tools=$source_dir/build-web/tools
[ -x "$tools/ziglang/zig" ] && exit 0
python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$tools" "ziglang==$version" >&2 && exit 0
echo "get_zig: error: the Python package ziglang $version cannot be installed" >&2
echo "  fix: with a network: apt-get install python3-pip, then web/get_zig.sh; or give -DWARPMEM_ZIG=/path/to/zig" >&2
exit 6
