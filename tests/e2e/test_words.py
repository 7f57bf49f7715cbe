"""Every GPU, each in the words of its time: cards, vocabularies of metrics, bandwidths."""
import csv
import io
import unittest

import harness

CARDS = {"8800gtx": ("1.0", "2006"), "gtx280": ("1.3", "2008"), "c2050": ("2.0", "2010"), "k20x": ("3.5", "2012"),
         "k40": ("3.5", "2013"), "m40": ("5.2", "2015"), "p100": ("6.0", "2016"), "v100": ("7.0", "2017"),
         "t4": ("7.5", "2018"), "a100_40": ("8.0", "2020"), "a100_80": ("8.0", "2020"), "rtx3070": ("8.6", "2020"),
         "rtx3090": ("8.6", "2020"), "rtx4090": ("8.9", "2022"), "h100_sxm": ("9.0", "2022"), "h200": ("9.0", "2024"),
         "b200": ("10.0", "2024"), "rtx5090": ("12.0", "2025")}


class Words(harness.CommandTest):
    def metrics(self, trace, gpu, *options):
        run = self.run_command("replay", trace, "--gpu", gpu, "--format", "json", *options)
        self.assert_works(run)
        out = run.json()
        return out["vocabulary"], out["kernels"][0]["metrics"], out["kernels"][0].get("not_available", {})

    def test_each_card_replays_in_the_words_of_its_time(self):
        # 32 warps load and store 128 aligned bytes each: every generation moves what was asked for.
        trace = self.trace("copy")
        for gpu, (capability, _) in CARDS.items():
            with self.subTest(gpu):
                words, metrics, _ = self.metrics(trace, gpu)
                major = int(capability.split(".")[0])
                if major < 2:
                    self.assertEqual(words, "visual-profiler")
                    # Two half-warps a warp, a transaction of 64 bytes each.
                    self.assertEqual(metrics["gld_coherent" if gpu == "8800gtx" else "gld_64b"], 64)
                    self.assertEqual((metrics["excess_load"], metrics["excess_store"]), (0, 0))
                elif major < 7:
                    self.assertEqual(words, "nvprof")
                    self.assertEqual((metrics["gld_efficiency"], metrics["gst_efficiency"]), (100, 100))
                    # Lines of 128 bytes, or, from 5.0 on, four transactions a request of eight lanes.
                    self.assertEqual(metrics["gld_transactions_per_request"], 1 if major < 5 else 16)
                else:
                    self.assertEqual(words, "ncu")
                    self.assertEqual(metrics["smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"], 100)
                    self.assertEqual(
                        metrics["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"], 4)

    def test_nvprof_and_nsight_compute_say_the_same_of_one_replay(self):
        trace = self.trace("gather")
        _, ncu, _ = self.metrics(trace, "h200", "--metrics", "ncu")
        words, nvprof, missing = self.metrics(trace, "h200", "--metrics", "nvprof")
        self.assertEqual(words, "nvprof")
        self.assertEqual(nvprof["gld_transactions"], ncu["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"])
        # 32 scattered words a warp: 32 sectors, an eighth of each asked for.
        self.assertEqual((nvprof["gld_transactions_per_request"], nvprof["gld_efficiency"]), (32, 12.5))
        self.assertEqual(nvprof["dram_read_transactions"], ncu["dram__sectors_read.sum"])
        self.assertIsNone(nvprof["inst_replay_overhead"])
        self.assertIn("not replayed", missing["inst_replay_overhead"])
        self.assertIn("2.0 to 3.7", missing["gld_request"])

    def test_what_needs_time_says_so_without_it(self):
        _, metrics, missing = self.metrics(self.trace("copy"), "v100", "--counts", "--metrics", "nvprof")
        self.assertIsNone(metrics["gld_throughput"])
        self.assertIn("time engine", missing["gld_throughput"])
        self.assertEqual(metrics["gld_efficiency"], 100)

    def test_half_rows_on_fermi_and_on_volta(self):
        # A warp of two rows of 16 words: half of each line on 2.x, whole sectors from 7.0 on (M2090: 50 %, V100: 100 %).
        trace = self.trace("rows")
        self.assertEqual(self.metrics(trace, "c2050")[1]["gld_efficiency"], 50)
        self.assertEqual(self.metrics(trace, "v100", "--metrics", "nvprof")[1]["gld_efficiency"], 100)

    def test_a_table_says_why_there_is_no_number(self):
        run = self.run_command("replay", self.trace("copy"), "--gpu", "v100", "--metrics", "nvprof")
        self.assert_works(run)
        self.assertRegex(run.out, r"gld_efficiency +100 +% +not measured")
        self.assertRegex(run.out, r"inst_replay_overhead +n/a +replay/inst +instructions are not replayed")
        self.assertNotIn("l1_cache_global_hit_rate", run.out)
        more = self.run_command("replay", self.trace("copy"), "--gpu", "rtx4090", "--metrics", "nvprof")
        self.assertIn("nvprof ran on GPUs of compute capability 2.0 to 7.2", more.out)

    def test_all_about_one_metric(self):
        page = self.run_command("metrics", "gld_efficiency").out
        for words in ("in the words of nvprof", "2.0 to 6.2", "100 * gld_requested_bytes / gld_moved_bytes",
                      "7.0 and later", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct (ncu)",
                      "excess_load (visual-profiler)"):
            self.assertIn(words, page)
        one = self.run_command("metrics", "gld_32b", "--format", "json").json()["metrics"]
        self.assertEqual([(d["since"], d["until"]) for d in one[0]["definitions"]], [("1.2", "1.3")])
        self.assert_fails(self.run_command("metrics", "gld_eficiency"), 2, "did you mean 'gld_efficiency'")
        self.assert_fails(self.run_command("metrics", "gld_32b", "--vocabulary", "nvprof"), 2, "--vocabulary nvprof")

    def test_metrics_are_listed_by_vocabulary(self):
        page = self.run_command("metrics").out
        for title in ("Nsight Compute", "nvprof", "the Visual Profiler"):
            self.assertIn(f"In the words of {title}\n", page)
        only = self.run_command("metrics", "--vocabulary", "visual-profiler", "--format", "json").json()["metrics"]
        self.assertEqual({m["vocabulary"] for m in only}, {"visual-profiler"})
        self.assertIn("warp_serialize", [m["name"] for m in only])

    def test_a_wrong_vocabulary(self):
        self.assert_fails(self.run_command("replay", self.trace("copy"), "--metrics", "cupti"), 2, "nvprof")


