#include "timeline/streams.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace opledger {
namespace {

constexpr TaskId kNone = std::numeric_limits<TaskId>::max();

class StreamPlayer {
 public:
  explicit StreamPlayer(const std::vector<StreamTask>& tasks) : tasks_(tasks), left_(tasks.size()), readers_(tasks.size()), done_(tasks.size(), 0) {
    out_.spans.resize(tasks.size());
    std::size_t streams = 1;
    for (const StreamTask& t : tasks_) streams = std::max<std::size_t>(streams, t.stream + 1);
    links_.resize(streams);
    for (TaskId id = 0; id < tasks_.size(); ++id) {
      left_[id] = tasks_[id].needs.size();
      for (const TaskId need : tasks_[id].needs) readers_[need].push_back(id);
      if (tasks_[id].stream == 0) lane(tasks_[id].lane).add(id, tasks_[id].seconds);
      if (tasks_[id].stream != 0 && left_[id] == 0) links_[tasks_[id].stream].ready.emplace(0.0, id);
    }
  }

  bool play() {
    while (done_count_ < tasks_.size()) {
      start_links();
      if (computing_ == kNone) begin_computing();
      if (!advance()) return false;
    }
    return true;
  }

  PlayedStreams take() { return std::move(out_); }
  TaskId stuck() const { return static_cast<TaskId>(std::find(done_.begin(), done_.end(), 0) - done_.begin()); }

 private:
  struct Link {
    TaskId running = kNone;
    std::set<std::pair<double, TaskId>> ready;  ///< By the time since when.
  };

  struct Lane {
    std::vector<TaskId> order;
    std::size_t next = 0;
    std::vector<TaskId> put_off;
    double all = 0, done = 0;  ///< Seconds.

    void add(TaskId id, double seconds) {
      order.push_back(id);
      all += seconds;
    }
    double progress() const { return all > 0 ? done / all : 1; }
  };
  Lane& lane(std::uint32_t number) {
    if (lanes_.size() <= number) lanes_.resize(number + 1);
    return lanes_[number];
  }

  void start_links() {
    for (std::size_t s = 1; s < links_.size(); ++s) {
      Link& link = links_[s];
      if (link.running != kNone || link.ready.empty()) continue;
      link.running = link.ready.begin()->second;
      link.ready.erase(link.ready.begin());
      out_.spans[link.running] = {now_, now_ + tasks_[link.running].seconds};
    }
  }

  /// The next task of a lane that need not wait; what may wait is put off, and comes in where that has to stand still or needs it.
  void begin_computing() {
    std::vector<Lane*> lanes;
    for (Lane& l : lanes_) lanes.push_back(&l);
    std::stable_sort(lanes.begin(), lanes.end(), [](const Lane* a, const Lane* b) { return a->progress() < b->progress(); });
    waiting_ = kNone;
    Lane* ready = nullptr;
    TaskId chosen = kNone;
    bool stops = false;
    for (Lane* l : lanes) {
      const TaskId wanted = wanted_of(*l);
      if (wanted == kNone) continue;
      if (waiting_ == kNone && left_[wanted] > 0) waiting_ = wanted;
      const TaskId can = left_[wanted] == 0 ? wanted : due_for(wanted, stops);
      if (can == kNone || ready != nullptr) continue;
      ready = l;
      chosen = can;
      if (can != wanted) return compute(*l, can);
    }
    if (stops) return;
    if (ready != nullptr) return compute(*ready, chosen);
    for (Lane* l : lanes) {
      const auto other = std::find_if(l->put_off.begin(), l->put_off.end(), [this](TaskId id) { return left_[id] == 0; });
      if (other != l->put_off.end()) return compute(*l, *other);
    }
  }

  TaskId wanted_of(Lane& l) {
    while (l.next < l.order.size() && tasks_[l.order[l.next]].may_wait) l.put_off.push_back(l.order[l.next++]);
    return l.next < l.order.size() ? l.order[l.next] : l.put_off.empty() ? kNone : l.put_off.front();
  }

  void compute(Lane& l, TaskId id) {
    if (l.next < l.order.size() && l.order[l.next] == id)
      ++l.next;
    else
      l.put_off.erase(std::find(l.put_off.begin(), l.put_off.end(), id));
    l.done += tasks_[id].seconds;
    computing_ = id;
    remaining_ = tasks_[id].seconds;
    out_.spans[id].start = now_;
  }

