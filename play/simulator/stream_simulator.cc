#include "play/simulator/stream_simulator.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace opledger {
namespace {

constexpr TaskId kNone = std::numeric_limits<TaskId>::max();

/// The state of a simulation, advanced from event to event. An event is the end of a task; between two events the
/// computing speed is constant.
class StreamSimulator {
 public:
  explicit StreamSimulator(const std::vector<StreamTask>& tasks)
      : tasks_(tasks), unmet_(tasks.size()), readers_(tasks.size()), state_(tasks.size(), State::open), seen_(tasks.size(), 0) {
    out_.spans.resize(tasks.size());
    std::size_t streams = 1;
    for (const StreamTask& t : tasks_) streams = std::max<std::size_t>(streams, t.stream + 1);
    links_.resize(streams);
    for (TaskId id = 0; id < tasks_.size(); ++id) {
      unmet_[id] = tasks_[id].needs.size();
      for (const TaskId need : tasks_[id].needs) readers_[need].push_back(id);
      if (tasks_[id].stream == 0) lane(tasks_[id].lane).add(id, tasks_[id].seconds);
      if (tasks_[id].stream != 0 && unmet_[id] == 0) make_ready(id);
    }
  }

  bool simulate() {
    while (done_ < tasks_.size()) {
      if (computing_ == kNone) begin_computing();
      start_links();
      if (!advance()) return false;
    }
    return true;
  }

  SimulatedStreams take() { return std::move(out_); }
  TaskId stuck() const {
    return static_cast<TaskId>(std::find_if(state_.begin(), state_.end(), [](State s) { return s != State::done; }) - state_.begin());
  }

 private:
  enum class State : std::uint8_t { open, deferred, started, done };

  /// A task waiting for its stream; ordered by readiness.
  struct Ready {
    double since, left;  ///< Time at which the task became ready; seconds still to carry.
    TaskId id;
    friend bool operator<(const Ready& a, const Ready& b) { return std::pair(a.since, a.id) < std::pair(b.since, b.id); }
  };
  /// The state of a stream that carries tasks.
  struct Link {
    std::optional<Ready> running;
    double since = 0, end = 0;  ///< Start of the current interval, and its end without interruption.
    std::set<Ready> ready;
  };

  /// A sequence of computing tasks, such as one microbatch.
  struct Lane {
    std::vector<TaskId> order;
    std::size_t next = 0;
    std::vector<TaskId> deferred;
    double all = 0, done = 0;  ///< Seconds in total, and of tasks started.

    void add(TaskId id, double seconds) {
      order.push_back(id);
      all += seconds;
    }
    /// Returns the fraction of the lane's seconds in tasks that have started; 1 for a lane without seconds.
    double progress() const { return all > 0 ? done / all : 1; }
  };
  Lane& lane(std::uint32_t number) {
    if (lanes_.size() <= number) lanes_.resize(number + 1);
    return lanes_[number];
  }

  void make_ready(TaskId id) { links_[tasks_[id].stream].ready.insert({now_, tasks_[id].seconds, id}); }

  /// The unfinished tasks that a task waits for, directly or transitively.
  struct Waits {
    TaskId due = kNone;           ///< A deferred computing task that can run now.
    bool stops = false;           ///< True if a task with `stops` is awaited: computing must idle.
    std::vector<TaskId> carried;  ///< Tasks that streams carry or could carry, in order of discovery.
  };
  /// Finds the unfinished tasks for which a task waits, by depth-first search over dependencies. A task without unmet
  /// dependencies of its own (`unmet_` is 0) could end the waiting. A task of a stream is added to `carried`, and the
  /// first deferred computing task becomes `due`. `seen_` marks visited tasks with the number of the search
  /// (`round_`), so that no reset is necessary. The cost is linear in the dependencies of the visited tasks.
  Waits waits_of(TaskId id) {
    Waits out;
    ++round_;
    std::vector<TaskId> open = {id};
    while (!open.empty()) {
      const TaskId at = open.back();
      open.pop_back();
      for (auto need = tasks_[at].needs.rbegin(); need != tasks_[at].needs.rend(); ++need) {
        if (state_[*need] == State::done || seen_[*need] == round_) continue;
        seen_[*need] = round_;
        open.push_back(*need);
      }
      if (at == id) continue;
      out.stops = out.stops || tasks_[at].stops;
      if (unmet_[at] > 0) continue;
      if (tasks_[at].stream != 0) out.carried.push_back(at);
      if (state_[at] == State::deferred && out.due == kNone) out.due = at;
    }
    return out;
  }

