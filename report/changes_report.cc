#include "report/changes_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/width.h"
#include "formulas/value.h"
#include "report/cells.h"

namespace opledger {
namespace {

/// Most lines of the first screen: runs that fit, others, and pairs.
constexpr std::size_t kFitting = 6, kOthers = 3, kPairs = 4;

/// Returns the names of the changes of a trial: `A + B`.
std::string name_of(const ChangeTrial& trial, const ChangesAnswer& answer) {
  std::vector<std::string> out;
  for (const std::size_t change : trial.changes) out.push_back(answer.changes[change].name);
  return join(out, " + ");
}

/// Returns the costs in quality of the changes of a trial; empty without any.
std::string quality_of(const ChangeTrial& trial, const ChangesAnswer& answer) {
  std::vector<std::string> out;
  for (const std::size_t change : trial.changes) {
    if (!answer.changes[change].quality.empty()) out.push_back(answer.changes[change].quality);
  }
  return join(out, "; ");
}

/// Returns the change of speed as a share of that of the run itself; nothing without one of them.
std::optional<double> gain_of(const ChangeTrial& trial, const ChangesAnswer& answer) {
  if (!trial.rate.is_number() || !answer.now.rate.is_number() || answer.now.rate.scalar.value == 0) return std::nullopt;
  return trial.rate.scalar.value / answer.now.rate.scalar.value - 1;
}

/// Returns a speed with its label: `2,341 tokens/s` for a metric with the label `tokens/s` and the unit 1/s, else
/// `LABEL VALUE`.
std::string rate_text(const Value& rate, const std::string& label) {
  constexpr std::string_view kPerSecond = "1/s";
  if (!rate.is_number()) return "no speed";
  if (to_string(rate.unit) != kPerSecond || !label.ends_with("/s")) return display_key(label) + " " + human(rate);
  return human(number_value(integer(std::round(rate.scalar.value)))) + " " + label;
}

std::string state_text(ChangeTrial::State state) { return state == ChangeTrial::State::fits ? "fits" : "no"; }

/// A writer of the answer as lines.
class ChangesWriter {
 public:
  ChangesWriter(const ChangesAnswer& answer, const PageSize& page) : answer_(answer), page_(page) {}

  std::string write() {
    add_now();
    add_trials("alone", answer_.alone, page_.full ? answer_.alone.size() : kFitting, kOthers);
    add_trials("pairs", answer_.pairs, page_.full ? answer_.pairs.size() : kPairs, 0);
    add_left_out();
    add_fastest();
    return std::move(out_);
  }

 private:
  void add_now() {
    const ChangeTrial& now = answer_.now;
    const bool fits = now.state == ChangeTrial::State::fits;
    out_ += fmt::format("now: {} of {}, {}", human(now.size), human(now.capacity), fits ? "fits" : "does not fit");
    if (now.state == ChangeTrial::State::impossible) out_ += fmt::format(": {}", now.reason);
    std::vector<std::string> speed;
    if (now.step.is_number()) speed.push_back(human(now.step) + " a step");
    if (now.rate.is_number()) speed.push_back(rate_text(now.rate, answer_.rate_label));
    if (!speed.empty()) out_ += fmt::format("; {}{}", join(speed, ", "), fits ? "" : " if it did");
    out_ += fits && now.free_share() < kTightShare ? "; " + tight(now) + "\n" : "\n";
  }

  static std::string tight(const ChangeTrial& trial) {
    return fmt::format("tight: {} left", human(number_value(real(trial.capacity.scalar.value - trial.size.scalar.value), trial.size.unit)));
  }

  /// Adds a list: at most `fitting` runs that fit, then at most `others` that do not, and the number of others.
  void add_trials(const char* title, const std::vector<ChangeTrial>& trials, std::size_t fitting, std::size_t others) {
    std::vector<const ChangeTrial*> shown;
    std::size_t fit = 0, too_large = 0;
    for (const ChangeTrial& trial : trials) {
      const bool fits = trial.state == ChangeTrial::State::fits;
      std::size_t& count = fits ? fit : too_large;
      if (page_.full || count < (fits ? fitting : others)) shown.push_back(&trial);
      ++count;
    }
    if (shown.empty()) return;
    out_ += fmt::format("{}:\n", title);
    std::size_t names = 0, sizes = 0, rates = 0;
    for (const ChangeTrial* trial : shown) {
      names = std::max(names, width(name_of(*trial, answer_)));
      sizes = std::max(sizes, width(human(trial->size)));
      rates = std::max(rates, width(speed(*trial)));
    }
    for (const ChangeTrial* trial : shown) add_trial(*trial, names, sizes, rates);
    add_rest(fit - std::min(fit, fitting), too_large - std::min(too_large, page_.full ? too_large : others), others > 0);
  }

  /// Returns the speed of a run that fits; of others only in the full answer.
  std::string speed(const ChangeTrial& trial) const {
    if (trial.state != ChangeTrial::State::fits && !page_.full) return {};
    const std::optional<double> gain = gain_of(trial, answer_);
    return rate_text(trial.rate, answer_.rate_label) + (gain ? fmt::format(" ({:+.0f} %)", std::round(100 * *gain) + 0.0) : "");
  }

  void add_trial(const ChangeTrial& trial, std::size_t names, std::size_t sizes, std::size_t rates) {
    std::string line = "  " + padded(name_of(trial, answer_), names, false) + "  " + padded(human(trial.size), sizes, true) + "  " +
                       padded(state_text(trial.state), 4, false) + "  " + padded(speed(trial), rates, false);
    std::vector<std::string> notes = page_.full ? std::vector<std::string>{} : trial.computed;
    if (trial.state == ChangeTrial::State::fits && trial.free_share() < kTightShare) notes.push_back(tight(trial));
    if (const std::string quality = quality_of(trial, answer_); !quality.empty() && (page_.full || trial.state == ChangeTrial::State::fits))
      notes.push_back("quality: " + quality);
    if (!notes.empty()) line += "  " + join(notes, "; ");
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + "\n";
    if (page_.full && trial.changes.size() == 1) add_wrapped("  ", answer_.changes[trial.changes[0]].doc);
    if (page_.full) add_wrapped("  ", join(trial.settings, ", "));
  }

