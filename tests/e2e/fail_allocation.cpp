// Loaded before a program (LD_PRELOAD): its n-th allocation since main fails. n is in
// FAIL_ALLOCATION; whether it came to that stands in the file FAIL_TOLD.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

static long left = 0;  // 0: none fails any more

static bool fails() {
  if (left == 0 || __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) != 0) return false;
  if (const char* const told = std::getenv("FAIL_TOLD")) {
    const int file = ::open(told, O_WRONLY | O_CREAT, 0600);
    if (file >= 0) ::close(file);
  }
  errno = ENOMEM;
  return true;
}

void* malloc(std::size_t n) { return fails() ? nullptr : __libc_malloc(n); }
void* calloc(std::size_t a, std::size_t b) { return fails() ? nullptr : __libc_calloc(a, b); }
void* realloc(void* at, std::size_t n) { return fails() ? nullptr : __libc_realloc(at, n); }
void* aligned_alloc(std::size_t a, std::size_t n) {
  return fails() ? nullptr : __libc_memalign(a, n);
}
int posix_memalign(void** at, std::size_t a, std::size_t n) {
  *at = fails() ? nullptr : __libc_memalign(a, n);
  return *at ? 0 : ENOMEM;
}

using Main = int (*)(int, char**, char**);
static Main real_main = nullptr;

static int counted_main(int argc, char** argv, char** environment) {
  if (const char* const n = std::getenv("FAIL_ALLOCATION")) left = std::atol(n);
  return real_main(argc, argv, environment);
}

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*end)(),
                      void (*loader_end)(), void* stack) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto real = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  real_main = main;
  return real(counted_main, argc, argv, init, end, loader_end, stack);
}
}
