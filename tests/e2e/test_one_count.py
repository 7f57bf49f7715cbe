"""One count for one access: the table, the sentence and the drawing of `pattern`, and `explain` and `replay` of the same
accesses in a program, say the same on every card."""

import re
import unittest

import harness

# What is accessed: the pattern's declaration, space, operation and bytes a lane; and the index of lane t, which Python and
# PTX both work out: (t * stride + offset) % modulus ^ turned.
ACCESSES = [  # (space, operation, bytes, stride, offset, modulus, turned)
    ("global", "load", 4, 1, 0, 0, 0), ("global", "load", 4, 2, 0, 0, 0), ("global", "load", 4, 32, 0, 0, 0),
    ("global", "load", 4, 1, 1, 0, 0), ("global", "load", 4, 0, 5, 0, 0), ("global", "load", 4, 7, 3, 0, 0),
    ("global", "load", 1, 1, 0, 0, 0), ("global", "load", 2, 3, 0, 0, 0), ("global", "load", 8, 1, 0, 0, 0),
    ("global", "load", 8, 4, 1, 0, 0), ("global", "load", 16, 1, 0, 0, 0), ("global", "load", 16, 2, 0, 0, 0),
    ("global", "load", 4, 1, 0, 0, 21), ("global", "store", 4, 1, 0, 0, 0), ("global", "store", 4, 8, 0, 0, 0),
    ("global", "store", 8, 3, 0, 0, 0), ("global", "store", 16, 1, 1, 0, 0), ("global", "store", 1, 5, 0, 0, 0),
    ("global", "atomic", 4, 0, 0, 0, 0), ("global", "atomic", 4, 1, 0, 8, 0), ("global", "atomic", 4, 33, 0, 0, 0),
    ("shared", "load", 4, 1, 0, 0, 0), ("shared", "load", 4, 2, 0, 0, 0), ("shared", "load", 4, 32, 0, 0, 0),
    ("shared", "load", 4, 33, 0, 0, 0), ("shared", "load", 4, 0, 3, 0, 0), ("shared", "load", 8, 1, 0, 0, 0),
    ("shared", "load", 8, 3, 0, 0, 0), ("shared", "load", 16, 1, 0, 0, 0), ("shared", "load", 16, 4, 0, 0, 0),
    ("shared", "store", 4, 4, 0, 0, 0), ("shared", "store", 4, 1, 0, 16, 3), ("shared", "store", 2, 1, 0, 0, 0),
    ("shared", "atomic", 4, 0, 0, 0, 0), ("shared", "atomic", 4, 1, 0, 8, 0), ("shared", "atomic", 4, 1, 0, 0, 0),
]
TYPES = {1: "char", 2: "short", 4: "float", 8: "double", 16: "float4"}
PTX_TYPES = {1: ("u8", "%h"), 2: ("u16", "%h"), 4: ("u32", "%r"), 8: ("u64", "%d"), 16: ("v4.u32", None)}


def pattern_of(space, op, size, stride, offset, modulus, turned):
    index = f"lane * {stride} + {offset}"
    if modulus:
        index = f"({index}) % {modulus}"
    if turned:
        index = f"({index}) ^ {turned}"
    type_name = "int" if op == "atomic" else TYPES[size]
    declared = f"{'shared ' if space == 'shared' else ''}{type_name} a[{2048 if space == 'global' else 1088}]; "
    access = {"load": f"a[{index}]", "store": f"a[{index}] = 1", "atomic": f"x = atomicAdd(&a[{index}], 1)"}[op]
    return declared + access


def statements_of(space, op, size, stride, offset, modulus, turned):
    out = [f"mul.lo.u32 %r1, %r0, {stride};", f"add.u32 %r1, %r1, {offset};"]
    if modulus:
        out.append(f"rem.u32 %r1, %r1, {modulus};")
    if turned:
        out.append(f"xor.b32 %r1, %r1, {turned};")
    out += [f"mul.wide.u32 %d1, %r1, {size};", f"add.u64 %d1, %d1, {'%d0' if space == 'global' else '%d2'};"]
    kind, register = PTX_TYPES[size]
    value = register + "9" if register else "{%r2, %r3, %r4, %r5}"
    if op == "atomic":
        out.append(f"atom.{space}.add.u32 %r9, [%d1], 1;")
        out.append("add.u32 %r8, %r8, %r9;")  # somebody reads it
    elif op == "store":
        out.append(f"st.{space}.{kind} [%d1], {value};")
    else:
        out.append(f"ld.{space}.{kind} {value}, [%d1];")
    return out


