#include "emulate/audit/registration.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace warpmem::audit {
namespace {

struct Call {
  std::size_t at;  // in the code
  std::uint64_t target;
};

class Reader {
 public:
  explicit Reader(const Code& code) : code_(code) {}

  std::uint64_t target(std::size_t at, std::size_t bytes)
      const {  // of an instruction that ends with an offset of 4 bytes
    std::int32_t offset = 0;
    std::memcpy(&offset, code_.bytes.data() + at + bytes - 4, sizeof offset);
    return code_.address + at + bytes + static_cast<std::uint64_t>(std::int64_t{offset});
  }
  bool begins(std::uint64_t address) const {
    return address >= code_.address &&
           std::binary_search(code_.beginnings.begin(), code_.beginnings.end(), address);
  }
  // The function that the place is in: [first, last) in the code.
  std::pair<std::size_t, std::size_t> function_of(std::size_t at) const {
    const auto after =
        std::upper_bound(code_.beginnings.begin(), code_.beginnings.end(), code_.address + at);
    const std::uint64_t first =
        after == code_.beginnings.begin() ? code_.address : *std::prev(after);
    const std::uint64_t last =
        after == code_.beginnings.end() ? code_.address + code_.bytes.size() : *after;
    return {first < code_.address ? 0 : first - code_.address,
            std::min<std::size_t>(last - code_.address, code_.bytes.size())};
  }
  // Calls of functions (and jumps to them), in their order.
  std::vector<Call> calls(std::size_t first, std::size_t last) const {
    std::vector<Call> out;
    for (std::size_t i = first; i + 5 <= last; ++i)
      if (code_.bytes[i] == 0xe8 || code_.bytes[i] == 0xe9)
        if (const std::uint64_t to = target(i, 5); begins(to)) out.push_back({i, to}), i += 4;
    return out;
  }
  bool has(std::size_t first, std::size_t last, std::initializer_list<unsigned char> what) const {
    const auto begin = code_.bytes.begin() + static_cast<std::ptrdiff_t>(first),
               end = code_.bytes.begin() + static_cast<std::ptrdiff_t>(last);
    return std::search(begin, end, what.begin(), what.end()) != end;
  }
  bool leads(std::size_t at)
      const {  // lea rdi, [rip + …]; without optimisation lea rax, and rdi gets that
    return at + 7 <= code_.bytes.size() && code_.bytes[at] == 0x48 && code_.bytes[at + 1] == 0x8d &&
           (code_.bytes[at + 2] == 0x3d || code_.bytes[at + 2] == 0x05);
  }

