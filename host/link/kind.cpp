#include "host/link/kind.hpp"

namespace warpmem::host {
namespace {

struct Row {
  const char* name;
  double lane;  // bytes a nanosecond
};
// PCI Express base specifications: transfers a second of a lane, times the share that the line's
// code leaves: 8 of 10 bits, 128 of 130, and 236 of 256 bytes of a flit of 6.0. NVLink: white
// papers of P100, V100 and Grace Hopper.
constexpr Row kRows[] = {{"pcie1", 2.5 / 8 * 8 / 10},
                         {"pcie2", 5.0 / 8 * 8 / 10},
                         {"pcie3", 8.0 / 8 * 128 / 130},
                         {"pcie4", 16.0 / 8 * 128 / 130},
                         {"pcie5", 32.0 / 8 * 128 / 130},
                         {"pcie6", 64.0 / 8 * 236 / 256},
                         {"nvlink1", 20},
                         {"nvlink2", 25},
                         {"c2c", 450}};

}  // namespace

const std::vector<std::string>& link_kind_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Row& row : kRows) names.emplace_back(row.name);
    return names;
  }();
  return kNames;
}

double wire_rate(LinkKind kind, std::uint64_t lanes) {
  return kRows[static_cast<std::size_t>(kind)].lane * static_cast<double>(lanes);
}

}  // namespace warpmem::host
