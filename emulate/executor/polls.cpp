#include "emulate/executor/polls.hpp"

#include <algorithm>
#include <iterator>

#include "emulate/executor/bulk.hpp"

namespace warpmem::emulate {
namespace {

bool asks(const Inst& in) {
  const auto op = static_cast<MbarrierOp>(in.sub & 15);
  return in.kind == Kind::kMbarrier && (op == MbarrierOp::kTest || op == MbarrierOp::kTestParity);
}

// Leaves nothing behind but values of registers.
bool is_quiet(const Inst& in, const Code& code) {
  switch (in.kind) {
    case Kind::kCompute:
    case Kind::kSpecial:
    case Kind::kLocalAddress:
    case Kind::kBranch:
    case Kind::kNothing:
    case Kind::kFence:
    case Kind::kWarpSync:
    case Kind::kVote:
    case Kind::kMatch:
    case Kind::kShuffle:
    case Kind::kActiveMask:
    case Kind::kElect:
    case Kind::kMachineBranch:
    case Kind::kConverge:
    case Kind::kConvergeBreak:
    case Kind::kYield: return true;
    case Kind::kAccess: return code.accesses[in.extra].space == Space::kParam;
    default: return asks(in);
  }
}

}  // namespace

void find_polls(Code& code) {
  const CodeFlow& flow = code.flow;
  const auto n = static_cast<std::uint32_t>(code.code.size());
  if (!flow.reducible || std::none_of(code.code.begin(), code.code.end(), asks)) return;
  for (std::uint32_t loop = 0; loop < flow.loops.size(); ++loop) {
    bool quiet = true, polls = false;
    std::vector<std::uint32_t> inside, back;
    for (std::uint32_t i = 0; i < n && quiet; ++i) {
      if (!flow.reached(i) || !flow.inside(loop, i)) continue;
      quiet = is_quiet(code.code[i], code) && flow.loop_of[flow.block_of[i]] == loop;
      polls = polls || asks(code.code[i]);
      if (code.code[i].leader) inside.push_back(i);
      if (flow.back_edge[i] == loop) back.push_back(i);
    }
    if (!quiet || !polls) continue;
    for (const std::uint32_t b : back) {
      auto& always = code.polls[b];
      std::copy_if(inside.begin(), inside.end(), std::back_inserter(always), [&](std::uint32_t i) {
        return flow.dominates(flow.block_of[i], flow.block_of[b]);
      });
    }
  }
}

}  // namespace warpmem::emulate
