// The runtime's calls that the driver API is made of, as libcuda.so.1 imports them.
#pragma once

#include "traces/emulate/runtime/abi.hpp"

namespace warpmem::cudart {

extern "C" {
int cudaDriverGetVersion(int* version);
int cudaGetDeviceCount(int* count);
int cudaGetDeviceProperties(void* properties, int device);
int cudaDeviceGetAttribute(int* value, int which, int device);
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaDeviceSetLimit(int which, std::size_t value);
int cudaDeviceGetLimit(std::size_t* value, int which);
int cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
int cudaMemGetInfo(std::size_t* free, std::size_t* total);
int cudaLibraryLoadData(void** library, const void* code, int*, void**, unsigned, int*, void**,
                        unsigned);
int cudaLibraryLoadFromFile(void** library, const char* path, int*, void**, unsigned, int*, void**,
                            unsigned);
int cudaLibraryUnload(void* library);
int cudaLibraryGetKernel(void** kernel, void* library, const char* name);
int cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, void* library, const char* name);
int cudaLaunchKernel(const void* function, Dim grid, Dim block, void** arguments,
                     std::size_t shared, Stream* stream);
int cudaLaunchCooperativeKernel(const void* function, Dim grid, Dim block, void** arguments,
                                std::size_t shared, Stream* stream);
int cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments);
int cudaLaunchHostFunc(Stream* stream, HostFunction function, void* data);
int cudaFuncSetAttribute(const void* function, int which, int value);
int cudaFuncGetAttributes(FunctionAttributes* out, const void* function);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count, const void* function, int threads,
                                                  std::size_t shared);
int cudaMalloc(void** pointer, std::size_t bytes);
int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags);
int cudaMallocHost(void** pointer, std::size_t bytes);
int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
int cudaHostGetDevicePointer(void** device, void* pointer, unsigned flags);
int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
int cudaHostUnregister(void* pointer);
int cudaFree(void* pointer);
int cudaFreeHost(void* pointer);
int cudaMallocAsync(void** pointer, std::size_t bytes, Stream* stream);
int cudaFreeAsync(void* pointer, Stream* stream);
int cudaMemcpy(void* to, const void* from, std::size_t bytes, CopyKind kind);
int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind kind, Stream* stream);
int cudaMemset(void* to, int value, std::size_t bytes);
int cudaMemsetAsync(void* to, int value, std::size_t bytes, Stream* stream);
int cudaStreamCreateWithFlags(Stream** stream, unsigned flags);
int cudaStreamCreateWithPriority(Stream** stream, unsigned flags, int priority);
int cudaStreamDestroy(Stream* stream);
int cudaStreamSynchronize(Stream* stream);
int cudaStreamQuery(Stream* stream);
int cudaStreamWaitEvent(Stream* stream, Event* event, unsigned flags);
int cudaEventCreateWithFlags(Event** event, unsigned flags);
int cudaEventRecord(Event* event, Stream* stream);
int cudaEventSynchronize(Event* event);
int cudaEventQuery(Event* event);
int cudaEventDestroy(Event* event);
int cudaEventElapsedTime(float* ms, Event* begin, Event* end);
int cudaGraphCreate(Graph** graph, unsigned flags);
int cudaGraphDestroy(Graph* graph);
int cudaGraphAddMemsetNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                           std::size_t count, const SetParams* params);
int cudaGraphAddKernelNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                           std::size_t count, const KernelParams* params);
int cudaGraphInstantiate(GraphExec** exec, Graph* graph, unsigned long long flags);
int cudaGraphLaunch(GraphExec* exec, Stream* stream);
int cudaGraphExecDestroy(GraphExec* exec);
const char* cudaGetErrorName(int code);
const char* cudaGetErrorString(int code);
int cudaGetDriverEntryPoint(const char* name, void** out, unsigned long long flags, int* status);
}

}  // namespace warpmem::cudart