class Profiles(harness.CommandTest):
    HEAD = ("==1== NVPROF is profiling process 1, command: ./copy\n==1== Metric result:\n"
            '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n')

    def profile(self, device, **metrics):
        rows = [f'"{device} (0)","copy(float*, float const *)",1,"{name}","",{v},{v},{v}'
                for name, v in metrics.items()]
        with open(self.path("profile.csv"), "w") as file:
            file.write(self.HEAD + "\n".join(rows) + "\n")
        return "profile.csv"

    def validate(self, device, *options, **metrics):
        return self.run_command("validate", self.trace("copy"), "--nvprof", self.profile(device, **metrics),
                                "--format", "json", *options)

    def test_a_profile_is_judged_by_the_card_of_its_gpu(self):
        for device, card, transactions in (("Tesla V100-SXM2-16GB", "v100", 128), ("Tesla K40c", "k40", 32),
                                           ("Tesla P100-PCIE-16GB", "p100", 512), ("Tesla C2050", "c2050", 32),
                                           ("A100-SXM4-80GB", "a100_80", 128), ("NVIDIA A100-PCIE-40GB", "a100_40", 128)):
            with self.subTest(device):
                run = self.validate(device, gld_transactions=transactions, gld_efficiency="100.000000%")
                self.assert_works(run)
                self.assertEqual(run.json()["gpu"], card)

    def test_a_wrong_count_fails(self):
        run = self.validate("Tesla V100-SXM2-16GB", gld_transactions=127)
        self.assertEqual(run.status, 1, run.err)

    def test_a_gpu_without_a_card_has_to_be_named(self):
        for device in ("Tesla K20c", "GeForce RTX 3070 Ti", "GH200 480GB"):
            self.assert_fails(self.validate(device, gld_transactions=32), 2, device, "--gpu")
        self.assert_works(self.validate("Tesla K20c", "--gpu", "k20x", gld_transactions=32))

    def test_another_card_than_the_profile_s_is_refused(self):
        self.assert_fails(self.validate("Tesla V100-SXM2-16GB", "--gpu", "t4", gld_transactions=128), 2,
                          "counted on another GPU", "--gpu v100")


