// Shared-memory wavefronts of any lane pattern: loads and stores of 4, 8 and 16 bytes, partial
// masks, atomics, matrix loads. Read: memory_l1_wavefronts_shared (address only).
// Prints the pattern with its label, so that a test can replay it. With the argument `masks`: words
// that lanes share, by which of the lanes are active. With `slots`: random lanes on random words,
// written as a character a lane (0 to 9, a to z: the word's number in units of the access; a dot: a
// lane that is not active), where what the profiler works out from the addresses
// (memory_l1_wavefronts_shared) and what the unit does (l1tex__data_pipe_lsu_wavefronts_mem_shared)
// part.
#include <string>

#include "micro.cuh"

template <int W>
__device__ __forceinline__ u32 load_shared(u32 address) {
  u32 a, b, c, d;
  if (W == 4) { asm volatile("ld.shared.u32 %0,[%1];" : "=r"(a) : "r"(address) : "memory"); return a; }
  if (W == 8) { asm volatile("ld.shared.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(address) : "memory"); return a + b; }
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
  return a + b + c + d;
}
template <int W>
__device__ __forceinline__ void store_shared(u32 address, u32 v) {
  if (W == 4) asm volatile("st.shared.u32 [%0],%1;" ::"r"(address), "r"(v) : "memory");
  if (W == 8) asm volatile("st.shared.v2.u32 [%0],{%1,%1};" ::"r"(address), "r"(v) : "memory");
  if (W == 16) asm volatile("st.shared.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(address), "r"(v) : "memory");
}
extern __shared__ __align__(1024) u8 shared_bytes[];
__device__ __forceinline__ u32 shared_base() { return static_cast<u32>(__cvta_generic_to_shared(shared_bytes)); }

template <int W>
__global__ void pattern_load(const u32* offsets, u32 mask, u32* out) {
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane];
  if (mask >> lane & 1) out[lane] = load_shared<W>(p);
}
template <int W>
__global__ void pattern_store(const u32* offsets, u32 mask, u32*) {
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane];
  if (mask >> lane & 1) store_shared<W>(p, lane);
}
__global__ void pattern_atomic_add(const u32* offsets, u32 mask, u32* out) {
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane], v;
  if (mask >> lane & 1) { asm volatile("atom.shared.add.u32 %0,[%1],%2;" : "=r"(v) : "r"(p), "r"(lane) : "memory"); out[lane] = v; }
}
__global__ void pattern_atomic_exch(const u32* offsets, u32 mask, u32* out) {
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane], v;
  if (mask >> lane & 1) { asm volatile("atom.shared.exch.b32 %0,[%1],%2;" : "=r"(v) : "r"(p), "r"(lane) : "memory"); out[lane] = v; }
}
__global__ void pattern_atomic_cas(const u32* offsets, u32 mask, u32* out) {
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane], v;
  if (mask >> lane & 1) { asm volatile("atom.shared.cas.b32 %0,[%1],%2,%2;" : "=r"(v) : "r"(p), "r"(lane) : "memory"); out[lane] = v; }
}
// A loop: ptxas reads, adds, and tries to store (ATOMS.CAST.SPIN) until it was the one to do so.
__global__ void pattern_atomic_add_f32(const u32* offsets, u32 mask, u32* out) {
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane];
  float v;
  if (mask >> lane & 1) { asm volatile("atom.shared.add.f32 %0,[%1],%2;" : "=f"(v) : "r"(p), "f"(1.0f + lane) : "memory"); out[lane] = v; }
}
__global__ void pattern_atomic_add_f64(const u32* offsets, u32 mask, u32* out) {
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane];
  double v;
  if (mask >> lane & 1) { asm volatile("atom.shared.add.f64 %0,[%1],%2;" : "=d"(v) : "r"(p), "d"(1.0 + lane) : "memory"); out[lane] = v; }
}
__global__ void pattern_red_popc(const u32* offsets, u32 mask, u32*) {
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane];
  if (mask >> lane & 1) asm volatile("red.shared.add.u32 [%0],1;" ::"r"(p) : "memory");
}
__global__ void pattern_matrix(const u32* offsets, int count, u32* out) {
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane], a = 0, b = 0, c = 0, d = 0;
  if (count == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(a) : "r"(p) : "memory");
  if (count == 2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(p) : "memory");
  if (count == 4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p) : "memory");
  out[lane] = a + b + c + d;
}
__global__ void pattern_matrix_store(const u32* offsets, int count, u32*) {
#if __CUDA_ARCH__ >= 900
  u32 lane = threadIdx.x, p = shared_base() + offsets[lane];
  if (count == 1) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0],{%1};" ::"r"(p), "r"(lane) : "memory");
  if (count == 2) asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0],{%1,%1};" ::"r"(p), "r"(lane) : "memory");
  if (count == 4) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%1,%1,%1};" ::"r"(p), "r"(lane) : "memory");
