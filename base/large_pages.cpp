#include "base/large_pages.hpp"

#include <cstdint>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace warpmem {
namespace {

#ifdef __linux__

constexpr std::size_t kPage = 2 << 20;
constexpr std::size_t kLeast = 512 << 10;  // below, too much of a page would lie idle

// Memory of its own from the system, not from the heap: what the heap hands out may have been in
// use before, on small pages, and those stay small.
class LargePages : public std::pmr::memory_resource {
  static std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLeast) return ::operator new (bytes, std::align_val_t{alignment});
    const std::size_t whole = whole_pages(bytes);
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
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLeast) ::operator delete (memory, std::align_val_t{alignment});
    else ::munmap(memory, whole_pages(bytes));
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

#endif

}  // namespace

std::pmr::memory_resource* large_pages() {
#ifdef __linux__
  static LargePages pages;
  return &pages;
#else
  return std::pmr::new_delete_resource();
#endif
}

}  // namespace warpmem
