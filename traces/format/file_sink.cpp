#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>

#include "base/output_file.hpp"
#include "traces/format/format.hpp"
#include "traces/format/sink.hpp"

namespace warpmem::trace {
namespace {

// Whether the file of this name is the one that is open.
bool is_named(int fd, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

class FileSink final : public Sink {
 public:
  FileSink(int fd, std::string path, bool replace, OutputClaim name, OutputClaim unfinished)
      : fd_(fd),
        path_(std::move(path)),
        replace_(replace),
        name_(std::move(name)),
        unfinished_(std::move(unfinished)) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override { ::close(fd_); }

  int write(ByteSpan bytes) override { return write_bytes(fd_, bytes.data(), bytes.size()); }

  int truncate(std::uint64_t size) override {
    const auto offset = static_cast<off_t>(size);
    if (::ftruncate(fd_, offset) != 0) return errno;
    return ::lseek(fd_, offset, SEEK_SET) < 0 ? errno : 0;
  }

  int sync() override { return ::fsync(fd_) == 0 ? 0 : errno; }

  int publish() override {
    const std::string partial = partial_name(path_);
    // Somebody has moved it, or put another in its place: that one is not ours to publish.
    if (!is_named(fd_, partial)) return ENOENT;
    if (is_input(path_)) return EBUSY;  // the run has begun to read it
    const int error = give_name(partial, path_, replace_);
    if (error == 0) name_.kept();
    return error;
  }

  void discard() override {
    const std::string partial = partial_name(path_);
    if (is_named(fd_, partial)) ::unlink(partial.c_str());
  }

 private:
  int fd_;
  std::string path_;
  bool replace_;
  OutputClaim name_, unfinished_;
};

Error locked(const std::string& partial) {
  return {ErrorKind::kUsage, "another recording is writing to it", partial,
          "give another name, or wait until it ends"};
}

// An unfinished trace, or the beginning of one: nothing else is ours to remove.
bool begins_a_trace(int fd) {
  std::uint8_t begin[sizeof kFileMagic] = {};
  const ssize_t n = ::pread(fd, begin, sizeof begin, 0);
  return n >= 0 && std::equal(begin, begin + n, std::begin(kFileMagic));
}

// What another run has left under the name, unless that run still writes to it.
Result<void> remove_left_over(const std::string& partial) {
  struct stat status {};
  if (::lstat(partial.c_str(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
    return Error{ErrorKind::kUsage, "it is in the way of the unfinished trace, and no file",
                 partial, "remove it, or give the trace another name"};
  if (S_ISREG(status.st_mode)) {
    const int fd = ::open(partial.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool busy = fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    const bool trace = fd >= 0 && begins_a_trace(fd);
    if (fd >= 0) ::close(fd);
    if (busy) return locked(partial);
    if (!trace)
      return Error{ErrorKind::kUsage, "it is in the way of the unfinished trace, and no trace",
                   partial, "move it, or give the trace another name"};
  }
  // A link is removed, not what it leads to.
  if (::unlink(partial.c_str()) != 0 && errno != ENOENT)
    return output_error(partial, "remove what another run has left", errno);
  return {};
}

}  // namespace

std::string partial_name(const std::string& path) { return path + ".partial"; }

Result<std::unique_ptr<Sink>> create_file_sink(const std::string& path, bool replace) {
  const std::string partial = partial_name(path);
  struct stat status {};
  if (!replace && ::lstat(path.c_str(), &status) == 0) return output_exists(path);
  if (is_input(partial)) return output_is_input(partial);
  auto name = OutputClaim::of(path);
  if (!name) return name.error();
  auto unfinished = OutputClaim::of(partial);
  if (!unfinished) return unfinished.error();
  if (replace)
    if (auto removed = remove_left_over(partial); !removed) return removed.error();
  const int fd = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST && replace) return locked(partial);  // in this very moment
  if (fd < 0 && errno == EEXIST)
    return Error{ErrorKind::kUsage, "the trace that another run did not finish is there already",
                 partial, "read it with --partial, or replace it with --force"};
  if (fd < 0) return output_error(path, "write it", errno);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    return locked(partial);
  }
  return std::unique_ptr<Sink>(std::make_unique<FileSink>(
      fd, path, replace, std::move(name).value(), std::move(unfinished).value()));
}

}  // namespace warpmem::trace
