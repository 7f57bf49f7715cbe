#include "emulate/cudart/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "base/residency.hpp"
#include "emulate/cudart/device_launches.hpp"
#include "emulate/cudart/interrupt.hpp"
#include "emulate/cudart/progress.hpp"
#include "emulate/cudart/repeats.hpp"
#include "emulate/executor/machine_kernel.hpp"

namespace warpmem::cudart {
namespace {

// What a kernel may have without asking for more.
constexpr std::size_t kUsualShared = 49152;
constexpr std::size_t kPrintFlush = 1u << 20;  // CUDA's printf buffer, which would wrap round

std::uint64_t volume(const Dim& d) { return std::uint64_t{d.x} * d.y * d.z; }
Dim3 array_of(const Dim& d) { return {d.x, d.y, d.z}; }

Dim cluster_of(const KernelCall& call, const emulate::Kernel& kernel) {
  if (volume(call.cluster) > 1) return call.cluster;
  const auto& required = kernel.entry->required_cluster;
  if (required[0]) return {required[0], required[1], required[2]};
  const Dim& set = call.function->required_cluster;
  return volume(set) ? set : Dim{1, 1, 1};
}

Code code_of(emulate::FaultKind fault) {
  using emulate::FaultKind;
  switch (fault) {
    case FaultKind::kAddress: return kIllegalAddress;
    case FaultKind::kMisaligned: return kMisalignedAddress;
    case FaultKind::kAssert: return kAssert;
    case FaultKind::kEndless: return kLaunchTimeout;
    default: return kLaunchFailure;
  }
}

trace::Launch describe(Runtime& r, const Stream& stream, const KernelCall& call,
                       const emulate::Kernel& kernel, const emulate::Resources* resources,
                       std::uint32_t id) {
  trace::Launch l;
  l.id = id;
  l.grid = array_of(call.grid), l.block = array_of(call.block),
  l.cluster = array_of(cluster_of(call, kernel));
  l.static_shared = kernel.static_shared,
  l.dynamic_shared = static_cast<std::uint32_t>(call.shared), l.local_bytes = kernel.local_bytes;
  if (resources) {
    l.registers = resources->registers, l.static_shared = resources->static_shared;
    l.local_bytes = resources->local_bytes;
  }
  l.carveout = call.carveout >= 0 ? call.carveout : preferred_carveout(r, *call.function);
  l.stream = stream.number;
  l.window = stream.window();
  if (call.window) {
    l.window.base = reinterpret_cast<std::uint64_t>(call.window->base),
    l.window.bytes = call.window->bytes, l.window.hit_ratio = call.window->hit_ratio;
    l.window.hit = static_cast<std::uint8_t>(call.window->hit),
    l.window.miss = static_cast<std::uint8_t>(call.window->miss);
  }
  const auto set_aside = r.limits.find(6);
  l.set_aside = set_aside == r.limits.end() ? 0 : set_aside->second;
  if (const auto fetch = r.limits.find(5); fetch != r.limits.end())
    l.fetch_bytes = static_cast<std::uint32_t>(fetch->second);
  l.ends_persisting = std::exchange(r.persisting_reset, false);
  l.allocations = r.memory.allocations();
  if (kernel.machine) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(call.params.data());
    l.parameters.assign(bytes, bytes + call.params.size());
    l.parameters_at = kernel.machine->params_at;
  }
  return l;
}

// What ptxas says of the kernel. Where another GPU's code stands in, which may need more registers
// than a compiler of this one would have spent, as many as let a CTA run.
std::optional<emulate::Resources> resources_for(Runtime& r, Function& f,
                                                const emulate::Kernel& kernel,
                                                std::uint64_t threads) {
  const emulate::Resources* known = r.resources(f);
  if (!known) return std::nullopt;
  emulate::Resources out = *known;
  if (f.module->stand_in.empty()) return out;
  constexpr std::uint32_t kFewest = 16;  // that ptxas can be held to
  while (out.registers > kFewest &&
         residency_of(r.device(), kernel, &out, static_cast<int>(threads), 0).by_registers == 0)
    --out.registers;
  return out;
}

}  // namespace

