// Graphs as the API hands them out, and lookups that check a handle before it is used.
#pragma once

#include <span>

#include "emulate/cudart/graph.hpp"

namespace warpmem::cudart {

// All graphs and executable graphs alive; the runtime's lock guards it.
struct GraphTable {
  // The value that conditional nodes look at; a launch of their graph begins with `first` if it
  // says so.
  struct Condition {
    unsigned value = 0, first = 0;
    bool begins_anew = false;
  };
  std::unordered_map<const Graph*, std::shared_ptr<Graph>> graphs;  // the program's own
  std::unordered_set<GraphExec*> execs;
  std::unordered_map<std::uint64_t, Condition> conditions;  // by handle
};
GraphTable& graph_table();

// The graph, or null. Child graphs of a node count too.
Graph* find_graph(Graph* graph);
// The node when it is alive, else null.
GraphNode* find_node(GraphNode* node);
// The executable graph's copy of a node of the graph it was made from; null: there is none.
GraphNode* node_in(GraphExec* exec, const GraphNode* node);
Graph* register_graph(std::shared_ptr<Graph> graph);

// Adds a node with checks; `out` may be null.
Code add_node(Runtime& r, GraphNode** out, Graph* graph, GraphNode* const* needs, std::size_t count,
              Operation what);

// Makes operations of the API's parameters.
Code make_kernel(Runtime& r, const KernelParams& params, KernelCall& call);
Code make_fill(const SetParams& params, Fill& fill);
Code make_operation(Runtime& r, const NodeParams& params, Operation& what);

// Gives the values of the graph's conditional nodes what a launch begins with.
void begin_conditions(const Graph& graph);

// Replaces what a node does by something of the same type.
Code replace(GraphNode* node, Operation what);

// The calls whose parameter lists CUDA 12 and 13 have apart; version.cpp gives them their names.
Code graph_edges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count);
Code graph_change_edges(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                        std::size_t count, bool add);
Code graph_needs(GraphNode* node, GraphNode** out, std::size_t* count);
Code graph_dependents(GraphNode* node, GraphNode** out, std::size_t* count);
Code graph_add_node(GraphNode** out, Graph* graph, GraphNode* const* needs, std::size_t count,
                    NodeParams* params);
Code stream_capture_info(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                         GraphNode* const** needs, const EdgeData** edges, std::size_t* count);
Code stream_update_dependencies(Stream* stream, GraphNode* const* needs, std::size_t count,
                                unsigned flags);

}  // namespace warpmem::cudart
