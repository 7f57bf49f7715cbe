#include "command/emulate/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/included_files.hpp"
#include "base/output_file.hpp"
#include "base/run_files.hpp"
#include "base/tool_run.hpp"
#include "base/units.hpp"
#include "binary/fatbin/program_file.hpp"
#include "command/command.hpp"
#include "command/emulate/toolkit.hpp"
#include "command/inputs/card_device.hpp"
#include "command/version.hpp"
#include "emulate/audit/mapped_file.hpp"
#include "emulate/audit/runtime_within.hpp"
#include "emulate/cudart/compile.hpp"
#include "traces/format/sink.hpp"
#include "traces/record/launcher.hpp"

namespace warpmem::command {
namespace {

namespace fs = std::filesystem;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() > end.size() && std::string_view(text).substr(text.size() - end.size()) == end;
}

// The folder with libcudart.so.12 and .13.
Result<std::string> find_runtime() {
  std::error_code none;
  if (const char* set = std::getenv("WARPMEM_CUDART_DIR"); set && *set) {
    if (fs::exists(fs::path(set) / "libcudart.so.13", none)) return std::string(set);
    return Error{ErrorKind::kEnvironment, "WARPMEM_CUDART_DIR has no libcudart.so.13", set,
                 "correct it, or unset it"};
  }
  const fs::path own = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& folder : {own / "cudart", own / "../libexec/warpmem/cudart"})
    if (fs::exists(folder / "libcudart.so.13", none)) return fs::canonical(folder, none).string();
  return Error{
      ErrorKind::kEnvironment, "the emulated CUDA runtime is not there",
      (own / "cudart/libcudart.so.13").string(),
      "build the whole of warpmem (cmake --build build), or set WARPMEM_CUDART_DIR to its folder"};
}

// "9.0" -> "90"
std::string digits_of(const std::string& capability) {
  std::string out;
  for (const char c : capability)
    if (c != '.') out += c;
  return out;
}

// What nvcc compiles for a GPU of compute capability `cc` ("70"): that, or, where it has forgotten
// it, the oldest that it knows ("75"), whose PTX runs as what it would be on the GPU.
std::string compiled_for(const std::string& nvcc, const std::string& cc) {
  const auto known = run_tool({nvcc, "--list-gpu-arch"}, ToolOutput::kStdout);
  if (!known || !known->good) return cc;
  const int wanted = std::atoi(cc.c_str());
  int best = 0;
  std::istringstream lines(known->text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("compute_")) continue;
    const int one = std::atoi(line.c_str() + 8);
    if (one == wanted) return cc;
    if (one > wanted && (best == 0 || one < best)) best = one;
  }
  return best == 0 ? cc : std::to_string(best);
}

// What the processes tell of themselves (Session::tell_line).
struct Told {
  int refused = 0;
  bool hazards = false;  // --check found some
  std::uint64_t thread_instructions = 0, launches = 0;
  std::uint64_t repeats = 0, otherwise = 0;   // equal launches that are not traced
  std::vector<std::string> notes, libraries;  // each once
};
Told parse_told(const std::string& text) {
  Told told;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    told.hazards = told.hazards || key == "hazard";
    if (key == "note" || key == "library") {
      auto& into = key == "note" ? told.notes : told.libraries;
      const std::string rest = line.substr(std::min(line.size(), key.size() + 1));
      if (std::ranges::find(into, rest) == into.end()) into.push_back(rest);
    }
    if (key == "refused" && told.refused == 0) words >> told.refused;
    std::uint64_t instructions = 0, launches = 0;
    if (key == "ran" && words >> instructions >> launches)
      told.thread_instructions += instructions, told.launches += launches;
    std::uint64_t repeats = 0, otherwise = 0;
    if (key == "repeats" && words >> repeats >> otherwise)
      told.repeats += repeats, told.otherwise += otherwise;
  }
  return told;
}

Error no_folder() {
  return {ErrorKind::kResources, "no temporary folder can be made", "",
          "set TMPDIR to a folder that can be written"};
}

