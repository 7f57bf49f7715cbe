"""PyCUDA: a kernel that nvcc compiles to machine code, arrays, a reduction."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

x, y = np.arange(5000, dtype=np.float32), np.ones(5000, np.float32)
kernel = SourceModule("""__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}""").get_function("saxpy")
on_gpu = gpuarray.to_gpu(y)
kernel(np.float32(2), gpuarray.to_gpu(x), on_gpu, np.int32(5000), grid=(20, 1), block=(256, 1, 1))
for name, right in (("kernel", np.array_equal(on_gpu.get(), 2 * x + 1)), ("arrays", np.array_equal((2 * gpuarray.to_gpu(x) + 1).get(), 2 * x + 1)),
                    ("sum", gpuarray.sum(gpuarray.to_gpu(y)).get() == 5000)):
    print("right" if right else "WRONG", name, flush=True)
