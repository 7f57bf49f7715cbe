"""tests/benchmarks/same_counters.py: which differences of two builds it sees, and which it does not."""

import os
import subprocess
import sys

import harness
from harness import SOURCE, WARPMEM

SCRIPT = os.path.join(SOURCE, "tests/benchmarks/same_counters.py")


class SameCounters(harness.CommandTest):
    def changed(self, name, statement):
        """A command that replays as warpmem does and changes the result."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(f"""#!{sys.executable}
import json, subprocess, sys
done = subprocess.run([{WARPMEM!r}, *sys.argv[1:]], capture_output=True)
result = json.loads(done.stdout)
launch = result["kernels"][0]
{statement}
print(json.dumps(result))
""")
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def compare(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *arguments], cwd=self.folder, text=True,
                              capture_output=True, timeout=120)

    def test_a_build_says_the_same_as_itself(self):
        for options in [], ["--metrics-only"]:
            done = self.compare(*options, WARPMEM, WARPMEM, self.trace("copy"))
            self.assertEqual((done.returncode, done.stdout), (0, "1 traces, 2 replays, 0 differ\n"), done.stderr)

    def test_a_metric_that_changes_is_named_with_both_values(self):
        name = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
        trace = self.trace("copy")
        value = self.run_command("replay", trace, "--format", "json").json()["kernels"][0]["metrics"][name]
        new = self.changed("new", f"launch['metrics'][{name!r}] *= 2")
        done = self.compare("--metrics-only", WARPMEM, new, trace)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{name}: {value} -> {2 * value} (+100.00%)", done.stdout)
        self.assertIn("2 replays, 2 differ", done.stdout)

    def test_a_metric_that_is_gone_and_another_kernel_differ(self):
        for statement, words in (("del launch['metrics']['dram__sectors_read.sum']", "-> not there"),
                                 ("launch['name'] = 'other'", 'name: "'),
                                 ("result['kernels'] = []", "1 launches -> 0")):
            with self.subTest(statement):
                done = self.compare("--metrics-only", "--engine", "counts", WARPMEM,
                                    self.changed("new", statement), self.trace("copy"))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stdout)

    def test_cards_notes_and_new_metrics_do_not_differ_but_in_their_bytes(self):
        new = self.changed("new", "launch['metrics']['new.sum'] = 1; launch['notes'] = ['new']; result['card'] = {}")
        done = self.compare("--metrics-only", WARPMEM, new, self.trace("copy"))
        self.assertEqual((done.returncode, done.stdout),
                         (0, "only in NEW: new.sum\n1 traces, 2 replays, 0 differ\n"), done.stderr)
        self.assertEqual(self.compare(WARPMEM, new, self.trace("copy")).returncode, 1)

    def test_a_build_that_fails_differs_and_where_both_fail_nothing_is_compared(self):
        done = self.compare("--metrics-only", WARPMEM, "/bin/false", self.trace("copy"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("exit status 0 -> 1", done.stdout)
        self.assertEqual(self.compare("--metrics-only", WARPMEM, WARPMEM, "absent.wmt").returncode, 2)


if __name__ == "__main__":
    harness.main()
