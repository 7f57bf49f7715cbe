// The memory system as the counts engine drives it: takes a warp's records one at a time, and
// counts.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/counters/launch_counters.hpp"
#include "sim/engine/sites.hpp"
#include "tests/twin/l1.hpp"
#include "tests/twin/l2.hpp"
#include "tests/twin/local.hpp"
#include "tests/twin/store_queue.hpp"
#include "tests/twin/texture.hpp"
#include "traces/format/launch.hpp"

namespace warpmem::twin {

// The wavefronts of an asynchronous copy, which its record of the shared side counts.
struct AsyncSide {
  std::uint32_t wavefronts = 0;
  bool known = false;  // worked out from both sides
};

// Which warp runs a record, where and when.
struct Turn {
  int sm = 0;
  std::uint32_t warp_slot = 0;
  std::uint64_t now = 0;
  const trace::Record* shared = nullptr;  // the shared side of an asynchronous copy
  const std::uint64_t* lanes = nullptr;   // the lane table of records
};

// What it cost.
struct Cost {
  std::uint64_t done = 0;    // cycle in which its result is there
  std::uint32_t passes = 1;  // cycles that it keeps the SM's load/store unit
  std::uint64_t held = 0;    // cycle in which the store queue has taken it
};

class Memory {
 public:
  explicit Memory(const TwinSpec& spec) : spec_(spec), l2_(spec) {}

  void begin_launch(const trace::Launch& launch, std::uint64_t code, std::uint64_t shared_config,
                    std::uint64_t largest_frame, bool flush);
  model::LaunchCounters end_launch();

  Cost run(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn,
           AsyncSide& async);
  Cost fetch(const Fetch& fetch, const model::AccessPlan& plan, const Turn& turn);
  model::LaunchCounters counters;

 private:
  struct Sm {
    L1 l1;
    StoreQueue stores;
  };
  Sm& sm(int number);
  bool in_host_memory(std::uint64_t line) const;
  // What the access, or else the window, says of a line; and what of one that is written.
  Stay stay(std::uint64_t line, Stay own) const;
  Stay stay_written(std::uint64_t line) const { return of_write(stay(line, Stay::kUnsaid)); }

  void load(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn, Cost& cost,
            AsyncSide& async);
  void load_through_l1(const Touches& touched, const model::AccessPlan& plan, const Turn& turn,
                       Cost& cost);
  void copy_past_l1(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn,
                    const Touches& touched, std::uint32_t tags, Cost& cost, AsyncSide& async);
  void store(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn, Cost& cost);
  void atomic(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn, Cost& cost);
  void local(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn, Cost& cost);
  void shared(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn, Cost& cost);
  void async_write(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn,
                   Cost& cost, AsyncSide& async);
  void product(const model::AccessPlan& plan);
  void remote(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn, Cost& cost);
  void bulk(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn, Cost& cost);
  void prefetch(const trace::Record& r, const model::AccessPlan& plan, const Turn& turn);

  // From the L2 or host memory: when it is back.
  std::uint64_t read(int sm, std::uint64_t line, Sectors sectors, std::uint64_t at,
                     std::uint32_t fetch_sectors, Stay own = Stay::kUnsaid, bool apart = false);
  // Through the store queue.
  void write(int sm, const Touch& written, std::uint64_t tags, std::uint64_t data, Cost& cost);
  void send(int sm, const Touch& written, Sectors again, bool opens);

  const TwinSpec& spec_;
  L2 l2_;
  std::map<int, Sm> sms_;  // those that have had an access
  std::uint64_t l1_lines_ = 0;
  std::vector<trace::Allocation> host_;
  trace::AccessWindow window_;
  bool plain_ = true;  // neither of the two
  std::optional<LocalPlaces> places_;
  std::uint64_t product_bytes_ = 0;  // not counted yet
};

}  // namespace warpmem::twin
