"""validate with what profilers keep: Nsight Compute's reports (.ncu-rep) and Nsight Systems' SQLite."""

import csv
import os
import shutil
import sqlite3
import unittest

from harness import SOURCE, CommandTest

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")

# What stands in for NVIDIA's package: the calls that are made of it, over a table in the file. It shows that the child is
# asked and its answer read, not that NVIDIA's own says the same.
STAND_IN = '''
import csv, io

class Metric:
    def __init__(self, name, text, unit):
        self.text, self._unit = text, unit
    def unit(self):
        return self._unit
    def value(self):
        try:
            return int(self.text)
        except ValueError:
            try:
                return float(self.text)
            except ValueError:
                return self.text

class Action:
    def __init__(self, name, metrics):
        self._name, self.metrics = name, metrics
    def name(self):
        return self._name
    def metric_names(self):
        return list(self.metrics)
    def metric_by_name(self, name):
        return self.metrics[name]

class Range:
    def __init__(self, actions):
        self.actions = actions
    def num_actions(self):
        return len(self.actions)
    def action_by_idx(self, i):
        return self.actions[i]

class Report:
    def __init__(self, ranges):
        self.ranges = ranges
    def num_ranges(self):
        return len(self.ranges)
    def range_by_idx(self, i):
        return self.ranges[i]

def load_report(path):
    data = open(path, "rb").read()
    rows = list(csv.reader(io.StringIO(data[4:].decode())))
    actions = {}
    for name, metric, unit, value in rows:
        actions.setdefault(name, {})[metric] = Metric(metric, value, unit)
    return Report([Range([Action(n.split("#")[0], m) for n, m in actions.items()])])
'''


class Profiles(CommandTest):
    def setUp(self):
        super().setUp()
        for ending in (".wmt", ".csv"):
            shutil.copy(os.path.join(REFERENCE, "aat_strided" + ending), self.path("t" + ending))

    def report_of_the_csv(self):
        """The reference's table as the stand-in's report."""
        with open(self.path("t.csv"), encoding="utf-8") as file:
            heading, units, *rows = csv.reader(line for line in file if not line.startswith("=="))
        out = []
        for row in rows:
            cells = dict(zip(heading, row))
            name = f"{cells['Kernel Name']}#{cells['ID']}"
            first = heading.index("CC") + 1
            out += [[name, metric, unit, value] for metric, unit, value in zip(heading[first:], units[first:], row[first:])]
            for what in ("block", "grid"):
                size = cells[what.capitalize() + " Size"].strip("()").split(",")
                out += [[name, f"launch__{what}_dim_{d}", "", n.strip()] for d, n in zip("xyz", size)]
            major, minor = cells["CC"].split(".")
            out += [[name, "device__attribute_compute_capability_major", "", major],
                    [name, "device__attribute_compute_capability_minor", "", minor],
                    [name, "device__attribute_display_name", "", "NVIDIA H200"]]
        with open(self.path("t.ncu-rep"), "w", encoding="utf-8", newline="") as file:
            file.write("NVR\0")
            csv.writer(file).writerows(out)

    def validated(self, profile, *words, env=None, status=None):
        run = self.run_command("validate", "t.wmt", "--ncu", profile, "--format", "csv", *words, env=env)
        if status is not None:
            self.assertEqual(run.status, status, run.err)
        return run

    def test_a_report_is_read_by_the_package_of_a_python(self):
        self.report_of_the_csv()
        os.mkdir(self.path("fake"))
        with open(self.path("fake/ncu_report.py"), "w", encoding="utf-8") as file:
            file.write(STAND_IN)
        by_table = self.validated("t.csv")
        by_report = self.validated("t.ncu-rep", env={"PYTHONPATH": self.path("fake")})
        self.assertEqual(by_report.status, by_table.status, by_report.err)
        self.assertEqual(by_report.out, by_table.out)

    def test_without_the_package_it_says_how_to_get_it(self):
        self.report_of_the_csv()
        os.mkdir(self.path("fake"))
        with open(self.path("fake/ncu_report.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError\n")
        run = self.validated("t.ncu-rep", env={"PYTHONPATH": self.path("fake")}, status=6)
        self.assertIn("pip install ncu-report", run.err)
        with open(self.path("fake/ncu_report.py"), "w", encoding="utf-8") as file:
            file.write("def load_report(path):\n    raise RuntimeError('damaged')\n")
        self.validated("t.ncu-rep", env={"PYTHONPATH": self.path("fake")}, status=3)

    def nsys(self, name, kernel, start, end, grid, block, capability=(9, 0)):
        db = sqlite3.connect(self.path(name))
        db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, gridX INTEGER, gridY INTEGER, "
                   "gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, "
                   "demangledName INTEGER, shortName INTEGER)")
        db.execute("CREATE TABLE TARGET_INFO_GPU (name TEXT, computeMajor INTEGER, computeMinor INTEGER)")
        db.execute("INSERT INTO TARGET_INFO_GPU VALUES ('NVIDIA H200', ?, ?)", capability)
        db.execute("INSERT INTO StringIds VALUES (1, ?)", (kernel,))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?,16,1,1)", (start, end, *grid, *block))
        db.commit()
        db.close()

    def launch(self):
        kernel = self.run_command("replay", "t.wmt", "--format", "json").json()["kernels"][0]
        return kernel["name"], kernel["grid"], kernel["block"], kernel["metrics"]["gpu__time_duration.sum"]

    def test_times_of_nsys_are_held_against_the_time_engine(self):
        name, grid, block, ns = self.launch()
        self.nsys("t.sqlite", name, 1000, 1000 + round(ns), grid, block)
        run = self.validated("t.sqlite", "--time")
        rows = [r for r in csv.DictReader(run.out.splitlines()) if r["metric"] == "gpu__time_duration.sum"]
        self.assertEqual(len(rows), 1, run.err)
        self.assertEqual(float(rows[0]["gpu"] if "gpu" in rows[0] else rows[0]["measured"]), round(ns))

    def test_other_databases_are_named(self):
        sqlite3.connect(self.path("other.sqlite")).execute("CREATE TABLE t (a)").connection.close()
        self.assertIn("nsys export", self.validated("other.sqlite", status=3).err)
        with open(self.path("cut.sqlite"), "wb") as file:
            file.write(b"SQLite format 3\0" + bytes(100))
        self.validated("cut.sqlite", status=3)


if __name__ == "__main__":
    unittest.main()
