#include "emulate/cudart/graph.hpp"

#include <algorithm>
#include <utility>

#include "emulate/cudart/handles.hpp"
#include "emulate/cudart/interrupt.hpp"

namespace warpmem::cudart {

GraphNode* Graph::add(Operation what, std::vector<GraphNode*> needs) {
  auto node = std::make_unique<GraphNode>();
  node->graph = this;
  node->what = std::move(what);
  node->needs = std::move(needs);
  // The window of the stream that the graph is launched on is none of its kernels' business.
  if (auto* call = std::get_if<KernelCall>(&node->what); call && !call->window)
    call->window = AccessPolicyWindow{};
  nodes.push_back(std::move(node));
  members.insert(nodes.back().get());
  return nodes.back().get();
}

void Graph::remove(GraphNode* node) {
  for (const auto& other : nodes) std::erase(other->needs, node);
  members.erase(node);
  std::erase_if(nodes, [&](const auto& n) { return n.get() == node; });
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  copy->kept = kept;
  for (const auto& node : nodes) {
    Operation what = node->what;
    if (auto* child = std::get_if<std::shared_ptr<Graph>>(&what); child && *child)
      *child = (*child)->clone();
    if (auto* conditional = std::get_if<Conditional>(&what))
      for (std::shared_ptr<Graph>& body : conditional->bodies) body = body->clone();
    GraphNode* made = copy->add(std::move(what), {});
    made->enabled = node->enabled;
    copy->copies[node.get()] = made;
  }
  for (const auto& node : nodes)
    for (const GraphNode* need : node->needs)
      copy->copies.at(node.get())->needs.push_back(copy->copies.at(need));
  return copy;
}

bool Graph::has_memory() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
    return std::holds_alternative<AllocParams>(node->what) ||
           std::holds_alternative<FreeMemory>(node->what);
  });
}

bool Graph::has_conditionals() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
    return std::holds_alternative<Conditional>(node->what);
  });
}

std::vector<GraphNode*> Graph::order() const {
  std::vector<GraphNode*> sorted;
  std::unordered_set<const GraphNode*> done;
  while (sorted.size() < nodes.size()) {
    const std::size_t before = sorted.size();
    for (const auto& node : nodes) {
      if (done.contains(node.get())) continue;
      if (!std::all_of(node->needs.begin(), node->needs.end(),
                       [&](const GraphNode* n) { return done.contains(n); }))
        continue;
      sorted.push_back(node.get());
      done.insert(node.get());
    }
    if (sorted.size() == before) return {};
  }
  return sorted;
}

NodeType type_of(const Operation& what) {
  constexpr NodeType kTypes[] = {kNodeEmpty, kNodeKernel,      kNodeCopy,       kNodeSet,
                                 kNodeHost,  kNodeRecordEvent, kNodeWaitEvent,  kNodeAlloc,
                                 kNodeFree,  kNodeGraph,       kNodeConditional};
  return kTypes[what.index()];
}

std::uint64_t allocate_from(Runtime& r, Pool& pool, std::size_t bytes) {
  const std::uint64_t at = r.memory.allocate(bytes, trace::AllocationKind::kDevice);
  if (at == 0) return 0;
  r.pool_of[at] = &pool;
  pool.used += bytes;
  pool.high = std::max(pool.high, pool.used);
  return at;
}

Code free_to_pool(Runtime& r, void* pointer) {
  const auto at = reinterpret_cast<std::uint64_t>(pointer);
  if (const auto of_graph = r.graph_memory.find(at); of_graph != r.graph_memory.end())
    return std::exchange(of_graph->second, false) ? kSuccess : kInvalidValue;
  const emulate::Region* region = r.memory.find(at);
  if (!region || region->base != at) return kInvalidValue;
  const std::uint64_t bytes = region->bytes;
  if (!r.memory.free(at)) return kInvalidValue;
  if (const auto pool = r.pool_of.find(at); pool != r.pool_of.end()) {
    pool->second->used -= std::min(pool->second->used, bytes);
    r.pool_of.erase(pool);
  }
  return kSuccess;
}

Code make_allocation(Runtime& r, AllocParams& params) {
  const std::uint64_t at = allocate_from(r, r.default_pool, params.bytes);
  if (at == 0) return kMemoryAllocation;
  r.graph_memory[at] = false;
  params.pointer = reinterpret_cast<void*>(at);
  return kSuccess;
}

Code begin_memory(Runtime& r, const GraphExec& exec) {
  constexpr unsigned long long kAutoFree = 1;
  for (const auto& node : exec.graph->nodes) {
    const auto* made = std::get_if<AllocParams>(&node->what);
    if (!made) continue;
    bool& allocated = r.graph_memory[reinterpret_cast<std::uint64_t>(made->pointer)];
    if (allocated && !(exec.flags & kAutoFree)) return kInvalidValue;
    allocated = false;
  }
  return kSuccess;
}

Code check(const Runtime& r, const Graph& graph, const FreeMemory& free) {
  if (!r.graph_memory.contains(reinterpret_cast<std::uint64_t>(free.pointer))) return kInvalidValue;
  for (const auto& node : graph.nodes)
    if (const auto* other = std::get_if<FreeMemory>(&node->what);
        other && other->pointer == free.pointer)
      return kInvalidValue;
  return kSuccess;
}

