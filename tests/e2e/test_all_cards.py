"""A part of what tests/benchmarks/all_cards.py replays: traces of each kind, dealt to all cards."""

import json
import os

import harness
import plausible
from harness import SOURCE

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")
# What GPUs do differently: accesses, textures, atomics, spills, the host's memory, and what old ones lack.
TRACES = ("atomics_cas", "bulk_copy_prefetch", "cluster_read", "constant_memory_divergent", "graph_chain",
          "load_paths_ldcg", "local_memory_spilled", "reduction_shuffle", "strided_load_8", "tensor_core_ldmatrix",
          "texture_squares", "transpose_shared_unpadded", "zero_copy_write")
EACH = 1  # of them, on both engines


class AllCards(harness.CommandTest):
    def cards(self):
        return [card["name"] for card in self.run_command("gpus", "--format", "json").json()["cards"]]

    def test_no_card_says_of_any_kind_of_trace_what_cannot_be(self):
        replayed = set()
        for i, card in enumerate(self.cards()):
            peaks = plausible.peaks_of(self.run_command("gpus", card, "--format", "json").json()["card"])
            self.assertGreater(peaks["dram"], 50)
            for k in range(EACH):
                trace = TRACES[(EACH * i + k) % len(TRACES)]
                for engine in ("counts", "time"):
                    run = self.run_command("replay", os.path.join(REFERENCE, trace + ".wmt"), "--gpu", card,
                                           "--" + engine, "--threads", "1", "--format", "json", "--all")
                    found = plausible.wrong_with(run.status, run.out, run.err, engine, peaks)
                    self.assertEqual(found, [], f"{card} {engine} {trace}")
                    if run.status == 0:
                        replayed.add(trace)
        self.assertEqual(replayed, set(TRACES))

    def test_no_part_of_an_old_card_moves_more_than_it_can(self):
        # Each of these did: a channel of DRAM whose ticks were cut off, or that skipped refreshes; banks of 8 bytes.
        for card, trace in (("gtx280", "aos_soa_aos_load_all"), ("c2050", "strided_load_32"), ("k20x", "aat_shared_padded")):
            run = self.run_command("replay", os.path.join(REFERENCE, trace + ".wmt"), "--gpu", card, "--threads", "1",
                                   "--format", "json")
            self.assert_works(run)
            found = list(plausible.wrong_with_time(run.json()["kernels"][0]["time"]))
            self.assertEqual(found, [], f"{card} {trace}")

    def test_what_cannot_be_is_found(self):
        run = self.run_command("replay", os.path.join(REFERENCE, "strided_load_8.wmt"), "--gpu", "gtx280", "--threads",
                               "1", "--format", "json", "--all")
        self.assert_works(run)
        peaks = {"dram": 141.7, "l2": None}
        self.assertEqual(plausible.wrong_with(0, run.out, "", "time", peaks), [])
        for change, words in (
                (lambda k: k["metrics"].update(gld_32b=-1), "gld_32b is -1"),
                (lambda k: k["metrics"].update(texture_hit_rate=101), "texture_hit_rate is 101 %"),
                (lambda k: k["metrics"].update(gld_request=float("nan")), "metrics.gld_request is nan"),
                (lambda k: k["metrics"].update(gputime=float("inf")), "gputime is inf"),
                (lambda k: k["not_available"].clear(), "nothing says why"),
                (lambda k: k["time"].update(cycles=0), "no cycles"),
                (lambda k: k["time"].update(accuracy=""), "how far the time is off"),
                (lambda k: k["time"]["moved"]["DRAM bus"].update(bytes_per_cycle=200), "DRAM bus: 200.0 bytes")):
            result = json.loads(run.out)
            change(result["kernels"][0])
            found = "; ".join(plausible.wrong_with(0, json.dumps(result), "", "time", peaks))
            self.assertIn(words, found)
        self.assertTrue(plausible.wrong_with(70, "", "warpmem: bug", "time", peaks))
        self.assertTrue(plausible.wrong_with(2, "", "warpmem: error: so it is", "time", peaks))

    def test_a_card_without_a_number_says_which_one_and_which_cards_have_it(self):
        for card, setting, *words in (
                ("h200", "dram.ecc=on", "'dram.ecc_permille' is missing", "--set dram.ecc_permille=N, and dram.ecc_part",
                 "a card that has it: c2050, k20x, k40, m40"),
                # HBM2 on a card that inherits one with GDDR5.
                ("p100", "dram.ecc=on", "'dram.ecc_permille' is missing", "HBM loses nothing"),
                ("v100", "dram.ecc_part=8", "dram.ecc is none", "c2050, k20x, k40, m40"),
                ("t4", "l2.window=1MiB", "no such number", "cudaStreamSetAttribute"),
                ("h200", "texture.size=8KiB", "access.rule is sectors", "8800gtx, c2050, gtx280, k20x, k40"),
                ("p100", "texture.line=32", "texture.size is 0 B", "choose texture.size = 1 set or more"),
                ("k40", "shared.mode=8", "no such number", "'shared.bank_bytes': 4 or 8"),
                ("h200", "constant.rule=warp", "access.rule is sectors", "take a card that uses it: 8800gtx"),
                ("8800gtx", "constant.foo=1", "no such number", "did you mean 'constant.rule'?"),
                ("h200", "link.gbps=3", "no such number", "port.host_permille"),
                ("t4", "remote.cycles=3", "no such number", "remote.read, remote.write"),
                ("8800gtx", "l2.size=1MiB", "'l2.ways' is missing", "l2.fetch", "c2050"),
                # A generation is no setting.
                ("gtx280", "topology.cpc_tpcs=3", "compute_capability is 1.3", "take a card that uses it: b200, h100_sxm")):
            with self.subTest(card + " " + setting):
                run = self.run_command("gpus", card, "--set", setting)
                self.assert_fails(run, 2, "--set " + setting.split("=")[0], *words)
                self.assertNotIn("inherits", run.err)


if __name__ == "__main__":
    harness.main()
