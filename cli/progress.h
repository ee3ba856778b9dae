#pragma once
#include <chrono>
#include <string>

namespace opledger {

/// A progress line of a long search on standard error, cleared at the end. Nothing is written in the first half
/// second, or if standard error is no terminal that can clear a line (`TERM=dumb`).
class Progress {
 public:
  /// `enabled` is false if results go to the terminal at the same time.
  explicit Progress(bool enabled = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows a text, at most ten times a second. `text` is a function and runs only for a text that is shown. A longer
  /// text is cut at `columns`.
  template <class Text>
  void show(const Text& text) {
    if (due()) write(text());
  }
  /// Returns the columns of the terminal at present, minus one.
  static std::size_t columns();

 private:
  using Clock = std::chrono::steady_clock;

  bool due() const { return enabled_ && Clock::now() >= next_; }
  void write(const std::string& text);

  bool enabled_, shown_ = false;
  Clock::time_point next_;
};

}  // namespace opledger