namespace {

Code run_conditional(Runtime& r, Stream& stream, const Conditional& node) {
  const auto value = [&] { return graph_table().conditions[node.handle].value; };
  const auto body = [&](std::size_t i) {
    return i < node.bodies.size() ? launch(r, stream, *node.bodies[i]) : kSuccess;
  };
  switch (node.type) {
    case Conditional::Type::kIf: return body(value() != 0 ? 0 : 1);
    case Conditional::Type::kSwitch: return body(value());
    case Conditional::Type::kWhile: break;
  }
  while (value() != 0 && r.sticky == kSuccess) {
    if (interrupted()) end_by_interrupt();
    if (const Code code = body(0); code != kSuccess) return code;
  }
  return kSuccess;
}

}  // namespace

Code execute(Runtime& r, Stream& stream, const Operation& what) {
  struct Visitor {
    Runtime& r;
    Stream& stream;
    Code operator()(std::monostate) const { return kSuccess; }
    Code operator()(const KernelCall& call) const { return run(r, stream, call); }
    Code operator()(const Copy& copy) const { return run(r, stream, copy); }
    Code operator()(const Fill& fill) const { return run(r, stream, fill); }
    Code operator()(const HostParams& host) const {
      host::Operation what;
      what.step = host::Step::kHostFunction;
      r.issue(stream, what);
      r.mutex.unlock();  // it may wait for a thread that calls CUDA
      host.function(host.data);
      r.mutex.lock();
      return kSuccess;
    }
    Code operator()(const RecordEvent& record) const {
      Event& event = *record.event;
      event.recorded = true, event.capture = nullptr, event.frontier.clear();
      r.issue(stream, {});
      event.step = stream.last.front();
      return kSuccess;
    }
    Code operator()(const WaitEvent& wait) const {
      if (wait.event->recorded) stream.last.push_back(wait.event->step);
      return kSuccess;
    }
    Code operator()(const AllocParams& made) const {
      r.graph_memory[reinterpret_cast<std::uint64_t>(made.pointer)] = true;
      return kSuccess;
    }
    Code operator()(const FreeMemory& free) const { return free_to_pool(r, free.pointer); }
    Code operator()(const std::shared_ptr<Graph>& child) const { return launch(r, stream, *child); }
    Code operator()(const Conditional& node) const { return run_conditional(r, stream, node); }
  };
  return std::visit(Visitor{r, stream}, what);
}

namespace {

void follow(Stream& stream, const std::vector<std::uint32_t>& steps) {
  for (const std::uint32_t step : steps)
    if (std::find(stream.last.begin(), stream.last.end(), step) == stream.last.end())
      stream.last.push_back(step);
}

}  // namespace

void follow_default(Runtime& r, Stream& stream) {
  if (stream.flags & 1) return;  // cudaStreamNonBlocking
  if (&stream != &r.default_stream) return follow(stream, r.default_stream.last);
  for (const Stream* s : r.streams)
    if (!(s->flags & 1)) follow(stream, s->last);
}

Code submit(Runtime& r, Stream& stream, Operation what) {
  if (stream.capture) {
    if (stream.capture->invalid) return kCaptureInvalidated;
    if (auto* call = std::get_if<KernelCall>(&what)) {
      if (const Code code = check(r, *call); code != kSuccess) return code;
      const auto window = stream.attributes.find(kAttributeWindow);
      if (!call->window && window != stream.attributes.end()) call->window = window->second.window;
    }
    if (const auto* free = std::get_if<FreeMemory>(&what))
      if (const Code code = check(r, *stream.capture->graph, *free); code != kSuccess) return code;
    GraphNode* node = stream.capture->graph->add(std::move(what), stream.frontier);
    stream.frontier = {node};
    return kSuccess;
  }
  follow_default(r, stream);
  return execute(r, stream, what);
}

Code launch(Runtime& r, Stream& stream, const Graph& graph) {
  std::unordered_map<const GraphNode*, std::vector<std::uint32_t>> last;
  // The launch is one call of the host's, which is behind what the stream had to do.
  r.issue(stream, {});
  const std::vector<std::uint32_t> begin = stream.last;
  std::unordered_set<const GraphNode*> needed;
  const std::vector<GraphNode*> order = graph.order();
  for (GraphNode* node : order) {
    Stream lane;  // as if each node had a stream of its own
    lane.number = stream.number, lane.flags = stream.flags, lane.attributes = stream.attributes;
    lane.of_graph = true;
    if (node->needs.empty()) lane.last = begin;
    for (const GraphNode* need : node->needs) follow(lane, last[need]), needed.insert(need);
    if (node->enabled)
      if (const Code code = execute(r, lane, node->what); code != kSuccess) return code;
    last[node] = std::move(lane.last);
    if (r.sticky != kSuccess) break;
  }
  for (const GraphNode* node : order)
    if (!needed.contains(node)) follow(stream, last[node]);
  return kSuccess;
}

}  // namespace warpmem::cudart
