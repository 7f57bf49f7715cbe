// A kernel ready to run: its entry and every function it can reach, decoded; and the module's
// variables at their places in memory.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulate/executor/code.hpp"
#include "emulate/executor/memory.hpp"
#include "isa/program.hpp"

namespace warpmem::emulate {

// A module whose variables have addresses and initial values.
class LoadedModule {
 public:
  static Result<std::unique_ptr<LoadedModule>> load(Module module, Memory& memory);
  const Module& module() const { return module_; }
  Memory& memory() const { return memory_; }
  std::uint64_t address_of(const Variable* v) const {
    return addresses_.at(v);
  }  // global and const
  // Where constant variables lie: [first, last).
  std::pair<std::uint64_t, std::uint64_t> constants() const { return constants_; }
  // Functions are numbered in the order of the file; their addresses follow from that.
  std::uint64_t address_of(const Function* f) const { return kCodeWindow + 16 * numbers_.at(f); }
  const Function* function_at(std::uint64_t address) const;
  const std::vector<const Function*>& address_taken() const { return address_taken_; }

 private:
  LoadedModule(Module module, Memory& memory) : module_(std::move(module)), memory_(memory) {}
  Result<void> place();
  Result<void> initialise(const Variable& v);
  Module module_;
  Memory& memory_;
  std::unordered_map<const Variable*, std::uint64_t> addresses_;
  std::unordered_map<const Function*, std::uint64_t> numbers_;
  std::vector<const Function*> address_taken_;
  std::pair<std::uint64_t, std::uint64_t> constants_{0, 0};
};

struct MachineKernel;

struct Kernel {
  const LoadedModule* module = nullptr;
  const Function* entry = nullptr;
  std::vector<std::unique_ptr<Code>> functions;  // [0] the entry
  std::unordered_map<const Function*, std::uint32_t> numbers;
  std::uint32_t static_shared = 0;
  std::uint32_t dynamic_shared_at = 0;  // where `extern .shared` begins
  std::uint32_t param_bytes = 0;
  std::uint32_t local_bytes = 0;  // of the entry's own frame
  std::uint32_t statements = 0;
  mutable std::atomic<std::uint32_t> conflicts{0};  // times its CTAs could not run side by side
  bool reads_across = false;                        // crossing.hpp
  std::shared_ptr<MachineKernel> machine;           // null: it runs from its PTX
  bool reserves_shared = false;  // asks for cooperative groups' own shared memory
};

// "copy(float*)" for "_Z4copyPf"; other names as they are.
std::string demangled(std::string_view name);

}  // namespace warpmem::emulate
