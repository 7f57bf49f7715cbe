// Slow and obvious: one side of the L2 as an LRU list a set, every sector with its bytes. Which set
// a line belongs to is asked of the caller (the fast twin's hash is no part of what is compared).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <map>

#include "model/l2/l2_side.hpp"

namespace warpmem::reference {

class LruSide {
 public:
  LruSide(const model::L2Side::Spec& spec, std::function<std::uint64_t(std::uint64_t)> set_of)
      : spec_(spec), set_of_(std::move(set_of)) {}

  std::uint8_t lookup(std::uint64_t line) {
    Set& set = sets_[set_of_(line)];
    const auto it = find(set, line);
    if (it == set.end()) return 0;
    set.splice(set.begin(), set, it);
    return set.front().readable;
  }

  model::L2Side::Traffic fill(std::uint64_t line, std::uint8_t sectors) {
    model::L2Side::Traffic t;
    Line& l = bring(line, t);
    for (unsigned s = 0; s < 4; ++s)
      if (sectors >> s & 1) {
        if (l.written.count(s)) l.dirty |= bit(s), l.written.erase(s);
        l.readable |= bit(s);
      }
    return t;
  }

  model::L2Side::Traffic write(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
                               const std::uint32_t* bytes) {
    model::L2Side::Traffic t;
    Line& l = bring(line, t);
    for (unsigned s = 0; s < 4; ++s) {
      if (!(sectors >> s & 1)) continue;
      if (!(full >> s & 1) && !(l.readable >> s & 1)) {
        std::uint32_t& have = l.written[s];
        have |= bytes[s];
        if (have != ~0u) continue;
      }
      l.written.erase(s);
      l.readable |= bit(s);
      l.dirty |= bit(s);
    }
    Set& set = sets_[set_of_(line)];
    limit(set, spec_.partial_ways, t, [](const Line& x) { return !x.written.empty(); });
    limit(set, spec_.dirty_ways, t, [](const Line& x) { return x.dirty || !x.written.empty(); });
    return t;
  }

  void drop(std::uint64_t line, std::uint8_t sectors) {
    Set& set = sets_[set_of_(line)];
    const auto it = find(set, line);
    if (it == set.end()) return;
    it->readable &= static_cast<std::uint8_t>(~sectors);
    it->dirty &= static_cast<std::uint8_t>(~sectors);
  }

  std::uint64_t dirty_sectors() const {
    std::uint64_t n = 0;
    for (const auto& [key, set] : sets_)
      for (const Line& l : set)
        for (unsigned s = 0; s < 4; ++s) n += (l.dirty >> s & 1) || l.written.count(s);
    return n;
  }

 private:
  struct Line {
    std::uint64_t line = 0;
    std::uint8_t readable = 0, dirty = 0;
    std::map<unsigned, std::uint32_t> written;  // sectors not wholly there, with their bytes
  };
  using Set = std::list<Line>;  // most recently used first

  static std::uint8_t bit(unsigned s) { return static_cast<std::uint8_t>(1u << s); }
  static Set::iterator find(Set& set, std::uint64_t line) {
    auto it = set.begin();
    while (it != set.end() && it->line != line) ++it;
    return it;
  }

  static bool dirty(const Line& l) { return l.dirty || !l.written.empty(); }

  // Written back, and filled where it was written in part; it stays, clean.
  static void clean(Line& l, model::L2Side::Traffic& t) {
    t.fills += static_cast<std::uint32_t>(l.written.size());
    for (unsigned s = 0; s < 4; ++s) {
      t.writes += (l.dirty >> s & 1) || l.written.count(s);
      if (l.written.count(s)) l.readable |= bit(s);
    }
    l.written.clear();
    l.dirty = 0;
  }

  Line& bring(std::uint64_t line, model::L2Side::Traffic& t) {
    Set& set = sets_[set_of_(line)];
    const auto it = find(set, line);
    if (it != set.end()) {
      set.splice(set.begin(), set, it);
      return set.front();
    }
    if (set.size() == spec_.ways) {
      // A dirty line is written back and the oldest clean one goes; with none clean, itself.
      auto gone = std::prev(set.end());
      if (dirty(*gone)) {
        const auto clean_one = std::find_if_not(set.rbegin(), set.rend(), dirty);
        if (clean_one != set.rend()) gone = std::prev(clean_one.base());
        clean(set.back(), t);
      }
      set.erase(gone);
    }
    set.push_front({});
    set.front().line = line;
    return set.front();
  }

  // At most `most` lines of the set may be so; the oldest that is gets cleaned.
  template <class Is>
  static void limit(Set& set, std::uint32_t most, model::L2Side::Traffic& t, Is is) {
    std::uint32_t n = 0;
    for (const Line& l : set) n += is(l);
    if (n <= most) return;
    for (auto it = set.rbegin(); it != set.rend(); ++it)
      if (is(*it)) return clean(*it, t);
  }

  model::L2Side::Spec spec_;
  std::function<std::uint64_t(std::uint64_t)> set_of_;
  std::map<std::uint64_t, Set> sets_;
};

}  // namespace warpmem::reference
