#include "emulate/one_kernel/emulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "binary/disassembly/cuda_tools.hpp"
#include "binary/fatbin/fat_binary.hpp"
#include "emulate/one_kernel/launch_inputs.hpp"
#include "emulate/ptx/parser.hpp"
#include "emulate/ptx/program.hpp"
#include "emulate/sass/machine_kernel.hpp"
#include "emulate/toolkit/toolkit.hpp"

namespace warpmem::emulate {
namespace {

// Closes the trace. Of a run that failed it stays a .partial, and why it failed is told, not what
// came of closing.
Result<void> close_trace(trace::TraceWriter& writer, Tracer& tracer, const Result<void>& ran,
                         EmulateReport& report) {
  trace::LaunchEnd end;
  end.truncated = !ran;
  end.times = tracer.times(report.statistics.times);
  auto closed = writer.end_launch(0, end);
  if (!ran && closed)
    closed = writer.note_missing("the kernel did not end: " +
                                 ran.error().message.substr(0, ran.error().message.find('\n')));
  if (closed) closed = ran ? writer.seal() : writer.seal_incomplete();
  report.traced = ran && closed;
  if (!report.traced) report.kept = writer.kept();
  return ran ? closed : ran;
}

// What the PTX is for, "sm_90a": PTX of a newer GPU than the card's runs as what it would be there,
// if it uses nothing that only the newer one has; PTX of one architecture alone (90a) on no other.
Result<std::string> ptx_for(const EmulateRequest& request, std::string text) {
  const std::string target = cudart::ptx_target(text);
  const unsigned named =
      target.size() > 3 ? static_cast<unsigned>(std::atoi(target.c_str() + 3)) : 0;
  const unsigned card = request.limits.sm.capability;
  const auto shown = [](unsigned cc) { return fmt::format("{}.{}", cc / 10, cc % 10); };
  if (named > card) {
    if (request.note)
      request.note(fmt::format(
          "{}: its PTX is for compute capability {} and newer; it runs as what it would be on "
          "the card's {}",
          request.ptx, shown(named), shown(card)));
    return cudart::for_older_gpu(std::move(text), card);
  }
  if (named != card && target.ends_with('a'))
    return Error{ErrorKind::kUsage,
                 fmt::format("PTX for {} runs on compute capability {} alone, {} has {}", target,
                             shown(named), request.limits.name, shown(card)),
                 request.ptx,
                 fmt::format("compile it with -arch=sm_{}, or choose another --gpu", card)};
  return text;
}

// One run, step by step; each needs what those before it have found.
class FileRun {
 public:
  FileRun(const EmulateRequest& request, EmulateReport& report)
      : request_(request), report_(report) {}

  Result<void> run() {
    if (auto ok = load(); !ok) return ok;
    auto files = prepare();
    if (!files) return files.error();
    if (auto ok = set_shape(); !ok) return ok;
    if (auto ok = open_trace(); !ok) return ok;
    if (auto ok = execute(); !ok) return ok;
    return write_back(*files, *memory_, buffers_);
  }

 private:
  // The kernel, its launch, and a GPU's memory with its variables.
  Result<void> load() {
    auto text = read_text(request_.ptx);
    if (!text) return text.error();
    auto launch = read_launch_file(request_.launch);
    if (!launch) return launch.error();
    launch_ = std::move(*launch);
    auto mine = ptx_for(request_, *std::move(text));
    if (!mine) return mine.error();
    auto module = parse_ptx(request_.ptx, *std::move(mine));
    if (!module) return module.error();
    auto memory = Memory::create(request_.limits.memory_bytes);
    if (!memory) return memory.error();
    memory_.emplace(std::move(memory).value());
    if (auto ok = build(std::move(module).value()); !ok) return ok;
    if (auto ok = check_required(*kernel_, launch_); !ok) return ok;
    if (kernel_->entry->required_cluster[0]) launch_.cluster = kernel_->entry->required_cluster;
    return {};
  }

  Result<void> build(Module module) {
    const std::uint32_t cc = request_.limits.sm.capability;
    if (wants_machine_code(request_.level, cc)) {
      auto ok = build_machine(module);
      if (ok || request_.level == CodeLevel::kSass || ok.error().kind != ErrorKind::kEnvironment)
        return ok;
      report_.why_ptx = ok.error().message + (ok.error().fix.empty() ? "" : "; " + ok.error().fix);
    }
    auto loaded = LoadedModule::load(std::move(module), *memory_);
    if (!loaded) return loaded.error();
    loaded_ = std::move(*loaded);
    auto kernel = build_kernel(*loaded_, launch_.entry);
    if (!kernel) return kernel.error();
    kernel_ = std::move(*kernel);
    return request_.level == CodeLevel::kPtx ? Result<void>{} : find_resources();
  }

  // What ptxas makes of the file, as nvdisasm reads it.
  Result<void> build_machine(const Module& module) {
    auto entry = find_entry(module, launch_.entry);
    if (!entry) return entry.error();
    const Toolkit tools = find_toolkit();
    auto nvdisasm = find_nvdisasm();
    if (!nvdisasm) return nvdisasm.error();
    if (tools.ptxas.empty())
      return Error{ErrorKind::kEnvironment, "no ptxas was found, which makes machine code",
                   request_.ptx, record::kGetPtxas};
    const std::uint32_t card = request_.limits.sm.capability, cc = code_capability(card);
    if (card != cc) stand_in_ = stands_in_for(card);
    auto code = assemble(tools.ptxas, module.source->text(), assembled_arch(module.target, cc),
                         with_lines({}, module.source->text()));
    if (!code) return code.error();
    auto contents = read_cubin(*code, request_.ptx);
    if (!contents) return contents.error();
    auto loaded = LoadedModule::load(module_of(*contents, request_.ptx), *memory_);
    if (!loaded) return loaded.error();
    loaded_ = std::move(*loaded);
    auto kernel =
        build_machine_kernel(*loaded_, *contents, *code, std::string((*entry)->name), *nvdisasm);
    if (!kernel) return kernel.error();
    kernel_ = std::move(*kernel);
    const trace::Program& program = kernel_->machine->program;
    resources_ = Resources{program.registers, program.static_shared, program.local_bytes};
    return {};
  }

