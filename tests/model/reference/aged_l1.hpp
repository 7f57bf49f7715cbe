// Slow and obvious: the L1 as sets of lines, each a list with the most recently used first, how old
// each line is in hits of its set, and the words that were stored. With plain LRU ages do not
// matter.
#pragma once

#include <algorithm>
#include <array>
#include <list>
#include <vector>

#include "model/cache/l1_cache.hpp"

namespace warpmem::reference {

class AgedL1 {
 public:
  explicit AgedL1(const model::L1Cache::Spec& spec)
      : asked_(spec),
        ways_(spec.ways),
        ages_(spec.replacement == model::Replacement::kAfterHits),
        room_(std::max(1u, spec.lines / 4)),
        sets_(spec.sets) {}

  // `asked`: its bytes, by sector.
  std::uint8_t load(std::uint64_t line, std::uint8_t sectors,
                    const std::array<std::uint32_t, 4>& asked, bool allocate) {
    Line* l = find(line, allocate);
    if (!l && !allocate) return sectors;
    if (!l) l = &bring(line);
    for (unsigned s = 0; s < 4; ++s) {
      if (!(sectors >> s & 1) || l->sector[s].readable || !l->sector[s].touched) continue;
      for (unsigned b = 0; b < 32; ++b) {
        if (!(asked[s] >> b & 1) || l->sector[s].word[b / 4]) continue;
        if (allocate) {
          l->sector = {};
          for (unsigned other = 0; other < 4; ++other)
            l->sector[other].readable = sectors >> other & 1;
        }
        return sectors;
      }
    }
    std::uint8_t missing = 0;
    for (unsigned s = 0; s < 4; ++s) {
      Sector& at = l->sector[s];
      if (!(sectors >> s & 1) || at.readable || at.touched) continue;
      missing = static_cast<std::uint8_t>(missing | 1u << s);
      if (allocate) at.readable = true;
    }
    return missing;
  }

  bool store(std::uint64_t line, std::uint8_t sectors, const std::uint32_t* bytes) {
    Line* l = find(line, true);
    const bool present = l != nullptr;
    if (!l) l = &bring(line);
    for (unsigned s = 0; s < 4; ++s) {
      Sector& at = l->sector[s];
      if (!(sectors >> s & 1) || at.readable) continue;
      at.touched = true;
      for (unsigned w = 0; w < 8; ++w)
        if ((bytes[s] >> 4 * w & 15) == 15) at.word[w] = true;
      if (std::find(at.word.begin(), at.word.end(), false) == at.word.end())
        at = {.readable = true};
    }
    return present;
  }

  void drop(std::uint64_t line, std::uint8_t sectors) {
    for (Line& l : set_of(line))
      for (unsigned s = 0; s < 4 && l.number == line; ++s)
        if (sectors >> s & 1) l.sector[s] = {};
  }

  // Forgets all lines below this one, but not whose turn it is; those that stay are as if they had
  // come in from the oldest on.
  void invalidate(std::uint64_t kept) {
    for (Set& set : sets_) {
      set.remove_if([kept](const Line& l) { return l.number < kept; });
      if (ages_) set.sort([](const Line& a, const Line& b) { return a.age < b.age; });
      for (Line& l : set) l.age = 2;
    }
  }

 private:
  struct Sector {
    bool readable = false, touched = false;  // fetched or stored whole; stored in part
    std::array<bool, 8> word{};              // stored whole
  };
  struct Line {
    std::uint64_t number = 0;
    int age = 2;
    std::array<Sector, 4> sector{};
  };
  using Set = std::list<Line>;

  Set& set_of(std::uint64_t line) { return sets_[asked_.set_tag(line).set]; }

  // A hit, which may make the line young.
  Line* find(std::uint64_t line, bool use) {
    Set& set = set_of(line);
    for (auto it = set.begin(); it != set.end(); ++it) {
      if (it->number != line) continue;
      if (!use) return &*it;
      for (Line& l : set) ++l.age;
      it->age = 0;
      set.splice(set.begin(), set, it);
      return &set.front();
    }
    return nullptr;
  }

  // The oldest goes, of several the one that was used longest ago.
  void evict(Set& set) const {
    if (!ages_) return set.pop_back();
    auto oldest = set.begin();
    for (auto it = set.begin(); it != set.end(); ++it)
      if (it->age >= oldest->age) oldest = it;
    set.erase(oldest);
  }

  Line& bring(std::uint64_t line) {
    Set& set = set_of(line);
    if (set.size() == ways_) {
      evict(set);
    } else {
      const std::size_t bank = asked_.set_tag(line).set % 4;
      std::size_t held = 0;
      for (std::size_t s = bank; s < sets_.size(); s += 4) held += sets_[s].size();
      if (held == room_) {
        Set* giver = nullptr;
        do {
          giver = &sets_[turn_[bank] * 4 + bank];
          turn_[bank] = (turn_[bank] + 1) % (sets_.size() / 4);
        } while (giver->empty());
        evict(*giver);
      }
    }
    set.push_front({});
    set.front().number = line;
    return set.front();
  }

  model::L1Cache asked_;  // where a line belongs, nothing else
  std::size_t ways_;
  bool ages_;         // not plain LRU
  std::size_t room_;  // lines a bank
  std::vector<Set> sets_;
  std::array<std::size_t, 4> turn_{};
};

}  // namespace warpmem::reference
