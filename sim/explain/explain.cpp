#include "sim/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/units.hpp"
#include "sim/explain/changes.hpp"
#include "sim/explain/gains.hpp"
#include "sim/explain/launch_changes.hpp"
#include "sim/explain/site_names.hpp"
#include "sim/lane_access.hpp"
#include "sim/replay.hpp"
#include "sim/time/bottleneck.hpp"

namespace warpmem::sim {
namespace {

constexpr double kSectorCycles = 0.5;  // of an L1: what a sector more costs, for the ranking
constexpr double kConstantCycles = 2;  // … an address of a constant

// Explains one launch; the members are what its steps leave for those behind them.
class Explainer {
 public:
  Explainer(const trace::TraceReader& reader, std::uint32_t index, const model::Card& card,
            const ExplainOptions& options)
      : reader_(reader),
        index_(index),
        card_(card),
        options_(options),
        launch_(reader.launches()[index].launch),
        program_(reader.programs()[launch_.program]),
        sites_(reader.sites(index)),
        code_(reader.code(launch_.program)),
        plans_(plan_sites(card, sites_, *code_)),
        rules_(access_rules_of(card)) {}

  Result<LaunchExplanation> run() {
    auto pass = pass_addresses(reader_, index_, card_, plans_);
    if (!pass) return pass.error();
    pass_ = std::move(*pass);
    if (auto ok = count(); !ok) return ok.error();
    recognise_sites();
    list_sites();
    list_arrays();
    find();
    if (options_.gains)
      if (auto ok = measure(); !ok) return ok.error();
    if (options_.replayed) *options_.replayed = std::move(replayed_);
    return std::move(out_);
  }

 private:
  Result<void> count() {
    ReplayOptions replay_options;
    replay_options.launch = launch_.id;
    replay_options.time = options_.time;
    replay_options.by_site = true;
    // The fast memory system keeps no channel's traffic; the other counts the same.
    replay_options.general_memory = replay_options.banks = options_.over_time;
    replay_options.progress = options_.progress;
    auto result = replay(reader_, card_, replay_options);
    if (!result) return result.error();
    replayed_ = std::move(result->details.front());
    out_.launch = launch_.id;
    out_.kernel = replayed_.metrics.kernel;
    out_.grid = launch_.grid, out_.block = launch_.block;
    out_.cost = cost_of(replayed_);
    out_.notes = replayed_.notes;
    if (replayed_.time) {
      const Bottleneck limits = bottleneck(*replayed_.time);
      out_.limit = limits.sentence;
      const bool seen = std::ranges::any_of(
          sites_, [](const trace::Site& s) { return s.space == trace::Space::kConstant; });
      out_.limit_unseen = limits.cause == Bottleneck::Cause::kConstants && !seen;
      if (out_.limit_unseen)
        out_.notes.emplace_back(
            "a recording has no addresses of constants, so that no line can be named for what "
            "limits "
            "this launch: emulate the program to see it");
    }
    if (!replayed_.complete) out_.notes.emplace_back("the launch is incomplete in the trace");
    return {};
  }

  void recognise_sites() {
    shared_ = shared_arrays(plans_, pass_);
    for (std::uint32_t s = 0; s < sites_.size(); ++s) {
      const SiteAddresses& a = pass_.sites[s];
      const std::size_t array =
          a.samples.empty() ? launch_.allocations.size() : allocation_of(launch_, a.low);
      arrays_.push_back(array);
      recognised_.push_back(recognise(
          plans_[s], a,
          array < launch_.allocations.size() ? launch_.allocations[array] : trace::Allocation{},
          card_.numbers()));
    }
    std::vector<LocalPlace> places;
    for (const trace::Site& site : sites_) {
      const auto line = code_->line_at(site.pc);
      places.push_back(line ? local_place((*code_)[*line]) : LocalPlace::kNotKnown);
    }
    recognise_local(recognised_, places);
    find_structures();
  }

