#pragma once
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "run/linked.h"

/// Sections of an accounting whose formulas the engine itself asks for: what a step is played from (`play`), and what a layer's streams carry (`streams`).
namespace opledger {

inline constexpr const char* kPlayedSections[] = {"play", "streams"};
/// What such sections say by the names of phases, not by formulas.
inline constexpr std::array kPhaseKeys = {"phases", "with"};

/// What the newest of the run's accountings says under this name; null: none does.
const Datum* find_section(const Linked& run, const char* name);

class SectionFormulas {
 public:
  using Path = std::initializer_list<std::string_view>;  ///< A key, and those inside it.

  /// All must outlive it.
  SectionFormulas(const Datum& section, std::string name, Evaluator& evaluator, Diagnostics& diagnostics)
      : section_(section),
        name_(std::move(name)),
        evaluator_(evaluator),
        linker_(evaluator.program(), evaluator.questions(), diagnostics),
        diagnostics_(diagnostics) {}

  const Datum& datum() const { return section_; }
  const Datum* find(Path path) const;

  /// Each empty, with errors, if the section does not say it or it is not of this kind.
  std::optional<Value> value(Path path, const Point& at = nowhere());
  std::optional<double> number(Path path, const Point& at = nowhere());  ///< In base units.
  /// From 0 to `most`, in this unit.
  std::optional<double> amount(Path path, const Dimension& unit, double most, const Point& at = nowhere());
  std::optional<double> seconds(Path path, const Point& at = nowhere());  ///< At least 0.
  std::optional<bool> truth(Path path, const Point& at = nowhere());
  std::optional<bool> truth(const Datum& inside, const Point& at = nowhere());  ///< A formula of the section that no path leads to.
  std::optional<std::string> text(Path path, const Point& at = nowhere());
  std::optional<long long> whole(Path path, const Point& at = nowhere());  ///< From 1 to 10^9.

  bool absent() const { return absent_; }  ///< Some formula would have taken a document that the run has none of.

  /// What is played holds for a candidate with these very numbers.
  double fixed(const Scalar& scalar) { return scalar.constant() ? scalar.value : evaluator_.tape()->guard(scalar); }

 private:
  const Formula* formula(const Datum& datum);
  std::optional<Value> value(const Datum& inside, const Point& at);
  void fail(const Datum& formula, const std::string& what, const char* must_be, const std::string& is);
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
