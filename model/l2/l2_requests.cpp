#include "model/l2/l2_requests.hpp"

#include <algorithm>

#include "model/cache/tag_banks.hpp"
#include "model/l2/split_l2.hpp"

namespace warpmem::model {

L2Requests::L2Requests(const L2Cache::Spec& spec)
    : places_(spec),
      atomic_cycles_(spec.near_cycles + spec.far_cycles),
      // One that merged on another's answer has to be asked for before that is in flight.
      soonest_(spec.merge > 1 ? std::min(spec.near_cycles, spec.path_cycles) : spec.near_cycles) {
  divide(1, {}, 1);
}

void L2Requests::divide(std::uint32_t shards, const std::vector<std::uint8_t>& group_of_sm,
                        std::uint32_t groups) {
  shards_ = shards;
  group_of_sm_ = group_of_sm;
  group_of_sm_.resize(256);
  list_.of_shard.resize(shards);
  list_.of_group.resize(groups);
}

void L2Requests::begin() {
  list_.requests.clear();
  list_.bytes.clear();
  list_.ends.clear();
  list_.steps = 0;
  for (auto& of : list_.of_shard) of.clear();
  for (auto& of : list_.of_group) of.clear();
  made_.clear();
  value_.clear();
  turns_.clear();
  entries_.clear();
}

void L2Requests::end_step() {
  ++list_.steps;
  list_.ends.push_back(static_cast<std::uint32_t>(list_.requests.size()));
  for (const auto& of : list_.of_shard) list_.ends.push_back(static_cast<std::uint32_t>(of.size()));
  for (const auto& of : list_.of_group) list_.ends.push_back(static_cast<std::uint32_t>(of.size()));
}

inline L2Request& L2Requests::add(int sm, std::uint64_t line, const L2Cache::Route& route,
                                  L2Request::Kind kind) {
  const auto number = static_cast<std::uint32_t>(list_.requests.size());
  list_.of_shard[route.set_tag.set % shards_].push_back(number);
  L2Request& one = list_.requests.emplace_back();
  one.line = line;
  one.set = route.set_tag.set, one.tag = route.set_tag.tag;
  one.home = route.home;
  one.sm = static_cast<std::uint8_t>(sm);
  one.kind = kind;
  return one;
}

inline void L2Requests::push_read(int sm, std::uint64_t line, const L2Cache::Route& route,
                                  const L2Cache::Draw& draw, std::uint8_t sectors,
                                  std::uint64_t now, std::uint32_t fetch_sectors, Stay stay,
                                  bool apart) {
  list_.of_group[group_of_sm_[static_cast<std::size_t>(sm)]].push_back(
      static_cast<std::uint32_t>(list_.requests.size()));
  L2Request& one = add(sm, line, route, L2Request::Kind::kRead);
  one.now = static_cast<std::uint32_t>(now);
  one.near = draw.near, one.dram = draw.dram;
  one.entry = route.entry;
  one.sectors = sectors;
  one.fetch = static_cast<std::uint8_t>(fetch_sectors);
  one.stay = stay;
  one.flag = apart;
}

// The latest one has been served at once, and is forgotten.
void L2Requests::served(const L2Request& one) {
  list_.of_shard[one.set % shards_].pop_back();
  if (one.kind == L2Request::Kind::kRead || one.kind == L2Request::Kind::kMerged)
    list_.of_group[group_of_sm_[one.sm]].pop_back();
  list_.requests.pop_back();
  ++served_;
}

std::uint64_t L2Requests::ask(int sm, std::uint64_t line, const L2Cache::Route& route,
                              const L2Cache::Draw& draw, std::uint8_t sectors, std::uint64_t now,
                              std::uint32_t fetch_sectors, Stay stay, bool apart) {
  push_read(sm, line, route, draw, sectors, now, fetch_sectors, stay, apart);
  if (by_) {
    L2Request& one = list_.requests.back();
    by_->serve(one, nullptr);
    const std::uint64_t done = one.done;
    served(one);
    return done;
  }
  return make(Made::How::kAsked, list_.requests.size() - 1, 0, now + soonest_);
}

void L2Requests::read(int sm, const L2Cache::Routed& lines, const MemoryPath::Addresses*,
                      const LineParts& parts, std::uint64_t now, std::uint32_t fetch_sectors,
                      std::uint64_t* done) {
  const std::size_t first = list_.requests.size();
  for (std::size_t k = 0; k < parts.count; ++k) {
    const std::size_t at = parts.index[k];
    const std::uint64_t start = now + at / kLinesACycle;
    const L2Cache::Draw draw{lines.near[at], lines.dram[at]};
    if (by_) {
      done[at] = ask(sm, lines.line[at], lines.route(at), draw, parts.sectors[k], start,
                     fetch_sectors, Stay::kUnsaid, false);
      continue;
    }
    push_read(sm, lines.line[at], lines.route(at), draw, parts.sectors[k], start, fetch_sectors,
              Stay::kUnsaid, false);
    done[at] = kUnknown + value_.size();
    value_.push_back(static_cast<std::uint32_t>(start + soonest_));
  }
  if (!by_ && parts.count > 0)
    made_.push_back({Made::How::kAsked, static_cast<std::uint32_t>(parts.count), first, 0, 0});
}

std::uint64_t L2Requests::write(int sm, std::uint64_t line, const L2Cache::Route& route,
                                std::uint8_t sectors, std::uint8_t full, const std::uint32_t* bytes,
                                std::uint8_t again, bool opens, std::uint64_t now, Stay stay) {
  L2Request& one = add(sm, line, route, L2Request::Kind::kWrite);
  one.sectors = sectors, one.full = full, one.again = again;
  one.flag = opens;
  one.stay = stay;
  if (sectors & ~full) {
    one.more = static_cast<std::uint32_t>(list_.bytes.size());
    list_.bytes.push_back({bytes[0], bytes[1], bytes[2], bytes[3]});
  }
  if (by_) {
    by_->serve(one, bytes);
    served(one);
  }
  return now;
}

std::uint64_t L2Requests::atomic(int sm, std::uint64_t sector, int passes, bool returns,
                                 std::uint64_t now, const L2Cache::AtomicWork&, Stay stay) {
  const std::uint64_t line = sector / places_.line().sectors();
  L2Request& one = add(sm, line, places_.route(line), L2Request::Kind::kAtomic);
  one.sectors = static_cast<std::uint8_t>(sector % places_.line().sectors());
  one.more = static_cast<std::uint32_t>(passes);
  one.now = static_cast<std::uint32_t>(now);
  one.flag = returns;
  one.stay = stay;
  if (by_) {
    by_->serve(one, nullptr);
    served(one);
  }
  return now + atomic_cycles_;
}

void L2Requests::bring(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now,
                       Stay stay) {
  L2Request& one = add(sm, line, places_.route(line), L2Request::Kind::kBring);
  one.sectors = sectors;
  one.now = static_cast<std::uint32_t>(now);
  one.stay = stay;
  if (by_) {
    by_->serve(one, nullptr);
    served(one);
  }
}

void L2Requests::change(int sm, std::uint64_t line, Stay stay, bool discard) {
  L2Request& one = add(sm, line, places_.route(line), L2Request::Kind::kChange);
  one.stay = stay;
  one.flag = discard;
  if (by_) {
    by_->serve(one, nullptr);
    served(one);
  }
}

std::uint64_t L2Requests::make(Made::How how, std::uint64_t a, std::uint64_t b,
                               std::uint64_t soonest) {
  made_.push_back({how, 1, a, b, 0});
  value_.push_back(static_cast<std::uint32_t>(soonest));
  return kUnknown + value_.size() - 1;
}

std::uint64_t L2Requests::later_unknown(std::uint64_t a, std::uint64_t b) {
  if (a == b) return a;
  if (!unknown(a) && a <= soonest(b)) return b;
  if (!unknown(b) && b <= soonest(a)) return a;
  return make(Made::How::kLater, a, b, std::max(soonest(a), soonest(b)));
}

std::uint64_t L2Requests::plus_unknown(std::uint64_t cycle, std::uint64_t more) {
  return make(Made::How::kPlus, cycle, more, soonest(cycle) + more);
}

// Lines that hit and are in flight have each an answer of its own to wait for, where one of them
// is not known: then they are loaded one by one. Where none is there, or all are known, the cycle
// from which all that hit are there is known as well.
void L2Requests::load(L1Cache& l1, int, const LineList& lines, const L1Cache::SetTags& set_tags,
                      const AskedWords& words, bool allocate, L1Cache::Misses& out) {
  if (entries_.empty()) return l1.load(lines, set_tags, words, allocate, out);
  if (l1.load_all_new_of(lines, set_tags, allocate, out)) return;
  out.all_new = false;
  out.count = 0;
  std::uint64_t hit = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
    const L1Cache::Loaded one =
        l1.load(lines.line[i], set_tags[i], lines.sectors[i], words, allocate);
    if (!one.missing) {
      hit = later(hit, one.arrival);
      continue;
    }
    out.index[out.count] = static_cast<std::uint8_t>(i);
    out.sectors[out.count] = one.missing;
    out.entry[out.count] = one.entry;
    out.before[out.count] = hit;
    ++out.count;
  }
  out.hit = hit;
}

