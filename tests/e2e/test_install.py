"""cmake --install: a folder that can be moved, from which everything works; and the script of the GitHub action."""

import os
import shutil
import subprocess
import unittest

from harness import SOURCE, WARPMEM, CommandTest

BUILD = os.path.dirname(WARPMEM)
CMAKE = shutil.which("cmake")
NVCC = shutil.which(os.environ.get("NVCC", "nvcc")) or shutil.which("/usr/local/cuda/bin/nvcc")

APP = """#include <cstdio>
__global__ void copy(const float* a, float* b) { b[threadIdx.x] = a[STRIDE * threadIdx.x]; }
int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20);
  copy<<<1, 256>>>(a, b);
  return cudaDeviceSynchronize();
}
"""


class Install(CommandTest):
    def write_app(self):
        with open(self.path("app.cu"), "w", encoding="utf-8") as file:
            file.write(APP)

    @unittest.skipUnless(CMAKE and os.path.exists(os.path.join(BUILD, "cmake_install.cmake")), "needs cmake and its build folder")
    def test_the_folder_can_be_moved(self):
        done = subprocess.run([CMAKE, "--install", BUILD, "--prefix", self.path("first")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.rename(self.path("first"), self.path("moved"))
        root = self.path("moved")
        for file in ("bin/warpmem", "libexec/warpmem/cudart/libcudart.so.13", "share/man/man1/warpmem.1",
                     "share/bash-completion/completions/warpmem", "share/zsh/vendor-completions/_warpmem",
                     "share/fish/vendor_completions.d/warpmem.fish", "share/warpmem/cards/gpus/h200.toml",
                     "share/warpmem/reference/h200/aat_strided.wmt"):
            self.assertTrue(os.path.exists(os.path.join(root, file)), file)
        command = os.path.join(root, "bin/warpmem")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("WARPMEM")}

        def run(*words):
            out = subprocess.run([command, *words], capture_output=True, text=True, cwd=self.folder, env=clean)
            self.assertEqual(out.returncode, 0, (words, out.stderr))
            return out.stdout
        self.assertIn("replay", run("doctor"))
        reference = os.path.join(root, "share/warpmem/reference/h200/aat_strided.wmt")
        self.assertIn("sm__cycles_elapsed.max", run("replay", reference, "--format", "json"))
        if NVCC:
            self.write_app()
            run("emulate", "app.cu", "-DSTRIDE=1", "-o", "app.wmt")
            self.assertIn("copy", run("info", "app.wmt"))

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_the_action_fails_when_a_kernel_moves_more(self):
        self.write_app()

        def check(stride):
            return subprocess.run([os.path.join(SOURCE, ".github/check_traffic.sh")], capture_output=True, text=True,
                                  cwd=self.folder, timeout=120,
                                  env={**os.environ, "WARPMEM": WARPMEM, "INPUT_PROGRAM": f"app.cu -DSTRIDE={stride}",
                                       "INPUT_GOLDEN": "golden.json", "INPUT_FAIL_ON": "l2_sectors>+5%",
                                       "GITHUB_STEP_SUMMARY": self.path("summary.md"), "RUNNER_TEMP": self.folder})
        first = check(1)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertTrue(os.path.exists(self.path("golden.json")))
        self.assertEqual(check(1).returncode, 0)
        self.assertEqual(check(8).returncode, 1)
        with open(self.path("summary.md"), encoding="utf-8") as file:
            self.assertIn("applies: l2_sectors>+5%", file.read())


if __name__ == "__main__":
    unittest.main()
