#!/bin/sh
# run-tests.sh BUILD [OPTION...]: runs ctest with these options and counts the test cases behind it (one ctest entry is one test
# program, with many cases each).
set -u
build=$1
shift
log=$build/Testing/check.log
mkdir -p "$build/Testing"

jobs=$(nproc 2>/dev/null || echo 2)
ctest --test-dir "$build" --output-on-failure -j "$jobs" --output-junit "$build/Testing/junit.xml" \
  "$@" |
  tee "$log"
passed=$(sed -n '/tests passed/p' "$log")
cases=$(
  for program in "$build"/bin/test_*; do
    [ -x "$program" ] && "$program" --list-test-names-only 2>/dev/null
  done | grep -c .
)
echo
steps=$(cat "$(dirname -- "$0")"/../tests/e2e/test_*.py | grep -c '    def test_')
echo "test cases there are: $cases in the rooms, $steps end to end"
echo "$passed"
case $passed in
  100%*) exit 0 ;;
  *) exit 1 ;;
esac
