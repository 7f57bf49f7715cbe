#include "sim/engine/trace_card.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/printable.hpp"
#include "model/card/card_identity.hpp"
#include "model/card/nearest_card.hpp"

namespace warpmem::sim {
namespace {

constexpr std::string_view kEmulated = " (emulated)";

}  // namespace

bool is_emulated(const trace::Origin& origin) { return origin.gpu.ends_with(kEmulated); }

std::string gpu_of(const trace::Origin& origin) {
  return is_emulated(origin) ? origin.gpu.substr(0, origin.gpu.size() - kEmulated.size())
                             : origin.gpu;
}

TraceCard card_of_trace(const trace::TraceReader& reader) {
  const trace::Origin& origin = reader.origin();
  const std::string gpu = gpu_of(origin);
  // The emulator calls its GPU what the card does.
  if (is_emulated(origin))
    for (const model::CardIdentity& card : model::card_identities())
      if (gpu == card.name || gpu == card.full_name) return {card.name, true, {}};
  const char* made = is_emulated(origin) ? "emulated for" : "recorded on";
  const auto near = model::nearest_card({gpu, origin.arch, origin.sms});
  if (near && near->own) return {near->name, true, {}};
  const std::string which =
      gpu.empty()
          ? fmt::format("the trace does not say on which GPU it was made{}",
                        origin.arch.empty() ? "" : " (" + origin.arch + ")")
          : fmt::format("the trace was {} {}{}, of which there is no card", made, printable(gpu),
                        origin.arch.empty() ? "" : " (" + printable(origin.arch) + ")");
  if (near)
    return {near->name, false,
            fmt::format("{}: replayed on {}, which comes nearest; --gpu names another", which,
                        near->name)};
  return {model::kUsualCard, false,
          fmt::format("{}: replayed on {}; --gpu names another", which, model::kUsualCard)};
}

}  // namespace warpmem::sim
