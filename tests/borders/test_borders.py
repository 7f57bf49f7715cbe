"""What a room may include compiles, and what it may not include does not.

For every room: one header of each room it may include, together, compile with the include paths of the
room's target; a header of any other room does not, because the compiler does not find it. The table in
docs/design/architecture.md says the same as the rows here.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

SOURCE = pathlib.Path(os.environ["WARPMEM_SOURCE"])
PATHS = pathlib.Path(os.environ["WARPMEM_BORDERS"])
CXX = os.environ["CXX"]

MAY_INCLUDE = {
    "base": [],
    "host": ["base"],
    "metrics": ["base"],
    "isa": ["base"],
    "binary": ["base", "isa"],
    "model": ["base", "host"],
    "results": ["base"],
    "traces/format": ["base", "host", "isa"],
    "traces/record": ["base", "host", "isa", "binary", "traces/format"],
    "traces/import": ["base", "host", "isa", "traces/format"],
    "traces/export": ["base", "host", "isa", "model", "results", "sim", "traces/format"],
    "emulate": ["base", "host", "isa", "binary", "traces/format"],
    "sim": ["base", "host", "isa", "metrics", "model", "results", "traces/format"],
    "sweep": ["base", "host", "isa", "model", "results", "sim", "traces/format"],
    "validate": ["base", "metrics", "results"],
    "views": ["base", "results"],
    "web": ["base", "host", "isa", "model", "results", "traces/format", "sim", "views"],
    "command": ["base", "host", "isa", "binary", "metrics", "model", "results", "traces/format", "traces/record",
                "traces/import", "traces/export", "emulate", "sim", "sweep", "validate", "views"],
}
ROOMS = list(MAY_INCLUDE)


def header_of(folder):
    """The smallest header there: quick to compile, and as good as any other."""
    headers = (SOURCE / folder).rglob("*.hpp")
    return min(headers, key=lambda h: (h.stat().st_size, str(h))).relative_to(SOURCE).as_posix()


HEADER = {room: header_of(room) for room in ROOMS + ["tests"]}


def compile_includes(room, rooms, empty_folder):
    """Compiles a file of the room that includes a header of each of `rooms`, and nothing else.

    The file is in a folder of its own, so that nothing is found beside it.
    """
    paths = (PATHS / (room.replace("/", "-") + ".paths")).read_text().split("\n")
    text = "".join(f'#include "{HEADER[r]}"\n' for r in rooms)
    return subprocess.run(
        [CXX, "-std=c++20", "-fsyntax-only", *(f"-I{p}" for p in paths if p), "-x", "c++", "-"],
        input=text, text=True, capture_output=True, cwd=empty_folder,
        env={**os.environ, "LC_ALL": "C"})


class Borders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def compile_all(self, tasks):
        """Each (room, rooms to include) with what the compiler said."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return zip(tasks, pool.map(lambda t: compile_includes(*t, self.folder), tasks))

    def test_what_a_room_may_include_compiles(self):
        tasks = [(room, [room, *may]) for room, may in MAY_INCLUDE.items()]
        for (room, included), done in self.compile_all(tasks):
            with self.subTest(room=room, includes=included):
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_a_room_may_not_include_is_not_found(self):
        tasks = [(room, [other]) for room, may in MAY_INCLUDE.items()
                 for other in HEADER if other != room and other not in may]
        for (room, (other,)), done in self.compile_all(tasks):
            with self.subTest(room=room, includes=other):
                self.assertNotEqual(done.returncode, 0, f"{room} can include {HEADER[other]}")
                # Found and wrong for some other reason would be a hole in the border.
                self.assertRegex(done.stderr,
                                 rf"{re.escape(HEADER[other])}: No such file|'{re.escape(HEADER[other])}' file not found")

    def test_every_room_stands_in_the_table_of_docs_architecture(self):
        rows = re.findall(r"^\| `([a-z/]+)/` \|.*\| ([^|]*) \|$",
                          (SOURCE / "docs/design/architecture.md").read_text(), re.M)
        written = {room: sorted(re.findall(r"`([a-z/]+)/`", may)) for room, may in rows if room in ROOMS}
        self.assertEqual(written, {room: sorted(may) for room, may in MAY_INCLUDE.items()})


if __name__ == "__main__":
    unittest.main()