#endif
}

struct Pattern { std::string name; u32 offset[32]; u32 mask; };

template <class Show>
void ask_masks(Show&& show, const u32* offsets, u32* out) {
  const u32 masks[] = {0x11111111, 0x33333333, 0x77777777, 0x55555555, 0x0f0f0f0f, 0x01010101, 0x3f3f3f3f,
                       0x00ff00ff, 0x0000ffff, 0x00000fff, 0x000000ff, 0x0000000f, 0x00000007, 0x00000077,
                       0x00007777, 0x77770000, 0x5a5a5a5a, 0x12481248};
  const auto ask = [&](u32 w, const Pattern& p) {
    show("load", w, p);
    if (w == 8) pattern_load<8><<<1, 32, 32768>>>(offsets, p.mask, out);
    else pattern_load<16><<<1, 32, 32768>>>(offsets, p.mask, out);
    show("store", w, p);
    if (w == 8) pattern_store<8><<<1, 32, 32768>>>(offsets, p.mask, out);
    else pattern_store<16><<<1, 32, 32768>>>(offsets, p.mask, out);
  };
  for (u32 w : {8u, 16u}) {
    for (u32 mask : masks)
      for (int kind = 0; kind < 6; ++kind) {
        Pattern p{"words" + std::to_string(kind), {}, mask};
        for (u32 l = 0; l < 32; ++l) {
          const u32 words[] = {0, l & 1, l & 3, l & 7, l >> 2, l};
          p.offset[l] = words[kind] * w;
        }
        ask(w, p);
      }
    for (int r = 0; r < 60; ++r) {
      Pattern p{"few" + std::to_string(r), {}, static_cast<u32>(std::rand()) * 2654435761u};
      u32 words[4];
      for (u32& word : words) word = static_cast<u32>(std::rand()) % 8;
      const int sparse = r % 3;  // fewer lanes
      for (int k = 0; k < sparse; ++k) p.mask &= static_cast<u32>(std::rand()) * 2654435761u;
      for (u32& offset : p.offset) offset = words[std::rand() % (1 + r % 4)] * w;
      ask(w, p);
    }
  }
}

// Lanes that share words: all over the warp, or as neighbours, or as neighbours but one.
template <class Ask>
void ask_slots(Ask&& ask) {
  u64 state = 20261123;
  const auto draw = [&](u32 below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<u32>(state >> 33) % below;
  };
  const auto bits = [&] { return draw(65536) << 16 | draw(65536); };
  for (int i = 0; i < 1600; ++i) {
    const u32 w = i % 8 == 7 ? 4 : i % 4 == 3 ? 8 : 16, fit = 128 / w;  // words without a conflict
    Pattern p{"slots", {}, 0};
    while (!p.mask) {
      const u32 how = draw(5);
      p.mask = how == 0 ? ~0u : how == 1 ? bits() & bits() : how == 2 ? bits() | bits() : bits();
      if (how == 4)  // whole pairs of neighbours, and of neighbours but one
        p.mask &= draw(2) ? 0x11111111u * 5 : 0x55555555u, p.mask |= p.mask << (p.mask & 2 ? 2 : 1);
      const u32 halves = draw(4);
      if (halves < 2) p.mask &= halves ? 0xffff0000u : 0xffffu;
    }
    const u32 sizes[] = {1, 2, 2, 3, 4, 8}, words = sizes[draw(6)], rows = draw(4) ? 1 : 2;
    u32 word[8], kind = draw(5);
    for (u32& n : word) n = draw(fit * rows < 36 ? fit * rows : 36);
    for (u32 l = 0; l < 32; ++l) {
      const u32 which = kind == 0 ? l >> 1 : kind == 1 ? (l & 1) | l >> 2 << 1 : kind == 2 ? l : draw(8);
      p.offset[l] = p.mask >> l & 1 ? word[which % words] * w : 0;
    }
    ask(i % 6 == 5 ? "store" : "load", w, p);
  }
}

