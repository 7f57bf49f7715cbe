// One launch on the counts engine: CTAs come and go, warps take their turns by the rough clock
// (docs/replay-order.md), and each of their accesses goes to the memory system.
//
// The state of the whole GPU is larger than the host's caches, and warps that are due together
// have nothing in common. So a step of the clock first lists its warps and then asks for what the
// next ones will need (state, record, cache sets) while it runs those before them; that order of
// asking changes no result.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "model/card/card.hpp"
#include "sim/counts/calendar.hpp"
#include "sim/engine/cluster_placement.hpp"
#include "sim/engine/cta_barriers.hpp"
#include "sim/engine/cta_stream.hpp"
#include "sim/engine/dependence.hpp"
#include "model/system/shaped_memory.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/engine/standing.hpp"
#include "sim/engine/texture_fetch.hpp"
#include "sim/engine/warp_state.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// Some of a launch's SMs, as those that share them out see them (many_sms.hpp).
struct SmRange {
  std::size_t first = 0, end = 0;  // of the card's cta_order
};

// `part`: only some of the SMs, in batches of steps that somebody else calls, while others run the
// others. Reads are not back in the batch that asks for them then (model/l2/l2_requests.hpp):
// whatever of a warp hangs on such a read is done at the end of the batch (answered()).
template <bool part>
class LaunchReplayOf {
 public:
  static constexpr std::uint64_t kMostBatch = 8;  // steps
  using Sectored = std::conditional_t<part, model::PartMemory, model::SectoredMemory>;
  // `flat`: a warp waits as long for its loads whatever they hit, so that the order of accesses is
  // the same in front of caches of any size.
  LaunchReplayOf(const trace::TraceReader& reader, std::uint32_t index, const model::Card& card,
                 model::MemorySystem& memory, BlockCache& cache, const Occupancy& occupancy,
                 Spills* spills = nullptr, bool flat = false)
      : LaunchReplayOf(reader, index, card, memory, cache, occupancy, spills, flat,
                       {0, card.numbers().cta_order.size()}) {}
  LaunchReplayOf(const trace::TraceReader& reader, std::uint32_t index, const model::Card& card,
                 model::MemorySystem& memory, BlockCache& cache, const Occupancy& occupancy,
                 Spills* spills, bool flat, const SmRange& sms);

  // `tick` hears of the records done now and then; false stops.
  Result<void> run(const std::function<bool(std::uint64_t)>& tick);

  // Of a part, with the launch's CTAs that have records, in order:
  void begin(const std::vector<std::uint64_t>& ctas) { all_ = &ctas; }
  // One of those that start first.
  bool start(std::uint64_t cta, int sm, std::uint64_t cycle);
  // So many steps belong together: reads that they ask for are answered behind them.
  void begin_batch(std::uint64_t steps);
  // Runs the warps of the next step; how many.
  std::size_t run_part_step();
  // CTAs that ended in the step.
  std::size_t ended() const { return ended_.size(); }
  // Everything that was asked for in the batch has been answered. In front of its last end_step().
  void answered();
  // Others take the places of CTAs that ended, from this one of all on; then the step is over.
  void end_step(std::uint64_t next_cta);
  // Some warp may be so late that a read of its next step is back in that step's batch, however
  // that begins.
  bool late() const { return late_; }
  // Nobody will ever do anything, since this step.
  bool idle() const { return calendar_.empty() && later_.empty(); }
  bool has_been_idle() const { return idle_ && idle(); }
  std::uint64_t idle_since() const { return idle_since_; }
  void go_on_at(std::uint64_t step) { now_ = step; }
  void release_barriers();
  void add_standing(Standings& all) const;
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  std::vector<int> sm_numbers() const {
    std::vector<int> out;
    for (const Sm& sm : sms_) out.push_back(sm.id);
    return out;
  }
  Sectored& sectored() { return *sectored_; }

  // Barriers that were opened because no warp could go on.
  std::uint64_t forced() const { return forced_; }
  // … what waited for what when the first of them was.
  const std::string& stuck() const { return stuck_; }

