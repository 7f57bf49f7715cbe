// All that a report shows, as plain types: launches replayed on cards, and what they stand beside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/explanation.hpp"
#include "results/launch_metrics.hpp"
#include "results/memory_chart.hpp"

namespace warpmem {

// A place of limited throughput, all of its kind together.
struct ReportPlace {
  std::string name;                      // "L2 slices"
  double share = 0, most = 0;            // of the time in use: on average, and the busiest one
  std::uint32_t element = 0, count = 0;  // which one that is, of how many
  double bytes = 0;                      // that passed it
  double peak = 0;                       // bytes a cycle at best; 0: not in bytes
};

// What each of several elements moved, window by window.
struct ReportHeat {
  std::uint64_t window_cycles = 0;
  std::vector<std::uint64_t> read, written;         // by element
  std::vector<std::vector<std::uint64_t>> windows;  // by window and element
  double at_work = 0;                               // elements at a time; all of them: even
};

struct ReportLaunch {
  LaunchExplanation explanation;
  MemoryChart chart;
  std::string level;                                         // of the trace: "sass"
  std::string accuracy_not_measured;                         // why; empty: it was
  std::vector<MetricValue> values;                           // in the order of Report::metrics
  std::vector<ReportPlace> places;                           // empty: no time was kept
  std::vector<std::pair<std::string, std::uint64_t>> waits;  // of warps, in warp cycles
  std::uint64_t warp_cycles = 0, running = 0, instructions = 0;
  ReportHeat dram, banks;  // without windows: not known, or nothing moved
  bool complete = true;
};

struct ReportMetric {
  std::string name, unit, group, meaning;
};

struct ReportCard {
  struct Entry {
    std::string key, value, unit, source, meaning;
    bool overridden = false;
  };
  std::string name, full_name, capability;
  double issue_peak = 0;  // warp instructions a cycle
  std::vector<Entry> entries;
};

// How near a metric was to hardware's.
struct ReportAccuracy {
  std::string level, engine, metric;
  std::size_t card = 0;  // in Report::cards
  std::size_t launches = 0, equal = 0;
  double median = 0, p90 = 0;
};

// The same in words, for every metric: what is worked out from several is as near as the worst.
struct ReportAccuracyWords {
  std::size_t card = 0;  // in Report::cards
  std::string level, engine;
  std::vector<std::string> words;  // in the order of Report::metrics
};

// A trace on a card.
struct ReportRun {
  std::string name;  // of the trace's file, without its ending
  std::size_t card = 0;
  std::string engine;                                           // "time"
  std::vector<std::pair<std::string, std::string>> provenance;  // "recorded on" -> "NVIDIA H200"
  std::vector<std::string> notes;
  std::vector<ReportLaunch> launches;
};

// A counter that was predicted and measured.
struct ReportPair {
  std::size_t run = 0, launch = 0;  // indices
  std::string metric, unit, verdict;
  double predicted = 0, measured = 0, error = 0;
};

struct ReportSource {
  std::string file;  // its name
  std::vector<std::string> lines;
};

// What came out as one number was changed.
struct ReportCurves {
  std::string title, x;  // "l1.size"
  bool alike = false;    // series are of one unit, and share an axis
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;
  };
  std::vector<Series> series;
};

struct Report {
  std::string title, version;
  std::vector<ReportMetric> metrics;
  std::vector<ReportCard> cards;
  std::vector<ReportAccuracy> accuracy;
  std::vector<ReportAccuracyWords> accuracy_words;
  std::vector<ReportRun> runs;
  std::vector<ReportPair> pairs;
  std::vector<ReportSource> sources;
  std::vector<ReportCurves> curves;
  bool side_by_side = false;  // two runs are to be compared
};

}  // namespace warpmem
