"""Kernels on numpy arrays, and whole programs, run by `warpmem emulate`."""
import os
import re
import shutil
import subprocess
import tempfile

from . import _command, _errors

TYPES = {"float32": "f32", "float64": "f64", "int32": "s32", "uint32": "u32", "int64": "s64", "uint64": "u64",
         "int16": "s16", "uint16": "u16", "int8": "s8", "uint8": "u8", "float16": "b16", "bool": "u8"}


def nvcc():
    for place in (os.environ.get("NVCC"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"):
        if place and os.access(place, os.X_OK):
            return place
    raise _errors.EnvironmentMissing("nvcc, which compiles the source, is not there", "",
                                     "install the CUDA toolkit, or set NVCC to its nvcc")


def parameters(source, kernel):
    """The parameters of a kernel as its source declares them, each a text."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.S)
    found = re.search(rf"__global__[^;{{}}]*?\b{re.escape(kernel)}\s*\(", text)
    if not found:
        raise _errors.UsageError(f"the source has no kernel '{kernel}'", "", "name a __global__ function of it")
    depth, at, out = 1, found.end(), [""]
    while depth > 0 and at < len(text):
        c = text[at]
        depth += (c in "(<[") - (c in ")>]")
        if c == "," and depth == 1:
            out.append("")
        elif depth > 0:
            out[-1] += c
        at += 1
    return [p.strip() for p in out if p.strip()]


def is_written(parameter):
    """Whether what it points to may be changed: "float* y", not "const float* x"."""
    return "*" in parameter and "const" not in parameter.split("*")[0]


def dims(size):
    size = (size,) if isinstance(size, int) else tuple(size)
    return [*size, *(1,) * (3 - len(size))]


def source_of(source):
    """The text, and what its file is called: of a path to a .cu file that, else kernel.cu."""
    text = os.fspath(source)
    if "\n" in text or not text.endswith((".cu", ".cuh")):
        return text, "kernel.cu"
    try:
        with open(text, encoding="utf-8") as file:
            return file.read(), os.path.basename(text)
    except OSError as error:
        raise _errors.UsageError(f"cannot be read: {error.strerror}", text, "give CUDA source, or a path to it") from None


def compile_ptx(source, name, folder, gpu_capability, options):
    """The source as PTX, or the compiler's words."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    out = os.path.join(folder, "kernel.ptx")
    compiler = nvcc()
    known = subprocess.run([compiler, "--list-gpu-arch"], capture_output=True, text=True).stdout.split()
    wanted = gpu_capability.replace(".", "")
    newer = sorted((int(k[8:]) for k in known if k[8:].isdigit() and int(k[8:]) >= int(wanted)))
    target = newer[0] if newer else int(wanted)
    done = subprocess.run([compiler, "--ptx", f"-arch=compute_{target}", "-lineinfo", "-std=c++17", *options, path,
                           "-o", out], capture_output=True, text=True)
    if done.returncode != 0:
        raise _errors.UsageError("the source does not compile:\n" + done.stderr.replace(path, name).strip(),
                                 "", "correct the source; options for nvcc go into `options`")
    return out


def launch_file(kernel, grid, block, shared, args, folder):
    """launch.toml (docs/reference/launch-file.md), with each array in a file."""
    import numpy
    lines = [f'entry = "{kernel}"', f"grid = {dims(grid)}", f"block = {dims(block)}", f"dynamic_shared = {shared}"]
    arrays = []
    for value in args:
        lines.append("[[args]]")
        if isinstance(value, numpy.ndarray):
            name = f"array{len(arrays)}"
            if value.dtype.name not in TYPES:
                raise _errors.UsageError(f"an array of {value.dtype.name} cannot be given to a kernel", f"args[{len(arrays)}]",
                                         "use one of " + ", ".join(TYPES))
            flat = numpy.ascontiguousarray(value)
            data = os.path.join(folder, name)
            flat.tofile(data + ".bin")
            lines += [f'buffer = "{name}"', f'type = "{TYPES[value.dtype.name]}"', f"count = {max(1, flat.size)}",
                      'fill = "file"', f'file = "{data}.bin"', f'write_back = "{data}.out"']
            arrays.append((name, flat))
        else:
            scalar = value if isinstance(value, numpy.generic) else (
                numpy.float32(value) if isinstance(value, float) else numpy.int32(value))
            lines += [f'type = "{TYPES[scalar.dtype.name]}"', f"value = {scalar.item()!r}".replace("True", "1").replace("False", "0")]
    path = os.path.join(folder, "launch.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path, arrays


def kernel(source, name, grid, block, args, gpu, shared, level, options, trace, capability):
    """Runs it; gives the changed copies of the arrays that it may write, and the trace's path."""
    import numpy
    source, file_name = source_of(source)
    declared = parameters(source, name)
    if len(declared) != len(args):
        raise _errors.UsageError(f"'{name}' takes {len(declared)} arguments, and {len(args)} were given", "args",
                                 "give " + ", ".join(declared))
    with tempfile.TemporaryDirectory() as folder:
        ptx = compile_ptx(source, file_name, folder, capability, options)
        launch, arrays = launch_file(name, grid, block, shared, args, folder)
        words = ["emulate", ptx, "--launch", launch, "-o", trace, "--gpu", gpu]
        _command.run(*words, *(["--level", level] if level else []))
        changed, at = [], 0
        for value, parameter in zip(args, declared):
            if not isinstance(value, numpy.ndarray):
                continue
            stem, flat = arrays[at]
            at += 1
            if is_written(parameter):
                data = numpy.fromfile(os.path.join(folder, stem + ".out"), dtype=flat.dtype, count=flat.size)
                changed.append(data.reshape(flat.shape))
        return changed


