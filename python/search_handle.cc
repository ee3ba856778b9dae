#include "python/search_handle.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "python/errors.h"
#include "search/played_candidates.h"
#include "search/search.h"

namespace opledger::python {

namespace py = pybind11;

namespace {

/// A scope in which freed memory stays with the process. A search allocates and frees tables of megabytes thousands of
/// times; returning their pages each time takes longer than filling them. Remaining memory is returned at the end.
class FreedMemoryRetention {
 public:
  FreedMemoryRetention() { set(64 << 20); }
  ~FreedMemoryRetention() {
    set(1 << 20);
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
  }
  FreedMemoryRetention(const FreedMemoryRetention&) = delete;
  FreedMemoryRetention& operator=(const FreedMemoryRetention&) = delete;

 private:
  static void set([[maybe_unused]] int bytes) {
#ifdef __GLIBC__
    ::mallopt(M_MMAP_THRESHOLD, bytes);
    ::mallopt(M_TRIM_THRESHOLD, bytes);
#endif
  }
};

}  // namespace

void SearchHandle::run() {
  {
    py::gil_scoped_release released;
    const FreedMemoryRetention retention;
    const auto start = Clock::now();
    answer_ = search_all();
    seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
  }
  report_end();
  if (raised_ != nullptr) std::rethrow_exception(raised_);
  if (!answer_) raise(kDocumentError, remarks_);
}

std::optional<SearchAnswer> SearchHandle::search_all() {
  library_ = open_library(request_, request.run, remarks_);
  if (library_ == nullptr) return std::nullopt;
  if (list) {
    sink_ = found_.sink();
    request.sink = &sink_;
    request.sweep.max_listed = 1 << 20;  // Every candidate is stored.
  }
  request.sweep.stop = &stop_;
  request.watch = [this](const SearchStatus& status) { watch(status); };
  std::optional<SearchAnswer> answer = search(request, *library_, remarks_);
  if (answer && request.played > 0) answer->played = play_best(request, *answer, *library_, remarks_);
  return answer;
}

void SearchHandle::report_end() {
  if (!answer_) return;
  const std::lock_guard lock(mutex_);
  status_.done = answer_->result.candidates + answer_->result.skipped;
  if (!answer_->best.empty()) status_.best = answer_->objective + " " + human(answer_->best[0].metrics[0]);
}

void SearchHandle::watch(const SearchStatus& status) {
  {
    const std::lock_guard lock(mutex_);
    status_ = status;
  }
  constexpr std::chrono::milliseconds kPause(50);
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kPause;
  handle_signals();
}

/// Handles pending signals, which Python does only in its main thread.
void SearchHandle::handle_signals() {
  const py::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() == 0) return;
  py::error_already_set error;
  if (!error.matches(PyExc_KeyboardInterrupt) || interrupted_) raised_ = std::make_exception_ptr(error);
  interrupted_ = true;
  stop_ = true;
}

SearchStatus SearchHandle::status() {
  const std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace opledger::python
