// Shared-memory passes: all lane patterns that an H200 was asked, and the slow twin.
#include "model/shared/shared_banks.hpp"

#include <random>
#include <set>

#include "tests/catch.hpp"
#include "tests/model/hardware_rows.hpp"
#include "tests/model/reference/shared.hpp"

using namespace warpmem;
using model::SharedKind;
using model::WarpAccess;

namespace {

// "load,8,stride2,ffffffff,0 16 32 …"
struct Pattern {
  WarpAccess access;
  SharedKind kind = SharedKind::kLoad;
};

Pattern parse(const std::string& label) {
  const auto part = testing::split(label, ',');
  Pattern p;
  p.access.bytes = static_cast<std::uint32_t>(std::stoul(part[1]));
  p.access.mask = static_cast<std::uint32_t>(std::stoul(part[3], nullptr, 16));
  const auto offsets = testing::split(part[4], ' ');
  for (std::size_t l = 0; l < 32; ++l) p.access.address[l] = std::stoull(offsets[l]);
  const std::string& kind = part[0];
  if (kind == "store") p.kind = SharedKind::kStore;
  if (kind == "atomic_add" || kind == "atomic_exch") p.kind = SharedKind::kAtomic;
  if (kind == "atomic_cas") p.kind = SharedKind::kCompareAndSwap;
  if (kind == "red_inc") p.kind = SharedKind::kReduction;
  if (kind.find("matrix") != std::string::npos) {
    p.kind = SharedKind::kMatrix;  // ldmatrix1, 2, 4: eight row addresses a matrix
    const int rows = 8 * (kind.back() - '0');
    if (rows < 32) p.access.mask = (1u << rows) - 1;
  }
  return p;
}

// "load,16,0..3…": a character a lane, the number of its word; a dot: not active.
Pattern parse_slots(const std::string& label) {
  const auto part = testing::split(label, ',');
  Pattern p;
  if (part[0] == "store") p.kind = SharedKind::kStore;
  p.access.bytes = static_cast<std::uint32_t>(std::stoul(part[1]));
  for (std::size_t l = 0; l < 32; ++l) {
    const char word = part[2].at(l);
    p.access.address[l] = 0xbad0;  // of an inactive lane: nobody's
    if (word == '.') continue;
    p.access.mask |= 1u << l;
    p.access.address[l] = p.access.bytes * (word <= '9' ? word - '0' : word - 'a' + 10u);
  }
  return p;
}

std::uint64_t reported(const Pattern& p) {
  return static_cast<std::uint64_t>(model::shared_passes(p.access, p.kind).reported);
}

constexpr SharedKind kKinds[] = {
    SharedKind::kLoad,           SharedKind::kStore,   SharedKind::kMatrix,   SharedKind::kAtomic,
    SharedKind::kCompareAndSwap, SharedKind::kAttempt, SharedKind::kReduction};

// Widths that the instruction comes in.
std::vector<std::uint32_t> widths(SharedKind kind) {
  if (kind == SharedKind::kMatrix) return {16};
  if (kind == SharedKind::kLoad || kind == SharedKind::kStore) return {1, 2, 4, 8, 16};
  if (kind == SharedKind::kAttempt) return {4, 8};
  return {4};
}

}  // namespace

TEST_CASE("every shared pattern takes the wavefronts that an H200 counted") {
  const auto rows = testing::hardware_rows("shared_banks.csv");
  REQUIRE(rows.size() == 706);
  for (const auto& row : rows) {
    if (row.label.starts_with("add_")) continue;
    const Pattern p = parse(row.label);
    INFO(row.label);
    CHECK(reported(p) == row.at("memory_l1_wavefronts_shared"));
  }
}

TEST_CASE("shared words of some lanes take the wavefronts that an H200 counted") {
  const auto rows = testing::hardware_rows("shared_masks.csv");
  REQUIRE(rows.size() == 672);
  for (const auto& row : rows) {
    INFO(row.label);
    CHECK(reported(parse(row.label)) == row.at("memory_l1_wavefronts_shared"));
  }
}

