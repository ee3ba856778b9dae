#pragma once
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "find/trial.h"

/// A search for rules compares whole runs: one request with different rule documents.
namespace opledger {

/// Leaves rule documents out of a run, whether a document or the request itself lists them.
void leave_out(const std::vector<const Document*>& documents, RunRequest& request);

/// Sets an input of a request, in place of an earlier setting.
void set_input(const std::pair<std::string, std::string>& setting, RunRequest& request);

/// Gives a library a document of this text.
void provide_text(const std::string& name, const std::string& text, Library& library, Diagnostics& messages);

/// Returns a document with other comments at its top.
std::string with_head(std::string_view document, const std::vector<std::string>& head);

/// Evaluates whole runs with rule documents that exist and with documents of the search, and counts them.
class RuleTrials {
 public:
  /// `library` is copied, because the copy also has the documents of the search.
  RuleTrials(const Library& library, const std::atomic<bool>* stop, std::function<void(std::size_t)> progress)
      : library_(library), stop_(stop), progress_(std::move(progress)) {}

  Library& library() { return library_; }
  const Library& library() const { return library_; }
  void set_budget(double bytes) { budget_ = bytes; }
  double budget() const { return budget_; }  ///< Bytes of a rank; infinity for no limit.

  /// Gives the library a document of this text, and returns its name. Equal texts have one name.
  std::string provide(const std::string& text, Diagnostics& messages);
  /// Evaluates a run as a trial, which fits if its memory is within the budget. `messages` has the messages of its
  /// preparation, and `rules` names its documents.
  RulesTrial judged(Run* run, std::string rules, Diagnostics& messages) const;
  /// Prepares and evaluates a run with a further rule document; with an empty name, without one.
  RulesTrial evaluate(RunRequest request, const std::string& document, std::string rules);
  /// Evaluates a run with a document of this text.
  RulesTrial evaluate_text(const RunRequest& request, const std::string& text);

  void count_trial();  ///< Reports the progress and counts an evaluation.
  std::size_t count() const { return count_; }
  bool stopped() const { return stop_ != nullptr && *stop_; }

 private:
  Library library_;
  const std::atomic<bool>* stop_;
  std::function<void(std::size_t)> progress_;
  double budget_ = std::numeric_limits<double>::infinity();
  std::map<std::string, std::string> names_;  ///< Names of provided documents, by text.
  std::size_t count_ = 0;
};

/// Returns the comments at the top of a found document: the run that it was found for, its seconds and bytes, and how to
/// use it in place of the documents `replaced`.
std::vector<std::string> head_of_document(const RunRequest& run, const RulesTrial& found, const Value& budget, const std::vector<std::string>& replaced);

}  // namespace opledger
