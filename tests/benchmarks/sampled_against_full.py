#!/usr/bin/env python3
"""`replay --sample` against the full replay: how far off, how much faster, and whether the intervals hold.

    tests/benchmarks/sampled_against_full.py build/warpmem [--threads N] [--seeds N] [--options '--set sm.count=8'] TRACE...

For each counter: of the launches that were sampled (not replayed whole), how many intervals of 95 % hold what the full
replay says; the median and the 90th percentile of the error; and the processor time of both, one thread each.
"""
import argparse
import json
import os
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

COUNTERS = ["sm__cycles_elapsed.max", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "lts__t_sectors_srcunit_tex_op_read.sum",
            "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "dram__sectors_read.sum", "dram__sectors_write.sum"]


def replay(command, *words):
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([command, "replay", *words, "--threads", "1", "--format", "json"], stdout=out,
                                   stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return (json.load(out) if process.returncode == 0 else None), used.ru_utime + used.ru_stime


def sampled_at_all(sampled):
    return sampled is not None and any(g["windows"] or g["replayed"] < g["launches"] for g in sampled["groups"])


def one(arguments, trace):
    rows, truth = [], None
    for seed in range(1, arguments.seeds + 1):
        sampled, sampled_s = replay(arguments.command, trace, "--sample", "--seed", str(seed), *shlex.split(arguments.options))
        if not sampled_at_all(sampled):
            return []
        if truth is None:
            full, full_s = replay(arguments.command, trace, *shlex.split(arguments.options))
            truth = {c: sum(k["metrics"].get(c, 0) for k in full["kernels"]) for c in COUNTERS}
        rows.append((trace, truth, sampled["metrics"], full_s, sampled_s, sampled["records"], sampled["records_replayed"]))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--options", default="")
    parser.add_argument("--each", action="store_true", help="a line for each launch, too")
    arguments = parser.parse_args()
    with ThreadPoolExecutor(arguments.threads) as pool:
        rows = [r for of in pool.map(lambda t: one(arguments, t), arguments.traces) for r in of]
    print(f"{len(rows)} samples of {len({r[0] for r in rows})} traces; of {sum(r[5] for r in rows):,} records "
          f"{sum(r[6] for r in rows):,} replayed; {sum(r[3] for r in rows):.1f} s in full, {sum(r[4] for r in rows):.1f} s sampled")
    print("counter                                                     held  of   median error  90th percentile  median interval")
    for counter in COUNTERS:
        errors, held, widths = [], 0, []
        for trace, truth, metrics, full_s, sampled_s, *_ in rows:
            if counter not in metrics or truth[counter] < 1000:
                continue
            m = metrics[counter]
            off = abs(m["estimate"] - truth[counter])
            errors.append(off / truth[counter])
            widths.append(m["half_width"] / truth[counter])
            held += off <= m["half_width"] + 0.5
            if arguments.each:
                print(f"    {trace.split('/')[-1]:40} {counter[:30]:30} {truth[counter]:14,} {m['estimate']:16,.0f} ± {m['half_width']:12,.0f}"
                      f"  {full_s:.1f} s {sampled_s:.1f} s")
        if errors:
            errors.sort()
            widths.sort()
            print(f"{counter:58} {held:5} {len(errors):4}  {100 * errors[len(errors) // 2]:10.2f} %  "
                  f"{100 * errors[len(errors) * 9 // 10]:13.2f} %  {100 * widths[len(widths) // 2]:13.2f} %", flush=True)


if __name__ == "__main__":
    main()
