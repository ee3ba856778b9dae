#pragma once
#include <map>
#include <utility>
#include <vector>

#include "play/layer_work.h"
#include "play/simulator/stream_simulator.h"

/// Converts consecutive layers into tasks for the stream simulator. Stream 0 computes, two streams copy from and to the
/// host, and each network has a stream. Create a LayerTasks for each microbatch, call `add` for each of its layers,
/// then simulate the collected tasks with simulate_streams.
namespace opledger {

/// The origin of a task.
struct TaskOwner {
  enum class Kind : std::uint8_t {
    kernel,      ///< A kernel, or a slice of one.
    message,     ///< A message on a network, or a part of one.
    copying,     ///< Computing that copies a message into or out of its buffer.
    copied_in,   ///< A copy from the host.
    copied_out,  ///< A copy to the host.
    border       ///< The beginning or end of a layer, which takes no time.
  };
  std::size_t layer = 0;  ///< Index of the layer, in the order of `add`.
  Kind kind = Kind::border;
  std::size_t index = 0;   ///< Position in PassWork::kernels, or in PassWork::messages for messages and buffer copies; else 0.
  std::uint32_t lane = 0;  ///< Lane of computing of the LayerTasks that created the task.
};

/// Numbers of streams: copies from the host, copies to the host, and the first network; stream 0 computes.
inline constexpr std::uint32_t kCopiesIn = 1, kCopiesOut = 2, kFirstNetwork = 3;

/// Tasks of one simulation with their origins.
struct OwnedTasks {
  std::vector<StreamTask> tasks;  ///< Tasks of all lanes; a TaskId is a position here.
  std::vector<TaskOwner> owners;  ///< Origin of each task.
};

/// Returns an upper bound of the number of tasks that `LayerTasks::add` creates for a layer.
std::size_t max_tasks(const PassWork& pass);

/// Appends the layers of one microbatch, which form one lane of computing, to a shared list of tasks.
class LayerTasks {
 public:
  /// Appends tasks to `into`, which must outlive this object. Tasks that compute get lane `lane`.
  explicit LayerTasks(OwnedTasks& into, std::uint32_t lane = 0) : out_(into), lane_(lane) {}

  /// Appends the tasks of a layer, which depend on the layers added before. `layer` must outlive this object.
  void add(const PassWork& layer);

  /// Returns the task that ends the computing of a layer, by the layer's index in the order of `add`.
  TaskId end(std::size_t layer) const { return ends_[layer]; }

 private:
  /// A message of the current layer.
  struct SentMessage {
    bool issued = false;            ///< True once the tasks of the message exist.
    std::vector<TaskId> transfers;  ///< Tasks on the network, one for each part that is sent.
    TaskId arrival = 0;             ///< The task that completes the message.
  };
  // Numbers of kernels and messages are positions in the current layer's PassWork.
  /// Appends a task with its origin and returns its number; `index`: see TaskOwner.
  TaskId task(StreamTask task, TaskOwner::Kind kind, std::size_t index = 0);
  /// Appends a task of stream 0, which also waits for the messages in `stopping_`.
  TaskId compute(double seconds, std::vector<TaskId> needs, bool may_wait, TaskOwner::Kind kind, std::size_t index = 0);
  void begin();           ///< Appends the beginning of a layer, with the copy from the host.
  void finish();          ///< Appends the end of a layer, with the copy to the host.
  void place_messages();  ///< Fills `before_` and `after_`.
  /// Returns whether the first reader consumes the message part by part while later parts are sent.
  bool is_sent_by_part(std::size_t message) const;
  static std::size_t first_reader(const MessageWork& message);             ///< Returns the earliest kernel that reads the message.
  std::size_t kernel_before(std::size_t kernel) const;                     ///< Returns the nearest earlier kernel that takes time, or the first.
  void send(std::size_t message);                                          ///< Appends the tasks of a message and its buffer copies.
  void send_parts(std::size_t message, const std::vector<TaskId>& needs);  ///< `needs`: tasks for which the first part waits.
  void run(std::size_t kernel);                                            ///< Appends the tasks of a kernel.
  std::vector<TaskId> needs_of(std::size_t kernel);                        ///< Returns the tasks for which the whole kernel waits.
  /// Appends a kernel as slices that wait for or produce parts of messages.
  void run_in_parts(std::size_t kernel, std::vector<TaskId> needs);
  /// Return whether a kernel reads, or produces, the message part by part.
  bool is_read_in_parts(std::size_t message, std::size_t kernel) const;
  bool is_produced_in_parts(std::size_t message, std::size_t kernel) const;
  void defer(TaskId id) { deferred_.back().push_back(id); }  ///< Lets the layer after the next wait for a task.

  const PassWork* pass_ = nullptr;
  OwnedTasks& out_;
  const std::uint32_t lane_;
  std::vector<TaskId> begins_, ends_;          ///< The first and the last computing task of each layer.
  std::vector<TaskId> outgoing_;               ///< Messages without a reader in their layer; the next layer waits for them.
  std::vector<std::vector<TaskId>> deferred_;  ///< Tasks of each layer that must end before the layer after the next begins.
  // State of the current layer:
  std::vector<SentMessage> sent_;  ///< State by message.
  /// Messages to send before and after each kernel, in order.
  std::vector<std::vector<std::size_t>> before_, after_;
  std::vector<std::vector<std::size_t>> reads_;                       ///< Messages that each kernel reads.
  std::vector<TaskId> done_;                                          ///< The last task of each kernel.
  std::map<std::pair<std::size_t, std::uint32_t>, TaskId> produced_;  ///< Task that produces a part of a message.
  std::vector<TaskId> stopping_;                                      ///< Messages with `stops` that the next computing task must await.
  TaskId last_ = 0;                                                   ///< The last computing task.
};

}  // namespace opledger
