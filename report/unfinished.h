#pragma once
#include <filesystem>
#include <mutex>

/// Files and folders under construction, such as temporary files before they are renamed. A program that is ended by
/// SIGINT, SIGTERM or SIGHUP removes them first, so that nothing half-written is left behind.
///
/// A signal's handler may do next to nothing. `end_by_signal` therefore only wakes a thread, which waits since the first
/// lock; this thread takes the lock for good, removes all unfinished files, and ends the program by the same
/// signal. Creating, renaming and removing such files happens under the lock, so none of these steps can follow the
/// removal. Several files that are renamed under one lock appear together.
namespace opledger {

/// The lock of the list of unfinished files. While it exists, `end_by_signal` waits. The first lock sets the handlers of
/// signals, so a file that is created under it is removed by any later signal.
class Unfinished {
 public:
  Unfinished();

  /// Adds a file or folder that exists now or is created under this lock.
  void add(const std::filesystem::path& path);
  /// Takes a path off the list, because it is finished or removed.
  void remove(const std::filesystem::path& path);
  /// Gives the lock back early.
  void release() { lock_.unlock(); }

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Makes signals remove unfinished files. A program calls this once. Handlers are set by the first lock, and
/// only for signals that have none: a signal that the program was started to ignore, as by `nohup`, stays ignored.
void remove_unfinished_at_signals();

/// Removes unfinished files, then ends the program by the signal. Async-signal-safe; returns before the end.
void end_by_signal(int signal);

}  // namespace opledger
