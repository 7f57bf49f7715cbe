"""Numbers that people write: none wraps, is rounded or is made up, whichever option or file holds it."""

import csv
import io
import os
import resource
import unittest

import harness

EMPTY = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"


class Options(harness.CommandTest):
    def test_a_number_outside_its_range_is_refused_by_every_option(self):
        trace = self.trace("copy")
        cases = [(("dump", trace), ("--cta", "--warp", "--limit")),
                 (("replay", trace), ("--threads",)), (("validate",), ("--threads",)),
                 (("emulate", "k.ptx"), ("--threads", "--max-instructions", "--max-records")),
                 (("record",), ("--max-records",))]
        for words, options in cases:
            for option in options:
                for value in ("-1", "x", "1.5", "", "18446744073709551616", "nan", "0x10"):
                    with self.subTest(verb=words[0], option=option, value=value):
                        # As one word: an option's value may not begin with - for every parser.
                        run = self.run_command(*words, f"{option}={value}", *(
                            ("--", "true") if words[0] == "record" else ()))
                        self.assert_fails(run, 2, "fix:")
                        if value:
                            self.assertIn(f"{words[0]} {option}: '{value}' is ", run.err)
                            self.assertIn("fix: write a whole number", run.err)

    def test_the_value_may_stand_in_the_next_word(self):
        run = self.run_command("dump", self.trace("copy"), "--limit", "-1")
        self.assert_fails(run, 2, "dump --limit: '-1' is less than 0")

    def test_ends_of_ranges(self):
        for arguments, said in ((("replay", self.trace("copy"), "--threads", "1025"), "more than 1,024"),
                                (("emulate", "k.ptx", "--threads", "257"), "more than 256"),
                                (("emulate", "k.ptx", "--max-instructions", "0"), "less than 1")):
            self.assert_fails(self.run_command(*arguments), 2, said)
        self.assert_works(self.run_command("replay", self.trace("copy"), "--threads", "1024"))

    def test_fractions_and_ranges(self):
        for value in ("0", "-0.5", "1.1", "nan", "inf", "half"):
            self.assert_fails(self.run_command("emulate", "./app", f"--ctas={value}"), 2,
                              f"emulate --ctas: '{value}' is not" if value != "1.1" else "'1.1' is more than 1",
                              "fix: write a number above 0 and at most 1")
        for value in ("-1", "x", "2:1", ":", "1:2:3", "18446744073709551615", "."):
            for words in (("dump", self.trace("copy"), "--launch"), ("replay", self.trace("copy"), "--launch"),
                          ("info", self.trace("copy"), "--launch"), ("emulate", "./app", "--launches")):
                with self.subTest(words=words, value=value):
                    self.assert_fails(self.run_command(*words[:-1], f"{words[-1]}={value}"), 2,
                                      f"'{value}' is not a range of launches", "fix: write A:B")


class Dump(harness.CommandTest):
    def test_a_cta_that_is_not_there_is_no_empty_table(self):
        for form in ("table", "json", "csv"):
            run = self.run_command("dump", self.trace("copy"), "--cta", "99999", "--format", form)
            self.assert_fails(run, 2, "the trace has no CTA 99999", "launch 0 holds 8 CTAs, 0 to 7, of 4 warps")
            self.assertEqual(run.out, "")

    def test_a_warp_that_is_not_there(self):
        self.assert_fails(self.run_command("dump", self.trace("copy"), "--warp", "99"), 2,
                          "the trace has no warp 99", "of 4 warps, 0 to 3")
        self.assert_fails(self.run_command("dump", self.trace("copy"), "--cta", "7", "--warp", "4"), 2,
                          "the trace has no CTA 7 with a warp 4")
        self.assert_works(self.run_command("dump", self.trace("copy"), "--cta", "7", "--warp", "3"))

    def test_records_are_not_chosen_for_what_has_none(self):
        for option in ("--program", "--counts"):
            self.assert_fails(self.run_command("dump", self.trace("copy"), option, "--cta", "0"), 2, "--cta")


