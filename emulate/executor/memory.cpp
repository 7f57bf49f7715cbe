#include "emulate/executor/memory.hpp"

#include <sys/mman.h>

#include <cstring>

namespace warpmem::emulate {
namespace {

#ifdef __SANITIZE_THREAD__
// A thread sanitizer has its own things at the base, and asks the system for address 0 instead.
constexpr bool kAtItsBase = false;
#else
constexpr bool kAtItsBase = true;
#endif
constexpr std::uint64_t kInternal = std::uint64_t{1}
                                    << 20;  // so much there is for what belongs to code on any GPU
constexpr std::uint64_t kChunk = std::uint64_t{2} << 20;  // what cuMemAlloc takes from the driver

std::uint64_t rounded(std::uint64_t v, std::uint64_t to) { return (v + to - 1) / to * to; }

// Zeros, as nobody has written there. Whole pages go back to the host: programs take and free far
// more than they touch, and a GPU has more memory than the host may have.
void clear(std::byte* at, std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096, kWorthIt = 64 * kPage;
  const auto from = reinterpret_cast<std::uint64_t>(at), first = rounded(from, kPage),
             last = (from + bytes) / kPage * kPage;
  if (first + kWorthIt > last ||
      madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) != 0) {
    std::memset(at, 0, bytes);
    return;
  }
  std::memset(at, 0, first - from);
  std::memset(reinterpret_cast<void*>(last), 0, from + bytes - last);
}

}  // namespace

Result<Memory> Memory::create(std::uint64_t limit) {
  Memory m;
  m.limit_ = limit;
  constexpr int kProtect = PROT_NONE, kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* wanted = reinterpret_cast<void*>(kMemoryBase);
  void* got = kAtItsBase ? mmap(wanted, kMemoryBytes, kProtect, kFlags | MAP_FIXED_NOREPLACE, -1, 0)
                         : MAP_FAILED;
  if (got != wanted) {
    if (got != MAP_FAILED) munmap(got, kMemoryBytes);
    got = mmap(nullptr, kMemoryBytes, kProtect, kFlags, -1, 0);
  }
  if (got == MAP_FAILED)
    return Error{ErrorKind::kResources,
                 "cannot reserve a range of addresses for the emulated GPU's memory", "",
                 "raise the limit on virtual memory (ulimit -v)"};
  m.mapping_ = got;
  m.delta_ = reinterpret_cast<std::uint64_t>(got) - kMemoryBase;
  constexpr std::uint64_t kMiddle = kMemoryBase + kMemoryBytes / 2,
                          kEnd = kMemoryBase + kMemoryBytes - kChunk;
  m.program_ = {kMemoryBase + kChunk, kMemoryBase + kChunk, kMiddle - kChunk};
  m.code_ = {kMiddle, kMiddle, kEnd};
  m.param_base_ =
      m.allocate(kParamBytes, trace::AllocationKind::kDevice, 4096, "the kernel's parameters");
  if (m.param_base_ == 0 || m.allocate(kGridBarrierBytes, trace::AllocationKind::kDevice, 512,
                                       "the grid's barriers") != m.barrier_base())
    return Error{ErrorKind::kResources, "out of memory", "",
                 "free memory on this machine, or raise the limit (ulimit -v)"};
  return m;
}

Memory::Memory(Memory&& o) noexcept
    : delta_(o.delta_),
      limit_(o.limit_),
      used_(o.used_),
      param_base_(o.param_base_),
      heap_limit_(o.heap_limit_),
      heap_used_(o.heap_used_),
      program_(o.program_),
      code_(o.code_),
      mapping_(std::exchange(o.mapping_, nullptr)),
      regions_(std::move(o.regions_)),
      freed_(std::move(o.freed_)) {}

Memory::~Memory() {
  if (mapping_) munmap(mapping_, kMemoryBytes);
}

bool Memory::commit(Stretch& stretch, std::uint64_t end) {
  end = rounded(end, kChunk);
  if (end <= stretch.committed) return true;
  if (mprotect(host(stretch.committed), end - stretch.committed, PROT_READ | PROT_WRITE) != 0)
    return false;
  stretch.committed = end;
  return true;
}

