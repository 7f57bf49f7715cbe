"""What a program asks of the CUDA runtime is obeyed, or said not to be: by programs in Python that need no CUDA toolkit."""

import os
import re
import shutil
import subprocess
import sys
import unittest

from harness import SOURCE, CommandTest

with open(os.path.join(SOURCE, "emulate", "names", "versioned.inc")) as versioned:
    VERSIONED = set(re.findall(r"VERSIONED\((\w+)\)", versioned.read()))

HEAD = """
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
def done(code):
    if code: sys.exit(f"CUDA error {code}")
def open_gpu():
    done(cuda.cuInit(0))
    context = ctypes.c_void_p()
    done(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)); done(cuda.cuCtxSetCurrent(context))
def kernel_of(ptx, name, options=()):
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    keys = (ctypes.c_int * max(1, len(options)))(*[o for o, _ in options])
    values = (ctypes.c_void_p * max(1, len(options)))(*[v for _, v in options])
    done(cuda.cuModuleLoadDataEx(ctypes.byref(module), ptx.encode(), len(options), keys, values))
    done(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, name.encode()))
    return kernel
def buffer(bytes):
    address = ctypes.c_uint64()
    done(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(bytes)))
    return address
def launch(kernel, *arguments, threads=32):
    pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.cast(ctypes.byref(a), ctypes.c_void_p) for a in arguments])
    done(cuda.cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, None, pointers, None)); done(cuda.cuCtxSynchronize())
"""
COPY = '''
COPY = """.version 6.0
.target sm_50
.address_size 64
.visible .entry copy(.param .u64 a, .param .u64 b) {
  .reg .b32 %r<3>; .reg .b64 %d<6>;
  ld.param.u64 %d0, [a]; ld.param.u64 %d1, [b];
  cvta.to.global.u64 %d2, %d0; cvta.to.global.u64 %d3, %d1;
  mov.u32 %r0, %tid.x; mul.wide.u32 %d4, %r0, 4;
  add.s64 %d2, %d2, %d4; add.s64 %d3, %d3, %d4;
  ld.global.u32 %r1, [%d2]; ld.global.nc.u32 %r2, [%d2]; st.global.u32 [%d3], %r1; ret; }
"""
'''
TWICE = '''
TWICE = """.version 6.0
.target sm_30
.address_size 64
.visible .entry twice(.param .u64 a, .param .u64 b) {
  .reg .b32 %r<9>; .reg .b64 %d<6>;
  ld.param.u64 %d0, [a]; ld.param.u64 %d1, [b];
  cvta.to.global.u64 %d2, %d0; cvta.to.global.u64 %d3, %d1;
  mov.u32 %r0, %tid.x; mul.wide.u32 %d4, %r0, 4;
  add.s64 %d2, %d2, %d4; add.s64 %d3, %d3, %d4;
  %LOADS%
  st.global.u32 [%d3], %r6; ret; }
"""
step = " bar.sync 0;".join("".join(f"ld.global.u32 %r1, [%d2+{i * 4096}]; add.s32 %r6, %r6, %r1;" for i in range(6)) for _ in range(2))
TWICE = TWICE.replace("%LOADS%", "mov.u32 %r6, 0; " + step)
'''
MALLOC = '''
PTX = """.version 6.0
.target sm_30
.address_size 64
.extern .func (.param .b64 out) malloc(.param .b64 bytes);
.visible .entry take(.param .u64 bytes, .param .u64 to) {
  .reg .b64 %d<5>;
  ld.param.u64 %d0, [bytes]; ld.param.u64 %d1, [to]; cvta.to.global.u64 %d2, %d1;
  { .param .b64 p; st.param.b64 [p], %d0; .param .b64 q; call.uni (q), malloc, (p); ld.param.b64 %d3, [q]; }
  st.global.u64 [%d2], %d3; ret; }
"""
def takes(kernel, bytes):
    to, wanted, got = buffer(8), ctypes.c_uint64(bytes), ctypes.c_uint64(1)
    launch(kernel, wanted, to, threads=1); done(cuda.cuMemcpyDtoH_v2(ctypes.byref(got), to, ctypes.c_size_t(8)))
    return got.value != 0
'''


