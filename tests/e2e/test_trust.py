"""Nothing silent: which card a trace goes to, what its level is worth, what a pattern leaves open, where tools come from."""

import os
import re
import shutil
import stat

import harness
from harness import SOURCE

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")
COPY = os.path.join(REFERENCE, "vector_copy_b4.wmt")
PTX = os.path.join(SOURCE, "tests/emulate/ptx/vector_copy.ptx")
LAUNCH = """entry = "vector_copy_b4"
grid = 64
block = 256
args = [
  { buffer = "in", type = "f32", count = 16384, fill = "ramp" },
  { buffer = "out", type = "f32", count = 16384 },
  { type = "s32", value = 16384 },
]
"""
CAUTION = "warning: level ptx"


class Traces(harness.CommandTest):
    def emulate(self, name, *options, **more):
        with open(self.path("launch.toml"), "w", encoding="utf-8") as file:
            file.write(LAUNCH)
        run = self.run_command("emulate", PTX, "--launch", "launch.toml", "-o", name, *options, **more)
        self.assert_works(run)
        return run


class Cards(Traces):
    def test_a_trace_goes_to_the_card_of_its_gpu(self):
        self.emulate("a.wmt", "--gpu", "a100_80", "--level", "ptx")
        for verb in (["replay"], ["explain", "--no-gain"]):
            self.assertIn(" on a100_80 (", self.run_command(*verb, "a.wmt").out)
        self.assertEqual(self.run_command("replay", "a.wmt", "--format", "json").json()["gpu"], "a100_80")
        self.assert_works(self.run_command("report", "a.wmt", "--no-gain", "--json", "-o", "r.json"))
        with open(self.path("r.json"), encoding="utf-8") as file:
            self.assertIn('"name":"a100_80"', file.read())
        # The help of the command says where a number is not the card's own.
        self.assertIn(" on t4 (", self.run_command("replay", "a.wmt", "--gpu", "t4").out)

    def test_a_recorded_trace_goes_to_its_card_or_to_the_nearest_and_says_so(self):
        run = self.run_command("replay", COPY)
        self.assertIn(" on h200 (", run.out)
        self.assertNotIn("nearest", run.err)
        with open(self.path("mine.toml"), "w", encoding="utf-8") as file:
            file.write('name = "Mine"\ninherits = "rtx3070"\n')
        self.emulate("m.wmt", "--gpu", "mine.toml", "--level", "ptx")
        run = self.run_command("replay", "m.wmt", "--format", "json")
        self.assertIn(run.json()["gpu"], ("rtx3070", "rtx3090"))
        self.assertRegex(run.err, r"of which there is no card: replayed on rtx30\d0, which comes nearest; --gpu names another")
        self.assertIn("another GPU", run.json()["kernels"][0]["accuracy_not_measured"])

    def test_on_another_card_no_accuracy_is_shown(self):
        out = self.run_command("replay", COPY, "--format", "json").json()
        self.assertTrue(out["accuracy"])
        self.emulate("t4.wmt", "--gpu", "t4")
        out = self.run_command("replay", "t4.wmt", "--gpu", "h200", "--format", "json").json()
        self.assertFalse(out["accuracy"])
        self.assertIn("another GPU", out["kernels"][0]["accuracy_not_measured"])


class Levels(Traces):
    def setUp(self):
        super().setUp()
        self.emulate("p.wmt", "--level", "ptx")

    def test_a_warning_stands_in_front_of_every_cycle(self):
        for verb in (["replay"], ["replay", "--all"], ["explain"], ["diff", "p.wmt"]):
            with self.subTest(verb):
                out = self.run_command(verb[0], "p.wmt", *verb[1:]).out
                self.assertIn("level ptx: what the compiler joins", out)
                self.assertNotIn("cycles", out.split("level ptx: what")[0])

    def test_programs_see_it_too(self):
        replayed = self.run_command("replay", "p.wmt", "--format", "json")
        self.assertIn("level ptx", replayed.json()["caution"])
        self.assertEqual(replayed.json()["kernels"][0]["time"]["accuracy"], "not measured")
        self.assertIn("level ptx", self.run_command("explain", "p.wmt", "--no-gain", "--format", "json").json()["caution"])
        rows = self.run_command("replay", "p.wmt", "--format", "csv")
        self.assertRegex(rows.out, r"sm__cycles_elapsed\.max,cycle,\d+,time,not measured,rough: level ptx")
        self.assertRegex(rows.out, r"op_ld\.sum,sector,\d+,time,not measured,\n")
        self.assertIn(CAUTION, rows.err)
        report = self.run_command("report", "p.wmt", "--no-gain", "--json", "-o", "r.json")
        self.assertIn("level ptx", report.err)
        with open(self.path("r.json"), encoding="utf-8") as file:
            self.assertIn("level ptx: what the compiler joins", file.read())

    def test_machine_code_has_none(self):
        self.assertNotIn("level ptx", self.run_command("replay", COPY).out)
        self.assertIsNone(self.run_command("replay", COPY, "--format", "json").json()["caution"])

    def test_emulate_says_where_to_get_what_is_missing(self):
        run = self.emulate("n.wmt", "--summary", env={"WARPMEM_NVDISASM": ""})
        if os.environ.get("WARPMEM_PTXAS") or shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas"):
            self.assertIn("no nvdisasm was found", run.err)
            self.assertIn("pip install nvidia-cuda-nvdisasm", run.err)
            doctor = self.run_command("doctor", "--format", "json", env={"WARPMEM_NVDISASM": ""}).json()
            fix = next(c["fix"] for c in doctor["checks"] if c["name"] == "nvdisasm")
            self.assertIn("pip install nvidia-cuda-nvdisasm", fix)