std::uint64_t L2Requests::arrive(const L1Cache::Misses& missed, const std::uint64_t* done,
                                 std::uint64_t soonest) {
  std::uint64_t all = soonest;
  if (missed.count == 0) return later(all, missed.hit);
  if (by_) {
    // All is known.
    for (std::size_t k = 0; k < missed.count; ++k) {
      all = std::max({all, missed.before[k], done[missed.index[k]]});
      *missed.entry[k] = std::max(*missed.entry[k], static_cast<std::uint32_t>(all));
    }
    return std::max(all, missed.hit);
  }
  Turn& turn = turns_.emplace_back();
  turn.soonest = soonest;
  const std::uint64_t first = value_.size();
  for (std::size_t k = 0; k < missed.count; ++k) {
    turn.done[k] = done[missed.index[k]];
    turn.before[k] = missed.all_new ? 0 : missed.before[k];
    turn.entry[k] = missed.entry[k];
    turn.was[k] = *missed.entry[k];
    all = std::max({all, known(turn.before[k]), known(turn.done[k])});
    value_.push_back(static_cast<std::uint32_t>(std::max<std::uint64_t>(all, known(turn.was[k]))));
    *missed.entry[k] = static_cast<std::uint32_t>(kUnknown + first + k);
    entries_.push_back(missed.entry[k]);
  }
  made_.push_back({Made::How::kInTurn, static_cast<std::uint32_t>(missed.count), 0, 0,
                   static_cast<std::uint32_t>(turns_.size() - 1)});
  // The last one arrives with all others, if nothing was known of its line that is later still.
  const std::uint64_t last = make(Made::How::kInTurn, first, missed.count, all);
  made_.back().missed = static_cast<std::uint32_t>(turns_.size() - 1);
  return later(last, missed.all_new ? 0 : missed.hit);
}

