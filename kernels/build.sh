#!/bin/sh
# Builds every program of this folder with nvcc alone: build.sh OUTDIR [ARCH]
# ARCH is an nvcc -arch value such as sm_90 or native; without it the same architectures as the
# CMake build. JOBS=N sets how many compile at once, NVCC the compiler.
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: $0 OUTDIR [ARCH]" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! command -v "$nvcc" >/dev/null; then
  echo "$0: no nvcc on the PATH; install the CUDA toolkit or set NVCC=/path/to/nvcc" >&2
  exit 6
fi
if [ $# -eq 2 ]; then
  arch="-arch=$2"
else
  arch="-gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80"
  arch="$arch -gencode arch=compute_90,code=sm_90 -gencode arch=compute_90,code=compute_90"
fi
export nvcc arch here out
cd "$here"
# One compiler a program; the status is not zero when any of them failed.
ls ./*.cu | xargs -P "${JOBS:-$(nproc)}" -I{} sh -c '
  name=$(basename "$1" .cu)
  if "$nvcc" -O3 -std=c++17 -lineinfo $arch -o "$out/$name" "$here/$name.cu"; then
    echo "built $name"
  else
    echo "failed to build $name" >&2
    exit 1
  fi' _ {}
