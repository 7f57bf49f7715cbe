#include "emulate/executor/kernel.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/units.hpp"

namespace warpmem::emulate {

Result<std::unique_ptr<LoadedModule>> LoadedModule::load(Module module, Memory& memory) {
  std::unique_ptr<LoadedModule> loaded(new LoadedModule(std::move(module), memory));
  if (auto ok = loaded->place(); !ok) return ok.error();
  return loaded;
}

Result<void> LoadedModule::place() {
  std::uint64_t number = 1;
  for (const Function& f : module_.functions) numbers_[&f] = number++;
  // Constant ones first, side by side: isspacep.const asks for their range.
  std::vector<const Variable*> variables;
  for (const Space space : {Space::kConst, Space::kGlobal})
    for (const Variable& v : module_.variables)
      if (v.space == space) variables.push_back(&v);
  for (const Variable* variable : variables) {
    const Variable& v = *variable;
    const std::uint64_t at =
        memory_.allocate(v.bytes, trace::AllocationKind::kDevice,
                         std::max<std::uint32_t>(v.align, 256), "variable " + std::string(v.name));
    if (at == 0)
      return module_.source->error_at(
          v.at, fmt::format("the GPU has no memory for '{}' of {}", v.name, byte_size(v.bytes)),
          "make it smaller, or choose a GPU with more memory (--gpu)", ErrorKind::kResources);
    addresses_[&v] = at;
    if (v.space == Space::kConst) {
      constants_.first = constants_.second == 0 ? at : std::min(constants_.first, at);
      constants_.second = std::max(constants_.second, at + v.bytes);
    }
  }
  for (const Variable& v : module_.variables)
    if (auto ok = initialise(v); !ok) return ok;
  return {};
}

Result<void> LoadedModule::initialise(const Variable& v) {
  if (v.initial.empty() || (v.space != Space::kGlobal && v.space != Space::kConst)) return {};
  const std::uint32_t bytes = size_of(v.type);
  std::byte* to = memory_.host(addresses_.at(&v));
  for (const Initial& i : v.initial) {
    std::uint64_t value = i.value;
    if (!i.symbol.empty()) {
      if (const auto var = module_.variable_named.find(i.symbol);
          var != module_.variable_named.end() && addresses_.contains(var->second)) {
        value += addresses_.at(var->second);
      } else if (const auto fn = module_.function_named.find(i.symbol);
                 fn != module_.function_named.end()) {
        value += address_of(fn->second);
        address_taken_.push_back(fn->second);
      } else {
        return module_.source->error_at(
            i.at, fmt::format("'{}' is not a global variable or a function", i.symbol));
      }
      if (i.mask_shift != 255) value = value >> i.mask_shift & 255;
    }
    std::memcpy(to, &value, std::min(bytes, 8u));
    to += bytes;
  }
  return {};
}

const Function* LoadedModule::function_at(std::uint64_t address) const {
  const std::uint64_t number = (address - kCodeWindow) / 16;
  if (address < kCodeWindow || (address & 15) != 0 || number == 0 ||
      number > module_.functions.size())
    return nullptr;
  return &module_.functions[number - 1];
}

namespace {

// numba puts what it compiled a kernel with into the name, in some hundred characters:
// add[abi:v1][abi:cw51cX…](…).
std::string without_tags(std::string name) {
  constexpr std::string_view kTag = "[abi:";
  for (std::size_t at = name.find(kTag); at != name.npos; at = name.find(kTag, at)) {
    const std::size_t end = name.find(']', at);
    if (end == name.npos) break;
    name.erase(at, end + 1 - at);
  }
  return name;
}

}  // namespace

std::string demangled(std::string_view name) {
  int status = 0;
  char* text = abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : std::string(name);
  std::free(text);
  return without_tags(std::move(out));
}

}  // namespace warpmem::emulate
