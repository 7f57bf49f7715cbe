#include "traces/record/drain.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <bit>
#include <chrono>

namespace warpmem::record {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBurst = 8192;           // records of a stream before the next one's turn
constexpr std::size_t kSmallLaunch = 64 * 1024;  // records that one thread writes alone at the end

// The program's signals stay with the program's threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &old_, nullptr); }

 private:
  sigset_t old_;
};

}  // namespace

Drain::Drain(unsigned char* memory, std::uint32_t chunks, Output& output, unsigned threads,
             std::uint64_t max_records)
    : ring_(memory, chunks), output_(output), max_records_(max_records) {
  const SignalsBlocked blocked;
  for (unsigned i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>());
  for (std::uint32_t s = 0; s < kStreams; ++s) workers_[s % threads]->streams.emplace_back(ring_, s);
  for (auto& worker : workers_) {
    worker->thread = std::thread([this, &worker] { run(*worker); });
  }
}

Drain::~Drain() {
  ring_.stop();
  quit_ = true;
  {
    const std::lock_guard lock(wake_mutex_);
  }
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
    {
      const std::lock_guard wake_lock(wake_mutex_);
    }
    wake_.notify_all();
    return true;
  }
  return false;
}

Drain::Held* Drain::held_for(Worker& worker, std::uint32_t place) {
  std::uint32_t slot = raw_slot(place);
  LaunchState* launch = by_slot_[slot].load(std::memory_order_acquire);
  if (launch == nullptr) return nullptr;
  if (!launch->siblings.empty() && launch->grid != raw_grid(place)) {
    for (const auto& sibling : launch->siblings) {
      if (sibling->grid == raw_grid(place)) launch = sibling.get();
    }
    slot = launch->slot;
  }
  if (!worker.held[slot]) {
    worker.held[slot] = worker.spare ? std::move(worker.spare) : std::make_unique<Held>();
    worker.held[slot]->batch.reset(*launch);
    worker.held[slot]->builder.emplace(launch->launch.id);
  }
  return worker.held[slot].get();
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
      if (held == nullptr) {  // of a launch that has ended: launched by the GPU itself, perhaps
        orphans_.fetch_add(1);
        continue;
      }
      LaunchState& launch = held->batch.launch();
      if (full_.load(std::memory_order_relaxed)) {
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
  if (total != 0 && read_.fetch_add(total) + total >= max_records_ && !full_.exchange(true)) {
    ring_.stop();
  }
  return total;
}

void Drain::run(Worker& worker) {
  using namespace std::chrono_literals;
  auto nap = 20us;
  std::uint32_t epoch = 0;
  while (!quit_.load(std::memory_order_relaxed)) {
    std::size_t seen = 0;
    {
      const std::lock_guard lock(worker.mutex);
      try {
        seen = consume(worker);
      } catch (const std::exception& e) {
        output_.fail({ErrorKind::kResources, std::string("the recorder ran out of memory: ") + e.what(), "",
                      "record fewer CTAs (--ctas) or launches (--launches)"});
      }
    }
    if (seen != 0) {
      nap = 20us;
      continue;
    }
    std::unique_lock lock(wake_mutex_);
    if (active_.load() == 0) {
      wake_.wait(lock, [&] { return active_.load() != 0 || quit_.load(); });
      nap = 20us;
    } else {
      if (const std::uint32_t now = epoch_.load(); now != epoch) {  // a launch is young: look often
        epoch = now;
        nap = 20us;
      }
      wake_.wait_for(lock, nap);
      nap = std::min(nap * 2, std::chrono::microseconds(500));
    }
  }
}

void Drain::flush(Held& held) {
  if (held.builder->empty()) return;
  const trace::EncodedBlock block = held.builder->take(held.batch.launch().lost.load());
  held.batch.launch().records += block.records;
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
  std::uint64_t before = read_.load();
  auto since = Clock::now();
  std::unique_lock lock(wake_mutex_);
  while (!launch.all_gone()) {
    gone_.wait_for(lock, std::chrono::milliseconds(2), [&] { return launch.all_gone(); });
    if (full_.load()) return launch.all_gone();
    const std::uint64_t now = read_.load();
    if (now != before) {
      before = now;
      since = Clock::now();
    } else if (Clock::now() - since > std::chrono::milliseconds(patience)) {
      return false;
    }
  }
  return true;
}

void Drain::finish(LaunchState& launch) {
  std::vector<std::unique_ptr<Held>> parts, empty;
  std::size_t records = 0;
  bool started = false;  // some blocks are written, or begun
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
    records += parts.back()->batch.size();
    started = started || !parts.back()->builder->empty();
  }
  if (!parts.empty() && records <= kSmallLaunch && !started) {
    for (std::size_t i = 1; i < parts.size(); ++i) {
      parts[0]->batch.append(parts[i]->batch);
      empty.push_back(std::move(parts[i]));
    }
    parts.resize(1);
  }
  std::vector<std::thread> helpers;
  const auto write_out = [this](Held& held) {
    encode(held);
    flush(held);
  };
  {
    const SignalsBlocked blocked;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      helpers.emplace_back([&, i] { write_out(*parts[i]); });
    }
  }
  if (!parts.empty()) write_out(*parts[0]);
  for (std::thread& helper : helpers) helper.join();
  for (auto& part : parts) empty.push_back(std::move(part));
  for (std::size_t i = 0; i < empty.size(); ++i) {
    const std::lock_guard lock(workers_[i]->mutex);
    if (!workers_[i]->spare) workers_[i]->spare = std::move(empty[i]);
  }

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

  const std::lock_guard lock(slots_);
  by_slot_[launch.slot].store(nullptr);
  launches_[launch.slot].reset();
  active_.fetch_sub(1);
}

}  // namespace warpmem::record
