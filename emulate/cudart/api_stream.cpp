// Streams and events. Their clock is virtual (runtime.hpp).
#include <algorithm>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/graph.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

Code make_stream(Stream** out, unsigned flags, int priority) {
  return api([&](Runtime& r) {
    if (!out || flags > 1) return kInvalidValue;
    auto* s = new Stream;
    s->number = r.next_stream++;
    s->flags = flags;
    s->priority = std::clamp(priority, -5, 0);
    r.streams.insert(s);
    *out = s;
    return kSuccess;
  });
}

// What a call on a stream does when the stream exists.
template <class F>
Code on(Stream* handle, F&& body) {
  return api([&](Runtime& r) {
    Stream* s = r.stream(handle);
    return s ? body(r, *s) : kInvalidResourceHandle;
  });
}

Code make_event(Event** out, unsigned flags) {
  return api([&](Runtime& r) {
    constexpr unsigned kUntimed = 2, kBetweenProcesses = 4;
    if (!out || flags > 7 || ((flags & kBetweenProcesses) && !(flags & kUntimed)))
      return kInvalidValue;
    *out = *r.events.insert(new Event).first;
    (*out)->flags = flags;
    return kSuccess;
  });
}

}  // namespace

extern "C" {

int cudaStreamCreate(Stream** stream) { return make_stream(stream, 0, 0); }
int cudaStreamCreateWithFlags(Stream** stream, unsigned flags) {
  return make_stream(stream, flags, 0);
}
int cudaStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
  return make_stream(stream, flags, priority);
}
int cudaStreamDestroy(Stream* stream) {
  return api([&](Runtime& r) {
    if (!r.streams.contains(stream)) return kInvalidResourceHandle;
    auto& last = r.default_stream.last;  // its work goes on to its end
    last.insert(last.end(), stream->last.begin(), stream->last.end());
    r.streams.erase(stream);
    delete stream;
    return kSuccess;
  });
}
int cudaStreamSynchronize(Stream* handle) {
  return on(handle, [](Runtime& r, Stream& s) {
    if (s.capture) return s.capture->invalid = true, kCaptureUnsupported;
    if (&s == &r.default_stream) r.synchronise();
    else r.wait(s.last);
    r.flush_printed();
    return kSuccess;
  });
}
int cudaStreamQuery(Stream* handle) {
  return on(handle, [](Runtime& r, Stream& s) {
    if (s.capture) return s.capture->invalid = true, kCaptureUnsupported;
    r.wait(s.last);  // everything has happened: a program that polls need not wait
    return kSuccess;
  });
}
int cudaStreamGetFlags(Stream* handle, unsigned* flags) {
  return on(handle, [&](Runtime&, Stream& s) {
    return flags ? (*flags = s.flags, kSuccess) : kInvalidValue;
  });
}
int cudaStreamGetPriority(Stream* handle, int* priority) {
  return on(handle, [&](Runtime&, Stream& s) {
    return priority ? (*priority = s.priority, kSuccess) : kInvalidValue;
  });
}
int cudaStreamGetId(Stream* handle, unsigned long long* id) {
  return on(handle,
            [&](Runtime&, Stream& s) { return id ? (*id = s.number, kSuccess) : kInvalidValue; });
}
int cudaStreamGetDevice(Stream* handle, int* device) {
  return on(handle,
            [&](Runtime&, Stream&) { return device ? (*device = 0, kSuccess) : kInvalidValue; });
}
int cudaStreamSetAttribute(Stream* handle, AttributeId which, const AttributeValue* value) {
  return on(handle, [&](Runtime& r, Stream& s) {
    if (!value) return kInvalidValue;
    if (which == kAttributeWindow &&
        value->window.bytes > static_cast<std::size_t>(attribute(r.device(), 109).value_or(0)))
      return kInvalidValue;
    if (which == kAttributePriority) s.priority = std::clamp(value->number, -5, 0);
    s.attributes[which] = *value;
    return kSuccess;
  });
}
int cudaStreamGetAttribute(Stream* handle, AttributeId which, AttributeValue* value) {
  return on(handle, [&](Runtime&, Stream& s) {
    if (!value) return kInvalidValue;
    const auto set = s.attributes.find(which);
    *value = set == s.attributes.end() ? AttributeValue{} : set->second;
    if (which == kAttributePriority) value->number = s.priority;
    return kSuccess;
  });
}
int cudaStreamCopyAttributes(Stream* to, Stream* from) {
  return on(to, [&](Runtime& r, Stream& s) {
    const Stream* other = r.stream(from);
    return other ? (s.attributes = other->attributes, kSuccess) : kInvalidResourceHandle;
  });
}
int cudaStreamWaitEvent(Stream* handle, Event* event, unsigned) {
  return on(handle, [&](Runtime& r, Stream& s) {
    if (!r.events.contains(event)) return kInvalidResourceHandle;
    if (event->capture) {  // the event belongs to a capture: this stream joins it
      if (s.capture && s.capture != event->capture) return kCaptureIsolation;
      s.capture = event->capture;
      for (GraphNode* node : event->frontier)
        if (std::find(s.frontier.begin(), s.frontier.end(), node) == s.frontier.end())
          s.frontier.push_back(node);
      return kSuccess;
    }
    return submit(r, s, WaitEvent{event});
  });
}

