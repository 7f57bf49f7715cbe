#include "base/output_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/errno_kind.hpp"
#include "base/path_slots.hpp"

namespace warpmem {
namespace {

constexpr int kMostLinks = 40;  // as the kernel allows

// Names that a signal handler can remove. Outputs beyond these stay when a signal ends the process.
PathSlots<16> g_unfinished;

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

// "/dev/stdout" and its like name what is open already: 1. Others: -1.
int open_descriptor(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    char* end = nullptr;
    const char* digits = path.c_str() + folder.size();
    const long number = std::strtol(digits, &end, 10);
    if (end != digits && *end == 0 && number >= 0 && number <= INT_MAX)
      return static_cast<int>(number);
  }
  return -1;
}

// What `path` means once links are followed, also those that lead to nothing yet.
Result<std::string> follow_links(const std::string& path) {
  std::string at = path;
  for (int i = 0; i < kMostLinks; ++i) {
    char target[PATH_MAX];
    const ssize_t n = ::readlink(at.c_str(), target, sizeof target);
    if (n < 0) return at;  // no link, or nothing at all
    const std::string next(target, static_cast<std::size_t>(n));
    at = next.starts_with('/') ? next : folder_of(at) + "/" + next;
  }
  return output_error(path, "follow the link", ELOOP);
}

int sync_folder(const std::string& path) {
  const int fd = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno;  // one may write to a folder and not read it
  // Some file systems have no fsync for folders; they say EINVAL.
  const int error = ::fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
  ::close(fd);
  return error;
}

int rename_without_replacing(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // File systems without it: a second name fails where there is one already.
  if (::link(from, to) == 0) return ::unlink(from) == 0 ? 0 : errno;
  if (errno != EPERM && errno != EOPNOTSUPP) return errno;
  struct stat status {};
  if (::lstat(to, &status) == 0) return EEXIST;
  return std::rename(from, to) == 0 ? 0 : errno;
}

constexpr std::string_view kUnfinished = ".partial";

// "123-4.partial": the process that writes, and which of its attempts at a name. 0: it is none, as
// a name is that is written in another way ("0123-4").
pid_t writer_of(std::string_view ending) {
  int pid = 0, attempt = 0;
  const char* const end = ending.data() + ending.size();
  const auto first = std::from_chars(ending.data(), end, pid);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-' || pid <= 0) return 0;
  if (std::from_chars(first.ptr + 1, end, attempt).ec != std::errc()) return 0;
  return ending == fmt::format("{}-{}{}", pid, attempt, kUnfinished) ? pid : 0;
}

// For others that look for what was left: somebody has it open to write. Of a lock that the file
// system does not know nobody hears.
bool lock(int fd) {
  struct flock all {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  return ::fcntl(fd, F_OFD_SETLK, &all) == 0;
}

// A file that nobody writes to any more, neither here nor on another machine.
bool is_left_over(const std::string& path, pid_t writer) {
  if (writer == 0 || ::kill(writer, 0) == 0 || errno != ESRCH || is_input(path)) return false;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  struct stat status {};
  const bool left = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                    status.st_uid == ::geteuid() && status.st_nlink == 1 && lock(fd);
  ::close(fd);
  return left;
}

// Removes what processes that were killed have left of a file, and says so.
std::string remove_left_overs(const std::string& target) {
  const std::string folder = folder_of(target);
  const std::string name = target.substr(target.rfind('/') + 1) + ".";
  DIR* const entries = ::opendir(folder.c_str());
  if (entries == nullptr) return {};
  std::string said;
  while (const dirent* const entry = ::readdir(entries)) {
    const std::string_view there = entry->d_name;
    if (!there.starts_with(name)) continue;
    const std::string path = folder + "/" + entry->d_name;
    if (!is_left_over(path, writer_of(there.substr(name.size()))) || ::unlink(path.c_str()) != 0)
      continue;
    said += fmt::format("{}{}, which a run that was killed had left, is removed",
                        said.empty() ? "" : "; ", path);
  }
  ::closedir(entries);
  return said;
}

}  // namespace

Error output_error(const std::string& path, const char* action, int code) {
  const ErrorKind kind = kind_of(code, ErrorKind::kUsage);
  std::string fix = "give a place that exists and that you may write to with --output";
  if (kind == ErrorKind::kResources)
    fix = "free some space there, or write elsewhere with --output";
  if (code == EFBIG) fix = "allow larger files (ulimit -f), or write less";
  if (code == EMFILE || code == ENFILE) fix = "allow more open files (ulimit -n)";
  return {kind, fmt::format("cannot {}: {}", action, std::strerror(code)), path, fix};
}

Error output_exists(const std::string& path) {
  return {ErrorKind::kUsage, "the file is there already", path,
          "give another name with --output, or replace the file with --force"};
}

Error output_is_input(const std::string& path) {
  return {ErrorKind::kUsage, "this run reads the file that it was told to write", path,
          "give another name with --output; --force does not allow this"};
}

Result<OutputPlace> find_output_place(const std::string& path, const OutputRules& rules) {
  const bool open_already = open_descriptor(path) >= 0;
  auto target = open_already ? Result<std::string>(path) : follow_links(path);
  if (!target) return target.error();
  OutputPlace place{*target, open_already, ""};
  struct stat status {};
  const bool there = !open_already && ::stat(target->c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode))
    return Error{ErrorKind::kUsage, "it is a folder", path, "give the name of a file in it"};
  const bool stream = there && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  if (there && !S_ISREG(status.st_mode) && !stream)
    return Error{ErrorKind::kUsage, "it is no file: it is never replaced", path,
                 "give the name of a file"};
  if ((stream || open_already) && !rules.direct)
    return Error{ErrorKind::kUsage, "it is a device or a pipe, and this output has to be a file",
                 path, "give the name of a file"};
  if (stream) {
    place.direct = true;
    place.note = fmt::format("{} is a {}: it is written as it is", path,
                             S_ISFIFO(status.st_mode) ? "pipe" : "device");
  }
  if (place.direct) return place;
  if (is_input(*target)) return output_is_input(path);
  if (there && !rules.replace) return output_exists(path);
  // Said now, not after the work.
  struct stat folder {};
  if (::stat(folder_of(*target).c_str(), &folder) != 0)
    return output_error(path, "write it", errno);
  if (*target != path) place.note = fmt::format("{} is a link: {} is written", path, *target);
  return place;
}

