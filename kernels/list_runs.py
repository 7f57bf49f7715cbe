#!/usr/bin/env python3
"""Prints the runs of suite.toml, one a line, for shell loops.

    list_runs.py                     name<TAB>program<TAB>arguments
    list_runs.py --sizes             name<TAB>program<TAB>arguments, for the l1, l2 and dram sizes;
                                     the name has .l1, .l2 or .dram behind it
    list_runs.py --cc 80             leaves out what needs a newer GPU than compute capability 8.0
    list_runs.py --deterministic     leaves out runs whose instructions differ from run to run
    list_runs.py --check BUILD_DIR   compares suite.toml and README.md with the built programs
"""
import argparse
import os
import pathlib
import subprocess
import sys

try:
    import tomllib
except ImportError:  # Python before 3.11
    try:
        import tomli as tomllib
    except ImportError:
        sys.exit("list_runs.py needs Python 3.11, or the package tomli (pip install tomli)")

SUITE = pathlib.Path(__file__).resolve().parent / "suite.toml"


def with_size(args, size):
    at = args.index("--size") + 1
    return args[:at] + [str(size)] + args[at + 1:]


def check(runs, sizes, build):
    """Each variant of each program occurs in exactly one run and one line of README.md."""
    problems = []
    readme = (SUITE.parent / "README.md").read_text(encoding="utf-8")
    listed = {(r["program"], r["args"][r["args"].index("--variant") + 1]): r for r in runs}
    for (program, variant), run in listed.items():
        if run["name"] != f"{program}_{variant}":
            problems.append(f"run {run['name']} should be named {program}_{variant}")
    sources = sorted(p.stem for p in SUITE.parent.glob("*.cu"))
    for program in sources:
        output = subprocess.run(
            [build / program, "--list"], capture_output=True, text=True, check=True)
        for variant in output.stdout.split():
            if f"| `{program}_{variant}` |" not in readme:
                problems.append(f"README.md does not explain {program}_{variant}")
            if (program, variant) not in listed:
                problems.append(f"suite.toml has no run of {program} {variant}")
            listed.pop((program, variant), None)
    problems += [f"suite.toml: {program} has no variant {variant}" for program, variant in listed]
    if len({r["name"] for r in runs}) != len(runs):
        problems.append("suite.toml has two runs of one name")
    if [s["run"] for s in sizes] != [r["name"] for r in runs]:
        problems.append("suite.toml: [[sizes]] and [[run]] name different runs, or in other order")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--cc", type=int, default=999)
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--check", metavar="BUILD_DIR", type=pathlib.Path)
    options = parser.parse_args()
    suite = tomllib.loads(SUITE.read_text(encoding="utf-8"))
    runs, sizes = suite["run"], suite["sizes"]
    if options.check:
        return check(runs, sizes, options.check)
    sizes_of = {s["run"]: s for s in sizes}
    for run in runs:
        if run.get("needs_cc", 75) > options.cc:
            continue
        if options.deterministic and not run.get("deterministic", True):
            continue
        if not options.sizes:
            print(run["name"], run["program"], " ".join(run["args"]), sep="\t")
            continue
        for level in ("l1", "l2", "dram"):
            if level in sizes_of[run["name"]]:
                args = with_size(run["args"], sizes_of[run["name"]][level])
                print(f"{run['name']}.{level}", run["program"], " ".join(args), sep="\t")
    return 0


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader had enough, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)
