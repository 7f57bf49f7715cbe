// One launch in time: its SMs, the CTAs and warps that are on them, and the calendar that says
// which warp goes on when. Split by what happens: launch_time.cpp gives out CTAs and turns the
// windows, warp_time.cpp runs a warp's instructions, access_time.cpp its accesses, barrier_time.cpp
// lets warps wait for each other.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/constant/constant_cache.hpp"
#include "sim/engine/cluster_placement.hpp"
#include "sim/engine/cta_barriers.hpp"
#include "sim/engine/cta_stream.hpp"
#include "sim/engine/sites.hpp"
#include "sim/engine/texture_fetch.hpp"
#include "sim/time/code_cache.hpp"
#include "sim/time/engine.hpp"
#include "sim/time/lane_ways.hpp"
#include "sim/time/larger_l1.hpp"
#include "sim/time/memory_queue.hpp"
#include "sim/time/parameter_lines.hpp"
#include "sim/time/paths.hpp"

namespace warpmem::sim {

constexpr std::uint32_t kNoBarrier = ~0u;
constexpr std::uint32_t kClusterBarrier = ~1u;
constexpr std::uint64_t kWindow = 16;    // cycles in which an SM's warps go by slot
constexpr std::uint64_t kWindows = 256;  // that the calendars look ahead
constexpr std::uint32_t kMostSchedulers = 4;

struct TimedWarp {
  std::uint64_t ready = 0;           // cycle from which its next step may go on
  const Segment* segment = nullptr;  // to its next record; nullptr: not looked up yet
  std::uint32_t step = 0;
  std::uint32_t repeat = 0;      // of the segment's
  const Round* round = nullptr;  // the loop that it goes round now, without records
  std::uint64_t rounds = 0;      // … so often yet
  std::uint32_t round_step = 0;
  std::array<std::uint32_t, 4> went_round{};  // sites of rounds since the last other record
  std::uint32_t loops = 0;                    // … how many of them
  WarpLanes ways;                             // by which its lanes come to its next record
  std::uint32_t waits = kNoBarrier;           // barrier it stands at
  std::uint32_t async_wavefronts = 0;
  std::uint32_t lanes = 1;                          // of the record that it comes to
  Position at;                                      // in its records
  std::array<std::uint64_t, kScoreboards> clear{};  // by scoreboard: cycle from which it is
  std::array<Wait, kScoreboards> cause{};
  std::uint64_t sent = 0;                 // all that it wrote has left the SM
  std::uint64_t stored = 0;               // … is acknowledged
  std::uint64_t arrives = 0;              // cycle from which a barrier takes note of it
  std::uint64_t copies = 0;               // its asynchronous copies are back by then
  std::array<std::uint64_t, 8> groups{};  // the last groups of copies: back by then
  std::uint32_t group = 0;                // groups closed
  std::uint32_t joined = 0;               // times it has arrived at its cluster's barrier
  std::uint32_t met = 0;                  // … and waited there
  bool passed = false;                    // may go on from where it waited
  bool has_code = false;                  // its next step's has come, be it pushed out since
  bool has_operand = false;               // the constant that its next step needs has been read
  bool issued = false;                    // its next access has been, and has its turn then:
  std::uint64_t issued_at = 0;
  const Step* issued_in = nullptr;