int cudaEventCreate(Event** event) { return make_event(event, 0); }
int cudaEventCreateWithFlags(Event** event, unsigned flags) { return make_event(event, flags); }
int cudaEventDestroy(Event* event) {
  return api([&](Runtime& r) {
    if (r.events.erase(event) == 0) return kInvalidResourceHandle;
    delete event;
    return kSuccess;
  });
}
int cudaEventRecord(Event* event, Stream* handle) {
  return on(handle, [&](Runtime& r, Stream& s) {
    if (!r.events.contains(event)) return kInvalidResourceHandle;
    if (s.capture) {
      event->capture = s.capture, event->frontier = s.frontier;
      return kSuccess;
    }
    return submit(r, s, RecordEvent{event});
  });
}
// flags 1, cudaEventRecordExternal: in a capture, a node that records each time the graph runs.
int cudaEventRecordWithFlags(Event* event, Stream* handle, unsigned flags) {
  if ((flags & 1) == 0) return cudaEventRecord(event, handle);
  return on(handle, [&](Runtime& r, Stream& s) {
    return r.events.contains(event) ? submit(r, s, RecordEvent{event}) : kInvalidResourceHandle;
  });
}
int cudaEventSynchronize(Event* event) {
  return api([&](Runtime& r) {
    if (!r.events.contains(event)) return kInvalidResourceHandle;
    if (event->capture) return kCaptureUnsupported;
    if (event->recorded) r.wait({event->step});
    r.flush_printed();
    return kSuccess;
  });
}
int cudaEventQuery(Event* event) { return cudaEventSynchronize(event); }
int cudaEventElapsedTime(float* ms, Event* start, Event* end) {
  return api([&](Runtime& r) {
    if (!ms) return kInvalidValue;
    if (!r.events.contains(start) || !r.events.contains(end)) return kInvalidResourceHandle;
    constexpr unsigned kNoTiming = 2;
    if (!start->recorded || !end->recorded || ((start->flags | end->flags) & kNoTiming))
      return kInvalidResourceHandle;
    if (!r.timeline.ended(start->step) || !r.timeline.ended(end->step)) return kNotReady;
    const double ns = r.timeline.span(end->step).end - r.timeline.span(start->step).end;
    *ms = static_cast<float>(ns * 1e-6);
    return kSuccess;
  });
}

}  // extern "C"

WARPMEM_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);

WARPMEM_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);
WARPMEM_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);
WARPMEM_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);
WARPMEM_ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);
WARPMEM_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);
WARPMEM_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);
WARPMEM_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);
WARPMEM_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);
WARPMEM_ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);
WARPMEM_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);
WARPMEM_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
WARPMEM_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);
