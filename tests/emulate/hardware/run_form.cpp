#include "tests/emulate/hardware/run_form.hpp"

#include <cmath>
#include <cstring>

#include "emulate/executor/executor.hpp"
#include "emulate/executor/half.hpp"
#include "emulate/ptx/parser.hpp"
#include "emulate/ptx/program.hpp"
#include "tests/emulate/h200.hpp"

namespace warpmem::emulate::hardware {

Result<std::vector<std::uint64_t>> launch_form(const Form& form, const Kernel& kernel,
                                               Memory& memory) {
  LaunchShape shape;
  shape.sms = test::kH200Sms, shape.waits = test::kH200Waits;
  shape.grid = {kCases / kBlock, 1, 1}, shape.block = {kBlock, 1, 1};
  std::vector<std::uint64_t> buffers(4);
  for (std::uint64_t& b : buffers) b = memory.allocate(kCases * 8, trace::AllocationKind::kDevice);
  for (std::uint32_t o = 0; o < form.operands.size(); ++o) {
    const auto values = operand(form, o);
    std::memcpy(memory.host(buffers[1 + o]), values.data(), values.size() * 8);
  }
  shape.params.resize(32);
  std::memcpy(shape.params.data(), buffers.data(), 32);
  RunStatistics statistics;
  if (auto ran = run_launch(kernel, memory, shape, {}, nullptr, statistics); !ran)
    return ran.error();
  std::vector<std::uint64_t> results(kCases);
  std::memcpy(results.data(), memory.host(buffers[0]), kCases * 8);
  for (const std::uint64_t b : buffers) (void)memory.free(b);
  return results;
}

Result<std::vector<std::uint64_t>> run_form(std::uint32_t number) {
  const Form& form = forms()[number];
  auto module = parse_ptx(form.name, module_of(number, number + 1));
  if (!module) return module.error();
  auto memory = Memory::create(std::uint64_t{1} << 30);
  if (!memory) return memory.error();
  auto loaded = LoadedModule::load(std::move(module).value(), *memory);
  if (!loaded) return loaded.error();
  auto kernel = build_kernel(**loaded, "k" + std::to_string(number));
  if (!kernel) return kernel.error();
  return launch_form(form, **kernel, *memory);
}

namespace {

template <class T>
bool near(T got, T hardware, T ulp, const Band& band) {
  if (std::isnan(got) || std::isnan(hardware)) return std::isnan(got) && std::isnan(hardware);
  if (got == hardware) return true;
  if (std::isinf(got) || std::isinf(hardware)) return false;
  return std::fabs(got - hardware) <=
         std::fmax(static_cast<T>(band.absolute), static_cast<T>(band.ulp) * ulp);
}
// Spacing of values around a 16-bit one.
double half_ulp(std::uint16_t bits, bool bf) {
  const std::uint16_t magnitude = bits & 0x7fff, next = static_cast<std::uint16_t>(magnitude + 1);
  const double d =
      bf ? bfloat_value(next) - bfloat_value(magnitude) : half_value(next) - half_value(magnitude);
  return std::isfinite(d) ? d : bf ? 0x1p120 : 32.0;
}
bool near_half(std::uint64_t got, std::uint64_t hardware, bool bf, const Band& band) {
  const auto g = static_cast<std::uint16_t>(got), h = static_cast<std::uint16_t>(hardware);
  return bf ? near(bfloat_value(g), bfloat_value(h), half_ulp(h, true), band)
            : near(half_value(g), half_value(h), half_ulp(h, false), band);
}

}  // namespace

bool agrees(const Form& form, std::uint64_t got, std::uint64_t hardware) {
  if (got == hardware) return true;
  if (form.band.exact()) return false;
  const std::string& t = form.result;
  if (t == "f32") {
    const auto g = bits_as<float>(static_cast<std::uint32_t>(got)),
               h = bits_as<float>(static_cast<std::uint32_t>(hardware));
    const float magnitude = std::fabs(h);
    return near(g, h, std::isfinite(h) ? std::nextafter(magnitude, INFINITY) - magnitude : 0.0f,
                form.band);
  }
  if (t == "f64") {
    const auto g = bits_as<double>(got), h = bits_as<double>(hardware);
    const double magnitude = std::fabs(h);
    return near(g, h, std::isfinite(h) ? std::nextafter(magnitude, INFINITY) - magnitude : 0.0,
                form.band);
  }
  const bool bf = t[0] == 'b';
  return near_half(got, hardware, bf, form.band) &&
         (!t.ends_with("x2") || near_half(got >> 16, hardware >> 16, bf, form.band));
}

}  // namespace warpmem::emulate::hardware
