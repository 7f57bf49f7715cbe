"""What an emulated kernel can do to whoever runs it: docs/reference/sandbox.md, row by row."""

import os
import resource
import signal
import subprocess
import time
import unittest

import harness
from harness import WARPMEM

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
REGISTERS = ".reg .pred %c; .reg .b32 %r<8>; .reg .b64 %d<8>;"
VPRINTF = ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
LAUNCH = 'entry = "k"\ngrid = %s\nblock = %s\nargs = [{ buffer = "b", type = "u32", count = 64 }]\n'
PRINT = ("cvta.global.u64 %d2, s; { .param .b64 q; .param .b64 z; .param .b32 o; st.param.b64 [q], %d2; "
         "st.param.b64 [z], 0; call (o), vprintf, (q, z); }")


def text(name, content):
    """A global variable that holds a C string."""
    values = ", ".join(str(b) for b in content.encode() + b"\0")
    return ".global .align 1 .b8 %s[] = {%s};\n" % (name, values)


# Kernels that never end, or nearly so.
ENDLESS = {
    "a loop": ("L: add.u32 %r1, %r1, 1; bra L;", ""),
    "a loop that stores": ("L: st.global.u32 [%d1], %r1; add.u32 %r1, %r1, 1; bra L;", ""),
    "a loop that waits": ("L: ld.volatile.global.u32 %r1, [%d1]; setp.ne.u32 %c, %r1, 77; @%c bra L;", ""),
    "a lock that nobody gives back":
        ("st.global.u32 [%d1], 1; L: atom.global.cas.b32 %r1, [%d1], 0, 1; setp.ne.u32 %c, %r1, 0; @%c bra L;", ""),
    "an mbarrier that nobody comes to":
        ("mov.u32 %r1, t; mbarrier.init.shared.b64 [%r1], 99; "
         "L: mbarrier.try_wait.parity.shared.b64 %c, [%r1], 0; @!%c bra L;", ".shared .align 8 .b8 t[8];\n"),
    "calls in a loop": ("L: call f, (); bra L;", ".func f() { .local .align 4 .b8 t[4096]; ret; }\n"),
    "deep calls in a loop":
        ("L: { .param .b32 q; st.param.b32 [q], 3000; call f, (q); } bra L;",
         ".func f(.param .b32 n) { .reg .pred %c; .reg .b32 %r<3>; ld.param.b32 %r1, [n]; setp.eq.u32 %c, %r1, 0; "
         "@%c ret; sub.u32 %r2, %r1, 1; { .param .b32 q; st.param.b32 [q], %r2; call f, (q); } ret; }\n"),
    "printf in a loop": ("L: " + PRINT + " bra L;", VPRINTF + text("s", "hello\n")),
    "large printfs in a loop": ("L: " + PRINT + " bra L;", VPRINTF + text("s", "%900000d")),
    "malloc and free in a loop":
        ("L: { .param .b64 q; .param .b64 z; st.param.b64 [q], 1000000; call (z), malloc, (q); ld.param.b64 %d2, [z]; } "
         "{ .param .b64 q; st.param.b64 [q], %d2; call free, (q); } bra L;",
         ".extern .func (.param .b64 r) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);\n"),
}


