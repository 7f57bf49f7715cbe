#include "emulate/cudart/ptx_link.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "isa/ptx/lexer.hpp"

namespace warpmem::cudart {
namespace {

using ptx::Lexer;
using ptx::Source;
using ptx::Token;
using ptx::TokenKind;

enum class Linkage { kLocal, kVisible, kWeak, kExtern };

// A statement of a module, from its first token to its ';' or closing brace.
struct Item {
  enum class What { kVersion, kTarget, kFile, kVariable, kFunction, kOther } what = What::kOther;
  Linkage linkage = Linkage::kLocal;
  std::string_view name;
  std::vector<Token> tokens;
  std::size_t begin = 0, end = 0;
  bool body = false;
};

struct Unit {
  std::unique_ptr<Source> source;
  std::vector<Item> items;
  std::map<std::string_view, std::string> renamed;
  std::uint32_t first_file = 0;
};

bool is_space(const Token& t) {
  return t.is(".global") || t.is(".const") || t.is(".shared") || t.is(".local") || t.is(".tex");
}

class Splitter {
 public:
  explicit Splitter(const Source& source) : source_(source), lexer_(source) { advance(); }

  Result<std::vector<Item>> run() {
    std::vector<Item> items;
    while (token_.kind != TokenKind::kEnd) {
      Item item;
      item.begin = token_.at;
      if (token_.is(".version") || token_.is(".address_size")) {
        item.what = Item::What::kVersion;
        take(item), take(item);
      } else if (token_.is(".target")) {
        item.what = Item::What::kTarget;
        take(item), take(item);
        while (token_.is(",")) take(item), take(item);
      } else if (token_.is(".file")) {
        item.what = Item::What::kFile;
        take(item), take(item), take(item);
        while (token_.is(",")) take(item), take(item);
      } else if (auto ok = statement(item); !ok) {
        return ok.error();
      }
      item.end = item.tokens.back().at + item.tokens.back().text.size() +
                 (item.tokens.back().kind == TokenKind::kString ? 2 : 0);
      items.push_back(std::move(item));
    }
    return items;
  }

 private:
  void advance() { token_ = lexer_.next(); }
  void take(Item& item) {
    if (token_.kind == TokenKind::kEnd) return;
    item.tokens.push_back(token_);
    advance();
  }

  Result<void> statement(Item& item) {
    const bool section = token_.is(".section");
    int depth = 0;
    bool function = section;
    while (true) {
      if (token_.kind == TokenKind::kEnd)
        return source_.error_at(item.begin, "this is never closed",
                                "the PTX may have been cut short");
      const Token t = token_;
      take(item);
      if (depth == 0) {
        if (t.is(".visible")) item.linkage = Linkage::kVisible;
        else if (t.is(".weak") || t.is(".common")) item.linkage = Linkage::kWeak;
        else if (t.is(".extern")) item.linkage = Linkage::kExtern;
        else if (t.is(".func") || t.is(".entry"))
          item.what = Item::What::kFunction, function = true;
        else if (is_space(t) && item.what == Item::What::kOther) item.what = Item::What::kVariable;
        else if (t.kind == TokenKind::kWord && !t.text.starts_with('.') && item.name.empty())
          item.name = t.text;
        else if (t.is(";")) return {};
      }
      if (t.is("(") || t.is("{") || t.is("[")) ++depth;
      if (t.is(")") || t.is("}") || t.is("]")) --depth;
      if (depth == 0 && t.is("}") && function) {
        item.body = true;
        return {};
      }
    }
  }

