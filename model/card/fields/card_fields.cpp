#include "model/card/fields/card_fields.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "model/card/fields/groups.hpp"

namespace warpmem::model {

std::span<const CardField> card_fields() {
  static const std::vector<CardField> kFields = [] {
    std::vector<CardField> fields;
    for (const auto& group : kCardGroups)
      for (const CardField& field : group()) fields.push_back(field);
    return fields;
  }();
  return kFields;
}

std::optional<std::size_t> find_card_field(std::string_view key) {
  const std::span<const CardField> fields = card_fields();
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].key == key) return i;
  return std::nullopt;
}

std::size_t card_field(std::string_view key) { return *find_card_field(key); }

std::string nearest_card_field(const std::string& key, const std::string& otherwise) {
  std::vector<std::string> known;
  for (const CardField& k : card_fields()) known.emplace_back(k.key);
  const std::string near = nearest(key, known);
  return near.empty() ? otherwise : "did you mean '" + near + "'?";
}

const std::vector<std::string>& dram_map_names() {
  static const std::vector<std::string> kNames = {"hashed", "plain"};
  return kNames;
}

const std::vector<std::string>& dram_ecc_names() {
  static const std::vector<std::string> kNames{"none", "off", "on"};
  return kNames;
}

const std::vector<std::string>& dram_refresh_names() {
  static const std::vector<std::string> kNames = {"none", "bank", "all"};
  return kNames;
}

namespace {

bool in_bytes(const CardField& f) { return std::string_view(f.unit) == "bytes"; }

// The most of a unit that a number may say, far beyond what any GPU has: half a millisecond to
// wait, and half a microsecond of a place for one request, as what is taken of a place is noted
// span by span (throughput.hpp).
std::uint64_t most_of(const CardField& f) {
  constexpr std::uint64_t kWait = 1'000'000, kTaken = 1'000;  // cycles
  const std::string_view unit = f.unit;
  if (in_bytes(f)) return std::uint64_t{4} << 30;
  if (unit == "cycles") return kWait;
  if (unit == "millicycles" || unit == "cycles/1000" || unit == "per mille") return 1000 * kTaken;
  if (unit == "ps") return 1000 * kWait;
  return 0xffffffff;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::string shown_bytes(std::uint64_t bytes) {
  return bytes % 1024 == 0 && byte_size(bytes).find('.') == std::string::npos
             ? byte_size(bytes)
             : grouped(bytes) + " B";
}

const CardUse* unmet_use(const CardField& f, const CardChoices& choices) {
  for (const CardUse* use : f.rule.used_if)
    if (use && !use->holds(choices)) return use;
  return nullptr;
}

std::vector<std::uint64_t> card_numbers_of(const CardField& f, const CardNumbers& n) {
  if (const auto* one = std::get_if<CardField::One>(&f.member)) return {n.**one};
  return n.*std::get<CardField::Many>(f.member);
}

std::string shown_card_field(const CardField& f, std::span<const std::uint64_t> values) {
  if (std::holds_alternative<CardField::One>(f.member)) {
    const std::uint64_t v = values[0];
    return f.rule.words ? f.rule.words()[v] : in_bytes(f) ? shown_bytes(v) : grouped(v);
  }
  std::string out;
  for (std::uint64_t v : values)
    out += (out.empty() ? "" : ", ") + (in_bytes(f) ? shown_bytes(v) : std::to_string(v));
  return "[" + out + "]";
}

WholeRange card_number_range(const CardField& f) {
  const bool one = std::holds_alternative<CardField::One>(f.member) && !f.rule.words;
  const std::uint64_t most = f.rule.most > 0 ? f.rule.most : most_of(f);
  return {one && !f.rule.zero ? 1u : 0u, most, f.unit, in_bytes(f)};
}

Result<std::uint64_t> read_card_number(const CardField& f, std::string_view text,
                                       const std::string& place) {
  if (!f.rule.words) return read_whole(trimmed(text), card_number_range(f), place);
  const auto& words = f.rule.words();
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::uint64_t>(found - words.begin());
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return card_error(place, "'" + std::string(text) + "' is no " + f.unit + " there is",
                    "choose one of: " + all);
}

std::vector<std::string> card_list_items(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('[') && text.ends_with(']')) text = trimmed(text.substr(1, text.size() - 2));
  const bool commas = text.find(',') != text.npos;
  const std::string_view between = commas ? "," : " ";
  std::vector<std::string> items;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    std::string_view item = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (item.size() > 1 && item.front() == '"' && item.back() == '"')
      item = item.substr(1, item.size() - 2);
    if (!commas && item.empty()) continue;
    if (!commas && !items.empty() && is_letter(item.front())) items.back() += item;  // "8 KiB"
    else items.emplace_back(item);
  }
  return items;
}

Error card_error(const std::string& place, const std::string& message, const std::string& fix) {
  return {ErrorKind::kUsage, message, place, fix};
}

}  // namespace warpmem::model
