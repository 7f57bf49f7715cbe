// What differs between the libraries for CUDA 12 and 13: compiled once for each, WARPMEM_CUDART =
// 12, 13.
#include <cstdint>
#include <utility>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/device.hpp"
#include "emulate/cudart/graph.hpp"
#include "emulate/cudart/handles.hpp"
#include "emulate/cudart/versioned_names.hpp"
#include "host/pages/density.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

extern "C" int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind kind,
                               Stream* stream);

namespace {

Code version(int* out) {
  if (!out) return remember(kInvalidValue);
  *out = WARPMEM_CUDART == 12 ? 12090 : 13000;
  return kSuccess;
}

Code properties(void* out, int device) {
  return api([&](Runtime& r) {
    if (!out) return kInvalidValue;
    if (device != 0) return kInvalidDevice;
    if (WARPMEM_CUDART == 12) fill_properties_12(r.device(), out);
    else fill_properties_13(r.device(), out);
    return kSuccess;
  });
}

// Hints about where managed memory should lie: there is one memory here, but what was said is
// remembered. A location is a device's number, or -1 for the host.
template <class F>
Code hint(const void* pointer, std::size_t bytes, Stream* handle, F&& take) {
  return api([&](Runtime& r) {
    const auto at = reinterpret_cast<std::uint64_t>(pointer);
    const emulate::Region* region = r.memory.find(at);
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (!region || region->kind != trace::AllocationKind::kManaged || bytes == 0 ||
        bytes > region->bytes - (at - region->base))
      return kInvalidValue;
    take(r, *stream, r.advice[region->base]);
    return kSuccess;
  });
}
int number(MemoryLocation location) { return location.type == 1 ? location.id : -1; }
Code advise(const void* pointer, std::size_t bytes, int what, int where) {
  if (what < 1 || what > 6) return remember(kInvalidValue);
  if (where > 0) return remember(kInvalidDevice);
  return hint(pointer, bytes, nullptr, [&](Runtime&, Stream&, Advice& a) {
    const bool set = what % 2 == 1;
    if (what <= 2) a.read_mostly = set;
    else if (what <= 4) a.preferred = set ? where : Advice::kNowhere;
    else (where < 0 ? a.by_host : a.by_gpu) = set;
  });
}
Code prefetch(const void* pointer, std::size_t bytes, int where, Stream* stream) {
  if (where > 0) return remember(kInvalidDevice);
  return hint(pointer, bytes, stream, [&](Runtime& r, Stream& s, Advice& a) {
    if (std::exchange(a.prefetched, where) == where || s.capture) return;
    host::Operation what;
    what.step = host::Step::kCopy;
    what.from = where < 0 ? host::Place::kManaged : host::Place::kPinned;
    what.to = where < 0 ? host::Place::kPinned : host::Place::kManaged;
    what.bytes = bytes;
    what.rows = (bytes + host::kBlockBytes - 1) / host::kBlockBytes;
    follow_default(r, s);
    r.issue(s, what);
  });
}

// Copies that may run in any order: one after the other.
Code copy_batch(void** to, void** from, const std::size_t* bytes, std::size_t count,
                std::size_t* failed, Stream* stream) {
  if (failed) *failed = ~std::size_t{0};
  if (!to || !from || !bytes || count == 0) return remember(kInvalidValue);
  for (std::size_t i = 0; i < count; ++i)
    if (const auto code =
            static_cast<Code>(cudaMemcpyAsync(to[i], from[i], bytes[i], kCopyDefault, stream));
        code != kSuccess) {
      if (failed) *failed = i;
      return code;
    }
  return kSuccess;
}

}  // namespace

