// CTAs on several threads, with the result that they have one after the other.
//
// Each word of global memory has a cell that says who has read and written it in this launch. A CTA
// that meets a word which another one, not yet finished, has touched (and one of the two writes) or
// which a later one has written, is a conflict: the run stops, what the unfinished ones wrote is
// taken back, and the rest of the launch runs in order. So a launch without conflicts has read and
// written exactly what it would have in order, and one with conflicts runs in order from there.
//
// Cells are 8 bytes for 4: twice the memory that the kernel touches, none for what it does not. Of
// the CTAs only those are known that may be running: the memory does not grow with the grid.
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

  // Groups of a launch are told apart by 32 bits.
  static constexpr std::uint64_t kMostGroups = 0xffff'0000;

  // `first`: the groups before it have finished. At most `window` groups from the first one on that
  // has not been passed may run.
  void begin(std::uint64_t groups, std::uint64_t first, std::uint64_t window);
  void end();
  void finish(std::uint64_t group) {
    finished_[group % window_].store(true, std::memory_order_release);
  }
  // `group` and all before it have finished.
  void pass(std::uint64_t group) {
    passed_.store(group + 1, std::memory_order_release);
    finished_[group % window_].store(false, std::memory_order_release);
  }

  // Group `group` reads or writes `bytes` at a device address; throws Conflict.
  void read(std::uint64_t address, std::uint32_t bytes, std::uint64_t group);
  void write(const Memory& memory, std::uint64_t address, std::uint32_t bytes, std::uint64_t group,
             Log& log);
  static void take_back(const Memory& memory, const Log& log);

 private:
  Speculation() = default;
  bool mine(std::uint32_t id) const { return id >= many_; }  // of this launch
  bool settled(std::uint32_t id, std::uint32_t self) const {
    return id < self && id != many_ && has_finished(id - many_ - 1);
  }
  // Asked twice, as it may be passed in between, and then the place is another group's.
  bool has_finished(std::uint64_t group) const {
    return group < passed_.load(std::memory_order_acquire) ||
           finished_[group % window_].load(std::memory_order_acquire) ||
           group < passed_.load(std::memory_order_acquire);
  }
  std::atomic<std::uint64_t>& cell(std::uint64_t address) const;

  std::byte* mapping_ = nullptr;
  std::uint32_t many_ = 1;  // "read by several in this launch"; group g is many_ + 1 + g
  std::uint64_t groups_ = 0;
  std::uint64_t window_ = 1;
  std::atomic<std::uint64_t> passed_{0};
  std::unique_ptr<std::atomic<bool>[]> finished_;  // by group, a ring of `window_`
};

}  // namespace warpmem::emulate
