#pragma once
#include <map>
#include <utility>
#include <vector>

#include "play/layer_work.h"
#include "play/simulator/stream_simulator.h"

/// Converts consecutive layers into tasks of streams. The streams are one that computes, one for each network, and
/// two for copies from and to the host.
namespace opledger {

/// The origin of a task.
struct TaskOwner {
  enum class Kind : std::uint8_t { kernel, message, copying, copied_in, copied_out, border };
  std::size_t layer = 0;  ///< Position of the layer in the pass.
  Kind kind = Kind::border;
  std::size_t index = 0;  ///< Position among the kernels or messages of the pass.
  std::uint32_t lane = 0;
};

/// Stream 0 computes; these streams follow.
inline constexpr std::uint32_t kCopiesIn = 1, kCopiesOut = 2, kFirstNetwork = 3;

/// Tasks of one simulation with their origins.
struct OwnedTasks {
  std::vector<StreamTask> tasks;
  std::vector<TaskOwner> owners;  ///< Origin of each task.
};

/// Returns an upper bound of the tasks of a layer.
std::size_t max_tasks(const PassWork& pass);

/// Appends the layers of one microbatch, which form one lane of computing.
class LayerTasks {
 public:
  /// Appends tasks to `into`, computing in lane `lane`.
  explicit LayerTasks(OwnedTasks& into, std::uint32_t lane = 0) : out_(into), lane_(lane) {}

  /// Appends a layer after the layers so far. `layer` must outlive this object.
  void add(const PassWork& layer);

  TaskId end(std::size_t layer) const { return ends_[layer]; }  ///< Returns the task that ends the computing of a layer.

 private:
  /// A message of the current layer.
  struct SentMessage {
    bool issued = false;
    std::vector<TaskId> transfers;
    TaskId arrival = 0;  ///< The task that completes the message.
  };
  TaskId task(StreamTask task, TaskOwner::Kind kind, std::size_t index = 0);
  TaskId compute(double seconds, std::vector<TaskId> needs, bool may_wait, TaskOwner::Kind kind, std::size_t index = 0);
  void begin();
  void finish();
  void place_messages();
  bool is_sent_by_part(std::size_t message) const;
  static std::size_t first_reader(const MessageWork& message);
  std::size_t kernel_before(std::size_t kernel) const;
  void send(std::size_t message);
  void send_parts(std::size_t message, const std::vector<TaskId>& needs);
  void run(std::size_t kernel);
  std::vector<TaskId> needs_of(std::size_t kernel);
  void run_in_parts(std::size_t kernel, std::vector<TaskId> needs);
  bool is_read_in_parts(std::size_t message, std::size_t kernel) const;
  bool is_produced_in_parts(std::size_t message, std::size_t kernel) const;
  void defer(TaskId id) { deferred_.back().push_back(id); }

  const PassWork* pass_ = nullptr;
  OwnedTasks& out_;
  const std::uint32_t lane_;
  std::vector<TaskId> begins_, ends_;
  std::vector<TaskId> outgoing_;               ///< Messages without a reader in their layer; the next layer waits for them.
  std::vector<std::vector<TaskId>> deferred_;  ///< Tasks of each layer that must end before the layer after the next begins.
  // State of the current layer:
  std::vector<SentMessage> sent_;  ///< State by message.
  /// Messages to send before and after each kernel.
  std::vector<std::vector<std::size_t>> before_, after_;
  std::vector<std::vector<std::size_t>> reads_;                       ///< Messages that each kernel reads.
  std::vector<TaskId> done_;                                          ///< The last task of each kernel.
  std::map<std::pair<std::size_t, std::uint32_t>, TaskId> produced_;  ///< Task that produces a part of a message.
  std::vector<TaskId> stopping_;                                      ///< Messages with `stops` that the next computing task must await.
  TaskId last_ = 0;                                                   ///< The last computing task.
};

}  // namespace opledger
