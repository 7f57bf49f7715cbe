#include "sim/explain/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/units.hpp"

namespace warpmem::sim {
namespace {

constexpr double kExcess = 1.02;           // from which on an excess is worth a word
constexpr std::uint64_t kStructure = 256;  // bytes: larger ones are taken for rows of a matrix

template <class Do>
void each_lane(const model::WarpAccess& a, Do&& take) {
  for (unsigned l = 0; l < model::kWarpLanes; ++l)
    if (a.mask >> l & 1u) take(l, a.address[l]);
}

bool exceeds(std::uint64_t is, std::uint64_t ideal) {
  return static_cast<double>(is) > kExcess * static_cast<double>(ideal);
}

std::string elements(std::uint64_t bytes, std::uint32_t each) {
  if (each == 0 || bytes % each != 0) return byte_size(bytes);
  const std::uint64_t n = bytes / each;
  return fmt::format("{} element{} ({})", grouped(n), n == 1 ? "" : "s", byte_size(bytes));
}

// The places that lanes ask for within pieces of `stride` bytes, some of them.
std::set<std::uint64_t> fields(const SiteAddresses& site, std::uint64_t base,
                               std::uint64_t stride) {
  std::set<std::uint64_t> out;
  for (const SampledAccess& s : site.samples) {
    each_lane(s.access, [&](unsigned, std::uint64_t at) { out.insert((at - base) % stride); });
    if (out.size() > 8) break;
  }
  return out;
}

Recognised consecutive(const AccessPlan& plan, const SiteAddresses& site, const LaneStep& step) {
  Recognised r{AddressPattern::kMisaligned, {}, plan.bytes, 0, 0};
  std::set<std::uint64_t> starts;
  std::uint64_t jump = 0, run = 0, runs = 0;
  for (const SampledAccess& s : site.samples) {
    std::uint64_t last = 0;
    bool first = true;
    each_lane(s.access, [&](unsigned, std::uint64_t at) {
      if (first || at - last != plan.bytes) {
        starts.insert(at % 32), ++runs;
        if (!first && jump == 0) jump = at > last ? at - last : last - at;
      }
      first = false, last = at, ++run;
    });
  }
  if (step.share < 0.95 && runs > site.samples.size()) {
    r.pattern = AddressPattern::kStrided;
    const std::uint64_t mean = std::max<std::uint64_t>(1, run / runs);
    r.stride = jump + (mean - 1) * plan.bytes;
    r.sentence = fmt::format("runs of {} each, and then a jump of {}",
                             elements(mean * plan.bytes, plan.bytes), byte_size(jump));
    return r;
  }
  starts.erase(0);
  if (starts.size() == 1) {
    r.offset = *starts.begin();
    r.sentence = fmt::format("consecutive, but it starts {} behind the start of a 32-byte sector",
                             byte_size(r.offset));
  } else {
    r.sentence = "consecutive, but it starts at different places of a sector";
  }
  return r;
}

Recognised strided(const AccessPlan& plan, const SiteAddresses& site,
                   const trace::Allocation& array, std::uint64_t stride) {
  Recognised r{AddressPattern::kStrided, {}, stride, 0, 0};
  const std::set<std::uint64_t> at = fields(site, array.base, stride);
  r.field = *at.begin();
  if (at.size() == 1) {
    r.sentence = fmt::format("lanes are {} apart", elements(stride, plan.bytes));
    return r;
  }
  // Rows of a matrix fill it. Where they do not, and lanes are anywhere in them, indices wrap
  // around.
  const bool rows = array.bytes == 0 || array.bytes % stride == 0;
  if (!rows && at.size() > 2)
    return {AddressPattern::kScattered,
            fmt::format("lanes are at addresses without order: {:.1f} sectors a request",
                        static_cast<double>(site.sectors) / static_cast<double>(site.requests)),
            0, 0, 0};
  if (!rows || (stride <= kStructure && stride < 8 * plan.bytes)) {
    r.sentence = fmt::format("lanes are {} apart", elements(stride, plan.bytes));
    return r;
  }
  r.pattern = AddressPattern::kColumn;
  r.sentence = fmt::format("lanes go down a column of a matrix with rows of {}",
                           elements(stride, plan.bytes));
  return r;
}

// Of an atomic's lanes.
std::string one_word_sentence(const SiteAddresses& site) {
  return fmt::format("{:.1f} lanes change each word on average, one after the other",
                     static_cast<double>(site.lanes) / static_cast<double>(site.addresses));
}

Recognised of_sectors(const AccessPlan& plan, const SiteAddresses& site,
                      const trace::Allocation& array) {
  const bool atomic = plan.action == Action::kGlobalAtomic;
  if (atomic && 4 * site.addresses <= site.lanes && site.lanes > site.requests)
    return {AddressPattern::kOneWord, one_word_sentence(site), 0, 0, 0};
  if (!exceeds(site.sectors, site.ideal_sectors)) return {};
  const LaneStep step = lane_step(site.samples);
  const auto bytes = static_cast<std::uint64_t>(step.bytes < 0 ? -step.bytes : step.bytes);
  if (bytes == plan.bytes && step.share >= 0.5) return consecutive(plan, site, step);
  if (bytes > plan.bytes && step.share >= 0.5) return strided(plan, site, array, bytes);
  const double sectors = static_cast<double>(site.sectors) / static_cast<double>(site.requests);
  if (2 * site.went_on >= site.followed && site.followed > 0)
    return {AddressPattern::kRuns,
            fmt::format("each lane goes along a run of words of its own: {:.1f} sectors a request",
                        sectors),
            0, 0, 0};
  return {AddressPattern::kScattered,
          fmt::format("lanes are at addresses without order: {:.1f} sectors a request", sectors), 0,
          0, 0};
}

// Lanes of a bank, when they are so many bytes apart.
std::uint64_t lanes_of_a_bank(std::uint64_t stride, const model::CardNumbers& card) {
  const std::uint64_t all = card.shared_banks * card.shared_bank_bytes;
  const std::uint64_t common = std::gcd(stride, all);
  const std::uint64_t period = all / common;  // lanes until the same bank comes again
  return period == 0 ? 1 : std::max<std::uint64_t>(1, model::kWarpLanes / period);
}

Recognised of_banks(const AccessPlan& plan, const SiteAddresses& site,
                    const model::CardNumbers& card) {
  if (!exceeds(site.wavefronts, site.ideal_wavefronts)) return {};
  const LaneStep step = lane_step(site.samples);
  const auto bytes = static_cast<std::uint64_t>(step.bytes < 0 ? -step.bytes : step.bytes);
  const double passes = static_cast<double>(site.wavefronts) / static_cast<double>(site.requests);
  const bool atomic = plan.action == Action::kShared && model::takes_turns(plan.shared);
  if (atomic && 2 * site.addresses <= site.lanes)
    return {AddressPattern::kOneWord, one_word_sentence(site), 0, 0, 0};
  const bool meets = bytes > 0 && lanes_of_a_bank(bytes, card) > 1;
  if (bytes > plan.bytes && step.share >= 0.5 && bytes % card.shared_bank_bytes == 0 && meets)
    return {AddressPattern::kBankStride,
            fmt::format("lanes are {} words apart, so that {} of them are in one bank",
                        grouped(bytes / card.shared_bank_bytes), lanes_of_a_bank(bytes, card)),
            bytes, 0, 0};
  return {AddressPattern::kBankScattered,
          fmt::format("lanes meet in banks without order: {:.1f} passes a request", passes), 0, 0,
          0};
}

constexpr const char* kSpillSentence = "a register that did not find room is kept in local memory";
constexpr const char* kArraySentence =
    "an array whose index is known at run time only is kept in local memory";

Recognised of_local(const SiteAddresses& site) {
  std::set<std::uint64_t> at;
  for (const SampledAccess& s : site.samples)
    each_lane(s.access, [&](unsigned, std::uint64_t a) { at.insert(a); });
  if (at.size() <= 1) return {AddressPattern::kSpill, kSpillSentence, 0, 0, 0};
  return {AddressPattern::kLocalArray, kArraySentence, 0, 0, 0};
}

}  // namespace

LocalPlace local_place(const trace::DecodedLine& line) {
  using trace::Opcode;
  constexpr std::uint16_t kStackPointer = 1;  // R1
  const trace::SassInstruction* const in = line.sass();
  if (!in) return LocalPlace::kNotKnown;
  if (in->spill) return LocalPlace::kSpill;
  if (in->opcode != Opcode::kLDL && in->opcode != Opcode::kSTL) return LocalPlace::kNotKnown;
  const auto at =
      std::ranges::find(in->operands, trace::SassOperand::Kind::kMemory, &trace::SassOperand::kind);
  if (at == in->operands.end()) return LocalPlace::kNotKnown;
  return at->base == kStackPointer ? LocalPlace::kConstant : LocalPlace::kComputed;
}

void recognise_local(std::vector<Recognised>& all, const std::vector<LocalPlace>& places) {
  const bool arrays =
      std::ranges::any_of(places, [](LocalPlace p) { return p == LocalPlace::kComputed; });
  for (std::size_t s = 0; s < all.size(); ++s) {
    Recognised& r = all[s];
    if (r.pattern != AddressPattern::kSpill && r.pattern != AddressPattern::kLocalArray) continue;
    if (places[s] == LocalPlace::kNotKnown) continue;
    const bool array =
        places[s] == LocalPlace::kComputed || (places[s] == LocalPlace::kConstant && arrays);
    r.pattern = array ? AddressPattern::kLocalArray : AddressPattern::kSpill;
    r.sentence = array ? kArraySentence : kSpillSentence;
  }
}

LaneStep lane_step(const std::vector<SampledAccess>& samples) {
  std::map<std::int64_t, std::size_t> steps;
  std::size_t pairs = 0, same = 0;
  for (const SampledAccess& s : samples) {
    bool first = true;
    std::uint64_t last = 0;
    each_lane(s.access, [&](unsigned, std::uint64_t at) {
      if (!first) {
        ++pairs;
        if (at == last) ++same;
        else ++steps[static_cast<std::int64_t>(at - last)];
      }
      first = false, last = at;
    });
  }
  LaneStep out;
  if (pairs == 0) return out;
  out.same = static_cast<double>(same) / static_cast<double>(pairs);
  const auto most = std::max_element(
      steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == steps.end()) return out;
  out.bytes = most->first;
  out.share = static_cast<double>(most->second) / static_cast<double>(pairs - same);
  return out;
}

Recognised recognise(const AccessPlan& plan, const SiteAddresses& site,
                     const trace::Allocation& array, const model::CardNumbers& card) {
  if (site.requests == 0 || site.samples.empty()) return {};
  switch (plan.action) {
    case Action::kGlobalLoad:
    case Action::kGlobalStore:
    case Action::kGlobalAtomic:
    case Action::kAsyncRead: return of_sectors(plan, site, array);
    case Action::kShared:
    case Action::kAsyncWrite: return of_banks(plan, site, card);
    case Action::kLocalLoad:
    case Action::kLocalStore: return of_local(site);
    case Action::kConstant:
      if (!exceeds(site.addresses, site.requests)) return {};
      return {
          AddressPattern::kConstants,
          fmt::format("lanes ask for {:.1f} different constants, which come one after the other",
                      static_cast<double>(site.addresses) / static_cast<double>(site.requests)),
          0, 0, 0};
    default: return {};
  }
}

}  // namespace warpmem::sim
