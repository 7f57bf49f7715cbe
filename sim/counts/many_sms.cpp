#include "sim/counts/many_sms.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "base/in_parallel.hpp"
#include "base/step_barrier.hpp"
#include "model/card/spec_of.hpp"
#include "model/l2/split_l2.hpp"
#include "sim/counts/counted_sms.hpp"
#include "sim/engine/lacking.hpp"
#include "sim/engine/waiting_ctas.hpp"
#include "sim/engine/warp_lanes.hpp"
#include "sim/spills/spills.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 25;  // of 16 cycles each
constexpr std::size_t kMostSms = 256;
constexpr std::uint64_t kTickEvery = 50000;  // records

using Part = CountedSms<model::PartMemory>;

// Some of the SMs, as they stand on the card's cta_order.
struct SmRange {
  std::size_t first = 0, end = 0;
};

// What one thread has: some SMs, their L1s, and blocks of the trace.
struct Share {
  std::unique_ptr<model::PartMemory> memory;
  std::unique_ptr<BlockCache> cache;
  std::unique_ptr<Part> part;
};

// What a thread tells the others of a batch before they meet; one for even batches, one for odd
// ones.
struct alignas(64) Told {
  std::uint64_t work = 0, asks = 0, ended = 0, records = 0, idle_since = 0;
  bool late = false, idle = false, failed = false, stops = false, busy = false;
};
// … of a step.
struct alignas(64) Ended {
  std::uint64_t ctas[2] = {};
};

// What all threads know alike.
struct Common {
  std::uint64_t next = 0;      // CTA to start
  std::uint64_t resident = 0;  // CTAs

  // So many have ended; of those that wait as many start, if there are any.
  void end(std::uint64_t ended, std::uint64_t all) {
    const std::uint64_t started = std::min(ended, all - next);
    next += started;
    resident = resident - ended + started;
  }
};

class Run {
 public:
  Run(const ManySms& what, const std::function<bool(std::uint64_t)>& tick)
      : what_(what), tick_(tick), ctas_(what.reader, what.launch, what.card, what.occupancy) {}

  Result<ManySmsResult> all(model::SectoredMemory& into);

 private:
  enum class Why { kOver, kFewWarps, kBusy, kLate, kNobody, kFailed, kStopped, kTooLong };

  Result<void> make_shares(const std::vector<int>& first);
  void make_share(Share& share, const SmRange& range);
  Result<void> place_first();
  Result<void> alone();
  Result<void> one_step_alone();
  void together(unsigned number);
  std::uint64_t run_batch(unsigned number, std::uint64_t steps, Common& common, std::uint64_t& turn,
                          Told& mine);
  Told told_by_all(std::uint64_t batch) const;
  bool serve(unsigned number, std::uint64_t batch);
  void sleep_and_work(unsigned number);
  bool end_step(Part& part, std::uint64_t next);
  Result<void> release();
  Error failure() const;
  void count_into(model::SectoredMemory& into);
  std::uint64_t records() const;
  bool ticks();
  Error interrupted() const {
    return {ErrorKind::kInterrupted, "replay was interrupted", what_.reader.path(), ""};
  }

  const ManySms& what_;
  const std::function<bool(std::uint64_t)>& tick_;
  WaitingCtas ctas_;  // the next one is common_.next, which each thread works out for itself
  std::vector<Share> shares_;
  std::unique_ptr<model::SplitL2> l2_;
  std::unique_ptr<StepBarrier> barrier_;
  std::vector<std::array<Told, 2>> told_;
  std::vector<Ended> ended_;
  Common common_;
  std::uint64_t now_ = 0, batch_ = 0;
  double work_ = 0;  // of a step, on average: warps that had something to do, and requests
  std::uint64_t ticked_ = 0;
  // The host has had other things to do: steps until it is asked again.
  std::uint64_t alone_until_ = 0, busy_steps_ = 1024;
  bool late_ = false;
  Why why_ = Why::kOver;
  std::uint64_t next_free_ = 0;  // SplitL2::free() of the next step, if it is known already
  bool free_known_ = false;
  std::atomic<std::uint64_t> called_{0};  // how often all threads were woken
  std::atomic<bool> ends_{false};
  std::atomic<std::uint32_t> asleep_{0};
  ManySmsResult result_;
};