class Tools(harness.CommandTest):
    def fake(self, folder, version):
        os.makedirs(self.path(folder))
        path = os.path.join(self.path(folder), "nvdisasm")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho 'Cuda compilation tools, release {version[:4]}, V{version}'\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return os.path.realpath(path)

    def found(self, **env):
        checks = self.run_command("doctor", "--format", "json", env=env).json()["checks"]
        return next(c["found"] for c in checks if c["name"] == "nvdisasm")

    def test_the_newest_is_taken_of_path_and_pythons_packages(self):
        old, new = self.fake("bin", "99.0.1"), self.fake("venv/lib/python3.11/site-packages/nvidia/cu99/bin", "99.10.2")
        env = {"PATH": self.path("bin") + ":" + os.environ["PATH"]}
        self.assertEqual(self.found(**env), old)
        self.assertEqual(self.found(**env, VIRTUAL_ENV=self.path("venv")), new)
        self.assertEqual(self.found(**env, VIRTUAL_ENV=self.path("venv"), WARPMEM_NVDISASM=old), old)
        self.assertEqual(self.found(PYTHONPATH=self.path("venv/lib/python3.11/site-packages")), new)


class Patterns(harness.CommandTest):
    def test_what_a_load_gives_is_no_index(self):
        for pattern in ("a[idx[threadIdx.x]]", "i = idx[lane]; a[i]", "if (m[lane]) a[lane]",
                        "j = 0; for k in 0..4: { a[j]; j = next[lane] }"):
            with self.subTest(pattern):
                self.assert_fails(self.run_command("pattern", pattern), 2, "depends on", "random(threadIdx.x)", "^")
        self.assert_works(self.run_command("pattern", "a[random(threadIdx.x)] = idx[threadIdx.x]"))

    def test_an_answer_may_have_its_arrays_name(self):
        for lesson, answer in ((1, "m[5*32 + threadIdx.x]"), (1, "5*32 + threadIdx.x"), (4, "p[threadIdx.x + 32]"),
                               (6, "out[(blockIdx.x*32 + threadIdx.y)*128 + blockIdx.y*32 + threadIdx.x];"),
                               (11, "h[threadIdx.x]"), (8, "33")):
            with self.subTest(answer):
                run = self.run_command("learn", str(lesson), answer)
                self.assert_works(run)
                self.assertTrue(run.out.startswith("right: "), run.out)
        self.assert_fails(self.run_command("learn", "1", "m[5][threadIdx.x]"), 2, "one index")

    def test_31_columns_do_not_hold_a_tile(self):
        run = self.run_command("learn", "8", "31")
        self.assertEqual(run.status, 1, run.out)
        self.assertIn("32 columns do not fit", run.out)
        self.assertRegex(self.run_command("learn", "8", "33").out, r"1 pass\b")


class Differences(Traces):
    def test_rules_that_do_not_apply_are_said_to(self):
        for rule, status, words in (("cycles>+5%", 0, "no rule of --fail-on applies: cycles>+5%"),
                                    ("cycles>1", 1, "applies: cycles>1: launch 0")):
            run = self.run_command("diff", COPY, COPY, "--fail-on", rule)
            self.assertEqual(run.status, status, run.err)
            self.assertIn(words, run.out)

    def test_lines_of_two_variants_go_together_by_order(self):
        other = os.path.join(REFERENCE, "transpose_column_copy.wmt")
        run = self.run_command("diff", os.path.join(REFERENCE, "transpose_row_copy.wmt"), other)
        lines = [line for line in run.out.splitlines() if ".cu:" in line]
        self.assertTrue(lines)
        self.assertFalse([line for line in lines if "from 0" in line or "-100" in line], run.out)


class Occupancy(Traces):
    def test_a_traces_launches_have_waves_and_a_tail(self):
        out = self.run_command("occupancy", COPY, "--format", "json").json()["results"][0]
        self.assertEqual(out["gpu"], "h200")
        self.assertEqual(out["wave_ctas"], out["ctas"] * 132)
        self.assertAlmostEqual(out["waves"], out["grid_ctas"] / out["wave_ctas"])
        self.assertEqual(out["tail_ctas"], out["grid_ctas"] % out["wave_ctas"])
        text = self.run_command("occupancy", COPY).out
        self.assertTrue(re.search(r"\d+\.\d\d waves", text), text)
        self.assert_fails(self.run_command("occupancy", COPY, "--block", "64"), 2, "launches have their blocks")


if __name__ == "__main__":
    harness.main()
