// The code of the modules that the program loads, and the trace's program section made from it the
// first time a kernel of it is recorded.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binary/cubin/code_map.hpp"
#include "binary/cubin/cubin.hpp"
#include "binary/disassembly/disassembly.hpp"
#include "isa/program.hpp"
#include "traces/record/output.hpp"

namespace warpmem::record {

class Programs {
 public:
  // Where a function of a module was loaded, if it was.
  using Locate = std::function<bool(const void* module, const char* function, std::uint64_t& pc,
                                    std::uint64_t& size)>;

  struct Entry {
    std::shared_ptr<const CodeMap> code;
    trace::Program program;  // its resources are repeated in each launch; the code is dropped
    KernelParameters parameters;
  };

  Programs(Output& output, Locate locate, std::string nvdisasm)
      : output_(output), locate_(std::move(locate)), nvdisasm_(std::move(nvdisasm)) {}

  void module_loaded(const void* module, const char* image, std::size_t size);
  void module_unloaded(const void* module);
  // The kernel's entry; writes its program into the trace the first time.
  const Entry& find(const void* module, const std::string& function);

 private:
  Entry build(const void* module, const std::string& function);
  void add_code(const void* module, const Cubin& cubin, const CubinFunction& kernel,
                trace::Program& program, CodeMap& code);

  Output& output_;
  Locate locate_;
  std::string nvdisasm_;  // empty: none was found
  std::mutex mutex_;
  struct Module {
    std::vector<unsigned char> image;
    std::optional<Disassembly> listing;  // of the whole module, when it is small
  };
  Result<const Disassembly*> listing_of(Module& module, const Cubin& cubin,
                                        const std::vector<std::uint32_t>& symbols);
  std::map<const void*, Module> modules_;
  Disassembly single_;  // of the last kernel of a large module
  std::map<std::pair<const void*, std::string>, Entry> entries_;
};

// "_Z4copyPf" → "copy(float*)"; the name itself when it is not mangled.
std::string demangled(const std::string& name);

}  // namespace warpmem::record
