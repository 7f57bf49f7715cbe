#include "traces/import/accel_sim.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "traces/format/writer.hpp"
#include "traces/import/accel_sim_file.hpp"
#include "traces/import/line_file.hpp"
#include "traces/import/traced_code.hpp"
#include "traces/import/warp_records.hpp"
#include "traces/import/words.hpp"

namespace warpmem::imports {
namespace {

struct Kernel {
  std::string path;
  std::vector<trace::Allocation> allocations;  // copied to before it
};

std::string demangled(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  std::free(text);
  return out;
}

void add_allocation(std::vector<trace::Allocation>& to, trace::Allocation one) {
  // Copies into one allocation overlap: what they cover is one.
  std::erase_if(to, [&](const trace::Allocation& a) {
    if (a.base > one.base + one.bytes || one.base > a.base + a.bytes) return false;
    const std::uint64_t end = std::max(a.base + a.bytes, one.base + one.bytes);
    one.base = std::min(a.base, one.base), one.bytes = end - one.base;
    return true;
  });
  to.insert(std::ranges::upper_bound(to, one.base, {}, &trace::Allocation::base), one);
}

Result<std::vector<Kernel>> read_list(const std::string& path) {
  auto file = LineFile::open(path);
  if (!file) return file.error();
  std::vector<Kernel> out;
  std::vector<trace::Allocation> copied;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (std::string line; file->next(line);) {
    if (line.starts_with("MemcpyHtoD,")) {
      const std::size_t comma = line.find(',', 11);
      const auto base = whole_of<std::uint64_t>(std::string_view(line).substr(11, comma - 11), 16);
      const auto bytes = comma == line.npos
                             ? std::nullopt
                             : whole_of<std::uint64_t>(std::string_view(line).substr(comma + 1));
      if (!base || !bytes)
        return Error{ErrorKind::kMalformed, "the copy has no address and number of bytes",
                     file->place(), "trace the program again"};
      if (*bytes != 0) add_allocation(copied, {*base, *bytes, trace::AllocationKind::kDevice});
    } else if (line.starts_with("kernel-")) {
      out.push_back({(folder / line).string(), copied});
    }
  }
  if (auto whole = file->ended(); !whole) return whole.error();
  if (out.empty())
    return Error{ErrorKind::kMalformed, "the list names no kernel", path,
                 "give Accel-Sim's kernelslist.g, or one .traceg"};
  return out;
}

std::uint32_t lanes_of(std::uint64_t threads, std::uint32_t warp) {
  const std::uint64_t left = threads - std::min<std::uint64_t>(threads, std::uint64_t{32} * warp);
  return left >= 32 ? ~0u : (1u << left) - 1;
}

class Import {
 public:
  explicit Import(const ImportRequest& request) : request_(request) {}

  Result<ImportReport> run(const std::vector<Kernel>& kernels) {
    auto done = add_all(kernels);
    if (!done) discard();
    return done;
  }

 private:
  Result<ImportReport> add_all(const std::vector<Kernel>& kernels) {
    for (std::uint32_t i = 0; i < kernels.size(); ++i)
      if (auto ok = add(kernels[i], i); !ok) return ok.error();
    for (const auto& [opcode, times] : left_out_) {
      const std::string what =
          fmt::format("{} executions of {} have no address that is read", times, opcode);
      report_.missing.push_back(what);
      if (auto ok = writer_->note_missing(what); !ok) return ok.error();
    }
    if (auto ok = writer_->seal(); !ok) return ok.error();
    report_.launches = kernels.size();
    return std::move(report_);
  }

  // Nothing stays of an import that failed.
  void discard() {
    if (!writer_) return;
    const std::string kept = writer_->kept();
    writer_.reset();
    std::error_code none;
    if (!kept.empty()) std::filesystem::remove(kept, none);
  }

