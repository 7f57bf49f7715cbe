#include "sim/replay.hpp"

#include <algorithm>
#include <deque>
#include <memory>

#include "sim/cta_stream.hpp"
#include "sim/memory_system.hpp"
#include "sim/occupancy.hpp"
#include "sim/placement.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint32_t kNoBarrier = ~0u;

struct ResidentCta {
  CtaStream stream;
  std::uint32_t first_slot = 0;             // warp slot of its warp 0 on the SM
  std::vector<std::uint32_t> waits;         // by warp: barrier it stands at, or kNoBarrier
  std::vector<std::uint8_t> done;           // by warp
  std::uint32_t left = 0;                   // warps not done
  std::uint32_t standing = 0;               // warps at some barrier
  std::array<std::uint32_t, 64> arrived{};  // warps at each barrier
  std::array<std::uint32_t, 64> expected{}; // warps each barrier waits for; 0: all
};

struct Sm {
  int id = 0;
  std::vector<std::unique_ptr<ResidentCta>> ctas;  // oldest first
  std::vector<std::uint8_t> slot_used;             // by CTA slot
};

class LaunchReplay {
 public:
  LaunchReplay(const trace::TraceReader& reader, std::uint32_t index, const model::Card& card, MemorySystem& memory,
               BlockCache& cache, const Occupancy& occupancy)
      : reader_(reader), index_(index), card_(card), memory_(memory), cache_(cache), occupancy_(occupancy) {
    const trace::LaunchSummary& summary = reader.launches()[index];
    plans_ = plan_sites(reader.sites(index), reader.programs()[summary.launch.program]);
    for (std::uint64_t sm : card.numbers().cta_order) {
      Sm s;
      s.id = static_cast<int>(sm);
      s.slot_used.assign(occupancy.ctas, 0);
      sms_.push_back(std::move(s));
    }
  }

  // `tick` hears of the records done after each round; false stops.
  Result<void> run(const std::function<bool(std::uint64_t)>& tick) {
    auto ctas = reader_.ctas(index_);
    if (!ctas) return ctas.error();
    waiting_ = std::move(ctas).value();
    while (true) {
      if (auto ok = place_ctas(); !ok) return ok;
      bool any = false, moved = false;
      for (Sm& sm : sms_) {
        if (sm.ctas.empty()) continue;
        any = true;
        auto progress = run_round(sm);
        if (!progress) return progress.error();
        moved |= *progress;
      }
      if (!any && next_ == waiting_.size()) return {};
      if (any && !moved) release_barriers();
      ++round_;
      if (tick && !tick(memory_.counters().records))
        return Error{ErrorKind::kInterrupted, "replay was interrupted", reader_.path(), ""};
    }
  }

  std::uint64_t forced() const { return forced_; }

 private:
  // The first CTAs go where hardware puts them; later ones to SMs with room, in the card's order.
  Result<void> place_ctas() {
    if (!started_) {
      started_ = true;
      std::vector<std::size_t> index(sms_.size());
      for (std::size_t i = 0; i < sms_.size(); ++i) index[static_cast<std::size_t>(sms_[i].id)] = i;
      for (int sm : first_placement(card_, occupancy_.ctas, waiting_.size()))
        if (auto ok = start_next(sms_[index[static_cast<std::size_t>(sm)]]); !ok) return ok;
      return {};
    }
    bool placed = true;
    while (placed && next_ < waiting_.size()) {
      placed = false;
      for (Sm& sm : sms_) {
        if (next_ == waiting_.size()) break;
        if (sm.ctas.size() >= occupancy_.ctas) continue;
        if (auto ok = start_next(sm); !ok) return ok;
        placed = true;
      }
    }
    return {};
  }

  Result<void> start_next(Sm& sm) {
    auto stream = CtaStream::open(reader_, cache_, index_, waiting_[next_], occupancy_.warps_per_cta);
    if (!stream) return stream.error();
    if (auto first = stream->advance(cache_, 0); !first) return first.error();
    ++next_;
    auto cta = std::make_unique<ResidentCta>(ResidentCta{std::move(stream).value(), 0, {}, {}, 0, 0, {}, {}});
    const auto slot = static_cast<std::uint32_t>(std::find(sm.slot_used.begin(), sm.slot_used.end(), 0) - sm.slot_used.begin());
    sm.slot_used[slot] = 1;
    cta->first_slot = slot * occupancy_.warps_per_cta;
    cta->waits.assign(occupancy_.warps_per_cta, kNoBarrier);
    cta->done.assign(occupancy_.warps_per_cta, 0);
    cta->left = occupancy_.warps_per_cta;
    sm.ctas.push_back(std::move(cta));
    return {};
  }

