#include "sweep/capacities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "base/in_parallel.hpp"
#include "base/units.hpp"
#include "model/access/rule/access_rule.hpp"
#include "model/card/spec_of.hpp"
#include "model/general/memory_spec.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/engine/sites.hpp"
#include "sim/explain/arrays.hpp"
#include "sim/replay.hpp"
#include "sweep/range.hpp"
#include "sweep/set_stack.hpp"

namespace warpmem::sweep {
namespace {

using model::Action;
using model::CacheUse;
using model::MemorySpec;

constexpr std::uint32_t kMostWays = 64;

// Hits of loads: how many sectors hit from which associativity on, for each number of sets.
struct Histogram {
  std::uint64_t sectors = 0;
  std::vector<std::vector<std::uint64_t>> of_ways;  // by number of sets, then ways

  void add(std::size_t sets, std::uint32_t least) {
    if (least >= kMostWays + 1) return;
    if (of_ways.size() <= sets) of_ways.resize(sets + 1);
    if (of_ways[sets].empty()) of_ways[sets].resize(kMostWays + 1);
    ++of_ways[sets][least];
  }
  void add(const Histogram& other) {
    sectors += other.sectors;
    for (std::size_t k = 0; k < other.of_ways.size(); ++k)
      for (std::size_t w = 0; w < other.of_ways[k].size(); ++w)
        if (other.of_ways[k][w]) {
          if (of_ways.size() <= k) of_ways.resize(k + 1);
          if (of_ways[k].empty()) of_ways[k].resize(kMostWays + 1);
          of_ways[k][w] += other.of_ways[k][w];
        }
  }
  std::uint64_t hits(std::size_t sets, std::uint64_t ways) const {
    std::uint64_t n = 0;
    if (sets < of_ways.size())
      for (std::size_t w = 0; w < of_ways[sets].size() && w <= ways; ++w) n += of_ways[sets][w];
    return n;
  }
};

struct Histograms {
  Histogram all;
  std::map<std::string, Histogram> lines, arrays;
  std::uint64_t inexact = 0;

  void add(const Histograms& other) {
    all.add(other.all);
    for (const auto& [name, h] : other.lines) lines[name].add(h);
    for (const auto& [name, h] : other.arrays) arrays[name].add(h);
    inexact += other.inexact;
  }
};

// Whole numbers of sets that the shapes have, each once.
std::vector<std::uint64_t> set_counts(const std::vector<CacheShape>& shapes) {
  std::vector<std::uint64_t> out;
  for (const CacheShape& s : shapes)
    if (std::ranges::find(out, s.sets) == out.end()) out.push_back(s.sets);
  return out;
}

std::uint32_t most_ways(const std::vector<CacheShape>& shapes, std::uint64_t sets) {
  std::uint64_t most = 1;
  for (const CacheShape& s : shapes)
    if (s.sets == sets) most = std::max(most, s.ways);
  return static_cast<std::uint32_t>(most);
}

// Hears of a launch's accesses and keeps stacks for each of its caches.
class Stacks final : public model::CacheListener {
 public:
  Stacks(const MemorySpec& spec, bool l2, const std::vector<CacheShape>& shapes,
         const trace::Launch& launch, const trace::Program& program, std::size_t sites)
      : spec_(spec),
        l2_(l2),
        shapes_(shapes),
        sets_(set_counts(shapes)),
        launch_(launch),
        names_(sim::array_names(launch, program)),
        by_site_(sites + 1),
        by_array_(launch.allocations.size() + 1) {}

  void begin(const model::AccessPlan& plan, const model::AccessTiming& timing) override {
    site_ = std::min<std::size_t>(timing.site, by_site_.size() - 1);
    counts_ = l2_ ? plan.action != Action::kPrefetch && plan.action != Action::kGlobalAtomic
                  : plan.action == Action::kGlobalLoad || plan.action == Action::kAsyncRead;
  }
  void l1(int sm, CacheUse use, const model::LineTouch& touch) override {
    if (!l2_) this->use(stacks(static_cast<std::size_t>(sm)), use, touch);
  }
  void l1_invalidate(int sm, std::uint64_t below) override {
    if (l2_) return;
    for (SetStack& s : stacks(static_cast<std::size_t>(sm))) s.invalidate(below);
  }
  void l2(std::uint32_t partition, CacheUse use, const model::LineTouch& touch) override {
    if (l2_) this->use(stacks(partition), use, touch);
  }
  void l2_clear() override {
    if (!l2_) return;
    for (auto& of_one : caches_)
      for (SetStack& s : of_one) s.clear();
  }