 private:
  struct ResidentCta {
    CtaStream stream;
    std::uint64_t number = 0;  // in the grid
    CtaBarriers barriers;
  };
  struct Sm {
    int id = 0;
    std::uint64_t free = 0;        // CTA slots
    std::uint64_t lsu_free = 0;    // cycle: the load/store unit is done with its queue
    std::uint64_t issue_free = 0;  // cycles of a scheduler of them: the schedulers are
  };
  // What most records are: a load or a store of one line (one_line.hpp), or a warp's beginning or
  // end.
  enum class Kind : std::uint8_t { kUnknown, kOther, kLoad, kStore, kMark };
  struct Form {
    std::int32_t stride;  // of loads and stores
    Kind kind;            // of records with this stride
  };
  // What is known of a warp's next record when the one before it is done.
  struct Next {
    std::uint64_t line = 0;  // of loads and stores
    std::uint32_t site = 0;
    std::uint16_t instructions = 0;  // from the record before it
    std::uint8_t sectors = 0;        // of loads and stores
    Kind kind = Kind::kUnknown;

    bool is_access() const { return kind == Kind::kLoad || kind == Kind::kStore; }
  };
  struct Prepared {
    const trace::Record* record = nullptr;
    std::size_t of = 0;  // the warp's place among those of the step
    std::uint64_t step = 0;
    model::SectoredLines::Lines lines;
  };
  static constexpr std::size_t kPrepared = 8;
  // Lines of so many of the step's warps are worked out at a time, while others run.
  static constexpr std::size_t kTogether = 32;

  bool place_first();
  // The next CTA gets a slot of the SM.
  bool start_next(std::uint32_t sm, std::uint64_t cycle);
  // The next clusters start, as many as there is room for.
  bool start_clusters(std::uint64_t cycle);
  // When a CTA of the first placement starts.
  std::uint64_t first_cycle(int sm);
  std::size_t begin_step();
  bool run_step();
  [[gnu::always_inline]] bool run_due(std::size_t from, std::size_t end);
  bool start_cta(std::uint32_t sm, std::uint64_t cta, std::uint64_t cycle);
  void find_lines(std::size_t from, std::size_t n);
  [[gnu::always_inline]] bool run_warp(std::size_t i);
  [[gnu::always_inline]] void run_line(const model::SectoredLines::OneLine& one, const Next& next, WarpState& warp, Sm& sm);
  enum class Turn { kGoesOn, kOver, kFailed };
  static Turn over(bool fine) { return fine ? Turn::kOver : Turn::kFailed; }
  Turn find_next(std::uint32_t number, WarpState& warp, Sm& sm);
  Turn run_other(std::size_t i, WarpState& warp, Sm& sm);
  void look_ahead(std::uint32_t number, WarpState& warp);
  bool looks_again(WarpState& warp, std::uint32_t instructions) const;
  void access(const trace::Record& r, const AccessPlan& plan, std::size_t i, WarpState& warp, Sm& sm,
              std::uint64_t start);
  // False when the warp has no more.
  Result<bool> next_records(std::uint32_t number, WarpState& warp);
  bool end_warp(std::uint32_t number, const WarpState& warp, Sm& sm, std::uint64_t cycle);
  void schedule(std::uint32_t number, std::uint64_t cycle);
  void fetch_state(std::uint32_t number) const;
  void fetch(const AccessPlan& plan, std::uint32_t site, std::uint32_t number, WarpState& warp,
             Sm& sm, std::uint64_t start);
  [[gnu::always_inline]] void fetch_line(std::size_t i) const;
  void prepare(std::size_t i);
  std::uint64_t issue(Sm& sm, const WarpState& warp, std::uint32_t instructions) const;
  std::uint64_t lead_up(WarpState& warp, std::uint32_t site, const AccessPlan& plan,
                        std::uint32_t instructions);
  std::uint64_t wait(WarpState& warp, std::uint32_t site, const AccessPlan& plan);
  std::uint64_t wait_for(WarpState& warp, std::uint32_t site, const AccessPlan& plan);
  void remember(WarpState& warp, std::uint32_t site, std::uint64_t done);
  void stand_at(WarpState& warp, std::uint32_t number, std::uint32_t barrier,
                std::uint32_t expected);
  void check_barriers(std::uint32_t first_warp, ResidentCta& cta);
  void open(std::uint32_t first_warp, ResidentCta& cta, std::uint32_t barrier);
  std::string standing() const;
  bool fail(Error error);

