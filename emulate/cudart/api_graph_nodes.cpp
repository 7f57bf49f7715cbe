// Graph nodes: adding, reading and changing them, in a graph and in an executable one.
#include <cstring>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/handles.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

using Needs = GraphNode* const*;

template <class T>
const T* content(GraphNode* node) {
  return find_node(node) ? std::get_if<T>(&node->what) : nullptr;
}

// What `make` makes becomes a new node, a node's new content, or the content of its copy in `exec`.
template <class F>
Code add(GraphNode** out, Graph* graph, Needs needs, std::size_t count, F&& make) {
  return api([&](Runtime& r) {
    Operation what;
    if (const Code code = make(r, what); code != kSuccess) return code;
    return add_node(r, out, graph, needs, count, std::move(what));
  });
}
// New parameters leave a kernel's attributes as they were.
void keep_attributes(const GraphNode& node, Operation& what) {
  auto* const call = std::get_if<KernelCall>(&what);
  const auto* const old = std::get_if<KernelCall>(&node.what);
  if (!call || !old) return;
  call->cooperative = old->cooperative, call->cluster = old->cluster;
  call->window = old->window, call->priority = old->priority;
}
template <class F>
Code set(GraphNode* node, F&& make) {
  return api([&](Runtime& r) {
    Operation what;
    if (!find_node(node)) return kInvalidValue;
    if (const Code code = make(r, what); code != kSuccess) return code;
    keep_attributes(*node, what);
    return replace(node, std::move(what));
  });
}
template <class F>
Code set_in(GraphExec* exec, GraphNode* node, F&& make) {
  return api([&](Runtime& r) {
    Operation what;
    if (!graph_table().execs.contains(exec)) return kInvalidValue;
    if (const Code code = make(r, what); code != kSuccess) return code;
    GraphNode* const own = node_in(exec, node);
    if (own) keep_attributes(*own, what);
    return replace(own, std::move(what));
  });
}

auto kernel_from(const KernelParams* params) {
  return [params](Runtime& r, Operation& what) {
    if (!params) return kInvalidValue;
    KernelCall call;
    const Code code = make_kernel(r, *params, call);
    what = std::move(call);
    return code;
  };
}
auto copy_from(const Copy& copy) {
  return [copy](Runtime& r, Operation& what) {
    what = copy;
    return check(r, copy);
  };
}
auto copy_from(const Copy3D* params) {
  return [params](Runtime& r, Operation& what) {
    if (!params) return kInvalidValue;
    const Copy copy = copy_of(*params);
    what = copy;
    return check(r, copy);
  };
}
auto symbol_copy(const void* symbol, void* other, std::size_t count, std::size_t offset,
                 CopyKind kind, bool to_symbol) {
  return [=](Runtime& r, Operation& what) {
    Symbol* s = Runtime::registry().find_symbol(symbol);
    if (!s) return kInvalidSymbol;
    auto at = Runtime::registry().locate(*s, r.memory, r.device().cc());
    if (!at || offset > at->bytes || count > at->bytes - offset) return kInvalidValue;
    void* address = reinterpret_cast<void*>(at->address + offset);
    what =
        to_symbol ? flat_copy(address, other, count, kind) : flat_copy(other, address, count, kind);
    return kSuccess;
  };
}
auto fill_from(const SetParams* params) {
  return [params](Runtime& r, Operation& what) {
    if (!params) return kInvalidValue;
    Fill fill;
    if (const Code code = make_fill(*params, fill); code != kSuccess) return code;
    what = fill;
    return check(r, fill);
  };
}
auto host_from(const HostParams* params) {
  return [params](Runtime&, Operation& what) {
    return params && params->function ? (what = *params, kSuccess) : kInvalidValue;
  };
}
auto child_from(Graph* graph) {
  return [graph](Runtime&, Operation& what) {
    if (!find_graph(graph)) return kInvalidValue;
    if (graph->stands_alone()) return kNotSupported;
    return what = graph->clone(), kSuccess;
  };
}
template <class What>
auto event_from(Event* event) {
  return [event](Runtime& r, Operation& what) {
    return r.events.contains(event) ? (what = What{event}, kSuccess) : kInvalidValue;
  };
}
auto params_from(const NodeParams* params) {
  return [params](Runtime& r, Operation& what) {
    return params ? make_operation(r, *params, what) : kInvalidValue;
  };
}

