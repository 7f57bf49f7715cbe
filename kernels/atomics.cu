// Atomics with and without a result, on words of their own and on shared ones, in L2 and in shared
// memory. Results do not depend on the order in which lanes win, except for the ranks themselves.
#include "common.cuh"

#include <algorithm>

namespace {

constexpr int kBins = 256;  // and threads a CTA

__device__ __forceinline__ int element() { return blockIdx.x * kBins + threadIdx.x; }

}  // namespace

// The result is not used: a reduction, sent off like a store.
__global__ void atomics_add_noreturn(const unsigned* in, unsigned* words, unsigned*, int n) {
  const int i = element();
  if (i < n) atomicAdd(&words[i], in[i]);
}

// The old value comes back from L2.
__global__ void atomics_add_return(const unsigned* in, unsigned* words, unsigned* old, int n) {
  const int i = element();
  if (i < n) old[i] = atomicAdd(&words[i], in[i]);
}

// One compare-and-swap a lane, on a word of its own: it always succeeds.
__global__ void atomics_cas(const unsigned* in, unsigned* words, unsigned* old, int n) {
  const int i = element();
  if (i < n) old[i] = atomicCAS(&words[i], 1u, in[i]);
}

__global__ void atomics_exchange(const unsigned* in, unsigned* words, unsigned* old, int n) {
  const int i = element();
  if (i < n) old[i] = atomicExch(&words[i], in[i]);
}

// Every thread adds to the same word.
__global__ void atomics_same_word(const unsigned* in, unsigned* words, unsigned*, int n) {
  const int i = element();
  if (i < n) atomicAdd(&words[0], in[i]);
}

// A histogram that also gives every element its rank within its bin.
__global__ void atomics_rank(const unsigned* in, unsigned* words, unsigned* rank, int n) {
  const int i = element();
  if (i < n) rank[i] = atomicAdd(&words[in[i] % kBins], 1u);
}

// A maximum built of compare-and-swap: lanes that lose try again.
__global__ void atomics_cas_loop(const unsigned* in, unsigned* words, unsigned*, int n) {
  const int i = element();
  if (i >= n) return;
  const unsigned value = in[i];
  unsigned* word = &words[value % kBins];
  unsigned seen = *static_cast<volatile unsigned*>(word);
  while (seen < value) {
    const unsigned before = atomicCAS(word, seen, value);
    if (before == seen) break;
    seen = before;
  }
}

__global__ void atomics_shared_return(const unsigned* in, unsigned* words, unsigned* rank, int n) {
  __shared__ unsigned bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int i = element();
  if (i < n) rank[i] = atomicAdd(&bins[in[i] % kBins], 1u);
  __syncthreads();
  atomicAdd(&words[threadIdx.x], bins[threadIdx.x]);
}

__global__ void atomics_shared_cas(const unsigned* in, unsigned* words, unsigned* old, int n) {
  __shared__ unsigned slots[kBins];
  slots[threadIdx.x] = 1;
  __syncthreads();
  const int i = element();
  if (i >= n) return;
  const int slot = (threadIdx.x * 5) % kBins;  // every slot once
  old[i] = atomicCAS(&slots[slot], 1u, in[i]);
  words[i] = slots[slot];
}

namespace {

using Kernel = void (*)(const unsigned*, unsigned*, unsigned*, int);

constexpr unsigned kStart = 1;  // what every word holds before

struct Result {
  std::vector<unsigned> words, old;
};

Result launch(Kernel kernel, const std::vector<unsigned>& host, std::size_t words, unsigned start) {
  const int n = static_cast<int>(host.size());
  const suite::DeviceArray<unsigned> in(host);
  const suite::DeviceArray<unsigned> targets(std::vector<unsigned>(words, start));
  const suite::DeviceArray<unsigned> old(host.size());
  kernel<<<suite::blocks_for(n, kBins), kBins>>>(in, targets, old, n);
  CUDA_FINISH();
  return {targets.download(), old.download()};
}

bool equal(const std::vector<unsigned>& got, const std::vector<unsigned>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i] != expected[i]) return suite::differs(i, got[i], expected[i]);
  }
  return true;
}

