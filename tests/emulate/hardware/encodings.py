#!/usr/bin/env python3
"""Machine instructions one by one for a GPU: which there are, and a cubin that runs each of them.

  encodings.py list CUBIN... > list.txt    distinct instructions of 9.0's code, and what differs by a bit
  encodings.py cubin list.txt OUT.cubin    a kernel for each, k0, k1, ...; needs ptxas
  encodings.py input OUT.bin               the words that their threads take
  encodings.py pack list.txt input.bin results.bin GPU DRIVER DATE > unpacked

Tools: WARPMEM_PTXAS, WARPMEM_NVDISASM, or the PATH. What `pack` writes is compressed by zstd -19.
"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

PTXAS = os.environ.get("WARPMEM_PTXAS", "ptxas")
NVDISASM = os.environ.get("WARPMEM_NVDISASM", "nvdisasm")
LINE = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;?\s*/\* 0x([0-9a-f]{16}) \*/\n"
                  r"\s+/\* 0x([0-9a-f]{16}) \*/")
# What neither touches memory nor goes elsewhere.
OPCODES = set("""
BMMA BMSK BREV DADD DFMA DMMA DMNMX DMUL DSETP F2F F2FP F2I F2IP FADD FCHK FFMA FLO FMNMX FMUL FRND FSEL FSET
FSETP FSWZADD HADD2 HFMA2 HMMA HMNMX2 HMUL2 HSET2 HSETP2 I2F I2FP I2I I2IP IABS IADD3 IDP IMAD IMMA IMNMX
ISETP LEA LOP3 MATCH MOV MOVM MUFU P2R PLOP3 POPC PRMT R2P R2UR REDUX SEL SGXT SHF SHFL UBMSK UBREV UFLO UIADD3
UIMAD UIMNMX UISETP ULEA ULOP3 UMOV UP2UR UPLOP3 UPOPC UPRMT UR2UP USEL USGXT USHF VABSDIFF VABSDIFF4 VHMNMX
VIADD VIADDMNMX VIMNMX VIMNMX3 VOTE VOTEU""".split())
FIRST_OF_DATA = 0x220  # in bank 0: words that instructions find there
ILLEGAL = (2**64 - 1, 2**64 - 1)


def without_guard(text):
    return re.sub(r"^@!?U?P\w+ ", "", text.strip())


def opcode_of(text):
    return without_guard(text).split(" ")[0]


def shape_of(text):
    """The text with every register, predicate and number of a kind alike."""
    opcode, _, operands = without_guard(text).partition(" ")
    s = operands.replace(".reuse", "")
    for pattern, name in ((r"`\([^)]*\)", "L"), (r"32@\w+\(.*\)", "L"),
                          (r"c\[0x[0-9a-f]+\]\[0x[0-9a-f]+\]", "c[][]"), (r"\bR\d+\b", "R"),
                          (r"\bUR\d+\b", "UR"), (r"\bP\d\b", "P"), (r"\bUP\d\b", "UP"),
                          (r"-?\b0x[0-9a-f]+\b", "I"),
                          (r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|INF|QNAN|SNAN)\b", "F")):
        s = re.sub(pattern, name, s)
    return opcode + " " + s


def field(word, at, bits, value):
    return word & ~((2**bits - 1) << at) | value << at


class Code:
    """An instruction of 128 bits."""

    def __init__(self, low, high):
        self.word = low | high << 64

    def put(self, at, bits, value):
        self.word = field(self.word, at, bits, value)
        return self

    def to(self, r):
        return self.put(16, 8, r)

    def a(self, r):
        return self.put(24, 8, r)

    def b(self, r):
        return self.put(32, 8, r)

    def c(self, r):
        return self.put(64, 8, r)

    def immediate(self, value):
        return self.put(32, 32, value)

    def bank0(self, offset):
        return self.put(40, 14, offset // 4).put(54, 5, 0)

    def waits(self, sets=7, reads=7, until=0):
        """Takes its time, sets a scoreboard, waits for some."""
        return (self.put(105, 4, 15).put(109, 1, 0).put(110, 3, sets).put(113, 3, reads)
                .put(116, 6, until).put(122, 6, 0))

    def bytes(self):
        return struct.pack("<QQ", self.word & (2**64 - 1), self.word >> 64)


def nop(until=0):
    return Code(0x7918, 0).waits(until=until)


def before():
    """R4 to R15: the thread's words; UR4 to UR15: its first lane's; P0 to P6, UP0 to UP6: bits."""
    out = [Code(0x7919, 0x2100).to(0).waits(0), Code(0x479c3, 0x2500).waits(1),
           Code(0x7802, 0xf00).to(36).immediate(256).waits()]
    out += [Code(0x8400ff027b82, 0xa00).to(32).bank0(0x210).waits(2),
            Code(0x8400ff027b82, 0xa00).to(34).bank0(0x218).waits(3), nop(0x3f),
            Code(0x40b0b7c24, 0xf8e0200).to(0).a(36).b(4).c(0).waits(),
            Code(0x820000047ab9, 0xa00).waits(), nop(0x3f)]
    for to, bytes_each, base in ((2, 0x30, 34), (32, 0x40, 32)):
        out.append(Code(0x80b047825, 0x78e0004).to(to).a(0).immediate(bytes_each).c(base).waits())
    out.append(nop())
    for n in range(3):
        out.append(Code(0x404047981, 0xc1e1d00).to(4 + 4 * n).a(2).put(40, 24, 16 * n).waits(n))
    out.append(nop(0x3f))
    for k in range(7):
        out.append(Code(0x9057812, 0x780c0ff).to(255).a(15).immediate(1 << k).put(81, 3, k).waits())
    out += [Code(0x67805, 0x1ff00).to(r).waits() for r in (16, 18)]
    out += [Code(0x100672ca, 0xe0000).to(r).a(r).waits() for r in range(4, 20)]
    out += [nop(), nop()]
    for k in range(7):
        out += [Code(0x9057812, 0x78ec0ff).to(37).a(15).immediate(1 << (k + 8)).waits(),
                Code(0x100672ca, 0xe0000).to(20).a(37).waits(), nop(), nop(),
                Code(0x60600788c, 0xbf05270).a(20).immediate(0).put(81, 3, k).waits()]
    return out + [nop(0x3f)]


def behind():
    out = [nop() for _ in range(6)] + [nop(0x3f)]
    out.append(Code(0x1ff207803, 0).to(20).immediate(0x7f).waits())
    for n in range(4):
        out.append(Code(0x600077c02, 0x8000f00).to(21 + n).b(16 + n).waits())
    for k in range(7):
        out += [Code(0x4057887, 0x8000000).to(20).a(63).immediate(1).put(87, 3, k).waits(), nop(),
                Code(0x600077c02, 0x8000f00).to(25 + k).b(20).waits()]
    out += [Code(0x820000047ab9, 0xa00).waits(), nop(), nop(0x3f)]
    for n in range(4):
        out.append(Code(0xb02007986, 0xc101d04).a(32).b(16 + 4 * n).put(40, 24, 16 * n).waits(reads=0))
    return out + [nop(0x3f), Code(0x794d, 0x3800000).waits()]


def disassembled(words):
    """By place; those that are none are left out."""
    def run(what):
        with tempfile.NamedTemporaryFile(suffix=".bin") as f:
            f.write(b"".join(struct.pack("<QQ", *w) for w in what))
            f.flush()
            return subprocess.run([NVDISASM, "-b", "SM90a", f.name], capture_output=True, text=True)

    # It prints nothing where one is illegal, but names the places of all: with one that it certainly
    # names between each two.
    places = (int(m, 16) // 16 for m in re.findall(r"at address 0x([0-9a-f]+)",
                                                   run([x for w in words for x in (w, ILLEGAL)]).stderr))
    illegal = {p // 2 for p in places if p % 2 == 0}
    kept = [k for k in range(len(words)) if k not in illegal]
    texts = re.findall(r"/\*([0-9a-f]{4,})\*/\s+(.*?) *;", run([words[k] for k in kept]).stdout)
    return {kept[int(at, 16) // 16]: text for at, text in texts}


def with_known_registers(low, high, text, sets_scoreboard):
    """Its destination R16, its sources R4, R8 and R12; uniform ones alike."""
    code = Code(low, high).put(12, 4, 7)
    operands = re.sub(r"c\[0x[0-9a-f]+\]\[0x[0-9a-f]+\]", "", without_guard(text).partition(" ")[2])
    named = {int(x) for x in re.findall(r"\bR(\d+)\b", operands)}
    uniform = {int(x) for x in re.findall(r"\bUR(\d+)\b", operands)}
    for at, register in ((16, 16), (24, 4), (32, 8), (64, 12)):
        if at == 32 and ("c[" in text or low >> 9 & 7 in (2, 3, 4, 5)):
            continue  # a number stands there
        value = code.word >> at & 0xff
        if value in named or (value < 64 and value in uniform):
            code.put(at, 8, register)
    if "c[" in text:
        code.bank0(FIRST_OF_DATA)
    code.waits(0 if sets_scoreboard else 7)
    return code.word & (2**64 - 1), code.word >> 64


def compiled(cubins):
    seeds, scoreboard = {}, set()
    for path in cubins:
        listing = subprocess.run([NVDISASM, "-c", "-hex", path], capture_output=True, text=True).stdout
        for _, text, low, high in LINE.findall(listing):
            opcode = opcode_of(text)
            if opcode.split(".")[0] not in OPCODES or "`" in text or "@srel" in text:
                continue
            if opcode.startswith("DMMA") and "8x8x4" not in opcode and "884" not in opcode:
                continue  # more registers than there are here
            low, high = int(low, 16), int(high, 16)
            if high >> 46 & 7 != 7:
                scoreboard.add(opcode)
            seeds.setdefault(shape_of(text), (low, high, text))
    return [with_known_registers(*seeds[s], opcode_of(seeds[s][2]) in scoreboard) for s in sorted(seeds)]


def make_list(cubins):
    words = compiled(cubins)
    texts = disassembled(words)
    seen = {shape_of(t) for t in texts.values()}
    for k, text in sorted(texts.items()):
        print(f"c {words[k][0]:016x} {words[k][1]:016x} {text}")
    mutants = []
    for low, high in words:
        bits = list(range(72, 105)) + (list(range(40, 64)) if low >> 9 & 7 in (0, 1, 6, 7) else [])
        for bit in bits:
            word = (low | high << 64) ^ 1 << bit
            mutants.append((word & (2**64 - 1), word >> 64))
    found = {}
    for k, text in disassembled(mutants).items():
        if "INVALID" in text or "?" in text or "@" in text or shape_of(text) in seen:
            continue
        found.setdefault(shape_of(text), (mutants[k], text))
    for shape in sorted(found):
        (low, high), text = found[shape]
        print(f"m {low:016x} {high:016x} {text}")


def read_list(path):
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f]
    return [(line[0], int(line[2:18], 16), int(line[19:35], 16), line[36:]) for line in lines]


def make_cubin(path, out):
    """ptxas makes kernels with room enough; their code is then replaced."""
    forms, first, last = read_list(path), before(), behind()
    room = len(first) + 1 + len(last)
    fill = "".join(f"ld.volatile.global.f32 %f{i}, [%r2+{4 * i}];\n" for i in range(48))
    fill += "".join(f"fma.rn.f32 %f{i % 48}, %f{(i + 1) % 48}, %f{(i + 7) % 48}, %f{(i + 13) % 48};\n"
                    for i in range(room * 5 // 8))
    fill += "".join(f"st.volatile.global.f32 [%r1+{4 * i}], %f{i};\n" for i in range(48))
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(".version 8.0\n.target sm_90a\n.address_size 64\n")
        for n in range(len(forms)):
            f.write(f".visible .entry k{n}(.param .u64 d, .param .u64 a, .param .align 16 .b8 c[64])\n"
                    "{ .reg .f32 %f<48>; .reg .b64 %r<3>; ld.param.u64 %r1, [d]; ld.param.u64 %r2, [a];\n"
                    + fill + "ret; }\n")
        f.flush()
        subprocess.run([PTXAS, "-arch=sm_90a", f.name, "-o", out], check=True)
    with open(out, "rb") as f:
        elf = bytearray(f.read())
    table, = struct.unpack_from("<Q", elf, 40)
    count, names = struct.unpack_from("<H", elf, 60)[0], struct.unpack_from("<H", elf, 62)[0]
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, table + 64 * i) for i in range(count)]
    for s in sections:
        at = sections[names][4] + s[0]
        name = re.fullmatch(rb"\.text\.k(\d+)", bytes(elf[at:elf.index(0, at)]))
        if not name:
            continue
        _, low, high, _ = forms[int(name.group(1))]
        code = first + [Code(low, high)] + last + [Code(0xfffffffc00fc7947, 0x000fc0000383ffff)]
        assert s[5] // 16 >= len(code)
        code += [nop() for _ in range(s[5] // 16 - len(code))]
        elf[s[4]:s[4] + s[5]] = b"".join(c.bytes() for c in code)
    with open(out, "wb") as f:
        f.write(elf)


# Where operations change what they do.
INTEGERS = [
    0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 30, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000,
    0xffff, 0x10000, 0xff00, 0x00ff00ff, 0x7f7f7f7f, 0x80808080, 0x80008000, 0x7fff7fff, 0x01010101,
    0x03020100, 0x76543210, 0x5410, 0x7632, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
    0xfffffff0, 0xffffff80, 0xffff8000, 0x55555555, 0xaaaaaaaa, 0x12345678, 0x87654321]
FLOATS = [
    0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x3f800000, 0xbf800000,
    0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
    0x7f800001, 0xffbfffff, 0x7fffffff, 0x3f000000, 0x3effffff, 0x3f000001, 0x3fc00000, 0x40200000,
    0xc0200000, 0x4b000000, 0x4b800000, 0xcb000001, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000,
    0x5f000000, 0xdf000000, 0x42fe0000, 0x42ff0000, 0x43000000, 0x437f0000, 0x437f8000, 0x477fe000,
    0x477ff000, 0x33800000, 0x33000000, 0x38800000, 0x387fc000, 0x7e800000, 0x1000000, 0x34000000,
    0x40490fdb, 0xc2fc0000, 0xc3160000]
HALVES = [
    0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x7bff, 0xfbff, 0x7c00,
    0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xfdff, 0x7fff, 0x3800, 0x4100, 0xc100, 0x6400, 0x7800, 0x5800, 0x0c00,
    0x1400, 0x3555, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81, 0x7f7f, 0xff7f, 0x0080, 0x007f,
    0x3f00, 0x4000, 0x4b00, 0x4f00]
DOUBLES = [
    0, 1<<63, 1, (1<<63)|1, 0xfffffffffffff, 0x10000000000000, 0x8010000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001,
    0xfff7ffffffffffff, 0x7fffffffffffffff, 0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000,
    0xc004000000000000, 0x4330000000000000, 0xc340000000000000, 0x43e0000000000000, 0xc3e0000000000000,
    0x43f0000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x47efffffe0000000,
    0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x380fffffffffffff, 0x40effc0000000000,
    0x3e60000000000000, 0x7fd0000000000000, 0x3ca0000000000000, 0x3cb0000000000000]


def make_input(out):
    """Four blocks of threads: integers, floats, pairs of halves (and bfloats), doubles."""
    random.seed(90)
    bits, choice = random.getrandbits, random.choice

    def integer():
        k = bits(3)
        return (choice(INTEGERS) if k < 3 else bits(5) if k == 3 else bits(32) if k < 6
                else (choice(INTEGERS) + bits(3) - 4) % 2**32 if k == 6 else bits(32) >> bits(5))

    def single():
        k = bits(3)
        if k < 3:
            return choice(FLOATS)
        if k < 5:
            return bits(32)
        return bits(1) << 31 | (127 + bits(5) - 16) << 23 | (bits(23) >> bits(5) if k == 5 else bits(23))

    def half():
        k = bits(3)
        if k < 3:
            return choice(HALVES)
        return bits(16) if k < 5 else bits(1) << 15 | (15 + bits(3) - 4) << 10 | bits(10)

    def double():
        k = bits(3)
        if k < 3:
            return choice(DOUBLES)
        if k < 5:
            return bits(64)
        if k == 5:
            return bits(1) << 63 | (1023 + bits(6) - 32) << 52 | bits(52)
        if k == 6:
            return bits(1) << 63 | (1023 + bits(3) - 4) << 52 | (bits(52) >> bits(5) << bits(5)) % 2**52
        return bits(1) << 63 | ((bits(7) - 31) << 52 if bits(1) else bits(52)) % 2**64

    with open(out, "wb") as f:
        for thread in range(1024):
            if thread < 256:
                words = [integer() for _ in range(12)]
            elif thread < 512:
                words = [single() for _ in range(12)]
            elif thread < 768:
                words = [half() | half() << 16 for _ in range(12)]
            else:
                words = [w for d in (double() for _ in range(6)) for w in (d % 2**32, d >> 32)]
            words[11] = words[11] & ~0x7fff | bits(15)  # predicates
            f.write(struct.pack("<12I", *words))


def pack(path, input_path, results, gpu, driver, date):
    """`results`: of each instruction 32 hashes of warps, its error, and 4 bytes."""
    forms = read_list(path)
    with open(results, "rb") as f:
        raw = f.read()
    rows = [struct.unpack_from("<32QII", raw, 264 * k) for k in range(len(forms))]
    out = ["warpmem machine encodings 1", gpu, driver, date, str(len(forms))]
    for (origin, low, high, text), row in zip(forms, rows):
        out.append(f"{'f' if row[32] else origin} {low:016x} {high:016x} {text}")
    sys.stdout.buffer.write(("\n".join(out) + "\n").encode())
    with open(input_path, "rb") as f:
        sys.stdout.buffer.write(f.read())
    for row in rows:
        for group in range(0, 32, 4):
            h = 0
            for warp in row[group:group + 4]:
                h = (h ^ warp) * 0x9e3779b97f4a7c15 % 2**64
            sys.stdout.buffer.write(struct.pack("<I", (h ^ h >> 32) % 2**32))


def main(words):
    if len(words) > 1 and words[0] == "list":
        make_list(words[1:])
    elif len(words) == 3 and words[0] == "cubin":
        make_cubin(*words[1:])
    elif len(words) == 2 and words[0] == "input":
        make_input(words[1])
    elif len(words) == 7 and words[0] == "pack":
        pack(*words[1:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
