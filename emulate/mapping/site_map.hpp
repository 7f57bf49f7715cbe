// Which machine instructions a kernel's PTX accesses became, worked out once for a kernel.
//
// Each machine instruction says which PTX statement it comes from (machine_code.hpp). That settles
// most of it; what remains is judged by the shape of the code:
//  - one access instruction, as wide as the statement says, in a loop as deep: the same access.
//  - none: it may have become part of a wider or an equal access beside it, which only addresses
//    can tell (sass_trace.hpp).
//  - several on ways that exclude each other: the first stands for all.
//  - two of a loop of which a first part was copied to before it: rotated_loops.hpp.
//  - several in the bodies that ptxas made of one loop: unrolled_loops.hpp.
// Anything else is a reason not to map the kernel at all. Rounds of loops: round_map.hpp.
#pragma once

#include <string>
#include <vector>

#include "isa/flow/code_flow.hpp"
#include "emulate/ptx/program.hpp"
#include "emulate/mapping/machine_code.hpp"
#include "emulate/mapping/sunk_loads.hpp"
#include "traces/format/site_table.hpp"

namespace warpmem::emulate {

struct SassAccess {
  std::uint32_t pc = 0;
  std::uint32_t rank = 0;   // place in the order in which instructions run, loops aside
  std::uint32_t bytes = 0;  // per lane; 0: as the PTX has it
  bool reduction = false;   // of an atomic: returns nothing
  bool one_lane = false;    // the warp adds up first, and one lane acts for all
  bool load = false;        // of a compare-and-swap loop: what it compares with
  bool narrow = false;      // fewer bytes than the PTX has, which begin `skipped` bytes in
  std::uint32_t skipped = 0;
  // Of a wide load: also for lanes that turn out to need only a part of it, if that begins as many
  // bytes in as one of these bits says. None: only where all of it is asked for.
  std::uint32_t ahead = 0;
  std::int64_t at = 0;   // the constant in its address
  std::size_t from = 0;  // what that counts from: equal where it is the same register's name
};

struct MappedSite {
  enum class What : std::uint8_t {
    kNone,      // leaves no records
    kDirect,    // accesses[0]
    kPieces,    // accesses, one record each in turn: a matrix fragment
    kSplit,     // accesses, all of them by the same lanes: each a part of it
    kSwapLoop,  // accesses: a load and a compare-and-swap, until every lane has had its turn
    // accesses: a load of the words that lanes have halves of, and a compare-and-swap of them until
    // every lane has had its turn.
    kWordLoop,
    // accesses[0] by all lanes, which does it for those in global memory. For the others a loop may
    // follow, as kSwapLoop has it: bodies[0] for a CTA's own shared memory, bodies[1] for another
    // one's. An empty one: not known.
    kGenericAtomic,
    kByWarp,    // accesses[0] where lanes are missing; accesses[1] for a whole warp, which adds up first
    kRotated,   // accesses[0] when a warp comes to its loop, accesses[1] from then on
    // bodies: of each of its loop's bodies, an access for each iteration; or fewer, because the code leaves before it
    // comes here once more, or because loads of several iterations became one (iteration_shares.cpp).
    kUnrolled,
    kMissing,   // part of another access, if anything
    kGone,      // no access: local memory kept in registers, constants that became operands
  };
  What what = What::kNone;
  std::uint32_t position = 0;        // of the PTX statement, in the sense of SassAccess::rank
  // Which of the functions that stand apart in the machine code its instructions are in; 0: the kernel's own code, which
  // functions that became part of it are too. kNowhere: it has none.
  std::uint32_t function = kNowhere;
  std::uint32_t loop = kNowhere;     // of SiteMap::loops
  std::uint32_t rotated = kNowhere;  // number of the rotated loop that it is in
  bool tail = false;                 // … in its second half
  // A load that moved behind this branch: for those lanes only that go to its side (sunk_loads.hpp).
  std::uint32_t sunk = kNowhere;
  bool sunk_to_taken = false;
  bool once = false;                 // … once in each iteration, and there is no second half
  std::vector<SassAccess> accesses;
  std::vector<std::vector<SassAccess>> bodies;
};

// A loop of which ptxas made several bodies.
struct UnrolledLoop {
  struct Body {
    std::uint32_t iterations = 1;  // at a time
    bool repeats = false;          // while as many are left; else once
  };
  std::vector<Body> bodies;  // in the order in which they run
  bool in_turn = false;      // one iteration each; those that repeat again and again
  bool may_leave = false;    // straight code that may be left before its last iteration
  // All iterations one after the other, each once: no loop in the machine code, but part of what stands around it.
  bool is_straight() const { return bodies.size() == 1 && !bodies[0].repeats; }
};

// A loop of the machine code that goes through iterations of a loop of the PTX.
struct MappedRounds {
  SassAccess branch;             // back to its beginning
  std::uint32_t iterations = 1;  // at a time
  bool at_end = true;            // it asks at its end whether to go on, so it runs once at least
};

// What a machine instruction was made of.
struct CodeOrigin {
  std::uint32_t statement = kNowhere;  // of the PTX; kNowhere: not known
  std::uint32_t copies = 1;            // times that the statement is in the machine code
  bool own_call = false;               // on the way to a function that ptxas adds for it
  bool meets = false;                  // lanes meet again: ptxas names the branch that they parted at
};

// How a matrix fragment comes from shared memory: rows of 16 bytes, by ldmatrix, or a register at a
// time. ptxas has its choice where it knows the memory.
enum class FragmentForm : std::uint8_t { kUnknown, kRows, kRegisters };

struct SiteMap {
  std::vector<MappedSite> sites;  // by PTX statement (pc / 16)
  std::vector<UnrolledLoop> loops;
  std::uint32_t rotated = 0;  // loops whose first half was copied to before them
  // Branches that repeat a loop, by statement: 0 none, 1 another loop, 2 + n loops[n]. Empty where
  // nothing was unrolled.
  std::vector<std::uint32_t> back_edges;
  // Branches of which the lanes of a side have to be told, by statement: these bits. Empty where there are none.
  static constexpr std::uint8_t kTaken = 1, kPassed = 2;
  std::vector<std::uint8_t> told;
  std::vector<FragmentForm> fragments;  // by statement; empty where there are none
  // Loops whose branch back is a statement: those that its iterations became, the one that takes
  // most at a time first. None: they became straight code.
  std::vector<std::vector<MappedRounds>> rounds;
  std::vector<CodeOrigin> origins;  // by machine instruction
  trace::Program program;           // machine code, and behind it the PTX accesses
  std::uint32_t ptx_zone = 0;       // pc of PTX statement 0 in it
  std::uint32_t spills = 0;  // instructions that spill registers: their accesses are not traced
};

// Fails with the reason where it cannot be done with certainty.
Result<SiteMap> map_sites(const Kernel& kernel, const std::vector<MachineInstruction>& code,
                          const Resources& resources, const std::string& arch);

}  // namespace warpmem::emulate
