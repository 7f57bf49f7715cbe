"""Four kernels in Triton, without PyTorch: prints a line for each that is right."""

import numpy as np
import triton
import triton.language as tl
from device_arrays import DeviceArray


@triton.jit
def add_kernel(x, y, z, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    m = o < n
    tl.store(z + o, tl.load(x + o, mask=m) + tl.load(y + o, mask=m), mask=m)


@triton.jit
def softmax_kernel(x, y, stride, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * stride + c, mask=m, other=-float("inf"))
    v = tl.exp(v - tl.max(v, 0))
    tl.store(y + r * stride + c, v / tl.sum(v, 0), mask=m)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc += tl.dot(tl.load(a + rm[:, None] * K + (k + rk)[None, :]), tl.load(b + (k + rk)[:, None] * N + rn[None, :]))
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


TYPES = {np.dtype("float32"): "fp32", np.dtype("float16"): "fp16"}


class Pointer(DeviceArray):
    """What Triton asks of an argument: its address, and the type of what lies there."""

    def __init__(self, values):
        super().__init__(values)
        self.dtype_of_numpy, self.dtype = self.dtype, TYPES[self.dtype]

    def numpy(self):
        self.dtype = self.dtype_of_numpy
        return super().numpy()


def add():
    n = 5120
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    z = Pointer(np.zeros(n, np.float32))
    add_kernel[(triton.cdiv(n, 1024),)](Pointer(x), Pointer(y), z, n, B=1024)
    return np.array_equal(z.numpy(), x + y)


def softmax():
    x = np.random.default_rng(1).standard_normal((16, 200), np.float32)
    y = Pointer(np.zeros_like(x))
    softmax_kernel[(16,)](Pointer(x), y, 200, 200, B=256)
    e = np.exp(x - x.max(1, keepdims=True))
    return np.allclose(y.numpy(), e / e.sum(1, keepdims=True), atol=1e-6)


def matmul(kind):
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((64, 64)).astype(kind), rng.standard_normal((64, 64)).astype(kind)
    c = Pointer(np.zeros((64, 64), np.float32))
    matmul_kernel[(2, 2)](Pointer(a), Pointer(b), c, 64, 64, 64, BM=32, BN=32, BK=32)
    return np.allclose(c.numpy(), a.astype(np.float32) @ b.astype(np.float32), atol=0.1)


for name, right in (("add", add()), ("softmax", softmax()), ("matmul fp16", matmul(np.float16)), ("matmul tf32", matmul(np.float32))):
    print("right" if right else "WRONG", name, flush=True)
