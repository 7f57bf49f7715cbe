"""No command replaces or removes a file that it reads, a file that it was not told of, or another output of its own."""

import hashlib
import os
import re
import shutil
import subprocess
import unittest

import harness
from harness import SOURCE, WARPMEM

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")
SWEEP = ["--counts", "--vary", "l1.size=32KiB:128KiB"]

# What the types of options say (warpmem man): files that are read, files that are written, and no files.
READS = {"TRACE", "TRACE|DIR", "FILE", "FILE|DIR", "NAME|FILE", "TOML", "PART", "A", "B", "DIR", "COMMAND", "KEY=RANGE",
         "PROGRAM [-- ARGS]", "-- PROGRAM ARGS"}
WRITES = {"OUT"}
# … and what has choices in braces.
NO_FILES = {"", "N", "N|A:B", "FRACTION", "KEY=VALUE", "REGEX", "EXPR", "SHARE", "RULES", "LINE", "RANGE", "I/N", "TIME",
            "OPTION", "DIMS", "BYTES", "NAME=NUMBER", "X[,X]", "WORD", "NAME", "ANSWER"}

LAUNCH = """entry = "vector_copy_b4"
grid = 4
block = 256
args = [
  { buffer = "in", type = "f32", count = 1024, fill = "file", file = "in.bin" },
  { buffer = "out", type = "f32", count = 1024, write_back = "back.bin" },
  { type = "s32", value = 1024 },
]
"""
TRACEG = """-kernel name = _Z1kv
-grid dim = (1,1,1)
-block dim = (32,1,1)
-accelsim tracer version = 3

#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 2
0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0600000000 4
0010 ffffffff 0 EXIT 0 0
#END_TB
"""
EMULATE = ["k.ptx", "--launch", "l.toml", "--level", "ptx"]
MAKE = ["--vary", "x=1,2", "--counts", "--make", "sh make.sh {trace} {x}"]
GPU = ["--gpu", "./d.toml"]  # which inherits from c.toml
CARDS = ["c.toml", "d.toml"]
PROFILE = ["t.wmt", "--ncu", "p.csv"]
REPORT = ["t.wmt", "--counts", "--no-gain"]

# How each option that reads a file is given one: the words of the command, and the files that have to stay. {OUT}: a
# positional output. A new option has to be told of here; the test says so.
SAMPLES = {
    "replay": {"trace": (["t.wmt"], ["t.wmt"]), "--gpu": (["t.wmt", *GPU], CARDS)},
    "info": {"trace": (["t.wmt"], ["t.wmt"])},
    "import": {"file": (["k.traceg"], ["k.traceg"])},
    "export": {"trace": (["t.wmt"], ["t.wmt"])},
    "dump": {"trace": (["t.wmt"], ["t.wmt"])},
    "timeline": {"trace": (["s.wmt"], ["s.wmt"]), "--gpu": (["s.wmt", *GPU], CARDS)},
    "partitions": {"trace": (["t.wmt"], ["t.wmt"]), "--gpu": (["t.wmt", *GPU], CARDS)},
    "explain": {"trace": (["t.wmt", "--no-gain", "--counts"], ["t.wmt"]),
                "--gpu": (["t.wmt", "--no-gain", "--counts", *GPU], CARDS),
                "--source": (["t.wmt", "--no-gain", "--counts", "--source", "src/texture.cu"], ["src/texture.cu"])},
    "report": {"traces": (REPORT, ["t.wmt"]), "--gpu": ([*REPORT, *GPU], CARDS),
               "--profile": ([*REPORT, "--profile", "p.csv"], ["p.csv"]),
               "--source": ([*REPORT, "--source", "src"], ["src/texture.cu", "src/other.cu"]),
               "--curves": ([*REPORT, "--curves", "curve.csv", "--curves", "whole.sqlite"], ["curve.csv", "whole.sqlite"])},
    "validate": {"trace": (PROFILE, ["t.wmt"]), "--ncu,--nvprof": (PROFILE, ["p.csv"]),
                 "--suite": (["--suite", "suite"], ["suite/t.wmt", "suite/t.csv"]), "--gpu": ([*PROFILE, *GPU], CARDS)},
    "diff": {"before": (["a.json", "b.json"], ["a.json"]), "after": (["a.json", "b.json"], ["b.json"]),
             "--gpu": (["t.wmt", "u.wmt", *GPU], CARDS)},
    "gpus": {"card": (["./d.toml"], CARDS)},
    "pattern": {"--gpu": (["float a[64]; a[lane]", *GPU], CARDS)},
    "occupancy": {"file": (["kernels.cubin"], ["kernels.cubin"]),
                  "--gpu": (["--block", "256", "--registers", "32", *GPU], CARDS)},
    "probe": {"--gpu": (["latency", "--at", "4KiB", *GPU], CARDS)},
    "emulate": {"program": (EMULATE, ["k.ptx"]), "--launch": (EMULATE, ["l.toml", "in.bin"]),
                "--gpu": ([*EMULATE, *GPU], CARDS)},
    "record": {"command": (["--", "./make.sh", "in.bin"], ["make.sh", "in.bin"])},
    "explore": {"traces": (["t.wmt", *SWEEP], ["t.wmt"]), "--gpu": (["t.wmt", *SWEEP, *GPU], CARDS),
                "--vary": (["t.wmt", "--counts", "--vary", "gpu=h200,./d.toml"], CARDS), "--make": (MAKE, ["make.sh"])},
    "explore merge": {"parts": (["{OUT}", "part1.sqlite", "part2.sqlite"], ["part1.sqlite", "part2.sqlite"])},
    "explore show": {"results": (["whole.sqlite"], ["whole.sqlite"])},
}
# Verbs that write and read no file of the user's.
WORDS = {"learn": [], "words": [], "doctor": [], "metrics": [], "man": [], "completion": ["bash"]}


