#pragma once
#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "python/asked.h"
#include "python/held_report.h"
#include "run/run.h"

namespace opledger::python {

/// A run with its documents. What takes long lets other threads of Python go on; those that ask the same run wait for each other.
class HeldRun : public std::enable_shared_from_this<HeldRun> {
 public:
  /// Raises what is wrong.
  static std::shared_ptr<HeldRun> prepare(const Asked& asked);

  const Diagnostics& remarks() const { return remarks_; }
  const Run& run() const { return *run_; }
  const std::vector<std::string>& path() const { return path_; }

  /// What `ask` makes of the run. Raises its errors as `error`, unless it gives something in spite of them.
  template <class Ask>
  auto answer(const char* error, const Ask& ask);
  /// The same of two runs, of which either may be the other one.
  template <class Ask>
  auto answer_with(HeldRun& other, const char* error, const Ask& ask);

  /// A report that is kept together with the run.
  HeldReport held(Report report) { return {std::move(report), {shared_from_this()}, {}}; }

 private:
  std::vector<std::string> path_;
  std::unique_ptr<Library> library_;
  std::unique_ptr<Run> run_;
  Diagnostics remarks_;
  std::mutex mutex_;
};

[[noreturn]] void raise_from(const char* error, const Diagnostics& diagnostics);

template <class Ask>
auto HeldRun::answer(const char* error, const Ask& ask) {
  return answer_with(*this, error, [&](Run& run, Run&, Library& library, Diagnostics& diagnostics) { return ask(run, library, diagnostics); });
}

template <class Ask>
auto HeldRun::answer_with(HeldRun& other, const char* error, const Ask& ask) {
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

void bind_run(pybind11::module_& module);
/// More of what a run is asked, for `bind_run`.
void bind_questions(pybind11::class_<HeldRun, std::shared_ptr<HeldRun>>& type);
void bind_pages(pybind11::class_<HeldRun, std::shared_ptr<HeldRun>>& type);

}  // namespace opledger::python
