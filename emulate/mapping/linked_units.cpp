#include "emulate/mapping/linked_units.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "emulate/ptx/parser.hpp"
#include "emulate/mapping/tagged_ptx.hpp"
#include "binary/cubin/cubin.hpp"
#include "binary/disassembly/disassembly.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint64_t kInstructionBytes = 16;

Error unknown(const std::string& why) { return {ErrorKind::kEnvironment, why, "", ""}; }

struct Tagged {
  Module module;
  std::vector<std::uint32_t> first_line;
  Cubin bytes;
  record::Cubin parsed;
  record::Disassembly listing;
};

Result<Tagged> tag(const DeviceObject& unit, const Toolkit& toolkit, const std::string& arch) {
  auto module = parse_ptx(unit.name + ".ptx", unit.ptx);
  if (!module) return module.error();
  Tagged out{std::move(*module), {}, {}, {}, {}};
  TaggedPtx text = tag_statements(out.module);
  out.first_line = std::move(text.first_line);
  std::vector<std::string> options = unit.options;
  for (const char* word : {"-c", "-lineinfo"}) options.emplace_back(word);
  auto bytes = assemble(toolkit.ptxas, text.text, arch, options);
  if (!bytes) return bytes.error();
  out.bytes = std::move(*bytes);
  auto parsed = record::parse_cubin(out.bytes);
  if (!parsed) return parsed.error();
  out.parsed = std::move(*parsed);
  std::vector<std::uint32_t> symbols;
  for (const record::CubinFunction& f : out.parsed.functions) symbols.push_back(f.symbol);
  auto listing = record::disassemble(toolkit.nvdisasm, out.bytes, symbols);
  if (!listing) return listing.error();
  out.listing = std::move(*listing);
  return out;
}

bool same_code(const Tagged& unit, const record::CubinFunction& f,
               std::span<const unsigned char> linked) {
  if (f.code_bytes != linked.size()) return false;
  for (std::uint64_t at = 0; at + kInstructionBytes <= linked.size(); at += kInstructionBytes) {
    const auto filled = std::lower_bound(f.relocations.begin(), f.relocations.end(), at);
    if (filled != f.relocations.end() && *filled < at + kInstructionBytes) continue;
    if (std::memcmp(unit.bytes.data() + f.code_at + at, linked.data() + at, kInstructionBytes) != 0)
      return false;
  }
  return true;
}

}  // namespace

struct LinkedUnits::Unit {
  DeviceObject source;
  std::optional<Result<Tagged>> tagged;  // made when a kernel of it is first asked for
};

LinkedUnits::LinkedUnits(std::vector<DeviceObject> units, Toolkit toolkit, std::string arch)
    : toolkit_(std::move(toolkit)), arch_(std::move(arch)) {
  for (DeviceObject& unit : units)
    units_.push_back(std::make_unique<Unit>(Unit{std::move(unit), std::nullopt}));
}

LinkedUnits::~LinkedUnits() = default;

Result<Cubin> LinkedUnits::link() const {
  std::vector<DeviceObject> objects;
  for (const std::unique_ptr<Unit>& unit : units_) objects.push_back(unit->source);
  return assemble_and_link(toolkit_, objects, arch_);
}

Result<std::vector<LinkedUnits::Origin>> LinkedUnits::origins(const std::string& function,
                                                              std::span<const unsigned char> code) {
  Error why = unknown("none of the objects that it was linked from has it");
  for (const std::unique_ptr<Unit>& unit : units_) {
    if (unit->source.ptx.find(function) == std::string::npos) continue;
    if (!unit->tagged) unit->tagged.emplace(tag(unit->source, toolkit_, arch_));
    if (!*unit->tagged) {
      why = unit->tagged->error();
      continue;
    }
    const Tagged& t = **unit->tagged;
    const record::CubinFunction* f = t.parsed.find(function);
    const record::CodeSection* section = t.listing.find(".text." + function);
    if (f == nullptr || f->code_bytes == 0 || section == nullptr) continue;
    if (!same_code(t, *f, code)) {
      why = unknown("the program carries machine code of another ptxas or of other options");
      continue;
    }
    std::vector<Origin> out;
    for (const trace::Instruction& i : section->code) {
      Origin& origin = out.emplace_back();
      for (std::size_t n = 0; n < t.module.functions.size(); ++n) {
        const Function& of = t.module.functions[n];
        if (i.line < t.first_line[n] || i.line >= t.first_line[n] + of.body.size()) continue;
        origin = {std::string(of.name), i.line - t.first_line[n]};
      }
    }
    return out;
  }
  return why;
}

}  // namespace warpmem::emulate
