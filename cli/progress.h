#pragma once
#include <chrono>
#include <string>

namespace opledger {

/// One line on standard error that tells how far a long search is, and is gone when it ends. Only where a person may watch: nothing is written if standard error
/// is no terminal, nor in the first half second.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// At most ten times a second; the text is made only then.
  template <class Text>
  void show(const Text& text) {
    if (due()) write(text());
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool due() const { return watched_ && Clock::now() >= next_; }
  void write(const std::string& text);

  bool watched_, shown_ = false;
  Clock::time_point next_;
};

}  // namespace opledger
