#pragma once
#include <map>
#include <utility>
#include <vector>

#include "play/layer_work.h"
#include "play/simulator/stream_simulator.h"

/// Layers that are passed one behind the other, as tasks of streams: one that computes, one for each network, and two for copies from the host and to it.
namespace opledger {

/// What a task is.
struct TaskOwner {
  enum class What : std::uint8_t { kernel, message, copying, copied_in, copied_out, border };
  std::size_t layer = 0;  ///< In the order in which they are passed.
  What what = What::border;
  std::size_t index = 0;  ///< Of kernels or messages of its pass.
  std::uint32_t lane = 0;
};

/// Streams behind the one that computes.
inline constexpr std::uint32_t kCopiesIn = 1, kCopiesOut = 2, kFirstNetwork = 3;

struct OwnedTasks {
  std::vector<StreamTask> tasks;
  std::vector<TaskOwner> owners;  ///< By task.
};

/// Tasks that a layer makes at most.
std::size_t max_tasks(const PassWork& pass);

class LayerTasks {
 public:
  /// Those of one microbatch, a lane of computing.
  explicit LayerTasks(OwnedTasks& into, std::uint32_t lane = 0) : out_(into), lane_(lane) {}

  /// Behind the layers so far. It must outlive this.
  void add(const PassWork& layer);

  TaskId end(std::size_t layer) const { return ends_[layer]; }  ///< What is done when all that the layer computes is.

 private:
  struct SentMessage {  ///< A message of the layer at hand.
    bool issued = false;
    std::vector<TaskId> pieces;
    TaskId there = 0;  ///< The last of its tasks.
  };
  TaskId task(StreamTask task, TaskOwner::What what, std::size_t index = 0);
  TaskId compute(double seconds, std::vector<TaskId> needs, bool may_wait, TaskOwner::What what, std::size_t index = 0);
  void begin();
  void finish();
  void place_messages();
  bool is_sent_by_part(std::size_t message) const;
  static std::size_t first_reader(const MessageWork& message);
  std::size_t kernel_before(std::size_t kernel) const;
  void send(std::size_t message);
  void send_pieces(std::size_t message, const std::vector<TaskId>& needs);
  void run(std::size_t kernel);
  std::vector<TaskId> needs_of(std::size_t kernel);
  void run_in_parts(std::size_t kernel, std::vector<TaskId> needs);
  bool is_read_in_parts(std::size_t message, std::size_t kernel) const;
  bool is_made_in_parts(std::size_t message, std::size_t kernel) const;
  void defer(TaskId id) { deferred_.back().push_back(id); }

  const PassWork* pass_ = nullptr;
  OwnedTasks& out_;
  const std::uint32_t lane_;
  std::vector<TaskId> begins_, ends_;
  std::vector<TaskId> outgoing_;               ///< Messages that nobody in the layer reads: the next one does.
  std::vector<std::vector<TaskId>> deferred_;  ///< By layer: what must be done before the next but one begins.
  // of the layer at hand
  std::vector<SentMessage> sent_;                                 ///< By message.
  std::vector<std::vector<std::size_t>> before_, after_;          ///< Messages, by kernel.
  std::vector<std::vector<std::size_t>> reads_;                   ///< Messages, by kernel.
  std::vector<TaskId> done_;                                      ///< By kernel: its last task.
  std::map<std::pair<std::size_t, std::uint32_t>, TaskId> made_;  ///< By message and part.
  std::vector<TaskId> stopping_;                                  ///< What computing stands still for.
  TaskId last_ = 0;                                               ///< Of computing.
};

}  // namespace opledger
