#include "sim/memory_system.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "model/sm/async_copy.hpp"
#include "model/atomics/atomics.hpp"
#include "model/fast/match.hpp"
#include "model/shared/shared_banks.hpp"
#include "model/cache/tag_banks.hpp"
#include "model/fast/word_banks.hpp"

namespace warpmem::sim {
namespace {

using model::LineTouch;
using model::WarpAccess;
using trace::Record;

// Where the model keeps threads' local memory: above every address that a program can have.
constexpr std::uint64_t kLocalLine = std::uint64_t{1} << 41;

// All lanes, each on the word behind its neighbour's: what most accesses are.
bool one_after_another(const Record& r, std::uint32_t bytes) {
  return r.regular() && r.mask == ~0u && r.stride == static_cast<std::int32_t>(bytes);
}

// Cycles of the data stage, or `least` if they are fewer: 32 banks of 4 bytes, of which each serves
// one of its distinct words a cycle (measured at strides 1 to 63 and 4 and 8 bytes a lane).
std::uint32_t data_passes(const Record& r, std::uint32_t bytes, const std::uint64_t* lanes,
                          std::uint32_t least) {
  if (one_after_another(r, bytes)) [[likely]]
    return std::max(least, bytes / 4);
  const std::uint32_t words = std::max(1u, bytes / 4);
  const auto active = static_cast<std::uint32_t>(r.active());
  if (r.regular()) {
    const auto step = static_cast<std::uint32_t>(r.stride < 0 ? -r.stride : r.stride) / 4;
    if (step == 0) return least;
    if (step <= words) return std::max(least, active * words / 32);
    // Lanes start in every so manieth bank, and each covers `words` of them.
    const std::uint32_t apart = 1u << std::min(5, std::countr_zero(step));
    const std::uint32_t banks = 32 / apart * std::min(words, apart);
    return std::max(least, (active * words + banks - 1) / banks);
  }
  const std::uint64_t* const address = lanes + r.lanes;
  // Counting a word as often as it is wanted is cheap, and mostly says that it does not matter.
  if (words == 1 && active == model::kWarpLanes && model::wanted_of_a_bank(address) <= least)
    return least;
  std::array<std::uint8_t, 32> n{};  // words of each bank
  const auto most = [&n] { return std::uint32_t{model::most_of_32(n.data())}; };
  for (std::uint32_t w = 0; w < words; ++w)
    for (std::uint32_t i = 0; i < active; ++i) ++n[(address[i] / 4 + w) % 32];
  if (most() <= least) return least;
  n = {};
  std::array<std::uint64_t, 256> seen{};  // words, open addressing; 0: free
  for (std::uint32_t i = 0; i < active; ++i) {
    const std::uint64_t first = address[i] / 4;
    for (std::uint64_t word = first; word < first + words; ++word) {
      std::size_t at = (word * 0x9e3779b97f4a7c15ull) >> 56;
      while (seen[at] != 0 && seen[at] != word + 1) at = (at + 1) % seen.size();
      if (seen[at] != 0) continue;
      seen[at] = word + 1;
      ++n[word % 32];
    }
  }
  return std::max(least, most());
}

// In Place::async_wavefronts: worked out from both sides of the copy.
constexpr std::uint32_t kBothSides = 1u << 31;

WarpAccess expand(const Record& r, std::uint32_t bytes, const std::uint64_t* lanes) {
  WarpAccess a;
  a.mask = r.mask;
  a.bytes = bytes;
  if (r.regular()) {
    for (int l = 0; l < model::kWarpLanes; ++l)
      a.address[l] = r.base + static_cast<std::uint64_t>(static_cast<std::int64_t>(r.stride) * l);
  } else if (r.mask == ~0u) {
    std::copy_n(lanes + r.lanes, model::kWarpLanes, a.address.begin());
  } else {
    const std::uint64_t* next = lanes + r.lanes;
    for (std::uint32_t rest = r.mask; rest; rest &= rest - 1) a.address[std::countr_zero(rest)] = *next++;
  }
  return a;
}

std::uint64_t first_address(const Record& r, const std::uint64_t* lanes) {
  if (!r.regular()) return lanes[r.lanes];
  return r.base + static_cast<std::uint64_t>(static_cast<std::int64_t>(r.stride) * std::countr_zero(r.mask));
}

// Lines of an access; a run of neighbouring lanes on neighbouring words takes the short way.
void list_lines(const Record& r, std::uint32_t bytes, const std::uint64_t* lanes, bool with_bytes, model::LineList& out) {
  if (!r.regular()) return model::touch_addresses(lanes + r.lanes, r.active(), bytes, with_bytes, out);
  if (one_after_another(r, bytes))
    return model::touch_contiguous(r.base, std::uint64_t{model::kWarpLanes} * bytes, with_bytes,
                                   out);
  if (r.mask) {
    const int first = std::countr_zero(r.mask);
    const std::uint32_t run = r.mask >> first;
    if (r.stride == 0) return model::touch_contiguous(r.base, bytes, with_bytes, out);
    if (r.stride == static_cast<std::int32_t>(bytes) && (run & (run + 1)) == 0)
      return model::touch_contiguous(r.base + static_cast<std::uint64_t>(first) * bytes,
                                     static_cast<std::uint64_t>(std::bit_width(run)) * bytes, with_bytes, out);
  }
  model::touch_lines(expand(r, bytes, lanes), with_bytes, out);
}

}  // namespace

MemorySystem::MemorySystem(const model::Card& card)
    : card_(card), latency_l1_(card.numbers().latency_l1), l2_(card.l2()) {}

void MemorySystem::begin_launch(const trace::Launch& launch, std::uint64_t code,
                                std::uint64_t shared_config, std::uint64_t largest_frame, bool flush_l2) {
  model::L1Cache::Spec spec;
  spec.lines = card_.l1_lines(shared_config);
  spec.sets = card_.l1_sets();
  if (l1_.empty() || l1_.front().spec() != spec) {
    l1_.clear();
    l1_memory_.release();
    l1_.reserve(card_.numbers().sm_count);
    while (l1_.size() < card_.numbers().sm_count) l1_.emplace_back(spec, &l1_memory_);
  } else {
    for (model::L1Cache& l1 : l1_) l1.reset();
  }
  stores_.assign(card_.numbers().sm_count,
                 model::StoreQueue(static_cast<std::uint32_t>(card_.numbers().l1_store_entries),
                                   static_cast<std::uint32_t>(card_.numbers().l1_store_cycles)));
  if (flush_l2) l2_.flush(card_.numbers().launch_dirty_sectors);
  else l2_.settle();
  l2_.set_aside(launch.set_aside);
  l2_.counters() = {};
  l2_.fetch_code(code, flush_l2);
  counters_ = {};
  product_bytes_ = 0;
  host_.clear();
  for (const trace::Allocation& a : launch.allocations)
    if (a.kind == trace::AllocationKind::kHost) host_.push_back(a);
  window_ = launch.window;
  plain_ = host_.empty() && window_.bytes == 0;
  const model::CardNumbers& n = card_.numbers();
  if (path_) ports_.assign(n.sm_count, {});
  remote_read_ = n.remote_read * model::kTicks / 1000;
  remote_write_ = n.remote_write * model::kTicks / 1000;
  local_ = LocalMemory(launch.local_bytes, largest_frame, n.sm_warps);
}

void MemorySystem::starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) {
  ports_[static_cast<std::size_t>(sm)].takes_reads(cycle, warps * card_.numbers().shared_warp_start);
}

