// Turns the records of one warp, as its PTX made them, into those of the machine code.
//
// Works in windows: stretches in which no PTX statement comes after one that stands behind it, that
// is, without going round a loop, calling a function that stands apart or returning from it. In a window
//  - an access gets the pc of its machine instruction;
//  - one whose instruction is wider takes in its neighbours: all bytes of the wide access must have
//    been asked for by accesses of the same lanes, side by side;
//  - one without an instruction must lie within another access of the same lanes (it was merged, or
//    loaded once for several uses);
//  - the records are put in the order of the machine instructions.
// A loop that was unrolled is a window for each execution of one of its bodies, whose lanes are
// those with enough iterations left. What does not fit these rules stays as the PTX has it, at a pc
// in the PTX part of the program, and is counted.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "emulate/mapping/site_map.hpp"
#include "traces/format/record.hpp"
#include "traces/format/site_table.hpp"

namespace warpmem::emulate {

struct MappingCounts {
  std::uint64_t mapped = 0;  // records that became one of a machine instruction
  std::uint64_t merged = 0;  // … part of one
  std::uint64_t gone = 0;    // no access of the machine code
  std::uint64_t kept = 0;    // as the PTX has them, because nothing was certain
  void add(const MappingCounts& o) {
    mapped += o.mapped, merged += o.merged, gone += o.gone, kept += o.kept;
  }
};

// A back edge taken, among a warp's records: `pc` says which branch. Never reaches the trace.
constexpr std::uint32_t kBackEdgeBytes = ~std::uint32_t{0};
inline trace::Site back_edge_site(std::uint32_t pc) {
  return {pc, trace::Op::kPrefetch, trace::Space::kNone, kBackEdgeBytes};
}

// Lanes that took a branch, or passed it by: its statement is one of SiteMap::told. Never reaches the trace.
constexpr std::uint32_t kTookBytes = kBackEdgeBytes - 1, kPassedBytes = kBackEdgeBytes - 2;
inline trace::Site side_site(std::uint32_t pc, bool taken) {
  return {pc, trace::Op::kPrefetch, trace::Space::kNone, taken ? kTookBytes : kPassedBytes};
}

class SassTrace {
 public:
  // Both outlive it.
  SassTrace(const SiteMap& map, trace::SiteTable& sites) : map_(map), sites_(sites) {}

  // `records` of one warp, in order; their listed addresses are in `lanes`, which may grow.
  void apply(std::vector<trace::Record>& records, std::vector<std::uint64_t>& lanes);
  const MappingCounts& counts() const { return counts_; }

