#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/explored.h"

/// One page with everything of a run, that opens from a file.
namespace opledger {

/// Candidates of a search.
struct ExploredSpace {
  struct Opened {
    std::size_t candidate = 0, run = 0;  ///< The place in `values`; the place in ExploredPage::runs.
  };
  std::string command;                ///< That found them, for people.
  std::vector<std::string> axes, metrics;
  std::string objective;              ///< One of the metrics; empty: none.
  bool largest = true;                ///< Is the best.
  std::vector<std::pair<std::string, std::string>> units;
  std::size_t total = 0;              ///< Candidates that were read; `values` holds the best of them.
  std::vector<std::string> columns;   ///< Axes, then metrics.
  std::vector<std::vector<Value>> values;  ///< By column.
  std::vector<std::size_t> front;     ///< Places of those that no other exceeds in every metric.
  std::vector<std::string> commands;  ///< Words that ask for the run of each; empty: not known.
  std::vector<Opened> opened;
};

struct ExploredPage {
  std::string title;
  std::vector<const ExploredRun*> runs;  ///< One; two to compare; those of a space.
  const Report* differences = nullptr;   ///< Of the first two.
  const ExploredSpace* space = nullptr;
};

/// {"format": 1, "title", "runs": […], "differences", "space"} in a line, as schemas/output/explore.schema.json says.
std::string write_explore_json(const ExploredPage& page);

/// The page itself: `frame` (explorer/explorer.html) with its title and this data. Large data is compressed. What is in it is text for the page, whatever it is called.
std::string write_explore_page(std::string_view frame, const std::string& title, const std::string& data);

}  // namespace opledger