def digest(path):
    if not os.path.exists(path):
        return "gone"
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Lost(harness.CommandTest):
    def write(self, name, content, mode=0o644):
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(self.path(name), mode)

    def setUp(self):
        super().setUp()
        for name in ("t.wmt", "u.wmt"):
            shutil.copy(os.path.join(REFERENCE, "texture_linear.wmt"), self.path(name))
        shutil.copy(os.path.join(SOURCE, "tests/sim/traces/one_stream.wmt"), self.path("s.wmt"))
        shutil.copy(os.path.join(REFERENCE, "texture_linear.csv"), self.path("p.csv"))
        shutil.copy(os.path.join(SOURCE, "tests/emulate/ptx/vector_copy.ptx"), self.path("k.ptx"))
        shutil.copy(os.path.join(SOURCE, "tests/e2e/occupancy/kernels.cubin"), self.path("kernels.cubin"))
        self.write("c.toml", 'inherits = "h200"\n')
        self.write("d.toml", 'inherits = "c.toml"\n')
        self.write("l.toml", LAUNCH)
        self.write("in.bin", b"1234" * 1024)
        self.write("k.traceg", TRACEG)
        self.write("curve.csv", "x,y\n1,2\n2,3\n")
        self.write("make.sh", "#!/bin/sh\ncp t.wmt $1\n", 0o755)
        os.mkdir(self.path("src"))
        self.write("src/texture.cu", "int x;\n")
        self.write("src/other.cu", "int y;\n")
        os.mkdir(self.path("suite"))
        shutil.copy(self.path("t.wmt"), self.path("suite/t.wmt"))
        shutil.copy(self.path("p.csv"), self.path("suite/t.csv"))
        for name, more in (("a.json", []), ("b.json", ["--set", "l1.size=32KiB"])):
            self.assert_works(self.run_command("replay", "t.wmt", "--counts", "--format", "json", "-o", name, *more))
        self.assert_works(self.run_command("explore", "t.wmt", *SWEEP, "--results", "whole.sqlite"))
        for part in "12":
            self.assert_works(self.run_command("explore", "t.wmt", *SWEEP, "--shard", part + "/2", "--results",
                                               f"part{part}.sqlite"))

    def everything(self):
        return {os.path.relpath(os.path.join(folder, name), self.folder): digest(os.path.join(folder, name))
                for folder, _, names in os.walk(self.folder) for name in names}

    def assert_kept(self, before, *words):
        after = self.everything()
        changed = {name: after.get(name, "gone") for name in before if after.get(name) != before[name]}
        self.assertEqual(changed, {}, words)

    def refused(self, *words, said="reads", env=None):
        """Status 2 with the reason, and every file of the folder as it was."""
        before = self.everything()
        run = self.run_command(*words, env=env)
        self.assert_kept(before, *words)
        self.assertEqual(run.status, 2, (words, run.err))
        self.assertIn(said, run.err, words)
        self.assertIn("\n  fix: ", run.err)
        return run