LaunchCounters MemorySystem::finish_launch() {
  l2_.counters().launch_read += card_.numbers().launch_l2_read_sectors;
  l2_.counters().dram_read += card_.numbers().launch_dram_read_sectors;
  l2_.counters().fabric_launch += card_.numbers().launch_fabric_sectors;
  counters_.l2 = l2_.counters();
  return counters_;
}

bool MemorySystem::in_host_memory(std::uint64_t line) const {
  const std::uint64_t address = line * model::kLineBytes;
  auto it = std::upper_bound(host_.begin(), host_.end(), address,
                             [](std::uint64_t a, const trace::Allocation& h) { return a < h.base; });
  return it != host_.begin() && address < std::prev(it)->base + std::prev(it)->bytes;
}

bool MemorySystem::persists(std::uint64_t line) const {
  constexpr std::uint8_t kPersisting = 2;
  const std::uint64_t address = line * model::kLineBytes;
  if (address < window_.base || address >= window_.base + window_.bytes || window_.hit != kPersisting) return false;
  // The hit ratio picks a fixed share of the lines.
  return static_cast<float>(line * 0x9e3779b97f4a7c15ull >> 40) < window_.hit_ratio * 16777216.0f;
}

// From the L2, or from host memory: the cycle in which it is back.
std::uint64_t MemorySystem::read_beyond(const Place& place, std::uint64_t at, std::uint64_t line, const model::L2Cache::Route& route, std::uint8_t sectors, std::uint32_t fetch,
                                        const model::MemoryPath::Seat* seat, bool apart) {
  if (!plain_ && in_host_memory(line)) [[unlikely]]
    return l2_.read_host(sectors, at);
  const bool persist = window_.bytes != 0 && persists(line);
  return l2_.read(place.sm, line, route, sectors, at, fetch, persist, seat, apart);
}

