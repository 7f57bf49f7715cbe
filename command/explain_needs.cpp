#include "command/explain_needs.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/units.hpp"
#include "sweep/capacities.hpp"
#include "views/sweep.hpp"

namespace warpmem::command {
namespace {

// Stack distances need an L1 whose sets follow from a line's low bits, that gives up the line used
// longest ago and that nothing else takes room of. How many sets it has is this file's choice: with
// a line each they are the step between two capacities.
constexpr std::uint64_t kStep = std::uint64_t{4} << 10, kMost = std::uint64_t{256} << 10;

Result<model::Card> with_plain_l1(const model::Card& card) {
  model::Card plain = card;
  const std::vector<model::CardSetting> settings{
      {"l1.size", "32KiB"},   {"l1.ways", "8"},      {"l1.index", "low_bits"},
      {"l1.replacement", "lru"}, {"l1.reserved", "0"}, {"l1.write", "evict"},
      {"l1.read_cycles", "0"},   {"shared.configs", "0,1KiB"}, {"shared.per_cta", "1KiB"},
      {"shared.reserved", "0"}};
  if (auto ok = plain.set(settings); !ok) return ok.error();
  return plain;
}

}  // namespace

Result<std::string> needs_text(const trace::TraceReader& reader, std::uint64_t launch,
                               const model::Card& card, const views::Terminal& terminal) {
  const std::string title = "\nwhat arrays need of an L1\n";
  const auto plain = with_plain_l1(card);
  if (!plain)
    return title + fmt::format("  not known on this card: {}\n", printable(plain.error().message));
  for (const trace::LaunchSummary& l : reader.launches())
    if (l.launch.id == launch && (l.launch.dynamic_shared > 0 || l.launch.static_shared > 0))
      return title + "  not known: the kernel has shared memory, which takes room of the L1\n";
  sweep::CapacityTask task;
  task.trace = &reader;
  task.only = [launch](std::uint64_t id) { return id == launch; };
  for (std::uint64_t size = kStep; size <= kMost; size += kStep) task.sizes.push_back(size);
  const std::string why = sweep::why_not_one_pass(*plain, false, reader);
  if (!why.empty()) return title + fmt::format("  not known: {}\n", printable(why));
  const auto found = sweep::capacities(task, *plain);
  if (!found) return found.error();
  if (found->arrays.empty())
    return title + "  not known: no load goes through the L1 to an array that the trace names\n";
  return title + views::array_needs_text(*found, terminal) +
         fmt::format(
             "of an L1 whose oldest line goes, in {} sets: the least capacity at which within 1 % "
             "of the array's sectors hit as do with {}\n",
             kStep / 128, byte_size(kMost));
}

}  // namespace warpmem::command