  // Lanes of several instructions that are as far apart in one array, at other fields.
  void find_structures() {
    std::map<std::pair<std::size_t, std::uint64_t>, std::vector<std::uint32_t>> groups;
    for (std::uint32_t s = 0; s < sites_.size(); ++s)
      if (recognised_[s].pattern == AddressPattern::kStrided && recognised_[s].stride <= 256 &&
          recognised_[s].stride > plans_[s].bytes)
        groups[{arrays_[s], recognised_[s].stride}].push_back(s);
    for (const auto& [key, group] : groups) {
      std::set<std::uint64_t> fields;
      std::uint64_t used = 0;
      for (const std::uint32_t s : group)
        if (fields.insert(recognised_[s].field).second) used += plans_[s].bytes;
      for (const std::uint32_t s : group) {
        Recognised& r = recognised_[s];
        if (fields.size() > 1) {
          r.pattern = AddressPattern::kStructure;
          r.sentence = fmt::format(
              "structures of {} bytes, taken field by field: {} bytes a lane at byte {}, {} of {} "
              "bytes in all",
              key.second, plans_[s].bytes, r.field, used, key.second);
        } else if (key.second <= 8 && plans_[s].bytes < 4) {
          // A structure of a word is a word: the compiler takes the bytes of it that a mask leaves.
          const char* op = op_word(sites_[s].op);
          r.sentence = fmt::format(
              "{}-byte {}s of {}-byte elements: lanes are {} bytes apart and take {} of them",
              plans_[s].bytes, op, key.second, key.second, plans_[s].bytes);
        } else {
          r.sentence +=
              fmt::format(", as one field of a structure of {} bytes would be", key.second);
        }
      }
    }
  }

  // Whether instructions that no lane's addresses go with moved anything: a product's reads.
  static bool moves(const model::LaunchCounters& c) {
    return c.shared_wavefronts > 0 || c.l1_fill_sectors > 0 || c.l1_write_sectors > 0;
  }

  void list_sites() {
    const std::vector<std::string> names = array_names(launch_, program_);
    std::uint64_t under_way = 0;
    for (const std::uint64_t c : replayed_.cycles_by_site) under_way += c;
    out_.has_lines = false;
    for (std::uint32_t s = 0; s < sites_.size(); ++s) {
      const SiteAddresses& a = pass_.sites[s];
      if (a.requests == 0 && !moves(replayed_.by_site[s])) continue;
      SiteTraffic t;
      t.site = s, t.pc = sites_[s].pc;
      const trace::Instruction* at = instruction_at(program_, t.pc);
      t.instruction = at ? at->text : "n/a";
      const trace::Instruction* line = charged_to(program_, at);
      if (line && line->line != 0 && line->file < program_.files.size())
        t.file = program_.files[line->file], t.line = line->line, out_.has_lines = true;
      t.space = space_word(sites_[s].space), t.op = op_word(op_of(s));
      t.bytes = plans_[s].bytes;
      fill_array(t, s, names);
      fill_counts(t, a, replayed_.by_site[s]);
      t.cycles_under_way = replayed_.cycles_by_site[s];
      t.share =
          under_way ? static_cast<double>(t.cycles_under_way) / static_cast<double>(under_way) : 0;
      t.pattern = recognised_[s].pattern, t.sentence = recognised_[s].sentence;
      fill_examples(t, a);
      out_.sites.push_back(std::move(t));
    }
    list_spills(under_way);
    std::stable_sort(out_.sites.begin(), out_.sites.end(),
                     [](const SiteTraffic& a, const SiteTraffic& b) {
                       return cost_of(a) != cost_of(b) ? cost_of(a) > cost_of(b)
                                                       : a.cycles_under_way > b.cycles_under_way;
                     });
  }

  // Accesses to spilled registers that the trace lacks and the replay put back, all together.
  void list_spills(std::uint64_t under_way) {
    if (replayed_.spilled.instructions == 0) return;
    SiteTraffic t;
    t.site = static_cast<std::uint32_t>(sites_.size());
    t.instruction =
        fmt::format("{} instructions for spilled registers", replayed_.spilled.instructions);
    t.space = "local", t.op = kSpillOp;
    t.requests = replayed_.spilled.loads + replayed_.spilled.stores;
    model::LaunchCounters all;
    for (std::size_t s = sites_.size(); s < replayed_.by_site.size(); ++s) {
      all = all + replayed_.by_site[s];
      t.cycles_under_way += replayed_.cycles_by_site[s];
    }
    t.share =
        under_way ? static_cast<double>(t.cycles_under_way) / static_cast<double>(under_way) : 0;
    SiteAddresses none;
    none.requests = t.requests;
    fill_counts(t, none, all);
    t.pattern = AddressPattern::kSpill;
    t.sentence = "registers that did not find room are kept in local memory";
    out_.sites.push_back(std::move(t));
    arrays_.push_back(launch_.allocations.size());
    recognised_.push_back({AddressPattern::kSpill, out_.sites.back().sentence, 0, 0, 0});
  }

