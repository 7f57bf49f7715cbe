#include "sim/sample/groups.hpp"

#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace warpmem::sim {
namespace {

constexpr auto kOps = static_cast<std::size_t>(trace::Op::kCount);
using Mix = std::array<int, kOps>;

Result<Mix> mix_of(const trace::TraceReader& reader, std::uint32_t index) {
  Mix out{};
  const trace::LaunchSummary& l = reader.launches()[index];
  if (l.blocks.empty()) return out;
  const auto block = reader.decode(l.blocks.front());
  if (!block) return block.error();
  const auto sites = reader.sites(index);
  std::array<std::uint64_t, kOps> count{};
  for (const trace::Record& r : block->records) ++count[static_cast<std::size_t>(sites[r.site].op)];
  const auto all = static_cast<double>(std::max<std::size_t>(1, block->records.size()));
  for (std::size_t op = 0; op < kOps; ++op)
    out[op] = static_cast<int>(std::lround(20 * static_cast<double>(count[op]) / all));
  return out;
}

}  // namespace

Result<std::vector<LaunchGroup>> group_launches(const trace::TraceReader& reader,
                                                const std::function<bool(std::uint64_t)>& wanted) {
  using Key = std::tuple<std::uint32_t, Dim3, Dim3, Dim3, std::uint32_t, int, Mix>;
  std::map<Key, std::size_t> at;
  std::vector<LaunchGroup> out;
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const trace::LaunchSummary& l = reader.launches()[i];
    if (wanted && !wanted(l.launch.id)) continue;
    const auto mix = mix_of(reader, i);
    if (!mix) return mix.error();
    const int size = static_cast<int>(
        std::lround(std::log(static_cast<double>(l.end.records + 1)) / std::log(1.125)));
    const Key key{l.launch.program,
                  l.launch.grid,
                  l.launch.block,
                  l.launch.cluster,
                  l.launch.dynamic_shared,
                  size,
                  *mix};
    const auto found = at.try_emplace(key, out.size()).first;
    if (found->second == out.size()) out.emplace_back();
    out[found->second].launches.push_back(i);
    out[found->second].records += l.end.records;
  }
  return out;
}

}  // namespace warpmem::sim