  Histograms found(const trace::TraceReader& reader, std::uint32_t index) const {
    Histograms out;
    const auto sites = reader.sites(index);
    const trace::Program& program = reader.programs()[launch_.program];
    for (std::size_t s = 0; s < by_site_.size(); ++s) {
      if (by_site_[s].sectors == 0) continue;
      out.all.add(by_site_[s]);
      out.lines[s < sites.size() ? sim::place_of(program, sites[s].pc) : "spilled registers"].add(
          by_site_[s]);
    }
    for (std::size_t a = 0; a < by_array_.size(); ++a)
      if (by_array_[a].sectors > 0)
        out.arrays[a < names_.size() ? names_[a] : "no known array"].add(by_array_[a]);
    for (const auto& of_one : caches_)
      for (const SetStack& s : of_one) out.inexact += s.inexact();
    return out;
  }

 private:
  std::vector<SetStack>& stacks(std::size_t cache) {
    if (cache >= caches_.size()) caches_.resize(cache + 1);
    std::vector<SetStack>& out = caches_[cache];
    if (out.empty())
      for (const std::uint64_t sets : sets_)
        out.emplace_back(
            model::SetIndex(model::SetRule::kLowBits, static_cast<std::uint32_t>(sets)),
            most_ways(shapes_, sets));
    return out;
  }

  std::size_t array_of(std::uint64_t address) {
    const auto& all = launch_.allocations;
    if (array_ < all.size() && address - all[array_].base < all[array_].bytes) return array_;
    const auto behind =
        std::upper_bound(all.begin(), all.end(), address,
                         [](std::uint64_t at, const trace::Allocation& a) { return at < a.base; });
    if (behind == all.begin()) return all.size();
    const auto at = static_cast<std::size_t>(behind - all.begin()) - 1;
    return address - all[at].base < all[at].bytes ? array_ = at : all.size();
  }

  void use(std::vector<SetStack>& stacks, CacheUse use, const model::LineTouch& touch) {
    if (use == CacheUse::kLoad || use == CacheUse::kLoadPast)
      return load(stacks, touch, use == CacheUse::kLoad);
    for (SetStack& s : stacks) {
      if (use == CacheUse::kStore) s.store(touch);
      else if (use == CacheUse::kDrop) s.drop(touch.line, touch.sectors);
      else s.gives_up();
    }
  }

  void load(std::vector<SetStack>& stacks, const model::LineTouch& touch, bool leaves) {
    const std::uint64_t asked = model::sectors_in(touch.sectors);
    Histogram *site = nullptr, *array = nullptr;
    if (counts_ && asked > 0) {
      site = &by_site_[site_];
      array = &by_array_[array_of(touch.line * spec_.line_bytes +
                                  model::kSectorBytes * std::countr_zero(touch.sectors))];
      site->sectors += asked;
      array->sectors += asked;
    }
    for (std::size_t k = 0; k < stacks.size(); ++k) {
      const SetStack::Least least = stacks[k].load(touch.line, touch.sectors, leaves);
      if (!site) continue;
      for (const std::uint32_t ways : least) {
        site->add(k, ways);
        array->add(k, ways);
      }
    }
  }

