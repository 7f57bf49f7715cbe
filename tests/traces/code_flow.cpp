// Loops and dominators of code, from where its branches go.
#include "isa/flow/code_flow.hpp"
#include "tests/catch.hpp"

namespace warpmem {
namespace {

TEST_CASE("loops, their depths and an order of the blocks come out of the branches") {
  // 0; 1 (2 3)* 4 round to 1; 5 far away, back to 6; 6
  std::vector<trace::FlowLine> lines(8);
  lines[0] = {true, {7}};
  lines[3] = {true, {2}};
  lines[4] = {true, {1}};
  lines[6] = {false, {}};
  lines[7] = {false, {5}};
  const trace::CodeFlow flow = trace::flow_of(lines);
  CHECK(flow.reducible);
  REQUIRE(flow.loops.size() == 2);
  CHECK(flow.depth(0) == 0);
  CHECK(flow.depth(1) == 1);
  CHECK(flow.depth(2) == 2);
  CHECK(flow.depth(4) == 1);
  CHECK(flow.depth(5) == 0);
  CHECK(flow.back_edge[3] != trace::kNowhere);
  CHECK(flow.back_edge[4] != trace::kNowhere);
  CHECK(flow.loops[flow.back_edge[3]].outer == flow.back_edge[4]);
  CHECK(flow.order[flow.block_of[7]] < flow.order[flow.block_of[5]]);
  CHECK(flow.order[flow.block_of[2]] < flow.order[flow.block_of[4]]);
  // What nothing leads to says nothing about the rest, wherever it goes.
  std::vector<trace::FlowLine> island(6);
  island[1] = {true, {4}};
  island[2] = {false, {5}};
  island[3] = {false, {1}};
  island[4] = {true, {}};
  const trace::CodeFlow around = trace::flow_of(island);
  CHECK(around.reached(2));
  CHECK(!around.reached(3));
  CHECK(around.reached(5));
  CHECK(around.dominates(around.block_of[1], around.block_of[5]));
  std::vector<trace::FlowLine> two_ways(4);
  two_ways[0] = {true, {2}};
  two_ways[2] = {true, {1}};
  CHECK(!trace::flow_of(two_ways).reducible);
}

}  // namespace
}  // namespace warpmem