def kernel():
    body = [line for access in ACCESSES for line in statements_of(*access)]
    return "\n".join([
        ".version 7.8", ".target sm_75", ".address_size 64", ".visible .entry accesses(.param .u64 p)", "{",
        ".reg .b32 %r<10>;", ".reg .b64 %d<10>;", ".reg .b16 %h<10>;", ".shared .align 256 .b8 s[8192];",
        "ld.param.u64 %d0, [p];", "cvta.to.global.u64 %d0, %d0;", "mov.u64 %d2, s;", "mov.u32 %r0, %laneid;", *body,
        "st.global.u32 [%d0], %r8;", "ret;", "}", ""])


class OneCount(harness.CommandTest):
    def setUp(self):
        super().setUp()
        with open(self.path("k.ptx"), "w") as file:
            file.write(kernel())
        with open(self.path("k.toml"), "w") as file:
            file.write('entry = "accesses"\ngrid = 1\nblock = 32\n\n[[args]]\nbuffer = "a"\nsize = "64KiB"\n')
        run = self.run_command("emulate", "k.ptx", "--launch", "k.toml", "--level", "ptx", "-o", "k.wmt")
        self.assertEqual(run.status, 0, run.err)
        self.cards = [c["name"] for c in self.run_command("gpus", "--format", "json").json()["cards"]]

    def test_patterns_and_a_program_agree_on_every_card(self):
        self.assertEqual(len(self.cards), 18)
        of_pattern = {}
        for access in ACCESSES:
            cards = self.run_command("pattern", pattern_of(*access), "--all-gpus", "--format", "json").json()["cards"]
            for card in cards:
                of_pattern[card["gpu"], access] = card
        for gpu in self.cards:
            explained = self.run_command("explain", "k.wmt", "--gpu", gpu, "--counts", "--format", "json").json()["kernels"][0]
            sites = sorted((s for s in explained["instructions"] if s["space"] in ("global", "shared")), key=lambda s: s["pc"])[:-1]
            self.assertEqual(len(sites), len(ACCESSES), gpu)
            for access, site in zip(ACCESSES, sites):
                card = of_pattern[gpu, access]
                if "failure" in card:
                    continue
                with self.subTest(gpu=gpu, access=access):
                    said = card["accesses"][0]
                    for name in ("sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts"):
                        self.assertEqual(said[name], site[name], name)
                    self.assert_sentence(said)

    def assert_sentence(self, said):
        """The words beside the drawing have the numbers of the table."""
        words = said["lanes_in_words"]
        if said["space"] == "shared":
            self.assertIn(f"{said['wavefronts']} pass", words)
            excess = said["wavefronts"] - said["ideal_wavefronts"]
        else:
            sent = re.search(r"sent (\d+) time", words) or re.search(r"(\d+) sector", words)
            self.assertEqual(int(sent[1]), said["sectors"], words)
            excess = said["sectors"] - said["ideal_sectors"]
        self.assertIn(f"{excess} too many" if excess else "too many", words)
        if not excess:
            self.assertRegex(words, "none (is )?too many")

    def test_the_drawing_has_the_sectors_of_the_table(self):
        for gpu in ("8800gtx", "gtx280", "c2050", "k40", "p100", "h200"):
            for access in [a for a in ACCESSES if a[0] == "global" and a[1] != "atomic"][::3]:
                with self.subTest(gpu=gpu, access=access):
                    text = pattern_of(*access)
                    said = self.run_command("pattern", text, "--gpu", gpu, "--format", "json").json()["cards"][0]["accesses"][0]
                    rows = re.findall(r"^0x\S+  (\|.*\|)$", self.run_command("pattern", text, "--gpu", gpu).out, re.M)
                    drawn = sum(sector.strip() != "" for row in rows[:len(rows)] for sector in row.strip("|").split("|"))
                    if len(rows) < 16:
                        distinct = int(re.search(r"(\d+) sectors? of", said["lanes_in_words"])[1])
                        self.assertEqual(drawn, distinct)

    def test_the_first_screen_has_the_kinds_and_the_levels_that_there_are(self):
        for gpu, levels in (("gtx280", {"DRAM"}), ("c2050", {"L1", "L2", "DRAM"}), ("h200", {"L1", "L2", "DRAM"})):
            out = self.run_command("replay", "k.wmt", "--gpu", gpu, "--counts").out
            self.assertEqual(set(re.findall(r"│ *(L1|L2|DRAM) *│", out)), levels, out)
            for kind in ("loads", "stores", "atomics", "shared"):
                self.assertRegex(out, rf"(?m)^  {kind} +\d", out)
        listed = {c["name"]: c["l1_bytes"] for c in self.run_command("gpus", "--format", "json").json()["cards"]}
        self.assertEqual((listed["8800gtx"], listed["gtx280"]), (0, 0))

    def test_a_launch_counts_what_its_lines_do(self):
        for gpu in self.cards:
            with self.subTest(gpu=gpu):
                self.assert_sums("k.wmt", gpu)

    def assert_sums(self, trace, gpu):
        explained = self.run_command("explain", trace, "--gpu", gpu, "--counts", "--no-gain", "--format", "json").json()
        replayed = self.run_command("replay", trace, "--gpu", gpu, "--counts", "--all", "--format", "json").json()
        for e, r in zip(explained["kernels"], replayed["kernels"]):
            passes = [r["metrics"].get(name) for name in
                      ("memory_l1_wavefronts_shared", "shared_load_transactions", "shared_store_transactions")]
            if any(passes):  # before 2.0 no profiler counted them
                lines = sum(i["wavefronts"] for i in e["instructions"])
                self.assertEqual(lines, sum(p or 0 for p in passes), (trace, gpu, e["name"]))
            lines = sum(i["sectors"] for i in e["instructions"])
            arrays = sum(a["sectors"] for a in e["arrays"])
            self.assertEqual(lines, arrays, (trace, gpu, e["name"]))