  const MemorySpec& spec_;
  bool l2_;
  const std::vector<CacheShape>& shapes_;
  std::vector<std::uint64_t> sets_;
  const trace::Launch& launch_;
  std::vector<std::string> names_;
  std::vector<std::vector<SetStack>> caches_;  // by SM or partition, then number of sets
  std::vector<Histogram> by_site_, by_array_;
  std::size_t site_ = 0, array_ = 0;
  bool counts_ = false;
};

std::uint64_t own_sets(const MemorySpec& spec, bool l2) {
  return l2 ? spec.l2.index.sets() : spec.l1.index.sets();
}

// The shapes of some capacities, or why one cannot be.
Result<std::vector<CacheShape>> shapes_of(const CapacityTask& task, const model::Card& card) {
  const MemorySpec spec = model::spec_of<MemorySpec>(card);
  const std::uint64_t parts = task.l2 ? spec.l2.partitions : 1;
  const std::uint64_t ways = task.l2 ? spec.l2.ways : spec.l1.ways;
  std::vector<CacheShape> out;
  for (const std::uint64_t bytes : task.sizes) {
    const std::uint64_t by = task.fixed_ways ? ways : own_sets(spec, task.l2);
    const std::uint64_t unit = by * spec.line_bytes * parts, other = bytes / unit;
    const std::uint64_t of_ways = task.fixed_ways ? by : other;
    if (bytes == 0 || bytes % unit != 0 || of_ways > kMostWays)
      return Error{
          ErrorKind::kUsage,
          fmt::format("an {} of {} has no whole number of {} up to {} with {} {}",
                      task.l2 ? "L2" : "L1", byte_size(bytes), task.fixed_ways ? "sets" : "ways",
                      task.fixed_ways ? 65536 : kMostWays, by, task.fixed_ways ? "ways" : "sets"),
          "--capacities",
          fmt::format("give multiples of {}, or change what stays: --fixed-ways", byte_size(unit))};
    out.push_back({bytes, task.fixed_ways ? other : by, of_ways});
  }
  return out;
}

void fill(CapacityCurve& curve, const Histogram& h, const std::vector<CacheShape>& shapes) {
  const std::vector<std::uint64_t> sets = set_counts(shapes);
  curve.sectors = h.sectors;
  for (const CacheShape& s : shapes) {
    const auto k = static_cast<std::size_t>(std::ranges::find(sets, s.sets) - sets.begin());
    curve.hits.push_back(h.hits(k, s.ways));
  }
}

void find_need(CapacityCurve& curve) {
  if (curve.hits.empty() || curve.hits.back() == 0) return;
  const double wanted = 0.95 * static_cast<double>(curve.hits.back());
  for (std::size_t i = 0; i < curve.hits.size() && !curve.needs; ++i)
    if (static_cast<double>(curve.hits[i]) >= wanted) curve.needs = i;
}

std::vector<CapacityCurve> curves_of(const std::map<std::string, Histogram>& all,
                                     const std::vector<CacheShape>& shapes) {
  std::vector<CapacityCurve> out;
  for (const auto& [name, h] : all) {
    out.emplace_back().name = name;
    fill(out.back(), h, shapes);
    find_need(out.back());
  }
  std::ranges::stable_sort(out, std::greater<>(), &CapacityCurve::sectors);
  return out;
}

std::vector<std::uint32_t> launches_of(const CapacityTask& task) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < task.trace->launches().size(); ++i)
    if (!task.only || task.only(task.trace->launches()[i].launch.id)) out.push_back(i);
  return out;
}

sim::ReplayOptions options_of(const CapacityTask& task, std::uint32_t index) {
  sim::ReplayOptions options;
  options.launch = task.trace->launches()[index].launch.id;
  options.flat = true;
  options.decoded = task.decoded;
  return options;
}

Result<Histograms> one_pass(const CapacityTask& task, const model::Card& card,
                            const std::vector<CacheShape>& shapes) {
  const MemorySpec spec = model::spec_of<MemorySpec>(card);
  const std::vector<std::uint32_t> launches = launches_of(task);
  std::vector<std::optional<Result<Histograms>>> each(launches.size());
  in_parallel(launches.size(), task.threads, [&] {
    return [&](std::size_t i) {
      const trace::Launch& launch = task.trace->launches()[launches[i]].launch;
      Stacks stacks(spec, task.l2, shapes, launch, task.trace->programs()[launch.program],
                    task.trace->sites(launches[i]).size());
      sim::ReplayOptions options = options_of(task, launches[i]);
      options.caches = &stacks;
      const auto replayed = sim::replay(*task.trace, card, options);
      if (!replayed) {
        each[i] = replayed.error();
        return false;
      }
      each[i] = stacks.found(*task.trace, launches[i]);
      return true;
    };
  });
  Histograms out;
  for (const auto& one : each) {
    if (!one) continue;
    if (!*one) return one->error();
    out.add(**one);
  }
  return out;
}

