"""explain and pattern: which line, which lanes, why, and what would change it."""

import csv
import io
import os
import re
import xml.etree.ElementTree

import harness

REFERENCE = os.path.join(harness.SOURCE, "validate/reference/h200")


def reference(name, ending=".wmt"):
    return os.path.join(REFERENCE, name + ending)


class Explain(harness.CommandTest):
    def explain(self, *arguments):
        run = self.run_command("explain", *arguments, "--format", "json")
        self.assert_works(run)
        return run.json()

    def test_a_transpose_names_line_pattern_and_gain(self):
        run = self.run_command("explain", reference("transpose_naive_row"))
        self.assert_works(run)
        self.assertLessEqual(max(map(len, run.out.splitlines())), 80)
        self.assertRegex(run.out, r"transpose.cu:28 store +32,768 +524,288 +131,072")
        self.assertIn("1. transpose.cu:28 store: column", run.out)
        self.assertIn("rows of 1,024 elements", run.out)
        self.assertIn("sectors 655,360 ->\n", run.out.replace(" 262,144", "\n"))

    def test_the_json_has_lines_instructions_arrays_and_findings(self):
        out = self.explain(reference("transpose_naive_row"))
        self.assertEqual((out["schema"], out["gpu"], out["engine"]), (1, "h200", "time"))
        kernel = out["kernels"][0]
        self.assertEqual([(l["line"], l["sectors"], l["ideal_sectors"]) for l in kernel["lines"]], [(28, 655360, 262144)])
        self.assertEqual({i["op"] for i in kernel["instructions"]}, {"load", "store"})
        self.assertEqual(sum(i["sectors"] for i in kernel["instructions"]), kernel["cost"]["sectors"])
        self.assertEqual(sum(a["sectors"] for a in kernel["arrays"]), 655360)
        finding = kernel["findings"][0]
        self.assertEqual((finding["pattern"], finding["excess_sectors"]), ("column", 393216))
        change = finding["changes"][0]
        self.assertTrue(change["estimate"])
        self.assertLess(change["after"]["cycles"], kernel["cost"]["cycles"])

    def test_without_gains_nothing_is_replayed_again(self):
        out = self.explain(reference("transpose_shared_unpadded"), "--no-gain")
        for change in out["kernels"][0]["findings"][0]["changes"]:
            self.assertIsNone(change["after"])
            self.assertEqual(change["not_measured"], "--no-gain")

    def test_bank_conflicts_are_padded_away(self):
        finding = self.explain(reference("transpose_shared_unpadded"))["kernels"][0]["findings"][0]
        self.assertEqual(finding["pattern"], "bank stride")
        self.assertEqual({c["name"] for c in finding["changes"]}, {"pad", "swizzle"})
        for change in finding["changes"]:
            self.assertEqual(change["after"]["wavefronts"], 65536)

    def test_the_csv_has_a_row_for_each_instruction(self):
        run = self.run_command("explain", reference("transpose_naive_row"), "--no-gain", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(run.out)))
        self.assertEqual({(r["op"], r["sectors"]) for r in rows}, {("load", "131072"), ("store", "524288")})

    def test_a_line_s_lanes_are_drawn_and_told(self):
        run = self.run_command("explain", reference("transpose_shared_unpadded"), "--lanes", "transpose.cu:87")
        self.assert_works(run)
        self.assertIn("lanes 0 to 31 share bank 0: 32 passes, 31 too many", run.out)
        self.assert_fails(self.run_command("explain", reference("transpose_shared_unpadded"), "--lanes", "1"), 2,
                          "no access is from line '1'", "transpose.cu:87")

    def test_the_source_has_its_traffic_in_the_margin(self):
        source = os.path.join(harness.SOURCE, "kernels/transpose.cu")
        run = self.run_command("explain", reference("transpose_naive_row"), "--source", source)
        self.assert_works(run)
        self.assertRegex(run.out, r"65,536 +655,360 +262,144 +\. +\. +28 +out\[x \* n \+ y\] = in\[y \* n \+ x\];")
        with open(self.path("transpose.cu"), "w", encoding="utf-8") as file:
            file.write("// another\n")
        changed = self.run_command("explain", reference("transpose_naive_row"), "--source", "transpose.cu")
        self.assertIn("it is not what was compiled", changed.out)
        self.assert_fails(self.run_command("explain", reference("transpose_naive_row"), "--source", "none.cu"), 2, "none.cu")

    def test_a_trace_without_lines_or_code_is_explained_by_instruction(self):
        for kind in ("copy", "bare", "gather"):
            run = self.run_command("explain", self.trace(kind))
            self.assert_works(run)
        self.assertIn("pc 0x", self.run_command("explain", self.trace("bare")).out)

    def test_what_limits_and_is_not_in_the_trace_is_said(self):
        text = " ".join(self.run_command("explain", reference("constant_memory_divergent"), "--no-gain").out.split())
        self.assertIn("bottleneck: constant caches", text)
        self.assertIn("of the accesses in the trace none moves more than it has to", text)
        self.assertIn("a recording has no addresses of constants", text)
        text = self.run_command("explain", reference("constant_memory_uniform"), "--no-gain").out
        self.assertNotIn("addresses of constants", text)

    def test_the_same_bytes_twice(self):
        first = self.run_command("explain", reference("aos_soa_aos_load_all"), "--format", "json").out
        self.assertEqual(first, self.run_command("explain", reference("aos_soa_aos_load_all"), "--format", "json").out)

    def test_bad_input(self):
        self.assert_fails(self.run_command("explain", self.trace("unsealed")), 4, "--partial")
        self.assert_fails(self.run_command("explain", self.trace("empty")), 3, "no launch")
        self.assert_fails(self.run_command("explain", self.trace("copy"), "--launch", "7"), 2, "no such launch")
        self.assert_fails(self.run_command("explain", self.trace("copy"), "-o", "copy.wmt"), 2)


