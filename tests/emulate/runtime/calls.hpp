// The CUDA runtime's calls that the tests make, declared in our own terms: no CUDA header is
// needed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/cudart/abi.hpp"

namespace warpmem::cudart {

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*,
                            void*, void*, void*, int*);
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes,
                       int, int);

int cudaMalloc(void** pointer, std::size_t bytes);
int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags);
int cudaMallocHost(void** pointer, std::size_t bytes);
int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
int cudaHostUnregister(void* pointer);
int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
int cudaMalloc3D(PitchedPointer* out, Extent extent);
int cudaMallocArray(Array** array, const ChannelFormat* format, std::size_t width,
                    std::size_t height, unsigned flags);
int cudaFreeArray(Array* array);
int cudaFree(void* pointer);
int cudaFreeHost(void* pointer);
int cudaMallocAsync(void** pointer, std::size_t bytes, Stream* stream);
int cudaFreeAsync(void* pointer, Stream* stream);
int cudaMemGetInfo(std::size_t* free, std::size_t* total);
int cudaPointerGetAttributes(PointerAttributes* out, const void* pointer);
int cudaMemcpy(void* to, const void* from, std::size_t bytes, CopyKind kind);
int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind kind, Stream* stream);
int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t width, std::size_t height, CopyKind kind);
int cudaMemcpy3D(const Copy3D* parameters);
int cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                       CopyKind kind);
int cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                         CopyKind kind);
int cudaGetSymbolSize(std::size_t* bytes, const void* symbol);
int cudaMemcpy2DToArray(Array* to, std::size_t x, std::size_t y, const void* from,
                        std::size_t pitch, std::size_t width, std::size_t height, CopyKind kind);
int cudaMemcpy2DFromArray(void* to, std::size_t pitch, const Array* from, std::size_t x,
                          std::size_t y, std::size_t width, std::size_t height, CopyKind kind);
int cudaMemset(void* to, int value, std::size_t bytes);
int cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height);
int cudaLaunchKernel(const void* function, Dim grid, Dim block, void** arguments,
                     std::size_t shared, Stream* stream);
int cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments);
int cudaLaunchCooperativeKernel(const void* function, Dim grid, Dim block, void** arguments,
                                std::size_t shared, Stream* stream);
int cudaLaunchHostFunc(Stream* stream, HostFunction function, void* data);
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaGetLastError();
int cudaPeekAtLastError();
const char* cudaGetErrorName(int code);
const char* cudaGetErrorString(int code);
int cudaGetDeviceCount(int* count);
int cudaSetDevice(int device);
int cudaGetDeviceProperties(void* out, int device);
int cudaDeviceGetAttribute(int* value, int which, int device);
int cudaFuncGetAttributes(FunctionAttributes* out, const void* function);
int cudaFuncSetAttribute(const void* function, int which, int value);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count, const void* function, int threads,
                                                  std::size_t shared);
int cudaStreamCreate(Stream** stream);
int cudaStreamDestroy(Stream* stream);
int cudaStreamSynchronize(Stream* stream);
int cudaStreamWaitEvent(Stream* stream, Event* event, unsigned flags);
int cudaStreamBeginCapture(Stream* stream, int mode);
int cudaStreamEndCapture(Stream* stream, Graph** graph);
int cudaEventCreate(Event** event);
int cudaEventCreateWithFlags(Event** event, unsigned flags);
int cudaEventRecord(Event* event, Stream* stream);
int cudaEventSynchronize(Event* event);
int cudaEventElapsedTime(float* ms, Event* start, Event* end);
int cudaGraphCreate(Graph** graph, unsigned flags);
int cudaGraphDestroy(Graph* graph);
int cudaGraphClone(Graph** out, Graph* original);
int cudaGraphConditionalHandleCreate(unsigned long long* handle, Graph* graph, unsigned first,
                                     unsigned flags);
int cudaGraphAddNode(GraphNode** out, Graph* graph, GraphNode* const* needs, const EdgeData*,
                     std::size_t count, NodeParams* params);
int cudaStreamBeginCaptureToGraph(Stream* stream, Graph* graph, GraphNode* const* needs,
                                  const EdgeData*, std::size_t count, int mode);
int cudaGraphAddKernelNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                           std::size_t count, const KernelParams* params);
int cudaGraphAddMemsetNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                           std::size_t count, const SetParams* params);
int cudaGraphAddMemAllocNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                             std::size_t count, AllocParams* params);
int cudaGraphAddMemFreeNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                            std::size_t count, void* pointer);
int cudaGraphAddEmptyNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                          std::size_t count);
int cudaGraphAddChildGraphNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                               std::size_t count, Graph* child);
int cudaGraphDestroyNode(GraphNode* node);
int cudaGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                const EdgeData*, std::size_t count);
int cudaGraphExecDestroy(GraphExec* exec);
int cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                             const EdgeData*, std::size_t count);
int cudaGraphGetNodes(Graph* graph, GraphNode** out, std::size_t* count);
int cudaGraphKernelNodeGetAttribute(GraphNode* node, AttributeId which, AttributeValue* value);
int cudaStreamSetAttribute(Stream* stream, AttributeId which, const AttributeValue* value);
int cudaGraphInstantiate(GraphExec** exec, Graph* graph, unsigned long long flags);
int cudaGraphExecKernelNodeSetParams(GraphExec* exec, GraphNode* node, const KernelParams* params);
int cudaGraphLaunch(GraphExec* exec, Stream* stream);
int cudaCreateTextureObject(unsigned long long* out, const ResourceDescription* resource,
                            const TextureDescription* description, const ResourceView* view);
int cudaDestroyTextureObject(unsigned long long object);
int cudaLibraryLoadData(void** library, const void* code, int*, void**, unsigned, int*, void**,
                        unsigned);
int cudaLibraryGetKernel(void** kernel, void* library, const char* name);
int cudaGetDevice(int* device);
int cudaMemAdvise(const void* pointer, std::size_t bytes, int what, MemoryLocation where);
int cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, MemoryLocation where,
                         unsigned flags, Stream* stream);
int cudaMemRangeGetAttribute(void* data, std::size_t bytes, int which, const void* pointer,
                             std::size_t count);
int cudaMemcpyBatchAsync(void** to, void** from, const std::size_t* bytes, std::size_t count, void*,
                         std::size_t*, std::size_t, Stream* stream);
int cudaFuncSetCacheConfig(const void* function, int config);
int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int ctas,
                                              int threads);
int cudaDeviceEnablePeerAccess(int device, unsigned flags);
int cudaThreadExchangeStreamCaptureMode(int* mode);
int cudaIpcGetMemHandle(void* handle, void* pointer);
}

}  // namespace warpmem::cudart
