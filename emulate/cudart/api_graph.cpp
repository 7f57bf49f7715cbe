// Graphs as a whole: making, cloning, instantiating, updating, launching; and stream capture.
#include <fmt/format.h>

#include <algorithm>

#include "base/output_file.hpp"
#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/handles.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

Code instantiate(GraphExec** out, Graph* graph, unsigned long long flags) {
  return api([&](Runtime&) {
    if (!out || !find_graph(graph)) return kInvalidValue;
    if (graph->order().size() != graph->nodes.size())
      return kInvalidValue;  // nodes that need each other
    if (graph->has_memory() && !graph->instance.expired()) return kNotSupported;
    auto* exec = new GraphExec{graph->clone(), flags};
    graph->instance = exec->graph;
    graph_table().execs.insert(exec);
    *out = exec;
    return kSuccess;
  });
}

// The usual form of a list: how many, then as many as fit.
Code give_list(const std::vector<GraphNode*>& all, GraphNode** out, std::size_t* count) {
  if (!count) return kInvalidValue;
  if (!out) return *count = all.size(), kSuccess;
  const std::size_t room = *count;
  for (std::size_t i = 0; i < room; ++i) out[i] = i < all.size() ? all[i] : nullptr;
  *count = std::min(room, all.size());
  return kSuccess;
}

template <class F>
Code with_graph(Graph* graph, F&& body) {
  return api([&](Runtime&) { return find_graph(graph) ? body(*graph) : kInvalidValue; });
}
template <class F>
Code with_node(GraphNode* node, F&& body) {
  return api([&](Runtime&) { return find_node(node) ? body(*node) : kInvalidValue; });
}

std::vector<GraphNode*> dependents(const GraphNode& node) {
  std::vector<GraphNode*> all;
  for (const auto& other : node.graph->nodes)
    if (std::find(other->needs.begin(), other->needs.end(), &node) != other->needs.end())
      all.push_back(other.get());
  return all;
}

// The same nodes with the same edges, whatever their parameters: then `exec` takes the new
// parameters.
int update(GraphExec& exec, const Graph& graph, GraphNode*& culprit) {
  enum { kFine = 0, kTopology = 2, kType = 3 };
  const Graph& own = *exec.graph;
  if (own.nodes.size() != graph.nodes.size()) return kTopology;
  std::unordered_map<const GraphNode*, std::size_t> mine, theirs;
  for (std::size_t i = 0; i < own.nodes.size(); ++i)
    mine[own.nodes[i].get()] = i, theirs[graph.nodes[i].get()] = i;
  for (std::size_t i = 0; i < own.nodes.size(); ++i) {
    const GraphNode &a = *own.nodes[i], &b = *graph.nodes[i];
    culprit = graph.nodes[i].get();
    if (a.what.index() != b.what.index()) return kType;
    std::vector<std::size_t> x, y;
    for (const GraphNode* n : a.needs) x.push_back(mine.at(n));
    for (const GraphNode* n : b.needs) y.push_back(theirs.at(n));
    std::sort(x.begin(), x.end()), std::sort(y.begin(), y.end());
    if (x != y) return kTopology;
  }
  culprit = nullptr;
  std::shared_ptr<Graph> fresh = graph.clone();
  for (const auto& [original, copy] : own.copies)
    fresh->copies.emplace(original,
                          fresh->nodes[mine.at(copy)].get());  // old handles still name their nodes
  exec.graph = std::move(fresh);
  return kFine;
}

Code begin_capture(Stream* handle, Graph* into, GraphNode* const* needs, std::size_t count,
                   int mode) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (mode < 0 || mode > 2) return kInvalidValue;
    if (stream == &r.default_stream) return kCaptureUnsupported;
    if (stream->capture) return kIllegalState;
    auto capture = std::make_shared<Capture>();
    capture->origin = stream, capture->id = r.next_capture++;
    capture->to_graph = into != nullptr;
    capture->mode = mode, capture->thread = std::this_thread::get_id();
    capture->graph = into ? into : register_graph(std::make_shared<Graph>());
    stream->capture = capture;
    stream->frontier.assign(needs, needs + count);
    return kSuccess;
  });
}

