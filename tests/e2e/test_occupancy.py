"""warpmem occupancy: from numbers, from code, on every card. Expected figures are NVIDIA's (cuda_occupancy.h, guides) and ptxas's."""

import csv
import io
import os
import shutil
import unittest

from harness import SOURCE, CommandTest

CODE = os.path.join(SOURCE, "tests/e2e/occupancy")
PTXAS = os.environ.get("WARPMEM_PTXAS") or shutil.which("ptxas") or (
    "/usr/local/cuda/bin/ptxas" if os.path.exists("/usr/local/cuda/bin/ptxas") else None)


class Occupancy(CommandTest):
    def results(self, *words, status=0):
        run = self.run_command("occupancy", *words, "--format", "json")
        self.assertEqual(run.status, status, run.err)
        return run.json()["results"]

    def assert_says(self, run, status, *words):
        self.assertEqual(run.status, status, run.err)
        for word in words:
            self.assertIn(word, run.err)

    def one(self, *words, status=0):
        results = self.results(*words, status=status)
        self.assertEqual(len(results), 1)
        return results[0]

    def test_registers_limit_a_launch_on_an_h200(self):
        r = self.one("--gpu", "h200", "--block", "256", "--registers", "64", "--shared", "8KiB")
        self.assertEqual((r["ctas"], r["warps"], r["occupancy_pct"]), (4, 32, 50))
        self.assertEqual(r["limited_by"], ["registers"])
        self.assertEqual(r["ctas_by"], {"warps": 8, "ctas": 32, "registers": 4, "shared_memory": 25})
        text = self.run_command("occupancy", "--gpu", "h200", "--block", "16x16", "--registers", "64", "--shared", "8KiB").out
        self.assertIn("4 CTAs an SM, 32 of 64 warps, 50.0 %: limited by registers", text)
        self.assertIn("threads of a CTA", text)

    def test_registers_against_occupancy_on_gf100(self):
        # 32 K registers and 1,536 threads: 20 a thread fill an SM, 63 leave a third; more than that do not run.
        curve = self.one("--gpu", "c2050", "--block", "192", "--registers", "20")["curves"]["registers"]
        at = {n: c["warps"] for c in curve for n in range(c["from"], c["to"] + 1)}
        self.assertEqual({n: at[n] for n in (16, 20, 21, 32, 63)}, {16: 48, 20: 48, 21: 42, 32: 30, 63: 12})
        self.assertEqual(max(at), 63)

    def test_what_cannot_run_is_cudas_error(self):
        for words, error in ((("--gpu", "c2050", "--registers", "64"), "cudaErrorLaunchOutOfResources (701): 64 registers a thread, c2050 allows 63"),
                             (("--gpu", "8800gtx", "--block", "1024", "--registers", "8"), "cudaErrorInvalidConfiguration (9)"),
                             (("--gpu", "t4", "--registers", "8", "--shared", "65KiB"), "t4 allows 64 KiB")):
            self.assert_says(self.run_command("occupancy", *words), 2, error)
            self.assertIn(error, self.one(*words, status=2)["error"])

    def test_all_cards_side_by_side(self):
        run = self.run_command("occupancy", "--block", "256", "--registers", "64", "--all-gpus", "--format", "csv")
        rows = {r["gpu"]: r for r in csv.DictReader(io.StringIO(run.out))}
        cards = self.run_command("gpus", "--format", "json").json()
        self.assertEqual(len(rows), len(cards["cards"]))
        self.assertEqual(rows["t4"]["warps"], "32")
        self.assertEqual(rows["t4"]["occupancy_pct"], "100.00")  # 1,024 threads an SM
        self.assertEqual(rows["8800gtx"]["ctas"], "0")
        self.assertIn("cudaErrorLaunchOutOfResources", rows["8800gtx"]["error"])
        self.assertIn("rtx5090", self.run_command("occupancy", "--registers", "64", "--all-gpus").out)

    def test_a_cubin_says_its_own_registers_and_shared_memory(self):
        # As ptxas -v said when it was made: 128 registers and 8,192 bytes; 8 registers.
        by = {r["kernel"]: r for r in self.results(os.path.join(CODE, "kernels.cubin"), "--gpu", "a100_80")}
        self.assertEqual((by["many"]["registers"], by["many"]["static_shared_bytes"], by["many"]["ctas"]), (128, 8192, 2))
        self.assertEqual((by["scale"]["registers"], by["scale"]["ctas"]), (8, 8))
        r = self.one(os.path.join(CODE, "kernels.cubin"), "--gpu", "a100_80", "--kernel", "many", "--shared", "50KiB", "--block", "64")
        self.assertEqual(r["shared_bytes"], 58 * 1024)
        self.assertEqual(r["limited_by"], ["shared memory"])
        self.assert_says(self.run_command("occupancy", os.path.join(CODE, "kernels.cubin"), "--gpu", "t4"), 2,
                         "machine code for sm_80 does not run on compute capability 7.5")
        self.assert_says(self.run_command("occupancy", os.path.join(CODE, "kernels.cubin"), "--gpu", "a100_80", "--kernel", "nobody"), 2,
                         "its kernels are: ")

    def test_a_program_gives_the_code_that_the_gpu_would_load(self):
        fat = os.path.join(CODE, "kernels.fatbin")
        for gpu, code in (("t4", "7.5"), ("a100_80", "8.0"), ("rtx3090", "8.0"), ("rtx4090", "8.0")):
            r = self.one(fat, "--gpu", gpu, "--kernel", "scale")
            self.assertEqual(r["code"], "machine code for %s in the file" % code)
            self.assertEqual(r["registers"], 8)

    @unittest.skipUnless(PTXAS, "needs ptxas (WARPMEM_PTXAS, the PATH or a CUDA toolkit)")
    def test_ptx_is_compiled_for_a_gpu_that_has_no_code(self):
        fat = os.path.join(CODE, "kernels.fatbin")
        r = self.one(fat, "--gpu", "h200", "--kernel", "scale")
        self.assertEqual(r["code"], "PTX for 7.5, assembled for 9.0")
        old = self.one(fat, "--gpu", "c2050", "--kernel", "many")
        self.assertIn("no ptxas of CUDA 13 makes code for 2.0; with at most 63 registers a thread", old["code"])
        self.assertLessEqual(old["registers"], 63)

    @unittest.skipUnless(PTXAS, "needs ptxas (WARPMEM_PTXAS, the PATH or a CUDA toolkit)")
    def test_a_limit_of_registers_spills(self):
        rows = self.results(os.path.join(CODE, "kernels.fatbin"), "--gpu", "a100_80", "--kernel", "many", "--maxrregcount", "128,64,32")
        self.assertEqual([r["maxrregcount"] for r in rows], [128, 64, 32])
        for r in rows:
            self.assertLessEqual(r["registers"], r["maxrregcount"])
        self.assertEqual(rows[0]["spill_store_bytes"], 0)
        self.assertGreater(rows[2]["spill_store_bytes"], 0)
        self.assertEqual([r["ctas"] for r in rows], [2, 4, 8])
        text = self.run_command("occupancy", os.path.join(CODE, "kernels.fatbin"), "--gpu", "a100_80", "--kernel", "many",
                                "--maxrregcount", "128,32").out
        self.assertIn("spills stored", text)

    def test_without_ptxas_it_says_what_to_do(self):
        run = self.run_command("occupancy", os.path.join(CODE, "kernels.fatbin"), "--gpu", "h200",
                               env={"WARPMEM_PTXAS": "/nowhere/ptxas"})
        self.assertEqual(run.status, 6, run.err)

    def test_mistakes(self):
        self.assert_says(self.run_command("occupancy"), 2, "neither code nor --registers is given")
        self.assert_says(self.run_command("occupancy", "--registers", "8", "--shared", "many"), 2, "'many' is not a size")
        self.assert_says(self.run_command("occupancy", "--registers", "8", "--block", "0"), 2, "--block")
        self.assert_says(self.run_command("occupancy", "--registers", "8", "--kernel", "x"), 2, "no file is given")
        self.assert_says(self.run_command("occupancy", os.path.join(CODE, "kernels.cubin"), "--registers", "8"), 2, "the code says")
        with open(self.path("x.bin"), "wb") as file:
            file.write(b"nothing of the kind")
        self.assert_says(self.run_command("occupancy", "x.bin"), 2, "there is no GPU code in it")


if __name__ == "__main__":
    unittest.main()
