#include "search/change/library_threads.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace opledger {

bool for_each_with_library(std::size_t count, std::size_t jobs, Library& library, FunctionRef<void(std::size_t, Library&)> work, FunctionRef<bool()> stopped,
                           FunctionRef<void()> progress) {
  std::atomic<std::size_t> next = 0, finished = 0;
  const auto take = [&](Library& own, bool is_caller) {
    for (std::size_t i = next++; i < count && !stopped(); i = next++) {
      work(i, own);
      ++finished;
      if (is_caller) progress();
    }
  };
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  try {
    while (threads.size() + 1 < std::min(jobs, count)) {
      threads.emplace_back([&] {
        Library own(library.search_path());
        take(own, false);
      });
    }
  } catch (const std::system_error&) {
    // Fewer threads do the same tasks.
  }
  take(library, true);
  threads.clear();  // Waits for each.
  return finished == count;
}

}  // namespace opledger