  void fill_array(SiteTraffic& t, std::uint32_t s, const std::vector<std::string>& names) const {
    if (arrays_[s] < names.size()) t.array = names[arrays_[s]];
    for (const SharedArray& a : shared_)
      if (std::ranges::binary_search(a.sites, s))
        t.array = fmt::format("shared memory, bytes {} to {}", grouped(a.low), grouped(a.high - 1));
  }

  static void fill_counts(SiteTraffic& t, const SiteAddresses& a, const model::LaunchCounters& c) {
    t.requests = a.requests, t.lanes = a.lanes;
    t.addresses = a.addresses;
    const std::uint64_t by_l1 = c.global_ld.sectors + c.global_st.sectors + c.global_atom.sectors +
                                c.global_red.sectors + c.local_ld.sectors + c.local_st.sectors +
                                c.texture.sectors + c.surface_ld.sectors + c.surface_st.sectors;
    // Copies of the SM's copy engine, and shared memory of another SM, pass by the L1.
    t.sectors = by_l1 > 0 ? by_l1 : c.l1_fill_sectors + c.l1_write_sectors;
    t.ideal_sectors = t.sectors - std::min(t.sectors, a.sectors - a.ideal_sectors);
    t.wavefronts = c.shared_wavefronts;
    t.ideal_wavefronts = t.wavefronts - std::min(t.wavefronts, a.wavefronts - a.ideal_wavefronts);
    for (std::uint32_t n = 0; n < a.by_size.size(); ++n)
      if (a.by_size[n] != 0) t.by_size.emplace_back(n, a.by_size[n]);
    t.l1_hits = c.global_ld.hits + c.global_st.hits + c.local_ld.hits + c.local_st.hits +
                c.texture.hits + c.surface_ld.hits;
    t.l2_reads = c.l2.read + c.l2.atomic + c.l2.reduction;
    t.l2_read_hits = c.l2.read_hit + c.l2.atomic_hit + c.l2.reduction_hit;
    t.l2_writes = c.l2.write;
  }

  void fill_examples(SiteTraffic& t, const SiteAddresses& a) const {
    constexpr std::size_t kMost = 2;
    for (std::size_t i = 0; i < std::min(kMost, a.samples.size()); ++i) {
      const SampledAccess& s = a.samples[i * (a.samples.size() - 1)];
      t.examples.push_back(lane_access(s.access, plans_[t.site], rules_, card_.numbers()));
      t.examples.back().cta = s.cta, t.examples.back().warp = s.warp;
    }
  }

  static double cost_of(const SiteTraffic& t) {
    double cost = kSectorCycles * static_cast<double>(t.excess_sectors()) +
                  static_cast<double>(t.excess_wavefronts());
    if (t.pattern == AddressPattern::kConstants)
      cost += kConstantCycles * static_cast<double>(t.addresses - t.requests);
    if (t.pattern == AddressPattern::kSpill || t.pattern == AddressPattern::kLocalArray)
      cost += kSectorCycles * static_cast<double>(t.sectors);
    if (t.pattern == AddressPattern::kOneWord)
      cost += static_cast<double>(t.lanes - std::min(t.lanes, t.requests));
    return cost;
  }
  static RunCost cost_of(const ReplayedLaunch& l) { return sim::cost_of(l); }

  // What an atomic is, the code knows better than the record.
  trace::Op op_of(std::uint32_t s) const {
    if (plans_[s].action != Action::kGlobalAtomic) return sites_[s].op;
    return plans_[s].returns ? trace::Op::kAtomic : trace::Op::kReduction;
  }

  void list_arrays() {
    out_.arrays = array_traffic(out_.sites, pass_, launch_, array_names(launch_, program_));
  }

  // Sites with one pattern that one change would remove together.
  void find() {
    using Key = std::tuple<AddressPattern, std::uint64_t, std::uint64_t, std::uint64_t>;
    std::map<Key, std::size_t> known;
    for (std::size_t i = 0; i < out_.sites.size(); ++i) {
      const SiteTraffic& t = out_.sites[i];
      if (t.pattern == AddressPattern::kFine) continue;
      const bool whole_array =
          t.pattern == AddressPattern::kStructure || t.pattern == AddressPattern::kSpill ||
          t.pattern == AddressPattern::kLocalArray || t.pattern == AddressPattern::kConstants;
      const std::size_t shared = shared_of(t.site);
      const Key key = shared < shared_.size() ? Key{AddressPattern::kBankStride, shared, 0, 0}
                      : whole_array
                          ? Key{t.pattern, arrays_[t.site], recognised_[t.site].stride, 0}
                          : Key{t.pattern, 0, 0, std::uint64_t{t.line} << 32 | (t.line ? 0 : t.pc)};
      const auto [at, fresh] = known.try_emplace(key, out_.findings.size());
      if (fresh) {
        out_.findings.emplace_back();
        out_.findings.back().pattern = t.pattern;
        out_.findings.back().sentence = t.sentence;
      }
      Finding& f = out_.findings[at->second];
      f.sites.push_back(i);
      f.excess_sectors += t.excess_sectors();
      f.excess_wavefronts += t.excess_wavefronts();
      f.cost += cost_of(t);
    }
    std::stable_sort(out_.findings.begin(), out_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.cost > b.cost; });
    for (Finding& f : out_.findings) list_changes(f);
    launch_changes_ = launch_changes(reader_, index_, replayed_, out_.sites, plans_);
    for (const LaunchCandidate& c : launch_changes_) out_.changes.push_back(c.change);
  }

