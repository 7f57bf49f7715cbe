// More of this repository's kernels, from their PTX to right results: shuffles, scans, histograms,
// clusters, bulk copies, matrix fragments.
#include "emulate/executor/half.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

namespace {

std::vector<u32> words(std::size_t n) {
  std::vector<u32> v(n);
  u32 x = 12345;
  for (u32& w : v) w = x = x * 1664525u + 1013904223u;
  return v;
}
void run(Machine& m, const std::string& entry, Dim3 grid, Dim3 block, u32 dynamic_shared = 0) {
  const auto ok = m.launch(entry, grid, block, dynamic_shared);
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
}

}  // namespace

TEST_CASE("the four reductions add up the same numbers") {
  for (const char* name : {"reduction_divergent", "reduction_interleaved", "reduction_sequential",
                           "reduction_shuffle"}) {
    Machine m(shipped("reduction.ptx"));
    std::vector<float> x(4096);
    float sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] = static_cast<float>(i % 7) - 3;
    const auto sums = m.buffer(std::vector<float>(16));
    m.argument(m.buffer(x)), m.argument(sums), m.argument(4096);
    run(m, name, {16, 1, 1}, {256, 1, 1}, 1024);
    float got = 0;
    for (const float s : m.read<float>(sums, 16)) got += s;
    INFO(name);
    CHECK(got == sum);
  }
}

TEST_CASE("histograms in global and in shared memory count every byte") {
  std::vector<std::uint8_t> bytes(10000);
  std::vector<u32> expected(256);
  const auto source = words(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    ++expected[bytes[i] = static_cast<std::uint8_t>(source[i] >> 24)];
  for (const char* name : {"histogram_global", "histogram_shared"}) {
    Machine m(shipped("histogram.ptx"));
    const auto bins = m.buffer(std::vector<u32>(256));
    m.argument(m.buffer(bytes)), m.argument(bins), m.argument(10000);
    run(m, name, {40, 1, 1}, {256, 1, 1});
    INFO(name);
    CHECK(m.read<u32>(bins, 256) == expected);
  }
}

TEST_CASE("a cluster reads the next CTA's shared memory and writes the one's before") {
  const auto x = words(2048);
  for (const bool writes : {false, true}) {
    Machine m(shipped("cluster.ptx"));
    const auto out = m.buffer(std::vector<u32>(2048));
    m.argument(m.buffer(x)), m.argument(out);
    m.cluster = {4, 1, 1};
    run(m, writes ? "cluster_write" : "cluster_read", {8, 1, 1}, {256, 1, 1});
    const auto got = m.read<u32>(out, 2048);
    bool right = true;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t t = i % 256, cta = i / 256, first = cta / 4 * 4,
                        other = (cta % 4 + (writes ? 3 : 1)) % 4;
      right = right && got[i] == x[(first + other) * 256 + (writes ? 255 - t : t)];
    }
    CHECK(right);
  }
  SECTION("and counts in it") {
    Machine m(shipped("cluster.ptx"));
    const auto out = m.buffer(std::vector<u32>(256));
    std::vector<u32> expected(256);
    for (const u32 w : x) ++expected[w % 256];
    m.argument(m.buffer(x)), m.argument(out);
    m.cluster = {4, 1, 1};
    run(m, "cluster_histogram", {8, 1, 1}, {256, 1, 1});
    CHECK(m.read<u32>(out, 256) == expected);
  }
}

TEST_CASE("bulk copies bring a tile in and take it out") {
  const auto x = words(4096);
  for (const char* name : {"bulk_copy_load", "bulk_copy_store"}) {
    Machine m(shipped("bulk_copy.ptx"));
    const auto out = m.buffer(std::vector<u32>(4096));
    m.argument(m.buffer(x)), m.argument(out);
    run(m, name, {4, 1, 1}, {256, 1, 1});
    const auto got = m.read<u32>(out, 4096);
    bool right = true;
    for (std::size_t i = 0; i < got.size(); ++i) right = right && got[i] == x[i] * 3;
    INFO(name);
    CHECK(right);
  }
}

TEST_CASE("bulk reductions add tiles up in global memory") {
  const auto x = words(4096);
  Machine m(shipped("bulk_copy.ptx"));
  const auto out = m.buffer(std::vector<u32>(1024));
  m.argument(m.buffer(x)), m.argument(out);
  run(m, "bulk_copy_reduce", {4, 1, 1}, {256, 1, 1});
  const auto got = m.read<u32>(out, 1024);
  bool right = true;
  for (std::size_t i = 0; i < got.size(); ++i)
    right = right && got[i] == 3 * (x[i] + x[i + 1024] + x[i + 2048] + x[i + 3072]);
  CHECK(right);
}

TEST_CASE("matrix fragments: ldmatrix, turned and not, stmatrix, and mma") {
  constexpr std::size_t n = 64;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    a[i] = static_cast<float>(i * 7 % 5) - 2, b[i] = static_cast<float>(i * 11 % 7) - 3;
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t x = 0; x < n; ++x) c[y * n + x] += a[y * n + k] * b[k * n + x];
  std::vector<u16> ha(n * n), hb(n * n), turned(n * n);
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t x = 0; x < n; ++x)
      ha[y * n + x] = half_of(a[y * n + x]), hb[y * n + x] = half_of(b[y * n + x]),
                 turned[x * n + y] = half_of(b[y * n + x]);
  for (const std::string name :
       {"tensor_core_ldmatrix", "tensor_core_ldmatrix_padded", "tensor_core_ldmatrix_turned"}) {
    Machine m(shipped("tensor_core.ptx"));
    const auto out = m.buffer(std::vector<float>(n * n));
    m.argument(m.buffer(ha)), m.argument(m.buffer(name.ends_with("turned") ? hb : turned)),
        m.argument(out), m.argument(static_cast<int>(n));
    run(m, name, {2, 2, 1}, {128, 1, 1});
    INFO(name);
    CHECK(m.read<float>(out, n * n) == c);
  }
}
