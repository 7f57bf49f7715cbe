#!/usr/bin/env python3
"""How close the model came, for people: README.md's ten rows and docs/reference/accuracy.md.

  validate/accuracy_pages.py WARPMEM          writes both tables anew
  validate/accuracy_pages.py WARPMEM --check  says which of them is not what it would write, and ends with 1

The numbers are those of `warpmem metrics --accuracy`: validate/accuracy.csv, which `validate --accuracy` measures.
"""

import csv
import io
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
README, PAGE = ROOT / "README.md", ROOT / "docs/reference/accuracy.md"
CHIPS = {"h200": "H200", "h100_sxm": "H100"}
LEVELS = {"sass": "Machine code (level `sass`)", "ptx+sass": "Textures (level `ptx+sass`)"}
TEN = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "requests of global loads",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "sectors of global loads",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "sectors of global stores",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": "hits in the L1",
    "memory_l1_wavefronts_shared": "wavefronts of shared memory",
    "lts__t_sectors_srcunit_tex_op_read.sum": "sectors read from the L2",
    "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum": "hits in the L2",
    "lts__t_sectors_srcunit_tex_op_write.sum": "sectors written to the L2",
    "dram__sectors_read.sum": "sectors read from DRAM",
    "sm__cycles_elapsed.max": "cycles",
}


def percent(share):
    return f"{100 * float(share):.1f} %"


def cells(row):
    """Equal, median, 90th percentile."""
    if row is None:
        return ["–", "–", "–"]
    return [f"{row['equal']} of {row['launches']}", percent(row["median"]), percent(row["p90"])]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def ten_rows(measured):
    rows = []
    for metric, words in TEN.items():
        of = [measured.get((chip, "sass", "time", metric)) for chip in CHIPS]
        rows.append([words, *(cell for row in of for cell in cells(row))])
    return table(["counter", *(f"{chip}: {what}" if what == "equal" else what for chip in CHIPS.values()
                               for what in ("equal", "median", "90 %"))], rows)


def all_rows(measured):
    out = []
    for chip, name in CHIPS.items():
        for level, title in LEVELS.items():
            metrics = list(dict.fromkeys(m for c, l, _, m in measured if (c, l) == (chip, level)))
            rows = [[f"`{m}`", *(cell for engine in ("counts", "time")
                                for cell in cells(measured.get((chip, level, engine, m))))] for m in metrics]
            head = ["counter", "counts: equal", "median", "90 %", "time: equal", "median", "90 %"]
            out.append(f"## {name}: {title}\n\n" + table(head, rows))
    return "\n".join(out)


def with_table(page, name, text):
    """The page's text with what stands between its two marks replaced."""
    begin, end = f"<!-- {name}: validate/accuracy_pages.py -->\n", f"<!-- end of {name} -->"
    old = page.read_text(encoding="utf-8")
    new, found = re.subn(re.escape(begin) + ".*?" + re.escape(end), lambda _: begin + text + end, old, flags=re.DOTALL)
    if found != 1:
        sys.exit(f"{page}: found {found} times what stands between '{begin.strip()}' and '{end}', not once")
    return old, new


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    printed = subprocess.run([sys.argv[1], "metrics", "--accuracy", "--main", "--format", "csv"],
                             check=True, capture_output=True, text=True).stdout
    measured = {(r["gpu"], r["level"], r["engine"], r["metric"]): r for r in csv.DictReader(io.StringIO(printed))}
    stale = 0
    for page, name, text in ((README, "ten rows", ten_rows(measured)), (PAGE, "all rows", all_rows(measured))):
        old, new = with_table(page, name, text)
        if old == new:
            continue
        stale += 1
        if sys.argv[2:]:
            print(f"{page.relative_to(ROOT)} is not what was measured; write it anew: validate/accuracy_pages.py WARPMEM")
        else:
            page.write_text(new, encoding="utf-8")
    return 1 if stale and sys.argv[2:] else 0


if __name__ == "__main__":
    sys.exit(main())
