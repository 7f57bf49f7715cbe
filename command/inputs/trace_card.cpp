#include "command/inputs/trace_card.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "command/command.hpp"

namespace warpmem::command {

void add_trace_card_options(CLI::App& app, CardInput& input) {
  input.gpu.clear();
  app.add_option("--gpu", input.gpu,
                 "GPU card (see warpmem gpus), or a card of your own: FILE.toml; without it, the "
                 "card of the trace's own GPU")
      ->type_name("NAME|FILE");
  add_set_option(app, input);
}

Result<model::Card> card_for(const CardInput& input, const trace::TraceReader& reader) {
  if (!input.gpu.empty()) return load_card(input);
  const TraceCard chosen = card_of_trace(reader);
  if (!chosen.note.empty()) note(chosen.note);
  return load_card(CardInput{chosen.name, input.settings});
}

std::string unlike_validation(const model::Card& card, const trace::TraceReader& reader,
                              bool complete, bool kept_caches) {
  if (!card.built_in()) return fmt::format("{} is a card of your own", card.name());
  for (const model::CardEntry& entry : card.entries())
    if (entry.overridden) return fmt::format("{} was set", entry.key);
  if (kept_caches) return "caches were kept";
  if (!complete) return "the launch is incomplete";
  const TraceCard own = card_of_trace(reader);
  const std::string gpu = sim::gpu_of(reader.origin());
  if (!own.own || own.name != card.name())
    return gpu.empty() ? "the trace does not say of which GPU it is"
                       : fmt::format("the trace is of another GPU ({})", printable(gpu));
  return {};
}

std::string level_caution(const trace::TraceReader& reader, const LaunchRange& launches) {
  std::vector<std::uint64_t> ptx;
  std::size_t shown = 0;
  for (const trace::LaunchSummary& l : reader.launches()) {
    if (!launches.contains(l.launch.id)) continue;
    ++shown;
    if (launch_level(reader, l.launch.id).starts_with("ptx") &&
        launch_level(reader, l.launch.id) != "ptx+sass")
      ptx.push_back(l.launch.id);
  }
  if (ptx.empty()) return {};
  constexpr std::size_t kNamed = 8;
  const bool more = ptx.size() > kNamed;
  if (more) ptx.resize(kNamed);
  const std::string which =
      ptx.size() == shown
          ? std::string("level ptx")
          : fmt::format("level ptx, {} {}{}", ptx.size() == 1 && !more ? "launch" : "launches",
                        fmt::join(ptx, ", "), more ? ", …" : "");
  return which +
         ": what the compiler joins, moves and drops is not known, so cycles and times may be "
         "several times too long or "
         "too short, and the gain of a change with them; emulate again where ptxas and nvdisasm "
         "are (warpmem doctor)";
}

std::string cautioned(const std::string& caution, const views::Terminal& terminal) {
  const std::string text = "warning: " + caution;
  return terminal.person ? views::wrapped(text, terminal.width, 2) : text + "\n";
}

bool is_of_time(const metrics::Metric& metric) {
  for (const std::string_view part :
       {"cycle", "time", "throughput", "per_second", "peak", "utilization", "ipc"})
    if (metric.name.find(part) != std::string_view::npos) return true;
  return false;
}

}  // namespace warpmem::command
