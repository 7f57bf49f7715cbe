// libFuzzer target: no text of another tool, however broken, may crash the importers, and what they
// make of it is a trace that can be read.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "traces/format/reader.hpp"
#include "traces/import/import.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int fd = ::memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  warpmem::imports::ImportRequest request;
  request.path = "/proc/self/fd/" + std::to_string(fd);
  const char* const folder = std::getenv("TMPDIR");
  request.output =
      std::string(folder ? folder : "/tmp") + "/fuzz-import-" + std::to_string(::getpid()) + ".wmt";
  request.tool = "fuzz", request.overwrite = true;
  const auto report = warpmem::imports::import_trace(request);
  ::close(fd);
  if (!report) return 0;
  const auto reader = warpmem::trace::TraceReader::open(request.output, {.allow_partial = true});
  if (!reader || reader->launches().size() != report->launches) std::abort();
  ::unlink(request.output.c_str());
  return 0;
}