  // What an instruction leaves is there from this cycle on.
  void set(std::uint8_t scoreboard, std::uint64_t cycle, Wait why) {
    if (scoreboard >= kScoreboards) return;
    if (cycle >= clear[scoreboard]) clear[scoreboard] = cycle, cause[scoreboard] = why;
  }
  // The cycle from which it has something to do.
  std::uint64_t due() const { return issued ? issued_at : ready; }
};

struct TimedCta;
struct Sm;

// CTAs that started together and may wait for each other.
struct TimedCluster {
  struct Member {
    Sm* sm;
    TimedCta* cta;  // nullptr: ended
  };
  std::vector<Member> members;
  std::uint32_t left = 0;     // warps not done
  std::uint32_t arrived = 0;  // of them, at the barrier
  std::uint32_t opened = 0;   // times that it has opened
  std::uint64_t last = 0;     // cycle of the last arrival
  std::uint64_t open_at = 0;  // … in which it opened last
  std::uint64_t bulk = 0;     // bulk copies into several of its CTAs are back by then
};

struct TimedCta {
  CtaStream stream;
  std::uint32_t first_slot = 0;
  std::vector<TimedWarp> warps;
  CtaBarriers barriers;
  std::uint64_t started = 0;
  std::uint64_t number = 0;               // in the grid
  std::uint64_t bulk = 0;                 // bulk copies into it are back by then
  std::shared_ptr<TimedCluster> cluster;  // nullptr: none of more than one CTA
};

struct Scheduler {
  std::uint64_t issue = 0;  // cycle: next free issue slot
  std::array<std::uint64_t, kPipes> pipe{};
  MemoryQueue global, shared;  // accesses to global and local memory; to shared memory
  MemoryQueue texture;         // fetches and accesses to surfaces
};

struct Sm {
  explicit Sm(const CodeCache& none) : code(none) {}
  int id = 0;
  std::vector<std::unique_ptr<TimedCta>> ctas;
  std::uint32_t resident = 0;
  std::array<Scheduler, kMostSchedulers> schedulers{};
  std::uint64_t lsu = 0;            // cycle: its load/store unit has done all that it was given
  std::uint64_t tags = 0;           // … its tag stage
  std::uint64_t texture = 0;        // … its texture unit
  std::uint64_t barrier = 0;        // its barrier unit is
  std::uint64_t ended = 0;          // cycle: … of its CTAs so far, of clusters or not
  std::uint64_t freed = 0;          // cycle: the last of its CTAs so far has ended
  bool cold = true;                 // has run nothing of this kernel yet
  CodeCache code;
  std::uint64_t translated = 0;     // cycle from which its addresses are; 0: not asked yet
  std::uint64_t issued = 0;         // instructions
  std::array<std::uint64_t, kPipes> pipes{};    // cycles of its pipes, of all schedulers
  std::uint64_t lsu_taken = 0;                  // cycles of its load/store unit
  std::array<std::uint64_t, 4> driver_first{};  // by DriverCall: cycle: its code is there
  std::uint64_t texture_taken = 0;              // … of its texture unit
  std::array<std::uint8_t, 64> within{};  // by slot: cycle of its window in which a warp is due
  std::array<std::uint64_t, kWindows> calendar{};
  ParameterLines operands, loads;  // of the launch's parameters
};

class LaunchTime {
 public:
  LaunchTime(const trace::TraceReader& reader, std::uint32_t index, const model::Card& card,
             model::MemorySystem& memory, BlockCache& cache,
             const Occupancy& occupancy, bool stays, Spills* spills = nullptr);
  Result<TimeResult> run(const std::function<bool(std::uint64_t)>& tick);

 private:
  // launch_time.cpp
  Result<void> place_first();
  // Gives the SM the next CTA, from `cycle` on, when its turn has come.
  Result<void> start_next(Sm& sm, std::uint64_t cycle);
  // When the next CTA is given out, `cycle` at the earliest.
  std::uint64_t given_from(std::uint64_t cycle);
  // The cycle from which the place of a CTA that is gone by `end` can be given to another.
  std::uint64_t room_from(std::uint64_t end) const;
  // Puts the next CTA, given out in this cycle, on the SM.
  Result<void> start(Sm& sm, std::uint64_t cycle, std::shared_ptr<TimedCluster> cluster);
  void schedule(Sm& sm, std::uint32_t slot, std::uint64_t cycle);
  // Enters what the calendar has come near to, and moves on to it if there is nothing before.
  void take_later();
  // Enters a warp of the SM whose turn it is, perhaps for later in the same window.
  void schedule_again(Sm& sm, std::uint32_t slot, std::uint64_t cycle);
  // A warp that is due in this window.
  struct Due {
    Sm* sm;
    std::uint32_t slot;
    std::uint64_t cycle;
  };
  // A record whose lines were listed ahead of its turn.
  struct Listed {
    const trace::Record* record = nullptr;
    model::SectoredMemory::Lines lines;
  };
  void take_due();
  Result<void> run_window();
  Result<void> run_due(const Due& due);
  // Whether none of the SM's warps has its turn in this window before this cycle is over.
  bool is_next(const Sm& sm, std::uint64_t cycle) const;
  // Those of the SM that are due again in this window, before the cycle.
  Result<void> run_again(const Sm* sm, std::uint64_t before);
  void fetch_state(const Due& due);
  void look_ahead(const Due& due, Listed& out);
  TimedCta& cta_of(const Due& due) { return *due.sm->ctas[due.slot / occupancy_.warps_per_cta]; }
  TimedWarp& warp_of(const Due& due) {
    return cta_of(due).warps[due.slot % occupancy_.warps_per_cta];
  }
  void summarise();
  void add_use(model::Place place, std::vector<double> busy, double bytes,
               const model::Topology& topology, std::vector<model::Topology::Load>& loads);
  void summarise_sms();
  Error interrupted() const;
  std::string standing() const;

