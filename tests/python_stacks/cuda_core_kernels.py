"""cuda-bindings and cuda-core with NVRTC: PTX and machine code, each loaded and launched."""

import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""extern "C" __global__ void saxpy(float a, const float* x, float* y, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}"""
N = 5000


def done(answer):
    assert int(answer[0]) == 0, answer[0]
    return answer[1] if len(answer) == 2 else answer[1:]


def with_bindings(arch):
    done(driver.cuInit(0))
    done(driver.cuCtxSetCurrent(done(driver.cuDevicePrimaryCtxRetain(done(driver.cuDeviceGet(0))))))
    program = done(nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"saxpy.cu", 0, [], []))
    done(nvrtc.nvrtcCompileProgram(program, 2, [b"--gpu-architecture=" + arch, b"-lineinfo"]))
    size, get = ((nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN) if arch.startswith(b"sm_") else
                 (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX))
    code = b" " * done(size(program))
    done(get(program, code))
    kernel = done(driver.cuModuleGetFunction(done(driver.cuModuleLoadData(code)), b"saxpy"))
    x, y = np.arange(N, dtype=np.float32), np.ones(N, np.float32)
    at = [done(driver.cuMemAlloc(v.nbytes)) for v in (x, y)]
    for address, v in zip(at, (x, y)):
        done(driver.cuMemcpyHtoD(address, v.ctypes.data, v.nbytes))
    arguments = ((2.0, int(at[0]), int(at[1]), N), (ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t))
    done(driver.cuLaunchKernel(kernel, 20, 1, 1, 256, 1, 1, 0, 0, arguments, 0))
    result = np.empty_like(y)
    done(driver.cuMemcpyDtoH(result.ctypes.data, at[1], result.nbytes))
    return np.array_equal(result, 2 * x + 1)


def with_core(kind):
    device = Device()
    device.set_current()
    stream = device.create_stream()
    arch = "sm_" + "".join(str(part) for part in device.compute_capability)
    kernel = Program(SOURCE, "c++", ProgramOptions(arch=arch, lineinfo=True)).compile(kind).get_kernel("saxpy")
    x, y = np.arange(N, dtype=np.float32), np.ones(N, np.float32)
    at = [device.allocate(v.nbytes, stream=stream) for v in (x, y)]
    for buffer, v in zip(at, (x, y)):
        done(driver.cuMemcpyHtoD(int(buffer.handle), v.ctypes.data, v.nbytes))
    launch(stream, LaunchConfig(grid=20, block=256), kernel, np.float32(2), at[0], at[1], np.uint64(N))
    stream.sync()
    result = np.empty_like(y)
    done(driver.cuMemcpyDtoH(result.ctypes.data, int(at[1].handle), result.nbytes))
    return np.array_equal(result, 2 * x + 1)


for name, right in (("bindings, PTX", with_bindings(b"compute_90")), ("bindings, machine code", with_bindings(b"sm_90")),
                    ("core, PTX", with_core("ptx")), ("core, machine code", with_core("cubin"))):
    print("right" if right else "WRONG", name, flush=True)