class Settings(CommandTest):
    def emulate(self, program, *options, env=None):
        with open(self.path("program.py"), "w") as file:
            file.write(HEAD + program)
        return self.run_command("emulate", "--force", *options, "--", sys.executable, "program.py", env=env)

    def test_the_devices_that_are_visible_are_obeyed(self):
        program = "count = ctypes.c_int(7)\nprint(cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(count)), count.value)\n"
        uuid = "GPU-776172706d656d20656d756c61746564"
        uuid = "-".join((uuid[:12], uuid[12:16], uuid[16:20], uuid[20:24], uuid[24:]))
        for value in ("0", "0,1", " 0", "GPU-7761", uuid):
            run = self.emulate(program, env={"CUDA_VISIBLE_DEVICES": value})
            self.assertEqual(run.out.split(), ["0", "0", "1"], value)
            self.assertNotIn("CUDA_VISIBLE_DEVICES", run.err)
        for value in ("", "1", "1,0", "-1", "NoDevFiles", "GPU-", "GPU-1234"):
            run = self.emulate(program, env={"CUDA_VISIBLE_DEVICES": value})
            self.assertEqual(run.out.split(), ["100", "100", "0"], value)
            self.assertEqual(run.err.count("leaves no GPU"), 1, run.err)
            self.assertIn(f"CUDA_VISIBLE_DEVICES={value} leaves no GPU", run.err)

    def metric(self, gpu, setting, name):
        """Of a CTA that reads 24 KiB twice, with a setting: the second time they are in the L1, or were too much for it."""
        run = self.emulate(TWICE + f"open_gpu(); kernel = kernel_of(TWICE, 'twice', [(14, 2)])\n{setting}\n"
                           "launch(kernel, buffer(24576), buffer(4096), threads=1024)\n", "--gpu", gpu, "--level", "ptx")
        self.assertEqual(run.status, 0, run.err)
        run = self.run_command("replay", "trace.wmt", "--counts", "--all", "--format", "json", "--gpu", gpu)
        self.assertEqual(run.status, 0, run.err)
        return run.json()["kernels"][0]["metrics"][name]

    def test_each_cache_configuration_is_obeyed(self):
        """No preference, shared memory, L1, equal. 2.0 has no equal parts, 3.5 keeps its 48 KiB of shared memory without one."""
        for gpu, name, wanted in (("c2050", "l1_cache_global_hit_rate", (22.65625, 22.65625, 50, 22.65625)),
                                  ("k40", "l1_cache_global_hit_rate", (0, 0, 50, 50)),
                                  ("v100", "launch__shared_mem_config_size", (0, 98304, 0, 65536))):
            for preference, value in enumerate(wanted):
                for setting in (f"done(cuda.cuFuncSetCacheConfig(kernel, {preference}))", f"done(cuda.cuCtxSetCacheConfig({preference}))"):
                    self.assertEqual(self.metric(gpu, setting, name), value, (gpu, setting))
            both = "done(cuda.cuCtxSetCacheConfig(1)); done(cuda.cuFuncSetCacheConfig(kernel, 2))"
            self.assertEqual(self.metric(gpu, both, name), wanted[2])  # the kernel's own comes first

    def test_where_loads_look_is_obeyed(self):
        """CU_JIT_CACHE_MODE, and -Xptxas -dlcm, which is the same: the loads that do not say go past the L1."""
        for mode, text in ((0, "ld.global.u32"), (1, "ld.global.cg.u32"), (2, "ld.global.ca.u32")):
            options = f"[(14, {mode})]"
            run = self.emulate(COPY + f"open_gpu()\nlaunch(kernel_of(COPY, 'copy', {options}), buffer(128), buffer(128))\n", "--level", "ptx")
            self.assertEqual(run.status, 0, run.err)
            code = self.run_command("dump", "trace.wmt").out
            self.assertIn(text, code)
            self.assertIn("ld.global.nc.u32", code)

    def test_the_heap_of_kernels_is_as_large_as_asked_for(self):
        run = self.emulate(MALLOC + """open_gpu(); kernel = kernel_of(PTX, "take")
print(takes(kernel, 4 << 20), takes(kernel, 6 << 20))          # 8 MiB, if nothing is said
done(cuda.cuCtxSetLimit(2, ctypes.c_size_t(64 << 20)))
print(takes(kernel, 32 << 20), takes(kernel, 40 << 20))
""")
        self.assertEqual(run.out.split(), ["True", "False", "True", "False"], run.err)
        self.assertNotIn("changes nothing", run.err)

    def test_a_limit_that_changes_nothing_is_said(self):
        program = COPY + ("open_gpu()\nfor i in range(2): done(cuda.cuCtxSetLimit(0, ctypes.c_size_t(4096)))\n"
                          "launch(kernel_of(COPY, 'copy'), buffer(128), buffer(128))\n")
        self.assertEqual(self.emulate(program, "--level", "ptx", "--summary").err.count("note: cudaLimitStackSize changes nothing"), 1)
        self.assertEqual(self.emulate(program, "--level", "ptx").err, "")

    def test_a_call_that_is_missing_is_said_when_it_is_made(self):
        program = """open_gpu()
address = ctypes.c_void_p()
for name in (b"cuGLGetDevices", b"cuCheckpointProcessLock", b"cuCtxGetDevice"):
    done(cuda.cuGetProcAddress_v2(name, ctypes.byref(address), 13000, ctypes.c_uint64(0), None)); assert address.value
done(cuda.cuGetProcAddress(b"cuCheckpointProcessLock", ctypes.byref(address), 12080, ctypes.c_uint64(0)))
print(cuda.cuGetProcAddress_v2(b"cuSomethingElse", ctypes.byref(address), 13000, ctypes.c_uint64(0), None))
print("before", file=sys.stderr, flush=True)
"""
        run = self.emulate(program)
        self.assertEqual(run.out.split(), ["500"], run.err)
        self.assertNotIn("not emulated", run.err)
        run = self.emulate(program + "for i in range(3): print(cuda.cuCheckpointProcessLock(0, 0), cuda.cuMulticastUnbind(0))\n")
        self.assertEqual(run.out.split()[1:], ["801"] * 6)
        self.assertEqual(run.err.count("cuCheckpointProcessLock is not emulated: it returns CUDA_ERROR_NOT_SUPPORTED"), 1, run.err)
        self.assertLess(run.err.index("before"), run.err.index("cuCheckpointProcessLock"))

    def test_calls_of_the_libraries_say_their_names(self):
        run = self.emulate("""
blas, rand = ctypes.CDLL("libcublas.so.13"), ctypes.CDLL("libcurand.so.10")
handle = ctypes.c_void_p()
print(blas.cublasCreate_v2(ctypes.byref(handle)), blas.cublasSgetrfBatched(0), rand.curandGetScrambleConstants32(0))
""")
        self.assertEqual(run.out.split(), ["0", "15", "103"], run.err)
        self.assertIn("cublasSgetrfBatched is not emulated", run.err)
        self.assertIn("curandGetScrambleConstants32 is not emulated", run.err)

    def test_every_name_of_the_headers_resolves_and_those_that_are_missing_say_so(self):
        """The lists are written from NVIDIA's headers and libraries (emulate/names). What we have is what the sources define."""
        sources = ""
        for folder in ("cudart", "libraries"):
            for name in sorted(os.listdir(os.path.join(SOURCE, "emulate", folder))):
                if name.endswith(".cpp"):
                    with open(os.path.join(SOURCE, "emulate", folder, name)) as file:
                        sources += file.read()
        ours = set(re.findall(r"^[A-Za-z_\[][^\n=;]*?\b(\w+)\(", sources, re.M))
        ours |= set(re.findall(r"ALIAS\((\w+),", sources))
        program, missing = "open_gpu(); blas = ctypes.CDLL('libcublas.so.13'); rand = ctypes.CDLL('libcurand.so.10'); cudart = ctypes.CDLL('libcudart.so.13')\n", {}
        for library, name, code in (("cuda", "driver", 801), ("cudart", "runtime", 801), ("blas", "cublas", 15), ("rand", "curand", 103)):
            with open(os.path.join(SOURCE, "emulate", "names", name + ".inc")) as file:
                lines = re.findall(r"^(\w+)\((\w+)(?:, (\w+))?\)", file.read(), re.M)
            self.assertGreater(len(lines), 25)
            program += f"for name in {[line[1] for line in lines]}: getattr({library}, name)\n"
            if name in ("driver", "runtime"):  # of cuBLAS's, macros define many
                missing[name] = [line[1] for line in lines if line[0] == "REFUSED" and line[1] not in ours and line[1] not in VERSIONED]
                program += f"wrong = [name for name in {missing[name]} if getattr({library}, name)(*[0] * 12) != {code}]\nassert not wrong, wrong\n"
        run = self.emulate(program + "print('all')\n")
        self.assertEqual((run.status, run.out), (0, "all\n"), run.err)
        for name in missing["driver"] + missing["runtime"]:
            self.assertEqual(len(re.findall(rf"warpmem: {name} is not emulated", run.err)), 1, name)

    def test_a_program_that_links_every_name_starts(self):
        compiler = shutil.which("gcc") or shutil.which("cc")
        if not compiler:
            self.skipTest("there is no C compiler")
        libraries = os.path.join(os.path.dirname(os.environ["WARPMEM"]), "cudart")
        names = []
        for name in ("driver", "runtime", "cublas", "curand"):
            with open(os.path.join(SOURCE, "emulate", "names", name + ".inc")) as file:
                names += re.findall(r"^\w+\((\w+)", file.read(), re.M)
        with open(self.path("all.c"), "w") as file:
            file.write("#include <stdio.h>\n" + "".join(f"extern int {n}();\n" for n in names))
            file.write("void* all[] = {" + ", ".join(f"(void*){n}" for n in names) + "};\nint main() { int n = 0, i; cuInit(0);\n"
                       "  for (i = 0; i < (int)(sizeof all / sizeof *all); ++i) n += all[i] != 0;\n  printf(\"%d\\n\", n); return 0; }\n")
        run = subprocess.run([compiler, "-w", "all.c", "-o", "all", "-L" + libraries, "-l:libcudart.so.13", "-l:libcuda.so.1", "-l:libcublas.so.13",
                              "-l:libcurand.so.10", "-Wl,-rpath-link," + libraries], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr[-2000:])
        run = self.run_command("emulate", "-o", "", "./all")
        self.assertEqual((run.status, run.out), (0, f"{len(names)}\n"), run.err)

    def times_ran(self):
        """How often each launch of the trace ran, by its number."""
        return {l["launch"]: l["ran"] for l in self.run_command("info", "trace.wmt", "--format", "json").json()["launches"]}

    def test_of_equal_launches_in_a_row_one_is_traced_and_the_others_counted(self):
        program = COPY + """open_gpu(); kernel = kernel_of(COPY, "copy"); a, b = buffer(128), buffer(128)
for i in range(40): launch(kernel, a, b)
for i in range(3): launch(kernel, b, a)
launch(kernel, a, b)
"""
        run = self.emulate(program)
        self.assertEqual((run.status, run.out, run.err), (0, "", ""))
        self.assertEqual(self.times_ran(), {0: 40, 40: 3, 43: 1})
        info = self.run_command("info", "trace.wmt").out
        self.assertRegex(info, r"repeated +41 launches more, equal to one that is here")
        self.assertRegex(info, r"launch +kernel .* lost +ran +state\n +0 +copy .* 40 +complete\n")
        self.assertEqual(len(self.run_command("replay", "trace.wmt", "--format", "json").json()["kernels"]), 3)
        self.assertIn("counted 41 launches more", self.emulate(program, "--summary").err)
        self.emulate(program, "--repeats", "2")
        self.assertEqual(self.times_ran(), {0: 1, 1: 39, 40: 1, 41: 2, 43: 1})
        self.emulate(program, "--repeats", "0")
        self.assertEqual(self.times_ran(), {n: 1 for n in range(44)})
        # What the options leave out counts for none.
        self.emulate(program, "--launches", "20:42")
        self.assertEqual(self.times_ran(), {20: 20, 40: 2})

    def counting(self, body):
        """Six launches with the same arguments of a kernel that counts in memory: r0 is the launch's number."""
        return """
COUNT = '''.version 6.0
.target sm_50
.address_size 64
.visible .entry count(.param .u64 a, .param .u64 n) {
  .reg .b32 %r<3>; .reg .b64 %d<5>; .reg .pred %p;
  ld.param.u64 %d0, [a]; ld.param.u64 %d1, [n];
  ld.global.u32 %r0, [%d1]; add.u32 %r1, %r0, 1; st.global.u32 [%d1], %r1;
  BODY ret; }
'''
open_gpu(); a, n = buffer(4096), buffer(4); done(cuda.cuMemsetD8_v2(a, 0, 4096)); done(cuda.cuMemsetD8_v2(n, 0, 4))
kernel = kernel_of(COUNT, "count")
for i in range(6): launch(kernel, a, n, threads=1)
""".replace("BODY", body)

    def test_launches_that_do_other_things_with_the_same_arguments_are_all_traced(self):
        """As many instructions, but other addresses each time."""
        run = self.emulate(self.counting("mul.wide.u32 %d2, %r0, 4; add.s64 %d2, %d2, %d0; st.global.u32 [%d2], %r1;"))
        self.assertEqual((run.status, run.err), (0, ""))
        self.assertEqual(self.times_ran(), {i: 1 for i in range(6)})

    def test_a_launch_that_was_taken_for_an_equal_one_is_told(self):
        """From the fourth launch on it leaves before its end."""
        run = self.emulate(self.counting("setp.ge.u32 %p, %r0, 3; @%p ret; st.global.u32 [%d0], %r1;"))
        self.assertEqual(run.status, 0)
        self.assertIn("1 launch that the trace does not have had the arguments of the launch before, but ran other instructions", run.err)
        self.assertIn("--repeats 0", run.err)
        self.assertEqual(self.times_ran(), {0: 4, 4: 2})
        self.assertIn("1 of them ran other instructions", self.run_command("info", "trace.wmt").out)

    def test_a_python_exception_is_the_programs_own_and_keeps_the_trace_so_far(self):
        run = self.emulate(COPY + "open_gpu()\nlaunch(kernel_of(COPY, 'copy'), buffer(128), buffer(128))\nraise ValueError('of its own')\n")
        self.assertEqual(run.status, 1, run.err)
        self.assertIn("ValueError: of its own", run.err)
        self.assertEqual(len(self.run_command("info", "trace.wmt", "--format", "json").json()["launches"]), 1)

    def test_a_library_that_refuses_to_start_is_named(self):
        """As cuFFT does: it has kernels, and asks for tables of the driver's that are NVIDIA's own. Compilers ask too, and go on."""
        compiler = shutil.which("gcc") or shutil.which("cc")
        if not compiler:
            self.skipTest("there is no C compiler")
        with open(self.path("library.c"), "w") as file:
            file.write("#ifdef KERNELS\n__attribute__((section(\".nv_fatbin\"), used)) const char kernels[16] = {1};\n#endif\n"
                       "int cuGetExportTable(const void**, const void*);\nint cuGLGetDevices_v2();\n"
                       "int start() { const void* table; char id[16] = {0}; return cuGetExportTable(&table, id) ? 5 : 0; }\n"
                       "int draw() { return cuGLGetDevices_v2(0, 0, 0, 0); }\n")
        for name, flags in (("libtransform.so", ["-DKERNELS"]), ("libcompiler.so", [])):
            subprocess.run([compiler, "-shared", "-fPIC", *flags, "library.c", "-o", name], cwd=self.folder, check=True)
        program = COPY + """open_gpu()
ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL)
library = ctypes.CDLL("./" + NAME)
print(library.start(), library.start())
if DRAW: print(library.draw())
launch(kernel_of(COPY, "copy"), buffer(128), buffer(128))
"""
        without_call = program.replace("DRAW", "False")
        failing = without_call + "sys.exit('it did not start')\n"
        run = self.emulate(failing.replace("NAME", "'libtransform.so'"))
        self.assertEqual((run.status, run.out), (1, "5 5\n"), run.err)
        self.assertEqual(run.err.count("this library may be why"), 1, run.err)
        self.assertIn("libtransform.so", run.err)
        self.assertIn("\n  fix: if a call of it failed, let other code do this step", run.err)
        self.assertEqual(self.emulate(failing.replace("NAME", "'libcompiler.so'")).err, "it did not start\n")
        for name in ("'libtransform.so'", "'libcompiler.so'"):
            run = self.emulate(without_call.replace("NAME", name))
            self.assertEqual((run.status, run.out, run.err), (0, "5 5\n", ""))
        # A call that is missing names who made it.
        run = self.emulate(program.replace("NAME", "'libcompiler.so'").replace("DRAW", "True"))
        self.assertRegex(run.err, r"cuGLGetDevices_v2 is not emulated: it returns CUDA_ERROR_NOT_SUPPORTED \(asked for by \S*libcompiler.so\)\n")

    def test_a_library_without_ptx_is_refused_by_its_kernels_name(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if not os.path.exists(nvcc):
            self.skipTest("there is no nvcc")
        with open(self.path("library.cu"), "w") as file:
            file.write("__global__ void fill(int* p) { p[threadIdx.x] = threadIdx.x; }\n"
                       'extern "C" int start(int* p) { fill<<<1, 32>>>(p); return cudaGetLastError(); }\n')
        subprocess.run([nvcc, "-shared", "-Xcompiler", "-fPIC", "-gencode", "arch=compute_90,code=sm_90", "library.cu", "-o", "libfill.so"],
                       cwd=self.folder, check=True)
        run = self.emulate(COPY + """open_gpu()
launch(kernel_of(COPY, "copy"), buffer(128), buffer(128))
library = ctypes.CDLL("./libfill.so")
print(library.start(buffer(128)), library.start(buffer(128)))
""", "--level", "ptx")
        self.assertEqual((run.status, run.out), (2, "209 209\n"), run.err)
        for words in ("the kernel fill(int*) cannot run: it has no PTX, only machine code for sm_90", "libfill.so", "fix: build it with -gencode",
                      "of a library that brings machine code alone, let other code do this step"):
            self.assertEqual(run.err.count(words), 1, run.err)
        self.assertEqual(self.times_ran(), {0: 1})  # the trace so far

    def test_the_newest_tool_may_lie_beside_a_library_that_the_program_has_loaded(self):
        compiler = shutil.which("gcc") or shutil.which("cc")
        if not compiler or not (shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas")):
            self.skipTest("there is no C compiler, or no ptxas")
        os.makedirs(self.path("site-packages/thing"))
        os.makedirs(self.path("site-packages/nvidia/cu13/bin"))
        with open(self.path("thing.c"), "w") as file:
            file.write("int thing() { return 1; }\n")
        subprocess.run([compiler, "-shared", "-fPIC", "thing.c", "-o", "site-packages/thing/libthing.so"], cwd=self.folder, check=True)
        tool = self.path("site-packages/nvidia/cu13/bin/nvdisasm")
        with open(tool, "w") as file:
            file.write('#!/bin/sh\necho "$@" >> "$0.asked"\necho "Cuda compilation tools, release 99.1, V99.1.2"\n')
        os.chmod(tool, 0o755)
        program = "%sopen_gpu()\nlaunch(kernel_of(COPY, 'copy'), buffer(128), buffer(128))\n"
        run = self.emulate(COPY + program % "")
        self.assertEqual(run.status, 0, run.err)
        self.assertFalse(os.path.exists(tool + ".asked"))
        run = self.emulate(COPY + program % "ctypes.CDLL('./site-packages/thing/libthing.so')\n")
        self.assertEqual(run.status, 0, run.err)
        with open(tool + ".asked") as asked:
            words = asked.read().split("\n")
        self.assertTrue(any(line and line != "--version" for line in words), words)  # it was run on the code

    def test_cufft_is_named(self):
        libraries = [os.path.join(folder, "libcufft.so." + version) for folder in ("/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu")
                     for version in ("12", "11")]
        library = next((file for file in libraries if os.path.exists(file)), None)
        if not library:
            self.skipTest("there is no cuFFT")
        run = self.emulate(f"open_gpu(); plan = ctypes.c_int()\nsys.exit(ctypes.CDLL({library!r}).cufftPlan1d(ctypes.byref(plan), 64, 0x29, 1))\n")
        self.assertEqual(run.status, 5, run.err)  # CUFFT_INTERNAL_ERROR
        self.assertIn("this library may be why", run.err)
        self.assertIn("libcufft", run.err)

    def test_machine_code_alone_runs_where_it_can_be_read_and_is_refused_by_its_kernels_names(self):
        ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
        if not os.path.exists(ptxas):
            self.skipTest("there is no ptxas")
        with open(self.path("k.ptx"), "w") as file:
            file.write(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry lonely(.param .u64 p) { ret; }\n")
        subprocess.run([ptxas, "-arch=sm_90", "k.ptx", "-o", "k.cubin"], cwd=self.folder, check=True)
        load = "open_gpu(); module = ctypes.c_void_p()\nprint(cuda.cuModuleLoad(ctypes.byref(module), b'k.cubin'))\n"
        run = self.emulate(load, "--level", "ptx")
        self.assertEqual((run.status, run.out), (2, "209\n"), run.err)
        for words in ("with the kernels lonely", "k.cubin", "leave out --level ptx"):
            self.assertIn(words, run.err)
        run = self.emulate(load)
        if "no nvdisasm was found" in run.err:
            self.assertEqual((run.status, run.out), (6, "209\n"), run.err)
        else:
            self.assertEqual((run.status, run.out), (0, "0\n"), run.err)
        # The ptxas that programs find keeps it.
        run = self.emulate("import subprocess\nsubprocess.run(['ptxas', '-arch=sm_90', 'k.ptx', '-o', 'k.cubin'], check=True)\n" + load, "--level", "ptx")
        self.assertEqual((run.status, run.out), (0, "0\n"), run.err)


if __name__ == "__main__":
    unittest.main()