std::size_t most_dynamic_shared(const Device& device, const Function& function,
                                const emulate::Kernel& kernel) {
  const std::size_t most =
      function.max_dynamic_shared >= 0
          ? static_cast<std::size_t>(function.max_dynamic_shared) + kernel.static_shared
          : kUsualShared;
  const std::size_t limit =
      std::min(std::max(most, kUsualShared), static_cast<std::size_t>(device.shared_optin));
  return limit - std::min<std::size_t>(limit, kernel.static_shared);
}

int resident_ctas(const Device& device, const emulate::Kernel& kernel,
                  const emulate::Resources* resources, int threads, std::size_t dynamic_shared,
                  int shared_sm) {
  if (threads <= 0) return 0;
  return static_cast<int>(
      residency_of(device, kernel, resources, threads, dynamic_shared, shared_sm).ctas);
}

Residency residency_of(const Device& device, const emulate::Kernel& kernel,
                       const emulate::Resources* resources, int threads, std::size_t dynamic_shared,
                       int shared_sm) {
  constexpr std::uint64_t kUsualRegisters = 32;
  const auto number = [](auto v) { return static_cast<std::uint64_t>(v); };
  const SmLimits sm{.warps = number(device.sm_warps),
                    .threads = number(device.sm_threads),
                    .ctas = number(device.sm_ctas),
                    .registers = number(device.sm_registers),
                    .register_unit = number(device.register_unit),
                    .shared = number(shared_sm > 0 ? shared_sm : device.shared_sm()),
                    .shared_reserved = number(device.shared_reserved),
                    .shared_unit = number(device.shared_unit),
                    .schedulers = number(device.sm_schedulers),
                    .cta_shared = number(device.shared_optin),
                    .capability = device.cc()};
  const std::uint64_t fixed = resources ? resources->static_shared : kernel.static_shared;
  const std::uint64_t registers = resources ? std::max(1u, resources->registers) : kUsualRegisters;
  return warpmem::residency(sm, {number(threads), registers, fixed + dynamic_shared});
}

int preferred_carveout(const Runtime& r, const Function& function) {
  constexpr int kOfConfig[] = {-1, 100, 0, 50};  // no preference, shared memory, L1, equal
  if (function.carveout >= 0) return function.carveout;
  return kOfConfig[(function.cache_config != 0 ? function.cache_config : r.cache_config) & 3];
}

int carved_out(const Runtime& r, const Function& function, std::size_t cta_bytes) {
  const Device& device = r.device();
  const int percent = preferred_carveout(r, function);
  const int whole = device.shared_sm(), unit = std::max(1, device.shared_unit);
  if (percent < 0) return whole;
  const std::int64_t cta =
      static_cast<std::int64_t>(cta_bytes + static_cast<std::size_t>(unit) - 1) / unit * unit +
      device.shared_reserved;
  const std::int64_t wanted = std::int64_t{whole} * percent / 100;
  for (const int bytes : device.shared_configs)
    if (bytes >= wanted && bytes >= cta && bytes < whole) return bytes;
  return whole;
}

bool equal(const KernelCall& a, const KernelCall& b) {
  const auto same = [](const Dim& x, const Dim& y) {
    return x.x == y.x && x.y == y.y && x.z == y.z;
  };
  return a.function == b.function && same(a.grid, b.grid) && same(a.block, b.block) &&
         same(a.cluster, b.cluster) && a.shared == b.shared && a.cooperative == b.cooperative &&
         a.carveout == b.carveout && !a.window && !b.window && a.params == b.params;
}

namespace {

Repeats& repeats() {
  static auto* one = new Repeats;
  return *one;
}

}  // namespace

