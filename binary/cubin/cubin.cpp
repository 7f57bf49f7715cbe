#include "binary/cubin/cubin.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

namespace warpmem::record {
namespace {

// Sizes and field offsets of ELF64 (elf.h has them too, but not everywhere).
constexpr std::size_t kHeaderBytes = 64, kSectionBytes = 64, kSymbolBytes = 24;
constexpr std::uint32_t kSymbolTable = 2, kFunctionType = 2, kCodeSection = 1;
constexpr std::uint32_t kRelocations = 9, kRelocationsWithAddend = 4;
constexpr std::uint64_t kInstructionBytes = 16;
constexpr unsigned kCudaEntry = 0x10;            // st_other of a kernel
constexpr std::uint64_t kReservedShared = 1024;  // bytes at the start of a CTA's window, since 8.0
constexpr unsigned kAttributeRegisters = 0x2f, kAttributeFrame = 0x11, kAttributeStack = 0x12,
                   kFormatSized = 4;
constexpr std::uint32_t kUnknownStack = 0xffffffff;
// Of a kernel's own section, as `cuobjdump -elf` names them: EIATTR_PARAM_CBANK and
// EIATTR_KPARAM_INFO.
constexpr const char* kSpillMark = "(*\"SpillRefill\"*)";
constexpr unsigned kAttributeAnnotations = 0x55, kAnnotationSpill = 1;
constexpr unsigned kAttributeParameters = 0x0a, kAttributeParameter = 0x17;
// EIATTR_MAX_THREADS, EIATTR_REQNTID and EIATTR_CTA_PER_CLUSTER: three words each.
constexpr unsigned kAttributeMostThreads = 0x05, kAttributeThreads = 0x10, kAttributeCluster = 0x3d;
// Of a kernel with more than 4 KiB of them, each parameter's size is a number of its own.
constexpr unsigned kAttributeLargeParameter = 0x45;

class Bytes {
 public:
  explicit Bytes(std::span<const unsigned char> bytes) : bytes_(bytes) {}
  bool holds(std::uint64_t at, std::uint64_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }
  template <class T>
  T get(std::uint64_t at) const {  // 0 outside, so that callers need only check what they keep
    T value{};
    if (holds(at, sizeof(T))) std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }
  std::string text(std::uint64_t at, std::uint64_t end) const {
    std::string result;
    for (; at < end && at < bytes_.size() && bytes_[at] != 0; ++at) {
      result.push_back(static_cast<char>(bytes_[at]));
    }
    return result;
  }

