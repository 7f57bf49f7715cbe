// Lookups in tables much larger than the L2, as programs of particle transport do them: a thread
// draws an energy, searches for it among 768,604 (6 MB), and takes for each of 4 to 34 nuclides an
// index from its row of 68 (209 MB of rows) and two neighbouring structures of six doubles from
// that nuclide's table (37 MB in all). Read: what l2_random reads.
//   table_lookups LOOKUPS THREADS ORDER   ORDER 0: each thread's nuclides in the same order, 1:
//   from a drawn one on
#include "micro.cuh"

namespace {

constexpr u32 kNuclides = 68, kPoints = 11303, kRows = kNuclides * kPoints;

__host__ __device__ inline u32 mixed(u64 n) {
  n ^= n >> 31, n *= 0x7fb5d329728ea185ull;
  n ^= n >> 27, n *= 0x81dadef4bc2dd44dull;
  return static_cast<u32>(n >> 32);
}

struct Point {
  double energy, total, elastic, absorption, fission, nu_fission;
};

}  // namespace

__global__ void look_up(const double* energies, const u32* index, const Point* points, int order,
                        double* out, u32 count) {
  const u32 me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me >= count) return;
  const double energy = mixed(me) * (1.0 / 4294967296.0);
  u32 low = 0, high = kRows - 1;
  while (high - low > 1) {
    const u32 middle = low + (high - low) / 2;
    if (energies[middle] > energy) high = middle;
    else low = middle;
  }
  const u32 kind = mixed(me + 0x51ed27ull) % 16;
  const u32 nuclides = kind < 2    ? 34
                       : kind < 3  ? 27
                       : kind < 6  ? 21
                       : kind < 8  ? 9
                       : kind < 12 ? 5
                                   : 4;
  const u32 first = order ? mixed(me + 0xabcdefull) % kNuclides : 0;
  double sum[5] = {};
  for (u32 k = 0; k < nuclides; ++k) {
    const u32 n = (first + k * 2) % kNuclides;
    const u32 at = index[u64{low} * kNuclides + n];
    const Point* const p = points + u64{n} * kPoints + (at == kPoints - 1 ? at - 1 : at);
    const double f = (p[1].energy - energy) / (p[1].energy - p[0].energy);
    sum[0] += p[1].total - f * (p[1].total - p[0].total);
    sum[1] += p[1].elastic - f * (p[1].elastic - p[0].elastic);
    sum[2] += p[1].absorption - f * (p[1].absorption - p[0].absorption);
    sum[3] += p[1].fission - f * (p[1].fission - p[0].fission);
    sum[4] += p[1].nu_fission - f * (p[1].nu_fission - p[0].nu_fission);
  }
  double most = 0;
  for (const double s : sum) most = s > most ? s : most;
  out[me] = most;
}

int main(int argc, char** argv) {
  std::vector<double> energies(kRows);
  for (u32 k = 0; k < kRows; ++k) energies[k] = k / static_cast<double>(kRows);
  std::vector<u32> index(u64{kRows} * kNuclides);
  for (u64 k = 0; k < index.size(); ++k) {
    const u32 near =
        static_cast<u32>(k / kNuclides / kNuclides);  // a row's energy among a nuclide's own
    index[k] = (near + (mixed(k / kNuclides / kNuclides * 68 + k % kNuclides) & 3)) % kPoints;
  }
  std::vector<Point> points(kRows);
  for (u32 k = 0; k < kRows; ++k)
    points[k] = {k % kPoints / static_cast<double>(kPoints), 1. + k % 7, 2, 3, 4, 5};
  double* e = device_buffer<double>(u64{kRows} * 8);
  u32* i = device_buffer<u32>(index.size() * 4);
  Point* p = device_buffer<Point>(u64{kRows} * sizeof(Point));
  double* out = device_buffer<double>(u64{8} << 20);
  CHECK(cudaMemcpy(e, energies.data(), u64{kRows} * 8, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(i, index.data(), index.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(p, points.data(), u64{kRows} * sizeof(Point), cudaMemcpyHostToDevice));
  const auto run = [&](u32 count, int threads, int order) {
    label("lookups=%u threads=%d order=%d", count, threads, order);
    look_up<<<(count + threads - 1) / threads, threads>>>(e, i, p, order, out, count);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  };
  if (argc > 3) {
    run(static_cast<u32>(std::strtoul(argv[1], nullptr, 10)), std::atoi(argv[2]),
        std::atoi(argv[3]));
    return 0;
  }
  for (int order : {0, 1})
    for (int threads : {128, 256, 1024})
      for (u32 count : {1u << 12, 1u << 14, 1u << 16, 1u << 18, 1u << 20})
        run(count, threads, order);
}
