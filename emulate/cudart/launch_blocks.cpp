#include "emulate/cudart/launch_blocks.hpp"

#include <functional>
#include <string_view>
#include <utility>

namespace warpmem::cudart {
namespace {

constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * kSpread + (hash >> 29);
}

std::uint64_t mixed(std::uint64_t hash, const trace::EncodedBlock& block) {
  const std::string_view body(reinterpret_cast<const char*>(block.body.data()), block.body.size());
  hash = mixed(mixed(hash, block.records), std::hash<std::string_view>{}(body));
  for (const trace::EncodedBlock& more : block.more) hash = mixed(hash, more);
  return hash;
}

std::size_t size_of(const trace::EncodedBlock& block) {
  std::size_t bytes = sizeof block + block.body.size() +
                      block.segments.size() * sizeof(trace::Segment) +
                      block.sites.size() * sizeof(trace::Site);
  for (const trace::EncodedBlock& more : block.more) bytes += size_of(more);
  return bytes;
}

}  // namespace

Result<void> LaunchBlocks::begin() {
  return held_ ? Result<void>{} : writer_->begin_launch(launch_);
}

Result<void> LaunchBlocks::append(trace::EncodedBlock block) {
  hash_ = mixed(hash_, block);
  if (!held_) return writer_->append(block);
  bytes_ += size_of(block);
  blocks_.push_back(std::move(block));
  return bytes_ > kMostHeld ? release() : Result<void>{};
}

Result<void> LaunchBlocks::release() {
  if (!std::exchange(held_, false)) return {};
  if (auto ok = writer_->begin_launch(launch_); !ok) return ok;
  for (const trace::EncodedBlock& block : std::exchange(blocks_, {}))
    if (auto ok = writer_->append(block); !ok) return ok;
  return {};
}

}  // namespace warpmem::cudart
