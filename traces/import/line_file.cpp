#include "traces/import/line_file.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/run_files.hpp"

extern char** environ;

namespace warpmem::imports {
namespace {

constexpr std::size_t kMostOfLine = 1 << 20;  // far more than a warp's instruction takes
constexpr std::size_t kPiece = 1 << 18;

}  // namespace

struct LineFile::Source {
  int fd = -1;
  pid_t child = 0;  // xz; 0: the file is read as it is
  std::vector<char> piece = std::vector<char>(kPiece);
  std::size_t at = 0, end = 0;
  int failed = 0;  // errno
  bool too_long = false, at_end = false;

  ~Source() {
    if (fd >= 0) ::close(fd);
    if (child > 0) ::waitpid(child, nullptr, 0);
  }

  bool fill() {
    ssize_t n = 0;
    do n = ::read(fd, piece.data(), piece.size());
    while (n < 0 && errno == EINTR);
    if (n < 0) failed = errno;
    at = 0, end = n > 0 ? static_cast<std::size_t>(n) : 0;
    at_end = n <= 0;
    return n > 0;
  }
};

LineFile::LineFile(std::string path, std::unique_ptr<Source> source)
    : path_(std::move(path)), source_(std::move(source)) {}
LineFile::~LineFile() = default;
LineFile::LineFile(LineFile&&) noexcept = default;

Result<LineFile> LineFile::open(const std::string& path) {
  note_input(path);
  auto source = std::make_unique<Source>();
  source->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::error_code none;
  if (source->fd < 0 || std::filesystem::is_directory(path, none))
    return Error{ErrorKind::kUsage,
                 source->fd < 0 ? std::string("the file cannot be read: ") + std::strerror(errno)
                                : "it is a folder",
                 path, "give a trace file, or Accel-Sim's kernelslist.g"};
  if (!path.ends_with(".xz")) return LineFile(path, std::move(source));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error{ErrorKind::kResources, std::string("no pipe to xz: ") + std::strerror(errno), path,
                 "close some programs and try again"};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, source->fd, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const char* const words[] = {"xz", "-dc", nullptr};
  const int code = ::posix_spawnp(&source->child, "xz", &actions, nullptr,
                                  const_cast<char* const*>(words), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  ::close(std::exchange(source->fd, ends[0]));
  if (code != 0) {
    source->child = 0;
    return Error{ErrorKind::kEnvironment, "xz, which unpacks the file, cannot be started", path,
                 "install xz-utils, or unpack the file first"};
  }
  return LineFile(path, std::move(source));
}

bool LineFile::next(std::string& line) {
  line.clear();
  Source& s = *source_;
  for (;;) {
    if (s.at == s.end && (s.at_end || !s.fill())) break;
    const char* const from = s.piece.data() + s.at;
    const void* const stop = std::memchr(from, '\n', s.end - s.at);
    const std::size_t count =
        stop ? static_cast<std::size_t>(static_cast<const char*>(stop) - from) : s.end - s.at;
    if (line.size() + count > kMostOfLine) {
      s.too_long = true, ++number_;
      return false;
    }
    line.append(from, count);
    s.at += count + (stop ? 1 : 0);
    if (!stop) continue;
    if (line.ends_with('\r')) line.pop_back();
    ++number_;
    return true;
  }
  if (line.empty()) return false;
  ++number_, unfinished_ = true;
  return true;
}

std::string LineFile::place() const { return path_ + ", line " + std::to_string(number_); }

Result<void> LineFile::ended() {
  Source& s = *source_;
  if (s.too_long)
    return Error{ErrorKind::kMalformed, "the line is longer than any trace has", place(),
                 "this is no text of a tracer"};
  if (s.failed != 0)
    return Error{ErrorKind::kMalformed,
                 std::string("reading the file failed: ") + std::strerror(s.failed), path_,
                 "copy the file again"};
  if (s.child > 0) {
    int status = 0;
    ::waitpid(std::exchange(s.child, 0), &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      return Error{ErrorKind::kMalformed, "xz cannot unpack the file: it is damaged or cut short",
                   path_, "copy the file again (xz -t says whether it is whole)"};
  }
  return {};
}

}  // namespace warpmem::imports
