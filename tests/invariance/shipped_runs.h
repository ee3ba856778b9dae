#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/invariance/figures.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/shipped.h"

/// Shipped executions, and documents that replace the documents they name.
namespace opledger::invariance {

/// An axis as it is written: `tp: 8`, `dp: {edp: 2, ep: 8}` or `ep: [cp, tp]`.
struct WrittenAxis {
  std::string name;
  std::vector<std::pair<std::string, long>> parts{};  ///< A plain axis has one part, which has its name.
  std::vector<std::string> alias{};

  bool plain() const { return parts.size() == 1 && parts[0].first == name; }
  bool one_rank() const;
};
using Axes = std::vector<WrittenAxis>;

WrittenAxis plain(const std::string& name, long ranks);
std::string written(const Axes& axes);

/// A shipped execution with its model and system.
struct ShippedRun {
  std::string execution, model, system;
  std::string text;  ///< Text of the execution's document.
  Axes axes;
  std::vector<std::string> rules;

  /// Returns the document with another mesh, or other rules.
  std::string with_axes(const Axes& other) const;
  std::string with_rules(const std::vector<std::string>& other) const;
};

/// Returns all shipped runs, `single` with a small model. If assertions and sanitizers make runs slow, returns one of ten.
std::vector<ShippedRun> shipped_runs();

/// Documents that hide those of the same name.
class Overlay {
 public:
  Overlay() : library_({folder_.path(), source_folder()}) {}
  void write(const std::string& path, const std::string& text) { folder_.write(path, text); }
  /// Prepares a run; null, with the reason in `why`, if it can't be prepared.
  std::unique_ptr<Run> prepare(const std::string& model, const std::string& execution, const std::string& system, std::string& why);

 private:
  TemporaryFolder folder_;
  Library library_;
};

/// Other documents for a run that must keep its figures.
struct Change {
  std::string name;
  std::string execution, model;                ///< Documents in place of the shipped ones; empty: as shipped.
  std::shared_ptr<Overlay> library = nullptr;  ///< Other documents; null: as shipped.
  Naming naming = {};                          ///< Maps names of the changed run to names of the shipped one.
};

/// Compares every shipped run with each of its changes and prints how many there were. `share`: see `differences`.
void check_changes(const std::string& property, const std::function<std::vector<Change>(const ShippedRun&)>& changes, double share);

}  // namespace opledger::invariance