// SMs in a row, so that each thread has about as many of the first CTAs.
Result<void> Run::make_shares(const std::vector<int>& first) {
  const std::vector<std::uint64_t>& order = what_.card.numbers().cta_order;
  std::vector<std::uint64_t> ctas(what_.card.numbers().sm_count);
  for (const int sm : first) ++ctas[static_cast<std::size_t>(sm)];
  std::uint64_t all = 0;
  for (const std::uint64_t sm : order) all += 1 + 64 * ctas[sm];
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(what_.threads, order.size()));
  std::vector<model::L2Requests*> lists;
  std::vector<SmRange> ranges;
  std::uint64_t before = 0;
  std::size_t at = 0;
  for (unsigned t = 0; t < threads; ++t) {
    SmRange range{at, at};
    while (range.end < order.size() &&
           (range.end == range.first || before * threads < all * (t + 1)) &&
           order.size() - range.end >= threads - t)
      before += 1 + 64 * ctas[order[range.end++]];
    if (t + 1 == threads) range.end = order.size();
    at = range.end;
    shares_.emplace_back();
    ranges.push_back(range);
  }
  in_parallel(threads, threads, [&] {
    return [&](std::size_t t) {
      make_share(shares_[t], ranges[t]);
      return true;
    };
  });
  for (Share& share : shares_) lists.push_back(&share.memory->l2());
  told_.resize(shares_.size());
  ended_.resize(shares_.size());
  l2_ = std::make_unique<model::SplitL2>(model::spec_of<model::L2Spec>(what_.card), threads,
                                         std::move(lists));
  in_parallel(threads, threads, [&] {
    return [&](std::size_t t) {
      l2_->flush(static_cast<std::uint32_t>(t), what_.card.numbers().launch_dirty_sectors);
      return true;
    };
  });
  l2_->set_aside(what_.memory.set_aside);
  l2_->fetch_granularity(
      static_cast<std::uint32_t>(what_.memory.fetch_bytes / model::kSectorBytes));
  barrier_ = std::make_unique<StepBarrier>(threads);
  return {};
}

void Run::make_share(Share& share, const SmRange& range) {
  std::vector<bool> own(what_.card.numbers().sm_count);
  for (std::size_t i = range.first; i < range.end; ++i)
    own[what_.card.numbers().cta_order[i]] = true;
  share.memory =
      std::make_unique<model::PartMemory>(model::spec_of<model::SystemSpec>(what_.card), false);
  share.memory->serve(std::move(own));
  share.memory->begin_launch(what_.memory);
  share.cache =
      std::make_unique<BlockCache>(what_.reader, what_.decoded_bytes, what_.rewrite, what_.decoded);
  share.cache->keep_rounds(false);
  const LaunchRun run{what_.reader,  what_.launch, what_.card,
                      *share.memory, *share.cache, what_.occupancy};
  share.part = std::make_unique<Part>(run, *share.memory, range.first, range.end);
}

Result<void> Run::place_first() {
  if (auto ok = ctas_.read(what_.rewrite); !ok) return ok;
  const auto [sms, starts] = ctas_.first();
  if (auto ok = make_shares(sms); !ok) return ok;
  std::vector<Share*> of(what_.card.numbers().sm_count);
  for (Share& s : shares_)
    for (const int sm : s.part->sm_numbers()) of[static_cast<std::size_t>(sm)] = &s;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    Part& part = *of[static_cast<std::size_t>(sms[i])]->part;
    if (!part.start(ctas_.all()[i], sms[i], starts.cycle[i])) return part.error();
  }
  common_ = {sms.size(), sms.size()};
  return {};
}

std::uint64_t Run::records() const {
  std::uint64_t all = 0;
  for (const Share& s : shares_) all += s.memory->counters().records;
  return all;
}

// False: the caller is to stop.
bool Run::ticks() {
  if (!tick_) return true;
  const std::uint64_t all = records();
  if (all <= ticked_ + kTickEvery) return true;
  ticked_ = all;
  return tick_(all);
}

Error Run::failure() const {
  for (const Share& s : shares_)
    if (s.part->failed()) return s.part->error();
  return {ErrorKind::kInternal, "a thread failed without a reason", what_.reader.path(),
          "please report this with the trace"};
}

// CTAs take the places of those that ended in the part's step, from this one of all on.
bool Run::end_step(Part& part, std::uint64_t next) {
  const std::vector<std::uint64_t>& all = ctas_.all();
  return part.end_step([&](int sm, std::uint64_t cycle) {
    return next >= all.size() || part.start(all[next++], sm, cycle);
  });
}

// A trace that was cut short, or filtered, can leave warps at a barrier that nobody else reaches.
Result<void> Run::release() {
  Standings all;
  for (const Share& s : shares_) s.part->add_standing(all);
  if (result_.forced.stuck.empty()) result_.forced.stuck = all.text();
  bool idle = true;
  for (Share& s : shares_) {
    s.part->release_barriers();
    idle &= s.part->idle();
  }
  Standings still;
  for (const Share& s : shares_) s.part->add_standing(still);
  if (idle) return nobody_can_go_on(still.text(), what_.reader.path());
  return {};
}

