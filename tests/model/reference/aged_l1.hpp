// Slow and obvious: the L1 as a list of lines by bank, each with its age and the bytes that were
// written, searched from end to end.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "model/l1_cache.hpp"
#include "model/tag_banks.hpp"

namespace warpmem::reference {

class AgedL1 {
 public:
  explicit AgedL1(const model::L1Cache::Spec& spec)
      : spec_(spec),
        per_bank_(std::max(1u, spec.lines / 4)),
        age_after_(std::max(1u, spec.lines / spec.ages)) {
    while (std::gcd(stride_, per_bank_) != 1) ++stride_;
    for (Bank& bank : banks_) bank.lines.resize(per_bank_);
  }

  std::uint8_t load(std::uint64_t line, std::uint8_t sectors, bool allocate) {
    Line* l = find(line);
    if (!l && !allocate) return sectors;
    if (!l) l = &bring(line);
    const auto missing = static_cast<std::uint8_t>(sectors & ~l->readable);
    if (allocate) l->readable |= sectors;
    touch(*l);
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
    touch(*l);
    return present;
  }

  void drop(std::uint64_t line, std::uint8_t sectors) {
    Line* l = find(line);
    if (!l) return;
    l->readable = static_cast<std::uint8_t>(l->readable & ~sectors);
    for (unsigned s = 0; s < 4; ++s)
      if (sectors >> s & 1) l->written[s] = 0;
  }

 private:
  struct Line {
    bool used = false;
    std::uint64_t number = 0, touched = 0;  // touched: the age of the cache at its last access
    std::uint8_t readable = 0;
    std::uint32_t written[4] = {};
  };
  struct Bank {
    std::vector<Line> lines;
    std::uint32_t used = 0, hand = 0;
  };

  Line* find(std::uint64_t line) {
    for (Line& l : banks_[model::tag_bank(line)].lines)
      if (l.used && l.number == line) return &l;
    return nullptr;
  }

  Line& bring(std::uint64_t line) {
    Bank& bank = banks_[model::tag_bank(line)];
    Line* place = nullptr;
    if (bank.used < per_bank_) {
      place = &bank.lines[std::uint64_t{bank.used++} * stride_ % per_bank_];
    } else {
      // The first that the hand finds of the oldest age there is, all beyond the last being one.
      for (std::uint64_t age = spec_.ages; !place; --age)
        for (std::uint32_t n = 0; n < per_bank_ && !place; ++n) {
          Line& l = bank.lines[bank.hand];
          bank.hand = (bank.hand + 1) % per_bank_;
          if (now_ - l.touched + 1 >= age) place = &l;
        }
    }
    *place = Line{};
    place->used = true;
    place->number = line;
    return *place;
  }

  void touch(Line& l) {
    l.touched = now_;
    if (++accesses_ % age_after_ == 0) ++now_;
  }

  model::L1Cache::Spec spec_;
  std::uint32_t per_bank_, age_after_, stride_ = 161;
  Bank banks_[4];
  std::uint64_t accesses_ = 0, now_ = 1;
};

}  // namespace warpmem::reference
