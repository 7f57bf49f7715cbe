#include "traces/format/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/run_files.hpp"
#include "traces/format/sink.hpp"

namespace warpmem::trace {

InputFile::InputFile(int fd, std::string path, std::uint64_t size)
    : fd_(fd), path_(std::move(path)), size_(size) {}
InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}
InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), size_(other.size_) {}
InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  return *this;
}

Result<InputFile> InputFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int error = errno;
    const std::string partial = partial_name(path);
    if (error == ENOENT && ::access(partial.c_str(), F_OK) == 0) {
      return Error{ErrorKind::kIncomplete,
                   fmt::format("there is no such file, but {} is there: a recording that was not "
                               "finished, or has not yet ended",
                               partial),
                   path, fmt::format("read {} with --partial", partial)};
    }
    return Error{ErrorKind::kUsage, fmt::format("cannot open it: {}", std::strerror(error)), path,
                 "check the name and the permissions"};
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return Error{ErrorKind::kUsage, "is not a regular file", path,
                 "give a trace file; a trace cannot be read from a pipe or a folder"};
  }
  note_input(path);
  return InputFile(fd, path, static_cast<std::uint64_t>(status.st_size));
}

Result<void> InputFile::read(std::uint64_t offset, std::size_t count, Bytes& out) const {
  out.resize(count);
  for (std::size_t done = 0; done < count;) {
    const ssize_t n =
        ::pread(fd_, out.data() + done, count - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      return Error{n < 0 ? ErrorKind::kResources : ErrorKind::kIncomplete,
                   n < 0 ? fmt::format("cannot read it: {}", std::strerror(errno))
                         : "the file became shorter while it was read",
                   fmt::format("{}, byte {}", path_, offset + done),
                   "check the disk, and that nothing else writes to the file"};
    }
    done += static_cast<std::size_t>(n);
  }
  return {};
}

}  // namespace warpmem::trace
