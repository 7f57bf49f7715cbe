// Which words of its lines a load asks for. Hardly anybody wants to know, so it is worked out when
// somebody does.
#pragma once

#include <cstdint>

namespace warpmem::model {

class AskedWords {
 public:
  // All words of every line.
  AskedWords() = default;
  // `words(line)`: bit w: word w of the line, 4 bytes each. Must outlive this.
  template <typename Words>
  explicit AskedWords(const Words& words)
      : of_(&words), ask_([](const void* of, std::uint64_t line) -> std::uint32_t {
          return (*static_cast<const Words*>(of))(line);
        }) {}

  std::uint32_t operator()(std::uint64_t line) const { return ask_ ? ask_(of_, line) : ~0u; }

 private:
  const void* of_ = nullptr;
  std::uint32_t (*ask_)(const void*, std::uint64_t) = nullptr;
};

}  // namespace warpmem::model
