// `import warpmem`: the rooms, as Python has them. What a function computes is the room's; here
// stands only what Python calls it. Long work runs without the interpreter's lock.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "metrics/metric.hpp"
#include "model/card/card.hpp"
#include "model/card/card_identity.hpp"
#include "python/arrow.hpp"
#include "sim/engine/trace_card.hpp"
#include "sim/explain/explain.hpp"
#include "sim/named_metrics.hpp"
#include "sim/pattern/parser.hpp"
#include "sim/pattern/pattern.hpp"
#include "sim/replay.hpp"
#include "traces/format/reader.hpp"
#include "validate/rules.hpp"
#include "views/explanation.hpp"
#include "views/lanes.hpp"
#include "views/pattern.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace warpmem::python {
namespace {

// The exception that warpmem/_errors.py has for the kind, with the command's text, place and fix.
[[noreturn]] void raise(const Error& error) {
  nb::object made =
      nb::module_::import_("warpmem._errors")
          .attr("made")(exit_status(error.kind), error.message, error.place, error.fix);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  throw nb::python_error();
}

template <class T>
T value_of(Result<T>&& result) {
  if (PyErr_Occurred()) throw nb::python_error();  // Ctrl-C, where it was looked for
  if (!result) raise(result.error());
  return std::move(result).value();
}
void value_of(Result<void>&& result) {
  if (!result) raise(result.error());
}

// Without the interpreter's lock.
template <class Work>
auto unlocked(Work&& work) {
  nb::gil_scoped_release released;
  return work();
}

// For work without the lock that asks whether to go on: Python's signals are looked at ten times a
// second.
class Signals {
 public:
  bool operator()(std::uint64_t, std::uint64_t) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return true;
    next_ = now + std::chrono::milliseconds(100);
    const nb::gil_scoped_acquire held;
    return PyErr_CheckSignals() == 0;
  }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

using SharedTable = std::shared_ptr<Table>;
using Reader = std::shared_ptr<trace::TraceReader>;

SharedTable sealed(Table table) {
  for (Column& column : table.columns) column.seal();
  return std::make_shared<Table>(std::move(table));
}

nb::object cell(const Column& column, std::size_t row) {
  if (!column.knows(row)) return nb::none();
  switch (column.kind) {
    case Column::Kind::kWhole: return nb::int_(column.wholes[row]);
    case Column::Kind::kReal: return nb::float_(column.reals[row]);
    case Column::Kind::kWord: break;
  }
  const std::string_view word = column.word(row);
  return nb::str(word.data(), word.size());
}

// A launch's counters by name, of which rules and short names ask.
struct ReplayedLaunch {
  LaunchMetrics counted;
  std::string level;
};

struct Replay {
  Reader reader;
  model::Card card;
  bool time = true;
  sim::ReplayResult result;
  metrics::Vocabulary words;

  SharedTable table() const {
    using Kind = Column::Kind;
    Table out;
    out.columns = {{"launch", Kind::kWhole}, {"kernel", Kind::kWord}, {"metric", Kind::kWord},
                   {"unit", Kind::kWord},    {"value", Kind::kReal},  {"missing", Kind::kWord}};
    for (const sim::ReplayedLaunch& launch : result.details)
      for (const sim::NamedMetric& m : sim::metrics_of(launch, card, words)) {
        out.columns[0].add_whole(static_cast<std::int64_t>(launch.metrics.launch));
        out.columns[1].add_word(launch.metrics.kernel);
        out.columns[2].add_word(m.metric->name);
        out.columns[3].add_word(m.metric->unit);
        if (m.value.known()) out.columns[4].add_real(m.value.value), out.columns[5].add_nothing();
        else out.columns[4].add_nothing(), out.columns[5].add_word(m.value.missing);
      }
    return sealed(std::move(out));
  }