 private:
  struct Item {
    trace::Record record;                // of the PTX
    std::span<const trace::Record> pieces{};  // further ones of the same copy or fetch
    std::uint32_t statement = 0;         // ~0: not an access (a CTA's begin and end)
    const SassAccess* access = nullptr;  // null: missing, or kept
    std::uint32_t position = 0;     // of the statement (MappedSite)
    std::uint32_t rank = 0;
    std::uint32_t epoch = 0;        // barriers before it
    std::uint32_t into = kNowhere;  // merged into this item
    bool kept = false;
    bool whole = false;  // the record is that of the wide access already
  };
  struct Known {  // about a site of the PTX's records
    trace::Site site;
    const MappedSite* mapped = nullptr;
    std::uint32_t back_edge = 0;  // SiteMap::back_edges
    bool marker = false;
    bool side = false;
    const std::vector<MappedRounds>* rounds = nullptr;             // of a loop without accesses
    std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers;  // its sites by pc
  };
  struct Execution {  // of a body of an unrolled loop
    std::size_t body;
    std::uint32_t mask;
    std::uint32_t from[32];  // each lane's first iteration
  };
  struct Iterations {  // of an unrolled loop
    std::map<std::uint32_t, std::vector<std::uint32_t>> records;  // by site: of each iteration
    std::vector<std::uint32_t> sites;                             // as their statements stand
    std::uint32_t left[32] = {};                                  // of each lane, not executed yet
    std::uint32_t most = 0;                                       // of a lane
  };
  struct Fewer {  // a statement with fewer instructions in a body than the body has iterations
    const std::vector<SassAccess>* copies;
    std::vector<std::size_t> items;  // of the window, one for each iteration
  };
  struct Anchor {  // a place in memory, and the constant that its address would have in certain instructions
    trace::Record record;
    std::int64_t at;
  };
  const Known& known(std::uint32_t site);
  // Leaves loads that moved behind a branch to the lanes that go there.
  void sink(std::vector<trace::Record>& records);
  // Only these lanes of it.
  void leave(trace::Record& record, std::uint32_t mask);
  bool is_further(const trace::Record& record);
  // Records behind number `i` that are of the same bulk copy or texture fetch: they go where it goes.
  std::span<const trace::Record> pieces_behind(const std::vector<trace::Record>& records,
                                               std::size_t i);
  bool goes_round(const trace::Record& record, const MappedSite& m) const;
  const SassAccess* instruction_of(const MappedSite& m, const Item& item, bool second) const;
  bool add_loop_of_one(const trace::Record& record, const Known& k, std::uint32_t statement);
  void add_plain(const trace::Record& record, std::span<const trace::Record> pieces,
                 const Known& k);
  void add_rounds(const trace::Record& record, const Known& k);
  // Nothing moves past a call or a return: there a window ends.
  void enter(std::uint32_t function);
  bool comes_again(const trace::Record& record, const MappedSite& m);
  void add_generic_atomic(const trace::Record& record, const Known& k, std::uint32_t statement);
  void add_word_loop(const trace::Record& record, const std::vector<SassAccess>& accesses,
                     std::uint32_t statement);
  void add_swap_loop(const trace::Record& record, const std::vector<SassAccess>& accesses,
                     std::uint32_t statement);
  void close_window();
  void widen(std::size_t item);
  void take_in(std::size_t item);
  trace::Record moved(const trace::Record& record, std::int64_t bytes);
  void emit(const Item& item);
  void emit(const Item& item, trace::Record record);
  // Records [first, last) of an unrolled loop, its back edges among them.
  void run_loop(const std::vector<trace::Record>& records, std::size_t first, std::size_t last,
                std::uint32_t loop);
  bool try_loop(const std::vector<trace::Record>& records, std::size_t first, std::size_t last,
                std::uint32_t loop);
  bool find_iterations(const std::vector<trace::Record>& records, std::size_t first,
                       std::size_t last, Iterations& out);
  static std::uint32_t iterations_of(const UnrolledLoop& loop, std::size_t body,
                                     const Iterations& found);
  static bool plan(const UnrolledLoop& loop, Iterations& found,
                   std::vector<Execution>& executions);
  std::optional<Item> item_of(const std::vector<trace::Record>& records, const Execution& e,
                              std::uint32_t site, std::uint32_t iteration,
                              const Iterations& found);
  void run_body(const std::vector<trace::Record>& records, const UnrolledLoop& loop,
                const Execution& e, const Iterations& found);
  // Gives a body's instructions to those items of the window that they stand for. The body's items are those from
  // `begin` on.
  void share_out(std::vector<Fewer> fewer, std::size_t begin);
  bool share_by_address(const Fewer& of, const Anchor& known);
  std::optional<Anchor> anchor(const Fewer& of, const std::vector<Fewer>& fewer, std::size_t begin) const;
  trace::Record gather(std::uint32_t mask, const std::uint32_t* record_of_lane,
                       const std::vector<trace::Record>& records);

  const SiteMap& map_;
  trace::SiteTable& sites_;
  MappingCounts counts_;
  std::deque<Known> known_;  // by site number
  std::vector<Item> window_;
  std::vector<std::uint32_t> covered_;  // of each item: bytes of a wide access that were asked for
  std::uint32_t last_position_ = 0;
  std::uint32_t function_ = 0;  // MappedSite::function that the warp is in
  struct {  // the rotated loop that the warp is in
    std::uint32_t loop = kNowhere;
    std::uint32_t position = 0, mask = 0;  // of the last access of its head
    std::uint32_t lanes = 0;               // that came
    bool again = false;                    // not for the first time
  } rotated_;
  std::vector<std::uint64_t>* lanes_ = nullptr;
  std::vector<trace::Record> out_;
};

}  // namespace warpmem::emulate
