"""The folders of a room include each other in one direction.

In each room named here a file may include files of its own folder and of folders that lead back to it by no
path of includes. Who adds an include that closes a circle sees the folders on it, and the includes between them.
"""
import collections
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["WARPMEM_SOURCE"])
ROOMS = ["emulate", "model", "sim"]
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def includes_of(room):
    """(folder, folder) -> the includes between them, "file includes file"."""
    edges = collections.defaultdict(list)
    for path in sorted((SOURCE / room).rglob("*.[ch]pp")):
        here = path.parent.relative_to(SOURCE).as_posix()
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            there = os.path.dirname(name)
            if name.startswith(room + "/") and there != here and (SOURCE / name).exists():
                edges[here, there].append(f"{path.relative_to(SOURCE)} includes {name}")
    return edges


def circle(edges):
    """Folders on a circle, each followed by one that it includes; empty: there is none."""
    after = collections.defaultdict(list)
    for here, there in edges:
        after[here].append(there)
    done, on_path = set(), []

    def visit(folder):
        if folder in on_path:
            return on_path[on_path.index(folder):]
        if folder in done:
            return []
        on_path.append(folder)
        for there in after[folder]:
            if found := visit(there):
                return found
        on_path.pop()
        done.add(folder)
        return []

    for folder in sorted(after):
        if found := visit(folder):
            return found
    return []


class Folders(unittest.TestCase):
    def test_no_circle(self):
        for room in ROOMS:
            with self.subTest(room=room):
                edges = includes_of(room)
                self.assertGreater(len(edges), 5, "the folders of the room were not found")
                found = circle(edges)
                lines = [line for here, there in zip(found, found[1:] + found[:1]) for line in edges[here, there][:3]]
                self.assertEqual(found, [], "these folders include each other:\n  " + "\n  ".join(lines))

    def test_a_circle_is_found(self):
        self.assertEqual(circle({("a", "b"): [], ("b", "c"): [], ("a", "c"): []}), [])
        self.assertEqual(sorted(circle({("a", "b"): [], ("b", "c"): [], ("c", "b"): []})), ["b", "c"])

    def test_parts_know_no_card(self):
        """Only card/, which builds them, and topology/, a view of a card, may name it."""
        for path in sorted((SOURCE / "model").rglob("*.[ch]pp")):
            folder = path.relative_to(SOURCE / "model").parts[0]
            if folder in ("card", "topology"):
                continue
            for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
                self.assertFalse(name.startswith("model/card/"), f"{path.relative_to(SOURCE)} includes {name}")


if __name__ == "__main__":
    unittest.main()
