"""The suite at its other sizes: what is off is a known deviation. test_sizes.py WARPMEM

By the counts engine; with WARPMEM_THOROUGH=1, as ./check --nightly sets it, by the time engine too."""
import os
import subprocess
import sys

SIZES = os.path.join(os.path.dirname(__file__), "../../validate/reference/h200-sizes")


def main():
    problems = []
    for engine in ((), ("--time",)) if os.environ.get("WARPMEM_THOROUGH") else ((),):
        run = subprocess.run([sys.argv[1], "validate", "--suite", SIZES, *engine], capture_output=True, text=True)
        if run.returncode != 0:
            problems.append(f"validate --suite {SIZES} {' '.join(engine)} ends {run.returncode}: "
                            f"{run.stdout[-3000:]}{run.stderr}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
