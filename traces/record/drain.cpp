#include "traces/record/drain.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <bit>
#include <chrono>

namespace warpmem::record {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBurst = 8192;       // records of a stream before the next one's turn
constexpr std::uint64_t kAllowance = 256;  // records that a worker takes of the maximum at once
constexpr std::size_t kRange = 8 * 1024;  // Batch::weight() worth a thread when a launch is written

// The first block that a thread compresses takes its tables.
void warm_up_compressor() {
  const trace::Record record;
  const trace::Site site;
  trace::BlockBuilder builder(0);
  builder.add(0, 0, {&record, 1}, {&site, 1}, {});
  builder.take();
}

// Looking at a line of memory that the GPU is writing makes its write wait for the line to come
// back: threads that looked all the time made kernels take six times as long. So a thread that has
// read what there was sleeps, and comes back when there is more than a line.
constexpr auto kShortNap = std::chrono::microseconds(40);
constexpr auto kLongNap = std::chrono::microseconds(640);
constexpr std::size_t kWorthwhile = 2048;  // records at once: the GPU is far ahead

// The program's own thread may spin on our memory for the end of a short kernel.
constexpr auto kSpin = std::chrono::microseconds(300);

}  // namespace

Drain::Drain(unsigned char* memory, std::uint32_t chunks, Output& output, unsigned threads,
             std::uint64_t max_records)
    : ring_(memory, chunks),
      crew_(threads - 1, warm_up_compressor),
      ranges_(threads),
      output_(output),
      left_(max_records) {
  const SignalsBlocked blocked;
  for (unsigned i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>());
  for (std::uint32_t s = 0; s < kStreams; ++s)
    workers_[s % threads]->streams.emplace_back(ring_, s);
  for (auto& worker : workers_) {
    worker->thread = std::thread([this, &worker] { run(*worker); });
  }
}

Drain::~Drain() {
  ring_.stop();
  quit_ = true;
  { const std::lock_guard lock(wake_mutex_); }
  wake_.notify_all();
  for (auto& worker : workers_) worker->thread.join();
}

bool Drain::attach(const std::shared_ptr<LaunchState>& launch) {
  const std::lock_guard lock(slots_);
  for (std::uint32_t s = 0; s < kLaunchSlots; ++s) {
    if (launches_[s]) continue;
    launches_[s] = launch;
    launch->slot = s;
    by_slot_[s].store(launch.get(), std::memory_order_release);
    active_.fetch_add(1);
    epoch_.fetch_add(1);
    { const std::lock_guard wake_lock(wake_mutex_); }
    wake_.notify_all();
    return true;
  }
  return false;
}

// Null: not of a launch that is being recorded.
Drain::Held* Drain::held_for(Worker& worker, std::uint32_t place) {
  std::uint32_t slot = raw_slot(place);
  LaunchState* launch = by_slot_[slot].load(std::memory_order_acquire);
  if (launch == nullptr) {  // it has ended: these come from kernels that the GPU itself launched
    orphans_.fetch_add(1);
    return nullptr;
  }
  if (launch->in_graph && launch->grid != raw_grid(place)) {
    LaunchState* found = nullptr;
    for (const auto& sibling : launch->siblings) {
      if (sibling->grid == raw_grid(place)) found = sibling.get();
    }
    if (found == nullptr) return nullptr;  // a kernel of the graph that nobody asked for
    launch = found;
    slot = launch->slot;
  }
  if (!worker.held[slot]) {
    worker.held[slot] = worker.spare ? std::move(worker.spare) : std::make_unique<Held>();
    worker.held[slot]->batch.reset(*launch);
    worker.held[slot]->builder.emplace(launch->launch.id);
    worker.held[slot]->written = false;
  }
  return worker.held[slot].get();
}

// Counts a record against the maximum; false when that is reached.
bool Drain::may_record(Worker& worker) {
  if (worker.allowance == 0) {
    std::uint64_t left = left_.load();
    std::uint64_t taken = 0;
    do {
      taken = std::min(left, kAllowance);
    } while (taken != 0 && !left_.compare_exchange_weak(left, left - taken));
    worker.allowance = taken;
    if (taken == 0) {
      if (!full_.exchange(true)) ring_.stop();
      return false;
    }
  }
  --worker.allowance;
  return true;
}

// Adds up the threads that are gone, so that the launch's shared counter is touched once a burst.
class Drain::Departures {
 public:
  explicit Departures(Drain& drain) : drain_(drain) {}
  ~Departures() { settle(); }
  void add(LaunchState& launch, std::uint32_t threads) {
    if (&launch != launch_) settle();
    launch_ = &launch;
    threads_ += threads;
  }