// A runtime that was linked in and stripped is found as it will be when the program is loaded.
void find_stripped_runtime(const std::string& program, cudart::ProgramFile& file) {
  if (!file.elf || !file.cudart.empty() || !file.has_device_code) return;
  const audit::MappedFile bytes(program.c_str());
  const auto functions = audit::runtime_within(cudart::ElfFile(bytes.bytes()));
  const auto has = [&](std::string_view name) {
    return std::any_of(functions.begin(), functions.end(),
                       [&](const cudart::ElfFunction& f) { return f.name == name; });
  };
  if (!has("__cudaRegisterFatBinary") || !has("__cudaRegisterFunction") ||
      !has("__cudaPopCallConfiguration"))
    return;
  file.cudart = has("cudaGetDeviceProperties_v2") ? "libcudart.so.12" : "libcudart.so.13",
  file.linked_in = true;
}

// What the program may read: itself or its sources, and the files that it is given.
void note_files(const ProgramRun& run) {
  for (const auto* words : {&run.words, &run.arguments})
    for (const std::string& word : *words) {
      note_input(word);
      if (is_code(word))
        for (const std::string& header : included_files(word, include_folders(run.words)))
          note_input(header);
    }
  if (!names_source(run.words)) note_input(cudart::find_command(run.words.front()));
}

// Compilers ask for such parts and do without them; cuFFT does not.
Error may_have_failed(const std::string& library) {
  return {ErrorKind::kEnvironment,
          "the program failed, and this library may be why: it needs parts of NVIDIA's driver that "
          "are not public and not emulated",
          library, "if a call of it failed, let other code do this step, or record it on a GPU"};
}

int report_on(const record::RecordReport& report, const ProgramRun& run) {
  if (report.signal == SIGINT) say("interrupted");
  else if (report.signal != 0)
    warn(fmt::format("the program was ended by signal {}", report.signal));
  const Told told = parse_told(report.text);
  for (const std::string& text : told.notes) summarise("note: " + text, run.summary);
  if (told.launches != 0)
    summarise(fmt::format("ran {} thread instructions of {} launch{} in {}",
                          grouped(told.thread_instructions), grouped(told.launches),
                          told.launches == 1 ? "" : "es", duration(report.seconds)),
              run.summary);
  for (const record::RecordedProcess& p : report.processes) {
    const std::string what = fmt::format(
        "{} record{} of {} launch{} in {} ({})", grouped(p.records), p.records == 1 ? "" : "s",
        grouped(p.launches), p.launches == 1 ? "" : "es", p.output, byte_size(p.bytes));
    if (p.sealed) summarise("traced " + what, run.summary);
    else if (p.records != 0)
      warn(fmt::format("the trace is incomplete; kept {}; read it with --partial", what));
    else warn("the trace is incomplete, and no record of it is kept");
  }
  if (told.repeats != 0)
    summarise(fmt::format("counted {} launch{} more, each equal to the one traced before it "
                          "(--repeats 0 traces all)",
                          grouped(told.repeats), told.repeats == 1 ? "" : "es"),
              run.summary);
  if (told.otherwise != 0)
    warn(
        fmt::format("{} launch{} that the trace does not have had the arguments of the launch "
                    "before, but ran other "
                    "instructions; --repeats 0 traces all",
                    grouped(told.otherwise), told.otherwise == 1 ? "" : "es"));
  if (report.status != 0 && report.signal != SIGINT)
    for (const std::string& library : told.libraries)
      std::fputs(fmt::format("warpmem: warning: {}\n", may_have_failed(library).text()).c_str(),
                 stderr);
  if (report.signal == SIGINT) return exit_status(ErrorKind::kInterrupted);
  if (report.status == 0 && told.refused != 0) return told.refused;
  if (report.status != 0) return report.status;
  if (told.hazards) return exit_status(ErrorKind::kCheckFailed);
  if (!report.used_cuda)
    return fail({ErrorKind::kUsage, "nothing was emulated: the program never called CUDA",
                 run.words.front(), "check that it is linked with nvcc -cudart shared"});
  if (report.processes.empty() && !run.session.output.empty()) {
    if (told.launches != 0)
      return fail({ErrorKind::kUsage,
                   "nothing was traced: no launch is one that the options ask for",
                   run.words.front(), "check --kernel and --launches"});
    warn("no kernel was launched, so there is no trace");  // a query of the device, for example
  }
  return 0;
}

