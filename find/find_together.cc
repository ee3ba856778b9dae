#include "find/find_together.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/lists.h"
#include "base/text.h"
#include "find/rule_trials.h"
#include "formulas/value.h"
#include "run/sources.h"
#include "schemas/document.h"
#include "schemas/finder.h"

namespace opledger {
namespace {

constexpr int kRounds = 2;  // Recomputation changes the value of bytes for placements, and placements that of recomputation.

/// The rounds of questions. The run of the next question is always complete.
class TogetherFinder {
 public:
  /// `is_free`: the first round asks for all parts but the last without a budget. Recomputation, which is last, then makes
  /// the fastest run fit, where a run within the budget would be slow.
  TogetherFinder(const TogetherRequest& request, const Library& library, Diagnostics& diagnostics, bool is_free)
      : request_(request), library_(library), diagnostics_(diagnostics), is_free_(is_free) {
    out_.run = request.run;
  }

  std::optional<FoundTogether> find() {
    for (int round = 0; round < kRounds; ++round) {
      for (const FindPart part : request_.parts) {
        if (is_stopped() || is_settled(part)) continue;
        ask(part, is_free_ && round == 0 && part != request_.parts.back());
        if (diagnostics_.has_errors()) return std::nullopt;
      }
    }
    if (out_.steps.empty()) {
      for (const auto& [part, reason] : out_.refused) diagnostics_.error({}, reason);
      return std::nullopt;
    }
    out_.partial = is_stopped();
    if (!write_documents()) return std::nullopt;
    if (!out_.found.fits())
      out_.problem = fmt::format("nothing fits: the found run needs {} on a rank that may use {}", human(out_.found.memory), human(out_.budget));
    return std::move(out_);
  }

  /// Returns whether an answer without a budget exceeds the budget, so that answers within it may be better.
  bool has_exceeded() const { return has_exceeded_; }

 private:
  bool is_stopped() const { return request_.stop != nullptr && *request_.stop; }

  /// Returns whether no other part has changed since the last answer for a part, or the run does not have it.
  bool is_settled(FindPart part) const {
    if (std::any_of(out_.refused.begin(), out_.refused.end(), [&](const auto& other) { return other.first == part; })) return true;
    return settled_[static_cast<std::size_t>(part)] == changes_;
  }

  void ask(FindPart part, bool is_free) {
    switch (part) {
      case FindPart::stages:
        ask_one(part, is_free, StagesRequest(), find_stages, out_.stages);
        break;
      case FindPart::recompute:
        ask_one(part, is_free, RecomputeRequest(), find_recompute, out_.recompute);
        break;
      case FindPart::placements: {
        PlacementsRequest request;
        request.axes = request_.axes;
        ask_one(part, is_free, std::move(request), find_placements, out_.placements);
        break;
      }
    }
  }

  template <class Request, class Answer, class Find>
  void ask_one(FindPart part, bool is_free, Request request, Find&& find, std::optional<Answer>& last) {
    request.run = out_.run, request.stop = request_.stop;
    request.budget = is_free ? std::numeric_limits<double>::infinity() : request_.budget;
    request.progress = [this](std::size_t tried) {
      if (request_.progress) request_.progress(out_.tried + tried);
    };
    Diagnostics messages;
    std::optional<Answer> answer = find(request, library_, messages);
    if (!answer) {
      // A part that an earlier round has found can't be missing: its error is reported.
      const bool was_found = std::any_of(out_.steps.begin(), out_.steps.end(), [&](const FoundTogether::Step& step) { return step.part == part; });
      if (!was_found) return out_.refused.emplace_back(part, messages.first_error()->message), void();
      return diagnostics_.append(std::move(messages));
    }
    const bool is_better = answer->found.is_better(answer->given);
    if (out_.steps.empty()) {
      out_.accounting = answer->accounting, out_.execution = answer->execution;
      static_cast<Trial&>(out_.given) = answer->given;
    }
    out_.tried += answer->tried;
    FoundTogether::Step step{part, {}, is_better, is_free};
    static_cast<Trial&>(step.found) = answer->found;
    judge(step.found);
    has_exceeded_ |= is_free && !step.found.fits();
    const bool is_settled = !is_free || step.found.fits();
    out_.steps.push_back(std::move(step));
    if (is_better) {
      ++changes_;
      take(part, *answer);
      last = std::move(answer);
    }
    if (is_settled) settled_[static_cast<std::size_t>(part)] = changes_;
  }

