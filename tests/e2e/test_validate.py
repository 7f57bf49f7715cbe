"""warpmem validate with the files that people have: few counters, other launches, ncu's other pages."""

import csv
import os

import harness
from harness import SOURCE

TRACE = os.path.join(SOURCE, "validate/reference/h200/vector_copy_b4.wmt")
COUNTED = os.path.join(SOURCE, "validate/reference/h200/vector_copy_b4.csv")
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


class Validate(harness.CommandTest):
    def setUp(self):
        super().setUp()
        with open(COUNTED, encoding="utf-8", newline="") as file:
            self.header, self.units, self.row = list(csv.reader(file))

    def write(self, name, *rows):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
        return name

    def validate(self, name, *options):
        return self.run_command("validate", TRACE, "--ncu", name, *options)

    def test_engine_and_level_are_named(self):
        for options, engine in (((), "counts"), (("--time",), "time")):
            run = self.validate(COUNTED, *options)
            self.assertIn(f"by the {engine} engine from traces of level sass", run.out)
            self.assertEqual(self.validate(COUNTED, "--format", "json", *options).json()["engine"], engine)
            rows = list(csv.DictReader(self.validate(COUNTED, "--format", "csv", *options).out.splitlines()))
            self.assertEqual({(r["engine"], r["level"]) for r in rows}, {(engine, "sass")})

    def test_one_trace_gives_no_advice_on_the_list_of_deviations(self):
        run = self.validate(COUNTED)
        self.assertEqual(run.status, 0, run.out)
        self.assertNotIn("take it out", run.out)

    def test_a_file_with_one_counter_says_what_it_lacks(self):
        keep = [i for i, name in enumerate(self.header) if "__" not in name or name == LOADS]
        name = self.write("one.csv", *([row[i] for i in keep] for row in (self.header, self.units, self.row)))
        run = self.validate(name)
        self.assertEqual(run.status, 0, run.out + run.err)
        self.assertRegex(run.out, r"The file lacks \d+ of the \d+ counters that warpmem can compare")
        few, many = (self.validate(n, "--format", "json").json()["not_collected"] for n in (name, COUNTED))
        self.assertNotIn(LOADS, few)
        self.assertGreater(len(few), 40)
        self.assertTrue(all("_tex_" in metric for metric in many), many)  # from before textures were asked for

    def test_a_launch_that_the_trace_lacks_fails(self):
        more = list(self.row)
        more[self.header.index("ID")] = "1"
        more[self.header.index("Kernel Name")] = "other(int)"
        name = self.write("more.csv", self.header, self.units, self.row, more)
        run = self.validate(name)
        self.assertEqual(run.status, 1, run.err)
        self.assertIn("1 launch has no counterpart", run.out)
        self.assertIn("launch 1 only in the profiler's file: other grid", run.out)
        self.assertFalse(self.validate(name, "--format", "json").json()["ok"])
        allowed = self.validate(name, "--allow-unmatched")
        self.assertEqual(allowed.status, 0, allowed.err)
        self.assertIn("launch 1 only in the profiler's file: other grid", allowed.out)

    def test_the_details_page_as_ncu_writes_it(self):
        identity = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
                    "Grid Size", "Device", "CC"]
        rules = ["Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]
        known = {"Process ID": "7", "Process Name": "app", "Host Name": "here", "Context": "1", "Stream": "7"}
        launch = [known.get(c) or self.row[self.header.index(c)] for c in identity]
        rows = [identity + ["Section Name", "Metric Name", "Metric Unit", "Metric Value"] + rules]
        for i, metric in enumerate(self.header):
            if "__" in metric:
                rows.append([*launch, "Command line profiler metrics", metric, self.units[i], self.row[i], ""])
        rows.append([*launch, "SourceCounters", "", "", "", "Rule", "OPT", "text", "global", "62.5"])
        run = self.validate(self.write("details.csv", *rows))
        self.assertEqual(run.status, 0, run.out + run.err)
        self.assertNotIn("do not fit the header", run.out)

    def test_text_is_no_csv(self):
        with open(self.path("ncu.txt"), "w", encoding="utf-8") as file:
            file.write("==WARNING== slow\n==ERROR== LaunchFailed\n"
                       "  k(int) (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n")
        run = self.validate("ncu.txt")
        self.assert_fails(run, 3, "text output")
        self.assertIn("==ERROR== LaunchFailed", run.err)
        self.assertIn("ncu --import", run.err)

    def test_a_note_of_many_runs_is_told_once(self):
        for name in ("a", "b"):
            os.symlink(TRACE, self.path(name + ".wmt"))
            os.symlink(COUNTED, self.path(name + ".csv"))
        run = self.run_command("validate", "--suite", ".", "--format", "json")
        self.assertEqual(run.status, 0, run.out + run.err)
        notes = [note for note in run.json()["notes"] if "not in the trace" in note]
        self.assertEqual(len(notes), 1, notes)
        self.assertIn("2 runs (a, b): not in the trace: constant loads, ", notes[0])

    def test_windows_prefetches_and_granularity_act_on_the_l2(self):
        """Emulated launches of kernels/micro/l2_window.cu beside what an H200 counted of them."""
        for options in ((), ("--time",)):
            run = self.run_command("validate", "--suite", os.path.join(SOURCE, "validate/reference/h200-l2"),
                                   "--format", "json", *options)
            self.assertEqual(run.status, 0, run.out + run.err)

    def test_accuracy_is_measured_by_both_engines(self):
        for name in (TRACE, COUNTED):
            os.symlink(name, self.path(os.path.basename(name)))
        run = self.run_command("validate", "--accuracy", "--suite", ".", "--format", "csv")
        self.assertEqual(run.status, 0, run.err)
        rows = list(csv.DictReader(run.out.splitlines()))
        self.assertEqual({(r["gpu"], r["level"]) for r in rows}, {("h200", "sass")})
        loads = [r for r in rows if r["metric"] == LOADS]
        self.assertEqual([(r["engine"], r["launches"], r["equal"]) for r in loads], [("counts", "1", "1"), ("time", "1", "1")])
        cycles = [r for r in rows if r["metric"] == "sm__cycles_elapsed.max"]
        self.assertEqual([r["engine"] for r in cycles], ["time"])
        table = self.run_command("validate", "--accuracy", "--suite", ".")
        self.assertIn("h200, traces of level sass, time engine\n", table.out)
        self.assert_fails(self.run_command("validate", TRACE, "--ncu", COUNTED, "--accuracy"), 2, "--accuracy")


if __name__ == "__main__":
    harness.main()
