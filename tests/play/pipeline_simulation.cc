#include "tests/play/pipeline_simulation.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

namespace opledger::simulation {
namespace {

using Key = std::tuple<int, int, int>;
Key key(const Item& i) { return {static_cast<int>(i.work), i.piece, i.microbatch}; }

Batch forward(int piece, int microbatch) { return {{Work::forward, piece, microbatch}}; }
Batch backward(int piece, int microbatch) { return {{Work::input, piece, microbatch}, {Work::weight, piece, microbatch}}; }

/// Returns the items that must end before an item.
std::vector<Item> needs(const Item& i, int pieces) {
  switch (i.work) {
    case Work::forward:
      return i.piece == 0 ? std::vector<Item>{} : std::vector<Item>{{Work::forward, i.piece - 1, i.microbatch}};
    case Work::input:
      if (i.piece == pieces - 1) return {{Work::forward, i.piece, i.microbatch}};
      return {{Work::forward, i.piece, i.microbatch}, {Work::input, i.piece + 1, i.microbatch}};
    case Work::weight:
      return {{Work::input, i.piece, i.microbatch}};
  }
  return {};
}

using Done = std::map<Key, double>;

/// Returns the earliest start of a batch; nothing if a dependency has not ended yet.
std::optional<double> ready(const Batch& batch, int pieces, const Done& done) {
  double at = 0;
  for (const Item& item : batch) {
    for (const Item& need : needs(item, pieces)) {
      if (std::any_of(batch.begin(), batch.end(), [&](const Item& other) { return key(other) == key(need); })) continue;
      const auto found = done.find(key(need));
      if (found == done.end()) return std::nullopt;
      at = std::max(at, found->second);
    }
  }
  return at;
}

int peak(const StageOrder& order, const std::function<bool(const Item&)>& counts) {
  int now = 0, most = 0;
  for (const Batch& batch : order) {
    for (const Item& item : batch) now += item.work == Work::forward && counts(item) ? 1 : 0;
    most = std::max(most, now);
    for (const Item& item : batch) now -= item.work == Work::weight && counts(item) ? 1 : 0;
  }
  return most;
}

/// Returns (chunk, microbatch) in order: every chunk for a group of microbatches, then the next group.
std::vector<std::pair<int, int>> rounds(int stages, int microbatches, int chunks) {
  const int groups = std::max(1, microbatches / stages);
  std::vector<std::pair<int, int>> out;
  for (int g = 0, first = 0; g < groups; ++g) {
    const int size = microbatches / groups + (g < microbatches % groups ? 1 : 0);
    for (int c = 0; c < chunks; ++c) {
      for (int i = first; i < first + size; ++i) out.emplace_back(c, i);
    }
    first += size;
  }
  return out;
}

StageOrder interleaved(int stage, int stages, int microbatches, int chunks) {
  const auto order = rounds(stages, microbatches, chunks);
  const int all = static_cast<int>(order.size()), groups = std::max(1, microbatches / stages), largest = (microbatches + groups - 1) / groups;
  const int warm_up = std::min(all, chunks == 1 ? stages - stage - 1 : 2 * (stages - stage - 1) + (chunks - 1) * largest);
  StageOrder out;
  for (int f = 0, b = 0; b < all; ++b) {
    for (; f < std::min(all, warm_up + b + 1); ++f) out.push_back(forward(order[f].first * stages + stage, order[f].second));
    out.push_back(backward((chunks - 1 - order[b].first) * stages + stage, order[b].second));
  }
  return out;
}

/// One stage of a pipeline that microbatches enter at both ends, as in the implementation that DeepSeek published. Direction 0 is the one that starts
/// nearer to this stage. Microbatches of the stage's own direction i have even numbers if they start at stage 0.
class TwoWays {
 public:
  TwoWays(int stage, int stages, int microbatches) : stages_(stages), half_(microbatches / 2), near_(std::min(stage, stages - 1 - stage)), stage_(stage) {}

  StageOrder order() {
    const int middle = stages_ / 2, inner = middle - near_ - 1, outer = near_ + 1;
    for (int i = 0; i < 2 * inner; ++i) add(next(Work::forward, 0));
    for (int i = 0; i < outer; ++i) {
      add(next(Work::forward, 0));
      add(next(Work::forward, 1));
    }
    for (int i = 0; i < inner; ++i) {
      back(1, true);
      weight();
      add(next(Work::forward, 1));
    }
    for (int i = 0; i < half_ - stages_ + outer; ++i) {
      both(0, 1, i > 0 || inner > 0);  // the two stages in the middle do not wait for the first backward to send the forward
      both(1, 0, true);
    }
    for (int i = 0; i < inner; ++i) {
      back(1, false);
      both(1, 0, true);
    }
    for (int i = 0; i < outer; ++i) {
      back(1, i > outer / 2 || (i == outer / 2 && near_ % 2 == 1));
      back(0, i >= outer / 2);
    }
    for (int i = 0; i < inner; ++i) {
      weight();
      back(0, true);
    }
    for (int i = 0; i < outer; ++i) weight();
    return std::move(out_);
  }

