#include "report/unfinished.h"

#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace opledger {
namespace {

/// The list, and the thread that waits for a signal. Never destroyed, because the thread runs until the process ends.
struct PathList {
  std::mutex mutex;
  std::set<std::filesystem::path> paths;
  bool is_requested = false;   ///< Signals are to remove files, and the thread is not started yet.
  std::atomic<int> signal{0};  ///< The signal that ends the program.
  ::sem_t wake = {};
};

PathList& path_list() {
  static PathList* const kState = [] {
    auto* const made = new PathList;
    ::sem_init(&made->wake, 0, 0);
    return made;
  }();
  return *kState;
}

/// The list for handlers, once the thread waits for a signal; null before.
std::atomic<PathList*> waiting{nullptr};

void end_program(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Waits for a signal, then removes all unfinished files and ends the program. The lock is never given back.
void wait_for_signal() {
  PathList& s = path_list();
  while (::sem_wait(&s.wake) != 0 && errno == EINTR) continue;
  s.mutex.lock();
  for (const std::filesystem::path& path : s.paths) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  end_program(s.signal);
}

/// Starts the thread, then sets the handlers. Without a thread, signals end the program and leave its files.
void handle_signals() {
  try {
    std::thread(wait_for_signal).detach();
  } catch (const std::system_error&) {
    return;
  }
  waiting = &path_list();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = end_by_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

Unfinished::Unfinished() : lock_(path_list().mutex) {
  if (std::exchange(path_list().is_requested, false)) handle_signals();
}

void Unfinished::add(const std::filesystem::path& path) { path_list().paths.insert(path); }

void Unfinished::remove(const std::filesystem::path& path) { path_list().paths.erase(path); }

void remove_unfinished_at_signals() { path_list().is_requested = true; }

void end_by_signal(int signal) {
  PathList* const s = waiting.load();
  if (s == nullptr) return end_program(signal);
  s->signal = signal;
  ::sem_post(&s->wake);
}

}  // namespace opledger