// Sectors that are read past the L1 come to shared memory, a sector takes it so long.
void MemorySystem::lands(int sm, std::uint64_t cycle, std::uint8_t sectors, std::uint64_t millicycles) {
  if (path_) ports_[static_cast<std::size_t>(sm)].takes_writes(cycle, model::sectors_in(sectors) * millicycles);
}

std::uint64_t MemorySystem::read_l2(Place& place, std::uint64_t at, std::uint64_t line, const model::L2Cache::Route& route, std::uint8_t sectors, std::uint32_t fetch,
                                    const model::MemoryPath::Seat* seat, bool apart) {
  if (!sectors) return place.now;
  place.left_sm = true;
  ++place.missed;
  counters_.l1_fill_sectors += model::sectors_in(sectors);
  const std::uint64_t back = read_beyond(place, at, line, route, sectors, fetch, seat, apart);
  place.done = std::max(place.done, back);
  return back;
}

// A store to a line that still waits to leave the SM travels with it: sectors that wait already are
// not sent again.
inline void MemorySystem::write_l2(Place& place, const LineTouch& touch, const model::L2Cache::Route& route,
                                   std::uint64_t tags, std::uint64_t data) {
  model::StoreQueue& queue = stores_[static_cast<std::size_t>(place.sm)];
  const model::StoreQueue::Taken taken = queue.take(touch.line, touch.sectors, std::max(tags, place.held), data);
  place.held = std::max(place.held, taken.at);
  send(place, touch, route, taken.again, taken.opens, std::max(place.now, taken.at));
  // Where stores queue, a later one finds the earlier one still there.
  queue.keep_until(place.sent);
}

inline void MemorySystem::send(Place& place, const LineTouch& touch, const model::L2Cache::Route& route, std::uint8_t again,
                        bool opens, std::uint64_t at) {
  const auto sectors = static_cast<std::uint8_t>(touch.sectors & ~again);
  counters_.l1_write_sectors += model::sectors_in(sectors);
  place.left_sm = true;
  const std::uint64_t there =
      !plain_ && in_host_memory(touch.line)
          ? l2_.write_host(sectors, place.sm, at)
          : l2_.write(place.sm, touch.line, route, touch.sectors, touch.full, touch.bytes.data(), again, opens, at);
  place.stored = std::max(place.stored, there);
  place.sent = std::max(place.sent, l2_.sent(at));
}

// Lines of strangers miss the host's caches one after the other unless they are all asked for first.
void MemorySystem::prepare(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, int sm, Lines& out) {
  const bool load = plan.action == Action::kGlobalLoad;
  if (plan.bytes == 4 && one_after_another(r, 4) && r.base % model::kLineBytes == 0) [[likely]]
    model::touch_contiguous(r.base, model::kLineBytes, !load, out);
  else list_lines(r, plan.bytes, lanes, !load, out);
  model::L1Cache& l1 = l1_[static_cast<std::size_t>(sm)];
  const bool store = plan.action == Action::kGlobalStore;
  const auto count = static_cast<std::size_t>(out.count);
  if (count == 1) {
    out.l1.put(0, l1.seat(out.line[0]));
    out.put(0, l2_.route(out.line[0]));
    l1.prefetch(out.l1[0]);
    l2_.prefetch(sm, out.route(0), store);
  } else {
    const model::LineWords words(out);
    l1.seats(out, words, out.l1);
    l2_.route(out, words);
    l1.prefetch(out.l1, count);
    if (!store) l2_.prefetch_reads(sm, out);
    else
      for (std::size_t i = 0; i < count; ++i) l2_.prefetch(sm, out.route(i), true);
  }
  if (path_ && plan.action != Action::kGlobalStore) [[unlikely]]
    prepare_ways(sm, out);
}

void MemorySystem::prepare_ways(int sm, Lines& out) {
  if (!out.way) out.way = std::make_unique<model::MemoryPath::Seats>();
  if (out.count == 1) out.way->put(0, path_->seat(out.line[0]));
  else path_->seats(out, *out.way);
  for (std::size_t i = 0; i < static_cast<std::size_t>(out.count); ++i)
    l2_.prefetch_way(sm, out.line[i], out.route(i), (*out.way)[i]);
}

void MemorySystem::run(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place, const Lines* prepared) {
  ++counters_.records;
  place.done = place.stored = place.sent = place.now;
  place.passes = place.tag_passes = 1;
  place.held = 0;
  place.left_sm = false;
  place.missed = 0;
  if (plan.empties_before) [[unlikely]]
    empty_l1(place.sm);
  if (!r.mask) return;
  if (plan.instructions) ++(counters_.*plan.instructions);
  access(r, plan, lanes, place, prepared);
  if (plan.empties_behind) [[unlikely]]
    empty_l1(place.sm);
}

void MemorySystem::empty_l1(int sm) { l1_[static_cast<std::size_t>(sm)].invalidate(kLocalLine); }

