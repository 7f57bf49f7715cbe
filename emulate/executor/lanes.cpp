#include "emulate/executor/lanes.hpp"

#include <unordered_map>

namespace warpmem::emulate {

namespace lanes_portable {
void table(AddHandler add, void* to);
Handler wrapper();
}  // namespace lanes_portable
namespace lanes_avx2 {
void table(AddHandler add, void* to);
Handler wrapper();
}  // namespace lanes_avx2

namespace {

using Table = std::unordered_map<std::string, Handler>;

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

Table make_table() {
  Table t;
  const AddHandler add = [](void* to, const char* head, const char* operation, const char* type,
                            Handler handler) {
    (*static_cast<Table*>(to))[std::string(head) + operation + type] = handler;
  };
  has_avx2() ? lanes_avx2::table(add, &t) : lanes_portable::table(add, &t);
  return t;
}

}  // namespace

Handler find_handler(const std::string& name) {
  static const Table table = make_table();
  const auto at = table.find(name);
  return at == table.end() ? nullptr : at->second;
}

Handler mode_wrapper() { return has_avx2() ? lanes_avx2::wrapper() : lanes_portable::wrapper(); }

}  // namespace warpmem::emulate
