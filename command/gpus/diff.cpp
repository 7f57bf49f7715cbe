#include <fmt/format.h>

#include <map>
#include <string_view>

#include "base/json.hpp"
#include "command/gpus/view.hpp"
#include "command/screen/table.hpp"

namespace warpmem::command {
namespace {

using model::Card;
using model::CardEntry;

// A number of one card beside the other's; nullptr: it has none, or no use for it.
struct Pair {
  const CardEntry* a = nullptr;
  const CardEntry* b = nullptr;
  const CardEntry& any() const { return a ? *a : *b; }
};

std::map<std::string_view, Pair> differences(const Card& a, const Card& b) {
  std::map<std::string_view, Pair> out;
  for (const CardEntry& entry : a.entries())
    if (entry.used) out[entry.key].a = &entry;
  for (const CardEntry& entry : b.entries())
    if (entry.used) out[entry.key].b = &entry;
  std::erase_if(out, [](const auto& one) {
    return one.second.a && one.second.b && one.second.a->value == one.second.b->value;
  });
  return out;
}

Table as_table(const Card& a, const Card& b) {
  Table table(
      {{"key"}, {a.name(), Align::kRight}, {b.name(), Align::kRight}, {"unit"}, {"meaning"}});
  const auto about = [&](const char* key, const std::string& x, const std::string& y) {
    if (x != y) table.row({key, x, y, "", ""});
  };
  about("name", a.full_name(), b.full_name());
  about("chip", a.chip(), b.chip());
  about("compute_capability", a.compute_capability(), b.compute_capability());
  about("year", a.year(), b.year());
  for (const auto& [key, pair] : differences(a, b))
    table.row({std::string(key), (pair.a ? short_value(pair.a->value) : "-"),
               (pair.b ? short_value(pair.b->value) : "-"), pair.any().unit, pair.any().meaning});
  return table;
}

std::string as_csv(const Card& a, const Card& b) {
  Table table({{"key"},
               {"unit"},
               {a.name()},
               {b.name()},
               {"source of " + a.name()},
               {"source of " + b.name()}});
  const auto value = [](const CardEntry* e) { return e ? e->value : std::string("-"); };
  const auto source = [](const CardEntry* e) { return e ? e->source : std::string(); };
  for (const auto& [key, pair] : differences(a, b))
    table.row({std::string(key), pair.any().unit, value(pair.a), value(pair.b), source(pair.a),
               source(pair.b)});
  return table.csv();
}

std::string as_json(const Card& a, const Card& b) {
  Json out{{"schema", 1}, {"a", a.name()}, {"b", b.name()}};
  out["compute_capability"] = {{"a", a.compute_capability()}, {"b", b.compute_capability()}};
  out["differences"] = Json::array();
  const auto side = [](const CardEntry* e) -> Json {
    if (!e) return nullptr;
    return {{"value", e->value}, {"source", e->source}};
  };
  for (const auto& [key, pair] : differences(a, b))
    out["differences"].push_back(
        {{"key", key}, {"unit", pair.any().unit}, {"a", side(pair.a)}, {"b", side(pair.b)}});
  return out.text(2) + "\n";
}

}  // namespace

std::string card_diff_view(const Card& a, const Card& b, Format format,
                           const views::Terminal& terminal) {
  switch (format) {
    case Format::kTable: return as_table(a, b).text(terminal);
    case Format::kJson: return as_json(a, b);
    case Format::kCsv: return as_csv(a, b);
  }
  return {};
}

}  // namespace warpmem::command
