#!/bin/sh
# validate/collect with a stand-in for the profiler and the recorder: what it writes, how it goes
# on after a failure, and that --verify notices a changed file. Needs no GPU.
set -eu
collect=$1/collect
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/build" "$work/out"
cd "$work"

cat > suite.toml <<'TOML'
[[run]]
name = "good"
program = "prog"
args = ["--n", "5"]
[[run]]
name = "crashes"
program = "prog"
args = "crash"
[[run]]
name = "also-good"
program = "prog"
TOML

# The program appends what the profiler would count for its process.
cat > build/prog <<'SH'
#!/bin/sh
echo "output with, commas"
[ "${1:-}" = crash ] && exit 3
[ -z "${FAKE_LOG:-}" ] || echo "\"0\",\"$$\",\"void k<int>(T1 *)\",\"(256, 1, 1)\",\"(4, 1, 1)\",\"0\",\"9.0\",\"1,024\",\"7\"" >> "$FAKE_LOG"
SH
cat > ncu <<'SH'
#!/bin/sh
[ "$1" = --version ] && { echo "Version 2025.3.1.0"; exit 0; }
while [ "$1" != --log-file ]; do shift; done
FAKE_LOG=$2; export FAKE_LOG; shift 2
{ echo '==PROF== Connected'
  echo '"ID","Process ID","Kernel Name","Block Size","Grid Size","Device","CC","dram__sectors_read.sum","unwanted"'
  echo '"","","","","","","","sector",""'; } > "$FAKE_LOG"
"$@"
SH
cat > warpmem <<'SH'
#!/bin/sh
echo trace > "$3"
SH
chmod +x ncu warpmem build/prog
run() { python3 "$collect" --suite suite.toml --build build --out out --ncu "$work/ncu" --warpmem "$work/warpmem" "$@" 2>> log; }
check() { "$@" || { echo "failed: $*"; cat log; exit 1; }; }

status=0; run --repeat 2 || status=$?
check test "$status" = 1                       # one run crashes
for file in good.csv good.repeat.csv good.wmt also-good.csv also-good.wmt provenance.toml; do
  check test -f "out/$file"
done
check test ! -f out/crashes.csv
check grep -q '"0","void k<int>(T1 \*)","(256, 1, 1)","(4, 1, 1)","0","9.0","1024"' out/good.csv
check test "$(grep -c unwanted out/good.csv)" = 0
check grep -q 'crashes: no counters (exit status 3)' log
check grep -q 'program_sha256' out/provenance.toml
check python3 "$collect" --verify --out out 2>> log
before=$(cat out/good.csv; cat out/provenance.toml)
run --missing --only '^good$'                  # nothing to do, nothing changes
check test "$before" = "$(cat out/good.csv; cat out/provenance.toml)"
echo x >> out/good.csv
status=0; python3 "$collect" --verify --out out 2>> log || status=$?
check test "$status" = 1
status=0; run --only nothing || status=$?
check test "$status" = 2
status=0; python3 "$collect" --suite suite.toml --build "$work" --out out 2>> log || status=$?
check test "$status" = 6                       # programs are not built
echo "collect: all checks passed"
