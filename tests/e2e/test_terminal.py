"""Every verb on a terminal of 80 and of 120 columns: no line is wider, no word, frame or expression is broken."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading

import harness
from harness import SOURCE, WARPMEM

REFERENCE = os.path.join(SOURCE, "validate/reference/h200")
# Bank conflicts; atomics; the link to the host; textures.
KERNELS = ("transpose_shared_unpadded", "histogram_global", "zero_copy_read", "texture_squares")
PICTURE = re.compile(r"[.:\-=+*#|─│┌┐└┘◄►█▏▎▍▌▋▊▉]+")  # of a chart; its scale is the terminal's


def verbs():
    """(what, arguments) of each verb, on each of the traces where it takes one."""
    for kernel in KERNELS:
        trace, counted = kernel + ".wmt", kernel + ".csv"
        for verb in (["info"], ["dump", "--launch", "0", "--limit", "40"], ["dump", "--program"], ["replay"],
                     ["replay", "--counts"], ["replay", "--all"], ["replay", "--gpu", "gtx280"], ["explain"],
                     ["explain", "--no-gain", "--source", os.path.join(SOURCE, "kernels")], ["occupancy"],
                     ["partitions"], ["explore", "--vary", "gpu=h200,v100,b200"],
                     ["explore", "--vary", "l1.size=64KiB:128KiB", "--plot"],
                     ["validate", "--ncu", counted], ["validate", "--all", "--ncu", counted]):
            yield f"{' '.join(verb[:2])} {kernel}", [verb[0], trace, *verb[1:]]
    spmv = "spmv_vector.wmt"
    for verb in ([], ["gpus"], ["gpus", "show", "h200"], ["gpus", "h200", "--ladder"], ["gpus", "h200", "--topology"],
                 ["gpus", "diff", "h200", "b200"], ["metrics"], ["metrics", "--accuracy", "--main"],
                 ["metrics", "gld_efficiency"], ["words"], ["learn"], ["learn", "8"], ["doctor"],
                 ["pattern", "float p[65536][3]; p[threadIdx.x][0]; p[threadIdx.x][1]; p[threadIdx.x][2]"],
                 ["pattern", "shared float tile[32][32]; tile[threadIdx.x][threadIdx.y]", "--block", "32x8"],
                 ["pattern", "out[threadIdx.x*1024 + threadIdx.y] = in[threadIdx.y*1024 + threadIdx.x]", "--all-gpus"],
                 ["occupancy", "--gpu", "a100_80", "--block", "256", "--registers", "64", "--shared", "8KiB"],
                 ["occupancy", "--block", "256", "--registers", "64", "--all-gpus"],
                 ["probe", "latency", "--at", "16KiB,1MiB"], ["explore", spmv, "--capacities", "l1"],
                 ["explain", spmv, "--counts", "--no-gain", "--needs"],
                 ["diff", "transpose_naive_row.wmt", "transpose_shared_padded.wmt"],
                 ["diff", spmv, "spmv_vector.csv"], ["validate", "--suite"]):
        yield " ".join(verb)[:40] or "nothing", verb


def width(line):
    """Columns that a line takes; no text of ours has characters of two."""
    return len(re.sub(r"\x1b\[[0-9;]*m", "", line))


def words(text):
    """What stands between blanks, without the ends of a label and without pictures."""
    return {word.strip(":,") for word in re.sub(r"\x1b\[[0-9;]*m", "", text).split() if not PICTURE.fullmatch(word)}


class Terminal(harness.CommandTest):
    def setUp(self):
        super().setUp()
        for kernel in (*KERNELS, "spmv_vector", "transpose_naive_row", "transpose_shared_padded"):
            for end in (".wmt", ".csv"):
                os.symlink(os.path.join(REFERENCE, kernel + end), self.path(kernel + end))

    def on_terminal(self, arguments, columns):
        """What a terminal of so many columns gets of stdout and stderr: text, text."""
        ends, ours, received = [], [], [b"", b""]
        for _ in range(2):
            master, slave = pty.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
            ends.append(slave), ours.append(master)
        environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm"}
        with subprocess.Popen([WARPMEM, *arguments], stdin=subprocess.DEVNULL, stdout=ends[0], stderr=ends[1],
                              env=environment, cwd=self.folder) as process:
            for end in ends:
                os.close(end)
            readers = [threading.Thread(target=self.read, args=(ours, received, k)) for k in range(2)]
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
            process.wait(60)
        # Progress is wiped when it is over.
        return [re.sub(r"\r[^\n]*?\x1b\[K", "", text.decode().replace("\r\n", "\n")) for text in received]

    def read(self, masters, received, k):
        while True:
            try:
                part = os.read(masters[k], 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            received[k] += part
        os.close(masters[k])

    def test_every_verb_fits(self):
        for what, arguments in verbs():
            piped = self.run_command(*arguments)
            known = words(piped.out + " " + piped.err)
            for columns in (80, 120):
                with self.subTest(what, columns=columns):
                    out, err = self.on_terminal(arguments, columns)
                    self.assertTrue(out or err)
                    # A path that is longer than a line is alone on it, and whole.
                    wide = [line for line in (out + err).split("\n") if width(line) > columns and len(line.split()) > 1]
                    self.assertEqual(wide, [])
                    broken = sorted(word for word in words(out + " " + err) - known if not word[0].isdigit())
                    self.assertEqual(broken, [])
                    self.check_frames(out)

    def check_frames(self, text):
        lines = text.split("\n")
        for at, line in enumerate(lines):
            if line.startswith("┌"):
                self.assertEqual({width(lines[at + k]) for k in range(5)}, {width(line)}, "\n".join(lines[at:at + 5]))

    def test_every_help_fits(self):
        names = self.verbs()
        self.assertGreater(len(names), 15)
        for name in [None, *names]:
            for columns in (80, 120):
                with self.subTest(name, columns=columns):
                    out, _ = self.on_terminal([name, "--help"] if name else ["--help"], columns)
                    self.assertEqual([line for line in out.split("\n") if width(line) > columns], [])

    def test_a_message_is_broken_between_words(self):
        _, err = self.on_terminal(["replay", "spmv_vector.wmt", "--set", "l1.size=31457281"], 80)
        self.assertIn("error", err)
        self.assertEqual([line for line in err.split("\n") if width(line) > 80], [])

    def test_what_a_program_reads_is_not_broken(self):
        trace = "spmv_vector.wmt"
        for form in ("json", "csv"):
            with self.subTest(form):
                out, _ = self.on_terminal(["replay", trace, "--format", form], 80)
                self.assertEqual(out, self.run_command("replay", trace, "--format", form).out)

    def test_the_chart_has_what_a_launch_uses(self):
        chart = {kernel: self.run_command("replay", kernel + ".wmt").out for kernel in KERNELS}
        self.assertRegex(chart["zero_copy_read"], r"└─ host: ◄ 512 KiB, ► 0 B, \d+ % busy")
        self.assertNotIn("host:", chart["histogram_global"])
        self.assertRegex(chart["histogram_global"], r"\n  atomics +\d")
        self.assertRegex(chart["texture_squares"], r"\n  texture +\d")
        self.assertRegex(chart["texture_squares"], r"┌─+┐ +1 MiB +┌")  # what fetches brought to the SMs
        self.assertRegex(chart["transpose_shared_unpadded"], r"banks x\d")


if __name__ == "__main__":
    harness.main()
