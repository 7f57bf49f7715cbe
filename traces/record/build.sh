#!/bin/sh
# Builds the recorder library with nvcc and g++ alone: build.sh OUTDIR
# For a GPU machine that lacks what the CMake build needs. Wanted: the CUDA toolkit with its
# compute-sanitizer, and the development files of fmt, zstd and xxHash (static libraries are taken
# where there are some). Set WARPMEM_SANITIZER_DIR, NVCC, CXX, ARCHS ("75 80 90") to override.
set -eu
if [ $# -ne 1 ]; then
  echo "usage: $0 OUTDIR" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
cuda=$(cd "$(dirname "$(readlink -f "$nvcc")")/.." && pwd)
sanitizer=${WARPMEM_SANITIZER_DIR:-$cuda/compute-sanitizer}
for folder in "$sanitizer/include" "$sanitizer"; do
  if [ -e "$folder/sanitizer.h" ]; then include=$folder; break; fi
done
if [ -z "${include:-}" ]; then
  echo "$0: no sanitizer.h under $sanitizer; install the toolkit's compute-sanitizer package" >&2
  exit 6
fi
gencode=
for arch in ${ARCHS:-$("$nvcc" --list-gpu-arch | sed 's/compute_//' | grep -E '^(75|80|86|89|90|100|103|120)$')}; do
  gencode="$gencode -gencode arch=compute_$arch,code=sm_$arch"
done
"$nvcc" -std=c++17 -I"$root" $gencode --fatbin --keep-device-functions \
  -Xptxas --compile-as-tools-patch "$here/patches.cu" -o "$out/patches.fatbin"
version=$(sed -n 's/^project(warpmem VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
static_or_shared() {  # prefers lib$1.a
  if path=$(${CXX:-g++} -print-file-name="lib$1.a") && [ -e "$path" ]; then echo "$path"; else echo "-l$1"; fi
}
# As in CMakeLists.txt: what of the rooms below it needs no other library, and all of this folder but the
# launcher's side.
sources=
for name in errno_kind error output_file printable read_number run_files scratch_folder tool_run units; do
  sources="$sources $root/base/$name.cpp"
done
for file in "$root"/isa/*.cpp "$root"/isa/*/*.cpp "$root"/binary/*/*.cpp "$root"/traces/format/*.cpp "$here"/*.cpp; do
  case "$file" in
    */binary/fatbin/* | */launcher.cpp | */environment.cpp) ;;
    *) sources="$sources $file" ;;
  esac
done
objects=
for file in $sources; do
  object="$out/$(echo "$file" | sed "s|$root/||; s|/|-|g").o"
  ${CXX:-g++} -std=c++20 -O3 -fPIC -fvisibility=hidden \
    -DFMT_HEADER_ONLY -DWARPMEM_VERSION="\"$version\"" -DWARPMEM_PATCHES_FILE="\"$out/patches.fatbin\"" \
    -I"$root" -I"$include" -I"$cuda/include" -c "$file" -o "$object"
  objects="$objects $object"
done
${CXX:-g++} -shared -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,-z,defs \
  -Wl,--version-script="$here/exports.map" \
  -o "$out/libwarpmem_recorder.so" $objects $(static_or_shared zstd) $(static_or_shared xxhash) -lpthread -ldl
echo "built $out/libwarpmem_recorder.so"
