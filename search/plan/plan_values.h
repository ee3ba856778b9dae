#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"

/// The options of a plan (document of kind `plan`) with their values, as settings for searches.
namespace opledger {

/// Values of options as a user writes them, by the name of the option.
using OptionTexts = std::map<std::string, std::string, std::less<>>;

/// A question of a planner: a plan, a model, a machine, and values of the plan's options.
struct PlanQuestion {
  const Document* plan = nullptr;                              ///< Document of kind `plan`.
  std::string model, system;                                   ///< Names or paths.
  OptionTexts texts;                                           ///< Values of options; the plan's defaults apply to absent options.
  std::vector<std::pair<std::string, std::string>> overrides;  ///< Further settings, as by `--set`; they replace those of options.
};

/// The options of a question, converted to settings of inputs.
class PlanValues {
 public:
  /// Converts all options. Returns nothing, with errors that name the option, if an option is unknown or required and
  /// absent, or if its value has the wrong form.
  static std::optional<PlanValues> read(const PlanQuestion& question, Library& library, Diagnostics& diagnostics);

  /// Settings of the options, as for `--set`, in the order of the plan.
  const std::vector<std::pair<std::string, std::string>>& settings() const { return settings_; }
  /// Rules of all runs, from options that name rules; nothing without such an option.
  const std::optional<Datum>& rules() const { return rules_; }
  /// Options with a default value that the user did not state, with the value.
  const std::vector<std::pair<std::string, std::string>>& assumed() const { return assumed_; }

  /// Returns the value of a formula in which names of options stand for their numbers, and `it` for the number of `it`.
  /// Parameters of the model are known, too. Nothing, with errors, without a value.
  std::optional<Value> value(const Datum& formula, Diagnostics& diagnostics, const std::string& it = {});

 private:
  PlanValues(const PlanQuestion& question, Library& library) : question_(question), library_(library) {}
  /// Converts the text of one option.
  bool read_option(const std::string& name, const Datum& option, Diagnostics& diagnostics);
  /// Replaces the text of a default that is a formula by its value. The formula sees the options before this one.
  bool number_of_default(const Datum& usual, std::string& text, Diagnostics& diagnostics);
  /// Adds the rules that the text of an option names.
  bool add_rules(const std::string& text, Diagnostics& diagnostics);
  /// Returns the run of the model alone, which evaluates formulas; prepared at the first call. Null, with errors, if it
  /// can't be prepared.
  Run* model_run(Diagnostics& diagnostics);

  const PlanQuestion& question_;
  Library& library_;
  std::map<std::string, ExprPtr> numbers_;  ///< Numbers of options.
  std::vector<std::pair<std::string, std::string>> settings_, assumed_;
  std::optional<Datum> rules_;
  std::unique_ptr<Run> run_;
};

}  // namespace opledger