// Where the trace goes, told before anything runs. The program may change its folder: an absolute
// path.
Result<void> settle_output(ProgramRun& run) {
  cudart::SessionOptions& session = run.session;
  if (session.output.empty()) return {};
  note_files(run);
  auto place = find_output_place(session.output, {session.force, false});
  if (!place) return place.error();
  if (is_input(trace::partial_name(place->path)))
    return output_is_input(trace::partial_name(place->path));
  if (!place->note.empty()) note(place->note);
  std::error_code none;
  session.output = fs::absolute(place->path, none);
  return {};
}

}  // namespace

bool names_source(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& w) { return ends_with(w, ".cu"); });
}

int emulate_program(ProgramRun& run) {
  auto card = load_card(run.card);
  if (!card) return fail(card.error());
  auto runtime = find_runtime();
  if (!runtime) return fail(runtime.error());
  if (auto place = settle_output(run); !place) return fail(place.error());
  const std::string cc = digits_of(card->compute_capability());
  const bool machine_code = emulate::wants_machine_code(
      run.session.level, static_cast<std::uint32_t>(std::atoi(cc.c_str())));
  const cudart::TemporaryFolder folder;
  std::string program = run.words.front();
  if (names_source(run.words)) {
    auto nvcc = cudart::find_nvcc();
    if (!nvcc) return fail(nvcc.error());
    if (folder.path().empty()) return fail(no_folder());
    program = folder.path() + "/app";
    const std::string arch = compiled_for(*nvcc, cc);
    if (auto ok = cudart::compile(
            cudart::nvcc_words(*nvcc, run.words, arch, program, *runtime, machine_code));
        !ok)
      return fail(ok.error());
  } else {
    const std::string found = cudart::find_command(program);
    if (found.empty())
      return fail({ErrorKind::kUsage, fmt::format("the program '{}' cannot be started", program),
                   "",
                   "check the path; a program in this folder is written ./program, CUDA source "
                   "ends in .cu, PTX in .ptx"});
    program = found;
  }
  auto file = cudart::read_program_file(program);
  if (!file) return fail(file.error());
  find_stripped_runtime(program, *file);
  if (machine_code && !file->machine_code.empty()) file->has_ptx = true;  // it needs none
  if (auto ok = cudart::check_program_file(*file, run.words.front(), cc); !ok)
    return fail(ok.error());
  if (auto note = cudart::about_libraries(*file, run.words.front()))
    std::fputs(fmt::format("warpmem: warning: {}\n", note->text()).c_str(), stderr);

  cudart::SessionOptions& session = run.session;
  session.tool = fmt::format("warpmem {} emulate", kVersion);
  session.command.clear();
  for (const auto* list : {&run.words, &run.arguments})
    for (const std::string& word : *list)
      session.command += (session.command.empty() ? "" : " ") + word;
  session.device = device_of(*card);
  std::vector<std::string> variables;
  for (const auto& [name, value] : cudart::to_environment(session))
    variables.push_back(name + "=" + value);
  const char* path = std::getenv("LD_LIBRARY_PATH");
  variables.push_back("LD_LIBRARY_PATH=" + *runtime +
                      (path && *path ? ":" + std::string(path) : ""));
  // The loader leads each process of the program's to ours, and ours is there before anything asks
  // for it.
  variables.push_back("WARPMEM_EMULATE_LIBRARIES=" + *runtime);
  variables.push_back("LD_AUDIT=" + *runtime + "/libwarpmem_audit.so");
  variables.push_back("LD_PRELOAD=" + *runtime + "/libwarpmem_cuda.so");
  if (folder.path().empty()) return fail(no_folder());
  auto tools = handed_on_toolkit(folder.path(), *runtime);
  if (!tools) return fail(tools.error());
  variables.insert(variables.end(), tools->begin(), tools->end());
  std::vector<std::string> command{program};
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  auto report = record::run_watched(command, variables, "WARPMEM_EMULATE_STATUS");
  return report ? report_on(*report, run) : fail(report.error());
}

}  // namespace warpmem::command
