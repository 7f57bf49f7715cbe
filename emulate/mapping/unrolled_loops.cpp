#include "emulate/mapping/unrolled_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emulate/mapping/mapped_access.hpp"

namespace warpmem::emulate {
namespace {

using Sort = PtxAccess::Sort;

class Unrolled {
 public:
  Unrolled(const CodePair& pair, const std::vector<std::uint32_t>& several, SiteMap& map)
      : p_(pair), several_(several), map_(map) {}

  Result<void> map_loop(std::uint32_t loop) {
    const std::vector<std::uint32_t> inside = accesses_in(loop);
    if (!std::any_of(inside.begin(), inside.end(), [&](std::uint32_t s) {
          return std::find(several_.begin(), several_.end(), s) != several_.end();
        }))
      return {};  // not unrolled
    const Loop& l = p_.ptx_flow.loops[loop];
    if (auto ok = check(loop, inside); !ok) return ok;
    if (const std::uint32_t iterations = one_after_another(l, inside); iterations > 1)
      return add_straight(loop, iterations, inside);
    UnrolledLoop out;
    std::vector<std::uint32_t> blocks = blocks_of(inside);
    for (const std::uint32_t block : blocks)
      if (auto ok = add_body(out, block, l, inside); !ok) return ok;
    drop_leading(out, inside, blocks);
    const bool single = std::all_of(out.bodies.begin(), out.bodies.end(),
                                    [](const auto& body) { return body.iterations == 1; });
    out.in_turn = single && blocks.size() > 1;
    if (out.in_turn && !take_turns(out, blocks))
      return not_understood("its bodies do not follow in turn", inside);
    if (!out.in_turn)
      if (const char* why = bodies_wrong(out, leading(out, inside, blocks)))
        return not_understood(why, inside);
    return add(std::move(out), loop, inside);
  }

 private:
  // The loop's own accesses, in the order of their statements.
  std::vector<std::uint32_t> accesses_in(std::uint32_t loop) const {
    std::vector<std::uint32_t> inside;
    for (std::uint32_t s = 0; s < p_.entry; ++s)
      if (p_.ptx[s].sort != Sort::kNone && map_.sites[s].what != MappedSite::What::kGone &&
          p_.ptx_flow.loop_of[p_.ptx_flow.block_of[s]] == loop)
        inside.push_back(s);
    return inside;
  }

  Result<void> check(std::uint32_t loop, const std::vector<std::uint32_t>& inside) const {
    const Loop& l = p_.ptx_flow.loops[loop];
    if (l.has_inner) return not_understood("it holds another loop", inside);
    const auto& falls = p_.ptx_flow.falls_back;
    if (l.falls_round && std::find(falls.begin(), falls.end(), loop) == falls.end())
      return not_understood("it goes round where a branch is not taken", inside);
    for (std::uint32_t s = 0; s < p_.entry; ++s)
      if (p_.ptx_flow.inside(loop, s) && p_.statement(s).opcode.starts_with("call") &&
          functions_access())
        return not_understood("it calls a function that accesses memory", inside);
    return {};
  }

  Result<void> add_straight(std::uint32_t loop, std::uint32_t iterations,
                            const std::vector<std::uint32_t>& inside) {
    for (const std::uint32_t s : inside) {
      if (p_.of_statement[s].empty()) continue;
      MappedSite& site = unrolled_site(s);
      site.bodies.emplace_back();
      for (const std::uint32_t i : p_.of_statement[s])
        site.bodies[0].push_back(mapped_access(p_, i, s));
    }
    UnrolledLoop out;
    out.bodies = {{iterations, false}};
    out.may_leave = true;
    return add(std::move(out), loop, inside);
  }

  // Of the loop that comes next in the map.
  MappedSite& unrolled_site(std::uint32_t s) {
    MappedSite& site = map_.sites[s];
    site.what = MappedSite::What::kUnrolled;
    site.loop = static_cast<std::uint32_t>(map_.loops.size());
    site.accesses.clear();
    return site;
  }

