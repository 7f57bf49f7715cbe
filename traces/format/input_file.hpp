// A file read by position, so that several threads can read at once.
#pragma once

#include <string>

#include "base/error.hpp"
#include "traces/format/bytes.hpp"

namespace warpmem::trace {

class InputFile {
 public:
  static Result<InputFile> open(const std::string& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  // Exactly `count` bytes, or an error: the file was checked to be that long when it was opened.
  Result<void> read(std::uint64_t offset, std::size_t count, Bytes& out) const;

 private:
  InputFile(int fd, std::string path, std::uint64_t size);
  int fd_ = -1;
  std::string path_;
  std::uint64_t size_ = 0;
};

}  // namespace warpmem::trace
