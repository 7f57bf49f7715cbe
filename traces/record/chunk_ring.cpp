#include "traces/record/chunk_ring.hpp"

#include <bit>
#include <cstring>

namespace warpmem::record {
namespace {

// The GPU writes through these words while we look; acquire keeps later reads behind them.
std::uint32_t look(const std::uint32_t& word) {
  return std::atomic_ref<const std::uint32_t>(word).load(std::memory_order_acquire);
}

std::uint32_t padded(std::uint32_t bytes) {
  return (bytes + kRecordBytes - 1) / kRecordBytes * kRecordBytes;
}

}  // namespace

std::size_t ChunkRing::bytes_for(std::uint32_t chunks) {
  return std::size_t{chunks} * kChunkBytes + std::size_t{chunks} * sizeof(unsigned long long) + 64;
}

ChunkRing::ChunkRing(unsigned char* memory, std::uint32_t chunks)
    : chunks_(memory),
      queue_(reinterpret_cast<unsigned long long*>(memory + std::size_t{chunks} * kChunkBytes)),
      stop_(reinterpret_cast<std::uint32_t*>(queue_ + chunks)),
      count_(chunks) {
  std::memset(memory, 0, bytes_for(chunks));
  for (std::uint32_t c = kStreams; c < chunks; ++c) release(c, 0);
}

std::vector<unsigned long long> ChunkRing::first_cursors() const {
  std::vector<unsigned long long> cursors(kStreams);
  for (std::uint32_t s = 0; s < kStreams; ++s) cursors[s] = std::uint64_t{s} << 32;
  return cursors;
}

LaunchSlot ChunkRing::slot_template() const {
  LaunchSlot slot{};
  slot.chunks = chunks_;
  slot.free_queue = queue_;
  slot.stop = stop_;
  slot.chunk_bits = static_cast<std::uint32_t>(std::countr_zero(count_));
  return slot;
}

void ChunkRing::release(std::uint32_t number, std::uint32_t used) {
  std::memset(chunks_ + std::size_t{number} * kChunkBytes, 0, used);
  // At most `count_` chunks are free, so the entry's last use is over (wire.hpp, free_queue).
  const std::uint64_t ticket = released_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t round = ticket / count_ + 1;
  std::atomic_ref<unsigned long long>(queue_[ticket % count_])
      .store(round << 32 | number, std::memory_order_release);
}

void ChunkRing::stop() {
  std::atomic_ref<std::uint32_t>(*stop_).store(1, std::memory_order_release);
}

// Has every lane's address landed? Their words are never zero, and the chunk was.
bool StreamReader::payload_landed(const RawRecord& record) {
  const auto lanes = static_cast<std::size_t>(std::popcount(record.mask));
  bool landed = true;
  const auto all_set = [&](const auto* words) {
    for (std::size_t i = 0; i < lanes; ++i) {
      landed &= std::atomic_ref(words[i]).load(std::memory_order_relaxed) != 0;
    }
  };
  switch (raw_form(record.what)) {
    case kFormOffsets: all_set(reinterpret_cast<const std::uint32_t*>(&record + 1)); break;
    case kFormAddresses: all_set(reinterpret_cast<const unsigned long long*>(&record + 1)); break;
    default: return true;
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return landed;
}

const RawRecord* StreamReader::next() {
  while (chunk_ != kStopped) {
    if (at_ > kChunkCapacity) return nullptr;  // cannot happen: kNext always has room
    const auto* record = reinterpret_cast<const RawRecord*>(ring_->chunk(chunk_) + at_);
    const std::uint32_t what = look(record->what);
    if (what >> kTagShift != kTag || look(record->place) >> kTagShift != kTag) return nullptr;
    if (raw_kind(what) != kRawNext) {
      if (!payload_landed(*record)) return nullptr;
      at_ += kRecordBytes + payload_bytes(*record);
      return record;
    }
    const auto next = static_cast<std::uint32_t>(record->base);
    ring_->release(chunk_, at_ + kRecordBytes);
    chunk_ = next;
    at_ = 0;
  }
  return nullptr;
}

std::uint32_t StreamReader::payload_bytes(const RawRecord& record) {
  const auto lanes = static_cast<std::uint32_t>(std::popcount(record.mask));
  switch (raw_form(record.what)) {
    case kFormOffsets: return padded(lanes * 4);
    case kFormAddresses: return padded(lanes * 8);
    default: return 0;
  }
}

}  // namespace warpmem::record
