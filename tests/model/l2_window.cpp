// What stays in the L2 behind a stream, as an H200 (cards/gpus/h200/l2_window.csv) and an H100
// (l2_stay.csv) counted it: in shares of what is read again. The H100's L2 has other ways, so that
// of its figures those are held that hang on no size.
#include <array>
#include <memory>

#include "model/card/card.hpp"
#include "model/card/memory_system_of.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::model;

namespace {

constexpr std::uint64_t kMiB = 1 << 20, kWindow = 1ull << 36, kStream = 1ull << 37;
constexpr std::uint64_t kRequest = 512;  // bytes of a warp's access: 16 a lane
constexpr auto kPersist = PolicyWindow::Property::kPersisting;
constexpr auto kStreaming = PolicyWindow::Property::kStreaming;
constexpr auto kNormal = PolicyWindow::Property::kNormal;

class Gpu {
 public:
  explicit Gpu(bool timed = false)
      : card_(Card(*load_card("h200"))), memory_(memory_system_of(card_, timed)), timed_(timed) {}

  // Another launch, which finds the L2 as it is.
  void launch(LaunchMemory launch = {}) {
    launch.flush_l2 = first_;
    first_ = false;
    memory_->begin_launch(launch);
  }
  void launch(const PolicyWindow& window, std::uint64_t mib_aside) {
    LaunchMemory l;
    l.window = window;
    l.set_aside = mib_aside * kMiB;
    launch(l);
  }

  // One CTA of 32 warps on each SM: bytes side by side, all SMs together. DRAM sectors read.
  std::uint64_t access(std::uint64_t at, std::uint64_t bytes, AccessPlan plan,
                       std::uint64_t step = 16) {
    if (!plan.instructions) plan.instructions = &LaunchCounters::inst_global_ld;
    const std::uint64_t before = memory_->counted().l2.dram_read;
    const std::uint64_t each = std::max<std::uint64_t>(32 * step, plan.bytes);
    for (std::uint64_t k = 0; k * each < bytes; ++k) {
      AccessTiming t;
      t.sm = static_cast<int>(k / 32 % card_.numbers().sm_count);
      t.now = t.tags = timed_ ? now_ += 4 : k / 32 / card_.numbers().sm_count * 64;
      WarpLanes w;
      w.mask = plan.bytes > 16 ? 1 : ~0u;
      w.stride = static_cast<std::int32_t>(step);
      w.base = at + k * each;
      memory_->run(w, plan, t);
    }
    return memory_->counted().l2.dram_read - before;
  }
  std::uint64_t read(std::uint64_t at, std::uint64_t bytes, Stay own = Stay::kUnsaid) {
    AccessPlan plan;
    plan.action = Action::kGlobalLoad;
    plan.bypass_l1 = true;
    plan.bytes = 16;
    plan.stay = own;
    return access(at, bytes, plan);
  }
  const LaunchCounters counted() const { return memory_->counted(); }

 private:
  const Card card_;
  std::unique_ptr<MemorySystem> memory_;
  bool timed_, first_ = true;
  std::uint64_t now_ = 0;
};

struct Case {
  PolicyWindow::Property hit = kNormal, miss = kNormal;
  std::uint64_t window = 0, stream = 0;  // MiB
  float ratio = 1;
  std::uint64_t aside = 0;  // MiB
};

// The share of the window that is read again without DRAM, all in one launch (window_once) or by
// launches behind 256 MiB of others (read_again).
double kept(const Case& c, bool once, bool timed = false) {
  Gpu gpu(timed);
  const std::uint64_t bytes = c.window * kMiB;
  const PolicyWindow window{kWindow, c.hit == kNormal && c.miss == kNormal ? 0 : bytes, c.ratio,
                            c.hit, c.miss};
  if (!once) {
    gpu.launch();
    gpu.read(kStream, 256 * kMiB);
  }
  gpu.launch(window, c.aside);
  gpu.read(kWindow, bytes);
  if (!once) gpu.launch(window, c.aside);
  gpu.read(kStream, c.stream * kMiB);
  if (!once) gpu.launch(window, c.aside);
  const auto missed = static_cast<double>(gpu.read(kWindow, bytes));
  return 1 - missed / static_cast<double>(bytes / 32);
}

}  // namespace

TEST_CASE("a window stays up to what is set aside, once") {
  for (const bool once : {true, false}) {
    INFO(once);
    // 1 - 3145936 / (3 x 2^20 + 2^20) and so on: all of it.
    CHECK(kept({kPersist, kStreaming, 32, 64, 1, 37}, once) == Approx(1.0).margin(0.001));
    CHECK(kept({kPersist, kStreaming, 4, 256, 1, 8}, once) == Approx(1.0).margin(0.001));
    CHECK(kept({kPersist, kStreaming, 24, 64, 1, 8}, once) == Approx(0.004).margin(0.005));
    CHECK(kept({kPersist, kStreaming, 48, 64, 1, 37}, once) == Approx(0.013).margin(0.02));
    CHECK(kept({kNormal, kNormal, 4, 64, 1, 0}, once) == Approx(0.0).margin(0.001));
  }
  CHECK(kept({kPersist, kStreaming, 32, 64, 1, 37}, true, true) == Approx(1.0).margin(0.001));
}

