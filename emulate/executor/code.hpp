// A decoded function: one fixed-size entry an instruction, operands as byte offsets into a frame.
//
// A frame holds every register of a function for 32 lanes, structure of arrays: 2, 4, 8 or 16
// bytes a lane by the register's width, predicates one 32-bit mask. Constants are registers that
// the frame is born with, so that no instruction asks what kind of operand it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulate/executor/group_product.hpp"
#include "emulate/executor/matrix.hpp"
#include "emulate/executor/quad_product.hpp"
#include "emulate/executor/syntax.hpp"
#include "isa/flow/code_flow.hpp"
#include "traces/format/record.hpp"

namespace warpmem::emulate {

using trace::CodeFlow;
using trace::FlowLine;
using trace::kNowhere;
using trace::Loop;

struct Inst;
// Computes all 32 lanes and keeps those of `mask`.
using Handler = void (*)(std::byte* frame, const Inst& in, std::uint32_t mask);

constexpr std::uint32_t kExclusive = 1;  // Inst::sub of kWarpSync: groups go on one by one

enum class Kind : std::uint8_t {
  kCompute,       // fn does it all
  kSpecial,       // special register number `sub` to d
  kLocalAddress,  // address of a local variable: frame's stack pointer + value
  kBranch,
  kBranchIndexed,
  kCall,
  kReturn,
  kExit,
  kTrap,
  kNothing,
  kFence,   // for other CTAs to see: nothing but the time it takes
  kAccess,  // loads, stores, atomics, reductions, prefetches: Code::accesses[extra]
  kParamLoad,
  kParamStore,  // .param variables of calls
  kBarrier,
  kBarrierArrive,
  kBarrierReduce,
  kWarpSync,
  kClusterArrive,
  kClusterWait,
  kVote,
  kMatch,
  kShuffle,
  kReduceSync,
  kActiveMask,
  kElect,
  kAsyncCopy,
  kAsyncCommit,
  kAsyncWait,
  kMatrixLoad,
  kMatrixStore,
  kMatrixProduct,
  kGroupProduct,
  kMatrixTurn,
  kQuadProduct,
  kFragment,
  kTexture,  // Code::textures[extra]
  // Of machine code alone:
  kMachineBranch,  // lanes of which a says so (sub 1: all of them, if some say so) go to target;
                   // with b: those go that are not all of b's; extra: kIsCall, or 0
  kMachineJump,    // to the place in a, and extra behind it
  kConverge,
  kConvergeBreak,  // convergence barrier a
  kYield,
  kConstantLoad,
  kDriverCall,
  kRefused,  // Code::refusals[extra] says why
  kMbarrier,
  kCopyArrive,
  kTensorCopy,
  kTensorMap,
  kAsyncStore,
  kBulkCopy,
  kBulkCommit,
  kBulkWait,
  kMapa,
  kRankOf,
  kStackTake,
  kStackSave,
  kStackRestore,  // kStackRestore stays the last
};
constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::kStackRestore) + 1;

constexpr std::uint32_t kBulkPrefetch = 2;  // `sub` of a bulk copy that goes to the L2 alone
constexpr std::uint32_t kNoOffset = ~std::uint32_t{0};
constexpr std::uint32_t kReturnPoint =
    ~std::uint32_t{0} - 1;  // reconvergence at the function's end
// Reconvergence where a loop's next round begins: lanes that leave the loop on the way are not
// waited for.
constexpr std::uint32_t kNextRound = std::uint32_t{1} << 30;
// Reconvergence where ways join that a lane may also pass by: lanes from which it is no longer to
// be reached are not waited for.
constexpr std::uint32_t kOnTheWay = std::uint32_t{1} << 29;
inline bool may_be_missed(std::uint32_t reconverge) {
  return reconverge != kReturnPoint && (reconverge & (kNextRound | kOnTheWay)) != 0;
}
inline bool is_on_the_way(std::uint32_t reconverge) {
  return reconverge != kReturnPoint && (reconverge & kOnTheWay) != 0;
}
inline std::uint32_t meeting_place(std::uint32_t reconverge) {
  return reconverge == kReturnPoint ? kReturnPoint : reconverge & ~(kNextRound | kOnTheWay);
}

