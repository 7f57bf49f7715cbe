#include "isa/sass/instruction.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

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
    out_.mnemonic = opcode;
    out_.opcode = opcode_named(out_.name());
    for (const std::string_view m : out_.modifier_names())
      if (const Modifier known = modifier_named(m); known != Modifier::kCount)
        out_.modifiers.set(static_cast<std::size_t>(known));
    return true;
  }

  void classify() {
    form_ = out_.opcode == Opcode::kUnknown ? form_by_spelling(out_.name()) : form_of(out_.opcode);
    out_.kind = form_.kind;
    out_.space = form_.space;
    out_.generic = form_.generic;
    if (out_.space == Space::kSurface)
      for (const std::string_view m : out_.modifier_names()) read_dimensions(m);
    read_modifiers();
    if (out_.kind == InstructionKind::kCacheControl &&
        has_any({Modifier::kPF1, Modifier::kPF2, Modifier::kPF1_5, Modifier::kPML2, Modifier::kDML2,
                 Modifier::kRML2})) {
      out_.kind = InstructionKind::kPrefetch;
      out_.space = Space::kGlobal;
    }
    out_.bytes = access_bytes();
  }

  // What stands in the text of spilled registers and of places.
  void notes(std::string_view text) {
    out_.spill = text.find("\"SpillRefill\"") != text.npos;
    constexpr std::string_view kLow = "32@lo((";
    const std::size_t low = text.find(kLow);
    if (low == text.npos || text.find("@srel") == text.npos) return;
    const std::size_t from = low + kLow.size();
    out_.counted_from = text.substr(from, text.find(' ', from) - from);
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
      out_.operands.push_back(read_operand(all[i]));
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

  bool has_any(std::initializer_list<Modifier> some) const {
    return std::any_of(some.begin(), some.end(), [this](Modifier m) { return out_.has(m); });
  }

  void read_modifiers() {
    const auto has = [this](Modifier m) { return out_.has(m); };
    if (has(Modifier::kEF)) out_.eviction = Eviction::kFirst;
    if (has(Modifier::kEL)) out_.eviction = Eviction::kLast;
    if (has(Modifier::kLU)) out_.eviction = Eviction::kLastUse;
    if (has(Modifier::kNA)) out_.eviction = Eviction::kNoAllocate;
    if (has(Modifier::kLTC64B)) out_.l2_prefetch = 64;
    if (has(Modifier::kLTC128B)) out_.l2_prefetch = 128;
    if (has(Modifier::kLTC256B)) out_.l2_prefetch = 256;
    out_.constant = has(Modifier::kCONSTANT);
    out_.bypass = has(Modifier::kBYPASS);
    // sm_7x prints a plain ".SYS" on every weak access: only with STRONG it says something.
    if (!has(Modifier::kSTRONG) && out_.kind != InstructionKind::kFence) return;
    if (has(Modifier::kCTA)) out_.scope = Scope::kCta;
    if (has(Modifier::kSM)) out_.scope = Scope::kSm;
    if (has(Modifier::kGPU)) out_.scope = Scope::kGpu;
    if (has(Modifier::kSYS)) out_.scope = Scope::kSystem;
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
      Modifier modifier;
      std::uint32_t bytes;
    };
    using M = Modifier;
    constexpr Width kWidths[] = {
        {M::kU8, 1},       {M::kS8, 1},     {M::kU16, 2},    {M::kS16, 2},     {M::k64, 8},
        {M::k128, 16},     {M::k256, 32},   {M::kF64, 8},    {M::kF32x2, 8},   {M::kF32x4, 16},
        {M::kF16x4, 8},    {M::kF16x8, 16}, {M::kBF16x4, 8}, {M::kBF16x8, 16}, {M::kBF16_V4, 8},
        {M::kBF16_V8, 16}, {M::kF64x2, 16}, {M::kS64, 8},    {M::kU64, 8}};
    for (const Width& width : kWidths) {
      if (out_.has(width.modifier)) return width.bytes;
    }
    return 4;
  }

  // "R2 `(label)" and "R2 -0xc0" stay text: a register and a place in one operand.
  static SassOperand read_operand(std::string_view text) {
    auto decoded = decode_operand(text);
    SassOperand out;
    if (decoded) out = *std::move(decoded);
    else out.text = text;
    if (out.kind == SassOperand::Kind::kRegister && text.find(' ') != text.npos)
      out.kind = SassOperand::Kind::kText;
    return out;
  }

  bool is_written(std::size_t i, const Name& name, const std::vector<std::string_view>& all) const {
    const auto predicate = [](const Name& n) {
      return n.file == RegisterFile::kPredicate || n.file == RegisterFile::kUniformPredicate;
    };
    switch (form_.writes) {
      case Writes::kNone: return false;
      case Writes::kFirstOnly: return i == 0;
      case Writes::kTwo: return i < 2;
      case Writes::kPredicateAndOne: {
        if (i == 0) return true;
        const auto first = parse_name(all[0]);
        if (i == 1 && out_.has(Modifier::kENL2)) return true;  // 32 bytes go to two groups of four
        return i == 1 && first && predicate(*first) &&
               (!predicate(name) || !out_.has(Modifier::kCAST));
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
    if (form_.takes == Takes::kMatrices)
      return out_.has(Modifier::k4) ? 4 : out_.has(Modifier::k2) ? 2 : 1;
    if (out_.has(Modifier::kENL2)) return 4;
    if (out_.bytes > 0) return registers_of(out_.bytes);
    switch (form_.takes) {
      case Takes::kTexture: return written ? 2 : 1;
      case Takes::kProduct: return product_width(i);
      case Takes::kPair: return 2;
      case Takes::kPairIf64: return out_.has(Modifier::k64) ? 2 : 1;
      case Takes::kPairBut32: return out_.has(Modifier::k32) ? 1 : 2;
      case Takes::kWide: return out_.has(Modifier::kWIDE) && (written || i == 3) ? 2 : 1;
      case Takes::kTypes: return conversion_width(written);
      default: return 1;
    }
  }

  // "F2F.F32.F64": the destination's type first; "I2F.F64", "F2I.F64": the other one is 32 bits.
  std::uint16_t conversion_width(bool written) const {
    std::vector<bool> wide;
    for (const std::string_view m : out_.modifier_names()) {
      if (m == "F64" || m == "S64" || m == "U64") wide.push_back(true);
      if (m == "F32" || m == "F16" || m == "S32" || m == "U32" || m == "S16" || m == "U16" ||
          m == "S8" || m == "U8") {
        wide.push_back(false);
      }
    }
    if (wide.empty()) return 1;
    if (wide.size() ==
        1) {  // the type that is not the default: I2F names what it makes, F2I what it reads
      const bool names_destination = out_.opcode == Opcode::kI2F || !out_.has(Modifier::kF64);
      return wide[0] && names_destination == written ? 2 : 1;
    }
    return wide[written ? 0 : 1] ? 2 : 1;
  }

  // D, A, B, C of HMMA.16816.F32 and its kin, in registers.
  std::uint16_t product_width(std::size_t i) const {
    const bool half = !out_.has(Modifier::kF32) && out_.opcode == Opcode::kHMMA;
    const bool small =
        out_.has(Modifier::k1688) || out_.has(Modifier::k16816) == (out_.opcode == Opcode::kIMMA);
    if (out_.opcode == Opcode::kDMMA) return i == 0 || i == 3 ? 4 : 2;
    if (has_any({Modifier::k884, Modifier::k8816, Modifier::k8832}))
      return i == 0 || i == 3 ? 2 : 1;
    switch (i) {
      case 0:
      case 3: return half ? 2 : 4;
      case 1: return small ? 2 : 4;
      default: return small ? 1 : 2;
    }
  }

  void read_source(std::string_view operand, std::size_t i) {
    // The address of a global access is 64 bits even where sm_7x does not print ".64".
    const bool wide_address =
        out_.has(Modifier::kE) && (out_.space == Space::kGlobal || out_.generic);
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
        out_.opcode != Opcode::kBSSY && out_.opcode != Opcode::kWARPSYNC) {
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
  Form form_;
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

std::string_view SassInstruction::name() const {
  return std::string_view(mnemonic).substr(0, mnemonic.find('.'));
}

std::vector<std::string_view> SassInstruction::modifier_names() const {
  std::vector<std::string_view> out;
  std::string_view rest = mnemonic;
  while ((rest = rest.substr(std::min(rest.find('.'), rest.size()))).size() > 1) {
    rest.remove_prefix(1);
    out.push_back(rest.substr(0, rest.find('.')));
  }
  return out;
}

bool SassInstruction::is_double() const {
  switch (opcode) {
    case Opcode::kDFMA:
    case Opcode::kDADD:
    case Opcode::kDMUL:
    case Opcode::kDSETP:
    case Opcode::kDMMA: return true;
    default: return false;
  }
}

bool SassInstruction::by_tensor_map() const {
  switch (opcode) {
    case Opcode::kUTMALDG:
    case Opcode::kUTMASTG:
    case Opcode::kUTMAREDG:
    case Opcode::kUTMAPF:
    case Opcode::kUTMACCTL:
    case Opcode::kUTMACMDFLUSH: return true;
    default: return opcode == Opcode::kUnknown && mnemonic.starts_with("UTMA");
  }
}

bool SassInstruction::writes(RegisterFile file) const {
  return std::any_of(destinations.begin(), destinations.end(),
                     [&](const RegisterRange& r) { return r.file == file; });
}

const SassOperand* SassInstruction::constant_operand() const {
  const auto at = std::find_if(operands.begin(), operands.end(), [](const SassOperand& o) {
    return o.kind == SassOperand::Kind::kConstant && o.descriptor == kNoRegister;
  });
  return at == operands.end() ? nullptr : &*at;
}

Special special_named(const SassOperand& o) {
  if (o.kind != SassOperand::Kind::kSpecial) return Special::kOther;
  if (o.text == "SRZ") return Special::kZero;
  if (o.text == "SR_TID.X") return Special::kTidX;
  if (o.text == "SR_TID.Y") return Special::kTidY;
  if (o.text == "SR_TID.Z") return Special::kTidZ;
  if (o.text == "SR_LANEID") return Special::kLaneId;
  return o.text.starts_with("SR_CTAID") ? Special::kCtaId : Special::kOther;
}

bool is_predicate(const SassOperand& o) {
  if (o.text == "PR") return true;
  return (o.kind == SassOperand::Kind::kPredicate ||
          o.kind == SassOperand::Kind::kUniformPredicate) &&
         o.modifiers.empty() && !o.reuse;
}

std::optional<std::uint16_t> general_register(const SassOperand& o) {
  using Kind = SassOperand::Kind;
  const bool address = o.kind == Kind::kMemory || o.kind == Kind::kConstant;
  const std::uint16_t number = address ? o.base : o.number;
  const bool general = address || o.kind == Kind::kRegister || o.kind == Kind::kText;
  if (!general || number == kNoRegister || number == kZeroRegister) return std::nullopt;
  return number;
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
  parser.notes(text);
  parser.operands(text);
  const bool guarded = out.guard.when == Guard::When::kIf || out.guard.when == Guard::When::kIfNot;
  if (out.is_branch()) {
    // "BRA.U UP0, …" has its condition among the operands; BRA.DIV and its kin decide themselves.
    const bool predicate = std::any_of(out.sources.begin(), out.sources.end(), [](const auto& s) {
      return s.file == RegisterFile::kPredicate || s.file == RegisterFile::kUniformPredicate;
    });
    out.conditional_branch = guarded || predicate || out.has(Modifier::kDIV) ||
                             out.has(Modifier::kCONV) || out.has(Modifier::kANY);
  }
  return out;
}

}  // namespace warpmem::trace
