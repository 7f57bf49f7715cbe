#!/usr/bin/env python3
"""Writes the lists of names that the emulated libraries answer to: driver.inc, runtime.inc, cublas.inc, curand.inc.

usage: from_headers.py FOLDER [FOLDER ...]

Each folder is a toolkit, or the unpacked wheels of one: its include/ and its lib/ or lib64/ are read, wherever they lie
in it. A line is a name, what it is to us, and the declaration if a header of CUDA's own has one:

    REFUSED(name)       "not supported", and the name is said once when it is called
    REFUSED_TEXT(name)  the same for what returns text
    SAME(name, other)   another name of `other`: for per-thread default streams, or of an earlier version

versions.inc has the versions of the driver's calls, as cuGetProcAddress takes them: VERSION(name, since, function).

All names are weak: a function that we write comes first. Give several toolkits to answer to the names of all: the
declaration is that of the first one that has the name. What this writes is in the repository, because building warpmem
needs no CUDA.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# list: (headers, what names begin with, the library)
LISTS = {
    "driver": (("cuda.h", "cudaProfiler.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h"), r"cu[A-Z]\w*", None),
    "runtime": (("cuda_runtime_api.h", "cuda_profiler_api.h", "cuda_gl_interop.h", "cuda_egl_interop.h",
                 "cuda_vdpau_interop.h"), r"(?:__)?cuda[A-Z]\w*", "libcudart.so."),
    "cublas": (("cublas_v2.h", "cublas.h"), r"cublas[A-Z]\w*", "libcublas.so."),
    "curand": (("curand.h",), r"curand[A-Z]\w*", "libcurand.so."),
}
# How the headers are read: the plain names, the older versions of names, those for per-thread default streams.
READINGS = ((), ("-D__CUDA_API_VERSION_INTERNAL",), ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",))
# Functions of the device's side, which stand in the same headers.
DEVICE = re.compile(r"^cudaCDP|^cudaGetParameterBuffer|^__cudaCDP")


def files_below(folder):
    for place, _, names in os.walk(folder, followlinks=True):
        for name in names:
            yield os.path.join(place, name)


def text_of(header, define):
    """The header after the preprocessor; what belongs to other systems' headers is left out."""
    with open(header) as file:
        source = file.read()
    source = re.sub(r"#\s*include\s*<(?:GL/|EGL/|vdpau/)[^>]*>|#\s*include\s*\"(?:GL|EGL|vdpau)/[^\"]*\"", "", source)
    run = subprocess.run(["gcc", "-E", "-P", "-x", "c++", "-I", os.path.dirname(header), *define, "-"], input=source, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return run.stdout or re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.S)


def declarations(header, names):
    """{name: declaration} of a header, and the names that its macros stand for others."""
    found = {}
    kind = r"(?:CUresult|cudaError_t|cublasStatus_t|cublasStatus|curandStatus_t|void|const char\s*\*|int|size_t|[\w:]+\s?\*?)"
    pattern = re.compile(rf"(?:^|[;{{}}])\s*((?:extern |static |inline )*{kind})\s*\b({names})\s*\(([^;{{}}]*?)\)\s*(?=;)", re.M)
    for define in READINGS:
        for result, name, arguments in pattern.findall(text_of(header, define)):
            if "static" in result or "typedef" in result or "return" in result.split() or DEVICE.match(name):
                continue
            line = f"{result.replace('extern ', '').strip()} {name}({arguments.strip()});"
            found.setdefault(name, re.sub(r"\s+", " ", line))
    with open(header) as file:
        for name, other in re.findall(rf"^\s*#\s*define\s+({names})\s+(?:__CUDA_API_PT[DS]Z?\()?({names})\b", file.read(), re.M):
            if other in found and name not in found:
                found[name] = name
    return found


def exports(library):
    """Names that a library exports with a version of its own."""
    run = subprocess.run(["nm", "-D", "--defined-only", library], text=True, stdout=subprocess.PIPE, check=True)
    return re.findall(r"^\w+ [TWi] (\w+)", run.stdout, re.M)


def count(line):
    """How many arguments a declaration has; -1: there is none."""
    arguments = re.search(r"\((.*)\);$", line)
    if not arguments:
        return -1
    inner = re.sub(r"\([^()]*\)", "", arguments[1]).strip()
    return 0 if inner in ("", "void") else inner.count(",") + 1


def entry(call, found, is_driver):
    """What a name is to us."""
    for stream in ("_ptsz", "_ptds"):
        if call.endswith(stream) and call[: -len(stream)] in found:
            return f"SAME({call}, {call[: -len(stream)]})"
    # Who looks for an old name of the driver's declares it as it is now: addresses have had 64 bits since CUDA 4.
    newer = f"{call}_v2"
    if is_driver and newer in found and count(found[call]) == count(found[newer]):
        return f"SAME({call}, {newer})"
    return f"REFUSED_TEXT({call})" if found[call].startswith("const char") else f"REFUSED({call})"


def versions(folders, found):
    """(name, since, function) of the driver's calls that have several versions: since which version each is there."""
    since, variants = {}, {}
    for folder in folders:
        for path in (p for p in files_below(folder) if os.path.basename(p) == "cudaTypedefs.h"):
            with open(path) as file:
                for call, number in re.findall(r"PFN_(cu\w+?)_v(\d{4,5})\)", file.read()):
                    since.setdefault(call, set()).add(int(number))
    for call in found:
        if not call.endswith(("_ptsz", "_ptds")):
            variants.setdefault(re.sub(r"_v\d$", "", call), []).append(call)
    for name, calls in sorted(variants.items()):
        numbers = sorted(since.get(name, ()))
        if len(calls) < 2 or not numbers:
            continue
        if len(calls) != len(numbers):
            print(f"versions.inc: {name}: {calls} are of {numbers}")
        yield from zip([name] * len(calls), numbers, sorted(calls))


def main(folders):
    if not folders:
        sys.exit(__doc__)
    for name, (headers, names, library) in LISTS.items():
        found = {}
        for folder in folders:
            every = list(files_below(folder))
            for header in headers:
                for path in (p for p in every if os.path.basename(p) == header and "/include" in p):
                    for call, line in declarations(path, names).items():
                        if call not in found or found[call] == call:
                            found[call] = line
            for path in (p for p in every if library and os.path.basename(p).startswith(library)):
                for call in exports(path):
                    if re.fullmatch(names, call):
                        found.setdefault(call, call)
        with open(os.path.join(HERE, f"{name}.inc"), "w") as file:
            print("// Written by emulate/names/from_headers.py: see there.", file=file)
            for call in sorted(found):
                line = entry(call, found, name == "driver")
                print(f"{line}  // {found[call]}" if name in ("driver", "runtime") and found[call] != call else line, file=file)
        print(f"{name}.inc: {len(found)} names")
        if name == "driver":
            with open(os.path.join(HERE, "versions.inc"), "w") as file:
                print("// Written by emulate/names/from_headers.py: see there.", file=file)
                for line in versions(folders, found):
                    print("VERSION(%s, %s, %s)" % line, file=file)


if __name__ == "__main__":
    main(sys.argv[1:])