class Pattern(harness.CommandTest):
    def test_a_stride_and_its_drawing(self):
        run = self.run_command("pattern", "a[threadIdx.x * 2]")
        self.assert_works(run)
        self.assertRegex(run.out, r"load a\[.* +1 +8 +4 +8 ")
        self.assertIn("|0·1·2·3·|4·5·6·7·|8·9·a·b·|c·d·e·f·|", run.out)
        self.assertIn("32 lanes ask for 128 B in 8 sectors of 2 lines; 4 would do", run.out)

    def test_conflicts_are_told_in_words(self):
        run = self.run_command("pattern", "shared float s[512]; s[lane * 4]")
        self.assertIn("lanes 0, 8, 16, 24 share bank 0: 4 passes, 3 too many", run.out)

    def test_accesses_keep_the_l1_for_as_many_cycles_as_it_gives_words(self):
        # 128 bytes a cycle, or a line's tag a cycle (kernels/micro: docs/design/time-engine.md).
        for text, cycles in (("a[lane]", 1), ("float4 a; a[lane]", 4), ("a[lane * 32]", 32), ("shared float t[32][32]; t[lane][0]", 32), ("shared float t[32][33]; t[lane][0]", 1)):
            card = self.run_command("pattern", text, "--format", "json").json()["cards"][0]
            self.assertEqual(card["accesses"][0]["l1_cycles"], cycles, text)

    def test_json_and_csv_and_all_cards(self):
        out = self.run_command("pattern", "a[lane*32] = 1", "--format", "json", "--all-gpus").json()
        self.assertIn("h200", [c["gpu"] for c in out["cards"]])
        card = next(c for c in out["cards"] if c["gpu"] == "h200")
        self.assertEqual((card["accesses"][0]["op"], card["accesses"][0]["sectors"]), ("store", 32))
        rows = list(csv.DictReader(io.StringIO(self.run_command("pattern", "a[lane]", "--format", "csv").out)))
        self.assertEqual(rows[0]["sectors"], "4")
        table = self.run_command("pattern", "a[lane]", "--all-gpus")
        self.assertTrue(table.out.startswith("load a[lane]\n"), table.out)
        cards = re.findall(r"(?m)^(\w+) +1 +\d", table.out)
        self.assertEqual((cards[0], cards[-1]), ("8800gtx", "rtx5090"))  # by year

    def test_the_picture_is_well_formed(self):
        run = self.run_command("pattern", "shared float t[32][32]; t[lane][0]; a[lane & 3]", "--svg", "p.svg")
        self.assert_works(run)
        root = xml.etree.ElementTree.parse(self.path("p.svg")).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        self.assert_fails(self.run_command("pattern", "a[lane]", "--svg", "p.svg"), 2, "p.svg", "--force")

    def test_mistakes_have_a_caret(self):
        for text, column, words in (("a[lane*m]", 8, "'m' is not known"), ("a[lane", 7, "expected ']'"),
                                    ("a[lane - 9]", 8, "the index is -9 for lane 0"), ("a[threadIdx.w]", 3, "threadIdx.")):
            run = self.run_command("pattern", text)
            self.assert_fails(run, 2, words, f"column {column}")
            lines = run.err.splitlines()
            self.assertEqual(lines[1], "    " + text)
            self.assertEqual(lines[2].index("^"), 4 + column - 1)

    def test_blocks_grids_and_names(self):
        run = self.run_command("pattern", "a[(blockIdx.y*8 + threadIdx.y)*n + threadIdx.x]", "--block", "32x8", "--grid", "1x4",
                               "--let", "n=1000", "--format", "json").json()
        self.assertEqual(run["cards"][0]["accesses"][0]["requests"], 32)
        for option, value in (("--block", "0"), ("--block", "2048"), ("--grid", "1x1x1x1"), ("--let", "n"), ("--grid", "1000000")):
            self.assert_fails(self.run_command("pattern", "a[lane]", option, value), 2, option)
        self.assert_fails(self.run_command("pattern", "a[lane]", "--warp", "5"), 2, "accesses nothing")