  /// Adds the number of runs that a list leaves out. Pairs that do not suffice are no news.
  void add_rest(std::size_t fit, std::size_t too_large, bool names_too_large) {
    std::vector<std::string> parts;
    if (fit > 0) parts.push_back(fmt::format("{} more that fit", fit));
    if (too_large > 0 && names_too_large) parts.push_back(fmt::format("{} more that do not suffice", too_large));
    if (!parts.empty()) out_ += fmt::format("  … {}\n", join(parts, ", "));
  }

  void add_left_out() {
    if (page_.full && !answer_.left_out.empty()) out_ += "left out:\n";
    for (const ChangeTrial& trial : answer_.left_out) {
      if (page_.full) add_wrapped("", name_of(trial, answer_) + ": " + trial.reason);
    }
    const auto changes = std::count_if(answer_.left_out.begin(), answer_.left_out.end(), [](const ChangeTrial& trial) { return trial.changes.size() == 1; });
    if (!page_.full && changes > 0) out_ += fmt::format("left out: {} changes that do not apply, can't run or have no effect (--full)\n", changes);
  }

  /// Adds a text that wraps, indented by two columns, and by four from the second line on. `more` precedes every line.
  void add_wrapped(const std::string& more, const std::string& text) {
    constexpr std::size_t kIndent = 6;
    std::string blanks = "  ";
    for (const std::string& line : wrapped(visible(text), std::max(page_.columns, kIndent + 1) - kIndent)) {
      out_ += more + blanks + line + "\n";
      blanks = "    ";
    }
  }

  /// Adds the settings of the fastest run that fits on the run's own system: of a single change, else of a pair; without
  /// a cost in quality, if there is one.
  void add_fastest() {
    if (page_.full) return;
    const auto is_own = [&](const ChangeTrial& trial) {
      return trial.state == ChangeTrial::State::fits &&
             std::all_of(trial.changes.begin(), trial.changes.end(), [&](std::size_t change) { return answer_.changes[change].systems.empty(); });
    };
    const auto is_free = [&](const ChangeTrial& trial) {
      return is_own(trial) &&
             std::all_of(trial.changes.begin(), trial.changes.end(), [&](std::size_t change) { return answer_.changes[change].quality.empty(); });
    };
    for (const bool free : {true, false}) {
      for (const auto* trials : {&answer_.alone, &answer_.pairs}) {
        const auto best = std::find_if(trials->begin(), trials->end(), [&](const ChangeTrial& trial) { return free ? is_free(trial) : is_own(trial); });
        if (best == trials->end()) continue;
        out_ +=
            fmt::format("fastest on this system{}: {}, by {}\n", free ? " without a cost in quality" : "", name_of(*best, answer_), join(best->settings, ", "));
        return;
      }
    }
  }

  const ChangesAnswer& answer_;
  const PageSize& page_;
  std::string out_;
};

/// A writer of the answer as tables.
class ChangesTables {
 public:
  ChangesTables(const ChangesAnswer& answer, ValueOwners& kept) : answer_(answer), kept_(kept) {}

  ReportTable now() {
    ReportTable out{"now", "Now", {"fits", "size", "capacity", "rate", "step", "reason"}, {}};
    const ChangeTrial& now = answer_.now;
    out.rows.push_back({truth_value(now.state == ChangeTrial::State::fits), now.size, now.capacity, now.rate, now.step, text(now.reason)});
    return out;
  }

  ReportTable trials(const char* name, const char* title, const std::vector<ChangeTrial>& trials) {
    ReportTable out{name, title, {"change", "fits", "size", "capacity", "rate", "gain", "step", "quality", "settings"}, {}};
    out.prose = {"quality", "settings"};
    out.units = {{"gain", "%", 0.01, 1}};
    for (const ChangeTrial& trial : trials) {
      const std::optional<double> gain = gain_of(trial, answer_);
      out.rows.push_back({text(name_of(trial, answer_)), truth_value(trial.state == ChangeTrial::State::fits), trial.size, trial.capacity, trial.rate,
                          gain ? number_value(real(*gain)) : Value{}, trial.step, text(quality_of(trial, answer_)), text(join(trial.settings, ", "))});
    }
    return out;
  }

  ReportTable left_out() {
    ReportTable out{"left_out", "Left out", {"change", "reason"}, {}};
    out.prose = {"reason"};
    for (const ChangeTrial& trial : answer_.left_out) out.rows.push_back({text(name_of(trial, answer_)), text(trial.reason)});
    return out;
  }

 private:
  Value text(std::string t) { return t.empty() ? Value{} : owned_text(std::move(t), kept_); }

  const ChangesAnswer& answer_;
  ValueOwners& kept_;
};

}  // namespace

std::string write_changes_text(const ChangesAnswer& answer, const PageSize& page) { return ChangesWriter(answer, page).write(); }

Report build_report(const ChangesAnswer& answer, const ChangesRequest& request) {
  Report report{request.run.model, answer.execution, request.run.system, answer.accounting};
  ChangesTables tables(answer, report.kept);
  report.tables = {tables.now(), tables.trials("alone", "One change", answer.alone), tables.trials("pairs", "Two changes", answer.pairs), tables.left_out()};
  return report;
}

}  // namespace opledger
