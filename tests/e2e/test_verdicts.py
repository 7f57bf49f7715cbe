"""What validate says of a profiler's readings: equal, spread, band, known, artefact, off, not read."""

import csv
import os

import harness
from harness import SOURCE

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
DRAM = "dram__sectors_read.sum"

# Twelve readings that are not the kernel's, planted into the reference; each with what else the file then has.
PLANTED = [
    ("transpose_naive_row", {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": 3121}, "lost arbitration"),
    ("transpose_shared_padded", {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": 30000}, "lost arbitration"),
    ("matmul_tiled32", {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 1400000}, "lost arbitration"),
    ("vector_copy_b4", {DRAM: 1204, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum": 130500}, "caches kept"),
    ("vector_copy_b4", {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum": 130500, DRAM: 1204}, "caches kept"),
    ("vector_copy_b4", {"gpu__time_duration.sum": 9300}, "clocks"),
    ("vector_copy_b4", {"dram__bytes_read.sum.per_second": 451e9, "gpu__time_duration.sum": 9300}, "clocks"),
    ("vector_copy_b4", {"smsp__inst_executed_op_global_ld_pred_on_any.sum": 65000}, "lanes that are off"),
    ("async_copy_stages2", {"memory_l2_theoretical_sectors_global": None}, "lanes that are off"),
    ("vector_copy_b4", {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": 140000}, "replay passes"),
    ("vector_copy_b4", {"lts__t_sectors_op_read.sum": 400000}, "other traffic"),
    ("vector_copy_b4", {DRAM: 260000, "lts__t_sectors_op_read.sum": 400000}, "other traffic"),
]


class Profiles(harness.CommandTest):
    def counters(self, run):
        with open(os.path.join(REFERENCE, run + ".csv"), encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    def write(self, name, rows):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
        return name

    def planted(self, run, values, name="p.csv"):
        header, units, *rows = self.counters(run)
        for metric, value in values.items():
            if metric not in header:
                header.append(metric)
                units.append("ns" if "time" in metric else "byte/second" if "per_second" in metric else "")
                rows = [row + [""] for row in rows]
            at = header.index(metric)
            for row in rows:
                row[at] = str(int(float(row[at].replace(",", "")) * 1.25)) if value is None else str(value)
        return self.write(name, [header, units, *rows])

    def validate(self, run, name, *options):
        return self.run_command("validate", os.path.join(REFERENCE, run + ".wmt"), "--ncu", name, *options)


class Artefacts(Profiles):
    def test_planted_artefacts_are_named(self):
        named, wrong = 0, []
        for run, values, kind in PLANTED:
            metric = next(iter(values))
            timed = ["--time"] if any("time" in m or "per_second" in m for m in values) else []
            out = self.validate(run, self.planted(run, values), "--format", "json", *timed).json()
            reading = out["launches"][0]["metrics"][metric]
            if reading["verdict"] == "artefact" and reading["artefact"] == kind:
                named += 1
                self.assertIn(kind + ": ", reading["reason"])
            else:
                wrong.append((run, metric, reading))
        self.assertGreaterEqual(named, 11, wrong)

    def test_a_reading_that_nothing_else_proves_is_the_models_error(self):
        # DRAM reads alone, hits alone, requests with the instructions, cycles with the time: all could be the model's.
        for run, values in (("vector_copy_b4", {DRAM: 1204}),
                            ("vector_copy_b4", {"lts__t_sectors_srcunit_tex_op_read.sum": 180000}),
                            ("vector_copy_b4", {"smsp__inst_executed_op_global_ld_pred_on_any.sum": 65000,
                                                "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 65000}),
                            ("vector_copy_b4", {"sm__cycles_elapsed.max": 41000, "gpu__time_duration.sum": 20700})):
            with self.subTest(values):
                run = self.validate(run, self.planted(run, values), "--format", "json", "--time")
                metrics = run.json()["launches"][0]["metrics"]
                self.assertEqual(run.status, 1)
                for metric in values:
                    self.assertEqual(metrics[metric]["verdict"], "model off", metrics[metric])

    def test_the_error_is_of_the_gpus_count(self):
        run = self.validate("vector_copy_b4", self.planted("vector_copy_b4", {DRAM: 1204}))
        self.assertRegex(run.out, r"dram__sectors_read\.sum +131,\d+ +1,204 +109 times")
        self.assertIn("error = (model - GPU) / GPU", run.out)
        metrics = self.validate("vector_copy_b4", self.planted("vector_copy_b4", {DRAM: 100000}), "--format", "json").json()
        reading = metrics["launches"][0]["metrics"][DRAM]
        self.assertAlmostEqual(reading["error"], reading["predicted"] / 100000 - 1)

    def test_one_launch_is_shown_metric_by_metric_and_the_worst_first(self):
        run = self.validate("vector_copy_b4", self.planted("vector_copy_b4", {DRAM: 100000}))
        lines = run.out.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("metric "))
        self.assertIn(DRAM, lines[at + 1])
        self.assertIn("model off", lines[at + 1])
        self.assertIn(LOADS, run.out)


class Cells(Profiles):
    def test_numbers_of_india_and_switzerland_are_read(self):
        for text in ("1,31,072", "131’072", "131'072", "1,31,072.0"):
            with self.subTest(text):
                run = self.validate("vector_copy_b4", self.planted("vector_copy_b4", {LOADS: text}), "--format", "json")
                self.assertEqual(run.status, 0, run.out + run.err)
                self.assertEqual(run.json()["launches"][0]["metrics"][LOADS]["verdict"], "equal")

    def test_a_cell_that_cannot_be_read_is_listed_and_has_a_status(self):
        for text in ("13,10,72", "nan", "(!) nan", "many"):
            with self.subTest(text):
                run = self.validate("vector_copy_b4", self.planted("vector_copy_b4", {LOADS: text}))
                self.assertEqual(run.status, 4, run.out + run.err)
                self.assertRegex(run.out, r"p\.csv, line 3: %s of vector_copy\S* is not read" % LOADS.replace(".", r"\."))
                self.assertEqual(self.validate("vector_copy_b4", "p.csv", "--partial").status, 0)
                self.assertEqual(self.validate("vector_copy_b4", "p.csv", "--format", "json").json()["not_read"], 1)

    def nvprof(self, *rows):
        with open(self.path("n.csv"), "w", encoding="utf-8") as file:
            file.write("==1== NVPROF is profiling process 1, command: ./a\n==1== Metric result:\n"
                       '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n')
            for row in rows:
                file.write('"Tesla V100-SXM2-16GB (0)","vector_copy_b4(float const *, float*, int)",1,' + row + "\n")
        return "n.csv"

    def test_decimal_commas_of_nvprof_are_read_or_told(self):
        name = self.nvprof('"gld_efficiency","Load",100,000000%,100,000000%,100,000000%',
                           '"gld_transactions","Load",131072,131072,131072')
        run = self.run_command("validate", os.path.join(REFERENCE, "vector_copy_b4.wmt"), "--nvprof", name, "--gpu", "v100",
                               "--format", "json")
        metrics = run.json()["launches"][0]["metrics"]
        self.assertEqual(metrics["gld_efficiency"]["measured"], 100)
        name = self.nvprof('"gld_efficiency","Load",100%,99,5%,99,7%', '"gld_transactions","Load",131072,131072,131072')
        run = self.run_command("validate", os.path.join(REFERENCE, "vector_copy_b4.wmt"), "--nvprof", name, "--gpu", "v100")
        self.assertIn("n.csv, line 4: gld_efficiency of vector_copy_b4 is not read", run.out)
        self.assertNotEqual(run.status, 0)


class Pages(Profiles):
    def details(self):
        shown = [("GPU Speed Of Light Throughput", "Elapsed Cycles", "cycle", "10,204"),
                 ("GPU Speed Of Light Throughput", "Duration", "usecond", "5.15"),
                 ("Memory Workload Analysis", "L2 Hit Rate", "%", "50.00"),
                 ("Memory Workload Analysis", "L1/TEX Hit Rate", "%", "0"),
                 ("Memory Workload Analysis", "Memory Throughput", "Gbyte/second", "815.3"),
                 ("Occupancy", "Theoretical Occupancy", "%", "100"),
                 ("Occupancy", "Achieved Occupancy", "%", "80.1")]
        return shown, [*(["0", "1", "a", "h", "vector_copy_b4(const float *, float *, int)", "1", "7", "(256, 1, 1)",
                          "(4096, 1, 1)", "0", "9.0", *row] for row in shown)]

    def test_the_first_page_is_compared(self):
        _, rows = self.details()
        header = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
                  "Grid Size", "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value"]
        name = self.write("d.csv", [header, *rows])
        out = self.validate("vector_copy_b4", name, "--format", "json", "--allow-unmatched")
        self.assertTrue(out.out, out.err)
        metrics = out.json()["launches"][0]["metrics"]
        for metric in ("gpc__cycles_elapsed.max", "gpu__time_duration.sum", "lts__t_sector_hit_rate.pct",
                       "l1tex__t_sector_hit_rate.pct", "dram__bytes.sum.per_second", "sm__maximum_warps_per_active_cycle_pct",
                       "sm__warps_active.avg.pct_of_peak_sustained_active"):
            self.assertIsNotNone(metrics[metric]["predicted"], metric)
            self.assertNotEqual(metrics[metric]["verdict"], "not read", metric)
        self.assertEqual(out.json()["engine"], "time")
        self.assertIn(metrics["gpc__cycles_elapsed.max"]["verdict"], ("within band", "within spread", "equal"))

    def test_text_is_read_as_its_csv_is(self):
        shown, _ = self.details()
        with open(self.path("t.txt"), "w", encoding="utf-8") as file:
            file.write("==PROF== Connected to process 1 (./a)\n[1] a@127.0.0.1\n"
                       "  vector_copy_b4(const float *, float *, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n"
                       "    Section: Command line profiler metrics\n"
                       "    ---------------------------- ----------- ------------\n"
                       "    Metric Name                  Metric Unit Metric Value\n"
                       "    ---------------------------- ----------- ------------\n"
                       f"    {LOADS}      sector      131,072\n"
                       "    ---------------------------- ----------- ------------\n")
        out = self.validate("vector_copy_b4", "t.txt", "--format", "json").json()
        self.assertEqual(out["launches"][0]["metrics"][LOADS]["verdict"], "equal")

    def test_nvprofs_table_is_read(self):
        with open(self.path("n.txt"), "w", encoding="utf-8") as file:
            file.write("==1== NVPROF is profiling process 1, command: ./a\n==1== Metric result:\n"
                       "Invocations                Metric Name            Metric Description         Min         Max         Avg\n"
                       'Device "Tesla V100-SXM2-16GB (0)"\n    Kernel: vector_copy_b4(float const *, float*, int)\n'
                       "          1           gld_efficiency      Global Memory Load Efficiency     100.00%     100.00%     100.00%\n")
        run = self.run_command("validate", os.path.join(REFERENCE, "vector_copy_b4.wmt"), "--nvprof", "n.txt", "--format", "json")
        self.assertEqual(run.json()["gpu"], "v100", run.err)
        self.assertEqual(run.json()["launches"][0]["metrics"]["gld_efficiency"]["measured"], 100)

    def test_another_gpu_names_its_cards(self):
        header, units, row = self.counters("vector_copy_b4")
        row[header.index("CC")] = "8.0"
        run = self.validate("vector_copy_b4", self.write("o.csv", [header, units, row]))
        self.assert_fails(run, 2, "--gpu a100_40", "--gpu a100_80")
        for device, card in (("Tesla K80 (0)", "k40"), ("GeForce GTX 1080 (0)", "m40")):
            with open(self.path("k.csv"), "w", encoding="utf-8") as file:
                file.write("==1== NVPROF is profiling process 1, command: ./a\n==1== Metric result:\n"
                           '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n'
                           f'"{device}","vector_copy_b4(float const *)",1,"gld_efficiency","Load",100%,100%,100%\n')
            run = self.run_command("validate", os.path.join(REFERENCE, "vector_copy_b4.wmt"), "--nvprof", "k.csv")
            self.assert_fails(run, 2, f"--gpu {card}")


if __name__ == "__main__":
    harness.main()
