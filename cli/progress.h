#pragma once
#include <chrono>
#include <string>

namespace opledger {

/// One line on standard error that tells how far a long search is, and is gone when it ends. Only where a person may watch: nothing is written if standard error
/// is no terminal (or one that can't clear a line: `TERM=dumb`), nor in the first half second.
class Progress {
 public:
  /// `wanted`: false where results go to the terminal meanwhile.
  explicit Progress(bool wanted = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// At most ten times a second; the text is made only then. What is longer than `columns` is cut off.
  template <class Text>
  void show(const Text& text) {
    if (due()) write(text());
  }
  /// Of the terminal at present.
  static std::size_t columns();

 private:
  using Clock = std::chrono::steady_clock;

  bool due() const { return watched_ && Clock::now() >= next_; }
  void write(const std::string& text);

  bool watched_, shown_ = false;
  Clock::time_point next_;
};

}  // namespace opledger