  // Blocks of the machine code with instructions of these statements, in the order in which they
  // run.
  std::vector<std::uint32_t> blocks_of(const std::vector<std::uint32_t>& inside) const {
    std::vector<std::uint32_t> blocks;
    for (const std::uint32_t s : inside)
      for (const std::uint32_t i : p_.of_statement[s]) blocks.push_back(p_.sass_flow.block_of[i]);
    std::sort(blocks.begin(), blocks.end(), [&](std::uint32_t a, std::uint32_t b) {
      return p_.sass_flow.order[a] < p_.sass_flow.order[b];
    });
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
  }

  std::vector<std::uint32_t> copies_in(std::uint32_t block, std::uint32_t s) const {
    std::vector<std::uint32_t> copies;
    for (const std::uint32_t i : p_.of_statement[s])
      if (p_.sass_flow.block_of[i] == block) copies.push_back(i);
    return copies;
  }

  Result<void> add_body(UnrolledLoop& out, std::uint32_t block, const Loop& l,
                        const std::vector<std::uint32_t>& inside) {
    UnrolledLoop::Body body;
    std::uint32_t depth = 0;
    std::vector<std::size_t> counts;
    for (const std::uint32_t s : inside) counts.push_back(copies_in(block, s).size());
    body.iterations = iterations_by(counts);
    for (const std::uint32_t s : inside) {
      if (p_.of_statement[s].empty()) continue;
      std::vector<std::uint32_t> copies = copies_in(block, s);
      if (!may_differ(s, copies.size(), body.iterations))
        return not_understood("its bodies differ in what they access", inside);
      if (!copies.empty()) depth = p_.sass_flow.depth(copies[0]);
      in_order_of_iterations(copies);
      std::vector<SassAccess> accesses;
      for (const std::uint32_t i : copies) accesses.push_back(mapped_access(p_, i, s));
      unrolled_site(s).bodies.push_back(std::move(accesses));
    }
    body.repeats = depth == l.depth;
    if (!body.repeats && depth + 1 != l.depth)
      return not_understood("its bodies are at other depths", inside);
    out.bodies.push_back(body);
    return {};
  }

  // Four at a time while there are four, then two if there are two, then one: no other choice.
  // Where the number is known beforehand, none may be left for smaller bodies (SassTrace sees to
  // it that none is), and some may have been made before the largest body, number `first`. Null: so
  // it is.
  static const char* bodies_wrong(const UnrolledLoop& loop, std::size_t first) {
    for (std::size_t b = first; b < loop.bodies.size(); ++b) {
      const std::uint32_t k = loop.bodies[b].iterations;
      if (b > first && k >= loop.bodies[b - 1].iterations) return "its bodies do not get smaller";
      const bool last = b + 1 == loop.bodies.size();
      if (last && b == first && !loop.bodies[b].repeats) break;  // unrolled as a whole
      if (last && k != 1 && !loop.bodies[b].repeats) return "no body takes a single iteration";
      if (b == first && !loop.bodies[b].repeats) return "its largest body does not repeat";
    }
    return nullptr;
  }

  // Iterations of a body, from how many instructions each statement has in it: as many as most of
  // them, or more where loads of several iterations became one. Twice as many are two for each
  // iteration.
  static std::uint32_t iterations_by(const std::vector<std::size_t>& counts) {
    std::size_t usual = 0, most = 0;
    for (const std::size_t n : counts) {
      const auto times = static_cast<std::size_t>(std::count(counts.begin(), counts.end(), n));
      if (n != 0 && (times > most || (times == most && n > usual))) usual = n, most = times;
    }
    std::size_t largest = usual;
    for (const std::size_t n : counts)
      if (n < 2 * usual) largest = std::max(largest, n);
    return static_cast<std::uint32_t>(largest);
  }

