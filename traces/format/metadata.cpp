#include "traces/format/metadata.hpp"

namespace warpmem::trace {
namespace {

// A site of rounds is written as one of a prefetch that has no space and so many bytes: a reader of
// 1.0 or 1.1 takes it for an access that moves nothing.
constexpr std::uint32_t kRoundsBytes = ~std::uint32_t{0};

template <class T>
std::optional<T> finish(const Cursor& in, bool newer, T&& value) {
  if (!in.ok() || !(in.at_end() || newer)) return std::nullopt;
  return std::move(value);
}

void put_strings(Bytes& out, const std::vector<std::string>& strings) {
  put_varint(out, strings.size());
  for (const auto& text : strings) put_string(out, text);
}

std::vector<std::string> parse_strings(Cursor& in) {
  std::vector<std::string> strings(in.count(1));
  for (auto& text : strings) text = in.string();
  return strings;
}

void put_dim(Bytes& out, const Dim3& dim) {
  for (const auto n : dim) put_varint(out, n);
}

Dim3 parse_dim(Cursor& in) {
  Dim3 dim;
  for (auto& n : dim) n = in.varint32();
  return dim;
}

template <class E>
E parse_enum(Cursor& in, E last) {
  const auto value = in.fixed<std::uint8_t>();
  if (value > static_cast<std::uint8_t>(last)) in.fail();
  return static_cast<E>(value);
}

bool parse_bool(Cursor& in) {
  const auto value = in.fixed<std::uint8_t>();
  if (value > 1) in.fail();
  return value == 1;
}

template <class T>
void put_byte(Bytes& out, T value) {
  put(out, static_cast<std::uint8_t>(value));
}

}  // namespace

Bytes put_origin(const Origin& origin) {
  Bytes out;
  put_byte(out, origin.level);
  for (const auto* text : {&origin.tool, &origin.command, &origin.gpu, &origin.arch, &origin.driver,
                           &origin.cuda, &origin.date}) {
    put_string(out, *text);
  }
  put_varint(out, origin.sms);
  put_strings(out, origin.missing);
  return out;
}

std::optional<Origin> parse_origin(ByteSpan bytes, bool newer) {
  Cursor in(bytes);
  Origin origin;
  origin.level = parse_enum(in, Level::kPtxSass);
  for (auto* text : {&origin.tool, &origin.command, &origin.gpu, &origin.arch, &origin.driver,
                     &origin.cuda, &origin.date}) {
    *text = in.string();
  }
  origin.sms = in.varint32();
  origin.missing = parse_strings(in);
  return finish(in, newer, std::move(origin));
}

Bytes put_program(const Program& program) {
  Bytes out;
  put_string(out, program.name);
  put_string(out, program.demangled);
  put_byte(out, program.level);
  put_string(out, program.arch);
  put_varint(out, program.registers);
  put_varint(out, program.static_shared);
  put_varint(out, program.local_bytes);
  put_strings(out, program.files);
  put_varint(out, program.code.size());
  std::uint32_t pc = 0, line = 0;
  for (const auto& instruction : program.code) {
    put_varint(out, zigzag(std::uint64_t{instruction.pc} - pc));
    put_varint(out, instruction.file);
    put_varint(out, zigzag(std::uint64_t{instruction.line} - line));
    pc = instruction.pc;
    line = instruction.line;
  }
  for (const auto& instruction : program.code) put_string(out, instruction.text);
  // Since 1.1. One more, so that "not known" is the short 0.
  for (const auto& instruction : program.code)
    put_varint(out, instruction.has_control() ? std::uint64_t{instruction.control} + 1 : 0);
  return out;
}

std::optional<Program> parse_program(ByteSpan bytes, bool newer) {
  Cursor in(bytes);
  Program program;
  program.name = in.string();
  program.demangled = in.string();
  program.level = parse_enum(in, Level::kPtxSass);
  program.arch = in.string();
  program.registers = in.varint32();
  program.static_shared = in.varint32();
  program.local_bytes = in.varint32();
  program.files = parse_strings(in);
  program.code.resize(in.count(4));
  std::uint64_t pc = 0, line = 0;
  for (auto& instruction : program.code) {
    pc += unzigzag(in.varint());
    instruction.file = in.varint32();
    line += unzigzag(in.varint());
    if (pc > 0xffffffffu || line > 0xffffffffu) in.fail();
    // A file index of 0 means "not known" and needs no table.
    if (instruction.file != 0 && instruction.file >= program.files.size()) in.fail();
    if (!in.ok()) return std::nullopt;
    instruction.pc = static_cast<std::uint32_t>(pc);
    instruction.line = static_cast<std::uint32_t>(line);
  }
  for (auto& instruction : program.code) instruction.text = in.string();
  if (in.at_end()) return finish(in, newer, std::move(program));  // of 1.0
  for (auto& instruction : program.code) {
    const std::uint64_t control = in.varint();
    if (control > std::uint64_t{1} << kControlBits) in.fail();
    if (control != 0) instruction.control = static_cast<std::uint32_t>(control - 1);
  }
  return finish(in, newer, std::move(program));
}

Bytes put_launch(const Launch& launch) {
  Bytes out;
  put_varint(out, launch.id);
  put_varint(out, launch.program);
  for (const auto* dim : {&launch.grid, &launch.block, &launch.cluster}) put_dim(out, *dim);
  for (const auto n :
       {launch.registers, launch.static_shared, launch.dynamic_shared, launch.local_bytes}) {
    put_varint(out, n);
  }
  put_varint(out, zigzag(static_cast<std::uint64_t>(std::int64_t{launch.carveout})));
  for (const auto n :
       {launch.stream, launch.context, launch.set_aside, launch.window.base, launch.window.bytes}) {
    put_varint(out, n);
  }
  put(out, std::bit_cast<std::uint32_t>(launch.window.hit_ratio));
  put_byte(out, launch.window.hit);
  put_byte(out, launch.window.miss);
  put_varint(out, launch.allocations.size());
  std::uint64_t end = 0;
  for (const auto& allocation : launch.allocations) {
    put_varint(out, zigzag(allocation.base - end));
    put_varint(out, allocation.bytes);
    put_byte(out, allocation.kind);
    end = allocation.base + allocation.bytes;
  }
  // Since 1.2.
  put_varint(out, launch.parameters_at);
  put_varint(out, launch.parameters.size());
  put_bytes(out, launch.parameters);
  // Since 1.7.
  put_varint(out, launch.fetch_bytes);
  put_byte(out, launch.ends_persisting);
  return out;
}

std::optional<Launch> parse_launch(ByteSpan bytes, bool newer) {
  Cursor in(bytes);
  Launch launch;
  launch.id = in.varint32();
  launch.program = in.varint32();
  for (auto* dim : {&launch.grid, &launch.block, &launch.cluster}) *dim = parse_dim(in);
  for (auto* n :
       {&launch.registers, &launch.static_shared, &launch.dynamic_shared, &launch.local_bytes}) {
    *n = in.varint32();
  }
  const auto carveout = static_cast<std::int64_t>(unzigzag(in.varint()));
  launch.carveout = static_cast<std::int32_t>(carveout);
  if (launch.carveout != carveout) in.fail();
  for (auto* n : {&launch.stream, &launch.context, &launch.set_aside, &launch.window.base,
                  &launch.window.bytes}) {
    *n = in.varint();
  }
  launch.window.hit_ratio = std::bit_cast<float>(in.fixed<std::uint32_t>());
  launch.window.hit = in.fixed<std::uint8_t>();
  launch.window.miss = in.fixed<std::uint8_t>();
  launch.allocations.resize(in.count(3));
  std::uint64_t end = 0;
  for (auto& allocation : launch.allocations) {
    allocation.base = end + unzigzag(in.varint());
    allocation.bytes = in.varint();
    allocation.kind = parse_enum(in, AllocationKind::kArray);
    end = allocation.base + allocation.bytes;
  }
  if (in.at_end()) return finish(in, newer, std::move(launch));  // of 1.0 or 1.1
  launch.parameters_at = in.varint32();
  const ByteSpan parameters = in.bytes(in.count(1));
  launch.parameters.assign(parameters.begin(), parameters.end());
  if (in.at_end()) return finish(in, newer, std::move(launch));  // of 1.2 to 1.6
  launch.fetch_bytes = in.varint32();
  launch.ends_persisting = parse_bool(in);
  return finish(in, newer, std::move(launch));
}

Bytes put_launch_end(const LaunchEnd& end) {
  Bytes out;
  put_varint(out, end.records);
  put_varint(out, end.lost);
  put_varint(out, end.skipped_ctas);
  put_byte(out, end.truncated);
  // Since 1.3.
  put_varint(out, end.times.size());
  std::uint32_t pc = 0;
  for (const TimesRun& run : end.times) {
    put_varint(out, run.pc - pc);
    put_varint(out, run.instructions);
    put_varint(out, run.copies);
    put_varint(out, run.times);
    pc = run.pc;
  }
  return out;
}

std::optional<LaunchEnd> parse_launch_end(ByteSpan bytes, bool newer) {
  Cursor in(bytes);
  LaunchEnd end;
  end.records = in.varint();
  end.lost = in.varint();
  end.skipped_ctas = in.varint();
  end.truncated = parse_bool(in);
  if (in.at_end()) return finish(in, newer, std::move(end));  // of 1.0 to 1.2
  end.times.resize(in.count(4));
  std::uint64_t pc = 0;
  for (TimesRun& run : end.times) {
    const std::uint64_t step = in.varint();
    pc += step;
    run.pc = static_cast<std::uint32_t>(pc);
    run.instructions = in.varint32();
    run.copies = in.varint32();
    run.times = in.varint();
    const bool follows = step > 0 || &run == &end.times.front();
    if (step > 0xffffffffu || pc > 0xffffffffu || !follows) in.fail();
    if (run.instructions == 0 || run.copies == 0) in.fail();
    if (!in.ok()) return std::nullopt;
  }
  return finish(in, newer, std::move(end));
}

Bytes put_note(const std::string& text) {
  Bytes out;
  put_string(out, text);
  return out;
}

std::optional<std::string> parse_note(ByteSpan bytes, bool newer) {
  Cursor in(bytes);
  std::string text = in.string();
  return finish(in, newer, std::move(text));
}

void put_site(Bytes& out, const Site& site) {
  // Operations that 1.0 did not know look like prefetches, which count nothing.
  const bool rounds = site.op == Op::kRounds;
  put_varint(out, site.pc);
  const bool newer = rounds || site.op == Op::kTexel || site.op == Op::kProductRead;
  put_byte(out, newer ? Op::kPrefetch : site.op);
  put_byte(out, site.space);
  put_varint(out, rounds ? kRoundsBytes : site.bytes);
}

Site parse_site(Cursor& in) {
  Site site;
  site.pc = in.varint32();
  const auto op = in.fixed<std::uint8_t>(), space = in.fixed<std::uint8_t>();
  if (op >= static_cast<std::uint8_t>(Op::kRounds)) in.fail();
  if (space >= static_cast<std::uint8_t>(Space::kCount)) in.fail();
  site.op = static_cast<Op>(op);
  site.space = static_cast<Space>(space);
  site.bytes = in.varint32();
  if (site.op == Op::kPrefetch && site.space == Space::kNone && site.bytes == kRoundsBytes)
    site.op = Op::kRounds, site.bytes = 0;
  if (site.op == Op::kPrefetch && site.space == Space::kTexture) site.op = Op::kTexel;
  if (site.op == Op::kPrefetch && site.space == Space::kShared) site.op = Op::kProductRead;
  return site;
}

}  // namespace warpmem::trace