def options_of_the_command():
    """{verb: [(name, type)]}, from the manual page, which is written from the option tree."""
    page = subprocess.run([WARPMEM, "man"], capture_output=True, text=True, check=True).stdout
    page = page.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
    out, verb, lines = {}, None, page.split("\n")
    for i, line in enumerate(lines):
        heading = re.fullmatch(r'\.SH "WARPMEM (.*)"', line)
        if line.startswith(".SH"):
            verb = heading.group(1) if heading else None
            if verb:
                out[verb] = []
        option = re.fullmatch(r"\\fB(.*)\\fR ?(.*)", line)
        if verb and option and lines[i - 1] == ".TP":
            out[verb].append((option.group(1), option.group(2)))
    return out


class Walk(Lost):
    def words(self, verb, words, output, name):
        """The command that writes its output `output` to `name`."""
        positional = not output.startswith("-")
        words = [(name if positional else "fresh") if w == "{OUT}" else w for w in words]
        option = [] if positional else [output.split(",")[-1], name]
        return [*verb.split(), *option, *([] if verb in WORDS and verb != "man" else ["--force"]), *words]

    def kinds(self, verb, options):
        reads, writes = [], []
        for name, kind in options:
            if kind in WRITES:
                writes.append(name)
            elif kind in READS:
                reads.append(name)
            elif kind not in NO_FILES and "{" not in kind:
                self.fail(f"{verb} {name} is of the type {kind}: say here whether it reads or writes a file")
        return reads, writes

    def test_every_option_that_reads_against_every_one_that_writes(self):
        pairs, tried = 0, []
        for verb, options in options_of_the_command().items():
            reads, writes = self.kinds(verb, options)
            if verb not in WORDS:
                self.assertEqual(set(reads) - set(SAMPLES.get(verb, {})), set(), f"{verb}: give a sample of what it reads")
            self.assertTrue(reads == [] or writes or verb in ("learn",), verb)
            tried += writes
            for read in reads:
                for output in writes:
                    words, files = SAMPLES[verb][read]
                    for name in files:
                        with self.subTest(verb, read=read, output=output, file=name):
                            self.refused(*self.words(verb, words, output, name))
                            pairs += 1
        self.assertGreater(pairs, 60)
        self.assertIn("--results", tried)

    def test_two_outputs_of_one_name(self):
        pairs = 0
        for verb, options in options_of_the_command().items():
            _, writes = self.kinds(verb, options)
            samples = SAMPLES.get(verb, {"": (WORDS.get(verb, []), [])})
            words = next(iter(samples.values()))[0]
            for i, one in enumerate(writes):
                for other in writes[i + 1:]:
                    with self.subTest(verb, one=one, other=other):
                        both = self.words(verb, words, one, "same")
                        option = self.words(verb, [], other, "./same")[len(verb.split()):]
                        self.refused(*both[:len(verb.split())], *option[:-1], *both[len(verb.split()):], said="same name")
                        self.assertFalse(os.path.exists(self.path("same")))
                        pairs += 1
        self.assertGreaterEqual(pairs, 6)
        for words in (["explore", "t.wmt", *SWEEP, "--results", "x", "-o", "x.partial"],
                      ["explore", "t.wmt", *SWEEP, "--results", "x", "--svg", "x.partial"],
                      ["emulate", *EMULATE, "-o", "back.bin"], ["emulate", *EMULATE, "-o", "x", "--gpu", "h200"]):
            if words[-1] == "h200":
                self.write("l.toml", LAUNCH.replace("back.bin", "x.partial"))
            self.refused(*words, "--force", said="same name")


