#include "tests/twin/compare.hpp"

namespace warpmem::twin {
namespace {

using C = model::LaunchCounters;

// What no metric shows alone.
constexpr sim::MetricRow kParts[] = {
    {"records", "", [](const C& c) { return c.records; }},
    {"sectors between SMs", "", [](const C& c) { return c.remote_sectors; }},
    {"sectors of bulk reductions", "", [](const C& c) { return c.global_bulk_red; }},
    {"L2 reads merged", "sector", [](const C& c) { return c.l2.merged; }},
    {"L2 reads that cross", "sector", [](const C& c) { return c.l2.fabric_read; }},
    {"L2 reads that cross and hit", "sector", [](const C& c) { return c.l2.fabric_read_hit; }},
    {"L2 writes that cross", "sector", [](const C& c) { return c.l2.fabric_write; }},
    {"L2 atomics that cross", "sector", [](const C& c) { return c.l2.fabric_atomic; }},
    {"prefetched sectors", "sector", [](const C& c) { return c.l2.prefetch; }},
    {"prefetched sectors that cross", "sector", [](const C& c) { return c.l2.fabric_prefetch; }},
    {"L2 refills", "sector", [](const C& c) { return c.l2.refill_writes; }},
    {"host reads", "sector", [](const C& c) { return c.l2.sysmem_read; }},
    {"host writes", "sector", [](const C& c) { return c.l2.sysmem_write; }},
};

}  // namespace

std::string differences(const C& engine, const C& twin) {
  std::string out;
  const auto compare = [&](const sim::MetricRow& row) {
    if (row.value(engine) == row.value(twin)) return;
    out += std::string(row.name) + ": engine " + std::to_string(row.value(engine)) + ", twin " +
           std::to_string(row.value(twin)) + "\n";
  };
  for (const sim::MetricRow& row : sim::metric_rows()) compare(row);
  for (const sim::MetricRow& row : kParts) compare(row);
  return out;
}

std::string differences(const trace::TraceReader& reader, const model::Card& card,
                        const sim::ReplayOptions& options) {
  const auto engine = sim::replay(reader, card, options);
  if (!engine) return "engine: " + engine.error().text();
  const auto twin = replay(reader, card, options.keep_caches);
  if (!twin) return "twin: " + twin.error().text();
  std::string out;
  for (std::size_t i = 0; i < twin->size(); ++i)
    if (const std::string d = differences(engine->details[i].counters, (*twin)[i].counters);
        !d.empty())
      out += "launch " + std::to_string(i) + "\n" + d;
  return out;
}

}  // namespace warpmem::twin
