// Where a launch's traffic comes from, why it is more than it had to be, and what would change
// that: by static instruction, by source line and by array.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/dim3.hpp"
#include "results/lane_access.hpp"

namespace warpmem {

// What the addresses of an instruction's lanes have in common.
enum class AddressPattern : std::uint8_t {
  kFine,           // no more is moved than was asked for
  kMisaligned,     // consecutive lanes, consecutive words, but not from the start of a sector on
  kStrided,        // lanes are further apart than what they ask for
  kStructure,      // … as they ask for a field of a structure each
  kColumn,         // … as they go down a column of a matrix that lies in rows
  kRuns,           // each lane goes along a run of words of its own
  kScattered,      // no order
  kOneWord,        // atomics of several lanes on one word
  kBankStride,     // lanes of one bank, by a stride
  kBankScattered,  // … in no order
  kConstants,      // constants at different addresses
  kSpill,          // a register that did not find room
  kLocalArray,     // an array whose index is known at run time only
};
const char* name_of(AddressPattern pattern);

// `op` of the accesses to spilled registers that a trace lacks, all together.
constexpr const char* kSpillOp = "loads and stores";

// What one static instruction moved.
struct SiteTraffic {
  std::uint32_t site = 0;  // index into the launch's sites
  std::uint32_t pc = 0;
  std::string instruction;  // "n/a" where the trace has no code
  std::string file;         // empty: not known
  std::uint32_t line = 0;
  std::string space, op;    // "global", "load"
  std::uint32_t bytes = 0;  // a lane
  std::string array;        // empty: not known

  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;                             // active ones, added up
  std::uint64_t sectors = 0, ideal_sectors = 0;        // of global and local memory
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;  // of shared memory
  std::uint64_t addresses = 0;                         // distinct, added up: of constants
  std::uint64_t l1_hits = 0;                           // sectors
  std::uint64_t l2_reads = 0, l2_read_hits = 0;        // sectors
  std::uint64_t l2_writes = 0;
  // That the accesses keep an SM's load/store unit or its tags, whichever takes longer; 0: not
  // known.
  std::uint64_t l1_cycles = 0;
  // Requests by their sectors, or by their wavefronts: {4, 32768} is 32,768 requests of 4 each.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> by_size;
  std::uint64_t cycles_under_way = 0;  // from the start of each to its end
  double share = 0;                    // of that, among all of the launch's

  AddressPattern pattern = AddressPattern::kFine;
  std::string sentence;  // what the pattern is: "stride of 32 elements"
  std::vector<LaneAccess> examples;

  std::uint64_t excess_sectors() const { return sectors - ideal_sectors; }
  std::uint64_t excess_wavefronts() const { return wavefronts - ideal_wavefronts; }
};

// What a launch needed, in the figures that a change is judged by.
struct RunCost {
  std::uint64_t cycles = 0;  // 0: by the counts engine, which keeps no time
  std::uint64_t sectors = 0, wavefronts = 0;
  std::uint64_t l2_sectors = 0, dram_sectors = 0;
};

// A change of the program, and what the launch takes with it.
struct Change {
  std::string name;       // "pad"
  std::string what;       // "pad the rows of the tile by 1 element (4 bytes)"
  bool estimate = false;  // the change needs instructions of its own, which were not replayed
  std::optional<RunCost> after;  // nothing: not replayed
  std::string not_measured;      // … and why
};

struct Finding {
  AddressPattern pattern = AddressPattern::kFine;
  std::string sentence;
  std::vector<std::size_t> sites;  // indices into LaunchExplanation::sites
  std::uint64_t excess_sectors = 0, excess_wavefronts = 0;
  double cost = 0;  // of the excess, in cycles of an L1: what findings are ranked by
  std::vector<Change> changes;
};

struct ArrayTraffic {
  std::string name;  // "argument 2 (float*)", "shared memory from byte 4,096"
  std::uint64_t base = 0, bytes = 0;
  std::uint64_t requests = 0, sectors = 0, ideal_sectors = 0;
};

// How large an L1 an array needs: the least capacity at which nearly as many of its sectors hit as
// with the largest.
struct ArrayNeed {
  std::string array;
  std::uint64_t bytes = 0;  // 0: nothing hits
  std::uint64_t sectors = 0, hits = 0,
                most_hits = 0;  // asked for; found then, and with the largest
};

struct ArrayNeeds {
  std::string missing;                  // why it is not known; empty: it is
  std::uint64_t sets = 0, largest = 0;  // of the caches; the largest capacity, bytes
  std::vector<ArrayNeed> arrays;
};

struct LaunchExplanation {
  std::uint64_t launch = 0;
  std::string kernel;
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::string limit;          // a sentence; empty: not known
  bool limit_unseen = false;  // … it is of accesses whose addresses the trace does not have
  RunCost cost;
  std::vector<SiteTraffic> sites;  // worst first
  std::vector<ArrayTraffic> arrays;
  std::vector<Finding> findings;  // worst first
  std::vector<Change> changes;    // of the launch as a whole
  std::vector<std::string> notes;
  bool has_lines = true;            // the trace has line information
  std::optional<ArrayNeeds> needs;  // nothing: not asked for
};

inline const char* name_of(AddressPattern pattern) {
  switch (pattern) {
    case AddressPattern::kFine: return "fine";
    case AddressPattern::kMisaligned: return "misaligned";
    case AddressPattern::kStrided: return "strided";
    case AddressPattern::kStructure: return "structure";
    case AddressPattern::kColumn: return "column";
    case AddressPattern::kRuns: return "run each";
    case AddressPattern::kScattered: return "scattered";
    case AddressPattern::kOneWord: return "one word";
    case AddressPattern::kBankStride: return "bank stride";
    case AddressPattern::kBankScattered: return "banks scattered";
    case AddressPattern::kConstants: return "divergent constants";
    case AddressPattern::kSpill: return "spilled register";
    case AddressPattern::kLocalArray: return "local array";
  }
  return "";
}

}  // namespace warpmem