  // The launch of an index, with all counters in the profiler's words.
  LaunchMetrics launch(std::size_t index) const {
    if (index >= result.details.size())
      raise({ErrorKind::kUsage, fmt::format("there is no launch {}", index), reader->path(),
             fmt::format("the replay has launches 0 to {}", result.details.size() - 1)});
    const sim::ReplayedLaunch& one = result.details[index];
    LaunchMetrics out = one.metrics;
    for (const sim::NamedMetric& m : sim::metrics_of(one, card, words))
      out.metrics[std::string(m.metric->name)] = m.value;
    return out;
  }
};

std::shared_ptr<Replay> replay(const Reader& reader, const model::Card& card, bool time,
                               bool keep_caches,
                               const std::optional<std::vector<std::uint64_t>>& only,
                               unsigned threads) {
  sim::ReplayOptions options;
  options.time = time, options.keep_caches = keep_caches, options.threads = threads;
  if (only)
    options.only = [&](std::uint64_t id) { return std::ranges::find(*only, id) != only->end(); };
  options.progress = Signals();
  auto result = unlocked([&] { return sim::replay(*reader, card, options); });
  return std::make_shared<Replay>(Replay{reader, card, time, value_of(std::move(result)),
                                         metrics::usual_vocabulary(card.capability())});
}

std::string level_of(const trace::TraceReader& reader) {
  switch (reader.origin().level) {
    case trace::Level::kSass: return "sass";
    case trace::Level::kPtx: return "ptx";
    case trace::Level::kPtxSass: break;
  }
  return "ptx+sass";
}

std::shared_ptr<LaunchExplanation> explain(const Reader& reader, const model::Card& card,
                                           std::uint32_t launch, bool time, bool gains) {
  if (launch >= reader->launches().size())
    raise({ErrorKind::kUsage, fmt::format("there is no launch {}", launch), reader->path(),
           fmt::format("the trace has {}", reader->launches().size())});
  sim::ExplainOptions options;
  options.time = time, options.gains = gains;
  options.progress = Signals();
  auto result = unlocked([&] { return sim::explain(*reader, launch, card, options); });
  return std::make_shared<LaunchExplanation>(value_of(std::move(result)));
}

views::Terminal page(std::size_t width) { return {width, false, false}; }

model::Card load(const std::string& name, const model::ReadCardFile& read) {
  return value_of(model::load_card(name, read));
}

model::Card changed(const model::Card& card, const std::map<std::string, std::string>& settings) {
  model::Card out = card;
  std::vector<model::CardSetting> all;
  for (const auto& [key, value] : settings) all.push_back({key, value});
  value_of(out.set(all));
  return out;
}

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table", "Rows of a result; any library that reads Arrow takes it.")
      .def_prop_ro("columns",
                   [](const Table& t) {
                     std::vector<std::string> out;
                     for (const Column& c : t.columns) out.push_back(c.name);
                     return out;
                   })
      .def("__len__", &Table::rows)
      .def(
          "row",
          [](const Table& t, std::size_t row) {
            if (row >= t.rows()) throw nb::index_error();
            nb::dict out;
            for (const Column& c : t.columns) out[nb::str(c.name.c_str())] = cell(c, row);
            return out;
          },
          "row"_a)
      .def(
          "__arrow_c_stream__",
          [](const SharedTable& t, const nb::object&) {
            ArrowArrayStream* const stream = stream_of(t);
            return nb::capsule(stream, "arrow_array_stream", [](void* raw) noexcept {
              auto* const s = static_cast<ArrowArrayStream*>(raw);
              if (s->release) s->release(s);
              delete s;
            });
          },
          "requested_schema"_a = nb::none());
  // From Python's own lists: what the command printed.
  m.def("table_of", [](const nb::list& columns) {
    Table out;
    for (const nb::handle& one : columns) {
      const auto pair = nb::cast<std::pair<std::string, nb::list>>(one);
      Column& c = out.columns.emplace_back();
      c.name = pair.first;
      bool numbers = true, wholes = true;
      for (const nb::handle& v : pair.second) {
        const bool none = v.is_none();
        wholes = wholes && (none || nb::isinstance<nb::int_>(v));
        numbers = numbers && (none || nb::isinstance<nb::int_>(v) || nb::isinstance<nb::float_>(v));
      }
      c.kind = wholes ? Column::Kind::kWhole : numbers ? Column::Kind::kReal : Column::Kind::kWord;
      for (const nb::handle& v : pair.second) {
        if (v.is_none()) c.add_nothing();
        else if (wholes) c.add_whole(nb::cast<std::int64_t>(v));
        else if (numbers) c.add_real(nb::cast<double>(v));
        else c.add_word(nb::str(v).c_str());
      }
    }
    return sealed(std::move(out));
  });
}

void bind_card(nb::module_& m) {
  nb::class_<model::Card>(m, "Card")
      .def_prop_ro("name", &model::Card::name)
      .def_prop_ro("argument", &model::Card::argument)
      .def_prop_ro("full_name", &model::Card::full_name)
      .def_prop_ro("compute_capability", &model::Card::compute_capability)
      .def("changed", &changed, "settings"_a)
      .def("entries", [](const model::Card& card) {
        nb::list out;
        for (const model::CardEntry& e : card.entries()) {
          nb::dict row;
          row["key"] = e.key, row["value"] = e.value, row["unit"] = e.unit;
          row["source"] = e.source, row["meaning"] = e.meaning;
          row["overridden"] = e.overridden, row["numbers"] = e.numbers;
          out.append(row);
        }
        return out;
      });
  m.def("load_card", &load, "name"_a, "read"_a);
  m.def("card_names", &model::card_names);
}