// The card with a cache of this shape.
Result<model::Card> with_shape(const model::Card& card, bool l2, const CacheShape& shape) {
  model::Card out = card;
  const std::string level = l2 ? "l2" : "l1";
  std::vector<model::CardSetting> settings{{level + ".size", std::to_string(shape.bytes)},
                                           {level + ".ways", std::to_string(shape.ways)}};
  // Of a set's lines no more can be dirty than there are.
  const model::CardNumbers& n = card.numbers();
  const auto at_most = [&](const char* key, std::uint64_t ways) {
    if (l2 && ways > shape.ways) settings.push_back({key, std::to_string(shape.ways)});
  };
  at_most("l2.dirty_ways", n.l2_dirty_ways);
  at_most("l2.partial_ways", n.l2_partial_ways);
  at_most("l2.filled_ways", n.l2_filled_ways);
  if (auto ok = out.set(settings); !ok) return ok.error();
  return out;
}

std::uint64_t hits_of(const model::LaunchCounters& c, bool l2) {
  return l2 ? c.l2.read_hit : c.global_ld.hits;
}
std::uint64_t sectors_of(const model::LaunchCounters& c, bool l2) {
  return l2 ? c.l2.read : c.global_ld.sectors;
}

// A replay for each shape.
Result<void> by_replays(const CapacityTask& task, const model::Card& card, CapacityResult& out) {
  const std::vector<std::uint32_t> launches = launches_of(task);
  const std::size_t n = launches.size(), shapes = out.shapes.size();
  std::vector<std::optional<Result<sim::ReplayResult>>> each(n * shapes);
  in_parallel(each.size(), task.threads, [&] {
    return [&](std::size_t i) {
      const auto other = with_shape(card, task.l2, out.shapes[i / n]);
      if (!other) {
        each[i] = other.error();
        return false;
      }
      sim::ReplayOptions options = options_of(task, launches[i % n]);
      options.by_site = true;
      each[i] = sim::replay(*task.trace, *other, options);
      return each[i]->ok();
    };
  });
  std::map<std::string, CapacityCurve> lines;
  out.all.hits.assign(shapes, 0);
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (!each[i]) continue;
    if (!*each[i]) return each[i]->error();
    const sim::ReplayedLaunch& l = (*each[i])->details.at(0);
    const std::uint32_t index = launches[i % n];
    const trace::Program& program =
        task.trace->programs()[task.trace->launches()[index].launch.program];
    const auto sites = task.trace->sites(index);
    out.all.hits[i / n] += hits_of(l.counters, task.l2);
    if (i / n == 0) out.all.sectors += sectors_of(l.counters, task.l2);
    for (std::size_t s = 0; s < l.by_site.size(); ++s) {
      const std::uint64_t sectors = sectors_of(l.by_site[s], task.l2);
      if (sectors == 0) continue;
      CapacityCurve& line =
          lines[s < sites.size() ? sim::place_of(program, sites[s].pc) : "spilled registers"];
      line.hits.resize(shapes);
      line.hits[i / n] += hits_of(l.by_site[s], task.l2);
      if (i / n == 0) line.sectors += sectors;
    }
  }
  for (auto& [name, line] : lines) {
    line.name = name;
    find_need(line);
    out.lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(out.lines, std::greater<>(), &CapacityCurve::sectors);
  return {};
}

}  // namespace

Result<void> has_cache(const model::Card& card, bool l2) {
  const model::CardNumbers& n = card.numbers();
  const bool l1 = n.l1_cache != static_cast<std::uint64_t>(model::CachedSpaces::kNone);
  if (l2 ? n.l2_bytes > 0 : l1) return {};
  return Error{ErrorKind::kUsage,
               fmt::format("{} has no {}", card.full_name(), l2 ? "L2" : "L1 data cache"),
               "--capacities", "choose a card with one: warpmem gpus lists them"};
}

