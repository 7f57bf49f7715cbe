#include "emulate/mapping/rotated_loops.hpp"

#include <algorithm>

#include "emulate/mapping/mapped_access.hpp"

namespace warpmem::emulate {
namespace {

using Sort = PtxAccess::Sort;

class Rotated {
 public:
  Rotated(const CodePair& pair, SiteMap& map)
      : p_(pair), map_(map), mapped_(pair.ptx.size(), false) {}

  std::vector<bool> run() {
    std::vector<std::uint32_t> order(p_.ptx_flow.loops.size());
    for (std::uint32_t l = 0; l < order.size(); ++l) order[l] = l;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return p_.ptx_flow.loops[a].depth < p_.ptx_flow.loops[b].depth;
    });
    for (const std::uint32_t l : order) map_loop(l);
    return std::move(mapped_);
  }

 private:
  // The loop of the machine code, as deep as a PTX loop, that an instruction is in.
  std::uint32_t loop_around(std::uint32_t instruction, std::uint32_t depth) const {
    std::uint32_t l = p_.sass_flow.loop_of[p_.sass_flow.block_of[instruction]];
    while (l != kNowhere && p_.sass_flow.loops[l].depth > depth) l = p_.sass_flow.loops[l].outer;
    return l != kNowhere && p_.sass_flow.loops[l].depth == depth ? l : kNowhere;
  }

  void map_loop(std::uint32_t loop) {
    const std::uint32_t depth = p_.ptx_flow.loops[loop].depth;
    std::vector<std::uint32_t> all, head, single;
    std::uint32_t around = kNowhere;
    for (std::uint32_t s = 0; s < p_.entry; ++s) {
      if (!p_.ptx_flow.reached(s) || !p_.ptx_flow.inside(loop, s)) continue;
      if (mapped_[s]) return;  // a loop around it was rotated
      all.push_back(s);
      if (p_.ptx[s].sort == Sort::kNone || p_.ptx[s].space == Space::kConst) continue;
      const std::vector<std::uint32_t>& found = p_.of_statement[s];
      if (found.empty()) continue;  // part of another access
      if (p_.swap_loads.contains(s) || p_.generic_ways.contains(s) || p_.word_loads.contains(s) ||
          p_.ptx[s].sort == Sort::kFragment)
        return;
      const std::uint32_t deep = p_.ptx_flow.depth(s);
      const std::uint32_t last = found.back();
      if (found.size() > 2 || p_.sass_flow.depth(last) != deep || !wide_enough(p_, s, last)) return;
      const std::uint32_t holds = loop_around(last, depth);
      if (holds == kNowhere || (around != kNowhere && holds != around)) return;
      around = holds;
      if (found.size() == 1) {
        single.push_back(s);
      } else {
        if (p_.sass_flow.depth(found[0]) + 1 != deep || loop_around(found[0], depth) == around ||
            !wide_enough(p_, s, found[0]) || p_.sass[found[0]].bytes != p_.sass[last].bytes)
          return;
        head.push_back(s);
      }
    }
    if (head.empty()) return;
    // All of the head is copied, and nothing else: so it comes first in the PTX, and last in the
    // machine code's loop.
    const auto position = [&](std::uint32_t s) { return map_.sites[s].position; };
    std::uint32_t cut = 0, first_again = ~std::uint32_t{0};
    for (const std::uint32_t s : head) {
      cut = std::max(cut, position(s));
      first_again = std::min(first_again, p_.rank(p_.of_statement[s][1]));
    }
    for (const std::uint32_t s : single)
      if (position(s) <= cut || p_.rank(p_.of_statement[s][0]) >= first_again) return;
    const std::uint32_t begin = p_.sass_flow.order[p_.sass_flow.loops[around].header];
    for (const std::uint32_t s : head)
      if (p_.sass_flow.order[p_.sass_flow.block_of[p_.of_statement[s][0]]] >= begin) return;
    write(loop, all, head, single, cut);
  }

  void write(std::uint32_t loop, std::vector<std::uint32_t>& all,
             const std::vector<std::uint32_t>& head, const std::vector<std::uint32_t>& single,
             std::uint32_t cut) {
    for (const std::uint32_t s : single) {
      map_.sites[s].what = MappedSite::What::kDirect;
      map_.sites[s].accesses = {mapped_access(p_, p_.of_statement[s][0], s)};
      mapped_[s] = true;
    }
    for (const std::uint32_t s : head) {
      map_.sites[s].what = MappedSite::What::kRotated;
      map_.sites[s].accesses = {mapped_access(p_, p_.of_statement[s][0], s),
                                mapped_access(p_, p_.of_statement[s][1], s)};
      const bool has_tail = !single.empty();  // which says better that the head comes again
      map_.sites[s].once = !has_tail && p_.ptx_flow.loop_of[p_.ptx_flow.block_of[s]] == loop;
      mapped_[s] = true;
    }
    // What runs together is the tail, and the head behind it.
    const auto by_position = [&](std::uint32_t a, std::uint32_t b) {
      return map_.sites[a].position < map_.sites[b].position;
    };
    std::sort(all.begin(), all.end(), by_position);
    std::vector<std::uint32_t> positions;
    for (const std::uint32_t s : all) {
      positions.push_back(map_.sites[s].position);
      map_.sites[s].rotated = map_.rotated;
      map_.sites[s].tail = map_.sites[s].position > cut;
    }
    std::stable_partition(all.begin(), all.end(),
                          [&](std::uint32_t s) { return map_.sites[s].tail; });
    for (std::size_t i = 0; i < all.size(); ++i) map_.sites[all[i]].position = positions[i];
    ++map_.rotated;
  }

  const CodePair& p_;
  SiteMap& map_;
  std::vector<bool> mapped_;
};

}  // namespace

std::vector<bool> map_rotated_loops(const CodePair& pair, SiteMap& map) {
  return Rotated(pair, map).run();
}

}  // namespace warpmem::emulate
