// Which CUDA the program's runtime is of, and what the driver asks of graphs, which is the same in
// both.
#include "emulate/cudart/handles.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {
int g_version = 13;
}

// What a grid or block beyond the GPU's limits is to the runtime of that version.
Code warpmem::cudart::invalid_configuration() {
  return g_version == 12 ? kInvalidConfiguration : kInvalidValue;
}
unsigned warpmem::cudart::runtime_version() { return g_version == 12 ? 12090 : 13000; }

extern "C" {

void warpmem_runtime_is(int version) { g_version = version; }

int __cudaGraphChangeEdges(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                           std::size_t count, bool add) {
  return graph_change_edges(graph, from, to, count, add);
}
int __cudaGraphAddNode(GraphNode** out, Graph* graph, GraphNode* const* needs, std::size_t count,
                       NodeParams* params) {
  return graph_add_node(out, graph, needs, count, params);
}
int __cudaGraphEdges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return graph_edges(graph, from, to, count);
}
int __cudaGraphNeighbours(GraphNode* node, GraphNode** out, std::size_t* count, bool needs) {
  return needs ? graph_needs(node, out, count) : graph_dependents(node, out, count);
}
int __cudaStreamCaptureInfo(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                            GraphNode* const** needs, const EdgeData** edges, std::size_t* count) {
  return stream_capture_info(stream, status, id, graph, needs, edges, count);
}

}  // extern "C"
