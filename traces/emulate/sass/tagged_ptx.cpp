#include "traces/emulate/sass/tagged_ptx.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpmem::emulate {
namespace {

// What stands at a place of the text instead of what goes from there to `end`.
struct Edit {
  std::size_t at, end;
  std::string instead;
};

void leave_out_bodies(const Module& module, const Function& alone, std::vector<Edit>& edits) {
  for (const Function& f : module.functions)
    if (f.is_entry && f.has_body && &f != &alone)
      edits.push_back({f.opened, f.closed, "{\nret;\n"});
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
  std::uint32_t line = 1;
  for (const Function& f : module.functions) {
    tagged.first_line.push_back(line);
    for (const Statement& s : f.body) {
      if (alone == nullptr || !f.is_entry || &f == alone)
        edits.push_back({s.at, s.at, fmt::format("\n.loc {} {} 0\n", number, line)});
      ++line;
    }
  }
  if (alone != nullptr) leave_out_bodies(module, *alone, edits);
  tagged.text = edited(module.source->text(), std::move(edits));
  tagged.text += fmt::format("\n.file {} \"{}\"\n", number, tagged.file);
  return tagged;
}

std::string text_of(const Module& module, const Function* alone) {
  std::vector<Edit> edits;
  if (alone != nullptr) leave_out_bodies(module, *alone, edits);
  return edited(module.source->text(), std::move(edits));
}

}  // namespace warpmem::emulate
