#include "sim/probe/probe_trace.hpp"

#include <map>

namespace warpmem::sim::probe {
namespace {

Result<std::map<const Kernel*, std::uint32_t>> add_programs(trace::TraceWriter& writer,
                                                            const std::vector<Launch>& launches) {
  std::map<const Kernel*, std::uint32_t> number;
  for (const Launch& l : launches) {
    if (number.contains(l.kernel)) continue;
    trace::Program program;
    program.name = program.demangled = l.kernel->name;
    program.arch = "sm_90";
    program.registers = 16;  // 512 threads of them fit every SM
    program.code = l.kernel->code;
    const auto added = writer.add_program(program);
    if (!added) return added.error();
    number[l.kernel] = *added;
  }
  return number;
}

Result<void> write_launch(trace::TraceWriter& writer, const Launch& l, std::uint32_t id,
                          std::uint32_t program) {
  trace::Launch launch;
  launch.id = id;
  launch.program = program;
  launch.grid = {l.ctas, 1, 1};
  launch.block = {l.threads, 1, 1};
  launch.registers = 16;
  launch.dynamic_shared = l.shared;
  if (l.host)
    launch.allocations.push_back({l.host, std::uint64_t{1} << 36, trace::AllocationKind::kHost});
  if (auto done = writer.begin_launch(launch); !done) return done;
  trace::BlockBuilder builder(id, 1);
  for (std::uint64_t cta = 0; cta < l.ctas; ++cta) {
    for (std::uint32_t w = 0; w < (l.threads + 31) / 32; ++w) {
      Warp warp(cta, w);
      const std::uint32_t rest = l.threads - 32 * w;
      const std::uint32_t mask = rest >= 32 ? ~0u : (1u << rest) - 1;
      warp.access(0, trace::kUnknownSm, 0, mask);
      l.fill(warp);
      warp.access(l.kernel->end(), 0, 0, mask);
      for (trace::Record& r : warp.records) r.mask &= mask;
      builder.add(cta, w, warp.records, l.kernel->sites, {});
    }
    if (!builder.full()) continue;
    if (auto done = writer.append(builder.take()); !done) return done;
  }
  if (!builder.empty())
    if (auto done = writer.append(builder.take()); !done) return done;
  return writer.end_launch(id, {});
}

}  // namespace

Result<void> write_trace(const std::string& path, const std::vector<Launch>& launches) {
  trace::Origin origin;
  origin.tool = "warpmem probe";
  origin.gpu = "none";
  origin.arch = "sm_90";
  auto writer = trace::TraceWriter::create(path, origin, {.overwrite = true});
  if (!writer) return writer.error();
  const auto number = add_programs(*writer, launches);
  if (!number) return number.error();
  for (std::uint32_t id = 0; id < launches.size(); ++id)
    if (auto done = write_launch(*writer, launches[id], id, number->at(launches[id].kernel)); !done)
      return done;
  return writer->seal();
}

}  // namespace warpmem::sim::probe
