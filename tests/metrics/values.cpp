// Metrics come to the figures that profilers and textbooks print, from counters of such launches.
#include <map>
#include <string>

#include "metrics/metric.hpp"
#include "tests/catch.hpp"

using namespace warpmem::metrics;

namespace {

using Counts = std::map<std::string, double, std::less<>>;

Value on(unsigned capability, Vocabulary v, const char* name, const Counts& counts) {
  const Metric* const metric = find(v, name);
  REQUIRE(metric != nullptr);
  return value_of(v, *metric, capability, [&](std::string_view counter) -> std::optional<Value> {
    const auto found = counts.find(counter);
    if (found == counts.end()) return std::nullopt;
    return Value{found->second, {}};
  });
}

double number(unsigned capability, Vocabulary v, const char* name, const Counts& counts) {
  const Value value = on(capability, v, name, counts);
  INFO(name << ": " << value.missing);
  REQUIRE(value.known());
  return value.value;
}

constexpr auto kNvprof = Vocabulary::kNvprof;
constexpr auto kVisual = Vocabulary::kVisualProfiler;
constexpr auto kNcu = Vocabulary::kNcu;

}  // namespace

TEST_CASE("nvprof on 7.0: a transposing store of 16 x 16 threads has 25 % and 16 transactions") {
  // V100, 2048 x 2048 floats: gst_efficiency 25, as profiled; 4096 x 4096 in blocks of 16 x 32:
  // 16 transactions a request.
  const Counts c{{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 2097152},
                 {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 131072},
                 {"smsp__sass_data_bytes_mem_global_op_st.sum", 16777216}};
  CHECK(number(70, kNvprof, "gst_efficiency", c) == 25);
  CHECK(number(70, kNvprof, "gst_transactions_per_request", c) == 16);
  CHECK(number(70, kNcu, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", c) == 25);
  CHECK(number(70, kNcu, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", c) ==
        8);
}

TEST_CASE("nvprof on 6.1: four requests a load and 16 transactions, broadcast or not") {
  // GTX 1080, a naive product of 2048 x 2048: 536,870,912 loads of a warp and a little more;
  // global_load_requests 2,148,007,936, gld_transactions 8,592,031,746.
  const Counts c{{"gld_request", 537001984}, {"gld_transactions", 8592031746}};
  CHECK(number(61, kNvprof, "global_load_requests", c) == Approx(2148007936).epsilon(1e-8));
  CHECK(number(61, kNvprof, "gld_transactions_per_request", c) == Approx(16).epsilon(1e-8));
}

TEST_CASE("Fermi with the L1: the textbook's cases of one warp of 4-byte words") {
  const auto efficiency = [](double lines) {
    return number(20, kNvprof, "gld_efficiency",
                  {{"gld_requested_bytes", 128}, {"gld_moved_bytes", 128 * lines}});
  };
  CHECK(efficiency(1) == 100);     // aligned, permuted or all lanes one word
  CHECK(efficiency(2) == 50);      // misaligned
  CHECK(efficiency(32) == 3.125);  // scattered
}

TEST_CASE("Fermi without the L1: segments of 32 bytes") {
  const auto efficiency = [](double segments) {
    return number(20, kNvprof, "gld_efficiency",
                  {{"gld_requested_bytes", 128}, {"gld_moved_bytes", 32 * segments}});
  };
  CHECK(efficiency(4) == 100);
  CHECK(efficiency(5) == 80);     // misaligned
  CHECK(efficiency(32) == 12.5);  // scattered
}

TEST_CASE("the Visual Profiler's throughput on 1.x adds transactions by their sizes") {
  // 1,000 of 32 bytes, 2,000 of 64, 3,000 of 128 in 1,000 us.
  const Counts c{{"gld_moved_bytes", 32000 + 128000 + 384000}, {"time_us", 1000}};
  CHECK(number(13, kVisual, "global_read_throughput", c) == Approx(0.544));
  // On 2.x it is what DRAM reads, 32 bytes each.
  CHECK(number(20, kVisual, "global_read_throughput",
               {{"dram_read_sectors", 1000000}, {"time_us", 1000}}) == Approx(32));
}

TEST_CASE("the Visual Profiler's formulas of 2.x") {
  const Counts c{{"l1_gld_hit", 75},
                 {"l1_gld_miss", 25},
                 {"shared_load_replays", 30},
                 {"shared_store_replays", 20},
                 {"shared_load", 10},
                 {"shared_store", 10},
                 {"l2_read_transactions", 200},
                 {"l2_write_transactions", 56},
                 {"dram_read_sectors", 50},
                 {"gld_requested_bytes", 3200},
                 {"l1_local_miss", 4},
                 {"inst_issued", 1000}};
  CHECK(number(20, kVisual, "l1_global_hit_rate", c) == 75);
  CHECK(number(20, kVisual, "bank_conflicts_per_shared_instruction", c) == 250);
  CHECK(number(20, kVisual, "shared_bank_conflict_replay", c) == 5);
  CHECK(number(20, kVisual, "global_memory_replay", c) == 2.5);
  CHECK(number(20, kVisual, "l2_read_hit_rate", c) == 75);
  CHECK(number(20, kVisual, "excess_load", c) == 50);
  CHECK(number(20, kVisual, "local_memory_bus_traffic", c) == 12.5);
}

TEST_CASE("a metric of other GPUs says of which") {
  CHECK(on(90, kVisual, "gld_coherent", {}).missing ==
        "the Visual Profiler counts it on compute capability 1.0 to 1.1");
  CHECK(on(35, kNcu, "lts__t_sector_hit_rate.pct", {}).missing ==
        "Nsight Compute counts it on compute capability 7.0 and later");
  CHECK(on(70, kNvprof, "inst_replay_overhead", {}).missing ==
        "instructions are not replayed from compute capability 7.0 on: the passes of an access "
        "are wavefronts of the L1");
}

TEST_CASE("a share of nothing is no number") {
  const Counts none{{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0},
                    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 0}};
  CHECK(on(70, kNvprof, "gld_transactions_per_request", none).missing ==
        "nothing to divide by: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum is 0");
}
