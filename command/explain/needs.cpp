#include "command/explain/needs.hpp"

#include "sweep/capacities.hpp"

namespace warpmem::command {
namespace {

// Stack distances need an L1 whose sets follow from a line's low bits, that gives up the line used
// longest ago and that nothing else takes room of. How many sets it has is this file's choice: with
// a line each they are the step between two capacities.
constexpr std::uint64_t kStep = std::uint64_t{4} << 10, kMost = std::uint64_t{256} << 10;

Result<model::Card> with_plain_l1(const model::Card& card) {
  model::Card plain = card;
  const model::CardNumbers& n = card.numbers();
  std::vector<model::CardSetting> settings{{"l1.size", std::to_string(n.l1_bytes)},
                                           {"l1.ways", std::to_string(n.l1_bytes / kStep)},
                                           {"l1.index", "low_bits"},
                                           {"l1.replacement", "lru"},
                                           {"l1.reserved", "0"},
                                           {"l1.write", "evict"}};
  if (n.l1_read_cycles > 0) settings.push_back({"l1.read_cycles", "0"});
  if (auto ok = plain.set(settings); !ok) return ok.error();
  return plain;
}

// Within a hundredth of an array's sectors one capacity is as good as another.
ArrayNeed need_of(const CapacityCurve& c, const std::vector<CacheShape>& shapes) {
  constexpr double kNear = 0.01;
  ArrayNeed out{c.name, 0, c.sectors, 0, c.hits.back()};
  const double least = static_cast<double>(c.hits.back()) - kNear * static_cast<double>(c.sectors);
  std::size_t i = 0;
  while (static_cast<double>(c.hits[i]) < least) ++i;
  out.hits = c.hits[i];
  if (c.hits.back() > 0) out.bytes = shapes[i].bytes;
  return out;
}

ArrayNeeds not_known(const std::string& why) {
  ArrayNeeds out;
  out.missing = why;
  return out;
}

}  // namespace

Result<ArrayNeeds> needs_of(const trace::TraceReader& reader, std::uint64_t launch,
                            const model::Card& card) {
  if (const auto there = sweep::has_cache(card, false); !there)
    return not_known(there.error().message);
  const auto plain = with_plain_l1(card);
  if (!plain) return not_known(plain.error().message);
  sweep::CapacityTask task;
  task.trace = &reader;
  task.only = [launch](std::uint64_t id) { return id == launch; };
  for (std::uint64_t size = kStep; size <= kMost; size += kStep) task.sizes.push_back(size);
  task.shared_apart = true;
  const auto found = sweep::capacities(task, *plain);
  if (!found) return found.error();
  if (!found->one_pass) return not_known(found->why);
  ArrayNeeds out;
  out.sets = kStep / card.numbers().line_bytes;
  out.largest = kMost;
  for (const CapacityCurve& c : found->arrays)
    if (c.sectors > 0 && !c.hits.empty()) out.arrays.push_back(need_of(c, found->shapes));
  if (out.arrays.empty())
    return not_known("no load goes through the L1 to an array that the trace names");
  return out;
}

}  // namespace warpmem::command