  /// Chooses the computing task to run now, and starts it; called when no task computes. Lanes are visited by completed
  /// fraction of their time, least first. If a lane waits for a deferred task that can run, this task runs. Otherwise
  /// the processor idles if any lane waits for a task with `stops`. Otherwise the first lane whose next task is ready
  /// runs it. If no lane can proceed, the first deferred task that is ready fills the time. Records in `awaited_` the
  /// carried tasks that the visited lanes wait for; streams prefer these.
  void begin_computing() {
    std::vector<Lane*> lanes;
    for (Lane& l : lanes_) lanes.push_back(&l);
    std::stable_sort(lanes.begin(), lanes.end(), [](const Lane* a, const Lane* b) { return a->progress() < b->progress(); });
    awaited_.clear();
    Lane* ready = nullptr;
    TaskId chosen = kNone;
    bool stops = false;
    for (Lane* l : lanes) {
      const TaskId candidate = candidate_of(*l);
      if (candidate == kNone) continue;
      const Waits waits = unmet_[candidate] == 0 ? Waits{} : waits_of(candidate);
      stops = stops || waits.stops;
      awaited_.insert(awaited_.end(), waits.carried.begin(), waits.carried.end());
      if (waits.due != kNone) return compute(*l, waits.due);
      if (unmet_[candidate] > 0 || ready != nullptr) continue;
      ready = l;
      chosen = candidate;
    }
    if (stops) return;
    if (ready != nullptr) return compute(*ready, chosen);
    for (Lane* l : lanes) {
      const auto other = std::find_if(l->deferred.begin(), l->deferred.end(), [this](TaskId id) { return unmet_[id] == 0; });
      if (other != l->deferred.end()) return compute(*l, *other);
    }
  }

  /// Returns the next task of a lane, deferring tasks that may wait; at the end of the lane, the first deferred
  /// task, or kNone.
  TaskId candidate_of(Lane& l) {
    for (; l.next < l.order.size() && tasks_[l.order[l.next]].may_wait; ++l.next) {
      l.deferred.push_back(l.order[l.next]);
      state_[l.order[l.next]] = State::deferred;
    }
    return l.next < l.order.size() ? l.order[l.next] : l.deferred.empty() ? kNone : l.deferred.front();
  }

  void compute(Lane& l, TaskId id) {
    if (state_[id] == State::deferred)
      l.deferred.erase(std::find(l.deferred.begin(), l.deferred.end(), id));
    else
      ++l.next;
    l.done += tasks_[id].seconds;
    state_[id] = State::started;
    computing_ = id;
    remaining_ = tasks_[id].seconds;
    out_.spans[id].start = now_;
  }

  /// Starts tasks on all streams but stream 0; called at every event. `links_` has the state of each stream: the
  /// running task, and the ready tasks ordered by the time at which they became ready. The earliest task that
  /// computing waits for (`awaited_`) goes first, and interrupts a running task that computing doesn't wait for. The
  /// interrupted task returns to the queue with its remaining seconds and its place.
  void start_links() {
    const auto awaited = [this](TaskId id) { return std::find(awaited_.begin(), awaited_.end(), id) != awaited_.end(); };
    for (std::size_t s = 1; s < links_.size(); ++s) {
      Link& link = links_[s];
      if (link.ready.empty()) continue;
      auto next = awaited_.empty() ? link.ready.end() : std::find_if(link.ready.begin(), link.ready.end(), [&](const Ready& r) { return awaited(r.id); });
      if (link.running && (next == link.ready.end() || awaited(link.running->id))) continue;
      if (next == link.ready.end()) next = link.ready.begin();
      const Ready task = *next;
      link.ready.erase(next);
      if (link.running) {
        Ready interrupted = *link.running;
        interrupted.left = link.end - now_;
        record_carried(link);
        link.ready.insert(interrupted);
      }
      if (state_[task.id] == State::open) out_.spans[task.id].start = now_;
      state_[task.id] = State::started;
      link.running = task;
      link.end = now_ + task.left;
      link.since = now_;
    }
  }