  bool is_put_off(TaskId id) const {
    const Lane& l = lanes_[tasks_[id].lane];
    return std::find(l.put_off.begin(), l.put_off.end(), id) != l.put_off.end();
  }

  /// What was put off and is needed before a task can begin. `stops`: something that it waits for lets nothing else be computed.
  TaskId due_for(TaskId id, bool& stops) {
    for (const TaskId need : tasks_[id].needs) {
      if (done_[need]) continue;
      stops = stops || tasks_[need].stops;
      if (tasks_[need].stream == 0 && left_[need] == 0 && is_put_off(need)) return need;
      const TaskId due = left_[need] > 0 ? due_for(need, stops) : kNone;
      if (due != kNone) return due;
    }
    return kNone;
  }

  /// To whatever ends next. False: nothing goes on.
  bool advance() {
    double speed = 1;
    for (const Link& link : links_) {
      if (link.running != kNone) speed -= tasks_[link.running].slows;
    }
    const double taken = 1 - speed;
    speed = std::max(speed, kLeastSpeed);
    double until = std::numeric_limits<double>::infinity();
    for (const Link& link : links_) {
      if (link.running != kNone) until = std::min(until, out_.spans[link.running].end);
    }
    const double computed = computing_ != kNone ? now_ + remaining_ / speed : until;
    until = std::min(until, computed);
    if (until == std::numeric_limits<double>::infinity()) return false;
    tell_lost(until, taken > 0 ? (1 - speed) / taken : 0);
    if (computing_ != kNone) remaining_ -= (until - now_) * speed;
    now_ = until;
    out_.end = std::max(out_.end, now_);
    if (computing_ != kNone && computed <= until) {
      out_.spans[computing_].end = now_;
      finish(std::exchange(computing_, kNone));
    }
    for (Link& link : links_) {
      if (link.running != kNone && out_.spans[link.running].end <= until) finish(std::exchange(link.running, kNone));
    }
    return true;
  }

  void tell_lost(double until, double scale) {
    if (until <= now_) return;
    if (computing_ != kNone) {
      for (const Link& link : links_) {
        if (link.running != kNone && tasks_[link.running].slows > 0) add_lost(link.running, until, tasks_[link.running].slows * scale);
      }
    } else if (waiting_ != kNone) {
      const TaskId cause = cause_of(waiting_);
      if (cause != kNone) add_lost(cause, until, 1);
    }
  }

  void add_lost(TaskId id, double until, double share) {
    if (!out_.lost.empty() && out_.lost.back().task == id && out_.lost.back().to == now_ && out_.lost.back().share == share)
      out_.lost.back().to = until;
    else
      out_.lost.push_back({id, now_, until, share});
  }

  /// What is carried now that a task waits for: something that it needs, or what goes before that on its stream.
  TaskId cause_of(TaskId id) const {
    for (const TaskId need : tasks_[id].needs) {
      if (done_[need]) continue;
      if (tasks_[need].stream != 0 && left_[need] == 0) return links_[tasks_[need].stream].running;
      const TaskId cause = cause_of(need);
      if (cause != kNone) return cause;
    }
    return kNone;
  }

  void finish(TaskId id) {
    done_[id] = 1;
    ++done_count_;
    for (const TaskId reader : readers_[id]) {
      if (--left_[reader] == 0 && tasks_[reader].stream != 0) links_[tasks_[reader].stream].ready.emplace(now_, reader);
    }
  }

  const std::vector<StreamTask>& tasks_;
  std::vector<std::size_t> left_;  ///< Needs that are not done, by task.
  std::vector<std::vector<TaskId>> readers_;
  std::vector<std::uint8_t> done_;
  std::size_t done_count_ = 0;
  std::vector<Lane> lanes_;
  std::vector<Link> links_;  ///< By stream; of the first nothing.
  TaskId computing_ = kNone, waiting_ = kNone;
  double now_ = 0, remaining_ = 0;
  PlayedStreams out_;
};

}  // namespace

std::optional<PlayedStreams> play_streams(const std::vector<StreamTask>& tasks, TaskId* stuck) {
  StreamPlayer player(tasks);
  if (player.play()) return player.take();
  if (stuck != nullptr) *stuck = player.stuck();
  return std::nullopt;
}

}  // namespace opledger
