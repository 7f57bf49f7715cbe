"""CuPy: raw kernels, element by element, reductions, CUB's sums."""

import cupy as cp
import numpy as np

x, y = np.arange(10000, dtype=np.float32), np.ones(10000, np.float32)
raw = cp.RawKernel(r"""extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}""", "saxpy")
out = cp.asarray(y)
raw((40,), (256,), (np.float32(2), cp.asarray(x), out, np.int32(10000)))
squares = cp.ElementwiseKernel("float32 x", "float32 y", "y = x * x", "squares")
norm = cp.ReductionKernel("float32 x", "float32 y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
steps = [("raw kernel", np.array_equal(out.get(), 2 * x + 1)), ("elementwise", np.array_equal(squares(cp.asarray(x)).get(), x * x)),
         ("every eighth", np.array_equal(squares(cp.asarray(x)[::8]).get(), x[::8] * x[::8])),
         ("reduction", np.isclose(float(norm(cp.asarray(y))), 100)), ("sum of rows", np.array_equal(cp.asarray(x.reshape(100, 100)).sum(1).get(), x.reshape(100, 100).sum(1))),
         ("scan", np.array_equal(cp.asarray(y).cumsum().get(), y.cumsum())), ("sort", np.array_equal(cp.sort(cp.asarray(x[::-1].copy())).get(), x)),
         ("largest", int(cp.asarray(x).argmax()) == 9999)]
for kind in (np.float32, np.float64, np.int32):
    for n in (100, 1000, 2048, 4096, 5000, 10000, 20000, 100000):
        steps.append((f"CUB's sum of {n} {np.dtype(kind).name}", cp.ones(n, kind).sum().get() == n))
for name, right in steps:
    print("right" if right else "WRONG", name, flush=True)
