"""emulate --gpu NAME: the machine code, registers and limits of that GPU. What ptxas says of the code is asked of ptxas itself."""

import os
import re
import shutil
import subprocess
import unittest

from harness import SOURCE, CommandTest, is_sanitized

NVCC = shutil.which("nvcc") or (
    "/usr/local/cuda/bin/nvcc" if os.path.exists("/usr/local/cuda/bin/nvcc") else None)
NVDISASM = os.environ.get("WARPMEM_NVDISASM") or shutil.which("nvdisasm") or (
    "/usr/local/cuda/bin/nvdisasm" if os.path.exists("/usr/local/cuda/bin/nvdisasm") else None)
GPUS = (("t4", 75), ("a100_80", 80), ("rtx3090", 86), ("rtx4090", 89), ("h200", 90), ("b200", 100), ("rtx5090", 120))
PTX = """.version 8.0
.target %s
.address_size 64
.visible .entry copy(.param .u64 a, .param .u64 b) {
  .reg .b32 %%r<3>; .reg .b64 %%d<6>;
  ld.param.u64 %%d0, [a]; ld.param.u64 %%d1, [b];
  cvta.to.global.u64 %%d2, %%d0; cvta.to.global.u64 %%d3, %%d1;
  mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d4, %%r0, 4;
  add.s64 %%d2, %%d2, %%d4; add.s64 %%d3, %%d3, %%d4;
  ld.global.u32 %%r1, [%%d2]; st.global.u32 [%%d3], %%r1; ret; }
"""
LAUNCH = """entry = "copy"
grid = %s
block = %s
args = [ { buffer = "x", type = "u32", count = 1024 }, { buffer = "y", type = "u32", count = 1024 } ]
"""


class Checks(CommandTest):
    def assert_says(self, run, status, *words):
        self.assertEqual(run.status, status, run.err)
        for word in words:
            self.assertIn(word, run.err)

    def info(self, name="trace.wmt"):
        run = self.run_command("info", name, "--format", "json")
        self.assertEqual(run.status, 0, run.err)
        return run.json()


class OnePtxFile(Checks):
    """Needs no CUDA toolkit."""

    def emulate(self, target, gpu, *options, grid="1", block="128"):
        with open(self.path("k.ptx"), "w") as file:
            file.write(PTX % target)
        with open(self.path("l.toml"), "w") as file:
            file.write(LAUNCH % (grid, block))
        return self.run_command("emulate", "k.ptx", "--launch", "l.toml", "--force", "--gpu", gpu, *options)

    def test_ptx_of_a_newer_gpu_runs_as_on_the_cards(self):
        run = self.emulate("sm_120", "a100_80", "--level", "ptx", "--summary")
        self.assert_says(run, 0, "its PTX is for compute capability 12.0 and newer; it runs as what it would be on the card's 8.0")
        self.assertEqual(self.info()["origin"]["arch"], "sm_80")
        run = self.emulate("sm_70", "a100_80", "--level", "ptx", "--summary")
        self.assertNotIn("its PTX is for", run.err)

    def test_ptx_of_one_architecture_alone_is_refused_elsewhere(self):
        self.assert_says(self.emulate("sm_90a", "b200"), 2, "PTX for sm_90a runs on compute capability 9.0 alone, b200 has 10.0")
        self.assertEqual(self.emulate("sm_90a", "h200", "--level", "ptx").status, 0)

    def test_limits_are_the_cards(self):
        self.assert_says(self.emulate("sm_70", "8800gtx", block="768"), 2, "block.x is 768: 8800gtx allows 512")
        self.assert_says(self.emulate("sm_70", "c2050", grid="65536"), 2, "grid.x is 65536: c2050 allows 65535")
        self.assertEqual(self.emulate("sm_70", "h200", grid="65536", block="1").status, 0)

    def test_older_cards_get_traces_of_ptx(self):
        run = self.emulate("sm_75", "k40")
        self.assertEqual(run.status, 0, run.err)
        info = self.info()
        self.assertEqual(info["trace"]["level"], "ptx")
        self.assertEqual(info["origin"]["gpu"], "k40 (emulated)")
        self.assertEqual(self.run_command("replay", "trace.wmt", "--gpu", "k40").status, 0)


