// One record: one warp-level instruction of one warp, as every trace source leaves it and every
// engine reads it. Order is kept within a warp only; between warps the simulator decides.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "isa/space.hpp"

namespace warpmem::trace {

enum class Op : std::uint8_t {
  kLoad,
  kStore,
  kAtomic,          // returns a value (ATOM, ATOMG, ATOMS)
  kReduction,       // returns none (RED)
  kAsyncCopyRead,   // cp.async (LDGSTS), its source side: global
  kAsyncCopyWrite,  // … its destination side: shared; follows the read record at the same pc
  kBulkRead,        // bulk copy, source side: one lane, `bytes` is the whole copy
  kBulkWrite,       // bulk copy, destination side; follows the read record at the same pc
  kBulkReduction,   // bulk reduction, destination side; follows the read record at the same pc
  kMatrixLoad,      // ldmatrix: lanes hold row addresses, 16 bytes a row, lanes = 8 x matrices
  kMatrixStore,     // stmatrix
  kPrefetch,        // prefetch, no data returned to the warp
  kBarrier,         // CTA barrier; base = barrier index, stride = threads expected (0: all)
  kCtaBegin,        // the warp's first record; base = SM id it ran on, or kUnknownSm
  kCtaEnd,          // the warp's last record
  kRounds,          // a loop went round without an access: base = times that the warp took the
                    // branch back at pc since its last record of another kind; space is kNone
  kTexel,        // further texels of the texture fetch before it, one a lane at most: those that a
                 // filter mixes or a gather returns; same pc, space is kTexture
  kProductRead,  // what a warpgroup's product (wgmma) reads of shared memory: `bytes` are those of
                 // both matrices (of B alone where A is in registers), base is where B lies. Each
                 // of the four warps leaves one, for all of them together
  kCount
};

constexpr std::uint64_t kUnknownSm = ~std::uint64_t{0};

// What all executions of one static instruction share. One pc can own several sites: a generic
// load that meets both global and shared memory, the two sides of an asynchronous copy.
struct Site {
  std::uint32_t pc = 0;  // byte offset of the instruction in its function; index into Program
  Op op = Op::kLoad;
  Space space = Space::kNone;
  std::uint32_t bytes = 0;  // per lane (1, 2, 4, 8, 16; bulk copies: all bytes); 0 where none
  bool operator==(const Site&) const = default;
};

// 24 bytes. Lane addresses take one of two forms:
//   regular (lanes == kRegular): active lane l has address base + l * stride, l its lane number;
//   listed: the addresses of the active lanes, lowest lane first, stand in the lane table at
//   [lanes, lanes + popcount(mask)); base and stride are then unused (0).
struct Record {
  static constexpr std::uint32_t kRegular = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t base = 0;
  std::int32_t stride = 0;
  std::uint32_t mask = 0;          // active lanes, bit l = lane l
  std::uint32_t site = 0;          // index into the site table it travels with
  std::uint32_t lanes = kRegular;  // first entry in the lane table, or kRegular

  bool regular() const { return lanes == kRegular; }
  // Active lanes. (std::popcount is a library call where the host's instruction may not be
  // assumed.)
  int active() const {
    std::uint32_t n = mask - (mask >> 1 & 0x55555555u);
    n = (n & 0x33333333u) + (n >> 2 & 0x33333333u);
    return static_cast<int>(((n + (n >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
  }
};
static_assert(sizeof(Record) == 24);

inline bool is_bulk(Op op) {
  return op == Op::kBulkRead || op == Op::kBulkWrite || op == Op::kBulkReduction;
}

// A bulk copy leaves several records: its two sides, each row of a tensor map's tile, each CTA that
// it goes to. They have one lane, so their stride says which of them belong together.
enum class Piece : std::uint8_t {
  kUnknown,  // before format 1.4, and of recorders
  kFurther,  // of the copy that the record before it belongs to
  kFirst,    // a copy begins
};
// Of a record of a bulk copy.
inline Piece piece_of(const Record& r) {
  return r.stride > 0 && r.stride <= 2 ? static_cast<Piece>(r.stride) : Piece::kUnknown;
}
// The record of one address of one lane.
inline Record piece_record(std::uint32_t lane, std::uint64_t address, Piece piece) {
  Record r;
  r.mask = 1u << lane;
  r.stride = static_cast<std::int32_t>(piece);
  r.base = address - std::uint64_t{lane} * static_cast<std::uint64_t>(piece);
  return r;
}

// A run of consecutive records of one warp.
struct Segment {
  std::uint64_t cta = 0;    // linear: x + grid.x * (y + grid.y * z)
  std::uint32_t warp = 0;   // in the CTA: linear thread / 32
  std::uint32_t first = 0;  // index of the first record in the block
  std::uint32_t count = 0;  // records
  // Of a decoded block: its records in the file. `count` is less where a replay has left some out.
  std::uint32_t stored = 0;
};

}  // namespace warpmem::trace
