// What a microbenchmark would measure on a card: latency and bandwidth over the memory that it goes
// through, over how many threads are there, over strides and conflicts. Each point is the
// difference of two launches, of which one does more, so that launching takes no part.
//
// Models nothing by itself: it writes a trace of a small kernel and replays it with the time
// engine.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"

namespace warpmem::sim::probe {

enum class Curve : std::uint8_t {
  kLatency,    // x: bytes that one thread chases through; y: cycles a load
  kL1,         // x: bytes that all SMs read again and again; y: GB/s of all
  kL2,         // x: bytes of which each 512 KiB are read by many SMs; y: GB/s of all
  kInit,       // x: threads an SM; y: GB/s, each thread writes 8 bytes
  kRead,       // … reads 8
  kScale,      // … reads and writes 8
  kAdd,        // … reads two times 8 and writes 8
  kTriad,      // … reads three times 8 and writes 8
  kHost,       // … reads 8 bytes of the host's memory
  kShared,     // … reads words of shared memory, without conflicts
  kStride,     // x: elements between lanes; y: cycles of the SM a load that hits its L1
  kConflicts,  // x: lanes of a warp on one bank of shared memory; y: cycles a load
};

struct Options {
  Curve curve = Curve::kLatency;
  std::vector<std::uint64_t> at;  // values of x
  bool past_l1 = false;  // loads go past the L1 (.cg); L2: and only waves behind the second count
  bool indexed = false;  // … whose addresses are worked out from an index
  std::uint32_t bytes = 4;          // stride: of an element, 4 or 8
  std::uint64_t chunk = 512 << 10;  // L2: bytes of a CTA
  std::string file;                 // where the trace may lie; it is removed
};

struct Point {
  std::uint64_t x = 0;
  double y = 0;
};

const char* unit_of(Curve curve);

Result<std::vector<Point>> measure(const model::Card& card, const Options& options);

}  // namespace warpmem::sim::probe