void bind_trace(nb::module_& m) {
  nb::class_<trace::TraceReader>(m, "Reader")
      .def_prop_ro("path", &trace::TraceReader::path)
      .def_prop_ro("hash", &trace::TraceReader::hash)
      .def_prop_ro("level", &level_of)
      .def_prop_ro("records", [](const trace::TraceReader& t) { return t.quality().records; })
      .def_prop_ro("complete", [](const trace::TraceReader& t) { return t.quality().complete(); })
      .def_prop_ro("notes", [](const trace::TraceReader& t) { return t.quality().notes; })
      .def_prop_ro("missing", [](const trace::TraceReader& t) { return t.origin().missing; })
      .def_prop_ro("gpu", [](const trace::TraceReader& t) { return t.origin().gpu; })
      .def_prop_ro("tool", [](const trace::TraceReader& t) { return t.origin().tool; })
      .def_prop_ro("program", [](const trace::TraceReader& t) { return t.origin().command; })
      .def_prop_ro("card_name",
                   [](const trace::TraceReader& t) { return sim::card_of_trace(t).name; })
      .def("launches", [](const trace::TraceReader& t) {
        nb::list out;
        for (const trace::LaunchSummary& l : t.launches()) {
          nb::dict row;
          const trace::Program& p = t.programs()[l.launch.program];
          row["launch"] = l.launch.id, row["kernel"] = p.demangled.empty() ? p.name : p.demangled;
          row["grid"] = nb::make_tuple(l.launch.grid[0], l.launch.grid[1], l.launch.grid[2]);
          row["block"] = nb::make_tuple(l.launch.block[0], l.launch.block[1], l.launch.block[2]);
          row["registers"] = l.launch.registers;
          row["shared"] = l.launch.static_shared + l.launch.dynamic_shared;
          row["records"] = l.end.records, row["complete"] = l.complete;
          row["times"] = l.repeats.ran;
          out.append(row);
        }
        return out;
      });
  m.def(
      "open",
      [](const std::string& path, bool partial) {
        auto reader = trace::TraceReader::open(path, {.allow_partial = partial});
        return std::make_shared<trace::TraceReader>(value_of(std::move(reader)));
      },
      "path"_a, "partial"_a = false);
}

void bind_replay(nb::module_& m) {
  nb::class_<LaunchMetrics>(m, "Counters")
      .def(nb::init<>())
      .def_prop_ro("launch", [](const LaunchMetrics& l) { return l.launch; })
      .def_prop_ro("kernel", [](const LaunchMetrics& l) { return l.kernel; })
      .def_prop_ro(
          "grid",
          [](const LaunchMetrics& l) { return nb::make_tuple(l.grid[0], l.grid[1], l.grid[2]); })
      .def_prop_ro(
          "block",
          [](const LaunchMetrics& l) { return nb::make_tuple(l.block[0], l.block[1], l.block[2]); })
      // {"name": number, or the reason why there is none}
      .def("all",
           [](const LaunchMetrics& l) {
             nb::dict out;
             for (const auto& [name, value] : l.metrics) {
               nb::object v = value.known() ? nb::object(nb::float_(value.value))
                                            : nb::object(nb::str(value.missing.c_str()));
               out[nb::str(name.c_str())] = v;
             }
             return out;
           })
      .def("get",
           [](const LaunchMetrics& l, const std::string& name) -> std::pair<double, std::string> {
             const MetricValue value = validate::counter_of(l, name);
             return {value.value, value.missing};
           });
  m.def("counters_of", [](std::uint64_t launch, const std::string& kernel, const nb::dict& values) {
    LaunchMetrics out;
    out.launch = launch, out.kernel = kernel;
    for (const auto& [name, value] : values) {
      MetricValue v;
      if (value.is_none()) v.missing = "not in this result";
      else v.value = nb::cast<double>(value);
      out.metrics[nb::cast<std::string>(name)] = v;
    }
    return out;
  });
  // Of a rule that does not hold, why; empty: all hold.
  m.def("failures",
        [](const std::string& rules, const LaunchMetrics& before, const LaunchMetrics& after) {
          std::vector<std::string> out;
          for (const validate::ChangeRule& rule : value_of(validate::read_rules(rules)))
            if (std::string text = validate::failure_of(rule, before, after); !text.empty())
              out.push_back(rule.text + ": " + text);
          return out;
        });
  m.def("short_counters", &validate::short_counters);
  nb::class_<Replay>(m, "Replayed")
      .def("__len__", [](const Replay& r) { return r.result.details.size(); })
      .def_prop_ro("time", [](const Replay& r) { return r.time; })
      .def_prop_ro("card", [](const Replay& r) { return r.card; })
      .def_prop_ro("notes", [](const Replay& r) { return r.result.notes; })
      .def("table", &Replay::table)
      .def("launch", &Replay::launch, "index"_a);
  m.def("replay", &replay, "reader"_a, "card"_a, "time"_a, "keep_caches"_a, "only"_a.none(),
        "threads"_a);
}

