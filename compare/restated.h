#pragma once
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"

/// A run as another accounting would be asked for it. That accounting says how, under `compares`: what must hold of the run, and a formula for each input of
/// its own, over the run's names and its model's parameters.
namespace opledger {

struct Restated {
  std::string accounting;
  Diagnostics messages;      ///< What the run was prepared with.
  std::unique_ptr<Run> run;  ///< Null: the accounting can't be asked, and `why` says why not.
  std::string why;
};

/// What the accountings on the search path say of runs of others.
struct Restating {
  /// Those that have reports and say how runs of this one's accounting become their own, and what its metrics are here; sorted.
  std::vector<std::string> names;
  std::set<std::string> told;                                   ///< Accountings of whose runs some of them says so.
  std::vector<std::pair<std::string, std::string>> unreadable;  ///< Those that can't be read, and why.
};
Restating restating(const Linked& run, Library& library);

/// Whether an accounting says so. False, with errors, if it can't be loaded.
bool restates(const std::string& accounting, const Linked& run, Library& library, Diagnostics& diagnostics);

/// An accounting that says nothing of it is asked with the run's own documents. Changes are values for the other run alone. The result stays where it was made.
std::unique_ptr<Restated> restate(Run& run, const std::string& accounting, Library& library,
                                  const std::vector<std::pair<std::string, std::string>>& changes = {});

/// What the first run's accounting says of the second's, under `compares`; null: nothing.
const Comparison* comparison_with(const Linked& teller, const Linked& other);

}  // namespace opledger
