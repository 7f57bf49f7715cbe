// A text file of somebody else's, line by line: as it is, or through xz where its name ends in .xz.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.hpp"

namespace warpmem::imports {

class LineFile {
 public:
  static Result<LineFile> open(const std::string& path);
  ~LineFile();
  LineFile(LineFile&&) noexcept;
  LineFile& operator=(LineFile&&) = delete;

  // The next line without its end; false: there is none, or reading failed, which ended() says.
  bool next(std::string& line);
  bool unfinished() const {
    return unfinished_;
  }  // the last line has no end: the file is cut short
  std::uint64_t number() const { return number_; }  // of the last line, from 1
  std::string place() const;                        // "t.traceg, line 17"
  // kMalformed where the file is no whole .xz, or has a line that nobody would write.
  Result<void> ended();

 private:
  struct Source;
  LineFile(std::string path, std::unique_ptr<Source> source);
  std::string path_;
  std::unique_ptr<Source> source_;
  std::uint64_t number_ = 0;
  bool unfinished_ = false;
};

}  // namespace warpmem::imports
