// The links there are between a GPU and its host, and what each carries at best.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::host {

// In the order of link_kind_names(), which are the words that cards use.
enum class LinkKind : std::uint8_t {
  kPcie1,
  kPcie2,
  kPcie3,
  kPcie4,
  kPcie5,
  kPcie6,
  kNvlink1,
  kNvlink2,
  kC2c
};
const std::vector<std::string>& link_kind_names();

// Bytes a nanosecond (GB/s) that so many lanes carry in one direction, after the line's code and
// before headers. A lane of NVLink is a link of it; NVLink-C2C has one.
double wire_rate(LinkKind kind, std::uint64_t lanes);

}  // namespace warpmem::host
