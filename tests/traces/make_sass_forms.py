"""Writes reference/sass_forms.csv: what nvdisasm prints of all kernels of kernels/, compiled for each capability.

Needs nvcc and nvdisasm; takes half an hour:  python3 make_sass_forms.py FOLDER [--compile]
FOLDER keeps NAME.sm_XX.sass; with --compile they are made first. The width of an access is read from the mnemonic by the
rules of NVIDIA's lists of instructions, which is the other source that the test compares the decoder with."""

import collections
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "../../kernels")
CAPABILITIES = (75, 80, 86, 89, 90, 100, 120)
SPACES = {"LD": "generic", "LDG": "global", "LDL": "local", "LDS": "shared", "LDC": "constant", "LDCU": "constant",
          "ULDC": "constant", "ST": "generic", "STG": "global", "STL": "local", "STS": "shared", "STAS": "remote",
          "ATOM": "generic", "ATOMG": "global", "ATOMS": "shared", "RED": "generic", "REDG": "global", "REDAS": "remote",
          "LDGSTS": "global", "LDSM": "shared", "STSM": "shared", "TEX": "texture", "TLD": "texture", "TLD4": "texture",
          "TXD": "texture", "SULD": "surface", "SUST": "surface", "SUATOM": "surface", "SURED": "surface"}
WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32, "F64": 8, "F32x2": 8, "F32x4": 16}


def width(words):
    if words[0] in ("LDSM", "STSM"):
        return 16  # a row of eight 16-bit elements a lane
    if SPACES[words[0]] in ("texture", "surface"):
        return 0  # the format decides
    return next((WIDTHS[w] for w in words[1:] if w in WIDTHS), 4)


def compile_all(folder):
    for source in sorted(glob.glob(os.path.join(KERNELS, "*.cu")) + glob.glob(os.path.join(KERNELS, "micro/*.cu"))):
        name = os.path.relpath(source, KERNELS).replace("/", "_")[:-3]
        for cc in CAPABILITIES:
            base = os.path.join(folder, "%s.sm_%d" % (name, cc))
            if os.path.exists(base + ".sass"):
                continue
            built = subprocess.run(["nvcc", "-cubin", "-arch=sm_%d" % cc, "-O3", "-std=c++17", "-o", base + ".cubin", source])
            if built.returncode == 0:
                with open(base + ".sass", "w") as out:
                    subprocess.run(["nvdisasm", "-c", base + ".cubin"], stdout=out, check=True)


def main():
    folder = sys.argv[1]
    if "--compile" in sys.argv:
        compile_all(folder)
    forms = collections.defaultdict(set)
    for path in glob.glob(os.path.join(folder, "*.sass")):
        cc = path.rsplit(".", 2)[1]
        with open(path) as file:
            for line in file:
                found = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_.]*[A-Za-z0-9_.]*)", line)
                if found:
                    forms[found.group(1)].add(cc)
    with open(os.path.join(HERE, "reference/sass_forms.csv"), "w") as out:
        out.write("form,space,bytes,capabilities\n")
        for form in sorted(forms):
            words = form.split(".")
            memory = words[0] in SPACES
            out.write("%s,%s,%s,%s\n" % (form, SPACES.get(words[0], ""), width(words) if memory else "",
                                         " ".join(sorted(forms[form], key=lambda c: int(c[3:])))))


if __name__ == "__main__":
    main()
