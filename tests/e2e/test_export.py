"""warpmem export: what Accel-Sim reads comes back as the same records."""

import os
import shutil
import unittest

from harness import SOURCE, CommandTest

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")


class Export(CommandTest):
    def there_and_back(self, name):
        shutil.copy(os.path.join(REFERENCE, name + ".wmt"), self.path("t.wmt"))
        self.assert_works(self.run_command("export", "t.wmt", "-o", "kernelslist.g"))
        self.assert_works(self.run_command("import", "kernelslist.g", "-o", "back.wmt"))
        rows = []
        for trace in ("t.wmt", "back.wmt"):
            dump = self.run_command("dump", trace, "--format", "csv", "--limit", "3000")
            self.assert_works(dump)
            # Which SM a CTA ran on, and loops without accesses, are no part of Accel-Sim's form.
            rows.append([r for r in dump.out.splitlines() if ",begin," not in r and ",rounds," not in r][:2000])
        self.assertEqual(rows[0], rows[1])
        self.assertGreater(len(rows[0]), 100)

    def test_recorded_traces_come_back_as_they_were(self):
        for name in ("async_copy_stages2", "streams_independent", "vectorised_float4_loop"):
            with self.subTest(trace=name):
                for file in os.listdir(self.folder):
                    os.remove(self.path(file))
                self.there_and_back(name)

    def test_a_trace_without_machine_code_is_refused(self):
        for kind in ("ptx", "bare"):
            run = self.run_command("export", self.trace(kind), "-o", "kernelslist.g")
            self.assertEqual(run.status, 2, run.err)
            self.assertIn("no machine code", run.err)
        self.assertEqual([f for f in os.listdir(self.folder) if not f.endswith(".wmt")], [])


if __name__ == "__main__":
    unittest.main()
