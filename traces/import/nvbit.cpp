#include "traces/import/nvbit.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "traces/format/site_table.hpp"
#include "traces/format/writer.hpp"
#include "traces/import/lane_record.hpp"
#include "traces/import/line_file.hpp"
#include "traces/import/sass_text.hpp"
#include "traces/import/words.hpp"

namespace warpmem::imports {
namespace {

Error no_access(const std::string& message) {
  return {ErrorKind::kMalformed, message, {}, "trace it again with NVBit's mem_trace"};
}

// "8,1,1"
bool read_triple(std::string_view text, Dim3& out) {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t comma = d < 2 ? text.find(',') : text.size();
    if (comma == text.npos) return false;
    const auto n = whole_of<std::uint32_t>(text.substr(0, comma));
    if (!n) return false;
    out[d] = *n;
    text = text.substr(std::min(comma + 1, text.size()));
  }
  return true;
}

// What stands behind `key` up to the next " - ".
std::optional<std::string_view> part(std::string_view line, std::string_view key,
                                     std::string_view until = " - ") {
  const std::size_t at = line.find(key);
  if (at == line.npos) return std::nullopt;
  const std::string_view rest = line.substr(at + key.size());
  return rest.substr(0, rest.find(until));
}

// One file, line by line. A launch is written out when the next one begins.
class NvbitImport {
 public:
  explicit NvbitImport(const ImportRequest& request) : request_(request) {}

  Result<ImportReport> run() {
    auto file = LineFile::open(request_.path);
    if (!file) return file.error();
    auto done = read(*file);
    if (done) return std::move(report_);
    if (writer_) {  // nothing stays of an import that failed
      const std::string kept = writer_->kept();
      writer_.reset();
      std::error_code none;
      if (!kept.empty()) std::filesystem::remove(kept, none);
    }
    return done.error();
  }

 private:
  struct Shape {
    trace::Launch launch;
    std::uint64_t number = 0;                                                // grid launch id
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> warps;  // lanes of each
  };

  Result<void> read(LineFile& file) {
    for (std::string line; file.next(line);) {
      if (!line.starts_with(kNvbitLine)) continue;  // the program's own output
      const bool launch = line.find(" - LAUNCH - ") != line.npos;
      if (auto ok = launch ? begin(line) : access(line); !ok) {
        Error error = ok.error();
        if (error.place.empty()) error.place = file.place();
        return error;
      }
    }
    if (auto whole = file.ended(); !whole) return whole;
    if (!shape_)
      return Error{ErrorKind::kMalformed, "the output of mem_trace names no launch", request_.path,
                   "keep the lines that say LAUNCH"};
    if (auto ok = end(); !ok) return ok;
    for (const auto& [opcode, times] : left_out_)
      if (auto ok = writer_->note_missing(
              fmt::format("{} executions of {} are no access that is read", times, opcode));
          !ok)
        return ok;
    return writer_->seal();
  }

  Result<void> create() {
    report_.format = "NVBit mem_trace";
    trace::Origin origin;
    origin.tool = request_.tool + " (NVBit mem_trace)";
    origin.command = request_.command;
    origin.missing = {"the kernels' code: cycles are rough",
                      "the GPU that it ran on",
                      "barriers",
                      "allocations",
                      "lanes at address 0",
                      "which generic accesses are to shared or local memory"};
    report_.missing = origin.missing;
    auto writer = trace::TraceWriter::create(request_.output, origin, {request_.overwrite});
    if (!writer) return writer.error();
    writer_.emplace(std::move(*writer));
    return {};
  }

  Result<void> begin(const std::string& line) {
    if (shape_)
      if (auto ok = end(); !ok) return ok;
    const auto name = part(line, "Kernel name ", " - grid launch id ");
    const auto number = part(line, "grid launch id "), grid = part(line, "grid size "),
               block = part(line, "block size ");
    Shape shape;
    const auto id = number ? whole_of<std::uint64_t>(*number) : std::nullopt;
    if (!name || !id || !grid || !block || !read_triple(*grid, shape.launch.grid) ||
        !read_triple(*block, shape.launch.block))
      return no_access("the launch has no name, number, grid and block");
    const Dim3& b = shape.launch.block;
    const Dim3& g = shape.launch.grid;
    const std::uint64_t threads = std::uint64_t{b[0]} * b[1] * b[2];
    if (threads == 0 || threads > 1024 || std::uint64_t{g[0]} * g[1] * g[2] == 0)
      return no_access("no GPU has such a grid or block");
    shape.number = *id;
    const auto count = [&](std::string_view key) {
      const auto text = part(line, key);
      return text ? whole_of<std::uint32_t>(*text).value_or(0) : 0;
    };
    shape.launch.registers = count("nregs "), shape.launch.static_shared = count("shmem ");
    shape.launch.stream = count("cuda stream id ");
    if (!writer_)
      if (auto ok = create(); !ok) return ok;
    trace::Program program;
    program.name = program.demangled = std::string(*name);
    program.registers = shape.launch.registers;
    auto added = writer_->add_program(program);
    if (!added) return added.error();
    shape.launch.id = static_cast<std::uint32_t>(report_.launches++);
    shape.launch.program = *added;
    if (auto ok = writer_->begin_launch(shape.launch); !ok) return ok;
    builder_.emplace(shape.launch.id);
    shape_.emplace(std::move(shape));
    return {};
  }

