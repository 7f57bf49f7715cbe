// The runtime's calls that the driver API is made of.
#pragma once

#include "emulate/cudart/abi.hpp"

namespace warpmem::cudart {

// CUDA_MEMCPY3D: the two sides have the same fields.
struct DriverCopy3DSide {
  std::size_t x, y, z, level;  // x in bytes
  int type;                    // 1 host, 2 device, 3 array, 4 either memory
  const void* host;
  unsigned long long device;
  Array* array;
  void* reserved;
  std::size_t pitch, height;
};
struct DriverCopy3D {
  DriverCopy3DSide from, to;
  std::size_t width, height, depth;  // bytes, rows, slices
};
// The same copy for the runtime; 0, or the error to return.
int to_copy_3d(const DriverCopy3D& copy, Copy3D& out);
DriverCopy3D from_copy_3d(const Copy3D& copy);

// The runtime has error codes of its own for some of what the driver calls an invalid value.
inline int driver_code(int code) {
  constexpr int kInvalidValue = 1, kNoFunction = 98, kInvalidHandle = 400;
  const bool shared = code < 9 || code == 34 || code == 36 || code == 46 || code >= 100;
  return shared ? code : code == kNoFunction ? kInvalidHandle : kInvalidValue;
}

// The card's: 90.
std::uint32_t compute_capability();

// Sets elements of 1, 2 or 4 bytes in rows `pitch` bytes apart; an error, or 0.
int fill_2d(unsigned long long to, std::size_t pitch, unsigned value, unsigned element,
            std::size_t width, std::size_t height, Stream* stream, bool waits);

struct DriverLaunchConfig {
  Dim grid, block;
  unsigned shared;
  Stream* stream;
  Attribute* attributes;
  unsigned attribute_count;
};
inline LaunchConfig to_launch_config(const DriverLaunchConfig& c) {
  return {c.grid, c.block, c.shared, c.stream, c.attributes, c.attribute_count};
}

extern "C" {
int cuCtxGetCurrent(void** context);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuModuleLoad(void** module, const char* path);
int cuModuleLoadDataEx(void** module, const void* image, unsigned count, void* options,
                       void** values);
int cuModuleGetGlobal_v2(unsigned long long* address, std::size_t* bytes, void* module,
                         const char* name);
int cuFuncGetAttribute(int* value, int which, void* function);
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, Stream* stream, void** arguments, void** extra);
int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, void* function,
                                     std::size_t (*shared_of)(int), std::size_t shared, int limit);

// Of ours alone. The allocation that holds the address:
int __cudaFindAllocation(const void* pointer, void** base, std::size_t* bytes);
void __cudaNote(const char* text);  // said at the end of the run, once
// Whether the program has kernels of the runtime's: then the primary context is current where no
// other is.
int __cudaHasKernels();
int warpmem_13_cudaDriverGetVersion(int* version);
int cudaGetDeviceCount(int* count);
int warpmem_13_cudaGetDeviceProperties(void* properties, int device);
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
int cudaLibraryGetKernelCount(unsigned* count, void* library);
int cudaLibraryEnumerateKernels(void** kernels, unsigned count, void* library);
int cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, void* library, const char* name);
int cudaLaunchKernel(const void* function, Dim grid, Dim block, void** arguments,
                     std::size_t shared, Stream* stream);
int cudaLaunchCooperativeKernel(const void* function, Dim grid, Dim block, void** arguments,
                                std::size_t shared, Stream* stream);
int cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments);
int cudaLaunchHostFunc(Stream* stream, HostFunction function, void* data);
int cudaFuncSetCacheConfig(const void* function, int config);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceGetCacheConfig(int* config);
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
int cudaMemcpy3D(const Copy3D* copy);
int cudaMemcpy3DAsync(const Copy3D* copy, Stream* stream);
int cudaMalloc3DArray(Array** array, const ChannelFormat* format, Extent extent, unsigned flags);
int cudaFreeArray(Array* array);
int cudaGetChannelDesc(ChannelFormat* format, const Array* array);
int cudaArrayGetInfo(ChannelFormat* format, Extent* extent, unsigned* flags, Array* array);
int cudaMallocMipmappedArray(MipmappedArray** out, const ChannelFormat* format, Extent extent,
                             unsigned levels, unsigned flags);
int cudaGetMipmappedArrayLevel(Array** level, const MipmappedArray* mipmap, unsigned number);
int cudaFreeMipmappedArray(MipmappedArray* mipmap);
int cudaCreateTextureObject(unsigned long long* out, const ResourceDescription* resource,
                            const TextureDescription* description, const ResourceView* view);
