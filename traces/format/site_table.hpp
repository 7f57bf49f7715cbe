// Distinct sites, numbered in the order of their first appearance.
#pragma once

#include <unordered_map>
#include <vector>

#include "traces/format/record.hpp"

namespace warpmem::trace {

struct SiteHash {
  std::size_t operator()(const Site& site) const {
    const std::uint64_t what = std::uint64_t{site.pc} << 32 | site.bytes;
    const std::uint64_t kind =
        static_cast<std::uint64_t>(site.op) << 8 | static_cast<std::uint64_t>(site.space);
    return static_cast<std::size_t>((what ^ kind << 20) * 0x9e3779b97f4a7c15u >> 16);
  }
};

class SiteTable {
 public:
  std::uint32_t number_of(const Site& site) {
    const auto [at, added] = numbers_.try_emplace(site, static_cast<std::uint32_t>(sites_.size()));
    if (added) sites_.push_back(site);
    return at->second;
  }
  const std::uint32_t* find(const Site& site) const {
    const auto at = numbers_.find(site);
    return at == numbers_.end() ? nullptr : &at->second;
  }
  std::size_t size() const { return sites_.size(); }
  const std::vector<Site>& sites() const { return sites_; }
  void clear() { sites_.clear(), numbers_.clear(); }

 private:
  std::vector<Site> sites_;
  std::unordered_map<Site, std::uint32_t, SiteHash> numbers_;
};

}  // namespace warpmem::trace
