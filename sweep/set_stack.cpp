#include "sweep/set_stack.hpp"

#include <algorithm>

namespace warpmem::sweep {

SetStack::Line& SetStack::touch(Set& set, std::uint64_t number) {
  std::size_t at = 0, hole = set.size();
  while (at < set.size() && set[at].number != number) {
    if (holes_ && hole == set.size() && set[at].number == kHole) hole = at;
    ++at;
  }
  Line line;
  line.number = number;
  line.deepest.fill(kNever);
  if (at < set.size()) {
    const auto place = static_cast<std::uint32_t>(at + 1);
    line = set[at];
    for (std::uint32_t& d : line.deepest) d = std::max(d, place);
    // Caches that have the hole and not the line fill it; those that have both keep a free way.
    if (hole < at) {
      set[at] = Line{};
      at = hole;
    }
  } else if (hole < set.size()) {
    at = hole;
  } else if (set.size() < ways_) {
    set.emplace_back();
  } else {
    --at;
  }
  std::move_backward(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(at),
                     set.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  set.front() = line;
  return set.front();
}

SetStack::Least SetStack::load(std::uint64_t number, std::uint8_t sectors, bool leaves) {
  Least out;
  out.fill(kNever);
  Set& set = sets_[index_(number)];
  if (!leaves) {
    for (std::size_t at = 0; at < set.size(); ++at)
      if (set[at].number == number)
        for (std::size_t s = 0; s < out.size(); ++s)
          if (sectors >> s & 1)
            out[s] = std::max(set[at].deepest[s], static_cast<std::uint32_t>(at + 1));
    return out;
  }
  Line& line = touch(set, number);
  for (std::size_t s = 0; s < out.size(); ++s) {
    if (!(sectors >> s & 1)) continue;
    out[s] = line.deepest[s];
    line.deepest[s] = 0;
    inexact_ += line.partial >> s & 1;
  }
  line.partial = static_cast<std::uint8_t>(line.partial & ~sectors);
  return out;
}

void SetStack::store(const model::LineTouch& t) {
  Line& line = touch(sets_[index_(t.line)], t.line);
  for (std::size_t s = 0; s < line.deepest.size(); ++s) {
    const auto bit = static_cast<std::uint8_t>(1u << s);
    if ((t.full & bit) || t.bytes[s] == ~0u) {
      line.deepest[s] = 0;
      line.partial = static_cast<std::uint8_t>(line.partial & ~bit);
    } else if (t.bytes[s] != 0 && line.deepest[s] > 1) {
      line.partial = static_cast<std::uint8_t>(line.partial | bit);
    }
  }
}

void SetStack::drop(std::uint64_t number, std::uint8_t sectors) {
  for (Line& line : sets_[index_(number)])
    if (line.number == number)
      for (std::size_t s = 0; s < line.deepest.size(); ++s)
        if (sectors >> s & 1) line.deepest[s] = kNever;
}

void SetStack::invalidate(std::uint64_t below) {
  for (Set& set : sets_)
    for (Line& line : set)
      if (line.number < below) {
        line = Line{};
        holes_ = true;
      }
}

void SetStack::clear() {
  for (Set& set : sets_) set.clear();
  holes_ = false;
}

}  // namespace warpmem::sweep
