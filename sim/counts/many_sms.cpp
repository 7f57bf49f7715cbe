#include "sim/counts/many_sms.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/counts/batch_reports.hpp"
#include "sim/counts/called_threads.hpp"
#include "sim/counts/shared_l2.hpp"
#include "sim/counts/sm_shares.hpp"
#include "sim/engine/lacking.hpp"
#include "sim/engine/waiting_ctas.hpp"
#include "sim/engine/warp_lanes.hpp"
#include "sim/spills/spills.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 25;  // of 16 cycles each
constexpr std::size_t kMostSms = 256;
constexpr std::uint64_t kTickEvery = 50000;  // records

// How far the launch is. All threads that run a batch have one, and come to the same.
struct Progress {
  std::uint64_t next = 0;      // CTA to start
  std::uint64_t resident = 0;  // CTAs
  std::uint64_t now = 0;       // steps
  std::uint64_t batch = 0;
  double work = 0;  // of a step, on average: warps that had something to do, and requests

  // So many CTAs have ended; of those that wait as many start, if there are any.
  void end(std::uint64_t ended, std::uint64_t all) {
    const std::uint64_t started = std::min(ended, all - next);
    next += started;
    resident = resident - ended + started;
  }
  void average(std::uint64_t of_steps, std::uint64_t steps) {
    work += (static_cast<double>(of_steps) / static_cast<double>(steps) - work) / 8;
  }
};

// Where the host has other things to do: steps that one thread takes until all are asked again,
// more each time.
class BusyHost {
 public:
  bool alone(std::uint64_t step) const { return step < until_; }
  void found(std::uint64_t step) {
    until_ = step + steps_;
    steps_ = std::min(steps_ * 2, kMostSteps);
  }

 private:
  std::uint64_t until_ = 0, steps_ = 1024;
};

class Run {
 public:
  Run(const ManySms& what, const std::function<bool(std::uint64_t)>& tick)
      : what_(what),
        tick_(tick),
        ctas_(what.reader, what.launch, what.card, what.occupancy),
        shares_(what) {}

  Result<ManySmsResult> all(model::SectoredMemory& into);

 private:
  // Why all threads stop working in parallel.
  enum class Why { kOver, kFewWarps, kBusy, kLate, kNobody, kFailed, kStopped, kTooLong };

  Result<void> place_first();
  Result<void> alone();
  Result<void> one_step_alone();
  void together(unsigned number);
  std::uint64_t run_batch(unsigned number, std::uint64_t steps, Progress& progress,
                          std::uint64_t& exchanged, BatchReport& mine);
  Why why_stop(const Progress& progress, const BatchReport& all) const;
  bool end_step(SmShare::Part& part, std::uint64_t next);
  void count_into(model::SectoredMemory& into);
  bool ticks(std::uint64_t records);
  std::uint64_t all_ctas() const { return ctas_.all().size(); }
  Error interrupted() const {
    return {ErrorKind::kInterrupted, "replay was interrupted", what_.reader.path(), ""};
  }

  const ManySms& what_;
  const std::function<bool(std::uint64_t)>& tick_;
  std::uint64_t ticked_ = 0;  // records
  WaitingCtas ctas_;          // the next one is Progress::next
  SmShares shares_;
  std::optional<SharedL2> l2_;
  std::optional<BatchReports> reports_;
  Progress progress_;
  BusyHost host_;
  Why why_ = Why::kOver;
  ManySmsResult result_;
};

Result<void> Run::place_first() {
  if (auto ok = ctas_.read(what_.rewrite); !ok) return ok;
  const auto [sms, starts] = ctas_.first();
  shares_.make(sms);
  l2_.emplace(what_, shares_);
  reports_.emplace(shares_.size());
  const std::vector<SmShare*> of = shares_.by_sm();
  for (std::size_t i = 0; i < sms.size(); ++i) {
    SmShare::Part& part = *of[static_cast<std::size_t>(sms[i])]->part;
    if (!part.start(ctas_.all()[i], sms[i], starts.cycle[i])) return part.error();
  }
  progress_.next = progress_.resident = sms.size();
  return {};
}

// False: the caller is to stop.
bool Run::ticks(std::uint64_t records) {
  if (!tick_ || records <= ticked_ + kTickEvery) return true;
  ticked_ = records;
  return tick_(records);
}

// CTAs take the places of those that ended in the part's step, from this one of all on.
bool Run::end_step(SmShare::Part& part, std::uint64_t next) {
  const std::vector<std::uint64_t>& all = ctas_.all();
  return part.end_step([&](int sm, std::uint64_t cycle) {
    return next >= all.size() || part.start(all[next++], sm, cycle);
  });
}

