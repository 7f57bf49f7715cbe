#include "emulate/mapping/mapped_access.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "binary/cubin/code_map.hpp"

namespace warpmem::emulate {
namespace {

using Sort = PtxAccess::Sort;

bool is_read(const Function& f, const Operand& of) {
  if (of.kind != Operand::Kind::kRegister) return false;
  const auto names = [&](const Operand& o, const auto& self) -> bool {
    if (o.kind == Operand::Kind::kRegister && o.number == of.number) return true;
    return std::any_of(o.items.begin(), o.items.end(),
                       [&](const Operand& item) { return self(item, self); });
  };
  return std::any_of(f.body.begin(), f.body.end(), [&](const Statement& s) {
    // The first operand is written, but for an address and what has no result.
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
      const bool written = o == 0 && s.operands[0].kind != Operand::Kind::kMemory &&
                           !s.opcode.starts_with("st.") && !s.opcode.starts_with("red.");
      if (!written && names(s.operands[o], names)) return true;
    }
    return false;
  });
}

// Bytes [first, second) of something.
using Bytes = std::pair<std::uint32_t, std::uint32_t>;

// Of a vector of registers, `bytes` long, those that are read. None: nothing is.
std::optional<Bytes> read_parts(const Function& f, const Operand& vector, std::uint32_t bytes) {
  const auto each = static_cast<std::uint32_t>(bytes / vector.items.size());
  std::optional<Bytes> read;
  for (std::uint32_t i = 0; i < vector.items.size(); ++i) {
    if (!is_read(f, vector.items[i])) continue;
    read = Bytes{read ? read->first : i * each, (i + 1) * each};
  }
  return read;
}

// Where an access of `width` bytes begins that has them all.
std::optional<std::uint32_t> narrowed(const Bytes& read, std::uint32_t width) {
  const bool fits = read.second <= read.first + width && read.first % width == 0;
  return fits ? std::optional(read.first) : std::nullopt;
}

// Of a register of `bytes` bytes: its lowest, unless it is taken to pieces of which others are
// read.
std::optional<std::uint32_t> of_register(const Function& f, const Operand& loaded,
                                         std::uint32_t bytes, std::uint32_t width) {
  std::optional<Bytes> read;
  const auto add = [&](const Bytes& b) {
    read = read ? Bytes{std::min(read->first, b.first), std::max(read->second, b.second)} : b;
  };
  for (const Statement& s : f.body) {
    const std::string_view word = s.opcode.substr(0, s.opcode.find('.'));
    for (std::size_t o = 1; o < s.operands.size(); ++o) {
      if (s.operands[o].kind != Operand::Kind::kRegister || s.operands[o].number != loaded.number)
        continue;
      const Operand& to = s.operands[0];
      if (word == "shr" || word == "bfe" || word == "prmt") return {};
      if (word != "mov" || to.kind != Operand::Kind::kVector || to.items.empty()) {
        add({0, 1});  // at most what the instruction loads
      } else if (const auto parts = read_parts(f, to, bytes)) {
        add(*parts);
      }
    }
  }
  return narrowed(read.value_or(Bytes{0, 1}), width);
}

}  // namespace

bool wide_enough(const CodePair& p, std::uint32_t statement, std::uint32_t line) {
  const PtxAccess& a = p.ptx[statement];
  return (a.sort != Sort::kLoad && a.sort != Sort::kStore) || p.sass[line].bytes >= a.bytes;
}

std::optional<std::uint32_t> first_used(const CodePair& p, std::uint32_t statement,
                                        std::uint32_t width) {
  const auto of = std::find_if(p.kernel.functions.begin(), p.kernel.functions.end(), [&](const auto& code) {
    return statement >= code->first_pc && statement < code->first_pc + code->function->body.size();
  });
  if (of == p.kernel.functions.end()) return {};
  const Function& f = *(*of)->function;
  const Statement& load = f.body[statement - (*of)->first_pc];
  if (p.ptx[statement].sort != Sort::kLoad || load.operands.empty()) return {};
  const Operand& to = load.operands[0];
  if (to.kind == Operand::Kind::kRegister) return of_register(f, to, p.ptx[statement].bytes, width);
  if (to.kind != Operand::Kind::kVector || to.items.empty()) return {};
  const auto part = read_parts(f, to, p.ptx[statement].bytes);
  return part ? narrowed(*part, width) : std::nullopt;
}