# A tile of 32 rows of 128 bytes comes into shared memory, and a warp reads a column of it.
TILE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry tile(.param .u64 p, .param .u64 q)
{
.reg .b32 %%r<10>; .reg .b64 %%d<10>; .reg .pred %%p<3>;
.shared .align 128 .b8 s[4096]; .shared .align 8 .b64 bar;
ld.param.u64 %%d0, [p]; ld.param.u64 %%d4, [q]; cvta.to.global.u64 %%d0, %%d0; cvta.to.global.u64 %%d4, %%d4;
mov.u32 %%r0, %%tid.x; mov.u32 %%r1, s; mov.u32 %%r2, bar;
%s
bar.sync 0;
shl.b32 %%r3, %%r0, 7; add.u32 %%r3, %%r3, %%r1;
ld.shared.u32 %%r4, [%%r3];
mul.wide.u32 %%d2, %%r0, 4; add.u64 %%d2, %%d2, %%d4; st.global.u32 [%%d2], %%r4;
ret;
}
"""
BULK = """setp.ne.u32 %p0, %r0, 0;
@%p0 bra WAIT;
mbarrier.init.shared.b64 [%r2], 1;
mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 4096;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d0], 4096, [%r2];
WAIT:
bar.sync 0;
TRY:
mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
@!%p1 bra TRY;"""
BY_SIXTEEN = """mul.wide.u32 %d2, %r0, 16; add.u64 %d2, %d2, %d0; mul.lo.u32 %r5, %r0, 16; add.u32 %r5, %r5, %r1; mov.u32 %r6, 0;
COPY:
cp.async.cg.shared.global [%r5], [%d2], 16;
add.u32 %r5, %r5, 512; add.u64 %d2, %d2, 512; add.u32 %r6, %r6, 1; setp.lt.u32 %p0, %r6, 8;
@%p0 bra COPY;
cp.async.wait_all;"""


class Cures(harness.CommandTest):
    """A cure leaves the program right."""

    def fixes(self, fill):
        with open(self.path("k.ptx"), "w") as file:
            file.write(TILE % fill)
        with open(self.path("k.toml"), "w") as file:
            file.write('entry = "tile"\ngrid = 1\nblock = 32\n' + "".join(
                f'\n[[args]]\nbuffer = "{name}"\nsize = "4KiB"\n' for name in "ab"))
        self.assert_works(self.run_command("emulate", "k.ptx", "--launch", "k.toml", "--level", "ptx", "-o", "k.wmt", "--force"))
        finding = self.run_command("explain", "k.wmt", "--no-gain", "--format", "json").json()["kernels"][0]["findings"][0]
        self.assertEqual(finding["pattern"], "bank stride")
        return [change["what"] for change in finding["changes"]]

    def test_what_the_copy_engine_writes_is_not_padded(self):
        fixes = self.fixes(BULK)
        self.assertEqual(len(fixes), 1)
        self.assertIn("let the tensor map swizzle it", fixes[0])

    def test_rows_that_are_copied_by_16_bytes_stay_aligned_to_them(self):
        pads = [fix for fix in self.fixes(BY_SIXTEEN) if fix.startswith("pad")]
        self.assertRegex(pads[0], r"by \S+ elements? \(16 bytes\)|by 16 bytes")


if __name__ == "__main__":
    unittest.main()
