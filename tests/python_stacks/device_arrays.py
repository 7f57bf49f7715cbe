"""Arrays on the GPU by the driver alone: for stacks that take pointers, so that no other package is needed."""

import ctypes

import numpy as np

driver = ctypes.CDLL("libcuda.so.1")


def done(code):
    assert code == 0, f"the driver returned {code}"


done(driver.cuInit(0))
_context = ctypes.c_void_p()
done(driver.cuDevicePrimaryCtxRetain(ctypes.byref(_context), 0))
done(driver.cuCtxSetCurrent(_context))


class DeviceArray:
    """A copy of a NumPy array on the GPU."""

    def __init__(self, values):
        values = np.ascontiguousarray(values)
        self.shape, self.dtype, self.nbytes = values.shape, values.dtype, values.nbytes
        address = ctypes.c_uint64()
        done(driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(self.nbytes)))
        self.address = address.value
        done(driver.cuMemcpyHtoD_v2(ctypes.c_uint64(self.address), values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.nbytes)))

    def data_ptr(self):
        return self.address

    def numpy(self):
        values = np.empty(self.shape, self.dtype)
        done(driver.cuCtxSynchronize())
        done(driver.cuMemcpyDtoH_v2(values.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.address), ctypes.c_size_t(self.nbytes)))
        return values
