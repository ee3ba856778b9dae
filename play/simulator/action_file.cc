#include "play/simulator/action_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>

#include "base/limits.h"
#include "base/text.h"

namespace opledger {
namespace {

constexpr std::string_view kConcurrentSuffix = ")OVERLAP_F_B";

/// Removes a number of at most 10^9 from the beginning of the text and returns it. Returns nothing, and leaves the text,
/// if it begins with no such number.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || n > 1'000'000'000) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return n;
}

/// An order with all batches in memory.
class ListedOrder final : public Order {
 public:
  StepSize size() const override { return size_; }

  std::optional<std::size_t> stage_of(std::size_t stage_chunk, std::uint32_t microbatch) const override {
    const auto found = stages_.find((std::uint64_t{stage_chunk} << 32) | microbatch);
    return found == stages_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
  }

  std::vector<std::size_t> stage_chunks_of(std::size_t stage) const override { return {stage_chunks_[stage].begin(), stage_chunks_[stage].end()}; }

  bool next(std::size_t stage, Batch& out, Diagnostics&) override {
    if (at_[stage] == batches_[stage].size()) return false;
    out = batches_[stage][at_[stage]++];
    return true;
  }

  void add_stage(std::vector<Batch> batches) {
    stage_chunks_.emplace_back();
    for (const Batch& batch : batches) {
      for (const Action& a : batch.actions) {
        stage_chunks_.back().insert(a.stage_chunk);
        if (a.work == Work::forward) stages_.try_emplace((std::uint64_t{a.stage_chunk} << 32) | a.microbatch, size_.stages);
        size_.stage_chunks = std::max<std::size_t>(size_.stage_chunks, a.stage_chunk + 1);
        size_.microbatches = std::max(size_.microbatches, a.microbatch + 1);
      }
    }
    batches_.push_back(std::move(batches));
    at_.push_back(0);
    ++size_.stages;
  }

 private:
  StepSize size_;
  std::vector<std::vector<Batch>> batches_;
  std::vector<std::size_t> at_;
  std::vector<std::set<std::size_t>> stage_chunks_;        ///< Chunks of each stage.
  std::unordered_map<std::uint64_t, std::size_t> stages_;  ///< Stage by chunk and microbatch, from forward actions.
};

/// Parses the file line by line and reports each malformed cell with its position.
class ActionReader {
 public:
  ActionReader(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics) : file_(std::move(file)), diagnostics_(diagnostics) {}

  std::unique_ptr<Order> read() {
    auto out = std::make_unique<ListedOrder>();
    std::string_view rest = file_->text;
    for (line_ = 1; !rest.empty(); ++line_) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (!trim(rest.substr(0, end)).empty()) out->add_stage(read_line(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const StepSize size = out->size();
    if (size.stage_chunks == 0) error(1, "the file has no actions");
    if (size.stage_chunks > kMaxStages) error(1, fmt::format("{} chunks of the model: at most {}", size.stage_chunks, kMaxStages));
    return diagnostics_.has_errors() ? nullptr : std::move(out);
  }

 private:
  void error(std::size_t column, std::string message) {
    diagnostics_.error({file_, static_cast<std::uint32_t>(line_), static_cast<std::uint32_t>(column)}, std::move(message));
  }

  std::vector<Batch> read_line(std::string_view line) {
    std::vector<Batch> out;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(',', at), line.size());
      Batch batch;
      if (!read_cell(line.substr(at, end - at), batch)) error(at + 1, fmt::format("`{}` is no action", visible(trim(line.substr(at, end - at)))));
      if (!batch.actions.empty()) out.push_back(std::move(batch));
      at = end + 1;
    }
    return out;
  }

  /// Reads one action, or several in parentheses that run concurrently. Returns false for a malformed cell.
  static bool read_cell(std::string_view cell, Batch& out) {
    cell = trim(cell);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = trim(cell.substr(1, cell.size() - 2));
    out.is_concurrent =
        cell.size() > kConcurrentSuffix.size() && cell.front() == '(' && cell.substr(cell.size() - kConcurrentSuffix.size()) == kConcurrentSuffix;
    if (!out.is_concurrent) return cell.empty() || read_action(cell, out);
    cell = cell.substr(1, cell.size() - 1 - kConcurrentSuffix.size());
    for (const std::string& part : split(cell, ';')) {
      const std::size_t before = out.actions.size();
      if (!read_action(part, out) || out.actions.size() == before) return false;
    }
    return true;
  }

  /// Parses a cell such as `2F0`: chunk, word, microbatch. Appends the action to the batch; `B` stands for both
  /// gradients and appends two. A well-formed action with another word, perhaps without microbatch, such as a send,
  /// appends nothing, because messages follow from the actions. Returns false for a malformed cell.
  static bool read_action(std::string_view text, Batch& out) {
    const std::optional<std::uint32_t> stage_chunk = take_number(text);
    const std::size_t letters = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    const std::string_view word = text.substr(0, letters);
    text.remove_prefix(word.size());
    if (!stage_chunk || word.empty()) return false;
    const bool is_known = word == "F" || word == "I" || word == "W" || word == "B";
    const std::optional<std::uint32_t> microbatch = take_number(text);
    if (!text.empty() || (is_known && !microbatch)) return false;
    if (!is_known) return true;
    if (word == "F") out.actions.push_back({Work::forward, *stage_chunk, *microbatch});
    if (word == "I" || word == "B") out.actions.push_back({Work::input, *stage_chunk, *microbatch});
    if (word == "W" || word == "B") out.actions.push_back({Work::weight, *stage_chunk, *microbatch});
    return true;
  }

  std::shared_ptr<const SourceFile> file_;
  Diagnostics& diagnostics_;
  std::size_t line_ = 1;
};

}  // namespace

std::unique_ptr<Order> read_actions(const std::shared_ptr<const SourceFile>& file, Diagnostics& diagnostics) { return ActionReader(file, diagnostics).read(); }

}  // namespace opledger
