#include "emulate/sass/cubin_module.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "binary/elf/elf_file.hpp"

namespace warpmem::emulate {
namespace {

// Since 8.0 the driver keeps 1,024 bytes; since 9.0 they lie before the kernel's own, whose
// addresses begin behind them.
constexpr std::uint32_t kReserved = 1024;
constexpr std::uint32_t kOldestReserving = 90;

// Symbols of the one table that a cubin has.
struct Symbols {
  std::vector<Elf64_Sym> all;
  std::vector<std::string> names;
};

Symbols read_symbols(const cudart::ElfFile& elf, const std::vector<Elf64_Shdr>& sections) {
  Symbols out;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = elf.at<Elf64_Sym>(section.sh_offset + at);
      if (!symbol) break;
      out.all.push_back(*symbol);
      out.names.push_back(symbol->st_name < strings.sh_size
                              ? elf.text(strings.sh_offset + symbol->st_name)
                              : std::string());
    }
  }
  // Objects that were linked may each have a variable of their own by the same name.
  std::map<std::string, std::uint32_t> times;
  for (const std::string& name : out.names) ++times[name];
  for (std::size_t i = 0; i < out.all.size(); ++i)
    if (ELF64_ST_TYPE(out.all[i].st_info) == STT_OBJECT &&
        ELF64_ST_BIND(out.all[i].st_info) == STB_LOCAL && times[out.names[i]] > 1)
      out.names[i] += "#" + std::to_string(i);
  return out;
}

std::vector<CubinRelocation> read_relocations(const cudart::ElfFile& elf, const Elf64_Shdr& section,
                                              const Symbols& symbols) {
  std::vector<CubinRelocation> out;
  const bool addends = section.sh_type == SHT_RELA;
  const std::uint64_t each = addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  for (std::uint64_t at = 0; at + each <= section.sh_size; at += each) {
    const auto offset = elf.at<std::uint64_t>(section.sh_offset + at);
    const auto info = elf.at<std::uint64_t>(section.sh_offset + at + 8);
    if (!offset || !info) break;
    const auto addend = addends ? elf.at<std::int64_t>(section.sh_offset + at + 16) : 0;
    const std::uint64_t symbol = *info >> 32;
    out.push_back({static_cast<std::uint32_t>(*offset), static_cast<std::uint32_t>(*info),
                   addend.value_or(0),
                   symbol < symbols.names.size() ? symbols.names[symbol] : std::string()});
  }
  return out;
}

std::vector<std::byte> bytes_of(const cudart::ElfFile& elf, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS) return {};
  const auto span = elf.bytes_of(section);
  return {span.begin(), span.end()};
}

// ".nv.constant0._Z4copyPf" -> 0 and the kernel's name; false: no such section.
bool bank_name(const std::string& name, std::uint32_t& number, std::string& kernel) {
  constexpr std::string_view kBank = ".nv.constant";
  if (!name.starts_with(kBank)) return false;
  char* end = nullptr;
  const char* digits = name.c_str() + kBank.size();
  number = static_cast<std::uint32_t>(std::strtoul(digits, &end, 10));
  if (end == digits || number > 31 || (*end != 0 && *end != '.')) return false;
  kernel = *end == '.' ? end + 1 : "";
  return true;
}

bool holds_variables(const std::string& name) {
  return name == ".nv.global" || name == ".nv.global.init" || name == ".nv.constant3" ||
         name == ".nv.constant3.init";
}

// Eight bytes of a variable become the address of another one, or of a function. What the module
// has not stays as it is.
void put_address(Module& m, Variable& v, const CubinRelocation& r) {
  constexpr std::uint32_t kAddress = 2, kBytes = 8;  // R_CUDA_64
  if (r.type != kAddress || r.offset > v.bytes || v.bytes - r.offset < kBytes) return;
  const std::string_view symbol = m.joined.emplace_back(r.symbol);
  if (!m.variable_named.contains(symbol) && !m.function_named.contains(symbol)) return;
  if (v.initial.size() < v.bytes) v.initial.resize(v.bytes);
  for (std::uint32_t k = 0; k < kBytes; ++k)
    v.initial[r.offset + k] = {static_cast<std::uint64_t>(r.addend), symbol, 0, 8 * k};
}

}  // namespace

