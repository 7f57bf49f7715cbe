"""A kernel in Helion."""

import helion
import helion.language as hl
import torch


@helion.kernel(config=helion.Config(block_sizes=[256]))
def add_one(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile] = x[tile] + 1
    return out


x = torch.arange(4096).float()
print("right" if torch.equal(add_one(x.cuda()).cpu(), x + 1) else "WRONG", "add one", flush=True)
