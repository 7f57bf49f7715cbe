#!/bin/sh
# format.sh [--fix]: whether the C++ and CUDA files that git tracks are as clang-format leaves them.
#
# cmake/unformatted.txt lists files that are not, from before there was this check. It only becomes
# shorter: a file that it names and that is formatted, or gone, has to leave it. --fix formats all
# other files and takes out of the list what need not be there.
#
# Versions of clang-format differ, so that it is Debian 12's or none. Exit status: 0 all is formatted or
# could not be checked, which it says; 1 something is not; 2 wrong options.
set -eu
version=14
cd -- "$(dirname -- "$0")/.."
list=cmake/unformatted.txt

fix=
case "$#,${1:-}" in
  0,) ;;
  1,--fix) fix=yes ;;
  *) echo "format: error: unknown options: $*" >&2; echo "  fix: give --fix or nothing" >&2; exit 2 ;;
esac

format=
for name in "clang-format-$version" clang-format; do
  if "$name" --version 2>/dev/null | grep -q "version $version\."; then format=$name; break; fi
done
if [ -z "$format" ]; then
  echo "format: not checked: there is no clang-format $version" >&2
  exit 0
fi
if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  echo "format: not checked: this is no git checkout" >&2
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh' | LC_ALL=C sort >"$work/tracked"
sed '/^#/d' "$list" | LC_ALL=C sort >"$work/listed"
LC_ALL=C comm -23 "$work/tracked" "$work/listed" >"$work/others"
jobs=$(nproc 2>/dev/null || echo 2)

if [ -n "$fix" ]; then
  xargs -r -P "$jobs" -n 20 "$format" -i <"$work/others"
fi
# The names of those that it would change.
# shellcheck disable=SC2016  # expands in the inner shell
unformatted() {
  xargs -r -P "$jobs" -n 1 sh -c '"$0" --dry-run -Werror "$1" >/dev/null 2>&1 || printf "%s\n" "$1"' "$format" |
    LC_ALL=C sort
}
unformatted <"$work/others" >"$work/wrong"
LC_ALL=C comm -12 "$work/tracked" "$work/listed" | unformatted >"$work/still"
LC_ALL=C comm -23 "$work/listed" "$work/still" >"$work/stale"

if [ -n "$fix" ]; then
  { sed -n '/^#/p' "$list"; cat "$work/still"; } >"$work/list"
  cp "$work/list" "$list"
  : >"$work/stale"
fi
status=0
while read -r file; do
  echo "$file: not formatted" >&2
  status=1
done <"$work/wrong"
while read -r file; do
  echo "$list: $file is formatted or gone, and does not belong here" >&2
  status=1
done <"$work/stale"
[ $status = 0 ] || echo "  fix: cmake/format.sh --fix" >&2
echo "format: $(wc -l <"$work/tracked") files, $(wc -l <"$work/still") of them not formatted yet ($list)" >&2
exit $status
