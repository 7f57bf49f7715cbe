// Runs PTX given as text: buffers in, buffers out, and the trace when asked for.
#pragma once

#include <string>
#include <vector>

#include "emulate/ptx/parser.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/gpu.hpp"
#include "tests/emulate/h200.hpp"

namespace warpmem::emulate::test {

class Machine : public Gpu {
 public:
  explicit Machine(const std::string& ptx, const std::string& name = "test.ptx");

  Result<void> launch(const std::string& entry, Dim3 grid, Dim3 block,
                      std::uint32_t dynamic_shared = 0, const std::string& trace_path = {});

  Dim3 cluster{1, 1, 1};
  bool cooperative = false;
  std::uint32_t sms = kH200Sms, sm_ctas = 1;
  std::uint64_t heap_bytes = kHeapBytes;
};

constexpr const char* kHeader = ".version 8.0\n.target sm_90\n.address_size 64\n";

// A kernel "k" whose thread i loads a[i], b[i], c[i] of these types, runs `body` on %a, %b, %c, and
// stores %d. A type of "" leaves the operand out.
std::string elementwise(const std::string& d, const std::string& a, const std::string& b,
                        const std::string& c, const std::string& body);

// Reads a file shipped beside the tests.
std::string shipped(const std::string& name);

template <class D, class A, class B = A, class C = A>
std::vector<D> compute(const std::string& body, const std::string& d, const std::string& a,
                       std::vector<A> x, const std::string& b = {}, std::vector<B> y = {},
                       const std::string& c = {}, std::vector<C> z = {}) {
  Machine m(elementwise(d, a, b, c, body));
  const std::size_t n = x.size();
  y.resize(n), z.resize(n);
  const std::uint64_t out = m.buffer(std::vector<D>(n));
  m.argument(out), m.argument(m.buffer(x)), m.argument(m.buffer(y)), m.argument(m.buffer(z));
  m.argument(static_cast<std::uint32_t>(n));
  const auto ok = m.launch("k", {static_cast<std::uint32_t>(n + 63) / 64, 1, 1}, {64, 1, 1});
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  return m.read<D>(out, n);
}

}  // namespace warpmem::emulate::test
