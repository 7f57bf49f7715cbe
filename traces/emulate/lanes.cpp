#include "traces/emulate/lanes.hpp"

namespace warpmem::emulate {

namespace lanes_portable {
const HandlerTable& table();
Handler wrapper();
}  // namespace lanes_portable
namespace lanes_avx2 {
const HandlerTable& table();
Handler wrapper();
}  // namespace lanes_avx2

namespace {
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
}  // namespace

Handler find_handler(const std::string& name) {
  static const HandlerTable& table = has_avx2() ? lanes_avx2::table() : lanes_portable::table();
  const auto at = table.find(name);
  return at == table.end() ? nullptr : at->second;
}

Handler mode_wrapper() { return has_avx2() ? lanes_avx2::wrapper() : lanes_portable::wrapper(); }

}  // namespace warpmem::emulate
