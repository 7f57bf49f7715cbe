"""Taichi on CUDA, not on the CPU to which it falls back by itself."""

import numpy as np
import taichi as ti

ti.init(arch=ti.cuda, offline_cache=False, log_level=ti.ERROR)
assert ti.lang.impl.current_cfg().arch == ti.cuda
N = 4096
x, y = ti.field(ti.f32, N), ti.field(ti.f32, N)
total = ti.field(ti.f32, ())


@ti.kernel
def saxpy(a: ti.f32):
    for i in x:
        y[i] = a * x[i] + y[i]


@ti.kernel
def add_up():
    for i in y:
        total[None] += y[i]


x.from_numpy(np.arange(N, dtype=np.float32))
y.fill(1)
saxpy(2.0)
values = y.to_numpy()
add_up()
for name, right in (("saxpy", np.array_equal(values, 2 * np.arange(N, dtype=np.float32) + 1)), ("sum", np.isclose(total[None], values.sum(), rtol=1e-5))):
    print("right" if right else "WRONG", name, flush=True)
