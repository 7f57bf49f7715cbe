// Which card a trace is replayed on, and what has to be said before its numbers are shown.
#pragma once

#include <string>

#include "base/error.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_input.hpp"
#include "metrics/metric.hpp"
#include "model/card/card.hpp"
#include "sim/engine/trace_card.hpp"
#include "views/style.hpp"

namespace warpmem::command {

// --gpu and --set of a command that replays traces: without --gpu each goes to the card of its own
// GPU.
void add_trace_card_options(CLI::App& app, CardInput& input);

using sim::card_of_trace;
using sim::is_emulated;
using sim::TraceCard;

// The card that --gpu names, else the trace's (and a note on stderr where it isn't its own), with
// --set applied.
Result<model::Card> card_for(const CardInput& input, const trace::TraceReader& reader);

// Why nothing of this card's measured accuracy holds for the launch: validation replays whole
// traces of the card's own GPU, with caches flushed, on built-in cards as they are. Empty: it does.
std::string unlike_validation(const model::Card& card, const trace::TraceReader& reader,
                              bool complete, bool kept_caches);

// What stands in front of cycles and times of these launches, where some are of level ptx: what
// ptxas makes of the PTX is not in them. Empty: nothing is to be said.
std::string level_caution(const trace::TraceReader& reader, const LaunchRange& launches = {});
// The same as it stands in a text.
std::string cautioned(const std::string& caution, const views::Terminal& terminal);
// A number of cycles, of time or of both's inverse.
bool is_of_time(const metrics::Metric& metric);
constexpr const char* kRough = "rough: level ptx";  // beside one number, in CSV

}  // namespace warpmem::command