  /// Decides by the budget of the request whether a trial fits.
  void judge(Trial& trial) {
    if (!out_.budget.is_number()) out_.budget = request_.budget ? number_value(real(*request_.budget), trial.memory.unit) : trial.capacity;
    if (out_.budget.is_number()) trial.judge(out_.budget.scalar.value);
  }

  void take(FindPart, const FoundStages& answer) { out_.run = answer.run; }
  void take(FindPart part, const FoundPlacements& answer) { take_document(part, answer); }
  void take(FindPart part, const FoundRecompute& answer) { take_document(part, answer); }

  /// Makes the found document one of the run. It replaces the document of an earlier round for the same part.
  template <class Answer>
  void take_document(FindPart part, const Answer& answer) {
    out_.run = answer.run;
    std::vector<std::string> replaced;
    for (const FoundTogether::NamedDocument& earlier : out_.documents) {
      if (earlier.part == part) replaced = earlier.replaced;
    }
    for (const std::string& name : answer.replaced) {
      if (!is_found(name)) replaced.push_back(name);
    }
    std::erase_if(out_.documents, [&](const FoundTogether::NamedDocument& document) { return !is_listed(document.name); });
    if (answer.document.empty()) return;
    const std::string name = fmt::format("found {} {}", kFindParts[static_cast<std::size_t>(part)], changes_);
    provide_text(name, answer.document, library_, diagnostics_);
    out_.run.more_rules.push_back(Datum::scalar(name, true, {}));
    out_.documents.push_back({part, name, answer.document, std::move(replaced)});
  }

  bool is_found(const std::string& name) const {
    return std::any_of(out_.documents.begin(), out_.documents.end(), [&](const auto& document) { return document.name == name; });
  }

  bool is_listed(const std::string& name) const {
    return std::any_of(out_.run.more_rules.begin(), out_.run.more_rules.end(), [&](const Datum& rules) { return rules.text() == name; });
  }

  /// Evaluates the run with all documents, and writes what it costs into their first lines.
  bool write_documents() {
    Diagnostics messages;
    const std::unique_ptr<Run> run = Run::prepare(out_.run, library_, messages);
    static_cast<Trial&>(out_.found) = evaluate_trial(run.get(), messages);
    judge(out_.found), judge(out_.given);
    const Trial& last = out_.steps.back().found;
    if (out_.found.step.scalar.value != last.step.scalar.value || out_.found.memory.scalar.value != last.memory.scalar.value) {
      diagnostics_.error(
          {}, fmt::format("the found documents give a step of {}, and the search {}: please report this defect", human(out_.found.step), human(last.step)));
      return false;
    }
    for (FoundTogether::NamedDocument& document : out_.documents)
      document.text = with_head(document.text, head_of_document(out_.run, out_.found, out_.budget, document.replaced));
    return true;
  }