Result<CubinContents> read_cubin(std::span<const unsigned char> image, const std::string& name) {
  CubinContents out;
  auto cubin = record::parse_cubin(image);
  if (!cubin) {
    Error why = cubin.error();
    why.place = name;
    return why;
  }
  out.cubin = std::move(*cubin);
  if (const std::string& arch = out.cubin.arch; arch.starts_with("sm_"))
    out.cc = static_cast<std::uint32_t>(std::atoi(arch.c_str() + 3));
  out.reserved_shared = out.cc >= kOldestReserving ? kReserved : 0;
  const cudart::ElfFile elf({reinterpret_cast<const std::byte*>(image.data()), image.size()});
  const std::vector<Elf64_Shdr> sections = elf.sections();
  const Symbols symbols = read_symbols(elf, sections);
  std::vector<std::string> names;
  for (const Elf64_Shdr& section : sections) names.push_back(elf.name(section));
  constexpr std::string_view kCode = ".text.";
  for (const Elf64_Shdr& section : sections) {
    if ((section.sh_type != SHT_REL && section.sh_type != SHT_RELA) ||
        section.sh_info >= sections.size() || !names[section.sh_info].starts_with(kCode))
      continue;
    auto& of = out.code_relocations[names[section.sh_info].substr(kCode.size())];
    for (CubinRelocation& r : read_relocations(elf, section, symbols)) of.push_back(std::move(r));
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    CubinBank bank;
    if (!bank_name(names[i], bank.number, bank.kernel)) continue;
    bank.bytes = bytes_of(elf, sections[i]);
    for (std::size_t k = 0; k < sections.size(); ++k)
      if ((sections[k].sh_type == SHT_REL || sections[k].sh_type == SHT_RELA) &&
          sections[k].sh_info == i)
        bank.relocations = read_relocations(elf, sections[k], symbols);
    out.banks.push_back(std::move(bank));
  }
  for (std::size_t s = 0; s < symbols.all.size(); ++s) {
    const Elf64_Sym& symbol = symbols.all[s];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == 0 ||
        symbol.st_shndx >= sections.size() || !holds_variables(names[symbol.st_shndx]))
      continue;
    const Elf64_Shdr& section = sections[symbol.st_shndx];
    CubinVariable v;
    v.name = symbols.names[s], v.offset = symbol.st_value, v.bytes = symbol.st_size;
    v.constant = names[symbol.st_shndx].starts_with(".nv.constant");
    if (v.offset > section.sh_size || v.bytes > section.sh_size - v.offset || v.bytes == 0)
      continue;
    const std::vector<std::byte> bytes = bytes_of(elf, section);
    if (v.offset + v.bytes <= bytes.size())
      v.initial.assign(bytes.begin() + static_cast<std::ptrdiff_t>(v.offset),
                       bytes.begin() + static_cast<std::ptrdiff_t>(v.offset + v.bytes));
    for (const Elf64_Shdr& r : sections) {
      if ((r.sh_type != SHT_REL && r.sh_type != SHT_RELA) || r.sh_info != symbol.st_shndx) continue;
      for (CubinRelocation& one : read_relocations(elf, r, symbols))
        if (one.offset >= v.offset && one.offset < v.offset + v.bytes) {
          one.offset -= static_cast<std::uint32_t>(v.offset);
          out.data_relocations[v.name].push_back(std::move(one));
        }
    }
    out.variables.push_back(std::move(v));
  }
  return out;
}

Module module_of(const CubinContents& contents, const std::string& name) {
  Module m;
  m.source = std::make_unique<Source>(name, "");
  m.target = contents.cubin.arch;
  m.files.emplace_back();
  const auto text = [&](const std::string& s) -> std::string_view {
    return m.joined.emplace_back(s);
  };
  for (const CubinVariable& v : contents.variables) {
    Variable& to = m.variables.emplace_back();
    to.name = text(v.name), to.space = v.constant ? Space::kConst : Space::kGlobal;
    to.type = Type::kB8, to.bytes = v.bytes, to.align = 256;
    for (const std::byte b : v.initial)
      to.initial.push_back({static_cast<std::uint64_t>(b), {}, 0});
    m.variable_named[to.name] = &to;
  }
  for (const record::CubinFunction& f : contents.cubin.functions) {
    if (m.function_named.contains(f.name)) continue;
    Function& to = m.functions.emplace_back();
    to.name = text(f.name), to.is_entry = f.kernel;
    to.max_block = f.max_block, to.required_block = f.required_block;
    to.required_cluster = f.required_cluster;
    auto params = f.parameters.each;
    std::ranges::sort(params, {}, &record::KernelParameters::One::ordinal);
    for (const auto& p : params) {
      Variable& v = to.variables.emplace_back();
      v.space = Space::kParam, v.type = Type::kB8, v.bytes = p.bytes, v.offset = p.offset;
      // Any that its place has: whoever lays parameters out comes to the same places.
      v.align = p.offset == 0 ? 16 : p.offset & (0 - p.offset);
      to.params.push_back(&v);
    }
    m.function_named[to.name] = &to;
  }
  for (Variable& v : m.variables)
    if (const auto of = contents.data_relocations.find(std::string(v.name));
        of != contents.data_relocations.end())
      for (const CubinRelocation& r : of->second) put_address(m, v, r);
  return m;
}

}  // namespace warpmem::emulate
