"""import warpmem: what its users write. Needs the module (cmake -DWARPMEM_PYTHON=ON); numpy and nanoarrow where they are used."""

import ast
import contextlib
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import unittest

from harness import SOURCE, WARPMEM, CommandTest

BUILD = os.path.dirname(WARPMEM)
PACKAGES = [os.path.join(BUILD, "python-package"), os.path.join(BUILD, "python")]
sys.path[:0] = PACKAGES
os.environ["WARPMEM"] = WARPMEM

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")
NVCC = shutil.which(os.environ.get("NVCC", "nvcc")) or shutil.which("/usr/local/cuda/bin/nvcc")

try:
    import warpmem as wm
    WHY_NOT = None
except ImportError as error:
    wm, WHY_NOT = None, f"the Python module was not built ({error})"


def has(name):
    return importlib.util.find_spec(name) is not None


AXPY = """__global__ void axpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""

# A program that launches a kernel by the driver's calls, as Python's libraries do.
SCRIPT = """
import ctypes, sys
PTX = b'''.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 to) {
  .reg .b64 %a<4>; .reg .b32 %r<3>;
  ld.param.u64 %a1, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %a2, %r1, 8;
  add.s64 %a3, %a1, %a2;
  st.global.u32 [%a3], %r1;
  ret;
}
'''
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *args):
    status = getattr(cuda, name)(*args)
    assert status == 0, (name, status)
context, module, function, memory = (ctypes.c_void_p() for _ in range(4))
call("cuInit", 0)
call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
call("cuModuleLoadData", ctypes.byref(module), PTX)
call("cuModuleGetFunction", ctypes.byref(function), module, b"fill")
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4096))
def launch(ctas):
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    call("cuLaunchKernel", function, ctas, 1, 1, 64, 1, 1, 0, None, parameters, None)
    call("cuCtxSynchronize")
launch(1)
"""
CAPTURE = SCRIPT + """
import warpmem as wm
with wm.capture(gpu="h200", kernels="fill.*") as run:
    launch(2)
    launch(3)
for row in run.kernels:
    print(row["kernel"], row["launches"], row["sectors"])
