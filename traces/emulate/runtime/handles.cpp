#include "traces/emulate/runtime/handles.hpp"

#include <algorithm>

namespace warpmem::cudart {
namespace {

bool holds(const Graph& graph, const GraphNode* node) {
  if (graph.members.contains(const_cast<GraphNode*>(node))) return true;
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& n) {
    const auto* child = std::get_if<std::shared_ptr<Graph>>(&n->what);
    return child && holds(**child, node);
  });
}

Graph* child_graph(Graph& graph, const Graph* wanted) {
  for (const auto& n : graph.nodes) {
    auto* child = std::get_if<std::shared_ptr<Graph>>(&n->what);
    if (!child) continue;
    if (child->get() == wanted) return child->get();
    if (Graph* found = child_graph(**child, wanted)) return found;
  }
  return nullptr;
}

}  // namespace

GraphTable& graph_table() {
  static auto* table = new GraphTable;
  return *table;
}

Graph* find_graph(Graph* graph) {
  const GraphTable& table = graph_table();
  if (table.graphs.contains(graph)) return graph;
  for (const auto& [own, kept] : table.graphs)
    if (Graph* found = child_graph(*kept, graph)) return found;
  return nullptr;
}

GraphNode* find_node(GraphNode* node) {
  for (const auto& [own, kept] : graph_table().graphs)
    if (holds(*kept, node)) return node;
  return nullptr;
}

GraphNode* node_in(GraphExec* exec, const GraphNode* node) {
  const auto at = exec->graph->copies.find(node);
  return at == exec->graph->copies.end() ? nullptr : at->second;
}

Graph* register_graph(std::shared_ptr<Graph> graph) {
  Graph* handle = graph.get();
  graph_table().graphs[handle] = std::move(graph);
  return handle;
}

Code add_node(Runtime&, GraphNode** out, Graph* graph, GraphNode* const* needs, std::size_t count,
              Operation what) {
  if (!out || !find_graph(graph) || (count > 0 && !needs)) return kInvalidValue;
  std::vector<GraphNode*> list(needs, needs + count);
  for (const GraphNode* need : list)
    if (!graph->members.contains(const_cast<GraphNode*>(need))) return kInvalidValue;
  *out = graph->add(std::move(what), std::move(list));
  return kSuccess;
}

Code make_kernel(Runtime& r, const KernelParams& params, KernelCall& call) {
  call.function = Runtime::registry().find_function(params.function);
  if (!call.function) return kInvalidDeviceFunction;
  call.grid = params.grid, call.block = params.block, call.shared = params.shared_bytes;
  if (const Code code = pack(r, call, params.arguments, params.extra); code != kSuccess)
    return code;
  return check(r, call);
}

Code make_fill(const SetParams& params, Fill& fill) {
  if (!params.target || params.width == 0 || params.height == 0) return kInvalidValue;
  fill.pointer = static_cast<std::byte*>(params.target);
  fill.pitch = params.pitch, fill.rows = params.height, fill.width = params.width,
  fill.height = params.height;
  fill.value = params.value, fill.element_bytes = params.element_bytes;
  return kSuccess;
}

Code make_operation(Runtime& r, const NodeParams& params, Operation& what) {
  switch (params.type) {
    case kNodeKernel: {
      KernelCall call;
      if (const Code code = make_kernel(r, params.kernel, call); code != kSuccess) return code;
      what = std::move(call);
      return kSuccess;
    }
    case kNodeCopy: {
      const Copy copy = copy_of(params.copy.copy);
      if (const Code code = check(r, copy); code != kSuccess) return code;
      what = copy;
      return kSuccess;
    }
    case kNodeSet: {
      Fill fill;
      if (const Code code = make_fill(params.set, fill); code != kSuccess) return code;
      what = fill;
      return check(r, fill);
    }
    case kNodeHost: return params.host.function ? (what = params.host, kSuccess) : kInvalidValue;
    case kNodeGraph:
      return find_graph(params.child.graph) ? (what = params.child.graph->clone(), kSuccess)
                                            : kInvalidValue;
    case kNodeEmpty: return what = std::monostate{}, kSuccess;
    case kNodeWaitEvent:
      return r.events.contains(params.event.event)
                 ? (what = WaitEvent{params.event.event}, kSuccess)
                 : kInvalidValue;
    case kNodeRecordEvent:
      return r.events.contains(params.event.event)
                 ? (what = RecordEvent{params.event.event}, kSuccess)
                 : kInvalidValue;
    case kNodeAlloc: {
      AllocParams alloc = params.alloc;
      alloc.pointer = reinterpret_cast<void*>(allocate_from(r, r.default_pool, alloc.bytes));
      if (!alloc.pointer) return kMemoryAllocation;
      what = alloc;
      return kSuccess;
    }
    case kNodeFree: return what = FreeMemory{params.free.pointer}, kSuccess;
  }
  return kNotSupported;
}

Code replace(GraphNode* node, Operation what) {
  if (!node || node->what.index() != what.index()) return kInvalidValue;
  node->what = std::move(what);
  return kSuccess;
}

}  // namespace warpmem::cudart
