#include "play/layer_tasks.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/lists.h"

namespace opledger {
namespace {

using OwnerKind = TaskOwner::Kind;

}  // namespace

std::size_t max_tasks(const PassWork& pass) {
  std::size_t out = 4 + pass.kernels.size();
  for (const MessageWork& m : pass.messages) out += 2 + 2 * std::size_t{m.parts};
  return out;
}

TaskId LayerTasks::task(StreamTask task, OwnerKind kind, std::size_t index) {
  out_.tasks.push_back(std::move(task));
  out_.owners.push_back({begins_.size() - 1, kind, index, lane_});
  return static_cast<TaskId>(out_.tasks.size() - 1);
}

TaskId LayerTasks::compute(double seconds, std::vector<TaskId> needs, bool may_wait, OwnerKind kind, std::size_t index) {
  // Every computing task awaits the messages that stop computing (`stopping_`). The lane runs its tasks in order, so
  // the next task alone must wait and clears the list. A deferrable task doesn't clear it, because a later task may
  // run first.
  StreamTask t{0, seconds};
  t.may_wait = may_wait;
  t.lane = lane_;
  t.needs = std::move(needs);
  t.needs.insert(t.needs.end(), stopping_.begin(), stopping_.end());
  if (!may_wait) stopping_.clear();
  return last_ = task(std::move(t), kind, index);
}

void LayerTasks::add(const PassWork& layer) {
  // Appends the tasks of one layer by list scheduling: kernels in their order, each with the messages that
  // `place_messages` put before and after it (`before_`, `after_`). A task can only depend on tasks that exist, so the
  // order of creation matters. Messages that no kernel triggers, as in a pass without kernels, are sent at the end. The
  // cost is linear in kernels, parts of messages and dependencies.
  pass_ = &layer;
  begin();
  place_messages();
  for (std::size_t k = 0; k < layer.kernels.size(); ++k) {
    for (const std::size_t m : before_[k]) send(m);
    run(k);
    for (const std::size_t m : after_[k]) send(m);
  }
  for (std::size_t m = 0; m < layer.messages.size(); ++m) {
    if (!sent_[m].issued) send(m);
  }
  finish();
}

void LayerTasks::begin() {
  // A layer begins after the messages that leave the previous layer (`outgoing_`) and the deferred tasks of the layer
  // before that (`deferred_`). Copies from the host start with the previous layer, as a prefetch. The beginning is a
  // task of zero seconds that waits for all of them; prefetches of the next layer refer to it (`begins_`).
  const std::size_t layer = begins_.size();
  begins_.push_back(0);
  deferred_.emplace_back();
  std::vector<TaskId> needs = std::exchange(outgoing_, {});
  if (layer >= 2) needs.insert(needs.end(), deferred_[layer - 2].begin(), deferred_[layer - 2].end());
  if (pass_->copied_in > 0) {
    StreamTask copy{kCopiesIn, pass_->copied_in};
    if (layer > 0) copy.needs = {begins_[layer - 1]};
    needs.push_back(task(std::move(copy), OwnerKind::copied_in));
  }
  begins_.back() = compute(0, std::move(needs), false, OwnerKind::border);
}

void LayerTasks::finish() {
  // Deferrable kernels have no fixed position: the end of the layer waits for each.
  std::vector<TaskId> needs;
  for (std::size_t k = 0; k < pass_->kernels.size(); ++k) {
    if (pass_->kernels[k].may_wait) needs.push_back(done_[k]);
  }
  ends_.push_back(compute(0, std::move(needs), false, OwnerKind::border));
  if (pass_->copied_out > 0) {
    StreamTask copy{kCopiesOut, pass_->copied_out};
    copy.needs = {ends_.back()};
    defer(task(std::move(copy), OwnerKind::copied_out));
  }
}

/// Chooses the kernel before or after which each message is sent, and resets the state of the layer. A produced message
/// follows its last producer, unless its first reader consumes the message part by part: then it precedes this reader.
/// A message without producer in the pass precedes its first reader, and without reader the first kernel. A message
/// before a reader is sent one kernel earlier if computing may continue meanwhile, so that it overlaps with that
/// kernel. Messages that stop computing can't overlap, prefetches (`ahead`) start with the previous layer anyway, and
/// messages in parts overlap with their reader.
void LayerTasks::place_messages() {
  const std::size_t kernels = pass_->kernels.size();
  sent_.assign(pass_->messages.size(), {});
  before_.assign(kernels, {});
  after_.assign(kernels, {});
  reads_.assign(kernels, {});
  done_.assign(kernels, 0);
  produced_.clear();
  for (std::size_t m = 0; m < pass_->messages.size(); ++m) {
    const MessageWork& message = pass_->messages[m];
    for (const std::size_t k : message.readers) reads_[k].push_back(m);
    if (is_sent_by_part(m))
      before_[first_reader(message)].push_back(m);
    else if (!message.producers.empty())
      after_[*std::max_element(message.producers.begin(), message.producers.end())].push_back(m);
    else if (!message.readers.empty())
      before_[message.stops || message.ahead || message.parts > 1 ? first_reader(message) : kernel_before(first_reader(message))].push_back(m);
    else if (kernels > 0)
      before_[0].push_back(m);
  }
}

/// Returns whether the first reader consumes the message part by part, after all producers: each part is then sent
/// while the reader computes the part before.
bool LayerTasks::is_sent_by_part(std::size_t number) const {
  const MessageWork& m = pass_->messages[number];
  if (m.readers.empty() || !is_read_in_parts(number, first_reader(m))) return false;
  return std::all_of(m.producers.begin(), m.producers.end(), [&](std::size_t producer) { return producer < first_reader(m); });
}

std::size_t LayerTasks::first_reader(const MessageWork& message) { return *std::min_element(message.readers.begin(), message.readers.end()); }

/// Returns the nearest earlier kernel that takes time, or the first kernel of the pass.
std::size_t LayerTasks::kernel_before(std::size_t kernel) const {
  while (kernel > 0 && pass_->kernels[--kernel].seconds == 0) continue;
  return kernel;
}

void LayerTasks::send(std::size_t number) {
  // Collects the dependencies of a message, then creates its tasks. Dependencies are the producers and the previous
  // message of the tensor. A message that stops computing also waits for earlier messages of this kind. A prefetch
  // (`ahead` without producer) waits for the beginning of the previous layer, if any. Other messages without producer
  // wait for the newest computing task (`last_`). Copies to a buffer precede the message, copies from a buffer follow.
  // A message without reader in the layer delays the next layer. With `ahead`, a message that is produced here or has
  // no reader delays the layer after the next. `done_`: last task of each kernel; `sent_`: state of each message.
  const MessageWork& message = pass_->messages[number];
  const std::size_t layer = begins_.size() - 1;
  SentMessage& sent = sent_[number];
  sent.issued = true;
  std::vector<TaskId> needs;
  for (const std::size_t k : message.producers) {
    if (!is_produced_in_parts(number, k)) needs.push_back(done_[k]);
  }
  if (message.after && sent_[*message.after].issued) needs.push_back(sent_[*message.after].arrival);
  if (message.stops) needs.insert(needs.end(), stopping_.begin(), stopping_.end());  // messages that stop computing are sent one at a time
  const bool is_produced = !message.producers.empty();
  if (!is_produced && message.ahead && layer > 0) needs.push_back(begins_[layer - 1]);
  if ((!is_produced && !message.ahead) || is_sent_by_part(number)) needs.push_back(last_);
  if (is_produced && message.copying > 0) needs = {compute(message.copying, std::move(needs), false, OwnerKind::copying, number)};
  send_parts(number, needs);
  sent.arrival = sent.transfers.back();
  if (message.stops) stopping_.push_back(sent.arrival);
  if (!is_produced && message.copying > 0) sent.arrival = compute(message.copying, {sent.arrival}, false, OwnerKind::copying, number);
  if (message.ahead && (is_produced || message.readers.empty())) defer(sent.arrival);
  if (!message.ahead && message.readers.empty()) outgoing_.push_back(sent.arrival);
}

/// Creates a chain of transfers, one for each of the message's `parts` except its `own`, which a rank has already. The
/// parts that are sent share the seconds of the message equally. A part also waits for the kernel task that produces it
/// (`produced_`).
void LayerTasks::send_parts(std::size_t number, const std::vector<TaskId>& needs) {
  const MessageWork& message = pass_->messages[number];
  const std::uint32_t count = message.parts - message.own;
  for (std::uint32_t i = 0; i < count; ++i) {
    StreamTask transfer{kFirstNetwork + message.network, message.seconds / count, message.slows, message.stops};
    const auto part = produced_.find({number, i});
    if (i == 0) transfer.needs = needs;
    if (i > 0) transfer.needs.push_back(sent_[number].transfers.back());
    if (part != produced_.end()) transfer.needs.push_back(part->second);
    sent_[number].transfers.push_back(task(std::move(transfer), OwnerKind::message, number));
  }
}

/// Returns whether this kernel is the first reader and computes each part as it arrives.
bool LayerTasks::is_read_in_parts(std::size_t number, std::size_t kernel) const {
  const MessageWork& m = pass_->messages[number];
  return m.parts > 1 && contains(m.hosts, kernel) && contains(m.readers, kernel) && kernel == first_reader(m);
}
/// Returns whether this kernel is the last producer and each part is sent once it is computed.
bool LayerTasks::is_produced_in_parts(std::size_t number, std::size_t kernel) const {
  const MessageWork& m = pass_->messages[number];
  return m.parts > 1 && m.copying == 0 && contains(m.hosts, kernel) && contains(m.producers, kernel) &&
         kernel == *std::max_element(m.producers.begin(), m.producers.end());
}

std::vector<TaskId> LayerTasks::needs_of(std::size_t kernel) {
  std::vector<TaskId> out;
  for (const std::size_t k : pass_->kernels[kernel].waits_for) {
    if (k < kernel) out.push_back(done_[k]);
  }
  for (const std::size_t m : reads_[kernel]) {
    if (sent_[m].issued && !is_read_in_parts(m, kernel)) out.push_back(sent_[m].arrival);
  }
  return out;
}

void LayerTasks::run(std::size_t kernel) {
  const KernelWork& work = pass_->kernels[kernel];
  bool in_parts = std::any_of(after_[kernel].begin(), after_[kernel].end(), [&](std::size_t m) { return is_produced_in_parts(m, kernel); });
  for (const std::size_t m : reads_[kernel]) in_parts = in_parts || (sent_[m].issued && is_read_in_parts(m, kernel));
  if (in_parts) return run_in_parts(kernel, needs_of(kernel));
  done_[kernel] = compute(work.seconds, needs_of(kernel), work.may_wait, OwnerKind::kernel, kernel);
}

/// Splits a kernel that overlaps with its messages part by part, as in a ring. A message of n parts divides the
/// kernel's time into n equal shares: share i reads part i, or computes part i. The first `own` parts are local and
/// need no transfer. The kernel is cut at every fraction of its time at which a part of some message is due or
/// complete. Each slice is a task that waits for the parts due at its start. Parts complete at its end are recorded in
/// `produced_`, for the transfers that follow. `needs` holds for the first slice; later slices follow the slice
/// before. The number of slices is at most the sum of the parts.
void LayerTasks::run_in_parts(std::size_t kernel, std::vector<TaskId> needs) {
  const KernelWork& work = pass_->kernels[kernel];
  const auto share = [&](std::size_t m, std::uint32_t part) { return static_cast<double>(part) / pass_->messages[m].parts; };
  std::map<double, std::vector<TaskId>> arriving;                                  // transfers by the fraction before which they must arrive
  std::map<double, std::vector<std::pair<std::size_t, std::uint32_t>>> completed;  // parts by the fraction at which they are complete
  std::set<double> cuts = {0, 1};
  for (const std::size_t m : reads_[kernel]) {
    if (!sent_[m].issued || !is_read_in_parts(m, kernel)) continue;
    for (std::uint32_t part = pass_->messages[m].own; part < pass_->messages[m].parts; ++part) {
      arriving[share(m, part)].push_back(sent_[m].transfers[part - pass_->messages[m].own]);
      cuts.insert(share(m, part));
    }
  }
  for (const std::size_t m : after_[kernel]) {
    if (!is_produced_in_parts(m, kernel)) continue;
    for (std::uint32_t part = 0; part < pass_->messages[m].parts; ++part) {
      completed[share(m, part + 1)].emplace_back(m, part);
      cuts.insert(share(m, part + 1));
    }
  }
  for (auto from = cuts.begin(), to = std::next(from); to != cuts.end(); from = to++) {
    const std::vector<TaskId>& transfers = arriving[*from];
    needs.insert(needs.end(), transfers.begin(), transfers.end());
    done_[kernel] = compute(work.seconds * (*to - *from), std::move(needs), work.may_wait, OwnerKind::kernel, kernel);
    needs = {done_[kernel]};
    for (const auto& part : completed[*to]) produced_[part] = done_[kernel];
  }
}

}  // namespace opledger
