#include "traces/emulate/sass/tagged_ptx.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpmem::emulate {

TaggedPtx tag_statements(const Module& module) {
  TaggedPtx tagged;
  tagged.file = "warpmem-statements";
  const std::string_view text = module.source->text();
  const std::size_t number = std::max<std::size_t>(module.files.size(), 1);
  struct Mark {
    std::size_t at;
    std::uint32_t line;
  };
  std::vector<Mark> marks;
  std::uint32_t line = 1;
  for (const Function& f : module.functions) {
    tagged.first_line.push_back(line);
    for (const Statement& s : f.body) marks.push_back({s.at, line++});
  }
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.at < b.at; });
  tagged.text.reserve(text.size() + marks.size() * 24);
  std::size_t from = 0;
  for (const Mark& m : marks) {
    tagged.text += text.substr(from, m.at - from);
    tagged.text += fmt::format("\n.loc {} {} 0\n", number, m.line);
    from = m.at;
  }
  tagged.text += text.substr(from);
  while (!tagged.text.empty() && tagged.text.back() == '\0') tagged.text.pop_back();
  tagged.text += fmt::format("\n.file {} \"{}\"\n", number, tagged.file);
  return tagged;
}

}  // namespace warpmem::emulate