  void record_carried(const Link& link) { out_.carried.push_back({link.running->id, link.since, now_}); }

  /// Advances the time to the next end of a task, and ends all tasks that are due then. Between two ends the computing
  /// speed is constant: carried tasks reduce it by the sum of their shares (`slows`), down to kLeastSpeed.
  /// `remaining_` has the seconds at full speed that the computing task still needs; carried tasks always run at full
  /// speed. Lost computing is recorded with the shares scaled to the actual loss. Returns false if nothing runs, which
  /// is a deadlock.
  bool advance() {
    double slowdown = 0, until = std::numeric_limits<double>::infinity();
    for (const Link& link : links_) {
      if (!link.running) continue;
      slowdown += tasks_[link.running->id].slows;
      until = std::min(until, link.end);
    }
    const double speed = std::max(1 - slowdown, kLeastSpeed);
    const double computed = computing_ != kNone ? now_ + remaining_ / speed : until;
    until = std::min(until, computed);
    if (until == std::numeric_limits<double>::infinity()) return false;
    record_lost(until, slowdown > 0 ? (1 - speed) / slowdown : 0);
    if (computing_ != kNone) remaining_ -= (until - now_) * speed;
    now_ = until;
    out_.end = std::max(out_.end, now_);
    if (computing_ != kNone && computed <= until) {
      out_.spans[computing_].end = now_;
      finish(std::exchange(computing_, kNone));
    }
    for (Link& link : links_) {
      if (!link.running || link.end > until) continue;
      record_carried(link);
      const TaskId id = link.running->id;
      link.running.reset();
      out_.spans[id].end = now_;
      finish(id);
    }
    return true;
  }

  /// Attributes lost computing until the next event: a stall to the awaited task that runs, if any; a slowdown to all
  /// running tasks by their shares. `scale` reduces the shares if the minimum speed limits the slowdown.
  void record_lost(double until, double scale) {
    if (until <= now_) return;
    if (computing_ == kNone) {
      const TaskId cause = cause_of_waiting();
      if (cause != kNone) add_lost(cause, until, 1);
      return;
    }
    for (const Link& link : links_) {
      if (link.running && tasks_[link.running->id].slows > 0) add_lost(link.running->id, until, tasks_[link.running->id].slows * scale);
    }
  }

  /// Returns the running carried task that computing waits for; of several, the first in `awaited_`; kNone without one.
  TaskId cause_of_waiting() const {
    for (const TaskId id : awaited_) {
      const Link& link = links_[tasks_[id].stream];
      if (link.running && link.running->id == id) return id;
    }
    return kNone;
  }

  /// Extends the last interval if it continues with an equal share.
  void add_lost(TaskId id, double until, double share) {
    if (!out_.lost.empty() && out_.lost.back().task == id && out_.lost.back().to == now_ && out_.lost.back().share == share)
      out_.lost.back().to = until;
    else
      out_.lost.push_back({id, now_, until, share});
  }

  void finish(TaskId id) {
    state_[id] = State::done;
    ++done_;
    for (const TaskId reader : readers_[id]) {
      if (--unmet_[reader] == 0 && tasks_[reader].stream != 0) make_ready(reader);
    }
  }

  const std::vector<StreamTask>& tasks_;
  std::vector<std::size_t> unmet_;  ///< Number of unfinished dependencies of each task.
  std::vector<std::vector<TaskId>> readers_;
  std::vector<State> state_;
  std::vector<std::uint32_t> seen_;  ///< The last search of `waits_of` that met each task.
  std::uint32_t round_ = 0;
  std::size_t done_ = 0;
  std::vector<Lane> lanes_;
  std::vector<Link> links_;      ///< Streams that carry; the entry of stream 0 is unused.
  std::vector<TaskId> awaited_;  ///< Carried tasks for which a lane waits.
  TaskId computing_ = kNone;
  double now_ = 0, remaining_ = 0;  ///< Current time; full-speed seconds left of the computing task.
  SimulatedStreams out_;
};

}  // namespace

std::optional<SimulatedStreams> simulate_streams(const std::vector<StreamTask>& tasks, TaskId* stuck) {
  StreamSimulator player(tasks);
  if (player.simulate()) return player.take();
  if (stuck != nullptr) *stuck = player.stuck();
  return std::nullopt;
}

}  // namespace opledger