  Result<void> access(const std::string& line) {
    const auto number = part(line, "grid_launch_id "), place = part(line, "CTA "),
               in_cta = part(line, "warp ");
    const auto id = number ? whole_of<std::uint64_t>(*number) : std::nullopt;
    const auto warp = in_cta ? whole_of<std::uint32_t>(*in_cta) : std::nullopt;
    Dim3 at;
    if (!id || !warp || !place || !read_triple(*place, at))
      return no_access("the access has no launch, CTA and warp");
    if (!shape_ || shape_->number != *id)
      return no_access(
          fmt::format("the access is of launch {}, which is not the one before it", *id));
    const Dim3& g = shape_->launch.grid;
    if (at[0] >= g[0] || at[1] >= g[1] || at[2] >= g[2])
      return no_access("the CTA lies outside of the launch's grid");
    const std::string_view rest = std::string_view(line).substr(
        static_cast<std::size_t>(in_cta->data() + in_cta->size() - line.data()));
    if (!rest.starts_with(" - ")) return no_access("the access has no opcode");
    const std::string_view opcode = rest.substr(3, rest.find(" - ", 3) - 3);
    const std::size_t list = rest.find(" - ", 3);
    if (opcode.empty() || list == rest.npos) return no_access("the access has no addresses");
    Words words(rest.substr(list + 3));
    std::vector<std::uint64_t> addresses;
    std::uint32_t mask = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto address = whole_of<std::uint64_t>(words.next(), 16);
      if (!address) return no_access(fmt::format("lane {} has no address", lane));
      if (*address != 0) mask |= 1u << lane, addresses.push_back(*address);
    }
    return put(at[0] + std::uint64_t{g[0]} * (at[1] + std::uint64_t{g[1]} * at[2]), *warp, opcode,
               mask, addresses);
  }

  Result<void> put(std::uint64_t cta, std::uint32_t warp, std::string_view opcode,
                   std::uint32_t mask, const std::vector<std::uint64_t>& addresses) {
    const Dim3& b = shape_->launch.block;
    const std::uint64_t threads = std::uint64_t{b[0]} * b[1] * b[2];
    if (std::uint64_t{32} * warp >= threads)
      return no_access("the warp lies outside of the launch's block");
    const std::uint64_t left = threads - std::uint64_t{32} * warp;
    const std::uint32_t lanes = left >= 32 ? ~0u : (1u << left) - 1;
    if (shape_->warps.try_emplace({cta, warp}, lanes).second)
      mark(cta, warp, trace::Op::kCtaBegin, lanes, trace::kUnknownSm);
    ++report_.instructions;
    if (mask == 0) return {};
    const auto [known, added] = opcodes_.try_emplace(std::string(opcode));
    if (added) {
      auto decoded =
          trace::decode_instruction(sass_text({opcode, {"R0"}, {"R2", "R4"}, false, {}}));
      if (!decoded) return no_access(fmt::format("'{}' is no opcode", opcode));
      known->second = {static_cast<std::uint32_t>(16 * (opcodes_.size() - 1)),
                       op_of(decoded->kind).value_or(trace::Op::kCount),
                       decoded->generic ? trace::Space::kGlobal : decoded->space, decoded->bytes};
    }
    if (known->second.op == trace::Op::kCount) {
      ++left_out_[known->first];
      return {};
    }
    std::vector<std::uint64_t> list;
    trace::Record record = record_of(mask, addresses, list);
    record.site = sites_.number_of(known->second);
    ++report_.records;
    builder_->add(cta, warp, {&record, 1}, sites_.sites(), list);
    if (!builder_->full()) return {};
    if (request_.progress && !request_.progress(report_.records))
      return Error{ErrorKind::kInterrupted, "interrupted", request_.path, {}};
    return writer_->append(builder_->take());
  }

  void mark(std::uint64_t cta, std::uint32_t warp, trace::Op op, std::uint32_t mask,
            std::uint64_t base) {
    trace::Record record;
    record.mask = mask, record.base = base;
    record.site = sites_.number_of({0, op, trace::Space::kNone, 0});
    ++report_.records;
    builder_->add(cta, warp, {&record, 1}, sites_.sites(), {});
  }

  Result<void> end() {
    std::uint64_t ctas = 0, last = ~std::uint64_t{0};
    for (const auto& [at, lanes] : shape_->warps) {
      if (std::exchange(last, at.first) != at.first) ++ctas;
      mark(at.first, at.second, trace::Op::kCtaEnd, lanes, 0);
      if (builder_->full())
        if (auto ok = writer_->append(builder_->take()); !ok) return ok;
    }
    if (!builder_->empty())
      if (auto ok = writer_->append(builder_->take()); !ok) return ok;
    report_.ctas += ctas;
    const Dim3& g = shape_->launch.grid;
    trace::LaunchEnd out;
    out.skipped_ctas = std::uint64_t{g[0]} * g[1] * g[2] - ctas;
    return writer_->end_launch(shape_->launch.id, out);
  }

  const ImportRequest& request_;
  ImportReport report_;
  std::optional<trace::TraceWriter> writer_;
  std::optional<trace::BlockBuilder> builder_;
  std::optional<Shape> shape_;
  trace::SiteTable sites_;
  std::map<std::string, trace::Site, std::less<>> opcodes_;
  std::map<std::string, std::uint64_t> left_out_;
};

}  // namespace

Result<ImportReport> import_nvbit(const ImportRequest& request) {
  return NvbitImport(request).run();
}

}  // namespace warpmem::imports
