#!/usr/bin/env python3
"""Replays the reference traces on every card, on both engines, and prints what cannot be: numbers that are none, below
nothing, beyond a hundred per cent or a card's peak, launches without cycles, errors without a fix."""
import argparse
import collections
import itertools
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import plausible  # noqa: E402

FOLDERS = ("validate/reference/h200", "validate/reference/h100-shapes", "tests/sim/traces", "tests/traces/golden")


def options():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Ends with 1 if anything cannot be.")
    parser.add_argument("command", help="the warpmem that is tried")
    parser.add_argument("traces", nargs="*", type=pathlib.Path, help="these traces, not the repository's")
    parser.add_argument("--gpu", action="append", metavar="NAME", help="this card (all that are built in)")
    parser.add_argument("--engine", choices=("counts", "time"), help="this engine alone")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="replays at once (1)")
    parser.add_argument("--skipped", action="store_true", help="print what cards refuse or skip, too")
    return parser.parse_args()


def run(command, *arguments):
    done = subprocess.run([command, *arguments], capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout, done.stderr


def cards_of(command):
    listed = json.loads(run(command, "gpus", "--format", "json")[1])
    return [card["name"] for card in listed["cards"]]


def main():
    wanted = options()
    traces = wanted.traces or sorted(t for f in FOLDERS for t in (ROOT / f).glob("*.wmt"))
    cards = wanted.gpu or cards_of(wanted.command)
    engines = [wanted.engine] if wanted.engine else ["counts", "time"]
    peaks = {card: plausible.peaks_of(json.loads(run(wanted.command, "gpus", card, "--format", "json")[1])["card"])
             for card in cards}

    def one(task):
        card, engine, trace = task
        status, out, err = run(wanted.command, "replay", str(trace), "--gpu", card, "--" + engine, "--partial",
                               "--threads", "1", "--format", "json", "--all")
        return task, status, err, plausible.wrong_with(status, out, err, engine, peaks[card])

    replays, refused, wrong = collections.Counter(), collections.Counter(), collections.Counter()
    with ThreadPoolExecutor(wanted.jobs) as pool:
        for (card, engine, trace), status, err, found in pool.map(one, itertools.product(cards, engines, traces)):
            replays[card] += status == 0
            refused[card] += status == 2
            wrong[card] += bool(found)
            for text in found:
                print(f"{card} {engine} {trace.stem}: {text}", flush=True)
            if status == 2 and wanted.skipped:
                print(f"{card} {engine} {trace.stem}: refused: {err.strip()}", flush=True)
    for card in cards:
        print(f"{card}: {replays[card]} replays, {refused[card]} refused, {wrong[card]} with something that cannot be")
    sys.exit(1 if sum(wrong.values()) else 0 if sum(replays.values()) else 2)


if __name__ == "__main__":
    main()
