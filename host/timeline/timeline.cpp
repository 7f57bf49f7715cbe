#include "host/timeline/timeline.hpp"

#include <algorithm>
#include <limits>

namespace warpmem::host {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kNotYet = -1;  // of the begin of a step that is ready, but no engine serves it

bool on_device(Place place) { return place == Place::kDevice || place == Place::kManaged; }
bool pageable(const Operation& what) {
  return what.step == Step::kCopy && (what.from == Place::kPageable || what.to == Place::kPageable);
}

}  // namespace

const char* engine_name(Engine engine) {
  constexpr const char* kNames[] = {"copies to the GPU", "copies to the host", "SMs",
                                    "host functions", "none"};
  return kNames[static_cast<std::size_t>(engine)];
}

Engine engine_of(const LinkSpec& spec, const Operation& what) {
  switch (what.step) {
    case Step::kCopy:
      if (on_device(what.to) == on_device(what.from))
        return on_device(what.to) ? Engine::kCompute : Engine::kHost;
      if (spec.engines < 1) return Engine::kCompute;
      return on_device(what.to) || spec.engines < 2 ? Engine::kToDevice : Engine::kToHost;
    case Step::kFill:
    case Step::kKernel: return Engine::kCompute;
    case Step::kHostFunction: return Engine::kHost;
    case Step::kMark:
    case Step::kWait: break;
  }
  return Engine::kNone;
}

void Timeline::host_works(double ns) { host_ += std::max(0.0, ns); }

std::uint32_t Timeline::add(const Operation& what) {
  const auto step = static_cast<std::uint32_t>(steps_.size());
  if (what.step != Step::kWait && what.called)
    host_ += what.step == Step::kKernel ? spec_.launch_ns : spec_.call_ns;
  const bool goes_on = pageable(what) && !on_device(what.from) &&
                       static_cast<double>(what.bytes) <= spec_.inline_bytes;
  if (goes_on) host_ += static_cast<double>(what.bytes) / spec_.pageable_to_device;
  run_until(host_);
  Span& span = steps_.emplace_back();
  where_.push_back({what.stream, engine_of(spec_, what)});
  span.issued = span.ready = host_;
  if (what.step == Step::kWait) {
    wait_for(what.after);
    Span& waited = steps_[step];
    waited.begin = waited.ready;
    waited.end = host_;
    return step;
  }
  Node& node = active_[step];
  node.what = what;
  span.ready += spec_.submit_ns;
  for (const std::uint32_t before : what.after) {
    const auto other = active_.find(before);
    if (other == active_.end()) {
      span.ready = std::max(span.ready, steps_[before].end + gap(before, step));
      continue;
    }
    other->second.followed_by.push_back(step);
    ++node.missing;
  }
  if (node.missing == 0) waiting_.push({span.ready, step});
  // The host itself moves what is pageable: to the GPU, all but the last piece's way over the link.
  if (pageable(what) && !goes_on)
    host_ = std::max(host_, end_of(step) - (on_device(what.to) ? piece_ns(what) : 0));
  return step;
}

void Timeline::wait_for(const std::vector<std::uint32_t>& steps) {
  double end = host_;
  for (const std::uint32_t step : steps) end = std::max(end, end_of(step) + spec_.wake_ns);
  host_ = end;
}

bool Timeline::ended(std::uint32_t step) {
  run_until(host_);
  return done(step) && steps_[step].end <= host_;
}

double Timeline::end_of(std::uint32_t step) {
  while (!done(step) && run_one(kNever)) {
  }
  return steps_[step].end;
}

void Timeline::finish() {
  while (run_one(kNever)) {
  }
}

void Timeline::run_until(double time) {
  while (now_ < time && run_one(time)) {
  }
  now_ = std::max(now_, time);
}

// Who runs goes on at its rate until the first of: its fixed part or all of it ends, another step
// is ready, the limit.
bool Timeline::run_one(double limit) {
  start_ready();
  set_rates();
  double next = waiting_.empty() ? kNever : waiting_.top().at;
  std::vector<std::uint32_t> running;
  for (const auto& queue : queues_)
    for (const std::uint32_t step : queue) {
      const Node& n = active_.at(step);
      running.push_back(step);
      next = std::min(next, now_ + (n.fixed > 0 ? n.fixed : n.rate > 0 ? n.work / n.rate : kNever));
      // A copy engine serves its first, as does the host.
      if (where_[step].engine != Engine::kCompute && where_[step].engine != Engine::kNone) break;
    }
  if (next == kNever) return false;
  const double passed = std::max(0.0, std::min(next, limit) - now_);
  now_ = std::min(next, limit);
  for (const std::uint32_t step : running) {
    Node& n = active_.at(step);
    constexpr double kRound = 1e-6;  // ns, far below what any of this is known to
    if (n.fixed > 0) {
      n.fixed = n.fixed - passed < kRound ? 0 : n.fixed - passed;
      if (n.fixed == 0 && n.work == 0) finish_step(step);
    } else {
      n.work -= passed * n.rate;
      if (n.rate > 0 && n.work / n.rate < kRound) finish_step(step);
    }
  }
  return next <= limit;
}

void Timeline::start_ready() {
  while (!waiting_.empty() && waiting_.top().at <= now_) {
    const std::uint32_t step = waiting_.top().step;
    waiting_.pop();
    start(step);
  }
}

void Timeline::start(std::uint32_t step) {
  Node& n = active_.at(step);
  const Engine engine = where_[step].engine;
  const bool moves = n.what.step == Step::kCopy || n.what.step == Step::kFill;
  n.work = moves ? static_cast<double>(n.what.bytes) : n.what.alone_ns;
  steps_[step].begin = kNotYet;
  queues_[static_cast<std::size_t>(engine)].push_back(step);
}

