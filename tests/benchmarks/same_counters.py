#!/usr/bin/env python3
"""Whether two builds of warpmem say the same: same_counters.py OLD NEW [TRACE...]

Replays every trace of the repository, and those given, with both, on both engines, and compares
what they print byte by byte. For changes that are to make a replay faster and nothing else.
Exits with 1 if anything differs.
"""
import itertools
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAYS = {
    "counts": ["--counts"],
    "time": ["--time"],
}


def says(command, trace, way):
    """Status and output: an error that both report is the same as well."""
    done = subprocess.run([command, "replay", str(trace), "--partial", "--format", "json", "--all",
                           "--threads", "1", *WAYS[way]], capture_output=True)
    return done.returncode, done.stdout, done.stderr


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    old, new, *more = sys.argv[1:]
    traces = sorted(ROOT.glob("validate/reference/**/*.wmt")) + sorted(ROOT.glob("tests/**/*.wmt"))
    traces += [pathlib.Path(t) for t in more]
    replayed = differ = 0

    def both(task):
        return task, says(old, *task), says(new, *task)

    with ThreadPoolExecutor(2) as pool:
        for (trace, way), before, after in pool.map(both, itertools.product(traces, WAYS)):
            replayed += before[0] == 0
            if before != after:
                differ += 1
                print(f"differs: {trace} ({way})", flush=True)
    print(f"{len(traces)} traces, {replayed} replays, {differ} differ")
    sys.exit(1 if differ or not replayed else 0)


main()
