#include "sweep/point_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <utility>

#include "base/errno_kind.hpp"
#include "base/output_file.hpp"
#include "sweep/packed.hpp"

namespace warpmem::sweep {
namespace {

constexpr std::string_view kHeading =
    "warpmem: points of a sweep that is not finished, version 1\n";
constexpr std::size_t kPrefix = 16;  // of a piece: its length and its hash

std::string number_bytes(std::uint64_t n) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(n >> (8 * i));
  return out;
}

std::uint64_t number_at(std::string_view bytes) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < 8; ++i)
    n |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return n;
}

std::string piece(const std::string& bytes) {
  return number_bytes(bytes.size()) + number_bytes(hash_of_bytes(bytes)) + bytes;
}

// The piece that `left` begins with, which is taken off; nothing: it is cut short or damaged.
std::optional<std::string_view> next_piece(std::string_view& left) {
  if (left.size() < kPrefix) return {};
  const std::uint64_t size = number_at(left), hash = number_at(left.substr(8));
  if (size > left.size() - kPrefix) return {};
  const std::string_view out = left.substr(kPrefix, size);
  if (hash_of_bytes(out) != hash) return {};
  left.remove_prefix(kPrefix + size);
  return out;
}

struct Descriptor {
  explicit Descriptor(int open) : fd(open) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  int take() { return std::exchange(fd, -1); }
  int fd;
};

Error refused(const std::string& path, int code) {
  const ErrorKind kind = kind_of(code, ErrorKind::kUsage);
  return {kind, fmt::format("cannot keep the results: {}", std::strerror(code)), path,
          kind == ErrorKind::kResources
              ? "make room and run the same command again: finished points are kept"
              : "give a file in a folder that is there and can be written"};
}

// Locks, unless another process has. 0 or errno; EAGAIN: it has.
int lock(int fd) {
  struct flock all {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  if (::fcntl(fd, F_OFD_SETLK, &all) == 0) return 0;
  return errno == EACCES ? EAGAIN : errno;
}

Error locked(const std::string& path) {
  return {ErrorKind::kUsage, "another run is working on it", path,
          "wait for it, or give another file"};
}

// Whether the file of this name is the one that is open.
bool is_named(int fd, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

Result<std::string> all_of(int fd, const std::string& path) {
  std::string out;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::pread(fd, buffer, sizeof buffer, static_cast<off_t>(out.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return refused(path, errno);
    if (n == 0) return out;
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

// Open and locked; -1: there is none.
Result<int> open_there(const std::string& path) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.fd < 0 && errno == ENOENT) return -1;
    struct stat status {};
    if (file.fd < 0 || ::fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode))
      return Error{ErrorKind::kUsage, "it is in the way of points that are not finished", path,
                   "move it, or give another file"};
    if (const int code = lock(file.fd)) return code == EAGAIN ? locked(path) : refused(path, code);
    if (is_named(file.fd, path)) return file.take();  // … or another run has finished meanwhile
  }
  return locked(path);
}

Error foreign(const std::string& path) {
  return {
      ErrorKind::kUsage,
      "points that are not finished go to a file of this name, and this warpmem did not write it",
      path, "move it, or give another file; --force does not allow this"};
}

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

}  // namespace

Result<void> require_same(const std::string& path, const Plan& there, const Plan& here) {
  const auto another = [&](const std::string& name, const std::string& a, const std::string& b) {
    const auto said = [](const std::string& v) { return v.empty() ? "not given" : v; };
    return Error{ErrorKind::kUsage,
                 name == "version"
                     ? fmt::format("the results are of warpmem {}, and this is {}", a, b)
                     : fmt::format("the results are of another sweep: {} is {} there and {} here",
                                   name, said(a), said(b)),
                 path, "give another file, or --force to begin anew"};
  };
  const std::map<std::string, std::string> a(there.identity.begin(), there.identity.end()),
      b(here.identity.begin(), here.identity.end());
  const auto value = [](const auto& of, const std::string& name) {
    const auto at = of.find(name);
    return at == of.end() ? std::string() : at->second;
  };
  for (const auto& [name, said] : here.identity)
    if (value(a, name) != said) return another(name, value(a, name), said);
  for (const auto& [name, said] : there.identity)
    if (value(b, name) != said) return another(name, said, value(b, name));
  if (there.part != here.part) return another("--shard", there.part, here.part);
  // A trace may have another name by now; all else follows from the identity.
  Plan named = there;
  if (named.empty.traces.size() == here.empty.traces.size()) named.empty.traces = here.empty.traces;
  if (packed(named) != packed(here)) return another("the plan", "another one", "this one");
  return {};
}