inline void MemorySystem::access(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place, const Lines* prepared) {
  switch (plan.action) {
    case Action::kGlobalLoad:
    case Action::kAsyncRead:
    case Action::kGlobalStore:
      if (!prepared) {
        prepare(r, plan, lanes, place.sm, lines_);
        prepared = &lines_;
      }
      if (plan.action == Action::kGlobalStore) global_store(r, plan, lanes, place, *prepared);
      else global_load(r, plan, lanes, place, *prepared);
      break;
    case Action::kGlobalAtomic: global_atomic(r, plan, lanes, place); break;
    case Action::kLocalLoad:
    case Action::kLocalStore: local_access(r, plan, lanes, place); break;
    case Action::kShared:
    case Action::kAsyncWrite: shared_access(r, plan, lanes, place); break;
    case Action::kRemote: remote_access(r, plan, lanes, place); break;
    case Action::kProductRead: product_read(plan); break;
    case Action::kBulkRead:
    case Action::kBulkReduce:
    case Action::kBulkWrite: bulk(r, plan, lanes, place); break;
    default: break;
  }
}

// Lines of textures and surfaces lie in the L1 beside those of global memory. A sector that an earlier
// request of the access asked for counts as a hit; misses on a line leave together.
void MemorySystem::texture(const model::TextureAccess& access, const SitePlan& plan, Place& place) {
  const bool store = plan.action == Action::kSurfaceStore;
  OpCounters& c = plan.action == Action::kTexture ? counters_.texture : store ? counters_.surface_st : counters_.surface_ld;
  counters_.records += static_cast<std::uint64_t>(access.texels);
  model::texture_traffic(access, store, texels_);
  c.requests += texels_.requests;
  c.sectors += texels_.sectors;
  c.hits += texels_.sectors;
  place.passes = place.tag_passes = texels_.cycles;
  place.held = 0, place.missed = 0;
  place.left_sm = false;
  place.stored = place.now;
  const model::CardNumbers& n = card_.numbers();
  const std::uint64_t hit = place.now + texels_.cycles + n.latency_texture + (plan.by_number ? 0 : n.latency_coordinates) +
                            (access.texels > 1 ? n.latency_filter : 0);
  place.done = store ? place.now + texels_.cycles : 0;
  model::L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  for (int i = 0; i < texels_.count; ++i) {
    const LineTouch& t = texels_.line[static_cast<std::size_t>(i)];
    const std::uint64_t at = place.now + static_cast<std::uint64_t>(i) * texels_.cycles / static_cast<std::uint64_t>(texels_.count);
    if (store) {
      if (l1.store(t.line, t.sectors, t.full, t.bytes.data())) c.hits += model::sectors_in(t.sectors);
      // They do not wait for others to join them (measured: stores of several warps to the same places).
      send(place, t, l2_.route(t.line), 0, true, at);
      continue;
    }
    const std::uint8_t missing = l1.load(t.line, t.sectors);
    c.hits -= model::sectors_in(missing);
    read_l2(place, at, t.line, l2_.route(t.line), missing, 0);
  }
  // What misses comes through the unit's own stages as well.
  if (!store) place.done = std::max(hit, place.left_sm ? place.done + (hit - place.now - latency_l1_) : 0);
}

// Wavefronts of a copy through the L1. Where its shared side is not known, as many at least as it has
// lines: data arrives line by line.
std::uint32_t MemorySystem::async_wavefronts(const Record& r, const SitePlan& plan, const std::uint64_t* lanes,
                                             const Place& place, std::uint32_t lines) {
  if (!place.shared || place.shared->mask != r.mask) return lines;
  return kBothSides | static_cast<std::uint32_t>(model::copy_wavefronts(expand(r, plan.bytes, lanes), expand(*place.shared, plan.bytes, lanes)));
}

// Where the shared side is not known, it is taken to lie as the source does.
void MemorySystem::copy_past_l1(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place, const Lines& lines) {
  const WarpAccess from = expand(r, plan.bytes, lanes);
  const bool both = place.shared && place.shared->mask == r.mask;
  const model::PastL1 copy = model::copy_past_l1(from, both ? expand(*place.shared, plan.bytes, lanes) : from);
  place.async_wavefronts = static_cast<std::uint32_t>(copy.count) | (both ? kBothSides : 0);
  place.passes = std::max(place.passes, static_cast<std::uint32_t>(copy.output_wavefronts));
  counters_.tag_wavefronts_ld += static_cast<std::uint64_t>(copy.output_wavefronts) - place.tag_passes;
  counters_.global_ld.sectors += static_cast<std::uint64_t>(copy.sectors);
  // The profiler counts a sector for each request that asks for it.
  counters_.theoretical_global -= static_cast<std::uint64_t>(model::sector_count(lines));
  for (int i = 0; i < copy.count; ++i) {
    const model::PastL1::Request& q = copy.request[static_cast<std::size_t>(i)];
    const auto at = static_cast<std::size_t>(std::find(lines.line.begin(), lines.line.begin() + lines.count, q.line) - lines.line.begin());
    counters_.theoretical_global += model::sectors_in(q.sectors);
    const std::uint64_t back = read_l2(place, place.tags, q.line, lines.route(at), q.sectors, plan.fetch_sectors, nullptr, true);
    lands(place.sm, back, q.sectors, card_.numbers().shared_async_write);
  }
}