  // Registers of PTX are those that ptxas gives it.
  Result<void> find_resources() {
    const Module& module = loaded_->module();
    const Toolkit tools = find_toolkit();
    if (tools.ptxas.empty()) {
      if (report_.why_ptx.empty())
        report_.why_ptx = fmt::format("no ptxas was found; {}", record::kGetPtxas);
      return {};
    }
    const CodeTarget target = code_target(tools, module.target, request_.limits.sm.capability);
    stand_in_ = target.stand_in;
    auto code = assemble(tools.ptxas, module.source->text(), target.arch, target.options);
    auto known = code ? resources_of(*code, std::string(kernel_->entry->name)) : code.error();
    if (!known && known.error().kind == ErrorKind::kResources) return known.error();
    if (known) resources_ = *known;
    if (report_.why_ptx.empty()) report_.why_ptx = known ? stand_in_ : known.error().message;
    return {};
  }

  // Buffers and parameters; and the files that buffers are written to.
  Result<std::vector<WriteBack>> prepare() {
    auto files = open_write_backs(request_, launch_);
    if (!files) return files;
    if (auto ok = check_limits(launch_, kernel_->static_shared, request_.limits); !ok)
      return ok.error();
    auto params = pack_arguments(launch_, *kernel_, *memory_, buffers_);
    if (!params) return params.error();
    shape_.params = std::move(params).value();
    return files;
  }

  Result<void> set_shape() {
    shape_.grid = launch_.grid, shape_.block = launch_.block, shape_.cluster = launch_.cluster;
    shape_.dynamic_shared = launch_.dynamic_shared, shape_.cooperative = launch_.cooperative;
    shape_.sms = request_.limits.sms, shape_.waits = request_.limits.waits;
    const CtaNeeds cta{std::uint64_t{shape_.block[0]} * shape_.block[1] * shape_.block[2],
                       resources_ ? resources_->registers : 0,
                       std::uint64_t{kernel_->static_shared} + shape_.dynamic_shared};
    shape_.sm_ctas = std::max(1u, resident_ctas(request_.limits.sm, cta));
    return check_cooperative(launch_, shape_.sm_ctas, request_.limits);
  }

  trace::Origin origin_of(const trace::Program& program) const {
    trace::Origin origin;
    origin.level = program.level;
    origin.tool = request_.tool, origin.command = request_.command;
    origin.gpu = request_.limits.name + " (emulated)", origin.arch = program.arch;
    origin.sms = request_.limits.sms;
    if (program.level == trace::Level::kPtx)
      origin.missing = {
          "what ptxas merges, drops or adds (registers spilled to local memory): the trace is of "
          "PTX"};
    if (!stand_in_.empty()) origin.missing.push_back(stand_in_);
    return origin;
  }

  Result<void> open_trace() {
    trace::Program program = describe(*kernel_);
    if (resources_)
      program.registers = resources_->registers, program.static_shared = resources_->static_shared,
      program.local_bytes = resources_->local_bytes;
    report_.kernel = program.demangled;
    if (request_.output.empty()) return {};
    auto made =
        trace::TraceWriter::create(request_.output, origin_of(program), {request_.overwrite, 3});
    if (!made) return made.error();
    writer_.emplace(std::move(made).value());
    auto number = writer_->add_program(program);
    if (!number) return number.error();
    trace::Launch l;
    l.program = *number;
    l.grid = launch_.grid, l.block = launch_.block, l.cluster = launch_.cluster;
    l.registers = program.registers;
    l.static_shared = program.static_shared, l.dynamic_shared = launch_.dynamic_shared,
    l.local_bytes = program.local_bytes;
    l.allocations = memory_->allocations();
    if (kernel_->machine) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(shape_.params.data());
      l.parameters.assign(bytes, bytes + shape_.params.size());
      l.parameters_at = kernel_->machine->params_at;
    }
    if (auto ok = writer_->begin_launch(l); !ok) return ok;
    tracer_.emplace([this](const trace::EncodedBlock& block) { return writer_->append(block); }, 0);
    return {};
  }

  Result<void> execute() {
    const auto begin = std::chrono::steady_clock::now();
    auto ran = run_launch(*kernel_, *memory_, shape_, request_.run, tracer_ ? &*tracer_ : nullptr,
                          report_.statistics);
    report_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return writer_ ? close_trace(*writer_, *tracer_, ran, report_) : ran;
  }

  const EmulateRequest& request_;
  EmulateReport& report_;
  LaunchFile launch_;
  std::optional<Memory> memory_;
  std::unique_ptr<LoadedModule> loaded_;
  std::unique_ptr<Kernel> kernel_;
  Buffers buffers_;
  LaunchShape shape_;
  std::string stand_in_;  // whose code it is, where there is none for the card
  std::optional<Resources> resources_;
  std::optional<trace::TraceWriter> writer_;
  std::optional<Tracer> tracer_;
};

}  // namespace

Result<void> emulate_file(const EmulateRequest& request, EmulateReport& report) {
  return FileRun(request, report).run();
}

}  // namespace warpmem::emulate