class Cards(harness.CommandTest):
    def test_the_list_has_every_generation_the_oldest_first(self):
        cards = self.run_command("gpus", "--format", "json").json()["cards"]
        self.assertEqual({c["name"]: (c["compute_capability"], c["year"]) for c in cards}, CARDS)
        years = [c["year"] for c in cards]
        self.assertEqual(years, sorted(years))
        peak = {c["name"]: c["dram_gbps"] for c in cards}
        # Data sheets: 86.4, 141.7, 898, 1,555, 1,008 GB/s.
        for name, gbps in (("8800gtx", 86.4), ("gtx280", 141.7), ("v100", 898), ("a100_40", 1555), ("rtx4090", 1008)):
            self.assertAlmostEqual(peak[name], gbps, delta=gbps / 500)

    def test_who_counted_what_is_said_of_each(self):
        page = self.run_command("gpus").out
        self.assertRegex(page, r"h200 .* 181 launches, cycles [\d.]+ % off \(median\)")
        self.assertRegex(page, r"b200 .* not measured")

    def test_every_number_has_unit_and_source(self):
        for name in CARDS:
            card = self.run_command("gpus", "show", name, "--format", "json").json()["card"]
            for key, number in card.items():
                with self.subTest(name + " " + key):
                    self.assertTrue(number["unit"])
                    self.assertRegex(number["source"], r"^(as \w+: )?(documented|measured|assumed|derived|default): ")

    def test_what_was_measured_on_hopper_is_no_other_gpus(self):
        for name in CARDS.keys() - {"h200", "h100_sxm"}:
            card = self.run_command("gpus", name, "--format", "json").json()["card"]
            with self.subTest(name):
                self.assertNotEqual(card["l1.replacement"]["value"], "after_hits")
                self.assertNotIn("measured on compute capability 9.0", card["l1.ways"]["source"])
                # That some hash chooses the set is known of others, which one is not.
                for key, hash_of_hopper in (("l1.index", "xor_matrix"), ("l2.index", "mixed_rows")):
                    if card.get(key, {}).get("value") == hash_of_hopper:
                        self.assertRegex(card[key]["source"], r"^(as \w+: )?assumed: ")

    def test_two_cards_side_by_side(self):
        page = self.run_command("gpus", "diff", "a100_40", "a100_80")
        self.assert_works(page)
        self.assertRegex(page.out, r"dram\.type +hbm2 +hbm2e")
        self.assertNotIn("l1.size", page.out)
        found = {d["key"]: d for d in
                 self.run_command("gpus", "diff", "8800gtx", "v100", "--format", "json").json()["differences"]}
        self.assertEqual(found["shared.banks"]["a"]["value"], "16")
        self.assertEqual(found["shared.banks"]["b"]["value"], "32")
        self.assertIsNone(found["l2.ways"]["a"])
        self.assert_fails(self.run_command("gpus", "diff", "v100"), 2, "two cards")
        self.assert_fails(self.run_command("gpus", "v100", "t4"), 2, "one card too many", "diff")
        self.assert_fails(self.run_command("gpus", "show"), 2, "show takes a card")

    def test_the_ladder_of_bandwidths(self):
        for name in ("8800gtx", "gtx280", "c2050", "k20x", "p100", "v100", "t4", "rtx4090"):  # each replays kernels
            with self.subTest(name):
                rungs = self.run_command("gpus", name, "--ladder", "--format", "json").json()["ladder"]
                self.assertEqual([r["level"] for r in rungs],
                                 ["registers", "shared memory", "L1", "L2", "global memory", "mapped host memory"])
                for r in rungs:
                    if r["theoretical_gbps"] and r["reached_gbps"]:
                        self.assertLess(r["reached_gbps"], r["theoretical_gbps"])
                    if r["theoretical_gbps"] and r["effective_gbps"]:
                        self.assertLessEqual(r["effective_gbps"], r["theoretical_gbps"], r["level"])
                # What is measured of global memory, and what replaying reads of it comes to.
                self.assertLess(abs(rungs[4]["effective_gbps"] / rungs[4]["reached_gbps"] - 1), 0.05)
        text = self.run_command("gpus", "v100", "--ladder", "--format", "csv").out
        rows = {r["level"]: r for r in csv.DictReader(io.StringIO(text))}
        # 64 multiply-adds of three words; 128 bytes a cycle; 4,096 bits at 877 MHz, twice.
        self.assertEqual(rows["registers"]["theoretical_gbps"], f"{80 * 64 * 12 * 1.53:.1f}")
        self.assertEqual(rows["shared memory"]["theoretical_gbps"], f"{80 * 128 * 1.53:.1f}")
        self.assertEqual(rows["global memory"]["theoretical_gbps"], "898.0")


if __name__ == "__main__":
    harness.main()
