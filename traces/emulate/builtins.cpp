#include "traces/emulate/builtins.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "traces/emulate/execution.hpp"

namespace warpmem::emulate {
namespace {

// printf with arguments from a buffer, each aligned to its size, as the compiler packs them.
std::string formatted(const std::string& format, const std::byte* at, const std::function<std::string(std::uint64_t)>& text) {
  std::string out;
  std::size_t offset = 0;
  const auto take = [&](std::size_t bytes) {
    offset = (offset + bytes - 1) / bytes * bytes;
    std::uint64_t v = 0;
    std::memcpy(&v, at + offset, bytes);
    offset += bytes;
    return v;
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::string spec = "%";
    int longs = 0;
    for (++i; i < format.size(); ++i) {
      const char c = format[i];
      if (c == 'l' || c == 'j' || c == 'z' || c == 't') {
        longs += c == 'l' ? 1 : 2;
        continue;
      }
      if (c == 'h') continue;
      if (c == '*') {
        spec += std::to_string(static_cast<std::int32_t>(take(4)));
        continue;
      }
      spec += c;
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%') break;
    }
    if (spec.size() > 60) continue;
    char buffer[512];
    const char c = spec.back();
    spec.pop_back();
    switch (c) {
      case '%': out += '%'; break;
      case 'd': case 'i': {
        const long long v = longs ? static_cast<long long>(take(8)) : static_cast<std::int32_t>(take(4));
        std::snprintf(buffer, sizeof buffer, (spec + "lld").c_str(), v), out += buffer;
        break;
      }
      case 'u': case 'x': case 'X': case 'o': {
        const unsigned long long v = take(longs ? 8 : 4);
        std::snprintf(buffer, sizeof buffer, (spec + "ll" + c).c_str(), v), out += buffer;
        break;
      }
      case 'c': std::snprintf(buffer, sizeof buffer, (spec + "c").c_str(), static_cast<int>(take(4))), out += buffer; break;
      case 'p': std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(take(8))), out += buffer; break;
      case 's': out += text(take(8)); break;
      default: {
        const std::uint64_t bits = take(8);
        double v;
        std::memcpy(&v, &bits, 8);
        std::snprintf(buffer, sizeof buffer, (spec + c).c_str(), v), out += buffer;
      }
    }
  }
  return out;
}

// Bytes before what malloc gives out, as a GPU's heap has them: code that nvcc makes of `new T[n]` may
// write there.
constexpr std::uint64_t kHeapHeader = 16;

}  // namespace

void Execution::builtin(Warp& warp, const Part& part, const CallSite& site, std::uint32_t mask) {
  if (site.builtin >= static_cast<std::uint32_t>(Builtin::kDeviceRuntime)) return device_call(warp, part, site, mask);
  const Inst& in = code_of(warp, part).code[part.pc];
  std::byte* frame = warp.frames[static_cast<std::size_t>(part.frame)].registers;
  const auto argument = [&](std::size_t i, std::uint32_t lane) {
    std::uint64_t v = 0;
    const ParamSlot& a = site.arguments.at(i);
    std::memcpy(&v, frame + a.offset + lane * a.bytes, std::min(8u, a.bytes));
    return v;
  };
  const auto result = [&](std::uint32_t lane, std::uint64_t v) {
    if (!site.results.empty()) std::memcpy(frame + site.results[0].offset + lane * site.results[0].bytes, &v, std::min(8u, site.results[0].bytes));
  };
  const auto string_at = [&](std::uint64_t at) {
    std::string s;
    while (s.size() < 4096 && memory_.contains(at, at + 1)) {
      const char c = static_cast<char>(*memory_.host(at++));
      if (c == 0) break;
      s += c;
    }
    return s;
  };
  const auto builtin = static_cast<Builtin>(site.builtin);
  const std::size_t needed = builtin == Builtin::kAssert ? 5 : builtin == Builtin::kPrintf ? 2 : 1;
  if (site.arguments.size() < needed) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), "a call of a built-in function with too few arguments");
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    switch (builtin) {
      case Builtin::kPrintf: {
        const std::uint64_t packed = argument(1, l);
        const std::byte* at = nullptr;
        static const std::byte kNone[8] = {};
        if (packed == 0) at = kNone;
        else if (packed - kLocalWindow < warp.local_capacity) at = warp.local.data() + std::size_t{l} * warp.local_capacity + (packed - kLocalWindow);
        else if (memory_.contains(packed, packed + 8)) at = memory_.host(packed);
        else fault(warp, in, l, "printf's arguments lie outside memory");
        const std::string text = formatted(string_at(argument(0, l)), at, string_at);
        if (options_.print) options_.print(text);
        result(l, 0);
        break;
      }
      case Builtin::kMalloc: {
        const std::uint64_t bytes = argument(0, l), at = bytes + kHeapHeader < bytes ? 0 : memory_.allocate(bytes + kHeapHeader, trace::AllocationKind::kDevice, 512);
        result(l, at ? at + kHeapHeader : 0);
        break;
      }
      case Builtin::kFree:
        if (argument(0, l) != 0 && !memory_.free(argument(0, l) - kHeapHeader)) fault(warp, in, l, fmt::format("free({:#x}): not the start of an allocation", argument(0, l)));
        break;
      default:
        stats_.fault = FaultKind::kAssert;
        fault(warp, in, l, fmt::format("assertion `{}` failed at {}:{}, in {}", string_at(argument(0, l)), string_at(argument(1, l)), static_cast<std::uint32_t>(argument(2, l)), string_at(argument(3, l))));
    }
  }
}

}  // namespace warpmem::emulate
