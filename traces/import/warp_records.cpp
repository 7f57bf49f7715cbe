#include "traces/import/warp_records.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "traces/import/lane_record.hpp"

namespace warpmem::imports {
namespace {

using trace::InstructionKind;
using trace::Op;
using trace::Record;
using trace::Space;

// Generic addresses of shared and of local memory: 16 MiB each.
constexpr std::uint64_t kWindow = std::uint64_t{1} << 24;

}  // namespace

void WarpRecords::begin(std::uint32_t exists) {
  records_.clear(), lanes_.clear(), rounds_.clear();
  exists_ = exists, last_ = copying_ = TracedCode::kNone;
  recorded_.reset();
  mark(0, Op::kCtaBegin, exists, trace::kUnknownSm);
}

void WarpRecords::run(std::uint32_t number, const AccelSimLine& line) {
  if (copying_ != TracedCode::kNone && copying_ != number) end_copy();
  const std::uint32_t position = code_.position(number);
  if (last_ != TracedCode::kNone && last_ != number) {
    const std::uint32_t before = code_.position(last_);
    if (code_.flow().back_edge[before] != trace::kNowhere && position <= before) {
      const auto at = std::ranges::find(rounds_, before, &Rounds::position);
      if (at != rounds_.end()) ++at->taken;
      else rounds_.push_back({before, 1});
    }
  }
  last_ = number;
  const trace::SassInstruction& in = code_.instruction(number);
  if (in.opcode == trace::Opcode::kBAR && line.mask != 0) {
    leave_rounds(position);
    mark(code_.pc(number), Op::kBarrier, line.mask, 0);
  }
  if (!line.memory || line.mask == 0) return;
  if (line.mode > 2) {
    ++left_out_[std::string(in.name())];
    return;
  }
  if (in.kind == InstructionKind::kAsyncCopy) return copy(number, line);
  const auto op = op_of(in.kind);
  const bool prefetch = op == Op::kPrefetch;
  Space space = prefetch ? Space::kGlobal : in.space;
  const std::uint64_t at = line.addresses.front();
  std::uint64_t base = 0;
  if (in.generic) {
    space = Space::kGlobal;
    if (windows_.shared != 0 && at - windows_.shared < kWindow)
      space = Space::kShared, base = windows_.shared;
    else if (windows_.local != 0 && at - windows_.local < kWindow)
      space = Space::kLocal, base = windows_.local;
  }
  if (!op || space == Space::kConstant || space == Space::kTexture || space == Space::kSurface) {
    ++left_out_[std::string(in.name())];
    return;
  }
  std::vector<std::uint64_t> addresses = line.addresses;
  std::uint32_t mask = line.mask, bytes = prefetch ? 0 : in.bytes;
  if (base != 0)
    for (std::uint64_t& a : addresses) a -= base;
  if (*op == Op::kMatrixLoad || *op == Op::kMatrixStore) {
    // Lanes give the addresses of rows of 16 bytes, eight a matrix.
    const auto& data = *op == Op::kMatrixLoad ? in.destinations : in.sources;
    const unsigned matrices = data.empty() ? 4u : std::clamp<unsigned>(data.back().count, 1, 4);
    mask &= matrices == 4 ? ~0u : (1u << 8 * matrices) - 1;
    addresses.resize(static_cast<std::size_t>(std::popcount(mask)));
    bytes = 16;
    if (mask == 0) return;
  }
  access(number, *op, space, bytes, mask, addresses);
}

// Two lines of one instruction: where in shared memory, then where in global memory.
void WarpRecords::copy(std::uint32_t number, const AccelSimLine& line) {
  if (copying_ == TracedCode::kNone) {
    copying_ = number, copy_mask_ = line.mask, copy_addresses_ = line.addresses;
    return;
  }
  const std::uint32_t bytes = code_.instruction(number).bytes;
  access(number, Op::kAsyncCopyRead, Space::kGlobal, bytes, line.mask, line.addresses);
  access(number, Op::kAsyncCopyWrite, Space::kShared, bytes, copy_mask_, copy_addresses_);
  copying_ = TracedCode::kNone;
}

// Only one side of a copy was told: it is the global one, or one that nothing can be made of.
void WarpRecords::end_copy() {
  const std::uint32_t number = std::exchange(copying_, TracedCode::kNone);
  ++left_out_[std::string(code_.instruction(number).name()) + " of one side"];
}

void WarpRecords::end() {
  if (copying_ != TracedCode::kNone) end_copy();
  leave_rounds(std::nullopt);
  mark(0, Op::kCtaEnd, exists_, 0);
}

void WarpRecords::access(std::uint32_t number, Op op, Space space, std::uint32_t bytes,
                         std::uint32_t mask, const std::vector<std::uint64_t>& addresses) {
  leave_rounds(code_.position(number));
  put({code_.pc(number), op, space, bytes}, record_of(mask, addresses, lanes_));
}

void WarpRecords::mark(std::uint32_t pc, Op op, std::uint32_t mask, std::uint64_t base) {
  Record r;
  r.mask = mask, r.base = base;
  put({pc, op, Space::kNone, 0}, r);
}

void WarpRecords::put(const trace::Site& site, Record record) {
  record.site = sites_.number_of(site);
  records_.push_back(record);
}

// Loops that the warp went round since its last record, inner ones first. Once round is what leads
// from an access of a loop to an earlier one, or to itself.
void WarpRecords::leave_rounds(std::optional<std::uint32_t> position) {
  const trace::CodeFlow& flow = code_.flow();
  std::ranges::stable_sort(rounds_, [&](const Rounds& a, const Rounds& b) {
    return a.position != b.position && flow.behind(b.position, a.position);
  });
  for (const Rounds& r : rounds_) {
    const std::uint32_t loop = flow.back_edge[r.position];
    const bool implied = position && recorded_ && flow.inside(loop, *position) &&
                         flow.inside(loop, *recorded_) && flow.behind(*recorded_, *position);
    if (r.taken <= (implied ? 1u : 0u)) continue;
    mark(code_.program().code[r.position].pc, Op::kRounds, exists_, r.taken);
  }
  rounds_.clear();
  recorded_ = position;
}

}  // namespace warpmem::imports