// One SM after the other, each request served at once.
Result<void> Run::one_step_alone() {
  bool late = false;
  std::uint64_t work = 0;
  for (SmShare& s : shares_) {
    s.l2().at_once(&l2_->at_once());
    s.part->begin_batch(1);
    work += s.part->run_step() + s.l2().take_served();
  }
  for (SmShare& s : shares_) {
    const std::uint64_t ended = s.part->ended();
    if (!end_step(*s.part, progress_.next)) return s.part->error();
    progress_.end(ended, all_ctas());
    late |= s.part->late();
    s.l2().at_once(nullptr);
  }
  why_ = late ? Why::kLate : Why::kFewWarps;
  progress_.average(work, 1);
  ++progress_.now;
  ++result_.steps;
  return {};
}

// Until there is enough to do for all threads, or nothing.
Result<void> Run::alone() {
  while (progress_.resident > 0 && progress_.now < kMostSteps) {
    if (shares_.idle())
      if (auto ok = shares_.release_barriers(result_.forced); !ok) return ok;
    if (why_ != Why::kLate && !host_.alone(progress_.now) &&
        progress_.work >= static_cast<double>(what_.few))
      return {};
    if (auto ok = one_step_alone(); !ok) return ok;
    if (!ticks(shares_.records())) return interrupted();
  }
  return {};
}

// The steps of a batch, but for the end of the last one: the CTA that is to start first there.
// `exchanged`: how often threads have exchanged how many CTAs ended.
std::uint64_t Run::run_batch(unsigned number, std::uint64_t steps, Progress& progress,
                             std::uint64_t& exchanged, BatchReport& mine) {
  SmShare::Part& part = *shares_[number].part;
  model::L2Requests& asked = shares_[number].l2();
  std::uint64_t first = all_ctas();
  mine.work = mine.ended = 0;
  part.begin_batch(steps);
  for (std::uint64_t k = 0; k < steps; ++k) {
    if (k > 0) end_step(part, first);
    mine.work += part.run_step();
    asked.end_step();
    first = all_ctas();
    if (progress.next == all_ctas()) {  // nobody waits for room
      mine.ended += part.ended();
      continue;
    }
    reports_->ended(number, ++exchanged) = part.ended();
    l2_->barrier().meet(number);
    const BatchReports::Ended ended = reports_->ended_before(number, exchanged);
    first = std::min<std::uint64_t>(progress.next + ended.before, all_ctas());
    progress.end(ended.all, all_ctas());
  }
  mine.requests = asked.list().requests.size();
  mine.work += mine.requests;
  mine.records = shares_[number].memory->counters().records;
  mine.late = part.late();
  mine.idle = part.has_been_idle() && part.ended() == 0;
  mine.idle_since = part.idle_since();
  mine.failed = part.failed();
  mine.busy = what_.few > 0 && l2_->barrier().busy(number);
  return first;
}

// kStopped: they go on.
Run::Why Run::why_stop(const Progress& progress, const BatchReport& all) const {
  if (progress.resident == 0) return Why::kOver;
  if (all.idle) return Why::kNobody;
  if (all.late) return Why::kLate;
  if (progress.now >= kMostSteps) return Why::kTooLong;
  if (all.busy) return Why::kBusy;
  return progress.work < static_cast<double>(what_.few) / 2 ? Why::kFewWarps : Why::kStopped;
}

// Batches on all threads; each comes to the same conclusion on how they end.
void Run::together(unsigned number) {
  SmShare::Part& part = *shares_[number].part;
  StepBarrier& barrier = l2_->barrier();
  Progress progress = progress_;
  std::uint64_t exchanged = 0, steps = 1;
  bool stops = false;
  Why why = Why::kOver;
  while (true) {
    BatchReport& mine = reports_->of(number, ++progress.batch);
    mine.stops = stops;
    const std::uint64_t first = run_batch(number, steps, progress, exchanged, mine);
    barrier.meet(number);
    if (number == 0) l2_->end_serving();
    const BatchReport all = reports_->all(progress.batch);
    if (all.failed || all.stops) {
      why = all.failed ? Why::kFailed : Why::kStopped;
      break;
    }
    const bool whole = all.requests == 0 || l2_->serve(number, progress.batch);
    part.answered();
    end_step(part, first);
    progress.end(all.ended, all_ctas());
    progress.now += steps;
    progress.average(all.work, steps);
    if (number == 0) stops = !ticks(all.records);
    // Of a long batch more is likely to hang on what is not known.
    steps = whole ? std::min(steps * 2, AnswersLater::kMostBatch)
                  : std::max<std::uint64_t>(steps / 2, 1);
    why = why_stop(progress, all);
    if (why == Why::kStopped) continue;
    if (why == Why::kNobody) progress.now = all.idle_since;
    part.go_on_at(progress.now);
    break;
  }
  barrier.meet(number);
  if (number == 0) {
    l2_->end_serving();
    result_.steps += progress.now - progress_.now;
    result_.together += progress.now - progress_.now;
    progress_ = progress;
    why_ = stops && why == Why::kOver ? Why::kStopped : why;
    if (shares_.failed()) why_ = Why::kFailed;
  }
  barrier.meet(number);
  if (why == Why::kBusy) barrier.forget(number);
}

