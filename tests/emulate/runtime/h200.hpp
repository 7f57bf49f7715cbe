// An H200 as the command hands it to the runtime (cards/gpus/h200.toml).
#pragma once

#include <cstdlib>

namespace warpmem::cudart {

constexpr const char* kH200 =
    "card=h200;name=NVIDIA "
    "H200;cc=9.0;sms=132;sm_warps=64;sm_threads=2048;sm_ctas=32;sm_schedulers=4;"
    "sm_registers=65536;register_unit=256;shared_optin=232448;shared_reserved=1024;shared_unit=128;"
    "l2=62914560;clock=1980000;memory_clock=3201000;bus=6144;ecc=1;memory=150000000000;shared_wait="
    "4;"
    "load_wait=32;atomic_wait=128;fence_wait=128;"
    "wire=63.01538461538462;to_device=55;to_host=55.1;both=99;engines=3;"
    "pageable_to_device=16.5;pageable_to_host=13;pageable_mid=12.3;pageable_far=7.1;"
    "host_near=2097152;host_cache=33554432;staging=1048576;inline_bytes=65536;"
    "pageable_to_host_ns=1700;copy_to_device_ns=2840;copy_to_host_ns=1750;turn_ns=400;"
    "device_ns=2000;kernel_ns=1363.6363636363637;device_copy=2284.128;fill=4568.256;"
    "mark_ns=1310;change_ns=5000;call_ns=1400;launch_ns=3600;submit_ns=1900;wake_ns=1900;"
    "configs=8192/16384/32768/65536/102400/135168/167936/200704/233472;"
    "rooms=8/16/16/16/16/16/18/18/2/2/2/2";

inline void emulate_h200() { setenv("WARPMEM_EMULATE_GPU", kH200, 1); }

}  // namespace warpmem::cudart