  const Source& source_;
  Lexer lexer_;
  Token token_;
};

bool defines(const Item& item) {
  if (item.what == Item::What::kVariable) return item.linkage != Linkage::kExtern;
  return item.what == Item::What::kFunction && item.body;
}

// The item's text with names and file numbers replaced.
std::string rewritten(const Unit& unit, const Item& item) {
  std::string out;
  std::size_t from = item.begin;
  const std::string_view text = unit.source->text();
  const auto replace = [&](const Token& t, const std::string& by) {
    out += text.substr(from, t.at - from);
    out += by;
    from = t.at + t.text.size();
  };
  bool file_next = false;
  for (const Token& t : item.tokens) {
    if (file_next && t.kind == TokenKind::kNumber) {
      std::uint32_t number = 0;
      std::from_chars(t.text.data(), t.text.data() + t.text.size(), number);
      replace(t, std::to_string(number + unit.first_file));
    }
    file_next = t.is(".loc") || t.is(".file") || t.is("inlined_at");
    if (t.kind != TokenKind::kWord) continue;
    if (const auto at = unit.renamed.find(t.text); at != unit.renamed.end()) replace(t, at->second);
  }
  out += text.substr(from, item.end - from);
  return out + "\n";
}

std::uint32_t files_of(const Unit& unit) {
  std::uint32_t most = 0;
  for (const Item& item : unit.items) {
    if (item.what != Item::What::kFile || item.tokens.size() < 2) continue;
    std::uint32_t number = 0;
    const std::string_view text = item.tokens[1].text;
    std::from_chars(text.data(), text.data() + text.size(), number);
    most = std::max(most, number);
  }
  return most;
}

// The newest .version, with the .target that came with it.
std::string heading(const std::vector<Unit>& units) {
  std::pair<unsigned, unsigned> newest{0, 0};
  std::string version = "9.0", target = "sm_90";
  for (const Unit& unit : units) {
    for (const Item& item : unit.items) {
      if (item.tokens.size() < 2) continue;
      const std::string text(item.tokens[1].text);
      if (item.what == Item::What::kTarget && version.empty())
        target = text, version = fmt::format("{}.{}", newest.first, newest.second);
      if (item.what != Item::What::kVersion || !item.tokens[0].is(".version")) continue;
      unsigned major = 0, minor = 0;
      std::sscanf(text.c_str(), "%u.%u", &major, &minor);
      if (std::pair(major, minor) > newest) newest = {major, minor}, version.clear();
    }
    if (version.empty()) version = fmt::format("{}.{}", newest.first, newest.second);
  }
  return fmt::format(".version {}\n.target {}\n.address_size 64\n", version, target);
}

}  // namespace

Result<std::string> link_ptx(const std::vector<PtxUnit>& units) {
  if (units.size() == 1) return units[0].text;
  std::vector<Unit> all;
  std::uint32_t files = 0;
  for (const PtxUnit& u : units) {
    Unit unit;
    unit.source = std::make_unique<Source>(u.name, u.text);
    auto items = Splitter(*unit.source).run();
    if (!items) return items.error();
    unit.items = std::move(*items);
    unit.first_file = files;
    files += files_of(unit);
    all.push_back(std::move(unit));
  }
  // Who defines what for all to see, and which names several units keep for themselves.
  std::map<std::string_view, std::pair<const Unit*, Linkage>> global;
  std::map<std::string_view, std::set<const Unit*>> local;
  for (const Unit& unit : all)
    for (const Item& item : unit.items) {
      if (!defines(item)) continue;
      if (item.linkage == Linkage::kLocal) {
        local[item.name].insert(&unit);
        continue;
      }
      const auto [at, fresh] = global.try_emplace(item.name, &unit, item.linkage);
      if (fresh || item.linkage == Linkage::kWeak) continue;
      if (at->second.second != Linkage::kWeak)
        return Error{ErrorKind::kMalformed,
                     fmt::format("'{}' is defined in '{}' and in '{}'", item.name,
                                 at->second.first->source->name(), unit.source->name()),
                     "", "build the program again: nvlink refuses this"};
      at->second = {&unit, item.linkage};
    }
  for (std::size_t n = 0; n < all.size(); ++n)
    for (const auto& [name, owners] : local)
      if (owners.contains(&all[n]) && (owners.size() > 1 || global.contains(name)))
        all[n].renamed[name] = fmt::format("{}__unit{}", name, n);

  std::string variables, functions, numbers;
  std::set<std::string> declared;
  for (const Unit& unit : all)
    for (const Item& item : unit.items) {
      if (item.what == Item::What::kFile) numbers += rewritten(unit, item);
      if (item.what != Item::What::kVariable && item.what != Item::What::kFunction) continue;
      const bool mine = item.linkage == Linkage::kLocal;
      if (!mine ||
          (item.what == Item::What::kFunction && !item.body && !unit.renamed.contains(item.name))) {
        const auto at = global.find(item.name);
        if (defines(item) ? at->second.first != &unit
                          : at != global.end() || !declared.emplace(item.name).second)
          continue;
      }
      (item.what == Item::What::kVariable ? variables : functions) += rewritten(unit, item);
    }
  return heading(all) + numbers + variables + functions;
}

}  // namespace warpmem::cudart