 private:
  void settle() {
    if (threads_ == 0) return;
    const std::uint64_t gone = launch_->threads_gone.fetch_add(threads_) + threads_;
    threads_ = 0;
    if (gone < launch_->threads_expected) return;
    const std::lock_guard lock(drain_.wake_mutex_);
    drain_.gone_.notify_all();
  }
  Drain& drain_;
  LaunchState* launch_ = nullptr;
  std::uint64_t threads_ = 0;
};

std::size_t Drain::consume(Worker& worker) {
  std::size_t total = 0;
  for (StreamReader& stream : worker.streams) {
    Departures departures(*this);
    std::size_t here = 0;
    while (here < kBurst) {
      const RawRecord* raw = stream.next();
      if (raw == nullptr) break;
      ++here;
      Held* held = held_for(worker, raw->place);
      if (held == nullptr) continue;
      LaunchState& launch = held->batch.launch();
      if (!may_record(worker)) {
        launch.truncated = true;
        if (raw_kind(raw->what) == kRawExit) {
          departures.add(launch, static_cast<std::uint32_t>(std::popcount(raw->mask)));
        }
        continue;
      }
      if (const std::uint32_t gone = held->batch.add(*raw); gone != 0) departures.add(launch, gone);
      if (held->batch.size() >= Batch::kFull) encode(*held);
    }
    total += here;
  }
  read_.fetch_add(total);
  return total;
}

// Runs in threads of ours, inside a program that is not: nothing may be thrown out of it.
template <class F>
void Drain::guarded(F&& action) {
  try {
    action();
  } catch (const std::exception& e) {
    output_.fail({ErrorKind::kResources, std::string("the recorder ran out of memory: ") + e.what(),
                  "", "record fewer CTAs (--ctas) or launches (--launches)"});
  }
}

void Drain::run(Worker& worker) {
  using Microseconds = std::chrono::microseconds;
  prctl(PR_SET_TIMERSLACK, 1000ul);  // ns; the usual 50 us would double the shortest nap
  auto nap = kShortNap;
  std::uint32_t epoch = 0;
  guarded([&] {
    const std::lock_guard lock(worker.mutex);
    worker.spare = std::make_unique<Held>();
    worker.spare->batch.warm_up();
  });
  while (!quit_.load(std::memory_order_relaxed)) {
    std::size_t seen = 0;
    {
      const std::lock_guard lock(worker.mutex);
      guarded([&] { seen = consume(worker); });
    }
    if (seen >= kWorthwhile) continue;
    // A launch that is young, or that has just written, is likely to write more soon.
    if (const std::uint32_t now = epoch_.load(std::memory_order_relaxed);
        seen != 0 || now != epoch) {
      epoch = now;
      nap = kShortNap;
    }
    std::unique_lock lock(wake_mutex_);
    if (active_.load() == 0) {
      wake_.wait(lock, [&] { return active_.load() != 0 || quit_.load(); });
    } else if (epoch_.load() == epoch) {
      wake_.wait_for(lock, nap);
      nap = std::min<Microseconds>(nap * 2, kLongNap);
    }
  }
}

void Drain::flush(Held& held) {
  if (held.builder->empty()) return;
  const trace::EncodedBlock block = held.builder->take(held.batch.launch().lost.load());
  held.written = true;
  held.batch.launch().records += block.records;
  held.batch.launch().bytes += block.body.size();
  output_.append(block);
}

void Drain::encode(Held& held) {
  if (output_.failed()) {
    held.batch.launch().lost += held.batch.size();
    held.batch.clear();
    return;
  }
  held.batch.encode(*held.builder, [&] { flush(held); });
}

bool Drain::wait(const LaunchState& launch, unsigned patience) {
  for (const auto spin = Clock::now() + kSpin; !launch.all_gone() && Clock::now() < spin;)
    pause_briefly();
  std::unique_lock lock(wake_mutex_);
  const auto end = Clock::now() + std::chrono::milliseconds(patience);
  while (!launch.all_gone() && !full_.load() && Clock::now() < end) {
    gone_.wait_for(lock, std::chrono::milliseconds(2), [&] { return launch.all_gone(); });
  }
  return launch.all_gone();
}

