// What the warps of a step will meet in the caches, looked up while others run before them: their
// lines, where they are loads and stores of one line, and the lists of lines of other accesses.
// Changes no result.
//
// LinesAhead is for memory systems of SectoredLines; NoLinesAhead for all others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/system/one_line.hpp"
#include "sim/counts/counted_warps.hpp"
#include "sim/engine/warp_lanes.hpp"

namespace warpmem::sim {

template <class Memory>
class LinesAhead {
 public:
  using Lines = model::SectoredLines;
  // Lines of so many of the step's warps are worked out at a time, while others run.
  static constexpr std::size_t kTogether = 32;

  explicit LinesAhead(Memory& memory) : memory_(memory) {}

  // Whether there are lines, and whether some warps do something else first.
  bool some() const { return some_[0] | some_[1]; }
  bool others() const { return others_[0] | others_[1]; }

  // Where the lines of warps are that come later: of `due` from `from` on, all `n` of which are the
  // step's. In the place of what is no access of one line another's line is worked out in vain.
  void find(const std::uint32_t* due, std::size_t from, std::size_t n, const NextRecord* records) {
    Lines::OneLines& lines = lines_[half(from)];
    bool& others = others_[half(from)];
    others = some_[half(from)] = false;
    if (from >= n) return;
    const std::size_t count = std::min(kTogether, n - from);
    std::uint64_t any = 0, line = some_line_;
    for (std::size_t k = 0; k < count && line == 0; ++k) line = records[due[from + k]].line;
    for (std::size_t k = 0; k < count; ++k) {
      const NextRecord& next = records[due[from + k]];
      // Without a branch, as nobody can guess which they are.
      const std::uint64_t access = -std::uint64_t{next.is_access()};
      any |= access;
      others |= next.kind == RecordKind::kOther;
      line = (next.line & access) | (line & ~access);
      lines.l2.line[k] = line;
    }
    some_line_ = line;
    lines.l2.count = static_cast<int>(count);
    if (!any) return;
    some_[half(from)] = true;
    memory_.find(lines);
  }
  // Has what the i-th warp's access of one line will meet brought nearer; in the place of what is
  // none another's once more, as nobody can guess which they are.
  [[gnu::always_inline]] void fetch(std::size_t i, int sm, bool store) const {
    memory_.prefetch(lines_[half(i)], i % kTogether, sm, store);
  }
  // The line of the i-th warp's first access in the step.
  Lines::OneLine line(std::size_t i, std::uint8_t sectors) const {
    return {lines_[half(i)], i % kTogether, sectors};
  }
  // … of a further one.
  Lines::OneLine further(const NextRecord& next) {
    further_.l2.line[0] = next.line;
    further_.l2.count = 1;
    memory_.find(further_);
    return {further_, 0, next.sectors};
  }

  // Lists the lines of the i-th warp's record, another access, which it comes to in this step.
  void prepare(std::size_t i, std::uint64_t step, const trace::Record& r,
               const model::WarpLanes& lanes, const AccessPlan& plan, int sm) {
    if (!Lines::prepares(plan)) return;
    Prepared& out = prepared_[i % kPrepared];
    memory_.prepare(lanes, plan, sm, out.lines);
    out.record = &r;
    out.of = i;
    out.step = step;
  }
  // Runs such an access.
  void run(std::size_t i, std::uint64_t step, const trace::Record& r, const model::WarpLanes& lanes,
           const AccessPlan& plan, model::AccessTiming& place) {
    // A record's place in memory may be another's later: it has to be this warp's, in this step.
    const Prepared& prepared = prepared_[i % kPrepared];
    const bool known = prepared.record == &r && prepared.of == i && prepared.step == step;
    if (known) memory_.run(lanes, plan, place, &prepared.lines);
    else memory_.run(lanes, plan, place);
  }

 private:
  struct Prepared {
    const trace::Record* record = nullptr;
    std::size_t of = 0;  // the warp's place among those of the step
    std::uint64_t step = 0;
    Lines::Lines lines;
  };
  static constexpr std::size_t kPrepared = 8;
  static std::size_t half(std::size_t i) { return i / kTogether % 2; }

  Memory& memory_;
  std::array<Lines::OneLines, 2> lines_{};  // of warps that are due, kTogether each
  std::array<bool, 2> some_{};              // whether there are any
  std::array<bool, 2> others_{};            // whether some of these do something else first
  Lines::OneLines further_;                 // that of a warp's further access in the step
  std::uint64_t some_line_ = 0;             // the latest of lines_
  std::array<Prepared, kPrepared> prepared_;
};

class NoLinesAhead {
 public:
  static constexpr std::size_t kTogether = 32;

  explicit NoLinesAhead(model::MemorySystem& memory) : memory_(memory) {}

  static bool some() { return false; }
  static bool others() { return true; }
  void find(const std::uint32_t*, std::size_t, std::size_t, const NextRecord*) const {}
  void prepare(std::size_t, std::uint64_t, const trace::Record&, const model::WarpLanes&,
               const AccessPlan&, int) const {}
  void run(std::size_t, std::uint64_t, const trace::Record&, const model::WarpLanes& lanes,
           const AccessPlan& plan, model::AccessTiming& place) const {
    memory_.run(lanes, plan, place);
  }

 private:
  model::MemorySystem& memory_;
};

}  // namespace warpmem::sim
