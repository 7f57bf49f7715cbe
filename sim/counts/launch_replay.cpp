#include "sim/counts/launch_replay.hpp"

#include "sim/counts/counted_sms.hpp"
#include "sim/engine/waiting_ctas.hpp"

namespace warpmem::sim {
namespace {

template <class Memory>
class LaunchReplay {
 public:
  LaunchReplay(const LaunchRun& run, Memory& memory)
      : run_(run),
        memory_(memory),
        waiting_(run.reader, run.index, run.card, run.occupancy),
        sms_(run, memory, 0, run.card.numbers().cta_order.size()) {}

  Result<ForcedBarriers> run(const Tick& tick) {
    if (auto ok = waiting_.read(run_.cache.rewrite()); !ok) return ok.error();
    if (!place_first()) return sms_.error();
    const std::uint64_t& records = memory_.counters().records;
    std::uint64_t since_tick = 0;
    while (!sms_.none()) {
      if (sms_.idle())
        if (auto ok = force_barriers(); !ok) return ok.error();
      sms_.run_step();
      if (!sms_.end_step([this](int sm, std::uint64_t cycle) { return take_place(sm, cycle); }))
        return sms_.error();
      if (tick && records > since_tick + 50000) {
        since_tick = records;
        if (!tick(since_tick)) return run_.interrupted();
      }
    }
    if (tick && !tick(records)) return run_.interrupted();
    return ForcedBarriers{sms_.forced(), stuck_};
  }

 private:
  // The first CTAs go where hardware puts them, one after the other.
  bool place_first() {
    if (waiting_.in_clusters()) return start_clusters(0);
    const auto [sms, starts] = waiting_.first();
    for (std::size_t i = 0; i < sms.size(); ++i)
      if (!sms_.start(waiting_.take(), sms[i], starts.cycle[i])) return false;
    return true;
  }

  // A CTA has left an SM: the next one takes its place.
  bool take_place(int sm, std::uint64_t cycle) {
    if (!waiting_.in_clusters()) return waiting_.empty() || sms_.start(waiting_.take(), sm, cycle);
    waiting_.free(sm);
    return start_clusters(cycle);
  }

  // The next clusters start, as many as there is room for.
  bool start_clusters(std::uint64_t cycle) {
    while (true) {
      const std::vector<int>& chosen = waiting_.next_cluster();
      if (chosen.empty()) return true;
      for (const int sm : chosen)
        if (!sms_.start(waiting_.take(), sm, cycle ? cycle : placed_++ * 6 / 5)) return false;
    }
  }

  Result<void> force_barriers() {
    AllBarrierWaits before, after;
    sms_.add_barrier_waits(before);
    if (stuck_.empty()) stuck_ = before.text();
    sms_.release_barriers();
    if (!sms_.idle()) return {};
    sms_.add_barrier_waits(after);
    return nobody_can_go_on(after.text(), run_.reader.path());
  }

  LaunchRun run_;
  Memory& memory_;
  WaitingCtas waiting_;
  CountedSms<Memory> sms_;
  std::uint64_t placed_ = 0;  // CTAs of clusters, by the first placement
  std::string stuck_;         // what waited for what when barriers were first opened by force
};

// Runs it with the code that is made for its memory system.
class Replay final : public model::MemoryVisitor {
 public:
  Replay(const LaunchRun& run, const Tick& tick) : run_(run), tick_(tick) {}
  void visit(model::SectoredMemory& memory) override { on(memory); }
  void visit(model::MemorySystem& memory) override { on(memory); }
  Result<ForcedBarriers> result = ForcedBarriers{};

 private:
  template <class Memory>
  void on(Memory& memory) {
    result = LaunchReplay<Memory>(run_, memory).run(tick_);
  }
  const LaunchRun& run_;
  const Tick& tick_;
};

}  // namespace

Result<ForcedBarriers> count_launch(const LaunchRun& run, const Tick& tick) {
  Replay replay(run, tick);
  run.memory.accept(replay);
  return std::move(replay.result);
}

}  // namespace warpmem::sim
