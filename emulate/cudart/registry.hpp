// The device code of the process: fat binaries that the program registers before main() or loads
// later, their kernels and variables. A module is read when something of it is first used.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "emulate/cudart/abi.hpp"
#include "emulate/ptx/program.hpp"
#include "emulate/toolkit/code_level.hpp"
#include "emulate/toolkit/toolkit.hpp"

namespace warpmem::cudart {

// PTX that a module runs, as one compilation made it.
struct CompiledPtx {
  std::uint32_t architecture = 0;  // 90: with __CUDA_ARCH__ 900
  std::string text;                // empty where the module has no other
};

bool defines_kernel(const std::string& ptx, const std::string& name);

struct MachineModule;

struct Module {
  const FatBinaryWrapper* wrapper = nullptr;
  std::string ptx;  // instead of a wrapper: text that the program loaded, or that `cubin` has in it
  std::string name;                          // for messages
  std::vector<std::string> options;          // of ptxas, for text that the program loaded
  std::vector<emulate::DeviceObject> parts;  // that the program linked such text from
  std::vector<unsigned char> cubin;          // what the program loaded, if that is machine code
  bool told = false;                         // its failure has been printed
  std::unique_ptr<emulate::LoadedModule> loaded;
  std::shared_ptr<MachineModule> machine_module;  // machine_level.hpp; null: its PTX runs
  std::vector<CompiledPtx> units;  // of a wrapper: the texts that `loaded` was put together from
  std::optional<Result<emulate::Cubin>> of_ptx;  // what ptxas makes of the PTX that runs
  std::string stand_in;  // why the code is another GPU's; empty: it is this one's
  std::string why_ptx;   // its PTX runs, though nobody asked for that: the reason
  std::optional<Error> failure;
  std::vector<Function*> functions;
  bool placed = false;  // the program knows where a variable of it lies
  bool unloaded = false;
};

// A kernel; also what a cudaKernel_t and a cudaFunction_t of ours point to.
struct Function {
  Module* module = nullptr;
  std::string name;  // mangled
  const void* host = nullptr;
  bool told = false;  // its failure has been printed
  std::unique_ptr<emulate::Kernel> kernel;
  std::optional<Error> failure;
  std::string demangled;
  std::optional<emulate::Resources> resources;  // as ptxas says
  bool resources_known = false;                 // asked for already, whether or not there are any
  std::int64_t program = -1;                    // in the trace
  int max_dynamic_shared = -1;  // cudaFuncSetAttribute; -1: what every kernel may have
  int carveout = -1;
  int cache_config = 0;  // cudaFuncCache…
  int cluster_nonportable = 0, cluster_policy = 0;
  Dim required_cluster{0, 0, 0};
};

struct Symbol {
  Module* module = nullptr;
  std::string name;
  void** managed = nullptr;  // the program's own pointer to the variable's memory
};

// Where a variable lies, and what it takes in the code that runs. The host was compiled on its own.
struct SymbolMemory {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

class Registry {
 public:
  // Which code modules run that are read from now on.
  void set_level(emulate::CodeLevel level) { level_ = level; }
  emulate::CodeLevel level() const { return level_; }

  // `name`: of the program or file, for messages.
  Module* add_module(const FatBinaryWrapper* wrapper, const std::string& name);
  Module* add_text(std::string ptx, const std::string& name);
  void remove_module(Module* module);

  Function* add_function(Module* module, const void* host, const std::string& name);
  void add_symbol(Module* module, const void* host, const std::string& name,
                  void** managed = nullptr);

  // By the host function's address or by our own handle; null: never registered.
  Function* find_function(const void* key);
  Symbol* find_symbol(const void* host);
  bool is_function(const Function* f) const { return handles_.contains(f); }

  // Reads the module's machine code or PTX for a GPU of compute capability `cc`, places its
  // variables in memory.
  Result<emulate::LoadedModule*> load(Module& module, emulate::Memory& memory, std::uint32_t cc);
  Result<emulate::Kernel*> kernel(Function& function, emulate::Memory& memory, std::uint32_t cc);
  // The architecture that the function's PTX was compiled for (120: __CUDA_ARCH__ was 1200), which
  // need not be the one that it runs on. Its module must be loaded.
  static std::uint32_t compiled_for(const Function& function);
  // Registers, shared and local memory of the function, whose module must be loaded, on that GPU;
  // null: not known.
  const emulate::Resources* resources(Function& function, std::uint32_t cc);
  // Why its PTX runs, though nobody asked for that; empty: its machine code runs.
  std::string why_ptx(Function& function, std::uint32_t cc);
  Result<SymbolMemory> locate(const Symbol& symbol, emulate::Memory& memory, std::uint32_t cc);

  std::unordered_map<const void*, Symbol>& symbols() { return symbols_; }  // by host address

 private:
  bool give_up_machine_code(Module& module, const Error& why) const;
  emulate::CodeLevel level_ = emulate::CodeLevel::kBest;
  std::deque<Module> modules_;
  std::deque<Function> functions_;
  std::unordered_map<const void*, Function*> by_host_;
  std::unordered_map<const Function*, bool> handles_;
  std::unordered_map<const void*, Symbol> symbols_;
};

}  // namespace warpmem::cudart
