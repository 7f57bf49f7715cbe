#include "command/examples.hpp"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "command/screen/terminal.hpp"
#include "views/style.hpp"

namespace warpmem::command {
namespace {

struct Examples {
  std::string_view verb, first, second, third;
};
constexpr Examples kExamples[] = {
    {"record", "record -o t.wmt -- ./app 1024", "record -o t.wmt --kernel 'transpose.*' -- ./app",
     "record --help"},
    {"emulate", "emulate app.cu -O3 -lineinfo -o t.wmt -- 1024",
     "emulate kernel.ptx --launch launch.toml -o t.wmt", "emulate ./app -o t.wmt -- 1024"},
    {"import", "import kernel-1.traceg -o t.wmt", "import traces/kernelslist.g -o t.wmt",
     "import kernel-1.traceg.xz -o t.wmt --force"},
    {"export", "export t.wmt -o traces/kernelslist.g", "export t.wmt --launch 0 -o kernelslist.g",
     "export t.wmt -o kernelslist.g --force"},
    {"info", "info t.wmt", "info t.wmt --launch 0:4", "info t.wmt --format json"},
    {"dump", "dump t.wmt --cta 0 --warp 0", "dump t.wmt --program",
     "dump t.wmt --limit 100 --format csv"},
    {"replay", "replay t.wmt --gpu h200", "replay t.wmt --set l2.size=4MiB --all",
     "replay t.wmt --format json -o result.json"},
    {"explain", "explain t.wmt", "explain t.wmt --source app.cu",
     "explain t.wmt --lanes app.cu:28"},
    {"explore", "explore t.wmt --vary l1.size=64KiB:256KiB --plot",
     "explore t.wmt --vary gpu=a100_40,h200 --vary l2.size=8MiB:32MiB",
     "explore --vary block=64:1024 --make './trace.sh {block} {trace}'"},
    {"pattern", "pattern 'a[threadIdx.x * 2]'",
     "pattern 'shared float t[32][33]; t[lane][0]' --svg t.svg",
     "pattern 'a[lane * n]' --let n=32 --all-gpus"},
    {"occupancy", "occupancy --gpu a100_80 --block 256 --registers 64 --shared 8KiB",
     "occupancy ./app --kernel matmul --block 256 --maxrregcount 32,64,128",
     "occupancy --registers 40 --all-gpus"},
    {"report", "report t.wmt -o report.html",
     "report t.wmt --source app.cu --profile ncu.csv -o r.html",
     "report t.wmt --gpu h200 --gpu a100_80 -o both.html"},
    {"timeline", "timeline t.wmt --gpu h100_sxm",
     "timeline t.wmt --gpu h100_sxm --set link.lanes=8", "timeline t.wmt --gpu t4 --format csv"},
    {"partitions", "partitions t.wmt --gpu gtx280",
     "partitions t.wmt --gpu gtx280 --set dram.map=hashed",
     "partitions t.wmt --gpu h200 --format csv"},
    {"probe", "probe latency --gpu v100 --at 16KiB,1MiB,64MiB",
     "probe read --gpu a100_80 --at 64,512,2048", "probe stride --gpu h200 --at 1,2,4,8 --bytes 8"},
    {"validate", "validate t.wmt --ncu report.csv", "validate --suite",
     "validate --suite --time --all"},
    {"diff", "diff a.json b.json", "diff before.wmt after.wmt",
     "diff a.json b.json --fail-on 'l2_sectors>+5%'"},
    {"gpus", "gpus", "gpus h200", "gpus h200 --topology"},
    {"metrics", "metrics", "metrics --accuracy", "metrics --format csv"},
    {"doctor", "doctor", "doctor --format json", "doctor -o doctor.txt"},
    {"learn", "learn", "learn 2", "learn 2 5"},
    {"words", "words", "words sector", "words --format csv"},
    {"completion", "completion bash > ~/.local/share/bash-completion/completions/warpmem",
     "completion zsh > ~/.zfunc/_warpmem",
     "completion fish > ~/.config/fish/completions/warpmem.fish"},
    {"man", "man > warpmem.1", "man | man -l -", "man -o warpmem.1 --force"}};

std::size_t columns() {
  constexpr int kLeast = 60, kMost = 120;  // wider lines are hard to read
  return static_cast<std::size_t>(std::clamp(terminal_width(STDOUT_FILENO), kLeast, kMost));
}

// "  name      what it is", in the terminal's width; a name that is too long has its own line.
std::string two_columns(const std::string& name, const std::string& what, std::size_t second) {
  std::string out = "  " + name;
  if (what.empty()) return views::fitted(out + "\n", columns());
  if (out.size() + 2 > second) {
    out = views::fitted(out + "\n", columns()) + std::string(second, ' ');
  } else {
    out.resize(second, ' ');
  }
  const std::size_t last = out.rfind('\n') + 1;
  return out.substr(0, last) + views::wrapped(out.substr(last) + what, columns(), second);
}

class Help final : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    return views::fitted(CLI::Formatter::make_description(app), columns()) +
           examples_of(app->get_name()) + "\n";
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return views::fitted(CLI::Formatter::make_usage(app, std::move(name)), columns());
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    constexpr std::size_t kSecond = 24;
    return two_columns(make_option_name(option, is_positional) + make_option_opts(option),
                       make_option_desc(option), kSecond);
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    constexpr std::size_t kSecond = 14;
    return two_columns(sub->get_name(), sub->get_description(), kSecond);
  }
};

}  // namespace

std::string examples_of(const std::string& verb) {
  for (const Examples& e : kExamples) {
    if (e.verb != verb) continue;
    std::string out = "\nExamples:\n";
    for (const std::string_view line : {e.first, e.second, e.third})
      out += "  warpmem " + std::string(line) + "\n";
    return out;
  }
  return {};
}

void add_help(CLI::App& app) { app.formatter(std::make_shared<Help>()); }

}  // namespace warpmem::command
