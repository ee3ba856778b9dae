#pragma once
#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "python/report_handle.h"
#include "python/request.h"
#include "run/run.h"

namespace opledger::python {

/// A run and its documents, as an object of Python. Long computations release the interpreter's lock. A mutex
/// serializes requests to the same run from several threads.
class RunHandle : public std::enable_shared_from_this<RunHandle> {
 public:
  /// Prepares a run. Raises DocumentError on errors.
  static std::shared_ptr<RunHandle> prepare(const Request& inputs);

  /// Warnings of the preparation.
  const Diagnostics& remarks() const { return remarks_; }
  /// The prepared run.
  const Run& run() const { return *run_; }
  /// Folders searched first for documents.
  const std::vector<std::string>& path() const { return path_; }

  /// Returns the value of `ask`, called with the run while its mutex is locked. Without a value, raises the errors as
  /// `error`.
  template <class Ask>
  auto answer(const char* error, const Ask& ask);
  /// Returns the value of `ask`, called with two runs, which may be identical. Both mutexes are locked together, so two
  /// threads cannot deadlock.
  template <class Ask>
  auto answer_with(RunHandle& other, const char* error, const Ask& ask);

  /// Returns a report that keeps this run alive.
  ReportHandle handle_of(Report report) { return {std::move(report), {shared_from_this()}, {}}; }

 private:
  std::vector<std::string> path_;
  std::unique_ptr<Library> library_;
  std::unique_ptr<Run> run_;
  Diagnostics remarks_;
  std::mutex mutex_;
};

/// Raises an exception as `raise` does, after acquiring the interpreter's lock.
[[noreturn]] void raise_from(const char* error, const Diagnostics& diagnostics);

template <class Ask>
auto RunHandle::answer(const char* error, const Ask& ask) {
  return answer_with(*this, error, [&](Run& run, Run&, Library& library, Diagnostics& diagnostics) { return ask(run, library, diagnostics); });
}

template <class Ask>
auto RunHandle::answer_with(RunHandle& other, const char* error, const Ask& ask) {
  Diagnostics diagnostics;
  auto out = [&] {
    pybind11::gil_scoped_release released;
    if (&other == this) {
      const std::lock_guard lock(mutex_);
      return ask(*run_, *run_, *library_, diagnostics);
    }
    const std::scoped_lock lock(mutex_, other.mutex_);
    return ask(*run_, *other.run_, *library_, diagnostics);
  }();
  if (!out) raise_from(error, diagnostics);
  return std::move(*out);
}

/// Binds the class to the module.
void bind_run(pybind11::module_& module);
/// Binds further queries: explanations, reports, audits, differences, simulated steps.
void bind_questions(pybind11::class_<RunHandle, std::shared_ptr<RunHandle>>& type);
/// Binds the explorer's page and the bars of a summary.
void bind_pages(pybind11::class_<RunHandle, std::shared_ptr<RunHandle>>& type);

}  // namespace opledger::python
