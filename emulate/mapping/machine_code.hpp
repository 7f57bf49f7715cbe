// What ptxas makes of a module: the resources of its kernels, and their machine instructions, each
// with the PTX statement that it comes from. Tools are run when something is first asked for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulate/ptx/program.hpp"
#include "emulate/mapping/linked_units.hpp"
#include "emulate/toolkit/toolkit.hpp"
#include "binary/cubin/cubin.hpp"
#include "binary/disassembly/disassembly.hpp"

namespace warpmem::emulate {

constexpr std::uint32_t kNoStatement = ~std::uint32_t{0};
// Of a function that the kernel cannot come to. ptxas lays those whose address is somewhere (in a
// table of virtual functions, say) behind every kernel that calls through a register, and be it for
// memory from the heap.
constexpr std::uint32_t kUncalled = kNoStatement - 1;

struct MachineInstruction {
  trace::Instruction line;                 // source file as Module::files numbers them
  std::uint32_t statement = kNoStatement;  // of the PTX: its pc / 16 in describe()'s numbering
  bool begins_function = false;            // one that stands apart, behind the kernel's own code
};

class MachineCode {
 public:
  struct Request {
    Toolkit toolkit;
    std::string arch;                  // "sm_90"
    std::vector<std::string> options;  // of ptxas
    Cubin shipped;  // the program's own machine code for `arch`; empty: it has none
    // What `shipped` was linked from (-rdc=true): the module's PTX is theirs put together, and no
    // ptxas makes `shipped` of that. None: one object, whose PTX is the module's.
    std::vector<DeviceObject> units;
  };
  // `module` must outlive it.
  MachineCode(const Module& module, Request request);

  // kEnvironment: there is no machine code, and why.
  Result<Resources> resources(const std::string& kernel);
  // The kernel's instructions in their order; behind them, where a recorder puts them, those of the
  // functions that it calls and that stand apart (in linked programs, and in debug code). Fails too where ptxas
  // does not make the same code twice, or makes other code than the program carries: lines would
  // then prove nothing.
  Result<std::vector<MachineInstruction>> instructions(const Kernel& kernel);
  const std::string& arch() const { return request_.arch; }

 private:
  struct Image {
    Cubin bytes;
    record::Cubin parsed;
  };
  // What ptxas made of a text, and what nvdisasm prints of that, once it was asked.
  struct Assembly {
    Result<Image> image;
    std::optional<Result<record::Disassembly>> listing;
  };
  // ptxas makes each kernel by itself, and of a module with hundreds a program may run one: each is
  // assembled alone. Only where that gives other code than the program carries, all together.
  const Function* alone(const std::string& kernel) const;
  // Of the kernel: the program's own code, or what ptxas makes of the text.
  Result<Assembly*> plain(const Function* alone);
  // Of the text with a line for each statement.
  Result<Assembly*> tagged(const Function* alone);
  Result<Image> assembled(std::string_view ptx, const std::vector<std::string>& further);
  // The statement of each instruction of the kernel, or of one of its functions that stand apart;
  // kNoStatement: none.
  Result<std::vector<std::uint32_t>> statements(const Kernel& kernel, const Function* alone,
                                                const std::string& name);
  Result<std::vector<std::uint32_t>> linked_statements(const Kernel& kernel,
                                                       const record::CubinFunction& function);
  Result<const record::CodeSection*> printed(Assembly& assembly, const std::string& name, const Kernel* only);
  void append(const Kernel& kernel, const Image& image, const record::CubinFunction& function,
              const std::vector<trace::Instruction>& printed,
              const std::vector<std::uint32_t>& statements, std::uint32_t offset,
              std::vector<MachineInstruction>& code) const;

  const Module& module_;
  Request request_;
  std::optional<Assembly> shipped_;
  std::map<const Function*, Assembly> plain_, tagged_;  // by the kernel that kept its body
  std::vector<std::uint32_t> first_line_;
  std::unique_ptr<LinkedUnits> units_;
};

}  // namespace warpmem::emulate