// One SM after the other, each request served at once.
Result<void> Run::one_step_alone() {
  late_ = false;
  std::uint64_t work = 0;
  for (Share& s : shares_) {
    s.memory->l2().at_once(l2_.get());
    s.part->begin_batch(1);
    work += s.part->run_step() + s.memory->l2().take_served();
  }
  for (Share& s : shares_) {
    const std::uint64_t ended = s.part->ended();
    if (!end_step(*s.part, common_.next)) return s.part->error();
    common_.end(ended, ctas_.all().size());
    late_ |= s.part->late();
    s.memory->l2().at_once(nullptr);
  }
  work_ += (static_cast<double>(work) - work_) / 8;
  ++now_;
  ++result_.steps;
  return {};
}

// Until there is enough to do for all threads, or nothing.
Result<void> Run::alone() {
  while (common_.resident > 0 && now_ < kMostSteps) {
    if (std::all_of(shares_.begin(), shares_.end(), [](const Share& s) { return s.part->idle(); }))
      if (auto ok = release(); !ok) return ok;
    if (!late_ && now_ >= alone_until_ && work_ >= static_cast<double>(what_.few)) return {};
    if (auto ok = one_step_alone(); !ok) return ok;
    if (!ticks()) return interrupted();
  }
  return {};
}

// Serves what the threads asked for in a batch. All meet in front of it. False: not all of it at
// once.
bool Run::serve(unsigned number, std::uint64_t batch) {
  using Place = model::SplitL2::Place;
  constexpr int kRounds = 4;
  const auto threads = static_cast<unsigned>(shares_.size());
  Place from = model::SplitL2::kFirst;
  bool rides = false;
  for (int round = 1;; ++round) {
    for (std::uint32_t g = number; g < l2_->groups(); g += threads) l2_->coalesce(g, from, batch);
    barrier_->meet(number);
    const Place end = l2_->end();
    rides = l2_->rides();
    l2_->look_up(number, from, end);
    barrier_->meet(number);
    l2_->queue(number, from, end);
    barrier_->meet(number);
    l2_->answer(number, from, end, batch);
    if (end == Place{}) break;
    barrier_->meet(number);
    if (number == 0) l2_->set_free(l2_->free_behind());
    if (round == kRounds) {
      if (number == 0) {
        l2_->serve_rest(end, batch);
        ++result_.cut;
      }
      barrier_->meet(number, true);
      from = Place{};
      break;
    }
    from = end;
  }
  const bool at_once = from == model::SplitL2::kFirst;
  if (number == 0 && from != Place{}) next_free_ = l2_->free_behind(), free_known_ = true;
  if (rides || !at_once) {
    barrier_->meet(number);
    l2_->answer_rides(number);
    barrier_->meet(number);  // nobody looks at the others' requests any more
  }
  shares_[number].memory->l2().answer();
  return at_once;
}

// The steps of a batch, but for the end of the last one: the CTA that is to start first there.
// `turn`: how often threads have told each other how many CTAs ended.
std::uint64_t Run::run_batch(unsigned number, std::uint64_t steps, Common& common,
                             std::uint64_t& turn, Told& mine) {
  Part& part = *shares_[number].part;
  model::L2Requests& asked = shares_[number].memory->l2();
  std::uint64_t first = ctas_.all().size();
  mine.work = mine.ended = 0;
  part.begin_batch(steps);
  for (std::uint64_t k = 0; k < steps; ++k) {
    if (k > 0) end_step(part, first);
    mine.work += part.run_step();
    asked.end_step();
    first = ctas_.all().size();
    if (common.next == ctas_.all().size()) {  // nobody waits for room
      mine.ended += part.ended();
      continue;
    }
    std::uint64_t& own = ended_[number].ctas[++turn % 2];
    own = part.ended();
    barrier_->meet(number);
    std::uint64_t before = 0, all = 0;
    for (unsigned t = 0; t < shares_.size(); ++t) {
      if (t == number) before = all;
      all += ended_[t].ctas[turn % 2];
    }
    first = std::min<std::uint64_t>(common.next + before, ctas_.all().size());
    common.end(all, ctas_.all().size());
  }
  mine.asks = asked.list().asks.size();
  mine.work += mine.asks;
  mine.records = shares_[number].memory->counters().records;
  mine.late = part.late();
  mine.idle = part.has_been_idle() && part.ended() == 0;
  mine.idle_since = part.idle_since();
  mine.failed = part.failed();
  mine.busy = what_.few > 0 && barrier_->busy(number);
  return first;
}