// What most loads are; an asynchronous copy through the L1 is another.
inline void MemorySystem::load_line(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place, const Lines& lines) {
  const std::uint64_t sectors = model::sectors_in(lines.sectors[0]);
  ++counters_.global_ld.requests;
  ++counters_.tag_requests;
  ++counters_.tag_wavefronts_ld;
  counters_.theoretical_global += sectors;
  counters_.global_ld.sectors += sectors;
  if (plan.action == Action::kAsyncRead) {
    place.async_wavefronts = async_wavefronts(r, plan, lanes, place, 1);
    ++counters_.ldgsts.requests;
    counters_.ldgsts.sectors += sectors;
  }
  place.tag_passes = 1;
  place.passes = data_passes(r, plan.bytes, lanes, 1);
  place.done = place.now + latency_l1_ + place.passes;
  model::L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  const auto words = [&](std::uint64_t line) { return model::touched_words(expand(r, plan.bytes, lanes), line); };
  const model::L1Cache::Loaded one =
      l1.load(lines.line[0], lines.l1[0], lines.sectors[0], model::AskedWords(words), !plan.no_allocate);
  if (!one.missing) {
    counters_.global_ld.hits += sectors;
    place.done = std::max(place.done, one.arrival);
    return;
  }
  const unsigned missing = model::sectors_in(one.missing);
  counters_.global_ld.hits += sectors - missing;
  counters_.l1_fill_sectors += missing;
  place.left_sm = true;
  ++place.missed;
  model::MemoryPath::Seat way;
  if (path_) way = (*lines.way)[0];
  const std::uint64_t done =
      plain_ ? l2_.read(place.sm, lines, one.missing, place.tags, plan.fetch_sectors, path_ ? &way : nullptr)
             : read_beyond(place, place.tags, lines.line[0], lines.route(0), one.missing, plan.fetch_sectors, path_ ? &way : nullptr);
  place.done = std::max(place.done, done);
  l1.arrives(one.entry, place.done);
}

void MemorySystem::global_load(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place, const Lines& lines) {
  if (lines.count == 1 && !plan.bypass_l1) return load_line(r, plan, lanes, place, lines);
  const bool async = plan.action == Action::kAsyncRead;
  const auto sectors = static_cast<std::uint64_t>(model::sector_count(lines));
  const auto count = static_cast<std::uint64_t>(lines.count);
  ++counters_.global_ld.requests;
  counters_.tag_requests += count;
  counters_.theoretical_global += sectors;
  const auto tags = static_cast<std::uint32_t>(model::tag_passes_of_sets(lines.l1.set.data(), count));
  counters_.tag_wavefronts_ld += tags;
  place.tag_passes = tags;
  place.passes = data_passes(r, plan.bytes, lanes, tags);
  place.done = place.now + latency_l1_ + place.passes;
  if (async && plan.bypass_l1) return copy_past_l1(r, plan, lanes, place, lines);
  if (async) {
    place.async_wavefronts = async_wavefronts(r, plan, lanes, place, static_cast<std::uint32_t>(count));
    ++counters_.ldgsts.requests;
    counters_.ldgsts.sectors += sectors;
  }
  counters_.global_ld.sectors += sectors;
  if (plan.bypass_l1) {
    for (std::size_t i = 0; i < count; ++i)
      read_l2(place, place.tags, lines.line[i], lines.route(i), lines.sectors[i], plan.fetch_sectors);
    return;
  }
  model::L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  model::L1Cache::Misses missed;
  const auto words = [&](std::uint64_t line) { return model::touched_words(expand(r, plan.bytes, lanes), line); };
  l1.load(lines, lines.l1, model::AskedWords(words), !plan.no_allocate, missed);
  const std::uint64_t misses = model::sectors_in(missed.sectors, missed.count);
  counters_.global_ld.hits += sectors - misses;
  std::array<std::uint64_t, Lines::kMost> done;
  if (missed.count > 0) {
    place.left_sm = true;
    place.missed += static_cast<std::uint32_t>(missed.count);
    counters_.l1_fill_sectors += misses;
    if (plain_) [[likely]] {
      l2_.read(place.sm, lines, lines.way.get(), missed, place.tags, plan.fetch_sectors, done.data());
    } else {
      for (std::size_t k = 0; k < missed.count; ++k) {
        const std::size_t at = missed.index[k];
        done[at] = read_beyond(place, place.tags, lines.line[at], lines.route(at), missed.sectors[k], plan.fetch_sectors);
      }
    }
  }
  place.done = std::max(l1.arrive(missed, done.data(), place.done), missed.hit);
}

