// Objects of the program's that graphs keep alive: destroyed with the last reference, the program's
// own or of a graph, of its clones and of what was instantiated from it.
#include <algorithm>
#include <memory>
#include <unordered_map>

#include "emulate/cudart/handles.hpp"

using namespace warpmem::cudart;

namespace warpmem::cudart {

struct UserObject {
  void* data = nullptr;
  HostFunction destroy = nullptr;
  UserObject(void* d, HostFunction f) : data(d), destroy(f) {}
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
  ~UserObject() { destroy(data); }
};

}  // namespace warpmem::cudart

namespace {

constexpr unsigned kNoDestructorSync = 1, kMove = 1;

struct Owned {
  std::shared_ptr<UserObject> object;
  unsigned count = 0;  // the program's references
};
std::unordered_map<UserObject*, Owned>& owned() {
  static auto* all = new std::unordered_map<UserObject*, Owned>;
  return *all;
}
Code drop(UserObject* object, unsigned count) {
  const auto at = owned().find(object);
  if (at == owned().end() || count == 0 || count > at->second.count) return kInvalidValue;
  if ((at->second.count -= count) == 0) owned().erase(at);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudaUserObjectCreate(UserObject** out, void* data, HostFunction destroy, unsigned count,
                         unsigned flags) {
  return api([&](Runtime&) {
    if (!out || !destroy || count == 0 || flags != kNoDestructorSync) return kInvalidValue;
    auto object = std::make_shared<UserObject>(data, destroy);
    *out = object.get();
    owned()[*out] = {std::move(object), count};
    return kSuccess;
  });
}
int cudaUserObjectRetain(UserObject* object, unsigned count) {
  return api([&](Runtime&) {
    const auto at = owned().find(object);
    if (at == owned().end() || count == 0) return kInvalidValue;
    at->second.count += count;
    return kSuccess;
  });
}
int cudaUserObjectRelease(UserObject* object, unsigned count) {
  return api([&](Runtime&) { return drop(object, count); });
}
int cudaGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count, unsigned flags) {
  return api([&](Runtime&) {
    const auto at = owned().find(object);
    if (!find_graph(graph) || at == owned().end() || count == 0 || flags > kMove)
      return kInvalidValue;
    graph->kept.insert(graph->kept.end(), count, at->second.object);
    return flags == kMove ? drop(object, count) : kSuccess;
  });
}
int cudaGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count) {
  return api([&](Runtime&) {
    if (!find_graph(graph) || count == 0) return kInvalidValue;
    for (unsigned i = 0; i < count; ++i) {
      const auto at = std::find_if(graph->kept.begin(), graph->kept.end(),
                                   [&](const auto& kept) { return kept.get() == object; });
      if (at == graph->kept.end()) return kInvalidValue;
      graph->kept.erase(at);
    }
    return kSuccess;
  });
}

}  // extern "C"
