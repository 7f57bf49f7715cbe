#include "base/scratch_folder.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace warpmem {
namespace {

struct Known {
  std::atomic<bool> taken{false}, ready{false};
  char path[PATH_MAX];
};
Known g_known[64];

int remember(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (int i = 0; i < 64; ++i) {
    if (g_known[i].taken.exchange(true)) continue;
    std::memcpy(g_known[i].path, path.c_str(), path.size() + 1);
    g_known[i].ready = true;
    return i;
  }
  return -1;
}

void forget(int slot) {
  if (slot < 0) return;
  g_known[slot].ready = false;
  g_known[slot].taken = false;
}

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

ScratchFolder::ScratchFolder(std::string path) : path_(std::move(path)), slot_(remember(path_)) {}

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
  forget(slot_);
}

void remove_scratch_folders() {
  for (Known& known : g_known) {
    if (!known.ready) continue;
    const int folder = ::open(known.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) continue;
    remove_files(folder);
    ::close(folder);
    ::rmdir(known.path);
  }
}

}  // namespace warpmem
