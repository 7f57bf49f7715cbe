// libcuda.so.1: streams, their capture, and graphs. Nodes have the runtime's parameters; copies
// alone are described otherwise.
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "emulate/cudart/driver_calls.hpp"

using namespace warpmem::cudart;

namespace {

using Address = unsigned long long;
using Needs = GraphNode* const*;
using Callback = void (*)(Stream*, int, void*);
constexpr int kInvalidValue = 1, kNotSupported = 801;

struct BatchOperation {  // CUstreamBatchMemOpParams: 48 bytes
  int type;
  Address address;
  std::uint64_t value;
  unsigned flags;
  Address alias, reserved;
};

void* host(Address a) { return reinterpret_cast<void*>(a); }

// A wait for a value: what was issued before has happened, and nothing else will change it.
template <class T>
int wait_for(Stream* stream, Address address, T value, unsigned flags) {
  if (const int code = cudaStreamSynchronize(stream); code != 0) return code;
  T now;
  std::memcpy(&now, host(address), sizeof now);
  const T ahead = now - value;
  const bool there = (flags & 3) == 0   ? static_cast<std::make_signed_t<T>>(ahead) >= 0
                     : (flags & 3) == 1 ? now == value
                     : (flags & 3) == 2 ? (now & value) != 0
                                        : static_cast<T>(~(now | value)) != 0;
  if (there) return 0;
  std::fputs(
      "warpmem: cuStreamWaitValue: the value is not there yet, and as everything runs when "
      "it is issued, the wait would not end: write the value first\n",
      stderr);
  return kNotSupported;
}
template <class T>
int write(Stream* stream, Address address, T value) {
  const int code = cudaStreamSynchronize(stream);
  if (code == 0) std::memcpy(host(address), &value, sizeof value);
  return code;
}

}  // namespace

extern "C" {

int cuStreamGetPriority(Stream* s, int* priority) { return cudaStreamGetPriority(s, priority); }
int cuStreamGetFlags(Stream* s, unsigned* flags) { return cudaStreamGetFlags(s, flags); }
int cuStreamGetId(Stream* s, Address* id) { return cudaStreamGetId(s, id); }
int cuStreamGetDevice(Stream* s, int* device) { return cudaStreamGetDevice(s, device); }
int cuStreamGetCtx(Stream*, void** context) {
  return context ? cuDevicePrimaryCtxRetain(context, 0) : kInvalidValue;
}
int cuStreamGetAttribute(Stream* s, AttributeId which, AttributeValue* value) {
  return cudaStreamGetAttribute(s, which, value);
}
int cuStreamSetAttribute(Stream* s, AttributeId which, const AttributeValue* value) {
  return cudaStreamSetAttribute(s, which, value);
}
int cuStreamCopyAttributes(Stream* to, Stream* from) { return cudaStreamCopyAttributes(to, from); }
int cuStreamAddCallback(Stream* s, Callback callback, void* data, unsigned flags) {
  return cudaStreamAddCallback(s, callback, data, flags);
}
int cuStreamWriteValue32_v2(Stream* s, Address address, std::uint32_t value, unsigned) {
  return write(s, address, value);
}
int cuStreamWriteValue64_v2(Stream* s, Address address, std::uint64_t value, unsigned) {
  return write(s, address, value);
}
int cuStreamWaitValue32_v2(Stream* s, Address address, std::uint32_t value, unsigned flags) {
  return wait_for(s, address, value, flags);
}
int cuStreamWaitValue64_v2(Stream* s, Address address, std::uint64_t value, unsigned flags) {
  return wait_for(s, address, value, flags);
}
int cuStreamBatchMemOp_v2(Stream* s, unsigned count, const BatchOperation* operations, unsigned) {
  if (!operations && count > 0) return kInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const BatchOperation& o = operations[i];
    int code = 0;
    switch (o.type) {
      case 1: code = wait_for(s, o.address, static_cast<std::uint32_t>(o.value), o.flags); break;
      case 2: code = write(s, o.address, static_cast<std::uint32_t>(o.value)); break;
      case 3:         // of writes from elsewhere
      case 6: break;  // a barrier: everything is in order here
      case 4: code = wait_for(s, o.address, o.value, o.flags); break;
      case 5: code = write(s, o.address, o.value); break;
      default: return kInvalidValue;
    }
    if (code != 0) return code;
  }
  return 0;
}
int cuEventRecordWithFlags(Event* event, Stream* s, unsigned flags) {
  return cudaEventRecordWithFlags(event, s, flags);
}

