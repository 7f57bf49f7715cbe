// What NVIDIA's tools made of code, kept on disk between runs: what nvdisasm printed of an image
// (it builds its tables for 0.2 to 0.4 s each time it starts, whatever it is to read), and the
// machine code that ptxas made of PTX.
//
// An entry is found by a hash over all that it depends on: the whole input, the options (with which
// of an image's functions were asked for), and which file the tool is (path, size and time; only
// programs are, as a script may start another one). It is used if it is whole: its key and a
// hash over its content are in it. It is written under another name and renamed, so that processes
// may share the folder. Who else could write there is not believed: the folder and the entries must
// be the user's own, and writable to nobody else. All entries together take at most kMostBytes; the
// ones that were not used for longest go first.
//
// Nothing here is an error: without a cache all is as before, only later.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpmem::record {

struct ToolKey {
  std::array<std::uint64_t, 2> hash{};
};

// None: the tool is no program of which one could say that it is still the same.
std::optional<ToolKey> tool_key(const std::string& tool, std::string_view options,
                                std::span<const unsigned char> input);

class ToolCache {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

  // An empty name: nothing is kept, and nothing found.
  explicit ToolCache(std::string folder, std::uint64_t most_bytes = kMostBytes);
  // WARPMEM_CACHE names the folder, or is "off"; else $XDG_CACHE_HOME/warpmem, ~/.cache/warpmem.
  static ToolCache of_user();

  const std::string& folder() const { return folder_; }
  std::optional<std::string> find(const ToolKey& key) const;
  void keep(const ToolKey& key, std::string_view output) const;

  struct Size {
    std::uint64_t entries = 0, bytes = 0;
  };
  Size size() const;

 private:
  std::string file_of(const ToolKey& key) const;
  void make_room() const;
  std::string folder_;
  std::uint64_t most_bytes_;
};

}  // namespace warpmem::record
