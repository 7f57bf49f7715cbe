// The recorder library's entry point. The CUDA driver loads the library that CUDA_INJECTION64_PATH
// names and calls InitializeInjection() while it starts; callbacks follow on the program's threads.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "traces/record/session.hpp"

namespace warpmem::record {
namespace {

Session* g_session = nullptr;  // never deleted: the driver may call back until the very end
bool g_forked = false;         // in a child of fork(): the trace is the parent's

trace::AllocationKind kind_of(std::uint32_t flags) {
  if ((flags & SANITIZER_MEMORY_FLAG_MANAGED) != 0) return trace::AllocationKind::kManaged;
  if ((flags & SANITIZER_MEMORY_FLAG_PEER) != 0) return trace::AllocationKind::kPeer;
  if ((flags & (SANITIZER_MEMORY_FLAG_HOST_MAPPED | SANITIZER_MEMORY_FLAG_HOST_PINNED)) != 0) {
    return trace::AllocationKind::kHost;
  }
  return trace::AllocationKind::kDevice;
}

void on_resource(Session& session, Sanitizer_CallbackId id, const void* data) {
  switch (id) {
    case SANITIZER_CBID_RESOURCE_MODULE_LOADED:
      session.module_loaded(*static_cast<const Sanitizer_ResourceModuleData*>(data));
      break;
    case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      session.module_unloading(*static_cast<const Sanitizer_ResourceModuleData*>(data));
      break;
    case SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      session.context_ending(static_cast<const Sanitizer_ResourceContextData*>(data)->context);
      break;
    case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC:
    case SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC:
    case SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC: {
      const auto& memory = *static_cast<const Sanitizer_ResourceMemoryData*>(data);
      if ((memory.flags & (SANITIZER_MEMORY_FLAG_CG_RUNTIME | SANITIZER_MEMORY_FLAG_CNP)) != 0)
        break;
      const bool host = id == SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC;
      session.allocations().add(memory.address, memory.size,
                                host ? trace::AllocationKind::kHost : kind_of(memory.flags));
      break;
    }
    case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE:
    case SANITIZER_CBID_RESOURCE_HOST_MEMORY_FREE:
    case SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC:
      session.allocations().remove(static_cast<const Sanitizer_ResourceMemoryData*>(data)->address);
      break;
    default: break;
  }
}

void on_graph(Session& session, Sanitizer_CallbackId id, const void* data) {
  switch (id) {
    case SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN:
      if (static_cast<const Sanitizer_GraphLaunchData*>(data)->isGraphUpload == 0)
        session.graph_begin();
      break;
    case SANITIZER_CBID_GRAPHS_LAUNCH_END:
      if (static_cast<const Sanitizer_GraphLaunchData*>(data)->isGraphUpload == 0)
        session.graph_end();
      break;
    case SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN:
    case SANITIZER_CBID_GRAPHS_NODE_LAUNCH_END: {
      const auto& node = *static_cast<const Sanitizer_GraphNodeLaunchData*>(data);
      if (node.nodeType != CU_GRAPH_NODE_TYPE_KERNEL || node.isGraphUpload != 0) break;
      if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN) {
        session.launch_begin(node.launchData);
      } else {
        session.launch_end();
      }
      break;
    }
    default: break;
  }
}

void dispatch(Session& session, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
              const void* data) {
  switch (domain) {
    case SANITIZER_CB_DOMAIN_RESOURCE: on_resource(session, id, data); break;
    case SANITIZER_CB_DOMAIN_LAUNCH:
      if (id == SANITIZER_CBID_LAUNCH_BEGIN) {
        session.launch_begin(*static_cast<const Sanitizer_LaunchData*>(data));
      } else if (id == SANITIZER_CBID_LAUNCH_END) {
        session.launch_end();
      }
      break;
    case SANITIZER_CB_DOMAIN_GRAPHS: on_graph(session, id, data); break;
    case SANITIZER_CB_DOMAIN_SYNCHRONIZE: {
      const auto& sync = *static_cast<const Sanitizer_SynchronizeData*>(data);
      if (id == SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED) {
        session.synchronized(sync.context, sync.hStream);
      } else if (id == SANITIZER_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED) {
        session.synchronized(sync.context, nullptr);
      }
      break;
    }
    case SANITIZER_CB_DOMAIN_DRIVER_API: {
      const auto& call = *static_cast<const Sanitizer_CallbackData*>(data);
      if (call.callbackSite == SANITIZER_API_ENTER) {
        session.attributes().driver_call(id, call.functionParams, call.symbolName);
      } else {
        session.attributes().driver_call_over();
      }
      break;
    }
    default: break;
  }
}

void SANITIZERAPI callback(void*, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                           const void* data) {
  if (g_forked || g_session == nullptr) return;
  try {
    dispatch(*g_session, domain, id, data);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpmem: the recorder failed: %s\n", e.what());
  }
}

// On a thread of its own: this one's thread-local objects (the compressor's) are destroyed already.
void at_exit() {
  if (g_forked || g_session == nullptr) return;
  std::thread([] {
    try {
      g_session->close();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "warpmem: the recorder failed: %s\n", e.what());
    }
  }).join();
}

Result<void> start() {
  auto options = from_environment();
  if (!options) return options.error();
  const char* library = std::getenv("WARPMEM_SANITIZER_LIBRARY");
  auto api = load_sanitizer(library != nullptr ? library : "libsanitizer-public.so");
  if (!api) return api.error();
  g_session = new Session(*options, *api);
  Sanitizer_SubscriberHandle subscriber;
  if (const auto r = api->subscribe(&subscriber, callback, nullptr); r != SANITIZER_SUCCESS) {
    return sanitizer_error(*api, "subscribing to the driver", r);
  }
  for (const auto domain : {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CB_DOMAIN_LAUNCH,
                            SANITIZER_CB_DOMAIN_SYNCHRONIZE, SANITIZER_CB_DOMAIN_GRAPHS}) {
    api->enable_domain(1, subscriber, domain);
  }
  for (const std::uint32_t call : AttributeTracker::wanted_calls()) {
    api->enable_callback(1, subscriber, SANITIZER_CB_DOMAIN_DRIVER_API, call);
  }
  pthread_atfork(nullptr, nullptr, [] { g_forked = true; });
  std::atexit(at_exit);
  return {};
}

}  // namespace
}  // namespace warpmem::record

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static bool started = false;
  if (started) return 1;
  started = true;
  if (const auto ok = warpmem::record::start(); !ok) {
    std::fprintf(stderr, "warpmem: not recording: %s\n", ok.error().text().c_str());
    if (const char* strict = std::getenv("WARPMEM_RECORD_STRICT");
        strict != nullptr && *strict == '1') {
      _exit(warpmem::exit_status(ok.error().kind));
    }
  }
  return 1;
}
