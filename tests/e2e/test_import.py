"""warpmem import: Accel-Sim's traces, of all versions of its tracer. What they must count is worked out by hand."""

import lzma
import os
import unittest

from harness import CommandTest

HEADING = """-kernel name = _Z4copyPKiPi
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (48,1,1)
-shmem = 256
-nregs = 8
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007f0675000000
-local mem base_addr = 0x00007f0677000000
-nvbit version = 1.7.6
-accelsim tracer version = {version}
{lines}
#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]
"""

GLOBAL_LOAD = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
GLOBAL_STORE = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"


def warp_lines(cta, warp):
    """A load of neighbours (mode 1), a scattered one (mode 0), one by distances (mode 2), and a store by half of the lanes."""
    mask = 0xffffffff if warp == 0 else 0xffff
    lanes = bin(mask).count("1")
    base = 0x7f0600000000 + 0x1000 * cta + 128 * warp
    scattered = " ".join(hex(0x7f0600100000 + 4096 * i) for i in range(lanes))
    return [("0000", mask, "1 R0 S2R 0 0", ""),
            ("0010", mask, f"1 R4 LDG.E 1 R2 4 1 {base:#x} 4", ""),
            ("0020", mask, f"1 R5 LDG.E 1 R6 4 0 {scattered}", ""),
            ("0030", mask, f"1 R8 LDG.E.64 1 R6 8 2 {base:#x} " + " ".join(["16"] * (lanes - 1)), ""),
            ("0040", mask & 0x5555 if warp == 1 else 0xffff, "0 STG.E 2 R6 R4 4 "
             + (f"0 {' '.join(hex(base + 8 * i) for i in range(8))}" if warp == 1 else f"1 {base:#x} 4"), ""),
            ("0050", mask, "0 EXIT 0 0", "")]


def traceg(version, line_info=False):
    out = HEADING.format(version=version, lines="-enable lineinfo = %d\n" % line_info if version >= 4 else "")
    if version < 3:
        out = out.replace(f"-accelsim tracer version = {version}\n", "" if version == 1 else f"-accelsim tracer version = {version}\n")
    for cta in range(2):
        out += f"#BEGIN_TB\n\nthread block = {cta},0,0\n\n"
        for warp in range(2):
            lines = warp_lines(cta, warp)
            out += f"warp = {warp}\ninsts = {len(lines)}\n"
            for pc, mask, rest, _ in lines:
                out += (f"{cta} 0 0 {warp} " if version < 3 else "") + ("12 " if line_info else "")
                out += f"{pc} {mask:08x} {rest}"
                out += {5: " 0", 6: " 0 0 NoVal"}.get(version, "") + "\n"
        out += "#END_TB\n\n"
    return out


