// What a load finds of what was stored before: one warp, two lines, four to six random steps of loads and stores
// of 1 to 8 bytes a lane by random lanes, long apart, a launch per case. The label says each step: L or S, the
// bytes of a lane, the lanes (hexadecimal).
// Read: l1tex__t_sectors_pipe_lsu_mem_global_op_{ld,st}[_lookup_hit], l1tex__m_xbar2l1tex_read_sectors.
#include <string>

#include "micro.cuh"

constexpr int kSteps = 6;

struct Step {
  u32 store, width, lanes;
};
struct Script {
  Step step[kSteps];
  int steps;
};

__global__ void script(u8* base, u32* sink, Script s) {
  u32 sum = 0;
#pragma unroll 1
  for (int i = 0; i < s.steps; ++i) {
    const Step step = s.step[i];
    if (step.lanes >> threadIdx.x & 1) {
      if (step.store) {
        u8* const p = base + threadIdx.x * step.width;
        switch (step.width) {
          case 1: asm volatile("st.global.u8 [%0],%1;" ::"l"(p), "r"(sum) : "memory"); break;
          case 2: asm volatile("{ .reg .u16 v; cvt.u16.u32 v,%1; st.global.u16 [%0],v; }" ::"l"(p), "r"(sum) : "memory"); break;
          case 4: asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(sum) : "memory"); break;
          default: asm volatile("st.global.v2.u32 [%0],{%1,%1};" ::"l"(p), "r"(sum) : "memory"); break;
        }
      } else {
        const u8* const p = base + threadIdx.x * step.width;
        u32 v;
        switch (step.width) {
          case 1: asm volatile("ld.global.u8 %0,[%1];" : "=r"(v) : "l"(p) : "memory"); break;
          case 2: asm volatile("{ .reg .u16 v; ld.global.u16 v,[%1]; cvt.u32.u16 %0,v; }" : "=r"(v) : "l"(p) : "memory"); break;
          case 4: asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory"); break;
          default: asm volatile("{ .reg .u32 w; ld.global.v2.u32 {%0,w},[%1]; add.u32 %0,%0,w; }" : "=r"(v) : "l"(p) : "memory"); break;
        }
        sum += v;
      }
    }
    __syncwarp();
    if (sum == 0x12345) *sink = sum;  // waits for the load
    wait_cycles(3000);
  }
}

int main() {
  u8* const base = device_buffer<u8>(1 << 20);
  u32* const sink = device_buffer<u32>(64);
  u64 state = 3;
  const auto draw = [&state](u32 below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<u32>(state >> 33) % below;
  };
  for (int n = 0; n < 640; ++n) {
    Script s;
    std::string name;
    // Half of the cases store and load the same lanes, or some of them; in two of three the lanes are few, so that
    // words come together from several stores.
    const bool few = n % 3 != 0;
    const u32 kept = (draw(2) ? ~0u : draw(~0u)) & (few ? 0xf << 4 * draw(3) | 0xf : ~0u), width = 1u << draw(few ? 3 : 4);
    s.steps = few ? 6 : 4;
    for (int i = 0; i < s.steps; ++i) {
      Step& step = s.step[i];
      step.store = i == 0 || (i + 1 < s.steps && draw(2));
      step.width = draw(2) ? width : 1u << draw(few ? 3 : 4);
      step.lanes = draw(~0u) & (draw(2) ? draw(~0u) : ~0u) & kept;
      if (draw(4) == 0) step.lanes = s.step[0].lanes;
      if (step.lanes == 0) step.lanes = 1;
      char text[20];
      std::snprintf(text, sizeof text, "%s%c%u:%x", i ? " " : "", step.store ? 'S' : 'L', step.width, step.lanes);
      name += text;
    }
    label("%s", name.c_str());
    script<<<1, 32>>>(base, sink, s);
  }
  CHECK(cudaDeviceSynchronize());
}
