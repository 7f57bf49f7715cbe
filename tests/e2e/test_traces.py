"""info and dump on whole, damaged and foreign traces."""

import csv
import io
import json
import os
import shutil

import harness


class Info(harness.CommandTest):
    def test_a_whole_trace(self):
        run = self.run_command("info", self.trace("copy"))
        self.assert_works(run)
        self.assertEqual(run.err, "")
        for words in ("complete, 128 records", "NVIDIA H200, sm_90, 132 SMs", "./copy",
                      "copy(float*, const float*)", "2 device (2 MiB)"):
            self.assertIn(words, run.out)

    def test_json(self):
        out = self.run_command("info", self.trace("gather"), "--format", "json").json()
        self.assertEqual(out["schema"], 1)
        self.assertTrue(out["trace"]["quality"]["complete"])
        self.assertEqual(out["trace"]["quality"]["records"], 256)
        self.assertRegex(out["trace"]["hash"], "^[0-9a-f]{16}$")
        self.assertEqual([l["launch"] for l in out["launches"]], [0, 1])
        self.assertEqual(out["launches"][0]["grid"], [8, 1, 1])
        self.assertEqual(out["launches"][0]["records"], 128)

    def test_csv_has_a_row_a_launch(self):
        out = self.run_command("info", self.trace("gather"), "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([row["launch"] for row in rows], ["0", "1"])

    def test_one_launch(self):
        run = self.run_command("info", self.trace("gather"), "--launch", "1")
        self.assertIn("copy_again", run.out)
        self.assertNotIn("copy(float", run.out)

    def test_a_launch_that_is_not_there(self):
        run = self.run_command("info", self.trace("gather"), "--launch", "7")
        self.assert_fails(run, 2, "no such launch", "0, 1")

    def test_a_launch_that_is_no_number(self):
        run = self.run_command("info", self.trace("copy"), "--launch", "first")
        self.assert_fails(run, 2, "first")

    def test_the_same_bytes_every_time(self):
        trace = self.trace("gather")
        first = self.run_command("info", trace, "--format", "json").out
        second = self.run_command("info", trace, "--format", "json",
                                  env={"LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}).out
        self.assertEqual(first, second)


class Dump(harness.CommandTest):
    def records(self, *arguments):
        run = self.run_command("dump", *arguments, "--format", "json")
        self.assert_works(run)
        return [json.loads(line) for line in run.out.splitlines()]

    def test_json_lines_carry_every_lane(self):
        records = self.records(self.trace("copy"))
        self.assertEqual(len(records), 128)
        load = records[1]
        self.assertEqual((load["op"], load["space"], load["bytes"]), ("load", "global", 4))
        self.assertEqual(load["addresses"], [0x7F0000000000 + 4 * lane for lane in range(32)])
        self.assertEqual(records[0]["op"], "begin")
        self.assertEqual(records[3]["op"], "end")

    def test_the_address_of_a_record_is_one_that_a_lane_used(self):
        upper = self.trace("upper")
        table = self.run_command("dump", upper, "--cta", "0", "--warp", "0").out
        loads = [row for row in self.records(upper, "--cta", "0", "--warp", "0") if row["op"] == "load"]
        self.assertTrue(loads)
        for row in loads:
            self.assertEqual(len(row["addresses"]), 28)
            self.assertIn(f"{row['addresses'][0]:#x} +4 a lane", table)
            self.assertNotIn(f"{row['addresses'][0] - 16:#x} ", table)

    def test_listed_addresses_come_back(self):
        load = self.records(self.trace("gather"), "--launch", "0")[1]
        expected = [0x7F0000000000 + lane * 2654435761 % 16384 * 4 for lane in range(32)]
        self.assertEqual(load["addresses"], expected)

    def test_text_shows_listed_addresses_as_runs(self):
        run = self.run_command("dump", self.trace("rows"), "--limit", "2")
        self.assertIn("0x7f0000000000 +4 x16 0x7f0000001000 +4 x16", run.out)

    def test_filters_combine(self):
        trace = self.trace("gather")
        records = self.records(trace, "--launch", "1", "--cta", "5", "--warp", "2")
        self.assertEqual(len(records), 4)
        self.assertEqual({(r["launch"], r["cta"], r["warp"]) for r in records}, {(1, 5, 2)})

    def test_limit(self):
        self.assertEqual(len(self.records(self.trace("copy"), "--limit", "7")), 7)
        self.assertEqual(len(self.records(self.trace("copy"), "--limit", "0")), 0)

    def test_text_names_the_instruction(self):
        run = self.run_command("dump", self.trace("copy"), "--limit", "3")
        self.assert_works(run)
        self.assertIn("LDG.E R4, [R2.64]", run.out)
        self.assertIn("0x7f0000000000 +4 a lane", run.out)

    def test_csv(self):
        out = self.run_command("dump", self.trace("copy"), "--format", "csv", "--limit", "2").out
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual(rows[1]["op"], "load")
        self.assertEqual(len(rows[1]["addresses"].split()), 32)

    def test_the_program_with_source_lines(self):
        run = self.run_command("dump", self.trace("copy"), "--program")
        self.assert_works(run)
        self.assertRegex(run.out, r"0x0020 +LDG\.E R4, \[R2\.64\] +copy\.cu:5")
        out = self.run_command("dump", self.trace("copy"), "--program", "--format", "json").json()
        self.assertEqual(len(out["programs"][0]["code"]), 6)

    def test_the_program_with_scheduling_control(self):
        trace = os.path.join(harness.SOURCE, "validate/reference/h200/vector_copy_b4.wmt")
        run = self.run_command("dump", trace, "--program")
        self.assert_works(run)
        self.assertRegex(run.out, r"0x00c0 +B------:R-:W2:-:S01 +LDG\.E ")
        self.assertRegex(run.out, r"0x00e0 +B--2---:R-:W-:-:S01 +STG\.E ")
        code = self.run_command("dump", trace, "--program", "--format", "json").json()
        load = code["programs"][0]["code"][0xC]
        self.assertEqual(load["control"], {"stall": 1, "yield": False, "write_barrier": 2,
                                           "read_barrier": None, "wait_mask": 0, "reuse_mask": 0})

    def test_a_recorded_trace_has_no_counts_of_instructions(self):
        trace = os.path.join(harness.SOURCE, "validate/reference/h200/vector_copy_b4.wmt")
        self.assert_fails(self.run_command("dump", trace, "--counts"), 2, "how often instructions ran")

    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.assert_fails(self.run_command("dump", self.trace("copy"), stdout=full), 5)


class BadTraces(harness.CommandTest):
    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_a_missing_file(self):
        self.assert_fails(self.run_command("info", "nowhere.wmt"), 2, "nowhere.wmt")

    def test_a_folder(self):
        os.mkdir(self.path("folder"))
        run = self.run_command("info", "folder")
        self.assertIn(run.status, (2, 3), run.err)
        self.assertIn("folder", run.err)

    def test_an_empty_file(self):
        self.assert_fails(self.run_command("info", self.write("empty", b"")), 3, "empty")

    def test_foreign_files(self):
        samples = {"text": b"warp, lane, address\n" * 40, "elf": b"\x7fELF" + bytes(400),
                   "zeros": bytes(4096), "one_byte": b"W"}
        for name, content in samples.items():
            with self.subTest(name):
                self.assert_fails(self.run_command("info", self.write(name, content)), 3, name)

    def test_a_trace_of_a_newer_format(self):
        newer = bytearray(self.read(self.trace("copy")))
        newer[8] += 1  # the major version
        run = self.run_command("info", self.write("newer.wmt", bytes(newer)))
        self.assert_fails(run, 3, "newer.wmt, byte 8", "use a newer warpmem")

    def test_a_damaged_block_is_skipped_with_partial_and_what_was_lost_is_told(self):
        trace = self.trace("damaged")
        self.assert_fails(self.run_command("dump", trace, "-o", "x"), 3, "block", "--partial")
        run = self.run_command("info", trace, "--partial", "--format", "json")
        self.assert_works(run)
        quality = run.json()["trace"]["quality"]
        self.assertTrue(quality["sealed"])
        self.assertFalse(quality["complete"])
        self.assertEqual((quality["records"], quality["lost"]), (128, 128))
        self.assertIn("skipped, with 128 records", run.err)
        self.assertEqual({json.loads(line)["launch"] for line in
                          self.run_command("dump", trace, "--partial", "--format", "json").out.splitlines()}, {1})
        for engine in ("--time", "--counts"):
            run = self.run_command("replay", trace, "--partial", engine, "--format", "json")
            self.assert_works(run)
            self.assertEqual([k["complete"] for k in run.json()["kernels"]], [False, True])

    def test_a_cta_index_that_does_not_fit_is_refused_by_all_who_read_it(self):
        for kind in ("misplaced", "transposed"):
            trace = self.trace(kind)
            shutil.copy(os.path.join(harness.SOURCE, "validate/reference/h200/texture_linear.csv"), self.path("n.csv"))
            for words in (["replay", trace], ["replay", trace, "--counts"], ["replay", trace, "--sample"],
                          ["explain", trace], ["report", trace, "-o", "r.html"], ["dump", trace],
                          ["dump", trace, "--cta", "3"], ["validate", trace, "--ncu", "n.csv"],
                          ["explore", trace, "--counts", "--vary", "l2.size=8MiB:32MiB", "--results", "s"]):
                with self.subTest(kind + ": " + words[0]):
                    run = self.run_command(*words)
                    self.assertEqual(run.status, 3, run.err)
                    self.assertIn("the CTA index does not fit it", run.err)
                    self.assertRegex(run.err, trace + r", block 2, byte \d+")
                    self.assertIn("\n  fix: ", run.err)
            whole = self.run_command("dump", self.trace("copy"), "--format", "json").out
            partial = self.run_command("dump", trace, "--partial", "--format", "json")
            self.assertEqual((partial.status, partial.out), (0, whole), partial.err)

    def test_an_incomplete_trace_is_not_dumped_as_if_it_were_whole(self):
        trace = self.trace("lossy")
        for words in (["dump", trace], ["dump", trace, "--counts"], ["replay", trace]):
            self.assert_fails(self.run_command(*words), 4, "5 known to be lost", "--partial")
        run = self.run_command("dump", trace, "--partial")
        self.assert_works(run)
        self.assertIn("5 known to be lost", run.err)
        self.assert_works(self.run_command("dump", trace, "--program"))  # of the code nothing is lost

    def test_a_trace_without_a_record_or_a_launch_is_no_result(self):
        for verb in ("replay", "dump"):
            self.assert_fails(self.run_command(verb, self.trace("empty"), "--partial"), 3, "no launch")
        hollow = self.trace("hollow")
        for words in (["replay", hollow], ["replay", hollow, "--counts"], ["dump", hollow]):
            run = self.run_command(*words, "--partial")
            self.assertEqual((run.status, run.out), (4, ""), run.err)
            self.assertIn("no record", run.err)
        self.assert_works(self.run_command("info", hollow, "--partial"))
        with open(self.path("none.wmt"), "wb") as file:
            whole = self.read(hollow)
            file.write(whole[:whole.index(b"WBLK")])
        run = self.run_command("replay", "none.wmt", "--partial")
        self.assertEqual(run.status, 4, run.err)
        self.assertIn("no launch", run.err)

    def test_an_unsealed_trace_is_refused_and_opens_with_partial(self):
        trace = self.trace("unsealed")
        self.assert_fails(self.run_command("info", trace), 4, trace, "--partial")
        run = self.run_command("info", trace, "--partial", "--format", "json")
        self.assert_works(run)
        self.assertIn("warpmem: warning: ", run.err)
        quality = run.json()["trace"]["quality"]
        self.assertFalse(quality["sealed"])
        self.assertFalse(quality["complete"])
        self.assertEqual(quality["records"], 128)

    def test_known_losses_are_shown(self):
        run = self.run_command("info", self.trace("lossy"))
        self.assert_works(run)
        self.assertIn("5 known to be lost", run.out)

    def test_a_trace_without_launches(self):
        self.assert_works(self.run_command("info", self.trace("empty")))
        self.assert_fails(self.run_command("dump", self.trace("empty")), 3, "no launch")

    def test_cut_at_every_length(self):
        """Each prefix is refused with 3 or 4, or opens with --partial to an exact prefix."""
        trace = self.trace("copy")
        whole = self.read(trace)
        all_records = self.run_command("dump", trace, "--format", "json").out
        step = max(1, len(whole) // 60)
        most = 0
        for length in range(0, len(whole), step):
            self.write("cut.wmt", whole[:length])
            run = self.run_command("dump", "cut.wmt", "--format", "json")
            self.assert_fails(run, 3 if run.status == 3 else 4)
            partial = self.run_command("dump", "cut.wmt", "--partial", "--format", "json")
            if partial.status == 0:
                self.assertTrue(all_records.startswith(partial.out))
                self.assertGreaterEqual(len(partial.out), most)
                most = len(partial.out)
            else:
                self.assertIn(partial.status, (3, 4), partial.err)
        self.assertGreater(most, 0)

    def test_single_bit_flips_never_change_the_output_silently(self):
        trace = self.trace("copy")
        whole = self.read(trace)
        expected = self.run_command("dump", trace, "--format", "json").out
        step = max(1, len(whole) * 8 // 150)
        for bit in range(0, len(whole) * 8, step):
            damaged = bytearray(whole)
            damaged[bit // 8] ^= 1 << bit % 8
            self.write("flip.wmt", bytes(damaged))
            run = self.run_command("dump", "flip.wmt", "--format", "json")
            if run.status == 0:
                self.assertEqual(run.out, expected, "bit %d" % bit)
            else:
                self.assertIn(run.status, (3, 4), run.err)


if __name__ == "__main__":
    harness.main()
