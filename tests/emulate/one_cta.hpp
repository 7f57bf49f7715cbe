// Kernels of one CTA whose threads store one word each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/emulate/support.hpp"

namespace warpmem::emulate::test {

inline std::vector<std::uint32_t> ramp(std::size_t n) {
  std::vector<std::uint32_t> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::uint32_t>(i);
  return v;
}

// One CTA: out[tid] = %d after `body`, in which %t is the thread's number and %o the buffer.
inline std::string one_cta(const std::string& body, const std::string& before = {}) {
  return std::string(kHeader) + before + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<10>; .reg .b32 %r<30>; .reg .b64 %rd<10>; .reg .b32 %t, %d; .reg .b64 %o;
  mov.u32 %t, %tid.x; mov.b32 %d, 0; ld.param.u64 %o, [out];
)" + body +
         R"(
  mul.wide.u32 %rd9, %t, 4; add.s64 %rd9, %o, %rd9; st.global.u32 [%rd9], %d;
  ret;
}
)";
}
inline std::vector<std::uint32_t> run_cta(const std::string& body, std::uint32_t threads,
                                          const std::string& before = {}) {
  Machine m(one_cta(body, before));
  const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(threads, 0xdddddddd));
  m.argument(out);
  const auto ok = m.launch("k", {1, 1, 1}, {threads, 1, 1});
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  return m.read<std::uint32_t>(out, threads);
}
inline Error fail_cta(const std::string& body, std::uint32_t threads = 32,
                      std::uint64_t limit = 0) {
  Machine m(one_cta(body));
  m.options.max_instructions = limit;
  m.argument(m.buffer(std::vector<std::uint32_t>(threads)));
  const auto ok = m.launch("k", {1, 1, 1}, {threads, 1, 1});
  REQUIRE(!ok.ok());
  INFO(ok.error().text());
  return ok.error();
}
inline bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace warpmem::emulate::test
