// A launch that is shared out among threads counts what it counts on one.
#include "model/card/card.hpp"
#include "sim/counts/many_sms.hpp"
#include "sim/replay.hpp"
#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

namespace warpmem::testing {
namespace {

// Every launch on all threads, in all of its steps.
sim::ReplayOptions shared_out(unsigned threads) {
  sim::ReplayOptions o;
  o.threads = threads;
  o.few_threads = 2;
  o.few_records = 0;
  o.few_warps = 0;
  return o;
}

// Launches of which some counter or note is another than on one thread: their numbers.
std::string differences(const trace::TraceReader& reader, const model::Card& card,
                        const sim::ReplayOptions& options) {
  const auto one = sim::replay(reader, card);
  const auto many = sim::replay(reader, card, options);
  if (!one || !many) {
    const std::string a = one ? "" : one.error().text(), b = many ? "" : many.error().text();
    return a == b ? "" : a + " | " + b;
  }
  std::string out;
  for (std::size_t k = 0; k < one->details.size(); ++k)
    if (!(one->details[k].counters == many->details[k].counters) ||
        one->details[k].notes != many->details[k].notes)
      out += " launch " + std::to_string(k);
  return out;
}

std::string differences(const std::string& path, unsigned threads,
                        const std::vector<model::CardSetting>& settings = {}) {
  const auto reader = trace::TraceReader::open(path);
  if (!reader) return reader.error().text();
  auto card = model::load_card("h200");
  if (!card) return card.error().text();
  if (auto ok = card->set(settings); !ok) return ok.error().text();
  return differences(*reader, *card, shared_out(threads));
}

// Reads, stores of whole sectors and of parts, atomics, copies past and through the L1, shared and
// local memory, barriers, texture fetches; SMs that share lines, and some that do not.
constexpr const char* kTraces[] = {
    "vector_copy_b1",      "spmv_scalar",         "matmul_tiled32",
    "gather_random",       "histogram_global",    "stencil2d_tiled",
    "async_copy_stages4",  "transpose_naive_row", "local_memory_array_per_lane",
    "atomics_same_word",   "bulk_copy_load",      "bulk_copy_prefetch",
    "scatter_random",      "texture_filter",      "load_paths_ldcg",
    "l2_window_persisting", "zero_copy_read"};

TEST_CASE("A launch on several threads counts what it counts on one") {
  for (const char* name : kTraces) {
    const std::string path = std::string(WARPMEM_REFERENCE) + "/" + name + ".wmt";
    INFO(name);
    CHECK(differences(path, 2) == "");
  }
}

TEST_CASE("A launch counts the same on any number of threads") {
  for (const char* name : {"gather_random", "histogram_global"}) {
    INFO(name);
    for (const unsigned threads : {3u, 4u, 16u})
      CHECK(differences(std::string(WARPMEM_REFERENCE) + "/" + name + ".wmt", threads) == "");
  }
}

// Little is to be done in each step, so that threads come and go.
TEST_CASE("A launch that takes several threads now and then counts what it counts on one") {
  const std::string path = std::string(WARPMEM_REFERENCE) + "/matmul_tiled16.wmt";
  const auto reader = trace::TraceReader::open(path);
  const auto card = model::load_card("h200");
  REQUIRE(reader);
  REQUIRE(card);
  sim::ReplayOptions o = shared_out(2);
  o.few_warps = 300;
  CHECK(differences(*reader, *card, o) == "");
}

TEST_CASE("Launches on other cards count the same on several threads") {
  const std::string path = std::string(WARPMEM_REFERENCE) + "/gather_random.wmt";
  CHECK(differences(path, 3, {{"l2.size", "4MiB"}, {"launch.dirty_sectors", "512"}}) == "");
  CHECK(differences(path, 3, {{"lrc.merge", "1"}, {"l1.read_cycles", "0"}}) == "");
  CHECK(differences(path, 3, {{"sm.count", "8"}}) == "");
  // Answers that come within a step are none that can wait: one thread takes it.
  CHECK(differences(path, 3, {{"lrc.way_cycles", "30"}, {"latency.l2_near", "40"}}) == "");
}

// Warps stand at a barrier that others of their CTA never reach.
TEST_CASE("Barriers that are opened by force are so in the same step on several threads") {
  const TemporaryFolder folder;
  Kernel k = kernel(40, 128);
  const auto load = k.site(Op::kLoad, Space::kGlobal, 4);
  const auto barrier = k.site(Op::kBarrier, Space::kNone, 0);
  k.fill = [&](Warp& w) {
    w.records.push_back(regular(load, kA + (w.cta * 4 + w.warp) * 128, 4));
    for (std::uint32_t n = 0; n <= w.warp; ++n) w.records.push_back(regular(barrier, n, 128));
    w.records.push_back(regular(load, kB + (w.cta * 4 + w.warp) * 128, 4));
  };
  const std::string path = folder.file("stuck.wmt");
  write_trace(path, {k});
  const auto reader = trace::TraceReader::open(path);
  const auto card = model::load_card("h200");
  REQUIRE(reader);
  REQUIRE(card);
  const auto one = sim::replay(*reader, *card);
  REQUIRE(one);
  REQUIRE_FALSE(one->details[0].notes.empty());
  CHECK(differences(*reader, *card, shared_out(3)) == "");
}

TEST_CASE("A replay on several threads stops when it is told to") {
  const auto reader =
      trace::TraceReader::open(std::string(WARPMEM_REFERENCE) + "/vector_copy_b4.wmt");
  const auto card = model::load_card("h200");
  REQUIRE(reader);
  REQUIRE(card);
  sim::ReplayOptions o = shared_out(3);
  o.progress = [](std::uint64_t, std::uint64_t) { return false; };
  const auto stopped = sim::replay(*reader, *card, o);
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().kind == ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace warpmem::testing
