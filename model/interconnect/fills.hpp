// What is in flight to one side of the L2: who reads such a line meanwhile finds its tag there,
// but waits for the data like the one who asked first.
//
// Units: ticks of model/timing/throughput.hpp. Halves: 64 bytes, what DRAM and the other side bring
// at least. Remembers the latest 32,768 lines, by hash: of two that fall together, the later. Ticks
// are kept in 32 bits after an epoch, so that an entry is a quarter of a line of the host's cache.
// Of no sectors there is nothing to remember, nor to know; that takes no branch of its own, as
// which of a warp's lines are outstanding is in no order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/prefetch.hpp"

namespace warpmem::model {

class Fills {
 public:
  // Its table takes its memory from `memory`.
  explicit Fills(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : of_(memory) {}
  void clear() {
    of_.assign(kLines + 1, {});
    epoch_ = 0;
  }

  // The sectors of the line are there from `at` on.
  void add(std::uint64_t line, std::uint32_t sectors, std::uint64_t at) {
    std::uint64_t after = at - epoch_;
    if (after > ~std::uint32_t{0}) [[unlikely]]
      after = after_new_epoch(at);
    const auto from = static_cast<std::uint32_t>(after);
    Fill& f = of_[sectors ? slot(line) : kNone];
    const std::uint32_t known = -std::uint32_t{f.line == line};
    const Halves& halves = kHalf[sectors];
    const std::uint32_t first = std::max(f.until[0] & known, from & halves[0]);
    const std::uint32_t second = std::max(f.until[1] & known, from & halves[1]);
    f = {sectors ? line : kNobody, {first, second}};
  }

  // The tick from which all these sectors of the line are there; 0: they are not outstanding.
  std::uint64_t until(std::uint64_t line, std::uint32_t sectors) const {
    if (!sectors) [[likely]]
      return 0;
    const Fill& f = of_[slot(line)];
    if (f.line != line) return 0;
    const Halves& halves = kHalf[sectors];
    return epoch_ + std::max(f.until[0] & halves[0], f.until[1] & halves[1]);
  }

  void prefetch(std::uint64_t line) const { warpmem::prefetch(&of_[slot(line)]); }

 private:
  static constexpr std::size_t kLines = std::size_t{1} << 15;
  static constexpr std::size_t kNone = kLines;                 // of no line
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};  // no line has it
  using Halves = std::array<std::uint32_t, 2>;
  struct alignas(16) Fill {
    std::uint64_t line = kNobody;
    Halves until{};  // ticks after epoch_
  };
  // All bits, by sectors: those of either half.
  static constexpr auto kHalf = [] {
    std::array<Halves, 16> all{};
    for (unsigned sectors = 0; sectors < 16; ++sectors)
      for (unsigned h = 0; h < 2; ++h)
        if (sectors >> 2 * h & 3) all[sectors][h] = ~std::uint32_t{0};
    return all;
  }();
  static std::size_t slot(std::uint64_t line) { return line * 0x9e3779b97f4a7c15ull >> 49; }

  // What was to come half a range ago has come for everybody: it may as well come with the epoch.
  [[gnu::noinline]] std::uint64_t after_new_epoch(std::uint64_t at) {
    constexpr std::uint64_t kBefore = std::uint64_t{1} << 31;
    if (at < epoch_) return 0;
    const std::uint64_t passed = at - kBefore - epoch_;
    for (Fill& f : of_)
      for (std::uint32_t& until : f.until)
        until = until > passed ? static_cast<std::uint32_t>(until - passed) : 0;
    epoch_ += passed;
    return kBefore;
  }

  std::pmr::vector<Fill> of_;
  std::uint64_t epoch_ = 0;  // tick
};

}  // namespace warpmem::model