Result<PointLog> PointLog::open(const std::string& path, const Plan& plan, bool replace,
                                std::vector<SweepPoint>& before) {
  auto there = open_there(path);
  if (!there) return there.error();
  Descriptor file(*there);
  std::string bytes;
  if (file.fd >= 0) {
    auto read = all_of(file.fd, path);
    if (!read) return read.error();
    bytes = std::move(*read);
    if (!bytes.starts_with(kHeading)) return foreign(path);
    std::string_view left = std::string_view(bytes).substr(kHeading.size());
    const auto head = next_piece(left);
    const auto known = head ? unpacked_plan(*head) : std::nullopt;
    Result<void> same;
    if (known) same = require_same(path, *known, plan);
    else
      same = Error{ErrorKind::kMalformed, "the points cannot be read", path,
                   "give another file, or --force to begin anew"};
    if (same) {
      auto claim = OutputClaim::of(path);
      if (!claim) return claim.error();
      PointLog out(path, file.take());
      out.claim_ = std::move(*claim);
      out.size_ = static_cast<std::int64_t>(bytes.size() - left.size());
      while (const auto next = next_piece(left)) {
        auto point = unpacked_point(*next);
        if (!point || !fits(plan, *point)) break;
        before.push_back(std::move(*point));
        out.size_ = static_cast<std::int64_t>(bytes.size() - left.size());
      }
      // What a kill has cut short is written anew.
      if (::ftruncate(out.fd_, out.size_) != 0 || ::lseek(out.fd_, out.size_, SEEK_SET) < 0)
        return refused(path, errno);
      return out;
    }
    if (!replace) return same.error();
  }
  {
    auto fresh = OutputFile::create(path, {.replace = file.fd >= 0});
    if (!fresh) return fresh.error();
    const std::string begin = std::string(kHeading) + piece(packed(plan));
    if (auto ok = fresh->write(begin); !ok) return ok.error();
    if (auto ok = fresh->publish(); !ok) return ok.error();
    bytes = begin;
  }
  auto opened = open_there(path);
  if (!opened) return opened.error();
  if (*opened < 0) return locked(path);
  PointLog out(path, *opened);
  out.size_ = static_cast<std::int64_t>(bytes.size());
  if (::lseek(out.fd_, 0, SEEK_END) != out.size_) return locked(path);
  return out;
}

void PointLog::forget(const std::string& path, const Plan& plan) {
  const auto there = open_there(path);
  if (!there || *there < 0) return;
  const Descriptor file(*there);
  const auto bytes = all_of(file.fd, path);
  if (!bytes || !bytes->starts_with(kHeading)) return;
  std::string_view left = std::string_view(*bytes).substr(kHeading.size());
  const auto head = next_piece(left);
  const auto known = head ? unpacked_plan(*head) : std::nullopt;
  if (known && require_same(path, *known, plan)) ::unlink(path.c_str());
}

PointLog::~PointLog() {
  if (fd_ >= 0) ::close(fd_);
}

PointLog::PointLog(PointLog&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      synced_(other.synced_),
      claim_(std::move(other.claim_)) {}

Result<void> PointLog::add(const SweepPoint& point) {
  const std::string bytes = piece(packed(point));
  if (const int code = write_bytes(fd_, bytes.data(), bytes.size())) {
    // The points before it stay as they are.
    if (::ftruncate(fd_, size_) == 0) ::lseek(fd_, size_, SEEK_SET);
    return refused(path_, code);
  }
  size_ += static_cast<std::int64_t>(bytes.size());
  if (now() == synced_) return {};
  if (::fdatasync(fd_) != 0) return refused(path_, errno);
  synced_ = now();
  return {};
}

void PointLog::remove() {
  if (is_named(fd_, path_)) ::unlink(path_.c_str());
}

}  // namespace warpmem::sweep
