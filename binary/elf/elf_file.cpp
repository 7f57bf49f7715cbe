#include "binary/elf/elf_file.hpp"

#include <algorithm>

namespace warpmem::cudart {

std::string ElfFile::text(std::uint64_t offset) const {
  if (offset >= bytes_.size()) return "";
  const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + offset;
  return {begin, strnlen(begin, bytes_.size() - offset)};
}

std::vector<Elf64_Shdr> ElfFile::sections() const {
  std::vector<Elf64_Shdr> all;
  const auto head = at<Elf64_Ehdr>(0);
  for (unsigned i = 0; head && i < head->e_shnum; ++i)
    if (const auto s = at<Elf64_Shdr>(head->e_shoff + std::uint64_t{i} * head->e_shentsize))
      all.push_back(*s);
  return all;
}

std::string ElfFile::name(const Elf64_Shdr& section) const {
  const auto head = at<Elf64_Ehdr>(0);
  if (!head) return "";
  const auto strings =
      at<Elf64_Shdr>(head->e_shoff + std::uint64_t{head->e_shstrndx} * head->e_shentsize);
  return strings ? text(strings->sh_offset + section.sh_name) : "";
}

std::span<const std::byte> ElfFile::bytes_of(const Elf64_Shdr& s) const {
  if (s.sh_type == SHT_NOBITS || s.sh_offset > bytes_.size() ||
      s.sh_size > bytes_.size() - s.sh_offset)
    return {};
  return bytes_.subspan(s.sh_offset, s.sh_size);
}

std::vector<ElfFunction> ElfFile::functions(
    std::initializer_list<std::string_view> beginnings) const {
  std::vector<ElfFunction> found;
  const std::vector<Elf64_Shdr> all = sections();
  for (const Elf64_Shdr& s : all) {
    if (s.sh_type != SHT_SYMTAB || s.sh_link >= all.size()) continue;
    const std::uint64_t strings = all[s.sh_link].sh_offset;
    const std::uint64_t end = bytes_of(s).size();
    for (std::uint64_t at_byte = 0; at_byte + sizeof(Elf64_Sym) <= end;
         at_byte += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(s.sh_offset + at_byte);
      if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF)
        continue;
      std::string name = text(strings + symbol->st_name);
      if (std::any_of(beginnings.begin(), beginnings.end(),
                      [&](std::string_view b) { return name.starts_with(b); }))
        found.push_back({std::move(name), symbol->st_value});
    }
  }
  return found;
}

}  // namespace warpmem::cudart