// Every stream and event that took part leaves it.
void leave(Runtime& r, const std::shared_ptr<Capture>& capture) {
  const auto clear = [&](Stream& s) {
    if (s.capture == capture) s.capture = nullptr, s.frontier.clear();
  };
  clear(r.default_stream);
  for (Stream* s : r.streams) clear(*s);
  for (Event* e : r.events)
    if (e->capture == capture) e->capture = nullptr, e->frontier.clear();
}

// Whether everything the other streams did is waited for by the first one.
bool joined(Runtime& r, const Stream& origin) {
  std::unordered_set<const GraphNode*> reached;
  std::vector<const GraphNode*> open(origin.frontier.begin(), origin.frontier.end());
  while (!open.empty()) {
    const GraphNode* n = open.back();
    open.pop_back();
    if (!reached.insert(n).second) continue;
    open.insert(open.end(), n->needs.begin(), n->needs.end());
  }
  for (const Stream* s : r.streams)
    if (s->capture == origin.capture)
      for (const GraphNode* n : s->frontier)
        if (!reached.contains(n)) return false;
  return true;
}

Code capture_info(Stream* handle, int* status, unsigned long long* id, Graph** graph,
                  GraphNode* const** needs, const EdgeData** edges, std::size_t* count) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (!status) return kInvalidValue;
    *status = !stream->capture ? 0 : stream->capture->invalid ? 2 : 1;
    if (!stream->capture) return kSuccess;
    if (id) *id = stream->capture->id;
    if (graph) *graph = stream->capture->graph;
    if (needs) *needs = stream->frontier.data();
    if (edges) *edges = nullptr;
    if (count) *count = stream->frontier.size();
    return kSuccess;
  });
}

Code update_dependencies(Stream* handle, GraphNode* const* needs, std::size_t count,
                         unsigned flags) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (!stream->capture) return kIllegalState;
    if (flags & 1) stream->frontier.clear();
    stream->frontier.insert(stream->frontier.end(), needs, needs + count);
    return kSuccess;
  });
}

Code change_edges(Graph* graph, GraphNode* const* from, GraphNode* const* to, std::size_t count,
                  bool add) {
  return with_graph(graph, [&](Graph& g) {
    if (!add && g.has_memory()) return kNotSupported;
    for (std::size_t i = 0; i < count; ++i) {
      if (!g.members.contains(from[i]) || !g.members.contains(to[i])) return kInvalidValue;
      if (add) to[i]->needs.push_back(from[i]);
      else std::erase(to[i]->needs, from[i]);
    }
    return kSuccess;
  });
}

Code give_edges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return with_graph(graph, [&](Graph& g) {
    std::vector<GraphNode*> a, b;
    for (const auto& n : g.nodes)
      for (GraphNode* need : n->needs) a.push_back(need), b.push_back(n.get());
    std::size_t room = count ? *count : 0;
    if (const Code code = give_list(a, from, count); code != kSuccess || !to) return code;
    return give_list(b, to, &room);
  });
}

}  // namespace

namespace warpmem::cudart {

Code graph_edges(Graph* g, GraphNode** from, GraphNode** to, std::size_t* count) {
  return give_edges(g, from, to, count);
}
Code graph_change_edges(Graph* g, GraphNode* const* from, GraphNode* const* to, std::size_t count,
                        bool add) {
  return change_edges(g, from, to, count, add);
}
Code graph_needs(GraphNode* node, GraphNode** out, std::size_t* count) {
  return with_node(node, [&](GraphNode& n) { return give_list(n.needs, out, count); });
}
Code graph_dependents(GraphNode* node, GraphNode** out, std::size_t* count) {
  return with_node(node, [&](GraphNode& n) { return give_list(dependents(n), out, count); });
}
Code stream_capture_info(Stream* s, int* status, unsigned long long* id, Graph** graph,
                         GraphNode* const** needs, const EdgeData** edges, std::size_t* count) {
  return capture_info(s, status, id, graph, needs, edges, count);
}
Code stream_update_dependencies(Stream* s, GraphNode* const* needs, std::size_t count,
                                unsigned flags) {
  return update_dependencies(s, needs, count, flags);
}

}  // namespace warpmem::cudart

