#include "sim/probe/launches.hpp"

#include <algorithm>
#include <numeric>

#include "base/residency.hpp"

namespace warpmem::sim::probe {
namespace {

using model::CardNumbers;

constexpr std::uint64_t kArray = 0x7f0000000000;
constexpr std::uint64_t kLine = 128, kChunk = std::uint64_t{512} << 10;
constexpr std::uint64_t kWide = 256;  // bytes of a warp that loads 8 bytes a lane

std::uint32_t u32(std::uint64_t n) { return static_cast<std::uint32_t>(n); }

std::uint32_t most_threads(const CardNumbers& n) {
  // 512 a CTA before compute capability 2.0, whose SMs hold 1,024 or fewer.
  return u32(n.sm_threads <= 1024 ? std::min<std::uint64_t>(512, n.sm_threads) : 1024);
}

// Two launches of one kernel that differ in how much their warps do.
template <class Fill>
void add_pair(Plan& plan, std::uint64_t x, Launch launch, std::uint64_t less, std::uint64_t more,
              double amount, const Fill& fill) {
  const std::size_t first = plan.launches.size();
  for (const std::uint64_t n : {less, more}) {
    launch.fill = [=](Warp& w) { fill(w, n); };
    plan.launches.push_back(launch);
  }
  plan.pairs.push_back({x, first, first + 1, amount});
}

// A random order of so many lines, by Fisher and Yates; of very many, steps of a golden ratio.
std::vector<std::uint32_t> random_order(std::uint64_t lines, std::uint64_t most) {
  std::vector<std::uint32_t> out(std::min(lines, most));
  if (lines > most) {
    std::uint64_t step = static_cast<std::uint64_t>(static_cast<double>(lines) * 0.6180339887) | 1;
    while (std::gcd(step, lines) != 1) step += 2;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = u32(i * step % lines);
    return out;
  }
  std::iota(out.begin(), out.end(), 0u);
  std::uint64_t state = 0x9e3779b97f4a7c15ull;
  for (std::size_t i = out.size(); i > 1; --i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    std::swap(out[i - 1], out[(state >> 33) % i]);
  }
  return out;
}

// One thread goes through all lines once, and then on. Lines that no cache can keep come once.
void latency(const CardNumbers& n, const Options& o, Plan& plan) {
  constexpr std::uint64_t kLeast = 2048, kMost = 8192;
  const Kernel& kernel = plan.add(chase(o.past_l1 ? Through::kPastL1 : Through::kL1, o.indexed));
  const std::uint64_t kept = 5 * std::max(n.l2_bytes, n.l1_bytes) / 4 / kLine;
  for (const std::uint64_t x : o.at) {
    const std::uint64_t lines = std::max<std::uint64_t>(1, x / kLine);
    const auto order = std::make_shared<const std::vector<std::uint32_t>>(
        random_order(lines, std::max(kept, kMost + 16)));
    const std::uint64_t warm = lines > kept ? 16 : lines;
    const std::uint64_t steps = std::clamp(lines, kLeast, kMost);
    add_pair(plan, x, {&kernel, 1, 1, 0, {}, 0}, warm, warm + steps, static_cast<double>(steps),
             [&kernel, order](Warp& w, std::uint64_t loads) {
               for (std::uint64_t i = 0; i < loads; ++i)
                 w.access(kernel.loads[i % kernel.loads.size()],
                          kArray + kLine * (*order)[i % order->size()], 0, 1);
             });
  }
}

// A CTA an SM, whose warps read all of it in parallel, again and again. What the L1 keeps needs no
// more than a few SMs: others would do the same.
void l1_bandwidth(const CardNumbers& n, const Options& o, Plan& plan) {
  constexpr std::uint64_t kFew = 4;
  const Kernel& kernel = plan.add(read_rounds(8, 8));
  const std::uint32_t threads = most_threads(n);
  const std::uint64_t warps = threads / 32;
  for (const std::uint64_t x : o.at) {
    const std::uint64_t pieces = std::max<std::uint64_t>(1, x / kWide);
    const bool fits = x <= n.l1_bytes;
    const std::uint64_t sms = fits ? std::min(kFew, n.sm_count) : n.sm_count;
    // Rounds of eight loads; the first ones wait for memory.
    const std::uint64_t warm = std::clamp<std::uint64_t>((pieces + warps - 1) / warps, 64, 96);
    const std::uint64_t steps = fits ? 256 : 64;
    add_pair(plan, x, {&kernel, u32(sms), threads, 0, {}, 0}, warm, warm + steps,
             static_cast<double>(steps * warps * n.sm_count * kWide),
             [&kernel, pieces, warps](Warp& w, std::uint64_t loads) {
               for (std::uint64_t i = 0; i < loads; ++i)
                 w.access(kernel.loads[i % 8], kArray + kWide * ((w.number + i * warps) % pieces),
                          8);
             });
  }
}

// CTAs that read a chunk each, by turns.
void l2_bandwidth(const CardNumbers& n, const Options& o, Plan& plan) {
  const Through through = o.past_l1 ? Through::kPastL1 : Through::kL1;
  const Kernel& kernel = plan.add(read_rounds(8, 8, through));
  const std::uint64_t chunk = o.chunk;
  const std::uint32_t threads = most_threads(n);
  const std::uint64_t warps = threads / 32, loads = chunk / kWide / warps;
  const std::uint64_t wave = n.sm_count * (n.sm_threads / threads);
  for (const std::uint64_t x : o.at) {
    const std::uint64_t chunks = std::max<std::uint64_t>(1, x / chunk);
    const bool kept = x <= 2 * n.l2_bytes;
    const std::uint64_t waves = kept ? (chunks + wave - 1) / wave : 1;
    // The first wave's CTAs end when DRAM has answered, and the next one begins before all have.
    const std::uint64_t steady = o.past_l1 ? 1 : 0, counted = o.past_l1 ? 3 : 1;
    const std::uint64_t less = (waves + steady) * wave, more = less + counted * wave;
    const std::size_t first = plan.launches.size();
    for (const std::uint64_t ctas : {less, more}) {
      Launch launch{&kernel, u32(ctas), threads, 0, {}, 0};
      launch.fill = [&kernel, warps, loads, chunks, chunk](Warp& w) {
        const std::uint64_t base = kArray + w.cta % chunks * chunk;
        for (std::uint64_t i = 0; i < loads; ++i)
          w.access(kernel.loads[i % 8], base + kWide * (w.number + i * warps), 8);
      };
      plan.launches.push_back(std::move(launch));
    }
    plan.pairs.push_back({x, first, first + 1, static_cast<double>(counted * wave * chunk)});
  }
}

// As much shared memory a CTA as leaves room for so many of them.
std::uint32_t shared_for(const CardNumbers& n, std::uint64_t ctas) {
  const std::uint64_t most = n.shared_configs.empty() ? 0 : n.shared_configs.back();
  const std::uint64_t share = std::min(most / ctas, n.shared_per_cta + n.shared_reserved);
  const std::uint64_t unit = std::max<std::uint64_t>(1, n.shared_unit);
  return share <= n.shared_reserved ? 0 : u32((share - n.shared_reserved) / unit * unit);
}

// One element of 8 bytes a thread. What the launch before left in the L2 is written back meanwhile.
void streams(const CardNumbers& n, const Options& o, Plan& plan) {
  plan.keep_caches = true;
  const std::uint32_t reads = o.curve == Curve::kInit    ? 0
                              : o.curve == Curve::kTriad ? 3
                              : o.curve == Curve::kAdd   ? 2
                                                         : 1;
  const bool writes = o.curve != Curve::kRead && o.curve != Curve::kHost;
  const Kernel& kernel = plan.add(stream(reads, writes));
  std::uint64_t next = kArray;
  const std::uint32_t most = most_threads(n);
  const auto add = [&](const Kernel& k, std::uint64_t ctas, std::uint32_t threads,
                       std::uint32_t shared) {
    const std::uint64_t bytes = ctas * threads * 8;
    const std::uint64_t array = (bytes + (std::uint64_t{4} << 20)) / kChunk * kChunk;
    const std::uint64_t base = next;
    next += (k.loads.size() + k.stores.size()) * array;
    Launch launch{&k, u32(ctas), threads, shared, {}, o.curve == Curve::kHost ? kArray : 0};
    launch.fill = [&k, base, array, threads](Warp& w) {
      const std::uint64_t at = base + (w.cta * threads + w.number * 32) * 8;
      for (std::size_t i = 0; i < k.loads.size(); ++i) w.access(k.loads[i], at + i * array, 8);
      for (const std::uint32_t site : k.stores) w.access(site, at + k.loads.size() * array, 8);
    };
    plan.launches.push_back(std::move(launch));
    return plan.launches.size() - 1;
  };
  // The L2 is full of what such a kernel leaves.
  const std::uint64_t each_cta = std::uint64_t{most} * 8 * (reads + writes);
  if (writes && n.l2_bytes > 0)
    add(kernel, (3 * n.l2_bytes / 2 + each_cta - 1) / each_cta, most, 0);
  for (const std::uint64_t x : o.at) {
    const std::uint64_t each = (x + most - 1) / most;  // CTAs an SM
    const auto threads = u32(std::max<std::uint64_t>(1, x / each));
    constexpr std::uint64_t kRounds = 8;
    const std::uint64_t ctas = kRounds * each * n.sm_count;
    const std::uint32_t shared = shared_for(n, each);
    const std::size_t less = add(kernel, ctas, threads, shared);
    const std::size_t more = add(kernel, 2 * ctas, threads, shared);
    plan.pairs.push_back(
        {x, less, more, static_cast<double>(ctas * threads * 8 * (reads + writes))});
  }
}

// A CTA an SM, or several where that many threads need them; a word a lane, in a row.
void shared_bandwidth(const CardNumbers& n, const Options& o, Plan& plan) {
  const Kernel& kernel = plan.add(shared_rounds(8));
  constexpr std::uint64_t kWarm = 16, kSteps = 256;
  const std::uint32_t most = most_threads(n);
  for (const std::uint64_t x : o.at) {
    const std::uint64_t each = (x + most - 1) / most;
    const auto threads = u32(std::max<std::uint64_t>(1, x / each));
    const std::uint64_t lanes = each * threads * n.sm_count;
    add_pair(plan, x, {&kernel, u32(each * n.sm_count), threads, shared_for(n, each), {}, 0}, kWarm,
             kWarm + kSteps, static_cast<double>(kSteps * lanes * 4),
             [&kernel](Warp& w, std::uint64_t loads) {
               for (std::uint64_t i = 0; i < loads; ++i) w.access(kernel.loads[i % 8], 0, 4);
             });
  }
}

// Warps of one SM load the same eight rows again and again.
void strides(unsigned capability, const Options& o, Plan& plan) {
  constexpr std::uint64_t kRows = 8, kWarm = 4 * kRows, kSteps = 32 * kRows;
  const std::uint64_t warps = most_cta_threads(capability) / 32;
  const Kernel& kernel = plan.add(read_rounds(8, o.bytes));
  for (const std::uint64_t x : o.at) {
    const std::uint64_t stride = x * o.bytes;
    add_pair(plan, x, {&kernel, 1, u32(32 * warps), 0, {}, 0}, kWarm, kWarm + kSteps,
             static_cast<double>(kSteps * warps), [&kernel, stride](Warp& w, std::uint64_t loads) {
               for (std::uint64_t i = 0; i < loads; ++i)
                 w.access(kernel.loads[i % 8], kArray + i % kRows * 32 * stride,
                          static_cast<std::int32_t>(stride));
             });
  }
}

// Of x lanes on one bank each has a word of its own; others read the first one's.
void conflicts(const CardNumbers& n, const Options& o, Plan& plan) {
  const Kernel& kernel = plan.add(shared_chase());
  constexpr std::uint64_t kSteps = 1024;
  const auto row = static_cast<std::int32_t>(n.shared_banks * 4);
  for (const std::uint64_t x : o.at) {
    const std::uint32_t mask = x >= 32 ? ~0u : (1u << x) - 1;
    add_pair(plan, x, {&kernel, 1, 32, 16384, {}, 0}, 16, 16 + kSteps, static_cast<double>(kSteps),
             [&kernel, row, mask](Warp& w, std::uint64_t loads) {
               for (std::uint64_t i = 0; i < loads; ++i)
                 w.access(kernel.loads[i % kernel.loads.size()], 0, row, mask);
             });
  }
}

}  // namespace

void plan_launches(const model::Card& card, const Options& options, Plan& plan) {
  const CardNumbers& n = card.numbers();
  switch (options.curve) {
    case Curve::kLatency: return latency(n, options, plan);
    case Curve::kL1: return l1_bandwidth(n, options, plan);
    case Curve::kL2: return l2_bandwidth(n, options, plan);
    case Curve::kInit:
    case Curve::kRead:
    case Curve::kScale:
    case Curve::kHost:
    case Curve::kAdd:
    case Curve::kTriad: return streams(n, options, plan);
    case Curve::kShared: return shared_bandwidth(n, options, plan);
    case Curve::kStride: return strides(card.capability(), options, plan);
    case Curve::kConflicts: return conflicts(n, options, plan);
  }
}

}  // namespace warpmem::sim::probe
