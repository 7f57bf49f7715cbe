#include "emulate/cudart/device_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "binary/cubin/cubin.hpp"
#include "binary/cubin/kept_ptx.hpp"
#include "binary/fatbin/fat_binary.hpp"
#include "emulate/cudart/default_cache.hpp"
#include "emulate/cudart/kept_elsewhere.hpp"
#include "emulate/cudart/runtime.hpp"

namespace warpmem::cudart {

std::uint32_t target_number(const std::string& target) {
  return target.size() > 3 ? static_cast<std::uint32_t>(std::atoi(target.c_str() + 3)) : 0;
}

std::string architectures(const std::set<std::string>& all) {
  std::string text;
  for (const std::string& a : all) text += (text.empty() ? "" : ", ") + a;
  return text;
}

const Shipped* code_of(const DeviceCode& code, const DeviceCode& ptx) {
  for (const Shipped& s : code.shipped) {
    const auto same = [&](std::uint32_t architecture) { return architecture == s.made_of; };
    if (s.exact == ptx.exact && std::ranges::all_of(ptx.unit_architectures, same)) return &s;
  }
  return nullptr;
}

namespace {

constexpr int kWrapperMagic = 0x466243b1;

// The machine code that the GPU loads (CUDA's rule), of all objects of the container.
void gather_code(const std::vector<FatEntry>& entries, std::uint32_t cc, DeviceCode& into) {
  const FatEntry* const best = choose_machine_code(entries, cc);
  for (const FatEntry& e : entries) {
    if (e.kind != FatEntry::Kind::kMachineCode) continue;
    into.machine_code.insert(fmt::format("sm_{}", e.architecture));
    if (!best || e.architecture != best->architecture) continue;
    auto code = unpack_machine_code(e);
    if (!code) continue;
    Shipped shipped{e.architecture, 0, e.exact, {code->begin(), code->end()}};
    auto cubin = record::parse_cubin(shipped.code);
    if (!cubin) continue;
    shipped.made_of = cubin->virtual_arch != 0 ? cubin->virtual_arch : e.architecture;
    into.shipped.push_back(std::move(shipped));
  }
}

// The PTX that runs: what the machine code that the GPU loads was made of, if it is there; else the
// newest that the GPU can run.
const FatEntry* choose_text(const std::vector<FatEntry>& entries, const DeviceCode& code,
                            std::uint32_t cc) {
  for (const Shipped& s : code.shipped)
    for (const FatEntry& e : entries)
      if (e.kind == FatEntry::Kind::kPtx && e.architecture == s.made_of && e.exact == s.exact)
        return &e;
  return choose_ptx(entries, cc);
}

// Where the container has no PTX: what is kept inside its machine code, or beside it. `count`: of
// the codes that were found last.
Result<void> text_within(std::string name, std::size_t count, DeviceCode& into) {
  for (std::size_t i = into.shipped.size() - count; i < into.shipped.size(); ++i) {
    Shipped& s = into.shipped[i];
    auto kept = record::kept_ptx(s.code);
    if (!kept)
      if (auto text = ptx_beside(s.code)) kept = record::KeptPtx{std::move(*text), "", ""};
    if (!kept) continue;
    const std::uint32_t made_of = target_number(ptx_target(kept->ptx));
    s.made_of = made_of, s.exact = ptx_target(kept->ptx).ends_with('a');
    into.options = kept->options, into.exact = s.exact;
    into.units.push_back(
        {std::move(name), with_default_caches(std::move(kept->ptx), kept->options)});
    into.unit_options.push_back(kept->options);
    into.unit_architectures.push_back(made_of);
    return {};
  }
  return {};
}

}  // namespace

Result<void> check_wrapper(const Module& module) {
  const FatBinaryWrapper& w = *module.wrapper;
  if (w.magic == kWrapperMagic && (w.version == 1 || w.version == 2)) return {};
  return Error{ErrorKind::kMalformed,
               fmt::format("its fat binary begins with {:#x}, version {}",
                           static_cast<unsigned>(w.magic), w.version),
               module.name, "build it with nvcc 11 or newer"};
}

Result<void> gather(const unsigned char* data, const std::string& name, std::uint32_t cc,
                    DeviceCode& into) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  auto size = container_bytes(bytes);
  if (!size) return size.error();
  auto entries = read_fat_binary({bytes, *size});
  if (!entries) return entries.error();
  DeviceCode code;
  gather_code(*entries, cc, code);
  const FatEntry* best = choose_text(*entries, code, cc);
  const FatEntry* newer = best ? nullptr : choose_newer_ptx(*entries, cc);
  if (newer) best = newer;
  Result<std::string> text = best ? unpack_ptx(*best) : std::string();
  if (!text) return text.error();
  // libcudadevrt.a, which launches kernels for kernels: that is part of this runtime.
  if (text->find("__cuda_syscall_cnp") != text->npos) return {};
  into.machine_code.merge(code.machine_code);
  const std::size_t shipped = code.shipped.size();
  for (Shipped& s : code.shipped) into.shipped.push_back(std::move(s));
  if (!best) return text_within(name, shipped, into);
  if (newer) {
    into.newer = newer->architecture;
    *text = for_older_gpu(std::move(*text), cc);
  }
  into.options = best->options;
  into.units.push_back({best->name.empty() ? name : best->name,
                        with_default_caches(std::move(*text), best->options)});
  into.unit_options.push_back(best->options);
  into.unit_architectures.push_back(best->architecture);
  into.exact = best->exact;
  return {};
}

Result<DeviceCode> objects_of(const Module& module, std::uint32_t cc) {
  const FatBinaryWrapper& w = *module.wrapper;
  DeviceCode found;
  if (w.version == 2 && w.linked)
    for (const unsigned char* const* data = w.linked; *data; ++data)
      if (auto ok = gather(*data, module.name, cc, found); !ok) return ok.error();
  if (found.units.empty() && w.data)
    if (auto ok = gather(w.data, module.name, cc, found); !ok) return ok.error();
  return found;
}

void note_newer(const Module& module, std::uint32_t newer, std::uint32_t cc) {
  if (Runtime* r = runtime())
    r->session.note_once(fmt::format(
        "{}: its PTX is for compute capability {}.{} and newer; it runs as what it would be on "
        "the card's {}.{}",
        module.name, newer / 10, newer % 10, cc / 10, cc % 10));
}

}  // namespace warpmem::cudart