int write_bytes(int fd, const void* bytes, std::size_t count) {
  // Only this thread could get the signal of its own write, and it is taken back before it is let
  // in.
  sigset_t limit, before;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  int error = 0;
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t n = ::write(fd, from, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error = n < 0 ? errno : ENOSPC;
      break;
    }
    from += n;
    count -= static_cast<std::size_t>(n);
  }
  if (error == EFBIG) {
    const timespec at_once{};
    while (sigtimedwait(&limit, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

int give_name(const std::string& unfinished, const std::string& path, bool replace) {
  const int error = !replace ? rename_without_replacing(unfinished.c_str(), path.c_str())
                    : std::rename(unfinished.c_str(), path.c_str()) == 0 ? 0
                                                                         : errno;
  return error != 0 ? error : sync_folder(path);
}

Result<OutputFile> OutputFile::create(const std::string& path, const OutputRules& rules) {
  auto place = find_output_place(path, rules);
  if (!place) return place.error();
  OutputFile file;
  file.place_ = *place;
  file.replace_ = rules.replace;
  file.owner_ = ::getpid();
  if (place->direct) {
    const int open_already = open_descriptor(path);
    file.fd_ = open_already >= 0 ? ::fcntl(open_already, F_DUPFD_CLOEXEC, 0)
                                 : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.fd_ < 0) return output_error(path, "write it", errno);
    return file;
  }
  const std::string& target = place->path;
  auto claim = OutputClaim::of(target);
  if (!claim) return claim.error();
  file.claim_ = std::move(claim).value();
  if (const std::string said = remove_left_overs(target); !said.empty())
    file.place_.note += (file.place_.note.empty() ? "" : "; ") + said;
  const std::string folder = target.substr(0, target.rfind('/') + 1);
  bool short_name = false;  // where a longer one than the target's does not fit the file system
  for (int n = 0; n < 1000 && file.fd_ < 0; ++n) {
    file.unfinished_ = fmt::format("{}.{}-{}{}", short_name ? folder + ".warpmem" : target,
                                   ::getpid(), n, kUnfinished);
    file.fd_ = ::open(file.unfinished_.c_str(),
                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file.fd_ < 0 && errno == ENAMETOOLONG && !short_name) short_name = true;
    else if (file.fd_ < 0 && errno != EEXIST) break;
  }
  if (file.fd_ < 0) {
    const int code = errno;
    file.unfinished_.clear();
    return output_error(path, "write it", code);
  }
  lock(file.fd_);
  struct stat before {};
  if (::stat(target.c_str(), &before) == 0) ::fchmod(file.fd_, before.st_mode & 0777);
  file.slot_ = g_unfinished.remember(file.unfinished_);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : place_(std::move(other.place_)),
      claim_(std::move(other.claim_)),
      unfinished_(std::exchange(other.unfinished_, {})),
      fd_(std::exchange(other.fd_, -1)),
      slot_(std::exchange(other.slot_, -1)),
      owner_(other.owner_),
      replace_(other.replace_) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!unfinished_.empty() && owner_ == ::getpid()) ::unlink(unfinished_.c_str());
  g_unfinished.forget(slot_);
}

Result<void> OutputFile::write(std::string_view text) {
  if (const int code = write_bytes(fd_, text.data(), text.size()))
    return output_error(place_.path, "write it", code);
  return {};
}

Result<void> OutputFile::publish() {
  int code = 0;
  if (!place_.direct && ::fsync(fd_) != 0) code = errno;
  if (::close(std::exchange(fd_, -1)) != 0 && code == 0) code = errno;
  if (code != 0) return output_error(place_.path, "write it", code);
  if (place_.direct) return {};
  if (is_input(place_.path)) return output_is_input(place_.path);  // it was opened meanwhile
  code = give_name(unfinished_, place_.path, replace_);
  if (code == EEXIST) return output_exists(place_.path);
  if (code != 0) return output_error(place_.path, "give it its name", code);
  unfinished_.clear();
  claim_.kept();
  g_unfinished.forget(std::exchange(slot_, -1));
  return {};
}

void remove_unfinished_outputs() {
  g_unfinished.for_each([](const char* name) { ::unlink(name); });
}

}  // namespace warpmem
