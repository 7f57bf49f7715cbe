#include "isa/sass/instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "isa/sass/opcode_table.hpp"

namespace warpmem::trace {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A register's name as it stands in an operand, and what follows it: "R2.64" -> R, 2, ".64".
struct Name {
  RegisterFile file = RegisterFile::kGeneral;
  bool fixed = false;  // RZ, URZ, PT, UPT: no register at all
  std::uint16_t number = 0;
  std::string_view suffix;  // ".64", ".reuse", ".X4"
  std::size_t length = 0;   // characters taken
};

std::optional<Name> parse_name(std::string_view text) {
  struct Prefix {
    std::string_view text;
    RegisterFile file;
    char constant;  // the letter that makes it RZ, PT …
  };
  constexpr Prefix kPrefixes[] = {{"UR", RegisterFile::kUniform, 'Z'},
                                  {"UP", RegisterFile::kUniformPredicate, 'T'},
                                  {"R", RegisterFile::kGeneral, 'Z'},
                                  {"P", RegisterFile::kPredicate, 'T'}};
  for (const Prefix& prefix : kPrefixes) {
    if (!text.starts_with(prefix.text)) continue;
    Name name;
    name.file = prefix.file;
    std::size_t i = prefix.text.size();
    if (i < text.size() && text[i] == prefix.constant) {
      name.fixed = true;
      ++i;
    } else {
      const std::size_t digits = i;
      unsigned value = 0;
      while (i < text.size() && is_digit(text[i]) && i - digits < 4) {
        value = value * 10 + static_cast<unsigned>(text[i++] - '0');
      }
      if (i == digits) continue;
      name.number = static_cast<std::uint16_t>(value);
    }
    const std::size_t suffix = i;
    while (i < text.size() && (text[i] == '.' || text[i] == '_' || std::isalnum(text[i]))) ++i;
    if (i > suffix && text[suffix] != '.') continue;  // a longer word: "PRIVATE", "R2P"
    name.suffix = text.substr(suffix, i - suffix);
    name.length = i;
    return name;
  }
  return std::nullopt;
}

// How many 32-bit registers an operand of so many bytes takes.
std::uint16_t registers_of(std::uint32_t bytes) {
  return static_cast<std::uint16_t>(std::clamp<std::uint32_t>((bytes + 3) / 4, 1, 64));
}

class Parser {
 public:
  explicit Parser(SassInstruction& out) : out_(out) {}

  // False: no opcode.
  bool head(std::string_view& text) {
    if (text.starts_with('@')) {
      const auto end = text.find(' ');
      if (end == std::string_view::npos || !guard(text.substr(1, end - 1))) return false;
      text = trim(text.substr(end));
    }
    const auto end = std::min(text.find(' '), text.size());
    std::string_view opcode = text.substr(0, end);
    if (opcode.empty() || opcode[0] < 'A' || opcode[0] > 'Z') return false;
    for (const char c : opcode) {
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') return false;
    }
    text = trim(text.substr(end));
    const auto dot = std::min(opcode.find('.'), opcode.size());
    out_.opcode = opcode.substr(0, dot);
    while ((opcode = opcode.substr(std::min(opcode.find('.'), opcode.size()))).size() > 1) {
      opcode.remove_prefix(1);
      out_.modifiers.emplace_back(opcode.substr(0, opcode.find('.')));
    }
    return true;
  }

  void classify() {
    info_ = find_opcode(out_.opcode);
    out_.kind = info_.kind;
    out_.space = info_.space;
    out_.generic = info_.generic;
    for (const auto& modifier : out_.modifiers) read_modifier(modifier);
    if (out_.kind == InstructionKind::kCacheControl &&
        (out_.has("PF1") || out_.has("PF2") || out_.has("PF1_5") || out_.has("PML2") ||
         out_.has("DML2") || out_.has("RML2"))) {
      out_.kind = InstructionKind::kPrefetch;
      out_.space = Space::kGlobal;
    }
    out_.bytes = access_bytes();
  }

  void operands(std::string_view text) {
    if (const auto note = text.find("(*"); note != std::string_view::npos) {
      read_labels(text.substr(note));  // (*"BRANCH_TARGETS .L_x_1,.L_x_2"*)
      read_places(text.substr(note));  // … once labels are offsets
      text = trim(text.substr(0, note));
    }
    const auto all = split_operands(text);
    std::size_t written = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (read_target(all[i])) continue;
      if (out_.space == Space::kTexture) read_dimensions(all[i]);
      if (all[i] == "PR") {  // P2R, R2P: all predicates at once
        auto& list = i == 0 ? out_.destinations : out_.sources;
        list.push_back({RegisterFile::kPredicate, 0, 7});
        continue;
      }
      // Only plain registers are written: an address, an immediate or "!P0" ends the list.
      const auto name = parse_name(all[i]);
      const bool plain = name && name->length == all[i].size();
      if (plain && written == i && is_written(i, *name, all)) {
        ++written;
        add(out_.destinations, *name, width(i, true, *name));
        continue;
      }
      read_source(all[i], i);
    }
  }