  // The file twice: for the program, which stands before the launch, and for the records.
  Result<void> add(const Kernel& kernel, std::uint32_t id) {
    TracedCode code;
    AccelSimHeading heading;
    std::uint32_t last = TracedCode::kNone;
    std::uint64_t ctas = 0, in_cta = ~std::uint64_t{0};
    const AccelSimReaders survey{
        [&](const AccelSimHeading& h) { return heading = h, Result<void>(); },
        [&](std::uint64_t cta, std::uint32_t) {
          last = TracedCode::kNone;
          if (std::exchange(in_cta, cta) != cta) ++ctas;
          return Result<void>();
        },
        [&](const AccelSimLine& line) {
          const std::uint32_t number = code.number_of(line);
          // The two lines of a copy are one instruction.
          if (last != number || !line.memory) {
            code.runs(number);
            if (last != TracedCode::kNone) code.follows(last, number);
          }
          last = number;
          ++report_.instructions;
          return Result<void>();
        },
        [] { return Result<void>(); }};
    if (auto ok = read_accel_sim(kernel.path, survey); !ok) return ok;
    if (auto ok = code.finish(kernel.path); !ok) return ok;
    if (!writer_)
      if (auto ok = create(heading); !ok) return ok;
    auto program = writer_->add_program(program_of(code, heading));
    if (!program) return program.error();
    trace::Launch launch;
    launch.id = id, launch.program = *program;
    launch.grid = heading.grid, launch.block = heading.block;
    launch.registers = heading.registers, launch.static_shared = heading.shared;
    launch.stream = heading.stream, launch.allocations = kernel.allocations;
    if (auto ok = writer_->begin_launch(launch); !ok) return ok;
    if (auto ok = write_records(kernel, id, code, heading); !ok) return ok;
    trace::LaunchEnd end;
    const Dim3& g = heading.grid;
    end.skipped_ctas = std::uint64_t{g[0]} * g[1] * g[2] - ctas;
    end.times = code.times();
    report_.ctas += ctas;
    return writer_->end_launch(id, end);
  }

  static trace::Program program_of(const TracedCode& code, const AccelSimHeading& heading) {
    trace::Program out = code.program();
    out.name = heading.kernel, out.demangled = demangled(heading.kernel);
    out.level = trace::Level::kSass, out.arch = arch_of(heading);
    out.registers = heading.registers, out.static_shared = heading.shared;
    out.files = {"", "n/a"};
    for (trace::Instruction& in : out.code)
      if (in.line != 0) in.file = 1;
    return out;
  }

  static std::string arch_of(const AccelSimHeading& heading) {
    return heading.binary == 0 ? "" : fmt::format("sm_{}", heading.binary);
  }

  Result<void> create(const AccelSimHeading& heading) {
    report_.format = fmt::format("Accel-Sim, tracer version {}", heading.version);
    trace::Origin origin;
    origin.level = trace::Level::kSass;
    origin.tool = fmt::format("{} ({}{})", request_.tool, report_.format,
                              heading.nvbit.empty() ? "" : ", NVBit " + heading.nvbit);
    origin.command = request_.command, origin.arch = arch_of(heading);
    origin.missing = {"instructions that no warp ran",
                      "allocations, but for what was copied to",
                      "the compiler's scheduling (stalls, scoreboards)",
                      "predicates and constants",
                      "how many threads a barrier is for",
                      "constant and texture accesses"};
    report_.missing = origin.missing;
    auto writer = trace::TraceWriter::create(request_.output, origin, {request_.overwrite});
    if (!writer) return writer.error();
    writer_.emplace(std::move(*writer));
    return {};
  }

  Result<void> write_records(const Kernel& kernel, std::uint32_t id, TracedCode& code,
                             const AccelSimHeading& heading) {
    trace::BlockBuilder builder(id);
    WarpRecords warp(code, {heading.shared_base, heading.local_base});
    const std::uint64_t threads =
        std::uint64_t{heading.block[0]} * heading.block[1] * heading.block[2];
    std::uint64_t cta = 0;
    std::uint32_t index = 0;
    const AccelSimReaders write{
        [](const AccelSimHeading&) { return Result<void>(); },
        [&](std::uint64_t c, std::uint32_t w) {
          cta = c, index = w;
          warp.begin(lanes_of(threads, w));
          return Result<void>();
        },
        [&](const AccelSimLine& line) {
          warp.run(code.number_of(line), line);
          return Result<void>();
        },
        [&]() -> Result<void> {
          warp.end();
          report_.records += warp.records().size();
          builder.add(cta, index, warp.records(), warp.sites(), warp.lanes());
          if (!builder.full()) return {};
          if (request_.progress && !request_.progress(report_.records))
            return Error{ErrorKind::kInterrupted, "interrupted", request_.path, {}};
          return writer_->append(builder.take());
        }};
    if (auto ok = read_accel_sim(kernel.path, write); !ok) return ok;
    for (const auto& [opcode, times] : warp.left_out()) left_out_[opcode] += times;
    return builder.empty() ? Result<void>() : writer_->append(builder.take());
  }

  const ImportRequest& request_;
  ImportReport report_;
  std::optional<trace::TraceWriter> writer_;
  std::map<std::string, std::uint64_t> left_out_;
};

}  // namespace

Result<ImportReport> import_accel_sim(const ImportRequest& request, bool list) {
  std::vector<Kernel> kernels{{request.path, {}}};
  if (list) {
    auto read = read_list(request.path);
    if (!read) return read.error();
    kernels = std::move(*read);
  }
  return Import(request).run(kernels);
}

}  // namespace warpmem::imports