// A word for each thread; kAdds: the words grow by the input, else they become it.
template <Kernel kKernel, bool kAdds, bool kReturns>
bool run_own_words(const suite::Options& o) {
  const auto host = suite::random_words(o.size);
  const Result got = launch(kKernel, host, host.size(), kStart);
  if (!o.check) return true;
  std::vector<unsigned> expected = host;
  for (unsigned& v : expected) v += kAdds ? kStart : 0;
  const std::vector<unsigned> before(kReturns ? host.size() : 0, kStart);
  return equal(got.words, expected) && equal(got.old, before);
}

bool run_same_word(const suite::Options& o) {
  const auto host = suite::random_words(o.size);
  const Result got = launch(atomics_same_word, host, 1, 0);
  unsigned sum = 0;
  for (const unsigned v : host) sum += v;
  return !o.check || equal(got.words, {sum});
}

// Ranks within a bin are 0 … count-1 in some order, for the elements of every `group`.
template <Kernel kKernel>
bool run_rank(const suite::Options& o, int group) {
  const auto host = suite::random_words(o.size);
  const Result got = launch(kKernel, host, kBins, 0);
  if (!o.check) return true;
  std::vector<unsigned> expected(kBins, 0);
  for (const unsigned v : host) ++expected[v % kBins];
  if (!equal(got.words, expected)) return false;
  for (int begin = 0; begin < o.size; begin += group) {
    std::vector<std::vector<unsigned>> ranks(kBins);
    const int end = o.size - begin < group ? o.size : begin + group;
    for (int i = begin; i < end; ++i) ranks[host[i] % kBins].push_back(got.old[i]);
    for (std::vector<unsigned>& r : ranks) {
      std::sort(r.begin(), r.end());
      for (std::size_t k = 0; k < r.size(); ++k) {
        if (r[k] != k) return suite::differs(begin, r[k], static_cast<double>(k));
      }
    }
    if (end == o.size) break;
  }
  return true;
}

bool run_global_rank(const suite::Options& o) { return run_rank<atomics_rank>(o, 0x7FFFFFFF); }
bool run_shared_rank(const suite::Options& o) { return run_rank<atomics_shared_return>(o, kBins); }

bool run_cas_loop(const suite::Options& o) {
  const auto host = suite::random_words(o.size);
  const Result got = launch(atomics_cas_loop, host, kBins, 0);
  std::vector<unsigned> expected(kBins, 0);
  for (const unsigned v : host) expected[v % kBins] = std::max(expected[v % kBins], v);
  return !o.check || equal(got.words, expected);
}

const suite::Program kProgram = {"atomics", "threads", 1 << 15, 1, 1 << 26, 1, false};
const suite::Variant kVariants[] = {
    {"add_noreturn", "result unused: a reduction, nothing comes back",
     run_own_words<atomics_add_noreturn, true, false>},
    {"add_return", "result used: the old values come back from L2",
     run_own_words<atomics_add_return, true, true>},
    {"cas", "compare-and-swap without contention", run_own_words<atomics_cas, false, true>},
    {"exchange", "exchange: an atomic that needs no old value to work",
     run_own_words<atomics_exchange, false, true>},
    {"same_word", "all threads on one word: the compiler may add up a warp first", run_same_word},
    {"rank", "a histogram whose returned counts are ranks: contended atomics with results",
     run_global_rank},
    {"cas_loop", "a maximum by compare-and-swap: retries, their number differs from run to run",
     run_cas_loop},
    {"shared_return", "ranks from shared atomics: conflicts serialise in the SM", run_shared_rank},
    {"shared_cas", "compare-and-swap in shared memory, five words apart",
     run_own_words<atomics_shared_cas, false, true>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