 private:
  bool guard(std::string_view text) {
    const bool negated = text.starts_with('!');
    if (negated) text.remove_prefix(1);
    const auto name = parse_name(text);
    if (!name || name->length != text.size()) return false;
    Guard& guard = out_.guard;
    guard.uniform = name->file == RegisterFile::kUniformPredicate;
    if (name->fixed) {
      guard.when = negated ? Guard::When::kNever : Guard::When::kAlways;
    } else {
      guard.when = negated ? Guard::When::kIfNot : Guard::When::kIf;
      guard.number = static_cast<std::uint8_t>(name->number);
      add(out_.sources, *name, 1);
    }
    return true;
  }

  // "2D", "ARRAY_1D": of a texture or surface. A cube's faces are flat.
  void read_dimensions(std::string_view word) {
    if (word.starts_with("ARRAY_")) word.remove_prefix(6);
    if (word == "1D") out_.dimensions = 1;
    if (word == "2D" || word == "CUBE") out_.dimensions = 2;
    if (word == "3D") out_.dimensions = 3;
  }

  void read_modifier(std::string_view m) {
    if (out_.space == Space::kSurface) read_dimensions(m);
    if (m == "EF") out_.eviction = Eviction::kFirst;
    if (m == "EL") out_.eviction = Eviction::kLast;
    if (m == "LU") out_.eviction = Eviction::kLastUse;
    if (m == "NA") out_.eviction = Eviction::kNoAllocate;
    if (m == "LTC64B") out_.l2_prefetch = 64;
    if (m == "LTC128B") out_.l2_prefetch = 128;
    if (m == "LTC256B") out_.l2_prefetch = 256;
    if (m == "CONSTANT") out_.constant = true;
    if (m == "BYPASS") out_.bypass = true;
    // sm_7x prints a plain ".SYS" on every weak access: only after STRONG it says something.
    if (!out_.has("STRONG") && out_.kind != InstructionKind::kFence) return;
    if (m == "CTA") out_.scope = Scope::kCta;
    if (m == "SM") out_.scope = Scope::kSm;
    if (m == "GPU") out_.scope = Scope::kGpu;
    if (m == "SYS") out_.scope = Scope::kSystem;
  }

  std::uint32_t access_bytes() const {
    switch (out_.kind) {
      case InstructionKind::kMatrixLoad:
      case InstructionKind::kMatrixStore: return 16;  // one row of a matrix per lane
      case InstructionKind::kLoad:
      case InstructionKind::kStore:
      case InstructionKind::kAtomic:
      case InstructionKind::kReduction:
      case InstructionKind::kAsyncCopy: break;
      default: return 0;
    }
    if (out_.space == Space::kTexture || out_.space == Space::kSurface) return 0;
    struct Width {
      std::string_view modifier;
      std::uint32_t bytes;
    };
    constexpr Width kWidths[] = {{"U8", 1},     {"S8", 1},      {"U16", 2},     {"S16", 2},
                                 {"64", 8},     {"128", 16},    {"256", 32},    {"F64", 8},
                                 {"F32x2", 8},  {"F32x4", 16},  {"F16x4", 8},   {"F16x8", 16},
                                 {"BF16x4", 8}, {"BF16x8", 16}, {"BF16_V4", 8}, {"BF16_V8", 16},
                                 {"F64x2", 16}, {"S64", 8},     {"U64", 8}};
    for (const Width& width : kWidths) {
      if (out_.has(width.modifier)) return width.bytes;
    }
    return 4;
  }

  bool is_written(std::size_t i, const Name& name, const std::vector<std::string_view>& all) const {
    const auto predicate = [](const Name& n) {
      return n.file == RegisterFile::kPredicate || n.file == RegisterFile::kUniformPredicate;
    };
    switch (info_.writes) {
      case Writes::kNone: return false;
      case Writes::kFirstOnly: return i == 0;
      case Writes::kTwo: return i < 2;
      case Writes::kPredicateAndOne: {
        if (i == 0) return true;
        const auto first = parse_name(all[0]);
        if (i == 1 && out_.has("ENL2")) return true;  // 32 bytes go to two groups of four
        return i == 1 && first && predicate(*first) && (!predicate(name) || !out_.has("CAST"));
      }
      case Writes::kFirst: {
        if (i == 0) return true;
        const auto first = parse_name(all[0]);
        // Carries of IADD3, LEA …: predicates right behind a register, before any other source.
        return first && !predicate(*first) && predicate(name) && i + 1 < all.size() && i <= 2;
      }
    }
    return false;
  }

