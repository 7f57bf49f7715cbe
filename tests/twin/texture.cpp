#include "tests/twin/texture.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpmem::twin {
namespace {

// How a request is shared out among passes.
struct Passes {
  std::uint32_t lanes;  // that one takes
  std::uint32_t times;  // that it takes them, a part of each texel at a time
  std::uint32_t least;  // cycles
};

Passes passes_of(const Fetch& f) {
  const bool wide = f.bytes > 8;
  if (f.gathers) return {f.request_lanes, 1, 2};
  if (f.texels.size() > 4) return wide ? Passes{1, 2, 2} : Passes{2, 1, 1};
  if (f.texels.size() > 1) return wide ? Passes{2, 2, 1} : Passes{f.request_lanes, 1, 1};
  return {f.request_lanes, 1, wide && !f.linear ? f.request_lanes / 2 : 1};
}

// Each of four data banks gives one sector a cycle; odd lines have theirs in another order.
std::uint32_t cycles_of(const std::set<std::uint64_t>& sectors) {
  std::map<std::uint64_t, std::uint32_t> of_bank;
  std::uint32_t most = 0;
  for (std::uint64_t s : sectors)
    most = std::max(most, ++of_bank[s / 4 % 2 == 0 ? s % 4 : (s ^ 1) % 4]);
  return most;
}

}  // namespace

FetchTraffic fetch_traffic(const Fetch& f, const TwinSpec& spec) {
  FetchTraffic out;
  Touches touched(spec);
  const Passes passes = passes_of(f);
  std::uint32_t busy = 0;
  for (std::uint32_t request = 0; request < 32; request += f.request_lanes) {
    if ((f.mask >> request & ((1u << f.request_lanes) - 1)) == 0) continue;
    ++out.requests;
    for (std::uint32_t first = request; first < request + f.request_lanes; first += passes.lanes) {
      std::set<std::uint64_t> sectors;
      for (std::uint32_t lane = first; lane < first + passes.lanes; ++lane)
        for (const auto& texel : f.texels)
          for (const Lane& l : texel) {
            if (l.number != lane) continue;
            sectors.insert(l.address / spec.sector_bytes);
            touched.add(l.address, f.bytes);
          }
      out.sectors += passes.times * static_cast<std::uint32_t>(sectors.size());
      busy += std::max(passes.times * passes.least, cycles_of(sectors));
    }
  }
  out.cycles = busy + (busy + 4) / 8;  // 1.1 cycles each
  out.lines = touched.lines();
  return out;
}

}  // namespace warpmem::twin