TEST_CASE("the hit ratio comes in sixteenths, and one more") {
  // 73,736 of 131,072; 294,900 of 524,288.
  CHECK(kept({kPersist, kStreaming, 4, 64, 0.5f, 37}, true) == Approx(0.5625).margin(0.002));
  CHECK(kept({kPersist, kNormal, 16, 64, 0.5f, 37}, false) == Approx(0.5625).margin(0.002));
  // Of an H100's: the ratio, and sixteenths that stayed of 4 MiB behind 64.
  const std::pair<float, int> measured[] = {{0.f, 1},   {0.03f, 1}, {0.1f, 2},   {0.125f, 3},
                                            {0.2f, 4},  {0.25f, 5}, {0.3f, 5},   {0.4f, 7},
                                            {0.45f, 8}, {0.6f, 10}, {0.7f, 12},  {0.75f, 13},
                                            {0.8f, 13}, {0.9f, 15}, {0.93f, 15}, {0.95f, 16}};
  for (const auto& [ratio, sixteenths] : measured) {
    INFO(ratio);
    int n = 0;
    for (std::uint64_t line = 0x12340; line < 0x12350; ++line) n += in_hit_ratio(line, ratio);
    CHECK(n == sixteenths);
  }
}

TEST_CASE("what streams goes first, but not from an L2 that has room") {
  // read_again and window_once of 4 MiB behind 16: 131,080 and 0 of 131,072 from DRAM.
  CHECK(kept({kStreaming, kNormal, 4, 16}, false) == Approx(0.0).margin(0.001));
  CHECK(kept({kNormal, kNormal, 4, 16}, false) == Approx(1.0).margin(0.002));
  CHECK(kept({kStreaming, kNormal, 4, 16}, true) == Approx(1.0).margin(0.001));
  // Those that miss the ratio stream: 57,352 of 131,072.
  CHECK(kept({kPersist, kStreaming, 4, 16, 0.5f, 37}, false) == Approx(0.5625).margin(0.002));
  CHECK(kept({kPersist, kNormal, 4, 16, 0.5f, 37}, false) == Approx(1.0).margin(0.002));
  // Loads with an eviction priority of their own (H100: 981 of 131,072 sectors hit, 132,033 with
  // none).
  for (const auto& [own, share] : {std::pair{Stay::kFirst, 0.0}, std::pair{Stay::kUnsaid, 1.0}}) {
    Gpu gpu;
    gpu.launch();
    gpu.read(kStream, 256 * kMiB);
    gpu.read(kWindow, 4 * kMiB, own);
    gpu.read(kStream, 16 * kMiB);
    const auto missed = static_cast<double>(gpu.read(kWindow, 4 * kMiB));
    CHECK(1 - missed / 131072 == Approx(share).margin(0.01));
  }
}

TEST_CASE("an access says how long its line stays from then on") {
  // H100: 4 MiB that persist, read again in another way, behind 64 (16 where it streams).
  const auto behind = [](PolicyWindow second, std::uint64_t stream, bool end = false) {
    Gpu gpu;
    gpu.launch({kWindow, 4 * kMiB, 1, kPersist, kNormal}, 30);
    gpu.read(kWindow, 4 * kMiB);
    gpu.launch(second, 30);
    gpu.read(kWindow, 4 * kMiB);
    LaunchMemory last;
    last.set_aside = 30 * kMiB;
    last.ends_persisting = end;
    gpu.launch(last);
    gpu.read(kStream, stream * kMiB);
    return 1 - static_cast<double>(gpu.read(kWindow, 4 * kMiB)) / 131072;
  };
  const auto window = [](PolicyWindow::Property hit) {
    return PolicyWindow{kWindow, 4 * kMiB, 1, hit, kNormal};
  };
  CHECK(behind({}, 64) == Approx(1.0).margin(0.001));                  // 131,289 sectors hit
  CHECK(behind(window(kPersist), 64) == Approx(1.0).margin(0.001));    // 131,270
  CHECK(behind(window(kStreaming), 16) == Approx(1.0).margin(0.001));  // 131,270
  CHECK(behind({}, 64, true) == Approx(0.0).margin(0.001));
}

TEST_CASE("lines have at least one way to persist in, and whole ones") {
  // H100, 1/16 of the L2 a way: 1 to 3 MiB keep one, 4 and 6 two, 8 three, 16 six, 31 ten; so does
  // nothing set aside keep one.
  constexpr std::uint64_t kWay = 50 * kMiB / 16;
  const std::pair<std::uint64_t, std::uint32_t> measured[] = {{0, 1}, {1, 1}, {3, 1},  {4, 2},
                                                              {6, 2}, {8, 3}, {16, 6}, {31, 10}};
  for (const auto& [mib, ways] : measured) CHECK(persisting_ways(mib * kMiB, kWay, 16) == ways);
}

