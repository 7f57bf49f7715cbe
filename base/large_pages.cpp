#include "base/large_pages.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace warpmem {
namespace {

#ifdef __linux__

constexpr std::size_t kPage = 2 << 20;
constexpr std::size_t kLeast = 512 << 10;  // below, too much of a page would lie idle
constexpr std::size_t kSpare = 128 << 20;  // bytes given back that are kept for the next

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Memory of its own from the system, not from the heap: what the heap hands out may have been in
// use before, on small pages, and those stay small.
void* take(std::size_t whole) {
  // The system aligns to small pages: one large page more, and what is too much is given back.
  void* const got =
      ::mmap(nullptr, whole + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  char* const from = static_cast<char*>(got);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(from) % kPage;
  if (before > 0) ::munmap(from, before);
  ::munmap(from + before + whole, kPage - before);
  ::madvise(from + before, whole, MADV_HUGEPAGE);  // where there are none, small ones do
  return from + before;
}

// The system clears pages that it hands out, which takes long: some of what one launch or trace
// gave back is kept for the next, which mostly wants the same sizes.
class LargePages : public std::pmr::memory_resource {
  struct Spare {
    void* memory;
    std::size_t bytes;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLeast) return ::operator new (bytes, std::align_val_t{alignment});
    const std::size_t whole = whole_pages(bytes);
    const std::lock_guard lock(lock_);
    const auto fits = std::find_if(spare_.begin(), spare_.end(),
                                   [whole](const Spare& s) { return s.bytes == whole; });
    if (fits == spare_.end()) return take(whole);
    void* const memory = fits->memory;
    spare_.erase(fits);
    spare_bytes_ -= whole;
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLeast) return ::operator delete (memory, std::align_val_t{alignment});
    const std::size_t whole = whole_pages(bytes);
    const std::lock_guard lock(lock_);
    spare_.push_back({memory, whole});
    spare_bytes_ += whole;
    // Too much: what nobody has asked for longest goes, or sizes of the past would fill the room.
    while (spare_bytes_ > kSpare) {
      ::munmap(spare_.front().memory, spare_.front().bytes);
      spare_bytes_ -= spare_.front().bytes;
      spare_.erase(spare_.begin());
    }
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::mutex lock_;
  std::vector<Spare> spare_;  // the longest unused first
  std::size_t spare_bytes_ = 0;
};

#endif

}  // namespace

std::pmr::memory_resource* large_pages() {
#ifdef __linux__
  static LargePages* const pages = new LargePages;  // outlives all that may give back at exit
  return pages;
#else
  return std::pmr::new_delete_resource();
#endif
}

}  // namespace warpmem