constexpr std::uint32_t kIsCall = 1;

struct Inst {
  Handler fn = nullptr;
  Handler inner = nullptr;  // what a rounding or saturating wrapper calls
  std::uint32_t d = kNoOffset, d2 = kNoOffset;
  std::uint32_t a = kNoOffset, b = kNoOffset, c = kNoOffset, e = kNoOffset;
  std::uint32_t guard = kNoOffset;          // predicate
  std::uint32_t statement = 0;              // pc / 16
  std::uint32_t target = 0;                 // branch: index of the target; call: function index
  std::uint32_t reconverge = kReturnPoint;  // branch: immediate post-dominator
  std::uint32_t round =
      kNoOffset;  // branch: where its sides meet before, if both go on in their loop
  std::uint32_t joins = kNoOffset;  // branch: where they may meet still earlier, of Code::joins
  std::uint32_t extra = 0;          // index into accesses, lists or operations
  std::uint32_t sub = 0;            // which comparison, special register, mode …
  Kind kind = Kind::kNothing;
  std::uint8_t fp = 0;           // bits 0-1 rounding (rn, rz, rm, rp), 2 ftz, 3 sat
  std::uint8_t float_bytes = 0;  // of the result, for sat
  bool guard_negated = false;
  bool leader = false;  // a branch may land here
  bool negate_c = false;
  bool hidden = false;  // made by the decoder: not an instruction of the program
};

enum class AtomicOp : std::uint8_t {
  kNone,
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas
};

struct Access {
  trace::Op op = trace::Op::kLoad;
  Space space = Space::kGeneric;
  bool remote = false;  // .shared::cluster
  bool waits = false;  // may be how a thread waits for another: volatile, acquire, compare-and-swap
  Type type = Type::kB32;
  std::uint8_t element_bytes = 4;
  std::uint8_t elements = 1;
  std::uint8_t register_bytes = 4;
  std::uint8_t address_bytes = 8;  // of the base register; 0: constant base
  AtomicOp atomic = AtomicOp::kNone;
  std::int64_t offset = 0;
  std::uint32_t base = kNoOffset;
  std::uint32_t values[8] = {kNoOffset, kNoOffset, kNoOffset, kNoOffset,
                             kNoOffset, kNoOffset, kNoOffset, kNoOffset};
  std::uint32_t value_bytes[8] = {};  // register widths, where they differ
  // Of machine code: an address is the sum of a register (of 64 bits in two rows, or of 32 with
  // narrow_base), scaled, a uniform register of the address's width, and the offset.
  bool machine = false;
  bool narrow_base = false;
  std::uint8_t scale = 1;
  std::uint32_t uniform = kNoOffset;
  std::uint32_t reserved = 0;  // bytes at the start of a CTA's window that are not the program's
  std::uint32_t bytes() const { return std::uint32_t{element_bytes} * elements; }
};

// A load from a constant bank of machine code.
struct BankLoad {
  std::uint32_t bank = 0, offset = 0;
  std::uint32_t base = kNoOffset, uniform = kNoOffset;
  Type type = Type::kB32;
  std::uint8_t elements = 1;
  bool all_lanes = false;  // to a uniform register
  std::uint32_t values[4] = {kNoOffset, kNoOffset, kNoOffset, kNoOffset};
};

// A call through a register, of machine code: of the driver's functions, or of a place in the code.
struct DriverCall {
  std::uint32_t address = 0;        // 64-bit row
  std::uint32_t arguments[5] = {};  // 64-bit rows
  std::uint32_t result = 0;         // two 32-bit rows, of which the first is R4
  // Of the device runtime: where its arguments are put together, lane after lane, each with the
  // room of the widest. kNoOffset: it is another function.
  std::uint32_t room = kNoOffset;
};