Code pack(Runtime& r, KernelCall& call, void** arguments, void** extra) {
  auto kernel = r.kernel(*call.function);
  if (!kernel) return check(r, call);
  call.params.assign((*kernel)->param_bytes, std::byte{0});
  call.offsets.clear();
  const auto& params = (*kernel)->entry->params;
  for (const emulate::Variable* p : params) call.offsets.push_back(p->offset);
  if (extra) {  // pairs of a key and a value, ended by 0: 1 the buffer, 2 its size
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    for (std::size_t i = 0; extra[i] != nullptr; i += 2) {
      if (extra[i] == reinterpret_cast<void*>(1)) buffer = extra[i + 1];
      else if (extra[i] == reinterpret_cast<void*>(2))
        bytes = *static_cast<const std::size_t*>(extra[i + 1]);
      else return kInvalidValue;
    }
    if (buffer) {
      std::memcpy(call.params.data(), buffer, std::min(bytes, call.params.size()));
      return kSuccess;
    }
  }
  if (!arguments && !params.empty()) return kInvalidValue;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!arguments[i]) return kInvalidValue;
    std::memcpy(call.params.data() + params[i]->offset, arguments[i], params[i]->bytes);
  }
  return kSuccess;
}

Code check(Runtime& r, const KernelCall& call) {
  Function& f = *call.function;
  auto made = r.kernel(f);
  if (!made) {
    bool& told = f.module->failure ? f.module->told : f.told;
    if (!told) r.session.note_error(made.error());
    told = true;
    const Error& e = made.error();
    return e.kind == ErrorKind::kUsage       ? kNoKernelImage
           : e.kind == ErrorKind::kResources ? kMemoryAllocation
                                             : kInvalidPtx;
  }
  const emulate::Kernel& kernel = **made;
  const Device& d = r.device();
  const Dim &g = call.grid, &b = call.block;
  const std::uint64_t threads = volume(b);
  const std::uint64_t most_threads = most_cta_threads(d.cc());
  if (volume(g) == 0 || threads == 0 || threads > most_threads || b.x > most_threads ||
      b.y > most_threads || b.z > 64 || g.x > most_grid_x(d.cc()) || g.y > 65535 ||
      g.z > most_grid_z(d.cc()))
    return kInvalidConfiguration;
  const auto& bound = kernel.entry->max_block;
  const auto& required = kernel.entry->required_block;
  const std::uint64_t most = std::uint64_t{bound[0]} * bound[1] * bound[2];
  if (most && threads > most) return kInvalidValue;
  if (required[0] && array_of(b) != Dim3{required[0], required[1], required[2]})
    return kInvalidValue;
  if (call.shared > most_dynamic_shared(d, f, kernel)) return kInvalidValue;
  const auto resources = resources_for(r, f, kernel, threads);
  const emulate::Resources* const known = resources ? &*resources : nullptr;
  if (residency_of(d, kernel, known, static_cast<int>(threads), call.shared).refusal ==
      LaunchRefusal::kRegisters)
    return kLaunchOutOfResources;
  const Dim c = cluster_of(call, kernel);
  if (volume(c) > 1) {
    if (d.major < 9) return kInvalidConfiguration;
    if (volume(c) > (f.cluster_nonportable ? 16u : 8u)) return kInvalidClusterSize;
    if (g.x % c.x || g.y % c.y || g.z % c.z) return kInvalidClusterSize;
  }
  if (call.cooperative) {
    const int resident = resident_ctas(d, kernel, known, static_cast<int>(threads), call.shared);
    if (volume(g) > static_cast<std::uint64_t>(resident) * static_cast<std::uint64_t>(d.sms))
      return kCooperativeLaunchTooLarge;
  }
  return kSuccess;
}