// A launch of which nothing is written yet: all its records in the order of CTAs, whatever
// multiprocessor they ran on. Neighbours then compress together, and the blocks of a launch look
// the same in every run. Ranges of CTAs are encoded in parallel and written one after the other.
void Drain::write_in_order(std::vector<std::unique_ptr<Held>>& parts) {
  const auto in_parallel = [this](std::size_t count, const auto& action) {
    crew_.run(count, [&](std::size_t i) { guarded([&] { action(i); }); });
  };
  std::size_t work = 0;
  for (const auto& part : parts) work += part->batch.weight();
  const std::size_t ranges = std::clamp<std::size_t>(work / kRange, 1, workers_.size());
  if (ranges == 1) {
    for (const auto& part : parts) part->batch.sort();
  } else {
    in_parallel(parts.size(), [&](std::size_t i) { parts[i]->batch.sort(); });
  }

  LaunchState& launch = parts[0]->batch.launch();
  const auto& grid = launch.launch.grid;
  const std::uint64_t ctas = std::uint64_t{grid[0]} * grid[1] * grid[2];
  const std::lock_guard lock(ranges_mutex_);
  in_parallel(ranges, [&](std::size_t i) {
    encode_range(parts, ctas * i / ranges, ctas * (i + 1) / ranges, ranges_[i]);
  });
  for (std::size_t i = 0; i < ranges; ++i) {
    for (const trace::EncodedBlock& block : ranges_[i].blocks) {
      launch.records += block.records;
      launch.bytes += block.body.size();
      output_.append(block);
    }
    ranges_[i].blocks.clear();
  }
}

void Drain::encode_range(const std::vector<std::unique_ptr<Held>>& parts, std::uint64_t first_cta,
                         std::uint64_t end_cta, Range& range) {
  const LaunchState& launch = parts[0]->batch.launch();
  const auto begins_before = [](const Batch::Run& run, std::uint64_t place) {
    return run.place < place;
  };
  range.pieces.clear();
  for (const auto& part : parts) {
    const auto& runs = part->batch.runs();
    const auto end = std::lower_bound(runs.begin(), runs.end(), end_cta << 8, begins_before);
    for (auto run = std::lower_bound(runs.begin(), runs.end(), first_cta << 8, begins_before);
         run != end; ++run) {
      range.pieces.push_back({&part->batch, *run});
    }
  }
  std::stable_sort(range.pieces.begin(), range.pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.run.place < b.run.place; });
  range.builder.restart(launch.launch.id);
  const auto take = [&] { range.blocks.push_back(range.builder.take(launch.lost.load())); };
  for (const Piece& piece : range.pieces) {
    piece.batch->add_to(range.builder, piece.run, range.scratch);
    if (range.builder.full()) take();
  }
  if (!range.builder.empty()) take();
}

void Drain::finish(LaunchState& launch) {
  std::vector<std::unique_ptr<Held>> parts;
  bool started = false;  // some of its blocks are written, or begun
  for (auto& worker : workers_) {
    const std::lock_guard lock(worker->mutex);
    // All its records have landed, so they are among the first `left`; others may keep coming.
    for (std::size_t left = ring_.count() * (kChunkBytes / kRecordBytes); left != 0;) {
      const std::size_t seen = consume(*worker);
      if (seen == 0) break;
      left -= std::min(left, seen);
    }
    if (!worker->held[launch.slot]) continue;
    parts.push_back(std::move(worker->held[launch.slot]));
    started = started || parts.back()->written || !parts.back()->builder->empty();
  }
  for (const auto& part : parts) launch.gpu_clock.merge(part->batch.gpu_clock());
  launch.read = Clock::now();
  if (output_.failed()) {
    for (auto& part : parts) launch.lost += part->batch.size();
  } else if (!parts.empty() && !started) {
    write_in_order(parts);
  } else {
    crew_.run(parts.size(), [&](std::size_t i) {
      guarded([&] {
        encode(*parts[i]);
        flush(*parts[i]);
      });
    });
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::lock_guard lock(workers_[i]->mutex);
    if (!workers_[i]->spare) workers_[i]->spare = std::move(parts[i]);
  }
  end_in_trace(launch);
  const std::lock_guard lock(slots_);
  by_slot_[launch.slot].store(nullptr);
  launches_[launch.slot].reset();
  active_.fetch_sub(1);
}

void Drain::end_in_trace(const LaunchState& launch) {
  trace::LaunchEnd end;
  end.records = launch.records.load();
  end.lost = launch.lost.load();
  end.skipped_ctas = launch.skipped_ctas;
  end.truncated = launch.truncated.load() || (full_.load() && !launch.all_gone());
  if (!launch.all_gone() && !end.truncated) {
    output_.note_missing("launch " + std::to_string(launch.launch.id) + ": " +
                         std::to_string(launch.threads_expected - launch.threads_gone.load()) +
                         " threads never reported their end; some of their records may be missing");
  }
  output_.end_launch(launch.launch.id, end);
}

}  // namespace warpmem::record
