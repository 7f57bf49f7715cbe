#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/output_file.hpp"
#include "sim/code/code_paths.hpp"
#include "traces/export/export.hpp"
#include "traces/export/traced_line.hpp"

namespace warpmem::exports {
namespace {

namespace fs = std::filesystem;
using trace::Op;
using trace::Record;
using trace::Site;

// Where generic addresses of shared and of local memory would be; no allocation lies there.
constexpr std::uint64_t kSharedBase = 0x7ffe00000000, kLocalBase = 0x7ffd00000000;
constexpr std::size_t kPiece = 1 << 20;  // bytes written at once

// A launch's instructions, with what each is called.
class LaunchCode {
 public:
  LaunchCode(const trace::TraceReader& reader, std::uint32_t launch)
      : program_(reader.code(reader.launches()[launch].launch.program)),
        sites_(reader.sites(launch)),
        paths_(sites_, *program_, sim::read_flow(*program_), &reader.launches()[launch].launch, {},
               reader.launches()[launch].end.times) {
    for (std::size_t l = 0; l < program_->size(); ++l) {
      const trace::SassInstruction* const in = (*program_)[l].sass();
      texts_.push_back(in ? text_of(*in) : LineText{});
    }
  }

  const sim::CodePaths& paths() const { return paths_; }
  const Site& site(std::uint32_t s) const { return sites_[s]; }
  std::uint32_t pc(std::size_t line) const { return program_->pc(line); }
  const trace::SassInstruction* sass(std::size_t line) const { return (*program_)[line].sass(); }
  const LineText& text(std::size_t line) const { return texts_[line]; }
  // The line of a site, if it is machine code.
  std::optional<std::size_t> line_of(std::uint32_t s) const {
    const auto line = program_->line_at(sites_[s].pc);
    return line && sass(*line) ? line : std::nullopt;
  }

 private:
  std::shared_ptr<const trace::DecodedProgram> program_;
  std::span<const Site> sites_;
  sim::CodePaths paths_;
  std::vector<LineText> texts_;
};

// The lines of one warp.
class WarpLines {
 public:
  WarpLines(const LaunchCode& code, std::map<std::string, std::uint64_t>& left_out)
      : code_(code), left_out_(left_out) {}

  void begin() {
    text_.clear(), through_.clear();
    count_ = 0, from_ = sim::CodePaths::kStart, exists_ = before_ = 0;
    read_.reset();
  }

  void take(const Record& r, std::span<const std::uint64_t> lanes) {
    const Site& site = code_.site(r.site);
    switch (site.op) {
      case Op::kCtaBegin: exists_ = before_ = r.mask; return;
      case Op::kRounds: return rounds(r);
      case Op::kTexel: return;
      case Op::kCtaEnd: {
        const auto path = code_.paths().between(from_, r.site);
        for (const std::uint32_t line : path) passed(line, exists_);
        return;
      }
      default: break;
    }
    through_.clear();
    if (site.op == Op::kAsyncCopyWrite && read_) return copy(r, lanes);
    way_to(r);
    if (trace::is_bulk(site.op) || site.space == trace::Space::kTexture ||
        site.space == trace::Space::kSurface || site.op == Op::kProductRead) {
      ++left_out_[trace::is_bulk(site.op) ? "bulk copies" : "textures, surfaces and products"];
      if (const auto line = code_.line_of(r.site)) plain(static_cast<std::uint32_t>(*line), r.mask);
      return;
    }
    if (site.op == Op::kAsyncCopyRead) {
      read_ = {r, {lanes.begin(), lanes.end()}};
      return;
    }
    if (site.op == Op::kBarrier || r.mask == 0) {
      if (const auto line = code_.line_of(r.site)) plain(static_cast<std::uint32_t>(*line), r.mask);
      return;
    }
    access(r, addresses_of(r, lanes, base_of(r)));
  }

  const std::string& text() const { return text_; }
  std::uint64_t count() const { return count_; }

 private:
  // Generic instructions are told by generic addresses.
  std::uint64_t base_of(const Record& r) const {
    const auto line = code_.line_of(r.site);
    if (!line || !code_.sass(*line)->generic) return 0;
    const trace::Space space = code_.site(r.site).space;
    return space == trace::Space::kShared  ? kSharedBase
           : space == trace::Space::kLocal ? kLocalBase
                                           : 0;
  }

  // All but the record's own line.
  void way_to(const Record& r) {
    auto path = code_.paths().between(from_, r.site);
    if (!path.empty()) path.pop_back();
    for (const std::uint32_t line : path) passed(line, before_ | r.mask);
    from_ = r.site, before_ = r.mask;
  }

