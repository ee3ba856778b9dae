#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/give_up.h"
#include "cli/run_program.h"
#include "report/output.h"
#include "report/unfinished.h"

namespace {

/// Opens /dev/null for closed standard streams. Otherwise the next opened file would get the descriptor, and output
/// would go into this file. The replacement is read-only, so writes to it fail.
void keep_standard_streams() {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) == -1 && ::open("/dev/null", O_RDONLY) != descriptor) std::exit(opledger::kFailed);
  }
}

/// Runs the program. Exceptions, which only signal defects or missing memory, become messages and the status kFailed.
int run(const std::vector<std::string>& words) {
  try {
    return opledger::run_program(words);
  } catch (const std::bad_alloc&) {
    opledger::print_message("error: out of memory\n");
  } catch (const std::exception& error) {
    opledger::print_message(std::string("error: internal: ") + error.what() + "\n");
  } catch (...) {
    opledger::print_message("error: internal: unknown exception\n");
  }
  return opledger::kFailed;
}

/// Runs the program in a thread with a stack of the usual size if the process has a smaller one (`ulimit -s`). Documents
/// nest to a depth that a small stack can't hold. Without a thread, the program runs on the stack that there is.
int run_on_large_stack(std::vector<std::string> words) {
  constexpr std::size_t kBytes = 8 << 20;
  struct Call {
    std::vector<std::string> words;
    int status;
  } call{std::move(words), opledger::kFailed};
  const auto start = [](void* argument) -> void* {
    auto& own = *static_cast<Call*>(argument);
    own.status = run(own.words);
    return nullptr;
  };
  rlimit limit{};
  pthread_attr_t attributes;
  pthread_t thread;
  const bool is_small = ::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kBytes;
  if (!is_small || ::pthread_attr_init(&attributes) != 0 || ::pthread_attr_setstacksize(&attributes, kBytes) != 0 ||
      ::pthread_create(&thread, &attributes, start, &call) != 0)
    return run(call.words);
  ::pthread_join(thread, nullptr);
  return call.status;
}

}  // namespace

// Prepares the process and runs the command line. Signals for closed pipes and full quotas are ignored, so that writes
// fail with a message instead. A program whose reader has gone ends by SIGPIPE, as a shell expects in a pipe.
int main(int count, char** words) {
  keep_standard_streams();
  std::set_terminate(opledger::give_up);
  std::signal(SIGPIPE, SIG_IGN);  // A closed pipe becomes a failed write.
  std::signal(SIGXFSZ, SIG_IGN);  // A file beyond the size limit becomes a failed write.
  opledger::remove_unfinished_at_signals();
  const int status = run_on_large_stack(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count));
  if (status == opledger::kReaderGone) {  // Ends like other programs in a pipe such as `yes | head`.
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  std::exit(status);
}
