"""Cases that guides, textbooks and NVIDIA's engineers document, each with the exact figure.

cases.csv: a row a figure: what the lanes of a warp (or of a small kernel) access, on which card and with which
settings, the metric in its own profiler's words, the value, and who documents it. The kernels are make_kernel's, or
traces of programs (`reference:`).
"""
import collections
import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

WARPMEM = os.environ["WARPMEM"]
MAKE_KERNEL = os.environ["MAKE_KERNEL"]
HERE = pathlib.Path(__file__).resolve().parent
VISUAL = {"gld_coherent", "gld_incoherent", "gld_32b", "gld_64b", "gld_128b", "tex_cache_miss", "warp_serialize"}
REFERENCE = HERE.parents[1] / "validate/reference/h200"


def words_of(metric):
    return "ncu" if "__" in metric else "visual-profiler" if metric in VISUAL else "nvprof"


def cases():
    with open(HERE / "cases.csv", newline="") as file:
        return list(csv.DictReader(file))


def job(row):
    return row["card"], row["settings"], row["trace"], row["sizes"], words_of(row["metric"])


def replay(what):
    card, settings, trace, sizes, words = what
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.wmt")
        if trace.startswith("reference:"):
            path = str(REFERENCE / f"{trace.partition(':')[2]}.wmt")
        else:
            subprocess.run([MAKE_KERNEL, path, trace, *sizes.split()], check=True)
        changes = [word for setting in settings.split() for word in ("--set", setting)]
        done = subprocess.run([WARPMEM, "replay", path, "--gpu", card, *changes, "--counts", "--metrics", words,
                               "--all", "--format", "json"], check=True, capture_output=True)
    return json.loads(done.stdout)["kernels"][0]["metrics"]


class Cases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = cases()
        wanted = sorted({job(row) for row in cls.rows})
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            cls.replayed = dict(zip(wanted, pool.map(replay, wanted)))

    def test_each_case_is_as_documented(self):
        for row in self.rows:
            with self.subTest(f"{row['case']} on {row['card']} {row['settings']}: {row['metric']}"):
                value = self.replayed[job(row)].get(row["metric"])
                self.assertIsNotNone(value, "the replay has no such metric")
                decimals = len(row["value"].partition(".")[2])
                self.assertEqual(round(value, decimals), float(row["value"]), row["source"])

    def test_every_case_has_a_source_and_every_generation_a_case(self):
        self.assertTrue(all(row["source"] for row in self.rows))
        cards = collections.Counter(row["card"] for row in self.rows)
        for card in ("8800gtx", "gtx280", "c2050", "k20x", "k40", "m40", "p100", "v100", "t4", "a100_40", "a100_80",
                     "rtx3070", "rtx3090", "rtx4090", "h100_sxm", "h200", "b200", "rtx5090"):
            self.assertGreater(cards[card], 2, card)


class Unrolling(unittest.TestCase):
    """Professional CUDA C programming, chapters 3 and 4: unrolling leaves the transactions as they are and has more
    of them under way. Four words a thread, CTAs of 128 threads, one or two of which an SM has room for."""

    @staticmethod
    def replayed(folder, kernel, ctas, card):
        launch, trace = os.path.join(folder, kernel + ".toml"), os.path.join(folder, kernel + ".wmt")
        buffers = "".join(f'[[args]]\nbuffer = "{name}"\ntype = "f32"\ncount = 276480\n' for name in ("out", "in"))
        pathlib.Path(launch).write_text(
            f'entry = "{kernel}"\ngrid = {ctas}\nblock = 128\ndynamic_shared = "40KiB"\n{buffers}')
        subprocess.run([WARPMEM, "emulate", str(HERE / "unrolled_copy.ptx"), "--launch", launch, "--level", "ptx",
                        "-o", trace, "--force"], check=True, capture_output=True)
        done = subprocess.run([WARPMEM, "replay", trace, "--gpu", card, "--metrics", "ncu", "--all", "--format", "json"],
                              check=True, capture_output=True)
        found = json.loads(done.stdout)["kernels"][0]
        return found["metrics"], found["time"]

    def test_as_many_transactions_and_more_under_way(self):
        with tempfile.TemporaryDirectory() as folder:
            for card in ("c2050", "k20x", "v100", "rtx4090"):
                one, time_one = self.replayed(folder, "copy_1", 2160, card)
                four, time_four = self.replayed(folder, "copy_4", 540, card)
                for metric in ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                               "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"):
                    self.assertEqual(four[metric], one[metric], card)
                self.assertEqual(one["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 276480 * 4 / 32)
                self.assertGreater(time_four["bytes_in_flight"], 2 * time_one["bytes_in_flight"], card)
                self.assertLess(four["sm__cycles_elapsed.max"], one["sm__cycles_elapsed.max"], card)


if __name__ == "__main__":
    unittest.main()