struct TextureAccess {
  enum class What : std::uint8_t {
    kSample,
    kGather,
    kSurfaceLoad,
    kSurfaceStore,
    kSurfaceReduce,
    kQuery
  };
  enum class Bounds : std::uint8_t { kTrap, kClamp, kZero };
  What what = What::kSample;
  Bounds bounds = Bounds::kTrap;
  std::uint8_t channel = 0;  // gathered; or what is asked for
  bool layered = false;
  bool whole = false;   // coordinates are whole numbers
  bool halves = false;  // the result is two pairs of halves
  bool has_gradients = false;
  AtomicOp reduction = AtomicOp::kNone;
  std::uint8_t elements = 4, value_bytes = 4;
  Type type = Type::kB32;  // of a surface access
  std::uint32_t dimensions = 1;
  std::uint32_t object = kNoOffset, layer = kNoOffset, level = kNoOffset, resident = kNoOffset;
  std::uint32_t at[3] = {kNoOffset, kNoOffset, kNoOffset};
  std::uint32_t gradient[2][3] = {};
  std::uint32_t value[4] = {kNoOffset, kNoOffset, kNoOffset, kNoOffset};
};

struct TensorCopy {
  Access map, tile, barrier;
  std::uint32_t rank = 0;
  std::uint32_t at[5] = {};
  std::uint32_t multicast = kNoOffset;                          // mask of CTAs
  std::uint32_t offset[3] = {kNoOffset, kNoOffset, kNoOffset};  // of an im2col load: 16 bits each
  bool store = false, counts = false;
  bool im2col = false;
  AtomicOp reduction = AtomicOp::kNone;
};

// A .param variable of a call, held in the frame: bytes a lane, lane after lane.
struct ParamSlot {
  std::uint32_t offset = 0;  // in the frame
  std::uint32_t bytes = 0;   // a lane
};

struct CallSite {
  std::vector<ParamSlot> arguments;
  std::vector<ParamSlot> results;
  std::uint32_t function = 0;         // index into Program::functions; kNoOffset: through `pointer`
  std::uint32_t builtin = 0;          // vprintf, malloc …
  std::uint32_t pointer = kNoOffset;  // 64-bit register
};

struct Code {
  const Function* function = nullptr;
  std::vector<Inst> code;
  std::vector<Access> accesses;
  std::vector<CallSite> calls;
  std::vector<std::vector<std::uint32_t>> lists;  // brx targets, matrix operands
  std::vector<MatrixProduct> products;
  std::vector<GroupProduct> group_products;
  std::vector<QuadProduct> quad_products;
  std::vector<TextureAccess> textures;
  std::vector<TensorCopy> tensors;
  std::vector<BankLoad> bank_loads;
  std::vector<DriverCall> driver_calls;
  std::vector<std::string> refusals;
  std::vector<std::uint32_t> lines;  // of machine code: the first line of each instruction
  bool machine = false;
  std::vector<ParamSlot> params, returns;
  std::vector<std::byte> image;   // a frame at its birth: zeros and constants
  std::uint32_t local_bytes = 0;  // stack a lane
  std::uint32_t first_line = 0;   // of `code`, among those of all functions
  std::uint32_t first_pc = 0;  // number of this function's first statement in the trace's program
  bool calls_pointers = false;
  CodeFlow flow;  // of `code`, line by line
  // Loops that do nothing but ask an mbarrier whether a phase is over, by their branches back: the
  // leaders of the blocks that each round runs. How often they ask says how the emulator took
  // turns, not what a GPU does, which suspends whoever asks: the trace has them ask once.
  std::map<std::uint32_t, std::vector<std::uint32_t>> polls;
  std::vector<std::vector<std::uint32_t>> joins;  // Inst::joins: places, the last one first
};

}  // namespace warpmem::emulate