  // warp_time.cpp
  Result<void> run_warp(Sm& sm, TimedCta& cta, std::uint32_t w);
  // The cycle from which a step's first instruction has all it waits for.
  std::uint64_t cleared(const TimedCta& cta, const TimedWarp& warp, const Step& step,
                        Wait& cause) const;
  // Issues a step's instructions; the cycle in which the last one issues. The warp is ready for its
  // next step afterwards.
  template <class N>
  std::uint64_t issue(Sm& sm, TimedWarp& warp, std::uint32_t slot, const Work<N>& work);
  struct Issued {
    std::uint64_t cycle = 0;     // of the last instruction
    const Step* step = nullptr;  // that it was in
  };
  // One step after the other from `step` on up to `until`; false: it is due again later.
  bool run_steps(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t slot, const Segment& segment,
                 std::uint32_t& step, std::uint32_t until, Issued& issued);
  // The rest of the warp's segment, the loops on its way included.
  bool run_segment(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t slot, Issued& issued);
  // The rest of its rounds; false: it is due again later.
  bool go_round(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t slot);
  Result<bool> next_records(TimedCta& cta, std::uint32_t w);
  const Segment* segment_to(TimedWarp& warp, const trace::Record& r, const AccessPlan& plan);
  void begin_rounds(TimedWarp& warp, const trace::Record& r, const Issued& issued);
  bool issue_access(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t slot,
                    const AccessPlan& plan, Issued& issued);
  Result<bool> run_texture(Sm& sm, TimedCta& cta, std::uint32_t w, const AccessPlan& plan,
                           const Issued& issued);
  // A call of the driver whose instruction issues at `issued`.
  void call_driver(DriverCall call, Sm& sm, TimedWarp& warp, std::uint64_t issued);
  Result<void> end_warp(Sm& sm, TimedCta& cta, TimedWarp& warp);

  // access_time.cpp
  // The warp's record `r`, whose instruction has been issued.
  void access(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w, const trace::Record& r,
              const AccessPlan& plan, const Issued& issued);
  void come_to_barrier(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w,
                       const trace::Record& r, std::uint64_t issued);
  void load_constants(Sm& sm, TimedWarp& warp, const trace::Record& r, const AccessPlan& plan,
                      const Issued& issued);
  void access_memory(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w,
                     const trace::Record& r, const AccessPlan& plan, const Issued& issued);
  void fetch_texels(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w, const AccessPlan& plan,
                    std::uint64_t issued, const Step* step);
  model::AccessTiming place_of(const Sm& sm, const TimedCta& cta, const TimedWarp& warp,
                               std::uint32_t w, std::uint32_t site) const;
  void run_access(const Sm& sm, const TimedWarp& warp, const trace::Record& r,
                  const AccessPlan& plan, model::AccessTiming& place);
  std::uint64_t take_unit(Sm& sm, const trace::Record& r, const AccessPlan& plan,
                          const model::AccessTiming& place, std::uint64_t given);
  static void keep_copies(TimedCta& cta, TimedWarp& warp, const AccessPlan& plan,
                          std::uint64_t done);
  void hold_up(TimedWarp& warp, std::uint64_t until, Wait cause);
  // A record of constants: the cycle in which they are there.
  std::uint64_t read_constants(const Sm& sm, const trace::Record& r, const std::uint64_t* lanes,
                               std::uint64_t issued);
  std::uint64_t read_constants(const Sm& sm, const ConstantRead& c, std::uint64_t now) {
    return now + constants_.read(sm.id, c.addresses.data(), c.addresses.size(), now);
  }
  // Holds a warp up whose load of constants, issued now, is too far behind others in the SM's
  // queue.
  void queue_constants(TimedWarp& warp);
  // How long an access keeps the registers that it reads.
  std::uint64_t read_cycles(const AccessPlan& plan) const;
  std::uint64_t translated(Sm& sm, std::uint64_t at) const;
  std::uint64_t reaches_memory(Sm& sm, TimedWarp& warp, const model::AccessTiming& place,
                               std::uint64_t start);