  // Once round for each time that the branch back was taken; the way to it is one of them where
  // who goes on has gone round as well.
  void rounds(const Record& r) {
    const auto path = code_.paths().between(from_, r.site);
    for (const std::uint32_t line : path) passed(line, before_);
    from_ = r.site;
    const auto points = code_.paths().points(r.site, through_);
    through_.push_back(r.site);
    if (points.empty() || points.front() < 0) return;
    const bool always = !code_.paths().code()[static_cast<std::size_t>(points.front())].falls;
    const auto round = code_.paths().round(points);
    for (std::uint64_t n = always ? 1 : 0; n < r.base; ++n)
      for (const std::uint32_t line : round) passed(line, before_);
  }

  // An instruction between two records. What would have left one itself had all its lanes off.
  void passed(std::uint32_t line, std::uint32_t mask) {
    const trace::SassInstruction* const in = code_.sass(line);
    const bool records = in && ((in->is_memory() && in->space != trace::Space::kConstant) ||
                                in->opcode == trace::Opcode::kBAR);
    plain(line, records ? 0 : mask);
  }

  void plain(std::uint32_t line, std::uint32_t mask) {
    if (!code_.sass(line)) return;
    put(fmt::format("{:04x} {:08x} {} 0 0\n", code_.pc(line), mask, code_.text(line).before));
  }

  void access(const Record& r, const std::string& addresses) {
    const Site& site = code_.site(r.site);
    const auto line = code_.line_of(r.site);
    put(fmt::format("{:04x} {:08x} {} {} {} 0\n", line ? code_.pc(*line) : site.pc, r.mask,
                    line ? code_.text(*line).before : text_of(site).before,
                    std::max<std::uint32_t>(1, site.bytes), addresses));
  }

  // Where in shared memory first, then where in global memory.
  void copy(const Record& write, std::span<const std::uint64_t> lanes) {
    const auto read = std::exchange(read_, std::nullopt);
    Record named = write;
    named.site = read->first.site;
    access(named, addresses_of(write, lanes, 0));
    access(read->first, addresses_of(read->first, read->second, 0));
    from_ = write.site;
  }

  void put(const std::string& line) { text_ += line, ++count_; }

  const LaunchCode& code_;
  std::map<std::string, std::uint64_t>& left_out_;
  std::string text_;
  std::uint64_t count_ = 0;
  std::uint32_t from_ = sim::CodePaths::kStart, exists_ = 0, before_ = 0;
  std::vector<std::uint32_t> through_;
  std::optional<std::pair<Record, std::vector<std::uint64_t>>> read_;
};

std::string heading(const trace::Launch& launch, const trace::Program& program) {
  const auto size = [](const Dim3& d) { return fmt::format("({},{},{})", d[0], d[1], d[2]); };
  std::string digits;
  for (const char c : program.arch)
    if (c >= '0' && c <= '9') digits += c;
  return fmt::format(
      "-kernel name = {}\n-kernel id = {}\n-grid dim = {}\n-block dim = {}\n-shmem = {}\n-nregs = "
      "{}\n-binary version = {}\n-cuda stream id = {}\n-shmem base_addr = {:#018x}\n-local mem "
      "base_addr = {:#018x}\n-nvbit version = none (warpmem)\n-accelsim tracer version = "
      "5\n-enable "
      "lineinfo = 0\n\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
      "[reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n\n",
      program.name, launch.id + 1, size(launch.grid), size(launch.block),
      launch.static_shared + launch.dynamic_shared, launch.registers, digits, launch.stream,
      kSharedBase, kLocalBase);
}

// One launch's file.
class LaunchFile {
 public:
  LaunchFile(const trace::TraceReader& reader, std::uint32_t launch, const ExportRequest& request,
             ExportReport& report, std::map<std::string, std::uint64_t>& left_out)
      : reader_(reader),
        launch_(launch),
        request_(request),
        report_(report),
        code_(reader, launch),
        warp_(code_, left_out) {}