  // The piece of shared memory whose layout is at fault, or the number of them.
  std::size_t shared_of(std::uint32_t site) const {
    if (recognised_[site].pattern != AddressPattern::kBankStride &&
        recognised_[site].pattern != AddressPattern::kBankScattered)
      return shared_.size();
    std::size_t i = 0;
    while (i < shared_.size() && !std::ranges::binary_search(shared_[i].sites, site)) ++i;
    return i;
  }

  void list_changes(Finding& f) {
    const LaunchFacts facts{launch_,     card_,   sites_,  plans_, pass_,
                            recognised_, arrays_, shared_, *code_};
    std::vector<std::uint32_t> sites;
    for (const std::size_t i : f.sites) sites.push_back(out_.sites[i].site);
    // What the replay has put back is in no record that could be changed.
    const bool put_back =
        std::ranges::any_of(sites, [&](std::uint32_t s) { return s >= sites_.size(); });
    std::vector<Candidate> all;
    if (!put_back) all = changes_for(facts, f.pattern, sites);
    if (all.empty()) {
      if (put_back) {
        f.changes.emplace_back().what =
            "let the thread keep fewer values at once, or have more registers (__launch_bounds__, "
            "-maxrregcount)";
        f.changes.back().not_measured = "the trace has no records of it";
        return;
      }
      if (Change advice = advice_for(facts, f.pattern, sites); !advice.what.empty())
        f.changes.push_back(std::move(advice));
    }
    for (Candidate& c : all) {
      c.change.not_measured = options_.gains ? "not among the worst findings" : "--no-gain";
      f.changes.push_back(c.change);
      rewrites_[{static_cast<std::size_t>(&f - out_.findings.data()), f.changes.size() - 1}] =
          std::move(c.rewrite);
    }
  }

  Result<void> measure() {
    for (auto& [at, rewrite] : rewrites_) {
      if (at.first >= options_.findings) break;
      Change& change = out_.findings[at.first].changes[at.second];
      const auto after = replay_changed(reader_, index_, card_, rewrite, options_);
      if (!after) return after.error();
      change.after = *after;
      change.not_measured.clear();
    }
    for (std::size_t i = 0; i < launch_changes_.size(); ++i) {
      const auto after = replay_changed(reader_, index_, card_, launch_changes_[i], options_);
      if (!after) return after.error();
      out_.changes[i].after = *after;
      out_.changes[i].not_measured.clear();
    }
    // Of the launch as a whole only what helps is worth a word.
    std::erase_if(out_.changes,
                  [&](const Change& c) { return 100 * c.after->cycles >= 99 * out_.cost.cycles; });
    return {};
  }

  const trace::TraceReader& reader_;
  std::uint32_t index_;
  const model::Card& card_;
  const ExplainOptions& options_;
  const trace::Launch& launch_;
  const trace::Program& program_;
  std::span<const trace::Site> sites_;
  std::shared_ptr<const trace::DecodedProgram> code_;
  std::vector<AccessPlan> plans_;
  model::AccessRules rules_;
  AddressPass pass_;
  ReplayedLaunch replayed_;
  std::vector<Recognised> recognised_;  // by site
  std::vector<std::size_t> arrays_;     // by site
  std::vector<SharedArray> shared_;
  std::map<std::pair<std::size_t, std::size_t>, Rewrite> rewrites_;  // by finding and change
  std::vector<LaunchCandidate> launch_changes_;                      // LaunchExplanation::changes
  LaunchExplanation out_;
};

}  // namespace

Result<LaunchExplanation> explain(const trace::TraceReader& reader, std::uint32_t launch,
                                  const model::Card& card, const ExplainOptions& options) {
  return Explainer(reader, launch, card, options).run();
}

}  // namespace warpmem::sim
