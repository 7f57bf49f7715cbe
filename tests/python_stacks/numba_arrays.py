"""Kernels in numba: element by element, through shared memory, atomics, reduction, vectorize, streams, random numbers."""

import warnings

import numpy as np
from numba import cuda, float32, vectorize
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

warnings.simplefilter("ignore")


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit(lineinfo=True)
def matmul(a, b, c):
    tile_a, tile_b = cuda.shared.array((16, 16), float32), cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(a.shape[1] // 16):
        tile_a[ty, tx] = a[y, tx + k * 16]
        tile_b[ty, tx] = b[ty + k * 16, x]
        cuda.syncthreads()
        for j in range(16):
            total += tile_a[ty, j] * tile_b[j, tx]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def histogram(values, counts):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(counts, values[i], 1)


@cuda.reduce
def total_of(a, b):
    return a + b


@vectorize(["float32(float32, float32)"], target="cuda")
def multiply(a, b):
    return a * b


@cuda.jit
def uniform(states, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = xoroshiro128p_uniform_float32(states, i)


def adds():
    x, y = np.arange(10000, dtype=np.float32), np.ones(10000, np.float32)
    z = cuda.device_array(10000, np.float32)
    add[40, 256](cuda.to_device(x), cuda.to_device(y), z)
    return np.array_equal(z.copy_to_host(), x + y)


def multiplies_matrices():
    a = np.random.default_rng(1).random((64, 64), np.float32)
    c = cuda.device_array((64, 64), np.float32)
    matmul[(4, 4), (16, 16)](cuda.to_device(a), cuda.to_device(a), c)
    return np.allclose(c.copy_to_host(), a @ a, atol=1e-3)


def counts():
    values = np.random.default_rng(1).integers(0, 32, 4096).astype(np.int32)
    found = cuda.to_device(np.zeros(32, np.int32))
    histogram[16, 256](cuda.to_device(values), found)
    return np.array_equal(found.copy_to_host(), np.bincount(values, minlength=32))


def in_a_stream():
    stream = cuda.stream()
    x = cuda.to_device(np.ones(512, np.float32), stream)
    z = cuda.device_array(512, np.float32, stream=stream)
    add[2, 256, stream](x, x, z)
    stream.synchronize()
    return (z.copy_to_host() == 2).all()


def random_numbers():
    out = cuda.device_array(256, np.float32)
    uniform[1, 256](create_xoroshiro128p_states(256, seed=1), out)
    values = out.copy_to_host()
    return 0 <= values.min() < values.max() < 1 and abs(values.mean() - 0.5) < 0.1


for name, right in (("add", adds()), ("matrices", multiplies_matrices()), ("histogram", counts()),
                    ("reduce", total_of(np.ones(1000)) == 1000), ("vectorize", (multiply(np.full(64, 2, np.float32), np.full(64, 3, np.float32)) == 6).all()),
                    ("stream", in_a_stream()), ("random", random_numbers())):
    print("right" if right else "WRONG", name, flush=True)
