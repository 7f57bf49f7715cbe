// Where a writer's bytes go. A file in real life; in tests, something that fails at the n-th call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "traces/format/bytes.hpp"

namespace warpmem::trace {

// Every call returns 0 or an errno.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual int write(ByteSpan bytes) = 0;         // appends; after a failure a part may be there
  virtual int truncate(std::uint64_t size) = 0;  // later writes append there
  virtual int sync() = 0;                        // everything written survives a power cut
  virtual int publish() = 0;                     // the final name, in place of PATH.partial
  virtual void discard() = 0;                    // PATH.partial holds nothing worth keeping
};

std::string partial_name(const std::string& path);

// Creates PATH.partial and locks it, so that two recordings cannot write one file. `path` is a
// place that find_output_place() (base/output_file.hpp) has found. `replace`: PATH may be replaced
// when publishing, and a PATH.partial that another run has left is removed now, if it is a trace.
Result<std::unique_ptr<Sink>> create_file_sink(const std::string& path, bool replace);

}  // namespace warpmem::trace
