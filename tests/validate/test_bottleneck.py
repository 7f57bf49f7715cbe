#!/usr/bin/env python3
"""What is said to limit a launch is what its table has first, over a third of the launches of the reference; over all
with WARPMEM_THOROUGH=1, as ./check --nightly sets it. test_bottleneck.py WARPMEM FOLDER"""
import glob
import os
import re
import subprocess
import sys
import unittest

ROW = re.compile(r"^(?P<place>\S.*?) +(?P<share>[\d.]+) % +(?P<most>[\d.]+) %(?: \((?P<element>\d+)\))? +\S", re.MULTILINE)
SENTENCE = re.compile(r"^bottleneck: (.*)$", re.MULTILINE)
NUMBER = re.compile(r"[\d.]+ %")


def launches(trace):
    """Of each launch: the rows of its table of places, and its sentence."""
    text = subprocess.run([WARPMEM, "replay", trace, "--all"], capture_output=True, text=True, check=True).stdout
    for part in text.split("\nplace ")[1:]:
        table, rest = part.split("\nbottleneck: ", 1)
        yield list(ROW.finditer(table)), rest.split("\n", 1)[0]


class Bottleneck(unittest.TestCase):
    def test_the_sentence_is_the_tables_of_every_reference_launch(self):
        seen = 0
        thorough = bool(os.environ.get("WARPMEM_THOROUGH"))
        for trace in sorted(glob.glob(FOLDER + "/*.wmt"))[::1 if thorough else 3]:
            for rows, sentence in launches(trace):
                seen += 1
                with self.subTest(trace=trace.rsplit("/", 1)[1], sentence=sentence):
                    most = max(float(row["most"]) for row in rows)
                    self.assertEqual(float(rows[0]["most"]), most)
                    # All of its kind by the table's name, or the one element by its number.
                    named = (row for row in rows if float(row["most"]) == most and (
                        row["place"] in sentence or row["element"] and f" {row['element']}" in sentence))
                    self.assertIsNotNone(next(named, None))
                    self.assertIn(f"{most:.1f} %", NUMBER.findall(sentence))
                    limits = not re.match("latency|small L1|nothing", sentence)
                    self.assertEqual(limits, most >= 60.0)
        self.assertGreater(seen, 180 if thorough else 50)


if __name__ == "__main__":
    WARPMEM, FOLDER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
