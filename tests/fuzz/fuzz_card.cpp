// Any text as a GPU card, which may inherit one of those built in. A card that is taken says of
// each number where it comes from, and takes each of its numbers again as a setting.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/card/card.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmem::model;
  auto card = Card::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!card) return 0;
  for (const CardEntry& entry : card->entries())
    if (entry.source.empty() || entry.value.empty()) std::abort();
  // … or says why not; which one is up to the text.
  const CardEntry& some = card->entries()[size % card->entries().size()];
  const std::string key = some.key, value = some.value;
  static_cast<void>(card->set(key, value).ok());
  return 0;
}
