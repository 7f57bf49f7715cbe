"""A kernel in TileLang, which nvcc compiles."""

import tilelang
import tilelang.language as T
import torch

N = 4096


@tilelang.jit
def make():
    @T.prim_func
    def add_one(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 256, threads=128) as block:
            for i in T.Parallel(256):
                B[block * 256 + i] = A[block * 256 + i] + 1.0

    return add_one


x, out = torch.arange(N).float().cuda(), torch.zeros(N).cuda()
make()(x, out)
print("right" if torch.equal(out.cpu(), torch.arange(N).float() + 1) else "WRONG", "add one", flush=True)