// What most stores are.
inline void MemorySystem::store_line(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place, const Lines& lines) {
  const std::uint8_t sectors = lines.sectors[0];
  const std::uint64_t n = model::sectors_in(sectors);
  place.passes = data_passes(r, plan.bytes, lanes, 1);
  place.tag_passes = 1;
  ++counters_.global_st.requests;
  counters_.global_st.sectors += n;
  ++counters_.tag_requests;
  counters_.theoretical_global += n;
  const auto sm = static_cast<std::size_t>(place.sm);
  if (l1_[sm].store(lines.line[0], lines.l1[0], sectors, lines.full[0], lines.bytes[0].data()))
    counters_.global_st.hits += n;
  model::StoreQueue& queue = stores_[sm];
  const model::StoreQueue::Taken taken = queue.take(lines.line[0], sectors, place.tags, place.now + place.passes);
  const std::uint64_t at = std::max(place.now, taken.at);
  place.held = taken.at;
  place.left_sm = true;
  counters_.l1_write_sectors += model::sectors_in(sectors & ~taken.again);
  place.stored = std::max(place.stored, l2_.write(place.sm, lines, taken.again, taken.opens, at));
  place.sent = l2_.sent(at);
  queue.keep_until(place.sent);
}

void MemorySystem::global_store(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place, const Lines& lines) {
  if (lines.count == 1 && plain_) return store_line(r, plan, lanes, place, lines);
  const auto sectors = static_cast<std::uint64_t>(model::sector_count(lines));
  place.passes = data_passes(r, plan.bytes, lanes, 1);
  const auto count = static_cast<std::uint64_t>(lines.count);
  place.tag_passes = static_cast<std::uint32_t>(count == 1 ? 1 : model::tag_passes(lines));
  ++counters_.global_st.requests;
  counters_.global_st.sectors += sectors;
  counters_.tag_requests += count;
  counters_.theoretical_global += sectors;
  model::L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  const auto store = [&](std::size_t i, std::uint64_t tags, std::uint64_t data) {
    const LineTouch t = lines[static_cast<int>(i)];
    if (l1.store(t.line, lines.l1[i], t.sectors, t.full, t.bytes.data()))
      counters_.global_st.hits += model::sectors_in(t.sectors);
    write_l2(place, t, lines.route(i), tags, data);
  };
  if (count == 1) return store(0, place.tags, place.now + place.passes);
  for (std::size_t i = 0; i < count; ++i)
    store(i, place.tags + i * place.tag_passes / count, place.now + (i + 1) * place.passes / count);
}

void MemorySystem::global_atomic(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place) {
  const WarpAccess a = expand(r, plan.bytes, lanes);
  const model::AtomicTraffic t = model::atomic_traffic(a, plan.compare_and_swap);
  OpCounters& c = plan.returns ? counters_.global_atom : counters_.global_red;
  const auto passes = static_cast<std::uint64_t>(t.sectors);
  ++c.requests;
  c.sectors += passes;
  counters_.tag_requests += static_cast<std::uint64_t>(t.lines);
  counters_.theoretical_global += static_cast<std::uint64_t>(t.distinct);
  counters_.l1_write_sectors += passes;
  if (plan.returns) counters_.l1_fill_sectors += passes;
  (plan.returns ? l2_.counters().atomic_requests : l2_.counters().reduction_requests) += static_cast<std::uint64_t>(t.requests);
  place.passes = std::max(1u, static_cast<std::uint32_t>(t.requests));
  place.left_sm = true;
  model::L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  for (int i = 0; i < t.distinct; ++i) {
    l1.drop(t.sector[i] / 4, static_cast<std::uint8_t>(1u << t.sector[i] % 4));
    // The rounds of a line are requests of their own, whichever of its sectors they need.
    bool first = true;
    int rounds = t.passes[i], alone = 0;
    for (int k = 0; k < t.distinct; ++k) {
      if (t.sector[k] / 4 != t.sector[i] / 4) continue;
      first &= k >= i;
      rounds = std::max(rounds, t.passes[k]);
      alone += t.alone[k];
    }
    model::L2Cache::AtomicWork work;
    work.partly = static_cast<std::uint32_t>(t.passes[i] - t.whole[i]);
    if (first) work.headed = static_cast<std::uint32_t>(std::max(0, rounds - alone));
    place.done = std::max(place.done, l2_.atomic(place.sm, t.sector[i], t.passes[i], plan.returns,
                                                 place.now, work));
  }
  place.stored = place.done;
}

