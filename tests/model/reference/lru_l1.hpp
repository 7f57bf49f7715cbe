// Slow and obvious: the L1 as sets of lines, each a list with the most recently used first, and the
// bytes that were written.
#pragma once

#include <algorithm>
#include <array>
#include <list>
#include <vector>

#include "model/l1_cache.hpp"

namespace warpmem::reference {

class LruL1 {
 public:
  explicit LruL1(const model::L1Cache::Spec& spec)
      : asked_(spec), room_(std::max(1u, spec.lines / 4)), sets_(spec.sets) {}

  std::uint8_t load(std::uint64_t line, std::uint8_t sectors, bool allocate) {
    Line* l = find(line);
    if (!l && !allocate) return sectors;
    if (!l) l = &bring(line);
    const auto missing = static_cast<std::uint8_t>(sectors & ~l->readable);
    if (allocate) l->readable |= sectors;
    return missing;
  }

  bool store(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes) {
    Line* l = find(line);
    const bool present = l != nullptr;
    if (!l) l = &bring(line);
    l->readable |= full;
    for (unsigned s = 0; s < 4; ++s) {
      if (!(sectors >> s & 1) || (l->readable >> s & 1)) continue;
      l->written[s] |= bytes[s];
      if (l->written[s] == ~0u) l->readable = static_cast<std::uint8_t>(l->readable | 1u << s);
    }
    return present;
  }

  void drop(std::uint64_t line, std::uint8_t sectors) {
    for (Line& l : set_of(line)) {
      if (l.number != line) continue;
      l.readable = static_cast<std::uint8_t>(l.readable & ~sectors);
      for (unsigned s = 0; s < 4; ++s)
        if (sectors >> s & 1) l.written[s] = 0;
    }
  }

 private:
  struct Line {
    std::uint64_t number = 0;
    std::uint8_t readable = 0;
    std::array<std::uint32_t, 4> written{};
  };
  using Set = std::list<Line>;

  Set& set_of(std::uint64_t line) { return sets_[asked_.seat(line).set]; }

  // As the most recently used one.
  Line* find(std::uint64_t line) {
    Set& set = set_of(line);
    for (auto it = set.begin(); it != set.end(); ++it) {
      if (it->number != line) continue;
      set.splice(set.begin(), set, it);
      return &set.front();
    }
    return nullptr;
  }

  Line& bring(std::uint64_t line) {
    Set& set = set_of(line);
    if (set.size() == 4) {
      set.pop_back();
    } else {
      const std::size_t bank = asked_.seat(line).set % 4;
      std::size_t held = 0;
      for (std::size_t s = bank; s < sets_.size(); s += 4) held += sets_[s].size();
      if (held == room_) {
        Set* giver = nullptr;
        do {
          giver = &sets_[turn_[bank] * 4 + bank];
          turn_[bank] = (turn_[bank] + 1) % (sets_.size() / 4);
        } while (giver->empty());
        giver->pop_back();
      }
    }
    set.push_front({});
    set.front().number = line;
    return set.front();
  }

  model::L1Cache asked_;  // where a line belongs, nothing else
  std::size_t room_;      // lines a bank
  std::vector<Set> sets_;
  std::array<std::size_t, 4> turn_{};
};

}  // namespace warpmem::reference
