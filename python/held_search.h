#pragma once
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "python/asked.h"
#include "python/found_columns.h"
#include "search/search_answer.h"
#include "search/search_request.h"

namespace opledger::python {

/// A search that one thread of Python runs while others, or the signals that Python gets, may end it.
class HeldSearch {
 public:
  explicit HeldSearch(Asked asked) : asked_(std::move(asked)) { request.run = asked_.request; }

  SearchRequest request;
  bool list = false;  ///< All feasible candidates are kept.

  /// Lets other threads go on meanwhile. Python's signals are handled now and then; KeyboardInterrupt only ends the search. Raises what is wrong.
  void run();
  void stop() { stop_ = true; }
  SearchStatus status();

  const SearchAnswer& answer() const { return *answer_; }
  const Diagnostics& remarks() const { return remarks_; }
  std::vector<FoundColumns::Named> found() { return found_.take(); }
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const SearchStatus& status);
  void tell_end();
  void handle_signals();
  std::optional<SearchAnswer> search_all();

  Asked asked_;
  std::unique_ptr<Library> library_;
  FoundColumns found_;
  CandidateSink sink_;
  Diagnostics remarks_;
  std::optional<SearchAnswer> answer_;
  double seconds_ = 0;

  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  SearchStatus status_;
  Clock::time_point next_ = {};          ///< When signals are handled again.
  std::exception_ptr raised_ = nullptr;  ///< By a handler of signals.
  bool interrupted_ = false;
};

void bind_search(pybind11::module_& module);

}  // namespace opledger::python