template <class T, class F>
Code get(GraphNode* node, F&& read) {
  return api([&](Runtime&) {
    const T* what = content<T>(node);
    return what ? read(*what) : kInvalidValue;
  });
}

thread_local std::vector<void*> g_arguments;  // what kernel parameters handed out point to
thread_local std::vector<std::byte> g_packed;

Code read_kernel(const KernelCall& call, KernelParams* out) {
  if (!out) return kInvalidValue;
  g_packed = call.params;
  g_arguments.clear();
  for (const std::size_t offset : call.offsets) g_arguments.push_back(g_packed.data() + offset);
  *out = {const_cast<void*>(call.function->host ? call.function->host : call.function),
          call.grid,
          call.block,
          static_cast<unsigned>(call.shared),
          g_arguments.data(),
          nullptr};
  return kSuccess;
}

Code set_kernel_attribute(KernelCall& call, AttributeId which, const AttributeValue& value) {
  switch (which) {
    case kAttributeWindow: return call.window = value.window, kSuccess;
    case kAttributeCooperative: return call.cooperative = value.number != 0, kSuccess;
    case kAttributeCluster: return call.cluster = value.cluster, kSuccess;
    case kAttributePriority: return call.priority = value.number, kSuccess;
    case kAttributeCarveout: return call.carveout = value.number, kSuccess;
    default: return kSuccess;
  }
}

}  // namespace

Code warpmem::cudart::graph_add_node(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                                     NodeParams* p) {
  const Code code = add(out, g, needs, n, params_from(p));
  if (code == kSuccess && p->type == kNodeAlloc)
    p->alloc.pointer = std::get<AllocParams>((*out)->what).pointer;
  if (code == kSuccess && p->type == kNodeConditional)
    p->conditional.bodies = std::get<Conditional>((*out)->what).handed->data();
  return code;
}

extern "C" {

int cudaGraphAddKernelNode(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                           const KernelParams* p) {
  return add(out, g, needs, n, kernel_from(p));
}
int cudaGraphAddMemcpyNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, const Copy3D* p) {
  return add(out, g, needs, n, copy_from(p));
}
int cudaGraphAddMemcpyNode1D(GraphNode** out, Graph* g, Needs needs, std::size_t n, void* to,
                             const void* from, std::size_t bytes, CopyKind kind) {
  return add(out, g, needs, n, copy_from(flat_copy(to, from, bytes, kind)));
}
int cudaGraphAddMemcpyNodeToSymbol(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                                   const void* symbol, const void* from, std::size_t bytes,
                                   std::size_t offset, CopyKind kind) {
  return add(out, g, needs, n,
             symbol_copy(symbol, const_cast<void*>(from), bytes, offset, kind, true));
}
int cudaGraphAddMemcpyNodeFromSymbol(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                                     void* to, const void* symbol, std::size_t bytes,
                                     std::size_t offset, CopyKind kind) {
  return add(out, g, needs, n, symbol_copy(symbol, to, bytes, offset, kind, false));
}
int cudaGraphAddMemsetNode(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                           const SetParams* p) {
  return add(out, g, needs, n, fill_from(p));
}
int cudaGraphAddHostNode(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                         const HostParams* p) {
  return add(out, g, needs, n, host_from(p));
}
int cudaGraphAddChildGraphNode(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                               Graph* child) {
  return add(out, g, needs, n, child_from(child));
}
int cudaGraphAddEmptyNode(GraphNode** out, Graph* g, Needs needs, std::size_t n) {
  return add(out, g, needs, n, [](Runtime&, Operation&) { return kSuccess; });
}
int cudaGraphAddEventRecordNode(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                                Event* event) {
  return add(out, g, needs, n, event_from<RecordEvent>(event));
}
int cudaGraphAddEventWaitNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, Event* event) {
  return add(out, g, needs, n, event_from<WaitEvent>(event));
}
int cudaGraphAddMemAllocNode(GraphNode** out, Graph* g, Needs needs, std::size_t n,
                             AllocParams* p) {
  return add(out, g, needs, n, [&](Runtime& r, Operation& what) {
    if (!p || p->bytes == 0) return kInvalidValue;
    const Code code = make_allocation(r, *p);
    what = *p;
    return code;
  });
}
int cudaGraphAddMemFreeNode(GraphNode** out, Graph* g, Needs needs, std::size_t n, void* pointer) {
  return add(out, g, needs, n,
             [&](Runtime&, Operation& what) { return what = FreeMemory{pointer}, kSuccess; });
}

