#include "emulate/executor/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulate/executor/execution.hpp"

namespace warpmem::emulate {

Execution::Execution(const Kernel& kernel, Memory& memory, const LaunchShape& shape, const RunOptions& options, Tracer* tracer, RunStatistics& statistics)
    : kernel_(kernel), memory_(memory), shape_(shape), options_(options), tracer_(tracer), stats_(statistics) {
  if (tracer) back_edges_ = tracer->back_edges(), told_ = tracer->told();
  threads_ = shape.block[0] * shape.block[1] * shape.block[2];
  warps_ = (threads_ + 31) / 32;
  cluster_size_ = shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
  shared_bytes_ = kernel.static_shared;
  if (shape.dynamic_shared) shared_bytes_ = kernel.dynamic_shared_at + shape.dynamic_shared;
  if (kernel.reserves_shared) shared_bytes_ = (shared_bytes_ + 15) / 16 * 16 + kReservedShared;
  groups_ = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] / cluster_size_;
}

void Execution::start_cta(Cta& cta, std::uint64_t number, std::uint32_t rank) {
  cta.number = number;
  cta.rank = rank;
  const Dim3& g = shape_.grid;
  cta.id = {static_cast<std::uint32_t>(number % g[0]), static_cast<std::uint32_t>(number / g[0] % g[1]), static_cast<std::uint32_t>(number / g[0] / g[1])};
  cta.shared.assign(shared_bytes_ + 16, std::byte{0});
  cta.barriers = {};
  if (options_.report) cta.check.begin(shared_bytes_);
  cta.left = warps_;
  cta.warps.resize(warps_);
  if (tracer_) tracer_->begin_cta(number, warps_);
  for (std::uint32_t w = 0; w < warps_; ++w) {
    Warp& warp = cta.warps[w];
    warp.index = w;
    const std::uint32_t lanes = std::min(32u, threads_ - w * 32);
    warp.exists = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warp.exited = 0, warp.unbroken = 0;
    warp.clock = started_at_;
    warp.looks.clear();
    warp.in_vain = false;
    warp.at_cluster = 0;
    warp.held_in = 0;
    warp.shared_pace = warp.global_pace = Warp::Pace::kReads;
    warp.rounds.clear(), warp.recorded_code = nullptr;
    warp.parts.clear(), warp.ready.clear(), warp.unused.clear();
    for (Frame& f : warp.frames) f.used = false;
    const std::int32_t frame = new_frame(warp, *kernel_.functions[0], 0);
    std::fill(warp.local.begin(), warp.local.end(), std::byte{0});
    const std::int32_t part = new_part(warp);
    Part& p = warp.parts[static_cast<std::size_t>(part)];
    p.pc = 0, p.mask = warp.exists, p.frame = frame;
    make_ready(warp, part);
    if (tracer_) tracer_->mark(number, w, {0, trace::Op::kCtaBegin, trace::Space::kNone, 0}, warp.exists, trace::kUnknownSm, 0);
  }
}

