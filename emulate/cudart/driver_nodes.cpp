// libcuda.so.1: graph nodes of any type, what they hold, and objects that live as long as a graph.
// Parameters of nodes begin as the runtime's do; those of copies alone are others.
#include "emulate/cudart/driver_calls.hpp"

using namespace warpmem::cudart;

namespace {

using Address = unsigned long long;
using Needs = GraphNode* const*;
constexpr int kInvalidValue = 1;

struct DriverCopyNodeParams {
  int flags, reserved;
  void* context;
  DriverCopy3D copy;
};

// Does `call` with the parameters as the runtime has them, and brings back what it fills in.
template <class F>
int with_params(NodeParams* params, F&& call) {
  if (!params) return kInvalidValue;
  if (params->type != kNodeCopy) return driver_code(call(params));
  const auto* given = reinterpret_cast<const DriverCopyNodeParams*>(params->reserved1);
  NodeParams same{};
  same.type = kNodeCopy;
  same.copy = {};
  const int code = to_copy_3d(given->copy, same.copy.copy);
  return code != 0 ? code : driver_code(call(&same));
}

}  // namespace

extern "C" {

int cuGraphAddNode_v2(GraphNode** out, Graph* g, Needs needs, const EdgeData*, std::size_t n,
                      NodeParams* params) {
  return with_params(params,
                     [&](NodeParams* p) { return __cudaGraphAddNode(out, g, needs, n, p); });
}
int cuGraphAddNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, NodeParams* params) {
  return cuGraphAddNode_v2(out, g, needs, nullptr, n, params);
}
int cuGraphNodeSetParams(GraphNode* node, NodeParams* params) {
  return with_params(params, [&](NodeParams* p) { return cudaGraphNodeSetParams(node, p); });
}
int cuGraphExecNodeSetParams(GraphExec* exec, GraphNode* node, NodeParams* params) {
  return with_params(params,
                     [&](NodeParams* p) { return cudaGraphExecNodeSetParams(exec, node, p); });
}
int cuGraphConditionalHandleCreate(Address* out, Graph* g, void*, unsigned first, unsigned flags) {
  return cudaGraphConditionalHandleCreate(out, g, first, flags);
}

int cuGraphGetEdges(Graph* g, GraphNode** from, GraphNode** to, std::size_t* n) {
  return __cudaGraphEdges(g, from, to, n);
}
int cuGraphGetEdges_v2(Graph* g, GraphNode** from, GraphNode** to, EdgeData*, std::size_t* n) {
  return __cudaGraphEdges(g, from, to, n);
}
int cuGraphNodeGetDependencies(GraphNode* node, GraphNode** out, std::size_t* n) {
  return __cudaGraphNeighbours(node, out, n, true);
}
int cuGraphNodeGetDependencies_v2(GraphNode* node, GraphNode** out, EdgeData*, std::size_t* n) {
  return __cudaGraphNeighbours(node, out, n, true);
}
int cuGraphNodeGetDependentNodes(GraphNode* node, GraphNode** out, std::size_t* n) {
  return __cudaGraphNeighbours(node, out, n, false);
}
int cuGraphNodeGetDependentNodes_v2(GraphNode* node, GraphNode** out, EdgeData*, std::size_t* n) {
  return __cudaGraphNeighbours(node, out, n, false);
}

int cuGraphMemcpyNodeGetParams(GraphNode* node, DriverCopy3D* out) {
  Copy3D copy{};
  if (!out) return kInvalidValue;
  const int code = cudaGraphMemcpyNodeGetParams(node, &copy);
  if (code == 0) *out = from_copy_3d(copy);
  return code;
}
int cuGraphMemcpyNodeSetParams(GraphNode* node, const DriverCopy3D* params) {
  Copy3D copy{};
  if (!params) return kInvalidValue;
  const int code = to_copy_3d(*params, copy);
  return code != 0 ? code : driver_code(cudaGraphMemcpyNodeSetParams(node, &copy));
}
int cuGraphEventRecordNodeGetEvent(GraphNode* node, Event** event) {
  return cudaGraphEventRecordNodeGetEvent(node, event);
}
int cuGraphEventRecordNodeSetEvent(GraphNode* node, Event* event) {
  return cudaGraphEventRecordNodeSetEvent(node, event);
}
int cuGraphEventWaitNodeGetEvent(GraphNode* node, Event** event) {
  return cudaGraphEventWaitNodeGetEvent(node, event);
}
int cuGraphEventWaitNodeSetEvent(GraphNode* node, Event* event) {
  return cudaGraphEventWaitNodeSetEvent(node, event);
}
int cuGraphExecEventRecordNodeSetEvent(GraphExec* exec, GraphNode* node, Event* event) {
  return cudaGraphExecEventRecordNodeSetEvent(exec, node, event);
}
int cuGraphExecEventWaitNodeSetEvent(GraphExec* exec, GraphNode* node, Event* event) {
  return cudaGraphExecEventWaitNodeSetEvent(exec, node, event);
}
int cuGraphMemAllocNodeGetParams(GraphNode* node, AllocParams* out) {
  return cudaGraphMemAllocNodeGetParams(node, out);
}
int cuGraphMemFreeNodeGetParams(GraphNode* node, Address* out) {
  return cudaGraphMemFreeNodeGetParams(node, out);
}

int cuUserObjectCreate(UserObject** out, void* data, HostFunction destroy, unsigned count,
                       unsigned flags) {
  return cudaUserObjectCreate(out, data, destroy, count, flags);
}
int cuUserObjectRetain(UserObject* object, unsigned count) {
  return cudaUserObjectRetain(object, count);
}
int cuUserObjectRelease(UserObject* object, unsigned count) {
  return cudaUserObjectRelease(object, count);
}
int cuGraphRetainUserObject(Graph* g, UserObject* object, unsigned count, unsigned flags) {
  return cudaGraphRetainUserObject(g, object, count, flags);
}
int cuGraphReleaseUserObject(Graph* g, UserObject* object, unsigned count) {
  return cudaGraphReleaseUserObject(g, object, count);
}

}  // extern "C"
