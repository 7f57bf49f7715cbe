#include "tests/emulate/machine_code.hpp"

#include <fmt/format.h>

#include <sstream>

#include "tests/emulate/h200.hpp"

namespace warpmem::emulate::test {
namespace {

// What a cubin with a printf has: the text, and where its address and vprintf's stand.
void add_strings(CubinContents& contents) {
  const char text[] = "thread %d of %d\n";
  CubinVariable v;
  v.name = "$str", v.bytes = sizeof text;
  for (const char c : text) v.initial.push_back(static_cast<std::byte>(c));
  contents.variables.push_back(v);
  CubinBank bank;
  bank.number = 4, bank.bytes.resize(16);
  bank.relocations = {{8, 2, 0, "$str"}, {0, 2, 0, "vprintf"}};
  contents.banks.push_back(bank);
}

}  // namespace

std::string placed(const std::string& lines) {
  std::string out = ".section\t.text.k,\"ax\",@progbits\n", line;
  std::istringstream in(lines);
  for (std::uint32_t pc = 0; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == line.npos) continue;
    if (line[first] == '.') out += line.substr(first) + "\n";  // a label
    else out += fmt::format("/*{:04x}*/ {}\n", pc, line.substr(first)), pc += 16;
  }
  return out;
}

MachineCodeRun::MachineCodeRun(const std::string& text, const MachineProgram& program)
    : Gpu(std::uint64_t{1} << 30), program_(program) {
  listing_ = record::parse_disassembly(text.find(".section") == text.npos ? placed(text) : text);
  const record::CodeSection* section = listing_.find(".text." + program.kernel);
  REQUIRE(section != nullptr);
  contents_.cubin.arch = fmt::format("sm_{}", program.cc);
  contents_.cc = program.cc, contents_.reserved_shared = program.cc >= 90 ? 1024 : 0;
  record::CubinFunction f;
  f.name = program.kernel, f.kernel = true, f.size = f.code_bytes = 16 * section->code.size();
  f.registers = 32, f.static_shared = program.static_shared, f.local_bytes = program.local_bytes;
  f.parameters.at = program.cc >= 100 ? 0x380 : program.cc >= 90 ? 0x210 : 0x160;
  f.parameters.bytes = program.params;
  contents_.cubin.functions.push_back(f);
  add_strings(contents_);
  auto module = LoadedModule::load(module_of(contents_, "test.cubin"), *memory_);
  REQUIRE(module.ok());
  module_ = std::move(*module);
}

Result<void> MachineCodeRun::launch(Dim3 grid, Dim3 block, const std::string& trace_path) {
  auto kernel = build_machine_kernel(*module_, contents_, {}, program_.kernel, listing_);
  if (!kernel) return kernel.error();
  kernel_ = std::move(*kernel);
  LaunchShape shape;
  shape.grid = grid, shape.block = block;
  shape.sms = kH200Sms, shape.sm_ctas = 1, shape.waits = kH200Waits;
  shape.params = params_;
  shape.params.resize(program_.params);
  return run(*kernel_, shape, trace_path);
}

}  // namespace warpmem::emulate::test
