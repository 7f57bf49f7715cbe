// Where local memory lies, against the L1's sets that an H200 has for its words.
#include "model/local/local_memory.hpp"

#include <map>
#include <tuple>

#include "model/cache/index/l1_index.hpp"
#include "tests/catch.hpp"
#include "tests/model/hardware_rows.hpp"

using namespace warpmem;
using model::LocalMemory;

// Where local memory begins is not known: the sets of a launch are so up to one constant.
TEST_CASE("words of local memory have the L1 sets that an H200 gives them") {
  constexpr std::uint64_t kWarps = 64;
  std::map<std::tuple<int, int, int, int>, std::uint32_t> shift;  // by launch
  int words = 0, wrong = 0, under_profiler = 0;
  for (const std::string& text : testing::hardware_lines("local_places.csv")) {
    const auto part = testing::split(text, ',');
    if (part[0] == "profiler") continue;
    const int profiler = std::stoi(part[0]), sm = std::stoi(part[1]), frame = std::stoi(part[2]);
    const int largest = std::stoi(part[3]);
    const LocalMemory memory(static_cast<std::uint64_t>(frame) * 4,
                             static_cast<std::uint64_t>(largest) * 4, kWarps,
                             profiler ? LocalMemory::kDriverBytes : LocalMemory::kDriverBytesAlone);
    const std::uint64_t line = memory.area(static_cast<std::uint64_t>(sm), std::stoull(part[4])) +
                               memory.word(std::stoull(part[5]) * 4);
    const std::uint32_t constant =
        model::l1_set(line) ^ static_cast<std::uint32_t>(std::stoul(part[6]));
    wrong += shift.try_emplace({profiler, sm, frame, largest}, constant).first->second != constant;
    under_profiler += profiler;
    ++words;
  }
  CHECK(words == 2905);
  CHECK(under_profiler == 436);
  CHECK(shift.size() == 36);
  CHECK(wrong == 0);
}

TEST_CASE("frames of called functions lie below their kernel's, wide words side by side") {
  const LocalMemory memory(80, 0, 64);
  CHECK(memory.word(4) == memory.word(0) + 1);
  CHECK(memory.word(0, 3) == memory.word(12));
  CHECK(memory.word((1 << 24) - 4) == memory.word(0) - 1);
  CHECK(memory.word((1 << 24) - 16, 3) == memory.word(0) - 1);
  CHECK(memory.area(0, 1) > memory.area(0, 0) + memory.word(76));
  CHECK(memory.area(1, 0) == memory.area(0, 64));
}
