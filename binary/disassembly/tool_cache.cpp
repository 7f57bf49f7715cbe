#define XXH_STATIC_LINKING_ONLY  // XXH3_state_t on the stack
#include "binary/disassembly/tool_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "base/output_file.hpp"

namespace warpmem::record {
namespace {

namespace fs = std::filesystem;

// The first of these changes with what an entry holds: others are not found any more.
constexpr char kMagic[8] = {'w', 'm', 'l', 'i', 's', 't', '0', '1'};
constexpr std::string_view kEnding = ".listing";
constexpr std::string_view kUnfinished = ".unfinished";
constexpr std::uint64_t kLongestText = std::uint64_t{1} << 30;
constexpr std::time_t kDay = 24 * 60 * 60;

struct Head {
  char magic[8];
  std::uint64_t key[2];
  std::uint64_t text_bytes;
  std::uint64_t hash[2];  // over the key, the size and the text
};

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

std::array<std::uint64_t, 2> hash_of(std::span<const std::string_view> parts) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (const std::string_view part : parts) {
    const std::uint64_t bytes = part.size();
    XXH3_128bits_update(&state, &bytes, sizeof bytes);
    XXH3_128bits_update(&state, part.data(), part.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return {hash.low64, hash.high64};
}

Head head_of(const ToolKey& key, std::string_view text) {
  Head head{};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  std::copy(key.hash.begin(), key.hash.end(), head.key);
  head.text_bytes = text.size();
  const std::string_view parts[] = {{reinterpret_cast<const char*>(head.key), sizeof head.key},
                                    text};
  const auto hash = hash_of(parts);
  std::copy(hash.begin(), hash.end(), head.hash);
  return head;
}

bool is_mine(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string read_all(int fd, std::uint64_t bytes) {
  std::string all(bytes, '\0');
  std::size_t at = 0;
  while (at < all.size()) {
    const ssize_t n = ::read(fd, all.data() + at, all.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
  all.resize(at);
  return all;
}

// Made when it is needed; false: it is not the user's alone.
bool usable_folder(const std::string& folder, bool make) {
  if (folder.empty()) return false;
  std::error_code failed;
  if (make && !fs::exists(folder, failed)) {
    fs::create_directories(fs::path(folder).parent_path(), failed);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  }
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && is_mine(status);
}

struct Entry {
  fs::path file;
  std::time_t used = 0;
  std::uint64_t bytes = 0;
};

std::vector<Entry> entries_of(const std::string& folder, std::string_view ending) {
  std::vector<Entry> out;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    struct stat status {};
    if (at->path().native().ends_with(ending) && ::lstat(at->path().c_str(), &status) == 0 &&
        S_ISREG(status.st_mode))
      out.push_back({at->path(), status.st_mtime, static_cast<std::uint64_t>(status.st_size)});
  }
  return out;
}

}  // namespace

std::optional<ToolKey> tool_key(const std::string& tool, std::string_view options,
                                std::span<const unsigned char> input) {
  const Descriptor file{::open(tool.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status {};
  char begin[4] = {};
  if (file.fd < 0 || ::fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      ::read(file.fd, begin, sizeof begin) != sizeof begin || std::memcmp(begin, "\177ELF", 4) != 0)
    return std::nullopt;
  const std::string file_is = fmt::format("{} {} {}.{}", tool, status.st_size,
                                          status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  const std::string_view parts[] = {{kMagic, sizeof kMagic},
                                    file_is,
                                    options,
                                    {reinterpret_cast<const char*>(input.data()), input.size()}};
  return ToolKey{hash_of(parts)};
}

ToolCache::ToolCache(std::string folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

ToolCache ToolCache::of_user() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string named = variable("WARPMEM_CACHE"); !named.empty())
    return ToolCache(named == "off" ? "" : named);
  if (const std::string all = variable("XDG_CACHE_HOME"); all.starts_with('/'))
    return ToolCache(all + "/warpmem");
  const std::string home = variable("HOME");
  return ToolCache(home.starts_with('/') ? home + "/.cache/warpmem" : "");
}

std::string ToolCache::file_of(const ToolKey& key) const {
  return fmt::format("{}/{:016x}{:016x}{}", folder_, key.hash[0], key.hash[1], kEnding);
}

std::optional<std::string> ToolCache::find(const ToolKey& key) const {
  if (!usable_folder(folder_, false)) return std::nullopt;
  const Descriptor file{
      ::open(file_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  struct stat status {};
  if (file.fd < 0 || ::fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      !is_mine(status) || static_cast<std::uint64_t>(status.st_size) > most_bytes_)
    return std::nullopt;
  const std::string all = read_all(file.fd, static_cast<std::uint64_t>(status.st_size));
  Head head{};
  if (all.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, all.data(), sizeof head);
  const char* packed = all.data() + sizeof head;
  const std::size_t packed_bytes = all.size() - sizeof head;
  if (head.text_bytes > kLongestText ||
      ZSTD_getFrameContentSize(packed, packed_bytes) != head.text_bytes)
    return std::nullopt;
  std::string text(head.text_bytes, '\0');
  if (ZSTD_decompress(text.data(), text.size(), packed, packed_bytes) != text.size())
    return std::nullopt;
  const Head whole = head_of(key, text);
  if (std::memcmp(&head, &whole, sizeof head) != 0) return std::nullopt;
  if (std::time(nullptr) - status.st_mtime > kDay) ::futimens(file.fd, nullptr);
  return text;
}

void ToolCache::keep(const ToolKey& key, std::string_view text) const {
  if (text.size() > kLongestText || !usable_folder(folder_, true)) return;
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t bytes =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1);
  if (ZSTD_isError(bytes) || bytes > most_bytes_ / 8) return;
  packed.resize(bytes);
  static std::atomic<unsigned> attempts{0};
  const std::string unfinished =
      fmt::format("{}/{}-{}{}", folder_, ::getpid(), attempts++, kUnfinished);
  {
    const Descriptor file{
        ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (file.fd < 0) return;
    const Head head = head_of(key, text);
    if (write_bytes(file.fd, &head, sizeof head) != 0 ||
        write_bytes(file.fd, packed.data(), packed.size()) != 0) {
      ::unlink(unfinished.c_str());
      return;
    }
  }
  if (give_name(unfinished, file_of(key), true) != 0) ::unlink(unfinished.c_str());
  make_room();
}

// Down to three quarters, so that it does not start again with the next entry. What a process that
// was killed has left goes after a day.
void ToolCache::make_room() const {
  for (const Entry& e : entries_of(folder_, kUnfinished))
    if (std::time(nullptr) - e.used > kDay) ::unlink(e.file.c_str());
  std::vector<Entry> entries = entries_of(folder_, kEnding);
  std::uint64_t all = 0;
  for (const Entry& e : entries) all += e.bytes;
  if (all <= most_bytes_) return;
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.used, e.file); });
  for (const Entry& e : entries) {
    if (all <= most_bytes_ / 4 * 3) break;
    if (::unlink(e.file.c_str()) == 0) all -= e.bytes;
  }
}

ToolCache::Size ToolCache::size() const {
  Size out;
  for (const Entry& e : entries_of(folder_, kEnding)) ++out.entries, out.bytes += e.bytes;
  return out;
}

}  // namespace warpmem::record
