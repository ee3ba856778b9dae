#pragma once
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "python/found_columns.h"
#include "python/request.h"
#include "search/search_answer.h"
#include "search/search_request.h"

namespace opledger::python {

/// A search as an object of Python. One thread runs the search; other threads and Python's signals may stop it.
class SearchHandle {
 public:
  explicit SearchHandle(Request inputs) : request_(std::move(inputs)) { request.run = request_.request; }

  /// The options of the search, set before `run`.
  SearchRequest request;
  bool list = false;  ///< True if every feasible candidate is stored.

  /// Runs the search without the interpreter's lock, handling signals from time to time. KeyboardInterrupt stops the
  /// search, and found candidates remain. Raises DocumentError on errors.
  void run();
  /// Requests the end of the search, from any thread.
  void stop() { stop_ = true; }
  /// Returns the progress, from any thread.
  SearchStatus status();

  /// The answer, after `run`.
  const SearchAnswer& answer() const { return *answer_; }
  /// Warnings of the search.
  const Diagnostics& remarks() const { return remarks_; }
  /// Returns the columns of every feasible candidate, after `run`, and leaves none.
  std::vector<FoundColumns::Named> found() { return found_.take(); }
  /// Duration of the search in seconds.
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const SearchStatus& status);
  void report_end();
  void handle_signals();
  std::optional<SearchAnswer> search_all();

  Request request_;
  std::unique_ptr<Library> library_;
  FoundColumns found_;
  CandidateSink sink_;
  Diagnostics remarks_;
  std::optional<SearchAnswer> answer_;
  double seconds_ = 0;

  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  SearchStatus status_;
  Clock::time_point next_ = {};          ///< Time at which signals are handled again.
  std::exception_ptr raised_ = nullptr;  ///< Exception raised by a handler of signals; null: none.
  bool interrupted_ = false;
};

/// Binds the class to the module.
void bind_search(pybind11::module_& module);

}  // namespace opledger::python
