// The glossary: what the words of the output mean. `warpmem words` prints it; a report's text links
// to it.
#pragma once

#include <span>
#include <string_view>

namespace warpmem::views {

struct Word {
  std::string_view word, meaning;
  bool everyday = false;  // means something else, too: no text links to it
};
// By word, small and capital letters alike.
std::span<const Word> words();

}  // namespace warpmem::views
