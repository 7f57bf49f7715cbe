#include "command/replay/time_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/units.hpp"
#include "command/screen/table.hpp"
#include "sim/time/bottleneck.hpp"

namespace warpmem::command {
namespace {

// What a kernel could at best do with this traffic, were it even.
std::string bound_text(const sim::TimeResult& time) {
  const model::Topology::Bound& bound = time.bound;
  if (bound.cut.empty()) return {};
  std::string places;
  for (const auto& part : bound.cut)
    places +=
        fmt::format("{}{}{}", places.empty() ? "" : " + ", model::name_of(part.place),
                    part.count == part.of ? "" : fmt::format(" ({} of {})", part.count, part.of));
  return fmt::format(
      "spread evenly, this traffic takes {} cycles at best, {} of the time: {} is its "
      "minimum cut\n",
      grouped(static_cast<std::uint64_t>(bound.cycles + 0.5)),
      views::percent(bound.cycles / static_cast<double>(time.running)), places);
}

// "99.6 % (85)": the share, and which element it is of.
std::string busiest(const sim::TimeResult::Use& use) {
  return use.count > 1 ? fmt::format("{} ({})", views::percent(use.most), use.element)
                       : views::percent(use.most);
}

std::string uses_text(const sim::TimeResult& time, const views::Terminal& terminal) {
  Table uses({{"place"},
              {"in use", Align::kRight},
              {"busiest one", Align::kRight},
              {"moved", Align::kRight},
              {"bytes a cycle", Align::kRight},
              {"at most", Align::kRight}});
  for (const sim::TimeResult::Use& use : time.uses) {
    const double rate = use.bytes / static_cast<double>(time.running);
    uses.row({model::name_of(use.place), views::percent(use.share), busiest(use),
              use.bytes > 0 ? byte_size(static_cast<std::uint64_t>(use.bytes)) : "-",
              use.bytes > 0 ? fmt::format("{:.1f}", rate) : "-",
              use.peak > 0 ? fmt::format("{:.1f}", use.peak) : "-"});
  }
  return uses.text(terminal);
}

std::string waits_text(const sim::TimeResult& time, const views::Terminal& terminal) {
  Table waits({{"a warp's time"}, {"share", Align::kRight}});
  std::uint64_t waited = 0;
  const auto whole = static_cast<double>(std::max<std::uint64_t>(1, time.warp_cycles));
  for (std::size_t i = 0; i < time.waits.size(); ++i) {
    waited += time.waits[i];
    if (time.waits[i] > 0)
      waits.row({fmt::format("waits for: {}", sim::name_of(static_cast<sim::Wait>(i))),
                 views::percent(static_cast<double>(time.waits[i]) / whole)});
  }
  waits.row({"runs", views::percent(static_cast<double>(time.warp_cycles -
                                                        std::min(waited, time.warp_cycles)) /
                                    whole)});
  return waits.text(terminal);
}

Json bottleneck_json(const sim::TimeResult& time) {
  const model::Topology::Bound& bound = time.bound;
  const sim::Bottleneck b = sim::bottleneck(time);
  const auto whole = static_cast<double>(time.running);
  Json places = Json::array();
  for (const auto& part : bound.cut)
    places.push_back({{"place", model::name_of(part.place)},
                      {"count", part.count},
                      {"of", part.of},
                      {"share", part.share}});
  Json out{{"cause", sim::name_of(b.cause)}, {"sentence", b.sentence}};
  if (b.place) {
    out["place"] = model::name_of(*b.place);
    out["element"] = b.element;
    out["share"] = b.share;
  }
  if (b.waits) {
    out["waits_for"] = sim::name_of(*b.waits);
    out["waits_share"] = b.waits_share;
  }
  out["least_cycles"] = bound.cycles;
  out["share_of_time"] = bound.cycles / whole;
  out["minimum_cut"] = std::move(places);
  return out;
}

}  // namespace

std::string time_text(const sim::TimeResult& time, const views::Terminal& terminal) {
  return fmt::format(
             "\n{} cycles, {} of them from the first CTA's start to the last one's end; {} "
             "instructions\n",
             grouped(time.cycles), grouped(time.running), grouped(time.instructions)) +
         uses_text(time, terminal) + "bottleneck: " + sim::bottleneck(time).sentence + "\n" +
         bound_text(time) +
         fmt::format("reads under way: {} on average; {} would fill DRAM's bandwidth\n\n",
                     byte_size(static_cast<std::uint64_t>(time.bytes_in_flight)),
                     byte_size(static_cast<std::uint64_t>(time.bytes_needed))) +
         waits_text(time, terminal);
}

Json time_json(const sim::TimeResult& time) {
  Json uses = Json::object(), waits = Json::object();
  Json rates = Json::object(), most = Json::object();
  for (const sim::TimeResult::Use& use : time.uses) {
    const char* const place = model::name_of(use.place);
    uses[place] = use.share;
    most[place] = {{"element", use.element}, {"of", use.count}, {"share", use.most}};
    if (use.bytes > 0)
      rates[place] = {{"bytes", use.bytes},
                      {"bytes_per_cycle", use.bytes / static_cast<double>(time.running)}};
    if (use.bytes > 0 && use.peak > 0) rates[place]["peak_bytes_per_cycle"] = use.peak;
  }
  for (std::size_t i = 0; i < time.waits.size(); ++i)
    waits[sim::name_of(static_cast<sim::Wait>(i))] = time.waits[i];
  Json out{{"cycles", time.cycles},
           {"running_cycles", time.running},
           {"instructions", time.instructions},
           {"warp_cycles", time.warp_cycles},
           {"waits_warp_cycles", std::move(waits)},
           {"in_use", std::move(uses)},
           {"busiest_in_use", std::move(most)},
           {"moved", std::move(rates)},
           {"bottleneck", bottleneck_json(time)},
           {"sms_used", time.sms_used},
           {"l1_bytes", time.l1_bytes},
           {"bytes_in_flight", time.bytes_in_flight},
           {"bytes_needed", time.bytes_needed}};
  if (time.larger_l1)
    out["larger_l1"] = {{"bytes", time.larger_l1->bytes},
                        {"share_of_load_misses", time.larger_l1->share}};
  return out;
}

}  // namespace warpmem::command
