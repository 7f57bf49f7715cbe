#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "traces/format/sink.hpp"

namespace warpmem::trace {
namespace {

class FileSink final : public Sink {
 public:
  FileSink(int fd, std::string path, bool overwrite)
      : fd_(fd), path_(std::move(path)), overwrite_(overwrite) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override { ::close(fd_); }

  int write(ByteSpan bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno;
      if (n == 0) return ENOSPC;
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return 0;
  }

  int truncate(std::uint64_t size) override {
    const auto offset = static_cast<off_t>(size);
    if (::ftruncate(fd_, offset) != 0) return errno;
    return ::lseek(fd_, offset, SEEK_SET) < 0 ? errno : 0;
  }

  int sync() override { return ::fsync(fd_) == 0 ? 0 : errno; }

  int publish() override {
    if (!overwrite_ && ::access(path_.c_str(), F_OK) == 0) return EEXIST;
    if (std::rename(partial_name(path_).c_str(), path_.c_str()) != 0) return errno;
    return sync_directory();
  }

 private:
  // Without this a power cut could take the new name back.
  int sync_directory() const {
    const auto slash = path_.rfind('/');
    const std::string folder =
        slash == std::string::npos ? "." : path_.substr(0, std::max<std::size_t>(slash, 1));
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno;
    // Some file systems have no fsync for directories; they say EINVAL.
    const int error = ::fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
    ::close(fd);
    return error;
  }

  int fd_;
  std::string path_;
  bool overwrite_;
};

}  // namespace

std::string partial_name(const std::string& path) { return path + ".partial"; }

Result<std::unique_ptr<Sink>> create_file_sink(const std::string& path, bool overwrite) {
  const std::string partial = partial_name(path);
  if (!overwrite && ::access(path.c_str(), F_OK) == 0) {
    return Error{ErrorKind::kUsage, "the file exists already", path,
                 "give another name, remove it, or allow it to be overwritten"};
  }
  const int fd =
      ::open(partial.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? 0 : O_EXCL), 0666);
  if (fd < 0 && errno == EEXIST) {
    return Error{ErrorKind::kUsage, "the file of an unfinished recording exists already", partial,
                 "read it with --partial, remove it, or allow it to be overwritten"};
  }
  if (fd < 0) {
    return Error{ErrorKind::kResources, fmt::format("cannot create it: {}", std::strerror(errno)),
                 partial, "give a file in a folder that you may write to"};
  }
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    return Error{ErrorKind::kUsage, "another recording is writing to it", partial,
                 "give another name, or wait until it ends"};
  }
  if (::ftruncate(fd, 0) != 0 && errno != EINVAL) {
    const int error = errno;
    ::close(fd);
    return Error{ErrorKind::kResources, fmt::format("cannot empty it: {}", std::strerror(error)),
                 partial, "remove it, or give another name"};
  }
  return std::unique_ptr<Sink>(std::make_unique<FileSink>(fd, path, overwrite));
}

}  // namespace warpmem::trace