 private:
  const Code& code_;
};

using Votes = std::map<std::uint64_t, int>;
// These functions come from one object file of the runtime's: none lies far behind
// __cudaRegisterFatBinary.
constexpr std::uint64_t kTogether = 4096;
std::uint64_t most(Votes votes, std::uint64_t near) {
  if (near != 0)
    std::erase_if(votes,
                  [&](const auto& v) { return v.first < near || v.first >= near + kTogether; });
  const auto best = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == votes.end() ? 0 : best->first;
}

struct Constructor {
  std::vector<Call> calls;  // from the registration of the fat binary on
  std::size_t end;
};

std::vector<Constructor> constructors(const Code& code, const Reader& read, std::uint64_t wrappers,
                                      std::uint64_t wrappers_end) {
  std::vector<Constructor> out;
  for (std::size_t i = 0; i + 7 <= code.bytes.size(); ++i) {
    if (!read.leads(i)) continue;
    const std::uint64_t wrapper = read.target(i, 7);
    if (wrapper < wrappers || wrapper >= wrappers_end) continue;
    const auto [first, last] = read.function_of(i);
    if (auto calls = read.calls(i + 7, last); !calls.empty())
      out.push_back({std::move(calls), last});
  }
  return out;
}

// r8d of a call: the 5th argument, -1 of __cudaRegisterFunction (no limit of threads), 0 of
// __cudaRegisterVar (not extern).
constexpr std::size_t kBefore = 64;
bool no_limit(const Reader& read, std::size_t from, std::size_t call) {
  return read.has(from, call, {0x41, 0xb8, 0xff, 0xff, 0xff, 0xff});
}
bool no_extern(const Reader& read, std::size_t from, std::size_t call) {
  return read.has(from, call, {0x45, 0x31, 0xc0}) || read.has(from, call, {0x41, 0xb8, 0, 0, 0, 0});
}

void name_registrations(const Code& code, const Reader& read, const std::vector<Constructor>& all,
                        std::map<std::string, std::uint64_t>& found) {
  Votes binary, end, function, variable, unregister;
  for (const Constructor& c : all) ++binary[c.calls[0].target];
  const std::uint64_t registers = most(binary, 0);
  std::size_t before = 0;
  std::vector<Call> variables;
  for (const Call& call : read.calls(0, code.bytes.size())) {
    const std::size_t from = std::max(before, call.at > kBefore ? call.at - kBefore : 0);
    before = call.at + 5;
    if (call.target < registers || call.target >= registers + kTogether) continue;
    if (no_limit(read, from, call.at)) ++function[call.target];
    else if (no_extern(read, from, call.at)) variables.push_back(call);
  }
  // Variables are registered where kernels are: a launch in the default stream looks like one.
  const std::uint64_t functions = most(function, registers);
  for (const Call& call : variables) {
    const auto [first, last] = read.function_of(call.at);
    const auto beside = read.calls(first, last);
    if (std::any_of(beside.begin(), beside.end(),
                    [&](const Call& c) { return c.target == registers || c.target == functions; }))
      ++variable[call.target];
  }
  for (const Constructor& c : all) {
    if (c.calls[0].target != registers) continue;
    // Behind the end, and last of all, atexit gets a function that takes the fat binary back.
    std::size_t at_exit = 0;
    for (std::size_t i = c.calls[0].at; i + 7 <= c.end; ++i)
      if (read.leads(i) && read.begins(read.target(i, 7))) at_exit = i;
    if (at_exit == 0) continue;
    const auto [first, last] = read.function_of(read.target(at_exit, 7) - code.address);
    const auto inner = read.calls(first, last);
    for (const Call& call : inner) ++unregister[call.target];
    for (auto call = c.calls.rbegin(); call != c.calls.rend(); ++call)
      if (call->at < at_exit && call->target != registers) {
        ++end[call->target];
        break;
      }
  }
  const auto put = [&](const char* name, const Votes& votes) {
    if (const std::uint64_t address = most(votes, registers); address != 0) found[name] = address;
  };
  put("__cudaRegisterFatBinary", binary), put("__cudaRegisterFunction", function),
      put("__cudaRegisterVar", variable);
  put("__cudaUnregisterFatBinary", unregister), put("__cudaRegisterFatBinaryEnd", end);
}

void name_configurations(const Code& code, const Reader& read, std::uint64_t launch,
                         std::map<std::string, std::uint64_t>& found) {
  Votes pop, push, kernel;
  const std::uint64_t near =
      found.contains("__cudaRegisterFatBinary") ? found["__cudaRegisterFatBinary"] : 0;
  if (near == 0) return;
  std::vector<std::uint64_t> stubs;
  const auto all = read.calls(0, code.bytes.size());
  // CUDA 13's code calls __cudaLaunchKernel, which is a jump and nothing else.
  std::uint64_t jump = launch;
  for (const Call& call : all)
    if (call.target == launch && code.bytes[call.at] == 0xe9 &&
        call.at - read.function_of(call.at).first <= 8) {
      jump = code.address + read.function_of(call.at).first;
      found["__cudaLaunchKernel"] = jump;
      break;
    }
  std::uint64_t helper = 0;  // without optimisation, a function of nvcc's stands between
  for (const Call& call : all) {
    const auto [first, last] = read.function_of(call.at);
    if (call.target == jump && jump != launch && read.calls(first, call.at).empty())
      helper = code.address + first;
  }
  for (const Call& call : all) {
    if (call.target != launch && call.target != jump && (helper == 0 || call.target != helper))
      continue;
    const auto [first, last] = read.function_of(call.at);
    const auto before = read.calls(first, call.at);
    if (before.empty() || code.address + first == jump) continue;
    ++pop[before.back().target];
    stubs.push_back(code.address + first);
  }
  const std::uint64_t pops = most(pop, near);
  if (pops == 0) return;
  found["__cudaPopCallConfiguration"] = pops;
  std::sort(stubs.begin(), stubs.end());
  // The third thing that such a function calls: it asks for the kernel's handle the first time.
  stubs.erase(std::unique(stubs.begin(), stubs.end()), stubs.end());
  for (const std::uint64_t stub : stubs) {
    const auto [first, last] = read.function_of(stub - code.address);
    for (const Call& call : read.calls(first, last))
      if (call.target != pops && call.target != launch && call.target != jump)
        ++kernel[call.target];
  }
  if (const std::uint64_t address = most(kernel, near); jump != launch && address != 0)
    found["__cudaGetKernel"] = address;
  for (const Call& call : all) {
    const std::size_t next = call.at + 5;
    if (next + 2 <= code.bytes.size() && code.bytes[next] == 0x85 && code.bytes[next + 1] == 0xc0 &&
        call.target != pops && call.target != found["__cudaGetKernel"])
      ++push[call.target];  // test eax, eax: whether to launch
  }
  if (const std::uint64_t address = most(push, near); address != 0)
    found["__cudaPushCallConfiguration"] = address;
}

}  // namespace

std::map<std::string, std::uint64_t> registration(const Code& code, std::uint64_t wrappers,
                                                  std::uint64_t wrappers_end,
                                                  std::uint64_t launch) {
  std::map<std::string, std::uint64_t> found;
  const Reader read(code);
  if (const auto all = constructors(code, read, wrappers, wrappers_end); !all.empty())
    name_registrations(code, read, all, found);
  if (launch != 0) name_configurations(code, read, launch, found);
  return found;
}

}  // namespace warpmem::audit