  ResidentCta& cta_of(std::uint32_t number, const WarpState& warp) {
    return ctas_[std::size_t{number / Calendar::kSlots} * occupancy_.ctas + warp.cta];
  }

  const trace::TraceReader& reader_;
  std::uint32_t index_;
  const model::Card& card_;
  model::MemorySystem& memory_;
  Sectored* sectored_;  // the same, where it takes one-line accesses ahead
  BlockCache& cache_;
  Occupancy occupancy_;
  int schedulers_;  // of an SM: two to the power of this
  bool flat_;
  Spills* spills_;  // accesses that the trace lacks; nullptr: none
  std::vector<AccessPlan> plans_;
  Dependence dependence_;
  std::vector<Sm> sms_;                // in the order in which they get CTAs
  std::vector<ResidentCta> ctas_;      // by SM, then CTA slot
  std::pmr::vector<WarpState> warps_;  // by number: SM * Calendar::kSlots + warp slot
  std::vector<Next> next_record_;      // by number
  std::vector<Form> forms_;            // by site
  std::vector<std::uint64_t> waiting_;
  std::size_t next_ = 0;
  std::unique_ptr<ClusterPlacement> placement_;  // of clusters; nullptr: CTAs come alone
  std::vector<std::uint32_t> number_;            // in sms_, by SM
  std::uint64_t placed_ = 0;                     // CTAs, by the first placement
  std::uint64_t resident_ = 0;                   // CTAs
  std::uint64_t now_ = 0;                        // steps of the clock
  Calendar calendar_;
  std::vector<std::uint32_t> due_;                 // in this step
  std::array<model::SectoredLines::OneLines, 2> lines_{};  // of warps that are due, kTogether each
  std::array<bool, 2> some_lines_{};               // whether there are any
  std::array<bool, 2> others_{};                   // whether some of these do something else first
  model::SectoredLines::OneLines further_;                 // that of a warp's further access in the step
  std::uint64_t some_line_ = 0;                    // the latest of lines_
  std::array<Prepared, kPrepared> prepared_;
  TextureFetch fetch_;  // the latest one
  std::uint64_t forced_ = 0;
  std::string stuck_;
  std::optional<Error> error_;

  // Of a part.
  struct Ended {
    std::uint32_t sm, slot;
  };
  // The later of two cycles, either of which may not be known yet.
  std::uint64_t later(std::uint64_t a, std::uint64_t b) {
    if constexpr (part) return sectored_->l2().later(a, b);
    else return std::max(a, b);
  }
  static bool unknown(std::uint64_t cycle) {
    if constexpr (part) return model::L2Requests::unknown(cycle);
    else return false;
  }
  const std::vector<std::uint64_t>* all_ = nullptr;
  std::uint64_t soonest_back_ = 0;      // cycles that a read from the L2 takes at least
  std::vector<std::uint32_t> touched_;  // warps that something unknown hangs on
  std::vector<std::uint32_t> later_, settled_;  // … and that are not on the calendar for that
  std::vector<std::uint8_t> again_;     // by number: look_ahead() could not look to the end
  std::vector<Ended> ended_;
  std::uint64_t batch_end_ = 0;  // cycle
  std::uint64_t idle_since_ = 0;
  bool idle_ = false, late_ = false;
};

using LaunchReplay = LaunchReplayOf<false>;

}  // namespace warpmem::sim
