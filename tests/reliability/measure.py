"""measure.py BUILD [--fuzz FOLDER]: what each promise of reliability was tried with, as docs/measurements/reliability.md shows it.

figures.csv: a row a test that holds a promise: a Catch2 program and its test cases (* at an end stands for anything), or `e2e` and
a test of tests/e2e. Each runs; a check is an assertion of Catch2. With --fuzz the page has what the targets' logs say, which ./check --nightly fuzz
leaves in build-fuzz/finds.
BUILD/Testing/nightly.csv, which ./check --nightly writes, has how its parts ended.
"""
import argparse
import collections
import csv
import datetime
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
PAGE = SOURCE / "docs/measurements/reliability.md"


def catch2(build, program, test):
    done = subprocess.run([build / "bin" / program, test], capture_output=True, text=True)
    summary = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""
    cases = re.search(r"(\d+) assertions? in (\d+) test case", summary)
    if done.returncode != 0 or not cases or int(cases[2]) == 0:
        raise SystemExit(f"measure: {program} '{test}' failed\n{done.stdout}{done.stderr}")
    return int(cases[1])


def end_to_end(build, test):
    environment = dict(os.environ, WARPMEM=str(build / "warpmem"), MAKE_TRACE=str(build / "bin/make_trace"),
                       ANSWER_QUESTIONS=str(build / "bin/answer_questions"), WARPMEM_SOURCE=str(SOURCE),
                       FAIL_ALLOCATION_LIBRARY=str(next(build.rglob("libfail_allocation.so"), "")))
    done = subprocess.run([sys.executable, "-B", "-m", "unittest", test], cwd=SOURCE / "tests/e2e", env=environment,
                          capture_output=True, text=True)
    if done.returncode != 0 or "skipped" in done.stderr or "Ran 1 test" not in done.stderr:
        raise SystemExit(f"measure: {test} failed or did not run\n{done.stderr}")


def fuzzed(folder):
    """(target, seconds, executions, whether something was found) of each log."""
    for log in sorted(folder.glob("*.log")):
        said = log.read_text(errors="replace")
        runs = re.search(r"number_of_executed_units: (\d+)", said)
        took = re.search(r"Done \d+ runs in (\d+) second", said)
        if not runs:
            raise SystemExit(f"measure: {log} is of no run that ended")
        yield log.stem, int(took[1]) if took else None, int(runs[1]), "SUMMARY: " in said


def tries(build):
    """figure -> [promise, tests, checks, seconds]"""
    out = {}
    with open(HERE / "figures.csv", newline="") as file:
        for row in csv.DictReader(file):
            started = time.monotonic()
            if row["program"] == "e2e":
                end_to_end(build, row["test"])
                checks = 0
            else:
                checks = catch2(build, row["program"], row["test"])
            mine = out.setdefault(row["figure"], [row["promise"], [], 0, 0.0])
            name = row["test"].rpartition(".")[2] if row["program"] == "e2e" else row["test"]
            mine[1].append(f"{'e2e' if row['program'] == 'e2e' else row['program']}: {name}")
            mine[2] += checks
            mine[3] += time.monotonic() - started
    return out


def page(build, logs):
    text = ["# Reliability, as it was tried", "",
            "Written by `tests/reliability/measure.py` from the runs themselves; [promises](../reference/promises.md) has all tests.",
            f"{datetime.date.today()}, {os.cpu_count()} processors. A check is an assertion; tests of the command from",
            "outside count none. All passed, or this page would not have been written.", "",
            "| | promise | tests | checks | seconds |", "|---|---|---|---:|---:|"]
    for figure, (promise, tests, checks, took) in tries(build).items():
        shown = "; ".join(f"`{t}`" for t in tests)
        text.append(f"| {figure} | {promise} | {shown} | {format(checks, ',') if checks else ''} | {took:.0f} |")
    corpus = collections.Counter(p.parent.name for p in (SOURCE / "tests/fuzz/corpus").rglob("*") if p.is_file())
    text += ["", f"R5: {sum(corpus.values())} inputs that fuzzing found or that began it are kept in `tests/fuzz/corpus`, "
             "and are tried at each run of their targets.", ""]
    if logs:
        text += ["R4, under the address and undefined-behaviour sanitizers:", "",
                 "| target | seconds | executions | finds |", "|---|---:|---:|---|"]
        text += [f"| {name} | {took or 'until the find'} | {runs:,} | {'one' if found else 'none'} |"
                 for name, took, runs, found in fuzzed(logs)]
        text.append("")
    nightly = build / "Testing/nightly.csv"
    if nightly.exists():
        text += ["Parts of `./check --nightly`, each run to its end:", "", "| part | date | minutes | processors | ended |",
                 "|---|---|---:|---:|---|"]
        with open(nightly, newline="") as file:
            text += [f"| {r[0]} | {r[1]} | {r[2]} | {r[3]} | {r[4]} |" for r in csv.reader(file)]
        text.append("")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--fuzz", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    PAGE.write_text(page(options.build.resolve(), options.fuzz).rstrip() + "\n")


if __name__ == "__main__":
    main()