@unittest.skipIf(is_sanitized(), "a sanitizer cannot be loaded into another program")
@unittest.skipUnless(NVCC and NVDISASM, "needs nvcc and nvdisasm (a CUDA toolkit; WARPMEM_NVDISASM)")
class Sources(Checks):
    def ptxas_registers(self, source, kernel, arch):
        run = subprocess.run([NVCC, "-cubin", "-arch=sm_%d" % arch, "-O3", "-std=c++17", "-lineinfo", "-Xptxas", "-v", "-o", self.path("x.cubin"), source],
                             capture_output=True, text=True, check=True)
        at = run.stderr.index("Compiling entry function '%s'" % kernel)
        return int(re.search(r"Used (\d+) registers", run.stderr[at:]).group(1))

    def emulate(self, gpu, source, *words, nvcc=()):
        return self.run_command("emulate", "--gpu", gpu, "--force", "--summary", source, "-O3", "-std=c++17", *nvcc, "--", *words)

    def test_each_gpu_runs_its_own_machine_code_and_registers(self):
        source = os.path.join(SOURCE, "kernels/matmul.cu")
        for gpu, arch in GPUS:
            run = self.emulate(gpu, source, "--variant", "tiled16", "--size", "64")
            self.assertEqual(run.status, 0, run.err)
            self.assertNotIn("runs as PTX", run.err)
            info = self.info()
            self.assertEqual((info["trace"]["level"], info["origin"]["arch"]), ("sass", "sm_%d" % arch))
            launch = info["launches"][0]
            mangled = "_Z14matmul_tiled16PKfS0_Pfi"
            self.assertEqual(launch["registers"], self.ptxas_registers(source, mangled, arch), gpu)
            code = self.run_command("dump", "trace.wmt", "--program").out
            self.assertIn("LDG.E.CONSTANT" if "LDG.E.CONSTANT" in code else "LDG.E", code)
            self.assertEqual(".SYS" in code, arch == 75)  # Turing's nvdisasm text alone has it
            self.assertEqual(self.run_command("replay", "trace.wmt", "--gpu", gpu, "--format", "json").status, 0)

    def test_code_of_the_same_major_capability_is_loaded(self):
        source = os.path.join(SOURCE, "kernels/vector_copy.cu")
        both = ("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_80,code=compute_80")
        for gpu, arch in (("a100_80", "sm_80"), ("rtx3090", "sm_80"), ("rtx4090", "sm_80"), ("h200", "sm_90")):
            run = subprocess.run([NVCC, *both, "-O3", "-std=c++17", "-cudart", "shared", "-o", self.path("app"), source], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            run = self.run_command("emulate", "--gpu", gpu, "--force", "./app", "--", "--variant", "b4", "--size", "4096")
            self.assertEqual(run.status, 0, run.err)
            self.assertEqual(self.info()["origin"]["arch"], arch, gpu)

    def test_older_gpus_get_ptx_with_their_limit_of_registers(self):
        source = os.path.join(SOURCE, "kernels/matmul.cu")
        for gpu, most in (("v100", 255), ("k40", 255), ("c2050", 63), ("8800gtx", 128)):
            run = self.emulate(gpu, source, "--variant", "tiled16", "--size", "64")
            self.assert_says(run, 0, "runs as PTX", "at most %d registers a thread" % most)
            info = self.info()
            self.assertEqual(info["trace"]["level"], "ptx")
            self.assertTrue(any("which this ptxas does not make" in line for line in info["origin"]["unseen"]), info["origin"])
            self.assertLessEqual(info["launches"][0]["registers"], most)
            self.assertEqual(self.run_command("replay", "trace.wmt", "--gpu", gpu).status, 0)

    def test_older_gpus_run_the_code_of_turing_where_it_is_asked_for_and_the_trace_says_so(self):
        run = self.run_command("emulate", "--gpu", "v100", "--level", "sass", "--force", os.path.join(SOURCE, "kernels/matmul.cu"),
                               "-O3", "-std=c++17", "--", "--variant", "tiled16", "--size", "64")
        self.assertEqual(run.status, 0, run.err)
        info = self.info()
        self.assertEqual((info["trace"]["level"], info["origin"]["arch"]), ("sass", "sm_75"))
        self.assertTrue(any("what ran is that of 7.5" in line for line in info["origin"]["unseen"]), info["origin"])

    def test_a_module_of_ptx_alone_is_compiled_once(self):
        source = os.path.join(SOURCE, "kernels/vector_copy.cu")
        subprocess.run([NVCC, "-gencode", "arch=compute_80,code=compute_80", "-O3", "-std=c++17", "-cudart", "shared", "-o", self.path("app"), source],
                       check=True)
        cache = {"WARPMEM_CACHE": self.path("cache")}
        words = ("emulate", "--force", "./app", "--", "--variant", "b4", "--size", "4096")
        self.assertEqual(self.run_command(*words, env=cache).status, 0)
        self.assertEqual((self.info()["trace"]["level"], self.info()["origin"]["arch"]), ("sass", "sm_90"))
        kept = sorted(os.listdir(self.path("cache")))
        self.assertEqual(len(kept), 2)  # what ptxas made, and what nvdisasm printed of it
        self.assertEqual(self.run_command(*words, env=cache).status, 0)
        self.assertEqual(sorted(os.listdir(self.path("cache"))), kept)

    def test_the_program_sees_the_cards_properties(self):
        with open(self.path("p.cu"), "w") as file:
            file.write("""#include <cstdio>
int main() {
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return 1;
  std::printf("%s|%d.%d|%d|%zu|%zu|%d|%d|%d|%d|%d\\n", p.name, p.major, p.minor, p.multiProcessorCount, p.sharedMemPerBlock,
              p.sharedMemPerMultiprocessor, p.regsPerMultiprocessor, p.maxThreadsPerMultiProcessor, p.maxThreadsPerBlock,
              p.maxGridSize[0], p.maxBlocksPerMultiProcessor);
}
""")
        expected = {  # CUDA programming guides, technical specifications; white papers
            "8800gtx": "GeForce 8800 GTX|1.0|16|16384|16384|8192|768|512|65535|8",
            "c2050": "Tesla C2050|2.0|14|49152|49152|32768|1536|1024|65535|8",
            "k40": "Tesla K40|3.5|15|49152|49152|65536|2048|1024|2147483647|16",
            "v100": "Tesla V100 SXM2|7.0|80|49152|98304|65536|2048|1024|2147483647|32",
            "t4": "Tesla T4|7.5|40|49152|65536|65536|1024|1024|2147483647|16",
            "a100_80": "A100 SXM4 80 GB|8.0|108|49152|167936|65536|2048|1024|2147483647|32",
            "rtx4090": "GeForce RTX 4090|8.9|128|49152|102400|65536|1536|1024|2147483647|24"}
        for gpu, line in expected.items():
            run = self.run_command("emulate", "--gpu", gpu, "-o", "", "p.cu")
            self.assertEqual(run.status, 0, run.err)
            self.assertEqual(run.out.strip(), line)

    def test_a_launch_that_needs_too_many_registers_is_cudas_error(self):
        with open(self.path("r.cu"), "w") as file:
            file.write("""#include <cstdio>
__global__ void many(float* x) {
  float v[100];
#pragma unroll
  for (int k = 0; k < 100; ++k) v[k] = x[k * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 100; ++k) x[k * 1024 + threadIdx.x] = v[99 - k] * v[(k * 7) % 100];
}
int main() {
  float* x;
  cudaMalloc(&x, 100 * 1024 * 4);
  many<<<1, 1024>>>(x);
  std::printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
}
""")
        run = self.run_command("emulate", "--gpu", "t4", "-o", "", "r.cu", "-O3")
        self.assertEqual(run.out.strip(), "cudaErrorLaunchOutOfResources", run.err)


if __name__ == "__main__":
    unittest.main()
