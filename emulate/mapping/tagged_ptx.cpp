#include "emulate/mapping/tagged_ptx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace warpmem::emulate {
namespace {

// What stands at a place of the text instead of what goes from there to `end`.
struct Edit {
  std::size_t at, end;
  std::string instead;
};

using Functions = std::unordered_set<const Function*>;

// Those whose names stand in a function's body.
template <class Found>
void each_named(const Module& module, const Function& f, Found&& found) {
  const auto look = [&](const auto& self, const Statement& s, const Operand& o) -> void {
    if (o.kind == Operand::Kind::kSymbol)
      if (const auto at = module.function_named.find(o.name); at != module.function_named.end())
        found(s, *at->second);
    for (const Operand& item : o.items) self(self, s, item);
  };
  for (const Statement& s : f.body)
    for (const Operand& o : s.operands) look(look, s, o);
}

// A kernel, and all that it may come to. ptxas lays functions whose address is somewhere behind
// every kernel, so they are of all of them.
Functions kept_with(const Module& module, const Function& alone) {
  Functions kept;
  std::vector<const Function*> left;
  const auto keep = [&](const Function& f) {
    if (f.has_body && kept.insert(&f).second) left.push_back(&f);
  };
  keep(alone);
  for (const Variable& v : module.variables)
    for (const Initial& i : v.initial)
      if (const auto at = module.function_named.find(i.symbol); at != module.function_named.end())
        keep(*at->second);
  for (const Function& f : module.functions)
    if (!f.is_entry)
      each_named(module, f, [&](const Statement& s, const Function& named) {
        if (!s.opcode.starts_with("call")) keep(named);
      });
  while (!left.empty()) {
    const Function& f = *left.back();
    left.pop_back();
    each_named(module, f, [&](const Statement&, const Function& named) { keep(named); });
  }
  return kept;
}

// The names stay: ptxas takes no function that is declared and nowhere defined.
void leave_out_bodies(const Module& module, const Functions& kept, std::vector<Edit>& edits) {
  for (const Function& f : module.functions)
    if (f.has_body && !kept.contains(&f)) edits.push_back({f.opened, f.closed, "{\nret;\n"});
}

std::string edited(std::string_view text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.at < b.at; });
  std::string out;
  std::size_t from = 0;
  for (const Edit& e : edits) {
    out += text.substr(from, e.at - from);
    out += e.instead;
    from = e.end;
  }
  out += text.substr(from);
  while (!out.empty() && out.back() == '\0') out.pop_back();
  return out;
}

}  // namespace

TaggedPtx tag_statements(const Module& module, const Function* alone) {
  TaggedPtx tagged;
  tagged.file = "warpmem-statements";
  const std::size_t number = std::max<std::size_t>(module.files.size(), 1);
  std::vector<Edit> edits;
  const Functions kept = alone == nullptr ? Functions{} : kept_with(module, *alone);
  std::uint32_t line = 1;
  for (const Function& f : module.functions) {
    tagged.first_line.push_back(line);
    for (const Statement& s : f.body) {
      if (alone == nullptr || kept.contains(&f))
        edits.push_back({s.at, s.at, fmt::format("\n.loc {} {} 0\n", number, line)});
      ++line;
    }
  }
  if (alone != nullptr) leave_out_bodies(module, kept, edits);
  tagged.text = edited(module.source->text(), std::move(edits));
  tagged.text += fmt::format("\n.file {} \"{}\"\n", number, tagged.file);
  return tagged;
}

std::string text_of(const Module& module, const Function* alone) {
  std::vector<Edit> edits;
  if (alone != nullptr) leave_out_bodies(module, kept_with(module, *alone), edits);
  return edited(module.source->text(), std::move(edits));
}

}  // namespace warpmem::emulate