class Gpus(harness.CommandTest):
    def test_numbers_are_numbers_with_a_unit(self):
        card = self.run_command("gpus", "h200", "--format", "json").json()["card"]
        self.assertEqual(card["l2.size"], {**card["l2.size"], "value": 62914560, "unit": "bytes"})
        self.assertEqual(card["dram.t_refi_ps"]["value"], 1950000)
        self.assertEqual(card["l2.home_bits"]["value"], [12, 13, 15, 17, 19, 21, 22])
        self.assertEqual(card["shared.configs"]["value"][-1], 228 * 1024)
        self.assertEqual(card["dram.type"]["value"], "hbm3e")
        self.assertEqual(card["isa.sass.MUFU"]["value"],
                         {"pipe": "xu", "issue": 8, "latency": 22, "wait": "scoreboard"})
        text = self.run_command("gpus", "h200", "--format", "csv").out
        rows = {row["key"]: row for row in csv.DictReader(io.StringIO(text))}
        self.assertEqual((rows["l2.size"]["value"], rows["l2.size"]["unit"]), ("62914560", "bytes"))
        self.assertEqual(rows["l2.home_bits"]["value"], "[12, 13, 15, 17, 19, 21, 22]")
        self.assertEqual(set(rows), set(card))

    def test_lists_of_cards_and_of_links_have_plain_numbers(self):
        rows = csv.DictReader(io.StringIO(self.run_command("gpus", "--format", "csv").out))
        row = next(row for row in rows if row["card"] == "h200")
        self.assertEqual((row["card"], row["sms"], row["l1_bytes"], row["l2_bytes"]),
                         ("h200", "132", "262144", "62914560"))
        text = self.run_command("gpus", "h200", "--topology", "--format", "csv").out
        for link in csv.DictReader(io.StringIO(text)):
            int(link["count"])
            if link["bytes_per_cycle"] != "n/a":
                float(link["bytes_per_cycle"])

    def test_thousandths_say_of_what(self):
        text = self.run_command("gpus", "h200", "--format", "csv").out
        rows = {row["key"]: row for row in csv.DictReader(io.StringIO(text))}
        found = {key: row for key, row in rows.items() if key.endswith("_permille")}
        self.assertGreater(len(found), 10)
        for key, n in found.items():
            with self.subTest(key):
                said = {"sectors": "in 1,000 cycles", "per mille": "of the SM clock" if "clock" in key else "slice cycles",
                        "millicycles": ""}[n["unit"]]
                self.assertIn(said, n["meaning"])

    def test_what_follows_from_a_number_moves_with_it(self):
        # tRC of 60 ns at 1,980 MHz; CTAs of a GPU of fewer SMs need no other setting.
        run = self.run_command("replay", self.trace("copy"), "--gpu", "h200", "--counts", "--format", "json",
                               "--set", "dram.t_rc_ps=60000", "--set", "sm.count=108")
        self.assert_works(run)
        card = run.json()["card"]
        self.assertIn(card["dram.row_cycles"]["value"], (118, 119))
        self.assertEqual(card["sm.count"]["value"], 108)

    def test_a_list_is_set_as_any_of_its_forms_shows_it(self):
        csv_text = self.run_command("gpus", "h200", "--format", "csv").out
        shown = {row["key"]: row["value"] for row in csv.DictReader(io.StringIO(csv_text))}
        wanted = self.run_command("gpus", "h200", "--format", "json").json()["card"]
        for key in ("topology.cta_order", "topology.sm_side", "shared.configs", "l2.home_bits"):
            for form in (shown[key], shown[key].strip("[]"), shown[key].strip("[]").replace(",", "")):
                run = self.run_command("gpus", "h200", "--set", f"{key}={form}", "--format", "json")
                self.assert_works(run)
                self.assertEqual(run.json()["card"][key]["value"], wanted[key]["value"])

    def test_what_is_possible_is_said(self):
        for setting, *words in (("sm.count=nan", "'nan' is not a whole number", "write a whole number of SMs"),
                                ("l2.sides=3", "write 1 for an L2 that is not partitioned, or 2"),
                                ("l2.ways=65", "give a whole number from 1 to 64"),
                                ("l2.size=62914561", "give 60 MiB or 62,918,656 B")):
            run = self.run_command("gpus", "h200", "--set", setting)
            self.assert_fails(run, 2, "--set " + setting.split("=")[0], *words)
            self.assertNotIn("64KiB" if setting.startswith("sm") else "correct it", run.err)