class Sweeps(Lost):
    def test_searches_and_capacities_keep_the_trace(self):
        search = ["explore", "t.wmt", *SWEEP, "--objective", "l2_reads", "--budget", "3"]
        for option in ("-o", "--svg", "--results"):
            self.refused(*search, option, "t.wmt", "--force")
        self.refused("explore", "t.wmt", "--counts", "--capacities", "l1", "-o", "t.wmt", "--force")

    def test_a_sources_name_may_depend_on_a_value(self):
        shutil.copy(self.path("make.sh"), self.path("make2.sh"))
        self.refused("explore", "--vary", "x=1,2", "--counts", "--make", "sh make{x}.sh {trace}", "-o", "make2.sh", "--force")

    def test_what_a_source_includes_is_read_too(self):
        os.mkdir(self.path("inc"))
        self.write("app.cu", '#include "tile.cuh"\n')
        self.write("inc/tile.cuh", '#include "size.h"\n')
        self.write("inc/size.h", "")
        for header in ("inc/tile.cuh", "inc/size.h"):
            self.refused("explore", "--vary", "x=1,2", "--counts", "--make", "sh make.sh {trace} {x} -I inc app.cu", "-o", header, "--force")
            self.refused("emulate", "-o", header, "--force", "app.cu", "-Iinc")

    def test_names_beside_the_results_are_the_users(self):
        """What is not told of stays, whatever it is called; only the points' own name can be in the way."""
        for ending in ("new", "partial-wal", "partial-shm", "partial-journal", "sh", "log-1", "part-1-of-2"):
            self.write("s.sqlite." + ending, "mine\n")
        before = self.everything()
        self.assert_works(self.run_command("explore", "t.wmt", *SWEEP, "--results", "s.sqlite"))
        self.assert_kept(before)
        self.write("n.sqlite.partial", "mine\n")
        for force in ([], ["--force"]):
            self.refused("explore", "t.wmt", *SWEEP, "--results", "n.sqlite", *force, said="did not write it")
        shutil.copy(self.path("part1.sqlite"), self.path("all.sqlite.new"))
        before = self.everything()
        self.assert_works(self.run_command("explore", "merge", "all.sqlite", "all.sqlite.new", "part2.sqlite"))
        self.assert_kept(before)

    def test_a_part_is_no_place_for_the_whole(self):
        parts = ["part1.sqlite", "part2.sqlite"]
        self.refused("explore", "merge", "part1.sqlite", *parts, "--force")
        self.refused("explore", "merge", "all.sqlite", *parts, "--svg", "part1.sqlite", "--force")
        self.refused("explore", "merge", "t.wmt", *parts, said="there already")
        self.assertFalse(os.path.exists(self.path("all.sqlite")))

    def slurm(self):
        """A Slurm of one machine, whose tasks run one after the other."""
        os.makedirs(self.path("bin"), exist_ok=True)
        self.write("bin/sbatch", '#!/bin/sh\nfor last; do :; done\nprintf "%s\\n" "$@" > arguments\n'
                   'for i in 1 2; do SLURM_ARRAY_TASK_ID=$i sh "$last"; done\n', 0o755)
        return {"PATH": self.path("bin") + ":" + os.environ["PATH"]}

    def test_a_job_array_keeps_to_a_folder_of_its_own(self):
        path = self.slurm()
        for name in ("s.sqlite.sh", "s.sqlite.log-1"):
            self.write(name, "mine\n")
        job = ["explore", "t.wmt", *SWEEP, "--jobs", "slurm", "--tasks", "2", "--results"]
        before = self.everything()
        self.assert_works(self.run_command(*job, "s.sqlite", env=path))
        self.assert_kept(before)
        self.assertFalse(os.path.exists(self.path("s.sqlite.jobs")))
        self.assertEqual(digest(self.path("s.sqlite")), digest(self.path("whole.sqlite")))
        os.mkdir(self.path("n.sqlite.jobs"))
        self.write("n.sqlite.jobs/run.sh", "mine\n")
        self.refused(*job, "n.sqlite", said="go to a folder of this name", env=path)
        # What Slurm would put another number in for is the user's own.
        os.mkdir(self.path("at %j%A"))
        self.assert_works(self.run_command(*job, "at %j%A/s.sqlite", env=path))
        with open(self.path("arguments"), encoding="utf-8") as arguments:
            self.assertIn("/at %%j%%A/s.sqlite.jobs/log-%a\n", arguments.read())

    def test_points_of_another_sweep_are_no_parts(self):
        path = self.slurm()
        os.mkdir(self.path("s.sqlite.jobs"))
        self.write("s.sqlite.jobs/run.sh", "#!/bin/sh\n# One part of a sweep: the number of the task says which.\n")
        self.assert_works(self.run_command("explore", "t.wmt", "--counts", "--vary", "l1.ways=1,2", "--shard", "1/2",
                                           "--results", "s.sqlite.jobs/part-1-of-2"))
        run = self.run_command("explore", "t.wmt", *SWEEP, "--jobs", "slurm", "--tasks", "2", "--results", "s.sqlite", env=path)
        self.assertEqual(run.status, 2)
        self.assertIn("of another sweep", run.err)
        self.assertIn("fix: remove the folder", run.err)
        self.assertFalse(os.path.exists(self.path("s.sqlite")))