class Import(CommandTest):
    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def counters(self, trace="t.wmt"):
        run = self.run_command("replay", trace, "--gpu", "v100", "--counts", "--format", "json", "--partial")
        self.assertEqual(run.status, 0, run.err)
        return run.json()["kernels"][0]["metrics"]

    def assert_refused(self, name, status, *words):
        run = self.run_command("import", name, "-o", "t.wmt")
        self.assertEqual(run.status, status, run.err)
        for word in words:
            self.assertIn(word, run.err)
        self.assertEqual([f for f in os.listdir(self.folder) if ".wmt" in f], [])

    def assert_imports(self, name):
        run = self.run_command("import", name, "-o", "t.wmt", "--force")
        self.assertEqual(run.status, 0, run.err)
        metrics = self.counters()
        # Warps 0 and 1 of two CTAs: 32 and 16 lanes. Neighbours: 4 and 2 sectors; scattered: one a lane; 8 of every 16
        # bytes: half as many sectors as lanes.
        self.assertEqual(metrics[GLOBAL_LOAD], 2 * 2 * 3)
        self.assertEqual(metrics[LOAD_SECTORS], 2 * ((4 + 2) + (32 + 16) + (16 + 8)))
        # 16 neighbours: 2 sectors; eight lanes 8 bytes apart: 2.
        self.assertEqual(metrics[GLOBAL_STORE], 2 * 2)
        self.assertEqual(metrics[STORE_SECTORS], 2 * (2 + 2))
        return run

    def test_all_versions_of_the_tracer_give_the_same_requests(self):
        for version in range(1, 7):
            with self.subTest(version=version):
                self.assert_imports(self.write("k.traceg", traceg(version)))
        self.assert_imports(self.write("k.traceg", traceg(5, line_info=True)))

    def test_a_packed_trace_is_read(self):
        self.assert_imports(self.write("k.traceg.xz", lzma.compress(traceg(5).encode())))

    def test_a_list_brings_each_launch_and_what_was_copied(self):
        os.mkdir(self.path("traces"))
        self.write("traces/kernel-1.traceg", traceg(5))
        self.write("traces/kernel-2.traceg", traceg(5))
        self.write("traces/kernelslist.g",
                   "MemcpyHtoD,0x00007f0600000000,4096\nkernel-1.traceg\nMemcpyHtoD,0x00007f0600001000,4096\nkernel-2.traceg\n")
        self.assert_imports("traces/kernelslist.g")
        info = self.run_command("info", "t.wmt", "--format", "json").json()
        self.assertEqual(len(info["launches"]), 2)

    def test_the_trace_says_what_it_lacks_and_the_time_engine_runs_it(self):
        run = self.assert_imports(self.write("k.traceg", traceg(5)))
        self.assertIn("the trace lacks", run.err)
        replay = self.run_command("replay", "t.wmt", "--gpu", "v100", "--format", "json")
        self.assertEqual(replay.status, 0, replay.err)
        self.assertGreater(replay.json()["kernels"][0]["metrics"]["sm__cycles_elapsed.max"], 0)
        program = self.run_command("dump", "t.wmt", "--program").out
        self.assertIn("LDG.E R4, [R2.64]", program)
        self.assertIn("STG.E [R6.64], R4", program)

    def test_other_files_are_named_and_leave_nothing(self):
        whole = traceg(5)
        self.assert_refused(self.write("a", whole[:len(whole) // 2]), 3, "cut short")
        self.assert_refused(self.write("a", whole.replace("LDG.E 1 R2 4 1", "LDG.E 1 R2 4 1 zz")), 3,
                            f"a, line {whole[:whole.index('LDG.E 1 R2')].count(chr(10)) + 1}", "address")
        self.assert_refused(self.write("a", whole.replace("version = 5", "version = 9")), 3, "version 9", "6")
        self.assert_refused(self.write("a", whole.replace("thread block = 1,0,0", "thread block = 7,0,0")), 3, "grid")
        self.assert_refused(self.write("a", whole.replace("thread block = 1,0,0", "thread block = 0,0,0")), 3, "twice")
        self.assert_refused(self.write("a", "hello\n"), 3, "no trace of a tool")
        self.assert_refused(self.write("a", b"NVR\0\1\2\3"), 3, "Nsight Compute", "validate")
        self.assert_refused(self.write("a", b"SQLite format 3\0"), 3, "nsys")
        self.assert_refused(self.write("a", b"-kernel name = x\n\0\1\2\3"), 3, ".tracez")
        self.assert_refused(self.write("a.xz", lzma.compress(whole.encode())[:-40]), 3, "xz")
        self.assert_refused("nowhere", 2, "nowhere")
        os.mkdir(self.path("folder"))
        self.assert_refused("folder", 2, "folder")
        self.assert_refused(self.write("kernelslist.g", "kernel-7.traceg\n"), 2, "kernel-7.traceg")

    def test_a_loop_without_accesses_is_known(self):
        lines = ["0000 ffffffff 1 R0 S2R 0 0"]
        for i in range(10):
            lines += ["0010 ffffffff 1 R0 IADD3 1 R0 0", "0020 ffffffff 0 BRA 0 0"]
        lines += ["0030 ffffffff 0 STG.E 2 R2 R0 4 1 0x7f0600000000 4", "0040 ffffffff 0 EXIT 0 0"]
        text = HEADING.format(version=4, lines="-enable lineinfo = 0\n").replace("(2,1,1)", "(1,1,1)").replace("(48,", "(32,")
        text += f"#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = {len(lines)}\n" + "\n".join(lines) + "\n#END_TB\n"
        run = self.run_command("import", self.write("k.traceg", text), "-o", "t.wmt")
        self.assertEqual(run.status, 0, run.err)
        records = self.run_command("dump", "t.wmt").out
        self.assertIn("rounds", records)
        self.assertIn("@P0 BRA 0x10", self.run_command("dump", "t.wmt", "--program").out)


if __name__ == "__main__":
    unittest.main()
