// How the kernels of the catalogue are written down: accesses of words by a function of the thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/catalogue/kernels.hpp"

namespace warpmem::catalogue {

using At = std::optional<std::uint64_t>;
using Index = std::function<At(const Thread&)>;  // of a word of four bytes

constexpr auto kNobody = std::nullopt;

// Sizes by name; the grid: gx, gy, bx, by; a matrix's side: n. 0: not said.
struct Spec {
  const Sizes& sizes;
  std::uint64_t operator[](const std::string& name) const {
    const auto found = sizes.find(name);
    return found == sizes.end() ? 0 : found->second;
  }
};

constexpr bool of_array(What what) {
  return what == What::kLoad4 || what == What::kStore4 || what == What::kLoad8 ||
         what == What::kStore8 || what == What::kLoad16 || what == What::kStore16;
}

// `bytes`: of an element that the index counts.
inline Access elements(What what, unsigned which, std::uint64_t bytes, Index index) {
  const std::uint64_t base = of_array(what) ? array(which) : 0;
  return {what, [=](const Thread& t) -> At {
            const At i = index(t);
            return i ? At(base + bytes * *i) : kNobody;
          }};
}
inline Access load(unsigned which, Index index) {
  return elements(What::kLoad4, which, 4, std::move(index));
}
inline Access store(unsigned which, Index index) {
  return elements(What::kStore4, which, 4, std::move(index));
}
inline Access shared_load(Index index) {
  return elements(What::kSharedLoad4, 0, 4, std::move(index));
}
inline Access shared_store(Index index) {
  return elements(What::kSharedStore4, 0, 4, std::move(index));
}

inline std::vector<Access> join(std::vector<Access> a, const std::vector<Access>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

using Make = std::function<std::vector<Access>(const Spec&)>;
using Makers = std::map<std::string, Make>;

// Kernels by name, a file each.
const Makers& plain_kernels();
const Makers& block_kernels();
const Makers& case_kernels();

}  // namespace warpmem::catalogue
