// `warpmem probe latency --gpu v100 --at 16KiB,1MiB`: what a microbenchmark would measure there.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/read_number.hpp"
#include "base/scratch_folder.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/inputs/card_input.hpp"
#include "command/screen/output.hpp"
#include "command/screen/table.hpp"
#include "sim/probe/probe.hpp"

namespace warpmem::command {
namespace {

using sim::probe::Curve;

struct CurveKind {
  const char* name;
  Curve curve;
  const char* x;  // what it goes over
  bool sizes;     // … in bytes
};
constexpr std::array kCurveKinds = {
    CurveKind{"latency", Curve::kLatency, "bytes chased through", true},
    CurveKind{"l1", Curve::kL1, "bytes read by each SM", true},
    CurveKind{"l2", Curve::kL2, "bytes read by all SMs", true},
    CurveKind{"init", Curve::kInit, "threads an SM", false},
    CurveKind{"read", Curve::kRead, "threads an SM", false},
    CurveKind{"scale", Curve::kScale, "threads an SM", false},
    CurveKind{"add", Curve::kAdd, "threads an SM", false},
    CurveKind{"triad", Curve::kTriad, "threads an SM", false},
    CurveKind{"host", Curve::kHost, "threads an SM", false},
    CurveKind{"shared", Curve::kShared, "threads an SM", false},
    CurveKind{"stride", Curve::kStride, "elements between lanes", false},
    CurveKind{"conflicts", Curve::kConflicts, "lanes on a bank", false},
};

struct ProbeOptions {
  std::string kind;
  std::vector<std::string> at;
  bool past_l1 = false, indexed = false;
  std::uint32_t bytes = 4;
  CardInput card;
  OutputOptions output;
};

// What a value may be: streams need that many threads, lanes are no more than a warp's.
WholeRange range_of(const CurveKind& kind, const model::Card& card) {
  switch (kind.curve) {
    case Curve::kStride: return {1, 1024, "elements"};
    case Curve::kConflicts: return {1, 32, "lanes"};
    case Curve::kInit:
    case Curve::kRead:
    case Curve::kScale:
    case Curve::kAdd:
    case Curve::kTriad:
    case Curve::kHost:
    case Curve::kShared: return {1, card.numbers().sm_threads, "threads"};
    default: return {128, std::uint64_t{1} << 36, "bytes", true};
  }
}

Result<std::vector<std::uint64_t>> values(const ProbeOptions& options, const CurveKind& kind,
                                          const model::Card& card) {
  std::vector<std::uint64_t> out;
  for (const std::string& text : options.at) {
    const auto one = read_whole(text, range_of(kind, card), "probe --at");
    if (!one) return one.error();
    out.push_back(*one);
  }
  return out;
}

std::string y_text(double y) {
  return y < 1000 ? fmt::format("{:.2f}", y) : fmt::format("{:.0f}", y);
}

std::string as_table(const CurveKind& kind, const std::vector<sim::probe::Point>& points,
                     const views::Terminal& terminal) {
  Table table({{kind.x, Align::kRight}, {sim::probe::unit_of(kind.curve), Align::kRight}});
  for (const auto& p : points) table.row({kind.sizes ? byte_size(p.x) : grouped(p.x), y_text(p.y)});
  return table.text(terminal);
}

std::string as_csv(const CurveKind& kind, const std::vector<sim::probe::Point>& points) {
  std::string out = fmt::format("x,y,unit\n");
  for (const auto& p : points)
    out += fmt::format("{},{:.3f},{}\n", p.x, p.y, sim::probe::unit_of(kind.curve));
  return out;
}

std::string as_json(const CurveKind& kind, const model::Card& card,
                    const std::vector<sim::probe::Point>& points) {
  Json out{{"schema", 1},
           {"gpu", card.name()},
           {"curve", kind.name},
           {"x", kind.x},
           {"unit", sim::probe::unit_of(kind.curve)}};
  out["points"] = Json::array();
  for (const auto& p : points) out["points"].push_back({p.x, p.y});
  return out.text(2) + "\n";
}

int probe(const ProbeOptions& options) {
  const auto kind = std::find_if(kCurveKinds.begin(), kCurveKinds.end(),
                                 [&](const CurveKind& k) { return options.kind == k.name; });
  const auto card = load_card(options.card);
  if (!card) return fail(card.error());
  const auto at = values(options, *kind, *card);
  if (!at) return fail(at.error());
  const auto folder = ScratchFolder::create();
  if (!folder) return fail(folder.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  sim::probe::Options what;
  what.curve = kind->curve;
  what.at = *at;
  what.past_l1 = options.past_l1;
  what.indexed = options.indexed;
  what.bytes = options.bytes;
  what.file = folder->file("probe.wmt");
  const auto points = sim::probe::measure(*card, what);
  if (!points) return fail(points.error());
  switch (options.output.format) {
    case Format::kTable: output->write(as_table(*kind, *points, output->terminal())); break;
    case Format::kJson: output->write(as_json(*kind, *card, *points)); break;
    case Format::kCsv: output->write(as_csv(*kind, *points)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace

Run setup_probe(CLI::App& app) {
  auto options = std::make_shared<ProbeOptions>();
  std::vector<std::string> names;
  for (const CurveKind& kind : kCurveKinds) names.push_back(kind.name);
  app.add_option("curve", options->kind, "which microbenchmark")
      ->required()
      ->check(CLI::IsMember(names));
  app.add_option("--at", options->at,
                 "where: bytes (latency, l1, l2), threads an SM (init, read, scale, add, triad, "
                 "host, shared), "
                 "elements (stride), lanes (conflicts)")
      ->required()
      ->delimiter(',')
      ->type_name("X[,X]");
  app.add_flag("--past-l1", options->past_l1, "latency: loads that go past the L1 (.cg)");
  app.add_flag("--indexed", options->indexed,
               "latency: the next address is worked out from an index");
  app.add_option("--bytes", options->bytes, "stride: of an element, 4 or 8")
      ->capture_default_str()
      ->check(CLI::IsMember({4, 8}))
      ->type_name("N");
  add_card_options(app, options->card);
  add_output_options(app, options->output);
  return [options] { return probe(*options); };
}

}  // namespace warpmem::command
