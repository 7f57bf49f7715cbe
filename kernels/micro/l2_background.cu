// What the L2 counts while a kernel runs that accesses nothing: the host, the driver and the profiler use
// it too, the more the longer the kernel takes. To be run under the profiler, one launch a case (CTAs,
// cycles):
//   ncu --clock-control none --csv --page raw --print-units base --metrics sm__cycles_elapsed.max,
//       lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_sectors.sum,
//       lts__t_sectors_srcunit_tex.sum,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sectors_srcnode_gpc.sum,
//       lts__t_sectors_aperture_device.sum,lts__t_sectors_aperture_sysmem.sum,dram__sectors_read.sum,
//       dram__sectors_write.sum l2_background
#include "micro.cuh"

__global__ void wait(long long cycles) { wait_cycles(cycles); }

int main() {
  for (int ctas : {1, 132})
    for (long long cycles : {1000, 5000, 10000, 20000, 40000, 80000, 160000, 320000, 1000000, 4000000, 16000000}) {
      label("%d,%lld", ctas, cycles);
      wait<<<ctas, 32>>>(cycles);
      CHECK(cudaDeviceSynchronize());
    }
}
