#include "traces/format/steps.hpp"

#include <cmath>

namespace warpmem::trace {
namespace {

constexpr auto kLastStep = static_cast<std::uint64_t>(host::Step::kWait);
constexpr auto kLastPlace = static_cast<std::uint64_t>(host::Place::kManaged);
constexpr double kTime = 1e3, kShare = 1e6;  // picoseconds, millionths

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

}  // namespace

void put_step(Bytes& out, const host::Operation& step, std::uint32_t number) {
  put_varint(out, static_cast<std::uint64_t>(step.step) << 1 | (step.called ? 1 : 0));
  put_varint(out, static_cast<std::uint64_t>(step.from) * (kLastPlace + 1) +
                      static_cast<std::uint64_t>(step.to));
  put_varint(out, step.bytes);
  put_varint(out, step.rows);
  put_varint(out, step.stream);
  put_varint(out, step.launch);
  put_varint(out, whole(step.alone_ns * kTime));
  put_varint(out, whole(step.share * kShare));
  put_varint(out, step.after.size());
  for (const std::uint32_t before : step.after) put_varint(out, number - before);
}

bool parse_steps(ByteSpan bytes, std::vector<host::Operation>& out) {
  Cursor in(bytes);
  if (in.varint() != out.size()) return false;
  while (in.ok() && !in.at_end()) {
    host::Operation step;
    const std::uint64_t kind = in.varint_to(kLastStep << 1 | 1);
    step.step = static_cast<host::Step>(kind >> 1);
    step.called = (kind & 1) != 0;
    const std::uint64_t places = in.varint_to((kLastPlace + 1) * (kLastPlace + 1) - 1);
    step.from = static_cast<host::Place>(places / (kLastPlace + 1));
    step.to = static_cast<host::Place>(places % (kLastPlace + 1));
    step.bytes = in.varint();
    step.rows = in.varint();
    step.stream = in.varint();
    step.launch = in.varint32();
    step.alone_ns = static_cast<double>(in.varint()) / kTime;
    step.share = static_cast<double>(in.varint_to(1'000'000)) / kShare;
    step.after.resize(in.count(1));
    for (std::uint32_t& before : step.after) {
      const std::uint64_t back = in.varint_to(out.size());
      if (back == 0) in.fail();
      before = static_cast<std::uint32_t>(out.size() - back);
    }
    if (step.rows == 0 || step.share == 0) in.fail();
    if (in.ok()) out.push_back(std::move(step));
  }
  return in.ok();
}

}  // namespace warpmem::trace