int main(int count, char** arguments) {
  u32* out = device_buffer<u32>(4096);
  auto make = [](std::string name, u32 mask, auto f) { Pattern p{name, {}, mask}; for (u32 l = 0; l < 32; ++l) p.offset[l] = f(l); return p; };
  std::srand(11);
  auto list = [&](u32 w) {
    std::vector<Pattern> v;
    u32 rows = 16384 / w;
    for (u32 s : {0, 1, 2, 3, 4, 8, 16, 32}) v.push_back(make("stride" + std::to_string(s), ~0u, [&](u32 l) { return l * s * w % 16384; }));
    v.push_back(make("pairs1", ~0u, [&](u32 l) { return (l >> 1) * w; }));
    v.push_back(make("pairs2", ~0u, [&](u32 l) { return ((l & 1) | (l >> 2) << 1) * w; }));
    v.push_back(make("pairs4", ~0u, [&](u32 l) { return ((l & 3) | (l >> 3) << 2) * w; }));
    v.push_back(make("pairs8", ~0u, [&](u32 l) { return ((l & 7) | (l >> 4) << 3) * w; }));
    v.push_back(make("pairs16", ~0u, [&](u32 l) { return (l & 15) * w; }));
    v.push_back(make("pairs1spread", ~0u, [&](u32 l) { return (l >> 1) * 128 % 16384; }));
    v.push_back(make("pairs1rows2", ~0u, [&](u32 l) { return ((l >> 1) * w) + ((l >> 4) * 1024); }));
    v.push_back(make("pairs1but0", ~0u, [&](u32 l) { return l == 0 ? 4096u : (l >> 1) * w; }));
    v.push_back(make("pairs1mask", 0x55555555u, [&](u32 l) { return (l >> 1) * w; }));
    v.push_back(make("pairs1firsthalf", ~0u, [&](u32 l) { return l < 16 ? (l >> 1) * w : l * w; }));
    v.push_back(make("pairs1quarter", ~0u, [&](u32 l) { return l < 8 ? (l >> 1) * w : l * w; }));
    v.push_back(make("quads", ~0u, [&](u32 l) { return (l >> 2) * w; }));
    v.push_back(make("octs", ~0u, [&](u32 l) { return (l >> 3) * w; }));
    v.push_back(make("low half lanes", 0xffffu, [&](u32 l) { return l * w; }));
    v.push_back(make("even lanes", 0x55555555u, [&](u32 l) { return l * w; }));
    v.push_back(make("one lane", 1u, [&](u32 l) { return l * w; }));
    v.push_back(make("lanes 0 31", 0x80000001u, [&](u32 l) { return l * w; }));
    v.push_back(make("lane quarter each", 0x01010101u, [&](u32 l) { return l * w; }));
    for (int r = 0; r < 10; ++r) v.push_back(make("random" + std::to_string(r), ~0u, [&](u32) { return std::rand() % rows * w; }));
    for (int r = 0; r < 6; ++r) { u32 m = static_cast<u32>(std::rand()) * 2654435761u; v.push_back(make("randommask" + std::to_string(r), m, [&](u32) { return std::rand() % rows * w; })); }
    for (int r = 0; r < 6; ++r) { u32 t[16]; for (auto& x : t) x = std::rand() % rows * w; v.push_back(make("randompair" + std::to_string(r), ~0u, [&](u32 l) { return t[l >> 1]; })); }
    for (int r = 0; r < 4; ++r) { u32 t[16]; for (auto& x : t) x = std::rand() % rows * w; v.push_back(make("randompair2_" + std::to_string(r), ~0u, [&](u32 l) { return t[(l & 1) | (l >> 2) << 1]; })); }
    for (int r = 0; r < 4; ++r) { u32 t[4]; for (auto& x : t) x = std::rand() % 8 * w; v.push_back(make("few" + std::to_string(r), ~0u, [&](u32) { return t[std::rand() % 4]; })); }
    return v;
  };
  u32* offsets = device_buffer<u32>(128);
  auto show = [&](const char* kind, u32 w, const Pattern& p) {
    CHECK(cudaMemcpy(offsets, p.offset, 128, cudaMemcpyHostToDevice));
    std::string s;
    for (u32 o : p.offset) s += " " + std::to_string(o);
    label("%s,%u,%s,%08x,%s", kind, w, p.name.c_str(), p.mask, s.c_str() + 1);
  };
  if (count > 1 && std::string(arguments[1]) == "masks") {
    ask_masks(show, offsets, out);
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  if (count > 1 && std::string(arguments[1]) == "slots") {
    ask_slots([&](const char* kind, u32 w, const Pattern& p) {
      CHECK(cudaMemcpy(offsets, p.offset, 128, cudaMemcpyHostToDevice));
      std::string s;
      for (u32 l = 0; l < 32; ++l) s += p.mask >> l & 1 ? "0123456789abcdefghijklmnopqrstuvwxyz"[p.offset[l] / w] : '.';
      label("%s,%u,%s", kind, w, s.c_str());
      const bool load = kind[0] == 'l';
      auto* kernel = w == 4 ? (load ? pattern_load<4> : pattern_store<4>)
                   : w == 8 ? (load ? pattern_load<8> : pattern_store<8>) : (load ? pattern_load<16> : pattern_store<16>);
      kernel<<<1, 32, 32768>>>(offsets, p.mask, out);
    });
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  for (auto& p : list(4)) {
    show("load", 4, p); pattern_load<4><<<1, 32, 32768>>>(offsets, p.mask, out);
    show("store", 4, p); pattern_store<4><<<1, 32, 32768>>>(offsets, p.mask, out);
  }
  for (auto& p : list(8)) {
    show("load", 8, p); pattern_load<8><<<1, 32, 32768>>>(offsets, p.mask, out);
    show("store", 8, p); pattern_store<8><<<1, 32, 32768>>>(offsets, p.mask, out);
  }
  for (auto& p : list(16)) {
    show("load", 16, p); pattern_load<16><<<1, 32, 32768>>>(offsets, p.mask, out);
    show("store", 16, p); pattern_store<16><<<1, 32, 32768>>>(offsets, p.mask, out);
  }
  int n = 0;
  for (auto& p : list(4)) {
    if (n++ % 2) continue;
    show("atomic_add", 4, p); pattern_atomic_add<<<1, 32, 32768>>>(offsets, p.mask, out);
    show("atomic_exch", 4, p); pattern_atomic_exch<<<1, 32, 32768>>>(offsets, p.mask, out);
    show("atomic_cas", 4, p); pattern_atomic_cas<<<1, 32, 32768>>>(offsets, p.mask, out);
    show("red_inc", 4, p); pattern_red_popc<<<1, 32, 32768>>>(offsets, p.mask, out);
  }
  for (u32 w : {4u, 8u}) {
    auto patterns = list(w);
    for (u32 lanes : {1u, 2u, 3u, 4u, 8u, 16u, 31u})
      patterns.push_back(make("word of " + std::to_string(lanes), (1u << lanes) - 1, [](u32) { return 0u; }));
    for (auto& p : patterns) {
      show(w == 4 ? "add_f32" : "add_f64", w, p);
      (w == 4 ? pattern_atomic_add_f32 : pattern_atomic_add_f64)<<<1, 32, 32768>>>(offsets, p.mask, out);
    }
  }
  n = 0;
  for (auto& p : list(16))
    for (int c : {1, 2, 4}) {
      if (p.mask != ~0u || n++ % 2) continue;
      show(c == 1 ? "ldmatrix1" : c == 2 ? "ldmatrix2" : "ldmatrix4", 16, p);
      pattern_matrix<<<1, 32, 32768>>>(offsets, c, out);
      show(c == 1 ? "stmatrix1" : c == 2 ? "stmatrix2" : "stmatrix4", 16, p);
      pattern_matrix_store<<<1, 32, 32768>>>(offsets, c, out);
    }
  CHECK(cudaDeviceSynchronize());
}
