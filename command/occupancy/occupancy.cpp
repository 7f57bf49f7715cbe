// `warpmem occupancy --gpu NAME --block N --registers R --shared B`, or with code: how many CTAs an
// SM holds at once, what limits them, and what other blocks, registers and shared memory would
// change. Of a trace's launches also in how many waves their grids run. No GPU.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/read_number.hpp"
#include "base/run_files.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/profile_card.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/occupancy/code.hpp"
#include "command/options/number.hpp"
#include "command/screen/output.hpp"
#include "model/card/sm_limits.hpp"
#include "traces/format/format.hpp"
#include "views/occupancy.hpp"

namespace warpmem::command {
namespace {

constexpr std::uint64_t kUsualThreads = 256;  // of a CTA, where nobody says

struct OccupancyOptions {
  std::string file, kernel, shared, block;
  std::optional<std::uint64_t> registers;
  std::vector<std::string> max_registers;
  CardInput card;
  OutputOptions output;
  bool all_gpus = false;
};

// What is asked, read.
struct Asked {
  std::uint64_t threads = kUsualThreads, shared = 0;
  std::vector<std::uint64_t> max_registers;  // 0: as the code is
  std::optional<std::regex> kernel;
};

// "256" or "32x8": threads of a CTA.
Result<std::uint64_t> read_block(const std::string& text) {
  std::uint64_t threads = 1;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('x', from), text.size());
    const auto n = read_whole(text.substr(from, end - from), {1, 4096, "threads"}, "--block");
    if (!n) return n.error();
    threads *= *n;
    from = end + 1;
  }
  return threads;
}

Result<Asked> read_asked(const OccupancyOptions& options) {
  Asked out;
  if (!options.block.empty()) {
    const auto threads = read_block(options.block);
    if (!threads) return threads.error();
    out.threads = *threads;
  }
  if (!options.shared.empty()) {
    const auto bytes = parse_bytes(options.shared);
    if (!bytes || *bytes > (std::uint64_t{1} << 30))
      return Error{ErrorKind::kUsage, fmt::format("'{}' is not a size", options.shared), "--shared",
                   "write bytes, or a number with its unit: 48KiB"};
    out.shared = *bytes;
  }
  for (const std::string& text : options.max_registers) {
    const auto n = read_whole(text, {16, 255, "registers"}, "--maxrregcount");
    if (!n) return n.error();
    out.max_registers.push_back(*n);
  }
  if (out.max_registers.empty()) out.max_registers.push_back(0);
  if (!options.kernel.empty()) {
    if (options.file.empty())
      return Error{ErrorKind::kUsage,
                   "--kernel chooses among a file's kernels, and no file is given", "--kernel",
                   "name a program, a cubin, PTX or CUDA source"};
    try {
      out.kernel.emplace(options.kernel);
    } catch (const std::regex_error& e) {
      return Error{ErrorKind::kUsage,
                   fmt::format("'{}' is not a regular expression: {}", options.kernel, e.what()),
                   "--kernel", "correct it, or write a part of the kernel's name"};
    }
  }
  return out;
}

// The answers for each number of `count`, joined where they are the same.
template <class Needs>
std::vector<OccupancyStep> curve(const SmLimits& sm, std::uint64_t least, std::uint64_t most,
                                 std::uint64_t step, Needs&& needs) {
  std::vector<OccupancyStep> out;
  for (std::uint64_t v = least; v <= most; v += step) {
    const Residency r = residency(sm, needs(v));
    const OccupancyStep next{v, v, r.ctas, r.ctas * r.warps};
    if (!out.empty() && out.back().ctas == next.ctas && out.back().warps == next.warps)
      out.back().last = v;
    else out.push_back(next);
  }
  return out;
}

// As NVIDIA's occupancy calculator draws them: over the block's size, registers, and shared memory.
void put_curves(OccupancyResult& r) {
  const CtaNeeds own = r.needs;
  r.by_threads = curve(r.sm, 32, most_cta_threads(r.sm.capability), 32, [&](std::uint64_t v) {
    return CtaNeeds{v, own.registers, own.shared};
  });
  r.by_registers = curve(r.sm, 1, most_thread_registers(r.sm.capability), 1, [&](std::uint64_t v) {
    return CtaNeeds{own.threads, v, own.shared};
  });
  const std::uint64_t most = r.sm.cta_shared, unit = r.sm.shared_unit;
  r.by_shared = curve(r.sm, 0, most, unit, [&](std::uint64_t v) {
    return CtaNeeds{own.threads, own.registers, v};
  });
}

