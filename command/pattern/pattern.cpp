// `warpmem pattern 'a[threadIdx.x * 2]'`: what an access costs, with no program and no CUDA.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/read_number.hpp"
#include "command/command.hpp"
#include "command/inputs/card_input.hpp"
#include "command/options/number.hpp"
#include "command/screen/output.hpp"
#include "sim/pattern/parser.hpp"
#include "sim/pattern/pattern.hpp"
#include "views/pattern.hpp"

namespace warpmem::command {
namespace {

struct PatternOptions {
  std::string text, block = "32", grid = "1", svg;
  std::vector<std::string> let;
  CardInput card;
  OutputOptions output;
  bool all_gpus = false;
  std::uint64_t cta = 0, warp = 0;
};

// "32x8" -> {32, 8, 1}.
Result<Dim3> read_dims(const std::string& text, const std::string& place) {
  Dim3 out{1, 1, 1};
  std::size_t from = 0;
  for (std::size_t d = 0; d < 4; ++d) {
    const std::size_t end = std::min(text.find('x', from), text.size());
    if (d == 3)
      return Error{ErrorKind::kUsage, fmt::format("'{}' has more than three extents", text), place,
                   "write 32, 32x8 or 8x8x4"};
    const auto n =
        read_whole(text.substr(from, end - from), {1, 1 << 30, "threads or CTAs"}, place);
    if (!n) return n.error();
    out[d] = static_cast<std::uint32_t>(*n);
    if (end == text.size()) break;
    from = end + 1;
  }
  return out;
}

Result<std::map<std::string, std::int64_t>> read_let(const std::vector<std::string>& all) {
  std::map<std::string, std::int64_t> out;
  for (const std::string& one : all) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{ErrorKind::kUsage, fmt::format("'{}' gives nothing a number", one), "--let",
                   "write --let n=1024"};
    const bool negative = one.substr(equals + 1).starts_with('-');
    const auto n = read_whole(one.substr(equals + 1 + (negative ? 1 : 0)),
                              {0, std::uint64_t{1} << 62, ""}, "--let " + one.substr(0, equals));
    if (!n) return n.error();
    out[one.substr(0, equals)] =
        negative ? -static_cast<std::int64_t>(*n) : static_cast<std::int64_t>(*n);
  }
  return out;
}

Result<std::vector<views::PatternOnCard>> on_cards(const PatternOptions& options,
                                                   const sim::pattern::Program& program,
                                                   const sim::pattern::Shape& shape) {
  std::vector<std::string> names{options.card.gpu};
  if (options.all_gpus) names = model::card_names();
  std::vector<views::PatternOnCard> out;
  std::vector<std::pair<std::string, std::uint64_t>> years;
  for (const std::string& name : names) {
    CardInput input = options.card;
    input.gpu = name;
    const auto card = load_card(input);
    if (!card) return card.error();
    views::PatternOnCard& one = out.emplace_back();
    one.gpu = card->name(), one.full_name = card->full_name();
    auto accesses = sim::pattern::on_card(program, shape, *card,
                                          {options.cta, static_cast<std::uint32_t>(options.warp)});
    if (accesses) one.accesses = std::move(*accesses);
    else if (!options.all_gpus || accesses.error().kind == ErrorKind::kUsage)
      return accesses.error();
    else one.failure = accesses.error().message;
    years.emplace_back(card->year(), card->capability());
  }
  // From the oldest GPU to the newest.
  std::vector<std::size_t> order(out.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return years[i]; });
  std::vector<views::PatternOnCard> by_year;
  for (const std::size_t i : order) by_year.push_back(std::move(out[i]));
  return by_year;
}

int pattern(const PatternOptions& options) {
  sim::pattern::Shape shape;
  const auto block = read_dims(options.block, "--block");
  if (!block) return fail(block.error());
  const auto grid = read_dims(options.grid, "--grid");
  if (!grid) return fail(grid.error());
  const auto let = read_let(options.let);
  if (!let) return fail(let.error());
  shape.block = *block, shape.grid = *grid, shape.let = *let;
  const auto program = sim::pattern::parse(options.text, shape.let);
  if (!program) return fail(program.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  std::optional<OutputFile> svg;
  if (!options.svg.empty()) {
    auto opened = create_output(options.svg, options.output.force);
    if (!opened) return fail(opened.error());
    svg.emplace(std::move(opened).value());
  }
  const auto results = on_cards(options, *program, shape);
  if (!results) return fail(results.error());
  const bool drawn = std::ranges::any_of(results->front().accesses,
                                         [](const SiteTraffic& t) { return !t.examples.empty(); });
  if (!drawn)
    return fail({ErrorKind::kUsage,
                 fmt::format("warp {} of CTA {} accesses nothing", options.warp, options.cta),
                 "pattern", "choose another with --cta and --warp"});
  if (svg) {
    if (auto ok = svg->write(views::pattern_svg(results->front())); !ok) return fail(ok.error());
    if (auto ok = svg->publish(); !ok) return fail(ok.error());
  }
  switch (options.output.format) {
    case Format::kTable:
      output->write(options.all_gpus ? views::pattern_table(*results, output->terminal())
                                     : views::pattern_text(results->front(), output->terminal()));
      break;
    case Format::kJson: output->write(views::pattern_json(options.text, *results)); break;
    case Format::kCsv: output->write(views::pattern_csv(*results)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace

Run setup_pattern(CLI::App& app) {
  auto options = std::make_shared<PatternOptions>();
  app.add_option("pattern", options->text,
                 "accesses, separated by ';': 'out[x*n + y] = in[y*n + x]'")
      ->required()
      ->type_name("EXPR");
  app.add_option("--block", options->block, "threads of a CTA: 256, 32x8, 8x8x4")
      ->type_name("DIMS")
      ->capture_default_str();
  app.add_option("--grid", options->grid, "CTAs: 4, 4x4")->type_name("DIMS")->capture_default_str();
  app.add_option("--let", options->let, "give a name a number: --let n=1024")
      ->type_name("NAME=NUMBER");
  add_card_options(app, options->card);
  app.add_flag("--all-gpus", options->all_gpus, "on every card, side by side");
  add_whole_option(
      app, "--cta", {}, [options](std::uint64_t n) { options->cta = n; },
      "draw a warp of this CTA (0)");
  add_whole_option(
      app, "--warp", {0, 31, "warps"}, [options](std::uint64_t n) { options->warp = n; },
      "draw this warp (0)");
  app.add_option("--svg", options->svg, "write the drawing of the lanes as a picture")
      ->type_name("OUT");
  add_output_options(app, options->output);
  return [options] { return pattern(*options); };
}

}  // namespace warpmem::command
