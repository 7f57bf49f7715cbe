"""explore: sweeps, searches, all capacities at once, parts and job arrays."""

import csv
import os
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import harness
from harness import SOURCE, WARPMEM

HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
# Caches that are plain: least recently used, sets by the line's low bits, no room for others.
PLAIN = ["--gpu", os.path.join(SOURCE, "tests/cards/plain.toml")]

PROGRAM = os.path.join(os.path.dirname(harness.MAKE_TRACE), "emulated_program")
KERNELS = os.path.join(SOURCE, "tests/emulate/runtime/kernels.ptx")
NVCC = shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


def reference(name, folder="h200"):
    return os.path.join(SOURCE, "validate/reference", folder, name + ".wmt")


class Explore(harness.CommandTest):
    def explore(self, *arguments):
        run = self.run_command("explore", *arguments)
        self.assert_works(run)
        return run

    def points(self, *arguments):
        return self.explore(*arguments, "--format", "json").json()["points"]

    def value(self, point, metric):
        return next(m["value"] for m in point["metrics"] if m["metric"] == metric)


class Sweeps(Explore):
    def test_a_point_says_what_a_replay_with_set_says(self):
        trace = reference("spmv_vector")
        for engine in ((), ("--counts",)):
            points = self.points(trace, "--vary", "l1.size=64KiB:256KiB", "--metric", HITS, *engine)
            self.assertEqual([p["values"]["l1.size"] for p in points], ["64KiB", "128KiB", "256KiB"])
            for p in points:
                run = self.run_command("replay", trace, "--set", "l1.size=" + p["values"]["l1.size"],
                                       "--format", "json", *engine)
                self.assertEqual(self.value(p, HITS), run.json()["kernels"][0]["metrics"][HITS])

    def test_cards_are_an_axis_and_so_are_several_traces(self):
        traces = [self.trace("copy"), self.trace("gather")]
        points = self.points(*traces, "--vary", "gpu=v100,a100_40,h200", "--metric", "cycles")
        self.assertEqual(len(points), 3)
        for p in points:
            self.assertEqual([m["trace"] for m in p["metrics"]], traces)
            for m in p["metrics"]:
                run = self.run_command("replay", m["trace"], "--gpu", p["values"]["gpu"], "--format", "json").json()
                self.assertEqual(m["value"], sum(k["metrics"]["sm__cycles_elapsed.max"] for k in run["kernels"]))

    def test_carve_out_loads_and_order_of_ctas_can_vary(self):
        trace = reference("spmv_vector")
        cg = self.points(trace, "--counts", "--vary", "loads=recorded,cg", "--metric", HITS)
        self.assertGreater(self.value(cg[0], HITS), 0)
        self.assertEqual(self.value(cg[1], HITS), 0)
        carved = self.points(trace, "--counts", "--vary", "carveout=0,100", "--metric", "launch__shared_mem_config_size")
        self.assertLess(self.value(carved[0], "launch__shared_mem_config_size"),
                        self.value(carved[1], "launch__shared_mem_config_size"))
        order = self.points(trace, "--counts", "--vary", "order=rows,columns,reversed,tiles4", "--metric",
                            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "--metric", "l2_reads")
        sectors = {self.value(p, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") for p in order}
        self.assertEqual(len(sectors), 1)
        self.assertGreater(len({self.value(p, "l2_reads") for p in order}), 1)

    def test_two_axes_make_a_matrix_and_the_knee_has_a_mark(self):
        run = self.explore(reference("spmv_vector"), "--counts", "--vary", "gpu=a100_40,h200", "--vary",
                           "l2.size=8MiB,16MiB", "--metric", "dram_sectors")
        self.assertRegex(run.out, r"gpu \\ l2\.size +8MiB +16MiB")
        self.assertRegex(run.out, r"(?m)^h200 +[\d,]+ +[\d,]+$")

    def test_the_chart_and_the_drawing_name_the_knee(self):
        run = self.explore(reference("spmv_vector"), "--counts", *PLAIN, "--vary", "l2.size=16KiB:1MiB",
                           "--metric", "l2_hit_rate", "--plot", "--svg", "s.svg")
        self.assertIn("knee of l2_hit_rate", run.out)
        self.assertIn("◄ knee", run.out)
        with open(self.path("s.svg"), encoding="utf-8") as svg:
            text = svg.read()
        self.assertIn("<svg", text)
        self.assertIn("knee: ", text)

    def test_a_formula_is_a_metric(self):
        p = self.points(self.trace("copy"), "--metric", "dram_sectors / 2", "--metric", "dram_sectors")[0]
        self.assertEqual(2 * self.value(p, "dram_sectors / 2"), self.value(p, "dram_sectors"))

    def test_the_threads_change_nothing(self):
        arguments = [reference("spmv_vector"), "--counts", "--vary", "l1.size=64KiB:256KiB:32KiB", "--format", "csv"]
        self.assertEqual(self.explore(*arguments, "--threads", "1").out, self.explore(*arguments, "--threads", "4").out)

    def test_a_dry_run_says_how_many_points_and_how_long(self):
        run = self.explore(self.trace("copy"), "--vary", "l1.size=1KiB:256KiB", "--dry-run")
        self.assertRegex(run.out, r"^9 points of [\d,]+ records each, about .* with \d+ threads\n")
        self.assertRegex(run.out, r"\d of them are no possible GPU and will be left out")


class Results(Explore):
    SWEEP = ["--counts", "--vary", "l1.size=32KiB:256KiB:16KiB", "--vary", "l2.size=8MiB,16MiB,32MiB", "--threads", "2"]
    LONG = ["--counts", "--vary", "l1.size=32KiB:256KiB:16KiB", "--vary", "l2.size=8MiB:48MiB:8MiB", "--threads", "1"]

    def test_killed_ten_times_the_file_has_the_same_bytes(self):
        trace = reference("spmv_vector")
        self.explore(trace, *self.LONG, "--results", "whole.sqlite")
        for _ in range(10):
            process = subprocess.Popen([WARPMEM, "explore", trace, *self.LONG, "--results", "cut.sqlite"],
                                       cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # A point is there when the log has been written to.
            log, before = self.path("cut.sqlite.partial"), set()
            while process.poll() is None and len(before) < 4:
                if os.path.exists(log):
                    before.add(os.stat(log).st_size)
                time.sleep(0.002)
            self.assertIsNone(process.poll(), "it was to be killed before its end")
            process.kill()
            process.wait()
            self.assertTrue(os.path.exists(self.path("cut.sqlite.partial")))
            self.assertFalse(os.path.exists(self.path("cut.sqlite")))
        run = self.explore(trace, *self.LONG, "--results", "cut.sqlite")
        self.assertRegex(run.err, r"note: \d+ points were finished before")
        with open(self.path("whole.sqlite"), "rb") as whole, open(self.path("cut.sqlite"), "rb") as cut:
            self.assertEqual(whole.read(), cut.read())
        self.assertFalse(os.path.exists(self.path("cut.sqlite.partial")))

    def test_the_file_is_read_by_sqlite_and_shown_again(self):
        first = self.explore(self.trace("copy"), "--vary", "l1.size=64KiB:256KiB", "--results", "s.sqlite")
        with sqlite3.connect(self.path("s.sqlite")) as db:
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            rows = db.execute(
                "SELECT v.value, r.value FROM results r JOIN metrics m USING(metric) JOIN point_values v USING(point) "
                "WHERE m.name = 'sm__cycles_elapsed.max' ORDER BY r.point").fetchall()
        self.assertEqual([r[0] for r in rows], ["64KiB", "128KiB", "256KiB"])
        self.assertEqual(self.explore("show", "s.sqlite").out, first.out)
        # Nothing is replayed a second time.
        self.assertEqual(self.explore("copy.wmt", "--vary", "l1.size=64KiB:256KiB", "--results", "s.sqlite").out, first.out)

    def test_a_file_that_was_changed_is_malformed_everywhere(self):
        trace = self.trace("copy")
        self.explore(trace, "--counts", "--vary", "l1.size=64KiB:256KiB", "--results", "good.sqlite")
        endless = "WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c) SELECT n, NULL FROM c"
        for sql in ("DROP TABLE results", "UPDATE results SET value = 0", "DELETE FROM points WHERE point = 1",
                    "UPDATE point_values SET value = 'many'", "UPDATE axes SET value = 'x' WHERE at = 0",
                    "DELETE FROM plan WHERE name = 'hash'", f"DROP TABLE points; CREATE VIEW points(point, left_out) AS {endless}",
                    f"DROP TABLE traces; CREATE VIEW traces(trace, name) AS {endless}", "ALTER TABLE metrics RENAME unit TO u"):
            shutil.copy(self.path("good.sqlite"), self.path("s.sqlite"))
            with sqlite3.connect(self.path("s.sqlite")) as db:
                db.executescript(sql)
            db.close()
            for words in (["explore", "show", "s.sqlite"], ["explore", "merge", "all.sqlite", "s.sqlite"],
                          ["explore", trace, "--counts", "--vary", "l1.size=64KiB:256KiB", "--results", "s.sqlite"],
                          ["report", trace, "--counts", "--no-gain", "--curves", "s.sqlite", "-o", "r.html"]):
                with self.subTest(sql, words=words):
                    self.assert_fails(self.run_command(*words), 3, "s.sqlite")
        with sqlite3.connect(self.path("other.sqlite")) as db:
            db.executescript("CREATE TABLE identity(name, value)")
        db.close()
        self.assert_fails(self.run_command("explore", "show", "other.sqlite"), 3, "another program's database")

    def test_a_curve_with_a_point_that_is_no_number_is_malformed(self):
        trace = self.trace("copy")
        for text in ("x,y\n1,2\nmany,3\n", "x,y\n1,two\n", "x,y\n1e999,2\n", "x,y\n,2\n", "x,y\n", "", "x\n1\n"):
            with open(self.path("c.csv"), "w", encoding="utf-8") as file:
                file.write(text)
            run = self.run_command("report", trace, "--counts", "--no-gain", "--curves", "c.csv", "-o", "r.html")
            self.assert_fails(run, 3, "c.csv")

    def test_a_setting_or_a_card_that_is_given_twice_is_one(self):
        trace = self.trace("copy")
        with open(self.path("c.toml"), "w", encoding="utf-8") as card:
            card.write('inherits = "h200"\n')
        self.explore(trace, "--counts", "--set", "l1.size=64KiB", "--set", "l1.size=128KiB", "--gpu", "./c.toml", "--vary",
                     "gpu=./c.toml,h200", "--results", "s.sqlite")
        self.explore("show", "s.sqlite")

    def test_texts_that_a_spreadsheet_would_run_have_a_mark(self):
        os.rename(self.path(self.trace("copy")), self.path("=1+2.wmt"))
        os.link(self.path("=1+2.wmt"), self.path("@b.wmt"))
        run = self.explore("=1+2.wmt", "@b.wmt", "--counts", "--format", "csv")
        names = {row["trace"] for row in csv.DictReader(run.out.splitlines())}
        self.assertEqual(names, {"'=1+2.wmt", "'@b.wmt"})

    def test_parts_are_put_together_to_the_same_bytes(self):
        trace = reference("spmv_vector")
        whole = self.explore(trace, *self.SWEEP, "--results", "whole.sqlite")
        for part in (1, 2, 3):
            self.explore(trace, *self.SWEEP, "--shard", f"{part}/3", "--results", f"p{part}.sqlite")
        merged = self.explore("merge", "all.sqlite", "p3.sqlite", "p1.sqlite", "p2.sqlite")
        self.assertEqual(merged.out, whole.out)
        with open(self.path("whole.sqlite"), "rb") as a, open(self.path("all.sqlite"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        self.assert_fails(self.run_command("explore", "merge", "x.sqlite", "p1.sqlite", "p2.sqlite"), 4, "30 of the sweep's 45 points")

    def test_a_full_disk_is_said_and_costs_no_finished_point(self):
        trace = reference("spmv_vector")
        self.explore(trace, *self.SWEEP, "--results", "whole.sqlite")
        command = ["bash", "-c", "ulimit -f 40; trap '' XFSZ; exec \"$@\"", "x", WARPMEM, "explore", trace, *self.SWEEP,
                   "--results", "full.sqlite"]
        full = harness.Run(subprocess.run(command, cwd=self.folder, capture_output=True, timeout=120))
        self.assert_fails(full, 5, "full.sqlite", "finished points are kept")
        self.explore(trace, *self.SWEEP, "--results", "full.sqlite")
        with open(self.path("whole.sqlite"), "rb") as a, open(self.path("full.sqlite"), "rb") as b:
            self.assertEqual(a.read(), b.read())


class Programs(Explore):
    """Axes that change the program: a block size, and whatever a command is told."""

    def test_other_block_sizes_of_a_recorded_launch(self):
        trace = reference("vector_copy_b4")  # 4,096 CTAs of 256 threads
        points = self.points(trace, "--vary", "block=32,256,1024,2048,96", "--metric", LOADS, "--metric", "cycles")
        there = [p for p in points if "left_out" not in p]
        self.assertEqual([p["values"]["block"] for p in there], ["32", "256", "1024"])
        self.assertEqual({self.value(p, LOADS) for p in there}, {131072})
        recorded = self.run_command("replay", trace, "--format", "json").json()["kernels"][0]["metrics"]
        self.assertEqual(self.value(there[1], "cycles"), recorded["sm__cycles_elapsed.max"])
        # 32 CTAs of a warp each leave an SM's schedulers half empty.
        self.assertGreater(self.value(there[0], "cycles"), 2 * self.value(there[1], "cycles"))
        reasons = {p["values"]["block"]: p["left_out"] for p in points if "left_out" in p}
        self.assertIn("more than 1,024", reasons["2048"])
        self.assertIn("does not divide", reasons["96"])

    def test_warps_that_share_memory_stay_together(self):
        run = self.explore(reference("matmul_tiled16"), "--counts", "--vary", "block=128,256")
        self.assertRegex(run.out, r"left out: 128: block: .* its warps share memory")
        self.assert_fails(self.run_command("explore", reference("matmul_tiled16"), "--vary", "block=128"), 2,
                          "none of the points is a possible program")

    def make(self, text="launches {n}"):
        # The launches are equal: all are to be in the trace.
        return (f"echo {{n}} >> log; '{WARPMEM}' emulate --repeats 0 -o '{{trace}}' '{PROGRAM}' -- '{KERNELS}' "
                f"{text}")

    def log(self):
        with open(self.path("log"), encoding="utf-8") as file:
            return file.read().split()

    def test_a_command_makes_each_programs_trace_once(self):
        sweep = ["--make", self.make(), "--vary", "l1.size=64KiB:256KiB", "--vary", "n=1,2,3", "--threads", "1"]
        points = self.points(*sweep, "--metric", LOADS, "--metric", "n")
        self.assertEqual(len(points), 9)
        one = self.value(points[0], LOADS)
        self.assertGreater(one, 0)
        for p in points:
            self.assertEqual(self.value(p, LOADS), one * int(p["values"]["n"]))
        self.assertEqual(self.log(), ["1", "2", "3"])

    def test_parts_of_programs_make_the_same_file_as_the_whole(self):
        sweep = ["--make", self.make(), "--vary", "n=1:4:1", "--vary", "l1.size=64KiB,128KiB"]
        self.explore(*sweep, "--results", "whole.sqlite")
        for part in (1, 2):
            self.explore(*sweep, "--shard", f"{part}/2", "--results", f"p{part}.sqlite")
        self.explore("merge", "all.sqlite", "p1.sqlite", "p2.sqlite")
        with open(self.path("whole.sqlite"), "rb") as a, open(self.path("all.sqlite"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_a_search_makes_what_it_tries(self):
        run = self.explore("--make", self.make(), "--counts", "--vary", "n=1:12:1", "--objective", "load_sectors", "--budget",
                           "12")
        self.assertRegex(run.out, r"the least load_sectors is \d+ at 1\n")
        # The first is made once more, to see how long a point takes.
        self.assertEqual(sorted(map(int, self.log())), [1, *range(1, 13)])

    def test_a_card_may_be_told_to_the_command_too(self):
        points = self.points("--make", f"echo {{gpu}} >> log; '{WARPMEM}' emulate --gpu {{gpu}} -o '{{trace}}' "
                             f"'{PROGRAM}' -- '{KERNELS}' launches 2", "--vary", "gpu=a100_40,h200", "--metric", "cycles",
                             "--threads", "1")
        self.assertEqual(self.log(), ["a100_40", "h200"])
        self.assertNotEqual(self.value(points[0], "cycles"), self.value(points[1], "cycles"))

    def test_a_program_that_cannot_be_made_is_left_out(self):
        run = self.explore("--make", "test {n} != 2 && cp t{n}.wmt {trace} || { echo no two >&2; exit 1; }",
                           "--vary", f"n={self.copies()}")
        self.assertIn("left out: 2: --make: the command failed for n=2: no two", run.out)
        self.assert_fails(self.run_command("explore", "--make", "test {n} = 0 || false {trace}", "--vary", "n=1,2"), 2,
                          "none of the points is a possible program", "the command failed for n=1")

    def copies(self):
        for n in (1, 2, 3):
            self.trace("copy", f"t{n}.wmt")
        return "1,2,3"

    def test_interrupted_it_leaves_nothing_in_the_temporary_folder(self):
        os.mkdir(self.path("tmp"))
        process = subprocess.Popen([WARPMEM, "explore", "--make", "cp /dev/null {trace}.part; echo > begun; sleep 20"],
                                   cwd=self.folder, env={**os.environ, "TMPDIR": self.path("tmp")},
                                   stderr=subprocess.PIPE, start_new_session=True)
        while not os.path.exists(self.path("begun")):
            time.sleep(0.01)
        self.assertEqual(len(os.listdir(self.path("tmp"))), 1)
        os.killpg(process.pid, signal.SIGINT)
        self.assertIn(b"interrupted", process.communicate(timeout=10)[1])
        self.assertEqual(process.returncode, 130)
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_a_signal_ends_the_command_too(self):
        for sent, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            process = subprocess.Popen([WARPMEM, "explore", "--make", "echo $$ > pid; sh -c 'echo $$ > child; sleep 60'; true {trace}"],
                                       cwd=self.folder, stderr=subprocess.PIPE)
            for name in ("pid", "child"):
                while not os.path.exists(self.path(name)) or not open(self.path(name), encoding="utf-8").read().strip():
                    time.sleep(0.01)
            process.send_signal(sent)  # to warpmem alone
            process.communicate(timeout=10)
            self.assertEqual(process.returncode, status)
            for name in ("pid", "child"):
                with open(self.path(name), encoding="utf-8") as file:
                    pid = int(file.read())
                for _ in range(500):
                    if not os.path.exists(f"/proc/{pid}"):
                        break
                    time.sleep(0.01)
                self.assertFalse(os.path.exists(f"/proc/{pid}"), name)
                os.unlink(self.path(name))

    def test_a_temporary_folder_may_have_any_name(self):
        trace = self.trace("copy", "t.wmt")
        folder = self.path("a b;touch broken;'$x")
        os.mkdir(folder)
        for place in ("{trace}", "'{trace}'", '"{trace}"'):
            run = self.run_command("explore", "--make", f"cp {trace} {place}", "--counts", "--format", "json",
                                   env={"TMPDIR": folder})
            self.assert_works(run)
        self.assertFalse(os.path.exists(self.path("broken")))
        self.assertEqual(os.listdir(folder), [])

    def test_what_a_command_prints_is_not_kept(self):
        command = ["bash", "-c", "ulimit -v 4000000; exec \"$@\"", "x", WARPMEM, "explore", "--make",
                   "head -c 3000000000 /dev/zero; echo; echo last {trace}; false", "--counts"]
        run = harness.Run(subprocess.run(command, cwd=self.folder, capture_output=True, timeout=120))
        self.assert_fails(run, 2, "last ")

    def test_another_source_is_another_sweep(self):
        self.trace("copy", "t.wmt")
        sweep = ["--make", "cp t.wmt {trace} # {n}", "--vary", "n=1,2", "--results", "s.sqlite"]
        self.explore(*sweep)
        self.explore(*sweep)
        self.trace("gather", "t.wmt")
        self.assert_fails(self.run_command("explore", *sweep), 2, "of another sweep", "file t.wmt")

    def test_slurms_tasks_are_told_the_command(self):
        self.trace("copy", "t.wmt")
        run = self.explore("--make", "cp t.wmt {trace} # {n}", "--vary", "n=1,2", "--jobs", "slurm", "--results", "s.sqlite",
                           "--dry-run")
        self.assertIn("'--make' 'cp t.wmt {trace} # {n}'", run.out)

    def test_what_is_asked_wrongly_is_said_before_anything_runs(self):
        for arguments, words in (
                (["t.wmt", "--make", "cp a {trace}"], ["give traces or --make"]),
                (["--make", "make it"], ["{trace}"]),
                (["--make", "cp a {trace}", "--vary", "block=32,64"], ["put {block} into it"]),
                (["--make", "cp a {trace}", "--vary", "tile=8,16"], ["does not stand in --make", "{tile}"]),
                (["--capacities", "l1", "--vary", "block=32,64", reference("vector_copy_b4")], ["--sizes"])):
            with self.subTest(arguments):
                self.assert_fails(self.run_command("explore", *arguments), 2, *words)

    @unittest.skipUnless(NVCC, "there is no nvcc")
    def test_block_sizes_move_what_hardware_counted(self):
        folder = os.path.join(SOURCE, "tests/benchmarks/block_size")
        with open(os.path.join(folder, "h200.csv"), encoding="utf-8") as file:
            rows = [r for r in csv.DictReader(line for line in file if not line.startswith("#"))
                    if r["kernel"] == "sum" and r["block"] in ("64", "512") and not r["metric"].startswith(("sm_", "dram_"))]
        metrics = sorted({r["metric"] for r in rows})
        self.assertEqual(len(metrics), 4)
        points = self.points("--counts", "--vary", "block=64,512", "--make",
                             f"'{WARPMEM}' emulate -o '{{trace}}' '{folder}/sum.cu' -DBLOCK={{block}}",
                             *(word for m in metrics for word in ("--metric", m)))
        for p in points:
            for r in rows:
                if r["block"] == p["values"]["block"]:
                    self.assertEqual(self.value(p, r["metric"]), int(r["value"]), r)


class BadInput(Explore):
    def fails(self, status, arguments, *words):
        self.assert_fails(self.run_command("explore", *arguments), status, *words)

    def test_bad_ranges_and_keys_are_refused_before_anything_runs(self):
        trace = self.trace("copy")
        self.fails(2, [trace, "--vary", "l1.sise=1:2"], "no number of a card is called 'l1.sise'", "did you mean 'l1.size'?")
        self.fails(2, [trace, "--vary", "l1.size=8KiB:4KiB"], "is empty")
        self.fails(2, [trace, "--vary", "l1.size"], "nothing to vary")
        self.fails(2, [trace, "--vary", "l1.ways=1,2", "--vary", "l1.ways=4"], "varied twice")
        self.fails(2, [trace, "--metric", "cycels"], "did you mean 'cycles'?")
        self.fails(2, [trace, "--metric", "cycles /"], "cannot be read")
        self.fails(2, ["--vary", "l1.ways=1,2"], "no trace was given")
        self.fails(2, [trace, "--shard", "5/4"], "--shard")
        self.fails(2, [trace, "--objective", "cycles", "--vary", "l1.ways=1,2"], "--budget")
        self.fails(2, [trace, "--vary", "gpu=h200"] + ["--set", "l1.sise=3"], "l1.sise")
        self.fails(2, [trace, "--vary", "gpu=h200,h2000"], "--vary gpu", "no card 'h2000'", "h200")

    def test_without_a_card_named_a_trace_goes_to_that_of_its_own_gpu(self):
        trace = reference("fields_16384", "h100-shapes")
        own = self.points(trace, "--counts", "--vary", "l1.size=64KiB,128KiB", "--metric", "lts__t_sectors_op_read.sum")
        named = self.points(trace, "--counts", "--gpu", "h100_sxm", "--vary", "l1.size=64KiB,128KiB", "--metric",
                            "lts__t_sectors_op_read.sum")
        self.assertEqual(own, named)

    def test_points_that_are_no_gpu_are_left_out_with_the_reason(self):
        points = self.points(self.trace("copy"), "--vary", "l1.size=1KiB,64KiB", "--metric", "cycles")
        self.assertIn("left_out", points[0])
        self.assertNotIn("left_out", points[1])
        self.fails(2, ["copy.wmt", "--vary", "l1.size=1KiB,2KiB"], "none of the points is a possible GPU")

    def test_a_sweep_beyond_patience_is_refused_before_it_starts(self):
        self.fails(5, [self.trace("copy"), "--vary", "l1.ways=1:60:1", "--vary", "l2.ways=1:16:1", "--vary",
                       "sm.count=1:132:1"], "126,720 points", "--yes")

    def test_a_file_of_another_sweep_is_refused(self):
        trace = self.trace("copy")
        self.explore(trace, "--vary", "l1.ways=1,2", "--results", "s.sqlite")
        self.fails(2, [trace, "--vary", "l1.ways=1,4", "--results", "s.sqlite"], "of another sweep", "1,2", "1,4")
        self.explore(trace, "--vary", "l1.ways=1,4", "--results", "s.sqlite", "--force")
        self.fails(3, ["show", trace], "no file of results")
        self.fails(2, ["show", "none.sqlite"], "no such file")

    def test_without_slurm_the_error_says_what_else_to_do(self):
        trace = self.trace("copy")
        run = self.run_command("explore", trace, "--vary", "l1.ways=1,2", "--jobs", "slurm", "--results", "s.sqlite",
                               env={"PATH": "/nowhere"})
        self.assert_fails(run, 6, "no Slurm", "--shard")
        self.fails(2, [trace, "--vary", "l1.ways=1,2", "--jobs", "slurm"], "--results")
        dry = self.explore(trace, "--vary", "l1.ways=1,2,4", "--jobs", "slurm", "--results", "s.sqlite", "--tasks", "2",
                           "--time-limit", "5:00", "--dry-run")
        self.assertIn("3 points in 2 tasks", dry.out)
        self.assertIn("'--array=1-2'", dry.out)
        self.assertIn("'--time=5:00'", dry.out)
        self.assertIn("$SLURM_ARRAY_TASK_ID", dry.out)


class Capacities(Explore):
    def curves(self, *arguments):
        out = self.explore(*arguments, "--format", "json").json()
        return out

    def test_one_pass_says_what_a_replay_of_each_capacity_says(self):
        for name, level in (("spmv_scalar", "l1"), ("gather_random", "l1"), ("spmv_vector", "l1"),
                            ("spmv_vector", "l2"), ("gather_random", "l2")):
            for how in ((), ("--fixed-ways", "--sizes", "4KiB:64KiB" if level == "l1" else "64KiB:2MiB")):
                with self.subTest(name, level=level, how=how):
                    one = self.curves(reference(name), "--capacities", level, *PLAIN, *how)
                    each = self.curves(reference(name), "--capacities", level, *PLAIN, *how, "--by-replay")
                    self.assertTrue(one["one_pass"], one.get("why"))
                    self.assertFalse(each["one_pass"])
                    self.assertEqual(one["shapes"], each["shapes"])
                    self.assertEqual(one["all"], each["all"])
                    self.assertEqual(one["lines"], each["lines"])
                    self.assertGreater(one["all"]["hits"][-1], 0)
                    self.assertEqual(len(one["shapes"]), 16 if not how else len(each["shapes"]))
                    self.assertEqual(sum(c["sectors"] for c in one["arrays"]), one["all"]["sectors"])

    def test_other_policies_are_replayed_and_the_reason_is_said(self):
        out = self.curves(reference("spmv_vector"), "--capacities", "l1", "--fixed-ways", "--sizes", "64KiB,256KiB")
        self.assertFalse(out["one_pass"])
        self.assertIn("l1.index", out["why"])

    def test_an_array_says_what_it_needs(self):
        run = self.explore(reference("spmv_vector"), "--capacities", "l1", *PLAIN)
        self.assertRegex(run.out, r"(?m)^allocation \d of \S+ KiB +[\d,]+ .* KiB$")
        self.assertIn("All capacities in one pass", run.out)

    def test_a_card_without_the_cache_is_refused(self):
        for level, name in (("l1", "L1 data cache"), ("l2", "L2")):
            for card in ("8800gtx", "gtx280"):
                run = self.run_command("explore", reference("spmv_vector"), "--gpu", card, "--capacities", level)
                self.assert_fails(run, 2, "has no " + name, "warpmem gpus")
        run = self.run_command("explain", reference("spmv_vector"), "--gpu", "gtx280", "--counts", "--no-gain", "--needs")
        self.assert_works(run)
        self.assertIn("not known: GeForce GTX 280 has no L1 data cache", run.out)

    def test_explain_says_what_each_array_needs_of_an_l1(self):
        # A CTA of 16 x 16 threads reads a tile's row and column into shared memory, so that only neighbours' tiles hit.
        kernel = self.run_command("explain", reference("matmul_tiled16"), "--counts", "--no-gain", "--needs", "--format",
                                  "json").json()["kernels"][0]
        needs = kernel["l1_needs"]
        self.assertEqual((needs["sets"], needs["largest"]), (32, 256 << 10))
        sectors = sum(i["sectors"] for i in kernel["instructions"] if i["op"] == "load" and i["space"] == "global")
        self.assertEqual(sum(a["sectors"] for a in needs["arrays"]), sectors)
        for a in needs["arrays"]:
            self.assertLessEqual(a["hits"], a["hits_with_largest"])
            self.assertGreaterEqual(a["hits"], a["hits_with_largest"] - 0.01 * a["sectors"])
        # The same, one capacity after the other, on a card with such caches.
        spmv = self.run_command("explain", reference("spmv_vector"), "--counts", "--no-gain", "--needs", "--format",
                                "json").json()["kernels"][0]["l1_needs"]
        self.assertEqual({a["bytes"] for a in spmv["arrays"]}, {8192})
        out = self.curves(reference("spmv_vector"), "--capacities", "l1", "--by-replay", "--sizes", "8KiB", "--set",
                          "l1.size=32KiB", "--set", "l1.ways=8", "--set", "l1.index=low_bits", "--set", "l1.replacement=lru",
                          "--set", "l1.reserved=0", "--set", "l1.write=evict", "--set", "l1.read_cycles=0", "--set",
                          "shared.per_cta=1KiB", "--set", "shared.reserved=0", "--set", "shared.configs=0,1KiB")
        self.assertEqual(out["all"]["hits"], [sum(a["hits"] for a in spmv["arrays"])])
        text = self.run_command("explain", reference("spmv_vector"), "--counts", "--no-gain", "--needs").out
        self.assertRegex(text, r"(?m)^allocation 4 of 4 KiB +8 KiB +32\.9 % +32\.9 %$")
        self.assert_fails(self.run_command("explain", reference("spmv_vector"), "--needs", "--format", "csv"), 2, "json")


class Searches(Explore):
    SPACE = ["--counts", "--vary", "l1.size=32KiB:256KiB:16KiB", "--vary", "l2.size=8MiB:64MiB:8MiB", "--vary",
             "sm.count=16:128:16"]

    def test_a_search_tries_as_many_points_as_it_may_and_says_its_seed(self):
        arguments = [reference("spmv_vector"), *self.SPACE, "--objective", "dram_sectors + l2_reads", "--budget", "16",
                     "--seed", "5"]
        out = self.explore(*arguments, "--format", "json").json()
        self.assertEqual(len(out["points"]), 16)
        best = [p for p in out["points"] if p.get("best")]
        self.assertEqual(len(best), 1)
        values = [p["metrics"][0]["value"] for p in out["points"] if "metrics" in p]
        self.assertEqual(best[0]["metrics"][0]["value"], min(values))
        self.assertIn("seed 5", out["notes"][0])
        again = self.explore(*arguments, "--format", "json", "--threads", "3").json()
        self.assertEqual(out, again)

    def test_a_search_goes_on_where_it_stopped(self):
        arguments = [reference("spmv_vector"), *self.SPACE, "--objective", "l2_reads", "--budget", "24"]
        self.explore(*arguments, "--results", "whole.sqlite")
        process = subprocess.Popen([WARPMEM, "explore", *arguments, "--results", "cut.sqlite"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        process.kill()
        process.wait()
        self.explore(*arguments, "--results", "cut.sqlite")
        with open(self.path("whole.sqlite"), "rb") as a, open(self.path("cut.sqlite"), "rb") as b:
            self.assertEqual(a.read(), b.read())


class Samples(Explore):
    def test_launches_that_are_alike_stand_for_each_other(self):
        run = self.run_command("replay", self.trace("copy"), "--sample", "--format", "json")
        self.assert_works(run)
        out = run.json()
        whole = self.run_command("replay", "copy.wmt", "--format", "json").json()
        for name, value in out["metrics"].items():
            truth = [k["metrics"].get(name) for k in whole["kernels"]]
            if None in truth:
                continue
            self.assertLessEqual(abs(value["estimate"] - sum(truth)), value["half_width"] + 1e-6, name)


if __name__ == "__main__":
    harness.main()
