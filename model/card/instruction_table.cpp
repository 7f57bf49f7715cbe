#include "model/card/instruction_table.hpp"

#include <algorithm>
#include <optional>

#include "base/nearest.hpp"
#include "base/toml_values.hpp"
#include "model/card/fields/card_fields.hpp"
#include "model/embedded_isa.hpp"

namespace warpmem::model {
namespace {

constexpr const char* kPipeNames[] = {"fma", "alu",     "fp64", "xu",  "tensor",
                                      "mio", "uniform", "even", "odd", "none"};
constexpr const char* kFlowNames[] = {"taken", "register", "rejoin"};
constexpr const char* kPtxNames[] = {"special",  "divide",   "convert",  "count",
                                     "exchange", "redux",    "matrix",   "double",
                                     "float",    "multiply", "constant", "other"};
constexpr std::uint64_t kMostIssue = 255, kMostLatency = 10000;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t dot = std::min(text.find('.', from), text.size());
    parts.emplace_back(text.substr(from, dot - from));
    from = dot + 1;
  }
  return parts;
}

std::string shown(const InstructionCost& c) {
  return std::string(pipe_name(c.pipe)) + ", issue " + std::to_string(c.busy) + ", latency " +
         std::to_string(c.latency) + ", " + (c.variable ? "scoreboard" : "stall");
}

// Puts one of a row's four words into it; what is wrong with it, or nothing.
std::optional<Error> assign(InstructionCost& cost, const std::string& attribute,
                            const std::string& value, const std::string& place) {
  const auto refused = [&](const std::string& fix) {
    return card_error(place, "'" + value + "' is no " + attribute, fix);
  };
  if (attribute == "pipe") {
    const auto found = std::find(std::begin(kPipeNames), std::end(kPipeNames), value);
    if (found == std::end(kPipeNames) || value == "even" || value == "odd")
      return refused("choose one of: fma, alu, fp64, xu, tensor, mio, uniform, none");
    cost.pipe = static_cast<Pipe>(found - std::begin(kPipeNames));
  } else if (attribute == "issue") {
    const auto v = read_whole(value, {1, kMostIssue, "cycles"}, place);
    if (!v) return v.error();
    cost.busy = static_cast<std::uint8_t>(*v);
  } else if (attribute == "latency") {
    const auto v = read_whole(value, {1, kMostLatency, "cycles"}, place);
    if (!v) return v.error();
    cost.latency = static_cast<std::uint16_t>(*v);
  } else if (attribute == "wait") {
    if (value != "stall" && value != "scoreboard") return refused("write stall or scoreboard");
    cost.variable = value == "scoreboard";
  } else {
    return card_error(place, "unknown key '" + attribute + "'",
                      "a row has pipe, issue, latency, wait and source");
  }
  return std::nullopt;
}

// The table that another one begins with: `inherits = "sm_90"`. Only those that are built in can be
// named; they name older ones, so that none comes back to itself.
Result<InstructionTable> inherited(const toml::node& node, const std::string& file) {
  auto name = toml_text(node, "inherits", file);
  if (!name) return name.error();
  auto table = load_instruction_table(*name);
  if (table) return table;
  Error e = table.error();
  e.place = toml_place(file, node);
  return e;
}

// A row that is not a table's own says whose it is.
std::string borrowed(const std::string& source, const std::string& from) {
  constexpr std::string_view kBorrowed = "assumed: borrowed from ";
  return source.starts_with(kBorrowed) ? source : std::string(kBorrowed) + from + ": " + source;
}

}  // namespace

const char* pipe_name(Pipe pipe) { return kPipeNames[static_cast<std::size_t>(pipe)]; }