OccupancyResult on_card(const model::Card& card, const CtaNeeds& needs) {
  OccupancyResult r;
  r.gpu = card.name(), r.full_name = card.full_name(), r.capability = card.compute_capability();
  r.sm = model::sm_limits(card);
  r.needs = needs;
  r.residency = residency(r.sm, needs);
  r.refusal = refusal_text(r.sm, needs, card.name());
  return r;
}

// A kernel's code on a card, once for each limit of registers.
Result<void> add_code(const OccupancyCode& code, const model::Card& card, const Asked& asked,
                      std::vector<OccupancyResult>& out) {
  for (const std::uint64_t most : asked.max_registers) {
    const auto made = code.for_gpu(card.capability(), most);
    if (!made) return made.error();
    bool any = false;
    for (const CodeKernel& k : made->kernels) {
      if (asked.kernel && !std::regex_search(k.demangled, *asked.kernel)) continue;
      any = true;
      OccupancyResult r = on_card(card, {asked.threads, std::max<std::uint64_t>(1, k.registers),
                                         k.static_shared + asked.shared});
      r.kernel = k.demangled, r.code = made->said, r.max_registers = most;
      r.static_shared = k.static_shared, r.local_bytes = k.local_bytes;
      r.spill_stores = k.spill_stores, r.spill_loads = k.spill_loads;
      out.push_back(std::move(r));
    }
    if (any) continue;
    std::string names;
    for (const CodeKernel& k : made->kernels) names += (names.empty() ? "" : ", ") + k.demangled;
    return Error{ErrorKind::kUsage,
                 names.empty() ? "there is no kernel in it" : "no kernel's name matches",
                 "--kernel", names.empty() ? "name another file" : "its kernels are: " + names};
  }
  return {};
}

// Without code a limit of registers only cuts: what would be spilled, nobody knows.
void add_numbers(const OccupancyOptions& options, const model::Card& card, const Asked& asked,
                 std::vector<OccupancyResult>& out) {
  for (const std::uint64_t most : asked.max_registers) {
    std::uint64_t registers = options.registers.value_or(0);
    if (most > 0) registers = registers > 0 ? std::min(registers, most) : most;
    OccupancyResult r = on_card(card, {asked.threads, registers, asked.shared});
    r.max_registers = most;
    out.push_back(std::move(r));
  }
}

bool is_trace(const std::string& path) {
  std::ifstream in = open_to_read(path);
  char magic[sizeof trace::kFileMagic] = {};
  in.read(magic, sizeof magic);
  return in.gcount() == sizeof magic && std::memcmp(magic, trace::kFileMagic, sizeof magic) == 0;
}

// The launches of a trace, on the card of its GPU or on those that are named: how many CTAs an SM
// holds, and in how many waves the grid runs.
Result<std::vector<OccupancyResult>> launches_of(const OccupancyOptions& options,
                                                 const Asked& asked) {
  const auto reader = trace::TraceReader::open(options.file);
  if (!reader) return reader.error();
  if (auto any = require_any_launch(*reader, {}); !any) return any.error();
  std::vector<std::string> names{options.card.gpu};
  if (options.all_gpus) names = model::card_names();
  std::vector<OccupancyResult> out;
  for (const std::string& name : names) {
    const auto card = card_for(CardInput{name, options.card.settings}, *reader);
    if (!card) return card.error();
    for (const trace::LaunchSummary& l : reader->launches()) {
      const trace::Launch& launch = l.launch;
      const std::string kernel = kernel_name(*reader, launch);
      if (asked.kernel && !std::regex_search(kernel, *asked.kernel)) continue;
      const Dim3 &b = launch.block, &g = launch.grid;
      OccupancyResult r = on_card(
          *card, {std::uint64_t{b[0]} * b[1] * b[2], std::max<std::uint64_t>(1, launch.registers),
                  std::uint64_t{launch.static_shared} + launch.dynamic_shared});
      r.kernel = kernel, r.code = fmt::format("launch {} of {}", launch.id, options.file);
      r.static_shared = launch.static_shared, r.local_bytes = launch.local_bytes;
      r.launch = launch.id, r.grid_ctas = std::uint64_t{g[0]} * g[1] * g[2],
      r.sms = card->numbers().sm_count;
      out.push_back(std::move(r));
    }
  }
  if (out.empty())
    return Error{ErrorKind::kUsage, "no kernel's name matches", "--kernel",
                 "see its kernels with warpmem info"};
  return out;
}

