// The GPU card a subcommand uses: --gpu and --set, and the card as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"

namespace CLI {
class App;
}

namespace warpmem::command {

struct CardInput {
  std::string gpu = "h200";
  std::vector<std::string> settings;  // "key=value"
};

// --gpu and --set.
void add_card_options(CLI::App& app, CardInput& input);

// --set alone.
void add_set_option(CLI::App& app, CardInput& input);

// The card with all settings applied; an unknown name or key names the nearest.
Result<model::Card> load_card(const CardInput& input);

// {"l1.size":{"value":262144,"unit":"bytes","source":"…"},…}
nlohmann::ordered_json card_json(const model::Card& card);

}  // namespace warpmem::command
