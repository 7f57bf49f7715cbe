// What a stream can be given to do, and graphs of it: captured from streams or built node by node.
#pragma once

#include <memory>
#include <unordered_map>
#include <variant>
#include <vector>

#include "emulate/cudart/copies.hpp"
#include "emulate/cudart/launch.hpp"

namespace warpmem::cudart {

struct RecordEvent {
  Event* event;
};
struct WaitEvent {
  Event* event;
};
struct FreeMemory {
  void* pointer;
};
// Graphs of which one runs, or one as long, as a value says that kernels set.
struct Conditional {
  enum class Type : int { kIf = 0, kWhile = 1, kSwitch = 2 };
  std::uint64_t handle = 0;  // of the value: GraphTable::conditions
  Type type = Type::kIf;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::shared_ptr<std::vector<Graph*>> handed;  // the same, as the array that the API hands out
};
using Callback = void (*)(Stream*, Code, void*);

using Operation =
    std::variant<std::monostate, KernelCall, Copy, Fill, HostParams, RecordEvent, WaitEvent,
                 AllocParams, FreeMemory, std::shared_ptr<Graph>, Conditional>;

struct GraphNode {
  Graph* graph = nullptr;
  Operation what;
  std::vector<GraphNode*> needs;
  bool enabled = true;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  std::unordered_map<const GraphNode*, GraphNode*> copies;  // of a clone: from the original's nodes
  std::unordered_set<GraphNode*> members;
  std::vector<std::shared_ptr<UserObject>> kept;  // one for each reference that the graph has

  GraphNode* add(Operation what, std::vector<GraphNode*> needs);
  void remove(GraphNode* node);
  std::shared_ptr<Graph> clone() const;
  std::weak_ptr<const Graph> instance;  // what was last made of it to be run
  // CUDA allows no clones of such a graph, nor that another one has it for a child.
  bool stands_alone() const { return has_conditionals() || has_memory(); }
  bool has_conditionals() const;
  // Allocations or frees: nor that nodes or edges are taken away, or that it is instantiated twice.
  bool has_memory() const;
  // Every node behind those it needs, in the order of their making; empty when they need each
  // other.
  std::vector<GraphNode*> order() const;
};

struct GraphExec {
  std::shared_ptr<Graph> graph;
  unsigned long long flags = 0;
};

NodeType type_of(const Operation& what);

// The stream's next step follows what the default stream had to do, or the default stream's what
// all others had to.
void follow_default(Runtime& r, Stream& stream);
// Runs it now on the stream, or adds it to the graph that the stream is captured into.
Code submit(Runtime& r, Stream& stream, Operation what);
// Runs it now.
Code execute(Runtime& r, Stream& stream, const Operation& what);
Code launch(Runtime& r, Stream& stream, const Graph& graph);

// A stream-ordered or graph allocation. A graph's memory keeps its address as long as the program
// runs; that it is allocated is noted, and asked where it is freed and where the graph is launched.
std::uint64_t allocate_from(Runtime& r, Pool& pool, std::size_t bytes);
Code make_allocation(Runtime& r, AllocParams& params);
// Before the launch of an executable graph: what it allocates must be free, or is freed.
Code begin_memory(Runtime& r, const GraphExec& exec);
// Whether the graph may have such a node: of a graph's memory that none of its nodes frees yet.
Code check(const Runtime& r, const Graph& graph, const FreeMemory& free);
Code free_to_pool(Runtime& r, void* pointer);

}  // namespace warpmem::cudart
