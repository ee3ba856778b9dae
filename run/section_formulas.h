#pragma once
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "run/linked_run.h"

/// Sections of an accounting that the engine evaluates itself: the simulated step (`play`), the streams of a layer
/// (`streams`) and the costs of layers (`find`). `find_section` finds the section of a run; SectionFormulas evaluates its formulas by path.
namespace opledger {

/// Keys of the sections that decide the results of a simulation.
inline constexpr const char* kPlayedSections[] = {"play", "streams"};
/// Keys whose values are names of phases, not formulas.
inline constexpr std::array kPhaseKeys = {"phases", "with"};

/// Returns the section in the newest accounting of the run that has it; null if none has.
const Datum* find_section(const LinkedRun& run, const char* name);

/// Evaluates formulas of one section, addressed by paths of keys, such as `work`, `forward`. Formulas are linked on
/// first use and kept. Errors name the section and the path.
class SectionFormulas {
 public:
  using Path = std::initializer_list<std::string_view>;  ///< Keys from outermost to innermost.

  /// All arguments must outlive the object.
  SectionFormulas(const Datum& section, std::string name, Evaluator& evaluator, Diagnostics& diagnostics)
      : section_(section),
        name_(std::move(name)),
        evaluator_(evaluator),
        linker_(evaluator.program(), evaluator.queries(), diagnostics),
        diagnostics_(diagnostics) {}

  const Datum& datum() const { return section_; }  ///< The whole section.
  const Datum* find(Path path) const;              ///< Text of the formula at a path; null without it.

  /// The following functions return the value of the formula at a path, evaluated at the point `at` (by default without
  /// a current element). Nothing, with errors, if the section lacks the path, the value can't be computed, or it has
  /// the wrong kind.
  std::optional<Value> value(Path path, const Point& at = nowhere());
  std::optional<Value> value(const Datum& inside, const Point& at = nowhere());  ///< Formula of the section that no path addresses.
  std::optional<double> number(Path path, const Point& at = nowhere());          ///< Number in base units.
  /// Returns a number from 0 to `most`, in base units; the formula must have this unit.
  std::optional<double> amount(Path path, const Dimension& unit, double most, const Point& at = nowhere());
  std::optional<double> seconds(Path path, const Point& at = nowhere());  ///< Seconds, at least 0.
  std::optional<bool> truth(Path path, const Point& at = nowhere());
  std::optional<bool> truth(const Datum& inside, const Point& at = nowhere());  ///< Formula of the section that no path addresses, such as an item of a list.
  std::optional<std::string> text(Path path, const Point& at = nowhere());
  std::optional<long long> whole(Path path, const Point& at = nowhere());  ///< A whole number of at least 1 and below 10^9.

  bool absent() const { return absent_; }  ///< True after a formula read a document that the run lacks.

  /// Returns the number of a scalar. On a tape, guards it: a simulated step holds only for candidates with the same
  /// numbers.
  double fixed(const Scalar& scalar) { return scalar.constant() ? scalar.value : evaluator_.tape()->guard(scalar); }

 private:
  /// Returns the linked formula of a text, linking it on first use; null after an error.
  const Formula* formula(const Datum& datum);
  /// Reports a value of the wrong kind: SUBJECT must be MUST_BE, not IS.
  void fail(const Datum& formula, const std::string& subject, const char* must_be, const std::string& is);
  /// Returns a path as text for messages.
  std::string written(Path path) const;

  const Datum& section_;
  const std::string name_;
  Evaluator& evaluator_;
  Linker linker_;
  Diagnostics& diagnostics_;
  std::map<const Datum*, const Formula*> linked_;
  bool absent_ = false;
};

}  // namespace opledger