class DiffRules(harness.CommandTest):
    def test_two_traces_are_compared_by_counter_and_line(self):
        run = self.run_command("diff", reference("transpose_shared_unpadded"), reference("transpose_shared_padded"))
        self.assertEqual(run.status, 1, run.err)
        self.assertRegex(run.out, r"transpose.cu:87 shared load +wavefronts +1,048,576 +32,768 +-96.9 %")
        out = self.run_command("diff", reference("transpose_shared_unpadded"), reference("transpose_shared_padded"),
                               "--format", "json").json()
        self.assertEqual((out["lines"][0]["before"], out["lines"][0]["after"]), (1048576, 32768))

    def test_rules_decide_the_status(self):
        sides = reference("transpose_shared_padded"), reference("transpose_shared_unpadded")
        run = self.run_command("diff", *sides, "--fail-on", "wavefronts>+5%")
        self.assertEqual(run.status, 1, run.err)
        self.assertRegex(run.out, r"applies: wavefronts>\+5%: launch 0, .*: 65,536 -> 1,081,344 \(\+1550.0 %\)")
        held = self.run_command("diff", *sides, "--fail-on", "sectors>+5%,wavefronts<-1%,cycles>1000000")
        self.assert_works(held)
        self.assertIn("no rule of --fail-on applies", held.out)
        self.assertEqual(self.run_command("diff", *sides, "--fail-on", "cycles>1000").status, 1)
        self.assertEqual(self.run_command("diff", *sides, "--fail-on", "memory_l1_wavefronts_shared>=+1").status, 1)

    def test_a_prediction_beside_what_a_profiler_counted(self):
        trace, profile = reference("spmv_vector"), reference("spmv_vector", ".csv")
        out = self.run_command("diff", trace, profile, "--format", "json").json()
        self.assertEqual(out["engines"], ["time", "Nsight Compute"])
        measured = {d["metric"]: (d["before"], d["after"]) for d in out["differences"]}
        # As the profile has them: 15,303 sectors; loads are equal to the unit and no difference.
        self.assertEqual(measured["lts__t_sectors_srcunit_tex_op_read.sum"][1], 15303)
        self.assertNotIn("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", measured)
        self.assertGreater(out["left_out"], 0)
        turned = self.run_command("diff", profile, trace, "--format", "json").json()
        self.assertEqual({d["metric"]: (d["after"], d["before"]) for d in turned["differences"]}, measured)
        held = self.run_command("diff", trace, profile, "--fail-on", "load_sectors>+0,cycles>+10%")
        self.assert_works(held)

    def test_two_profiles_and_two_cards(self):
        out = self.run_command("diff", reference("spmv_scalar", ".csv"), reference("spmv_vector", ".csv"))
        self.assertEqual(out.status, 1, out.err)
        self.assertIn("both measured, by Nsight Compute", out.out)
        self.assertRegex(out.out, r"sm__cycles_elapsed.max +12,758 +7,009 +-45.1 %")
        cards = self.run_command("diff", "h200", "v100")
        self.assertEqual(cards.status, 1, cards.err)
        self.assertRegex(cards.out, r"sm.count +132 +80")
        self.assertEqual(self.run_command("diff", "v100", "v100").status, 0)

    def test_sides_that_do_not_go_together(self):
        trace, profile = reference("spmv_vector"), reference("spmv_vector", ".csv")
        self.assert_fails(self.run_command("diff", trace, reference("scan_blelloch", ".csv")), 2, "no launch of the trace")
        self.assert_fails(self.run_command("diff", trace, profile, "--gpu", "v100"), 2, "compute capability")
        self.assert_fails(self.run_command("diff", "h200", "v10"), 2, "did you mean")
        self.assert_fails(self.run_command("diff", "h200", "v100", "--fail-on", "cycles>1"), 2, "cards have no counters")
        with open(self.path("text"), "w", encoding="utf-8") as file:
            file.write("no counters\n")
        self.assert_fails(self.run_command("diff", trace, "text"), 3, "or a trace")

    def test_rules_that_are_none(self):
        trace = self.trace("copy")
        for rule, words in (("cycels>1", "did you mean 'cycles'?"), ("cycles", "this is no rule"), ("cycles>x", "x"), (">5", "no rule")):
            self.assert_fails(self.run_command("diff", trace, trace, "--fail-on", rule), 2, words)


