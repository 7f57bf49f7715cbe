"""Warp: kernels that it compiles, and those of its own library, whose runtime is linked in and stripped."""

import numpy as np
import warp as wp

wp.config.quiet = True
wp.init()


@wp.kernel
def saxpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


N = 5000
x = np.arange(N, dtype=np.float32)
y = wp.ones(N, dtype=float, device="cuda")
filled = (y.numpy() == 1).all()
wp.launch(saxpy, dim=N, inputs=[2.0, wp.array(x, dtype=float, device="cuda")], outputs=[y], device="cuda")
total = wp.utils.array_sum(wp.ones(N, dtype=float, device="cuda"))
for name, right in (("ones", filled), ("saxpy", np.array_equal(y.numpy(), 2 * x + 1)), ("sum", total == N)):
    print("right" if right else "WRONG", name, flush=True)
