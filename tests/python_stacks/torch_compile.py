"""torch.compile: what Inductor makes Triton kernels of. Inputs come from the host, as PyTorch's own kernels are machine code."""

import torch
import torch.nn.functional as F

torch.manual_seed(1)
x, y = torch.randn(256, 256), torch.randn(256, 256)
w, b = torch.randn(256), torch.randn(256)


def check(name, function, *arguments):
    made = torch.compile(function)(*(a.cuda() for a in arguments)).cpu()
    print("right" if torch.allclose(made, function(*arguments), atol=1e-3) else "WRONG", name, flush=True)


check("pointwise", lambda a, c: torch.sin(a) * c + 1, x, y)
check("softmax", lambda a: torch.softmax(a, 1), x)
check("layer norm", lambda a, g, h: F.layer_norm(a, (256,), g, h), x, w, b)
check("transposed copy", lambda a: a.t().contiguous() + 0, x)
check("sum", lambda a: a.sum(1), x)
