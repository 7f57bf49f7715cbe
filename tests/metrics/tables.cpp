// The list of metrics holds together: names, formulas and counterparts.
#include <set>
#include <string>

#include "metrics/formula.hpp"
#include "metrics/metric.hpp"
#include "model/card/fields/card_fields.hpp"
#include "sim/metric_rows.hpp"
#include "tests/catch.hpp"

using namespace warpmem::metrics;
using warpmem::sim::metric_rows;

namespace {

// Counters that a replay gives by other names than Nsight Compute's.
const std::set<std::string, std::less<>> kOthers{
    "sm__cycles_elapsed.max", "cycles",      "time_us",
    "inst_executed",          "inst_issued", "dram_read_sectors",
    "dram_write_sectors",     "l1_busy",     "l2_busy",
    "sm_active_cycles",       "warp_cycles", "resident_ctas",
    "resident_warps",         "launch_ctas"};
bool counted(std::string_view name) {
  for (const auto& row : metric_rows())
    if (name == row.name) return true;
  // Those of GPUs before 7.0, of the rules of their time.
  for (const auto& row : warpmem::sim::early_rows())
    if (name == row.name) return true;
  return kOthers.contains(name) ||
         (name.starts_with("card.") && warpmem::model::find_card_field(name.substr(5)));
}

// Nsight Compute's that are judged where a profiler counted them, and that no replay gives.
bool judged_only(std::string_view name) {
  for (const char* n : {"smsp__inst_executed_op_tma_ld_pred_on_any.sum",
                        "smsp__inst_executed_op_tma_st_pred_on_any.sum",
                        "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum",
                        "lts__t_tag_requests.sum", "launch__shared_mem_config_size"})
    if (name == n) return true;
  return false;
}

}  // namespace

TEST_CASE("a metric has a name of its own in its vocabulary, a unit and a meaning") {
  for (const Vocabulary v : kVocabularies) {
    std::set<std::string_view> seen;
    for (const Metric& m : metrics_of(v)) {
      INFO(name_of(v) << " " << m.name);
      CHECK(seen.insert(m.name).second);
      CHECK_FALSE(m.unit.empty());
      CHECK(m.meaning.size() > 10);
      CHECK(m.meaning.back() != '.');
      CHECK(find(v, m.name) == &m);
    }
    CHECK(seen.size() > 40);
  }
}

TEST_CASE("formulas name what is counted, or metrics of their vocabulary") {
  for (const Vocabulary v : kVocabularies)
    for (const Metric& m : metrics_of(v))
      for (const Definition& d : m.definitions) {
        if (d.since == 0) continue;
        INFO(m.name << ": " << d.formula);
        CHECK(d.formula.empty() == !d.missing.empty());
        if (d.formula.empty()) continue;
        const Value read = evaluate(d.formula, [](std::string_view) { return Value{1, {}}; });
        CHECK_THAT(read.missing, !Catch::Matchers::StartsWith("the formula cannot be read"));
        for (const std::string& name : names_in(d.formula)) {
          INFO(name);
          CHECK((counted(name) || judged_only(name) || (find(v, name) && name != m.name)));
        }
      }
}

TEST_CASE("definitions of a metric do not overlap and stand in the order of GPUs") {
  for (const Vocabulary v : kVocabularies)
    for (const Metric& m : metrics_of(v)) {
      INFO(m.name);
      unsigned before = 0;
      for (const Definition& d : m.definitions) {
        if (d.since == 0) continue;
        CHECK(d.since > before);
        CHECK((d.until == 0 || d.until >= d.since));
        before = d.until == 0 ? 1000 : d.until;
      }
      CHECK(before != 0);
    }
}

TEST_CASE("counterparts are metrics of other vocabularies, and know each other") {
  for (const Vocabulary v : kVocabularies)
    for (const Metric& m : metrics_of(v)) {
      INFO(m.name << ": " << m.counterparts);
      std::size_t names = m.counterparts.empty() ? 0 : 1;
      for (const char c : m.counterparts) names += c == ' ';
      const auto found = counterparts_of(v, m);
      CHECK(found.size() >= names);
      for (const Counterpart& c : found) {
        bool back = false;
        for (const Counterpart& other : counterparts_of(c.vocabulary, *c.metric))
          back |= other.metric == &m;
        CHECK(back);
      }
    }
}

TEST_CASE("what a replay counts has its unit in the list of metrics") {
  for (const auto& row : metric_rows()) {
    INFO(row.name);
    const Metric* const m = find(Vocabulary::kNcu, row.name);
    REQUIRE(m != nullptr);
    CHECK(m->unit == row.unit);
  }
}

TEST_CASE("the words of a GPU are those of its time") {
  CHECK(usual_vocabulary(10) == Vocabulary::kVisualProfiler);
  CHECK(usual_vocabulary(13) == Vocabulary::kVisualProfiler);
  CHECK(usual_vocabulary(20) == Vocabulary::kNvprof);
  CHECK(usual_vocabulary(62) == Vocabulary::kNvprof);
  CHECK(usual_vocabulary(70) == Vocabulary::kNcu);
  CHECK(usual_vocabulary(120) == Vocabulary::kNcu);
  CHECK(vocabulary_named("nvprof") == Vocabulary::kNvprof);
  CHECK_FALSE(vocabulary_named("cupti").has_value());
}

TEST_CASE("on which GPUs a metric is counted is said with compute capabilities") {
  const auto on = [](Vocabulary v, const char* name) { return capabilities_of(*find(v, name)); };
  CHECK(on(Vocabulary::kVisualProfiler, "gld_coherent") == "1.0 to 1.1");
  CHECK(on(Vocabulary::kVisualProfiler, "gld_64b") == "1.2 to 1.3");
  CHECK(on(Vocabulary::kVisualProfiler, "excess_load") == "1.0 to 2.1");
  CHECK(on(Vocabulary::kNvprof, "gld_efficiency") == "2.0 and later");
  CHECK(on(Vocabulary::kNvprof, "l1_cache_global_hit_rate") == "2.0 to 3.7");
  CHECK(on(Vocabulary::kNcu, "lts__t_sector_hit_rate.pct") == "7.0 and later");
}