std::uint64_t Memory::allocate(std::uint64_t bytes, trace::AllocationKind kind, std::uint64_t align,
                               const std::string& name) {
  if (bytes == 0) bytes = 1;
  const bool internal = !name.empty();
  const std::uint64_t room = rounded(bytes, 512);
  if (room < bytes || (internal && room > std::max(limit_, kInternal)) ||
      (!internal && (room > limit_ || used_ > limit_ - room)))
    return 0;
  std::uint64_t base = 0;
  for (auto at = internal ? freed_.end() : freed_.lower_bound(room); at != freed_.end(); ++at) {
    if (at->second % align != 0) continue;
    base = at->second;
    const std::uint64_t left = at->first - room;
    freed_.erase(at);
    regions_.erase(base);
    if (left > 0) {
      freed_.emplace(left, base + room);
      Region& rest = regions_[base + room];
      rest = Region{};
      rest.base = base + room, rest.bytes = left, rest.kind = kind, rest.live = false;
    }
    clear(host(base), room);
    break;
  }
  if (base == 0) {
    Stretch& stretch = internal ? code_ : program_;
    base = rounded(stretch.next, bytes >= kChunk / 2 ? kChunk : align < 512 ? 512 : align);
    if (base + room > stretch.end || !commit(stretch, base + room)) return 0;
    stretch.next = base + room;
  }
  Region& fresh = regions_[base];
  fresh = Region{};
  fresh.base = base, fresh.bytes = bytes, fresh.kind = kind, fresh.internal = internal,
  fresh.name = name;
  if (!internal) used_ += room;
  return base;
}

std::uint64_t Memory::allocate_heap(std::uint64_t bytes) {
  if (bytes > heap_limit_ || heap_used_ > heap_limit_ - bytes) return 0;
  const std::uint64_t base = allocate(bytes, trace::AllocationKind::kDevice);
  if (base != 0) regions_[base].heap = true, heap_used_ += bytes;
  return base;
}

bool Memory::free(std::uint64_t base) {
  const auto at = regions_.find(base);
  if (at == regions_.end() || !at->second.live || at->second.internal || at->second.adopted)
    return false;
  at->second.live = false;
  if (at->second.heap) heap_used_ -= at->second.bytes;
  const std::uint64_t room = rounded(at->second.bytes, 512);
  used_ -= room;
  freed_.emplace(room, base);
  if (room >= kChunk) clear(host(base), room);  // what is smaller may soon be taken again
  last_low_ = 1, last_high_ = 0;
  return true;
}

bool Memory::adopt(std::uint64_t base, std::uint64_t bytes, trace::AllocationKind kind) {
  if (delta_ != 0 || bytes == 0 || base + bytes < base) return false;
  auto at = regions_.lower_bound(base);
  if (at != regions_.end() && at->first < base + bytes) return false;
  if (at != regions_.begin() && (--at)->second.base + at->second.bytes > base) return false;
  Region& fresh = regions_[base];
  fresh.base = base, fresh.bytes = bytes, fresh.kind = kind, fresh.adopted = true;
  return true;
}

bool Memory::release(std::uint64_t base) {
  const auto at = regions_.find(base);
  if (at == regions_.end() || !at->second.adopted) return false;
  regions_.erase(at);
  last_low_ = 1, last_high_ = 0;
  return true;
}

void Memory::set_param_bytes(std::uint32_t bytes) {
  regions_.at(param_base_).bytes = bytes;
  last_low_ = 1, last_high_ = 0;
}

const Region* Memory::nearest(std::uint64_t address) const {
  auto at = regions_.upper_bound(address);
  if (at == regions_.begin()) return nullptr;
  return &std::prev(at)->second;
}

const Region* Memory::find(std::uint64_t address) const {
  const Region* r = nearest(address);
  return r && r->live && address - r->base < r->bytes ? r : nullptr;
}

bool Memory::mapped_beside(std::uint64_t low, std::uint64_t high) const {
  if (low < kMemoryBase || high < low || high > program_.committed) return false;
  const auto beside = [&](std::uint64_t at) {
    const std::uint64_t begin = at / kChunk * kChunk, end = begin + kChunk;
    auto r = regions_.upper_bound(begin);
    if (r != regions_.begin()) --r;
    bool live = false;
    for (; r != regions_.end() && r->first < end; ++r) {
      const Region& region = r->second;
      if (!region.live && at - region.base < region.bytes) return false;
      live |= region.live && !region.internal && region.base + region.bytes > begin;
    }
    return live;
  };
  return beside(low) && beside(high - 1);
}

bool Memory::find_again(std::uint64_t low, std::uint64_t high) {
  const Region* r = find(low);
  if (!r || high < low || high > r->base + r->bytes) return false;
  last_low_ = r->base, last_high_ = r->base + r->bytes;
  return true;
}

std::vector<trace::Allocation> Memory::allocations() const {
  std::vector<trace::Allocation> all;
  for (const auto& [base, r] : regions_)
    if (r.live && !r.internal) all.push_back({base, r.bytes, r.kind});
  return all;
}

}  // namespace warpmem::emulate
