"""tinygrad on its CUDA device: element by element, sum, softmax, a product of matrices, gradients."""

import numpy as np
from tinygrad import Device, Tensor

assert Device.DEFAULT == "CUDA", Device.DEFAULT
rng = np.random.default_rng(1)
a, b = rng.random((64, 64), np.float32), rng.random((64, 64), np.float32)
x = np.arange(4096, dtype=np.float32)


def gradient():
    w = Tensor(b)
    (Tensor(a) @ w).relu().sum().backward()
    return np.allclose(w.grad.numpy(), a.T @ np.ones((64, 64)), rtol=1e-4)


e = np.exp(a - a.max(1, keepdims=True))
for name, right in (("elementwise", np.array_equal((Tensor(x) + 1).numpy(), x + 1)), ("sum", np.isclose(Tensor(a).sum().numpy(), a.sum())),
                    ("softmax", np.allclose(Tensor(a).softmax().numpy(), e / e.sum(1, keepdims=True))),
                    ("matrices", np.allclose((Tensor(a) @ Tensor(b)).numpy(), a @ b, atol=1e-3)), ("gradient", gradient())):
    print("right" if right else "WRONG", name, flush=True)