int cuStreamBeginCapture_v2(Stream* s, int mode) { return cudaStreamBeginCapture(s, mode); }
int cuStreamBeginCaptureToGraph(Stream* s, Graph* graph, Needs needs, const EdgeData* edges,
                                std::size_t count, int mode) {
  return cudaStreamBeginCaptureToGraph(s, graph, needs, edges, count, mode);
}
int cuStreamEndCapture(Stream* s, Graph** graph) { return cudaStreamEndCapture(s, graph); }
int cuStreamIsCapturing(Stream* s, int* status) { return cudaStreamIsCapturing(s, status); }
int cuStreamGetCaptureInfo_v2(Stream* s, int* status, Address* id, Graph** graph,
                              GraphNode* const** needs, std::size_t* count) {
  return __cudaStreamCaptureInfo(s, status, id, graph, needs, nullptr, count);
}
int cuStreamGetCaptureInfo_v3(Stream* s, int* status, Address* id, Graph** graph,
                              GraphNode* const** needs, const EdgeData** edges,
                              std::size_t* count) {
  return __cudaStreamCaptureInfo(s, status, id, graph, needs, edges, count);
}
int cuThreadExchangeStreamCaptureMode(int* mode) {
  return cudaThreadExchangeStreamCaptureMode(mode);
}

int cuGraphCreate(Graph** graph, unsigned flags) { return cudaGraphCreate(graph, flags); }
int cuGraphDestroy(Graph* graph) { return cudaGraphDestroy(graph); }
int cuGraphClone(Graph** out, Graph* graph) { return cudaGraphClone(out, graph); }
int cuGraphNodeFindInClone(GraphNode** out, GraphNode* node, Graph* clone) {
  return cudaGraphNodeFindInClone(out, node, clone);
}
int cuGraphGetNodes(Graph* graph, GraphNode** out, std::size_t* count) {
  return cudaGraphGetNodes(graph, out, count);
}
int cuGraphGetRootNodes(Graph* graph, GraphNode** out, std::size_t* count) {
  return cudaGraphGetRootNodes(graph, out, count);
}
int cuGraphNodeGetType(GraphNode* node, NodeType* type) { return cudaGraphNodeGetType(node, type); }
int cuGraphDestroyNode(GraphNode* node) { return cudaGraphDestroyNode(node); }
int cuGraphDebugDotPrint(Graph* graph, const char* path, unsigned flags) {
  return cudaGraphDebugDotPrint(graph, path, flags);
}
int cuGraphInstantiateWithFlags(GraphExec** out, Graph* graph, Address flags) {
  return cudaGraphInstantiate(out, graph, flags);
}
int cuGraphInstantiate_v2(GraphExec** out, Graph* graph, GraphNode**, char*, std::size_t) {
  return cudaGraphInstantiate(out, graph, 0);
}
int cuGraphAddDependencies(Graph* graph, Needs from, Needs to, std::size_t count) {
  return __cudaGraphChangeEdges(graph, from, to, count, true);
}
int cuGraphAddDependencies_v2(Graph* graph, Needs from, Needs to, const EdgeData*,
                              std::size_t count) {
  return __cudaGraphChangeEdges(graph, from, to, count, true);
}
int cuGraphRemoveDependencies(Graph* graph, Needs from, Needs to, std::size_t count) {
  return __cudaGraphChangeEdges(graph, from, to, count, false);
}
int cuGraphRemoveDependencies_v2(Graph* graph, Needs from, Needs to, const EdgeData*,
                                 std::size_t count) {
  return __cudaGraphChangeEdges(graph, from, to, count, false);
}
int cuGraphInstantiateWithParams(GraphExec** out, Graph* graph, InstantiateParams* params) {
  return cudaGraphInstantiateWithParams(out, graph, params);
}
int cuGraphExecDestroy(GraphExec* exec) { return cudaGraphExecDestroy(exec); }
int cuGraphExecGetFlags(GraphExec* exec, Address* flags) {
  return cudaGraphExecGetFlags(exec, flags);
}
int cuGraphExecUpdate_v2(GraphExec* exec, Graph* graph, UpdateResult* result) {
  return cudaGraphExecUpdate(exec, graph, result);
}
int cuGraphNodeSetEnabled(GraphExec* exec, GraphNode* node, unsigned enabled) {
  return cudaGraphNodeSetEnabled(exec, node, enabled);
}
int cuGraphNodeGetEnabled(GraphExec* exec, GraphNode* node, unsigned* enabled) {
  return cudaGraphNodeGetEnabled(exec, node, enabled);
}
int cuGraphUpload(GraphExec* exec, Stream* s) { return cudaGraphUpload(exec, s); }
int cuGraphLaunch(GraphExec* exec, Stream* s) { return cudaGraphLaunch(exec, s); }