  // Registers that operand i takes. `written`: it is a destination.
  std::uint16_t width(std::size_t i, bool written, const Name& name) const {
    if (name.file == RegisterFile::kPredicate || name.file == RegisterFile::kUniformPredicate) {
      return 1;
    }
    if (name.suffix.find(".64") != std::string_view::npos) return 2;
    const std::string& op = out_.opcode;
    if (out_.kind == InstructionKind::kMatrixLoad || out_.kind == InstructionKind::kMatrixStore) {
      return out_.has("4") ? 4 : out_.has("2") ? 2 : 1;
    }
    if (out_.has("ENL2")) return 4;
    if (out_.bytes > 0) return registers_of(out_.bytes);
    if (out_.space == Space::kTexture) return written ? 2 : 1;
    if (op.ends_with("MMA")) return matrix_width(i);
    if (op == "CS2R") return out_.has("32") ? 1 : 2;
    if (op == "LEPC") return 2;
    if (op == "BRX" || op == "RET" || op == "CALL" || op == "JMX") return 2;
    if (op.ends_with("MAD") && out_.has("WIDE")) return written || i == 3 ? 2 : 1;
    if (op == "F2F" || op == "F2I" || op == "I2F" || op == "FRND") return conversion_width(written);
    if (op == "DADD" || op == "DMUL" || op == "DFMA" || op == "DSETP" || op == "DMNMX") return 2;
    if (out_.has("64") && (op.ends_with("MOV") || op.ends_with("ADD") || op.ends_with("ADD3") ||
                           op.ends_with("SETP") || op == "SYNCS" || op.ends_with("SEL"))) {
      return 2;
    }
    return 1;
  }

  // "F2F.F32.F64": the destination's type first; "I2F.F64", "F2I.F64": the other one is 32 bits.
  std::uint16_t conversion_width(bool written) const {
    std::vector<bool> wide;
    for (const auto& m : out_.modifiers) {
      if (m == "F64" || m == "S64" || m == "U64") wide.push_back(true);
      if (m == "F32" || m == "F16" || m == "S32" || m == "U32" || m == "S16" || m == "U16" ||
          m == "S8" || m == "U8") {
        wide.push_back(false);
      }
    }
    if (wide.empty()) return 1;
    if (wide.size() ==
        1) {  // the type that is not the default: I2F names what it makes, F2I what it reads
      const bool names_destination = out_.opcode == "I2F" || !(out_.has("F64"));
      return wide[0] && names_destination == written ? 2 : 1;
    }
    return wide[written ? 0 : 1] ? 2 : 1;
  }

  // D, A, B, C of HMMA.16816.F32 and its kin, in registers.
  std::uint16_t matrix_width(std::size_t i) const {
    const bool half = !out_.has("F32") && out_.opcode == "HMMA";
    const bool small = out_.has("1688") || out_.has("16816") == (out_.opcode == "IMMA");
    if (out_.opcode == "DMMA") return i == 0 || i == 3 ? 4 : 2;
    if (out_.has("884") || out_.has("8816") || out_.has("8832")) return i == 0 || i == 3 ? 2 : 1;
    switch (i) {
      case 0:
      case 3: return half ? 2 : 4;
      case 1: return small ? 2 : 4;
      default: return small ? 1 : 2;
    }
  }

  void read_source(std::string_view operand, std::size_t i) {
    // The address of a global access is 64 bits even where sm_7x does not print ".64".
    const bool wide_address = out_.has("E") && (out_.space == Space::kGlobal || out_.generic);
    int depth = 0;
    bool descriptor = false;
    const bool constant_bank = operand.find("c[") != std::string_view::npos;
    const bool shared_side = out_.kind == InstructionKind::kAsyncCopy && i == 0;
    for (std::size_t at = 0; at < operand.size();) {
      const char c = operand[at];
      if (c == '[') {
        descriptor =
            operand.substr(0, at).ends_with("desc") || operand.substr(0, at).ends_with("cx");
        ++depth;
      }
      if (c == ']') --depth;
      const bool starts = at == 0 || !(std::isalnum(static_cast<unsigned char>(operand[at - 1])) ||
                                       operand[at - 1] == '.' || operand[at - 1] == '_');
      const auto name = starts ? parse_name(operand.substr(at)) : std::nullopt;
      if (!name) {
        ++at;
        continue;
      }
      std::uint16_t count = 1;
      if (depth == 0) {
        count = width(i, false, *name);
      } else if (descriptor || name->suffix.find(".64") != std::string_view::npos) {
        count = 2;
      } else if (wide_address && !shared_side && !constant_bank &&
                 name->suffix.find("32") == std::string_view::npos) {
        count = 2;
      } else if (out_.kind == InstructionKind::kBulkCopy ||
                 out_.kind == InstructionKind::kBulkReduction) {
        count = 2;
      }
      add(out_.sources, *name, count);
      at += name->length;
    }
  }

