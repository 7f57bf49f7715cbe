#include "base/scratch_folder.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/path_slots.hpp"

namespace warpmem {
namespace {

PathSlots<64> g_known;

struct {
  std::mutex mutex;
  std::set<std::string> paths;
} g_all;

// By system calls alone: readdir() may allocate, which a signal handler must not.
void remove_files(int folder) {
  alignas(8) char entries[4096];
  for (;;) {
    const long bytes = ::syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (bytes <= 0) return;
    // struct linux_dirent64: u64 inode, i64 offset, u16 length, u8 type, the name.
    for (long at = 0; at < bytes;) {
      std::uint16_t length = 0;
      std::memcpy(&length, entries + at + 16, sizeof length);
      ::unlinkat(folder, entries + at + 19, 0);
      at += length;
    }
  }
}

}  // namespace

ScratchFolder::ScratchFolder(std::string path)
    : path_(std::move(path)), slot_(g_known.remember(path_)) {
  const std::lock_guard lock(g_all.mutex);
  g_all.paths.insert(path_);
}

Result<ScratchFolder> ScratchFolder::create() {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failed);
  std::string name = (failed ? std::filesystem::path("/tmp") : place) / "warpmem-XXXXXX";
  if (!::mkdtemp(name.data()))
    return Error{ErrorKind::kResources, "no temporary folder can be made", name,
                 "set TMPDIR to a folder that can be written to"};
  return ScratchFolder(name);
}

ScratchFolder::~ScratchFolder() {
  std::error_code gone;
  if (!path_.empty()) std::filesystem::remove_all(path_, gone);
  g_known.forget(slot_);
  const std::lock_guard lock(g_all.mutex);
  g_all.paths.erase(path_);
}

bool in_scratch_folder(const std::string& path) {
  const std::lock_guard lock(g_all.mutex);
  return g_all.paths.contains(path.substr(0, std::min(path.rfind('/'), path.size())));
}

void remove_scratch_folders() {
  g_known.for_each([](const char* path) {
    const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    remove_files(folder);
    ::close(folder);
    ::rmdir(path);
  });
}

}  // namespace warpmem
