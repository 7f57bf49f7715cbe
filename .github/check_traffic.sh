#!/bin/sh
# What the action does, and what runs without GitHub as well: emulates INPUT_PROGRAM, replays it on INPUT_GPU, and holds
# that against INPUT_GOLDEN. The table goes into the job's summary. Ends 1 when a rule of INPUT_FAIL_ON applies.
set -eu
: "${INPUT_PROGRAM:?CUDA source or a program}"
gpu=${INPUT_GPU:-h200}
golden=${INPUT_GOLDEN:-}
summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
folder=${RUNNER_TEMP:-$(mktemp -d)}
warpmem=${WARPMEM:-warpmem}

# shellcheck disable=SC2086  # words of a command line
"$warpmem" emulate -o "$folder/trace.wmt" --force --gpu "$gpu" $INPUT_PROGRAM
"$warpmem" replay "$folder/trace.wmt" --gpu "$gpu" --format json -o "$folder/result.json" --force
{
  echo "### Memory traffic on $gpu"
  echo '```'
  "$warpmem" replay "$folder/trace.wmt" --gpu "$gpu"
  echo '```'
} >>"$summary"
[ -n "$golden" ] || exit 0
if [ ! -f "$golden" ]; then
  cp "$folder/result.json" "$golden"
  echo "There was no $golden: it has been written; commit it." >>"$summary"
  exit 0
fi
status=0
difference=$("$warpmem" diff "$golden" "$folder/result.json" --fail-on "${INPUT_FAIL_ON:-l2_sectors>+5%,cycles>+10%}") ||
  status=$?
{
  echo "### Against $golden"
  echo '```'
  echo "$difference"
  echo '```'
} >>"$summary"
exit "$status"
