"""Cards of one's own: --gpu FILE.toml wherever a card is named."""

import json
import os

import harness
from harness import SOURCE

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
SMALL_L1 = """inherits = "h200"
name = "H200, small L1"

[l1]
size = { value = "64KiB", source = "assumed: what if" }
"""


class Cards(harness.CommandTest):
    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def replay(self, *arguments):
        run = self.run_command("replay", os.path.join(REFERENCE, "transpose_naive_row.wmt"), *arguments, "--format", "json")
        self.assert_works(run)
        return run.json()

    def test_a_card_that_inherits_replays_as_the_same_setting_does(self):
        own = self.replay("--gpu", self.write("small.toml", SMALL_L1))
        set_ = self.replay("--set", "l1.size=64KiB")
        plain = self.replay()
        self.assertEqual(own["gpu"], "small")
        self.assertEqual(own["kernels"][0]["metrics"], set_["kernels"][0]["metrics"])
        self.assertEqual(own["kernels"][0]["time"], set_["kernels"][0]["time"])
        self.assertNotEqual(own["kernels"][0]["metrics"], plain["kernels"][0]["metrics"])
        self.assertEqual(own["card"]["l1.size"], {"value": 65536, "unit": "bytes", "source": "assumed: what if"})
        self.assertTrue(own["card"]["l2.size"]["source"].startswith("as h200: documented"))

    def test_accuracy_is_not_measured_even_for_a_file_of_a_built_in_card_s_name(self):
        trace = os.path.join(REFERENCE, "vector_copy_b4.wmt")
        for name in ("mine.toml", "h200.toml"):
            self.write(name, 'inherits = "h200"\n')
            run = self.run_command("replay", trace, "--all", "--gpu", name)
            self.assert_works(run)
            self.assertIn(f"Accuracy is not measured: {name[:-5]} is a card of your own.", run.out)
            self.assertNotIn("equal in all", run.out)
            self.assertNotIn("median", run.out)
            out = self.run_command("replay", trace, "--gpu", name, "--format", "json").json()
            self.assertEqual(out["accuracy"], {})
            self.assertIn("card of your own", out["kernels"][0]["accuracy_not_measured"])
            rows = self.run_command("replay", trace, "--gpu", name, "--format", "csv").out.splitlines()
            self.assertEqual({row.rsplit(",", 2)[1] for row in rows[1:]} - {""}, {"not measured"})
        built_in = self.run_command("replay", trace, "--all", "--gpu", "h200")
        self.assertIn("equal in all", built_in.out)

    def test_gpus_shows_a_card_and_where_its_numbers_come_from(self):
        self.write("cards/small.toml", SMALL_L1)
        self.write("cards/one/side.toml", 'inherits = "../small.toml"\n[l2]\nsides = { value = 1, source = "assumed: simpler" }\n')
        page = self.run_command("gpus", "cards/one/side.toml")
        self.assert_works(page)
        self.assertIn("side, compute capability 9.0", page.out)
        self.assertRegex(page.out, "l1.size .*as small: assumed: what if")
        self.assertRegex(page.out, r"latency.l2_far .*as h200: .*\(not used: l2.sides is 1\)")
        self.assertIn("warpmem gpus cards/one/side.toml --instructions", page.out)
        card = self.run_command("gpus", "cards/one/side.toml", "--format", "json").json()["card"]
        self.assertIs(card["l2.home_bits"]["used"], False)
        self.assertNotIn("used", card["l2.size"])
        self.assertIn("FFMA", self.run_command("gpus", "cards/small.toml", "--instructions").out)
        # The list is of those that are built in.
        self.assertNotIn("small", self.run_command("gpus").out)

    def test_validate_compares_a_card_of_one_s_own_with_a_folder_that_is_named(self):
        self.write("h200.toml", 'inherits = "h200"\n')
        trace, counted = (os.path.join(REFERENCE, "vector_copy_b4" + end) for end in (".wmt", ".csv"))
        pair = ("validate", trace, "--ncu", counted)
        # Deviations of the H200 that are known are none of this card's.
        own, plain = self.run_command(*pair, "--gpu", "h200.toml"), self.run_command(*pair, "--no-deviations")
        self.assertIn("Predicted for h200 by the counts engine", own.out)
        self.assertEqual((own.out, own.status), (plain.out, plain.status))
        # Not with the H200's, although it is called so.
        self.assert_fails(self.run_command("validate", "--gpu", "./h200.toml"), 2, "no reference data for card h200", "--suite")
        self.assert_fails(self.run_command("validate", trace, "--ncu", counted, "--gpu", "none.toml"), 2, "none.toml")

    def test_what_is_wrong_with_a_card_is_told_with_file_line_and_fix(self):
        trace = self.trace("copy")
        self.write("a.toml", 'inherits = "b.toml"\n')
        self.write("b.toml", 'inherits = "a.toml"\n')
        self.write("key.toml", 'inherits = "h200"\n[l1]\nsise = { value = 1, source = "assumed" }\n')
        self.write("unused.toml", 'inherits = "h200"\n[dram]\nt_rfc_ps = { value = 300000, source = "assumed: a try" }\n')
        self.write("parent.toml", 'inherits = "h20"\n')
        self.write("text.toml", "[l1\n")
        os.mkdir(self.path("folder.toml"))
        with open(self.path("zeros.toml"), "wb") as file:
            file.truncate(1 << 21)
        for name, words in (("a.toml", ("b.toml, line 1", "in a circle: a.toml -> b.toml -> a.toml")),
                            ("key.toml", ("key.toml, line 3", "unknown key 'l1.sise'", "did you mean 'l1.size'?")),
                            ("unused.toml", ("unused.toml, line 3", "does not use 'dram.t_rfc_ps': dram.refresh is bank", 'dram.refresh = "all"')),
                            ("parent.toml", ("parent.toml, line 1", "did you mean 'h200'?")),
                            ("text.toml", ("text.toml, line 1", "not valid TOML")),
                            ("folder.toml", ("folder.toml", "it is a folder")),
                            ("zeros.toml", ("zeros.toml", "larger than 1 MiB")),
                            ("missing.toml", ("missing.toml", "No such file"))):
            for command in (("replay", trace, "--gpu", name), ("gpus", name)):
                with self.subTest(command):
                    self.assert_fails(self.run_command(*command), 2, *words)
        self.assert_fails(self.run_command("gpus", "h200", "--set", "dram.t_rfc_ps=300000"), 2, "--set dram.t_rfc_ps", "dram.refresh is bank")

    def test_what_the_card_s_compute_capability_lacks_is_skipped_and_named(self):
        old = self.write("old.toml", 'inherits = "h200"\ncompute_capability = "8.0"\n')
        older = self.write("older.toml", 'inherits = "h200"\ncompute_capability = "7.5"\n')
        lacking = {"cluster_read": (old, "accesses to shared memory of other CTAs", "8.0 have no clusters"),
                   "bulk_copy_load": (old, "bulk copies (cp.async.bulk)", "9.0 and later"),
                   "async_copy_stages2": (older, "asynchronous copies (cp.async)", "8.0 and later")}
        for trace, (card, *words) in lacking.items():
            path = os.path.join(REFERENCE, trace + ".wmt")
            for engine in ("--counts", "--time"):
                with self.subTest(trace + engine):
                    run = self.run_command("replay", path, "--gpu", card, engine, "--format", "json", "--all")
                    self.assert_works(run)
                    kernel = json.loads(run.out)["kernels"][0]
                    for word in words:
                        self.assertIn(word, " ".join(kernel["notes"]))
                    own = self.run_command("replay", path, engine, "--format", "json", "--all")
                    self.assertNotIn("skipped", own.out)
                    # What the records that are left count by addresses alone is what it was.
                    ours, theirs = kernel["metrics"], json.loads(own.out)["kernels"][0]["metrics"]
                    for name in ("smsp__inst_executed_op_global_st_pred_on_any.sum",
                                 "smsp__inst_executed_op_shared_ld_pred_on_any.sum"):
                        self.assertEqual(ours[name], theirs[name], name)
                    for name in ("l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
                                 "smsp__inst_executed_op_ldgsts_pred_on_any.sum"):
                        self.assertIn(ours[name], (0, theirs[name]) if trace != "async_copy_stages2" else (0,), name)
        # Compared with what a GPU counted that has them, it would be wrong.
        run = self.run_command("validate", os.path.join(REFERENCE, "cluster_read.wmt"), "--gpu", old,
                               "--ncu", os.path.join(REFERENCE, "cluster_read.csv"))
        self.assert_fails(run, 2, "card old, launch ", "no clusters", "--gpu")
        self.assert_works(self.run_command("replay", self.trace("copy"), "--gpu", older))
        self.assert_works(self.run_command("gpus", older, "--topology"))
        self.assertIn("the card has no clusters", self.run_command("gpus", older, "--topology").out)


if __name__ == "__main__":
    harness.main()
