#include "traces/record/programs.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/printable.hpp"
#include "binary/disassembly/disassembly.hpp"
#include "isa/sass/places.hpp"
#include "traces/record/unrecorded.hpp"

namespace warpmem::record {
namespace {

constexpr std::size_t kSmallModule = 512 * 1024;  // bytes

std::uint32_t merge_file(trace::Program& program, const std::string& file) {
  const auto it = std::find(program.files.begin(), program.files.end(), file);
  if (it != program.files.end()) return static_cast<std::uint32_t>(it - program.files.begin());
  program.files.push_back(file);
  return static_cast<std::uint32_t>(program.files.size() - 1);
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

void Programs::module_loaded(const void* module, const char* image, std::size_t size) {
  const std::lock_guard lock(mutex_);
  const auto* bytes = reinterpret_cast<const unsigned char*>(image);
  modules_[module] = {{bytes, bytes + size}, std::nullopt};
}

void Programs::module_unloaded(const void* module) {
  const std::lock_guard lock(mutex_);
  modules_.erase(module);
  std::erase_if(entries_, [&](const auto& entry) { return entry.first.first == module; });
}

const Programs::Entry& Programs::find(const void* module, const std::string& function) {
  const std::lock_guard lock(mutex_);
  const auto key = std::make_pair(module, function);
  const auto it = entries_.find(key);
  if (it != entries_.end()) return it->second;
  return entries_.emplace(key, build(module, function)).first->second;
}

Programs::Entry Programs::build(const void* module, const std::string& function) {
  trace::Program program;
  program.name = function;
  program.demangled = demangled(function);
  program.files = {""};
  auto code = std::make_shared<CodeMap>();

  std::uint64_t pc = 0, size = 0;
  if (locate_(module, function.c_str(), pc, size)) {
    code->ranges.push_back({pc, static_cast<std::uint32_t>(size), 0});
  } else {
    code->ranges.push_back({});  // matches no pc
    output_.note_missing(function + ": where its code was loaded; its records have no PC");
  }
  KernelParameters parameters;
  const auto loaded = modules_.find(module);
  if (loaded == modules_.end()) {
    output_.note_missing(function +
                         ": its code, because its module was loaded before the recorder");
  } else if (auto cubin = parse_cubin(loaded->second.image); !cubin) {
    output_.note_missing(function + ": its code: " + cubin.error().message);
  } else if (const CubinFunction* kernel = cubin->find(function); kernel != nullptr) {
    program.arch = cubin->arch;
    program.registers = kernel->registers;
    program.static_shared = kernel->static_shared;
    program.local_bytes = kernel->local_bytes;
    parameters = kernel->parameters;
    add_code(module, *cubin, *kernel, program, *code);
  }
  code->program = output_.add_program(program);
  program.code.clear();
  return {std::move(code), std::move(program), std::move(parameters)};
}

// nvdisasm takes a third of a second to start, so a small module is done in one go.
Result<const Disassembly*> Programs::listing_of(Module& module, const Cubin& cubin,
                                                const std::vector<std::uint32_t>& symbols) {
  if (module.listing) return &*module.listing;
  const bool small = module.image.size() <= kSmallModule;
  std::vector<std::uint32_t> wanted = symbols;
  if (small) {
    wanted.clear();
    for (const CubinFunction& function : cubin.functions) wanted.push_back(function.symbol);
  }
  auto listing = disassemble(nvdisasm_, module.image, wanted);
  if (!listing) return listing.error();
  if (small) return &module.listing.emplace(std::move(*listing));
  single_ = std::move(*listing);
  return &single_;
}

void Programs::add_code(const void* module, const Cubin& cubin, const CubinFunction& kernel,
                        trace::Program& program, CodeMap& code) {
  // Functions that a kernel may call outside its own section; their code follows the kernel's.
  std::vector<const CubinFunction*> parts{&kernel};
  std::vector<std::uint32_t> symbols{kernel.symbol};
  for (const CubinFunction& other : cubin.functions) {
    if (other.kernel || other.section == kernel.section) continue;
    std::uint64_t pc = 0, size = 0;
    if (!locate_(module, other.name.c_str(), pc, size)) continue;
    const CodeRange& last = code.ranges.back();
    const std::uint32_t offset = (last.offset + last.size + 127) / 128 * 128;
    code.ranges.push_back({pc, static_cast<std::uint32_t>(size), offset});
    parts.push_back(&other);
    symbols.push_back(other.symbol);
  }
  if (nvdisasm_.empty()) {
    output_.note_missing(
        "the kernels' code (opcodes, source lines), because no nvdisasm was found; "
        "install the CUDA toolkit's or name it in WARPMEM_NVDISASM");
    return;
  }
  std::map<std::string, std::uint32_t> starts;
  for (std::size_t i = 1; i < parts.size(); ++i) starts[parts[i]->name] = code.ranges[i].offset;
  const auto& image = modules_[module].image;
  auto listing = listing_of(modules_[module], cubin, symbols);
  if (!listing) {
    output_.note_missing("the code of " + program.demangled + ": " + listing.error().message);
    return;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const CodeSection* section = (*listing)->find(".text." + parts[i]->name);
    if (section == nullptr) continue;
    for (trace::Instruction instruction : section->code) {
      instruction.control = control_at(image, cubin, *parts[i], instruction.pc);
      instruction.text = with_spill_mark(*parts[i], instruction.pc, std::move(instruction.text));
      instruction.pc += code.ranges[i].offset;
      instruction.text = trace::with_place(
          trace::moved(std::move(instruction.text), code.ranges[i].offset), starts);
      instruction.file = merge_file(program, (*listing)->files[instruction.file]);
      code.learn(instruction.pc, trace::DecodedLine(instruction.text), i == 0);
      program.code.push_back(std::move(instruction));
    }
  }
  if (program.code.empty()) {
    output_.note_missing("the code of " + program.demangled + ": " + nvdisasm_ +
                         " printed none of it");
  }
  if (const std::string gaps = unrecorded(trace::decode_lines(program.code)); !gaps.empty())
    std::fprintf(stderr, "warpmem: warning: not recorded of %s: %s\n",
                 printable(program.demangled).c_str(), gaps.c_str());
}

}  // namespace warpmem::record