extern "C" {

int cudaGraphCreate(Graph** out, unsigned flags) {
  return api([&](Runtime&) {
    return out && flags == 0 ? (*out = register_graph(std::make_shared<Graph>()), kSuccess)
                             : kInvalidValue;
  });
}
int cudaGraphConditionalHandleCreate(unsigned long long* out, Graph* graph, unsigned first,
                                     unsigned flags) {
  return api([&](Runtime&) {
    if (!out || !find_graph(graph) || flags > 1) return kInvalidValue;
    auto& conditions = graph_table().conditions;
    *out = conditions.size() + 1;
    conditions[*out] = {first, first, flags == 1};
    return kSuccess;
  });
}
int cudaGraphDestroy(Graph* graph) {
  return api(
      [&](Runtime&) { return graph_table().graphs.erase(graph) ? kSuccess : kInvalidValue; });
}
int cudaGraphClone(Graph** out, Graph* original) {
  return with_graph(original, [&](Graph& g) {
    if (g.stands_alone()) return kNotSupported;
    return out ? (*out = register_graph(g.clone()), kSuccess) : kInvalidValue;
  });
}
int cudaGraphNodeFindInClone(GraphNode** out, GraphNode* original, Graph* clone) {
  return with_graph(clone, [&](Graph& g) {
    const auto at = g.copies.find(original);
    return out && at != g.copies.end() ? (*out = at->second, kSuccess) : kInvalidValue;
  });
}
int cudaGraphGetNodes(Graph* graph, GraphNode** out, std::size_t* count) {
  return with_graph(graph, [&](Graph& g) {
    std::vector<GraphNode*> all;
    for (const auto& n : g.nodes) all.push_back(n.get());
    return give_list(all, out, count);
  });
}
int cudaGraphGetRootNodes(Graph* graph, GraphNode** out, std::size_t* count) {
  return with_graph(graph, [&](Graph& g) {
    std::vector<GraphNode*> all;
    for (const auto& n : g.nodes)
      if (n->needs.empty()) all.push_back(n.get());
    return give_list(all, out, count);
  });
}
int cudaGraphNodeGetType(GraphNode* node, NodeType* type) {
  return with_node(node, [&](GraphNode& n) {
    return type ? (*type = type_of(n.what), kSuccess) : kInvalidValue;
  });
}
int cudaGraphDestroyNode(GraphNode* node) {
  return with_node(node, [&](GraphNode& n) {
    return n.graph->has_memory() ? kNotSupported : (n.graph->remove(&n), kSuccess);
  });
}
int cudaGraphDebugDotPrint(Graph* graph, const char* path, unsigned) {
  return with_graph(graph, [&](Graph& g) {
    // The program's own file, which CUDA replaces too.
    if (!path) return kInvalidValue;
    auto file = OutputFile::create(path, {.replace = true, .direct = true});
    if (!file) return kInvalidValue;
    std::string text = "digraph dot {\n";
    std::unordered_map<const GraphNode*, std::size_t> number;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) number[g.nodes[i].get()] = i;
    constexpr const char* kNames[] = {"empty", "kernel",       "memcpy",     "memset",
                                      "host",  "event record", "event wait", "alloc",
                                      "free",  "graph",        "conditional"};
    for (const auto& n : g.nodes) {
      const auto* call = std::get_if<KernelCall>(&n->what);
      text += fmt::format("  n{} [label=\"{} {}\"];\n", number[n.get()], number[n.get()],
                          call ? call->function->name.c_str() : kNames[n->what.index()]);
      for (const GraphNode* need : n->needs)
        text += fmt::format("  n{} -> n{};\n", number[need], number[n.get()]);
    }
    if (!file->write(text + "}\n") || !file->publish()) return kInvalidValue;
    return kSuccess;
  });
}

