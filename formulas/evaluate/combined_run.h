#pragma once
#include <memory>
#include <string>
#include <vector>

#include "formulas/evaluate/element_tables.h"
#include "formulas/evaluate/query_error.h"

/// The elements of a combined run, at a word that unites several words (CaseWord::together).
namespace opledger {

class Interpreter;

/// Returns the common value of all answers; fails if they differ. `subject` names the value in messages, which point at
/// `span`. With a tape, the answer holds for candidates that agree with the sample.
Value agreed_value(const std::vector<Answer>& answers, const std::string& subject, const Span& span, Tape* tape, QueryError& error);

/// A builder of the union of several runs' elements by element key. A field has a value if all runs that have the
/// element and the field agree on it.
class CombinedRun {
 public:
  /// The elements of `parts` become those of `whole`.
  CombinedRun(Interpreter& whole, const std::vector<Interpreter*>& parts);
  /// Fills the sets of the combined run, and sets its nodes. An error is left in the run.
  void make();

 private:
  using Places = std::vector<WordId>;  ///< Number of the element in each run; kNoWord: the run lacks it.
  struct Members {
    std::vector<std::string> names, kinds;
    std::vector<Places> places;
    std::vector<std::vector<WordId>> of_part;  ///< Element here, by run and element there.
    bool is_set = false;                       ///< The run has the elements.
  };

  /// Returns whether all runs have the elements of a set.
  bool is_filled(SetId s) const;
  /// Collects the union of a set's elements over all runs.
  void add_names(SetId s);
  /// Fills a set. Sets to which its elements belong are filled first.
  void set(SetId s);
  /// Returns the columns of a set.
  Elements elements(SetId s) const;
  /// Returns the value that all runs with the element and the field agree on; `nothing` if they differ.
  Value value(SetId s, const Places& places, const std::string& field) const;
  /// Appends the memberships of an element, and its presence.
  void add_memberships(SetId s, const Places& places, Elements& out) const;
  void add_presence(SetId s, const Places& places, WordId element, Elements& out) const;
  /// Sets the nodes of the combined run.
  void set_nodes();

  Interpreter& whole_;
  const std::vector<Interpreter*>& parts_;
  IdVector<SetId, Members> sets_;
};

}  // namespace opledger