extern "C" {

int cudaDriverGetVersion(int* out) {
  return out ? (*out = kDriverVersion, kSuccess) : remember(kInvalidValue);
}
int cudaRuntimeGetVersion(int* out) { return version(out); }
int cudaGetDeviceProperties(void* out, int device) { return properties(out, device); }

#if WARPMEM_CUDART == 12

int cudaMemAdvise(const void* pointer, std::size_t bytes, int what, int where) {
  return advise(pointer, bytes, what, where);
}
int cudaMemAdvise_v2(const void* pointer, std::size_t bytes, int what, MemoryLocation where) {
  return advise(pointer, bytes, what, number(where));
}
int cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int where, Stream* stream) {
  return prefetch(pointer, bytes, where, stream);
}
int cudaMemPrefetchAsync_v2(const void* pointer, std::size_t bytes, MemoryLocation where, unsigned,
                            Stream* stream) {
  return prefetch(pointer, bytes, number(where), stream);
}
int cudaMemcpyBatchAsync(void** to, void** from, std::size_t* bytes, std::size_t count, void*,
                         std::size_t*, std::size_t, std::size_t* failed, Stream* stream) {
  return copy_batch(to, from, bytes, count, failed, stream);
}
int cudaGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return graph_edges(graph, from, to, count);
}
int cudaGraphGetEdges_v2(Graph* graph, GraphNode** from, GraphNode** to, EdgeData*,
                         std::size_t* count) {
  return graph_edges(graph, from, to, count);
}
int cudaGraphNodeGetDependencies(GraphNode* node, GraphNode** out, std::size_t* count) {
  return graph_needs(node, out, count);
}
int cudaGraphNodeGetDependencies_v2(GraphNode* node, GraphNode** out, EdgeData*,
                                    std::size_t* count) {
  return graph_needs(node, out, count);
}
int cudaGraphNodeGetDependentNodes(GraphNode* node, GraphNode** out, std::size_t* count) {
  return graph_dependents(node, out, count);
}
int cudaGraphNodeGetDependentNodes_v2(GraphNode* node, GraphNode** out, EdgeData*,
                                      std::size_t* count) {
  return graph_dependents(node, out, count);
}
int cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                             std::size_t count) {
  return graph_change_edges(graph, from, to, count, true);
}
int cudaGraphAddDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                const EdgeData*, std::size_t count) {
  return graph_change_edges(graph, from, to, count, true);
}
int cudaGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                std::size_t count) {
  return graph_change_edges(graph, from, to, count, false);
}
int cudaGraphRemoveDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                   const EdgeData*, std::size_t count) {
  return graph_change_edges(graph, from, to, count, false);
}
int cudaStreamGetCaptureInfo(Stream* stream, int* status, unsigned long long* id) {
  return stream_capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
int cudaStreamGetCaptureInfo_v2(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                                GraphNode* const** needs, std::size_t* count) {
  return stream_capture_info(stream, status, id, graph, needs, nullptr, count);
}
int cudaStreamGetCaptureInfo_v3(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                                GraphNode* const** needs, const EdgeData** edges,
                                std::size_t* count) {
  return stream_capture_info(stream, status, id, graph, needs, edges, count);
}
int cudaStreamUpdateCaptureDependencies(Stream* stream, GraphNode* const* needs, std::size_t count,
                                        unsigned flags) {
  return stream_update_dependencies(stream, needs, count, flags);
}
int cudaStreamUpdateCaptureDependencies_v2(Stream* stream, GraphNode* const* needs, const EdgeData*,
                                           std::size_t count, unsigned flags) {
  return stream_update_dependencies(stream, needs, count, flags);
}
int cudaGraphAddNode(GraphNode** out, Graph* graph, GraphNode* const* needs, std::size_t count,
                     NodeParams* params) {
  return graph_add_node(out, graph, needs, count, params);
}
int cudaGraphAddNode_v2(GraphNode** out, Graph* graph, GraphNode* const* needs, const EdgeData*,
                        std::size_t count, NodeParams* params) {
  return graph_add_node(out, graph, needs, count, params);
}
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaDeviceSetLimit(int which, std::size_t value);
int cudaDeviceGetLimit(std::size_t* value, int which);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceGetCacheConfig(int* config);
// The names of CUDA 3.
int cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
int cudaThreadExit() { return cudaDeviceReset(); }
int cudaThreadSetLimit(int which, std::size_t value) { return cudaDeviceSetLimit(which, value); }
int cudaThreadGetLimit(std::size_t* value, int which) { return cudaDeviceGetLimit(value, which); }
int cudaThreadSetCacheConfig(int config) { return cudaDeviceSetCacheConfig(config); }
int cudaThreadGetCacheConfig(int* config) { return cudaDeviceGetCacheConfig(config); }

#else

int cudaMemAdvise(const void* pointer, std::size_t bytes, int what, MemoryLocation where) {
  return advise(pointer, bytes, what, number(where));
}
int cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, MemoryLocation where, unsigned,
                         Stream* stream) {
  return prefetch(pointer, bytes, number(where), stream);
}
int cudaMemcpyBatchAsync(void** to, void** from, const std::size_t* bytes, std::size_t count, void*,
                         std::size_t*, std::size_t, Stream* stream) {
  return copy_batch(to, from, bytes, count, nullptr, stream);
}
int cudaGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, EdgeData*,
                      std::size_t* count) {
  return graph_edges(graph, from, to, count);
}
int cudaGraphNodeGetDependencies(GraphNode* node, GraphNode** out, EdgeData*, std::size_t* count) {
  return graph_needs(node, out, count);
}
int cudaGraphNodeGetDependentNodes(GraphNode* node, GraphNode** out, EdgeData*,
                                   std::size_t* count) {
  return graph_dependents(node, out, count);
}
int cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                             const EdgeData*, std::size_t count) {
  return graph_change_edges(graph, from, to, count, true);
}
int cudaGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                const EdgeData*, std::size_t count) {
  return graph_change_edges(graph, from, to, count, false);
}
int cudaStreamGetCaptureInfo(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                             GraphNode* const** needs, const EdgeData** edges, std::size_t* count) {
  return stream_capture_info(stream, status, id, graph, needs, edges, count);
}
int cudaStreamUpdateCaptureDependencies(Stream* stream, GraphNode* const* needs, const EdgeData*,
                                        std::size_t count, unsigned flags) {
  return stream_update_dependencies(stream, needs, count, flags);
}
int cudaGraphAddNode(GraphNode** out, Graph* graph, GraphNode* const* needs, const EdgeData*,
                     std::size_t count, NodeParams* params) {
  return graph_add_node(out, graph, needs, count, params);
}

#endif

}  // extern "C"

#if WARPMEM_CUDART == 12
WARPMEM_VERSIONED_ALIAS(cudaGetDeviceProperties_v2, cudaGetDeviceProperties);
WARPMEM_ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2);
WARPMEM_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
WARPMEM_ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);
WARPMEM_ALIAS(cudaStreamUpdateCaptureDependencies_v2_ptsz, cudaStreamUpdateCaptureDependencies_v2);
#endif
WARPMEM_VERSIONED_ALIAS(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync);
WARPMEM_VERSIONED_ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);
WARPMEM_VERSIONED_ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
WARPMEM_VERSIONED_ALIAS(cudaStreamUpdateCaptureDependencies_ptsz,
                        cudaStreamUpdateCaptureDependencies);
