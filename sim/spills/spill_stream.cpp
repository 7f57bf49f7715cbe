#include "sim/spills/spill_stream.hpp"

#include <algorithm>
#include <span>

namespace warpmem::sim {
namespace {

using trace::Record;

constexpr std::size_t kChunk = 64;  // records put out at once, about

}  // namespace

bool SpillStream::fill(Spills& spills, Position& source, std::vector<Record>& out) {
  out.clear();
  // An asynchronous copy's write comes with its read.
  const auto wants_write = [&] {
    const bool path_first = task_ < tasks_.size() && tasks_[task_].path;
    return spills.op(out.back().site) == trace::Op::kAsyncCopyRead && !path_first;
  };
  while (out.size() < kChunk || wants_write()) {
    if (task_ < tasks_.size()) {
      if (run(spills, tasks_[task_], out)) ++task_;
      continue;
    }
    tasks_.clear();
    task_ = 0;
    if (source.next == source.end) break;
    take(spills, *source.next++);
  }
  return !out.empty();
}

bool SpillStream::run(Spills& spills, Task& t, std::vector<Record>& out) {
  if (!t.path) {
    out.push_back(t.record);
    return true;
  }
  const auto put = [&](std::uint32_t site, std::uint32_t mask) {
    out.push_back(spills.access(site, mask));
    ++(spills.op(site) == trace::Op::kLoad ? spills.loads : spills.stores);
  };
  for (; t.times > 0; t.item = --t.times > 0 ? 0 : t.end)
    for (; t.item < t.end; ++t.item) {
      const SpillPath::Item& item = t.path->items[t.item];
      const std::uint32_t mask = item.diverged ? t.apart : t.together;
      if (!item.round) {
        if (out.size() >= kChunk) return false;
        put(item.site, mask);
        continue;
      }
      for (; t.rounds < item.rounds; ++t.rounds, t.inner = 0)
        for (; t.inner < item.round->items.size(); ++t.inner) {
          if (out.size() >= kChunk) return false;
          put(item.round->items[t.inner].site, mask);
        }
      t.rounds = 0;
    }
  return true;
}

void SpillStream::add(const SpillPath& path, std::size_t from_line, std::size_t to_line,
                      std::uint32_t together, std::uint32_t apart) {
  Task t;
  t.path = &path;
  const auto place = [&](std::size_t line) {
    return static_cast<std::size_t>(
        std::lower_bound(path.items.begin(), path.items.end(), line,
                         [](const SpillPath::Item& i, std::size_t l) { return i.at < l; }) -
        path.items.begin());
  };
  t.item = place(from_line), t.end = place(to_line);
  t.together = together, t.apart = apart;
  if (t.item < t.end) tasks_.push_back(t);
}

void SpillStream::take(Spills& spills, const Record& r) {
  const trace::Op op = spills.op(r.site);
  if (op == trace::Op::kCtaBegin) {
    groups_.assign(1, {r.mask, CodePaths::kStart, 0, nullptr});
    return add(r);
  }
  if (groups_.empty())
    groups_.push_back({r.mask, CodePaths::kStart, 0, nullptr});  // its beginning is lost
  if (op == trace::Op::kRounds) return take_rounds(spills, r);
  loops_ = 0;
  // Of one copy or fetch: the warp ran nothing since the record before.
  const bool further = op == trace::Op::kTexel ||
                       (trace::is_bulk(op) && trace::piece_of(r) == trace::Piece::kFurther);
  if (r.mask != 0 && !further) end_paths(spills, r);
  add(r);
}

// The lanes that moved last go round.
void SpillStream::take_rounds(Spills& spills, const Record& r) {
  Group& group = groups_.back();
  const SpillPath& path = spills.between(group.from, r.site, group.calls);
  add(path, group.shared ? common_beginning(group.shared->lines, path.lines) : 0, path.lines.size(),
      group.mask, group.mask);
  group.from = r.site, group.calls = path.calls, group.shared = nullptr;
  const SpillPath& round = spills.round(r.site, std::span(went_round_).first(loops_));
  if (loops_ < went_round_.size()) went_round_[loops_++] = r.site;
  if (round.items.empty()) {
    if (spills.wants_rounds()) add(r);
    else ++spills.rounds;
    return;
  }
  ++spills.rounds;
  const std::uint64_t rounds =
      r.base - std::min<std::uint64_t>(r.base, spills.always_taken(r.site));
  Task t;
  t.path = &round;
  t.end = round.items.size();
  t.times = rounds;
  t.together = t.apart = group.mask;
  tasks_.push_back(t);
}

void SpillStream::join_paths() {
  joined_.clear();
  for (const Hit& h : hits_) joined_.push_back({&h.path->lines, h.left});
  sim::join_paths(joined_, [&](std::size_t k, std::size_t from, std::size_t to) {
    const Hit& h = hits_[k];
    std::uint32_t together = h.group.mask, apart = 0;
    for (std::size_t m = 0; m < hits_.size(); ++m) {
      if (hits_[m].left < from || speaker(joined_, m, from) != k) continue;
      apart |= hits_[m].moving;
      if (m != k) together = 0;
    }
    if (together == 0) together = apart;
    const std::size_t lines = h.path->lines.size();
    add(*h.path, lines - from, lines - to, together, apart);
  });
}

void SpillStream::end_paths(Spills& spills, const Record& r) {
  const bool guarded = spills.guarded(r.site);
  hits_.clear();
  for (const Group& g : groups_)
    if (g.mask & r.mask) {
      const SpillPath& path = spills.between(g.from, r.site, g.calls);
      hits_.push_back(
          {g, &path, g.shared ? common_beginning(g.shared->lines, path.lines) : 0, 0, 0});
    }
  if (hits_.empty()) {  // lanes that nobody has seen
    groups_.push_back({r.mask, r.site, 0, nullptr});
    return;
  }
  std::uint32_t moved = 0;
  for (Hit& h : hits_) {
    h.moving = guarded ? h.group.mask : h.group.mask & r.mask;
    moved |= h.moving;
    h.left = h.path->lines.size() - h.skip;
  }
  if (hits_.size() == 1) {
    const Hit& h = hits_.front();
    add(*h.path, h.skip, h.path->lines.size(), h.group.mask, h.moving);
  } else {
    join_paths();
  }
  // Those who have moved are one group now; of the others some have run a part of the path.
  std::erase_if(groups_, [&](Group& g) {
    if ((g.mask & moved) == 0) return false;
    const std::uint32_t stays = g.mask & ~moved;
    if (stays == 0) return true;
    const auto hit = std::find_if(hits_.begin(), hits_.end(),
                                  [&](const Hit& h) { return h.group.mask == g.mask; });
    g.mask = stays;
    if (hit != hits_.end()) g.shared = hit->path;
    return false;
  });
  groups_.push_back({moved, r.site, hits_.front().path->calls, nullptr});
}

}  // namespace warpmem::sim
