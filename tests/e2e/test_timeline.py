"""warpmem timeline: a program's copies and kernels over streams and engines, as it was emulated."""

import csv
import io
import json
import os
import shutil
import unittest

from harness import SOURCE, CommandTest

NVCC = shutil.which("nvcc") or (
    "/usr/local/cuda/bin/nvcc" if os.path.exists("/usr/local/cuda/bin/nvcc") else None)

STREAMS = os.path.join(SOURCE, "tests/sim/traces/streams.cu")


@unittest.skipUnless(NVCC, "there is no nvcc")
class Timeline(CommandTest):
    def run_streams(self, streams, memory, *options):
        run = self.run_command("emulate", "--force", "-o", "t.wmt", *options, STREAMS, "--", str(streams), memory)
        self.assertEqual(run.status, 0, run.err)
        return float(run.out)

    def timeline(self, *options):
        run = self.run_command("timeline", "t.wmt", "--format", "json", *options)
        self.assertEqual(run.status, 0, run.err)
        return run.json()

    def test_streams_overlap_by_engine_and_never_beat_the_link(self):
        times = {}
        for streams in (1, 4):
            ms = self.run_streams(streams, "pinned", "--gpu", "h200")
            program = self.timeline("--gpu", "h200")
            copies = [s for s in program["steps"] if s["kind"] == "copy"]
            self.assertEqual(len(copies), 2 * streams)
            self.assertEqual(sum(s["bytes"] for s in copies), 2 << 22)
            for engine in ("copies to the GPU", "copies to the host"):
                of = sorted((s["begin_ns"], s["end_ns"]) for s in copies if s["engine"] == engine)
                self.assertEqual(len(of), streams)
                for before, after in zip(of, of[1:]):
                    self.assertLessEqual(before[1], after[0] + 1e-6)  # one at a time
                moved = (1 << 22) / (of[-1][1] - of[0][0])
                self.assertLess(moved, 63.1)  # bytes a nanosecond: 16 lanes of PCI Express 5
            times[streams] = program["ns"]
            self.assertGreater(ms * 1e6, program["limit_ns"])
        self.assertLess(times[4], 0.85 * times[1])

    def test_the_same_trace_on_other_links(self):
        self.run_streams(4, "pageable", "--gpu", "h200")
        whole = self.timeline("--gpu", "h200")
        slower = self.timeline("--gpu", "h200", "--set", "link.lanes=4")
        self.assertGreater(slower["ns"], 1.2 * whole["ns"])
        pinned = next(w for w in whole["what_ifs"] if "pinned" in w["what"])
        self.assertLess(pinned["ns"], whole["ns"])
        refused = self.run_command("timeline", "t.wmt", "--gpu", "h200", "--set", "link.to_device=70000")
        self.assertEqual(refused.status, 2)
        self.assertIn("link.to_device", refused.err)

    def test_it_is_shown_as_text_rows_and_events(self):
        self.run_streams(2, "pinned", "--gpu", "h200")
        text = self.run_command("timeline", "t.wmt", "--gpu", "h200").out
        self.assertRegex(text, r"copies to the GPU, stream 1 +\|")
        self.assertRegex(text, r"SMs, stream 2 +\|")
        rows = list(csv.DictReader(io.StringIO(
            self.run_command("timeline", "t.wmt", "--gpu", "h200", "--format", "csv").out)))
        self.assertEqual([r["kind"] for r in rows if r["kind"] in ("copy", "kernel")], ["copy", "kernel", "copy"] * 2)
        self.run_command("replay", "t.wmt", "--gpu", "h200", "--timeline", "out.json")
        with open(self.path("out.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        names = {e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertLessEqual({"copies to the GPU", "copies to the host", "SMs", "SM 0"}, names)

    def test_explain_names_what_the_program_waits_for(self):
        self.run_streams(2, "pageable", "--gpu", "h200")
        run = self.run_command("explain", "t.wmt", "--gpu", "h200", "--no-gain")
        self.assertEqual(run.status, 0, run.err)
        text = " ".join(run.out.split())
        self.assertRegex(text, r"the program: \d+ % of the time goes into copies over the link")
        self.assertIn("times as fast if all host memory that is copied were pinned", text)

    def test_info_says_what_the_program_asked_for(self):
        run = self.run_command("info", os.path.join(SOURCE, "tests/sim/traces/four_streams.wmt"))
        self.assertIn("program   8 copies of 8 MiB in all, 0 fills, 5 events (timeline)", run.out)

    def test_a_trace_without_steps_says_so(self):
        run = self.run_command("timeline", os.path.join(
            SOURCE, "validate/reference/h200/vector_copy_b4.wmt"), "--gpu", "h200")
        self.assertEqual(run.status, 2)
        self.assertIn("trace the program with `warpmem emulate`", run.err)


if __name__ == "__main__":
    unittest.main()