  Result<bool> run_round(Sm& sm) {
    bool moved = false;
    for (auto& cta : sm.ctas)
      for (std::uint32_t w = 0; w < occupancy_.warps_per_cta; ++w) {
        if (w + 2 < occupancy_.warps_per_cta) look_ahead(sm, cta->stream.warp(w + 2));
        if (cta->done[w] || cta->waits[w] != kNoBarrier) continue;
        auto step = run_warp(sm, *cta, w);
        if (!step) return step;
        moved |= *step;
      }
    for (auto it = sm.ctas.begin(); it != sm.ctas.end();) {
      if ((*it)->left > 0) {
        ++it;
        continue;
      }
      sm.slot_used[(*it)->first_slot / occupancy_.warps_per_cta] = 0;
      it = sm.ctas.erase(it);
    }
    return moved;
  }

  // What a warp will do soon: its record, and the caches that the record will meet.
  void look_ahead(const Sm& sm, const CtaStream::Warp& warp) const {
    const trace::Record* r = warp.next;
    if (r != warp.end && plans_[r->site].action == Action::kBegin) ++r;
    if (r != warp.end) memory_.prefetch(*r, plans_[r->site], warp.block->lanes.data(), sm.id);
  }

  // Runs a warp up to and with its next global or local access, its next barrier, or its end.
  Result<bool> run_warp(Sm& sm, ResidentCta& cta, std::uint32_t w) {
    Place place{sm.id, cta.first_slot + w, round_, 0};
    while (true) {
      CtaStream::Warp* at = &cta.stream.warp(w);
      if (at->next == at->end) {
        auto advanced = cta.stream.advance(cache_, w);
        if (!advanced) return advanced.error();
        at = *advanced;
        if (!at->next) {
          cta.done[w] = 1;
          --cta.left;
          check_barriers(cta);
          return true;
        }
      }
      const trace::Record& r = *at->next++;
      const SitePlan& plan = plans_[r.site];
      if (plan.action == Action::kBarrier) {
        ++memory_.counters().records;
        stand_at(cta, w, static_cast<std::uint32_t>(r.base) % 64, static_cast<std::uint32_t>(r.stride) / 32);
        if (cta.waits[w] != kNoBarrier) return true;
        continue;
      }
      memory_.run(r, plan, at->block->lanes.data(), place);
      if (plan.yields) return true;
    }
  }

  void stand_at(ResidentCta& cta, std::uint32_t w, std::uint32_t barrier, std::uint32_t expected) {
    cta.waits[w] = barrier;
    ++cta.standing;
    ++cta.arrived[barrier];
    cta.expected[barrier] = expected;
    check_barriers(cta);
  }

  void check_barriers(ResidentCta& cta) {
    if (!cta.standing) return;
    for (std::uint32_t b = 0; b < cta.arrived.size(); ++b) {
      if (!cta.arrived[b]) continue;
      const std::uint32_t wanted = cta.expected[b] ? std::min(cta.expected[b], cta.left) : cta.left;
      if (cta.arrived[b] >= wanted) open(cta, b);
    }
  }

  void open(ResidentCta& cta, std::uint32_t barrier) {
    cta.standing -= cta.arrived[barrier];
    cta.arrived[barrier] = 0;
    for (auto& wait : cta.waits)
      if (wait == barrier) wait = kNoBarrier;
  }

  // A trace that was cut short, or filtered, can leave warps at a barrier that nobody else reaches.
  void release_barriers() {
    for (Sm& sm : sms_)
      for (auto& cta : sm.ctas)
        for (std::uint32_t b = 0; b < cta->arrived.size(); ++b)
          if (cta->arrived[b]) {
            ++forced_;
            open(*cta, b);
          }
  }

