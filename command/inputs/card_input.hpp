// The GPU card a subcommand uses: --gpu and --set, and the card as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "command/inputs/trace_input.hpp"
#include "model/card/card.hpp"

namespace CLI {
class App;
}

namespace warpmem::command {

struct CardInput {
  std::string gpu = "h200";           // a built-in card, or a file
  std::vector<std::string> settings;  // "key=value"
};

// --gpu and --set.
void add_card_options(CLI::App& app, CardInput& input);

// One of them alone.
void add_gpu_option(CLI::App& app, std::string& gpu);
void add_set_option(CLI::App& app, CardInput& input);

// The card with all settings applied; an unknown name or key names the nearest.
Result<model::Card> load_card(const CardInput& input);
Result<model::Card> load_card(const std::string& gpu);

// kUsage when one of the launches has what GPUs of the card's compute capability lack. A replay
// skips that and says so; compared with a profiler's counters it would be wrong.
Result<void> require_features(const model::Card& card, const trace::TraceReader& reader);

// {"l1.size":{"value":262144,"unit":"bytes","source":"…"},…}
Json card_json(const model::Card& card);

}  // namespace warpmem::command
