// A folder for files that a command needs for a while; it goes with what is in it.
#pragma once

#include <string>
#include <utility>

#include "base/error.hpp"

namespace warpmem {

class ScratchFolder {
 public:
  static Result<ScratchFolder> create();
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::move(other.path_)), slot_(std::exchange(other.slot_, -1)) {
    other.path_.clear();
  }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit ScratchFolder(std::string path);
  std::string path_;
  int slot_ = -1;
};

// Whether a file of this name is in one of them: nobody's input and nobody's output.
bool in_scratch_folder(const std::string& path);

// Of all scratch folders that there are, with the files in them: for a process that ends without
// destructors. May be called in a signal handler.
void remove_scratch_folders();

}  // namespace warpmem