  // As many instructions as iterations, or others: some of its loads became part of others, of
  // which several iterations share a wide one; or the last iteration leaves before it comes here.
  // Which of the two, and where, the addresses tell (iteration_shares.cpp).
  bool may_differ(std::uint32_t s, std::size_t copies, std::uint32_t iterations) const {
    return copies == iterations ||
           (iterations > 1 && (p_.ptx[s].sort == Sort::kLoad ||
                               (p_.ptx[s].sort == Sort::kStore && copies + 1 == iterations)));
  }

  Result<void> add(UnrolledLoop loop, std::uint32_t of_ptx,
                   const std::vector<std::uint32_t>& inside) {
    const auto number = static_cast<std::uint32_t>(map_.loops.size());
    for (const std::uint32_t s : inside)
      if (p_.of_statement[s].empty()) map_.sites[s].loop = number;  // part of another access
    if (map_.back_edges.empty()) map_.back_edges.resize(p_.kernel.statements, 0);
    for (std::uint32_t s = 0; s < p_.entry; ++s) {
      const std::uint32_t jumps = p_.ptx_flow.back_edge[s];
      const std::uint32_t repeats = jumps != kNowhere ? jumps : p_.ptx_flow.falls_back[s];
      if (repeats == kNowhere) continue;
      if (p_.statement(s).opcode.starts_with("brx"))
        return not_understood("a loop ends with a branch through a table", inside);
      if (repeats == of_ptx) map_.back_edges[s] = 2 + number;
      else if (map_.back_edges[s] == 0) map_.back_edges[s] = 1;
    }
    map_.loops.push_back(std::move(loop));
    return {};
  }

  Error not_understood(const char* why, const std::vector<std::uint32_t>& inside) const {
    return unmappable(fmt::format("a loop was unrolled in a way that is not understood ({}): {}",
                                  why, p_.shown(inside.front())));
  }

  // A loop with branches in it of which all iterations stand one after the other, as parts of what
  // is around it: how many. 0: it is another kind.
  std::uint32_t one_after_another(const Loop& loop,
                                  const std::vector<std::uint32_t>& inside) const {
    std::uint32_t iterations = 0;
    std::set<std::uint32_t> blocks;
    for (const std::uint32_t s : inside) {
      const std::vector<std::uint32_t>& copies = p_.of_statement[s];
      if (copies.empty()) continue;
      if (iterations == 0) iterations = static_cast<std::uint32_t>(copies.size());
      if (copies.size() != iterations) return 0;
      for (const std::uint32_t i : copies) {
        if (p_.sass_flow.depth(i) + 1 != loop.depth) return 0;
        blocks.insert(p_.sass_flow.block_of[i]);
      }
    }
    if (blocks.size() <= iterations) return 0;  // each is a body of one block
    for (std::uint32_t c = 0; c + 1 < iterations; ++c) {
      std::uint32_t end = 0, next = kNowhere;
      for (const std::uint32_t s : inside) {
        if (p_.of_statement[s].empty()) continue;
        end = std::max(end, p_.rank(p_.of_statement[s][c]));
        next = std::min(next, p_.rank(p_.of_statement[s][c + 1]));
      }
      if (end >= next) return 0;
    }
    return iterations;
  }

  // A loop that runs once at least, whatever its condition: ptxas asks it before the first
  // iteration, makes that one alone if it does not hold, and has all others begin behind. Where it
  // holds, and that is where there are more than one, the first goes with the others.
  void drop_leading(UnrolledLoop& loop, const std::vector<std::uint32_t>& inside,
                    std::vector<std::uint32_t>& blocks) {
    if (loop.bodies.size() < 3 || loop.bodies[0].repeats || loop.bodies[0].iterations != 1 ||
        loop.bodies[1].iterations == 1 || loop.bodies.back().iterations != 1)
      return;
    bool passed = !p_.sass_flow.dominates(blocks[0], blocks[1]);  // by a branch, or by its guards
    if (!passed) {
      passed = true;
      for (const std::uint32_t s : inside)
        for (const std::uint32_t i : p_.of_statement[s])
          passed = passed && (p_.sass_flow.block_of[i] != blocks[0] ||
                              p_.sass[i].guard.when != trace::Guard::When::kAlways);
    }
    if (!passed) return;
    loop.bodies.erase(loop.bodies.begin());
    blocks.erase(blocks.begin());
    for (const std::uint32_t s : inside)
      if (!map_.sites[s].bodies.empty()) map_.sites[s].bodies.erase(map_.sites[s].bodies.begin());
  }