// Wider accesses take a request a word (measured: kernels/micro/instructions.cu).
void MemorySystem::local_access(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place) {
  const WarpAccess a = expand(r, plan.bytes, lanes);
  const bool store = plan.action == Action::kLocalStore;
  OpCounters& c = store ? counters_.local_st : counters_.local_ld;
  const std::uint64_t area = kLocalLine + local_.area(static_cast<std::uint64_t>(place.sm), place.warp_slot);
  const std::uint64_t words = std::max<std::uint64_t>(1, plan.bytes / 4);
  place.passes = static_cast<std::uint32_t>(words);
  place.done = place.now + card_.numbers().latency_l1;
  model::L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  for (std::uint64_t k = 0; k < words; ++k) {
    ++c.requests;
    lines_.count = 0;
    for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      const std::uint64_t line = area + local_.word(a.address[l], k);
      auto at = static_cast<std::size_t>(lines_.count);
      while (at > 0 && lines_.line[at - 1] != line) --at;
      if (at == 0) {
        at = static_cast<std::size_t>(++lines_.count);
        lines_.line[at - 1] = line;
        lines_.sectors[at - 1] = lines_.full[at - 1] = 0;
        lines_.bytes[at - 1] = {};
      }
      --at;
      const auto s = static_cast<std::size_t>(l / 8);
      lines_.sectors[at] = static_cast<std::uint8_t>(lines_.sectors[at] | 1u << s);
      const std::uint32_t width = std::min<std::uint32_t>(4, plan.bytes);
      std::uint32_t& bytes = lines_.bytes[at][s];
      bytes |= (width == 4 ? 15u : (1u << width) - 1) << (l % 8 * 4 + static_cast<int>(a.address[l] % 4));
      if (bytes == ~0u) lines_.full[at] = static_cast<std::uint8_t>(lines_.full[at] | 1u << s);
    }
    const auto sectors = static_cast<std::uint64_t>(model::sector_count(lines_));
    c.sectors += sectors;
    counters_.theoretical_local += sectors;
    for (int i = 0; i < lines_.count; ++i) {
      const LineTouch t = lines_[i];
      if (store) {
        if (l1.store(t.line, t.sectors, t.full, t.bytes.data())) c.hits += model::sectors_in(t.sectors);
        write_l2(place, t, l2_.route(t.line), place.tags + k, place.now + k + 1);
      } else {
        const auto asked = [&](std::uint64_t) { return model::touched_words(t); };
        const model::AskedWords words(asked);
        const std::uint8_t missing =
            plan.last_use ? l1.load_last(t.line, t.sectors, words) : l1.load(t.line, t.sectors, true, words);
        c.hits += model::sectors_in(t.sectors) - model::sectors_in(missing);
        read_l2(place, place.now, t.line, l2_.route(t.line), missing, 0);
      }
    }
  }
}

void MemorySystem::shared_access(const Record& r, const SitePlan& plan, const std::uint64_t* lanes,
                                 Place& place) {
  if (plan.action == Action::kAsyncWrite) {
    // Data arrives line by line of the source, and is written as it comes.
    const auto passes = static_cast<std::uint32_t>(
        model::shared_passes(expand(r, plan.bytes, lanes), model::SharedKind::kStore).taken);
    const std::uint32_t n = place.async_wavefronts;
    counters_.shared_wavefronts += n & kBothSides ? n & ~kBothSides : std::max(passes, n);
    place.passes = passes;
    return;
  }
  model::SharedPasses passes{1, 1, 1};
  const bool one_a_lane =
      plan.shared == model::SharedKind::kCompareAndSwap || plan.shared == model::SharedKind::kAttempt;
  if (plan.bytes != 4 || !one_after_another(r, 4) || one_a_lane)
    passes = model::shared_passes(expand(r, plan.bytes, lanes), plan.shared);
  const bool load = plan.shared == model::SharedKind::kLoad || plan.instructions == &LaunchCounters::inst_ldsm;
  const bool store = plan.shared == model::SharedKind::kStore || plan.instructions == &LaunchCounters::inst_stsm;
  auto taken = static_cast<std::uint32_t>(passes.taken);
  auto conflicts = static_cast<std::uint32_t>(passes.taken - passes.groups);
  if (path_ && (load || store)) {
    model::DataPorts& ports = ports_[static_cast<std::size_t>(place.sm)];
    const std::uint32_t lost = load ? ports.lost_reads(place.now, taken) : ports.lost_writes(place.now, taken);
    taken += lost;
    conflicts += lost;
  }
  counters_.shared_wavefronts += static_cast<std::uint32_t>(passes.reported);
  place.passes = taken;
  place.done = place.now + card_.numbers().latency_shared + 1;
  if (taken > 1) place.done += (taken - 1) * card_.numbers().latency_conflict;
  if (load) {
    counters_.shared_wavefronts_ld += taken;
    counters_.shared_conflicts_ld += conflicts;
  } else if (store) {
    counters_.shared_wavefronts_st += taken;
    counters_.shared_conflicts_st += conflicts;
  }
}