 private:
  Batch next(Work work, int direction) {
    const int way = stage_ < stages_ / 2 ? direction : 1 - direction;
    const int number = 2 * counts_[{work, way}]++ + way;
    return {{work, way == 0 ? stage_ : stages_ - 1 - stage_, number}};
  }
  void add(Batch batch) { out_.push_back(std::move(batch)); }
  void back(int direction, bool weight_later) {
    Batch batch = next(Work::input, direction);
    const Item weight = {Work::weight, batch[0].piece, batch[0].microbatch};
    if (weight_later) {
      waiting_.push_back(weight);
    } else {
      batch.push_back(weight);
    }
    add(std::move(batch));
  }
  void both(int forward, int backward, bool as_one) {
    add(next(Work::forward, forward));
    back(backward, false);
    if (!as_one) return;
    const Batch last = std::move(out_.back());
    out_.pop_back();
    out_.back().insert(out_.back().end(), last.begin(), last.end());
  }
  void weight() {
    add({waiting_.front()});
    waiting_.pop_front();
  }

  int stages_, half_, near_, stage_;
  StageOrder out_;
  std::deque<Item> waiting_;
  std::map<std::pair<Work, int>, int> counts_;
};

}  // namespace

Schedule gpipe(int stages, int microbatches) {
  Schedule out{stages, std::vector<StageOrder>(static_cast<std::size_t>(stages))};
  for (int k = 0; k < stages; ++k) {
    StageOrder& order = out.stages[static_cast<std::size_t>(k)];
    for (int i = 0; i < microbatches; ++i) order.push_back(forward(k, i));
    for (int i = 0; i < microbatches; ++i) order.push_back(backward(k, i));
  }
  return out;
}

Schedule one_forward_one_backward(int stages, int microbatches, int chunks) {
  Schedule out{stages * chunks, {}};
  for (int k = 0; k < stages; ++k) out.stages.push_back(interleaved(k, stages, microbatches, chunks));
  return out;
}

Schedule zero_bubble_h1(int stages, int microbatches) {
  Schedule out{stages, {}};
  for (int k = 0; k < stages; ++k) {
    StageOrder order;
    for (const Batch& batch : interleaved(k, stages, microbatches, 1)) {
      order.push_back({batch[0]});
      const int i = batch[0].microbatch - k;  // whose weight gradient has waited long enough
      if (batch[0].work == Work::input && i >= 0) order.push_back({{Work::weight, k, i}});
    }
    for (int i = std::max(0, microbatches - k); i < microbatches; ++i) order.push_back({{Work::weight, k, i}});
    out.stages.push_back(std::move(order));
  }
  return out;
}

Schedule dualpipe(int stages, int microbatches) {
  Schedule out{stages, {}};
  for (int k = 0; k < stages; ++k) out.stages.push_back(TwoWays(k, stages, microbatches).order());
  return out;
}

SimulatedStep simulate(const Schedule& schedule, const Duration& duration) {
  SimulatedStep out;
  Done done;
  std::vector<double> clock(schedule.stages.size(), 0);
  std::vector<std::size_t> at(schedule.stages.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t k = 0; k < schedule.stages.size(); ++k) {
      while (at[k] < schedule.stages[k].size()) {
        const Batch& batch = schedule.stages[k][at[k]];
        const std::optional<double> start = ready(batch, schedule.pieces, done);
        if (!start) break;
        clock[k] = std::max(clock[k], *start);
        for (const Item& item : batch) clock[k] += duration(item);
        for (const Item& item : batch) done[key(item)] = clock[k];
        ++at[k];
        moved = true;
      }
    }
  }
  out.seconds = *std::max_element(clock.begin(), clock.end());
  out.ended = true;
  for (std::size_t k = 0; k < at.size(); ++k) {
    out.ended = out.ended && at[k] == schedule.stages[k].size();
    out.in_flight.push_back(peak(schedule.stages[k], [](const Item&) { return true; }));
  }
  return out;
}

int in_flight(const StageOrder& order, int piece) {
  return peak(order, [&](const Item& i) { return i.piece == piece; });
}

}  // namespace opledger::simulation
