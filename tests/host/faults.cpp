// Which of one thread's touches waited on an H100, and which the density rule has wait.
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "host/pages/density.hpp"
#include "tests/catch.hpp"

using namespace warpmem::host;

namespace {

constexpr std::size_t kTouched = 2 * kBlockPages;  // 4 MiB

// The orders of kernels/micro/link_managed.cu.
std::vector<std::size_t> order_of(const std::string& name) {
  std::vector<std::size_t> out;
  const auto every = [&](std::size_t step) {
    for (std::size_t i = 0; i < kTouched; i += step) out.push_back(i);
  };
  if (name == "up") every(1);
  if (name == "down")
    for (std::size_t i = kTouched; i > 0; --i) out.push_back(i - 1);
  if (name == "every 64K") every(16);
  if (name == "every 128K") every(32);
  if (name == "every 512K") every(128);
  if (name.starts_with("list"))
    out = {0, 1, 16, 48, 112, 240, 496, 500, 17, 33, 511, 512, 513, 1023};
  if (name == "down then up by 64K") {
    for (std::size_t i = 0; i < 512; i += 16) out.push_back(511 - i);
    for (std::size_t i = 512; i < 1024; i += 16) out.push_back(i);
  }
  if (name == "random") {
    every(1);
    std::uint32_t seed = 12345;
    for (std::size_t i = kTouched - 1; i > 0; --i) {
      seed = seed * 1664525 + 1013904223;
      std::swap(out[i], out[(seed >> 8) % (i + 1)]);
    }
  }
  return out;
}

std::vector<std::size_t> waits_of(const std::vector<std::size_t>& touches) {
  Pages there[2];
  std::vector<std::size_t> out;
  for (const std::size_t page : touches) {
    Pages& block = there[page / kBlockPages];
    const std::size_t at = page % kBlockPages;
    if (block[at]) continue;
    out.push_back(page);
    block |= pages_to_move(block, Pages{}.set(at), kBlockPages, 51);
  }
  return out;
}

}  // namespace

TEST_CASE("the touches that wait are those that waited on an H100, in every order") {
  std::ifstream file(WARPMEM_H100_DATA "/faults.csv");
  std::string line;
  std::getline(file, line);
  int orders = 0;
  for (; std::getline(file, line); ++orders) {
    std::stringstream in(line);
    std::string filled, order, pages;
    std::getline(in, filled, ','), std::getline(in, order, ','), std::getline(in, pages, ',');
    std::stringstream numbers(pages);
    std::vector<std::size_t> measured;
    for (std::size_t page = 0; numbers >> page;) measured.push_back(page);
    INFO(filled << " " << order);
    CHECK(waits_of(order_of(order)) == measured);
  }
  CHECK(orders == 16);
}