  bool read_target(std::string_view operand) {
    if (out_.kind != InstructionKind::kBranch && out_.kind != InstructionKind::kCall &&
        out_.opcode != "BSSY" && out_.opcode != "WARPSYNC") {
      return false;
    }
    // "R2 `(label)" and "R2 -0xc0": a register and a place in one operand.
    if (const auto tick = operand.find("`("); tick != std::string_view::npos) {
      const auto end = operand.find(')', tick);
      if (end != std::string_view::npos) {
        out_.labels.emplace_back(operand.substr(tick + 2, end - tick - 2));
      }
      if (tick > 0) read_source(trim(operand.substr(0, tick)), 0);
      return true;
    }
    if (!operand.starts_with("0x")) return false;
    std::uint32_t value = 0;
    const auto parsed =
        std::from_chars(operand.data() + 2, operand.data() + operand.size(), value, 16);
    if (parsed.ec != std::errc() || parsed.ptr != operand.data() + operand.size()) return false;
    out_.target = value;
    return true;
  }

  void read_labels(std::string_view note) {
    for (auto at = note.find(".L"); at != std::string_view::npos; at = note.find(".L", at + 1)) {
      out_.labels.emplace_back(note.substr(at, note.find_first_of(",\"* ", at) - at));
    }
  }

  void read_places(std::string_view note) {
    if (note.find("BRANCH_TARGETS ") == std::string_view::npos) return;
    for (auto at = note.find("0x"); at != std::string_view::npos; at = note.find("0x", at + 2)) {
      std::uint32_t value = 0;
      std::from_chars(note.data() + at + 2, note.data() + note.size(), value, 16);
      out_.places.push_back(value);
    }
  }

  static void add(std::vector<RegisterRange>& to, const Name& name, std::uint16_t count) {
    if (name.fixed) return;
    const RegisterRange range{name.file, name.number, count};
    if (std::find(to.begin(), to.end(), range) == to.end()) to.push_back(range);
  }

  SassInstruction& out_;
  OpcodeInfo info_;
};

}  // namespace

std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> operands;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[' || c == '(' || c == '{') ++depth;
    if (c == ']' || c == ')' || c == '}') --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    if (const auto operand = trim(text.substr(begin, i - begin)); !operand.empty()) {
      operands.push_back(operand);
    }
    begin = i + 1;
  }
  return operands;
}

bool SassInstruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

bool SassInstruction::is_memory() const {
  switch (kind) {
    case InstructionKind::kLoad:
    case InstructionKind::kStore:
    case InstructionKind::kAtomic:
    case InstructionKind::kReduction:
    case InstructionKind::kAsyncCopy:
    case InstructionKind::kBulkCopy:
    case InstructionKind::kBulkReduction:
    case InstructionKind::kMatrixLoad:
    case InstructionKind::kMatrixStore:
    case InstructionKind::kPrefetch: return true;
    default: return false;
  }
}

Result<SassInstruction> decode_instruction(std::string_view text) {
  const std::string_view whole = text;
  text = trim(text);
  if (text.ends_with(';')) text = trim(text.substr(0, text.size() - 1));
  SassInstruction out;
  Parser parser(out);
  if (!parser.head(text)) {
    return Error{ErrorKind::kMalformed, "this is not an instruction", std::string(whole),
                 "give the text that nvdisasm prints between the address and the semicolon"};
  }
  parser.classify();
  parser.operands(text);
  const bool guarded = out.guard.when == Guard::When::kIf || out.guard.when == Guard::When::kIfNot;
  if (out.is_branch()) {
    // "BRA.U UP0, …" has its condition among the operands; BRA.DIV and its kin decide themselves.
    const bool predicate = std::any_of(out.sources.begin(), out.sources.end(), [](const auto& s) {
      return s.file == RegisterFile::kPredicate || s.file == RegisterFile::kUniformPredicate;
    });
    out.conditional_branch =
        guarded || predicate || out.has("DIV") || out.has("CONV") || out.has("ANY");
  }
  return out;
}

}  // namespace warpmem::trace