int cudaDestroyTextureObject(unsigned long long object);
int cudaGetTextureObjectResourceDesc(ResourceDescription* out, unsigned long long object);
int cudaCreateSurfaceObject(unsigned long long* out, const ResourceDescription* resource);
int cudaDestroySurfaceObject(unsigned long long object);
int cudaPointerGetAttributes(PointerAttributes* out, const void* pointer);
int cudaHostGetFlags(unsigned* flags, void* host);
int cudaMemPoolCreate(Pool** out, const PoolProperties* properties);
int cudaMemPoolDestroy(Pool* pool);
int cudaMemPoolTrimTo(Pool* pool, std::size_t bytes);
int cudaMemPoolSetAttribute(Pool* pool, int which, void* value);
int cudaMemPoolGetAttribute(Pool* pool, int which, void* value);
int cudaMemPoolSetAccess(Pool* pool, const AccessDescription* access, std::size_t count);
int cudaMemPoolGetAccess(int* flags, Pool* pool, MemoryLocation* location);
int cudaDeviceGetDefaultMemPool(Pool** pool, int device);
int cudaDeviceGetMemPool(Pool** pool, int device);
int cudaDeviceSetMemPool(int device, Pool* pool);
int cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, Pool* pool, Stream* stream);
int cudaMemRangeGetAttribute(void* data, std::size_t bytes, int which, const void* pointer,
                             std::size_t count);
int cudaStreamAttachMemAsync(Stream* stream, void* pointer, std::size_t bytes, unsigned flags);
int cudaFuncGetName(const char** name, const void* function);
int cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                         std::size_t* bytes);
int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int ctas,
                                              int threads);
int cudaOccupancyMaxPotentialClusterSize(int* ctas, const void* function,
                                         const LaunchConfig* config);
int cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const LaunchConfig* config);
int cudaStreamGetPriority(Stream* stream, int* priority);
int cudaStreamGetFlags(Stream* stream, unsigned* flags);
int cudaStreamGetId(Stream* stream, unsigned long long* id);
int cudaStreamGetDevice(Stream* stream, int* device);
int cudaStreamSetAttribute(Stream* stream, AttributeId which, const AttributeValue* value);
int cudaStreamGetAttribute(Stream* stream, AttributeId which, AttributeValue* value);
int cudaStreamCopyAttributes(Stream* to, Stream* from);
int cudaStreamAddCallback(Stream* stream, void (*callback)(Stream*, int, void*), void* data,
                          unsigned flags);
int cudaEventRecordWithFlags(Event* event, Stream* stream, unsigned flags);
int cudaStreamBeginCapture(Stream* stream, int mode);
int cudaStreamBeginCaptureToGraph(Stream* stream, Graph* graph, GraphNode* const* needs,
                                  const EdgeData* edges, std::size_t count, int mode);
int cudaStreamEndCapture(Stream* stream, Graph** graph);
int cudaStreamIsCapturing(Stream* stream, int* status);
int cudaThreadExchangeStreamCaptureMode(int* mode);
int cudaGraphClone(Graph** out, Graph* graph);
int cudaGraphNodeFindInClone(GraphNode** out, GraphNode* node, Graph* clone);
int cudaGraphGetNodes(Graph* graph, GraphNode** out, std::size_t* count);
int cudaGraphGetRootNodes(Graph* graph, GraphNode** out, std::size_t* count);
int cudaGraphNodeGetType(GraphNode* node, NodeType* type);
int cudaGraphDestroyNode(GraphNode* node);
int cudaGraphDebugDotPrint(Graph* graph, const char* path, unsigned flags);
int cudaGraphInstantiateWithParams(GraphExec** out, Graph* graph, InstantiateParams* params);
int cudaGraphExecGetFlags(GraphExec* exec, unsigned long long* flags);
int cudaGraphExecUpdate(GraphExec* exec, Graph* graph, UpdateResult* result);
int cudaGraphNodeSetEnabled(GraphExec* exec, GraphNode* node, unsigned enabled);
int cudaGraphNodeGetEnabled(GraphExec* exec, GraphNode* node, unsigned* enabled);
int cudaGraphUpload(GraphExec* exec, Stream* stream);
int cudaGraphAddMemcpyNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                           std::size_t count, const Copy3D* copy);
int cudaGraphAddHostNode(GraphNode** out, Graph* graph, GraphNode* const* needs, std::size_t count,
                         const HostParams* params);
int cudaGraphAddChildGraphNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                               std::size_t count, Graph* child);
int cudaGraphAddEmptyNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                          std::size_t count);
int cudaGraphAddEventRecordNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                                std::size_t count, Event* event);
int cudaGraphAddEventWaitNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                              std::size_t count, Event* event);
int cudaGraphAddMemAllocNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                             std::size_t count, AllocParams* params);
int cudaGraphAddMemFreeNode(GraphNode** out, Graph* graph, GraphNode* const* needs,
                            std::size_t count, void* pointer);
int cudaGraphKernelNodeSetParams(GraphNode* node, const KernelParams* params);
int cudaGraphKernelNodeGetParams(GraphNode* node, KernelParams* params);
int cudaGraphKernelNodeSetAttribute(GraphNode* node, AttributeId which,
                                    const AttributeValue* value);
int cudaGraphKernelNodeGetAttribute(GraphNode* node, AttributeId which, AttributeValue* value);
int cudaGraphKernelNodeCopyAttributes(GraphNode* to, GraphNode* from);
int cudaGraphMemsetNodeSetParams(GraphNode* node, const SetParams* params);
int cudaGraphMemsetNodeGetParams(GraphNode* node, SetParams* params);
int cudaGraphHostNodeSetParams(GraphNode* node, const HostParams* params);
int cudaGraphHostNodeGetParams(GraphNode* node, HostParams* params);
int cudaGraphChildGraphNodeGetGraph(GraphNode* node, Graph** graph);
int cudaGraphExecKernelNodeSetParams(GraphExec* exec, GraphNode* node, const KernelParams* params);
int cudaGraphExecMemsetNodeSetParams(GraphExec* exec, GraphNode* node, const SetParams* params);
int cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, GraphNode* node, const Copy3D* copy);
int cudaGraphExecHostNodeSetParams(GraphExec* exec, GraphNode* node, const HostParams* params);
int cudaGraphExecChildGraphNodeSetParams(GraphExec* exec, GraphNode* node, Graph* child);
int cudaGraphNodeSetParams(GraphNode* node, NodeParams* params);
int cudaGraphExecNodeSetParams(GraphExec* exec, GraphNode* node, NodeParams* params);
int cudaGraphMemcpyNodeSetParams(GraphNode* node, const Copy3D* copy);
int cudaGraphMemcpyNodeGetParams(GraphNode* node, Copy3D* copy);
int cudaGraphEventRecordNodeGetEvent(GraphNode* node, Event** event);
int cudaGraphEventRecordNodeSetEvent(GraphNode* node, Event* event);
int cudaGraphEventWaitNodeGetEvent(GraphNode* node, Event** event);
int cudaGraphEventWaitNodeSetEvent(GraphNode* node, Event* event);
int cudaGraphExecEventRecordNodeSetEvent(GraphExec* exec, GraphNode* node, Event* event);
int cudaGraphExecEventWaitNodeSetEvent(GraphExec* exec, GraphNode* node, Event* event);
int cudaGraphMemAllocNodeGetParams(GraphNode* node, AllocParams* params);
int cudaGraphMemFreeNodeGetParams(GraphNode* node, void* pointer);
int cudaGraphConditionalHandleCreate(unsigned long long* handle, Graph* graph, unsigned first,
                                     unsigned flags);
int cudaUserObjectCreate(UserObject** out, void* data, HostFunction destroy, unsigned count,
                         unsigned flags);
int cudaUserObjectRetain(UserObject* object, unsigned count);
int cudaUserObjectRelease(UserObject* object, unsigned count);
int cudaGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count, unsigned flags);
int cudaGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count);
int cudaDeviceGetPCIBusId(char* id, int length, int device);
int cudaDeviceGetByPCIBusId(int* device, const char* id);
int cudaDeviceGetGraphMemAttribute(int device, int which, void* value);
int cudaDeviceGraphMemTrim(int device);
int cudaCtxResetPersistingL2Cache();
int __cudaGraphChangeEdges(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                           std::size_t count, bool add);
int __cudaGraphAddNode(GraphNode** out, Graph* graph, GraphNode* const* needs, std::size_t count,
                       NodeParams* params);
int __cudaGraphEdges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count);
int __cudaGraphNeighbours(GraphNode* node, GraphNode** out, std::size_t* count, bool needs);
int __cudaStreamCaptureInfo(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                            GraphNode* const** needs, const EdgeData** edges, std::size_t* count);
const char* cudaGetErrorName(int code);
const char* cudaGetErrorString(int code);
int cudaGetDriverEntryPointByVersion(const char* name, void** out, unsigned version,
                                     unsigned long long flags, int* status);
int cudaGetDriverEntryPoint(const char* name, void** out, unsigned long long flags, int* status);
}

}  // namespace warpmem::cudart