std::vector<SassAccess> split_load(const CodePair& p, std::uint32_t statement,
                                   const std::vector<std::uint32_t>& lines) {
  const Function& f = *p.kernel.functions[0]->function;
  const PtxAccess& a = p.ptx[statement];
  const Statement& load = f.body[statement];
  if (a.sort != Sort::kLoad || lines.size() < 2 || load.operands.empty() || a.bytes > 32) return {};
  const Operand& to = load.operands[0];
  if (to.kind != Operand::Kind::kVector || to.items.empty()) return {};
  const auto mask = [](std::uint32_t from, std::uint32_t bytes) {
    return ((std::uint64_t{1} << bytes) - 1) << from;
  };
  std::uint64_t read = 0;
  const auto each = static_cast<std::uint32_t>(a.bytes / to.items.size());
  for (std::uint32_t i = 0; i < to.items.size(); ++i)
    if (is_read(f, to.items[i])) read |= mask(i * each, each);
  const auto [base, first] = address_of(p.code[lines[0]].line.text);
  long lowest = first;
  for (const std::uint32_t i : lines) {
    const auto [text, constant] = address_of(p.code[i].line.text);
    if (text != base || p.sass_flow.block_of[i] != p.sass_flow.block_of[lines[0]] ||
        p.sass_flow.depth(i) != p.ptx_flow.depth(statement) || p.sass[i].bytes >= a.bytes)
      return {};
    lowest = std::min(lowest, constant);
  }
  // Where the first of them begins is known where there is but one place from which they are, each
  // aligned and no word twice, all that is read.
  std::optional<std::uint32_t> begin;
  for (std::uint32_t at = 0; at < a.bytes; at += each) {
    std::uint64_t loaded = 0;
    bool fits = true;
    for (const std::uint32_t i : lines) {
      const auto from =
          at + static_cast<std::uint64_t>(address_of(p.code[i].line.text).second - lowest);
      const std::uint32_t bytes = p.sass[i].bytes;
      fits = fits && bytes != 0 && from + bytes <= a.bytes && from % bytes == 0 &&
             (loaded & mask(static_cast<std::uint32_t>(from), bytes)) == 0;
      if (!fits) break;
      loaded |= mask(static_cast<std::uint32_t>(from), bytes);
    }
    if (!fits || (read & ~loaded) != 0) continue;
    if (begin) return {};
    begin = at;
  }
  if (!begin) return {};
  std::vector<SassAccess> parts;
  for (const std::uint32_t i : lines) {
    SassAccess part = mapped_access(p, i, statement);
    part.narrow = true;
    part.skipped =
        *begin + static_cast<std::uint32_t>(address_of(p.code[i].line.text).second - lowest);
    parts.push_back(part);
  }
  return parts;
}

SassAccess mapped_access(const CodePair& p, std::uint32_t line, std::uint32_t statement) {
  const trace::SassInstruction& in = p.sass[line];
  SassAccess a;
  a.pc = p.code[line].line.pc;
  a.rank = p.rank(line);
  const auto [name, at] = address_of(p.code[line].line.text);
  a.at = at, a.from = std::hash<std::string_view>()(name);
  const Sort sort = p.ptx[statement].sort;
  if ((sort == Sort::kLoad || sort == Sort::kStore) && p.ptx[statement].space != Space::kConst)
    a.bytes = in.bytes;
  if (sort == Sort::kLoad && a.bytes != 0 && a.bytes < p.ptx[statement].bytes) {
    a.narrow = true;
    a.skipped = first_used(p, statement, a.bytes).value_or(0);
  }
  a.reduction = record::is_reduction(in);
  a.one_lane = sort == Sort::kAtomic && in.guard.when != trace::Guard::When::kAlways &&
               std::find(p.elects.begin(), p.elects.end(), statement) != p.elects.end();
  return a;
}

}  // namespace warpmem::emulate
