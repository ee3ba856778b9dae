#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "import/name_regex.h"
#include "schemas/datum.h"

/// Modules of a checkpoint that a config lists. An entry is a class, the name of a module or of an enclosing one, a
/// pattern with `*` or `?`, or a regular expression after `re:`. A name matches each module whose name contains it as
/// whole parts: `lm_head`, `mlp.gate`, `model.layers.0.self_attn`. A name with a final full stop (`model.layers.0.`) is
/// a prefix and matches the modules inside.
namespace opledger {

/// A list of entries that records the use of each entry.
class ModuleList {
 public:
  /// Sorts the entries by kind. `classes` are the known names of classes. Reports entries that are no text, or no
  /// valid regular expression.
  ModuleList(const std::vector<Datum>& entries, const std::set<std::string>& classes, Diagnostics& diagnostics);

  /// Returns whether an entry matches a module with any of the names in `module`, and marks all matching entries as
  /// used. Each comparison with a pattern takes one of `steps`, and each visit of a regular expression's node. The
  /// result is meaningless once no step is left.
  bool matches_any(const std::vector<std::string>& module, std::size_t& steps);

  const std::set<std::string>& classes() const { return classes_; }  ///< Returns the classes among the entries.
  std::vector<Datum> unused() const;                                 ///< Returns the unused entries in order; classes and repeated names always count as used.

 private:
  /// Returns whether an entry matches one name, and marks all matching entries as used.
  bool matches(const std::string& module, std::size_t& steps);
  /// Marks an entry as used; returns true.
  bool use(std::size_t entry) { return used_[entry] = true; }

  std::vector<Datum> entries_;  ///< All entries in order.
  std::vector<bool> used_;      ///< Whether each entry is used.
  std::set<std::string> classes_;
  std::map<std::string, std::size_t, std::less<>> names_;                  ///< Entries without a pattern, with their indices in `entries_`.
  std::map<std::string, std::size_t, std::less<>> prefixes_;               ///< Entries with a final full stop, stored without it, with their indices.
  std::map<std::string, std::vector<std::size_t>, std::less<>> patterns_;  ///< Indices of entries with `*` or `?`, by the text in front of the first sign.
  std::set<std::size_t> heads_;                                            ///< Lengths of these texts.
  std::vector<std::pair<NameRegex, std::size_t>> regexes_;
};

}  // namespace opledger
