// CTAs on several threads, with the result that they have one after the other.
//
// Each word of global memory has a cell that says who has read and written it in this launch. A CTA
// that meets a word which another one, not yet finished, has touched (and one of the two writes) or
// which a later one has written, is a conflict: the run stops, what the unfinished ones wrote is
// taken back, and the rest of the launch runs in order. So a launch without conflicts has read and
// written exactly what it would have in order, and one with conflicts runs in order from there.
//
// Cells are 8 bytes for 4: twice the memory that the kernel touches, none for what it does not.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpmem::emulate {

class Memory;

struct Conflict {};

class Speculation {
 public:
  // Null: there is no room in the address space.
  static std::unique_ptr<Speculation> create();
  ~Speculation();
  Speculation(const Speculation&) = delete;
  Speculation& operator=(const Speculation&) = delete;

  struct Word {
    std::uint64_t address;
    std::uint32_t before;
  };
  using Log = std::vector<Word>;

  void begin(std::uint64_t groups);
  void end();
  void finish(std::uint64_t group) { finished_[group].store(true, std::memory_order_release); }

  // Group `group` reads or writes `bytes` at a device address; throws Conflict.
  void read(std::uint64_t address, std::uint32_t bytes, std::uint64_t group);
  void write(const Memory& memory, std::uint64_t address, std::uint32_t bytes, std::uint64_t group, Log& log);
  static void take_back(const Memory& memory, const Log& log);

 private:
  Speculation() = default;
  bool mine(std::uint32_t id) const { return id >= many_; }  // of this launch
  bool settled(std::uint32_t id, std::uint32_t self) const {
    return id < self && id != many_ && finished_[id - many_ - 1].load(std::memory_order_acquire);
  }
  std::atomic<std::uint64_t>& cell(std::uint64_t address) const;

  std::byte* mapping_ = nullptr;
  std::uint32_t many_ = 1;  // "read by several in this launch"; group g is many_ + 1 + g
  std::uint64_t groups_ = 0;
  std::unique_ptr<std::atomic<bool>[]> finished_;
};

}  // namespace warpmem::emulate
