#!/usr/bin/env python3
"""Whether two builds of warpmem say the same of every trace of the repository, on both engines."""
import argparse
import itertools
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAYS = {
    "counts": ["--counts"],
    "time": ["--time"],
}
SHOWN = 8  # metrics of a launch


def says(command, trace, way, gpu):
    """Status and output: an error that both report is the same as well."""
    done = subprocess.run([command, "replay", str(trace), "--partial", "--format", "json", "--all",
                           "--threads", "1", *WAYS[way], *(["--gpu", gpu] if gpu else [])],
                          capture_output=True)
    return done.returncode, done.stdout, done.stderr


def changed(old, new):
    """ "12 -> 15 (+25 %)" """
    text = f"{json.dumps(old)} -> {json.dumps(new)}"
    numbers = all(isinstance(x, (int, float)) for x in (old, new))
    return text + (f" ({(new - old) / old:+.2%})" if numbers and old else "")


def compare_launches(old, new, added):
    """Lines that say how the kernels' metrics differ. Metrics that are new are none of it: they go
    into `added`."""
    if len(old) != len(new):
        return [f"{len(old)} launches -> {len(new)}"]
    lines = []
    for before, after in zip(old, new):
        name = f"launch {before.get('launch')} {before.get('name')}"
        found = [f"{key}: {changed(before.get(key), after.get(key))}"
                 for key in ("launch", "name", "grid", "block") if before.get(key) != after.get(key)]
        metrics, others = before["metrics"], after["metrics"]
        added.update(others.keys() - metrics.keys())
        for metric, value in sorted(metrics.items()):
            if metric not in others:
                found.append(f"{metric}: {json.dumps(value)} -> not there")
            elif others[metric] != value:
                found.append(f"{metric}: {changed(value, others[metric])}")
        if found:
            lines += [f"{name}: {len(found)} differ", *("  " + f for f in found[:SHOWN])]
            if len(found) > SHOWN:
                lines.append(f"  and {len(found) - SHOWN} more")
    return lines


def compare_metrics(before, after, added):
    if before[0] != after[0]:
        words = (after[2] or before[2]).decode("utf-8", "replace").splitlines()[:1]
        return [f"exit status {before[0]} -> {after[0]}", *words]
    if before[0] != 0:
        return []
    return compare_launches(json.loads(before[1])["kernels"], json.loads(after[1])["kernels"], added)


def compare_bytes(before, after, _added):
    kinds = ("exit status", "output", "messages")
    return [f"{kind} differ" for kind, a, b in zip(kinds, before, after) if a != b]


def options():
    parser = argparse.ArgumentParser(
        description=__doc__ + " For changes that are to make a replay faster, or the code clearer, and nothing else.",
        epilog="Ends with 1 if anything differs, and with 2 if nothing was compared.")
    parser.add_argument("old", metavar="OLD", help="the command before the change")
    parser.add_argument("new", metavar="NEW", help="the command after it")
    parser.add_argument("traces", metavar="TRACE", nargs="*", type=pathlib.Path,
                        help="these traces, not the repository's")
    parser.add_argument("--metrics-only", action="store_true",
                        help="compare the kernels' metrics of the reference traces; not the card, notes, "
                             "messages, nor metrics that only NEW has. Without it every byte counts")
    parser.add_argument("--engine", choices=WAYS, help="on this engine only")
    parser.add_argument("--gpu", action="append", metavar="NAME",
                        help="replay on this card, not on the trace's own; may be given several times")
    parser.add_argument("--some", type=int, metavar="N", help="N of the traces, evenly over all of them")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="comparisons at once (2)")
    return parser.parse_args()


def main():
    wanted = options()
    traces = wanted.traces or sorted(ROOT.glob("validate/reference/**/*.wmt"))
    if not wanted.traces and not wanted.metrics_only:
        traces += sorted(ROOT.glob("tests/**/*.wmt"))
    if wanted.some and wanted.some < len(traces):
        traces = [traces[i * len(traces) // wanted.some] for i in range(wanted.some)]
    gpus = wanted.gpu or [None]
    compare = compare_metrics if wanted.metrics_only else compare_bytes
    ways = [wanted.engine] if wanted.engine else list(WAYS)
    replayed = differ = 0
    added = set()

    def both(task):
        return task, says(wanted.old, *task), says(wanted.new, *task)

    with ThreadPoolExecutor(wanted.jobs) as pool:
        for (trace, way, gpu), before, after in pool.map(both, itertools.product(traces, ways, gpus)):
            replayed += before[0] == 0 and after[0] == 0
            lines = compare(before, after, added)
            if lines:
                differ += 1
                shown = trace.relative_to(ROOT) if trace.is_relative_to(ROOT) else trace
                print(f"differs: {shown} ({way}{f', {gpu}' if gpu else ''})", *lines, sep="\n  ", flush=True)
    for metric in sorted(added):
        print(f"only in NEW: {metric}")
    print(f"{len(traces)} traces, {replayed} replays, {differ} differ")
    sys.exit(1 if differ else 0 if replayed else 2)


main()
