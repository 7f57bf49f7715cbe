#include "sim/engine/decoded_trace.hpp"

#include <algorithm>

#include "base/in_parallel.hpp"

namespace warpmem::sim {
namespace {

bool has_rounds(const trace::DecodedBlock& b, std::span<const trace::Site> sites) {
  return std::any_of(b.records.begin(), b.records.end(), [&](const trace::Record& r) {
    return sites[r.site].op == trace::Op::kRounds;
  });
}

template <class Do>
void each_wanted(const trace::TraceReader& reader, const std::function<bool(std::uint64_t)>& wanted,
                 Do&& each) {
  for (const trace::LaunchSummary& l : reader.launches())
    if (!wanted || wanted(l.launch.id)) each(l);
}

}  // namespace

void drop_rounds(trace::DecodedBlock& b, std::span<const trace::Site> sites) {
  if (!has_rounds(b, sites)) return;
  std::uint32_t kept = 0;
  for (trace::Segment& s : b.segments) {
    const auto from = b.records.begin() + s.first, to = from + s.count;
    const auto end = std::remove_copy_if(
        from, to, b.records.begin() + kept,
        [&](const trace::Record& r) { return sites[r.site].op == trace::Op::kRounds; });
    s.first = kept;
    s.count = static_cast<std::uint32_t>(end - b.records.begin()) - kept;
    kept += s.count;
  }
  b.records.resize(kept);
}

std::uint64_t DecodedTrace::least_bytes(const trace::TraceReader& reader,
                                        const std::function<bool(std::uint64_t)>& wanted) {
  std::uint64_t records = 0;
  each_wanted(reader, wanted, [&](const trace::LaunchSummary& l) { records += l.end.records; });
  return records * sizeof(trace::Record);
}

Result<DecodedTrace> DecodedTrace::of(const trace::TraceReader& reader, std::size_t threads,
                                      const std::function<bool(std::uint64_t)>& wanted) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t most = 0;
  each_wanted(reader, wanted, [&](const trace::LaunchSummary& l) {
    numbers.insert(numbers.end(), l.blocks.begin(), l.blocks.end());
  });
  for (const std::uint32_t n : numbers) most = std::max(most, n + 1);
  DecodedTrace out;
  out.blocks_.resize(most);
  std::vector<std::optional<Error>> failed(numbers.size());
  in_parallel(numbers.size(), threads, [&] {
    return [&](std::size_t i) {
      auto decoded = reader.decode(numbers[i]);
      if (!decoded) {
        failed[i] = decoded.error();
        return false;
      }
      Block& block = out.blocks_[numbers[i]];
      const auto sites = reader.sites(decoded->launch);
      if (has_rounds(*decoded, sites)) {
        block.without_rounds = *decoded;
        drop_rounds(*block.without_rounds, sites);
      }
      block.whole = std::move(decoded).value();
      return true;
    };
  });
  for (const std::optional<Error>& f : failed)
    if (f) return *f;
  return out;
}

const trace::DecodedBlock* DecodedTrace::block(std::uint32_t number, bool rounds) const {
  if (number >= blocks_.size() || !blocks_[number].whole) return nullptr;
  const Block& block = blocks_[number];
  return !rounds && block.without_rounds ? &*block.without_rounds : &*block.whole;
}

}  // namespace warpmem::sim
