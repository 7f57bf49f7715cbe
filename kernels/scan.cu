// Exclusive prefix sums in three launches: scan the CTAs' pieces, scan their sums, add them back.
// The variants differ in the first launch.
#include "common.cuh"

namespace {

constexpr int kPiece = 512;  // elements a CTA

__device__ __forceinline__ unsigned element(const unsigned* in, int i, int n) {
  return i < n ? in[i] : 0u;
}

}  // namespace

// Every thread adds the element 1, 2, 4 … to its left, from one buffer into the other.
__global__ void scan_hillis_steele(const unsigned* in, unsigned* out, unsigned* sums, int n) {
  __shared__ unsigned buffer[2][kPiece];
  const int t = threadIdx.x, i = blockIdx.x * kPiece + t;
  const unsigned own = element(in, i, n);
  int from = 0;
  buffer[0][t] = own;
  __syncthreads();
  for (int s = 1; s < kPiece; s *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= s ? buffer[from][t - s] : 0u);
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = buffer[from][t] - own;
  if (t == kPiece - 1) sums[blockIdx.x] = buffer[from][t];
}

namespace {

// A tree up and down over the piece, half as many threads as elements. With kPad an unused word
// after every 32 keeps the tree's strides off single banks.
template <bool kPad>
__device__ __forceinline__ void scan_tree(const unsigned* in, unsigned* out, unsigned* sums,
                                          int n) {
  __shared__ unsigned tree[kPiece + kPiece / 32];
  const auto at = [](int k) { return kPad ? k + k / 32 : k; };
  const int t = threadIdx.x, first = blockIdx.x * kPiece;
  tree[at(t)] = element(in, first + t, n);
  tree[at(t + kPiece / 2)] = element(in, first + t + kPiece / 2, n);
  int s = 1;
  for (int adders = kPiece / 2; adders > 0; adders /= 2) {
    __syncthreads();
    if (t < adders) tree[at(s * (2 * t + 2) - 1)] += tree[at(s * (2 * t + 1) - 1)];
    s *= 2;
  }
  if (t == 0) {
    sums[blockIdx.x] = tree[at(kPiece - 1)];
    tree[at(kPiece - 1)] = 0;
  }
  for (int adders = 1; adders < kPiece; adders *= 2) {
    s /= 2;
    __syncthreads();
    if (t < adders) {
      const int left = at(s * (2 * t + 1) - 1), right = at(s * (2 * t + 2) - 1);
      const unsigned below = tree[left];
      tree[left] = tree[right];
      tree[right] += below;
    }
  }
  __syncthreads();
  if (first + t < n) out[first + t] = tree[at(t)];
  if (first + t + kPiece / 2 < n) out[first + t + kPiece / 2] = tree[at(t + kPiece / 2)];
}

}  // namespace

__global__ void scan_blelloch(const unsigned* in, unsigned* out, unsigned* sums, int n) {
  scan_tree<false>(in, out, sums, n);
}
__global__ void scan_blelloch_padded(const unsigned* in, unsigned* out, unsigned* sums, int n) {
  scan_tree<true>(in, out, sums, n);
}

// One CTA turns the pieces' sums into what lies before each piece, 512 at a time.
__global__ void scan_piece_sums(unsigned* sums, int pieces) {
  __shared__ unsigned buffer[2][kPiece];
  const int t = threadIdx.x;
  unsigned before = 0;
  for (int first = 0; first < pieces; first += kPiece) {
    const unsigned own = element(sums, first + t, pieces);
    int from = 0;
    buffer[0][t] = own;
    __syncthreads();
    for (int s = 1; s < kPiece; s *= 2) {
      buffer[1 - from][t] = buffer[from][t] + (t >= s ? buffer[from][t - s] : 0u);
      from = 1 - from;
      __syncthreads();
    }
    if (first + t < pieces) sums[first + t] = before + buffer[from][t] - own;
    before += buffer[from][kPiece - 1];
    __syncthreads();
  }
}

__global__ void scan_add_sums(unsigned* out, const unsigned* sums, int n) {
  const int i = blockIdx.x * kPiece + threadIdx.x;
  if (i < n) out[i] += sums[blockIdx.x];
}

namespace {

using Kernel = void (*)(const unsigned*, unsigned*, unsigned*, int);

template <Kernel kKernel, int kThreads>
bool run(const suite::Options& o) {
  const auto host = suite::random_words(o.size);
  const int pieces = suite::blocks_for(o.size, kPiece);
  const suite::DeviceArray<unsigned> in(host);
  const suite::DeviceArray<unsigned> out(o.size);
  const suite::DeviceArray<unsigned> sums(pieces);
  kKernel<<<pieces, kThreads>>>(in, out, sums, o.size);
  scan_piece_sums<<<1, kPiece>>>(sums, pieces);
  scan_add_sums<<<pieces, kPiece>>>(out, sums, o.size);
  CUDA_FINISH();
  if (!o.check) return true;
  std::vector<unsigned> expected(host.size());  // wraps around like the GPU's sums
  unsigned sum = 0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    expected[i] = sum;
    sum += host[i];
  }
  return suite::matches(out, [&](std::size_t i) { return expected[i]; });
}

const suite::Program kProgram = {"scan", "32-bit words", 1 << 18, 1, 1 << 28, 1, false};
const suite::Variant kVariants[] = {
    {"hillis_steele", "log n passes over a double buffer: more work, no conflicts",
     run<scan_hillis_steele, kPiece>},
    {"blelloch", "a tree in place: little work, strides that double onto the same banks",
     run<scan_blelloch, kPiece / 2>},
    {"blelloch_padded", "the tree with a word of padding in 32: the conflicts are gone",
     run<scan_blelloch_padded, kPiece / 2>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