Result<InstructionTable> InstructionTable::parse(std::string_view text, const std::string& file) {
  auto root = toml_table(text, file);
  if (!root) return root.error();
  InstructionTable out;
  if (toml::node* const node = root->get("inherits")) {
    auto begun = inherited(*node, file);
    if (!begun) return begun.error();
    out = *std::move(begun);
    for (Row& r : out.rows_) r.source = borrowed(r.source, node->value_or(std::string()));
  }
  for (auto& [group, node] : *root) {
    if (group == "name" || group == "inherits") continue;
    toml::table* rows = node.as_table();
    if (!rows || (group != "sass" && group != "ptx" && group != "flow"))
      return card_error(toml_place(file, node), "unknown key '" + std::string(group.str()) + "'",
                        "the groups are sass, ptx and flow");
    for (auto& [name, entry] : *rows) {
      const std::string key = std::string(group.str()) + "." + std::string(name.str());
      toml::table* row = entry.as_table();
      if (!row || !row->contains("source"))
        return card_error(toml_place(file, entry), "'" + key + "' needs a source",
                          "write { pipe = …, issue = …, latency = …, wait = …, source = … }");
      InstructionCost cost;
      std::string source;
      std::size_t given = 0;
      for (auto& [attribute, value] : *row) {
        if (attribute == "source") {
          auto said = toml_text(value, key + ".source", file);
          if (!said) return said.error();
          source = *std::move(said);
          continue;
        }
        const bool counts = attribute == "issue" || attribute == "latency";
        const bool words = attribute == "pipe" || attribute == "wait";
        if ((counts && !value.is_integer()) || (words && !value.is_string()))
          return card_error(
              toml_place(file, value),
              key + "." + std::string(attribute.str()) + " = " + toml_shown(value) +
                  (counts ? " is not a whole number" : " is not a text in quotes"),
              "write { pipe = \"…\", issue = 1, latency = 4, wait = \"…\", source = \"…\" }");
        const std::string word =
            counts ? std::to_string(value.as_integer()->get()) : value.value_or(std::string());
        if (auto wrong = assign(cost, std::string(attribute.str()), word, toml_place(file, value)))
          return *wrong;
        ++given;
      }
      if (given != 4)
        return card_error(toml_place(file, entry),
                          "'" + key + "' needs pipe, issue, latency and wait",
                          "add what is missing");
      if (auto ok = out.put(key, cost); !ok) {
        Error e = ok.error();
        e.place = toml_place(file, entry);
        return e;
      }
      std::erase_if(out.rows_, [&](const Row& r) { return r.key == key; });
      out.rows_.push_back({key, shown(cost), source, false, cost});
    }
  }
  for (const char* name : kPtxNames)
    if (std::none_of(out.rows_.begin(), out.rows_.end(),
                     [&](const Row& r) { return r.key == "ptx." + std::string(name); }))
      return card_error(file, "'ptx." + std::string(name) + "' is missing", "add it");
  for (const char* name : kFlowNames)
    if (std::none_of(out.rows_.begin(), out.rows_.end(),
                     [&](const Row& r) { return r.key == "flow." + std::string(name); }))
      return card_error(file, "'flow." + std::string(name) + "' is missing",
                        "add what such a jump costs");
  if (!out.sass_.contains("default"))
    return card_error(file, "'sass.default' is missing", "add what unlisted opcodes cost");
  std::sort(out.rows_.begin(), out.rows_.end(),
            [](const Row& a, const Row& b) { return a.key < b.key; });
  return out;
}