TEST_CASE(
    "shared words take the passes that the unit took, where the profiler says something else, "
    "too") {
  const auto rows = testing::hardware_rows("shared_slots.csv");
  REQUIRE(rows.size() == 1600);
  int apart = 0;
  for (const auto& row : rows) {
    const Pattern p = parse_slots(row.label);
    const auto passes = model::shared_passes(p.access, p.kind);
    const auto number = [](int n) { return static_cast<std::uint64_t>(n); };
    INFO(row.label);
    CHECK(number(passes.taken) == row.at("l1tex__data_pipe_lsu_wavefronts_mem_shared"));
    CHECK(number(passes.taken - passes.groups) ==
          row.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared"));
    CHECK(number(passes.reported) == row.at("memory_l1_wavefronts_shared"));
    apart += passes.taken != passes.reported;
  }
  CHECK(apart > 200);
}

TEST_CASE("sums of floats in shared memory take the wavefronts that an H200 counted") {
  // Read, add, try to store; one lane a bank gets through, if nobody else has changed its word.
  int loops = 0;
  for (const auto& row : testing::hardware_rows("shared_banks.csv")) {
    if (!row.label.starts_with("add_")) continue;
    WarpAccess left = parse(row.label).access;
    const std::uint64_t banks = 128 / left.bytes, groups = left.bytes / 4;
    std::uint64_t wavefronts = 0;
    while (left.mask) {
      wavefronts +=
          static_cast<std::uint64_t>(model::shared_passes(left, SharedKind::kLoad).reported +
                                     model::shared_passes(left, SharedKind::kAttempt).reported);
      std::set<std::uint64_t> taken, changed;
      std::uint32_t done = 0;
      for (std::size_t l = 0; l < 32; ++l) {
        if (!(left.mask >> l & 1)) continue;
        const std::uint64_t word = left.address[l] / left.bytes;
        if (!taken.insert(l / (32 / groups) * 1000 + word % banks).second) continue;
        if (changed.insert(word).second) done |= 1u << l;
      }
      left.mask &= ~done;
    }
    INFO(row.label);
    CHECK(wavefronts == row.at("memory_l1_wavefronts_shared"));
    ++loops;
  }
  CHECK(loops == 126);
}

TEST_CASE("shared wavefronts equal the slow twin's in all patterns of four lanes on eight banks") {
  // Each of four lanes takes one of eight words of two rows; lanes sit where groups are decided.
  constexpr int kResources[][4] = {{0, 1, 2, 3}, {6, 7, 8, 9}, {14, 15, 16, 17}, {0, 8, 16, 24}};
  for (SharedKind kind : kKinds)
    for (std::uint32_t bytes : widths(kind))
      for (const auto& place : kResources)
        for (unsigned code = 0; code < 16u * 16 * 16 * 16; ++code) {
          WarpAccess a;
          a.bytes = bytes;
          for (unsigned k = 0; k < 4; ++k) {
            const unsigned word = code >> 4 * k & 15;  // low half: bank, high bit: next row
            a.mask |= 1u << place[k];
            a.address[static_cast<std::size_t>(place[k])] =
                std::uint64_t{word % 8} * std::max(bytes, 4u) + std::uint64_t{word / 8} * 1024;
          }
          const model::SharedPasses fast = model::shared_passes(a, kind),
                                    slow = reference::shared_passes(a, kind);
          if (fast != slow)
            FAIL("kind " << static_cast<int>(kind) << ", " << bytes << " bytes, code " << code
                         << ": " << fast.taken << " instead of " << slow.taken
                         << " passes, reported " << fast.reported << " instead of "
                         << slow.reported);
        }
  SUCCEED();
}

TEST_CASE("shared wavefronts equal the slow twin's in random patterns") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 30000; ++round) {
    const SharedKind kind = kKinds[random() % std::size(kKinds)];
    const auto choice = widths(kind);
    WarpAccess a;
    a.bytes = choice[random() % choice.size()];
    a.mask = random() % 2 ? ~0u : static_cast<std::uint32_t>(random());
    const std::uint64_t words = 1 + random() % (random() % 2 ? 8 : 512);
    for (std::size_t l = 0; l < 32; ++l) {
      a.address[l] = random() % words * a.bytes;
      if (l % 2 && random() % 3 == 0) a.address[l] = a.address[l ^ 1];
      if (round % 4 == 0) a.address[l] = l / 2 * a.bytes;
    }
    INFO("round " << round);
    const model::SharedPasses n = model::shared_passes(a, kind);
    CHECK(n == reference::shared_passes(a, kind));
    // A lane takes part in some pass.
    CHECK((n.taken > 0) == (a.mask != 0));
    CHECK(n.taken <= 4 * 32);
    CHECK(n.groups <= n.taken);
  }
}

TEST_CASE("neighbouring words of shared memory are without a conflict") {
  for (SharedKind kind :
       {SharedKind::kLoad, SharedKind::kStore, SharedKind::kAtomic, SharedKind::kCompareAndSwap})
    for (std::uint32_t bytes : widths(kind)) {
      if (bytes < 4) continue;
      WarpAccess a;
      a.bytes = bytes;
      a.mask = ~0u;
      for (std::size_t l = 0; l < 32; ++l) a.address[l] = l * bytes;
      const model::SharedPasses n = model::shared_passes(a, kind);
      CHECK(n.taken == n.groups);
      CHECK(n.taken == n.reported);
    }
  CHECK(model::shared_passes(WarpAccess{}, SharedKind::kLoad) == model::SharedPasses{});
}