// The matrices of a warpgroup's product come by whole wavefronts of 128 bytes, wherever they lie and
// once for all four warps, each of which has a record of them (measured: kernels/micro/wgmma_reads.cu).
// No load counts them.
void MemorySystem::product_read(const SitePlan& plan) {
  constexpr std::uint64_t kWavefront = 4 * 128;
  product_bytes_ += plan.bytes;
  counters_.shared_wavefronts += product_bytes_ / kWavefront;
  product_bytes_ %= kWavefront;
}

// Shared memory of another SM of the cluster: its words travel in sectors from SM to SM, past the
// L2. Both SMs' ports count them, whichever way they go (measured: cluster reads and writes,
// kernels/micro/instructions.cu remote_shared).
void MemorySystem::remote_access(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place) {
  std::uint64_t sectors = 0;
  if (plan.returns) {
    sectors = static_cast<std::uint64_t>(model::atomic_traffic(expand(r, plan.bytes, lanes), plan.compare_and_swap).sectors);
  } else {
    list_lines(r, plan.bytes, lanes, false, lines_);
    sectors = static_cast<std::uint64_t>(model::sector_count(lines_));
  }
  // An atomic or a reduction has operands to carry there and an answer to carry back (measured: the
  // suite's cluster_histogram, 34,602 sectors each way for 17,300).
  const std::uint64_t ways = plan.returns ? 2 : 1;
  counters_.remote_sectors += ways * sectors;
  counters_.l1_fill_sectors += ways * sectors;
  counters_.l1_write_sectors += ways * sectors;
  if (!path_) {
    place.done = place.now + card_.numbers().latency_l2_near;
    return;
  }
  const bool read = plan.returns || plan.instructions == &LaunchCounters::inst_generic_ld;
  const bool write = plan.returns || !read;
  const std::uint64_t ticks = sectors * ((read ? remote_read_ : 0) + (write ? remote_write_ : 0));
  const std::uint64_t start = path_->remote(place.sm, ways * sectors, ticks, place.now);
  place.done = start + ticks / model::kTicks + card_.numbers().latency_remote;
  if (!read || plan.returns) place.stored = place.done;
  // Work that the port has no time for stays in the load/store unit's queue.
  place.held = start - std::min(start, card_.numbers().time_queue_cycles);
}

// Bulk copies pass by the L1, 128 bytes at a time from the start of the copy: a piece that straddles
// a line touches one sector more (measured at 16 bytes of skew).
void MemorySystem::bulk(const Record& r, const SitePlan& plan, const std::uint64_t* lanes, Place& place) {
  std::uint64_t address = first_address(r, lanes);
  std::uint64_t left = plan.bytes;
  while (left > 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(left, model::kLineBytes);
    model::touch_contiguous(address, piece, true, lines_);
    for (int i = 0; i < lines_.count; ++i) {
      const LineTouch t = lines_[i];
      if (path_ && plan.action != Action::kBulkRead)
        ports_[static_cast<std::size_t>(place.sm)].takes_reads(place.now, model::sectors_in(t.sectors) * card_.numbers().shared_bulk_read);
      if (plan.action == Action::kBulkReduce) {
        ++l2_.counters().reduction_requests;
        counters_.global_bulk_red += model::sectors_in(t.sectors);
        counters_.l1_write_sectors += model::sectors_in(t.sectors);
        // One header a line (measured: kernels/micro/bulk_rates.cu add, 5.0 cycles a line, where a store of it takes 4.0).
        model::L2Cache::AtomicWork work;
        work.headed = 1;
        for (unsigned k = 0; k < 4; ++k)
          if (t.sectors >> k & 1) {
            work.partly = t.full >> k & 1 ? 0 : 1;
            place.stored = std::max(place.stored, l2_.atomic(place.sm, t.line * 4 + k, 1, false, place.now, work));
            work.headed = 0;
          }
      } else if (plan.action == Action::kBulkRead) {
        const std::uint64_t back = read_l2(place, place.now, t.line, l2_.route(t.line), t.sectors, 0);
        lands(place.sm, back, t.sectors, card_.numbers().shared_bulk_write);
      } else send(place, t, l2_.route(t.line), 0, true, place.now);
    }
    address += piece;
    left -= piece;
    // The SM's copy engine takes one piece after the other.
    if (path_) place.now += card_.numbers().bulk_cycles;
  }
}

}  // namespace warpmem::sim
