#include "web/answer.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "model/card/card.hpp"
#include "sim/pattern/parser.hpp"
#include "sim/pattern/pattern.hpp"
#include "views/lanes_json.hpp"
#include "views/pattern.hpp"

namespace warpmem::web {
namespace {

using nlohmann::ordered_json;

ordered_json refusal(const Error& e) {
  return {{"error", {{"message", e.message}, {"place", e.place}, {"fix", e.fix}}}};
}

Error wrong_question(const std::string& what) {
  return {ErrorKind::kUsage, what, "question", "see web/answer.hpp for what can be asked"};
}

// Members by name: what is absent or of another type has its default.
std::string text_of(const ordered_json& q, const char* name, const std::string& otherwise) {
  const auto at = q.find(name);
  return at != q.end() && at->is_string() ? at->get<std::string>() : otherwise;
}
std::uint64_t number_of(const ordered_json& q, const char* name) {
  const auto at = q.find(name);
  return at != q.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
}
Result<Dim3> dims_of(const ordered_json& q, const char* name, Dim3 otherwise) {
  const auto at = q.find(name);
  if (at == q.end()) return otherwise;
  if (!at->is_array() || at->size() > 3)
    return wrong_question(std::string(name) + " is no list of three numbers");
  Dim3 out{1, 1, 1};
  for (std::size_t d = 0; d < at->size(); ++d) {
    if (!(*at)[d].is_number_unsigned() || (*at)[d].get<std::uint64_t>() > 1u << 30)
      return wrong_question(std::string(name) + " is no list of three numbers");
    out[d] = (*at)[d].get<std::uint32_t>();
  }
  return out;
}

Result<model::Card> card_of(const ordered_json& q, const std::string& gpu) {
  auto card = model::load_card(gpu);
  if (!card) return card;
  std::vector<model::CardSetting> settings;
  if (const auto set = q.find("set"); set != q.end() && set->is_object())
    for (const auto& [key, value] : set->items())
      settings.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  if (auto done = card->set(settings); !done) return done.error();
  return card;
}

ordered_json cards() {
  ordered_json out = ordered_json::array();
  for (const std::string& name : model::card_names()) {
    const auto card = model::load_card(name);
    if (!card) return refusal(card.error());
    const model::CardNumbers& n = card->numbers();
    out.push_back({{"name", name},
                   {"full_name", card->full_name()},
                   {"year", card->year()},
                   {"capability", card->compute_capability()},
                   {"l1_bytes", n.l1_bytes},
                   {"l2_bytes", n.l2_bytes}});
  }
  return {{"cards", std::move(out)}};
}

ordered_json card(const ordered_json& q) {
  const auto card = card_of(q, text_of(q, "gpu", "h200"));
  if (!card) return refusal(card.error());
  ordered_json entries = ordered_json::array();
  for (const model::CardEntry& e : card->entries())
    if (e.used && e.kind != model::CardEntry::Kind::kInstruction)
      entries.push_back({e.key, e.value, e.unit, e.source, e.meaning, e.overridden});
  return {
      {"name", card->name()}, {"full_name", card->full_name()}, {"entries", std::move(entries)}};
}

ordered_json pattern(const ordered_json& q) {
  sim::pattern::Shape shape;
  const auto block = dims_of(q, "block", {32, 1, 1});
  if (!block) return refusal(block.error());
  const auto grid = dims_of(q, "grid", {1, 1, 1});
  if (!grid) return refusal(grid.error());
  shape.block = *block, shape.grid = *grid;
  if (const auto let = q.find("let"); let != q.end() && let->is_object())
    for (const auto& [name, value] : let->items())
      if (value.is_number_integer()) shape.let[name] = value.get<std::int64_t>();
  const std::string text = text_of(q, "text", "");
  const auto program = sim::pattern::parse(text, shape.let);
  if (!program) return refusal(program.error());
  const bool all = q.find("all_gpus") != q.end() && q["all_gpus"].is_boolean() && q["all_gpus"];
  const std::vector<std::string> names =
      all ? model::card_names() : std::vector<std::string>{text_of(q, "gpu", "h200")};
  std::vector<views::PatternOnCard> results;
  for (const std::string& name : names) {
    const auto card = card_of(q, name);
    if (!card) return refusal(card.error());
    views::PatternOnCard& one = results.emplace_back();
    one.gpu = card->name(), one.full_name = card->full_name();
    auto accesses = sim::pattern::on_card(
        *program, shape, *card,
        {number_of(q, "cta"), static_cast<std::uint32_t>(number_of(q, "warp"))});
    if (accesses) one.accesses = std::move(*accesses);
    else if (!all || accesses.error().kind == ErrorKind::kUsage) return refusal(accesses.error());
    else one.failure = accesses.error().message;
  }
  ordered_json drawn = ordered_json::array();
  for (const SiteTraffic& t : results.front().accesses) {
    ordered_json lanes = ordered_json::array();
    if (t.space != "constant")
      for (const LaneAccess& a : t.examples) lanes.push_back(views::lanes_json(a));
    drawn.push_back(std::move(lanes));
  }
  return {{"text", views::pattern_json(text, results)}, {"drawn", std::move(drawn)}};
}

ordered_json answered(const ordered_json& q) {
  if (!q.is_object()) return refusal(wrong_question("the question is no JSON object"));
  const std::string what = text_of(q, "do", "");
  if (what == "cards") return cards();
  if (what == "card") return card(q);
  if (what == "pattern") return pattern(q);
  return refusal(wrong_question("nothing can do '" + what + "'"));
}

}  // namespace

std::string answer(std::string_view question) {
  const auto q = ordered_json::parse(question, nullptr, false);
  return answered(q).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace warpmem::web
