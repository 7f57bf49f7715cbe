"""What an H100 counted of the suite against its card: counters that addresses alone decide are equal, but for
the deviations that an H200 has too, and cycles are within 8 % in the median. test_h100.py WARPMEM"""
import json
import os
import subprocess
import sys

# Small programs in the shape of public ones (kernels/micro/shapes.cu).
SHAPES = os.path.join(os.path.dirname(__file__), "../../validate/reference/h100-shapes")
REFERENCE = os.path.join(os.path.dirname(__file__), "../../validate/reference/h100")


def main():
    out = subprocess.run([sys.argv[1], "validate", "--gpu", "h100_sxm", "--time", "--format", "json"],
                         capture_output=True, text=True)
    report = json.loads(out.stdout)
    problems = []
    if len(report["launches"]) != 191:
        problems.append(f"{len(report['launches'])} launches instead of 191")
    for row in report["summary"]:
        if row["match"] == "exact" and row["failed"]:
            problems.append(f"{row['metric']}: {row['failed']} launches differ")
        if row["metric"] == "sm__cycles_elapsed.max":
            print(f"cycles: median {row['median']:.1%}, 90th percentile {row['p90']:.1%}")
            if row["median"] > 0.08:
                problems.append(f"cycles are {row['median']:.1%} off in the median, more than 8 %")
    shapes = subprocess.run([sys.argv[1], "validate", "--gpu", "h100_sxm", "--time", "--suite", SHAPES],
                            capture_output=True, text=True)
    if shapes.returncode != 0:
        problems.append(f"validate --suite {SHAPES} ends {shapes.returncode}: {shapes.stdout[-2000:]}{shapes.stderr}")
    if out.returncode != 0:
        problems.append(f"{report['failed']} counters are outside their band, and no deviation names them")
    # A folder is judged by the GPU that it was counted on.
    folder = subprocess.run([sys.argv[1], "validate", "--suite", REFERENCE, "--format", "json"], capture_output=True, text=True)
    if json.loads(folder.stdout)["gpu"] != "h100_sxm" or folder.returncode != 0:
        problems.append(f"validate --suite {REFERENCE} ends {folder.returncode}, judged by {json.loads(folder.stdout)['gpu']}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
