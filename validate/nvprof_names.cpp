#include "validate/nvprof_names.hpp"

#include <array>
#include <utility>

#include "metrics/metric.hpp"

namespace warpmem::validate {
namespace {

constexpr std::array kSaid = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"Global Load Transactions", "gld_transactions"},
    {"Global Store Transactions", "gst_transactions"},
    {"Global Load Transactions Per Request", "gld_transactions_per_request"},
    {"Global Store Transactions Per Request", "gst_transactions_per_request"},
    {"Global Memory Load Efficiency", "gld_efficiency"},
    {"Global Memory Store Efficiency", "gst_efficiency"},
    {"Global Load Throughput", "gld_throughput"},
    {"Global Store Throughput", "gst_throughput"},
    {"Requested Global Load Throughput", "gld_requested_throughput"},
    {"Requested Global Store Throughput", "gst_requested_throughput"},
    {"Local Load Transactions", "local_load_transactions"},
    {"Local Store Transactions", "local_store_transactions"},
    {"Shared Load Transactions", "shared_load_transactions"},
    {"Shared Store Transactions", "shared_store_transactions"},
    {"Shared Memory Load Transactions Per Request", "shared_load_transactions_per_request"},
    {"Shared Memory Store Transactions Per Request", "shared_store_transactions_per_request"},
    {"Shared Memory Efficiency", "shared_efficiency"},
    {"Shared Memory Load Throughput", "shared_load_throughput"},
    {"Shared Memory Store Throughput", "shared_store_throughput"},
    {"L2 Read Transactions", "l2_read_transactions"},
    {"L2 Write Transactions", "l2_write_transactions"},
    {"L2 Throughput (Reads)", "l2_read_throughput"},
    {"L2 Throughput (Writes)", "l2_write_throughput"},
    {"Device Memory Read Transactions", "dram_read_transactions"},
    {"Device Memory Write Transactions", "dram_write_transactions"},
    {"Device Memory Read Throughput", "dram_read_throughput"},
    {"Device Memory Write Throughput", "dram_write_throughput"},
    {"L1 Global Hit Rate", "l1_cache_global_hit_rate"},
    {"L1 Local Hit Rate", "l1_cache_local_hit_rate"},
    {"Global Hit Rate in unified l1/tex", "global_hit_rate"},
    {"Local Hit Rate", "local_hit_rate"},
    {"Texture Cache Hit Rate", "tex_cache_hit_rate"},
    {"Unified Cache Hit Rate", "tex_cache_hit_rate"},
    {"Texture Cache Transactions", "tex_cache_transactions"},
    {"Unified Cache Transactions", "tex_cache_transactions"},
    {"L2 Hit Rate (L1 Reads)", "l2_l1_read_hit_rate"},
    {"L2 Hit Rate (Texture Reads)", "l2_tex_read_hit_rate"},
    {"L2 Transactions (Texture Reads)", "l2_tex_read_transactions"},
    {"L2 Transactions (Texture Writes)", "l2_tex_write_transactions"},
    {"Instruction Replay Overhead", "inst_replay_overhead"},
    {"Shared Memory Replay Overhead", "shared_replay_overhead"},
    {"Global Memory Replay Overhead", "global_replay_overhead"},
});

}  // namespace

std::string nvprof_metric_of_column(std::string_view column) {
  if (metrics::find(metrics::Vocabulary::kNvprof, column)) return std::string(column);
  for (const auto& [said, name] : kSaid)
    if (column == said) return std::string(name);
  return {};
}

}  // namespace warpmem::validate