// The lanes of an access, as SVG.
std::string picture(const SiteTraffic& t) {
  if (t.examples.empty()) return {};
  return views::lanes_svg({{&t.examples.front(), views::place_of(t)}});
}

void bind_explain(nb::module_& m) {
  nb::class_<SiteTraffic>(m, "Site")
      .def_ro("pc", &SiteTraffic::pc)
      .def_ro("instruction", &SiteTraffic::instruction)
      .def_ro("file", &SiteTraffic::file)
      .def_ro("line", &SiteTraffic::line)
      .def_ro("space", &SiteTraffic::space)
      .def_ro("op", &SiteTraffic::op)
      .def_ro("bytes", &SiteTraffic::bytes)
      .def_ro("array", &SiteTraffic::array)
      .def_ro("requests", &SiteTraffic::requests)
      .def_ro("lanes", &SiteTraffic::lanes)
      .def_ro("sectors", &SiteTraffic::sectors)
      .def_ro("ideal_sectors", &SiteTraffic::ideal_sectors)
      .def_ro("wavefronts", &SiteTraffic::wavefronts)
      .def_ro("ideal_wavefronts", &SiteTraffic::ideal_wavefronts)
      .def_ro("share", &SiteTraffic::share)
      .def_ro("sentence", &SiteTraffic::sentence)
      .def_prop_ro("pattern", [](const SiteTraffic& t) { return std::string(name_of(t.pattern)); })
      .def_prop_ro("place", [](const SiteTraffic& t) { return views::place_of(t); })
      .def("picture", &picture)
      .def("_repr_html_", &picture)
      .def("__repr__",
           [](const SiteTraffic& t) {
             const bool shared = t.wavefronts != 0;
             return fmt::format("<{}: {} {}, {} {} where {} would do{}{}>", views::place_of(t),
                                t.space, t.op, shared ? t.wavefronts : t.sectors,
                                shared ? "wavefronts" : "sectors",
                                shared ? t.ideal_wavefronts : t.ideal_sectors,
                                t.sentence.empty() ? "" : ": ", t.sentence);
           })
      .def("drawing", [](const SiteTraffic& t, std::size_t width) {
        return t.examples.empty() ? std::string()
                                  : views::lanes_text(t.examples.front(), page(width));
      });
  nb::class_<LaunchExplanation>(m, "Explained")
      .def_ro("launch", &LaunchExplanation::launch)
      .def_ro("kernel", &LaunchExplanation::kernel)
      .def_ro("limit", &LaunchExplanation::limit)
      .def_ro("notes", &LaunchExplanation::notes)
      .def_ro("sites", &LaunchExplanation::sites)
      .def("text", [](const LaunchExplanation& e,
                      std::size_t width) { return views::explanation_text(e, page(width)); })
      .def("json", [](const LaunchExplanation& e, const trace::TraceReader& reader,
                      const model::Card& card, bool time) {
        return views::explanation_json({e}, {reader.path(),
                                             reader.hash(),
                                             level_of(reader),
                                             card.name(),
                                             time ? "time" : "counts",
                                             {}});
      });
  m.def("explain", &explain, "reader"_a, "card"_a, "launch"_a, "time"_a, "gains"_a);
}

void bind_pattern(nb::module_& m) {
  m.def("pattern", [](const std::string& text, const std::vector<model::Card>& cards,
                      const std::map<std::string, std::int64_t>& let,
                      const std::array<std::uint32_t, 3>& block,
                      const std::array<std::uint32_t, 3>& grid) {
    sim::pattern::Shape shape;
    shape.block = {block[0], block[1], block[2]}, shape.grid = {grid[0], grid[1], grid[2]};
    shape.let = let;
    const auto program = value_of(sim::pattern::parse(text, let));
    std::vector<std::vector<SiteTraffic>> out;
    for (const model::Card& card : cards)
      out.push_back(
          value_of(unlocked([&] { return sim::pattern::on_card(program, shape, card, {}); })));
    return out;
  });
}

}  // namespace
}  // namespace warpmem::python

NB_MODULE(_warpmem, m) {
  using namespace warpmem::python;
  bind_table(m);
  bind_card(m);
  bind_trace(m);
  bind_replay(m);
  bind_explain(m);
  bind_pattern(m);
}
