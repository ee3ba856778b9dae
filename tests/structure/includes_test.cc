#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/structure/sources.h"

/// Permitted includes. The folders form a directed graph without cycles; heavy libraries stay in the folders that
/// need them.
namespace opledger::structure {
namespace {

/// Folders that a folder may include, in addition to itself and their own. CMakeLists.txt repeats the list for the
/// linker.
const std::map<std::string, std::vector<std::string>> kUses = {
    {"base", {}},
    {"expr", {"base"}},
    {"schemas", {"base"}},
    {"ops", {"expr", "schemas"}},
    {"models", {"ops"}},
    {"systems", {"expr", "schemas"}},
    {"executions", {"expr", "schemas"}},
    {"graph", {"models", "executions"}},
    {"rules", {"graph"}},
    {"formulas", {"ops", "systems"}},       // The graph is missing: the folder that computes elements supplies an `Engine`.
    {"accounting", {"graph", "formulas"}},  // Rules are missing: the two meet in the graph's annotations.
    {"run", {"rules", "accounting"}},
    {"compare", {"run"}},
    {"questions", {"run"}},
    {"measured", {"questions"}},
    {"play", {"questions"}},
    {"find", {"questions"}},
    {"import", {"questions", "compare"}},
    {"search", {"play", "find"}},
    {"report", {"search", "measured", "import", "find"}},
    {"cli", {"report"}},
    {"python", {"report"}},
};

/// Folders inside a folder that each of them may include. An empty name means the files directly in the folder, which
/// may include all of these folders.
const std::map<std::string, std::vector<std::string>> kRooms = {
    {"formulas/link", {"", "formulas/link"}},
    {"formulas/evaluate", {"", "formulas/link", "formulas/evaluate"}},
    {"formulas/read", {"", "formulas/link", "formulas/evaluate", "formulas/read"}},
    {"play/simulator", {"play/simulator"}},
    {"search/space", {"search/space"}},
    {"search/sweep", {"search/space", "search/sweep"}},
    {"search/store", {"search/space", "search/sweep", "search/store"}},
    {"search/processes", {"search/space", "search/sweep", "search/processes"}},
};

struct Library {
  std::string header;                ///< A prefix of the included path; the first that fits decides.
  std::vector<std::string> allowed;  ///< Files that may include it.
};

const std::vector<Library> kLibraries = {
    {"yaml-cpp/", {"schemas/*.cc"}},
    {"boost/graph/", {"graph/traverse.*"}},
    {"nlohmann/", {"schemas/*.cc", "import/*.cc", "report/*.cc", "report/json_value.h"}},
    {"protozero/", {"report/chakra.cc", "report/timeline_perfetto.cc"}},
    {"CLI/", {"cli/option_parser.cc"}},
    {"pybind11/", {"python/*"}},
    {"sqlite3.h", {"search/*.cc"}},
    {"tbb/", {"search/*.cc"}},
    {"oneapi/", {"search/*.cc"}},
    {"mpi.h", {"search/*.cc"}},
    {"zlib.h", {"report/*.cc", "schemas/image.cc", "schemas/read_source.cc", "search/store/checksum.cc"}},
    {"doctest/", {}},
};

std::set<std::string> reach(const std::string& folder) {
  std::set<std::string> result = {folder};
  for (const std::string& used : kUses.at(folder)) result.merge(reach(used));
  return result;
}

/// Returns `search/space` for `search/space/space.h`; empty if the file is in no room.
std::string room_of(const std::string& path) {
  const std::size_t folder = path.find('/'), room = path.find('/', folder + 1);
  return room == std::string::npos ? "" : path.substr(0, room);
}

bool may_enter(const std::string& from, const std::string& header) {
  const auto rooms = kRooms.find(room_of(from));
  if (rooms == kRooms.end() || folder_of(header) != folder_of(from)) return true;
  return std::find(rooms->second.begin(), rooms->second.end(), room_of(header)) != rooms->second.end();
}

std::string complaint(const File& file, bool quoted, const std::string& header) {
  if (!quoted) {
    for (const Library& library : kLibraries) {
      if (header.rfind(library.header, 0) == 0) return matches(file.path, library.allowed) ? "" : "doesn't belong in this file";
    }
    return "";
  }
  if (header.find('/') == std::string::npos || kUses.count(folder_of(header)) == 0) return "names no folder of the program";
  if (!may_enter(file.path, header)) return room_of(file.path) + " must not know it";
  return reach(folder_of(file.path)).count(folder_of(header)) ? "" : folder_of(file.path) + " must not know " + folder_of(header);
}

/// `base/a.h:3: "expr/b.h": base must not know expr`, one line each.
std::string include_complaints(const std::vector<File>& files) {
  static const std::regex kInclude(R"re(\s*#\s*include\s*(["<])([^">]+)[">].*)re");
  std::string result;
  for (const File& file : files) {
    std::istringstream in(file.text);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      std::smatch match;
      if (!std::regex_match(line, match, kInclude)) continue;
      const std::string why = complaint(file, match[1] == "\"", match[2]);
      if (!why.empty()) result += file.path + ":" + std::to_string(number) + ": " + match[2].str() + ": " + why + "\n";
    }
  }
  return result;
}

}  // namespace

TEST_CASE("folders include only what they may, and libraries stay in their places") { CHECK(include_complaints(cxx_files()) == ""); }

TEST_CASE("a wrong include is noticed") {
  const std::pair<File, std::string> cases[] = {
      {{"base/a.h", "// x\n#include \"expr/b.h\"\n"}, "base/a.h:2: expr/b.h: base must not know expr\n"},
      {{"rules/a.cc", "#include \"accounting/b.h\""}, "rules/a.cc:1: accounting/b.h: rules must not know accounting\n"},
      {{"accounting/a.cc", "# include \"rules/b.h\""}, "accounting/a.cc:1: rules/b.h: accounting must not know rules\n"},
      {{"models/a.cc", "#include \"graph/b.h\""}, "models/a.cc:1: graph/b.h: models must not know graph\n"},
      {{"search/space/a.cc", "#include \"search/sweep/b.h\"\n#include \"search/space/b.h\""},
       "search/space/a.cc:1: search/sweep/b.h: search/space must not know it\n"},
      {{"ops/a.cc", "#include \"operator.h\""}, "ops/a.cc:1: operator.h: names no folder of the program\n"},
      {{"ops/a.cc", "#include <yaml-cpp/yaml.h>"}, "ops/a.cc:1: yaml-cpp/yaml.h: doesn't belong in this file\n"},
      {{"schemas/a.h", "#include <yaml-cpp/yaml.h>"}, "schemas/a.h:1: yaml-cpp/yaml.h: doesn't belong in this file\n"},
      {{"graph/graph.h", "#include <boost/graph/topological_sort.hpp>"}, "graph/graph.h:1: boost/graph/topological_sort.hpp: doesn't belong in this file\n"},
      {{"graph/traverse.cc", "#include <boost/graph/topological_sort.hpp>"}, ""},
      {{"cli/a.cc", "#include \"base/units.h\"\n#include <vector>\n"}, ""},
  };
  for (const auto& [file, expected] : cases) CHECK(include_complaints({file}) == expected);
}

TEST_CASE("the table of includes covers every folder, and none reaches itself") {
  CHECK(kUses.size() == folders().size());
  for (const std::string& folder : folders()) {
    for (const std::string& used : kUses.at(folder)) CHECK(reach(used).count(folder) == 0);
  }
}

}  // namespace opledger::structure
