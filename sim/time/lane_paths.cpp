#include "sim/time/lane_paths.hpp"

#include <utility>

namespace warpmem::sim {

LanePaths::LanePaths(Paths& paths)
    : paths_(paths),
      code_paths_(paths.paths()),
      told_apart_(std::any_of(
          code_paths_.code().begin(), code_paths_.code().end(),
          [](const CodeLine& l) { return l.driver != DriverCall::kNone || l.meet > 0; })) {}

bool LanePaths::guarded(std::uint32_t site) const {
  const std::int32_t line = code_paths_.line(site);
  return line >= 0 && code_paths_.code()[static_cast<std::size_t>(line)].guarded;
}

const LanePath& LanePaths::path(std::uint32_t from, std::uint32_t to, std::uint32_t calls) {
  auto& entry = between_[{from, to, calls}];
  if (entry) {
    if (entry->turns.size() > 1 && ++entry->turn >= entry->turns.size()) entry->turn = 0;
    return entry->paths[entry->turns[entry->turn]];
  }
  entry = std::make_unique<Several>();
  CodePaths::Lines open = calls_[calls];
  CodePaths::Passages found{{}, {0}};
  if (code_paths_.follows_calls()) found.paths.push_back(code_paths_.between(from, to, open));
  else found = code_paths_.passages(from, to);
  constexpr std::size_t kDeepest = 32;  // what calls itself again and again returns to these
  if (open.size() > kDeepest) open.erase(open.begin(), open.end() - kDeepest);
  const auto known = std::find(calls_.begin(), calls_.end(), open);
  const auto number = static_cast<std::uint32_t>(known - calls_.begin());
  if (known == calls_.end()) calls_.push_back(std::move(open));
  for (CodePaths::Lines& lines : found.paths) {
    LanePath w{std::move(lines), number};
    for (std::size_t k = 0; k + 1 < w.lines.size(); ++k) {
      const CodeLine& l = code_paths_.code()[w.lines[k]];
      w.passes |= l.memory && !l.guarded;
    }
    entry->paths.push_back(std::move(w));
  }
  entry->turns = std::move(found.turns);
  return entry->paths.front();
}

// From a record at site `from` to where lanes wait that part at site `at`; nullptr: nobody knows
// where that is, or they would have left a record on the path.
const LanePath* LanePaths::tail(std::uint32_t from, std::uint32_t at) {
  if (from == Paths::kStart) return nullptr;
  for (const std::uint32_t end : code_paths_.waits(at)) {
    const auto [entry, fresh] = tails_.try_emplace({from, end});
    LanePath& t = entry->second;
    if (fresh) {
      t.lines = code_paths_.lines_to(from, end);
      const bool leaves = std::any_of(t.lines.begin(), t.lines.end(), [&](std::uint32_t k) {
        return code_paths_.code()[k].memory && !code_paths_.code()[k].guarded;
      });
      if (leaves || !std::is_sorted(t.lines.begin(), t.lines.end())) t.lines.clear();
    }
    if (!t.lines.empty()) return &t;
  }
  return nullptr;
}

// Lines at the path's beginning that the group has run, alone or with others.
std::size_t LanePaths::run_already(const DivergedLanes::Group& group, const LanePath& path) {
  std::size_t n = group.tail ? common_beginning(group.tail->lines, path.lines) : 0;
  if (!group.shared) return n;
  const CodePaths::Lines& with = group.shared->lines;
  if (group.offset == 0) return std::max(n, common_beginning(with, path.lines));
  if (n < group.tail->lines.size()) return n;
  for (std::size_t k = group.offset;
       n < path.lines.size() && k < with.size() && with[k] == path.lines[n]; ++k)
    ++n;
  return n;
}

const Segment& LanePaths::segment(const LanePath* tail, std::vector<Part> parts, bool same) {
  auto& entry = segments_[{tail, parts}];
  if (entry) return *entry;
  std::vector<JoinedPath> paths;
  for (const Part& p : parts)
    paths.push_back(
        {&p.path->lines, p.path->lines.size() - std::min(p.skip, p.path->lines.size())});
  CodePaths::Lines lines;
  if (tail) lines = tail->lines;
  join_paths(paths, [&](std::size_t k, std::size_t from, std::size_t to) {
    const CodePaths::Lines& own = *paths[k].lines;
    lines.insert(lines.end(), own.end() - static_cast<std::ptrdiff_t>(from),
                 own.end() - static_cast<std::ptrdiff_t>(to));
  });
  entry = std::make_unique<Segment>(paths_.segment_of(lines, same));
  return *entry;
}

// Of lanes that are together.
const Segment& LanePaths::alone(const DivergedLanes::Group& group, std::uint32_t site, bool anew,
                                const LanePath*& path_out) {
  path_out = nullptr;
  if (!code_paths_.follows_calls()) return paths_.between(group.from, site, anew);
  path_out = &path(group.from, site, group.calls);
  if (group.calls == 0 && path_out->calls == 0) return paths_.between(group.from, site, anew);
  return segment(nullptr, {{path_out, 0}}, !anew && code_paths_.same(group.from, site));
}

// Of a warp whose lanes are all in one group, with nothing of their path run yet.
const Segment& LanePaths::next_together(std::vector<DivergedLanes::Group>& groups,
                                        std::uint32_t site, std::uint32_t mask, bool whole,
                                        bool anew) {
  using Group = DivergedLanes::Group;
  Group& g = groups.front();
  const LanePath* path_to = nullptr;
  const Segment& out = alone(g, site, anew, path_to);
  const std::uint32_t stays = whole ? 0 : g.mask & ~mask;
  Group moved{g.mask & ~stays, site, path_to ? path_to->calls : 0};
  if (stays == 0 || moved.mask == 0 || code_paths_.ends(site)) {
    g = moved.mask == 0 ? Group{mask, site} : moved;
    return out;
  }
  g.mask = stays;
  g.shared = &path(g.from, site, g.calls);
  g.tail = tail(g.from, site);
  groups.push_back(moved);
  return out;
}

// Takes the lanes that leave the record out of their groups, with what they run on their paths.
LanePaths::Going LanePaths::take_lanes(std::vector<DivergedLanes::Group>& groups,
                                       std::uint32_t site, std::uint32_t mask, bool whole,
                                       bool same) {
  using Group = DivergedLanes::Group;
  Going out;
  for (Group& g : groups) {
    if (mask != 0 && (g.mask & mask) == 0) continue;
    const LanePath& w = path(g.from, site, g.calls);
    const std::uint32_t goes = whole ? g.mask : g.mask & mask;
    out.mask |= goes;
    g.mask &= ~goes;
    // Lanes that cannot have come that path without a record left before the last one that they are
    // thought to have taken part in, as one under a predicate.
    if (w.passes && groups.size() > 1) continue;
    std::size_t skip = run_already(g, w);
    // The record's own instruction is run again, at least.
    if (!code_paths_.ends(site) && !same)
      skip = std::min(skip, std::max<std::size_t>(1, w.lines.size()) - 1);
    out.plain = out.parts.empty() && skip == 0 && g.calls == 0 && w.calls == 0;
    out.from = g.from;
    if (out.parts.empty()) out.calls = w.calls;
    out.parts.push_back({&w, skip});
    g.shared = &w;
    g.offset = 0;
    g.tail = tail(g.from, site);
  }
  std::erase_if(groups, [](const Group& g) { return g.mask == 0; });
  return out;
}

// Who waits where these passed by has gone on with them.
void LanePaths::go_along(std::vector<DivergedLanes::Group>& groups, const std::vector<Part>& parts,
                         std::uint32_t site, std::uint32_t mask) {
  for (DivergedLanes::Group& g : groups) {
    if (!g.tail || (g.mask & mask)) continue;
    for (const Part& p : parts) {
      const CodePaths::Lines& lines = p.path->lines;
      const auto met = std::find(lines.begin(), lines.end(), g.tail->lines.back());
      if (met == lines.end()) continue;
      const LanePath* const next = tail(g.from, site);
      const bool onwards = next && next != g.tail;
      if (onwards) g.tail = next;
      g.shared = onwards ? nullptr : p.path;
      g.offset = onwards ? 0 : static_cast<std::size_t>(met - lines.begin()) + 1;
    }
  }
}

const Segment& LanePaths::next(DivergedLanes& warp, std::uint32_t site, std::uint32_t mask,
                               bool anew) {
  using Group = DivergedLanes::Group;
  std::vector<Group>& groups = warp.groups;
  if (groups.empty()) groups.push_back({mask});
  // An instruction beside the code: the warp goes on from where it is.
  if (!code_paths_.placed(site)) return paths_.between(Paths::kStart, site, anew);
  if (!told_apart_) {
    return paths_.between(std::exchange(groups.front().from, site), site, anew);
  }
  const bool whole = mask == 0 || guarded(site);
  if (groups.size() == 1 && !groups.front().shared && !groups.front().tail)
    return next_together(groups, site, mask, whole, anew);
  // Those that went last have come to where they wait, before others go on that diverged from them.
  const LanePath* before = nullptr;
  if (Group& last = groups.back(); !whole && !(last.mask & mask) && !last.tail && !last.shared) {
    if ((before = tail(last.from, last.from))) last.tail = before;
  }
  const std::uint32_t last_site = groups.back().from;
  const bool same = std::all_of(groups.begin(), groups.end(), [&](const Group& g) {
    return (g.mask & mask) == 0 || (!anew && code_paths_.same(g.from, site));
  });
  Going going = take_lanes(groups, site, mask, whole, same);
  go_along(groups, going.parts, site, mask);
  const bool known = !going.parts.empty();  // somebody is known to have come
  groups.push_back({known ? going.mask : mask, site, going.calls});
  if (!before && !known) return paths_.between(last_site, site, anew);
  if (!before && going.plain) return paths_.between(going.from, site, anew);
  return segment(before, std::move(going.parts), same);
}

const Segment& LanePaths::next_rounds(DivergedLanes& warp, std::uint32_t site) {
  using Group = DivergedLanes::Group;
  if (warp.groups.empty()) begin(warp, ~0u);
  Group& g = warp.groups.back();
  if (!told_apart_) return paths_.between(std::exchange(g.from, site), site);
  const LanePath* path_to = nullptr;
  if (!g.shared && !g.tail) {
    const Segment& out = alone(g, site, false, path_to);
    g = {g.mask, site, path_to ? path_to->calls : 0};
    return out;
  }
  const LanePath& w = path(g.from, site, g.calls);
  const std::size_t skip = run_already(g, w);
  g = {g.mask, site, w.calls};
  return segment(nullptr, {{&w, std::min(skip, std::max<std::size_t>(1, w.lines.size()) - 1)}},
                 false);
}

}  // namespace warpmem::sim
