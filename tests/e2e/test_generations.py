"""GPUs before compute capability 7.0, and structural what-ifs, as users type them."""

import csv
import io
import os

import harness
from harness import SOURCE

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")
CARDS = os.path.join(SOURCE, "tests/cards")


class Generations(harness.CommandTest):
    def metrics(self, trace, *arguments):
        run = self.run_command("replay", os.path.join(REFERENCE, trace + ".wmt"), *arguments,
                               "--format", "json", "--all", "--metrics", "ncu")
        self.assert_works(run)
        return run.json()["kernels"][0]["metrics"]

    def partitions(self, trace, *arguments):
        run = self.run_command("partitions", os.path.join(REFERENCE, trace + ".wmt"), *arguments,
                               "--counts", "--format", "json")
        self.assert_works(run)
        return run.json()["kernels"][0]

    def test_a_copy_one_word_off_moves_what_each_generation_s_rule_says(self):
        # 32,768 warps read from byte 4 on. 1.0: 32 times 32 bytes; 1.3: 128, 64 and 32 bytes; 2.x
        # past the L1 and later: five sectors.
        name = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
        requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
        for card, sectors in (("1_0", 32), ("1_3", 7), ("2_0", 8), ("3_5", 5), ("6_1", 5)):
            m = self.metrics("offset_load_1", "--gpu", os.path.join(CARDS, f"cc_{card}.toml"), "--counts")
            # The last warp of the array does not read one word off its end.
            self.assertAlmostEqual(m[name] / m[requests], sectors, delta=0.01, msg=card)

    def test_an_l1_has_what_the_split_leaves(self):
        # 2.x: 48 KiB of shared memory and 16 KiB of L1 by default, or the other way round.
        fermi = ("--gpu", os.path.join(CARDS, "cc_2_0.toml"), "--counts")
        split, hits = "launch__shared_mem_config_size", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
        small = self.metrics("matmul_naive", *fermi)
        large = self.metrics("matmul_naive", *fermi, "--set", "shared.default=16KiB")
        self.assertEqual((small[split], large[split]), (48 << 10, 16 << 10))
        self.assertGreater(large[hits], small[hits])

    def test_a_plain_map_camps_and_a_hashed_one_does_not(self):
        gt200 = os.path.join(CARDS, "cc_1_3.toml")
        plain = self.partitions("transpose_naive_row", "--gpu", gt200)
        hashed = self.partitions("transpose_naive_row", "--gpu", gt200, "--set", "dram.map=hashed")
        self.assertEqual(len(plain["read_sectors"]), 8)
        self.assertLess(plain["busy_channels"], hashed["busy_channels"])
        self.assertEqual(sum(plain["read_sectors"]), sum(hashed["read_sectors"]))
        windows = sum(sum(w) for w in plain["windows"])
        self.assertEqual(windows, sum(plain["read_sectors"]) + sum(plain["written_sectors"]))

    def test_partitions_are_shown_as_a_table_and_as_csv(self):
        trace = os.path.join(REFERENCE, "vector_copy_b4.wmt")
        gpu = ("--gpu", os.path.join(CARDS, "cc_1_3.toml"), "--counts")
        table = self.run_command("partitions", trace, *gpu)
        self.assert_works(table)
        self.assertIn("8 channels", table.out)
        rows = list(csv.DictReader(io.StringIO(self.run_command("partitions", trace, *gpu, "--format", "csv").out)))
        self.assertEqual(sum(int(r["sectors"]) for r in rows), 2 * 131072)

    def test_an_h200_s_channels_share_a_copy(self):
        one = self.partitions("vector_copy_b4")
        self.assertEqual(len(one["read_sectors"]), 188)
        self.assertEqual(sum(one["read_sectors"]), 131072)

    def test_what_cannot_be_built_names_the_nearest_that_can(self):
        trace = os.path.join(REFERENCE, "vector_copy_b4.wmt")
        for settings, words in (
                (["l1.sets=1000"], "give 512 or 1,024"),
                (["l1.sets=512", "l1.ways=4"], "two keys for one thing"),
                (["l2.partitions=2", "l2.sides=2"], "two keys for one thing"),
                (["l2.partitions=3"], "give 2 or 4"),
                (["l1.sector=48"], "give 32, 64 or 128 bytes"),
                (["texture.second_size=64KiB"], "the card does not use 'texture.second_size'"),
                (["shared.banks=20"], "give 8, 16, 32 or 64"),
                (["l1.replacement=plru"], "tree_plru"),
                (["texture.size=8KiB"], "the card does not use 'texture.size'"),
                (["access.rule=half"], "half_warp_strict")):
            arguments = [a for s in settings for a in ("--set", s)]
            run = self.run_command("replay", trace, *arguments)
            self.assert_fails(run, 2, words)

    def test_a_gtx_280_finds_in_the_partitions_what_its_tpcs_caches_of_textures_lack(self):
        # 30 SMs fetch the same texels: each of ten TPCs from its partition, which had them from DRAM once.
        trace = os.path.join(REFERENCE, "texture_rows.wmt")

        def dram(*arguments):
            run = self.run_command("partitions", trace, "--gpu", "gtx280", *arguments, "--counts", "--format", "json")
            self.assert_works(run)
            return sum(run.json()["kernels"][0]["read_sectors"])
        self.assertLess(dram(), dram("--set", "texture.second_size=0"))
        run = self.run_command("replay", trace, "--gpu", "gtx280", "--set", "texture.second_line=96")
        self.assert_fails(run, 2, "texture.second_line is 96 B", "give 128 or 256 bytes")

    def test_one_key_takes_sms_away_or_adds_some(self):
        whole = self.metrics("vector_copy_b4")
        half = self.metrics("vector_copy_b4", "--set", "sm.count=33")
        cycles = "sm__cycles_elapsed.max"
        loads = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
        self.assertEqual(whole[loads], half[loads])
        self.assertGreater(half[cycles], 1.3 * whole[cycles])
        self.metrics("vector_copy_b4", "--set", "sm.count=200")


if __name__ == "__main__":
    harness.main()
