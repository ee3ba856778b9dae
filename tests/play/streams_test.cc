#include "play/simulator/stream_simulator.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <tuple>

#include "tests/support/random_count.h"

/// Tasks on streams: cases worked by hand, and random tasks checked against invariants of any valid simulation.
namespace opledger {
namespace {

StreamTask computing(double seconds, std::vector<TaskId> needs = {}) {
  StreamTask t{0, seconds};
  t.needs = std::move(needs);
  return t;
}
StreamTask sent(double seconds, std::vector<TaskId> needs, std::uint32_t stream = 1) {
  StreamTask t{stream, seconds};
  t.needs = std::move(needs);
  return t;
}
StreamTask waiting(StreamTask t) {
  t.may_wait = true;
  return t;
}
StreamTask stopping(StreamTask t) {
  t.stops = true;
  return t;
}
StreamTask slowing(StreamTask t, double share) {
  t.slows = share;
  return t;
}
StreamTask in_lane(StreamTask t, std::uint32_t lane) {
  t.lane = lane;
  return t;
}

struct StreamCase {
  const char* what;
  std::vector<StreamTask> tasks;
  std::vector<TaskSpan> spans;
  std::vector<double> lost;  ///< Lost time of each task.
};

std::vector<double> lost_to(const SimulatedStreams& played, std::size_t tasks) {
  std::vector<double> out(tasks, 0);
  for (const LostTime& l : played.lost) out[l.task] += l.share * (l.to - l.from);
  return out;
}

}  // namespace

TEST_CASE("streams: worked by hand") {
  const StreamCase cases[] = {
      {"what is sent beside computing is lost only as far as it takes longer",
       {computing(1), sent(3, {0}), computing(2), computing(1, {1})},
       {{0, 1}, {1, 4}, {1, 3}, {4, 5}},
       {0, 1, 0, 0}},
      {"a stream carries what is ready first, as long as nothing waits",
       {computing(1), sent(3, {0}), computing(4), sent(1, {0}), computing(1, {3})},
       {{0, 1}, {1, 4}, {1, 5}, {4, 5}, {5, 6}},
       {0, 0, 0, 0, 0}},
      {"what computing waits for interrupts the rest",
       {computing(1), sent(3, {0}), computing(1), sent(1, {2}), computing(1, {3})},
       {{0, 1}, {1, 5}, {1, 2}, {2, 3}, {3, 4}},
       {0, 0, 0, 1, 0}},
      {"and so does what that waits for",
       {computing(1), sent(4, {0}), computing(1), sent(1, {2}), sent(1, {3}), computing(1, {4})},
       {{0, 1}, {1, 7}, {1, 2}, {2, 3}, {3, 4}, {4, 5}},
       {0, 0, 0, 1, 1, 0}},
      {"streams go on side by side", {computing(1), sent(3, {0}), sent(2, {0}, 2), computing(1, {1, 2})}, {{0, 1}, {1, 4}, {1, 3}, {4, 5}}, {0, 3, 0, 0}},
      {"what may wait fills the gap",
       {computing(1), sent(2, {0}), waiting(computing(1.5)), computing(1, {1})},
       {{0, 1}, {1, 3}, {1, 2.5}, {3, 4}},
       {0, 0.5, 0, 0}},
      {"but not where computing stands still",
       {computing(1), stopping(sent(2, {0})), waiting(computing(1.5)), computing(1, {1})},
       {{0, 1}, {1, 3}, {4, 5.5}, {3, 4}},
       {0, 2, 0, 0}},
      {"what may wait comes when its result is needed", {waiting(computing(1)), computing(2), computing(1, {0})}, {{2, 3}, {0, 2}, {3, 4}}, {0, 0, 0}},
      {"and when what is sent of it is needed",
       {waiting(computing(1)), sent(1, {0}), computing(2), computing(1, {1})},
       {{2, 3}, {3, 4}, {0, 2}, {4, 5}},
       {0, 1, 0, 0}},
      {"what takes a share of computing makes it longer meanwhile",
       {computing(0), slowing(sent(2, {0}), 0.25), computing(3)},
       {{0, 0}, {0, 2}, {0, 3.5}},
       {0, 0.5, 0}},
      {"shares add up",
       {computing(0), slowing(sent(2, {0}), 0.25), slowing(sent(1, {0}, 2), 0.5), computing(3)},
       {{0, 0}, {0, 2}, {0, 1}, {0, 4}},
       {0, 0.5, 0.5, 0}},
      {"one lane goes on where another waits, the one behind first",
       {in_lane(computing(1), 0), sent(2, {0}), in_lane(computing(1, {1}), 0), in_lane(computing(1), 1), sent(2, {3}, 2), in_lane(computing(1, {4}), 1)},
       {{0, 1}, {1, 3}, {3, 4}, {1, 2}, {2, 4}, {4, 5}},
       {0, 1, 0, 0, 0, 0}},
      {"a lane that stands still stops the others",
       {in_lane(computing(1), 0), stopping(sent(2, {0})), in_lane(computing(1, {1}), 0), in_lane(computing(1), 1)},
       {{0, 1}, {1, 3}, {4, 5}, {3, 4}},
       {0, 2, 0, 0}},
  };
  for (const StreamCase& c : cases) {
    CAPTURE(c.what);
    const auto played = simulate_streams(c.tasks);
    REQUIRE(played);
    for (std::size_t t = 0; t < c.tasks.size(); ++t) {
      CAPTURE(t);
      CHECK(played->spans[t].start == doctest::Approx(c.spans[t].start));
      CHECK(played->spans[t].end == doctest::Approx(c.spans[t].end));
      CHECK(lost_to(*played, c.tasks.size())[t] == doctest::Approx(c.lost[t]));
    }
  }
}

TEST_CASE("streams: tasks that wait for each other") {
  TaskId stuck = 0;
  CHECK_FALSE(simulate_streams({computing(1), computing(1, {2}), sent(1, {3}), computing(1)},
                               &stuck));  // the message is computed after a task that waits for the message
  CHECK(stuck == 1);
  CHECK_FALSE(simulate_streams({sent(1, {1}), sent(1, {0})}, &stuck));
  CHECK(simulate_streams({}));
}

namespace {

std::vector<StreamTask> random_tasks(std::mt19937& random, bool waits, bool slows) {
  std::vector<StreamTask> out;
  const std::size_t n = 2 + random() % 30;
  const std::uint32_t streams = 1 + random() % 4;
  for (std::size_t i = 0; i < n; ++i) {
    StreamTask t;
    t.stream = random() % 2 == 0 ? 0 : random() % streams;
    t.seconds = std::uniform_real_distribution<double>(0.1, 8)(random);  // either task of a tie may go first
    for (std::size_t k = random() % 3; k > 0 && i > 0; --k) {
      const auto need = static_cast<TaskId>(random() % i);
      if (std::find(t.needs.begin(), t.needs.end(), need) == t.needs.end()) t.needs.push_back(need);
    }
    if (t.stream == 0) t.may_wait = waits && random() % 3 == 0;
    if (t.stream != 0) t.slows = slows && random() % 2 == 0 ? static_cast<double>(random() % 4) / 10 : 0;
    if (t.stream != 0) t.stops = waits && random() % 4 == 0;
    out.push_back(std::move(t));
  }
  return out;
}

/// An oracle: end times by stepping second by second; for whole seconds, and tasks that neither wait nor slow others.
std::vector<double> by_the_second(const std::vector<StreamTask>& tasks) {
  const std::size_t n = tasks.size();
  std::vector<double> left(n), done(n, -1), since(n, 0);
  for (std::size_t t = 0; t < n; ++t) left[t] = tasks[t].seconds;
  const auto can = [&](std::size_t t) { return std::all_of(tasks[t].needs.begin(), tasks[t].needs.end(), [&](TaskId need) { return done[need] >= 0; }); };
  std::function<bool(std::size_t, std::size_t)> leads_to = [&](std::size_t t, std::size_t to) {
    return std::any_of(tasks[to].needs.begin(), tasks[to].needs.end(), [&](TaskId need) { return need == t || leads_to(t, need); });
  };
  std::size_t computing = n;
  for (double now = 0; std::find(done.begin(), done.end(), -1) != done.end(); ++now) {
    REQUIRE(now < 10'000);
    std::size_t next = 0;
    while (next < n && (tasks[next].stream != 0 || done[next] >= 0)) ++next;
    if (computing == n && next < n && can(next)) computing = next;
    std::vector<std::size_t> busy;
    if (computing < n) busy.push_back(computing);
    for (std::uint32_t stream = 1; stream < 5; ++stream) {
      std::size_t best = n;
      const auto key = [&](std::size_t t) { return std::tuple(computing == n && next < n && leads_to(t, next) ? 0 : 1, since[t], t); };
      for (std::size_t t = 0; t < n; ++t) {
        if (tasks[t].stream == stream && done[t] < 0 && can(t) && (best == n || key(t) < key(best))) best = t;
      }
      if (best < n) busy.push_back(best);
    }
    for (const std::size_t t : busy) {
      if (--left[t] > 0) continue;
      done[t] = now + 1;
      if (t == computing) computing = n;
    }
    for (std::size_t t = 0; t < n; ++t) {
      const auto last = std::max_element(tasks[t].needs.begin(), tasks[t].needs.end(), [&](TaskId a, TaskId b) { return done[a] < done[b]; });
      if (last != tasks[t].needs.end() && can(t)) since[t] = done[*last];
    }
  }
  return done;
}

}  // namespace

TEST_CASE("streams: as they go second by second") {
  std::mt19937 random(3);
  for (int i = 0; i < testing::random_count(2000, 200); ++i) {
    std::vector<StreamTask> tasks = random_tasks(random, false, false);
    for (StreamTask& t : tasks) t.seconds = 1 + std::floor(t.seconds);
    const auto played = simulate_streams(tasks);
    REQUIRE(played);
    const std::vector<double> expected = by_the_second(tasks);
    for (std::size_t t = 0; t < tasks.size(); ++t) CHECK(played->spans[t].end == doctest::Approx(expected[t]));
  }
}

TEST_CASE("streams: whatever is played") {
  std::mt19937 random(4);
  for (int i = 0; i < testing::random_count(2000, 200); ++i) {
    const std::vector<StreamTask> tasks = random_tasks(random, true, true);
    const auto played = simulate_streams(tasks);
    REQUIRE(played);
    double computed = 0, lost = 0, last = 0;
    for (std::size_t a = 0; a < tasks.size(); ++a) {
      const TaskSpan& s = played->spans[a];
      for (const TaskId need : tasks[a].needs) CHECK(s.start >= played->spans[need].end);
      for (std::size_t b = 0; b < a; ++b) {  // one at a time is computed
        if (tasks[b].stream == 0 && tasks[a].stream == 0) CHECK((played->spans[b].end <= s.start || s.end <= played->spans[b].start));
      }
      if (tasks[a].stream == 0) computed += tasks[a].seconds;
      if (tasks[a].stream == 0) last = std::max(last, s.end);
    }
    std::vector<double> carried(tasks.size(), 0);
    for (std::size_t a = 0; a < played->carried.size(); ++a) {
      const auto& [id, from, to] = played->carried[a];
      carried[id] += to - from;
      CHECK(from >= played->spans[id].start);
      CHECK(to <= played->spans[id].end);
      for (std::size_t b = 0; b < a; ++b) {  // and carried on each stream
        const auto& [other, other_from, other_to] = played->carried[b];
        if (tasks[other].stream == tasks[id].stream) CHECK((other_to <= from || to <= other_from));
      }
    }
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      if (tasks[t].stream != 0) CHECK(carried[t] == doctest::Approx(tasks[t].seconds));
    }
    const std::vector<double> all = lost_to(*played, tasks.size());
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      CHECK(all[t] <= tasks[t].seconds * (1 + 1e-12));
      if (tasks[t].stream == 0) CHECK(all[t] == 0);
      lost += all[t];
    }
    CHECK(computed + lost == doctest::Approx(last));  // computing and lost time are the whole time
  }
}

}  // namespace opledger
