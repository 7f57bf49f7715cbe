#include "emulate/executor/speculation.hpp"

#include <sys/mman.h>

#include <cstring>

#include "emulate/executor/memory.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint64_t kCells = kMemoryBytes / 4;

}  // namespace

std::unique_ptr<Speculation> Speculation::create() {
  void* at = mmap(nullptr, kCells * 8, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  std::unique_ptr<Speculation> s(new Speculation);
  s->mapping_ = static_cast<std::byte*>(at);
  return s;
}

Speculation::~Speculation() {
  if (mapping_) munmap(mapping_, kCells * 8);
}

void Speculation::begin(std::uint64_t groups, std::uint64_t first, std::uint64_t window) {
  if (groups + 2 > ~std::uint32_t{0} - std::uint64_t{many_}) {  // numbers have run out: forget all
    madvise(mapping_, kCells * 8, MADV_DONTNEED);
    many_ = 1;
  }
  groups_ = groups;
  window_ = window;
  passed_.store(first, std::memory_order_release);
  finished_ = std::make_unique<std::atomic<bool>[]>(window);
}

void Speculation::end() { many_ += static_cast<std::uint32_t>(groups_) + 1; }

std::atomic<std::uint64_t>& Speculation::cell(std::uint64_t address) const {
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(mapping_ + (address - kMemoryBase) / 4 * 8);
}

// A cell: the reader in its low half, the writer in its high half.
void Speculation::read(std::uint64_t address, std::uint32_t bytes, std::uint64_t group) {
  const auto self = static_cast<std::uint32_t>(many_ + 1 + group);
  for (std::uint64_t a = address & ~std::uint64_t{3}; a < address + bytes; a += 4) {
    std::atomic<std::uint64_t>& c = cell(a);
    std::uint64_t now = c.load(std::memory_order_acquire);
    while (true) {
      const auto reader = static_cast<std::uint32_t>(now),
                 writer = static_cast<std::uint32_t>(now >> 32);
      if (mine(writer) && writer != self && !settled(writer, self)) throw Conflict{};
      if (reader == self || reader == many_) break;
      const std::uint64_t marked = (now & 0xffffffff00000000u) | (mine(reader) ? many_ : self);
      if (c.compare_exchange_weak(now, marked)) break;
    }
  }
}

void Speculation::write(const Memory& memory, std::uint64_t address, std::uint32_t bytes,
                        std::uint64_t group, Log& log) {
  const auto self = static_cast<std::uint32_t>(many_ + 1 + group);
  for (std::uint64_t a = address & ~std::uint64_t{3}; a < address + bytes; a += 4) {
    std::atomic<std::uint64_t>& c = cell(a);
    std::uint64_t now = c.load(std::memory_order_acquire);
    while (true) {
      const auto reader = static_cast<std::uint32_t>(now),
                 writer = static_cast<std::uint32_t>(now >> 32);
      if (writer == self) break;
      if (mine(writer) && !settled(writer, self)) throw Conflict{};
      if (mine(reader) && reader != self && !settled(reader, self)) throw Conflict{};
      if (!c.compare_exchange_weak(now, (now & 0xffffffffu) | std::uint64_t{self} << 32)) continue;
      Word w{a, 0};
      std::memcpy(&w.before, memory.host(a), 4);
      log.push_back(w);
      break;
    }
  }
}

void Speculation::take_back(const Memory& memory, const Log& log) {
  for (auto w = log.rbegin(); w != log.rend(); ++w)
    std::memcpy(memory.host(w->address), &w->before, 4);
}

}  // namespace warpmem::emulate