void Execution::start_group(std::uint64_t number) {
  if (spare_.empty()) {
    active_.emplace_back();
  } else {
    active_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  begin_group(active_.back(), number);
}

void Execution::begin_group(Group& group, std::uint64_t number) {
  group.spun = 0;
  group.spins = false;
  group.stuck = 0;
  group.parting.clear();
  group.ctas.resize(cluster_size_);
  const Dim3 &g = shape_.grid, &k = shape_.cluster;
  const Dim3 n{g[0] / k[0], g[1] / k[1], g[2] / k[2]};
  const std::uint64_t cx = number % n[0], cy = number / n[0] % n[1], cz = number / n[0] / n[1];
  for (std::uint32_t r = 0; r < cluster_size_; ++r) {
    const std::uint64_t x = cx * k[0] + r % k[0], y = cy * k[1] + r / k[0] % k[1], z = cz * k[2] + r / k[0] / k[1];
    start_cta(group.ctas[r], x + g[0] * (y + g[1] * z), r);
  }
}

// A slice for each warp that may run.
Execution::Round Execution::run_round(Group& group) {
  Round round;
  for (Cta& cta : group.ctas) {
    if (cta.left == 0) continue;
    round.ended = false;
    cta_ = &cta;
    for (Warp& warp : cta.warps) {
      if (warp.ready.empty()) continue;
      if (turns_ && (warp.clock >= group.until || warp.held_in == group.turns)) {
        round.held = true;
        continue;
      }
      round.ran = true;
      if (stop_ && stop_->load(std::memory_order_relaxed)) throw Conflict{};
      const std::uint64_t slice = turns_ ? std::min(kWarpSlice, group.until - warp.clock) : kWarpSlice;
      const std::uint64_t left = options_.max_instructions ? options_.max_instructions - std::min(options_.max_instructions, stats_.warp_instructions) : slice;
      run_warp(warp, std::min(slice, left));
      round.stuck = round.stuck && (turns_ ? warp.in_vain : warp.gave_way);
      round.waits = round.waits && warp.waits_far();
      check_limits();
      if (!warp.done()) continue;
      leave_rounds(warp, nullptr, 0);
      if (tracer_) tracer_->mark(cta.number, warp.index, {0, trace::Op::kCtaEnd, trace::Space::kNone, 0}, warp.exists, 0, 0);
      warp.ready.clear();
      --cta.left;
    }
    if (tracer_)
      if (auto ok = tracer_->flush_if_large(cta.number); !ok) throw Fault{ok.error()};
  }
  return round;
}

void Execution::check_limits() {
  if (options_.max_instructions && stats_.warp_instructions >= options_.max_instructions) {
    stats_.fault = FaultKind::kEndless;
    throw Fault{{ErrorKind::kResources, fmt::format("the kernel '{}' ran {} warp instructions, as many as --max-instructions allows", demangled(kernel_.entry->name), stats_.warp_instructions), "",
                 "allow more, or look for a loop that never ends"}};
  }
  if (stats_.warp_instructions >= next_check_) {
    next_check_ = stats_.warp_instructions + (1u << 18);
    if (options_.interrupted && options_.interrupted()) throw Fault{{ErrorKind::kInterrupted, "interrupted", demangled(kernel_.entry->name), ""}};
  }
}

// Nobody can run. A barrier waits for threads, not for warps: whoever waits only for lanes to meet
// again goes on.
void Execution::wake(Group& group) {
  bool freed = false;
  for (Cta& cta : group.ctas)
    for (Warp& warp : cta.warps) {
      part_company(warp, Parting::kAll);
      freed = freed || !warp.ready.empty();
    }
  if (!freed) report_deadlock(group);
}

bool Execution::run_group(Group& group, std::uint64_t budget) {
  group_ = &group;
  const std::uint64_t until = stats_.warp_instructions + budget;
  while (true) {
    const Round round = run_round(group);
    if (round.ended) return true;
    if (!round.ran) {
      wake(group);
      continue;
    }
    group.stuck = round.stuck ? group.stuck + 1 : 0;
    if (group.stuck >= kStuck) end_stalemate(group), group.stuck = 0;
    group.spun = round.waits ? group.spun + 1 : 0;
    group.spins = group.spins || group.spun >= kSpun;
    if (round.waits && group.spins) return false;  // for another CTA
    if (stats_.warp_instructions >= until) return false;
  }
}

void Execution::report_deadlock(const Group& group) {
  std::string who;
  int listed = 0;
  for (const Cta& cta : group.ctas)
    for (const Warp& w : cta.warps)
      for (const Part& p : w.parts) {
        const char* at = p.state == Part::State::kAtBarrier ? "barrier" : p.state == Part::State::kTogether ? "" : p.state == Part::State::kAtCluster ? "cluster barrier" : nullptr;
        if (!at) continue;
        if (++listed > 8) continue;
        const Code& code = code_of(w, p);
        if (p.state == Part::State::kTogether) {
          who += fmt::format("\n    CTA ({},{},{}) warp {} lanes {:#010x}: its member mask {:#x} names lanes {:#x} that do not come to this instruction, {}", cta.id[0], cta.id[1], cta.id[2], w.index, p.mask,
                             p.sync_members, p.sync_members & ~w.gone() & ~p.mask, place_of(code, code.code[p.pc]));
          continue;
        }
        who += fmt::format("\n    CTA ({},{},{}) warp {} lanes {:#010x}: {}{}, {}", cta.id[0], cta.id[1], cta.id[2], w.index, p.mask, at,
                           p.state == Part::State::kAtBarrier ? fmt::format(" {}", p.barrier) : "", place_of(code, code.code[p.pc - 1]));
      }
  if (listed > 8) who += fmt::format("\n    and {} more", listed - 8);
  stats_.fault = FaultKind::kEndless;
  throw Fault{{ErrorKind::kMalformed, fmt::format("deadlock: all that is left of the kernel '{}' waits{}", demangled(kernel_.entry->name), who), "",
               "make every thread of the CTA reach the same barrier, and every lane that a member mask names the same instruction"}};
}

void Execution::end_group(Group& group) {
  for (Cta& cta : group.ctas) {
    if (tracer_)
      if (auto ok = tracer_->end_cta(cta.number); !ok) throw Fault{ok.error()};
    ++stats_.ctas;
  }
}

Result<void> Execution::run() {
  std::memcpy(memory_.host(memory_.param_base()), shape_.params.data(), shape_.params.size());
  std::memset(memory_.host(memory_.param_base() + kParamBytes), 0, kGridBarrierBytes);
  begin_times();
  turns_ = takes_turns();
  try {
    if (auto ok = turns_ ? run_in_turns() : run_in_order(); !ok) return ok;
  } catch (Fault& fault) {
    if (tracer_) {
      if (auto ok = tracer_->finish(); !ok) return ok;
    }
    if (stats_.fault == FaultKind::kNone) stats_.fault = FaultKind::kOther;
    return std::move(fault.error);
  }
  return tracer_ ? tracer_->finish() : Result<void>{};
}

Result<void> Execution::run_in_order() {
  std::uint64_t next = 0;
  std::size_t turn = 0, wanted = 1;
  while (next < groups_ || !active_.empty()) {
    while (next < groups_ && active_.size() < wanted) start_group(next++);
    if (turn >= active_.size()) turn = 0;
    if (run_group(active_[turn], kGroupSlice)) {
      end_group(active_[turn]);
      spare_.push_back(std::move(active_[turn]));
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(turn));
      if (active_.empty()) wanted = 1;
      if (stats_.ctas == cluster_size_ && active_.empty() && next < groups_ && worth_running_ahead()) {
        auto reached = run_ahead(next);
        if (!reached) return reached.error();
        next = *reached;
      }
      if (options_.progress) options_.progress(stats_.ctas, groups_ * cluster_size_);
    } else {
      // It may be waiting for a CTA that has not started.
      if (wanted < kMostGroups) ++wanted;
      ++turn;
    }
  }
  return {};
}

Result<void> run_launch(const Kernel& kernel, Memory& memory, const LaunchShape& shape, const RunOptions& options, Tracer* tracer, RunStatistics& statistics) {
  Execution execution(kernel, memory, shape, options, tracer, statistics);
  auto result = execution.run();
  execution.end_times();
  if (tracer) statistics.memory_records = tracer->records();
  return result;
}

}  // namespace warpmem::emulate
