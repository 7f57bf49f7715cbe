// Reads that are outstanding between SMs and the L2, by GPC: which of them share a request.
//
// Models: a GPC's request coalescer (LRC) joins reads of the same sectors, up to so many SMs a
// request, until the first one's answer has come to it (kernels/micro/shared_reads.cu); and misses
// of one SM on different sectors of a line travel together while the first of them waits in its SM:
// a few cycles after the latest that joined it and behind those before it, one of which leaves a
// cycle, but not when more lines follow than can wait (kernels/micro/read_joins.cu; misses of
// different SMs never join). A read is outstanding until its answer is back, which its owner says.
// Leaves out: reads beyond one for each of a GPC's entries, of which the later one is remembered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "model/interconnect/latencies.hpp"
#include "model/l2/spec.hpp"

namespace warpmem::model {

struct ReadCoalescerSpec {
  std::uint32_t merge = 1;         // SMs that a request serves at most; 1: no coalescer
  std::uint32_t path_cycles = 0;   // from an SM to the coalescer and back
  std::uint32_t read_cycles = 0;   // an SM's miss waits so long for others on its line
  std::uint32_t read_entries = 1;  // … and so many lines at most wait
  Latencies unloaded{};            // of the L2
};

inline ReadCoalescerSpec read_coalescer_of(const L2Spec& l2) {
  return {l2.merge,
          l2.path_cycles,
          l2.read_cycles,
          l2.read_entries,
          {l2.near_cycles, l2.near_spread, l2.dram_cycles, l2.dram_spread, l2.dram_tail}};
}

class ReadCoalescer {
  static constexpr unsigned kEntryBits = 10;
  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ull;

 public:
  static constexpr std::uint32_t kEntries = 1u << kEntryBits;  // of a GPC
  // A read that is outstanding, or was.
  struct alignas(32) Outstanding {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t leaves = 0, until = 0;  // cycles: leaves its SM, is back there
    std::uint32_t number = 0;             // of its SM's requests
    // Four bits of sectors, four of those that its miss brings along, a byte of SMs that it serves,
    // and the SM: written at once.
    std::uint32_t how = ~0u << 16;
    static std::uint32_t by(int sm) { return 1u << 8 | static_cast<std::uint32_t>(sm) << 16; }
    std::uint8_t sectors() const { return how & 15; }
    std::uint8_t brought() const { return how >> 4 & 15; }
    std::uint32_t served() const { return how >> 8 & 255; }
    bool is_of(int sm) const { return how >> 16 == static_cast<std::uint32_t>(sm); }
    void merge() { how += 1u << 8; }
    void ask(std::uint8_t more) { how |= more & 15u; }
    void bring(std::uint8_t more) { how |= (more & 15u) << 4; }
  };
  // Where an SM is, and what it has sent.
  struct Sm {
    std::uint32_t side = 0;      // of the L2: its owner's
    std::uint32_t entries = 0;   // its GPC's first entry
    std::uint32_t requests = 0;  // read requests
    std::uint64_t leaves = 0;    // cycle in which the last of those that wait leaves
  };

  // `groups`: by SM, its GPC; an SM that the list leaves out is in the first.
  template <class Groups>
  ReadCoalescer(const ReadCoalescerSpec& spec, const Groups& groups);

  Sm& sm(int number) { return sms_[static_cast<std::size_t>(number)]; }
  const Sm& sm(int number) const { return sms_[static_cast<std::size_t>(number)]; }
  std::size_t sms() const { return sms_.size(); }
  const ReadCoalescerSpec& spec() const { return spec_; }
  bool coalesces() const { return coalesces_; }

  // Which of its GPC's entries a line has; the entries of an SM's GPC.
  static std::uint16_t slot(std::uint64_t line) {
    return static_cast<std::uint16_t>(line * kFactor >> (64 - kEntryBits));
  }
  // The same from a line's lower half and what its upper half adds, for loops.
  static constexpr std::uint64_t slot_factor() { return kFactor; }
  static constexpr unsigned slot_shift() { return 32 - kEntryBits; }
  Outstanding* entries(const Sm& sm) { return &entries_[sm.entries]; }
  const Outstanding* entries(const Sm& sm) const { return &entries_[sm.entries]; }

  // When a request of its own leaves. First come, first gone, one a cycle; with a full queue the
  // first has to go.
  std::uint64_t leave(Sm& from, std::uint64_t now) const {
    ++from.requests;
    return from.leaves = std::max(now + spec_.read_cycles,
                                  std::min(from.leaves + 1, now + spec_.read_entries));
  }
  // A read is a request of its own.
  void open(int sm, Sm& from, Outstanding& entry, std::uint64_t line, std::uint8_t sectors,
            std::uint64_t now) const {
    const std::uint64_t leaves = leave(from, now);
    entry = {line, leaves, now, from.requests, Outstanding::by(sm) | (sectors & 15u)};
  }
  // What becomes of a read: a request of its own, one that joins an earlier one, which brings some
  // sectors along already, or one that another's answer serves.
  struct Asked {
    enum class How : std::uint8_t { kOwn, kJoined, kMerged } how;
    std::uint8_t joined = 0;  // sectors that come with the earlier one
    bool own() const { return how == How::kOwn; }
    bool merged() const { return how == How::kMerged; }
  };
  // `apart`: it does not travel with misses on other sectors of the line.
  Asked ask(int sm, Sm& from, Outstanding& entry, std::uint64_t line, std::uint8_t sectors,
            std::uint64_t now, bool apart) const;
  // No read is outstanding any more; cycles may start again.
  void clear();

 private:
  Asked::How meet(int sm, Sm& from, Outstanding& entry, std::uint8_t sectors, std::uint64_t now,
                  bool apart) const;
  void resize(std::size_t sms, std::size_t groups);

  ReadCoalescerSpec spec_;
  bool coalesces_ = false;
  std::vector<Sm> sms_;
  std::pmr::vector<Outstanding> entries_;  // by GPC
};

template <class Groups>
ReadCoalescer::ReadCoalescer(const ReadCoalescerSpec& spec, const Groups& groups) : spec_(spec) {
  std::size_t count = 1;
  for (const auto g : groups) count = std::max<std::size_t>(count, g + 1u);
  resize(groups.size(), count);
  for (std::size_t i = 0; i < groups.size(); ++i) sms_[i].entries = groups[i] * kEntries;
}

}  // namespace warpmem::model
