#include "sim/engine/cta_order.hpp"

#include <algorithm>
#include <array>

#include "base/read_number.hpp"

namespace warpmem::sim {

Result<CtaOrder> read_cta_order(const std::string& text, const std::string& place) {
  using Kind = CtaOrder::Kind;
  if (text == "rows") return CtaOrder{Kind::kRows};
  if (text == "columns") return CtaOrder{Kind::kColumns};
  if (text == "reversed") return CtaOrder{Kind::kReversed};
  if (text.starts_with("tiles") && text.size() > 5) {
    const auto side = read_whole(text.substr(5), {1, 65535, "CTAs"}, place);
    if (!side) return side.error();
    return CtaOrder{Kind::kTiles, static_cast<std::uint32_t>(*side)};
  }
  return Error{ErrorKind::kUsage, "'" + text + "' is no order of CTAs", place,
               "choose rows, columns, reversed, or tiles4 for squares of 4 x 4 CTAs"};
}

void put_in_order(CtaOrder order, const Dim3& grid, std::vector<std::uint64_t>& ctas) {
  if (order.kind == CtaOrder::Kind::kRows) return;
  if (order.kind == CtaOrder::Kind::kReversed) return std::reverse(ctas.begin(), ctas.end());
  const std::uint64_t side = order.kind == CtaOrder::Kind::kTiles ? order.tile : ~0u;
  const auto key = [&](std::uint64_t cta) {
    const std::uint64_t x = cta % grid[0], y = cta / grid[0] % grid[1],
                        z = cta / (std::uint64_t{grid[0]} * grid[1]);
    // Down a column of the whole grid, or along the rows of a tile.
    if (order.kind == CtaOrder::Kind::kColumns) return std::array<std::uint64_t, 5>{z, x, y, 0, 0};
    return std::array<std::uint64_t, 5>{z, y / side, x / side, y, x};
  };
  std::stable_sort(ctas.begin(), ctas.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return key(a) < key(b); });
}

}  // namespace warpmem::sim