  Result<void> write(OutputFile& file) {
    const trace::LaunchSummary& summary = reader_.launches()[launch_];
    const Dim3& g = summary.launch.grid;
    std::string text = heading(summary.launch, reader_.programs()[summary.launch.program]);
    const auto ctas = reader_.ctas(launch_);
    if (!ctas) return ctas.error();
    for (const std::uint64_t cta : *ctas) {
      text += fmt::format("#BEGIN_TB\n\nthread block = {},{},{}\n\n", cta % g[0], cta / g[0] % g[1],
                          cta / g[0] / g[1]);
      if (auto ok = add(cta, text); !ok) return ok;
      text += "#END_TB\n\n";
      if (text.size() < kPiece) continue;
      if (auto ok = file.write(text); !ok) return ok;
      text.clear();
      if (request_.progress && !request_.progress(report_.records))
        return Error{ErrorKind::kInterrupted, "interrupted", reader_.path(), {}};
    }
    return file.write(text);
  }

 private:
  Result<void> add(std::uint64_t cta, std::string& text) {
    const auto refs = reader_.cta_segments(launch_, cta);
    if (!refs) return refs.error();
    std::map<std::uint32_t, std::vector<trace::SegmentRef>> warps;
    for (const trace::SegmentRef& ref : *refs) {
      const auto block = block_of(ref.block);
      if (!block) return block.error();
      warps[(*block)->segments[ref.segment].warp].push_back(ref);
    }
    for (const auto& [warp, segments] : warps) {
      warp_.begin();
      for (const trace::SegmentRef& ref : segments) {
        const auto block = block_of(ref.block);
        if (!block) return block.error();
        const trace::Segment& s = (*block)->segments[ref.segment];
        for (std::uint32_t i = s.first; i < s.first + s.count; ++i)
          warp_.take((*block)->records[i], (*block)->lanes);
        report_.records += s.count;
      }
      text += fmt::format("warp = {}\ninsts = {}\n{}\n", warp, warp_.count(), warp_.text());
      report_.instructions += warp_.count();
    }
    return {};
  }

  // The block that was asked for last is kept: neighbours lie in it.
  Result<const trace::DecodedBlock*> block_of(std::uint32_t number) {
    if (block_ && number_ == number) return &*block_;
    auto read = reader_.decode(number);
    if (!read) return read.error();
    block_.emplace(std::move(*read));
    number_ = number;
    return &*block_;
  }

  const trace::TraceReader& reader_;
  std::uint32_t launch_;
  const ExportRequest& request_;
  ExportReport& report_;
  LaunchCode code_;
  WarpLines warp_;
  std::optional<trace::DecodedBlock> block_;
  std::uint32_t number_ = 0;
};

Result<void> require_machine_code(const trace::TraceReader& reader, std::uint32_t launch) {
  const trace::LaunchSummary& summary = reader.launches()[launch];
  const trace::Program& program = reader.programs()[summary.launch.program];
  if (!program.code.empty() && program.level != trace::Level::kPtx) return {};
  return Error{ErrorKind::kUsage,
               fmt::format("launch {} has no machine code in the trace", summary.launch.id),
               reader.path(), "emulate it again where ptxas and nvdisasm are (warpmem doctor)"};
}

}  // namespace

Result<ExportReport> export_accel_sim(const trace::TraceReader& reader,
                                      const ExportRequest& request) {
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i)
    if (!request.only || request.only(reader.launches()[i].launch.id)) wanted.push_back(i);
  for (const std::uint32_t i : wanted)
    if (auto ok = require_machine_code(reader, i); !ok) return ok.error();
  const OutputRules rules{request.replace, false};
  auto list = OutputFile::create(request.output, rules);
  if (!list) return list.error();
  ExportReport report;
  std::map<std::string, std::uint64_t> left_out;
  std::vector<OutputFile> files;  // get their names together, when all are whole
  const fs::path folder = fs::path(request.output).parent_path();
  std::string names;
  for (const std::uint32_t i : wanted) {
    const std::string name = fmt::format("kernel-{}.traceg", reader.launches()[i].launch.id + 1);
    auto file = OutputFile::create((folder / name).string(), rules);
    if (!file) return file.error();
    if (auto ok = LaunchFile(reader, i, request, report, left_out).write(*file); !ok)
      return ok.error();
    names += name + "\n";
    report.files.push_back(file->place().path);
    files.push_back(std::move(*file));
  }
  if (auto ok = list->write(names); !ok) return ok.error();
  for (OutputFile& file : files)
    if (auto ok = file.publish(); !ok) return ok.error();
  if (auto ok = list->publish(); !ok) return ok.error();
  report.launches = wanted.size();
  report.missing = {"which lanes ran what lies between two accesses: it has those of both",
                    "immediates"};
  for (const auto& [what, times] : left_out)
    report.missing.push_back(fmt::format("addresses of {} ({} executions)", what, times));
  return report;
}

}  // namespace warpmem::exports
