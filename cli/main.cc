#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/run_program.h"

namespace {

/// A closed standard stream would be the next file that is opened, and results would land in it. What stands in for it can't be written to.
void keep_standard_streams() {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) == -1 && ::open("/dev/null", O_RDONLY) != descriptor) std::exit(opledger::kFailed);
  }
}

/// A search takes and frees tables of some megabytes thousands of times: giving their pages back each time takes longer than filling them. Nor is memory asked for page by page: what
/// most commands need is set aside first, in large pages if the system has them. It is taken when it is written to.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kBytes = 64 << 20, kFirst = 48 << 20, kAtOnce = 4 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kBytes);
  ::mallopt(M_TRIM_THRESHOLD, kBytes);
  ::mallopt(M_TOP_PAD, kAtOnce);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;  // what is set aside would be missing elsewhere
  void* const from = ::sbrk(0);
  void* volatile first = std::malloc(kFirst);  // volatile: else a compiler may leave both out
  std::free(first);
  const auto bytes = static_cast<char*>(::sbrk(0)) - static_cast<char*>(from);
  if (bytes > 0) ::madvise(from, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
#endif
}

}  // namespace

int main(int count, char** words) {
  keep_standard_streams();
  keep_freed_memory();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is a write that fails
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file that gets too large
  int status = opledger::kFailed;
  try {
    status = opledger::run_program(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count));
  } catch (const std::bad_alloc&) {
    opledger::print_message("error: out of memory\n");
  } catch (const std::exception& error) {
    opledger::print_message(std::string("error: internal: ") + error.what() + "\n");
  } catch (...) {
    opledger::print_message("error: internal: unknown exception\n");
  }
  if (status == opledger::kReaderGone) {  // as `yes | head` ends
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  std::exit(status);
}