void Run::count_into(model::SectoredMemory& into) {
  std::uint64_t product_bytes = 0;
  const model::LaunchCounters all = shares_.counted(product_bytes);
  model::LaunchCounters more;
  more.l2 = l2_->counted();
  into.add(all + more, product_bytes);
  for (SmShare& s : shares_) {
    result_.forced.count += s.part->forced();
    result_.taken += s.cache->taken();
  }
  result_.cut = l2_->cut();
}

Result<ManySmsResult> Run::all(model::SectoredMemory& into) {
  if (auto ok = place_first(); !ok) return ok.error();
  CalledThreads others(static_cast<unsigned>(shares_.size()),
                       [this](unsigned number) { together(number); });
  while (true) {
    if (auto ok = alone(); !ok) return ok.error();
    if (progress_.now >= kMostSteps) return result_;
    if (progress_.resident == 0) break;
    others.call();
    together(0);
    if (why_ == Why::kBusy) host_.found(progress_.now);
    if (why_ == Why::kFailed) return shares_.failure();
    if (why_ == Why::kStopped) return interrupted();
    if (why_ == Why::kTooLong) return result_;
    if (progress_.resident == 0) break;
  }
  if (tick_ && !tick_(shares_.records())) return interrupted();
  count_into(into);
  result_.done = true;
  return result_;
}

}  // namespace

bool can_share_out(const trace::TraceReader& reader, std::uint32_t launch,
                   const model::Card& card) {
  const trace::Launch& l = reader.launches()[launch].launch;
  const model::CardNumbers& n = card.numbers();
  const std::uint64_t soonest =
      n.lrc_merge > 1 ? std::min(n.latency_l2_near, n.lrc_way_cycles) : n.latency_l2_near;
  // L2::256B brings a line of another part of the L2's sets.
  const bool blocks = std::ranges::any_of(
      plan_sites(card, reader.sites(launch), *reader.code(l.program)),
      [&](const AccessPlan& p) { return p.fetch_sectors * model::kSectorBytes > n.line_bytes; });
  return cluster_size(l, card) <= 1 && n.sm_count <= kMostSms && !blocks &&
         soonest >= (AnswersLater::kMostBatch + 1) * kStepCycles;
}

bool pays_to_share_out(const trace::TraceReader& reader, std::uint32_t launch) {
  constexpr std::uint64_t kMostLines = 4;  // an access, on average
  constexpr std::size_t kLooked = 4096;    // records
  const trace::LaunchSummary& l = reader.launches()[launch];
  if (l.blocks.empty()) return false;
  const auto block = reader.decode(l.blocks.front());
  if (!block) return false;
  const auto sites = reader.sites(launch);
  std::uint64_t accesses = 0, lines = 0;
  model::LineList list;
  for (std::size_t i = 0; i < std::min(kLooked, block->records.size()); ++i) {
    const trace::Record& r = block->records[i];
    const trace::Site& site = sites[r.site];
    const bool moves = site.op == trace::Op::kLoad || site.op == trace::Op::kStore;
    if (!moves || site.space == trace::Space::kShared || r.mask == 0) continue;
    model::list_lines(lanes_of(r, block->lanes.data()), std::max<std::uint32_t>(1, site.bytes),
                      false, list);
    ++accesses;
    lines += static_cast<std::uint64_t>(list.count);
  }
  return lines <= kMostLines * std::max<std::uint64_t>(accesses, 1);
}

Result<ManySmsResult> run_many_sms(const ManySms& what, model::SectoredMemory& into,
                                   const std::function<bool(std::uint64_t)>& tick) {
  return Run(what, tick).all(into);
}

}  // namespace warpmem::sim
