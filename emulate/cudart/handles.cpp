#include "emulate/cudart/handles.hpp"

#include <algorithm>

namespace warpmem::cudart {
namespace {

// The graphs inside a node.
std::span<const std::shared_ptr<Graph>> inner_graphs(const GraphNode& node) {
  if (const auto* child = std::get_if<std::shared_ptr<Graph>>(&node.what)) return {child, 1};
  if (const auto* conditional = std::get_if<Conditional>(&node.what)) return conditional->bodies;
  return {};
}

bool holds(const Graph& graph, const GraphNode* node) {
  if (graph.members.contains(const_cast<GraphNode*>(node))) return true;
  for (const auto& n : graph.nodes)
    for (const std::shared_ptr<Graph>& inner : inner_graphs(*n))
      if (holds(*inner, node)) return true;
  return false;
}

Graph* child_graph(Graph& graph, const Graph* wanted) {
  for (const auto& n : graph.nodes)
    for (const std::shared_ptr<Graph>& inner : inner_graphs(*n)) {
      if (inner.get() == wanted) return inner.get();
      if (Graph* found = child_graph(*inner, wanted)) return found;
    }
  return nullptr;
}

// One of IF may be followed by one for the other case; of WHILE there is one.
Code make_conditional(const ConditionalParams& params, Conditional& out) {
  const auto most = params.type == 0 ? 2u : params.type == 1 ? 1u : ~0u;
  if (!graph_table().conditions.contains(params.handle) || params.type < 0 || params.type > 2 ||
      params.size == 0 || params.size > most)
    return kInvalidValue;
  out.handle = params.handle;
  out.type = static_cast<Conditional::Type>(params.type);
  out.handed = std::make_shared<std::vector<Graph*>>();
  for (unsigned i = 0; i < params.size; ++i) {
    out.bodies.push_back(std::make_shared<Graph>());
    out.handed->push_back(out.bodies.back().get());
  }
  return kSuccess;
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

Code add_node(Runtime& r, GraphNode** out, Graph* graph, GraphNode* const* needs, std::size_t count,
              Operation what) {
  if (!out || !find_graph(graph) || (count > 0 && !needs)) return kInvalidValue;
  std::vector<GraphNode*> list(needs, needs + count);
  for (const GraphNode* need : list)
    if (!graph->members.contains(const_cast<GraphNode*>(need))) return kInvalidValue;
  if (const auto* free = std::get_if<FreeMemory>(&what))
    if (const Code code = check(r, *graph, *free); code != kSuccess) return code;
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
      if (!find_graph(params.child.graph)) return kInvalidValue;
      if (params.child.graph->stands_alone()) return kNotSupported;
      return what = params.child.graph->clone(), kSuccess;
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
      const Code code = alloc.bytes == 0 ? kInvalidValue : make_allocation(r, alloc);
      what = alloc;
      return code;
    }
    case kNodeFree: return what = FreeMemory{params.free.pointer}, kSuccess;
    case kNodeConditional: {
      Conditional conditional;
      if (const Code code = make_conditional(params.conditional, conditional); code != kSuccess)
        return code;
      return what = std::move(conditional), kSuccess;
    }
  }
  return kNotSupported;
}

void begin_conditions(const Graph& graph) {
  for (const auto& n : graph.nodes) {
    if (const auto* conditional = std::get_if<Conditional>(&n->what)) {
      GraphTable::Condition& condition = graph_table().conditions[conditional->handle];
      if (condition.begins_anew) condition.value = condition.first;
    }
    for (const std::shared_ptr<Graph>& inner : inner_graphs(*n)) begin_conditions(*inner);
  }
}

Code replace(GraphNode* node, Operation what) {
  if (!node || node->what.index() != what.index()) return kInvalidValue;
  node->what = std::move(what);
  return kSuccess;
}

}  // namespace warpmem::cudart