Code run(Runtime& r, Stream& stream, const KernelCall& call) {
  if (const Code code = check(r, call); code != kSuccess) return code;
  Function& f = *call.function;
  const emulate::Kernel& kernel = **r.kernel(f);
  if (f.demangled.empty()) f.demangled = emulate::describe(kernel).demangled;
  const std::uint32_t id = r.session.next_launch();
  const auto resources = resources_for(r, f, kernel, volume(call.block));
  const emulate::Resources* const known = resources ? &*resources : nullptr;

  emulate::LaunchShape shape;
  shape.grid = array_of(call.grid), shape.block = array_of(call.block),
  shape.cluster = array_of(cluster_of(call, kernel));
  shape.dynamic_shared = static_cast<std::uint32_t>(call.shared),
  shape.cooperative = call.cooperative;
  shape.params = call.params;
  if (const auto stack = r.limits.find(0); stack != r.limits.end())
    shape.stack_bytes = stack->second;
  shape.sms = static_cast<std::uint32_t>(r.device().sms), shape.waits = r.device().waits;
  shape.sm_ctas = static_cast<std::uint32_t>(std::max(
      1,
      resident_ctas(r.device(), kernel, known, static_cast<int>(volume(call.block)), call.shared)));
  shape.clusters = static_cast<std::uint64_t>(
      std::max(1, r.device().clusters(static_cast<int>(volume(cluster_of(call, kernel))),
                                      static_cast<int>(shape.sm_ctas))));
  shape.textures = &r.textures;

  emulate::RunOptions options;
  Progress progress(f.demangled);
  options.max_instructions = r.session.options().max_instructions;
  options.threads = emulate::threads_for(r.session.options().threads);
  if (r.session.options().check)
    options.report = [&r](const std::string& text) { r.session.note_hazard(text); };
  options.interrupted = [] { return interrupted(); };
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  options.print = [&](const std::string& text) {
    r.printed += text;
    if (r.printed.size() > kPrintFlush) r.flush_printed();
  };
  if (!r.session.options().strict)
    options.out_of_bounds = [&](const Error& error) {
      Error told = error;
      told.fix =
          "a GPU lets this through, because it maps 2 MiB at a time; --strict makes it a fault";
      r.session.note_warning(told);
    };
  DeviceLaunches launched(r, stream, *f.module);
  options.device = &launched;
  emulate::RunStatistics statistics;
  emulate::Tracer* tracer = nullptr;
  const bool wanted = r.session.wanted(id, f.demangled);
  // A launch after a reset of the persisting lines is another one, though the program gives it the
  // same.
  const Tracing tracing = r.persisting_reset
                              ? Tracing::kYes
                              : repeats().plan(call, r.limits, r.session.options().repeats);
  if (wanted && tracing != Tracing::kNo)
    tracer = r.session.begin(describe(r, stream, call, kernel, known, id), kernel, known,
                             r.why_ptx(f), f, tracing == Tracing::kUnlessEqual);
  set_kernel_running(true);
  auto ran = emulate::run_launch(kernel, r.memory, shape, options, tracer, statistics);
  set_kernel_running(false);
  progress.clear();
  if (tracer) {
    const Traced traced = r.session.end(statistics, ran ? nullptr : &ran.error());
    if (traced == Traced::kLeftOut) repeats().confirmed();
    else repeats().traced(call, r.limits, statistics.thread_instructions, traced == Traced::kSame);
  } else {
    r.session.count(statistics);
    if (!wanted || tracing != Tracing::kNo) repeats().end_row();
    else r.session.repeat(repeats().counted(statistics.thread_instructions));
  }

  host::Operation what;
  what.step = host::Step::kKernel;
  what.launch = id;
  const double ctas = static_cast<double>(volume(call.grid)), sms = r.device().sms;
  what.alone_ns = r.device().link.kernel_ns + static_cast<double>(statistics.warp_instructions) /
                                                  std::min(ctas, sms) /
                                                  (r.device().clock_khz * 1e-6);
  what.share = std::min(1.0, ctas / (sms * shape.sm_ctas));
  r.issue(stream, what);
  if (ran) return launched.run_all();
  r.flush_printed();
  if (ran.error().kind == ErrorKind::kInterrupted) end_by_interrupt();
  if (statistics.fault == emulate::FaultKind::kAssert) {  // CUDA's words
    std::fputs(fmt::format("{}\n", printable_lines(ran.error().message)).c_str(), stderr);
  } else {
    Error error = ran.error();
    if (error.fix.empty())
      error.fix = fmt::format(
          "launch {} of the program has failed; what it calls from now on fails too", id);
    std::fflush(stdout);
    std::fputs(fmt::format("warpmem: error: {}\n", error.text()).c_str(), stderr);
  }
  r.sticky = code_of(statistics.fault);
  return kSuccess;  // as on a GPU, the launch is fine; whoever waits for it learns of the fault
}

}  // namespace warpmem::cudart
