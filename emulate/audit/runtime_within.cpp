#include "emulate/audit/runtime_within.hpp"

#include "emulate/audit/registration.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace warpmem::audit {
namespace {

using cudart::ElfFile;
using cudart::ElfFunction;
using Bytes = std::span<const std::byte>;

bool holds(Bytes bytes, std::string_view text) {
  return !bytes.empty() && memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
}

std::vector<ElfFunction> by_symbols(const ElfFile& elf, const std::vector<Elf64_Shdr>& sections) {
  for (const Elf64_Shdr& s : sections) {
    if (s.sh_type != SHT_SYMTAB || s.sh_link >= sections.size()) continue;
    if (!holds(elf.bytes_of(sections[s.sh_link]), "__cudaRegisterFatBinary")) continue;
    std::vector<ElfFunction> found = elf.functions({"cuda", "__cuda"});
    const auto registers = [](const ElfFunction& f) { return f.name == "__cudaRegisterFatBinary"; };
    if (std::any_of(found.begin(), found.end(), registers)) return found;
  }
  return {};
}

template <class T>
T read(Bytes bytes, std::size_t at) {
  T value{};
  if (at <= bytes.size() && sizeof value <= bytes.size() - at)
    std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct Place {
  Elf64_Shdr section{};
  Bytes bytes;
};

// Where functions begin, ascending: the unwinder's table. Its offsets count from the table's own
// beginning.
std::vector<std::uint64_t> beginnings(const Place& header) {
  std::vector<std::uint64_t> out;
  constexpr std::uint32_t kUsualForm =
      0x3b031b01;  // version 1; a sorted table of offsets of 4 bytes
  if (header.bytes.size() < 12 || read<std::uint32_t>(header.bytes, 0) != kUsualForm) return out;
  const std::size_t count =
      std::min<std::size_t>(read<std::uint32_t>(header.bytes, 8), (header.bytes.size() - 12) / 8);
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(header.section.sh_addr + static_cast<std::uint64_t>(std::int64_t{
                                               read<std::int32_t>(header.bytes, 12 + i * 8)}));
  return out;
}

// "cudaMalloc", "__cudaX…": a name that stands alone, with a zero on either side.
std::vector<std::pair<std::uint64_t, std::string_view>> names_in(const Place& data) {
  std::vector<std::pair<std::uint64_t, std::string_view>> out;
  const std::string_view text(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
  for (std::size_t at = text.find("cuda"); at != text.npos; at = text.find("cuda", at + 4)) {
    const std::size_t begin = at >= 2 && text.substr(at - 2, 2) == "__" ? at - 2 : at;
    if (begin != 0 && text[begin - 1] != '\0') continue;
    const std::size_t end = text.find('\0', at);
    if (end == text.npos || end - at < 7 || end - at > 64) continue;
    const std::string_view name = text.substr(begin, end - begin);
    const bool word = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (word && text[at + 4] >= 'A' && text[at + 4] <= 'Z')
      out.emplace_back(data.section.sh_addr + begin, name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// lea rip-relative to a name: the function that this stands in is the name's. Two functions that
// refer to one name are neither.
std::vector<ElfFunction> by_names(const Place& code, const Place& data,
                                  const std::vector<std::uint64_t>& begins) {
  const auto names = names_in(data);
  std::vector<ElfFunction> found;
  std::vector<std::string_view> twice;
  const auto* bytes = reinterpret_cast<const unsigned char*>(code.bytes.data());
  for (std::size_t i = 0; i + 7 <= code.bytes.size(); ++i) {
    if ((bytes[i] != 0x48 && bytes[i] != 0x4c) || bytes[i + 1] != 0x8d ||
        (bytes[i + 2] & 0xc7) != 5)
      continue;
    const std::uint64_t next = code.section.sh_addr + i + 7;
    const std::uint64_t target =
        next + static_cast<std::uint64_t>(std::int64_t{read<std::int32_t>(code.bytes, i + 3)});
    const auto name =
        std::lower_bound(names.begin(), names.end(), std::pair(target, std::string_view()));
    if (name == names.end() || name->first != target) continue;
    const auto after = std::upper_bound(begins.begin(), begins.end(), next - 7);
    if (after == begins.begin()) continue;
    const std::uint64_t function = *std::prev(after);
    const auto known = std::find_if(found.begin(), found.end(),
                                    [&](const ElfFunction& f) { return f.name == name->second; });
    if (known == found.end()) found.push_back({std::string(name->second), function});
    else if (known->address != function) twice.push_back(name->second);
  }
  std::erase_if(found, [&](const ElfFunction& f) {
    return std::find(twice.begin(), twice.end(), f.name) != twice.end();
  });
  return found;
}

}  // namespace

std::vector<ElfFunction> runtime_within(const ElfFile& elf) {
  const std::vector<Elf64_Shdr> sections = elf.sections();
  if (auto found = by_symbols(elf, sections); !found.empty()) return found;
  Place code, data, header, wrappers;
  for (const Elf64_Shdr& s : sections) {
    const std::string name = elf.name(s);
    Place* const place = name == ".text"              ? &code
                         : name == ".rodata"          ? &data
                         : name == ".eh_frame_hdr"    ? &header
                         : name == ".nvFatBinSegment" ? &wrappers
                                                      : nullptr;
    if (place) *place = {s, elf.bytes_of(s)};
  }
  if (!holds(data.bytes, std::string_view("\0cudaLaunchKernelExC", 20)) ||
      !holds(data.bytes, "libcuda.so.1"))
    return {};
  const std::vector<std::uint64_t> begins = beginnings(header);
  std::vector<ElfFunction> found = by_names(code, data, begins);
  std::uint64_t launch = 0;
  for (const ElfFunction& f : found)
    if (f.name == "cudaLaunchKernel") launch = f.address;
  const std::span<const unsigned char> bytes(
      reinterpret_cast<const unsigned char*>(code.bytes.data()), code.bytes.size());
  const std::uint64_t first = wrappers.section.sh_addr;
  // What these refer to by their names is something else of theirs.
  std::erase_if(found, [](const ElfFunction& f) {
    return f.name.starts_with("__cuda") && f.name.ends_with("CallConfiguration");
  });
  for (const auto& [name, address] : registration({bytes, code.section.sh_addr, begins}, first,
                                                  first + wrappers.section.sh_size, launch))
    found.push_back({name, address});
  return found;
}

}  // namespace warpmem::audit