int cudaGraphKernelNodeSetParams(GraphNode* node, const KernelParams* p) {
  return set(node, kernel_from(p));
}
int cudaGraphMemcpyNodeSetParams(GraphNode* node, const Copy3D* p) {
  return set(node, copy_from(p));
}
int cudaGraphMemcpyNodeSetParams1D(GraphNode* node, void* to, const void* from, std::size_t bytes,
                                   CopyKind kind) {
  return set(node, copy_from(flat_copy(to, from, bytes, kind)));
}
int cudaGraphMemcpyNodeSetParamsToSymbol(GraphNode* node, const void* symbol, const void* from,
                                         std::size_t bytes, std::size_t offset, CopyKind kind) {
  return set(node, symbol_copy(symbol, const_cast<void*>(from), bytes, offset, kind, true));
}
int cudaGraphMemcpyNodeSetParamsFromSymbol(GraphNode* node, void* to, const void* symbol,
                                           std::size_t bytes, std::size_t offset, CopyKind kind) {
  return set(node, symbol_copy(symbol, to, bytes, offset, kind, false));
}
int cudaGraphMemsetNodeSetParams(GraphNode* node, const SetParams* p) {
  return set(node, fill_from(p));
}
int cudaGraphHostNodeSetParams(GraphNode* node, const HostParams* p) {
  return set(node, host_from(p));
}
int cudaGraphEventRecordNodeSetEvent(GraphNode* node, Event* event) {
  return set(node, event_from<RecordEvent>(event));
}
int cudaGraphEventWaitNodeSetEvent(GraphNode* node, Event* event) {
  return set(node, event_from<WaitEvent>(event));
}
int cudaGraphNodeSetParams(GraphNode* node, NodeParams* p) { return set(node, params_from(p)); }

int cudaGraphExecKernelNodeSetParams(GraphExec* e, GraphNode* node, const KernelParams* p) {
  return set_in(e, node, kernel_from(p));
}
int cudaGraphExecMemcpyNodeSetParams(GraphExec* e, GraphNode* node, const Copy3D* p) {
  return set_in(e, node, copy_from(p));
}
int cudaGraphExecMemcpyNodeSetParams1D(GraphExec* e, GraphNode* node, void* to, const void* from,
                                       std::size_t bytes, CopyKind kind) {
  return set_in(e, node, copy_from(flat_copy(to, from, bytes, kind)));
}
int cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec* e, GraphNode* node, const void* symbol,
                                             const void* from, std::size_t bytes,
                                             std::size_t offset, CopyKind kind) {
  return set_in(e, node, symbol_copy(symbol, const_cast<void*>(from), bytes, offset, kind, true));
}
int cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec* e, GraphNode* node, void* to,
                                               const void* symbol, std::size_t bytes,
                                               std::size_t offset, CopyKind kind) {
  return set_in(e, node, symbol_copy(symbol, to, bytes, offset, kind, false));
}
int cudaGraphExecMemsetNodeSetParams(GraphExec* e, GraphNode* node, const SetParams* p) {
  return set_in(e, node, fill_from(p));
}
int cudaGraphExecHostNodeSetParams(GraphExec* e, GraphNode* node, const HostParams* p) {
  return set_in(e, node, host_from(p));
}
int cudaGraphExecChildGraphNodeSetParams(GraphExec* e, GraphNode* node, Graph* child) {
  return set_in(e, node, child_from(child));
}
int cudaGraphExecEventRecordNodeSetEvent(GraphExec* e, GraphNode* node, Event* event) {
  return set_in(e, node, event_from<RecordEvent>(event));
}
int cudaGraphExecEventWaitNodeSetEvent(GraphExec* e, GraphNode* node, Event* event) {
  return set_in(e, node, event_from<WaitEvent>(event));
}
int cudaGraphExecNodeSetParams(GraphExec* e, GraphNode* node, NodeParams* p) {
  return set_in(e, node, params_from(p));
}

