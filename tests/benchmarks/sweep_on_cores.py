#!/usr/bin/env python3
"""A sweep of 1,000 points on 1, 2, 4, … threads, beside the sum of its points' times.

    tests/benchmarks/sweep_on_cores.py build/warpmem TRACE [most threads]
"""
import os
import subprocess
import sys
import time

SPACE = ["--counts", "--vary", "l1.size=32KiB:256KiB:8KiB", "--vary", "l2.size=2MiB:69MiB:2MiB", "--set", "launch.dirty_sectors=0",
         "--yes", "--format", "csv"]


def main():
    command, trace, most = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else os.cpu_count()
    threads, first, outputs = 1, None, set()
    print("threads  seconds  faster  seconds x threads / one thread's")
    while threads <= most:
        begin = time.monotonic()
        out = subprocess.run([command, "explore", trace, *SPACE, "--threads", str(threads)], check=True,
                             capture_output=True, text=True).stdout
        took = time.monotonic() - begin
        first = first or took
        outputs.add(out)
        print(f"{threads:7}  {took:7.1f}  {first / took:6.2f}  {took * threads / first:.2f}", flush=True)
        threads *= 2
    points = len({line.split(",")[0] for line in outputs.pop().splitlines()[1:]})
    print(f"{points} points; the outputs are {'alike' if not outputs else 'NOT alike'}")


if __name__ == "__main__":
    main()
