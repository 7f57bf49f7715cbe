#include "isa/sass/forms.hpp"

#include <algorithm>
#include <array>

namespace warpmem::trace {
namespace {

// The words of forms.def.
struct Where {
  Space space = Space::kNone;
  bool generic = false;
};
constexpr Where kNone{}, kGeneric{Space::kNone, true}, kGlobal{Space::kGlobal},
    kShared{Space::kShared}, kRemoteShared{Space::kRemoteShared}, kLocal{Space::kLocal},
    kConstant{Space::kConstant}, kTexture{Space::kTexture}, kSurface{Space::kSurface};

constexpr Form form(std::string_view name, InstructionKind kind, Where where, Writes writes,
                    Takes takes) {
  return {name, kind, where.space, where.generic, writes, takes};
}

constexpr Form kForms[] = {
    {},
#define FORM(OPCODE, KIND, SPACE, WRITES, TAKES) \
  form(#OPCODE, InstructionKind::k##KIND, k##SPACE, Writes::k##WRITES, Takes::k##TAKES),
#include "isa/sass/forms.def"
#undef FORM
};

constexpr std::string_view kModifiers[] = {
#define MODIFIER(NAME) #NAME,
#include "isa/sass/modifiers.def"
#undef MODIFIER
};

// Numbers in the order of their names.
template <std::size_t N, class Name>
constexpr std::array<std::uint16_t, N> by_name(Name name) {
  std::array<std::uint16_t, N> out{};
  for (std::size_t i = 0; i < N; ++i) out[i] = static_cast<std::uint16_t>(i);
  std::sort(out.begin(), out.end(),
            [&](std::uint16_t a, std::uint16_t b) { return name(a) < name(b); });
  return out;
}
constexpr auto form_name = [](std::uint16_t i) { return kForms[i].name; };
constexpr auto modifier_name = [](std::uint16_t i) { return kModifiers[i]; };
constexpr auto kFormOrder = by_name<std::size(kForms)>(form_name);
constexpr auto kModifierOrder = by_name<std::size(kModifiers)>(modifier_name);

template <class Order, class Name>
std::size_t find(const Order& order, Name name, std::string_view wanted, std::size_t none) {
  const auto at =
      std::lower_bound(order.begin(), order.end(), wanted,
                       [&](std::uint16_t i, std::string_view w) { return name(i) < w; });
  return at != order.end() && name(*at) == wanted ? *at : none;
}

}  // namespace

Opcode opcode_named(std::string_view name) {
  return static_cast<Opcode>(find(kFormOrder, form_name, name, 0));
}

const Form& form_of(Opcode opcode) { return kForms[static_cast<std::size_t>(opcode)]; }

Form form_by_spelling(std::string_view name) {
  Form f{name};
  const auto any = [&](std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(),
                       [&](std::string_view e) { return name.ends_with(e); });
  };
  if (any({"SETP", "SETP2"})) f.writes = Writes::kTwo;
  if (any({"MMA"})) f.takes = Takes::kProduct;
  else if (any({"MAD"})) f.takes = Takes::kWide;
  else if (any({"MOV", "ADD", "ADD3", "SETP", "SEL"})) f.takes = Takes::kPairIf64;
  return f;
}

Modifier modifier_named(std::string_view name) {
  return static_cast<Modifier>(
      find(kModifierOrder, modifier_name, name, static_cast<std::size_t>(Modifier::kCount)));
}

}  // namespace warpmem::trace