class Traces(Lost):
    def test_an_unfinished_traces_name_may_be_the_users(self):
        for name, content in (("x.wmt.partial", "mine\n"), ("y.wmt.partial", "")):
            self.write(name, content)
        self.refused("emulate", *EMULATE, "-o", "x.wmt", "--force", said="no trace")
        run = self.run_command("emulate", *EMULATE, "-o", "y.wmt", "--force")  # the beginning of one
        self.assert_works(run)
        shutil.copy(self.path("t.wmt"), self.path("in.wmt.partial"))
        program = ["emulate", "--", "./make.sh", "in.wmt.partial"]
        self.refused(*program[:1], "-o", "in.wmt", "--force", *program[1:])


class LeftOvers(Lost):
    def test_what_a_killed_run_has_left_goes_with_the_next(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        others = [f"x.json.{os.getpid()}-0.partial", f"x.json.{gone.pid}.partial", f"x.json.{gone.pid}-0.partial.txt",
                  f"x.json.{gone.pid}-a.partial", f"x.json.0{gone.pid}-0.partial", f"x.json.{gone.pid}-00.partial",
                  f"x.json.{gone.pid + 2**32}-0.partial", f"y.json.{gone.pid}-0.partial"]
        for name in others:
            self.write(name, "mine\n")
        self.write(f"x.json.{gone.pid}-0.partial", "half")
        os.mkdir(self.path(f"x.json.{gone.pid}-1.partial"))
        before = self.everything()
        run = self.run_command("info", "t.wmt", "--format", "json", "-o", "x.json")
        self.assert_works(run)
        self.assertIn(f"x.json.{gone.pid}-0.partial, which a run that was killed had left, is removed", run.err)
        del before[f"x.json.{gone.pid}-0.partial"]
        self.assert_kept(before)
        self.assertFalse(os.path.exists(self.path(f"x.json.{gone.pid}-0.partial")))

    def test_one_that_is_read_stays(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        name = f"x.json.{gone.pid}-0.partial"
        shutil.copy(self.path("t.wmt"), self.path(name))
        self.assert_works(self.run_command("info", name, "-o", "x.json"))
        self.assertEqual(digest(self.path(name)), digest(self.path("t.wmt")))


class Readers(unittest.TestCase):
    """Every room opens files where they are noted. What is not noted is named here, with the reason."""
    OPENS = re.compile(r"std::ifstream\s+\w+\s*[({]|\bfopen\s*\(|parse_file\s*\(|sqlite3_open"
                       r"|[^_\w.>]open\s*\([^;]*O_RD")
    ALONE = {
        "base/output_file.cpp": "folders, to sync them", "base/run_files.cpp": "the one place", "base/run_files.hpp": "the one place",
        "base/scratch_folder.cpp": "folders of its own",
        "traces/format/input_file.cpp": "notes what it opens", "traces/format/file_sink.cpp": "an unfinished trace of its own",
        "validate/suite.cpp": "notes what it parses",
        "base/sqlite.cpp": "in memory", "traces/import/line_file.cpp": "notes what it opens", "sweep/point_log.cpp": "unfinished points of its own", "sweep/trace_set.cpp": "/proc", "command/doctor/machine.cpp": "/proc",
        "binary/disassembly/cuda_tools.cpp": "/proc", "binary/disassembly/tool_cache.cpp": "a cache of its own",
        "command/explore/slurm.cpp": "the script of its own job",
        "command/occupancy/code.cpp": "what a tool has written for it", "emulate/toolkit/toolkit.cpp": "the same",
        "traces/record/launcher.cpp": "what the recorder tells it", "traces/record/origin.cpp": "/proc",
    }
    OTHERS_PROGRAMS = ("emulate/cudart/", "emulate/audit/", "emulate/handed_on/")  # loaded there, no run of the command

    def test_no_reader_opens_a_file_in_another_way(self):
        found = set()
        for room in ("base", "isa", "binary", "metrics", "model", "results", "traces", "emulate", "sim", "sweep", "validate",
                     "views", "command"):
            for folder, _, names in os.walk(os.path.join(SOURCE, room)):
                for name in names:
                    path = os.path.relpath(os.path.join(folder, name), SOURCE)
                    if not name.endswith((".cpp", ".hpp")) or path.startswith(self.OTHERS_PROGRAMS):
                        continue
                    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
                        if self.OPENS.search(file.read()):
                            found.add(path)
        self.assertEqual(found - set(self.ALONE), set(), "open files with open_to_read() (base/run_files.hpp)")
        self.assertEqual(set(self.ALONE) - found, set(), "these open nothing any more")


if __name__ == "__main__":
    harness.main()
