"""Kernels that Python's stacks compile, run as they are: `warpmem emulate -- python3 program.py`, and no variable set.

Each stack has its packages, pinned, in tests/python_stacks/requirements/. They are installed, each into an environment of its
own, below WARPMEM_PYTHON_STACKS, or where CMake builds. Without it the small ones alone are, as ./check has no time for
the others; WARPMEM_PYTHON_STACKS=build/python-stacks has all of them, which ./check --nightly does. A stack whose packages
cannot be had here is skipped, and says so.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

from harness import SOURCE, CommandTest

PROGRAMS = os.path.join(SOURCE, "tests", "python_stacks")
ALL = os.environ.get("WARPMEM_PYTHON_STACKS")
FOLDER = os.path.abspath(ALL or os.path.join(os.path.dirname(os.environ["WARPMEM"]), "python-stacks"))
LOADS, SECTORS = ("l1tex__t_%s_pipe_lsu_mem_global_op_ld.sum" % kind for kind in ("requests", "sectors"))
STORES = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"


def requests(elements, arrays=1, an_access=1):
    """Of warps that each read 32 lanes' elements, `an_access` a lane."""
    return -(-elements // (32 * an_access)) * arrays


class Stack(CommandTest):
    def python_of(self, stack, small):
        """The environment's interpreter, which is made if need be."""
        if not small and not ALL:
            self.skipTest(f"{stack} is large: set WARPMEM_PYTHON_STACKS to a folder for it")
        folder = os.path.join(FOLDER, stack)
        python = os.path.join(folder, "bin", "python3")
        if os.path.exists(os.path.join(folder, "complete")):
            return python
        try:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "-r", os.path.join(PROGRAMS, "requirements", stack + ".txt")],
                           check=True, capture_output=True, timeout=1800)
        except (subprocess.SubprocessError, OSError) as error:
            shutil.rmtree(folder, True)
            self.skipTest(f"the packages of {stack} cannot be installed here: {str(error)[:200]}")
        with open(os.path.join(folder, "complete"), "w"):
            pass
        return python

    def emulate(self, stack, small=False, options=(), env=None):
        python = self.python_of(stack, small)
        caches = {"XDG_CACHE_HOME": self.path("cache"), "TRITON_CACHE_DIR": self.path("triton"),
                  "TORCHINDUCTOR_CACHE_DIR": self.path("inductor")}
        return self.run_command("emulate", "--force", "-o", "t.wmt", *options, "--", python, os.path.join(PROGRAMS, stack + ".py"),
                                timeout=900, env={"PYTHONDONTWRITEBYTECODE": "1", **caches, **(env or {})})

    def counters(self, kernel):
        run = self.run_command("replay", "t.wmt", "--counts", "--all", "--format", "json")
        self.assertEqual(run.status, 0, run.err)
        return next(k["metrics"] for k in run.json()["kernels"] if kernel in k["name"])

    def assert_picture(self, stack, kernel, where, nth=0):
        """docs/how-to/python.md shows what `explain --lanes` draws of a line of the n-th such launch, but for what one machine's compiler
        or addresses make of it."""
        launches = self.run_command("info", "t.wmt", "--format", "json").json()["launches"]
        launch = [launch["launch"] for launch in launches if kernel in launch["kernel"]][nth]
        run = self.run_command("explain", "t.wmt", "--launch", str(launch), "--lanes", where)
        self.assertEqual(run.status, 0, run.err)
        drawn = "\n".join(run.out.split("\n\n")[0].rstrip("\n").split("\n")[2:]) + "\n"
        with open(os.path.join(SOURCE, "docs/how-to/python.md"), encoding="utf-8") as file:
            shown = re.search(rf"^```text picture {stack}\n(.*?)^```$", file.read(), re.M | re.S)
        self.assertIsNotNone(shown, stack)
        self.assertEqual(*(re.sub("0x[0-9a-f]+", "0x", text) for text in (drawn, shown[1])))

    def all_right(self, run, steps):
        self.assertEqual(run.status, 0, run.out + run.err)
        self.assertNotIn("WRONG", run.out)
        self.assertEqual(run.out.count("right "), steps, run.out + run.err)
        self.assertNotRegex(run.err, r"(?m)^warpmem: ")  # stacks have warnings of their own

    def test_cuda_core(self):
        run = self.emulate("cuda_core_kernels", small=True)
        self.all_right(run, 4)
        self.assertEqual(run.err, "")
        counted = self.counters("saxpy")
        self.assertEqual(counted[LOADS], requests(5000, arrays=2))
        self.assertEqual(counted[STORES], requests(5000))
        self.assertEqual(counted[SECTORS], 2 * 5000 // 8)

    def test_tinygrad(self):
        self.all_right(self.emulate("tinygrad_ops", small=True), 5)
        counted = self.counters("E_32_32_4")  # 4,096 floats, four a thread
        self.assertEqual(counted[LOADS], requests(4096, an_access=4))
        self.assertEqual(counted[SECTORS], 4096 // 8)

    def test_numba(self):
        self.all_right(self.emulate("numba_arrays"), 7)
        info = self.run_command("info", "t.wmt").out
        self.assertIn("__main__::add(", info)
        self.assertNotIn("[abi:", info)
        self.assert_picture("numba_arrays", "__main__::matmul(", "numba_arrays.py:26")
        counted = self.counters("__main__::add(")
        self.assertEqual(counted[LOADS], requests(10000, arrays=2))
        self.assertEqual(counted[SECTORS], 2 * 10000 // 8)

    def test_triton(self):
        self.all_right(self.emulate("triton_tiles"), 4)
        counted = self.counters("add_kernel")
        self.assertEqual(counted[LOADS], requests(5120, arrays=2, an_access=4))
        self.assertEqual(counted[SECTORS], 2 * 5120 // 8)
        dumped = self.run_command("dump", "t.wmt", "--counts").out
        self.assertIn("triton_tiles.py", dumped)
        self.assert_picture("triton_tiles", "add_kernel", "triton_tiles.py:16")

    def test_pycuda(self):
        self.all_right(self.emulate("pycuda_kernels"), 3)
        counted = self.counters("saxpy")
        self.assertEqual(counted[LOADS], requests(5000, arrays=2))

    def test_cupy(self):
        self.all_right(self.emulate("cupy_arrays"), 8 + 24)
        counted = self.counters("saxpy")
        self.assertEqual(counted[LOADS], requests(10000, arrays=2))
        self.assertEqual(counted[STORES], requests(10000))
        self.assert_picture("cupy_arrays", "squares", "15", nth=1)  # the first is of an array in one piece
        self.assertRegex(self.run_command("explain", "t.wmt", "--launch", "0", "--lanes", "3").out, r"^\S+\.cu:3, global load")

    def test_warp(self):
        self.all_right(self.emulate("warp_kernels"), 3)
        self.assertEqual(self.counters("saxpy")[LOADS], requests(5000, arrays=2))

    def test_taichi(self):
        self.all_right(self.emulate("taichi_kernels"), 2)
        self.assertEqual(self.counters("saxpy")[STORES], requests(4096))

    def test_cutlass_dsl(self):
        self.all_right(self.emulate("cutlass_dsl"), 1)
        counted = self.counters("add_one")
        self.assertEqual(counted[LOADS], requests(4096))
        self.assertEqual(counted[SECTORS], 4096 // 8)
        self.assertIn("cutlass_dsl.py", self.run_command("dump", "t.wmt", "--counts").out)

    def test_torch_compile(self):
        self.all_right(self.emulate("torch_compile"), 5)
        counted = self.counters("triton_poi_fused_add_mul_sin_0")  # 256 x 256 floats, four a thread, of two arrays
        self.assertEqual(counted[LOADS], requests(256 * 256, arrays=2, an_access=4))
        self.assertEqual(counted[SECTORS], 2 * 256 * 256 // 8)
        ran = [launch["ran"] for launch in self.run_command("info", "t.wmt", "--format", "json").json()["launches"]]
        self.assertLess(len(ran), 20)
        self.assertGreater(max(ran), 50)  # by Inductor's search
        self.assert_picture("torch_compile", "triton_poi_fused_add_t_0", "32")

    def test_helion(self):
        self.all_right(self.emulate("helion_add"), 1)
        self.assertEqual(self.counters("add_one")[SECTORS], 4096 // 8)

    def test_tilelang(self):
        self.all_right(self.emulate("tilelang_copy"), 1)
        self.assertEqual(self.counters("add_one")[SECTORS], 4096 // 8)


if __name__ == "__main__":
    unittest.main()
