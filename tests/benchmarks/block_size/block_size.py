#!/usr/bin/env python3
"""Block sizes as explore predicts them, beside what an H200 counted (h200.csv).

    block_size.py WARPMEM

Wants nvcc; with nvdisasm the machine code is replayed, as in the table of docs/measurements/sweeps.md.
"""
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def counted():
    """(kernel, block, metric) -> value"""
    with open(os.path.join(HERE, "h200.csv"), encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(r["kernel"], int(r["block"]), r["metric"]): int(r["value"]) for r in rows}


def predicted(warpmem, kernel, metrics):
    """(block, metric) -> value"""
    command = f"'{warpmem}' emulate -o '{{trace}}' '{os.path.join(HERE, kernel)}.cu' -DBLOCK={{block}}"
    run = subprocess.run(
        [warpmem, "explore", "--gpu", "h200", "--vary", "block=32:1024", "--make", command, "--format", "json",
         *(word for m in metrics for word in ("--metric", m))],
        check=True, stdout=subprocess.PIPE)
    return {(int(p["values"]["block"]), m["metric"]): m["value"]
            for p in json.loads(run.stdout)["points"] for m in p["metrics"]}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    measured = counted()
    metrics = sorted({m for _, _, m in measured})
    for kernel in sorted({k for k, _, _ in measured}):
        print(f"{kernel}: predicted / counted")
        for (block, metric), value in sorted(predicted(os.path.abspath(sys.argv[1]), kernel, metrics).items()):
            there = measured[kernel, block, metric]
            print(f"  {block:5} {metric:52} {value:10.0f} / {there:10}" +
                  (f"  {100 * (value / there - 1):+.1f} %" if there else ""))


if __name__ == "__main__":
    main()
