#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/explored.h"
#include "search/store/recorded_search.h"

/// The explorer: a single HTML file with the data of one or more runs, which opens without a server.
namespace opledger {

/// The candidates of a search, for the explorer's page.
struct ExploredSpace {
  /// A candidate whose run is included in the page.
  struct IncludedRun {
    std::size_t candidate = 0, run = 0;  ///< Index in `recorded.rows`; index in ExploredPage::runs.
  };
  RecordedSearch recorded;            ///< Axes, metrics and candidates, as read from the file of the search.
  std::string about;                  ///< Description of the search for people; may be empty.
  std::vector<std::string> commands;  ///< Command that writes the execution of each candidate; empty: unknown.
  std::vector<IncludedRun> included;  ///< Candidates with an included run.
};

/// The contents of a page; pointers are borrowed.
struct ExploredPage {
  std::string title;                     ///< Title for people.
  std::vector<const ExploredRun*> runs;  ///< A run; two runs to compare; or the runs of a search.
  const Report* differences = nullptr;   ///< Differences of the first two runs; null: none.
  const ExploredSpace* space = nullptr;  ///< Candidates of a search; null: none.
};

/// A large list in the JSON of a page. The page stores each such list separately and reads it when a view needs it.
struct ExploreList {
  std::string place;               ///< Keys and indices from the root to the list, as JSON: `["runs",0,"graph","nodes"]`.
  std::size_t begin = 0, end = 0;  ///< Bytes of the list in the text.
};

/// The data of a page.
struct ExploreData {
  std::string text;                ///< The complete data as JSON.
  std::vector<ExploreList> lists;  ///< Large lists in `text`, in order and disjoint.
};

/// Returns {"format": 1, "title", "runs": […], "differences", "space"} as one line; see
/// schemas/output/explore.schema.json.
ExploreData write_explore_json(const ExploredPage& page);

/// Returns the page: `frame` (explorer/explorer.html) with title and data inserted. Large data is compressed and
/// encoded in base 64. Data cannot end the script element that contains it, even if names contain markup.
std::string write_explore_page(std::string_view frame, const std::string& title, const ExploreData& data);

}  // namespace opledger
