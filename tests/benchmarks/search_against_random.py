#!/usr/bin/env python3
"""The search of `warpmem explore --objective` against random draws, at the same budget, on three spaces.

    tests/benchmarks/search_against_random.py build/warpmem [seeds]

For each space: of so many seeds, the mean of the least objective that each method found, as a part of the least that
anybody found, and how often the search was lower. A sign test says how likely that is by chance.
"""
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../validate/reference/h200")
AREA = "(sm.count * (64 + l1.size / 4096) + l2.size / 16384)"
# Trace, what may change, objective, budget.
SPACES = [
    ("spmv_vector", ["sm.count=8:132:4", "l1.size=32KiB:256KiB:16KiB", "l2.size=2MiB:64MiB:2MiB"], f"cycles * {AREA}", 48),
    ("gather_random", ["sm.count=8:132:4", "l1.size=32KiB:256KiB:16KiB", "l2.size=2MiB:64MiB:2MiB",
                       "loads=recorded,cg,ca"], f"cycles * {AREA}", 48),
    ("histogram_global", ["sm.count=8:132:4", "l1.size=32KiB:256KiB:16KiB", "l2.size=2MiB:64MiB:2MiB",
                          "l2.slices=16:128:16", "port.send_permille=250:2000:250"],
     f"cycles * ({AREA} + 8 * l2.slices + sm.count * port.send_permille / 100)", 64),
]


def least(command, trace, vary, objective, budget, method, seed):
    words = [command, "explore", os.path.join(FOLDER, trace + ".wmt"), "--objective", objective, "--budget", str(budget),
             "--method", method, "--seed", str(seed), "--threads", "1", "--format", "json", "--yes",
             "--set", "launch.dirty_sectors=0"]
    for v in vary:
        words += ["--vary", v]
    out = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return next(p["metrics"][0]["value"] for p in out["points"] if p.get("best"))


def main():
    command, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    print("space             points tried  seeds  random: mean over least  ego: mean over least  ego lower  alike  sign test")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for trace, vary, objective, budget in SPACES:
            runs = {m: list(pool.map(lambda s, m=m: least(command, trace, vary, objective, budget, m, s), range(1, seeds + 1)))
                    for m in ("random", "ego")}
            best = min(runs["random"] + runs["ego"])
            lower = sum(t < r for t, r in zip(runs["ego"], runs["random"]))
            alike = sum(t == r for t, r in zip(runs["ego"], runs["random"]))
            n = seeds - alike
            chance = sum(math.comb(n, k) for k in range(lower, n + 1)) / 2 ** n if n else 1
            mean = {m: sum(v) / len(v) / best for m, v in runs.items()}
            print(f"{trace:17} {budget:12}  {seeds:5}  {mean['random']:22.3f}  {mean['ego']:20.3f}  {lower:9}  {alike:5}"
                  f"  p = {chance:.2g}", flush=True)


if __name__ == "__main__":
    main()
