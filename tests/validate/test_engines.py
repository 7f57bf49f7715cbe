#!/usr/bin/env python3
"""The time engine's counters against the counts engine's, both compared with an H200's: over the suite its
order of events brings them closer to hardware, or at least no further. And the accuracy that is shown beside
a replay's numbers is that of these comparisons; with the known deviations validation in time
ends 0. test_engines.py WARPMEM validate/accuracy.csv"""
import collections
import csv
import json
import statistics
import subprocess
import sys

# The counters that hang on the order of accesses, and how much the errors may add up to more in time (in
# errors of 191 launches, relative to the GPU). docs/measurements/cycles.md has the sums and says where the differences are.
GROUPS = {
    "L1 hits": (["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                 "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum"], 0.3),
    "L2 sectors read": (["lts__t_sectors_srcunit_tex_op_read.sum"], 0.25),
    "L2 sectors written": (["lts__t_sectors_srcunit_tex_op_write.sum"], 0.1),
    "L2 hits": (["lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
                 "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum"], -3),
    "L2 requests": (["lts__t_requests_srcunit_tex_op_read.sum",
                     "lts__t_requests_srcunit_tex_op_write.sum"], -3),
    "sectors that SMs get and send": (["l1tex__m_xbar2l1tex_read_sectors.sum",
                                       "l1tex__m_l1tex2xbar_write_sectors.sum"], 0),
    "DRAM sectors": (["dram__sectors_read.sum", "dram__sectors_write.sum"], 0.05),
}


def compared(warpmem, *engine):
    """What one engine says of the suite: sums of errors, launches, and each metric's errors by level of the trace."""
    out = subprocess.run([warpmem, "validate", "--no-deviations", "--format", "json", *engine],
                         capture_output=True, text=True).stdout
    report = json.loads(out)
    floors = {s["metric"]: s["floor"] for s in report["summary"]}
    sums, each = collections.Counter(), collections.defaultdict(list)
    for launch in report["launches"]:
        for metric, m in launch["metrics"].items():
            if "judged" not in m:
                continue
            sums[metric] += abs(m["judged"])
            size = max(m["predicted"], m["measured"])
            if size and size >= floors[metric]:
                each[launch["level"], metric].append((abs(m["judged"]), m["predicted"] == m["measured"]))
    return report["engine"], sums, len(report["launches"]), each


def wrong_accuracy(path, engine, each):
    """Rows of the file that are not what was compared just now."""
    with open(path, encoding="utf-8") as file:
        rows = {(r["level"], r["metric"]): r for r in csv.DictReader(file) if (r["gpu"], r["engine"]) == ("h200", engine)}
    for level, metric in sorted(set(rows) | set(each)):
        errors = sorted(error for error, _ in each.get((level, metric), []))
        row = rows.get((level, metric), {"launches": 0, "equal": 0, "median": 0, "p90": 0})
        at = 0.9 * (len(errors) - 1)
        low = int(at)
        p90 = errors[low] + (at - low) * (errors[min(low + 1, len(errors) - 1)] - errors[low]) if errors else 0
        now = (len(errors), sum(equal for _, equal in each.get((level, metric), [])))
        if (int(row["launches"]), int(row["equal"])) != now or any(
                abs(float(row[key]) - value) > 1e-3 * abs(value) + 1e-9
                for key, value in (("median", statistics.median(errors or [0])), ("p90", p90))):
            yield (f"{path}: {metric} of level {level} by the {engine} engine is not what validation finds; "
                   "write it again: warpmem validate --accuracy --format csv")


def main():
    by_counts, by_time = compared(sys.argv[1]), compared(sys.argv[1], "--time")
    (_, counts, launches, _), (_, time, again, _) = by_counts, by_time
    problems = [] if launches == again == 191 else [f"{launches} and {again} launches instead of 191"]
    for name, (metrics, more) in GROUPS.items():
        a, b = (sum(e[m] for m in metrics) for e in (counts, time))
        print(f"{name:30} counts {a:7.2f}   time {b:7.2f}")
        if b > a + more:
            problems.append(f"{name}: the errors add up to {b:.2f} in time, {a:.2f} by counts, {more} more at most")
    for engine, _, _, each in (by_counts, by_time):
        problems += wrong_accuracy(sys.argv[2], engine, each)
    judged = subprocess.run([sys.argv[1], "validate", "--time"], capture_output=True, text=True)
    if judged.returncode != 0:
        problems.append(f"validate --time ends {judged.returncode}: {judged.stdout[-2000:]}{judged.stderr}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
