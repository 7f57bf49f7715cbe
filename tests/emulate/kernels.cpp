// Kernels of this repository, from their PTX to results and to the counters of a replay.
#include <cstdio>
#include <filesystem>
#include <string>

#include "model/card/card.hpp"
#include "sim/replay.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;

namespace {

std::vector<float> small_floats(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 20) % 7 - 3);
  return v;
}

struct Replayed {
  LaunchMetrics metrics;
  std::uint64_t operator[](const char* name) const {
    return static_cast<std::uint64_t>(metrics.metrics.at(name).value);
  }
};

Replayed launch_and_replay(Machine& m, const std::string& entry, Dim3 grid, Dim3 block,
                           std::uint32_t dynamic = 0) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("warpmem-emulate-" + entry + ".wmt")).string();
  const auto ok = m.launch(entry, grid, block, dynamic, path);
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  auto reader = trace::TraceReader::open(path);
  INFO((reader ? std::string() : reader.error().text()));
  REQUIRE(reader.ok());
  auto card = model::load_card("h200");
  REQUIRE(card.ok());
  auto result = sim::replay(*reader, *card);
  INFO((result ? std::string() : result.error().text()));
  REQUIRE(result.ok());
  std::filesystem::remove(path);
  return {result->launches.at(0)};
}

constexpr const char* kLoads = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kStores = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";

}  // namespace

TEST_CASE("a vector copy moves its elements, four sectors a request") {
  Machine m(shipped("vector_copy.ptx"));
  const auto x = small_floats(5000);
  const auto in = m.buffer(x), out = m.buffer(std::vector<float>(5000));
  m.argument(in), m.argument(out), m.argument(5000);
  const Replayed r = launch_and_replay(m, "vector_copy_b4", {20, 1, 1}, {256, 1, 1});
  CHECK(m.read<float>(out, 5000) == x);
  CHECK(r[kLoads] == 157);
  CHECK(r[kLoadSectors] == 625);
  CHECK(r[kStores] == 157);
  CHECK(r[kStoreSectors] == 625);
}

TEST_CASE(
    "a matrix transposed naively stores a sector for every two lanes, through shared memory for "
    "every eight") {
  const int n = 64;
  const auto x = small_floats(n * n);
  for (const char* name : {"transpose_naive_row", "transpose_shared_padded"}) {
    const bool naive = std::string(name) == "transpose_naive_row";
    const Dim3 grid = naive ? Dim3{4, 4, 1} : Dim3{2, 2, 1},
               block = naive ? Dim3{16, 16, 1} : Dim3{32, 8, 1};
    Machine m(shipped("transpose.ptx"));
    const auto in = m.buffer(x), out = m.buffer(std::vector<float>(n * n));
    m.argument(in), m.argument(out), m.argument(n);
    const Replayed r = launch_and_replay(m, name, grid, block);
    const auto y = m.read<float>(out, n * n);
    bool right = true;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k)
        right = right &&
                y[static_cast<std::size_t>(k * n + i)] == x[static_cast<std::size_t>(i * n + k)];
    INFO(name);
    CHECK(right);
    CHECK(r[kLoads] == 128);
    CHECK(r[kLoadSectors] == 512);
    CHECK(r[kStores] == 128);
    CHECK(r[kStoreSectors] == (std::string(name) == "transpose_naive_row" ? 2048u : 512u));
  }
}

TEST_CASE("the same launch traced twice gives the same bytes") {
  std::string bytes[2];
  for (std::string& text : bytes) {
    Machine m(shipped("vector_copy.ptx"));
    const auto in = m.buffer(small_floats(4096)), out = m.buffer(std::vector<float>(4096));
    m.argument(in), m.argument(out), m.argument(1024);
    const auto path =
        (std::filesystem::temp_directory_path() / "warpmem-emulate-twice.wmt").string();
    REQUIRE(m.launch("vector_copy_b16", {4, 1, 1}, {256, 1, 1}, 0, path).ok());
    std::FILE* f = std::fopen(path.c_str(), "rb");
    REQUIRE(f);
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) text.append(buffer, n);
    std::fclose(f);
    std::filesystem::remove(path);
  }
  CHECK(bytes[0] == bytes[1]);
  CHECK(!bytes[0].empty());
}
