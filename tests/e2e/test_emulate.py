"""warpmem emulate over whole programs: a small one of our own everywhere, CUDA sources where nvcc is."""

import csv
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from harness import MAKE_TRACE, SOURCE, WARPMEM, CommandTest

PROGRAM = os.path.join(os.path.dirname(MAKE_TRACE), "emulated_program")
KERNELS = os.path.join(SOURCE, "tests/emulate/runtime/kernels.ptx")
NVCC = shutil.which("nvcc") or (
    "/usr/local/cuda/bin/nvcc" if os.path.exists("/usr/local/cuda/bin/nvcc") else None)
CUDA = os.path.dirname(os.path.dirname(os.path.realpath(NVCC))) if NVCC else ""


@unittest.skipUnless(os.path.exists(PROGRAM), "emulated_program is not built")
class Program(CommandTest):
    def emulate(self, *words, options=()):
        # Its launches are equal ones: all are wanted.
        return self.run_command("emulate", "--repeats", "0", *options, PROGRAM, "--", KERNELS, *words)

    def launches(self, name="trace.wmt", *options):
        run = self.run_command("replay", name, "--format", "json", *options)
        self.assertEqual(run.status, 0, run.err)
        return run.json()["kernels"]

    def test_every_launch_is_in_the_trace(self):
        run = self.emulate("launches", "3", "count")
        self.assertEqual((run.status, run.out, run.err), (0, "done\n", ""))
        kernels = self.launches()
        self.assertEqual([k["name"] for k in kernels], ["scale"] * 3 + ["count"])
        self.assertEqual(kernels[0]["grid"], [4, 1, 1])
        self.assertEqual(kernels[0]["metrics"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], 32)
        info = self.run_command("info", "trace.wmt")
        self.assertIn("ptx", info.out)
        self.assertIn("NVIDIA H200 (emulated)", info.out)

    def test_what_was_run_is_said_where_it_is_asked_for_and_on_a_terminal(self):
        words = ("launches", "3", "count")
        said = self.emulate(*words, options=("--summary",))
        self.assertEqual((said.status, said.out), (0, "done\n"), said.err)
        self.assertRegex(said.err, r"warpmem: ran [\d,]+ thread instructions of 4 launches in .*\n"
                                   r"warpmem: traced [\d,]+ records of 4 launches in .*trace.wmt \(.*\)\n$")
        ours, theirs = os.openpty()
        run = self.run_command("emulate", "--force", PROGRAM, "--", KERNELS, *words, stderr=theirs)
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # all of it was read
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        self.assertEqual((run.status, run.out), (0, "done\n"))
        self.assertIn("traced ", shown.decode())
        self.assertIn("counted 2 launches more, each equal to the one traced before it", shown.decode())

    def test_the_trace_says_how_often_instructions_ran(self):
        self.emulate("launches", "2", "count")
        self.assertIn("of 3 of 3 launches", self.run_command("info", "trace.wmt").out)
        out = self.run_command("dump", "trace.wmt", "--counts", "--launch", "1", "--format", "json").json()
        self.assertEqual([l["launch"] for l in out["launches"]], [1])
        counts = out["launches"][0]["counts"]
        self.assertEqual(counts[0]["times"], 32)  # 4 CTAs of 8 warps come to the first instruction
        loads = [c for c in counts if c["instruction"].lower().startswith(("ld.global", "ldg"))]
        self.assertEqual([c["times"] for c in loads], [32])
        rows = list(csv.DictReader(io.StringIO(
            self.run_command("dump", "trace.wmt", "--counts", "--format", "csv").out)))
        self.assertEqual({r["launch"] for r in rows}, {"0", "1", "2"})
        text = self.run_command("dump", "trace.wmt", "--counts", "--launch", "0").out
        self.assertRegex(text, r"launch 0: scale.*\n +pc +times +copies +instruction")
        self.assert_says(self.run_command("dump", "trace.wmt", "--counts", "--program"), 2, "--program")

    def test_a_name_of_thousands_of_letters_has_room_for_its_beginning(self):
        with open(self.path("long.ptx"), "w") as file:
            file.write(".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".visible .entry %s() { ret; }\n" % ("kernel" * 500))
        with open(self.path("l.toml"), "w") as file:
            file.write('entry = "%s"\ngrid = 1\nblock = 32\nargs = []\n' % ("kernel" * 500))
        self.assertEqual(self.run_command("emulate", "long.ptx", "--launch", "l.toml", "-o", "long.wmt").status, 0)
        text = self.run_command("info", "long.wmt").out
        self.assertIn("kernelkernel", text)
        self.assertLess(max(len(line) for line in text.splitlines() if "kernelkernel" in line), 250)
        rows = csv.DictReader(io.StringIO(self.run_command("info", "long.wmt", "--format", "csv").out))
        self.assertEqual([len(row["kernel"]) for row in rows], [3000])

    def test_the_same_program_leaves_the_same_bytes(self):
        for name in ("a.wmt", "b.wmt"):
            run = self.emulate("launches", "2", options=("-o", name))
            self.assertEqual(run.status, 0, run.err)
        with open(self.path("a.wmt"), "rb") as a, open(self.path("b.wmt"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_the_program_sees_the_gpu_of_its_card(self):
        with open(os.path.join(SOURCE, "tests/emulate/runtime/h200.hpp")) as header:
            h200 = "".join(re.findall(r'^ *"(.*)"', header.read(), re.M))
        tell = ("--", "sh", "-c", 'echo "$WARPMEM_EMULATE_GPU"')
        self.assertEqual(self.run_command("emulate", "-o", "", *tell).out.strip(), h200)
        v100 = self.run_command("emulate", "-o", "", "--gpu", "v100", *tell).out
        for fact in ("memory=17179869184;", "bus=4096;", "memory_clock=877000;", "clock=1530000;"):
            self.assertIn(fact, v100)

    def test_a_buffer_must_fit_the_cards_memory(self):
        with open(self.path("k.ptx"), "w") as file:
            file.write(".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".visible .entry k(.param .u64 p) { ret; }\n")
        with open(self.path("l.toml"), "w") as file:
            file.write('entry = "k"\ngrid = 1\nblock = 32\n[[args]]\nbuffer = "x"\nsize = "1GiB"\n')
        run = self.run_command("emulate", "k.ptx", "--launch", "l.toml", "-o", "", "--gpu", "8800gtx")
        self.assert_says(run, 5, "does not fit the GPU's memory")

    def test_launches_and_kernels_can_be_chosen(self):
        self.emulate("launches", "4", "count", options=("--launches", "1:3"))
        self.assertEqual([k["launch"] for k in self.launches()], [1, 2])
        self.emulate("launches", "4", "count", options=("--kernel", "^count$", "-o", "c.wmt"))
        self.assertEqual([k["launch"] for k in self.launches("c.wmt")], [4])
        run = self.emulate("count", options=("--kernel", "nobody", "-o", "n.wmt"))
        self.assert_says(run, 2, "no launch is one that the options ask for")

    def test_a_part_of_the_ctas_and_of_the_records(self):
        self.emulate("launches", "1", options=("--ctas", "0.5"))
        self.assertIn("CTAs", self.run_command("info", "trace.wmt").out)
        kept = self.launches("trace.wmt", "--partial")[0]["metrics"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]
        self.assertIn(kept, (8, 16, 24))  # of 32, in whole CTAs
        run = self.emulate("launches", "5", options=("--max-records", "50", "-o", "m.wmt", "--summary"))
        self.assertIn("50 records of 1 launch", run.err)

    def test_without_an_output_nothing_is_written(self):
        run = self.emulate("launches", "1", options=("-o", ""))
        self.assertEqual(run.status, 0, run.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_exit_status_is_the_programs(self):
        self.assertEqual(self.emulate("launches", "1", "exit", "7").status, 7)

    def test_the_trace_is_sealed_however_the_program_ends(self):
        for words, status in ((("leave", "5"), 5), (("abort",), 128 + signal.SIGABRT)):
            run = self.emulate("launches", "2", *words, options=("--force",))
            self.assertEqual(run.status, status, run.err)
            self.assertEqual(len(self.launches()), 2)

    def test_a_stray_access_is_reported_like_a_memory_checker_does(self):
        for options, place in (((), "STG.E"), (("--level", "ptx"), ".ptx:")):
            run = self.emulate("stray", options=("--strict", "-o", "", *options))
            self.assertEqual(run.status, 1)
            self.assertEqual(run.out, "cudaErrorIllegalAddress\ndone\n")
            for word in ("stray", "thread (0,0,0) of CTA (0,0,0)", "0 bytes behind the end of an allocation of 4 KiB",
                         "global store of 4 bytes", place if ".ptx:" not in run.err else ".ptx:"):
                self.assertIn(word, run.err)

    def test_an_access_that_a_gpu_would_let_through_is_told_and_carried_out(self):
        run = self.emulate("stray", "stray")
        self.assertEqual(run.status, 0, run.err)
        self.assertEqual(run.out, "cudaSuccess\ncudaSuccess\ndone\n")
        self.assertEqual(run.err.count("0 bytes behind the end of an allocation of 4 KiB"), 1)
        self.assertIn("--strict", run.err)

    def test_an_unknown_instruction_names_itself_and_the_kernel(self):
        run = self.emulate("unknown", options=("--level", "ptx"))
        self.assertIn("vmad.s32.s32.s32.shr7", run.err)
        self.assertIn("unknown", run.err)
        self.assertEqual(run.status, 3)  # although the program ends with 0

    def test_a_kernel_that_never_ends_is_stopped(self):
        run = self.emulate("spin", options=("--max-instructions", "100000"))
        self.assertEqual(run.out, "cudaErrorLaunchTimeout\ndone\n")
        self.assertIn("--max-instructions", run.err)

    def test_an_interrupt_keeps_what_is_traced(self):
        process = subprocess.Popen(
            [WARPMEM, "emulate", "--level", "ptx", PROGRAM, "--", KERNELS, "launches", "1", "spin"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        deadline = time.time() + 20
        while not os.path.exists(self.path("trace.wmt.partial")) and time.time() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        for _ in range(100):  # a terminal, and who passes it on
            os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn(b"interrupted", err)
        self.assertFalse(os.path.exists(self.path("trace.wmt")))
        run = self.run_command("replay", "trace.wmt.partial")
        self.assertEqual(run.status, 4)
        self.assertIn("launch 1 did not end: interrupted", run.err)
        self.assertNotIn("limit", run.err)
        self.assertEqual(self.launches("trace.wmt.partial", "--partial")[0]["name"], "scale")

    def test_a_program_may_stand_behind_the_dashes(self):
        usual = self.emulate("launches", "2", options=("-o", "usual.wmt"))
        run = self.run_command("emulate", "--repeats", "0", "-o", "behind.wmt", "--", PROGRAM, KERNELS, "launches", "2")
        self.assertEqual((run.status, run.out), (usual.status, usual.out), run.err)
        self.assertEqual(len(self.launches("behind.wmt")), 2)
        with open(self.path("usual.wmt"), "rb") as one, open(self.path("behind.wmt"), "rb") as other:
            self.assertEqual(len(one.read()), len(other.read()))
        # Its words may look like ours, and a second -- is its own.
        run = self.run_command("emulate", "-o", "", "--", "/bin/echo", "-o", "x", "--gpu", "--", "y")
        self.assertEqual(run.out, "-o x --gpu -- y\n")
        self.assert_fails(self.run_command("emulate", "--", "./nobody", "--ctas"), 2, "./nobody")
        self.assert_fails(self.run_command("emulate", "-o", "x.wmt", "--"), 2, "no program")
        self.assert_fails(self.run_command("emulate", "--nothing", "--", PROGRAM), 2, "--nothing")

    def test_a_script_is_given_to_its_interpreter(self):
        with open(self.path("app.py"), "w", encoding="utf-8") as file:
            file.write("import ctypes, sys\ncuda = ctypes.CDLL('libcuda.so.1')\nmodule, kernel, context = (ctypes.c_void_p() for _ in range(3))\n"
                       "assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0\n"
                       "assert cuda.cuModuleLoad(ctypes.byref(module), sys.argv[1].encode()) == 0\n"
                       "assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b'count') == 0\n"
                       "assert cuda.cuLaunchKernel(kernel, 2, 1, 1, 32, 1, 1, 0, None, None, None) == 0\n"
                       "print(cuda.cuCtxSynchronize(), sys.argv[2:])\n")
        python = os.path.realpath(sys.executable)
        for name, words in (("behind", ("--", python, "app.py")), ("before", (python, "--", "app.py"))):
            run = self.run_command("emulate", "-o", name + ".wmt", *words, KERNELS, "-o", "--", "z")
            self.assertEqual((run.status, run.out), (0, "0 ['-o', '--', 'z']\n"), run.err)
            self.assertEqual([k["name"] for k in self.launches(name + ".wmt")], ["count"])

    def test_words_that_make_no_sense(self):
        missing = self.run_command("emulate", "./nobody")
        self.assert_fails(missing, 2, "./nobody")
        self.assert_fails(self.run_command("emulate", PROGRAM, "3"), 2, "behind --")
        self.assert_fails(self.run_command("emulate"), 2, "no program")
        self.assert_fails(self.run_command("emulate", "--launch", "l.toml", PROGRAM), 2, "--launch")
        self.assert_fails(self.run_command("emulate", "--kernel", "(", PROGRAM), 2, "--kernel")
        self.assert_fails(self.run_command("emulate", "--ctas", "0", PROGRAM), 2, "--ctas")
        self.assert_fails(self.run_command("emulate", "/bin/true"), 2, "never called CUDA")
        with open(self.path("trace.wmt"), "w", encoding="utf-8") as file:
            file.write("mine")
        self.assert_fails(self.emulate("count"), 2, "there already")

    def test_cuda_source_without_nvcc_says_what_to_install(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("int main() {}\n")
        if os.path.exists("/usr/local/cuda/bin/nvcc"):
            run = self.run_command("emulate", "app.cu", env={"NVCC": "/nowhere/nvcc"})
        else:
            run = self.run_command("emulate", "app.cu", env={"PATH": "/nowhere"})
        self.assert_fails(run, 6, "nvcc")

    def assert_says(self, run, status, *words):
        self.assertEqual(run.status, status, run.err)
        for word in words:
            self.assertIn(word, run.err)


@unittest.skipUnless(NVCC, "needs nvcc")
class Sources(CommandTest):
    def kernel(self, name):
        return os.path.join(SOURCE, "kernels", name + ".cu")

    def test_programs_of_the_suite_run_and_check_their_own_results(self):
        for name, variant, size in (("vector_copy", "b4", "65536"), ("reduction", "divergent", "65536"),
                                    ("graph", "chain", "32768"), ("cluster", "read", "32768")):
            run = self.run_command("emulate", self.kernel(name), "-O3", "-std=c++17", "-o", name + ".wmt",
                                   "--", "--variant", variant, "--size", size)
            self.assertEqual(run.status, 0, run.err)
            self.assertIn("ok " + variant, run.out)
            self.assertEqual(self.run_command("info", name + ".wmt").status, 0)

    def test_the_time_engine_runs_what_the_emulator_ran(self):
        """Tiles by tensor map: the rows of one are one instruction, and its loop's next one another."""
        for variant in ("stages1", "stages4", "halo"):
            run = self.run_command("emulate", self.kernel("tensor_ring"), "-O3", "-std=c++17", "-arch=sm_90", "-o",
                                   variant + ".wmt", "--", "--variant", variant, "--size", "256",
                                   env={"WARPMEM_NVDISASM": "/nowhere"})
            self.assertEqual(run.status, 0, run.err)
            self.assertIn("ok " + variant, run.out)
            counts = self.run_command("dump", "--counts", "--format", "csv", variant + ".wmt").out
            counted = sum(int(row["times"] or 0) for row in csv.DictReader(counts.splitlines()))
            replay = self.run_command("replay", "--time", "--gpu", "h200", "--format", "json", variant + ".wmt")
            timed = replay.json()["kernels"][0]["time"]["instructions"]
            self.assertLess(abs(timed - counted), 0.005 * counted, variant)

    def test_separately_compiled_sources_are_linked(self):
        with open(self.path("one.cu"), "w", encoding="utf-8") as file:
            file.write("""#include <cstdio>
extern __device__ int twice(int);
extern __device__ int bias;
__global__ void run(int *p) { p[threadIdx.x] = twice(threadIdx.x) + bias; }
int main() {
  int *p;
  cudaMallocManaged(&p, 128);
  run<<<1, 32>>>(p);
  std::printf("%d %d\\n", static_cast<int>(cudaDeviceSynchronize()), p[31]);
}
""")
        with open(self.path("two.cu"), "w", encoding="utf-8") as file:
            file.write("__device__ int bias = 5;\n__device__ int twice(int x) { return 2 * x; }\n")
        run = self.run_command("emulate", "one.cu", "two.cu", "-rdc=true")
        self.assertEqual((run.status, run.out), (0, "0 67\n"), run.err)
        if "WARPMEM_NVDISASM" in os.environ or shutil.which("nvdisasm"):
            # Machine code of every object, and none of its accesses left over; linked here where the program has it
            # for another GPU only, as the driver would.
            for arch in ("90", "80"):
                subprocess.run([NVCC, "-O3", "-gencode", f"arch=compute_{arch},code=[sm_{arch},compute_{arch}]", "-rdc=true",
                                "-cudart", "shared", "one.cu", "two.cu", "-o", "linked"], cwd=self.folder, check=True)
                run = self.run_command("emulate", "./linked", "-o", arch + ".wmt")
                self.assertEqual((run.status, run.out), (0, "0 67\n"), run.err)
                info = self.run_command("info", arch + ".wmt").out
                self.assertRegex(info, r"level +sass\n")

    def test_the_host_is_told_for_which_architecture_its_kernels_were_compiled(self):
        """Code for the card, PTX for newer GPUs: a library's host picks a tile by cudaFuncAttributes::ptxVersion."""
        with open(self.path("tiles.cu"), "w", encoding="utf-8") as file:
            file.write("""#include <cstdio>
__host__ __device__ constexpr int items(int arch) { return arch >= 100 ? 16 : 8; }
__global__ void sum(const int *in, int n, int *out) {
#ifdef __CUDA_ARCH__
  __shared__ int part[items(__CUDA_ARCH__ / 10) * 32];
  for (int i = threadIdx.x; i < items(__CUDA_ARCH__ / 10) * 32; i += 32) {
    int at = blockIdx.x * items(__CUDA_ARCH__ / 10) * 32 + i;
    part[i] = at < n ? in[at] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < items(__CUDA_ARCH__ / 10) * 32; i += 32) atomicAdd(out, part[i ^ 1]);
#endif
}
int main() {
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, sum);
  for (int n : {1000, 10000, 100000}) {
    int *in, *out, result = 0;
    cudaMallocManaged(&in, n * 4), cudaMalloc(&out, 4), cudaMemset(out, 0, 4);
    for (int i = 0; i < n; ++i) in[i] = 1;
    const int tile = 32 * items(a.ptxVersion);
    sum<<<(n + tile - 1) / tile, 32>>>(in, n, out);
    cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);
    std::printf("%d ", result);
  }
  std::printf("%d %d %d\\n", a.ptxVersion, a.binaryVersion, static_cast<int>(a.sharedSizeBytes));
}
""")
        for ptx, shared in (("120", 2048), ("80", 1024)):
            subprocess.run([NVCC, "-gencode", "arch=compute_90,code=sm_90", "-gencode",
                            f"arch=compute_{ptx},code=compute_{ptx}", "-cudart", "shared", "tiles.cu", "-o", "tiles"],
                           cwd=self.folder, check=True)
            run = self.run_command("emulate", "--level", "ptx", "./tiles", "-o", ptx + ".wmt")
            self.assertEqual((run.status, run.out), (0, f"1000 10000 100000 {ptx} 90 {shared}\n"), run.err)
            run = self.run_command("emulate", "--summary", "./tiles", "-o", ptx + "s.wmt")
            if "runs as PTX" not in run.err:  # the code for the card is what a GPU would load
                self.assertEqual((run.status, run.out), (0, "1000 10000 100000 90 90 1024\n"), run.err)

    def test_kernels_launch_kernels(self):
        # nvcc links libcudadevrt.a, whose PTX is for newer GPUs than the card.
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""#include <cstdio>
__global__ void child(int *a, int by) { a[threadIdx.x] += by; }
__global__ void parent(int *a) {
  if (threadIdx.x < 3) child<<<1, 32>>>(a, 1 << threadIdx.x);
  if (threadIdx.x == 0) child<<<1, 32, 0, cudaStreamTailLaunch>>>(a, 100 - a[0]);
}
int main() {
  int *a;
  cudaMallocManaged(&a, 128);
  parent<<<1, 32>>>(a);
  std::printf("%d %d\\n", static_cast<int>(cudaDeviceSynchronize()), a[31]);
}
""")
        run = self.run_command("emulate", "--summary", "app.cu", "-rdc=true", "-o", "none.wmt")
        self.assertEqual((run.status, run.out), (0, "0 107\n"), run.err)
        run = self.run_command("emulate", "--repeats", "0", "--level", "ptx", "app.cu", "-rdc=true")
        self.assertEqual((run.status, run.out), (0, "0 107\n"), run.err)
        self.assertNotIn("newer", run.err)
        replayed = self.run_command("replay", "trace.wmt", "--format", "json").json()["kernels"]
        self.assertEqual([kernel["name"].split("(")[0] for kernel in replayed], ["parent"] + 4 * ["child"])

    def test_grid_wide_barriers_of_cooperative_groups(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""#include <cooperative_groups.h>
#include <cstdio>
__global__ void sum(int *a, int n, int *total) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) a[i] = i;
  grid.sync();
  int mine = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) mine += a[n - 1 - i];
  atomicAdd(total, mine);
  grid.sync();
  if (grid.thread_rank() == 0) a[0] = *total;
}
int main() {
  int n = 10000, *a, *total;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&total, sizeof(int));
  void *arguments[] = {&a, &n, &total};
  cudaLaunchCooperativeKernel((void *)sum, dim3(64), dim3(128), arguments, 0, 0);
  std::printf("%d %d\\n", static_cast<int>(cudaDeviceSynchronize()), a[0]);
}
""")
        run = self.run_command("emulate", "app.cu")
        self.assertEqual((run.status, run.out), (0, "0 49995000\n"), run.err)

    def test_a_runtime_linked_into_the_program_is_replaced(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""
#include <cstdio>
__device__ int scale = 3;
__global__ void fill(int* p) { p[threadIdx.x] = scale * threadIdx.x; }
int main() {
  int *p, last = 0;
  cudaMallocManaged(&p, 128);
  fill<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  cudaMemcpy(&last, p + 31, 4, cudaMemcpyDefault);
  std::printf("%d\\n", last);
}
""")
        for trace, options in enumerate(([], ["-O0", "-rdc=true"], ["-Xcompiler", "-fno-pie", "-Xlinker", "-no-pie"])):
            subprocess.run([NVCC, *options, "app.cu", "-o", "static"], cwd=self.folder, check=True)
            run = self.run_command("emulate", "./static", "-o", f"{trace}.wmt")
            self.assertEqual((run.status, run.out), (0, "93\n"), run.err)
            self.assertTrue(os.path.exists(self.path(f"{trace}.wmt")))
            subprocess.run(["strip", "static"], cwd=self.folder, check=True)
            if options:  # who registers what was linked is not found, nor what stands at a fixed address
                self.assert_fails(self.run_command("emulate", "./static"), 2, "stripped", "-cudart shared")
                continue
            run = self.run_command("emulate", "./static", "-o", f"{trace}s.wmt")
            self.assertEqual((run.status, run.out), (0, "93\n"), run.err)

    def test_a_program_that_only_loads_kernels_while_it_runs_needs_no_runtime(self):
        with open(self.path("kernel.cu"), "w", encoding="utf-8") as file:
            file.write('extern "C" __global__ void fill(int *p) { p[threadIdx.x] = 3 * threadIdx.x; }\n')
        main = """#include <cstdio>
#include <cuda.h>
int main() {
  CUdevice device; CUcontext context; CUmodule module; CUfunction fill; CUdeviceptr p; int last = 0;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) ||
      cuModuleLoad(&module, "kernel.ptx") || cuModuleGetFunction(&fill, module, "fill") || cuMemAlloc(&p, 128)) return 1;
  void *arguments[] = {&p};
  if (cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr)) return 2;
  if (cuMemcpyDtoH(&last, p + 124, 4)) return 3;
  std::printf("%d\\n", last);
}
"""
        subprocess.run([NVCC, "-ptx", "kernel.cu"], cwd=self.folder, check=True)
        for name in ("app.cpp", "app.cu"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(main)
            subprocess.run([NVCC, "-arch=sm_90", name, "-lcuda", "-o", "loads"], cwd=self.folder, check=True)
            run = self.run_command("emulate", "./loads", "-o", name + ".wmt")
            self.assertEqual((run.status, run.out), (0, "93\n"), run.err)
            self.assertTrue(os.path.exists(self.path(name + ".wmt")))

    def test_machine_code_runs_without_ptx(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""
#include <cstdio>
__constant__ int factor;
__device__ int total;
__global__ void k(int n) {
  if (threadIdx.x < n) atomicAdd(&total, factor * threadIdx.x);
  if (threadIdx.x == 3) printf("thread %d\\n", threadIdx.x);
}
int main() {
  int f = 5, sum = 0;
  cudaMemcpyToSymbol(factor, &f, sizeof f);
  k<<<1, 64>>>(10);
  cudaMemcpyFromSymbol(&sum, total, sizeof sum);
  printf("%d %d\\n", sum, cudaGetLastError());
}
""")
        subprocess.run([NVCC, "-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90", "app.cu", "-o", "sass"],
                       cwd=self.folder, check=True)
        run = self.run_command("emulate", "--level", "sass", "./sass")
        if run.status == 6:
            self.skipTest("nvdisasm is not installed")
        self.assertEqual((run.status, run.out), (0, "thread 3\n225 0\n"), run.err)
        info = self.run_command("info", "trace.wmt").out
        self.assertRegex(info, r"level +sass\n")
        dump = self.run_command("dump", "trace.wmt").out
        self.assertIn("STL", dump)
        self.assertRegex(dump, "(RED|ATOM)G?[.]E[.]ADD")
        # A card that this code is not for.
        run = self.run_command("emulate", "--level", "sass", "--gpu", "a100_80", "./sass", "-o", "a100.wmt")
        self.assertIn("it has neither machine code for compute capability 8.0 nor PTX; what it has: sm_90", run.err)

    def test_machine_code_runs_for_each_capability(self):
        cards = {"t4": 75, "a100_80": 80, "rtx3090": 86, "rtx4090": 89, "h200": 90, "b200": 100, "rtx5090": 120}
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""
#include <cstdio>
__constant__ int factors[4];
__device__ long long total;
__device__ __noinline__ long long power(long long x, int n) { return n ? x * power(x, n - 1) : 1; }
__global__ void k(const float* x, int n) {
  __shared__ float s[64];
  const int i = threadIdx.x;
  s[i] = x[i] / (i + 1.5f);
  __syncthreads();
  float sum = 0;
  for (int j = i; j < 64; j += i + 1) sum += s[j];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  atomicAdd(reinterpret_cast<unsigned long long*>(&total), power(factors[i & 3] + n, i & 7) + static_cast<long long>(sum));
  if (i == 40) printf("thread %d of %d: %.3f\\n", i, blockDim.x * gridDim.x, sum);
}
int main() {
  int f[4] = {5, 2, 3, 4};
  float h[64], *x;
  for (int i = 0; i < 64; ++i) h[i] = i * 0.75f;
  cudaMalloc(&x, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(factors, f, sizeof f);
  k<<<1, 64>>>(x, 10);
  long long sum = 0;
  cudaMemcpyFromSymbol(&sum, total, sizeof sum);
  printf("%lld %d\\n", sum, cudaGetLastError());
}
""")
        code = [word for cc in cards.values() for word in ("-gencode", f"arch=compute_{cc},code=sm_{cc}")]
        subprocess.run([NVCC, "-cudart", "shared", *code, "-gencode", "arch=compute_75,code=compute_75", "app.cu", "-o", "app"],
                       cwd=self.folder, check=True)
        for card in cards:
            with self.subTest(card):
                from_ptx = self.run_command("emulate", "--gpu", card, "--level", "ptx", "-o", "", "./app")
                run = self.run_command("emulate", "--gpu", card, "--level", "sass", "-o", card + ".wmt", "./app")
                if run.status == 6:
                    self.skipTest("nvdisasm is not installed")
                self.assertEqual(from_ptx.status, 0, from_ptx.err)
                self.assertEqual((run.status, run.out), (0, from_ptx.out), run.err)

    def test_machine_code_of_linked_objects_with_an_assertion_and_of_ptx_alone(self):
        with open(self.path("part.cu"), "w", encoding="utf-8") as file:
            file.write("""
__device__ int again(int x, int n);
__device__ int twice(int x) { return x > 5 ? again(x, 3) : 2 * x; }
__device__ __noinline__ int again(int x, int n) { return n ? again(x, n - 1) * x : 1; }
""")
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""
#include <cassert>
#include <cstdio>
__device__ int twice(int x);
__global__ void k(int* p) { p[threadIdx.x] = twice(p[threadIdx.x]) + twice(threadIdx.x); }
__global__ void checks(const int* p) { assert(p[threadIdx.x] < 700); }
int main() {
  int h[32], *p;
  for (int i = 0; i < 32; ++i) h[i] = 2 * i;
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  k<<<1, 32>>>(p);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  checks<<<1, 5>>>(p);
  printf("%d %d %d %d", h[2], h[4], h[9], cudaDeviceSynchronize());
  checks<<<1, 6>>>(p);
  printf(" %d\\n", cudaDeviceSynchronize());
}
""")
        for name, code in (("sass", "sm_90"), ("ptx", "compute_90")):
            subprocess.run([NVCC, "-cudart", "shared", "-gencode", "arch=compute_90,code=" + code, *(["-rdc=true"] if name == "sass" else ["-include", "part.cu"]),
                            *(["part.cu"] if name == "sass" else []), "app.cu", "-o", name], cwd=self.folder, check=True)
            run = self.run_command("emulate", "--level", "sass", "-o", name + ".wmt", "./" + name)
            if run.status == 6 and "nvdisasm" in run.err:
                self.skipTest("nvdisasm is not installed")
            self.assertEqual((run.status, run.out), (0, "12 520 6561 0 710\n"), run.err)
            self.assertIn("p[threadIdx.x] < 700", run.err)

    def test_machine_code_calls_through_pointers_of_other_objects(self):
        with open(self.path("part.cu"), "w", encoding="utf-8") as file:
            file.write("""
__device__ __noinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float thrice(float x) { return 3 * x; }
__device__ float (*table[2])(float) = {twice, thrice};
""")
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""
#include <cstdio>
#include <cstdlib>
typedef float (*Function)(float);
__device__ float twice(float x);
extern __device__ float (*table[2])(float);
struct Shape { __device__ virtual float area(float x) const = 0; };
struct Square : Shape { __device__ float area(float x) const override { return x * x; } };
struct Round : Shape { float r; __device__ float area(float x) const override { return twice(x) * r; } };
__device__ Function kept;
__device__ __noinline__ int deep(int n, const int* p) {
  int local[64];
  for (int i = 0; i < 64; ++i) local[i] = p[0] + i;
  return n ? deep(n - 1, p) + local[(n * 7) & 63] : local[5];
}
__global__ void calls(float* out, int n, Function* give) {
  Square square; Round round; round.r = 3;
  const Shape* shapes[2] = {&square, &round};
  out[threadIdx.x] = table[threadIdx.x / 4 & 1](shapes[(threadIdx.x + n) & 1]->area(threadIdx.x));
  if (threadIdx.x == 0) *give = table[1], kept = twice;
}
__global__ void takes(float* out, Function f) { out[threadIdx.x] += f(threadIdx.x) + kept(1); }
__global__ void recursion(float* out, int n, const int* p) { out[threadIdx.x] += deep(n, p); }
int main(int count, char** words) {
  const int n = atoi(words[1]);
  if (count > 2) cudaDeviceSetLimit(cudaLimitStackSize, atoi(words[2]));
  float *out, h[32]; Function *given, f; int* p;
  cudaMalloc(&out, sizeof h), cudaMalloc(&given, sizeof f), cudaMalloc(&p, 4), cudaMemset(p, 0, 4);
  calls<<<1, 32>>>(out, n, given);
  cudaMemcpy(&f, given, sizeof f, cudaMemcpyDeviceToHost);
  takes<<<1, 32>>>(out, f);
  recursion<<<1, 32>>>(out, n, p);
  printf("%d:", cudaDeviceSynchronize());
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i) printf(" %g", h[i]);
}
""")
        subprocess.run([NVCC, "-cudart", "shared", "-rdc=true", "-gencode", "arch=compute_90,code=[sm_90,compute_90]", "part.cu", "app.cu", "-o", "app"],
                       cwd=self.folder, check=True, stderr=subprocess.DEVNULL)
        from_ptx = self.run_command("emulate", "--level", "ptx", "-o", "", "./app", "--", "20", "16384")
        run = self.run_command("emulate", "--level", "sass", "-o", "", "./app", "--", "20", "16384")
        if run.status == 6 and "nvdisasm" in run.err:
            self.skipTest("nvdisasm is not installed")
        self.assertTrue(from_ptx.out.startswith("0: "), from_ptx.err)
        self.assertEqual((run.status, run.out), (0, from_ptx.out), run.err)
        # A thread's stack is as large as the program asks for; nobody asks for more than 1 KiB.
        run = self.run_command("emulate", "--level", "sass", "-o", "", "./app", "--", "20")
        self.assertTrue(run.out.startswith("700:"), run.out)
        self.assertIn("the stack has overflowed: a thread has 1024 bytes", run.err)
        self.assertIn("cudaLimitStackSize", run.err)

    def test_machine_code_launches_kernels(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""
#include <cstdio>
__global__ void child(int k, int* p) { atomicAdd(p, k * threadIdx.x); }
__global__ void parent(int* p) {
  if (threadIdx.x < 2) child<<<2, 32>>>(threadIdx.x + 1, p);
  if (threadIdx.x == 0) child<<<dim3(1, 2, 3), 16, 0, cudaStreamTailLaunch>>>(3, p + 1);
  p[2] = cudaGetLastError();
}
int main() {
  int *p, h[3];
  cudaMalloc(&p, sizeof h), cudaMemset(p, 0, sizeof h);
  parent<<<1, 32>>>(p);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %d", h[0], h[1], h[2]);
}
""")
        subprocess.run([NVCC, "-cudart", "shared", "-rdc=true", "-gencode", "arch=compute_90,code=[sm_90,compute_90]", "app.cu", "-lcudadevrt", "-o", "app"],
                       cwd=self.folder, check=True)
        from_ptx = self.run_command("emulate", "--level", "ptx", "-o", "", "./app")
        run = self.run_command("emulate", "--level", "sass", "-o", "", "./app")
        if run.status == 6 and "nvdisasm" in run.err:
            self.skipTest("nvdisasm is not installed")
        self.assertEqual(from_ptx.out, "2976 2160 0", from_ptx.err)
        self.assertEqual((run.status, run.out), (0, from_ptx.out), run.err)

    def test_what_a_warpgroup_reads_is_in_the_trace(self):
        source = os.path.join(SOURCE, "kernels", "micro", "wgmma_reads.cu")
        subprocess.run([NVCC, "-std=c++17", "-cudart", "shared", "-gencode", "arch=compute_90a,code=sm_90a", source, "-o", "reads"],
                       cwd=self.folder, check=True)
        run = self.run_command("emulate", "--level", "sass", "./reads")
        if run.status == 6 and "nvdisasm" in run.err:
            self.skipTest("nvdisasm is not installed")
        self.assertEqual(run.status, 0, run.err)
        # 64 and 8 columns of 16 halves, and B alone; each of four warps says so of all of them.
        for launch, size in ((8, 4096), (7, 2304), (6, 256)):
            dump = self.run_command("dump", "trace.wmt", "--launch", str(launch)).out
            self.assertEqual(len(re.findall(rf"product +shared +{size} +ffffffff +0x4400 ", dump)), 4 * 256)

    def test_machine_code_takes_large_parameters(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""
#include <cstdio>
struct Large { int v[8000]; };
__global__ void k(__grid_constant__ const Large large, int* out) { out[threadIdx.x] = large.v[7999 - threadIdx.x]; }
int main() {
  Large large;
  for (int i = 0; i < 8000; ++i) large.v[i] = 3 * i;
  int *out, h[32];
  cudaMalloc(&out, sizeof h);
  k<<<1, 32>>>(large, out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d", h[0], h[31]);
}
""")
        subprocess.run([NVCC, "-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90", "app.cu", "-o", "sass"], cwd=self.folder, check=True)
        run = self.run_command("emulate", "--level", "sass", "-o", "", "./sass")
        if run.status == 6 and "nvdisasm" in run.err:
            self.skipTest("nvdisasm is not installed")
        self.assertEqual((run.status, run.out), (0, "23997 23904"), run.err)

    def test_missing_ptx_names_the_flag(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n")
        subprocess.run([NVCC, "-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90", "app.cu", "-o", "sass"],
                       cwd=self.folder, check=True)
        self.assert_fails(self.run_command("emulate", "--level", "ptx", "./sass"), 2, "sm_90", "compute_90")
        # libcudadevrt.a has PTX and machine code for many GPUs, which is none of the program's.
        with open(self.path("app.cu"), "a", encoding="utf-8") as file:
            file.write("__global__ void parent() { k<<<1, 1>>>(); }\n")
        subprocess.run([NVCC, "-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90", "-rdc=true", "app.cu", "-lcudadevrt", "-o", "sass"],
                       cwd=self.folder, check=True)
        run = self.run_command("emulate", "--level", "ptx", "./sass")
        self.assertIn("only machine code for sm_90\n", run.err)
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n")
        subprocess.run([NVCC, "-cudart", "shared", "-arch=sm_80", "app.cu", "-o", "good"], cwd=self.folder, check=True)
        self.assertEqual(self.run_command("emulate", "./good").status, 0)

    def test_a_program_that_launches_nothing_has_its_own_status_and_no_trace(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write('#include <cstdio>\n__global__ void k() {}\nint main(int n, char**) { int v; cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0);\n'
                       '  if (n > 1) k<<<1, 1>>>();\n  printf("%d\\n", v); return cudaDeviceSynchronize(); }\n')
        run = self.run_command("emulate", "app.cu", "-o", "none.wmt")
        self.assertEqual((run.status, run.out), (0, "32\n"), run.err)
        self.assertIn("no kernel was launched", run.err)
        self.assertFalse(os.path.exists(self.path("none.wmt")))
        run = self.run_command("emulate", "app.cu", "--kernel", "other", "-o", "none.wmt", "--", "1")
        self.assertEqual(run.status, 2)
        self.assertIn("nothing was traced", run.err)

    def test_ptx_for_newer_gpus_runs_and_the_summary_says_so(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write('#include <cstdio>\n__global__ void k(int* p) { p[threadIdx.x] = threadIdx.x; }\n'
                       'int main() { int* p; cudaMallocManaged(&p, 128); k<<<1, 32>>>(p); cudaDeviceSynchronize();\n'
                       '  printf("%d\\n", p[31]); }\n')
        run = self.run_command("emulate", "--summary", "app.cu", "-arch=sm_120")
        self.assertEqual(run.status, 0, run.err)
        self.assertEqual(run.out, "31\n")
        self.assertIn("compute capability 12.0", run.err)
        self.assertIn("9.0", run.err)

    def test_products_of_cublas_and_numbers_of_curand_are_computed(self):
        if not os.path.exists(os.path.join(CUDA, "include", "cublas_v2.h")):
            self.skipTest("cuBLAS is not installed")
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <curand.h>
#include <cstdio>
#include <cmath>
__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  int i = threadIdx.x, j = blockIdx.x;  // column by column; b is transposed
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[l * m + i] * b[l * n + j];
  c[j * m + i] = 2 * sum + c[j * m + i];
}
int main() {
  const int m = 48, n = 20, k = 33;
  float *a, *b, *c, *d;
  cudaMalloc(&a, 4 * m * k), cudaMalloc(&b, 4 * n * k);
  cudaMallocManaged(&c, 4 * m * n), cudaMallocManaged(&d, 4 * m * n);
  curandGenerator_t random;
  int bad = curandCreateGenerator(&random, CURAND_RNG_PSEUDO_DEFAULT);
  bad += curandSetPseudoRandomGeneratorSeed(random, 7);
  bad += curandGenerateUniform(random, a, m * k), bad += curandGenerateNormal(random, b, n * k, 1, 2);
  bad += curandGenerateNormal(random, b, 3, 0, 1) != CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  for (int i = 0; i < m * n; ++i) c[i] = d[i] = i;
  product<<<n, m>>>(a, b, c, m, n, k);
  cublasHandle_t blas;
  const float two = 2, one = 1, minus = -1;
  bad += cublasCreate(&blas);
  bad += cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &two, a, m, b, n, &one, d, m);
  bad += cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &two, a, m - 1, b, n, &one, d, m) != 7;
  float norm = 0, sum = 0;
  int at = 0;
  bad += cublasSaxpy(blas, m * n, &minus, c, 1, d, 1), bad += cublasSnrm2(blas, m * n, d, 1, &norm);
  for (int i = 0; i < m * n; ++i) c[i] = i == 77 ? -5 : 1;
  bad += cublasIsamax(blas, m * n, c, 1, &at), bad += cublasSasum(blas, m * n, c, 1, &sum);
  // A triangle solved gives back what its product was made of.
  float triangle[] = {2, 1, 0, 4}, right[] = {3, 11}, *t, *x;
  cudaMallocManaged(&t, 16), cudaMallocManaged(&x, 8);
  cublasSetMatrix(2, 2, 4, triangle, 2, t, 2), cublasSetVector(2, 4, right, 1, x, 1);
  bad += cublasStrsm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 2, 1, &two, t, 2, x, 2);
  __half* h;
  cudaMallocManaged(&h, 24);
  for (int i = 0; i < 12; ++i) h[i] = __float2half(i);
  bad += cublasGemmEx(blas, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &one, h, CUDA_R_16F, 2, h + 4, CUDA_R_16F, 2, &one,
                      h + 8, CUDA_R_16F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  std::printf("%d %d %d %g %g %g %g\\n", bad, norm < 1e-3, at, sum, x[0], x[1], __half2float(h[11]));
  return cublasCgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1) != CUBLAS_STATUS_NOT_SUPPORTED;
}
""")
        run = self.run_command("emulate", "-o", "", "--summary", "app.cu", "-lcublas", "-lcurand")
        self.assertEqual((run.status, run.out), (0, "0 1 78 964 3 4.75 44\n"), run.err)
        self.assertIn("leave no records", run.err)
        self.assertIn("cublasCgemm_v2 is not emulated", run.err)

    def test_code_that_a_program_compiles_itself_is_run_as_ptx(self):
        if not os.path.exists(os.path.join(CUDA, "include", "nvrtc.h")):
            self.skipTest("NVRTC is not installed")
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("""
#include <cuda.h>
#include <nvrtc.h>
#include <cstdio>
#include <vector>
int main() {
  const char* source = "extern \\"C\\" __global__ void twice(float* p) { p[threadIdx.x] *= 2; }";
  const char* options[] = {"--gpu-architecture=sm_90"};
  nvrtcProgram program;
  std::size_t bytes = 0;
  nvrtcCreateProgram(&program, source, "twice.cu", 0, nullptr, nullptr);
  int bad = nvrtcCompileProgram(program, 1, options) + nvrtcGetCUBINSize(program, &bytes);
  std::vector<char> code(bytes);
  bad += nvrtcGetCUBIN(program, code.data());
  CUcontext context;
  CUmodule module;
  CUfunction twice;
  CUdeviceptr p;
  cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
  bad += cuModuleLoadData(&module, code.data()) + cuModuleGetFunction(&twice, module, "twice");
  bad += cuMemAlloc(&p, 128) + cuMemsetD32(p, 0x3fc00000, 32);
  void* arguments[] = {&p};
  float last = 0;
  bad += cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  bad += cuMemcpyDtoH(&last, p + 124, 4);
  std::printf("%d %g\\n", bad, last);
}
""")
        run = self.run_command("emulate", "-o", "", "app.cu", "-lcuda", "-lnvrtc")
        self.assertEqual((run.status, run.out), (0, "0 3\n"), run.err)

    def test_a_library_that_brings_machine_code_is_told_of(self):
        with open(self.path("library.cu"), "w", encoding="utf-8") as file:
            file.write("int draw() { return 7; }\n")
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write("int draw();\n__global__ void k() {}\n"
                       "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize() + draw() - 7; }\n")
        subprocess.run([NVCC, "-shared", "-cudart", "none", "-Xcompiler", "-fPIC", "-Xlinker", "-soname=libcufft.so.12",
                        "library.cu", "-o", "libcufft.so.12"], cwd=self.folder, check=True)
        subprocess.run([NVCC, "-cudart", "shared", "-arch=sm_80", "app.cu", "-Xlinker", "libcufft.so.12",
                        "-Xlinker", "-rpath=" + self.folder, "-o", "app"], cwd=self.folder, check=True)
        run = self.run_command("emulate", "./app")
        self.assertEqual(run.status, 0, run.err)
        self.assertIn("uses libcufft.so.12, which brings its kernels as machine code", run.err)

    def test_a_source_that_does_not_compile(self):
        with open(self.path("bad.cu"), "w", encoding="utf-8") as file:
            file.write("int main() { return undeclared; }\n")
        run = self.run_command("emulate", "bad.cu")
        self.assertEqual(run.status, 2)
        self.assertIn("undeclared", run.err)
        self.assertIn("nvcc could not compile", run.err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