class SmallThings(harness.CommandTest):
    def test_each_help_begins_with_three_examples_that_parse(self):
        for verb in self.verbs():
            text = self.run_command(verb, "--help").out
            examples = re.findall(r"(?m)^  (warpmem .*)$", text[:text.index("Usage: ")])
            with self.subTest(verb):
                self.assertEqual(len(examples), 3)
                for example in examples:
                    options = re.findall(r" (--[a-z-]+)", example.split(" -- ")[0])
                    self.assertTrue(all(option in text for option in options), example)

    def test_words_are_explained(self):
        self.assertIn("32 bytes", self.run_command("words", "Sector").out)
        self.assert_fails(self.run_command("words", "sectro"), 2, "did you mean 'sector'?")
        self.assertLessEqual(max(map(len, self.run_command("words").out.splitlines())), 80)
        self.assertIn("wavefront", self.run_command("words", "--format", "json").json()["words"])

    def test_the_manual_page_has_every_subcommand(self):
        page = self.run_command("man").out
        self.assertTrue(page.startswith(".TH WARPMEM 1"))
        for verb in self.verbs():
            self.assertIn(f'.SH "WARPMEM {verb}"', page)

    def test_completion_knows_cards_and_keys_in_three_shells(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.run_command("completion", shell).out
            for word in ("h200", "l1.size=", "explain", "--format" if shell != "fish" else "-l format"):
                self.assertIn(word, script, shell)


if __name__ == "__main__":
    harness.main()