  const trace::TraceReader& reader_;
  std::uint32_t index_;
  const model::Card& card_;
  MemorySystem& memory_;
  BlockCache& cache_;
  Occupancy occupancy_;
  std::vector<SitePlan> plans_;
  std::vector<Sm> sms_;  // in the order in which they get CTAs
  std::vector<std::uint64_t> waiting_;
  std::size_t next_ = 0;
  bool started_ = false;
  std::uint64_t round_ = 1;
  std::uint64_t forced_ = 0;
};

// Laws that hold at the end of every launch; a violation is a bug of ours.
Result<void> check_laws(const LaunchCounters& c, const std::string& place) {
  const auto broken = [&](const char* law) {
    return Error{ErrorKind::kInternal, std::string("a conservation law does not hold: ") + law, place, "please report this with the trace"};
  };
  if (c.global_ld.hits > c.global_ld.sectors) return broken("L1 hits <= L1 sectors");
  if (c.l2.read_hit > c.l2.read || c.l2.atomic_hit > c.l2.atomic || c.l2.reduction_hit > c.l2.reduction)
    return broken("L2 hits <= L2 sectors");
  const std::uint64_t l2_reads = c.l2.read + c.l2.merged + c.l2.atomic;
  if (c.l1_fill_sectors != l2_reads) return broken("sectors into the L1s = L2 reads + coalesced reads + atomics");
  if (c.l1_write_sectors != c.l2.write + c.l2.atomic + c.l2.reduction) return broken("sectors out of the L1s = L2 writes + atomics");
  if (c.l2.atomic != c.global_atom.sectors || c.l2.reduction != c.global_red.sectors) return broken("L2 atomics = L1 atomics");
  return {};
}

}  // namespace

Result<ReplayResult> replay(const trace::TraceReader& reader, const model::Card& card, const ReplayOptions& options) {
  ReplayResult result;
  for (const std::string& m : reader.origin().missing) result.notes.push_back("not in the trace: " + m);
  MemorySystem memory(card);
  BlockCache cache(reader);
  std::uint64_t total = 0, before = 0;
  for (const trace::LaunchSummary& l : reader.launches())
    if (!options.launch || *options.launch == l.launch.id) total += l.end.records;
  bool found = false;
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const trace::LaunchSummary& summary = reader.launches()[i];
    if (options.launch && *options.launch != summary.launch.id) continue;
    found = true;
    const trace::Program& program = reader.programs()[summary.launch.program];
    const std::string place = reader.path() + ", launch " + std::to_string(summary.launch.id) + " (" + program.demangled + ")";
    auto fit = occupancy(card, summary.launch);
    if (!fit) {
      Error e = fit.error();
      e.place = place + ", " + e.place;
      return e;
    }
    memory.begin_launch(summary.launch, fit->shared_config, !options.keep_caches);
    LaunchReplay run(reader, i, card, memory, cache, *fit);
    std::function<bool(std::uint64_t)> tick;
    if (options.progress) tick = [&](std::uint64_t done) { return options.progress(before + done, total); };
    if (auto ok = run.run(tick); !ok) return ok.error();
    ReplayedLaunch out;
    out.counters = memory.finish_launch();
    before += out.counters.records;
    if (auto ok = check_laws(out.counters, place); !ok) return ok.error();
    out.complete = summary.complete;
    if (!summary.complete) out.notes.push_back("the trace of this launch is not complete");
    if (program.code.empty()) out.notes.push_back("no program section: opcodes and cache operators are not known");
    if (run.forced()) out.notes.push_back("barriers opened by force: " + std::to_string(run.forced()));
    out.metrics.launch = summary.launch.id;
    out.metrics.kernel = program.demangled.empty() ? program.name : program.demangled;
    out.metrics.grid = summary.launch.grid;
    out.metrics.block = summary.launch.block;
    for (const MetricRow& row : metric_rows()) out.metrics.metrics[row.name] = MetricValue{static_cast<double>(row.value(out.counters)), {}};
    out.metrics.metrics["launch__shared_mem_config_size"] = MetricValue{static_cast<double>(fit->shared_config), {}};
    result.launches.push_back(out.metrics);
    result.details.push_back(std::move(out));
  }
  if (options.launch && !found)
    return Error{ErrorKind::kUsage, "launch " + std::to_string(*options.launch) + " is not in the trace", reader.path(), "see its launches with: warpmem info " + reader.path()};
  return result;
}

}  // namespace warpmem::sim
