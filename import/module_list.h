#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "import/name_regex.h"
#include "schemas/datum.h"

/// Modules of a checkpoint that a config lists: by class, by the name of the module or of an enclosing one, by a pattern with `*`, or by a regular expression
/// after `re:`. A name matches each module whose name contains it as whole parts: `lm_head`, `mlp.gate`, `model.layers.0.self_attn`. A name that ends with a
/// full stop (`model.layers.0.`) matches the modules inside, because writers of configs list such names as prefixes.
namespace opledger {

class ModuleList {
 public:
  /// `classes`: the words among the entries that are no names. Errors: an entry that is no text, or no regular expression.
  ModuleList(const std::vector<Datum>& entries, const std::set<std::string>& classes, Diagnostics& diagnostics);

  /// Whether an entry names a module that goes by these names. What did so is no longer idle. Patterns may be many, and intricate: each comparison takes
  /// `steps`, and when none is left the answer means nothing.
  bool names(const std::vector<std::string>& module, std::size_t& steps);

  const std::set<std::string>& classes() const { return classes_; }  ///< Those that are listed.
  std::vector<Datum> idle() const;                                   ///< Entries that named nothing so far, in order; classes are none.

 private:
  bool named(const std::string& module, std::size_t& steps);
  bool use(std::size_t entry) { return used_[entry] = true; }

  std::vector<Datum> entries_;
  std::vector<bool> used_;
  std::set<std::string> classes_;
  std::map<std::string, std::size_t, std::less<>> plain_;   ///< Entries without a pattern. This and the next three hold positions in `entries_`.
  std::map<std::string, std::size_t, std::less<>> inside_;  ///< Entries that end with a full stop, stored without it.
  std::vector<std::size_t> patterns_;
  std::vector<std::pair<NameRegex, std::size_t>> regexes_;
};

}  // namespace opledger