Result<void> InstructionTable::put(const std::string& key, const InstructionCost& cost) {
  std::vector<std::string> parts = split(key);
  if (parts[0] == "ptx") {
    const auto found = std::find(std::begin(kPtxNames), std::end(kPtxNames), key.substr(4));
    if (found == std::end(kPtxNames)) {
      std::string all;
      for (const char* n : kPtxNames) all += (all.empty() ? "" : ", ") + std::string(n);
      return card_error("", "unknown key '" + key + "'", "what PTX does is one of: " + all);
    }
    ptx_[static_cast<std::size_t>(found - std::begin(kPtxNames))] = cost;
    return {};
  }
  if (parts[0] == "flow") {
    InstructionCost* const found = find(key);
    if (!found)
      return card_error("", "unknown key '" + key + "'",
                        "those of this group are taken, register and rejoin");
    *found = cost;
    return {};
  }
  if (InstructionCost* const found = find(key)) {  // of the table that is inherited
    *found = cost;
    return {};
  }
  auto& of_opcode = sass_[parts[1]];
  parts.erase(parts.begin(), parts.begin() + 2);
  of_opcode.push_back({std::move(parts), cost});
  std::stable_sort(of_opcode.begin(), of_opcode.end(), [](const Sass& a, const Sass& b) {
    return a.modifiers.size() > b.modifiers.size();
  });
  return {};
}

InstructionCost* InstructionTable::find(const std::string& key) {
  std::vector<std::string> parts = split(key);
  if (parts.size() == 2 && parts[0] == "ptx")
    for (std::size_t i = 0; i < ptx_.size(); ++i)
      if (parts[1] == kPtxNames[i]) return &ptx_[i];
  for (std::size_t i = 0; i < flow_.size(); ++i)
    if (parts.size() == 2 && parts[0] == "flow" && parts[1] == kFlowNames[i]) return &flow_[i];
  if (parts.size() < 2 || parts[0] != "sass") return nullptr;
  const auto of_opcode = sass_.find(parts[1]);
  if (of_opcode == sass_.end()) return nullptr;
  parts.erase(parts.begin(), parts.begin() + 2);
  for (Sass& s : of_opcode->second)
    if (s.modifiers == parts) return &s.cost;
  return nullptr;
}

Result<void> InstructionTable::set(const std::string& key, const std::string& value) {
  const std::string place = "--set isa." + key;
  const std::size_t dot = key.rfind('.');
  const std::string row = key.substr(0, dot == key.npos ? 0 : dot),
                    attribute = dot == key.npos ? "" : key.substr(dot + 1);
  InstructionCost* cost = find(row);
  if (!cost) {
    std::vector<std::string> known;
    for (const Row& r : rows_)
      for (const char* a : {"pipe", "issue", "latency", "wait"}) known.push_back(r.key + "." + a);
    const std::string near = nearest(key, known);
    return card_error(place, "there is no such number",
                      near.empty() ? "write it as isa.sass.FFMA.latency or isa.ptx.float.issue"
                                   : "did you mean 'isa." + near + "'?");
  }
  if (auto wrong = assign(*cost, attribute, value, place)) return *wrong;
  for (Row& r : rows_)
    if (r.key == row)
      r.value = shown(*cost), r.cost = *cost, r.source = "set by the user", r.overridden = true;
  return {};
}

InstructionCost InstructionTable::sass(std::string_view opcode,
                                       std::span<const std::string> modifiers) const {
  auto rows = sass_.find(opcode);
  if (rows == sass_.end()) rows = sass_.find("default");
  const auto has = [&](const std::string& wanted) {
    return std::any_of(modifiers.begin(), modifiers.end(),
                       [&](const std::string& m) { return m.starts_with(wanted); });
  };
  for (const Sass& s : rows->second)
    if (std::all_of(s.modifiers.begin(), s.modifiers.end(), has)) return s.cost;
  return sass_.find("default")->second.front().cost;
}

std::vector<std::string> instruction_table_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& t : kEmbeddedIsa) names.emplace_back(t.name);
  return names;
}

Result<InstructionTable> load_instruction_table(const std::string& name) {
  for (const EmbeddedText& t : kEmbeddedIsa)
    if (name == t.name) return InstructionTable::parse(t.text, "isa/" + name + ".toml");
  std::string all;
  for (const std::string& k : instruction_table_names()) all += (all.empty() ? "" : ", ") + k;
  return card_error("isa", "there is no instruction table '" + name + "'",
                    "name one of cards/isa: " + all);
}

}  // namespace warpmem::model