  const TogetherRequest& request_;
  Library library_;  ///< A copy, which also has the found documents.
  Diagnostics& diagnostics_;
  const bool is_free_;
  bool has_exceeded_ = false;
  FoundTogether out_;
  std::size_t changes_ = 0;                                    ///< Number of answers that changed the run.
  std::optional<std::size_t> settled_[std::size(kFindParts)];  ///< Value of `changes_` after the last answer for each part.
};

}  // namespace

std::optional<FoundTogether> find_together(const TogetherRequest& request, const Library& library, Diagnostics& diagnostics) {
  TogetherFinder free(request, library, diagnostics, true);
  std::optional<FoundTogether> out = free.find();
  if (!out || out->partial || !free.has_exceeded()) return out;
  TogetherRequest rest = request;
  rest.progress = [&](std::size_t tried) {
    if (request.progress) request.progress(out->tried + tried);
  };
  std::optional<FoundTogether> within = TogetherFinder(rest, library, diagnostics, false).find();
  if (!within) return std::nullopt;
  const std::size_t tried = out->tried + within->tried;
  if (!out->found.is_better(within->found)) out = std::move(within);
  out->tried = tried;
  return out;
}

Library with_documents(const Library& library, const FoundTogether& found) {
  Library out = library;
  Diagnostics ignored;
  for (const FoundTogether::NamedDocument& document : found.documents) provide_text(document.name, document.text, out, ignored);
  return out;
}

std::string file_of(const FoundTogether::NamedDocument& document, const std::string& prefix) {
  return prefix + std::string(kFindParts[static_cast<std::size_t>(document.part)]) + ".yaml";
}

namespace {

Datum text(const std::string& words) { return Datum::scalar(words, false, {}); }

/// Returns a value in which paths of files beside the execution are relative to another folder.
Datum moved(const Datum& value, const std::filesystem::path& from, const std::filesystem::path& to) {
  if (value.is_list()) {
    std::vector<Datum> items;
    for (const Datum& item : value.items()) items.push_back(moved(item, from, to));
    return Datum::list(std::move(items), {});
  }
  if (value.is_map()) {
    std::vector<Datum::Entry> entries;
    for (const Datum::Entry& entry : value.entries()) entries.emplace_back(moved(entry.first, from, to), moved(entry.second, from, to));
    return Datum::map(std::move(entries), {});
  }
  std::error_code error;
  if (!value.is_scalar() || !is_path(value.text()) || !std::filesystem::exists(from / value.text(), error)) return value;
  const std::filesystem::path relative = std::filesystem::relative(from / value.text(), to, error);
  return error ? value : text("./" + relative.string());
}

}  // namespace

Datum found_execution(const FoundTogether& found, const RunRequest& given, const Document& execution, const std::filesystem::path& folder,
                      const std::string& prefix) {
  const Datum root = execution.shipped ? execution.root : moved(execution.root, execution.path.parent_path(), folder);
  std::vector<Datum> rules;
  for (const Datum& item : root.find("rules") != nullptr ? root.find("rules")->all() : std::vector<Datum>()) {
    const Datum& name = item.is_map() ? item.entries().front().first : item;
    if (!contains(found.run.without_rules, name_of_rules(name))) rules.push_back(item);
  }
  for (const Datum& name : found.run.more_rules) {
    const auto document = std::find_if(found.documents.begin(), found.documents.end(), [&](const auto& other) { return other.name == name.text(); });
    rules.push_back(document == found.documents.end() ? name : text("./" + file_of(*document, prefix)));
  }
  std::vector<std::pair<std::string, std::string>> settings = found.run.overrides;
  std::erase_if(settings, [&](const auto& setting) { return contains(given.overrides, setting); });
  std::vector<Datum::Entry> entries;
  for (const Datum::Entry& entry : root.entries()) {
    const std::string& key = entry.first.text();
    const auto is_set = [&](const auto& setting) { return setting.first == key; };
    if (key != "rules" && key != "name" && key != "doc" && std::none_of(settings.begin(), settings.end(), is_set)) entries.push_back(entry);
  }
  if (!rules.empty()) entries.emplace_back(text("rules"), Datum::list(std::move(rules), {}));
  for (const auto& [key, value] : settings) {
    Diagnostics ignored;
    entries.emplace_back(text(key), parse_document(std::make_shared<SourceFile>(key, value), ignored).value_or(text(value)));
  }
  return Datum::map(std::move(entries), {});
}

}  // namespace opledger