launch(4)
"""


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Module(CommandTest):
    def setUp(self):
        super().setUp()
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.folder)

    def reference(self, name, ending=".wmt"):
        shutil.copy(os.path.join(REFERENCE, name + ending), self.path(name + ending))
        return name + ending

    def python(self, *words, env=None):
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=self.folder, timeout=300,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(PACKAGES), **(env or {})})

    def test_what_if(self):
        t, h = wm.open(self.reference("matmul_tiled16")), wm.card("h200")
        results = [t.replay(h.set("l1.size", size), time=False).launch(0)["l2_sectors"] for size in ("128KiB", "256KiB")]
        said = json.loads(self.run_command("replay", "matmul_tiled16.wmt", "--counts", "--format", "json", "--set",
                                           "l1.size=128KiB").out)["kernels"][0]["metrics"]
        self.assertEqual(results[0], sum(said.get(f"lts__t_sectors_srcunit_tex_op_{op}.sum") or 0
                                         for op in ("read", "write", "atom", "red")))
        self.assertEqual(h.settings, {})  # a card does not change
        explanation = t.replay(h, time=False).explain(gains=False)
        self.assertIn("matmul", str(explanation))
        self.assertIn("<svg", explanation._repr_html_())

    def test_the_replay_is_the_command_s(self):
        replay = wm.open(self.reference("aat_strided")).replay("h200")
        said = self.run_command("replay", "aat_strided.wmt", "--format", "json").json()
        for launch, kernel in zip(replay, said["kernels"]):
            self.assertEqual(launch.kernel, kernel["name"])
            for name, value in kernel["metrics"].items():
                if value is not None:
                    self.assertEqual(launch[name], value)
        replay.save("saved.json")
        self.assertTrue(replay.diff("saved.json", "l2_sectors>+0%,l2_sectors<-0%").ok)
        smaller = wm.open("aat_strided.wmt").replay(wm.card("h200").set("l1.size", "64KiB"))
        worse = smaller.diff(replay, "l2_sectors>-100%")
        self.assertFalse(worse.ok)
        self.assertIn("l2_sectors>-100%", worse.failures[0])

    @unittest.skipUnless(NVCC and has("numpy"), "needs nvcc and numpy")
    def test_numpy_in_numpy_out(self):
        import numpy
        x, y = numpy.arange(10000, dtype=numpy.float32), numpy.ones(10000, dtype=numpy.float32)
        out, run = wm.emulate(AXPY, "axpy", grid=40, block=256, args=(2.0, x, y, 10000), gpu="b200")
        self.assertTrue(numpy.array_equal(out, 2 * x + 1))
        self.assertEqual(y[0], 1)
        counters = run.replay().launch(0)
        self.assertEqual(counters["load_sectors"], 2 * 1250)
        self.assertEqual(counters["store_sectors"], 1250)
        self.assertTrue(run.replay().lines()[0].place.endswith(":3"))
        self.write_file("axpy.cu", AXPY.replace("x[i]", "x[2 * i % n]"))
        *_, run = wm.emulate("axpy.cu", "axpy", grid=40, block=256, args=(2.0, x, y, 10000))
        self.assertIn("axpy.cu:3: global load", repr(run.lines()[0]))
        with self.assertRaises(wm.UsageError) as wrong:
            wm.emulate(AXPY.replace("blockDim.x", "blockDimm.x"), "axpy", 1, 32, (2.0, x, y, 1))
        self.assertIn("blockDimm", str(wrong.exception))
        with self.assertRaises(wm.UsageError):
            wm.emulate(AXPY, "axpy", 1, 32, (2.0, x))

    def test_capture_in_a_program_that_is_emulated(self):
        self.write_file("captured.py", CAPTURE)
        done = self.python("-m", "warpmem", "-o", "whole.wmt", "captured.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        # Two launches of 2 and 3 CTAs, two warps each, 32 lanes 8 bytes apart: 8 sectors a warp.
        self.assertIn(f"fill 2 {(2 + 3) * 2 * 8}", done.stdout)
        self.assertEqual(len(wm.open("whole.wmt")), 4)
        with self.assertRaises(wm.UsageError) as wrong:
            with wm.capture():
                pass
        self.assertIn("python -m warpmem", str(wrong.exception))

    def write_file(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_a_test_that_needs_no_gpu(self):
        self.write_file("bench.py", SCRIPT)
        run = wm.emulate_script("bench.py").replay("h200")
        self.assertEqual(run.max("bank_conflicts"), 0)
        run.save("golden.json")
        self.assertTrue(run.diff("golden.json", fail_on="l2_sectors>+2%,cycles>+10%").ok)

    def test_the_profiler_s_file_beside_the_model_s(self):
        self.reference("aat_strided", ".csv")
        table = wm.open(self.reference("aat_strided")).validate("aat_strided.csv")
        self.assertIn("metric", table.columns)
        said = self.run_command("validate", "aat_strided.wmt", "--ncu", "aat_strided.csv", "--format", "csv")
        self.assertEqual(len(table), len(said.out.splitlines()) - 1)

    def test_tables_are_arrow_streams(self):
        table = wm.open(self.reference("vectorised_float4_loop")).replay("h200", time=False).table()
        capsule = table.__arrow_c_stream__()
        self.assertIn("arrow_array_stream", repr(capsule))
        self.assertEqual(table[0]["launch"], 0)
        self.assertIn("<table>", table._repr_html_())
        if not has("nanoarrow"):
            self.skipTest("nanoarrow is not there to read it")
        import nanoarrow
        stream = nanoarrow.ArrayStream(table)
        self.assertEqual([f.name for f in stream.schema.fields], table.columns)
        self.assertEqual(stream.read_all().to_pylist()[0], table[0])

    def test_other_verbs(self):
        self.assertEqual(wm.pattern("a[threadIdx.x * 2]")[0].sectors, 8)
        self.assertEqual(wm.occupancy("h200", block=256, registers=64)["results"][0]["ctas"], 4)
        t = wm.open(self.reference("vectorised_float4_loop"))
        explored = t.explore({"l1.size": ["64KiB", "128KiB"]}, card="h200", metrics=["l2_sectors"], time=False)
        self.assertEqual({row["l1.size"] for row in explored}, {"64KiB", "128KiB"})
        self.assertEqual(wm.card("h200")["l1.size"], 262144)
        self.assertIn("v100", wm.cards())

    def test_errors_carry_the_command_s_words(self):
        for status, kind, call in ((2, wm.UsageError, lambda: wm.card("h20")),
                                   (2, wm.UsageError, lambda: wm.card("h200").set("l1.sise", "1KiB")),
                                   (3, wm.MalformedError, lambda: wm.open(self.reference("aat_strided", ".csv"))),
                                   (4, wm.IncompleteError, lambda: wm.open(self.trace("unsealed")))):
            with self.subTest(status=status):
                with self.assertRaises(kind) as raised:
                    call()
                self.assertEqual(raised.exception.status, status)
                self.assertTrue(raised.exception.fix)
                self.assertIn("fix:", str(raised.exception))

    def test_the_page_s_examples_run(self):
        shutil.move(self.reference("vectorised_float4_loop"), self.path("t.wmt"))
        with open(os.path.join(SOURCE, "docs/how-to/import-warpmem.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```python(.*?)\n(.*?)^```", file.read(), re.M | re.S)
        self.assertGreater(len(blocks), 5)
        names = {}
        for needs, block in blocks:
            if "nvcc" in needs and not (NVCC and has("numpy")):
                continue
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, "docs/how-to/import-warpmem.md", "exec"), names)

    def test_the_notebooks_run(self):
        folder = os.path.join(SOURCE, "docs/learn/notebooks")
        notebooks = sorted(os.listdir(folder))
        self.assertEqual(len(notebooks), 3)
        for name in notebooks:
            with self.subTest(notebook=name), open(os.path.join(folder, name), encoding="utf-8") as file:
                names, shown = {}, []
                for cell in json.load(file)["cells"]:
                    self.assertEqual(cell.get("outputs", []), [])
                    if cell["cell_type"] != "code":
                        continue
                    body = ast.parse("".join(cell["source"])).body
                    last = body.pop() if isinstance(body[-1], ast.Expr) else None
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(compile(ast.Module(body, []), name, "exec"), names)
                        if last:
                            shown.append(eval(compile(ast.Expression(last.value), name, "eval"), names))
                self.assertTrue(any("<svg" in one._repr_html_() for one in shown if hasattr(one, "_repr_html_")))

    def test_the_script_of_the_package_does_not_start_itself(self):
        self.write_file("warpmem", f"#!/bin/sh\nexec {sys.executable} -m warpmem \"$@\"\n")
        os.chmod(self.path("warpmem"), 0o755)
        done = self.python("-m", "warpmem", "--version", env={"WARPMEM": self.path("warpmem")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warpmem", done.stdout)

    def test_others_run_while_a_replay_does(self):
        t = wm.open(self.reference("matmul_tiled16"))
        ticks, stop = [], threading.Event()

        def count():
            while not stop.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)
        other = threading.Thread(target=count)
        other.start()
        begin = time.perf_counter()
        t.replay("h200")
        end = time.perf_counter()
        stop.set()
        other.join()
        self.assertGreater(sum(begin < tick < end for tick in ticks), 2)


if __name__ == "__main__":
    unittest.main()
