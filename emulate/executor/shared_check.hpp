// What a memory checker says about a CTA's shared memory: reads of bytes that nobody wrote, and
// accesses of two warps to one byte, one of them a write, with no barrier in between.
//
// Any completed barrier of the CTA, whoever took part, counts as one between, and so does a passed
// mbarrier wait; atomics and asynchronous copies are never a hazard. So a hazard reported is one
// that program order does not rule out; some that exist are not reported.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace warpmem::emulate {

enum class Touch : std::uint8_t {
  kRead,
  kWrite,
  kOther
};  // kOther: an atomic, an asynchronous copy

struct Finding {
  enum class What : std::uint8_t {
    kUninitialised,
    kReadAfterWrite,
    kWriteAfterRead,
    kWriteAfterWrite
  };
  What what;
  std::uint32_t offset;
  std::uint32_t other_warp;  // whose access it meets
  std::uint32_t other_pc;
};

class SharedCheck {
 public:
  void begin(std::uint32_t bytes) { bytes_.assign(bytes, {}), interval_ = 1; }
  void barrier() { ++interval_; }
  std::optional<Finding> touch(Touch how, std::uint32_t offset, std::uint32_t count,
                               std::uint32_t warp, std::uint32_t pc);

 private:
  struct Byte {
    bool written = false;
    std::uint16_t writer = 0, reader = 0;  // warps
    std::uint32_t write_interval = 0, read_interval = 0;
    std::uint32_t write_pc = 0, read_pc = 0;
  };
  std::vector<Byte> bytes_;
  std::uint32_t interval_ = 1;
};

}  // namespace warpmem::emulate
