#include "tests/catalogue/accesses.hpp"

namespace warpmem::catalogue {

Result<Kernel> make_kernel(const std::string& name, const Sizes& sizes) {
  const Spec s{sizes};
  const auto one = [](std::uint64_t v) { return static_cast<std::uint32_t>(v ? v : 1); };
  for (const Makers* makers : {&plain_kernels(), &block_kernels(), &case_kernels()}) {
    const auto found = makers->find(name);
    if (found == makers->end()) continue;
    constexpr std::uint64_t kMiB = 1 << 20;
    Window window{s["window"] * kMiB, s["aside"] * kMiB, 1};
    if (s["permille"]) window.hit_ratio = static_cast<float>(s["permille"]) / 1000;
    return Kernel{{one(s["gx"]), one(s["gy"]), one(s["bx"]), one(s["by"])},
                  found->second(s),
                  window};
  }
  return Error{ErrorKind::kUsage, "there is no kernel '" + name + "'", "",
               "see the tables at the ends of tests/catalogue/*_kernels.cpp and kernels.cpp"};
}

}  // namespace warpmem::catalogue