std::vector<std::uint64_t> usual_sizes(const model::Card& card, bool l2) {
  const MemorySpec spec = model::spec_of<MemorySpec>(card);
  std::vector<std::uint64_t> out;
  for (std::uint64_t ways = 1; ways <= 16; ++ways) {
    const std::uint64_t sets = own_sets(spec, l2);
    const CacheShape shape{ways * sets * spec.line_bytes * (l2 ? spec.l2.partitions : 1), sets,
                           ways};
    // Of some set rules only powers of two make a cache.
    if (with_shape(card, l2, shape)) out.push_back(shape.bytes);
  }
  return out;
}

std::string why_not_one_pass(const CapacityTask& task, const model::Card& card) {
  const model::CardNumbers& n = card.numbers();
  if (static_cast<model::AccessRule>(n.access_rule) != model::AccessRule::kSectors)
    return "the card's access rule is one of before compute capability 7.0";
  const auto rule = [](std::uint64_t r) { return static_cast<model::SetRule>(r); };
  const auto policy = [](std::uint64_t r) { return static_cast<model::Replacement>(r); };
  if (task.l2) {
    if (n.l2_sides != 1) return "the L2 has more than one side, which ask each other";
    if (rule(n.l2_index) != model::SetRule::kLowBits) return "l2.index is not low_bits";
    if (policy(n.l2_replacement) != model::Replacement::kPlainLru)
      return "l2.replacement is not plain_lru";
    if (n.l2_fetch_bytes > model::kSectorBytes) return "l2.fetch is more than a sector";
    if (n.lrc_merge > 1 || n.l1_read_cycles > 0)
      return "reads under way serve each other (lrc.merge, l1.read_cycles)";
    return {};
  }
  if (n.l1_cache == static_cast<std::uint64_t>(model::CachedSpaces::kNone))
    return "the card has no L1";
  if (rule(n.l1_index) != model::SetRule::kLowBits) return "l1.index is not low_bits";
  if (policy(n.l1_replacement) != model::Replacement::kLru &&
      policy(n.l1_replacement) != model::Replacement::kPlainLru)
    return "l1.replacement is not lru";
  if (n.l1_sector != model::kSectorBytes) return "l1.sector is more than a sector";
  if (static_cast<model::WritePolicy>(n.l1_write) != model::WritePolicy::kEvict &&
      static_cast<model::Allocate>(n.l1_allocate) == model::Allocate::kLoads)
    return "stores change lines that are there and bring none (l1.allocate, l1.write)";
  if (n.l1_reserved > 0) return "l1.reserved takes room of the L1";
  if (task.shared_apart) return {};
  for (const trace::LaunchSummary& l : task.trace->launches()) {
    const auto fit = sim::occupancy(card, l.launch);
    if (fit && fit->shared_config > 0)
      return fmt::format("shared memory takes {} of the L1", byte_size(fit->shared_config));
  }
  return {};
}

Result<CapacityResult> capacities(const CapacityTask& task, const model::Card& card) {
  if (auto there = has_cache(card, task.l2); !there) return there.error();
  auto shapes = shapes_of(task, card);
  if (!shapes) return shapes.error();
  CapacityResult out;
  out.level = task.l2 ? "L2" : "L1";
  out.shapes = std::move(*shapes);
  out.why = task.by_replay ? "asked for" : why_not_one_pass(task, card);
  if (out.why.empty()) {
    const auto found = one_pass(task, card, out.shapes);
    if (!found) return found.error();
    if (found->inexact == 0) {
      out.one_pass = true;
      out.all.name = "all";
      fill(out.all, found->all, out.shapes);
      find_need(out.all);
      out.lines = curves_of(found->lines, out.shapes);
      out.arrays = curves_of(found->arrays, out.shapes);
      return out;
    }
    out.why = fmt::format(
        "{} loads asked for what was written in part where not all of the caches had it",
        grouped(found->inexact));
  }
  out.all.name = "all";
  if (task.shared_apart) return out;
  if (auto ok = by_replays(task, card, out); !ok) return ok.error();
  find_need(out.all);
  return out;
}

}  // namespace warpmem::sweep
