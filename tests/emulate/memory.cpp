#include "emulate/executor/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>
#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::emulate;

namespace {
constexpr auto kDevice = trace::AllocationKind::kDevice;

std::uint64_t pages_held(const std::byte* at, std::size_t bytes) {
  std::vector<unsigned char> pages((bytes + 4095) / 4096);
  auto* page = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(at) / 4096 * 4096);
  REQUIRE(mincore(page, bytes, pages.data()) == 0);
  return static_cast<std::uint64_t>(
      std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return p & 1; }));
}
}  // namespace

TEST_CASE(
    "memory that was written and freed is the host's again, and reads as zeros when it is taken "
    "anew") {
  Memory memory = Memory::create(std::uint64_t{1} << 30).value();
  constexpr std::size_t kBytes = (std::size_t{8} << 20) + 1536;
  const std::uint64_t first = memory.allocate(kBytes, kDevice);
  std::memset(memory.host(first), 0xab, kBytes);
  const std::uint64_t behind = memory.allocate(512, kDevice);
  std::memset(memory.host(behind), 0xcd, 512);
  CHECK(pages_held(memory.host(first), kBytes - 4096) == 2048);
  REQUIRE(memory.free(first));
  CHECK(pages_held(memory.host(first), kBytes - 4096) == 0);

  // Pieces that begin and end within pages.
  std::uint64_t taken = 0;
  for (const std::size_t bytes :
       {std::size_t{1536}, std::size_t{3} << 20, std::size_t{700}, std::size_t{4} << 20}) {
    const std::uint64_t at = memory.allocate(bytes, kDevice);
    taken += at >= first && at < first + kBytes;
    const std::byte* p = memory.host(at);
    CHECK(std::all_of(p, p + bytes, [](std::byte b) { return b == std::byte{0}; }));
    std::memset(memory.host(at), 0xef, bytes);
    if (bytes == 700) {  // small ones are cleared when they are taken
      REQUIRE(memory.free(at));
      const std::uint64_t again = memory.allocate(bytes, kDevice);
      CHECK(again == at);
      CHECK(*memory.host(again) == std::byte{0});
    }
  }
  CHECK(taken == 4);
  const std::byte* p = memory.host(behind);
  CHECK(std::all_of(p, p + 512, [](std::byte b) { return b == std::byte{0xcd}; }));
}