Told Run::told_by_all(std::uint64_t batch) const {
  Told all;
  all.idle = true;
  for (const std::array<Told, 2>& by : told_) {
    const Told& one = by[batch % 2];
    all.work += one.work, all.asks += one.asks, all.records += one.records;
    all.ended += one.ended;
    all.idle_since = std::max(all.idle_since, one.idle_since);
    all.late |= one.late, all.idle &= one.idle, all.busy |= one.busy;
    all.failed |= one.failed, all.stops |= one.stops;
  }
  return all;
}

// Batches on all threads; each comes to the same conclusion on how they end.
void Run::together(unsigned number) {
  Part& part = *shares_[number].part;
  Common common = common_;
  std::uint64_t now = now_, batch = batch_, turn = 0, steps = 1;
  double work = work_;
  bool stops = false;
  Why why = Why::kOver;
  while (true) {
    Told& mine = told_[number][++batch % 2];
    mine.stops = stops;
    const std::uint64_t first = run_batch(number, steps, common, turn, mine);
    barrier_->meet(number);
    if (number == 0 && std::exchange(free_known_, false)) l2_->set_free(next_free_);
    const Told all = told_by_all(batch);
    if (all.failed || all.stops) {
      why = all.failed ? Why::kFailed : Why::kStopped;
      break;
    }
    const bool whole = all.asks == 0 || serve(number, batch);
    part.answered();
    end_step(part, first);
    common.end(all.ended, ctas_.all().size());
    now += steps;
    work += (static_cast<double>(all.work) / static_cast<double>(steps) - work) / 8;
    if (number == 0 && tick_ && all.records > ticked_ + kTickEvery) {
      ticked_ = all.records;
      stops = !tick_(all.records);
    }
    // Of a long batch more is likely to hang on what is not known.
    steps = whole ? std::min(steps * 2, AnswersLater::kMostBatch)
                  : std::max<std::uint64_t>(steps / 2, 1);
    if (common.resident == 0) why = Why::kOver;
    else if (all.idle) why = Why::kNobody;
    else if (all.late) why = Why::kLate;
    else if (now >= kMostSteps) why = Why::kTooLong;
    else if (all.busy) why = Why::kBusy;
    else if (work < static_cast<double>(what_.few) / 2) why = Why::kFewWarps;
    else continue;
    if (why == Why::kNobody) now = all.idle_since;
    part.go_on_at(now);
    break;
  }
  barrier_->meet(number);
  if (number == 0) {
    if (std::exchange(free_known_, false)) l2_->set_free(next_free_);
    result_.steps += now - now_;
    result_.together += now - now_;
    common_ = common;
    now_ = now, batch_ = batch, work_ = work;
    late_ = why == Why::kLate;
    why_ = stops && why == Why::kOver ? Why::kStopped : why;
    for (const Share& s : shares_)
      if (s.part->failed()) why_ = Why::kFailed;
  }
  barrier_->meet(number);
  if (why == Why::kBusy) barrier_->forget(number);
}

void Run::sleep_and_work(unsigned number) {
  for (std::uint64_t call = 1;; ++call) {
    std::uint64_t seen = called_.load();
    while (seen < call) {
      called_.wait(seen);
      seen = called_.load();
    }
    if (ends_) return;
    together(number);
  }
}

void Run::count_into(model::SectoredMemory& into) {
  model::LaunchCounters all;
  std::uint64_t product_bytes = 0;
  for (Share& s : shares_) {
    all = all + s.memory->counted();
    product_bytes += s.memory->product_bytes();
  }
  model::LaunchCounters more;
  more.l2 = l2_->counted();
  into.add(all + more, product_bytes);
  for (Share& s : shares_) {
    result_.forced.count += s.part->forced();
    result_.taken += s.cache->taken();
  }
}

Result<ManySmsResult> Run::all(model::SectoredMemory& into) {
  if (auto ok = place_first(); !ok) return ok.error();
  std::vector<std::thread> others;
  struct Join {
    Run& run;
    std::vector<std::thread>& threads;
    ~Join() {
      run.ends_ = true;
      ++run.called_;
      run.called_.notify_all();
      for (std::thread& t : threads) t.join();
    }
  } join{*this, others};
  for (unsigned t = 1; t < shares_.size(); ++t)
    others.emplace_back([this, t] { sleep_and_work(t); });
  while (true) {
    if (auto ok = alone(); !ok) return ok.error();
    if (now_ >= kMostSteps) return result_;
    if (common_.resident == 0) break;
    ++called_;
    called_.notify_all();
    together(0);
    if (why_ == Why::kBusy) {
      alone_until_ = now_ + busy_steps_;
      busy_steps_ = std::min(busy_steps_ * 2, kMostSteps);
    }
    if (why_ == Why::kFailed) return failure();
    if (why_ == Why::kStopped) return interrupted();
    if (why_ == Why::kTooLong) return result_;
    if (common_.resident == 0) break;
  }
  if (tick_ && !tick_(records())) return interrupted();
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
