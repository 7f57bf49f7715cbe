#!/bin/sh
# nightly.sh [PART]...: what ./check --nightly runs after all tests: slow tests, an hour's soak, clang-tidy, Python's
# stacks, the sanitizers, coverage, and the fuzz targets for ten minutes each (WARPMEM_FUZZ_SECONDS says
# otherwise). Goes on after a failure; names all at its end, and how long each part took.
set -u
cd -- "$(dirname -- "$0")/.." || exit 70
jobs=$(nproc 2>/dev/null || echo 2)
seconds=${WARPMEM_FUZZ_SECONDS:-600}
failed=

tidy() {
  # Built first: some headers are generated. Without precompiled headers, which only g++ can read.
  cmake --preset debug -DWARPMEM_CUDA=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON &&
    cmake --build --preset debug --target warpmem &&
    run-clang-tidy -p build-debug -quiet -j "$jobs"
}

# sanitizer PRESET: all tests but the longest ones, which take hours there.
sanitizer() {
  cmake --preset "$1" -DWARPMEM_BENCHMARKS=OFF && cmake --build --preset "$1" &&
    ctest --preset "$1" -LE long -j "$jobs" --timeout 7200
}

# Each of tests/fuzz/CMakeLists.txt. A find stays in build-fuzz/finds, and each target's log.
fuzz() {
  targets="trace records import instruction ptx ncu_csv nvprof_csv card pattern program cubin store machine_code"
  finds=build-fuzz/finds
  # shellcheck disable=SC2046,SC2086  # lists of words
  cmake --preset fuzz && cmake --build --preset fuzz --target $(printf 'fuzz_%s ' $targets) || return 1
  for target in $targets; do
    # New inputs go to the first folder, so that the corpus stays as it is.
    set -- "$finds/$target"
    mkdir -p "$1"
    [ ! -d "tests/fuzz/corpus/$target" ] || set -- "$@" "tests/fuzz/corpus/$target"
    "build-fuzz/bin/fuzz_$target" -max_total_time="$seconds" -print_final_stats=1 \
      -artifact_prefix="$finds/$target-" "$@" >"$finds/$target.log" 2>&1 || failed="$failed fuzz_$target"
    tail -n 6 "$finds/$target.log"
  done
}

# Every bit of a small sweep's file, and whatever else is too long for every day.
slow() {
  build/bin/test_sweep '[.slow]' &&
    WARPMEM_THOROUGH=1 ctest --test-dir build -R 'e2e_outputs|instructions|validate_bottleneck|validate_other_sizes|window' -j "$jobs" \
      --output-on-failure --timeout 3600
}

# An hour of replays in one process (WARPMEM_SOAK_SECONDS says otherwise): its memory does not grow.
soak() { build/bin/test_sim '[.soak]'; }

# Kernels that Python's stacks compile: their packages take some GB.
python() {
  WARPMEM_PYTHON_STACKS=$PWD/build/python-stacks ctest --test-dir build -R e2e_python_stacks --timeout 14400 --output-on-failure
}

# Lines of what reads other people's files. Whether the tests pass is not asked here: programs that are measured say
# things of their own on stderr.
coverage() {
  cmake --preset coverage && cmake --build --preset coverage || return 1
  ctest --preset coverage -L 'quick|whole' -j "$jobs" --timeout 3600
  python3 -B tests/reliability/coverage.py build-coverage
}

asan() { sanitizer asan; }
tsan() { sanitizer tsan; }

[ $# -gt 0 ] || set -- slow soak tidy python asan tsan coverage fuzz
took=
for part in "$@"; do
  started=$(date +%s)
  ended=passed
  "$part" || { failed="$failed $part"; ended=failed; }
  minutes=$((($(date +%s) - started) / 60))
  took="$took, $part $minutes min"
  mkdir -p build/Testing
  echo "$part,$(date +%F),$minutes,$jobs,$ended" >>build/Testing/nightly.csv
done
echo "nightly: ${took#, }" >&2
[ -z "$failed" ] || { echo "nightly: failed:$failed" >&2; exit 1; }
echo "nightly: all passed" >&2
