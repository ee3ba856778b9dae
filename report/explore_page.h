#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/explored.h"
#include "search/store/recorded.h"

/// One page with everything of a run, that opens from a file.
namespace opledger {

/// Candidates of a search.
struct ExploredSpace {
  struct Opened {
    std::size_t candidate = 0, run = 0;  ///< The place in `recorded.rows`; the place in ExploredPage::runs.
  };
  Recorded recorded;
  std::string about;                  ///< What was searched, for people; may be empty.
  std::vector<std::string> commands;  ///< By candidate, what writes its execution; empty: not known.
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