Result<std::vector<OccupancyResult>> answers(const OccupancyOptions& options, const Asked& asked) {
  if (is_trace(options.file)) return launches_of(options, asked);
  std::optional<OccupancyCode> code;
  if (!options.file.empty()) {
    auto opened = OccupancyCode::open(options.file);
    if (!opened) return opened.error();
    code.emplace(std::move(*opened));
  }
  std::vector<std::string> names{options.card.gpu.empty() ? kUsualCard : options.card.gpu};
  if (options.all_gpus) names = model::card_names();
  std::vector<OccupancyResult> out;
  for (const std::string& name : names) {
    CardInput input = options.card;
    input.gpu = name;
    const auto card = load_card(input);
    if (!card) return card.error();
    if (!code) {
      add_numbers(options, *card, asked, out);
      continue;
    }
    auto added = add_code(*code, *card, asked, out);
    if (added) continue;
    if (!options.all_gpus) return added.error();
    OccupancyResult& r = out.emplace_back(on_card(*card, {asked.threads, 0, asked.shared}));
    r.failure = added.error().message;
  }
  return out;
}

int occupancy(const OccupancyOptions& options) {
  if (!options.file.empty() && options.registers)
    return fail({ErrorKind::kUsage, "the code says how many registers it takes", "--registers",
                 "leave it out, or try --maxrregcount"});
  if (options.file.empty() && !options.registers && options.max_registers.empty())
    return fail(
        {ErrorKind::kUsage, "neither code nor --registers is given", "",
         "write warpmem occupancy --registers 32, or name a program, a cubin, PTX or CUDA source"});
  if (is_trace(options.file) &&
      (!options.block.empty() || !options.shared.empty() || !options.max_registers.empty()))
    return fail({ErrorKind::kUsage,
                 "a trace's launches have their blocks, registers and shared memory", options.file,
                 "leave out --block, --shared and --maxrregcount, or give them without the trace"});
  const auto asked = read_asked(options);
  if (!asked) return fail(asked.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  auto results = answers(options, *asked);
  if (!results) return fail(results.error());
  const bool one = results->size() == 1;
  if (one) put_curves(results->front());
  const bool refused = one && !results->front().refusal.empty();
  if (refused && options.output.format == Format::kTable)
    return fail({ErrorKind::kUsage, results->front().refusal, "",
                 "ask for less, or take a GPU that has more (warpmem occupancy --all-gpus)"});
  const int status = emit(
      *output, options.output.format,
      [&] {
        return one ? views::occupancy_text(results->front(), output->terminal())
                   : views::occupancy_table(*results, output->terminal());
      },
      [&] { return views::occupancy_json(*results); },
      [&] { return views::occupancy_csv(*results); });
  return status == 0 && refused ? exit_status(ErrorKind::kUsage) : status;
}

}  // namespace

Run setup_occupancy(CLI::App& app) {
  auto options = std::make_shared<OccupancyOptions>();
  app.add_option(
         "file", options->file,
         "a trace, whose launches' waves are told; or a program, a cubin, PTX (.ptx) or CUDA "
         "source (.cu), whose "
         "kernels' registers and shared memory are taken; none: --registers and --shared say them")
      ->type_name("FILE");
  app.add_option("--block", options->block, "threads of a CTA: 256, 32x8; 256 if nobody says")
      ->type_name("DIMS");
  add_whole_option(
      app, "--registers", {1, 255, "registers"},
      [options](std::uint64_t n) { options->registers = n; }, "registers of a thread");
  app.add_option(
         "--shared", options->shared,
         "shared memory of a CTA, as 8KiB; of code: the dynamic part, beside what the code says")
      ->type_name("BYTES");
  app.add_option("--kernel", options->kernel,
                 "only kernels whose demangled name matches this regular expression")
      ->type_name("REGEX");
  app.add_option("--maxrregcount", options->max_registers,
                 "what if nvcc were given this limit of registers; several with commas. Of code, "
                 "ptxas says what is spilled")
      ->delimiter(',')
      ->type_name("N");
  add_trace_card_options(app, options->card);
  app.add_flag("--all-gpus", options->all_gpus, "on every card, side by side");
  add_output_options(app, options->output);
  return [options] { return occupancy(*options); };
}

}  // namespace warpmem::command