void L2Requests::answer() {
  std::size_t at = 0;
  for (const Made& m : made_) {
    switch (m.how) {
      case Made::How::kAsked:
        for (std::uint32_t k = 0; k < m.count; ++k) value_[at + k] = list_.requests[m.a + k].done;
        break;
      case Made::How::kLater:
        value_[at] = static_cast<std::uint32_t>(std::max(known(m.a), known(m.b)));
        break;
      case Made::How::kPlus: value_[at] = static_cast<std::uint32_t>(known(m.a) + m.b); break;
      case Made::How::kInTurn: {
        const Turn& turn = turns_[m.missed];
        std::uint64_t all = turn.soonest;
        if (m.b) {  // when all of them have arrived
          for (std::size_t k = 0; k < m.b; ++k)
            all = std::max({all, known(turn.before[k]), known(turn.done[k])});
          value_[at] = static_cast<std::uint32_t>(all);
          break;
        }
        for (std::uint32_t k = 0; k < m.count; ++k) {
          all = std::max({all, known(turn.before[k]), known(turn.done[k])});
          value_[at + k] =
              static_cast<std::uint32_t>(std::max<std::uint64_t>(all, known(turn.was[k])));
        }
        break;
      }
    }
    at += m.count;
  }
  for (std::uint32_t* const entry : entries_) *entry = static_cast<std::uint32_t>(known(*entry));
}

}  // namespace warpmem::model
