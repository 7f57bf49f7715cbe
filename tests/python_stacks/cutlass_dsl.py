"""A kernel in CUTLASS's DSL, whose compiler is part of it; memory from the driver."""

import cutlass
import cutlass.cute as cute
import numpy as np
from cutlass.cute.runtime import make_ptr
from device_arrays import DeviceArray

N = 4096


@cute.kernel
def add_one(source: cute.Tensor, target: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    threads, _, _ = cute.arch.block_dim()
    i = block * threads + thread
    target[i] = source[i] + 1.0


@cute.jit
def run(source: cute.Pointer, target: cute.Pointer):
    layout = cute.make_layout(N)
    add_one(cute.make_tensor(source, layout), cute.make_tensor(target, layout)).launch(grid=[N // 128, 1, 1], block=[128, 1, 1])


x = np.arange(N, dtype=np.float32)
source, target = DeviceArray(x), DeviceArray(np.zeros_like(x))
run(*(make_ptr(cutlass.Float32, a.address, cute.AddressSpace.gmem, assumed_align=16) for a in (source, target)))
print("right" if np.array_equal(target.numpy(), x + 1) else "WRONG", "add one", flush=True)
