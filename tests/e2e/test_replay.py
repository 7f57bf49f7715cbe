"""replay, gpus and metrics: the counters of a trace on a card."""

import csv
import io
import json
import os
import re

import harness

LOADS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


class Replay(harness.CommandTest):
    def replay(self, *arguments):
        run = self.run_command("replay", *arguments, "--format", "json")
        self.assert_works(run)
        return run.json()

    def test_the_json_has_the_documented_shape(self):
        out = self.replay(self.trace("copy"), "--gpu", "h200")
        self.assertEqual((out["schema"], out["gpu"]), (1, "h200"))
        self.assertEqual(out["trace"]["file"], "copy.wmt")
        self.assertEqual(out["trace"]["level"], "sass")
        self.assertRegex(out["trace"]["hash"], "^[0-9a-f]{16}$")
        self.assertTrue(out["trace"]["quality"]["complete"])
        for number in out["card"].values():
            self.assertTrue(number["unit"] and number["source"])
            self.assertIn(type(number["value"]), (int, list, str, dict))
        kernel = out["kernels"][0]
        self.assertEqual(kernel["launch"], 0)
        self.assertEqual((kernel["grid"], kernel["block"]), ([8, 1, 1], [128, 1, 1]))
        self.assertIsInstance(kernel["metrics"][LOADS], int)

    def test_consecutive_words_take_four_sectors_a_request(self):
        metrics = self.replay(self.trace("copy"))["kernels"][0]["metrics"]
        self.assertEqual((metrics[LOADS], metrics[SECTORS]), (32, 128))

    def test_scattered_words_take_a_sector_a_lane(self):
        metrics = self.replay(self.trace("gather"), "--launch", "0")["kernels"][0]["metrics"]
        self.assertEqual((metrics[LOADS], metrics[SECTORS]), (32, 1024))

    def test_time_says_cycles_and_where_they_go(self):
        kernel = self.replay(self.trace("copy"), "--time")["kernels"][0]
        time = kernel["time"]
        self.assertEqual(kernel["metrics"]["sm__cycles_elapsed.max"], time["cycles"])
        self.assertGreater(time["cycles"], time["running_cycles"])
        self.assertLessEqual(sum(time["waits_warp_cycles"].values()), time["warp_cycles"])
        self.assertTrue(all(0 < share <= 1 for share in time["in_use"].values()))
        table = self.run_command("replay", self.trace("copy"), "--time", "--all")
        self.assert_works(table)
        self.assertIn("bottleneck: ", table.out)
        self.assertRegex(table.out, r"spread evenly, this traffic takes \S+ cycles at best, .* is its minimum cut")
        self.assertRegex(table.out, r"reads under way: \S+ \S+ on average; \S+ \S+ would fill DRAM")
        self.assertEqual(self.replay(self.trace("copy"))["kernels"][0], kernel)

    def test_counts_alone(self):
        kernel = self.replay(self.trace("copy"), "--counts")["kernels"][0]
        self.assertNotIn("time", kernel)
        self.assertNotIn("sm__cycles_elapsed.max", kernel["metrics"])
        self.assertEqual(kernel["metrics"][LOADS], self.replay(self.trace("copy"))["kernels"][0]["metrics"][LOADS])
        for other in (("--time",), ("--timeline", "x.json")):
            self.assert_fails(self.run_command("replay", self.trace("copy"), "--counts", *other), 2, "--counts")

    def test_the_topology_of_a_card(self):
        links = self.run_command("gpus", "h200", "--topology", "--format", "json").json()["links"]
        bus = next(link for link in links if link["place"] == "DRAM bus")
        self.assertEqual((bus["count"], bus["to"]), (188, "memory"))
        self.assertAlmostEqual(188 * bus["bytes_per_cycle"], 72.1 * 32)
        half = self.run_command("gpus", "h200", "--topology", "--set", "dram.channels=94",
                                "--format", "json").json()["links"]
        self.assertEqual(next(link for link in half if link["place"] == "DRAM bus")["count"], 94)
        table = self.run_command("gpus", "h200", "--topology")
        self.assert_works(table)
        self.assertIn("L2 fabric", table.out)
        dot = self.run_command("gpus", "h200", "--dot")
        self.assert_works(dot)
        self.assertEqual(dot.out.count(" -> "), len(links))
        self.assert_fails(self.run_command("gpus", "--dot"), 2, "--dot", "card")
        self.assert_fails(self.run_command("gpus", "h200", "--dot", "--format", "csv"), 2, "--dot")

    def test_what_instructions_cost_is_on_the_card(self):
        page = self.run_command("gpus", "h200", "--instructions")
        self.assert_works(page)
        self.assertRegex(page.out, r"isa\.sass\.MUFU +xu, issue 8, latency 22, scoreboard +measured")
        self.assertNotIn("isa.sass", self.run_command("gpus", "h200").out)
        card = self.replay(self.trace("copy"), "--set", "isa.sass.FFMA.issue=2")["card"]
        self.assertEqual(card["isa.sass.FFMA"]["source"], "set by the user")
        refused = self.run_command("replay", self.trace("copy"), "--set", "isa.sass.FFMA.isue=2")
        self.assert_fails(refused, 2, "--set isa.sass.FFMA.isue", "fix:")

    def test_another_dram_is_a_setting(self):
        def time(*settings):
            given = [word for setting in settings for word in ("--set", setting)]
            return self.replay(self.trace("copy"), "--time", *given)
        own, slow = time(), time("dram.type=gddr3", "dram.channels=8")
        self.assertEqual(slow["card"]["dram.type"]["value"], "gddr3")
        self.assertTrue(slow["card"]["dram.sectors_per_kilocycle"]["source"].startswith("derived: "))
        cycles = [run["kernels"][0]["time"]["cycles"] for run in (own, slow)]
        self.assertLess(cycles[0], cycles[1])
        refused = self.run_command("replay", self.trace("copy"), "--set", "dram.type=ddr4")
        self.assert_fails(refused, 2, "--set dram.type", "'ddr4'", "fix:", "gddr6x, hbm2")
        refused = self.run_command("replay", self.trace("copy"), "--set", "dram.refresh=all")
        self.assert_fails(refused, 2, "--set dram.refresh", "its channels carry", "fix:")

    def test_time_says_what_limits_and_how_fast_it_could_be(self):
        time = self.replay(self.trace("copy"), "--time")["kernels"][0]["time"]
        limit = time["bottleneck"]
        self.assertGreater(limit["least_cycles"], 0)
        self.assertLessEqual(limit["least_cycles"], time["running_cycles"])
        self.assertAlmostEqual(limit["share_of_time"],
                               limit["least_cycles"] / time["running_cycles"])
        self.assertAlmostEqual(sum(part["share"] for part in limit["minimum_cut"]), 1, places=2)
        for part in limit["minimum_cut"]:
            self.assertIn(part["place"], time["in_use"])
            self.assertTrue(0 < part["count"] <= part["of"])
        self.assertLessEqual(limit["share_of_time"], 1)
        for place, moved in time["moved"].items():
            self.assertAlmostEqual(moved["bytes_per_cycle"],
                                   moved["bytes"] / time["running_cycles"])
            self.assertLessEqual(moved["bytes_per_cycle"], moved["peak_bytes_per_cycle"], place)
        # 8 CTAs of 4 warps that read and write 4 bytes a lane.
        self.assertEqual(time["moved"]["SM ports, out"]["bytes"], 8 * 4 * 128)

    def test_the_table_says_what_the_json_says_about_time(self):
        time = self.replay(self.trace("copy"), "--time")["kernels"][0]["time"]
        table = self.run_command("replay", self.trace("copy"), "--time", "--all").out
        for place, share in time["in_use"].items():
            self.assertRegex(table, rf"(?m)^{re.escape(place)} +{100 * share:.1f} %")
        for cause, cycles in time["waits_warp_cycles"].items():
            line = rf"(?m)^waits for: {re.escape(cause)} +{100 * cycles / time['warp_cycles']:.1f} %"
            if cycles:
                self.assertRegex(table, line)
            else:
                self.assertNotIn(f"waits for: {cause} ", table)
        for place, most in time["busiest_in_use"].items():
            which = rf" \({most['element']}\)" if most["of"] > 1 else ""
            self.assertRegex(table, rf"(?m)^{re.escape(place)} +\S+ % +{100 * most['share']:.1f} %{which} ")
        self.assertIn(f"this traffic takes {time['bottleneck']['least_cycles']:,.0f} cycles at best", table)
        self.assertIn(f"\nbottleneck: {time['bottleneck']['sentence']}\n", table)

    def test_the_sentence_names_what_the_table_has_first(self):
        for kind in ("copy", "gather", "large", "rows"):
            out = self.replay(self.trace(kind), "--launch", "0")["kernels"][0]["time"]
            limit, most = out["bottleneck"], out["busiest_in_use"]
            with self.subTest(kind, sentence=limit["sentence"]):
                self.assertEqual(limit["place"], next(iter(most)))
                self.assertEqual(limit["share"], max(one["share"] for one in most.values()))
                self.assertEqual((limit["element"], limit["share"]),
                                 (most[limit["place"]]["element"], most[limit["place"]]["share"]))
                self.assertIn(f"{100 * limit['share']:.1f} %", limit["sentence"])

    def test_a_timeline_has_each_cta_once(self):
        path = os.path.join(self.folder, "ctas.json")
        self.replay(self.trace("copy"), "--time", "--timeline", path)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        stays = [e for e in events if e["ph"] == "X"]
        self.assertEqual(sorted(e["name"] for e in stays), sorted(f"CTA {i}" for i in range(8)))
        # What Perfetto's importer of Chrome traces wants of complete events and of names.
        for e in stays:
            self.assertTrue(all(isinstance(e[k], int) for k in ("pid", "tid", "ts", "dur")), e)
            self.assertTrue(e["dur"] > 0 and e["ts"] >= 0, e)
        names = [e for e in events if e["ph"] == "M"]
        self.assertEqual(len(names) + len(stays), len(events))
        self.assertTrue(all(e["name"] == "process_name" and e["args"]["name"] for e in names))
        self.assertEqual({e["pid"] for e in names}, {e["pid"] for e in stays})

    def test_no_two_ctas_of_a_timeline_share_a_row(self):
        path = os.path.join(self.folder, "ctas.json")
        self.replay(self.trace("gather"), "--timeline", path)  # two launches, one after the other
        with open(path, encoding="utf-8") as file:
            stays = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
        self.assertEqual({e["cat"] for e in stays}, {"launch 0", "launch 1"})
        rows = {}
        for e in sorted(stays, key=lambda e: e["ts"]):
            self.assertGreaterEqual(e["ts"], rows.get((e["pid"], e["tid"]), 0))
            rows[e["pid"], e["tid"]] = e["ts"] + e["dur"]

    def test_a_timeline_that_cannot_be_written_is_an_error(self):
        run = self.run_command(
            "replay", self.trace("copy"), "--timeline", os.path.join(self.folder, "no", "x.json"))
        self.assert_fails(run, 2, "x.json", "cannot write it", "fix:")

    def test_launches_are_independent(self):
        trace = self.trace("gather")
        both = self.replay(trace)["kernels"]
        self.assertEqual(len(both), 2)
        self.assertEqual(self.replay(trace, "--launch", "1")["kernels"], both[1:])
        self.assertEqual(self.replay(trace, "--launch", "0:2")["kernels"], both)

    def test_the_same_bytes_on_any_number_of_threads(self):
        outputs = {self.run_command("replay", self.trace("gather"), "--format", "json",
                                    "--threads", threads).out for threads in ("0", "1", "2", "7")}
        self.assertEqual(len(outputs), 1)

    def test_the_same_bytes_from_anywhere(self):
        trace = self.trace("gather")
        first = self.run_command("replay", trace, "--format", "json").out
        os.mkdir(self.path("deeper"))
        moved = os.path.join("deeper", trace)
        os.rename(self.path(trace), self.path(moved))
        second = self.run_command("replay", moved, "--format", "json",
                                  env={"LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}).out
        self.assertEqual(first, second)

    def test_csv_is_long_form(self):
        out = self.run_command("replay", self.trace("copy"), "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual(list(rows[0]), ["launch", "kernel", "metric", "unit", "value", "engine", "accuracy", "quality"])
        self.assertEqual({r["engine"] for r in rows}, {"time"})
        self.assertEqual([r["value"] for r in rows if r["metric"] == SECTORS], ["128"])

    def test_the_table_of_one_launch_names_unit_and_accuracy(self):
        run = self.run_command("replay", self.trace("copy"), "--all")
        self.assert_works(run)
        self.assertRegex(run.out, SECTORS + r" +128 +sector +equal in all \d+\n")
        self.assertIn("time engine, trace of level sass", run.out)

    def test_the_first_screen_fits_80_columns_and_shows_each_level(self):
        run = self.run_command("replay", self.trace("copy"))
        self.assert_works(run)
        screen = run.out[run.out.index("launch 0"):run.out.index("Accuracy")]
        self.assertLessEqual(max(map(len, screen.splitlines())), 80)
        for word in ("bottleneck: ", "132 SMs", "L1", "L2", "DRAM", "GB/s", " us, ", "64 of 64",
                     "loads   32 requests, 4.00 sectors each, 32.0 of a sector's 32 bytes used"):
            self.assertIn(word, screen)
        # 8 CTAs of 128 threads read and write 4 bytes each; nothing of it is written back to DRAM.
        self.assertEqual(screen.count("4,096 B"), 4)
        self.assertNotIn("l1tex__", screen)

    def test_the_first_screen_names_the_worst_lines(self):
        run = self.run_command("replay", os.path.join(harness.SOURCE, "validate/reference/h200/transpose_naive_row.wmt"))
        self.assertRegex(run.out, r"worst lines\n  transpose.cu:28  store: 16.0 sectors a request for 4.0; lanes go\s+down a column")

    def test_counters_are_grouped_by_level(self):
        out = self.run_command("replay", self.trace("copy"), "--all").out
        order = [out.index(f"\n{title}\n") for title in
                 ("time", "instructions", "L1, global memory", "shared memory", "between L1 and L2", "L2", "DRAM")]
        self.assertEqual(order, sorted(order))

    def test_accuracy_is_that_of_metric_engine_and_level(self):
        measured = {(r["engine"], r["metric"]): r for r in
                    csv.DictReader(self.run_command("metrics", "--accuracy", "--format", "csv").out.splitlines())
                    if (r["gpu"], r["level"]) == ("h200", "sass")}
        for options, engine in (((), "time"), (("--counts",), "counts")):
            out = self.replay(self.trace("copy"), *options)
            self.assertEqual(out["engine"], engine)
            self.assertEqual(set(out["accuracy"]["sass"]), {m for e, m in measured if e == engine})
            for metric, a in out["accuracy"]["sass"].items():
                self.assertEqual((a["launches"], a["p90"]), (int(measured[engine, metric]["launches"]),
                                                             float(measured[engine, metric]["p90"])))
        self.assertIn("sm__cycles_elapsed.max", {m for e, m in measured if e == "time"})

    def test_accuracy_is_not_measured_where_nobody_measured_it(self):
        for options, why in ((("--set", "l2.size=32MiB"), "l2.size was set"), (("--keep-caches",), "caches were kept")):
            run = self.run_command("replay", self.trace("copy"), "--all", *options)
            self.assertRegex(run.out, SECTORS + r" +128 +sector +not measured\n")
            self.assertIn(f"Accuracy is not measured: {why}.", run.out)
            out = self.replay(self.trace("copy"), *options)
            self.assertEqual(out["kernels"][0]["accuracy_not_measured"], why)
            self.assertEqual(out["accuracy"], {})

    def assert_no_accuracy(self, trace, why, *options):
        """No output of a replay shows an accuracy, or leaves out that there is none, or its engine."""
        for engine, choice in (("time", ()), ("counts", ("--counts",))):
            for view in ((), ("--all",), ("--launch", "0")):
                with self.subTest(trace, options=options, engine=engine, view=view):
                    text = self.run_command("replay", trace, *options, *choice, *view).out
                    self.assertIn(f"{engine} engine", text)
                    self.assertRegex(text, rf"Accuracy is not measured\S* {why}")
                    self.assertNotRegex(text, r"equal in |median \d|percentile")
                    rows = list(csv.DictReader(io.StringIO(self.run_command(
                        "replay", trace, *options, *choice, *view, "--format", "csv").out)))
                    self.assertEqual({r["engine"] for r in rows}, {engine})
                    self.assertLessEqual({r["accuracy"] for r in rows}, {"not measured", ""})
                    self.assertIn("not measured", {r["accuracy"] for r in rows})
                    out = self.replay(trace, *options, *choice, *view)
                    self.assertEqual((out["engine"], out["accuracy"]), (engine, {}))
                    self.assertTrue(all(k["accuracy_not_measured"] for k in out["kernels"]))
                    self.assertNotIn("p90", json.dumps(out))

    def test_no_output_shows_an_accuracy_under_a_what_if(self):
        for setting, what in (("l2.size=32MiB", "l2.size"), ("latency.l1=60", "latency.l1"),
                              ("isa.sass.FFMA.issue=4", "isa.sass.FFMA")):
            self.assert_no_accuracy(self.trace("gather"), f"{what} was set", "--set", setting)

    def test_no_output_shows_an_accuracy_of_a_level_that_was_not_measured(self):
        self.assert_no_accuracy(self.trace("ptx"), r"for h200 with traces of level ptx\.")

    def test_the_levels_that_were_not_measured_are_named(self):
        table = self.run_command("metrics", "--accuracy").out
        out = self.run_command("metrics", "--accuracy", "--format", "json").json()
        self.assertEqual(out["not_measured"], [{"gpu": gpu, "level": "ptx"} for gpu in ("h100_sxm", "h200")])
        for one in out["not_measured"]:
            self.assertIn(f"\n{one['gpu']}, traces of level {one['level']}: not measured\n", table)
            self.assertNotIn(one["level"], {a["level"] for a in out["accuracy"]})

    def test_accuracy_is_not_measured_without_the_kernels_code(self):
        run = self.run_command("replay", self.trace("bare"), "--all")
        self.assertRegex(run.out, SECTORS + r" +128 +sector +not measured\n")
        self.assertIn("Accuracy is not measured for h200 with traces of level sass without program.", run.out)

    def test_accuracy_is_not_measured_for_ptx(self):
        launch = 'entry = "vector_copy_b4"\ngrid = 4\nblock = 64\nargs = [{ buffer = "a", type = "f32", count = 256 },' \
                 '{ buffer = "b", type = "f32", count = 256 }, { type = "s32", value = 256 }]\n'
        with open(self.path("l.toml"), "w", encoding="utf-8") as file:
            file.write(launch)
        ptx = os.path.join(harness.SOURCE, "tests/emulate/ptx/vector_copy.ptx")
        self.assert_works(self.run_command("emulate", ptx, "--launch", "l.toml", "--level", "ptx", "-o", "p.wmt"))
        run = self.run_command("replay", "p.wmt", "--all")
        self.assertRegex(run.out, SECTORS + r" +\d+ +sector +not measured\n")
        self.assertIn("Accuracy is not measured for h200 with traces of level ptx.", run.out)

    def test_the_table_of_many_launches_has_a_line_each(self):
        run = self.run_command("replay", self.trace("gather"))
        self.assert_works(run)
        self.assertRegex(run.out, r"\n +0  copy\(.*\n +1  copy_again\(")

    def test_a_setting_changes_the_card_and_is_written_down(self):
        out = self.replay(self.trace("copy"), "--set", "l2.size=28MiB")
        self.assertEqual(out["card"]["l2.size"]["value"], 28 << 20)
        self.assertEqual(out["card"]["l2.size"]["unit"], "bytes")
        self.assertIn("set", out["card"]["l2.size"]["source"])
        run = self.run_command("replay", self.trace("copy"), "--set", "l2.size=28MiB")
        self.assertIn("with l2.size = 28 MiB", run.out)

    def test_a_size_that_would_be_rounded_names_its_neighbours(self):
        run = self.run_command("replay", self.trace("copy"), "--set", "l2.size=31457281")
        self.assert_fails(run, 2, "--set l2.size", "31,457,281 B", "fix: give 30 MiB or 31,461,376 B")

    def test_the_examples_of_the_help_work(self):
        for verb in ("replay", "gpus"):
            text = " ".join(self.run_command(verb, "--help").out.split())
            examples = re.findall(r"--set ([a-z0-9_.]+=[A-Za-z0-9,]+)", text)
            self.assertIn("l1.size=64KiB", examples)
            self.assertIn("l2.home_bits=12,13", examples)
            for example in examples:
                with self.subTest(verb=verb, example=example):
                    given = ["h200"] if verb == "gpus" else [self.trace("copy")]
                    self.assert_works(self.run_command(verb, *given, "--set", example))

    def test_an_unknown_card(self):
        self.assert_fails(self.run_command("replay", self.trace("copy"), "--gpu", "h20"), 2,
                          "did you mean 'h200'?")

    def test_an_unknown_key(self):
        self.assert_fails(self.run_command("replay", self.trace("copy"), "--set", "l1.sze=1KiB"),
                          2, "l1.sze", "did you mean 'l1.size'?")

    def test_settings_that_are_none(self):
        for setting in ("l1.size", "=4", "l1.size=", "l1.size=large", "l1.size=-1"):
            with self.subTest(setting):
                run = self.run_command("replay", self.trace("copy"), "--set", setting)
                self.assert_fails(run, 2, "--set")

    def test_a_lossy_trace_is_refused_without_partial(self):
        trace = self.trace("lossy")
        self.assert_fails(self.run_command("replay", trace), 4, "5 known to be lost", "--partial")
        run = self.run_command("replay", trace, "--partial", "--format", "json")
        self.assert_works(run)
        self.assertIn("warning", run.err)
        self.assertFalse(run.json()["trace"]["quality"]["complete"])

    def test_an_unsealed_trace_is_refused_without_partial(self):
        self.assert_fails(self.run_command("replay", self.trace("unsealed")), 4, "--partial")

    def test_a_trace_without_launches(self):
        self.assert_fails(self.run_command("replay", self.trace("empty")), 3, "no launch")

    def test_a_missing_launch(self):
        run = self.run_command("replay", self.trace("copy"), "--launch", "3")
        self.assert_fails(run, 2, "no such launch")

    def test_unwritable_output_is_told_before_the_work(self):
        run = self.run_command("replay", self.trace("copy"), "-o", "no/folder/r.json")
        self.assert_fails(run, 2, "no/folder/r.json")


class BadInput(harness.CommandTest):
    """What contradicts itself ends with one message; what is merely poor says what it costs."""

    def refused(self, setting, *words):
        run = self.run_command("replay", self.trace("copy"), "--set", setting)
        self.assert_fails(run, 2, "--set " + setting.split("=")[0], *words)
        self.assertEqual(run.err.count("error:"), 1)

    def test_more_bandwidth_than_ports_or_pins_carry(self):
        self.refused("dram.sectors_per_kilocycle=1000000000", "more than all SMs' ports carry")
        self.refused("port.host_permille=1000000", "give a whole number from 1 to 64,000")
        self.refused("dram.sectors_per_kilocycle=77000", "its channels carry 75,")

    def test_a_latency_of_zero(self):
        for key in ("l1", "shared", "l2_near", "l2_far", "dram", "host", "remote", "texture"):
            with self.subTest(key):
                self.refused(f"latency.{key}=0", "'0' is less than 1")

    def test_a_hash_that_leaves_slices_or_channels_without_lines(self):
        self.refused("l2.home_bits=", "the slices of side 1 have none")
        self.refused("l2.home_bits=26,40", "64 MiB at a time, more than l2.size")
        self.refused("l2.home_bits=12,13,12", "names a bit twice")
        self.refused("l2.slices=95", "no multiple of 4", "give 92 or 96")
        self.refused("dram.interleave=384", "must be a power of two")
        self.refused("dram.channels=0", "'0' is less than 1", "from 1 to 4,096")

    def test_a_trace_without_a_program_section(self):
        run = self.run_command("replay", self.trace("bare"))
        self.assert_works(run)
        self.assertIn("no program section: four instructions are assumed", run.out)
        self.assertIn("cycles are rough then", run.out)
        self.assertNotIn("no program section", self.run_command("replay", self.trace("copy")).out)

    def test_warps_that_wait_for_ever(self):
        run = self.run_command("replay", self.trace("stuck"))
        self.assert_works(run)
        self.assertRegex(run.out, r"barriers opened by force: \d+; before the first of them nobody "
                                  r"could go on: CTA \d+ on SM \d+: of 4 warps 2 at barrier 0, "
                                  r"2 at barrier 1; .*; and 5 more CTAs")


class Diff(harness.CommandTest):
    def result(self, name, *arguments):
        run = self.run_command("replay", *arguments, "--format", "json", "-o", name)
        self.assert_works(run)
        return name

    def test_equal_results(self):
        trace = self.trace("copy")
        run = self.run_command("diff", self.result("a", trace), self.result("b", trace))
        self.assert_works(run)
        self.assertEqual(run.out, "both by the time engine\nno counter differs\n")

    def test_a_difference_ends_1_and_is_named(self):
        before = self.result("a", self.trace("copy"))
        after = self.result("b", self.trace("gather"), "--launch", "0")
        run = self.run_command("diff", before, after)
        self.assertEqual(run.status, 1, run.err)
        self.assertRegex(run.out, r"launch 0: copy\(")
        self.assertRegex(run.out, SECTORS + r" +128 +1,024 +\+700 %")
        self.assertNotIn(LOADS, run.out)
        out = self.run_command("diff", before, after, "--format", "json").json()
        self.assertFalse(out["equal"])
        self.assertIn(SECTORS, [d["metric"] for d in out["differences"]])

    def test_different_numbers_of_launches(self):
        before = self.result("a", self.trace("copy"))
        after = self.result("b", self.trace("gather"))
        run = self.run_command("diff", before, after)
        self.assertEqual(run.status, 1, run.err)
        self.assertRegex(run.out, r"launch 1 only after: copy_again\(")
        self.assertEqual(run.out.count("copy_again"), 1)
        out = self.run_command("diff", before, after, "--format", "json").json()
        self.assertEqual([l["launch"] for l in out["only_after"]], [1])
        self.assertEqual({d["kernel"].split("(")[0] for d in out["differences"]}, {"copy"})

    def test_two_kernels_never_stand_under_one_name(self):
        before = self.result("a", self.trace("gather"), "--launch", "0")
        after = self.result("b", self.trace("gather"), "--launch", "1")
        run = self.run_command("diff", before, after)
        self.assertEqual(run.status, 1, run.err)
        self.assertRegex(run.out, r"launch 0 -> 1: copy\([^)]*\) -> copy_again\(")
        out = self.run_command("diff", before, after, "--format", "json").json()
        self.assertTrue(all(d["kernel_after"].startswith("copy_again(") for d in out["differences"]))

    def test_settings_and_engines_that_differ_are_told(self):
        trace = self.trace("copy")
        before = self.result("a", trace)
        run = self.run_command("diff", before, self.result("b", trace, "--set", "l2.size=32MiB"))
        self.assertRegex(run.out, r"l2.size +60 MiB +32 MiB")
        counts = self.result("c", trace, "--counts")
        self.assertRegex(self.run_command("diff", before, counts).out, r"engine +time +counts")
        out = self.run_command("diff", before, counts, "--format", "json").json()
        self.assertEqual(out["engines"], ["time", "counts"])
        self.assertEqual(out["replayed_with"]["engine"], {"before": "time", "after": "counts"})

    def test_a_tolerance(self):
        before = self.result("a", self.trace("copy"))
        with open(self.path(before), encoding="utf-8") as file:
            result = json.load(file)
        result["kernels"][0]["metrics"][SECTORS] *= 1.02
        with open(self.path("b"), "w", encoding="utf-8") as file:
            json.dump(result, file)
        self.assertEqual(self.run_command("diff", before, "b").status, 1)
        for tolerance, status in (("1%", 1), ("0.01", 1), ("2.1%", 0), ("0.03", 0), ("0", 1)):
            run = self.run_command("diff", before, "b", "--tolerance", tolerance)
            self.assertEqual(run.status, status, tolerance)
        for wrong in ("-1%", "much", "nan", "", "1%%"):
            self.assert_fails(self.run_command("diff", before, "b", f"--tolerance={wrong}"), 2, "tolerance")

    def test_bad_results(self):
        good = self.result("a", self.trace("copy"))
        samples = {"empty": "", "cut": '{"schema":1,"gpu":"h2', "foreign": "[1,2]",
                   "newer": '{"schema":2}', "hollow": '{"schema":1,"gpu":"h200"}'}
        for name, text in samples.items():
            with self.subTest(name), open(self.path(name), "w") as file:
                file.write(text)
                file.flush()
                run = self.run_command("diff", good, name)
                self.assertIn(run.status, (2, 3), run.err)
                self.assert_fails(run, run.status, name)
        self.assert_fails(self.run_command("diff", good, "nowhere"), 2, "nowhere")


class Cards(harness.CommandTest):
    def test_the_list(self):
        cards = self.run_command("gpus", "--format", "json").json()["cards"]
        self.assertIn("h200", [card["name"] for card in cards])

    def test_every_number_of_a_card_has_unit_and_source(self):
        out = self.run_command("gpus", "h200", "--format", "json").json()
        self.assertEqual(out["compute_capability"], "9.0")
        # Said by another key: l1.ways, l2.sides; memory with a channel of its own for check bits has none; nobody
        # publishes how many lines loads may wait for.
        self.assertEqual({k for k, n in out["card"].items() if n["source"].startswith("default: ")},
                         {"l1.sets", "l1.misses", "l2.partitions", "dram.ecc"})
        for key, number in out["card"].items():
            with self.subTest(key):
                self.assertTrue(number["unit"])
                self.assertRegex(number["source"], "^(documented|measured|assumed|default): ")

    def test_an_unknown_card(self):
        self.assert_fails(self.run_command("gpus", "g90"), 2, "known cards")


class Metrics(harness.CommandTest):
    def test_every_metric_says_what_it_counts_and_how_exact_it_is(self):
        metrics = self.run_command("metrics", "--format", "json").json()["metrics"]
        self.assertGreater(len(metrics), 40)
        for metric in metrics:
            with self.subTest(metric["name"]):
                self.assertTrue(metric["counts"] and metric["unit"])
                self.assertEqual(metric["exact"], metric["band"] == 0)

    def test_what_conflicts_count_is_said_for_wide_loads(self):
        counts = {m["name"]: m["counts"] for m in self.run_command("metrics", "--format", "json").json()["metrics"]}
        for kind in ("ld", "st"):
            text = counts[f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{kind}.sum"]
            self.assertIn("those of 16 bytes a lane take 4 without a conflict", text)

    def test_every_counter_of_a_replay_has_a_unit(self):
        out = self.run_command("replay", self.trace("copy"), "--format", "csv").out
        for row in csv.DictReader(io.StringIO(out)):
            with self.subTest(row["metric"]):
                self.assertTrue(row["unit"])


if __name__ == "__main__":
    harness.main()
