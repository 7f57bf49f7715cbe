#include "emulate/audit/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warpmem::audit {

MappedFile::MappedFile(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat s {};
  if (file >= 0 && fstat(file, &s) == 0 && s.st_size > 0) {
    bytes_ = static_cast<std::size_t>(s.st_size);
    at_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    if (at_ == MAP_FAILED) at_ = nullptr;
  }
  if (file >= 0) close(file);
}

MappedFile::~MappedFile() {
  if (at_) munmap(at_, bytes_);
}

}  // namespace warpmem::audit
