#include "base/run_files.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>

#include "base/scratch_folder.hpp"

namespace warpmem {
namespace {

struct List {
  std::mutex mutex;
  int runs = 0;
  std::set<std::string> inputs;                           // as they were named
  std::set<std::pair<std::string, std::string>> folders;  // … and the ending that is left out
  std::set<std::string> outputs;                          // real names
};

List& list() {
  static List all;
  return all;
}

std::string resolved(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return {};
  std::string out = real;
  std::free(real);
  return out;
}

// The file's folder under its real name, and the file's own name: there need not be such a file.
std::string real_name(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string folder =
      resolved(slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash));
  return folder.empty() ? path : folder + "/" + path.substr(slash + 1);
}

bool lies_in(const std::string& file, const std::string& folder) {
  return file.size() > folder.size() && file.starts_with(folder) &&
         (folder.ends_with('/') || file[folder.size()] == '/');
}

}  // namespace

RunFiles::RunFiles() {
  const std::lock_guard lock(list().mutex);
  ++list().runs;
}

RunFiles::~RunFiles() {
  const std::lock_guard lock(list().mutex);
  if (--list().runs > 0) return;
  list().inputs.clear();
  list().folders.clear();
  list().outputs.clear();
}

void note_input(const std::string& path) {
  struct stat status {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::lock_guard lock(list().mutex);
  if (list().runs > 0 && !in_scratch_folder(path)) list().inputs.insert(path);
}

void note_input_folder(const std::string& path, const std::string& except) {
  const std::string real = resolved(path);
  const std::lock_guard lock(list().mutex);
  if (list().runs > 0 && !real.empty()) list().folders.emplace(real, except);
}

std::ifstream open_to_read(const std::string& path) {
  note_input(path);
  return std::ifstream(path, std::ios::binary);
}

bool is_input(const std::string& path) {
  struct stat ours {};
  if (::stat(path.c_str(), &ours) != 0) return false;
  const std::lock_guard lock(list().mutex);
  for (const std::string& input : list().inputs) {
    struct stat theirs {};
    if (::stat(input.c_str(), &theirs) == 0 && theirs.st_dev == ours.st_dev &&
        theirs.st_ino == ours.st_ino)
      return true;
  }
  if (list().folders.empty()) return false;
  const std::string real = resolved(path);
  for (const auto& [folder, except] : list().folders)
    if (lies_in(real, folder) && (except.empty() || !real.ends_with(except))) return true;
  return false;
}

Result<OutputClaim> OutputClaim::of(const std::string& path) {
  OutputClaim out;
  const std::string name = real_name(path);
  const std::lock_guard lock(list().mutex);
  if (list().runs == 0 || in_scratch_folder(path)) return out;
  if (!list().outputs.insert(name).second)
    return Error{ErrorKind::kUsage, "two outputs of this run have the same name", path,
                 "give each a name of its own"};
  out.name_ = name;
  return out;
}

OutputClaim::~OutputClaim() {
  if (name_.empty()) return;
  const std::lock_guard lock(list().mutex);
  list().outputs.erase(name_);
}

OutputClaim::OutputClaim(OutputClaim&& other) noexcept : name_(std::exchange(other.name_, {})) {}

OutputClaim& OutputClaim::operator=(OutputClaim&& other) noexcept {
  std::swap(name_, other.name_);
  return *this;
}

}  // namespace warpmem
