#include "tests/catch.hpp"
#include "validate/kernel_name.hpp"

using namespace warpmem::validate;

TEST_CASE("one kernel, as different tools print it") {
  for (const char* name :
       {"void copy<float, 4>(float const*, int)", "void copy<float, (int)4>(const T1 *, int)",
        "copy<float,4>", "void copy<float, 4u>(float*)", "_Z4copyIfLi4EEvPKT_i"})
    CHECK(kernel_signature(name) == "copy<float,4>");
  CHECK(kernel_signature("saxpy(int, float *)") == "saxpy");
  CHECK(kernel_signature("_Z5saxpyiPf") == "saxpy");
  CHECK(kernel_signature("saxpy") == "saxpy");
  CHECK(kernel_signature("void k<true>(int)") == kernel_signature("void k<(bool)1>(int)"));
  CHECK(kernel_signature("(anonymous namespace)::k(int)") == kernel_signature("<unnamed>::k(int)"));
  CHECK(kernel_signature("void f<float4>(float4*)") == "f<float4>");
  CHECK(kernel_signature("_Znonsense") == "_Znonsense");
  CHECK(kernel_signature("") == "");
}

TEST_CASE("the base name has no scope and no template arguments") {
  CHECK(kernel_base_name("void at::native::reduce_kernel<512, 1, F<float> >(F)") ==
        "reduce_kernel");
  CHECK(kernel_base_name("(anonymous namespace)::k<int>(int)") == "k");
  CHECK(kernel_base_name("k") == "k");
}

TEST_CASE("a mangled name that cannot be read is known by what it begins with") {
  CHECK(kernel_signature("_ZN7cutlass6KernelINS_4gemm?EvT_") == "cutlass::Kernel");
  CHECK(kernel_base_name("_ZN7cutlass6KernelINS_4gemm?EvT_") == "Kernel");
  CHECK(kernel_base_name("_Z4copy?") == "copy");
  for (const char* broken : {"_Z", "_ZN", "_Z0", "_Z9copy", "_Z99999999999999999999999copy"}) {
    INFO(broken);
    CHECK(kernel_base_name(broken) == broken);
  }
}