int cudaGraphInstantiate(GraphExec** out, Graph* graph, unsigned long long flags) {
  return instantiate(out, graph, flags);
}
int cudaGraphInstantiateWithFlags(GraphExec** out, Graph* graph, unsigned long long flags) {
  return instantiate(out, graph, flags);
}
int cudaGraphInstantiateWithParams(GraphExec** out, Graph* graph, InstantiateParams* params) {
  if (!params) return remember(kInvalidValue);
  const Code code = instantiate(out, graph, params->flags);
  params->result = code == kSuccess ? 0 : 1, params->error_node = nullptr;
  return code;
}
int cudaGraphExecDestroy(GraphExec* exec) {
  return api([&](Runtime&) {
    if (graph_table().execs.erase(exec) == 0) return kInvalidValue;
    delete exec;
    return kSuccess;
  });
}
int cudaGraphExecGetFlags(GraphExec* exec, unsigned long long* flags) {
  return api([&](Runtime&) {
    return flags && graph_table().execs.contains(exec) ? (*flags = exec->flags, kSuccess)
                                                       : kInvalidValue;
  });
}
int cudaGraphExecUpdate(GraphExec* exec, Graph* graph, UpdateResult* result) {
  return with_graph(graph, [&](Graph& g) {
    if (!graph_table().execs.contains(exec)) return kInvalidValue;
    UpdateResult said{};
    said.result = update(*exec, g, said.error_node);
    if (result) *result = said;
    return said.result == 0 ? kSuccess : kGraphExecUpdateFailure;
  });
}
int cudaGraphNodeSetEnabled(GraphExec* exec, GraphNode* node, unsigned enabled) {
  return api([&](Runtime&) {
    GraphNode* copy = graph_table().execs.contains(exec) ? node_in(exec, node) : nullptr;
    return copy ? (copy->enabled = enabled != 0, kSuccess) : kInvalidValue;
  });
}
int cudaGraphNodeGetEnabled(GraphExec* exec, GraphNode* node, unsigned* enabled) {
  return api([&](Runtime&) {
    GraphNode* copy = graph_table().execs.contains(exec) ? node_in(exec, node) : nullptr;
    return copy && enabled ? (*enabled = copy->enabled ? 1 : 0, kSuccess) : kInvalidValue;
  });
}
int cudaGraphUpload(GraphExec* exec, Stream*) {
  return api(
      [&](Runtime&) { return graph_table().execs.contains(exec) ? kSuccess : kInvalidValue; });
}
int cudaGraphLaunch(GraphExec* exec, Stream* handle) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (!graph_table().execs.contains(exec)) return kInvalidValue;
    if (!stream->capture) {
      if (const Code code = begin_memory(r, *exec); code != kSuccess) return code;
      begin_conditions(*exec->graph);
    } else if (exec->graph->stands_alone()) return kNotSupported;
    return submit(r, *stream, stream->capture ? exec->graph->clone() : exec->graph);
  });
}

int cudaStreamBeginCapture(Stream* stream, int mode) {
  return begin_capture(stream, nullptr, nullptr, 0, mode);
}
int cudaStreamBeginCaptureToGraph(Stream* stream, Graph* graph, GraphNode* const* needs,
                                  const EdgeData*, std::size_t count, int mode) {
  {
    Runtime* r = runtime();
    if (!r || !find_graph(graph)) return remember(kInvalidValue);
  }
  return begin_capture(stream, graph, needs, count, mode);
}
int cudaStreamEndCapture(Stream* handle, Graph** out) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (!out && !(stream->capture && stream->capture->to_graph)) return kInvalidValue;
    if (out) *out = nullptr;
    if (!stream->capture) return kIllegalState;
    if (stream->capture->origin != stream) return kCaptureUnmatched;
    const std::shared_ptr<Capture> capture = stream->capture;
    const bool whole = joined(r, *stream);
    leave(r, capture);
    if (capture->invalid || !whole) {
      if (!capture->to_graph) graph_table().graphs.erase(capture->graph);
      return capture->invalid ? kCaptureInvalidated : kCaptureUnjoined;
    }
    if (out) *out = capture->graph;
    return kSuccess;
  });
}
int cudaStreamIsCapturing(Stream* stream, int* status) {
  return capture_info(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
int cudaThreadExchangeStreamCaptureMode(int* mode) {
  return api([&](Runtime&) {
    if (!mode || *mode < 0 || *mode > 2) return kInvalidValue;
    std::swap(*mode, thread_state().capture_mode);
    return kSuccess;
  });
}

int cudaDeviceGraphMemTrim(int device) { return remember(device == 0 ? kSuccess : kInvalidDevice); }
int cudaDeviceGetGraphMemAttribute(int device, int which, void* value) {
  return api([&](Runtime& r) {
    if (device != 0 || !value || which < 0 || which > 3) return kInvalidValue;
    *static_cast<unsigned long long*>(value) =
        which == 1 || which == 3 ? r.default_pool.high : r.default_pool.used;
    return kSuccess;
  });
}

}  // extern "C"

WARPMEM_ALIAS(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);
WARPMEM_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);
WARPMEM_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);
WARPMEM_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);
WARPMEM_ALIAS(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);
WARPMEM_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);
WARPMEM_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);
