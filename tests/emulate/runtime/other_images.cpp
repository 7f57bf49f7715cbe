// Fat binaries whose machine code and PTX come from different compilations: what the runtime says
// of a kernel or variable is true of the code that runs.
#include "embedded.hpp"
#include "emulate/cudart/driver_calls.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/runtime/h200.hpp"
#include "tests/record/small_cubin.hpp"

namespace warpmem::cudart {
namespace {

char kernel_host, table_host;  // stand-ins
// Machine code cannot be read here: PTX runs, and machine code says what its kernels take.
const bool kIsSet = (emulate_h200(), setenv("WARPMEM_NVDISASM", "/nowhere/nvdisasm", 1), true);

// A kernel with `shared` bytes of shared memory and a variable of `table` bytes.
std::string ptx(unsigned target, unsigned shared, unsigned table) {
  return ".version 8.7\n.target sm_" + std::to_string(target) +
         "\n.address_size 64\n.global .align 4 .b8 table[" + std::to_string(table) +
         "];\n.visible .entry _Z1kPf(.param .u64 p)\n{\n  .shared .align 4 .b8 s[" +
         std::to_string(shared) +
         "];\n  .reg .b64 %a<3>;\n  .reg .b32 %r<4>;\n  ld.param.u64 %a1, [p];\n"
         "  cvta.to.global.u64 %a1, %a1;\n  ld.global.u32 %r1, [%a1];\n  st.shared.u32 [s], %r1;\n"
         "  bar.sync 0;\n  ld.shared.u32 %r2, [s];\n  st.global.u32 [%a1+4], %r2;\n  ret;\n}\n";
}

EntrySpec machine_code(unsigned made_of) {
  const auto cubin = record::small_cubin(made_of);
  return {.kind = 2, .architecture = 90, .bytes = std::string(cubin.begin(), cubin.end())};
}

// A program of its own; what it registers is forgotten with it.
class Program {
 public:
  explicit Program(const std::vector<EntrySpec>& entries, std::size_t host_bytes = 64)
      : container_(make_container(entries)),
        wrapper_{0x466243b1, 1, reinterpret_cast<const unsigned char*>(container_.data()), nullptr},
        handle_(__cudaRegisterFatBinary(&wrapper_)) {
    __cudaRegisterFunction(handle_, &kernel_host, nullptr, "_Z1kPf", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterVar(handle_, &table_host, nullptr, "table", 0, host_bytes, 0, 0);
    __cudaRegisterFatBinaryEnd(handle_);
  }
  ~Program() { __cudaUnregisterFatBinary(handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

 private:
  std::string container_;
  FatBinaryWrapper wrapper_;
  void** handle_;
};

FunctionAttributes attributes() {
  FunctionAttributes a{};
  REQUIRE(cudaFuncGetAttributes(&a, &kernel_host) == 0);
  return a;
}

TEST_CASE("a kernel's attributes are those of the PTX that runs, not of code it stands beside") {
  // As CuPy builds CUB: code for this GPU, PTX for newer ones.
  const Program program({machine_code(90), {.architecture = 120, .bytes = ptx(120, 4096, 64)}});
  const FunctionAttributes a = attributes();
  CHECK(a.ptx_version == 120);
  CHECK(a.binary_version == 90);
  CHECK(a.shared_bytes == 4096);
  CHECK(a.registers != 24);
  CHECK(a.local_bytes == 0);
  int ctas = 0;  // the cubin's 256 bytes would let a fifth be resident
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, &kernel_host, 32, 44000) == 0);
  CHECK(ctas == 4);
}

TEST_CASE("machine code made of the program's own PTX says what a kernel needs") {
  const Program program({machine_code(90), {.architecture = 90, .bytes = ptx(90, 256, 64)}});
  const FunctionAttributes a = attributes();
  CHECK(a.ptx_version == 90);
  CHECK(a.registers == 24);
  CHECK(a.shared_bytes == 256);
  CHECK(a.local_bytes == 160);
}

TEST_CASE("older PTX beside newer machine code speaks for itself") {
  const Program program({machine_code(90), {.architecture = 80, .bytes = ptx(80, 128, 64)}});
  const FunctionAttributes a = attributes();
  CHECK(a.ptx_version == 80);
  CHECK(a.registers != 24);
  CHECK(a.shared_bytes == 128);
  CHECK(a.local_bytes == 0);
}

TEST_CASE("libraries and modules tell the same of their kernels") {
  const std::string container =
      make_container({machine_code(90), {.architecture = 120, .bytes = ptx(120, 512, 64)}});
  void *library = nullptr, *kernel = nullptr;
  REQUIRE(cudaLibraryLoadData(&library, container.data(), nullptr, nullptr, 0, nullptr, nullptr,
                              0) == 0);
  REQUIRE(cudaLibraryGetKernel(&kernel, library, "_Z1kPf") == 0);
  constexpr int kShared = 1, kRegisters = 4, kPtx = 5, kBinary = 6;
  int value = 0;
  CHECK(cuFuncGetAttribute(&value, kPtx, kernel) == 0);
  CHECK(value == 120);
  CHECK(cuFuncGetAttribute(&value, kBinary, kernel) == 0);
  CHECK(value == 90);
  CHECK(cuFuncGetAttribute(&value, kShared, kernel) == 0);
  CHECK(value == 512);
  CHECK(cuFuncGetAttribute(&value, kRegisters, kernel) == 0);
  CHECK(value != 24);
}

TEST_CASE("a variable is as large as in the code that runs, whatever the host was told") {
  const Program program({{.architecture = 120, .bytes = ptx(120, 64, 32)}}, 64);
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolSize(&bytes, &table_host) == 0);
  CHECK(bytes == 32);
  char data[64] = {};
  CHECK(cudaMemcpyToSymbol(&table_host, data, 32, 0, kHostToDevice) == 0);
  CHECK(cudaMemcpyToSymbol(&table_host, data, 64, 0, kHostToDevice) == 1);
  static_cast<void>(cudaGetLastError());
}

}  // namespace
}  // namespace warpmem::cudart