  // How many bodies come before the one that repeats, each once and for whoever comes to the loop:
  // of 16 iterations one, and then three times five.
  std::size_t leading(const UnrolledLoop& loop, const std::vector<std::uint32_t>& inside,
                      const std::vector<std::uint32_t>& blocks) const {
    std::size_t n = 0;
    while (n + 1 < loop.bodies.size() && !loop.bodies[n].repeats &&
           p_.sass_flow.dominates(blocks[n], blocks[n + 1]))
      ++n;
    if (!loop.bodies[n].repeats) return 0;
    for (const std::uint32_t s : inside)
      for (const std::uint32_t i : p_.of_statement[s])
        for (std::size_t b = 0; b < n; ++b)
          if (p_.sass_flow.block_of[i] == blocks[b] &&
              p_.sass[i].guard.when != trace::Guard::When::kAlways)
            return 0;
    return n;
  }

  // Some that run once, then those of one loop, if any: each leads to the next only, the last to
  // the loop's first.
  bool take_turns(const UnrolledLoop& loop, const std::vector<std::uint32_t>& blocks) const {
    for (std::size_t b = 1; b < blocks.size(); ++b)
      if (!p_.sass_flow.dominates(blocks[b - 1], blocks[b]) ||
          (loop.bodies[b - 1].repeats && !loop.bodies[b].repeats))
        return false;
    if (!loop.bodies.back().repeats) return true;  // unrolled as a whole
    const std::uint32_t around = p_.sass_flow.loop_of[blocks.back()];
    if (around == kNowhere) return false;
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (loop.bodies[b].repeats && p_.sass_flow.loop_of[blocks[b]] != around) return false;
    if (p_.sass_flow.loops[around].falls_round) return false;
    for (std::uint32_t i = 0; i < p_.code.size(); ++i)
      if (p_.sass_flow.back_edge[i] == around &&
          !p_.sass_flow.dominates(blocks.back(), p_.sass_flow.block_of[i]))
        return false;
    return true;
  }

  // The scheduler moves copies past each other. Where they count from one register, the constants
  // tell which is whose; which way they go, the majority of neighbours.
  void in_order_of_iterations(std::vector<std::uint32_t>& copies) const {
    if (copies.size() < 2) return;
    std::vector<std::pair<std::string_view, long>> at;
    for (const std::uint32_t i : copies) at.push_back(address_of(p_.code[i].line.text));
    int up = 0;
    for (std::size_t i = 1; i < at.size(); ++i) {
      if (at[i].first != at[0].first || at[i].second == at[i - 1].second) return;
      up += at[i].second > at[i - 1].second ? 1 : -1;
    }
    std::sort(copies.begin(), copies.end(), [&](std::uint32_t a, std::uint32_t b) {
      const long x = address_of(p_.code[a].line.text).second,
                 y = address_of(p_.code[b].line.text).second;
      return up < 0 ? x > y : x < y;
    });
  }

  bool functions_access() const {
    return std::any_of(p_.ptx.begin() + p_.entry, p_.ptx.end(),
                       [](const PtxAccess& a) { return a.sort != Sort::kNone; });
  }

  const CodePair& p_;
  const std::vector<std::uint32_t>& several_;
  SiteMap& map_;
};

}  // namespace

Result<void> map_unrolled_loops(const CodePair& pair, const std::vector<std::uint32_t>& several,
                                SiteMap& map) {
  Unrolled unrolled(pair, several, map);
  for (std::uint32_t l = 0; l < pair.ptx_flow.loops.size(); ++l)
    if (auto ok = unrolled.map_loop(l); !ok) return ok.error();
  return {};
}

}  // namespace warpmem::emulate