class Sandbox(harness.CommandTest):
    def kernel(self, body, extra="", grid=1, block=32, registers=REGISTERS):
        with open(self.path("k.ptx"), "w") as file:
            file.write(HEAD + extra + ".visible .entry k(.param .u64 p)\n{\n" + registers +
                       "\nld.param.u64 %d1, [p];\n" + body + "\nret;\n}\n")
        with open(self.path("k.toml"), "w") as file:
            file.write(LAUNCH % (grid, block))
        return ["emulate", "k.ptx", "--launch", "k.toml", "--level", "ptx", "-o", "k.wmt", "--force"]

    def run_kernel(self, *arguments, limit=None, **options):
        words = self.kernel(*arguments, **options)

        if limit and harness.is_sanitized():
            self.skipTest("a sanitizer needs more memory than any limit leaves it")

        def limited():
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        return self.run_command(*words, preexec_fn=limited if limit else None)

    def assert_refused(self, run, status, *words):
        self.assertEqual(run.status, status, run.err)
        self.assertTrue(run.err.startswith("warpmem: error: ") or "\nwarpmem: error: " in run.err, run.err)
        self.assertIn("\n  fix: ", run.err)
        for word in words:
            self.assertIn(word, run.err)

    def test_any_kernel_ends_within_two_seconds_of_a_signal_with_its_trace_closed(self):
        for name, (body, extra) in ENDLESS.items():
            for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
                with self.subTest("%s, %d" % (name, number)):
                    words = self.kernel(body, extra)
                    with open(self.path("out"), "wb") as out, subprocess.Popen(
                            [WARPMEM, *words, "--threads", "2"], cwd=self.folder, stdout=out,
                            stderr=subprocess.PIPE) as process:
                        while not os.path.exists(self.path("k.wmt.partial")) and process.poll() is None:
                            time.sleep(0.01)
                        time.sleep(0.3)
                        self.assertIsNone(process.poll(), "it ended by itself")
                        begun = time.time()
                        process.send_signal(number)
                        _, err = process.communicate(timeout=60)
                        took = time.time() - begun
                    self.assertEqual(process.returncode, status, err)
                    self.assertLess(took, 2)
                    info = self.run_command("info", "k.wmt.partial")
                    self.assertEqual(info.status, 0, info.err)
                    self.assertIn("did not end: interrupted", info.out)
                    os.remove(self.path("k.wmt.partial"))

    def test_nobody_reads_what_a_kernel_prints(self):
        words = self.kernel("L: " + PRINT + " bra L;", VPRINTF + text("s", "hello\n"))
        with subprocess.Popen([WARPMEM, *words], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            time.sleep(1)
            self.assertIsNone(process.poll())
            begun = time.time()
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)  # the pipe stays full
            self.assertLess(time.time() - begun, 2)
            process.stdout.close()
            process.stderr.close()
        self.assertEqual(process.returncode, 143)
        self.assertEqual(self.run_command("info", "k.wmt.partial").status, 0)

    def test_recursion_ends_at_the_stack_that_a_gpu_has(self):
        for frame in ("", ".local .align 4 .b8 t[4096];"):
            run = self.run_kernel("call f, ();", ".func f() { %s call f, (); ret; }\n" % frame, block=256,
                                  limit=4 << 30)
            self.assert_refused(run, 5, "the stack has overflowed: more than 512 KiB a thread")

    def test_local_memory_is_what_a_thread_has(self):
        for size in ("17179869184", "4294967296", "524289", "4294967296][4294967296"):
            run = self.run_kernel("", registers=REGISTERS + ".local .align 4 .b8 t[%s];" % size)
            self.assert_refused(run, 3, "k.ptx:6:", "'t' is larger than ")
        self.assertEqual(self.run_kernel("", registers=REGISTERS + ".local .align 4 .b8 t[524288];").status, 0)

    def test_sizes_of_arrays_do_not_wrap(self):
        for space in (".global", ".shared", ".const"):
            run = self.run_kernel("", "%s .align 4 .b8 t[4294967296][4294967296];\n" % space)
            self.assert_refused(run, 3, "k.ptx:4:", "'t' is larger than ")

    def test_parameters_end_where_they_end(self):
        for offset in ("268435456", "-8", "4096", "1"):
            run = self.run_kernel("ld.param.u64 %%d2, [p+%s]; st.global.u64 [%%d1], %%d2;" % offset)
            self.assert_refused(run, 3, "k.ptx:8:", "outside the kernel's parameters")
        run = self.run_kernel("mov.u64 %d3, p; ld.param.u64 %d2, [%d3+8]; st.global.u64 [%d1], %d2;")
        self.assert_refused(run, 3, "behind the end of the kernel's parameters")

    def test_memory_of_nobody_is_not_reached(self):
        for at in ("0", "0x7fffffffe000", "0xffffffff81000000", "0x555555554000"):
            for body in ("ld.global.u32 %r1, [%d2];", "st.global.u32 [%d2], %r1;", "atom.add.u32 %r1, [%d2], 1;"):
                run = self.run_kernel("mov.u64 %%d2, %s; %s" % (at, body))
                self.assert_refused(run, 3, "out-of-bounds global ", "thread (0,0,0) of CTA (0,0,0)")

    def test_malloc_gives_out_the_heap_and_no_more(self):
        declared = (".extern .func (.param .b64 r) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);\n" +
                    VPRINTF + text("s", "%d MiB\n"))
        take = ("{ .param .b64 q; .param .b64 z; st.param.b64 [q], 1048576; call (z), malloc, (q); "
                "ld.param.b64 %d2, [z]; } ")
        body = ("L: " + take + "setp.eq.u64 %c, %d2, 0; @%c bra OUT; add.u32 %r1, %r1, 1; bra L; OUT: "
                "st.local.u32 [l1], %r1; mov.u64 %d4, l1; cvta.local.u64 %d4, %d4; cvta.global.u64 %d3, s; { .param .b64 q; "
                ".param .b64 z; .param .b32 o; st.param.b64 [q], %d3; st.param.b64 [z], %d4; call (o), vprintf, (q, z); }")
        run = self.run_kernel(body, declared, block=1, registers=REGISTERS + ".local .align 8 .b8 l1[8];", limit=1 << 30)
        self.assertEqual((run.status, run.out), (0, "7 MiB\n"), run.err)

    def test_printf_has_a_limit(self):
        for format in ("%999999999d", "%.999999999d", "%2000000s", "%1000000d%1000000d"):
            run = self.run_kernel(PRINT, VPRINTF + text("s", format), limit=1 << 30)
            self.assert_refused(run, 3, "printf of more than 1 MiB", "thread (0,0,0)")
        run = self.run_kernel(PRINT, VPRINTF + text("s", "%70000d|"), block=1)
        self.assertEqual((run.status, len(run.out)), (0, 70001), run.err)

    def test_time_has_a_limit_where_one_is_asked_for(self):
        words = self.kernel("L: add.u32 %r1, %r1, 1; bra L;")
        self.assert_refused(self.run_command(*words, "--max-instructions", "10000"), 5, "--max-instructions")

    def test_a_launch_that_no_gpu_takes_is_refused(self):
        for grid, block in (("[2147483647, 65536, 1]", 1), (1, "[1024, 1024, 64]"), (1, 2048)):
            run = self.run_kernel("", grid=grid, block=block)
            self.assertEqual(run.status, 2, run.err)
            self.assertIn("\n  fix: ", run.err)

    def test_nothing_that_a_kernel_prints_steers_the_terminal_by_way_of_messages(self):
        run = self.run_kernel("call f_\u001b, ();".replace("\u001b", "\x1b"))
        self.assertEqual(run.status, 3, run.err)
        self.assertNotIn("\x1b", run.err)


if __name__ == "__main__":
    harness.main()
