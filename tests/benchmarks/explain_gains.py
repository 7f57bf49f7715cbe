#!/usr/bin/env python3
"""How near the gains that `warpmem explain` replays come to kernels that have the change: the rows of
docs/measurements/explained-changes.md. Pairs of the reference's traces, and of tests/explain/lessons.cu where nvcc is there (and nvdisasm, so that
the traces are of machine code)."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "validate/reference/h200"
# The kernel, the change, the kernel that has it.
PAIRS = [
    ("transpose_naive_row", "transpose", "transpose_row_copy"),
    ("transpose_naive_column", "transpose", "transpose_row_copy"),
    ("transpose_shared_unpadded", "pad", "transpose_shared_padded"),
    ("tensor_map_transpose", "swizzle", "tensor_map_transpose_swizzled"),
    ("aat_shared_unpadded", "pad", "aat_shared_padded"),
    ("scan_blelloch", "pad", "scan_blelloch_padded"),
    ("tensor_core_ldmatrix", "pad", "tensor_core_ldmatrix_padded"),
    ("reduction_interleaved", "pad", "reduction_sequential"),
    ("histogram_global", "shared table", "histogram_shared"),
    ("aos_soa_aos_load_one", "unit stride", "aos_soa_soa_load_one"),
    ("aos_soa_aos_store_one", "unit stride", "aos_soa_soa_store_one"),
    ("aos_soa_aos_load_all", "split", "aos_soa_soa_load_all"),
    ("aos_soa_aos_load_all", "wide", "aos_soa_aos_wide_load_all"),
    ("aos_soa_aos_store_all", "split", "aos_soa_soa_store_all"),
    ("kmeans_by_point", "split", "kmeans_by_dimension"),
    ("strided_load_32", "unit stride", "offset_load_0"),
    ("offset_load_1", "align", "offset_load_0"),
    ("offset_store_1", "align", "offset_store_0"),
    ("local_memory_array_per_lane", "constant index", "local_memory_array_registers"),
]
LESSONS = [("mass", "unit stride"), ("pixels", "split"), ("rows", "transpose"), ("turn", "pad"), ("columns", "swizzle"),
           ("pitch", "align"), ("sum", "by warp"), ("table", "global")]


def explain(command, trace, *options):
    done = subprocess.run([command, "explain", str(trace), *options, "--format", "json"], capture_output=True, check=True)
    return max(json.loads(done.stdout)["kernels"], key=lambda kernel: kernel["cost"]["cycles"])


def emulate(command, nvcc, folder, pair, variant):
    trace = pathlib.Path(folder) / f"{pair}{variant}.wmt"
    subprocess.run([command, "emulate", str(ROOT / "tests/explain/lessons.cu"), "-O3", "-std=c++17", "-arch=sm_90",
                    "-lineinfo", "-o", str(trace), "--", pair, str(variant)], check=True, capture_output=True,
                   env={**os.environ, "NVCC": nvcc})
    return trace


def row(command, before, name, change, after, changed):
    """Of a finding's change: what it predicts, and what the kernel takes that has it."""
    own, other = explain(command, before, "--gains", "4"), explain(command, after, "--no-gain")
    found = [(f, c) for f in own["findings"] for c in f["changes"] if c["name"] == change and c["after"]]
    if not found:
        return f"| `{name}` | no such finding | {change} |"
    # Changes of several findings are made one by one: the one that gains most is the row.
    finding, best = min(found, key=lambda fc: fc[1]["after"]["cycles"])
    predicted, real = best["after"]["cycles"], other["cost"]["cycles"]
    return (f"| `{name}` | `{finding['place']}`: {finding['pattern']} | {change} | {own['cost']['cycles']:,} | {predicted:,} "
            f"| `{changed}` | {real:,} | {100 * (predicted - real) / real:+.1f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("warpmem", nargs="?", default=str(ROOT / "build/warpmem"))
    command = parser.parse_args().warpmem
    for before, change, after in PAIRS:
        print(row(command, REFERENCE / f"{before}.wmt", before, change, REFERENCE / f"{after}.wmt", after), flush=True)
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        print("nvcc is not installed: tests/explain/lessons.cu is left out", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        for pair, change in LESSONS:
            traces = [emulate(command, nvcc, folder, pair, variant) for variant in (0, 1)]
            print(row(command, traces[0], f"{pair} 0", change, traces[1], f"{pair} 1"), flush=True)


main()