// Before a step moves or computes anything.
double Timeline::fixed_time(std::uint32_t step) {
  const Operation& what = active_.at(step).what;
  const Engine engine = where_[step].engine;
  auto& last = turned_to_[static_cast<std::size_t>(engine)];
  const bool turns = last && *last != what.stream;
  last = what.stream;
  if (what.step == Step::kMark) return spec_.mark_ns;
  if (what.step == Step::kFill) return spec_.device_ns;
  if (what.step == Step::kKernel) return std::min(spec_.kernel_ns, what.alone_ns);
  if (what.step != Step::kCopy || engine == Engine::kHost) return 0;
  if (on_device(what.from) == on_device(what.to)) return spec_.device_ns;
  const bool in = on_device(what.to);
  double ns = in ? spec_.copy_to_device_ns : spec_.copy_to_host_ns;
  // A prefetch copies block by block.
  if (what.from == Place::kManaged || what.to == Place::kManaged)
    ns *= static_cast<double>(what.rows);
  if (turns) ns += spec_.turn_ns;
  return pageable(what) && !in ? ns + spec_.pageable_to_host_ns : ns;
}

// From the end of a step until one that follows it can begin.
double Timeline::gap(std::uint32_t before, std::uint32_t after) const {
  const Where &a = where_[before], &b = where_[after];
  if (a.stream != b.stream) return spec_.change_ns;
  const bool marks = a.engine == Engine::kNone || b.engine == Engine::kNone;
  return a.engine == b.engine || marks ? 0 : spec_.change_ns;
}

void Timeline::set_rates() {
  const auto first = [&](Engine e) -> Node* {
    const auto& queue = queues_[static_cast<std::size_t>(e)];
    if (queue.empty()) return nullptr;
    begin(queue.front());
    return &active_.at(queue.front());
  };
  // The link: each direction by itself, and both at once.
  Node* const links[] = {first(Engine::kToDevice), first(Engine::kToHost)};
  double asked = 0;
  for (Node* n : links) {
    if (!n) continue;
    n->rate = link_rate(n->what);
    if (n->fixed == 0) asked += n->rate;
  }
  if (asked > spec_.both)
    for (Node* n : links)
      if (n) n->rate *= spec_.both / asked;
  if (Node* n = first(Engine::kHost))
    n->rate = n->what.step == Step::kCopy ? spec_.pageable_to_host : 1;
  for (const std::uint32_t step : queues_[static_cast<std::size_t>(Engine::kNone)]) begin(step);
  double free = 1;
  for (const std::uint32_t step : queues_[static_cast<std::size_t>(Engine::kCompute)]) {
    Node& n = active_.at(step);
    const bool kernel = n.what.step == Step::kKernel;
    if (kernel) begin(step);  // while others run it gets ready
    if (kernel && n.fixed > 0) continue;
    const double share = kernel ? n.what.share : 1;
    const double got = std::min(share, free);
    free -= got;
    if (got > 0) begin(step);
    double whole = 1;
    if (n.what.step == Step::kFill) whole = spec_.fill;
    else if (n.what.step == Step::kCopy)
      whole =
          on_device(n.what.from) == on_device(n.what.to) ? spec_.device_copy : link_rate(n.what);
    n.rate = whole * got / share;
  }
}

// How long a piece of a pageable copy is alone on the link.
double Timeline::piece_ns(const Operation& what) const {
  return std::min(static_cast<double>(what.bytes), spec_.staging) /
         (on_device(what.to) ? spec_.to_device : spec_.to_host);
}

// Of a copy that has the link to itself. The host copies what is pageable, behind or before a piece
// that is alone on the link.
double Timeline::link_rate(const Operation& what) const {
  const bool in = on_device(what.to);
  const double pinned = in ? spec_.to_device : spec_.to_host;
  if (!pageable(what) || what.bytes == 0) return pinned;
  const auto bytes = static_cast<double>(what.bytes);
  if (in && bytes <= spec_.inline_bytes) return pinned;  // copied with the call
  double ns = piece_ns(what);
  if (!in) {
    ns += bytes / spec_.pageable_to_host;
  } else {
    const double near = std::min(bytes, spec_.host_near);
    const double mid = std::max(0.0, std::min(bytes, spec_.host_cache) - near);
    ns += near / spec_.pageable_to_device + mid / spec_.pageable_mid +
          (bytes - near - mid) / spec_.pageable_far;
  }
  return std::min(pinned, bytes / ns);
}

void Timeline::begin(std::uint32_t step) {
  if (steps_[step].begin != kNotYet) return;
  steps_[step].begin = now_;
  Node& n = active_.at(step);
  n.fixed = fixed_time(step);
  if (n.what.step == Step::kKernel) n.work -= n.fixed;
  if (n.fixed == 0 && n.work == 0) n.fixed = 1e-3;  // what takes no time has its turn all the same
}

void Timeline::finish_step(std::uint32_t step) {
  const auto node = active_.extract(step);
  std::erase(queues_[static_cast<std::size_t>(where_[step].engine)], step);
  Span& span = steps_[step];
  span.end = now_;
  for (const std::uint32_t after : node.mapped().followed_by) {
    Span& next = steps_[after];
    next.ready = std::max(next.ready, span.end + gap(step, after));
    if (--active_.at(after).missing == 0) waiting_.push({next.ready, after});
  }
}

}  // namespace warpmem::host