int cudaGraphKernelNodeGetParams(GraphNode* node, KernelParams* out) {
  return get<KernelCall>(node, [&](const KernelCall& call) { return read_kernel(call, out); });
}
int cudaGraphMemcpyNodeGetParams(GraphNode* node, Copy3D* out) {
  return get<Copy>(node, [&](const Copy& copy) {
    return out ? (*out = parameters_of(copy), kSuccess) : kInvalidValue;
  });
}
int cudaGraphMemsetNodeGetParams(GraphNode* node, SetParams* out) {
  return get<Fill>(node, [&](const Fill& f) {
    return out ? (*out = {f.pointer, f.pitch, f.value, f.element_bytes, f.width, f.height},
                  kSuccess)
               : kInvalidValue;
  });
}
int cudaGraphHostNodeGetParams(GraphNode* node, HostParams* out) {
  return get<HostParams>(
      node, [&](const HostParams& host) { return out ? (*out = host, kSuccess) : kInvalidValue; });
}
int cudaGraphChildGraphNodeGetGraph(GraphNode* node, Graph** out) {
  return get<std::shared_ptr<Graph>>(node, [&](const std::shared_ptr<Graph>& child) {
    return out ? (*out = child.get(), kSuccess) : kInvalidValue;
  });
}
int cudaGraphEventRecordNodeGetEvent(GraphNode* node, Event** out) {
  return get<RecordEvent>(node, [&](const RecordEvent& record) {
    return out ? (*out = record.event, kSuccess) : kInvalidValue;
  });
}
int cudaGraphEventWaitNodeGetEvent(GraphNode* node, Event** out) {
  return get<WaitEvent>(node, [&](const WaitEvent& wait) {
    return out ? (*out = wait.event, kSuccess) : kInvalidValue;
  });
}
int cudaGraphMemAllocNodeGetParams(GraphNode* node, AllocParams* out) {
  return get<AllocParams>(node, [&](const AllocParams& alloc) {
    return out ? (*out = alloc, kSuccess) : kInvalidValue;
  });
}
int cudaGraphMemFreeNodeGetParams(GraphNode* node, void* out) {
  return get<FreeMemory>(node, [&](const FreeMemory& free) {
    return out ? (std::memcpy(out, &free.pointer, sizeof free.pointer), kSuccess) : kInvalidValue;
  });
}
int cudaGraphKernelNodeSetAttribute(GraphNode* node, AttributeId which,
                                    const AttributeValue* value) {
  return get<KernelCall>(node, [&](const KernelCall& call) {
    return value ? set_kernel_attribute(const_cast<KernelCall&>(call), which, *value)
                 : kInvalidValue;
  });
}
int cudaGraphKernelNodeGetAttribute(GraphNode* node, AttributeId which, AttributeValue* out) {
  return get<KernelCall>(node, [&](const KernelCall& call) {
    if (!out) return kInvalidValue;
    *out = AttributeValue{};
    if (which == kAttributeWindow && call.window) out->window = *call.window;
    else if (which == kAttributeCooperative) out->number = call.cooperative ? 1 : 0;
    else if (which == kAttributeCluster) out->cluster = call.cluster;
    else if (which == kAttributePriority) out->number = call.priority;
    else if (which == kAttributeCarveout) out->number = call.carveout;
    return kSuccess;
  });
}
int cudaGraphKernelNodeCopyAttributes(GraphNode* to, GraphNode* from) {
  return get<KernelCall>(to, [&](const KernelCall& call) {
    const KernelCall* other = content<KernelCall>(from);
    if (!other) return kInvalidValue;
    auto& target = const_cast<KernelCall&>(call);
    target.window = other->window, target.cooperative = other->cooperative,
    target.cluster = other->cluster;
    target.priority = other->priority, target.carveout = other->carveout;
    return kSuccess;
  });
}

}  // extern "C"