int cuGraphAddKernelNode_v2(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                            const KernelParams* p) {
  return cudaGraphAddKernelNode(out, g, needs, n, p);
}
int cuGraphAddMemsetNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, const SetParams* p,
                         void*) {
  return cudaGraphAddMemsetNode(out, g, needs, n, p);
}
int cuGraphAddMemcpyNode(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                         const DriverCopy3D* p, void*) {
  Copy3D copy{};
  if (!p) return kInvalidValue;
  const int code = to_copy_3d(*p, copy);
  return code != 0 ? code : cudaGraphAddMemcpyNode(out, g, needs, n, &copy);
}
int cuGraphAddHostNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, const HostParams* p) {
  return cudaGraphAddHostNode(out, g, needs, n, p);
}
int cuGraphAddChildGraphNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, Graph* child) {
  return cudaGraphAddChildGraphNode(out, g, needs, n, child);
}
int cuGraphAddEmptyNode(GraphNode** out, Graph* g, Needs needs, std::size_t n) {
  return cudaGraphAddEmptyNode(out, g, needs, n);
}
int cuGraphAddEventRecordNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, Event* event) {
  return cudaGraphAddEventRecordNode(out, g, needs, n, event);
}
int cuGraphAddEventWaitNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, Event* event) {
  return cudaGraphAddEventWaitNode(out, g, needs, n, event);
}
int cuGraphAddMemAllocNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, AllocParams* p) {
  return cudaGraphAddMemAllocNode(out, g, needs, n, p);
}
int cuGraphAddMemFreeNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, Address pointer) {
  return cudaGraphAddMemFreeNode(out, g, needs, n, host(pointer));
}
int cuGraphKernelNodeSetParams_v2(GraphNode* node, const KernelParams* p) {
  return cudaGraphKernelNodeSetParams(node, p);
}
int cuGraphKernelNodeGetParams_v2(GraphNode* node, KernelParams* p) {
  return cudaGraphKernelNodeGetParams(node, p);
}
int cuGraphKernelNodeSetAttribute(GraphNode* node, AttributeId which, const AttributeValue* value) {
  return cudaGraphKernelNodeSetAttribute(node, which, value);
}
int cuGraphKernelNodeGetAttribute(GraphNode* node, AttributeId which, AttributeValue* value) {
  return cudaGraphKernelNodeGetAttribute(node, which, value);
}
int cuGraphKernelNodeCopyAttributes(GraphNode* to, GraphNode* from) {
  return cudaGraphKernelNodeCopyAttributes(to, from);
}
int cuGraphMemsetNodeSetParams(GraphNode* node, const SetParams* p) {
  return cudaGraphMemsetNodeSetParams(node, p);
}
int cuGraphMemsetNodeGetParams(GraphNode* node, SetParams* p) {
  return cudaGraphMemsetNodeGetParams(node, p);
}
int cuGraphHostNodeSetParams(GraphNode* node, const HostParams* p) {
  return cudaGraphHostNodeSetParams(node, p);
}
int cuGraphHostNodeGetParams(GraphNode* node, HostParams* p) {
  return cudaGraphHostNodeGetParams(node, p);
}
int cuGraphChildGraphNodeGetGraph(GraphNode* node, Graph** graph) {
  return cudaGraphChildGraphNodeGetGraph(node, graph);
}
int cuGraphExecKernelNodeSetParams_v2(GraphExec* e, GraphNode* node, const KernelParams* p) {
  return cudaGraphExecKernelNodeSetParams(e, node, p);
}
int cuGraphExecMemsetNodeSetParams(GraphExec* e, GraphNode* node, const SetParams* p, void*) {
  return cudaGraphExecMemsetNodeSetParams(e, node, p);
}
int cuGraphExecMemcpyNodeSetParams(GraphExec* e, GraphNode* node, const DriverCopy3D* p, void*) {
  Copy3D copy{};
  if (!p) return kInvalidValue;
  const int code = to_copy_3d(*p, copy);
  return code != 0 ? code : cudaGraphExecMemcpyNodeSetParams(e, node, &copy);
}
int cuGraphExecHostNodeSetParams(GraphExec* e, GraphNode* node, const HostParams* p) {
  return cudaGraphExecHostNodeSetParams(e, node, p);
}
int cuGraphExecChildGraphNodeSetParams(GraphExec* e, GraphNode* node, Graph* child) {
  return cudaGraphExecChildGraphNodeSetParams(e, node, child);
}

}  // extern "C"