 private:
  std::span<const unsigned char> bytes_;
};

struct Section {
  std::string name;
  std::uint32_t type = 0, link = 0;
  std::uint64_t offset = 0, size = 0;
  std::uint32_t info = 0;
};

Error malformed(const std::string& what) {
  return {ErrorKind::kMalformed, "not a readable cubin: " + what, "", ""};
}

std::vector<Section> read_sections(const Bytes& elf) {
  const auto table = elf.get<std::uint64_t>(40);
  const auto count = elf.get<std::uint16_t>(60);
  const auto names = elf.get<std::uint16_t>(62);
  std::vector<Section> sections(count);
  const std::uint64_t names_at = elf.get<std::uint64_t>(table + names * kSectionBytes + 24);
  const std::uint64_t names_end =
      names_at + elf.get<std::uint64_t>(table + names * kSectionBytes + 32);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t at = table + i * kSectionBytes;
    Section& section = sections[i];
    section.name = elf.text(names_at + elf.get<std::uint32_t>(at), names_end);
    section.type = elf.get<std::uint32_t>(at + 4);
    section.offset = elf.get<std::uint64_t>(at + 24);
    section.size = elf.get<std::uint64_t>(at + 32);
    section.link = elf.get<std::uint32_t>(at + 40);
    section.info = elf.get<std::uint32_t>(at + 44);
  }
  return sections;
}

// Registers and frame sizes, by symbol index, from the .nv.info section.
struct Attributes {
  std::map<std::uint32_t, std::uint32_t> registers, frame, stack;
};

void read_attributes(const Bytes& elf, const Section& section, Attributes& out) {
  std::uint64_t at = section.offset;
  const std::uint64_t end = section.offset + section.size;
  while (at + 4 <= end && elf.holds(at, 4)) {
    const auto format = elf.get<std::uint8_t>(at), attribute = elf.get<std::uint8_t>(at + 1);
    const auto size = elf.get<std::uint16_t>(at + 2);
    if (format == kFormatSized && size >= 8) {
      const auto symbol = elf.get<std::uint32_t>(at + 4), value = elf.get<std::uint32_t>(at + 8);
      if (attribute == kAttributeRegisters) out.registers[symbol] = value;
      if (attribute == kAttributeFrame) out.frame[symbol] = value;
      if (attribute == kAttributeStack && value != kUnknownStack) out.stack[symbol] = value;
    }
    at += 4 + (format == kFormatSized ? size : 0u);
  }
}

// Where a kernel's parameters are: offset in the bank and size of all; of each its number, offset
// and, in the upper 14 bits of a word, its size. And which launches the kernel is for.
void read_kernel(const Bytes& elf, const Section& section, CubinFunction& out) {
  std::uint64_t at = section.offset;
  const std::uint64_t end = section.offset + section.size;
  while (at + 4 <= end && elf.holds(at, 4)) {
    const auto format = elf.get<std::uint8_t>(at), attribute = elf.get<std::uint8_t>(at + 1);
    const auto size = elf.get<std::uint16_t>(at + 2);
    const auto three = [&](std::array<std::uint32_t, 3>& words) {
      for (std::size_t i = 0; i < 3; ++i) words[i] = elf.get<std::uint32_t>(at + 4 + 4 * i);
    };
    if (format == kFormatSized && attribute == kAttributeParameters && size >= 8) {
      out.parameters.at = elf.get<std::uint16_t>(at + 8);
      out.parameters.bytes = elf.get<std::uint16_t>(at + 10);
    }
    if (format == kFormatSized && size >= 12) {
      if (attribute == kAttributeParameter)
        out.parameters.each.push_back({elf.get<std::uint16_t>(at + 8),
                                       elf.get<std::uint16_t>(at + 10),
                                       elf.get<std::uint32_t>(at + 12) >> 18});
      if (attribute == kAttributeMostThreads) three(out.max_block);
      if (attribute == kAttributeThreads) three(out.required_block);
      if (attribute == kAttributeCluster) three(out.required_cluster);
    }
    if (format == kFormatSized && attribute == kAttributeLargeParameter && size >= 12)
      out.parameters.each.push_back({elf.get<std::uint16_t>(at + 8),
                                     elf.get<std::uint16_t>(at + 10),
                                     elf.get<std::uint32_t>(at + 12) & 0xffff});
    at += 4 + (format == kFormatSized ? size : 0u);
  }
}

// Pairs of a kind and an offset in the code; of other kinds than spills nothing is known.
std::vector<std::uint32_t> read_spills(const Bytes& elf, const Section& section) {
  std::vector<std::uint32_t> out;
  std::uint64_t at = section.offset;
  const std::uint64_t end = section.offset + section.size;
  while (at + 4 <= end && elf.holds(at, 4)) {
    const auto format = elf.get<std::uint8_t>(at), attribute = elf.get<std::uint8_t>(at + 1);
    const auto size = elf.get<std::uint16_t>(at + 2);
    if (format == kFormatSized && attribute == kAttributeAnnotations && elf.holds(at + 4, size))
      for (std::uint64_t k = at + 4; k + 8 <= at + 4 + size; k += 8) {
        if (elf.get<std::uint32_t>(k) != kAnnotationSpill) break;
        out.push_back(elf.get<std::uint32_t>(k + 4));
      }
    at += 4 + (format == kFormatSized ? size : 0u);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Entries of 16 bytes (SHT_REL) or 24 (SHT_RELA), which begin with the offset.
std::vector<std::uint32_t> read_relocations(const Bytes& elf, const Section& section) {
  const std::uint64_t each = section.type == kRelocationsWithAddend ? 24 : 16;
  std::vector<std::uint32_t> out;
  for (std::uint64_t at = 0; at + each <= section.size && elf.holds(section.offset + at, each);
       at += each)
    out.push_back(static_cast<std::uint32_t>(elf.get<std::uint64_t>(section.offset + at)));
  std::sort(out.begin(), out.end());
  return out;
}

// Which undefined symbols the words of a section are the addresses of, by the word's offset.
std::map<std::uint32_t, std::string> read_imports(const Bytes& elf,
                                                  const std::vector<Section>& sections,
                                                  const Section& relocations) {
  std::map<std::uint32_t, std::string> out;
  const std::uint64_t each = relocations.type == kRelocationsWithAddend ? 24 : 16;
  if (relocations.link >= sections.size()) return out;
  const Section& table = sections[relocations.link];
  if (table.type != kSymbolTable || table.link >= sections.size()) return out;
  const Section& strings = sections[table.link];
  for (std::uint64_t at = 0;
       at + each <= relocations.size && elf.holds(relocations.offset + at, each); at += each) {
    const auto symbol = elf.get<std::uint64_t>(relocations.offset + at + 8) >> 32;
    const std::uint64_t entry = table.offset + symbol * kSymbolBytes;
    if (symbol >= table.size / kSymbolBytes || !elf.holds(entry, kSymbolBytes)) continue;
    if (elf.get<std::uint16_t>(entry + 6) != 0) continue;  // it is in the file
    out[static_cast<std::uint32_t>(elf.get<std::uint64_t>(relocations.offset + at))] =
        elf.text(strings.offset + elf.get<std::uint32_t>(entry), strings.offset + strings.size);
  }
  return out;
}

// e_flags holds the architecture in bits 8..15 (new layout, ABI 8 and later) or 0..7.
std::string architecture(const Bytes& elf) {
  const auto flags = elf.get<std::uint32_t>(48);
  const auto abi = elf.get<std::uint8_t>(8);
  const std::uint32_t number = abi >= 8 ? flags >> 8 & 0xffu : flags & 0xffu;
  return number == 0 ? "" : "sm_" + std::to_string(number);
}

// The architecture of the PTX that the code was made of: a note says (CUDA 12 and newer: two words
// of 16 bits, the second is it), or the flags of older files. 0: neither.
std::uint32_t virtual_architecture(const Bytes& elf, const std::vector<Section>& sections) {
  constexpr std::uint32_t kInformation = 1000;
  for (const Section& section : sections) {
    if (section.name != ".note.nv.cuinfo" || section.size < 16) continue;
    const auto owner = elf.get<std::uint32_t>(section.offset);
    if (elf.get<std::uint32_t>(section.offset + 8) != kInformation || owner > section.size)
      continue;
    const std::uint64_t said = section.offset + 12 + (owner + 3ull) / 4 * 4;
    if (said + 4 <= section.offset + section.size) return elf.get<std::uint16_t>(said + 2);
  }
  return elf.get<std::uint8_t>(8) >= 8 ? 0 : elf.get<std::uint32_t>(48) >> 16 & 0xffu;
}

void read_functions(const Bytes& elf, const std::vector<Section>& sections, const Section& table,
                    std::vector<CubinFunction>& out) {
  if (table.link >= sections.size()) return;
  const Section& strings = sections[table.link];
  for (std::uint64_t i = 0; i < table.size / kSymbolBytes; ++i) {
    const std::uint64_t at = table.offset + i * kSymbolBytes;
    if (!elf.holds(at, kSymbolBytes)) break;
    if ((elf.get<std::uint8_t>(at + 4) & 15u) != kFunctionType) continue;
    CubinFunction function;
    function.section = elf.get<std::uint16_t>(at + 6);
    if (function.section == 0 || function.section >= sections.size()) continue;  // elsewhere
    function.name =
        elf.text(strings.offset + elf.get<std::uint32_t>(at), strings.offset + strings.size);
    function.symbol = static_cast<std::uint32_t>(i);
    function.kernel = (elf.get<std::uint8_t>(at + 5) & kCudaEntry) != 0;
    function.offset = elf.get<std::uint64_t>(at + 8);
    function.size = elf.get<std::uint64_t>(at + 16);
    const Section& section = sections[function.section];
    if (section.type == kCodeSection && elf.holds(section.offset, section.size)) {
      function.code_at = section.offset;
      function.code_bytes = section.size;
    }
    out.push_back(std::move(function));
  }
}

}  // namespace

const CubinFunction* Cubin::find(const std::string& name) const {
  const auto it = std::find_if(functions.begin(), functions.end(),
                               [&](const CubinFunction& f) { return f.name == name; });
  return it == functions.end() ? nullptr : &*it;
}

Result<Cubin> parse_cubin(std::span<const unsigned char> image) {
  const Bytes elf(image);
  if (!elf.holds(0, kHeaderBytes) || std::memcmp(image.data(),
                                                 "\x7f"
                                                 "ELF\x02\x01",
                                                 6) != 0) {
    return malformed("no 64-bit ELF header");
  }
  if (!elf.holds(elf.get<std::uint64_t>(40), elf.get<std::uint16_t>(60) * kSectionBytes)) {
    return malformed("the section table lies outside the file");
  }
  Cubin cubin;
  cubin.arch = architecture(elf);
  const std::vector<Section> sections = read_sections(elf);
  cubin.virtual_arch = virtual_architecture(elf, sections);
  Attributes attributes;
  std::uint64_t reserved = 0;
  for (const Section& section : sections) {
    if (section.name == ".nv.shared.reserved.0") reserved = kReservedShared;
    if (section.name == ".nv.info") read_attributes(elf, section, attributes);
    if (section.type == kSymbolTable) read_functions(elf, sections, section, cubin.functions);
    if ((section.type == kRelocations || section.type == kRelocationsWithAddend) &&
        section.info < sections.size() && sections[section.info].name == ".nv.constant4")
      cubin.driver_functions = read_imports(elf, sections, section);
  }
  for (CubinFunction& function : cubin.functions) {
    const auto value = [&](const auto& map) {
      const auto it = map.find(function.symbol);
      return it == map.end() ? 0u : it->second;
    };
    function.registers = value(attributes.registers);
    function.local_bytes = value(attributes.frame);
    function.stack_bytes = value(attributes.stack);
    for (const Section& section : sections) {
      if (function.kernel && section.name == ".nv.info." + function.name)
        read_kernel(elf, section, function);
      if (section.name == ".nv.info." + function.name) function.spills = read_spills(elf, section);
      if ((section.type == kRelocations || section.type == kRelocationsWithAddend) &&
          section.info == function.section)
        for (const std::uint32_t offset : read_relocations(elf, section))
          function.relocations.push_back(offset);
      if (function.kernel && section.name == ".nv.shared." + function.name) {
        function.static_shared =
            static_cast<std::uint32_t>(section.size - std::min(section.size, reserved));
      }
    }
  }
  return cubin;
}

std::uint32_t control_at(std::span<const unsigned char> image, const Cubin& cubin,
                         const CubinFunction& function, std::uint64_t offset) {
  const std::string_view arch = cubin.arch;
  const bool wide = arch.starts_with("sm_") && std::atoi(arch.data() + 3) >= 70;
  if (!wide || offset % kInstructionBytes != 0 || offset >= function.code_bytes ||
      function.code_bytes - offset < kInstructionBytes) {
    return trace::kUnknownControl;
  }
  return trace::control_of(Bytes(image).get<std::uint64_t>(function.code_at + offset + 8));
}

bool has_spill_mark(const std::string& text) { return text.find(kSpillMark) != text.npos; }

std::string with_spill_mark(const CubinFunction& function, std::uint64_t offset, std::string text) {
  const bool spills = std::binary_search(function.spills.begin(), function.spills.end(), offset);
  return spills && !has_spill_mark(text) ? text + " " + kSpillMark : text;
}

}  // namespace warpmem::record