class Launch(harness.CommandTest):
    def setUp(self):
        super().setUp()
        if " emulate " not in self.run_command("--help").out:
            self.skipTest("the emulator is not built")
        with open(self.path("k.ptx"), "w") as file:
            file.write(EMPTY)

    def emulate(self, text, *options):
        with open(self.path("l.toml"), "w") as file:
            file.write(text)
        return self.run_command("emulate", "k.ptx", "--launch", "l.toml", "--level", "ptx", *options)

    def test_a_launch_description_is_taken_by_its_word_or_not_at_all(self):
        good = 'entry = "k"\ngrid = 4\nblock = 32\n'
        for text, *words in ((good + 'cooperative = "yes"\n', "l.toml, line 4", "neither true nor false"),
                             (good + "cooperative = 1\n", "l.toml, line 4", "neither true nor false"),
                             ('entry = "k"\nblock = 32\n', "'grid' is missing"),
                             ('entry = "k"\ngrid = 4\n', "'block' is missing"),
                             ('entry = "k"\nblock = 32\ngrid = -1\n', "l.toml, line 3", "grid = -1 is less than 1"),
                             (good + '[[args]]\nbuffer = "x"\ncount = 4\nseed = -1\n', "line 7", "seed = -1"),
                             (good + '[[args]]\nbuffer = "x"\ncount = 4\nseed = "x"\n', "line 7", 'seed = "x"')):
            self.assert_fails(self.emulate(text, "-o", ""), 2, "fix:", *words)

    def test_a_folder_is_no_launch_description(self):
        run = self.run_command("emulate", "k.ptx", "--launch", ".")
        self.assert_fails(run, 2, ".: this is a folder, not a launch description", "fix:")

    def test_a_cooperative_grid_fits_the_gpu(self):
        run = self.emulate('entry = "k"\ngrid = 20000000\nblock = 32\ncooperative = true\n', "-o", "")
        self.assert_fails(run, 2, "a cooperative launch of 20,000,000 CTAs", "holds 4,224", "fix:")

    def test_a_fault_comes_with_a_fix(self):
        kernel = (".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                  ".reg .u64 %rd<3>; .reg .u32 %r<2>;\nld.param.u64 %rd1, [p];\n"
                  "ld.global.u32 %r1, [%rd1];\nret; }\n")
        with open(self.path("k.ptx"), "w") as file:
            file.write(kernel)
        launch = 'entry = "k"\ngrid = 1\nblock = 32\n[[args]]\nbuffer = "x"\ncount = 4\noffset = '
        self.assert_fails(self.emulate(launch + "4096\n", "-o", ""), 3, "out-of-bounds", "fix: check the index")
        self.assert_fails(self.emulate(launch + "2\n", "-o", ""), 3, "misaligned",
                          "fix: make the address a multiple of 4")

    @unittest.skipIf(os.environ.get("WARPMEM_SANITIZED"), "sanitizers need memory of their own")
    def test_memory_does_not_grow_with_the_grid(self):
        def peak(ctas):
            run = self.emulate(f'entry = "k"\ngrid = {ctas}\nblock = 32\n', "-o", "", "--threads", "2")
            self.assert_works(run)
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        small = peak(1000)
        self.assertLess(peak(3_000_000) - small, 100_000)  # KiB; 300 bytes a CTA would be 900 MB


if __name__ == "__main__":
    harness.main()