  // barrier_time.cpp
  void stand_at(Sm& sm, TimedCta& cta, std::uint32_t w, std::uint32_t barrier,
                std::uint32_t expected);
  void check_barriers(Sm& sm, TimedCta& cta);
  void open(Sm& sm, TimedCta& cta, std::uint32_t barrier);
  void release_barriers();

  // cluster_time.cpp
  // Starts the next clusters, as many as there is room for.
  Result<void> start_clusters();
  // A warp arrives at its cluster's barrier.
  void join(TimedCluster& cluster, TimedWarp& warp, std::uint64_t cycle);
  // A warp comes to wait at it; false: it stands there until the barrier opens.
  bool meet(TimedCluster& cluster, TimedWarp& warp);
  void open(TimedCluster& cluster);
  // A warp, or its whole CTA, has ended.
  void leave(TimedCluster& cluster, const TimedWarp& warp);
  void end_in_cluster(Sm& sm, TimedCta& cta, std::uint64_t cycle);

  void wait(Wait cause, std::uint64_t cycles) {
    result_.waits[static_cast<std::size_t>(cause)] += cycles;
  }

  bool stays_;
  const trace::TraceReader& reader_;
  std::uint32_t index_;
  const model::Card& card_;
  model::MemorySystem& memory_;
  model::SectoredMemory* sectored_;  // the same, where it lists lines ahead
  model::MemoryPath& path_;
  BlockCache& cache_;
  Occupancy occupancy_;
  std::uint32_t last_scheduler_;  // of an SM, from 0: warp slots go round them
  Spills* spills_;  // accesses that the trace lacks; nullptr: none
  std::vector<AccessPlan> plans_;
  Paths paths_;
  LaneWays lane_ways_{paths_};
  std::vector<Sm> sms_;
  std::vector<std::uint64_t> waiting_;
  std::size_t next_ = 0;
  const trace::Launch& launch_;
  model::ConstantCache constants_;
  std::unique_ptr<ClusterPlacement> placement_;  // of clusters; nullptr: CTAs come alone
  std::vector<std::size_t> sm_at_;               // in sms_, by SM
  std::uint64_t given_ = 0;       // thousandths of a cycle: the last CTA was given out
  std::uint64_t starting_ = 0;    // thousandths of a cycle that giving CTAs out took
  std::uint64_t shared_out_ = 0;  // cycles before the first one started
  std::uint64_t resident_ = 0;
  std::uint64_t now_ = 0;  // windows
  std::uint64_t due_ = 0;  // in the calendars
  std::vector<Due> later_;  // beyond them: a heap, the earliest first
  std::array<std::uint64_t, kWindows> due_in_{};
  std::uint64_t last_store_ = 0;
  std::uint64_t lane_bytes_ = 0;  // that accesses moved between L1s and registers
  bool reaches_memory_ = false;
  LargerL1 larger_l1_;
  model::SectoredMemory::Lines larger_lines_;            // of an access that is listed for it
  TextureFetch fetch_;                          // the latest one
  std::array<std::uint64_t, 4> driver_free_{};  // by DriverCall: cycle from which it takes another
  std::vector<Due> due_now_;
  std::size_t next_due_ = 0;  // of these
  // An SM's that are due once more in this window, by cycle, those from `again_at_` on.
  std::vector<Due> again_;
  std::size_t again_at_ = 0;
  // How many turns ahead a warp's needs are asked for.
  static constexpr std::size_t kCtaAhead = 23, kStateAhead = 19, kRecordAhead = 11, kLanesAhead = 7,
                               kLinesAhead = 3;
  static constexpr std::size_t kListed = kLinesAhead + 1;
  std::array<Listed, kListed> listed_;
  Listed* listing_ = &listed_[0];  // the running warp's
  TimeResult result_;
};

}  // namespace warpmem::sim
