// A file's bytes, as long as the object lives; none when it cannot be read.
#pragma once

#include <cstddef>
#include <span>

namespace warpmem::audit {

class MappedFile {
 public:
  explicit MappedFile(const char* path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(at_), at_ ? bytes_ : 0};
  }

 private:
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace warpmem::audit