TEST_CASE("the fetch granularity is a least, and a load's own takes its place") {
  // read_strided: 131,072 words, DRAM sectors by granularity, step and hint.
  const std::array<std::uint64_t, 4> measured[] = {
      {32, 64, 0, 131080},    {64, 64, 0, 262152},   {128, 64, 0, 262152}, {32, 128, 0, 131080},
      {64, 128, 0, 262152},   {128, 128, 0, 524296}, {32, 64, 64, 262152}, {32, 128, 128, 524296},
      {128, 128, 64, 262216}, {64, 128, 128, 524296}};
  for (const auto& [granularity, step, hint, sectors] : measured) {
    INFO(granularity << ' ' << step << ' ' << hint);
    Gpu gpu;
    LaunchMemory l;
    l.fetch_bytes = granularity;
    gpu.launch(l);
    AccessPlan plan;
    plan.action = Action::kGlobalLoad;
    plan.bypass_l1 = true;
    plan.bytes = 4;
    plan.fetch_sectors = static_cast<std::uint32_t>(hint / 32);
    const std::uint64_t fetched = gpu.access(kWindow, 131072 * step, plan, step);
    CHECK(static_cast<double>(fetched) == Approx(static_cast<double>(sectors)).epsilon(0.001));
  }
}

TEST_CASE("L2::256B brings the block's other line, once") {
  // read_strided, granularity=64, hint=256: words in every sector, line, and block of two lines.
  const std::array<std::uint64_t, 2> measured[] = {{64, 262152}, {128, 524296}, {256, 1020664}};
  for (const bool timed : {false, true})
    for (const bool past_l1 : {false, true})
      for (const auto& [step, sectors] : measured) {
        INFO(timed << ' ' << past_l1 << ' ' << step);
        Gpu gpu(timed);
        gpu.launch();
        AccessPlan plan;
        plan.action = Action::kGlobalLoad;
        plan.bypass_l1 = past_l1;
        plan.bytes = 4;
        plan.fetch_sectors = 8;
        const std::uint64_t fetched = gpu.access(kWindow, 131072 * step, plan, step);
        // An H200 drops some.
        CHECK(static_cast<double>(fetched) == Approx(static_cast<double>(sectors)).epsilon(0.03));
        CHECK(gpu.counted().l2.prefetch == 0);
      }
}

TEST_CASE("prefetches bring lines to their home alone") {
  // prefetch_range and read_again of 4 MiB: bulk, evict_last and plain ones.
  AccessPlan bulk;
  bulk.action = Action::kPrefetch;
  bulk.bytes = 16384;
  AccessPlan lanes = bulk;
  lanes.bytes = 0;
  for (const bool timed : {false, true})
    for (const auto& [plan, step] :
         {std::pair{bulk, 16u}, std::pair{lanes, 32u}, std::pair{lanes, 128u}}) {
      INFO(timed << ' ' << step);
      Gpu gpu(timed);
      gpu.launch();
      CHECK(gpu.access(kWindow, 4 * kMiB, plan, step) == 131072);  // 131,088 and 131,096
      CHECK(gpu.counted().l2.prefetch == 131072);                  // 131,072
      CHECK(gpu.counted().l2.fabric_prefetch == 65536);            // 65,662 and 68,576
      CHECK(gpu.counted().l2.read == 0);
      CHECK(gpu.read(kWindow, 4 * kMiB) == 0);       // 8
      CHECK(gpu.counted().l2.fabric_read == 65536);  // 72,600, with the launch's
    }
}

TEST_CASE("discarded lines are not written back, and those of lower priority are") {
  // Written 4 MiB, given up or not, 128 MiB read: 3,640 and 134,368 sectors written to DRAM.
  for (const auto& [what, written] :
       {std::pair{LineRequest::kDiscard, 0.0}, std::pair{LineRequest::kChange, 131072.0}}) {
    Gpu gpu;
    gpu.launch();
    AccessPlan store;
    store.action = Action::kGlobalStore;
    store.bytes = 16;
    store.instructions = &LaunchCounters::inst_global_st;
    gpu.access(kWindow, 4 * kMiB, store);
    AccessPlan plan;
    plan.action = Action::kPrefetch;
    plan.line_request = what;
    plan.stay = Stay::kNormal;
    CHECK(gpu.access(kWindow, 4 * kMiB, plan, 128) == 0);
    const std::uint64_t before = gpu.counted().l2.dram_write;
    gpu.read(kStream, 128 * kMiB);
    // What a launch finds dirty (launch.dirty_sectors) is written back as well.
    CHECK(static_cast<double>(gpu.counted().l2.dram_write - before) - 73800 ==
          Approx(written).margin(6000));
  }
}
